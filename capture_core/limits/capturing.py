"""What bounds the making of a capture: its files, its threads, its processes and its terminal."""

from __future__ import annotations

from capture_core.limits import KIB, MIB

CAPTURE_ID_RANDOM_CHARS = 16
"""16 characters of base32 are 80 random bits: enough that two captures never meet by chance."""

CALL_OFF_SECONDS = 1.0
"""How long a front that is told to end before its child runs waits for its owner to say that it will not run."""

CATCH_UP_SECONDS = 0.5
"""How long a stop of the command is kept from its shell while what it printed before is still being passed on."""

CLAIM_TRIES = 100
CLAIM_RETRY_SECONDS = 0.005
"""How often, and how soon again, a folder is opened that another start is just removing; beyond: used unclaimed."""

WRITE_BEHIND_BYTES = 32 * KIB
"""A block of no less is written in a thread of its own: a smaller one is written sooner than a thread is woken."""

GATHER_BYTES = 64 * KIB
GATHER_SECONDS = 0.05
"""Small parts of a text that is saved are written together: up to this size, or until this long after the last."""

SEAL_FOLLOW_FROM_BYTES = 4 * MIB
"""From here on a stream is hashed and written back while it grows; a smaller one at its end, without threads."""

SEAL_BLOCK_BYTES = 256 * KIB
SEAL_BLOCKS_BEHIND = 4
SEAL_WRITE_BACK_EVERY_BYTES = 8 * MIB
"""How much is hashed together, and how far hashing, in blocks of at most a read, and writing back may lag behind."""

COUNT_LINES_UP_TO_BYTES = 64 * MIB
"""The lines of a larger stream are not counted for its receipt: unknown, not 0."""

NAMES_BYTES = 16 * KIB
"""Room taken at launch for the live receipt of a capture that is to get its names later, when the disk may be full."""

THINKING_SECONDS = 30.0
"""How long a writer may take over one read without going to its disk; beyond, it counts as stalled."""

KEPT_MEMORY_BYTES = 32 * MIB
"""How much freed memory an owner keeps for its next read, instead of giving it back to the system."""

SIDECAR_SHARE = 8
"""The sidecars of a capture take at most one part in this many of its limit, beside the text."""

SIDECAR_TIME_NANOSECONDS = 50_000_000
"""Between two arrival times that are recorded: at most 20 a second."""

REQUEST_BYTES = 8 * KIB
"""What an owner reads of a request file."""

REQUEST_SECONDS = 0.5
"""How often an owner looks for one."""

AFTER_KILL_SECONDS = 1.0
"""How long those who were killed may take to be gone; what the kernel holds longer is not waited for."""

OWNER_PARTING_SECONDS = 1.0
"""How much later than its job the owner of a capture within an ended job is killed: until then it can finish that."""

GROUP_LOOK_SECONDS = 0.02
"""How often the group of an ended leader is looked at."""

MEMORY_LOOK_SECONDS = 0.2
MEMORY_LOOK_SHARE = 20
"""How often the memory of a job's processes is looked at, and never for more than one part in this many of a time."""

HOLDERS_SECONDS = 0.5
"""How long is looked for who still holds a stream open; beyond: nobody knows."""

OTHER_PROCESSES = 8
OTHER_PROCESS_CHARS = 64
"""So many processes are named where something is said of them, and so much of a name is kept, once it is masked."""

KEYS_BYTES = 4 * KIB
"""What is typed into a pseudo-terminal at once: as much as the kernel keeps of it."""

ROWS = 24
COLUMNS = 80
MOST_COLUMNS = 65_535
"""The size of a pseudo-terminal where there is no real one and the environment names none; the kernel's bound."""

TERMINAL_END_SECONDS = 0.1
"""How often a pseudo-terminal that nobody types into is looked at: whoever reads it is told that nothing comes."""
