"""Campaigns on a Dask cluster: the bytes of a serial run, whatever happens to workers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import SCRIPTS, At, Cluster, same, sweep, wait_until

import faircast
from faircast.engine.dask import Dask
from faircast.errors import InputError, NotFinishedError
from faircast.vary import known_by

STOPPED_S = 60.0


def command(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in (SCRIPTS / "faircast", *arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env=os.environ | {"COLUMNS": "1000"},
        **more,
    )


def test_two_workers_write_the_bytes_of_a_serial_run(two: Cluster, study: Path, serial: Path, tmp_path: Path) -> None:
    given = "--vary", "flows.web.count=1,2,4,8", "--reps", 10, "--tables", "flows,queues", "--out", tmp_path / "out"
    done = command("sweep", study, *given, "--dask", two.address)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "40 runs computed, 0 reused" in done.stdout
    same(serial, tmp_path / "out")


def test_a_client_is_an_engine_for_all_campaigns(two: Cluster, study: Path, serial: Path, tmp_path: Path) -> None:
    from distributed import Client

    with Client(two.address, set_as_default=False) as client:
        assert sweep(study, tmp_path / "out", engine=client).computed == 40
        same(serial, tmp_path / "out")
        there = faircast.run(study, seeds=[1, 2], engine=client)
        found = faircast.reproduce("x-red", reps=2, out=tmp_path / "there", engine=client)
        assert client.status == "running", "it is not ours to close"
    here = faircast.run(study, seeds=[1, 2])
    assert repr(here.table("queues").to_pydict()) == repr(there.table("queues").to_pydict())
    assert found["x-red"].verdict == faircast.reproduce("x-red", reps=2, out=tmp_path / "here")["x-red"].verdict
    for name in ("measurements.parquet", "kept.parquet"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_one_worker_killed_half_way(two: Cluster, study: Path, serial: Path, tmp_path: Path) -> None:
    at = At(0.4, lambda: two.kill("one"))
    result = sweep(study, tmp_path / "out", engine=two.address, watcher=at)
    assert at.called
    assert (result.computed, result.failed) == (40, ())
    same(serial, tmp_path / "out")


def test_one_worker_stopped_for_a_minute(two: Cluster, study: Path, serial: Path, tmp_path: Path) -> None:
    group = two.processes["one"].pid
    wake = threading.Timer(STOPPED_S, os.killpg, (group, signal.SIGCONT))

    def stop() -> None:
        os.killpg(group, signal.SIGSTOP)
        wake.start()

    at = At(0.3, stop)
    result = sweep(study, tmp_path / "out", engine=two.address, watcher=at)
    assert at.called
    wake.join()
    assert (result.computed, result.failed) == (40, ())
    same(serial, tmp_path / "out")


def test_the_scheduler_lost_and_another_engine_after_it(
    two: Cluster, study: Path, serial: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotFinishedError) as wrong:
        sweep(study, tmp_path / "out", engine=two.address, watcher=At(0.4, lambda: two.kill("scheduler")))
    assert str(wrong.value) == (
        f"the Dask scheduler at {two.address} is lost; what was finished is kept, the same command continues"
    )
    result = sweep(study, tmp_path / "out", jobs=1)
    assert result.found >= 16
    assert result.computed == 40 - result.found
    same(serial, tmp_path / "out")


SCHEME = """
import dataclasses, os, signal
from faircast.guests import Endpoint, Scheme
{imports}

class Still(Endpoint):
    def handle(self, now, given, out): pass
    def deadline(self): return {used}

@dataclasses.dataclass
class Deadly(Scheme):
    how: str = ""
    def source(self, seat):
        if self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        held = []
        while self.how == "hungry" and len(held) < 300:
            held.append(bytearray(os.urandom(1 << 20) * 10))
        return Still()
    def member(self, seat):
        return Still()
"""
SESSION = '\n[sessions.film]\nscheme = "deadly"\nsource = "left-0"\nreceivers = { nodes = ["right-0"] }\n'
HOW = "sessions.film.how"


@pytest.fixture
def deadly(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A scenario with a guest whose file only this process knows."""
    guest(tmp_path, monkeypatch)
    return study.read_text().replace("60 s", "10 s") + SESSION


def guest(folder: Path, monkeypatch: pytest.MonkeyPatch, imports: str = "", used: str = "None") -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "deadly_guest.py").write_text(SCHEME.format(imports=imports, used=used))
    (folder / "mine" / "beside_the_guest.py").write_text("never = None\n")
    monkeypatch.syspath_prepend(folder / "mine")
    for name in ("deadly_guest", "beside_the_guest"):
        sys.modules.pop(name, None)
    from deadly_guest import Deadly  # type: ignore[import-not-found]

    faircast.register_scheme("deadly", Deadly)


def test_a_run_that_kills_its_worker_and_one_that_eats_all_memory(
    cluster: Cluster, deadly: str, tmp_path: Path
) -> None:
    cluster.scheduler()
    for name in ("one", "two"):
        cluster.worker(name, "--nanny", "--memory-limit", "700MB")
    cluster.wait(2)
    given: dict[str, Any] = {"reps": 3, "tables": []}
    alone = sweep(deadly, tmp_path / "alone", vary={HOW: ["", "calm"]}, **given)
    vary = {HOW: ["", "killed", "calm"]}
    result = sweep(deadly, tmp_path / "out", vary=vary, engine=cluster.address, **given | {"reps": 1})
    vary = {HOW: ["", "hungry", "calm"]}
    more = sweep(deadly, tmp_path / "more", vary=vary, engine=cluster.address, **given | {"reps": 1})
    for found, how in ((result, "killed"), (more, "hungry")):
        assert [(item.values[HOW], item.seed) for item in found.failed] == [(how, 1)], cluster.logs()
        assert "its worker at tcp://127.0.0.1:" in found.failed[0].reason
        assert found.failed[0].reason.endswith(" has died")
        assert (found.computed, found.missing, found.interrupted) == (2, 1, False)
        of = {known_by(point.values): point for point in found.points}
        for point in alone.points:
            assert repr(list(found.runs(of[known_by(point.values)])[1])) == repr(list(alone.runs(point)[1]))


def test_without_nannies_all_others_are_computed_first(two: Cluster, deadly: str, tmp_path: Path) -> None:
    """The run that kills is one of the first: without nannies Dask would lose both workers at once."""
    values = ["", "a", "killed", *(f"calm-{number}" for number in range(17))]
    given: dict[str, Any] = {"vary": {HOW: values}, "reps": 1, "tables": [], "out": tmp_path / "out"}
    with pytest.raises(NotFinishedError, match="no worker is left, and none has come for 3 s; what was finished is"):
        sweep(deadly, engine=Dask(two.address, patience_s=3), **given)
    kept = faircast.read(tmp_path / "out")
    finished = sum(len(kept.runs(point)) for point in kept.points)
    assert 15 <= finished < 20, "all but those that were on the first worker that died"
    two.worker("three", "--nanny")
    two.wait(1)
    again = sweep(deadly, engine=two.address, **given)
    assert (again.found, again.computed) == (finished, 19 - finished)
    assert [item.values[HOW] for item in again.failed] == ["killed"]


def test_a_guest_of_a_file_of_ones_own_travels(two: Cluster, deadly: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"vary": {HOW: ["", "calm"]}, "reps": 2, "tables": ["flows"]}
    there = sweep(deadly, tmp_path / "there", engine=two.address, **given)
    assert there.points[0].scenario.data["sessions"]["film"]["origin"].startswith("deadly_guest.Deadly ")
    sweep(deadly, tmp_path / "here", **given)
    same(tmp_path / "here", tmp_path / "there")


def test_a_guest_that_needs_what_workers_lack_is_refused(
    two: Cluster, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest(tmp_path, monkeypatch, imports="import beside_the_guest", used="beside_the_guest.never")
    text = study.read_text().replace("60 s", "10 s") + SESSION
    with pytest.raises(InputError, match=r"the Dask worker at tcp://127.0.0.1:\d+ cannot be used: .*beside_the_guest"):
        sweep(text, tmp_path / "out", vary={HOW: ["", "calm"]}, engine=two.address)
    assert not (tmp_path / "out").exists()


def copied(folder: Path) -> tuple[Path, dict[str, str]]:
    """A copy of the package, and the environment in which Python takes it."""
    shutil.copytree(Path(faircast.__file__).parent, folder / "faircast", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "faircast", {"PYTHONPATH": str(folder)}


def test_workers_of_another_build_are_refused_by_name(cluster: Cluster, study: Path, tmp_path: Path) -> None:
    package, env = copied(tmp_path / "other")
    (core,) = package.glob("_native*.so")
    with core.open("ab") as file:
        file.write(b"\0")
    cluster.scheduler()
    cluster.worker("other", env=env)
    cluster.wait(1)
    with pytest.raises(InputError) as wrong:
        sweep(study, tmp_path / "out", engine=cluster.address)
    assert "the Dask worker at tcp://127.0.0.1:" in wrong.value.message
    assert " cannot be used: faircast " in wrong.value.message
    assert "build" in wrong.value.message
    cluster.kill("other")
    package, env = copied(tmp_path / "changed")
    with (package / "loads.py").open("a") as file:
        file.write("\n# other\n")
    cluster.worker("changed", env=env)
    cluster.wait(1)
    with pytest.raises(InputError, match="cannot be used: other Python files in faircast"):
        sweep(study, tmp_path / "out", engine=cluster.address)
    assert not (tmp_path / "out").exists()


def test_ctrl_c_keeps_what_is_there_and_cancels_the_rest(
    two: Cluster, study: Path, serial: Path, tmp_path: Path
) -> None:
    arguments = "sweep", study, "--vary", "flows.web.count=1,2", "--set", "duration=90000 s", "--out", tmp_path / "long"
    process = subprocess.Popen(
        [str(word) for word in (SCRIPTS / "faircast", *arguments, "--dask", two.address)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(12)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert "interrupted; what was finished is kept, the same command continues" in said
    begin = time.monotonic()
    assert sweep(study, tmp_path / "out", engine=two.address).computed == 40
    assert time.monotonic() - begin < 120, "the workers were free: a run of 90 000 s takes minutes"
    same(serial, tmp_path / "out")


def test_two_campaigns_in_one_folder(two: Cluster, study: Path, tmp_path: Path) -> None:
    said: list[subprocess.CompletedProcess[str]] = []

    def another() -> None:
        said.append(command("sweep", study, "--vary", "flows.web.count=1,2,4,8", "--out", tmp_path / "out"))

    sweep(study, tmp_path / "out", engine=two.address, watcher=At(0.0, another))
    assert said[0].returncode == 2
    assert "out is in use: process" in said[0].stderr


def test_workers_of_this_machine_for_one_call(study: Path, serial: Path, tmp_path: Path) -> None:
    given = "--vary", "flows.web.count=1,2,4,8", "--reps", 10, "--tables", "flows,queues", "--out", tmp_path / "out"
    done = command("sweep", study, *given, "--dask", "local:2")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    same(serial, tmp_path / "out")


def test_tls_with_certificates(cluster: Cluster, study: Path, tmp_path: Path) -> None:
    certificates = tmp_path / "tls"
    certificates.mkdir()

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=certificates, check=True, capture_output=True)

    new = "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"
    openssl(*new, "-x509", "-keyout", "ca-key.pem", "-out", "ca.pem", "-subj", "/CN=us", "-days", "2")
    openssl(*new, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=127.0.0.1")
    sign = "x509", "-req", "-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial", "-days", "2"
    openssl(*sign, "-in", "request.pem", "-out", "cert.pem")
    options = [
        f"--tls-{kind}={certificates / name}"
        for kind, name in (("ca-file", "ca.pem"), ("cert", "cert.pem"), ("key", "key.pem"))
    ]
    cluster.scheduler(*options, protocol="tls")
    cluster.worker("one", *options)
    given = "sweep", study, "--vary", "flows.web.count=1,2", "--set", "duration=10 s"
    done = command(*given, "--out", tmp_path / "out", "--dask", cluster.address, "--dask-certificates", certificates)
    assert done.returncode == 0, done.stderr + cluster.logs()
    plain = command(*given, "--out", tmp_path / "plain", "--dask", cluster.address.replace("tls", "tcp"))
    assert plain.returncode == 2
    assert "no Dask scheduler answers at tcp://" in plain.stderr
    (certificates / "key.pem").write_text("no key")
    done = command(*given, "--out", tmp_path / "no", "--dask", cluster.address, "--dask-certificates", certificates)
    assert done.returncode == 2, done.stderr
    assert f"the certificates in {certificates} cannot be used: " in done.stderr
    (certificates / "key.pem").unlink()
    done = command(*given, "--out", tmp_path / "no", "--dask", cluster.address, "--dask-certificates", certificates)
    assert done.returncode == 2
    assert "there is no key.pem in it" in done.stderr
    assert not any((tmp_path / name).exists() for name in ("plain", "no"))


def test_ports_that_nobody_answers(cluster: Cluster, study: Path, tmp_path: Path) -> None:
    given = "sweep", study, "--vary", "flows.web.count=1,2", "--out", tmp_path / "out"
    begin = time.monotonic()
    done = command(*given, "--dask", cluster.address)
    assert done.returncode == 2
    assert done.stderr == f"faircast: no Dask scheduler answers at {cluster.address} within 10 s\n"
    assert time.monotonic() - begin < 60
    cluster.scheduler()
    with pytest.raises(InputError, match=rf"the scheduler at {cluster.address} has no workers; start some: dask "):
        sweep(study, tmp_path / "out", engine=Dask(cluster.address, patience_s=3))
    assert not (tmp_path / "out").exists()


def test_no_process_is_left(two: Cluster) -> None:
    pids = [process.pid for process in two.processes.values()]
    for name in list(two.processes):
        two.kill(name)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
