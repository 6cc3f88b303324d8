"""By which names clients may come, and what of a server's settings is refused."""

import pytest

from bascule.errors import OptionError
from bascule.web.settings import Settings, allowed_hosts, allowed_origins, checked


@pytest.mark.parametrize(
    ("settings", "url", "hosts", "origins"),
    [
        (
            Settings(),
            "http://127.0.0.1:7440",
            {"127.0.0.1:7440", "localhost:7440", "[::1]:7440"},
            {"http://127.0.0.1:7440", "http://localhost:7440", "http://[::1]:7440"},
        ),
        (
            Settings(port=443, tls_cert="c", tls_key="k"),
            "https://127.0.0.1",
            {"127.0.0.1", "localhost", "[::1]"},
            {"https://127.0.0.1", "https://localhost", "https://[::1]"},
        ),
        (Settings(host="192.168.1.5"), "http://192.168.1.5:7440", {"192.168.1.5:7440"}, {"http://192.168.1.5:7440"}),
        (Settings(host="fe80::1"), "http://[fe80::1]:7440", {"[fe80::1]:7440"}, {"http://[fe80::1]:7440"}),
        (
            Settings(host="192.168.1.5", public_url="https://Box.example/", allowed_hosts=("box.lan",)),
            "https://Box.example",
            {"192.168.1.5:7440", "box.example", "box.lan"},
            {"http://192.168.1.5:7440", "https://box.example"},
        ),
        (
            Settings(host="192.168.1.5", allowed_origins=("https://panel.example:443", "http://other:81/")),
            "http://192.168.1.5:7440",
            {"192.168.1.5:7440"},
            {"http://192.168.1.5:7440", "https://panel.example", "http://other:81"},
        ),
    ],
)
def test_names_follow_from_the_address(settings: Settings, url: str, hosts: set[str], origins: set[str]) -> None:
    assert checked(settings).url == url
    assert allowed_hosts(settings) == hosts
    assert allowed_origins(settings) == origins


def test_a_server_on_every_address_is_known_by_its_public_name_and_here() -> None:
    settings = checked(Settings(host="0.0.0.0", public_url="https://box.example"))
    assert {"box.example", "localhost:7440"} <= allowed_hosts(settings)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        (Settings(tls_cert="c"), "belong together"),
        (Settings(tls_key="k"), "belong together"),
        (Settings(port=65_536), "no port 65536"),
        (Settings(port=-1), "no port -1"),
        (Settings(public_url="box.example"), "no address of a server"),
        (Settings(public_url="https://user@box.example"), "no address of a server"),
        (Settings(public_url="https://box.example/#x"), "no address of a server"),
        (Settings(public_url="https://box.example/bascule"), "has a path"),
        (Settings(allowed_origins=("*",)), "no address of a server"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: Settings, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        checked(settings)
