"""A function that agents call with a tool's large output, kept in its place by one that masks, contains and tells.

The name, the arguments, their meaning and the form of the results are those of ``save_large_output`` in gptme 0.35.1
(``gptme/util/output_storage.py``), so that it can stand in for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from capture_core import checked, names
from capture_core.errors import BadInput
from capture_core.facts import CaptureReason, CaptureState, Producer, StreamName, Upstream, UpstreamKind
from capture_core.known_sources import KnownSources, environment_of
from capture_core.limits import LIBRARY, MESSAGE_CHARS
from capture_core.masking import EngineMasking
from capture_core.saved_text import Description, save

if TYPE_CHECKING:
    from capture_core.facts import Receipt

_PRODUCER: Final = Producer(adapter="save_large_output", version="1", source="tool output")
_UNKNOWN: Final = Upstream(kind=UpstreamKind.UNKNOWN)
_SAVED_WHOLE: Final = frozenset({None, CaptureReason.UPSTREAM_UNKNOWN})


def save_large_output(
    content: str,
    logdir: Path,
    output_type: str = "tool",
    command_info: str | None = None,
    original_tokens: int | None = None,
) -> tuple[str, Path]:
    """Save a tool's full output below the conversation ``logdir``; a summary for a model, and the path of the text.

    ``output_type`` names the tool and its folder, ``command_info`` the command, ``original_tokens`` how much it was.
    The summary is lines: what was saved, the command, the tokens, and last ``Full output: PATH``, or why it is not
    all there.  Text and summary are masked; the receipt beside the text says ``upstream-unknown``, since nobody says
    here whether the tool's output had been cut before.  Bytes are taken too; any other object is saved as ``str()``
    shows it, but for ``None``, which is no output.

    Raises ``Refused``, one clear line, where nothing can be saved safely: an ``output_type`` that is no tool's name,
    a link or somebody else's folder on the way; and ``OSError`` when the disk takes no receipt.
    """
    folder = checked.path("logdir", logdir)
    checked.text("output_type", output_type)
    masking = EngineMasking(LIBRARY, known=KnownSources(environment_of(None)))
    description = Description(output_type, _PRODUCER, _UNKNOWN, label=str(command_info) if command_info else None)
    receipt = save(_text(content), description, folder, LIBRARY, masking)
    path = Path(folder, names.TOOL_OUTPUTS, receipt.tool, receipt.streams[StreamName.CONTENT].file)
    lines = [f"[Large {receipt.tool} output saved]"]
    if command_info:
        lines.append(f"Command: {masking.line(str(command_info), at_most_chars=MESSAGE_CHARS)}")
    if original_tokens:
        lines.append(f"Original: {masking.line(str(original_tokens))} tokens")
    return "\n".join((*lines, f"{_how_much(receipt)}: {path}")), path


def _text(content: object) -> str | bytes:
    if content is None:
        raise BadInput("None is no output; give save_large_output a text")
    if isinstance(content, str):
        return content
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    try:
        return str(content)
    except Exception as error:
        raise BadInput(f"a {type(content).__name__} cannot be shown as text; give save_large_output a text") from error


def _how_much(receipt: Receipt) -> str:
    """Words before the path: the text is all that was given, or what kept parts of it out."""
    facts = receipt.streams[StreamName.CONTENT]
    if facts.reason in _SAVED_WHOLE:
        return "Full output"
    return f"{'No' if facts.state is CaptureState.FAILED else 'Partial'} output ({facts.reason})"
