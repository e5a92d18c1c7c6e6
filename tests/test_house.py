"""The house: which way imports go, what a start brings along, what lies at the top, what is never named."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("capture_core", "capview")
TOP = {
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "capture_core",
    "capview",
    "pyproject.toml",
    "requirements.lock",
    "screenshots",
    "tests",
}

INTERFACES = {"argparse", "capview", "rich", "shtab", "starlette", "textual", "uvicorn", "watchfiles"}
# Each costs 10 to 200 ms; the child of `capview run` would have to wait for it.
HEAVY = {"anyio", "asyncio", "hyperscan", "msgspec", "platformdirs", "rich", "textual", "watchfiles"}

# Runs the code in argv[1], then prints the names of all loaded modules, one a line, last on stdout.
PROBE = """
import sys
try:
    exec(sys.argv.pop(1))
except SystemExit as end:
    if end.code not in (0, None):
        raise
print("\\n=loaded=", *sys.modules, sep="\\n")
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def loaded_by(code: str) -> set[str]:
    """Return the dotted names of all modules that a fresh interpreter has loaded after ``code``."""
    done = run(sys.executable, "-c", PROBE, code)
    assert done.returncode == 0, done.stderr
    modules = done.stdout.partition("=loaded=\n")[2].split()
    assert "sys" in modules
    return set(modules)


def modules_of(package: str) -> list[str]:
    """Return the dotted names of all modules in ``package``, read from the tree, nothing imported."""
    paths = (path.relative_to(ROOT).with_suffix("") for path in (ROOT / package).rglob("*.py"))
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)


def tracked() -> list[Path]:
    names = run("git", "ls-files", "-z").stdout.split("\0")
    assert len(names) > 1, "the checkout is not a git repository"
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_imports_go_the_agreed_ways() -> None:
    done = run(f"{sys.prefix}/bin/lint-imports", "--no-logo", "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_core_brings_no_interface() -> None:
    assert not loaded_by("import " + ", ".join(modules_of("capture_core"))) & INTERFACES


@pytest.mark.parametrize("package", PACKAGES)
def test_a_bare_import_brings_nothing(package: str) -> None:
    loaded = loaded_by(f"import {package}")
    assert {name for name in loaded if name.startswith(PACKAGES)} == {package}
    assert not loaded & (HEAVY | INTERFACES - {package})


def test_textual_comes_with_the_terminal_ui_only() -> None:
    others = [name for name in modules_of("capview") if not name.startswith("capview.tui")]
    assert "textual" not in loaded_by("import " + ", ".join(others))


def test_running_a_command_starts_light() -> None:
    assert not loaded_by("from capview.cli.main import main; raise SystemExit(main(['run', '--help']))") & HEAVY


# Runs `capview run -- true` and leaves in argv[1] what each of both processes has loaded when it ends: an owner by
# os._exit, a front by returning.  A third file has what the front gave to compile(), as typing.NamedTuple does.
RUN_PROBE = """
import os, sys
folder, leave = sys.argv[1], os._exit
def note(name, words):
    with open(os.path.join(folder, name), "a") as file:
        print(*words, sep="\\n", file=file)
def told(code):
    note("owner", sys.modules)
    leave(code)
os._exit = told
compiled = []
# The parser's own callers, such as eval, hand over bytes.
sys.addaudithook(lambda event, args: event == "compile" and type(args[0]) is str and compiled.append(args[0]))
from capview.cli.main import main
code = main(["run", "--quiet", "--conversation", os.path.join(folder, "c"), "--", "true"])
note("front", sys.modules)
note("compiled", compiled)
sys.exit(code)
"""
# What costs at least a millisecond and one of both processes, or what comes with the first byte, has no use for.
NOT_IN_THE_FRONT = HEAVY | {"bz2", "ctypes", "hashlib", "json", "lzma", "pathlib", "shutil", "subprocess", "tomllib"}
NOT_IN_THE_OWNER = HEAVY | {"argparse", "bz2", "hashlib", "lzma", "pathlib", "shutil", "tempfile", "tomllib"}
NOT_BEFORE_OUTPUT = {
    f"capture_core.{name}" for name in ("binary", "escapes", "redact", "sanitise", "sidecar", "strip", "text_only")
}


def test_a_command_that_prints_nothing_waits_for_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    done = run(sys.executable, "-c", RUN_PROBE, str(tmp_path))
    assert done.returncode == 0, done.stderr
    front, owner, compiled = ((tmp_path / name).read_text().split() for name in ("front", "owner", "compiled"))
    assert {"capture_core.front", "capview.present"} <= set(front)
    assert {"capture_core.owner", "capture_core.job"} <= set(owner)
    assert (NOT_IN_THE_FRONT | NOT_BEFORE_OUTPUT | {"capture_core.masking"}).intersection(front) == set()
    assert (NOT_IN_THE_OWNER | NOT_BEFORE_OUTPUT).intersection(owner) == set()
    assert compiled == [], "the first call of compile() takes 3 ms"


@pytest.mark.parametrize("words", [["--help"], ["ls", "--help"], ["read", "--help"], ["config"]])
def test_the_command_line_starts_without_the_terminal_ui(words: list[str]) -> None:
    assert "textual" not in loaded_by(f"from capview.cli.main import main; raise SystemExit(main({words}))")


def test_only_agreed_names_lie_at_the_top() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} <= TOP


# Spelt in pieces, so that this file does not hold what it forbids.
FORBIDDEN = re.compile(
    "|".join(
        (
            "/wo" + r"rk/(?:main|shared|\.library)",
            "/tm" + r"p/w/",
            "/ro" + r"ot/",
            r"/\.py" + "env/",
            "/op" + "t/(?:pypi|wheels)",
            "pypi" + r"\.(?:org|python)",
            "python" + r"hosted\.",
            "npm" + r"js\.",
            r"(?:deb|security|snapshot)\.deb" + r"ian\.",
        )
    ).encode()
)


@pytest.mark.parametrize("parts", ["/wo rk/main", "/ro ot/x", "//py pi.org/simple", "files.python hosted.org"])
def test_a_machine_or_registry_is_recognised(parts: str) -> None:
    assert FORBIDDEN.search(parts.replace(" ", "").encode())


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0].decode()}"
        for path in tracked()
        for number, line in enumerate(path.read_bytes().splitlines(), start=1)
        for match in FORBIDDEN.finditer(line)
    ]
    assert not found


def test_the_lock_pins_everything_by_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    entries = re.split(r"\n(?=\S)", re.sub(r"(?m)^#.*\n", "", lock).strip())
    pinned = re.compile(r"[a-z0-9-]+==\S+ .*\\\n\s+--hash=sha256:")
    assert [entry for entry in entries if not pinned.match(entry)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    assert {re.split(r"[<>=~]", name)[0] for name in asked} <= {entry.partition("==")[0] for entry in entries}


def test_a_wheel_holds_the_packages_with_their_data_and_nothing_else(tmp_path: Path) -> None:
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.iterdir()
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in inside} == set(PACKAGES)
    ours = {str(path.relative_to(ROOT)) for path in tracked()}
    assert {name for name in ours if name.startswith(PACKAGES)} <= inside
    assert {f"{package}/py.typed" for package in PACKAGES} <= inside
