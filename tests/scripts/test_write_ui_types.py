"""The browser's types are those of the structs."""

from scripts.write_ui_types import TARGET, written


def test_the_types_are_current() -> None:
    assert TARGET.read_text(encoding="utf-8") == written(), "python -m scripts.write_ui_types"


def test_names_that_python_tells_apart_by_module_are_told_apart() -> None:
    text = written()
    assert all(text.count(f"export interface Prompt{ending} ") == 1 for ending in ("AcceptedEvent", "Command", "Item"))
    assert "text?:" not in text
    assert 'readonly type: "decide";' in text
