"""Where known values come from: a child's environment, and files that the user names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadInput, system_words
from capture_core.limits import KIB
from capture_core.limits.sanitising import KNOWN_VALUE_BYTES
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture_core.redact.known import KnownValues


class MaskFile(NamedTuple):
    """A file of values, read: its name without folders, and all of it."""

    name: str
    content: bytes


class KnownSources(NamedTuple):
    """What known values are taken from, once they are needed."""

    environ: Mapping[bytes, bytes]
    mask_env: tuple[str, ...] = ()
    """Globs of names whose values are secret, beside those that look so."""
    files: tuple[MaskFile, ...] = ()

    def collect(self) -> KnownValues:
        """The values, in milliseconds."""
        from capture_core.redact.known import from_environment, from_file, together

        return together(from_environment(self.environ, self.mask_env), *(from_file(*file) for file in self.files))


NOTHING_KNOWN: Final = KnownSources({})


def environment_of(env: Mapping[str, str] | None) -> Mapping[bytes, bytes]:
    """The environment of a child that is given ``env``: ours when that is ``None``, as it is at this moment."""
    if env is None:
        return dict(os.environb)
    return {os.fsencode(name): os.fsencode(value) for name, value in env.items()}


def read_mask_file(path: str) -> MaskFile:
    """Read a file of values, waiting for what comes through a pipe.  Raises ``BadInput``."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC), "rb") as file:
            content = file.read(KNOWN_VALUE_BYTES + 1)
    except OSError as error:
        words = system_words(error)
        raise BadInput(f"{path!r}: {words}; name a file of secret values for --mask-file") from error
    if len(content) > KNOWN_VALUE_BYTES:
        raise BadInput(
            f"{path!r}: larger than {KNOWN_VALUE_BYTES // KIB} KiB; give --mask-file a file of secret values"
        )
    return MaskFile(os.path.basename(path), content)
