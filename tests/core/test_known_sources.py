"""Where known values come from: an environment as it is at one moment, files that can be read."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.errors import BadInput
from capture_core.known_sources import NOTHING_KNOWN, KnownSources, MaskFile, environment_of, read_mask_file
from capture_core.limits.sanitising import KNOWN_VALUE_BYTES
from capture_core.redact.known import KnownValues

if TYPE_CHECKING:
    from pathlib import Path


def test_the_environment_of_a_child_is_ours_or_the_one_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "before-the-start")
    ours = environment_of(None)
    monkeypatch.setenv("A_TOKEN", "after-the-start")
    assert ours[b"A_TOKEN"] == b"before-the-start"
    assert environment_of({"A": "caf\udce9"}) == {b"A": b"caf\xe9"}


def test_values_of_all_sources_come_together() -> None:
    sources = KnownSources({b"ODD": b"value-of-odd"}, ("o?d",), (MaskFile("f", b"value-of-file"),))
    assert {b"value-of-odd", b"value-of-file"} <= {literal.text for literal in sources.collect().literals}
    assert NOTHING_KNOWN.collect() == KnownValues()


def test_a_file_is_read_whole_also_through_a_pipe(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = b"one\ntwo\n" * 1000
    writer = threading.Thread(target=fifo.write_bytes, args=(content,))
    writer.start()
    assert read_mask_file(str(fifo)) == MaskFile("fifo", content)
    writer.join()


def test_what_is_no_file_of_values_is_refused_in_one_line(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * (KNOWN_VALUE_BYTES + 1))
    for path, words in (
        (large, "larger than 64 KiB"),
        (tmp_path, "is a directory; name a file of secret values for --mask-file"),
        (tmp_path / "none", "no such file or directory"),
    ):
        with pytest.raises(BadInput, match=words) as caught:
            read_mask_file(str(path))
        assert repr(str(path)) in str(caught.value)
        assert "\n" not in str(caught.value)
