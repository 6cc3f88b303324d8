"""The description of the API is current, and holds for whatever is sent."""

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from bascule.web.app import app
from bascule.web.settings import Settings
from scripts.write_openapi import OPENAPI, SOCKET, description, openapi, socket_page
from tests.web.double import Hub, MemoryKeys

EXAMPLES = 8
"""For each operation; how many in all is bounded by the time limit of a test."""

REFUSES_BY_MEANING = {
    "POST /login": "a token or a code, and not both",
    "POST /api/commands": "a session; attachments in base64, which the schema does not say",
    "POST /api/sessions": "attachments in base64",
    "POST /api/tokens": "a time to come",
}
"""Operations that refuse what their schema lets through, and what they want."""

OPERATIONS = [
    f"{method.upper()} {path}" for path, methods in sorted(description()["paths"].items()) for method in sorted(methods)
]


def test_the_description_is_current() -> None:
    assert OPENAPI.read_text(encoding="utf-8") == openapi(), "run python -m scripts.write_openapi"


def test_the_frames_of_the_socket_are_current() -> None:
    page = SOCKET.read_text(encoding="utf-8")
    assert page == socket_page(page), "run python -m scripts.write_openapi"


def test_every_operation_says_what_it_gives() -> None:
    silent = [
        f"{method} {path}"
        for path, methods in description()["paths"].items()
        for method, operation in methods.items()
        if not operation.get("description")
    ]
    assert silent == []


class Described:
    """A server, and what is sent to it by its description."""

    def __init__(self, workspace: Path) -> None:
        hub = Hub(workspace)
        hub.add()
        served = app(hub, Settings(), MemoryKeys())
        schema = schemathesis.openapi.from_dict(served.openapi_schema.to_schema())
        schema.app = served
        found = (each.ok() for each in schema.get_all_operations() if isinstance(each, Ok))
        self.operations = {operation.label: operation for operation in found}
        self.headers = {"Authorization": f"Bearer {served.state.door.own_key('fuzz')}"}
        load_all_checks()
        self.acceptance = [check for check in CHECKS.get_all() if check.__name__ == "positive_data_acceptance"]

    def send(self, case: Any) -> None:
        """Raises when it is not answered as the description says."""
        left_out = self.acceptance if case.operation.label in REFUSES_BY_MEANING else None
        case.call_and_validate(base_url="http://127.0.0.1:7440", headers=self.headers, excluded_checks=left_out)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Described:
    return Described(tmp_path_factory.mktemp("work"))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("label", OPERATIONS)
def test_whatever_is_sent_is_answered_as_described(described: Described, label: str) -> None:
    answered = 0

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(described.operations[label].as_strategy())
    def send(case: Any) -> None:
        nonlocal answered
        described.send(case)
        answered += 1

    send()
    assert answered > 0
