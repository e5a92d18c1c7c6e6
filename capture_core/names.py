"""Forms of the names that reach a path: tools, capture ids, refs, file names.  Pure; nothing is opened here."""

from __future__ import annotations

import re

from capture_core.errors import BadName
from capture_core.facts import SidecarKind, StreamName
from capture_core.limits import TOOL_NAME_CHARS
from capture_core.record import NamedTuple

TOOL_OUTPUTS = "tool-outputs"
PRIVATE = ".capview"
SHOWN = "shown"

# Texts, which re compiles when they are first used and then keeps: no command needs all of them.
_TOOL = rf"[a-z0-9][a-z0-9._-]{{0,{TOOL_NAME_CHARS - 1}}}"
# What Windows takes for a device, whatever follows the first dot.
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
# The user's own folder name, without what separates the parts of a token; and that of a working directory.
_PLAIN = r"[a-z0-9.]{1,19}|[a-z0-9._-]{1,40}-[0-9a-f]{8}"
_CAPTURE_ID = r"[0-9]{8}T[0-9]{6}Z-[a-z2-7]{16}"
_FILE = (
    r"(?P<id>[0-9]{8}T[0-9]{6}Z-[a-z2-7]{16})\."
    r"(?:(?P<receipt>json|live\.json|lock|request)"
    r"|(?P<stream>stdout|stderr|output|content)(?:\.g(?P<generation>[1-9][0-9]{0,5}))?\."
    r"(?P<form>live|txt|bin|sgr|times))"
)


def tool_name(text: str) -> str:
    """Return ``text`` when it is one path segment ``[a-z0-9][a-z0-9._-]{0,63}``; raise :class:`BadName` if not."""
    if not re.fullmatch(_TOOL, text):
        shown = ascii(text if len(text) <= 80 else text[:80] + "…")  # noqa: PLR2004
        msg = f"tool name {shown}: must be 1-{TOOL_NAME_CHARS} of a-z 0-9 . _ - and start with a letter or digit"
        raise BadName(msg)
    return text


def new_tool_name(text: str) -> str:
    """Return ``text`` when a folder may be made of it that every system can hold; raise :class:`BadName` if not."""
    tool_name(text)
    if text.endswith(".") or text.partition(".")[0] in _DEVICES:
        raise BadName(f"tool name {text!a}: means something else on Windows; choose another")
    return text


def consumer_name(text: str) -> str:
    """Return ``text`` when it is of the form of a tool's name and may be a folder; raise :class:`BadName` if not."""
    try:
        return new_tool_name(text)
    except BadName as error:
        raise BadName(str(error).replace("tool name", "consumer name", 1)) from None


def capture_id(text: str) -> str:
    """Return ``text`` when it is a whole capture id; raise :class:`BadName` if not."""
    if not re.fullmatch(_CAPTURE_ID, text):
        msg = f"capture id {text[:80]!a}: must be YYYYMMDDTHHMMSSZ- and 16 of a-z 2-7"
        raise BadName(msg)
    return text


def tells_no_secret(conversation: str) -> bool:
    """Tell whether a conversation's name needs no masking: short and plain, or of the form that capview gives it."""
    return re.fullmatch(_PLAIN, conversation) is not None


def is_tool_name(text: str) -> bool:
    """Tell whether ``text`` could be a tool's folder."""
    return re.fullmatch(_TOOL, text) is not None


class FileName(NamedTuple):
    """A capture's file name, taken apart.  ``form``: json, live.json, lock, request, live, txt, bin, sgr or times."""

    capture_id: str
    stream: StreamName | None
    form: str
    generation: int = 1


def parse_file_name(name: str) -> FileName | None:
    """Take apart a name inside a tool folder; ``None`` when it is not one of ours."""
    match = re.fullmatch(_FILE, name)
    if match is None:
        return None
    stream = StreamName(match["stream"]) if match["stream"] else None
    return FileName(
        capture_id=match["id"],
        stream=stream,
        form=match["receipt"] or match["form"],
        generation=int(match["generation"] or 1),
    )


def live_stream_file(capture: str, stream: str, generation: int = 1) -> str:
    """``<id>.<stream>.live``; later generations carry ``.gN``."""
    return f"{capture}.{stream}{_generation(generation)}.live"


def final_stream_file(capture: str, stream: str, generation: int = 1, *, binary: bool = False) -> str:
    """``<id>.<stream>.txt``, or ``.bin`` for opted-in raw bytes."""
    return f"{capture}.{stream}{_generation(generation)}.{'bin' if binary else 'txt'}"


def sidecar_file(capture: str, stream: str, kind: SidecarKind, generation: int = 1) -> str:
    """``<id>.<stream>.sgr`` or ``.times``: one name from its first record on."""
    return f"{capture}.{stream}{_generation(generation)}.{kind}"


def live_receipt_file(capture: str) -> str:
    """``<id>.live.json``."""
    return f"{capture}.live.json"


def final_receipt_file(capture: str) -> str:
    """``<id>.json``: its presence alone means final."""
    return f"{capture}.json"


def request_file(capture: str) -> str:
    """``<id>.request``: asks the owner to cancel or promote."""
    return f"{capture}.request"


def shown_file(capture: str) -> str:
    """``<id>.jsonl`` in our own folder ``shown``: what was handed out of a capture."""
    return f"{capture_id(capture)}.jsonl"


def raw_text(text: str) -> bytes:
    """Text from outside as bytes: those that stood for bytes which are not UTF-8 are them again.

    A lone surrogate of any other kind, as JSON gives it for a cut emoji, becomes ``?``; no text makes this raise.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def ref(tool: str, capture: str) -> str:
    """``tool-outputs/<tool>/<capture-id>``, relative to the conversation, never absolute."""
    return f"{TOOL_OUTPUTS}/{tool}/{capture}"


def _generation(generation: int) -> str:
    return "" if generation == 1 else f".g{generation}"
