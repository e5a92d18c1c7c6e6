"""What ``rm`` and ``prune`` share: they say what goes, remove it, and tell what became of each."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from capture_core.errors import CaptureError
from capture_core.removal import Removed, remove
from capture_core.standing import Standing
from capview import present
from capview.cli.words import put_json, say, warn
from capview.escaping import safe

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from capture_core.standing import Found


class Manner(NamedTuple):
    """How it is done: ``dry_run`` changes nothing; ``with_conversation`` names the conversation of each."""

    dry_run: bool
    as_json: bool
    with_conversation: bool = False


def add_manner(parser: argparse.ArgumentParser) -> None:
    """Declare the options that both have."""
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and change nothing")
    parser.add_argument("--json", action="store_true", help="one object a capture: ref, conversation, state, bytes")


def carry_out(chosen: Sequence[Found], manner: Manner) -> bool:
    """Remove what is chosen and free to go, with a line for each; whether nothing of it was kept."""
    going = [found for found in chosen if found.standing is Standing.FREE]
    if going:
        frees = f"{_captures(len(going))}, {present.size(sum(found.size for found in going))}"
        say(f"would remove {frees}; nothing is changed" if manner.dry_run else f"removing {frees}")
    done = [_tell(each, manner) for each in (_imagined(chosen) if manner.dry_run else remove(chosen))]
    if not manner.dry_run:
        _tell_allowances({each.found.conversation for each in done if each.freed})
    kept = [each for each in done if each.why_not]
    if kept and going and not manner.dry_run:
        gone = [each for each in done if not each.why_not]
        say(f"removed {_captures(len(gone))}, {present.size(sum(each.freed for each in done))}; {len(kept)} kept")
    return not kept


def _tell_allowances(conversations: Iterable[str]) -> None:
    """Let the room be known at once."""
    from capture_core.recount import reconcile

    for conversation in conversations:
        # Where that cannot be, whoever finds the allowance full counts again.
        with suppress(CaptureError, OSError):
            reconcile(conversation)


def _imagined(chosen: Iterable[Found]) -> Iterable[Removed]:
    for found in chosen:
        yield Removed(found, found.size if found.standing is Standing.FREE else 0, found.words)


def _tell(removed: Removed, manner: Manner) -> Removed:
    found = removed.found
    if manner.as_json:
        put_json(_plain(removed, manner))
    elif removed.why_not:
        warn(f"{_where(found, manner)} is kept: {removed.why_not}")
    else:
        print("  ".join((_where(found, manner), present.size(removed.freed), safe(_label(found)))).rstrip(), flush=True)
    return removed


def _where(found: Found, manner: Manner) -> str:
    if not manner.with_conversation:
        return found.ref
    return f"{safe(os.path.basename(os.path.abspath(found.conversation)))}/{found.ref}"


def _label(found: Found) -> str:
    return (found.entry.receipt.label if found.entry is not None else None) or ""


def _plain(removed: Removed, manner: Manner) -> dict[str, object]:
    found = removed.found
    gone = "would-remove" if manner.dry_run else "removed"
    return {
        "ref": found.ref,
        "conversation": os.path.abspath(found.conversation),
        "label": _label(found) or None,
        "state": "kept" if removed.why_not else gone,
        "bytes": removed.freed,
        "reason": removed.why_not or None,
    }


def _captures(count: int) -> str:
    return f"{count} capture" if count == 1 else f"{count} captures"
