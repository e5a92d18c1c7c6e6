"""Asking a live capture's owner to cancel or promote its job: a file beside the capture, made once, whole, masked."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from capture_core import names
from capture_core.descend import regular, tool_folder
from capture_core.directory import Directory
from capture_core.durable import NewFile, write_all
from capture_core.errors import NameTaken, Refused, system_words
from capture_core.facts import Liveness, RequestKind
from capture_core.limits import LIBRARY, MESSAGE_CHARS, REQUEST_REASON_CHARS
from capture_core.liveness import here
from capture_core.names import raw_text
from capture_core.receipt import BARE_REQUEST_MODE

if TYPE_CHECKING:
    from capture_core.facts import Receipt
    from capture_core.source import Entry


def ask_owner(conversation: str, entry: Entry, kind: RequestKind, reason: str) -> bool:
    """Put the request where the owner looks for it; it acts within a second and takes it away.

    The owner masks the reason by all that it knows to be secret.  What is put there is masked too, by the built-in
    rules and the values of our own secret variables; who knows more gives a reason that is masked by it already.

    ``False``: a cancel that is put there without its reason, since the disk has no room for that.
    Raises :class:`Refused` when nobody is known to live who could act on it, or when one is waiting already.
    """
    receipt = entry.receipt
    match entry.liveness:
        case Liveness.LIVE:
            pass
        case Liveness.FINAL | Liveness.OWNER_DIED:
            raise Refused(f"{receipt.ref} has ended; there is nothing to {kind}")
        case Liveness.UNKNOWN:
            raise Refused(f"{receipt.ref}: nobody here can tell whether its owner lives; {kind} it on {receipt.host!r}")
    data = json.dumps({"kind": str(kind), "reason": _masked(reason)}).encode() + b"\n"
    with tool_folder(conversation, receipt.tool) as folder:
        if folder is None:
            raise Refused(f"{receipt.ref} is not there any more")
        place, name = Directory(folder, receipt.tool, made=False), names.request_file(receipt.capture_id)
        try:
            return _publish(place, name, data, is_cancel=kind is RequestKind.CANCEL)
        except OSError as error:
            way = _by_hand(receipt) if kind is RequestKind.CANCEL else ""
            raise Refused(f"the request cannot be written: {system_words(error)}{way}") from error


def _by_hand(receipt: Receipt) -> str:
    """How to end it without its owner, where its group is one of this machine."""
    place, pid = here(), receipt.process.pid
    is_here = (receipt.host, receipt.boot_id) == (place.host, place.boot_id)
    return "" if pid is None or not is_here else f"; kill -TERM -- -{pid} ends the command's group without it"


def is_waiting(conversation: str, entry: Entry) -> bool:
    """Whether a request stands there that the owner has not taken yet; ours, or another's."""
    receipt = entry.receipt
    with tool_folder(conversation, receipt.tool) as folder:
        return folder is not None and regular(folder, names.request_file(receipt.capture_id)) is not None


def withdraw(conversation: str, entry: Entry) -> None:
    """Take a request away that nobody is there to act on any more."""
    receipt = entry.receipt
    with tool_folder(conversation, receipt.tool) as folder, suppress(OSError):
        if folder is not None:
            os.unlink(names.request_file(receipt.capture_id), dir_fd=folder)


def _masked(reason: str) -> str:
    """The beginning of the reason, sanitised.

    By the slow engine: for one line it is ready ten times sooner than the fast one is compiled, and always there.
    """
    if not reason:
        return ""
    from capture_core.redact.heads import PlainScanners
    from capture_core.redact.hiding import Hiding
    from capture_core.redact.known import from_environment
    from capture_core.redact.slow import SlowEngine
    from capture_core.sanitise import sanitised

    masked = sanitised(
        raw_text(reason[:MESSAGE_CHARS]),
        pending_bytes=LIBRARY.pending_fragment_bytes,
        engine=SlowEngine,
        veils=Hiding(from_environment(os.environb), PlainScanners).veils,
    )
    return masked.decode()[:REQUEST_REASON_CHARS]


def _publish(folder: Directory, name: str, data: bytes, *, is_cancel: bool) -> bool:
    """Whether all of the data is there.  A bare request is a cancel: it needs no block of a full disk."""
    file = NewFile(folder, folder, f".{name}.{os.urandom(8).hex()}")
    try:
        is_whole = _write(file.fd, data, is_cancel=is_cancel)
        # Linked in whole: the owner never reads half a request.
        file.publish(folder, name)
    except NameTaken as error:
        raise Refused("a request is waiting there already; the owner acts on it within a second") from error
    finally:
        file.discard()
    return is_whole


def _write(fd: int, data: bytes, *, is_cancel: bool) -> bool:
    try:
        write_all(fd, data)
    except OSError:
        if not is_cancel:
            raise
        os.ftruncate(fd, 0)
        os.fchmod(fd, BARE_REQUEST_MODE)
        return False
    return True
