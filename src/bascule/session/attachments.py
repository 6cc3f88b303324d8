"""What goes with a prompt: images as content blocks, anything as a file in the workspace that the prompt names.

Files lie under ``.bascule/attachments/<session>/``: a folder that git ignores by itself, bounded in number and size,
and kept while the session lives.
"""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bascule.commands import AttachmentData
from bascule.errors import MissingExtra, OptionError
from bascule.events import Attachment
from bascule.ids import SessionId
from bascule.wire.blocks import Block, Image, Source, Text

FOLDER: Final = ".bascule/attachments"
IMAGE_BYTES: Final = 3_750_000
"""What an image may have as it is: in base64 it is a third more, and the API takes 5 MB."""
IMAGE_PIXELS: Final = 1568
"""The longest edge that the API looks at; a larger image is scaled down there anyway."""
FILE_BYTES: Final = 50_000_000
FILES: Final = 200
"""Files of one session."""

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_ODD: Final = re.compile(r"[^\w.\- ]+")


class Packed(NamedTuple):
    """A prompt with what goes with it."""

    content: str | tuple[Block, ...]
    attachments: tuple[Attachment, ...]


def image_type(data: bytes) -> str | None:
    """The media type of an image that the model can see, from its first bytes; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


class Attachments:
    """The attachments of one session."""

    def __init__(self, workspace: Path, session: SessionId) -> None:
        self._workspace = Path(os.path.realpath(workspace))
        self._root = self._workspace / FOLDER
        self._folder = self._root / _safe(session)
        self._kept = 0

    def pack(self, text: str, given: Sequence[AttachmentData]) -> Packed:
        """The content of a prompt. Writes files and scales images: call it in a thread.

        Raises ``OptionError`` for what cannot be sent, ``MissingExtra`` for an image that is too large as it is.
        """
        images, told, named = [], [], []
        for each in given:
            if each.sent_as == "block":
                kind, data = _image(each)
                source = Source(type="base64", media_type=kind, data=base64.b64encode(data).decode("ascii"))
                images.append(Image(source=source))
                told.append(_told(each, data, kind, path=None))
            else:
                path = self._keep(each)
                named.append(path)
                kind = image_type(each.data) or "application/octet-stream"
                told.append(_told(each, each.data, kind, path=path))
        words = "\n".join((text, *(f"Attached file: {path}" for path in named)))
        content: str | tuple[Block, ...] = (*images, Text(text=words)) if images else words
        return Packed(content, tuple(told))

    def _keep(self, given: AttachmentData) -> str:
        if len(given.data) > FILE_BYTES:
            raise OptionError(f"{given.name} has {len(given.data)} bytes; an attached file may have {FILE_BYTES}")
        if self._kept >= FILES:
            raise OptionError(f"this session has {FILES} attached files already: put {given.name} there by hand")
        try:
            self._make_folder()
            path = self._create(_safe(given.name) or "file", given.data)
        except OSError as exc:
            raise OptionError(
                f"{given.name} cannot be put under {self._folder} ({exc.strerror}): make room there"
            ) from exc
        self._kept += 1
        return str(path.relative_to(self._workspace))

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if Path(os.path.realpath(self._folder)) != self._folder:
            raise OptionError(f"{self._folder} is behind a link that leads elsewhere: remove the link")
        ignore = self._root / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")

    def _create(self, name: str, data: bytes) -> Path:
        """A new file: a name that is taken gets a number, and a link that lies there is not followed."""
        first = self._folder / name
        for number in itertools.count(1):
            path = first if number == 1 else first.with_stem(f"{first.stem}-{number}")
            try:
                with path.open("xb") as file:
                    file.write(data)
            except FileExistsError:
                continue
            return path
        raise AssertionError("count never ends")


def _image(given: AttachmentData) -> tuple[str, bytes]:
    kind = image_type(given.data)
    if kind is None:
        raise OptionError(f"{given.name} is no PNG, JPEG, GIF or WebP image: attach it as a file")
    return (kind, given.data) if len(given.data) <= IMAGE_BYTES else _smaller(given)


def _smaller(given: AttachmentData) -> tuple[str, bytes]:
    """The image with its longest edge at ``IMAGE_PIXELS``, as PNG if it is small enough so, else as JPEG."""
    try:
        from PIL import Image as Pillow
        from PIL import UnidentifiedImageError
    except ImportError:
        raise MissingExtra(
            "images", f"{given.name} has {len(given.data)} bytes; to send more than {IMAGE_BYTES}"
        ) from None
    try:
        image = Pillow.open(io.BytesIO(given.data))
        image.thumbnail((IMAGE_PIXELS, IMAGE_PIXELS))
    except (UnidentifiedImageError, OSError, Pillow.DecompressionBombError) as exc:
        raise OptionError(f"{given.name} cannot be read as an image: {exc}") from exc
    for kind, mode in (("png", None), ("jpeg", "RGB")):
        out = io.BytesIO()
        (image.convert(mode) if mode else image).save(out, kind.upper(), quality=85)
        if out.tell() <= IMAGE_BYTES:
            return f"image/{kind}", out.getvalue()
    raise OptionError(f"{given.name} is too large even when scaled down: attach it as a file")


def _told(given: AttachmentData, data: bytes, kind: str, *, path: str | None) -> Attachment:
    digest = hashlib.sha256(data).hexdigest()
    return Attachment(
        id=digest[:12],
        name=given.name,
        media_type=kind,
        bytes=len(data),
        sha256=digest,
        sent_as=given.sent_as,
        path=path,
    )


def _safe(name: str) -> str:
    """``name`` as one part of a path: no folders, no leading dot, at most 100 characters."""
    return _ODD.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(". ")[-100:]
