"""Where data goes, and which folders are refused."""

from __future__ import annotations

import os
import stat

import pytest

from project.services import keys, places
from project.services.account import Account, server_account
from project.services.errors import ServiceError

OURSELVES = Account(name="me", uid=os.geteuid(), gid=os.getegid(), switch=False)
# Nobody has this number, so only what is open to everybody is open to it.
STRANGER = Account(name="stranger", uid=999_999, gid=999_999, switch=True)


@pytest.fixture
def open_folder(tmp_path):
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.geteuid() and parent.name.startswith(("pytest-", "popen-")):
            parent.chmod(0o711)
    return tmp_path


def test_the_folder_given_wins(tmp_path):
    environ = {places.SETTING: str(tmp_path / "given")}

    assert places.data_folder(environ, account=STRANGER) == tmp_path / "given"


def test_a_reachable_checkout_keeps_its_data(open_folder):
    for account in (OURSELVES, STRANGER):
        found = places.data_folder({}, checkout=open_folder, account=account)

        assert found == open_folder / "var"


def test_a_private_checkout_keeps_its_data_outside(tmp_path):
    tmp_path.chmod(0o700)

    found = places.data_folder({}, checkout=tmp_path, account=STRANGER)

    assert found == places.fallback_folder(tmp_path)
    assert found.parent == places.VARIABLE_TMP
    assert found != places.fallback_folder(tmp_path / "other")


def test_a_new_folder_is_closed_whatever_the_umask(open_folder):
    before = os.umask(0)
    try:
        places.prepare(open_folder / "a" / "own", OURSELVES)
        places.prepare(open_folder / "b", STRANGER)
    finally:
        os.umask(before)

    assert stat.S_IMODE((open_folder / "a" / "own").stat().st_mode) == 0o700
    assert stat.S_IMODE((open_folder / "b").stat().st_mode) == 0o711


def test_an_existing_folder_keeps_its_mode(open_folder):
    folder = open_folder / "data"
    folder.mkdir()
    folder.chmod(0o750)

    places.prepare(folder, OURSELVES)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o750


def test_a_link_is_refused(open_folder):
    (open_folder / "real").mkdir()
    (open_folder / "link").symlink_to(open_folder / "real")

    with pytest.raises(ServiceError, match="is a link"):
        places.prepare(open_folder / "link", OURSELVES)


def test_a_folder_that_others_may_write_is_refused(open_folder):
    folder = open_folder / "data"
    folder.mkdir()
    folder.chmod(0o777)

    with pytest.raises(ServiceError, match="written by others"):
        places.prepare(folder, OURSELVES)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(open_folder):
    folder = open_folder / "data"
    folder.mkdir()
    os.chown(folder, 12345, 12345)

    with pytest.raises(ServiceError, match="belongs to another user"):
        places.prepare(folder, OURSELVES)


def test_a_folder_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(ServiceError, match="cannot be made"):
        places.prepare(tmp_path / "file" / "data", OURSELVES)


def test_a_folder_out_of_reach_is_refused(open_folder):
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)

    with pytest.raises(ServiceError, match="cannot reach the data folder"):
        places.prepare(closed / "data", STRANGER)


def test_a_lock_that_is_a_link_is_refused(tmp_path):
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ServiceError, match="cannot be opened"), places.locked(tmp_path):
        pass

    assert not (tmp_path / "elsewhere").exists()


def test_state_is_private_and_whole(tmp_path):
    path = tmp_path / "state.json"

    places.save(path, {"port": 1})
    places.save(path, {"port": 2})

    assert places.load(path) == {"port": 2}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.parametrize("content", ["", "{", "[1]"])
def test_a_broken_state_file_is_empty(tmp_path, content):
    (tmp_path / "state.json").write_text(content)

    assert places.load(tmp_path / "state.json") == {}


def test_keys_are_made_once(open_folder):
    first = keys.development_keys(open_folder / "data", OURSELVES)
    second = keys.development_keys(open_folder / "data", OURSELVES)
    other = keys.development_keys(open_folder / "other", OURSELVES)

    assert first == second
    assert first["secret_key"] != other["secret_key"]
    assert len(first["fingerprint_key"]) >= 32
    assert stat.S_IMODE((open_folder / "data" / "keys.json").stat().st_mode) == 0o600


def test_servers_never_run_as_root():
    assert server_account().uid != 0


def test_the_last_line_of_a_log(tmp_path):
    log = tmp_path / "server.log"

    assert places.last_line(log) == "no log was written"
    log.write_text("one\n two \n\n")
    assert places.last_line(log) == "two"
