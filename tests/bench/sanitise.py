"""How fast one stream is sanitised, in MB/s of raw bytes, by one thread and in reads of 64 KiB."""

from __future__ import annotations

import itertools
import random
import time
from typing import TYPE_CHECKING

from capture_core.limits import MIB, Limits
from capture_core.redact.engine import shared_engine
from capture_core.sanitise import Sanitiser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS = 5
_TEXT_BYTES = 1 * MIB
"""Little enough to stay in the processor's cache, where a read from a pipe has just put what the writer gets."""
_REPEATS = 64
_READ_BYTES = Limits().read_bytes


def _lines() -> Iterator[bytes]:
    chance = random.Random(7)
    kinds: tuple[Callable[[int], str], ...] = (
        lambda n: f"[{n % 9000:4}/9000] Building C object src/CMakeFiles/core.dir/module_{n}.c.o",
        lambda n: f"gcc -O2 -g -Wall -Wextra -I/usr/include -I../include -DHAVE_CONFIG_H -c -o obj_{n}.o src/obj_{n}.c",
        lambda n: f"src/token.c:{n}:12: warning: unused variable 'token' [-Wunused-variable]",
        lambda n: f"  Downloading charset_normalizer-3.{n}-py3-none-any.whl ({n} kB)",
        lambda n: f"tests/test_password.py::test_hash[{n}] PASSED                            [{n % 100:3}%]",
        lambda n: f"make[2]: Entering directory '/home/build/project/sub{n}'",
    )
    for number in itertools.count():
        yield chance.choice(kinds)(number).encode()


def _text(size: int, change: Callable[[int, bytes], bytes] = lambda _, line: line, end: bytes = b"\n") -> bytes:
    text = bytearray()
    for number, line in enumerate(_lines()):
        text += change(number, line) + end
        if len(text) >= size:
            return bytes(text)
    raise AssertionError


def _coloured(number: int, line: bytes) -> bytes:
    return line if number % 10 else b"\x1b[1m\x1b[32m" + line + b"\x1b[0m"


def _accented(number: int, line: bytes) -> bytes:
    return line if number % 100 else line + " – trouvé, geprüft ✓".encode()


def _with_secrets(text: bytes, per_mib: int) -> bytes:
    step = MIB // per_mib
    secret = b" ghp_16C7e42F292c6912E7710c838347Ae178B4a "
    return secret.join(text[at : at + step] for at in range(0, len(text), step))


def _rate(raw: bytes, make: Callable[[], Callable[[bytes], object]]) -> float:
    """Return the best of several rounds, in MB per second of processor time: others' work only ever slows one down."""
    blocks = [raw[at : at + _READ_BYTES] for at in range(0, len(raw), _READ_BYTES)] * _REPEATS
    best = 0.0
    for _ in range(_ROUNDS):
        feed = make()
        start = time.thread_time()
        for block in blocks:
            feed(block)
        best = max(best, len(raw) * _REPEATS / (time.thread_time() - start) / 1e6)
    return best


def _sanitiser() -> Callable[[bytes], object]:
    sanitiser = Sanitiser(pending_bytes=Limits().pending_fragment_bytes)

    def feed(raw: bytes) -> object:
        return sanitiser.feed(raw), sanitiser.take_styles()

    return feed


def _scanner() -> Callable[[bytes], object]:
    scanner = shared_engine().scanner()
    return lambda block: scanner.candidates(b"", block)


def main() -> None:
    plain = _text(_TEXT_BYTES)
    inputs = {
        "plain ASCII log": plain,
        "colours on every tenth line": _text(_TEXT_BYTES, _coloured),
        "1 % of lines not ASCII": _text(_TEXT_BYTES, _accented),
        "1,000 secrets per MiB": _with_secrets(plain, 1000),
        "one line of 64 MiB": _text(_TEXT_BYTES, end=b" "),
    }
    print(f"{'plain, scanned for rules only':30} {_rate(plain, _scanner):8,.0f} MB/s")
    for name, raw in inputs.items():
        print(f"{name:30} {_rate(raw, _sanitiser):8,.0f} MB/s")


if __name__ == "__main__":
    main()
