"""What is said when a process was killed, by itself or by the system."""

# ruff: noqa: RUF001 — the quotation marks are those of the programs

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern

_CRASH, _FATAL, _ERROR = Kind.CRASH, Severity.FATAL, Severity.ERROR
_SIGNAL: Final = r"(?:Segmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted|Killed)"

CRASHES: Final = (
    Pattern(
        name="killed-by-signal",
        tool="shells",
        kind=_CRASH,
        severity=_FATAL,
        signs=(
            "Segmentation fault",
            "Bus error",
            "Illegal instruction",
            "Floating point exception",
            "Aborted",
            "Killed",
            "^zsh: ",
        ),
        expression=(
            rf"^(?:\S+: (?:line \d+: )?)?(?: *\d+ )?{_SIGNAL}(?: \(core dumped\))?(?:$"
            rf"| {{2,}}\S)|^zsh: .*(?:segmentation fault|killed|abort)"
        ),
        source="recorded: bash 5.2 and dash; documented: zsh",
        found=(
            "Segmentation fault\n",
            "Segmentation fault (core dumped)\n",
            "sh.sh: line 2: 21549 Segmentation fault      ./crash\n",
            "Killed\n",
        ),
        spared=("Aborted runs are counted: 0\n", "test_segmentation_fault PASSED\n"),
    ),
    Pattern(
        name="out-of-memory",
        tool="Linux",
        kind=_CRASH,
        severity=_FATAL,
        signs=("Out of memory", "out of memory", "oom-kill"),
        expression=(
            r"\bOut of memory: Kill(?:ed)? process \d+|^oom-kill:|\binvoked oom-killer:"
            r"|^(?:\S+: )?(?:fatal: )?[Oo]ut of memory(?:$|[,.:] ?)"
        ),
        source="documented: the kernel's messages, mm/oom_kill.c",
        found=(
            "[ 1234.567890] Out of memory: Killed process 4242 (cc1plus) total-vm:1234kB, anon-rss:1234kB\n",
            "cc1plus: out of memory allocating 65536 bytes\n".replace(" allocating 65536 bytes", ""),
        ),
        spared=("out of memory errors are told by their own exit code\n",),
    ),
    Pattern(
        name="assertion",
        tool="C",
        kind=_CRASH,
        severity=_FATAL,
        signs=(": Assertion ", "^Assertion failed: "),
        expression=r"^\S.*: Assertion [`'‘].*['’] failed\.$|^Assertion failed: ",
        source="recorded: glibc 2.36",
        found=("crash: crash.c:3: main: Assertion `n == 1' failed.\n",),
        spared=("Assertions: 12 passed\n", "0 assertions failed\n"),
    ),
    Pattern(
        name="c++-terminate",
        tool="C++",
        kind=_CRASH,
        severity=_FATAL,
        signs=("^terminate called ", "^libc++abi: "),
        expression=r"^(?:terminate called |libc\+\+abi: terminating )",
        block=Block(body=r"^  what\(\): "),
        headline=(r"^  what\(\): ",),
        source="recorded: libstdc++ 12; documented: libc++",
        found=("terminate called after throwing an instance of 'std::runtime_error'\n  what():  no shop\n",),
        spared=("terminate is called when nothing catches\n",),
    ),
    Pattern(
        name="glibc-abort",
        tool="glibc",
        kind=_CRASH,
        severity=_FATAL,
        signs=("^*** ", "^free", "^malloc", "^realloc", "^munmap_chunk", "^corrupted", "^double free"),
        expression=(
            r"^\*\*\* .* detected \*\*\*|^(?:free|malloc|realloc|munmap_chunk"
            r"|corrupted|double free)\b.*(?:invalid|corrupt|unaligned|out\))"
        ),
        source="documented: glibc, malloc/malloc.c and debug/fortify_fail.c",
        found=(
            "*** stack smashing detected ***: terminated\n",
            "free(): invalid pointer\n",
            "double free or corruption (out)\n",
        ),
        spared=("free memory: 12 GiB\n",),
    ),
    Pattern(
        name="sanitizer",
        tool="sanitizers of gcc and clang",
        kind=_CRASH,
        severity=_FATAL,
        signs=("Sanitizer: ",),
        expression=r"^(?:==\d+==)?(?:ERROR|WARNING): \w+Sanitizer: ",
        block=Block(
            body=(
                r"^==\d+==|^ {2,}#?\S|^SUMMARY: |^\w+Sanitizer |^0x|^allocated by"
                r"|^freed by|^READ |^WRITE |^(?:Direct|Indirect) leak"
            ),
            blank=True,
        ),
        source="recorded: gcc 12.2.0, -fsanitize=address",
        found=(
            (
                "==21558==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55f78e2fc21d T0)\n"
                "==21558==The signal is caused by a READ memory access.\n"
                "    #0 0x55f78e2fc21d in main /home/user/project/crash.c:3\n"
                "\n"
                "AddressSanitizer can not provide additional info.\n"
                "SUMMARY: AddressSanitizer: SEGV /home/user/project/crash.c:3 in main\n"
                "==21558==ABORTING\n"
            ),
        ),
        spared=("cc -fsanitize=address -Werror crash.c\n",),
    ),
    Pattern(
        name="ubsan",
        tool="sanitizers of gcc and clang",
        kind=_CRASH,
        severity=_ERROR,
        signs=(": runtime error: ",),
        expression=r"^\S.*:\d+:\d+: runtime error: .",
        block=Block(body=r"^ +\S"),
        source="recorded: gcc 12.2.0, -fsanitize=undefined",
        found=(
            "ub.c:1:58: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'\n",
        ),
        spared=("ub.c:1:58: note: a runtime error is only told of\n",),
    ),
    Pattern(
        name="python-fatal",
        tool="Python",
        kind=_CRASH,
        severity=_FATAL,
        signs=("^Fatal Python error: ",),
        expression=r"^Fatal Python error: ",
        block=Block(body=r"^(?:Current thread |Thread |Python runtime state|Extension modules: )|^ {2}", blank=True),
        source="recorded: Python 3.11, -X faulthandler",
        found=(
            (
                "Fatal Python error: Aborted\n"
                "\n"
                "Current thread 0x00007f93ab5f3b80 (most recent call first):\n"
                '  File "<string>", line 1 in <module>\n'
            ),
        ),
        spared=("Fatal Python errors: 0\n",),
    ),
)
