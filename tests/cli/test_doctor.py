"""``capview doctor``: each fault is planted on a real folder, found, named, and mended by the command that it gives."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from capture_core.conversation import Conversation
from capview.checkup.remark import Check, quoted
from capview.cli import place
from capview.limits import REMARKS_A_KIND
from tests.captures import Owner, finished
from tests.commands import Here
from tests.faults.fault_fs import Rule
from tests.faults.grounds import Fuse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversation that the product has made."""
    path = tmp_path_factory.mktemp("model") / "c"
    job = Conversation.open(str(path)).start(["printf", "\\033[1mbold"])
    job.wait()
    job.join()
    return path


@pytest.fixture
def here(tmp_path: Path, model: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    """Return a copy of it, modes and all, to be spoilt."""
    return Here(shutil.copytree(model, tmp_path / "c"), capfdbinary)


def tree(conversation: Path) -> dict[str, tuple[int, int, int]]:
    """What stands where, and since when."""
    status = {path: path.lstat() for path in (conversation, *conversation.rglob("*"))}
    return {str(path): (each.st_ino, each.st_mtime_ns, each.st_ctime_ns) for path, each in status.items()}


def found(here: Here, *words: str) -> list[dict[str, str]]:
    """What is to mend.  Nothing is changed by that."""
    before = tree(here.conversation)
    code, out, _ = here("doctor", "--json", *words)
    assert tree(here.conversation) == before
    remarks = [remark for remark in map(json.loads, out.splitlines()) if remark["mend"] is not None]
    assert code == (1 if remarks else 0)
    return remarks


def private(owner: Owner) -> Owner:
    """The modes that the product gives."""
    owner.folder.parent.chmod(0o700)
    owner.folder.chmod(0o700)
    for path in owner.folder.iterdir():
        path.chmod(0o400 if path.suffix in (".txt", ".json") and not path.name.endswith(".live.json") else 0o600)
    return owner


def ended(here: Here) -> Owner:
    return private(finished(here.conversation))


# -- planted, found, mended -----------------------------------------------------------------------------------------


def _mode(mode: int, form: str) -> Callable[[Path, Owner], Path]:
    def plant(_: Path, owner: Owner) -> Path:
        path = owner.folder / f"{owner.id}.{form}"
        path.chmod(mode)
        return path

    return plant


def _folder_mode(mode: int, name: str) -> Callable[[Path, Owner], Path]:
    def plant(conversation: Path, _: Owner) -> Path:
        path = conversation / name
        path.chmod(mode)
        return path

    return plant


def _put(name: str) -> Callable[[Path, Owner], Path]:
    def plant(conversation: Path, owner: Owner) -> Path:
        path = conversation / name.format(id=owner.id)
        path.write_text("x")
        path.chmod(0o600)
        return path

    return plant


def _special(make: Callable[[Path], object], name: str) -> Callable[[Path, Owner], Path]:
    def plant(conversation: Path, owner: Owner) -> Path:
        path = conversation / name.format(id=owner.id)
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        make(path)
        return path

    return plant


def _link(path: Path) -> None:
    path.symlink_to("/etc")


def _bind(path: Path) -> None:
    # The name of a socket is short: it is bound from within its folder.
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(path.name)
    finally:
        os.chdir(before)


def _leftover(conversation: Path, _: Owner) -> Path:
    owner = private(Owner(conversation))
    owner.release()
    return conversation / owner.ref


def _orphan(conversation: Path, _: Owner) -> Path:
    owner = private(Owner(conversation, announce=False))
    owner.release()
    return conversation / owner.ref


def _last_step(conversation: Path, _: Owner) -> Path:
    owner = Owner(conversation)
    owner.rename_streams()
    owner.publish()
    owner.release()
    return private(owner).folder / f"{owner.id}.live.json"


def _cut(conversation: Path, owner: Owner) -> Path:
    owner.path("stdout").chmod(0o600)
    os.truncate(owner.path("stdout"), 1)
    owner.path("stdout").chmod(0o400)
    return conversation / owner.ref


def _missing(conversation: Path, owner: Owner) -> Path:
    owner.path("stdout").unlink()
    owner.path("stderr").unlink()
    return conversation / owner.ref


def _unbelievable(conversation: Path, owner: Owner) -> Path:
    receipt = owner.folder / f"{owner.id}.json"
    receipt.chmod(0o600)
    receipt.write_text("{}")
    receipt.chmod(0o400)
    return conversation / owner.ref


def _scratch(conversation: Path, _: Owner) -> Path:
    with subprocess.Popen(["true"]) as gone:
        pass
    path = conversation / ".capview" / "tmp" / f".{gone.pid}-{'0' * 20}"
    path.touch(mode=0o600)
    return path


PLANTS = {
    "a final text that others may read": (Check.MODE, _mode(0o444, "stdout.txt")),
    "a final text that may be written": (Check.MODE, _mode(0o600, "stdout.txt")),
    "a receipt that others may write": (Check.MODE, _mode(0o622, "json")),
    "a text that its owner cannot read": (Check.MODE, _mode(0, "stderr.txt")),
    "tool-outputs that others may read": (Check.MODE, _folder_mode(0o755, "tool-outputs")),
    "a tool's folder that others may write": (Check.MODE, _folder_mode(0o777, "tool-outputs/shell")),
    "a folder of ours that is not to be written": (Check.MODE, _folder_mode(0o500, ".capview/tmp")),
    "a private file that others may read": (Check.MODE, _folder_mode(0o755, ".capview")),
    "a conversation that others may write": (Check.MODE, _folder_mode(0o757, "")),
    "a foreign file": (Check.FOREIGN, _put("tool-outputs/shell/notes.txt")),
    "a foreign file with control characters in its name": (Check.FOREIGN, _put("tool-outputs/shell/a\n'\x1b[31m b")),
    "a foreign file beside the tools": (Check.FOREIGN, _put("tool-outputs/README")),
    "a link at one of our names": (Check.SPECIAL, _special(_link, "tool-outputs/shell/{id}.output.txt")),
    "a pipe at one of our names": (Check.SPECIAL, _special(os.mkfifo, "tool-outputs/shell/{id}.stdout.sgr")),
    "a socket at one of our names": (Check.SPECIAL, _special(_bind, "tool-outputs/shell/{id}.request")),
    "a folder at one of our names": (Check.SPECIAL, _special(os.mkdir, "tool-outputs/shell/{id}.stderr.live")),
    "a link for a tool's folder": (Check.SPECIAL, _special(_link, "tool-outputs/python")),
    "a file for tool-outputs": (Check.SPECIAL, _special(lambda path: path.write_text(""), "tool-outputs")),
    "a link for tool-outputs": (Check.SPECIAL, _special(_link, "tool-outputs")),
    "a pipe for our private folder": (Check.SPECIAL, _special(os.mkfifo, ".capview")),
    "a link between private files": (Check.SPECIAL, _special(_link, ".capview/tmp/x")),
    "a leftover": (Check.LEFTOVER, _leftover),
    "a leftover without a receipt": (Check.LEFTOVER, _orphan),
    "a leftover of the last step": (Check.LEFTOVER, _last_step),
    "a text that was cut": (Check.DAMAGED, _cut),
    "texts that are missing": (Check.DAMAGED, _missing),
    "a receipt that is none": (Check.UNREADABLE, _unbelievable),
    "a request for one that has ended": (Check.REQUEST, _put("tool-outputs/shell/{id}.request")),
    "a request that was never made": (Check.TEMPORARY, _put("tool-outputs/shell/.{id}.request." + "0" * 16)),
    "a temporary file": (Check.TEMPORARY, _scratch),
    "a foreign file between private ones": (Check.FOREIGN, _put(".capview/tmp/x")),
}  # fmt: skip


@pytest.mark.parametrize("planted", PLANTS)
def test_each_is_found_and_mended_by_its_command(here: Here, planted: str) -> None:
    check, plant = PLANTS[planted]
    owner = ended(here)
    assert found(here) == []
    where = plant(here.conversation, owner)
    [remark] = found(here)
    assert (remark["check"], remark["where"].rstrip("/")) == (check, str(where))
    subprocess.run(["bash", "-euc", remark["mend"]], check=True, capture_output=True)
    if planted == "a receipt that is none":
        [remark] = found(here)  # the files that it is gone from
        subprocess.run(["bash", "-euc", remark["mend"]], check=True)
    assert found(here) == []
    if check is Check.FOREIGN:
        assert (here.conversation / f"{where.name}.moved").read_text() == "x"


def test_a_second_name_is_found(here: Here, tmp_path: Path) -> None:
    owner = ended(here)
    os.link(owner.path("stdout"), tmp_path / "other")
    [remark] = found(here)
    assert (remark["check"], remark["where"]) == (Check.HARD_LINK, str(owner.path("stdout")))
    assert str(owner.path("stdout").stat().st_ino) in remark["mend"]


def test_a_foreign_file_is_told_of_whatever_runs(here: Here) -> None:
    private(Owner(here.conversation))
    where = _put(".capview/tmp/x")(here.conversation, ended(here))
    [remark] = found(here)
    assert (remark["check"], remark["where"]) == (Check.FOREIGN, str(where))


def test_what_a_live_capture_needs_is_no_fault(here: Here) -> None:
    owner = private(Owner(here.conversation))
    (here.conversation / ".capview" / "tmp" / f".1-{'0' * 20}").touch(mode=0o600)
    (here.conversation / owner.ref).with_suffix(".request").touch(mode=0o600)
    assert found(here) == []
    owner.path("stdout").chmod(0o400)  # as it does before it renames it
    owner.rename_streams()
    assert found(here) == []
    owner.path("stdout").chmod(0o640)
    assert [remark["check"] for remark in found(here)] == [Check.MODE]


def test_one_of_another_machine_is_told_of_and_nothing_to_mend(here: Here) -> None:
    owner = private(Owner(here.conversation, host="far", boot_id="another"))
    owner.release()
    code, out, _ = here("doctor")
    assert code == 0
    assert "nobody here can tell whether its owner on 'far' lives" in out.decode()


def test_other_users_things_are_found(here: Here) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    owner = ended(here)
    os.chown(owner.path("stdout"), 65534, -1)
    [remark] = found(here)
    assert (remark["check"], remark["where"]) == (Check.OWNER, str(owner.path("stdout")))
    assert remark["mend"] == f"sudo chown 0 {owner.path('stdout')}"
    for path in (here.conversation, *here.conversation.rglob("*")):
        os.chown(path, 65534, -1)
    checks = {(remark["check"], remark["where"]) for remark in found(here)}
    assert (Check.OWNER, str(here.conversation)) in checks
    assert (Check.OWNER, str(owner.path("stdout"))) not in checks


def test_a_conversation_that_cannot_be_opened_is_a_finding_among_others(here: Here) -> None:
    root = place.default_root()
    os.makedirs(root, mode=0o700)
    shutil.move(here.conversation, f"{root}/a")
    os.mkdir(f"{root}/b")
    os.mkfifo(f"{root}/b/tool-outputs")
    code, out, _ = here.bare("doctor", "--json")
    wrong = [remark for remark in map(json.loads, out.splitlines()) if remark["mend"]]
    assert code == 1
    assert [(remark["check"], remark["where"]) for remark in wrong] == [(Check.SPECIAL, f"{root}/b/tool-outputs")]
    assert sum(remark["check"] == Check.ROOM for remark in map(json.loads, out.splitlines())) == 2


def test_a_root_that_others_may_write_is_found(here: Here) -> None:
    root = place.default_root()
    os.makedirs(root)
    os.chmod(root, 0o777)  # noqa: S103 — the fault
    code, out, _ = here.bare("doctor")
    assert code == 1
    assert f"{root}: others may write to it" in out.decode()


# -- what captures stand on -----------------------------------------------------------------------------------------


def remarks_of(*words: str, **environ: str) -> dict[str, dict[str, str]]:
    """What a process of its own says, by check; of a kind the one that is to be mended."""
    done = subprocess.run(words, env={**os.environ, **environ}, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr
    remarks = sorted(map(json.loads, done.stdout.splitlines()), key=lambda remark: remark["mend"] is not None)
    assert remarks, done.stderr
    return {remark["check"]: remark for remark in remarks}


def in_own_namespace(plant: str, where: str) -> dict[str, dict[str, str]]:
    """What is said of ``where``, by root of a user namespace of its own, whose mounts and limits are its own too.

    Only where the fault itself cannot be planted, in a namespace that is thrown away, is there nothing to test.
    """
    namespace = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-euc")
    planted = subprocess.run([*namespace, plant, "sh", where], capture_output=True, check=False)
    if planted.returncode:
        pytest.skip(f"the kernel lets nobody plant this here: {planted.stderr.decode().strip()}")
    return remarks_of(*namespace, f'{plant}; capview doctor --json "$1"', "sh", where)


def test_no_watches_left(here: Here) -> None:
    script = "echo 0 > /proc/sys/user/max_inotify_watches"
    remark = in_own_namespace(script, str(here.conversation))[Check.WATCHES]
    assert remark["words"] == "none left of the 0 inotify watches (user.max_inotify_watches): capview polls"
    assert remark["mend"] == "sudo sysctl user.max_inotify_watches=128"


def test_no_watchers_left(here: Here) -> None:
    script = "echo 0 > /proc/sys/user/max_inotify_instances"
    remark = in_own_namespace(script, str(here.conversation))[Check.WATCHES]
    assert remark["mend"] == "sudo sysctl user.max_inotify_instances=128"


def test_a_small_disk(tmp_path: Path) -> None:
    script = 'mount -t tmpfs -o size=1m,mode=700 none "$1"'
    remarks = in_own_namespace(script, str(tmp_path))
    room = remarks[Check.ROOM]
    assert room["words"] == "1 MiB free, less than the 256 MiB that one capture may keep"
    assert room["mend"] == f"capview prune --conversation {tmp_path} --older-than 7d"
    assert remarks[Check.FILE_SYSTEM]["words"].startswith("tmpfs, gone at the next start of this machine")


def test_a_disk_without_room_for_files(tmp_path: Path) -> None:
    script = 'mount -t tmpfs -o size=1g,nr_inodes=50,mode=700 none "$1"'
    assert in_own_namespace(script, str(tmp_path))[Check.ROOM]["words"] == "room for 49 files"


def test_a_disk_that_is_read_only(tmp_path: Path) -> None:
    script = 'mount -t tmpfs -o size=1g,mode=700,ro none "$1"'
    remark = in_own_namespace(script, str(tmp_path))[Check.FILE_SYSTEM]
    assert "nothing can be written: read-only file system" in remark["words"]
    assert remark["mend"] == f"sudo mount -o remount,rw {tmp_path}"


def test_a_file_system_of_which_events_may_be_missing(here: Here, tmp_path: Path) -> None:
    with Fuse(tmp_path) as fuse:
        _, out, _ = here.bare("doctor", "--json", str(fuse.mount))
    kinds = [remark for remark in map(json.loads, out.splitlines()) if remark["check"] == Check.FILE_SYSTEM]
    assert "capview polls" in kinds[0]["words"]
    assert kinds[0]["mend"] == "export CAPVIEW_CONVERSATION=~/captures"
    assert "without O_TMPFILE, files begin in .capview/tmp" in kinds[1]["words"]


def test_a_file_system_that_gives_no_locks(here: Here, tmp_path: Path) -> None:
    with Fuse(tmp_path / "fuse", "locking") as fuse:
        shutil.copytree(here.conversation, fuse.backing / "c")
        fuse.inject(Rule("lock", "", errno.ENOLCK))
        _, out, _ = here.bare("doctor", "--json", str(fuse.mount / "c"))
        assert fuse.struck() == {0}
    words = [json.loads(line)["words"] for line in out.splitlines()]
    assert any(" gives no locks: nobody can tell whether an owner lives" in said for said in words)


def test_captures_that_cannot_be_counted(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    # The system refuses some calls of many: no file system here fails just those that count.
    monkeypatch.setattr("capture_core.account.kept_bytes", _not_counted)
    [remark] = found(here)
    assert remark["check"] == Check.ALLOWANCE
    assert remark["words"] == "the captures here cannot be counted: input/output error"
    subprocess.run(["bash", "-euc", remark["mend"]], check=True)


def _not_counted(_outputs: int, *, unlisted: int) -> int:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_an_engine_that_does_not_load(here: Here, tmp_path: Path) -> None:
    (tmp_path / "hyperscan.py").write_text("raise ImportError('no such library')\n")
    words = ("capview", "doctor", "--json", str(here.conversation))
    remark = remarks_of(*words, PYTHONPATH=str(tmp_path))[Check.ENGINE]
    assert "cannot be loaded: no such library" in remark["words"]
    assert remark["mend"] == "python3 -m pip install hyperscan"


def test_a_kept_engine_that_others_could_have_written(here: Here, own_home: Path) -> None:
    [kept] = (own_home / "xdg_cache_home" / "capview").iterdir()
    copy = kept.read_bytes()
    kept.unlink()  # it is shared with other tests
    kept.write_bytes(copy)
    kept.chmod(0o666)
    [remark] = found(here)
    assert (remark["check"], remark["mend"]) == (Check.ENGINE, f"rm -f -- {kept}")


def test_limits_of_the_process(here: Here) -> None:
    where = str(here.conversation)
    remark = remarks_of("bash", "-c", f"ulimit -f 1024; capview doctor --json {where}")[Check.LIMITS]
    assert remark["words"] == "files end at 1 MiB, before the 256 MiB that one capture may keep"
    remark = remarks_of("bash", "-c", f"ulimit -n 40; capview doctor --json {where}")[Check.LIMITS]
    assert (remark["words"], remark["mend"]) == ("40 at most", "ulimit -n 64")


def test_settings_that_are_wrong(here: Here, own_home: Path) -> None:
    file = here.conversation / "capview.toml"
    file.write_text("[limits]\nno_such = 1\n")
    [remark] = found(here)
    assert (remark["check"], remark["where"]) == (Check.SETTINGS, str(file))
    assert remark["mend"] == f"${{EDITOR:-vi}} {file}"
    file.write_text("")
    file.chmod(0o666)
    [remark] = found(here)
    assert remark["words"] == "others may write to it, and so decide what is masked"
    subprocess.run(["bash", "-euc", remark["mend"]], check=True)
    config = own_home / "xdg_config_home" / "capview"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[limits")
    assert found(here)[0]["where"] == str(config / "config.toml")


def test_settings_of_the_environment_that_are_wrong(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPVIEW_CAPTURE_BYTES", "much")
    assert {remark["where"] for remark in found(here)} == {"environment"}


def test_an_allowance_from_80_per_cent_on(here: Here) -> None:
    (here.conversation / "capview.toml").write_text('[limits]\nconversation_bytes = "10KiB"\n')
    private(finished(here.conversation, b"x" * 8000))
    assert found(here) == []
    private(finished(here.conversation, b"x" * 200, second=1))
    [remark] = found(here)
    assert remark["check"] == Check.ALLOWANCE
    assert remark["words"].startswith("has 8.0 KiB of the 10 KiB")
    assert remark["mend"] == f"capview prune --conversation {here.conversation} --to-size 5KiB"
    subprocess.run(["bash", "-euc", remark["mend"]], check=True, capture_output=True)
    assert found(here) == []


# -- how it is said -------------------------------------------------------------------------------------------------


def test_a_line_each_and_how_many_are_to_mend(here: Here) -> None:
    code, out, err = here("doctor")
    assert (code, err) == (0, b"capview: nothing to mend\n")
    assert [line.split()[1] for line in out.decode().splitlines()] == [
        "engine", "file-system", "watches", "room", "allowance"
    ]  # fmt: skip
    owner = ended(here)
    owner.path("stdout").chmod(0o444)
    code, out, err = here("doctor")
    where = owner.path("stdout")
    assert (code, err) == (1, b"capview: 1 to mend\n")
    assert f"✗ mode         {where}: mode 0444: others may read it; mend: chmod 0400 {where}" in out.decode()


def test_of_many_of_a_kind_the_first_are_printed_and_all_can_be_mended(here: Here) -> None:
    if shutil.which("jq") is None:
        pytest.skip("the command that doctor prints for many findings is one of jq, which is missing (Debian: jq)")
    for number in range(REMARKS_A_KIND + 5):
        (here.conversation / "tool-outputs" / "shell" / f"x {number}").touch()
    _, out, err = here("doctor")
    lines = out.decode().splitlines()
    assert sum("foreign" in line for line in lines) == REMARKS_A_KIND + 1
    assert err == b"capview: 25 to mend\n"
    words, mend = lines[-1].split("; mend: ")
    assert words.endswith(f"{here.conversation}: 5 more of this kind; look at them first")
    subprocess.run(["bash", "-euc", mend], check=True)
    assert found(here) == []


def test_what_it_is_asked_about(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ([str(tmp_path / "nowhere")], ["/etc/passwd"], [str(tmp_path), "--conversation", str(tmp_path)]):
        code, out, err = here.bare("doctor", *words)
        assert (code, out, err.count(b"\n")) == (2, b"", 1)
    assert str(here.conversation) in here.bare("doctor", str(tmp_path))[1].decode()
    monkeypatch.setenv(place.VARIABLE, str(here.conversation))
    assert str(here.conversation) in here.bare("doctor")[1].decode()


def test_where_nothing_was_captured_there_is_nothing_to_mend(here: Here) -> None:
    code, out, _ = here.bare("doctor")
    assert code == 0
    assert "nothing captured there yet" in out.decode()


def test_a_path_is_quoted_so_that_a_shell_reads_it_back() -> None:
    for name in ("plain", "with space", "it's", "new\nline", "\x1b[31mred", "b\udcffad", "\\x41", "–"):
        printed = subprocess.run(["bash", "-c", f"printf %s {quoted(name)}"], capture_output=True, check=True).stdout
        assert printed == os.fsencode(name)
