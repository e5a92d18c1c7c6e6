"""What bounds the making of text from bytes: controls, styles, secrets, binary data."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

CONTROL_STRING_BYTES = 64 * KIB
"""How much of a terminal's control string (OSC, DCS and such) may pass before a newline ends it as a stray one."""

SGR_BYTES = 128
"""Longer parameters of a control sequence do not change the style: nothing real is as long, and much is remembered."""

REMEMBERED_EFFECTS = 1024
"""Runs of control sequences whose effect on the style is remembered; beyond: all are forgotten."""

BINARY_START_BYTES = 16
BINARY_HEAD_BYTES = 4 * KIB
BINARY_WINDOW_BYTES = 512
"""How far into a stream what is not UTF-8, and how far a strange control hints at binary; how much is judged then."""

MOST_TORN_BYTES = 3
"""What a write that failed half-way can leave of a code point."""

SHORTEST_SECRET_BYTES = 9
"""No rule finds a secret in a shorter text: five bytes at least introduce one, and four are its least value."""

ENGINE_FILE_BYTES = 64 * MIB
"""A kept redaction engine larger than this is not one."""

JUDGED_VALUE_BYTES = 128
"""A longer value of a secret-looking name is a secret; a shorter one may be code, a counter or a placeholder."""

UNJUDGED_VALUE_BYTES = 4 * KIB
"""Of a longer value not even a part is taken for harmless: what it costs to judge many of them is not linear."""

LOOK_BACK_BYTES = 256
"""Committed text that a redaction rule may see before a value: no rule's name and sign are longer."""

LINE_BREAK_BYTES = 8
"""As many carriage returns and line feeds may break a line within a token; more are not one break."""

HARMLESS_BYTES = 5
"""So much of a secret may be given out: what stands before a break of the line that comes so early in it."""

ENDS_BYTES = 512
"""What ends a value may be this long: it may take two lines to tell that a block of text is over."""

SHORTEST_KNOWN_BYTES = 6
"""A known value, or a form of one, that is shorter is not looked for, and so much of one tells nothing."""

KNOWN_LINE_BYTES = 16
"""Lines of a known value that are at least this long are known values themselves."""

KNOWN_VALUE_BYTES = 64 * KIB
"""A known value that is larger is not looked for, and listed as such; a larger file of them is refused."""

KNOWN_PIECE_BYTES = 4 * KIB
"""Known values are looked for in pieces of this size: so much is held at most until it is known for one."""

KNOWN_HEAD_BYTES = 16
"""So much of a known value's beginning is looked for everywhere; the rest is compared there."""

KNOWN_BREAK_BYTES = 8
"""A longer run of line breaks ends a known value: else newlines without end would be held."""

VEIL_BYTES_AT_MOST = 4 * KIB
"""Values that overlap one another are hidden in pieces of this size: else they would be held without end."""

SKIPPED_NAMES = 100
"""Names of values that are not looked for which a receipt lists; the rest is counted."""
