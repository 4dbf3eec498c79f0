"""`project/install.py` and what Debian brings: each failure is one sentence."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from project import browser, install
from project.services import pooler

TOOLS = [
    pytest.param(browser, "chromium", id="browser"),
    pytest.param(pooler, "pgbouncer", id="pooler"),
]
OFFLINE = "http://127.0.0.1:1/simple"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_text("a-package-that-is-not-there==1\n")
    (tmp_path / "constraints.txt").touch()
    monkeypatch.setattr(install, "ROOT", str(tmp_path))
    monkeypatch.setenv("VENV", str(tmp_path / ".venv"))
    monkeypatch.setenv("PIP_INDEX_URL", OFFLINE)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    return tmp_path


def one_sentence(captured) -> str:
    lines = captured.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_an_old_python_is_said(checkout, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))

    assert install.main([]) == 1
    assert "Python 3.9 is too old" in one_sentence(capsys)


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_missing_venv_module_is_said(checkout, monkeypatch, capsys, module):
    monkeypatch.setitem(sys.modules, module, None)

    assert install.main([]) == 1
    assert "apt-get install python3-venv" in one_sentence(capsys)


def test_no_network_is_said(checkout, capsys):
    assert install.main([]) == 1

    assert "cannot reach its package index" in one_sentence(capsys)
    assert not list((checkout / ".venv").glob(".installed-*"))


def test_what_pip_says_is_passed_on(checkout, capsys):
    (checkout / "requirements.txt").write_text("not a requirement !\n")

    assert install.main([]) == 1
    assert "pip could not install requirements.txt" in one_sentence(capsys)


def test_an_environment_that_cannot_be_made_is_said(checkout, monkeypatch, capsys):
    (checkout / "file").touch()
    monkeypatch.setenv("VENV", str(checkout / "file" / ".venv"))

    assert install.main([]) == 1
    assert "could not be made" in one_sentence(capsys)


def test_installing_twice_works_once(checkout, monkeypatch, capsys):
    (checkout / "requirements.txt").write_text("# nothing\n")
    (checkout / "constraints.txt").write_text("\n")

    assert install.main([]) == 0
    first = capsys.readouterr().out
    assert install.main([]) == 0
    second = capsys.readouterr().out
    (checkout / "requirements.txt").write_text("# still nothing\n")
    assert install.main([]) == 0
    third = capsys.readouterr().out

    assert "Making" in first
    assert second == ""
    assert "Installing" in third
    assert "Making" not in third


@pytest.mark.parametrize(("tool", "name"), TOOLS)
def test_a_tool_that_is_there_is_taken(tmp_path, monkeypatch, tool, name):
    program = tmp_path / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert str(tool.find()) == str(program)
    assert tool.main() == 0


@pytest.mark.parametrize(("tool", "name"), TOOLS)
def test_a_tool_that_cannot_be_installed_is_said(tmp_path, monkeypatch, capsys, tool, name):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pooler, "ELSEWHERE", str(tmp_path))

    assert tool.main() == 1
    assert f"`apt-get install {name}`" in capsys.readouterr().err


@pytest.mark.parametrize(("tool", "name"), TOOLS)
def test_root_has_it_installed(tmp_path, monkeypatch, tool, name):
    installer = tmp_path / "apt-get"
    installer.write_text(
        '#!/bin/sh\n[ "$1" = install ] || exit 0\n'
        f"echo '#!/bin/sh' > {tmp_path}/{name}\n/bin/chmod 755 {tmp_path}/{name}\n"
    )
    installer.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pooler, "ELSEWHERE", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    assert tool.main() == 0
    assert Path(tool.find() or "").parent == tmp_path
