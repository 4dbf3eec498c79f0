"""Make `.venv` and install the requirements: `python3 project/install.py [--dev]`.

Runs with whatever Python is there, so that an old one can be told what is wrong: nothing
here needs more than Python 3.6.
"""

import fcntl
import hashlib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OLDEST = (3, 11)
NETWORK_SIGNS = (
    "Temporary failure in name resolution",
    "Name or service not known",
    "Failed to establish a new connection",
    "Network is unreachable",
    "Connection refused",
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
)


def main(arguments: "list[str]") -> int:
    if sys.version_info < OLDEST:
        return fail(
            "Python {}.{} is too old, memorykit needs 3.11 or newer: install it (Debian 12:"
            " apt-get install python3 python3-venv) or name it, make PYTHON=python3.12".format(
                *sys.version_info[:2]
            )
        )
    names = ["requirements-dev.txt"] if "--dev" in arguments else ["requirements.txt"]
    home = os.environ.get("VENV") or os.path.join(ROOT, ".venv")
    with open(os.path.join(ROOT, "requirements.txt")) as lock:
        # Two makes at once in one checkout install one after the other.
        fcntl.flock(lock, fcntl.LOCK_EX)
        return install(home, names[0])


def install(home: str, requirements: str) -> int:
    stamp = os.path.join(home, ".installed-" + requirements)
    wanted = fingerprint()
    if read(stamp) == wanted:
        return 0
    python = os.path.join(home, "bin", "python")
    if not works(python):
        try:
            import ensurepip  # noqa: F401
            import venv  # noqa: F401
        except ImportError:
            return fail(
                "This Python has no venv module: install it (Debian: apt-get install"
                " python3-venv) or name another one, make PYTHON=python3.12"
            )
        print(f"Making {os.path.relpath(home, ROOT)}", flush=True)
        made = run([sys.executable, "-m", "venv", "--clear", home])
        if made.returncode:
            return fail(
                f"The environment {home} could not be made ({last_line(made.stdout)}): check"
                " that the folder is yours and the disk has room"
            )
    print(f"Installing {requirements} (about a minute the first time)", flush=True)
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    command += ["--retries", "2", "-r", os.path.join(ROOT, requirements)]
    constraints = os.environ.get("CONSTRAINTS", os.path.join(ROOT, "constraints.txt"))
    if constraints:
        command += ["-c", constraints]
    done = run(command)
    if done.returncode:
        if any(sign in done.stdout for sign in NETWORK_SIGNS):
            return fail(
                "pip cannot reach its package index: check the network, or set PIP_INDEX_URL"
                " to an index that you can reach"
            )
        return fail(f"pip could not install {requirements}: {last_line(done.stdout)}")
    with open(stamp, "w") as out:
        out.write(wanted)
    return 0


def run(command: "list[str]") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def works(python: str) -> bool:
    try:
        return run([python, "-m", "pip", "--version"]).returncode == 0
    except OSError:
        return False


def fingerprint() -> str:
    digest = hashlib.sha256()
    for name in ("requirements.txt", "requirements-dev.txt", "constraints.txt"):
        digest.update(read(os.path.join(ROOT, name)).encode())
    return digest.hexdigest()


def read(path: str) -> str:
    try:
        with open(path) as stream:
            return stream.read()
    except OSError:
        return ""


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def fail(sentence: str) -> int:
    print(f"install: {sentence}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(fail("{}: {}".format(error.filename or ROOT, (error.strerror or "").lower())))
