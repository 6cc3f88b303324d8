"""Files that a person writes for bascule."""

from pathlib import Path

import pytest

from bascule.session.written import content, projects_config, projects_file, text


def test_those_of_a_workspace_are_where_the_documentation_says() -> None:
    assert projects_file("/w") == Path("/w/.bascule/rules.toml")
    assert projects_config("/w") == Path("/w/.bascule/config.toml")


def test_what_everybody_may_write_is_nobodys_word(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"a")
    assert content(path) == b"a"
    path.chmod(0o666)
    with pytest.raises(OSError, match="everybody may write to it"):
        content(path)


def test_what_is_no_text_is_told_with_its_place() -> None:
    assert text("ä\n".encode(), Path("/x")) == ("ä\n", None)
    assert text(b"a\nbc\xff", Path("/x")) == ("", "/x:2:3: no UTF-8 text")
