"""What every owner of these tests would load anew: loaded once, and inherited by the forks that they are."""

from __future__ import annotations

import pytest

from tests.death.stepped import run_job


@pytest.fixture(scope="session", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory, kept_engine: object) -> None:
    """Own a job in this process."""
    run_job(tmp_path_factory.mktemp("warm"))
