"""Where a call reaches: paths and URLs against patterns, in the allowing and in the denying direction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bascule.policy import places
from bascule.policy.places import Ground
from bascule.tools.facts import facts

GROUND = Ground(workspace="/home/ann/app", home="/home/ann")
HOMELESS = Ground(workspace="/home/ann/app")


@pytest.mark.parametrize(
    ("path", "folder", "is_inside"),
    [
        ("/home/ann/app", "/home/ann/app", True),
        ("/home/ann/app/src/a.py", "/home/ann/app", True),
        ("/home/ann/app/src/", "/home/ann/app/", True),
        ("/home/ann/application", "/home/ann/app", False),
        ("/home/ann", "/home/ann/app", False),
        ("/home/ann/app/../.ssh", "/home/ann/app", False),
        ("/home/ann/app/./a", "/home/ann/app", False),
        ("src/a.py", "/home/ann/app", False),
        ("", "/home/ann/app", False),
        ("/home/ann/app/a\0b", "/home/ann/app", False),
        ("/home/ann/app", "", False),
        ("/anything", "/", True),
    ],
)
def test_inside_is_the_folder_or_below_it(path: str, folder: str, is_inside: bool) -> None:
    assert places.inside(path, folder) is is_inside


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("anywhere", "relative", True),
        ("workspace", "/home/ann/app/a", True),
        ("workspace", "/etc/passwd", False),
        ("src/**", "/home/ann/app/src/deep/a.py", True),
        ("src/**", "/home/ann/app/src", True),
        ("src/**", "/home/ann/app/lib/src/a.py", False),
        ("src/*", "/home/ann/app/src/deep/a.py", False),
        ("src/", "/home/ann/app/src/deep/a.py", True),
        ("./src/*.py", "/home/ann/app/src/a.py", True),
        ("src/*.{py,pyi}", "/home/ann/app/src/a.pyi", True),
        ("*.md", "/home/ann/app/docs/a.md", True),
        ("*.md", "/home/ann/other/a.md", False),
        ("*.md", "/home/ann/app/docs/a.MD", False),
        ("**/test_*.py", "/home/ann/app/tests/x/test_a.py", True),
        ("**", "/home/ann/app/a", True),
        ("**", "/etc/passwd", False),
        ("**", "", False),
        ("/tmp/**", "/tmp/x/y", True),
        ("/tmp/**", "/tmp/../etc/passwd", False),
        ("~/notes/*", "/home/ann/notes/a", True),
        ("~/notes/*", "/home/bob/notes/a", False),
        ("src/**", "src/a.py", False),
        ("../*", "/home/ann/other", False),
    ],
)
def test_covering_a_path(pattern: str, path: str, covered: bool) -> None:
    assert places.covers(pattern, path, GROUND) is covered


def test_a_pattern_below_an_unknown_home_covers_nothing() -> None:
    assert not places.covers("~/notes/*", "/home/ann/notes/a", HOMELESS)
    assert places.touches("~/notes/*", "/home/ann/notes/a", HOMELESS)


@pytest.mark.parametrize(
    ("pattern", "path", "touched"),
    [
        ("anywhere", "", True),
        ("workspace", "/home/ann/app/a", True),
        ("workspace", "/etc/passwd", False),
        (".env", "/home/ann/app/deep/.env", True),
        (".env", ".ENV", True),
        (".ENV", "/x/.env", True),
        ("*.{pem,key}", "/etc/ssl/a.key", True),
        (".ssh/", "/home/bob/.ssh/id_rsa", True),
        (".ssh/", "/home/bob/.ssh", True),
        ("~/.ssh/**", "../../bob/.ssh/x", True),
        ("src/secret/*", "/home/ann/app/src/secret/a", True),
        ("/etc/**", "/etc/passwd", True),
        ("/etc/**", "/home/etc/passwd", False),
        ("/etc/**", "/etc/./passwd", True),
        (".env", "/home/ann/app/environment", False),
        (".env", "/home/ann/app/**/.env*", True),
        (".env", "/home/ann/app/**/*.py", False),
        ("*.pem", "/home/ann/app/*.{py,pem}", True),
        (".env", "/home/ann/app/" + "{a,b}" * 9 + "/.env*", True),
    ],
)
def test_touching_a_path(pattern: str, path: str, touched: bool) -> None:
    assert places.touches(pattern, path, GROUND) is touched


def host_of(url: str) -> str:
    """The host as a policy gets it; empty where it is in doubt."""
    return "".join(facts("WebFetch", {"url": url}).hosts)


@pytest.mark.parametrize(
    ("pattern", "url", "covered"),
    [
        ("domain:python.org", "https://python.org/x", True),
        ("domain:python.org", "https://docs.python.org/x", False),
        ("domain:*.python.org", "https://docs.python.org/x", True),
        ("domain:*.Python.org", "https://docs.python.org/x", True),
        ("domain:python.org", "https://python.org@evil.example/", False),
        ("https://docs.python.org/*", "https://docs.python.org/3/library/x.html", True),
        ("https://docs.python.org/*", "http://docs.python.org/3/", False),
        ("docs.python.org/*", "http://docs.python.org/3/", True),
        ("https://*.python.org/*", "https://evil.example/.python.org/x", False),
        ("https://docs.python.org", "https://docs.python.org/", True),
        ("https://docs.python.org", "https://docs.python.org/x", False),
        ("https://docs.python.org/3/*", "https://docs.python.org/3/../2/x", False),
        ("https://docs.python.org/3/*", "https://docs.python.org/3/%2e%2E/2/x", False),
        ("https://docs.python.org/3", "https://docs.python.org/3?q=1", False),
        ("https://docs.python.org/3/*", "https://docs.python.org/3/?q=1", True),
        ("https://docs.python.org/*", "https://docs.python.org:8080/x", False),
        ("domain:python.org", "ftp://python.org/x", False),
        ("domain:python.org", "https://[::1/", False),
        ("domain:python.org", "https://exämple.org/", False),
        ("domain:*", "https://good.example\\@evil.example/", False),
        ("domain:*", "https://goo d.example/", False),
        ("domain:*", "docs.python.org", False),
        ("domain:*", "", False),
        ("*", "https://python.org/x", True),
        ("https://*", "http://python.org/x", False),
        ("*/*", "https://python.org/x", True),
    ],
)
def test_covering_a_url(pattern: str, url: str, covered: bool) -> None:
    assert places.covers_url(pattern, url, host_of(url)) is covered


@pytest.mark.parametrize(
    ("pattern", "url", "touched"),
    [
        ("domain:python.org", "https://docs.python.org/x", True),
        ("domain:python.org", "https://notpython.org/x", False),
        ("domain:python.org", "https://what@is@this", True),
        ("python.org", "HTTPS://docs.PYTHON.org/x", True),
        ("https://docs.python.org/*", "https://docs.python.org/3/", True),
        ("https://docs.python.org/*", "https://evil.example/", False),
    ],
)
def test_touching_a_url(pattern: str, url: str, touched: bool) -> None:
    assert places.touches_url(pattern, url, host_of(url)) is touched


@given(st.text(), st.text())
def test_nothing_raises(pattern: str, text: str) -> None:
    if pattern.count("{") > 8:
        return
    for answer in (
        places.covers(pattern, text, GROUND),
        places.touches(pattern, text, GROUND),
        places.covers_url(pattern, text, host_of(text)),
        places.touches_url(pattern, text, host_of(text)),
    ):
        assert answer in (True, False)


@given(st.lists(st.sampled_from(["a", "..", ".", "", "app", "~", "home", "ann"]), max_size=8))
def test_what_is_covered_is_inside(parts: list[str]) -> None:
    path = "/".join(parts)
    assert not places.covers("**", path, GROUND) or places.inside(path, GROUND.workspace)
