"""Binary is told from text by the bytes alone: real files of many kinds, texts that look odd, and any cuts."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.binary import Omission, Recogniser
from capture_core.limits.sanitising import BINARY_WINDOW_BYTES
from tests.cuts import places, three_ways

NOISE = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(512))
"""16 KiB that look random and are the same each time."""

ENGLISH = b"".join(b"line %d: the quick brown fox jumps over the lazy dog\n" % number for number in range(400))


def split(parts: list[bytes]) -> tuple[bytes, Recogniser]:
    """The text with the marks in it; the bytes are accounted for at every moment."""
    recogniser, fed, out, passed = Recogniser(), 0, b"", 0
    for part in (*parts, None):
        pieces = recogniser.finish() if part is None else recogniser.feed(part)
        fed += 0 if part is None else len(part)
        for piece in pieces:
            passed += 0 if isinstance(piece, Omission) else len(piece)
            out += piece.mark if isinstance(piece, Omission) else piece
        assert fed == passed + recogniser.held + recogniser.omitted
        assert recogniser.held < BINARY_WINDOW_BYTES
    assert recogniser.held == 0
    return out, recogniser


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + NOISE[row * 96 : row * 96 + 96] for row in range(32))
    header = struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("words.txt", ENGLISH)
    return file.getvalue()


def tarred() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("notes/words.txt")
        member.size = len(ENGLISH)
        archive.addfile(member, io.BytesIO(ENGLISH))
    return file.getvalue()


BINARY = {
    "PNG image": png(),
    "ELF file": Path(sys.executable).resolve().read_bytes()[:65_536],
    "gzip data": gzip.compress(ENGLISH, mtime=0),
    "zip archive": zipped(),
    "xz data": lzma.compress(ENGLISH),
    "bzip2 data": bz2.compress(ENGLISH),
    "zstd data": b"\x28\xb5\x2f\xfd" + NOISE,
    "JPEG image": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb\x00C\x00" + NOISE,
    "GIF image": b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00",
    "PDF document": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + ENGLISH,
    "Mach-O file": b"\xcf\xfa\xed\xfe\x07\x00\x00\x01\x03\x00\x00\x00\x02\x00\x00\x00" + NOISE,
    "WebAssembly module": b"\0asm\x01\0\0\0\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\x00\x07\x07\x01\x03add",
    "ar archive": b"!<arch>\n/               0           0     0     0       4         `\n\0\0\0\0x.o/" + NOISE[:100],
    "SQLite database": b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20\0\0\0\x02\0\0\0\x02" + bytes(4000),
    "UTF-16 text": "Проверка — не прошла: “нет файла”\r\n".encode("utf-16"),
    "UTF-32 text": "no such file “x” – здесь\n".encode("utf-32"),
}


@pytest.mark.parametrize(("kind", "raw"), BINARY.items(), ids=BINARY)
def test_a_known_kind_is_left_out_whole_and_named(kind: str, raw: bytes) -> None:
    text, recogniser = split([raw])
    assert text == b"[omitted: binary output, %s]" % kind.encode()
    assert (recogniser.omitted, recogniser.omissions) == (len(raw), 1)


@pytest.mark.parametrize(
    "raw",
    [
        NOISE,
        NOISE[64:128],
        b"".join(struct.pack("<i", number % 40) for number in range(500)),
        b"".join(struct.pack("<d", number / 7) for number in range(100)),
        b"\x80\x04\x95" + NOISE[:100],
    ],
    ids=["noise", "64 bytes of noise", "integers", "floats", "pickle"],
)
def test_an_unknown_kind_is_known_by_its_controls(raw: bytes) -> None:
    text, recogniser = split([raw])
    assert text.endswith(b"[omitted: binary output, unknown kind]")
    assert len(raw) - recogniser.omitted < 16  # printable characters before the first that is none


def test_a_tar_archive_shows_at_most_the_name_that_it_begins_with() -> None:
    assert split([tarred()])[0] == b"notes/words.txt[omitted: binary output, tar archive]"


LATIN_1 = "Größe geändert: Übermut tut selten gut, naïve Café-Gäste\n".encode("latin-1")

TEXT = {
    "nothing": b"",
    "english": ENGLISH,
    "utf-8": "Größe: 日本語 — naïve 😀\n".encode() * 100,
    "latin-1": LATIN_1 * 100,
    "short latin-1": "Größe? ".encode("latin-1"),
    "cp1251": "Проверка не прошла: нет файла\n".encode("cp1251") * 100,
    "koi8-r": "Проверка не прошла: нет файла\n".encode("koi8-r") * 100,
    "shift-jis": "ファイルが見つかりません。エラー\n".encode("shift-jis") * 100,
    "gbk": "找不到文件，构建失败\n".encode("gbk") * 100,
    "utf-16 of ascii": ("build failed: no such file\r\n" * 100).encode("utf-16-le"),
    "utf-16 with a mark": ("build failed: no such file\r\n" * 100).encode("utf-16"),
    "ansi art": b"\x1b[0;1;34m\xda\xc4\xc4\xbf\x1b[40m\xb0\xb1\xb2\xdb\xdb\xdb\xdf\xdc\r\n" * 80
    + b"\x1aSAUCE00Title"
    + b" " * 60
    + b"\x01\x01\x50\x00\x19\x00",
    "find -print0": b"".join(b"./src/file%d.c\0" % number for number in range(400)),
    "short names with NULs": b"a\0b\0c\0" * 300,
    "a NUL run after a crash": ENGLISH[:5000] + bytes(8192) + ENGLISH[5000:],
    "a NUL run at the start": bytes(8192) + ENGLISH,
    "latin-1 after a NUL run": bytes(700) + LATIN_1 * 20,
    "FIX": b"8=FIX.4.4\x019=65\x0135=A\x0149=SERVER\x0156=CLIENT\x0134=177\x0110=062\x01\n" * 50,
    "unit separators": b"\x1e".join(b"\x1f".join([b"abc123", b"A. Author", b"Fix it"]) for _ in range(200)),
    "readline markers": b"\x01\x1b[32m\x02user@host\x01\x1b[0m\x02 ls\r\n" * 50,
    "progress": b"".join(b"\r\x1b[K%3d%% [%s]" % (number, b"#" * number) for number in range(100)),
    "overstruck": b"N\x08NA\x08AM\x08ME\x08E\n_\x08f_\x08i_\x08l_\x08e\n" * 50,
    "charset switches": b"\x1b(0\x0elqqqk\x0f\x1b(B bell\x07\r\n" * 50,
    "one bad byte": ENGLISH[:700] + b"\xff" + ENGLISH[700:],
    "one bad byte at the start": b"\xff" + ENGLISH,
    "each control once": ENGLISH[:3000] + bytes(range(32)) + ENGLISH[3000:],
    "8-bit controls": b"\x9b31mred\x9b0m\n" * 50,
    "words of a PDF's beginning": b"%PDF-1.4 is how a PDF begins.\n" * 40,
    "letters of a magic": b"PK",
    "a magic's first letter and more": b"Password: ",
}


@pytest.mark.parametrize("raw", TEXT.values(), ids=TEXT)
def test_text_is_passed_on_whole(raw: bytes) -> None:
    text, recogniser = split([raw])
    assert text == raw
    assert (recogniser.omitted, recogniser.omissions) == (0, 0)


@pytest.mark.parametrize(
    "raw",
    [
        b"Continue? [y/N] ",
        b"Password: ",
        b"% ",
        b"\x1b[1m>\x1b[0m ",
        "Größe? ".encode(),
        b"\r 61%",
        "é".encode(),
        b"\x01\x1b[32m\x02> ",
    ],
)
def test_plain_text_is_never_held(raw: bytes) -> None:
    assert Recogniser().feed(raw) == [raw]


def test_a_list_with_nuls_is_held_once_and_then_no_more() -> None:
    recogniser = Recogniser()
    items = b"".join(b"./file%04d\0" % number for number in range(100))
    assert b"".join(bytes(piece) for piece in recogniser.feed(items) if isinstance(piece, bytes)) == items
    assert recogniser.feed(b"./one more\0") == [b"./one more\0"]


def test_a_latin_1_text_is_held_once_and_then_no_more() -> None:
    recogniser = Recogniser()
    recogniser.feed(LATIN_1 * 20)
    assert recogniser.feed(LATIN_1) == [LATIN_1]


def test_binary_in_the_middle_is_left_out_until_text_comes_back() -> None:
    text, recogniser = split([ENGLISH + png() * 3 + ENGLISH])
    before, mark, after = text.partition(b"[omitted: binary output, unknown kind]")
    assert mark
    assert before.startswith(ENGLISH)
    assert len(before) < len(ENGLISH) + 16
    assert ENGLISH.endswith(after)
    assert len(after) > len(ENGLISH) - 2 * BINARY_WINDOW_BYTES
    assert recogniser.omissions == 1


def test_what_is_binary_from_the_first_block_on_stays_so() -> None:
    assert split([png() + ENGLISH])[0] == b"[omitted: binary output, PNG image]"


streams = st.lists(
    st.sampled_from(
        [
            *BINARY.values(),
            *(raw[:1500] for raw in TEXT.values()),
            NOISE[:700],
            ENGLISH[:511],
            ENGLISH[:4090],
            b"\0",
            b"\xc3",
            b"\xe2\x82",
            b"P",
            b"PK\x03",
            b"\x89PN",
            bytes(600),
        ]
    ),
    max_size=4,
).map(lambda parts: b"".join(part[:6000] for part in parts))


@given(st.one_of(streams, st.binary(max_size=700)), places)
def test_any_cuts_give_the_same_text_and_omissions(raw: bytes, at: list[int]) -> None:
    answers = {
        (text, recogniser.omitted, recogniser.omissions)
        for text, recogniser in (split(parts) for parts in three_ways(raw, at))
    }
    assert len(answers) == 1
