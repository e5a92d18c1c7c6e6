"""Compile Python's own library, file by file, telling the progress as builds do: the demo's long job."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path


def main() -> int:
    """Compile everything at each optimisation level.  Nothing is written."""
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)
    failed = 0
    for level in (0, 1, 2):
        sys.stdout.write(f"=== optimisation level {level}: {len(files)} files of {library}\n")
        failed += sum(not _compile(f"[{n}/{len(files)}]", path, level) for n, path in enumerate(files, 1))
    sys.stdout.write(f"done, {failed} did not compile, as some tests of the library are meant not to\n")
    return 0


def _compile(progress: str, path: Path, level: int) -> bool:
    sys.stdout.write(f"{progress} Compiling {path.name}\n")
    sys.stdout.flush()
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True, optimize=level)
    except (SyntaxError, ValueError) as error:
        sys.stderr.write(f"{path}: error: {str(error).splitlines()[0]}\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
