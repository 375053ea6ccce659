"""SLURM on one machine, without systemd: munged, slurmctld and slurmd as children of a test, in a folder."""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={control}
SlurmdPort={daemon}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,batch_sched_delay=0
ReturnToService=2
KillWait=5
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""
READY_S = 60.0


class Slurm:
    """A cluster of one node, until it is left."""

    def __init__(self, folder: Path, cpus: int = 4) -> None:
        self.folder = folder
        self.cpus = cpus
        self._running: list[subprocess.Popen[bytes]] = []
        self.env = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self) -> Self:
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        try:
            self._munge()
            self._start()
            self._wait()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(Exception):
            self.run("scancel", "--user", getpass.getuser(), check=False)
            self.wait_for_empty(15)
        for process in reversed(self._running):
            process.terminate()
        for process in reversed(self._running):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def run(self, *command: object, check: bool = True, cwd: Path | None = None) -> str:
        """What a command of SLURM prints."""
        done = subprocess.run(
            [str(word) for word in command],
            env=self.env,
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if check and done.returncode:
            raise AssertionError(f"{command}: {done.stderr}{self.logs()}")
        return done.stdout

    def wait_for_empty(self, patience_s: float) -> None:
        """Wait until no job waits or runs."""
        deadline = time.monotonic() + patience_s
        while self.run("squeue", "--noheader").strip():
            assert time.monotonic() < deadline, self.run("squeue") + self.logs()
            time.sleep(0.3)

    def logs(self) -> str:
        """The ends of the logs."""
        found = ""
        for path in self.folder.glob("*.log"):
            found += f"\n{path.name}:\n{path.read_text(errors='replace')[-1500:]}"
        return found

    def _munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self._spawn(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid",
            f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed",
            "--num-threads=2",
        )
        deadline = time.monotonic() + READY_S
        while not (self.folder / "munge.socket").exists():
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.1)

    def _start(self) -> None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        host = socket.gethostname().split(".")[0]
        text = CONFIGURATION.format(
            host=host,
            user=getpass.getuser(),
            control=free_port(),
            daemon=free_port(),
            folder=self.folder,
            cpus=self.cpus,
            memory=max(1000, memory // 2),
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\nCgroupPlugin=cgroup/v1\n")
        self._spawn("slurmctld", "-D", "-c", "-f", str(self.folder / "slurm.conf"))
        self._spawn("slurmd", "-D", "-N", host, "-f", str(self.folder / "slurm.conf"))

    def _wait(self) -> None:
        deadline = time.monotonic() + READY_S
        while "idle" not in self.run("sinfo", "--noheader", "--format=%t", check=False):
            assert time.monotonic() < deadline, self.run("sinfo", check=False) + self.logs()
            assert all(process.poll() is None for process in self._running), self.logs()
            time.sleep(0.3)

    def _spawn(self, name: str, *arguments: str) -> None:
        program = shutil.which(name) or f"/usr/sbin/{name}"
        with (self.folder / f"{name}.out.log").open("wb") as log:
            self._running.append(
                subprocess.Popen([program, *arguments], env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )


def free_port() -> int:
    """A port that nobody uses at the moment."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
