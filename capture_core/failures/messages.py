"""Lines that call themselves errors, whoever wrote them; last in the table, so that whoever knows more comes first."""

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Block, Pattern

_MESSAGE, _ERROR = Kind.MESSAGE, Severity.ERROR
_NOTHING: Final = r"(?:[Nn]one|[Nn]ull|nil|[Ff]alse|OK|ok|\[\]|\{\}|''|\"\"|-)"
_LEVEL: Final = r"(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG(?:ENCY)?|ALERT|PANIC)"
_TIME: Final = r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d[\d.,:+Z-]*\]?"

MESSAGES: Final = (
    Pattern(
        name="error-message",
        tool="any",
        kind=_MESSAGE,
        severity=_ERROR,
        signs=("rror: ", "ERROR: ", "atal: ", "FATAL: ", "CRITICAL: "),
        expression=(
            r"^ {0,2}(?:[\w./@+-]+(?:\[\d+\])?: ){0,3}(?:fatal |internal |Internal |FATAL |Fatal )?"
            r"(?:error|Error|ERROR|fatal|Fatal|FATAL|CRITICAL): +\S"
        ),
        unless=(
            r"^ *(?:warning|note|info|debug): "
            r"|(?:rror|ERROR|atal|FATAL|CRITICAL): +(?:0|[Nn]o errors?|[Nn]ot? (?:an )?error)\b"
            rf"|(?:rror|ERROR|atal|FATAL|CRITICAL): +{_NOTHING}[,;.]?$|[^.]\b0 errors?\b"
        ),
        block=Block(body=r"^(?:hint|note|help): "),
        source="recorded: git 2.39, pip, configure; the coding standards of GNU, errors",
        found=(
            "fatal: not a git repository (or any of the parent directories): .git\n",
            "error: failed to push some refs to 'origin'\nhint: Updates were rejected.\n",
            "ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'nowhere.txt'\n",
            "configure: error: no acceptable C compiler found in $PATH\n",
            "usage.py: error: unrecognized arguments: --nothing\n",
        ),
        spared=(
            "error: 0\n",
            "errors: 3 expected\n",
            "error_count: 0\n",
            "errors=0\n",
            "0 errors\n",
            "no error\n",
            "Error: none\n",
            "error: null,\n",
            "build: error: 0 errors, 3 warnings\n",
            "cc -Werror -c error.c -o error.o\n",
            "test_error_is_told PASSED\n",
            "error.c\n",
            "warning: error: is only a word\n",
            "checking for error: yes\n".replace("error: yes", "error... yes"),
        ),
    ),
    Pattern(
        name="log-level",
        tool="any log",
        kind=_MESSAGE,
        severity=_ERROR,
        signs=(
            "ERROR",
            "FATAL",
            "CRITICAL",
            "SEVERE",
            "EMERG",
            "ALERT",
            "PANIC",
            "^[error] ",
            "^[fatal] ",
            "^[critical] ",
        ),
        expression=(
            rf"^{_TIME} (?:[\w.\[\]()/#-]+(?::\d+)? ){{0,3}}\[?{_LEVEL}\]?[ :]"
            rf"|^\[?{_LEVEL}\]?(?: {{2,}}|:|\] |\t| \d{{4}}-)\S|^\[(?:error|fatal|critical)\] \S"
        ),
        unless=rf"{_LEVEL}\]?[: \t]+(?:0|{_NOTHING})$",
        source="recorded: logging of Python 3.11; documented: Log4j, Logback",
        found=(
            "2026-12-01 05:00:48,209 CRITICAL root: giving up\n",
            "2026-12-01T12:00:00.123Z [main] ERROR com.example.Shop - no price\n",
            "[error] the shop is closed\n",
            "CRITICAL:root:giving up\n",
        ),
        spared=(
            "2026-12-01 05:00:48,204 WARNING root: ERROR is only a word\n",
            "2026-12-01 05:00:48,204 INFO root: error: is only a word\n",
            "ERROR: 0\n",
            "ERRORS  0\n",
        ),
    ),
    Pattern(
        name="log-field",
        tool="any log",
        kind=_MESSAGE,
        severity=_ERROR,
        signs=("level", "lvl", "severity", "^E0", "^E1", "^F0", "^F1"),
        expression=(
            r'^(?:\S+=.* )?(?:level|lvl|severity)="?(?:error|fatal|panic|critical|ERROR|FATAL)\b'
            r'|^\{.*"(?:level|lvl|severity|levelname)": ?"(?:error|fatal|panic|critical|ERROR|FATAL|CRITICAL)"'
            r"|^[EF][01]\d{3} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\] "
        ),
        source="documented: logrus, pino, zap, klog",
        found=(
            'time="2026-12-01T12:00:00Z" level=error msg="no price"\n',
            '{"level":"error","msg":"no price"}\n',
            "E1201 12:00:00.123456    4242 shop.go:12] no price\n",
        ),
        spared=(
            'time="2026-12-01T12:00:00Z" level=info msg="level=errors is only a word"\n',
            '{"level":"info","error":null}\n',
        ),
    ),
)
