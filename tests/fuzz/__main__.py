"""``python -m tests.fuzz TARGET [libFuzzer's options]``: fuzz one target with atheris; without words, name them all."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

CORPORA = Path("build", "fuzz")
_INSTRUMENTED = ("capture_core", "capview")


def main(words: list[str]) -> None:
    """Fuzz until libFuzzer's options say that it is enough; it ends the process."""
    # Before anything of ours is imported: what is imported then tells the fuzzer where it has been.
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=list(_INSTRUMENTED)):
        targets = import_module("tests.fuzz.targets")
    name, *options = words
    corpus = CORPORA / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(targets.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={CORPORA}/{name}-", str(corpus)], targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:]:
        main(sys.argv[1:])
    else:
        from tests.fuzz.targets import TARGETS

        sys.stdout.write("\n".join(TARGETS) + "\n")
