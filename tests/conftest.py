"""What every test stands on: nothing of the user's own settings, data or shell, and no deadlines."""

from __future__ import annotations

import compileall
import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import capture_core
import capview
from capture_core.masking import engine_from
from tests.strays import is_alive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# How long an example takes says more about the machine's other work than about us.
settings.register_profile("capview", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("capview")

_PLACES = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
# What a shell, a terminal or the make that runs the suite would change in the programs under test.
_FOREIGN = ("COLUMNS", "FORCE_COLOR", "LINES", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "NO_COLOR", "PYTHONPATH")


@pytest.fixture(scope="session")
def kept_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the compiled redaction engine, as the first run of a user leaves it in the cache."""
    folder = tmp_path_factory.mktemp("engine")
    engine_from(str(folder))
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="session")
def compiled() -> None:
    """Have every module compiled, as ``make`` does, so that no program under test has to."""
    for package in (capture_core, capview):
        compileall.compile_dir(package.__path__[0], quiet=2)


@pytest.fixture(autouse=True)
def own_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, kept_engine: Path, compiled: None
) -> Path:
    """Return the folder of this test's user data, settings, state and cache; ``capview`` is on PATH.

    The cache holds the compiled engine: hundreds of tests run ``capview``, and each would compile it for a second.
    """
    home = tmp_path_factory.mktemp("home")
    cache = home / "xdg_cache_home" / "capview"
    cache.mkdir(mode=0o700, parents=True)
    (cache / kept_engine.name).hardlink_to(kept_engine)
    for name in _PLACES:
        monkeypatch.setenv(name, str(home / name.lower()))
    for name in (*_FOREIGN, *(name for name in os.environ if name.startswith("CAPVIEW_"))):
        monkeypatch.delenv(name, raising=False)
    # Under a limit of file sizes Python 3.11 keeps a module that is cut off there, and none starts after that.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}")
    return home


@pytest.fixture
def strays() -> Iterator[list[int]]:
    """Ids to be killed in the end, whatever became of the test."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
