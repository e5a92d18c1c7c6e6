"""What linkers say of what they could not bind together."""

# ruff: noqa: RUF001 — the quotation marks are those of the programs

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern

_LINKER, _ERROR, _CONSEQUENCE = Kind.LINKER, Severity.ERROR, Severity.CONSEQUENCE

LINKERS: Final = (
    Pattern(
        name="linker-failed",
        tool="gcc, clang",
        kind=_LINKER,
        severity=_CONSEQUENCE,
        signs=("^collect2: ", "^clang"),
        expression=r"^(?:collect2|clang(?:\+\+)?(?:-\d+)?): (?:fatal )?error: (?:ld returned|linker command failed)",
        source="recorded: gcc 12.2.0; clang's manual",
        found=(
            "collect2: error: ld returned 1 exit status\n",
            "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n",
        ),
        spared=("collect2: note: ld returned nothing of interest\n",),
    ),
    Pattern(
        name="undefined-reference",
        tool="ld, gold",
        kind=_LINKER,
        severity=_ERROR,
        signs=(": undefined reference to ", ": in function "),
        expression=r"^\S.*: undefined reference to [`'‘].",
        lead=r"^\S.*: in function [`'‘].*:$",
        source="recorded: GNU ld and gold 2.40",
        found=(
            "/usr/bin/ld: cc.o: in function `main':\nundef.c:(.text+0x1b): undefined reference to `absent'\n",
            "/usr/bin/ld: undef.c:(.text+0x27): undefined reference to `absent'\n",
            "cc.o:undef.c:function main: error: undefined reference to 'absent'\n",
        ),
        spared=("/usr/bin/ld: undef.o: warning: relocation against `table' in read-only section `.text'\n",),
    ),
    Pattern(
        name="lld",
        tool="lld",
        kind=_LINKER,
        severity=_ERROR,
        signs=(": error: ",),
        expression=r"^(?:\S*[/-])?(?:ld(?:64)?\.lld|wasm-ld|lld-link|ld)(?:-\d+)?: error: .",
        block=Block(body=r"^>>> "),
        source="recorded: lld of Zig 0.17.1",
        found=(
            "ld.lld: error: undefined symbol: absent\n>>> referenced by undef.c:3\n>>>               undef.o:(main)\n",
        ),
        spared=("ld.lld: warning: undefined symbol: absent\n",),
    ),
    Pattern(
        name="ld",
        tool="ld",
        kind=_LINKER,
        severity=_ERROR,
        signs=("ld: ", "ld."),
        expression=(
            r"^(?:\S*[/-])?ld(?:\.\w+)?: (?:cannot find |cannot open |final link failed|symbol\(s\) not found"
            r"|.*: (?:multiple definition of |file not recognized)|library not found|.*can not be used when)"
        ),
        block=Block(body=r"^(?:\S*[/-])?ld(?:\.\w+)?: \S+: first defined here"),
        source="recorded: GNU ld 2.40; its manual, and that of Apple's",
        found=(
            "/usr/bin/ld: cannot find -lnosuchlib: No such file or directory\n",
            "/usr/bin/ld: b.o:(.data+0x0): multiple definition of `table'; a.o:(.data+0x0): first defined here\n",
        ),
        spared=("/usr/bin/ld: warning: creating DT_TEXTREL in a PIE\n",),
    ),
    Pattern(
        name="ld-apple",
        tool="ld of Apple",
        kind=_LINKER,
        severity=_ERROR,
        signs=("^Undefined symbols for architecture ",),
        expression=r"^Undefined symbols for architecture ",
        block=Block(body=r"^  "),
        source="documented: Apple's linker",
        found=('Undefined symbols for architecture arm64:\n  "_absent", referenced from:\n      _main in undef.o\n',),
        spared=("Defined symbols for architecture arm64:\n",),
    ),
)
