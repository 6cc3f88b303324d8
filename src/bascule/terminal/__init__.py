"""The terminal as a surface: a conversation shown as it happens, and a person's answers taken from the keyboard.

The flow, everything but the last three being pure:

    event ──► page ──► pieces ──► paint ──► rows ─┐
                asks ──► pieces                   ├──► screen
    key ────► editor, dialogue ──► desk ──► commands    keyboard ──► loop ──► Conversation

`lines` holds what a piece is, `clean` makes foreign text harmless, `figures` says numbers, `diff`, `calls` and `asks`
turn payloads into pieces, `markdown` prose into lines. `answers` decides where there is no keyboard. Nothing here knows
the CLI, its process or its wire: a surface speaks events and commands.
"""
