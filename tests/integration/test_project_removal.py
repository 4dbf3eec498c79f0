"""`make clean` stops servers and removes our data, and nothing else."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from project.services import places, removal
from project.services.account import server_account
from project.services.errors import ServiceError
from project.services.stack import Stack


@pytest.fixture
def folder():
    made = Path(tempfile.mkdtemp(prefix="memorykit-pytest-", dir=places.VARIABLE_TMP))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def stack(folder):
    return Stack(folder / "data", server_account(), throwaway=True)


def test_running_servers_are_stopped_and_their_data_goes(stack):
    stack.up()

    removal.remove(stack.folder)

    assert not stack.postgres.running()
    assert not stack.folder.exists()


def test_what_is_not_ours_stays(stack):
    stack.up()
    stack.down()
    (stack.folder / "letter.txt").write_text("mine")

    removal.remove(stack.folder)

    assert [entry.name for entry in stack.folder.iterdir()] == ["letter.txt"]


def test_a_checkout_that_runs_is_left_alone(stack):
    places.prepare(stack.folder, stack.account)

    with (
        places.locked(stack.folder, ".run.lock"),
        pytest.raises(ServiceError, match="stop it with Ctrl-C first"),
    ):
        removal.remove(stack.folder)

    assert stack.folder.exists()


def test_the_folder_given_is_cleaned(stack, monkeypatch, capsys):
    places.prepare(stack.folder, stack.account)
    monkeypatch.setenv(places.SETTING, str(stack.folder))
    monkeypatch.setattr(places, "ROOT", stack.folder.parent / "elsewhere")

    assert removal.folders() == [stack.folder]
    assert removal.main() == 0
    assert not stack.folder.exists()
    assert removal.main() == 0


def test_a_failure_is_one_sentence(stack, monkeypatch, capsys):
    places.prepare(stack.folder, stack.account)
    monkeypatch.setenv(places.SETTING, str(stack.folder))
    monkeypatch.setattr(places, "ROOT", stack.folder.parent / "elsewhere")

    with places.locked(stack.folder, ".run.lock"):
        assert removal.main() == 1

    assert capsys.readouterr().err.startswith("clean: This checkout runs")
