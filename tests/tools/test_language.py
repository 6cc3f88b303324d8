"""The language of a file from its name."""

import pytest

from bascule.tools.language import language


@pytest.mark.parametrize(
    ("file_path", "expected"),
    [
        ("a.py", "python"),
        ("/w/A.TSX", "tsx"),
        ("C:\\w\\a.rs", "rust"),
        ("Dockerfile", "dockerfile"),
        ("x/Makefile", "makefile"),
        ("py", None),
        ("a.unknown", None),
        (".bashrc", None),
        ("", None),
    ],
)
def test_the_ending_tells_the_language(file_path: str, expected: str | None) -> None:
    assert language(file_path) == expected
