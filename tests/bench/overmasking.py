"""What is masked in real output that holds no secrets: false redactions per 10 MB, each with its rule and its line.

Without arguments over the recordings in tests/raw/output; else over every text file in the folders that are named.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from capture_core.decode import Decoder
from capture_core.limits import MIB, Limits
from capture_core.redact.engine import shared_engine
from capture_core.redact.redactor import Redactor
from capture_core.strip import Stripper

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RECORDED = Path(__file__).parents[1] / "raw" / "output"
AT_MOST = 1
"""False redactions in 10 MB of recorded output."""

_SHOWN_CHARS = 120
_LARGEST_BYTES = 64 * MIB
_LOOK_BYTES = 4096


class Masked(NamedTuple):
    """One redaction: its rule, what it took away, and the line in which that stood, cut around it."""

    rule: str
    value: str
    line: str


class Measured(NamedTuple):
    """What came of the texts: their length in bytes, and what was masked in them, by text."""

    length: int
    masked: list[tuple[str, Masked]]

    @property
    def per_10_mb(self) -> float:
        return len(self.masked) * 10e6 / self.length


def redactions(raw: bytes) -> Iterator[Masked]:
    """Yield what is masked in a whole text."""
    decoder, stripper, engine = Decoder(), Stripper(), shared_engine()
    text = stripper.feed(decoder.feed(raw) + decoder.finish(eof=True)) + stripper.finish()
    redactor = Redactor(engine.exact, engine.scanner(), pending_bytes=Limits().pending_fragment_bytes)
    out = redactor.feed(text) + redactor.finish(eof=True)
    longer = 0
    for start, removed, put in redactor.edits:
        rule = out[start + longer : start + longer + put].decode().removeprefix("[redacted:").removesuffix("]")
        longer += put - removed
        yield Masked(rule, text[start : start + removed].decode(), _line(text, start))


def measure(texts: Iterable[tuple[str, bytes]], real: frozenset[str] = frozenset()) -> Measured:
    """Measure the texts given by name; ``real`` are values that are rightly masked."""
    length, found = 0, []
    for name, raw in texts:
        length += len(raw)
        found += [(name, masked) for masked in redactions(raw) if masked.value not in real]
    return Measured(length, found)


def recorded() -> Iterator[tuple[str, bytes]]:
    """Yield the recordings."""
    for path in sorted(RECORDED.glob("*.gz")):
        yield path.stem, gzip.decompress(path.read_bytes())


def real_values() -> frozenset[str]:
    """Return what in the recordings is rightly masked."""
    return frozenset((RECORDED / "real.txt").read_text().splitlines())


def below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every text file below a folder."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.stat().st_size > _LARGEST_BYTES:
            continue
        raw = path.read_bytes()
        if b"\0" not in raw[:_LOOK_BYTES]:
            yield str(path), raw


def _line(text: bytes, at: int) -> str:
    start = max(text.rfind(b"\n", 0, at) + 1, at - _SHOWN_CHARS // 2)
    return text[start : start + _SHOWN_CHARS].partition(b"\n")[0].decode(errors="replace")


def main(folders: list[str]) -> None:
    texts = (each for folder in folders for each in below(Path(folder)))
    measured = measure(texts) if folders else measure(recorded(), real_values())
    for name, masked in measured.masked:
        print(f"{name}: {masked.rule}: {masked.line}")
    print(dict(Counter(masked.rule for _, masked in measured.masked)))
    count, mb = len(measured.masked), measured.length / 1e6
    print(f"{count} in {mb:.1f} MB, {measured.per_10_mb:.2f} per 10 MB (at most {AT_MOST})")


if __name__ == "__main__":
    main(sys.argv[1:])
