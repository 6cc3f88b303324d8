"""A server over HTTP, as the small commands need it: one request, one answer, and what went wrong in a sentence."""

from __future__ import annotations

import argparse
import http.client
import os
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlencode, urlsplit

import msgspec

from bascule.errors import OptionError
from bascule.transport.folders import state_folder
from bascule.web.address import Address, find

T = TypeVar("T")

TIMEOUT_S: Final = 30
"""A start of a session takes some seconds; a server that says nothing for longer is stuck."""
URL: Final = "BASCULE_URL"
TOKEN: Final = "BASCULE_TOKEN"


class _Problem(msgspec.Struct):
    detail: str
    status: int


def address_of(args: argparse.Namespace, env: Mapping[str, str] = os.environ) -> Address:
    """The server that is meant, with a key to it: of the options, of the environment, else the one of this machine.

    Raises `OptionError` when there is none. A key for one server is never sent to another.
    """
    url = args.url or env.get(URL)
    token = _token_in(args.token_file) if args.token_file else env.get(TOKEN)
    here = find(state_folder(env))
    if url is None:
        if here is None:
            raise OptionError(f"no server runs here: bascule serve starts one, --url or {URL} names another")
        return here if token is None else msgspec.structs.replace(here, token=token)
    if token is None:
        if here is None or here.url.rstrip("/") != url.rstrip("/"):
            raise OptionError(f"a key to {url} is needed: --token-file FILE, or {TOKEN}")
        return here
    return Address(url=url.rstrip("/"), token=token, pid=0)


def _token_in(name: str) -> str:
    try:
        return Path(name).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise OptionError(
            f"--token-file: {name} cannot be read: name a file that holds the key and nothing else"
        ) from exc


def context_of(address: Address) -> ssl.SSLContext | None:
    """How its certificate is judged: one that the server of this machine names itself is held to, whatever its name."""
    if urlsplit(address.url).scheme != "https":
        return None
    if address.certificate is None:
        return ssl.create_default_context()
    context = ssl.create_default_context(cafile=address.certificate)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


class Api:
    """Requests to one server. All raise `OptionError` with what the server says, or that it cannot be reached."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def get(self, path: str, kind: type[T], **query: Any) -> T:
        """What is there."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._read("GET", f"{path}?{urlencode(given)}" if given else path, None, kind)

    def post(self, path: str, what: Any, kind: type[T]) -> T:
        """What comes of it."""
        return self._read("POST", path, msgspec.json.encode(what), kind)

    def delete(self, path: str) -> None:
        """It is gone."""
        self._sent("DELETE", path, None)

    def _read(self, method: str, path: str, body: bytes | None, kind: type[T]) -> T:
        data = self._sent(method, path, body)
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError as exc:
            raise OptionError(f"{self._address.url} answers as no bascule of this version does: {exc}") from exc

    def _sent(self, method: str, path: str, body: bytes | None) -> bytes:
        connection = self._connection()
        headers = {"Authorization": f"Bearer {self._address.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException, ValueError) as exc:
            raise OptionError(f"{self._address.url} cannot be reached ({exc}): is bascule serve running?") from exc
        finally:
            connection.close()
        if answer.status >= 400:
            raise OptionError(_why(data, answer.status))
        return data

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self._address.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(f"{self._address.url!r} is no address of a server: https://NAME[:PORT] is")
        context = context_of(self._address)
        if context is None:
            return http.client.HTTPConnection(parts.hostname, parts.port, timeout=TIMEOUT_S)
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=TIMEOUT_S, context=context)


def _why(data: bytes, status: int) -> str:
    try:
        return msgspec.json.decode(data, type=_Problem).detail
    except msgspec.DecodeError:
        return f"the server answers with {status}: is it a bascule?"
