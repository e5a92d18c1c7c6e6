"""What runtimes print of an exception that nobody caught, or that somebody logged."""

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern

_TRACEBACK, _FATAL, _ERROR = Kind.TRACEBACK, Severity.FATAL, Severity.ERROR
_JAVA: Final = Block(body=r"^\s+at \S|^\s*\.\.\. \d+ |^Caused by: |^\s+Suppressed: |^\s*- locked ")

TRACES: Final = (
    Pattern(
        name="python-traceback",
        tool="Python",
        kind=_TRACEBACK,
        severity=_ERROR,
        signs=("Traceback (most recent call last):",),
        expression=r"^[ \t|>]*Traceback \(most recent call last\):$",
        indented=True,
        block=Block(
            body=r"^[ \t]+\S|^Traceback \(most recent call last\):$",
            last=r"^\S",
            again=r"^(?:During handling of the above exception, another exception occurred"
            r"|The above exception was the direct cause of the following exception):$",
        ),
        headline=(r"^[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Iteration)\b", r"^\S"),
        source="recorded: Python 3.11",
        found=(
            (
                "Traceback (most recent call last):\n"
                '  File "chain.py", line 8, in <module>\n'
                '    load("{")\n'
                "RuntimeError: no settings\n"
                "\n"
                "During handling of the above exception, another exception occurred:\n"
                "\n"
                "Traceback (most recent call last):\n"
                '  File "chain.py", line 10, in <module>\n'
                '    {}["fallback"]\n'
                "    ~~^^^^^^^^^^^^\n"
                "KeyError: 'fallback'\n"
            ),
            (
                "    Traceback (most recent call last):\n"
                '      File "setup.py", line 1, in <module>\n'
                "        import nothing\n"
                "    ModuleNotFoundError: No module named 'nothing'\n"
            ),
        ),
        spared=("A Traceback (most recent call last): is only told of here.\n",),
    ),
    Pattern(
        name="python-group",
        tool="Python",
        kind=_TRACEBACK,
        severity=_ERROR,
        signs=("+ Exception Group Traceback (most recent call last):",),
        expression=r"^ *\+ Exception Group Traceback \(most recent call last\):$",
        block=Block(body=r"^ *[|+]"),
        headline=(r"^ *\| [\w.]*ExceptionGroup: ",),
        source="recorded: Python 3.11",
        found=(
            (
                "  + Exception Group Traceback (most recent call last):\n"
                '  |   File "group.py", line 1, in <module>\n'
                "  | ExceptionGroup: two (2 sub-exceptions)\n"
                "  +-+---------------- 1 ----------------\n"
                "    | ValueError: 1\n"
                "    +------------------------------------\n"
            ),
        ),
        spared=("  + ExceptionGroup is new in Python 3.11\n",),
    ),
    Pattern(
        name="python-syntax",
        tool="Python",
        kind=_TRACEBACK,
        severity=_FATAL,
        signs=('^  File "',),
        expression=r'^  File ".+", line \d+$',
        then=r"^[A-Z]\w*Error: ",
        then_at=3,
        block=Block(body=r"^ {4}", last=r"^[A-Z]\w*Error: "),
        headline=(r"^[A-Z]\w*Error: ",),
        source="recorded: Python 3.11",
        found=("  File \"syn.py\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n",),
        spared=('  File "shop.py", line 1\n',),
    ),
    Pattern(
        name="python-start",
        tool="Python",
        kind=Kind.COMMAND,
        severity=_FATAL,
        signs=(": No module named ", ": can't open file "),
        expression=r"^\S*python[\d.]*: (?:No module named \S|can't open file )",
        source="recorded: Python 3.11",
        found=(
            "/usr/bin/python3: No module named nothing_here\n",
            "python: can't open file 'nowhere.py': [Errno 2] No such file or directory\n",
        ),
        spared=("python: 3.11.7 (/usr/bin/python)\n",),
    ),
    Pattern(
        name="java-uncaught",
        tool="Java",
        kind=_TRACEBACK,
        severity=_FATAL,
        signs=('^Exception in thread "',),
        expression=r'^Exception in thread "',
        block=_JAVA,
        headline=(r"^Caused by: ",),
        source="recorded: OpenJDK 17.0.15",
        found=(
            (
                'Exception in thread "main" java.lang.IllegalStateException: no price: three\n'
                "\tat Shop.price(Shop.java:2)\n"
                "\tat Shop.main(Shop.java:3)\n"
                'Caused by: java.lang.NumberFormatException: For input string: "three"\n'
                "\tat java.base/java.lang.Integer.parseInt(Integer.java:668)\n"
                "\t... 2 more\n"
            ),
        ),
        spared=("No exception in thread main\n",),
    ),
    Pattern(
        name="java-trace",
        tool="Java",
        kind=_TRACEBACK,
        severity=_ERROR,
        signs=("Exception", "Error", "Throwable", "Failure"),
        expression=r"^(?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable|Failure)(?:: .*)?$",
        then=r"^\s+at \S|^Caused by: ",
        block=_JAVA,
        headline=(r"^Caused by: ",),
        source="recorded: OpenJDK 17.0.15, where it was logged",
        found=(
            "java.lang.IllegalStateException: no price\n\tat Shop.price(Shop.java:2)\n\tat Shop.main(Shop.java:3)\n",
        ),
        spared=("java.lang.IllegalStateException: only a word of a list\njava.lang.Error\n",),
    ),
    Pattern(
        name="node-uncaught",
        tool="Node.js",
        kind=_TRACEBACK,
        severity=_FATAL,
        signs=("^node:", "^[eval", "js:", "ts:", "jsx:", "tsx:"),
        expression=r"^(?:node:|\[eval)\S*:\d+$|^(?:/|file:)\S*\.[cm]?[jt]sx?:\d+$",
        then=r"^ *\^+$",
        then_at=2,
        block=Block(
            lines=2,
            body=r"^(?:Uncaught )?\w*(?:Error|Exception)\b|^ {2,}\S|^Require stack:$|^[-+] |^\}|^Thrown at:|^throw ",
            blank=True,
            last=r"^Node\.js v\d",
        ),
        headline=(r"^(?:Uncaught )?\w*(?:Error|Exception)\b",),
        source="recorded: node 20.20.2",
        found=(
            (
                "/home/user/project/throw.js:1\n"
                "function price(s) { throw new TypeError(`no price: ${s}`); }\n"
                "                    ^\n"
                "\n"
                "TypeError: no price: three\n"
                "    at price (/home/user/project/throw.js:1:27)\n"
                "\n"
                "Node.js v20.20.2\n"
            ),
        ),
        spared=("/home/user/project/error.js:1\nis where it stands\n",),
    ),
    Pattern(
        name="node-trace",
        tool="Node.js",
        kind=_TRACEBACK,
        severity=_ERROR,
        signs=("Error", "Exception"),
        expression=r"^ *(?:Uncaught )?\w*(?:Error|Exception)(?: \[\w+\])?(?:: .*)?$",
        then=r"^ +at (?:async |new )?\S",
        indented=True,
        block=Block(body=r"^ +at |^ {2}\w+: |^\}|^ {4}\[", blank=False),
        headline=(r"^(?:Uncaught )?\w*(?:Error|Exception)\b",),
        source="recorded: node 20.20.2",
        found=("Error: later\n    at [eval]:1:16\n    at runScriptInThisContext (node:internal/vm:209:10)\n",),
        spared=("Error\nis only a heading\n",),
    ),
    Pattern(
        name="ruby",
        tool="Ruby",
        kind=_TRACEBACK,
        severity=_ERROR,
        signs=(".rb:",),
        expression=r"^\S+\.rb:\d+:in .*: .*\([A-Z]\w*(?:::\w+)*\)$",
        block=Block(body=r"^\s+from \S|^\s+\d+: from "),
        source="documented: Ruby's Exception#full_message",
        found=("shop.rb:3:in `price': no price (ArgumentError)\n\tfrom shop.rb:6:in `<main>'\n",),
        spared=("shop.rb:3: warning: assigned but unused variable - error\n",),
    ),
    Pattern(
        name="go-panic",
        tool="Go",
        kind=Kind.CRASH,
        severity=_FATAL,
        signs=("^panic: ", "^fatal error: "),
        expression=(
            r"^panic: .|^fatal error: (?:all goroutines|concurrent map"
            r"|stack overflow|unexpected signal|runtime: )"
        ),
        block=Block(
            body=(
                r"^goroutine \d+ \[|^\t\S|^[\w./*()\[\]{},~-]+\(.*\)$"
                r"|^created by |^\[signal |^\t?panic: |^\.\.\.additional"
            ),
            blank=True,
            last=r"^exit status \d+$",
        ),
        source="recorded: go 1.27.3",
        found=(
            (
                "panic: assignment to entry in nil map\n"
                "\n"
                "goroutine 1 [running]:\n"
                "main.main()\n"
                "\t/home/user/project/go/run/main.go:8 +0x6d\n"
                "exit status 2\n"
            ),
        ),
        spared=("panic() is only mentioned\n", "panics: 0\n"),
    ),
    Pattern(
        name="rust-panic-old",
        tool="Rust",
        kind=Kind.CRASH,
        severity=_FATAL,
        signs=("^thread '",),
        expression=r"^thread '.*' panicked at '.*', \S+:\d+:\d+$",
        block=Block(body=r"^note: |^stack backtrace:$|^ +\d+: |^ +at "),
        source="documented: The Rust Programming Language, before 1.73",
        found=(
            (
                "thread 'main' panicked at 'no price', src/main.rs:2:5\n"
                "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
            ),
        ),
        spared=("note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",),
    ),
    Pattern(
        name="rust-panic",
        tool="Rust",
        kind=Kind.CRASH,
        severity=_FATAL,
        signs=("^thread '",),
        expression=r"^thread '.*' (?:\(\d+\) )?panicked at \S+:\d+:\d+:$",
        block=Block(lines=1, body=r"^note: |^stack backtrace:$|^ +\d+: |^ +at |^ *(?:left|right): "),
        headline_at=1,
        source="recorded: rustc 1.95.0",
        found=(
            (
                "thread 'main' (11282) panicked at src/main.rs:2:103:\n"
                "called `Option::unwrap()` on a `None` value\n"
                "stack backtrace:\n"
                "   0: __rustc::rust_begin_unwind\n"
                "             at /rustc/59807616/library/std/src/panicking.rs:689:5\n"
                "note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\n"
            ),
        ),
        spared=("thread 'main' is only told of\n",),
    ),
)
