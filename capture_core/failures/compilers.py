"""What compilers say of what they could not compile."""

# ruff: noqa: RUF001 — the quotation marks are those of the programs

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern

_COMPILER, _ERROR, _CONSEQUENCE = Kind.COMPILER, Severity.ERROR, Severity.CONSEQUENCE

COMPILERS: Final = (
    Pattern(
        name="javac",
        tool="javac",
        kind=_COMPILER,
        severity=_ERROR,
        signs=(".java:",),
        expression=r"^\S.*\.java:\d+: error: .",
        block=Block(lines=2, body=r"^  \S"),
        source="recorded: javac 17.0.15",
        found=(
            (
                "Bad.java:2: error: cannot find symbol\n"
                "public class Bad { int f() { String s = 3; return s.size(); } }\n"
                "                                                   ^\n"
                "  symbol:   method size()\n"
                "  location: variable s of type String\n"
            ),
        ),
        spared=(
            "Bad.java:2: warning: [removal] stop() in Thread has been deprecated and marked for removal\n",
            "Note: Bad.java uses unchecked or unsafe operations.\n",
        ),
    ),
    Pattern(
        name="gcc",
        tool="gcc, clang",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("error: ", "In file included from ", "   from ", ": In ", ": At ", "required from "),
        expression=r"^[^\s:][^:]*:(?:\d+:){1,2} (?:fatal )?error: .",
        lead=r"^In file included from |^ {3,}from \S.*:\d+[,:]$|^\S[^:]*: (?:In|At) .*:$|^\S+:\d+:\d+: +required from ",
        block=Block(body=r"^[ \t]+\S|^ *\d+ \||^\S[^:]*:\d+:(?:\d+:)? note: |^compilation terminated\.$"),
        source="recorded: gcc and g++ 12.2.0, clang of Zig 0.17.1",
        found=(
            (
                "broken.c: In function ‘main’:\n"
                "broken.c:6:10: error: ‘missing’ undeclared (first use in this function)\n"
                "    6 |   return missing;\n"
                "      |          ^~~~~~~\n"
                "broken.c:6:10: note: each undeclared identifier is reported only once for each function\n"
            ),
            (
                "noheader.c:1:10: fatal error: no_such_header.h: No such file or directory\n"
                "    1 | #include <no_such_header.h>\n"
                "      |          ^~~~~~~~~~~~~~~~~~\n"
                "compilation terminated.\n"
            ),
            "In file included from broken.c:1:\n./list.h:1:34: error: unknown type name 'unknown_t'\n",
            "../errors.c:2:12: error: ‘error’ defined but not used [-Werror=unused-function]\n",
        ),
        spared=(
            "../errors.c:2:12: warning: ‘error’ defined but not used [-Wunused-function]\n",
            "gcc -Wall -Werror -c ../errors.c -o errors.o\n",
            "broken.c:4:7: note: previous definition of ‘error’ with type ‘int’\n",
            "broken.c: In function ‘main’:\nbroken.c:4:15: warning: unused variable ‘error’ [-Wunused-variable]\n",
        ),
    ),
    Pattern(
        name="cc-werror",
        tool="gcc, clang, javac",
        kind=_COMPILER,
        severity=_CONSEQUENCE,
        signs=("^cc1", " error"),
        expression=(
            r"^cc1\w*: (?:all|some) warnings being treated as errors"
            r"|^(?:\d+ warnings? and )?[1-9]\d* errors?(?: generated\.)?$"
        ),
        source="recorded: gcc 12.2.0, clang of Zig 0.17.1, javac 17.0.15",
        found=(
            "cc1: all warnings being treated as errors\n",
            "4 errors generated.\n",
            "2 warnings and 1 error generated.\n",
            "3 errors\n",
        ),
        spared=(
            "0 errors\n",
            "2 warnings generated.\n",
            "0 errors generated.\n",
            "1 warning and 0 errors generated.\n",
        ),
    ),
    Pattern(
        name="cc-driver",
        tool="gcc, clang",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("error: ",),
        expression=r"^(?:\S*[/-])?(?:cc1(?:plus)?|gcc|g\+\+|clang(?:\+\+)?|cc|c\+\+)(?:-[\d.]+)?: (?:fatal )?error: .",
        unless=r"linker command failed",
        block=Block(body=r"^compilation terminated\.$|^Please submit a full bug report"),
        source="recorded: gcc 12.2.0; its manual for a compiler that was killed",
        found=(
            "cc1: fatal error: main_not_there.c: No such file or directory\ncompilation terminated.\n",
            "gcc: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
        ),
        spared=("gcc: warning: main.o: linker input file unused because linking not done\n",),
    ),
    Pattern(
        name="rustc",
        tool="rustc",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("^error",),
        expression=r"^error(?:\[E\d+\])?: .",
        then=r"^ +(?:-->|\|)",
        block=Block(body=r"^[ \t]+\S|^\d+ *[|/\\]|^\.\.\.$|^(?:note|help): "),
        source="recorded: rustc 1.95.0",
        found=(
            (
                "error[E0425]: cannot find function `missing` in this scope\n"
                " --> src/main.rs:2:67\n"
                "  |\n"
                "2 | fn main() { missing(); }\n"
                "  |             ^^^^^^^ not found in this scope\n"
            ),
        ),
        spared=(
            "warning: unused variable: `error`\n --> src/main.rs:1:39\n  |\n",
            "For more information about an error, try `rustc --explain E0308`.\n",
            "    Running `rustc --crate-name cr src/main.rs --error-format=json`\n",
        ),
    ),
    Pattern(
        name="cargo",
        tool="cargo",
        kind=_COMPILER,
        severity=_CONSEQUENCE,
        signs=("^error: ",),
        expression=(
            r"^error: (?:could not compile |test failed, to rerun"
            r"|aborting due to |\d+ targets? failed|process didn't exit)"
        ),
        block=Block(body=r"^ +`", blank=False, last=r"^Caused by:$"),
        source="recorded: cargo 1.95.0",
        found=(
            'error: could not compile `shop` (bin "shop") due to 2 previous errors; 1 warning emitted\n',
            "error: test failed, to rerun pass `--bin shop`\n",
        ),
        spared=("    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.14s\n",),
    ),
    Pattern(
        name="tsc",
        tool="tsc",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("error TS",),
        expression=r"^\S.*\(\d+,\d+\): error TS\d+: |^error TS\d+: ",
        block=Block(body=r"^  +\S"),
        source="recorded: TypeScript's compiler",
        found=(
            "shop.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
            (
                "shop.ts(4,3): error TS2345: Argument of type '{}' is not assignable to parameter of type 'Shop'.\n"
                "  Property 'price' is missing in type '{}' but required in type 'Shop'.\n"
            ),
        ),
        spared=("shop.ts(1,7): warning TS6133: 'error' is declared but its value is never read.\n",),
    ),
    Pattern(
        name="tsc-pretty",
        tool="tsc",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("error TS",),
        expression=r"^\S.*:\d+:\d+ - error TS\d+: ",
        block=Block(body=r"^  +\S|^\d+ +\S", blank=True),
        source="recorded: TypeScript's compiler, --pretty",
        found=(
            (
                "shop.ts:2:34 - error TS2339: Property 'nope' does not exist on type 'string'.\n"
                "\n"
                "2 function f(a: string) { return a.nope; }\n"
                "                                 ~~~~\n"
            ),
        ),
        spared=("[12:00:01 AM] Found 0 errors. Watching for file changes.\n", "Found 0 errors.\n"),
    ),
    Pattern(
        name="tsc-total",
        tool="tsc",
        kind=_COMPILER,
        severity=_CONSEQUENCE,
        signs=("Found ",),
        expression=r"^(?:\[?\d[\d:]* ?[AP]?M?\]? ?-? )?Found [1-9]\d* errors?\b",
        source="recorded: TypeScript's compiler, --pretty",
        found=("Found 3 errors in the same file, starting at: shop.ts:1\n", "Found 1 error.\n"),
        spared=("Found 0 errors.\n", "Found 3 warnings.\n"),
    ),
    Pattern(
        name="webpack",
        tool="webpack",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("^ERROR in ",),
        expression=r"^ERROR in \S",
        block=Block(lines=1, body=r"^ +\S|^> |^@ |^resolve "),
        headline_at=1,
        source="documented: webpack 5",
        found=(
            "ERROR in ./src/shop.js 3:0-24\nModule not found: Error: Can't resolve './nothing' in '/home/user/src'\n",
        ),
        spared=("webpack 5.90.0 compiled successfully in 300 ms\n", "No ERROR in ./src/shop.js\n"),
    ),
    Pattern(
        name="kotlin",
        tool="kotlinc",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("^e: ",),
        expression=r"^e: (?:file://)?/\S+\.kts?:",
        source="documented: Kotlin's Gradle plugin",
        found=("e: file:///home/user/project/Shop.kt:3:4 Unresolved reference: nothing\n",),
        spared=("w: file:///home/user/project/Shop.kt:3:4 Variable 'error' is never used\n",),
    ),
    Pattern(
        name="go-compile",
        tool="go build, go vet",
        kind=_COMPILER,
        severity=_ERROR,
        signs=(".go:", "^# "),
        expression=r"^(?:vet: )?[\w./@-]+\.go:\d+:\d+: .",
        lead=r"^# [\w./-]+$",
        block=Block(body=r"^\t\S"),
        source="recorded: go 1.27.3",
        found=(
            '# example.com/shop/app\napp/main.go:5:2: "os" imported and not used\n',
            'run/main.go:6:14: fmt.Printf format %d has arg "x" of wrong type string\n',
        ),
        spared=("2026/12/01 12:00:00 main.go:6: error is only a word here\n", "ok  \texample.com/shop\t0.004s\n"),
    ),
    Pattern(
        name="go-modules",
        tool="go",
        kind=_COMPILER,
        severity=_ERROR,
        signs=("^go: ", "^no required module"),
        expression=(
            r"^go: .*(?:cannot find|no required module|not found|unknown revision"
            r"|already exists|missing go\.sum)|^no required module provides "
        ),
        block=Block(body=r"^\t\S"),
        source="recorded: go 1.27.3; its reference of modules",
        found=(
            'go: build output "cmd" already exists and is a directory\n',
            "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
        ),
        spared=("go: downloading golang.org/x/errors v0.3.0\n",),
    ),
)
