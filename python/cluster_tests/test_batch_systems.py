"""The recipes of docs/cluster.md: array jobs and workers of SLURM, hosts by SSH."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SCRIPTS, VARY, same, wait_until
from page import shown, write_files
from slurm import Slurm, free_port

import faircast

REPS = 5


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with Slurm(tmp_path_factory.mktemp("slurm") / "run") as found:
        yield found


@pytest.fixture(scope="module")
def whole(study: Path) -> Path:
    """The campaign of the page on threads."""
    out = study.parent / "whole"
    assert faircast.sweep(study, vary=VARY, reps=REPS, out=out, jobs=1).missing == 0
    return out


@pytest.fixture
def place(study: Path, tmp_path: Path) -> Path:
    """A folder with the files of the page and the scenario that they name."""
    write_files(tmp_path)
    (tmp_path / "study.toml").write_text(study.read_text())
    return tmp_path


def environment(slurm: Slurm | None = None) -> dict[str, str]:
    env = dict(os.environ if slurm is None else slurm.env)
    return env | {"PATH": f"{SCRIPTS}:{env['PATH']}", "COLUMNS": "1000"}


def carried_out(text: str, place: Path, env: dict[str, str], patience_s: float = 180) -> str:
    done = subprocess.run(
        ["bash", "-eu", "-c", text],
        cwd=place,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=patience_s,
        stdin=subprocess.DEVNULL,
    )
    logs = "".join(f"\n{path.name}: {path.read_text()[-800:]}" for path in place.glob("slurm-*.out"))
    assert done.returncode == 0, done.stdout + done.stderr + logs
    return done.stdout


def test_an_array_job_of_four_shards(slurm: Slurm, place: Path, whole: Path) -> None:
    printed = carried_out(shown("sbatch --wait"), place, environment(slurm))
    assert "20 runs of 4 shards" in printed
    same(whole, place / "whole")


def test_what_sigterm_before_the_time_limit_leaves_is_named_and_finished(
    slurm: Slurm, place: Path, whole: Path
) -> None:
    """The signal is sent by hand as SLURM sends it, to the script alone: time limits are whole minutes."""
    path = place / "array.sh"
    path.write_text(path.read_text().replace("--reps 5", "--reps 5 --set duration=600s"))
    env = environment(slurm)
    carried_out("sbatch --array=2,4 array.sh", place, env)
    wait_until(lambda: all(list(place.glob(f"part-{number}/measurements.journal")) for number in (2, 4)))
    slurm.run("scancel", "--batch", "--signal=TERM", "--name=study")
    slurm.wait_for_empty(60)
    logs = [log.read_text() for log in place.glob("slurm-*.out")]
    assert len(logs) == 2
    assert all("interrupted; what was finished is kept, the same command continues" in log for log in logs), logs
    carried_out("sbatch --wait --array=1,3 array.sh", place, env)
    done = subprocess.run(
        [SCRIPTS / "faircast", "merge", "part-1", "part-2", "part-4", "--out", "whole"],
        cwd=place,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    said = "shard 3 of 4 missing and shards 2,4 of 4 unfinished; compute them first, as an array job with --array=2-4"
    assert said in done.stderr
    carried_out("sbatch --wait --array=2-4 array.sh", place, env)
    carried_out("faircast merge part-* --out whole", place, env)
    found = faircast.read(place / "whole")
    assert (found.missing, len(found.points)) == (0, 4)


def test_workers_that_slurm_starts(slurm: Slurm, place: Path, whole: Path) -> None:
    configuration = {
        "DASK_JOBQUEUE__SLURM__INTERFACE": "lo",
        "DASK_JOBQUEUE__SLURM__PYTHON": sys.executable,
        "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
    }
    assert carried_out("python jobqueue.py", place, environment(slurm) | configuration) == "20 runs, 0 missing\n"
    same(whole, place / "by-workers")
    slurm.wait_for_empty(60)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Path]:
    """An SSH server on 127.0.0.1, and the configuration by which it is the hosts one and two."""
    folder = tmp_path / "ssh"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True, capture_output=True
        )
    port = free_port()
    (folder / "authorized").write_text((folder / "user.pub").read_text())
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\n"
        f"PidFile {folder}/sshd.pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
    )
    (folder / "config").write_text(
        f"Host one two\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n  IdentityFile {folder}/user\n"
        "  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)  # sshd separates its privileges there
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd_config")], stderr=log)
    try:
        wait_until(lambda: subprocess.run(["ssh", "-F", folder / "config", "one", "true"], check=False).returncode == 0)
        yield folder
    finally:
        server.terminate()
        server.wait(10)


def test_hosts_by_ssh(hosts: Path, place: Path, whole: Path) -> None:
    (hosts / "ssh").write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {hosts}/config "$@"\n')
    (hosts / "ssh").chmod(0o755)
    env = environment()
    printed = carried_out(
        f"bash hosts.sh 127.0.0.1 {free_port()} one two", place, env | {"PATH": f"{hosts}:{env['PATH']}"}
    )
    assert "20 runs computed, 0 reused" in printed
    same(whole, place / "by-hosts")
    wait_until(lambda: not running(str(place)))


def running(text: str) -> list[str]:
    """Processes whose folder is this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            where = str(path.readlink())
        except OSError:
            continue
        if where == text and int(path.parent.name) != os.getpid():
            found.append(path.parent.name)
    return found
