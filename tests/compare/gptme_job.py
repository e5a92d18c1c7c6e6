"""Run one command as a background job of gptme's, in gptme's own Python, and print what its user is told, as JSON."""

import json
import logging
import sys
import time
from pathlib import Path

from gptme.tools import shell_background as jobs  # type: ignore[import-not-found]

warnings: list[str] = []


class _Heard(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        warnings.append(record.getMessage())


def main(command: str, folder: str) -> None:
    """Wait for the job's completion message, as its user does."""
    logging.getLogger("gptme").addHandler(_Heard(logging.WARNING))
    begun = time.monotonic()
    job = jobs.start_background_job(command)
    job.log_dir = Path(folder)
    done = jobs._completion_queue.get()
    seconds = time.monotonic() - begun
    message = jobs._completion_message(done).content
    files = [str(path) for path in Path(folder).rglob("*.log")]
    json.dump({"message": message, "seconds": seconds, "files": files, "warnings": warnings}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
