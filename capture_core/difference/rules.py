"""What differs from run to run and means nothing, as data: each rule with lines that it makes equal, and others not.

Expressions are Python's, on bytes, each linear in the length of the line.
"""

from __future__ import annotations

from typing import Final

from capture_core.record import NamedTuple

# An expression that begins with a class of bytes is searched for several times as fast as one that begins with a word's
# edge: ``\d(?<!\w.)`` is ``\b\d``.


class Rule(NamedTuple):
    """``expression`` is replaced by ``put`` in lines that hold one of ``signs``.

    ``same``: pairs of lines that become equal; ``different``: pairs that must not.
    """

    name: str
    signs: tuple[bytes, ...]
    expression: bytes
    put: bytes
    same: tuple[tuple[bytes, bytes], ...]
    different: tuple[tuple[bytes, bytes], ...]


_MONTH: Final = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_YEAR: Final = rb"[12](?<!\w.)(?:(?<=1)9|(?<=2)0)\d\d"
_CLOCK: Final = rb"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_SEGMENT: Final = rb"[^\s/:;,'\"`()<>\[\]]{1,255}"

RULES: Final = (
    Rule(
        "uuid",
        (b"-",),
        rb"[0-9a-fA-F](?<!\w.)[0-9a-fA-F]{7}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
        b"<uuid>",
        ((b"id 6f9619ff-8b86-d011-b42d-00c04fc964ff", b"id 0e2f4a31-0c3e-4f8e-9f50-5d2f3c1a7b90"),),
        ((b"6f9619ff-8b86", b"6f9619ff-8b87"),),
    ),
    Rule(
        "moment",
        (b":",),
        _YEAR + rb"[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?!\w)",
        b"<time>",
        (
            (b"2026-11-30T17:58:03.528Z ok", b"2026-12-01T00:00:00Z ok"),
            (b"2026-11-30 17:58:03,528 - INFO", b"2026-11-30 17:58:04,001 - INFO"),
            (b"built 2026/11/30 17:58", b"built 2026/12/01 08:01"),
        ),
        ((b"2026-11-30T17:58:03Z ok", b"2026-11-30T17:58:03Z no"),),
    ),
    Rule(
        "dated clock",
        (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"),
        rb"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?"
        rb"(?:%s [ \d]\d|\d\d? %s \d{4}|\d\d/%s/\d{4})[ :]%s(?: (?:[A-Z]{3,4}|[+-]\d{4}))?(?: \d{4})?\b"
        % (_MONTH, _MONTH, _MONTH, _CLOCK),
        b"<time>",
        (
            (b"Mon Nov 30 17:58:03 2026", b"Tue Dec  1 00:00:00 2026"),
            (b"Nov 30 17:58:03 host up", b"Dec  1 08:00:01 host up"),
            (b"date: Mon, 30 Nov 2026 17:58:03 GMT", b"date: Tue, 01 Dec 2026 08:00:01 GMT"),
            (b"[30/Nov/2026:17:58:03 +0000] GET /", b"[01/Dec/2026:08:00:01 +0000] GET /"),
        ),
        ((b"Nov 30 is a day", b"Nov 29 is a day"),),
    ),
    Rule(
        "date",
        (b"-", b"/"),
        _YEAR + rb"(?:-\d\d-\d\d|/\d\d/\d\d)\b",
        b"<date>",
        ((b"built on 2026-11-30", b"built on 2026-12-01"),),
        ((b"version 2026.11.30", b"version 2026.12.01"), (b"20-11-30", b"20-11-31")),
    ),
    Rule(
        "clock",
        (b":",),
        rb"\d(?<!\w.)\d?:\d\d:\d\d(?:[.,]\d{1,9})?\b",
        b"<clock>",
        ((b"[17:58:03] Starting 'build'...", b"[08:00:01] Starting 'build'..."), (b"in 0:01:05", b"in 1:01:05")),
        ((b"price.c:12:5: no", b"price.c:13:5: no"), (b"1:2:3", b"1:2:4")),
    ),
    Rule(
        "duration",
        (b"s", b"min", b"h"),
        rb"\d(?<!\w.)(?:\d{0,8}h ?\d)?(?:\d{0,8}m ?\d)?\d{0,11}(?:\.\d{1,12})? ?"
        rb"(?:ns|\xc2\xb5s|us|ms|s|secs?|seconds?|milliseconds?|mins?|minutes?|hours?)\b",
        b"<duration>",
        (
            (b"1 failed, 92 passed in 0.59s", b"1 failed, 92 passed in 12.00s"),
            (b"real\t0m1.234s", b"real\t2m0.001s"),
            (b"built in 158ms", b"built in 1.2 s"),
            (b"Time: 3 seconds", b"Time: 1 second"),
        ),
        ((b"3 errors", b"2 errors"), (b"5 m", b"6 m"), (b"1 failed in 1s", b"2 failed in 1s"), (b"v1.2s1", b"v1.3s1")),
    ),
    Rule(
        "rate",
        (b"/s",),
        rb"\d(?<!\w.)\d{0,11}(?:\.\d{1,9})? ?[kKMG]?i?[Bb](?:it)?/s(?:ec)?\b",
        b"<rate>",
        ((b"100% 5.20 MiB/s", b"100% 312.4 kB/s"),),
        ((b"5.20 MiB", b"5.21 MiB"),),
    ),
    Rule(
        "address",
        (b"0x",),
        rb"\b0x[0-9a-fA-F]{4,16}\b",
        b"<address>",
        ((b"<Shop object at 0x7f0ec7391650>", b"<Shop object at 0x7f11aa00bb10>"),),
        ((b"flags 0x1f", b"flags 0x2f"),),
    ),
    Rule(
        "process",
        (b"pid", b"PID", b"]:", b"==", b"rocess "),
        rb"\b(?:pid|PID|[Pp]rocess)[ =:#]{1,3}\d{1,10}\b|(?<=\w)\[\d{3,10}\](?=:)|^==\d{1,10}==",
        b"<process>",
        (
            (b"listening, pid 4242", b"listening, pid 17"),
            (b"sshd[1234]: closed", b"sshd[98765]: closed"),
            (b"==4242==ERROR: AddressSanitizer", b"==17==ERROR: AddressSanitizer"),
        ),
        ((b"make[1]: Entering", b"make[2]: Entering"), (b"a[1000] = 1", b"a[1001] = 1")),
    ),
    Rule(
        "temporary folder",
        (b"/tmp/", b"/T/", b"/dev/shm/"),
        rb"(?:/private)?/(?:(?:var/)?tmp|dev/shm|var/folders/%s/%s/T)/(?:pytest-of-%s/pytest-\d+|%s)"
        % (_SEGMENT, _SEGMENT, _SEGMENT, _SEGMENT),
        b"/tmp/<temporary>",
        (
            (b"cc -o /tmp/ccX1aB2c.o", b"cc -o /tmp/ccZ9yX8w.o"),
            (b"in /tmp/pytest-of-me/pytest-12/a", b"in /tmp/pytest-of-me/pytest-13/a"),
            (b"/private/var/folders/zz/q1/T/ab/x", b"/tmp/tmp.cd/x"),
        ),
        ((b"/tmp/a/x.c", b"/tmp/b/y.c"), (b"/opt/a", b"/opt/b")),
    ),
    Rule(
        "temporary name",
        (b"tmp",),
        rb"\btmp(?:\.[A-Za-z0-9]{6,12}|(?=[a-z_]{0,7}\d)[a-z0-9_]{8})\b",
        b"<temporary>",
        ((b"wrote tmpab1c_d2e", b"wrote tmp0000aaaa"), (b"tmp.Ab12Cd34Ef", b"tmp.Zy98Xw76Vu")),
        ((b"tmpfiles", b"tmpnames"), (b"tmpdirectory", b"tmpdirectori"), (b"tmp1", b"tmp2")),
    ),
    Rule(
        "home",
        (b"/home/", b"/Users/"),
        rb"/(?:home|Users)/%s" % _SEGMENT,
        b"<home>",
        ((b"/home/ann/shop/a.c:1", b"/Users/bob/shop/a.c:1"),),
        ((b"/home/ann/a", b"/home/ann/b"),),
    ),
)
