"""The fault matrix: each step of the write path, how it fails, and what must be true of the run all the same.

The disks are real (see :mod:`tests.faults.grounds`).  A row whose ``errnos`` are several is that many cells.  Of the
command always holds: it runs to its own end, and all that it prints is passed on, whatever becomes of the capture.
"""

from __future__ import annotations

from errno import EDQUOT, EFBIG, EIO, EMFILE, ENOLCK, ENOSPC, EROFS
from typing import Final, NamedTuple

from tests.faults.fault_fs import Rule

WARNING: Final = b"warning\n"

FAULTS: Final = (ENOSPC, EDQUOT, EIO, EROFS)
FULL: Final = (ENOSPC, EDQUOT)
OWN_CODE: Final = 7
NOT_STARTED: Final = 125


def text(lines: int = 100) -> bytes:
    """What an undisturbed run keeps of stdout: ten bytes a line, ``€`` the fifth to the seventh of them."""
    return "".join(f"{number % 1000:03} €é\n" for number in range(lines)).encode()


def printed(lines: int = 100) -> bytes:
    """What the command prints to stdout."""
    return b"".join(b"\x1b[32m%s\x1b[0m%s" % (line[:3], line[3:]) for line in text(lines).splitlines(keepends=True))


FUNCTIONS: Final = r"""
lines() { i=$1; while [ $i -lt $2 ]; do printf '\033[32m%03d\033[0m €é\n' $((i % 1000)); i=$((i + 1)); done; }
kept() {
  n=0
  until [ "$(cat "$CONVERSATION"/tool-outputs/shell/*.stdout.live | wc -c)" -ge $1 ]
  do [ $n -lt 1000 ] || exit 99; sleep 0.01; n=$((n + 1)); done
}
"""
"""For scripts: print lines from one number to another; wait until so many bytes are kept, or end as no row does."""
PRINT: Final = "lines 0 100; echo warning >&2"
END: Final = f"""
: > "$RAN_ON"
exit {OWN_CODE}
"""
FILL: Final = 'cat /dev/zero > "$CONVERSATION/../filler" 2> /dev/null;'

DONE: Final = "json stdout.txt stderr.txt"
LEFTOVER: Final = "live.json stdout.txt stderr.txt"


class Outcome(NamedTuple):
    """What must be true after a run."""

    capture: str
    """The capture's state, as readers tell it."""
    reason: str | None = None
    """Its reason; ``fault``: ``disk-full`` or ``write-error``, as the error was."""
    end: int | None = None
    """The boundary of stdout where it is not the end of the text; ``-1``: any between two characters."""
    warned: int = len(WARNING)
    """How much of stderr can be read; ``-1``: whatever found room after stdout."""
    stdout: str = "complete"
    """The state of that stream in the receipt."""
    files: str = DONE
    """What is there, without the sidecars."""
    words: str = "capview: failed (exit code 7), log "
    """In the one line that is said, or one of two."""
    scratch: int = 0
    """How many files for what was not finished could not be removed."""
    process: str = "exited"
    liveness: str = "final"
    code: int = OWN_CODE


class Refused(NamedTuple):
    """No child was started, and nothing is left behind, but for ``files``."""

    words: str
    code: int = NOT_STARTED


class Row(NamedTuple):
    """One step, one way to fail, one outcome."""

    step: str
    rules: tuple[Rule, ...]
    """Their ``errno`` is put in for each cell."""
    outcome: Outcome | Refused
    errnos: tuple[int, ...] = FAULTS
    script: str = PRINT
    """What the command does before it leaves word that it has come to its end, and exits."""
    lines: int = 100
    """How many it prints."""
    ground: str = "fuse"
    """Where: ``fuse`` or ``locking``; ``tmpfs`` and mount options; ``ulimit`` and a shell's limits."""


def at(
    operation: str, path: str, *, skip: int = 0, room: int = 0, times: int | None = None, after: str | None = None
) -> Rule:
    """A rule whose error is still to be put in."""
    return Rule(operation, path, 0, skip, room, times, after)


STARTED: Final = r"rename .*\.live\.json$"
"""The last thing before the child is started."""
NAMES_SAFE: Final = "fsyncdir"
"""Then the final receipt is written."""

COMPLETE: Final = Outcome("complete")
CUT: Final = Outcome("partial", "fault", stdout="partial")
NO_LOG: Final = Outcome(
    "failed", "fault", end=0, warned=0, stdout="failed", words="capview: failed (exit code 7), no log: "
)
UNFINISHED: Final = Outcome(
    "partial", "owner-died", stdout="complete", files=LEFTOVER, words="is a leftover", liveness="owner-died"
)
NO_PLACE: Final = Refused("cannot write a capture there")

ROWS: Final = (
    Row("nothing fails", (), COMPLETE, errnos=(0,)),
    # Launch: refused as a whole, before the child.
    Row("launch: make the conversation", (at("mkdir", "/conv$"),), Refused("conversation "), FAULTS),
    Row("launch: make tool-outputs", (at("mkdir", "/tool-outputs$"),), NO_PLACE),
    Row("launch: make the tool's folder", (at("mkdir", "/shell$"),), NO_PLACE),
    Row("launch: make .capview", (at("mkdir", "/.capview$"),), NO_PLACE),
    Row("launch: make .capview/tmp", (at("mkdir", "/tmp$"),), NO_PLACE),
    Row("launch: create .gitignore", (at("create", "/tmp/"),), NO_PLACE),
    Row("launch: write .gitignore", (at("write", "/tmp/"),), NO_PLACE),
    Row("launch: create the final receipt's file", (at("create", "/tmp/", skip=1),), NO_PLACE),
    Row("launch: reserve its room", (at("write", "/tmp/", room=20),), NO_PLACE),
    Row("launch: create a stream", (at("create", "/tmp/", skip=2),), NO_PLACE),
    Row("launch: create the other stream", (at("create", "/tmp/", skip=3),), NO_PLACE),
    Row("launch: set a mode", (at("chmod", "/tmp/", skip=2),), NO_PLACE, (EIO, EROFS)),
    Row("launch: lock a stream", (at("lock", "/tmp/"),), NO_PLACE, (EIO,), ground="locking"),
    Row("launch: no locks here", (at("lock", ""),), COMPLETE, (ENOLCK,), ground="locking"),
    Row("launch: link a stream in", (at("rename", r"stdout\.live$"),), NO_PLACE),
    Row("launch: link the other stream in", (at("rename", r"stderr\.live$"),), NO_PLACE),
    Row("launch: create the live receipt", (at("create", "/tmp/", skip=4),), NO_PLACE),
    Row("launch: write the live receipt", (at("write", "/tmp/", after=r"rename .*stderr\.live$"),), NO_PLACE),
    Row("launch: link the live receipt in", (at("rename", r"live\.json$"),), NO_PLACE),
    # While the command runs.
    Row("first write", (at("write", r"stdout\.live$"),), CUT._replace(end=0, stdout="failed")),
    Row("later write, in the middle of a character", (at("write", r"stdout\.live$", room=505),), CUT._replace(end=504)),
    Row(
        "later write, its rest cannot be cut off",
        (at("write", r"stdout\.live$", room=505), at("truncate", r"stdout\.live$")),
        CUT._replace(end=504),
        (EIO, ENOSPC),
    ),
    Row(
        "later write, then space comes back",
        (at("write", r"stdout\.live$", room=505, times=1),),
        CUT._replace(end=504),
        FULL,
    ),
    Row("both streams, first write", (at("write", r"\.live$"),), NO_LOG, (ENOSPC, EIO)),
    Row("create a sidecar, or a new live receipt", (at("create", "/tmp/", after=STARTED),), COMPLETE),
    Row("link a sidecar in", (at("rename", r"\.(sgr|times)$"),), COMPLETE, (EIO, ENOSPC)),
    Row("write a sidecar", (at("write", r"\.(sgr|times)$"),), COMPLETE),
    Row("later write of a sidecar", (at("write", r"\.(sgr|times)$", room=40),), COMPLETE, FULL),
    Row("replace the live receipt", (at("rename", r"live\.json$", after=STARTED),), COMPLETE),
    # The end.
    Row("sync a sidecar", (at("fsync", r"\.(sgr|times)$"),), COMPLETE, (EIO, ENOSPC)),
    Row("sync a stream", (at("fsync", r"stdout\.live$"),), CUT),
    Row("make a stream read-only", (at("chmod", r"stdout\.live$"),), CUT, (EIO, EROFS)),
    Row("rename a stream", (at("rename", r"stdout\.txt$"),), CUT._replace(files="json stdout.live stderr.txt")),
    Row("sync the folder", (at("fsyncdir", "", times=1),), CUT),
    Row("write the final receipt", (at("write", "/tmp/", after=NAMES_SAFE),), UNFINISHED),
    Row("cut the final receipt to its length", (at("truncate", "/tmp/", after=NAMES_SAFE),), UNFINISHED, (EIO, EROFS)),
    Row("sync the final receipt", (at("fsync", "/tmp/"),), UNFINISHED),
    Row("make the final receipt read-only", (at("chmod", "/tmp/", after="fsync .*/tmp/"),), UNFINISHED, (EIO, EROFS)),
    Row("publish the final receipt", (at("rename", r"Z-\w+\.json$"),), UNFINISHED),
    Row(
        "sync the folder again",
        (at("fsyncdir", "", after=r"rename .*Z-\w+\.json$"),),
        COMPLETE._replace(files=f"{DONE} live.json", words="the disk did not confirm the receipt"),
    ),
    Row(
        "unlink the live receipt",
        (at("unlink", r"live\.json$"),),
        COMPLETE._replace(files=f"{DONE} live.json", words="the disk did not confirm the receipt"),
        (EIO, EROFS),
    ),
    Row(
        "everything, from a later write on",
        (
            at("write", r"stdout\.live$", room=505),
            at("(?!write).*", "", after=STARTED),
            at("write", "/tmp/", after=STARTED),
        ),
        UNFINISHED._replace(
            end=504, stdout="pending", files="live.json stdout.live stderr.live", process="unknown", scratch=1
        ),
    ),
    # The same on a disk that is full in truth.
    Row("launch: no room for the receipt", (), NO_PLACE, (ENOSPC,), ground="tmpfs size=64k"),
    Row("launch: no room for a file", (), NO_PLACE, (ENOSPC,), ground="tmpfs size=4m,nr_inodes=9"),
    Row("first write, disk full", (), NO_LOG, (ENOSPC,), FILL + PRINT, ground="tmpfs size=4m"),
    Row(
        "later write, disk full",
        (),
        CUT._replace(end=-1, warned=-1),
        (ENOSPC,),
        f"lines 0 100; kept 1000; {FILL} truncate -s -28672 $CONVERSATION/../filler; lines 100 20000; echo warning >&2",
        lines=20_000,
        ground="tmpfs size=4m",
    ),
    # Limits of the process.
    Row("launch: RLIMIT_FSIZE below a receipt", (), NO_PLACE, (EFBIG,), ground="ulimit -f 1"),
    Row(
        "later write, RLIMIT_FSIZE",
        (),
        CUT._replace(end=65_534),
        (EFBIG,),
        "lines 0 10000; echo warning >&2",
        lines=10_000,
        ground="ulimit -f 128",
    ),
    Row(
        "no descriptor left, from a later write on",
        (),
        COMPLETE,
        (EMFILE,),
        "lines 0 50; kept 500; n=3; while [ -e /proc/$PPID/fd/$n ]; do n=$((n + 1)); done;"
        " prlimit --pid $PPID --nofile=$n; lines 50 100; echo warning >&2",
        ground="ulimit -n 100",
    ),
    Row(
        "no descriptor at all, from a later write on",
        (),
        UNFINISHED._replace(stdout="pending", warned=0, files="live.json stdout.live stderr.live", process="unknown"),
        (EMFILE,),
        "lines 0 50; kept 500; prlimit --pid $PPID --nofile=3; lines 50 100; echo warning >&2",
        ground="ulimit -n 100",
    ),
    Row(
        "RLIMIT_FSIZE, the final receipt does not fit with the last words of the text",
        (),
        Outcome("partial", "write-error", end=4094, stdout="partial", words="a write failed"),
        (EFBIG,),
        "lines 0 1000; echo warning >&2",
        lines=1000,
        ground="ulimit -f 8",
    ),
    # What somebody else does meanwhile.
    Row(
        "a file of others stands at a stream's final name",
        (),
        Outcome("partial", "write-error", stdout="partial", files="json stdout.live stdout.txt stderr.txt"),
        (0,),
        'cd "$CONVERSATION/tool-outputs/shell"; for f in *.stdout.live; do echo not ours > "${f%live}txt"; done; '
        + PRINT,
    ),
    Row(
        "a file of others stands at the final receipt's name",
        (),
        Outcome("unreadable", files=LEFTOVER + " json", words="something stands there already"),
        (0,),
        'cd "$CONVERSATION/tool-outputs/shell"; for f in *.stdout.live; do : > "${f%stdout.live}json"; done; ' + PRINT,
    ),
    Row(
        "a stream is deleted, and another file put there",
        (),
        Outcome("partial", "damaged", stdout="unavailable", files="json stdout.live stderr.txt", words="log damaged"),
        (0,),
        'cd "$CONVERSATION/tool-outputs/shell"; for f in *.stdout.live; do rm $f; echo not ours > $f; done; ' + PRINT,
    ),
    Row(
        "the folder is removed",
        (),
        Outcome("gone", words="the capture is gone: its folder was removed", files=""),
        (0,),
        'rm -r "$CONVERSATION/tool-outputs"; ' + PRINT,
    ),
    Row(
        "the conversation is removed",
        (),
        Outcome("gone", words="the capture is gone: its folder was removed", files=""),
        (0,),
        'rm -r "$CONVERSATION"; ' + PRINT,
    ),
    Row(
        "a stream is deleted",
        (),
        Outcome("partial", "damaged", stdout="unavailable", files="json stderr.txt", words="log damaged"),
        (0,),
        'rm "$CONVERSATION"/tool-outputs/shell/*.stdout.live; ' + PRINT,
    ),
    Row(
        "both streams are deleted",
        (),
        Outcome("unavailable", "missing-file", stdout="unavailable", files="json", words="its file is missing"),
        (0,),
        'rm "$CONVERSATION"/tool-outputs/shell/*.live; ' + PRINT,
    ),
    Row(
        "the live receipt is deleted", (), COMPLETE, (0,), f'rm "$CONVERSATION"/tool-outputs/shell/*.live.json; {PRINT}'
    ),
)
