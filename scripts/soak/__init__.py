"""Hundreds of sessions, while everything that can go wrong goes wrong; then it is counted what came of it.

    python -m scripts.soak --sessions 200 --seconds 300 --seed 7

``house.py``    the folder, on a small disk of its own where that can be had; the CLIs; what is left over
``meddler.py``  stands between the keeper and the CLI, and does to each CLI one of the things that CLIs do
``served.py``   the hub with its web server, a process of its own
``client.py``   who uses it: prompts, answers each ask twice at once, comes back to each hub with the position he has
``faults.py``   what is done to hubs, keepers, disks and sockets: a table
``judging.py``  what was seen beside what is stored beside what is recorded
"""
