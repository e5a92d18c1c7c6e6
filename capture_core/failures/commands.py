"""What shells and commands say of what they could not do."""

from __future__ import annotations

from typing import Final

from capture_core.failures.finding import Kind, Severity
from capture_core.failures.pattern import Pattern

_COMMAND, _ERROR = Kind.COMMAND, Severity.ERROR
_WHY: Final = (
    r"(?:No such file or directory|Permission denied|Is a directory|Not a directory|No space left on device"
    r"|Read-only file system|Operation not permitted|Disk quota exceeded|Too many open files|Cannot allocate memory"
    r"|Input/output error|Connection refused|Connection timed out|Exec format error)"
)

COMMANDS: Final = (
    Pattern(
        name="not-found",
        tool="shells",
        kind=_COMMAND,
        severity=_ERROR,
        signs=(": not found", "command not found"),
        expression=(
            r"^\S+: (?:line )?\d+: .*: (?:command )?not found$|^\S*sh: .*: (?:command )?not found$"
            r"|^\S*sh: command not found: \S|^\S+: command not found$"
        ),
        source="recorded: bash 5.2 and dash; documented: zsh",
        found=(
            "sh.sh: line 1: no-such-command: command not found\n",
            "sh: 1: no-such-command: not found\n",
            "zsh: command not found: no-such-command\n",
        ),
        spared=("checking for error.h: not found\n", "configure: gcc: not found, trying cc\n"),
    ),
    Pattern(
        name="system-error",
        tool="shells and commands",
        kind=_COMMAND,
        severity=_ERROR,
        signs=(
            "No such file or directory",
            "Permission denied",
            "Is a directory",
            "Not a directory",
            "No space left on device",
            "Read-only file system",
            "Operation not permitted",
            "Disk quota exceeded",
            "Too many open files",
            "Cannot allocate memory",
            "Input/output error",
            "Connection refused",
            "Connection timed out",
            "Exec format error",
        ),
        expression=rf"^[\w./+\[\]@-]+: (?:.*: )?{_WHY}$",
        source="recorded: bash 5.2, coreutils 9.1, OpenSSH 9.2",
        found=(
            "cat: /nowhere: No such file or directory\n",
            "bash: line 1: ./sh.sh: Permission denied\n",
            "crashes.sh: line 11: echo: write error: No space left on device\n",
            "ssh: connect to host 127.0.0.1 port 9: Connection refused\n",
        ),
        spared=("# No such file or directory\n", "No such file or directory is error 2\n"),
    ),
    Pattern(
        name="curl",
        tool="curl",
        kind=_COMMAND,
        severity=_ERROR,
        signs=("^curl: (",),
        expression=r"^curl: \(\d+\) .",
        source="recorded: curl 7.88.1",
        found=("curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server\n",),
        spared=("curl: try 'curl --help' for more information\n",),
    ),
    Pattern(
        name="git",
        tool="git",
        kind=_COMMAND,
        severity=_ERROR,
        signs=("^CONFLICT (", "^ ! ["),
        expression=r"^CONFLICT \([\w/ -]+\): |^ ! \[(?:remote )?rejected\] ",
        source="documented: git-merge(1), git-push(1)",
        found=(
            "CONFLICT (content): Merge conflict in shop.py\n",
            " ! [rejected]        main -> main (fetch first)\n",
        ),
        spared=(" * [new branch]      rejected -> rejected\n", "Auto-merging CONFLICT.md\n"),
    ),
    Pattern(
        name="docker",
        tool="docker",
        kind=_COMMAND,
        severity=_ERROR,
        signs=("Error response from daemon: ",),
        expression=r"^(?:docker: )?Error response from daemon: .",
        source="documented: the command line of Docker",
        found=("docker: Error response from daemon: pull access denied for nothing.\n",),
        spared=("An Error response from daemon: is only told of\n",),
    ),
    Pattern(
        name="apt",
        tool="apt",
        kind=_COMMAND,
        severity=_ERROR,
        signs=("^E: ", "^Err:"),
        expression=r"^E: [A-Z]\w+ |^Err:\d+ ",
        source="recorded: apt 2.6",
        found=("E: Unable to locate package no-such-package-xyz\n",),
        spared=(
            "W: error is only a word\n",
            "Get:1 http://mirror.invalid/debian bookworm/main amd64 liberror-perl all\n",
        ),
    ),
)
