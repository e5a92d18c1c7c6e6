"""What real programs print stays as it is: at most one false redaction in 10 MB of recorded output."""

from __future__ import annotations

from tests.bench.overmasking import AT_MOST, measure, real_values, recorded, redactions


def test_recorded_output_stays_as_it_is() -> None:
    measured = measure(recorded(), real_values())
    assert measured.length > 12e6
    assert measured.per_10_mb <= AT_MOST, measured.masked


def test_what_is_rightly_masked_in_it_is_seen() -> None:
    masked = [each for _, raw in recorded() for each in redactions(raw)]
    assert len([each for each in masked if each.value in real_values()]) > 10
    [each] = redactions(b"once more:\nPASSWORD=hunter2 x\n")
    assert each == ("assignment", "hunter2", "PASSWORD=hunter2 x")
