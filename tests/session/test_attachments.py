"""What goes with a prompt, and where it lies."""

import base64
import io
import random
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image as Pillow

from bascule.commands import AttachmentData
from bascule.errors import OptionError
from bascule.ids import SessionId
from bascule.session.attachments import FILES, IMAGE_BYTES, IMAGE_PIXELS, Attachments, image_type
from bascule.wire.blocks import Image, Text

PNG = b"\x89PNG\r\n\x1a\nrest"


def file(name: str, data: bytes = b"x") -> AttachmentData:
    return AttachmentData(name=name, data=data, sent_as="file")


@pytest.fixture
def attachments(tmp_path: Path) -> Attachments:
    return Attachments(tmp_path, SessionId("s1"))


def noise(width: int, mode: str = "RGB") -> bytes:
    """An image that does not compress."""
    data = random.Random(1).randbytes(width * width * len(mode))
    out = io.BytesIO()
    Pillow.frombytes(mode, (width, width), data).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"GIF87a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"<svg/>", None),
        (b"", None),
    ],
)
def test_an_image_is_known_by_its_first_bytes(data: bytes, kind: str | None) -> None:
    assert image_type(data) == kind


def test_an_image_goes_as_a_block_before_the_text(attachments: Attachments) -> None:
    packed = attachments.pack("Look", [AttachmentData(name="a.jpg", data=PNG)])
    assert isinstance(packed.content, tuple)
    image, text = packed.content
    assert isinstance(image, Image)
    assert image.source.media_type == "image/png"
    assert image.source.data == base64.b64encode(PNG).decode()
    assert text == Text(text="Look")
    (told,) = packed.attachments
    assert (told.name, told.media_type, told.bytes, told.sent_as, told.path) == (
        "a.jpg",
        "image/png",
        12,
        "block",
        None,
    )


def test_what_is_no_image_does_not_go_as_a_block(attachments: Attachments) -> None:
    with pytest.raises(OptionError, match="as a file"):
        attachments.pack("Look", [AttachmentData(name="a.png", data=b"<svg/>")])


def test_a_file_lies_in_the_workspace_and_the_prompt_names_it(attachments: Attachments, tmp_path: Path) -> None:
    packed = attachments.pack("Read", [file("notes.txt", b"milk")])
    assert packed.content == "Read\nAttached file: .bascule/attachments/s1/notes.txt"
    assert (tmp_path / ".bascule/attachments/s1/notes.txt").read_bytes() == b"milk"
    assert packed.attachments[0].path == ".bascule/attachments/s1/notes.txt"


def test_git_does_not_see_them_and_sees_the_rest_of_the_folder(attachments: Attachments, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    attachments.pack("Read", [file("notes.txt")])
    (tmp_path / ".bascule" / "config.toml").write_text("")
    said = subprocess.run(
        ["git", "-C", tmp_path, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    )
    assert said.stdout.split() == ["??", ".bascule/config.toml"]


def test_names_are_made_unique_and_stay_in_the_folder(attachments: Attachments, tmp_path: Path) -> None:
    names = [
        "a.txt",
        "a.txt",
        "../../etc/passwd",
        "..\\..\\evil.exe",
        ".hidden",
        "x/\u2028y:z.md",
        "",
        "n" * 300 + ".md",
    ]
    packed = attachments.pack("Read", [file(name) for name in names])
    paths = [Path(told.path or "") for told in packed.attachments]
    assert [path.name for path in paths[:7]] == ["a.txt", "a-2.txt", "passwd", "evil.exe", "hidden", "_y_z.md", "file"]
    assert len(paths[7].name) == 100
    assert {str(path.parent) for path in paths} == {".bascule/attachments/s1"}
    assert all((tmp_path / path).is_file() for path in paths)


def test_a_link_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    work = tmp_path / "work"
    (work / ".bascule").mkdir(parents=True)
    (work / ".bascule" / "attachments").symlink_to(elsewhere)
    with pytest.raises(OptionError, match="link"):
        Attachments(work, SessionId("s1")).pack("Read", [file("a")])
    assert not list(elsewhere.rglob("a"))


def test_number_and_size_are_bounded(attachments: Attachments) -> None:
    with pytest.raises(OptionError, match="50000000"):
        attachments.pack("Read", [file("big", bytes(50_000_001))])
    attachments.pack("Read", [file(f"f{number}") for number in range(FILES)])
    with pytest.raises(OptionError, match=str(FILES)):
        attachments.pack("Read", [file("one more")])


def test_a_large_image_is_scaled_down(attachments: Attachments) -> None:
    data = noise(2000)
    assert len(data) > IMAGE_BYTES
    packed = attachments.pack("Look", [AttachmentData(name="a.png", data=data)])
    image = packed.content[0]
    assert isinstance(image, Image)
    sent = base64.b64decode(image.source.data or "")
    assert len(sent) <= IMAGE_BYTES
    assert max(Pillow.open(io.BytesIO(sent)).size) == IMAGE_PIXELS
    assert image_type(sent) == image.source.media_type
    assert packed.attachments[0].bytes == len(sent)


def test_a_large_image_that_is_none_is_refused(attachments: Attachments) -> None:
    with pytest.raises(OptionError, match="cannot be read"):
        attachments.pack("Look", [AttachmentData(name="a.png", data=PNG + bytes(IMAGE_BYTES))])


def test_without_the_extra_a_large_image_says_what_to_install() -> None:
    program = """
import sys
sys.modules["PIL"] = None
from pathlib import Path
from bascule.commands import AttachmentData
from bascule.errors import MissingExtra
from bascule.session.attachments import IMAGE_BYTES, Attachments
image = AttachmentData(name="a.png", data=b"\\x89PNG\\r\\n\\x1a\\n" + bytes(IMAGE_BYTES))
try:
    Attachments(Path("/nowhere"), "s1").pack("Look", [image])
except MissingExtra as exc:
    print(exc)
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "pip install 'bascule[images]'" in said
    assert "a.png" in said


def test_a_folder_that_cannot_be_made_is_said_with_its_path(tmp_path: Path) -> None:
    (tmp_path / ".bascule").write_text("a file")
    with pytest.raises(OptionError, match=r"notes\.txt cannot be put under .*\.bascule"):
        Attachments(tmp_path, SessionId("s")).pack(
            "look", [AttachmentData(name="notes.txt", data=b"x", sent_as="file")]
        )
