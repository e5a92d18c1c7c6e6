"""Byte-compile Python's own library, file by file, telling the progress as builds do: the demo's long job."""

from __future__ import annotations

import py_compile
import sys
import sysconfig
import tempfile
from pathlib import Path


def main() -> int:
    """Compile everything at each optimisation level; 1 when a file did not compile."""
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)
    failed = 0
    with tempfile.TemporaryDirectory() as target:
        for level in (0, 1, 2):
            sys.stdout.write(f"=== optimisation level {level}: {len(files)} files of {library}\n")
            failed += sum(not _compile(f"[{n}/{len(files)}]", path, target, level) for n, path in enumerate(files, 1))
    sys.stdout.write(f"done, {failed} failed\n")
    return int(failed > 0)


def _compile(progress: str, path: Path, target: str, level: int) -> bool:
    sys.stdout.write(f"{progress} Compiling {path.name}\n")
    sys.stdout.flush()
    try:
        py_compile.compile(str(path), cfile=f"{target}/out.pyc", doraise=True, optimize=level, quiet=1)
    except (py_compile.PyCompileError, ValueError) as error:
        sys.stderr.write(f"{path}: error: {str(error).splitlines()[0]}\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
