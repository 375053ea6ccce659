"""tools/bench_peers.py: the arithmetic of its ratios, its turns and its messages. No peer is run here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "bench_peers.py"


@pytest.fixture(scope="module")
def bench_peers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_peers", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_ratios_by_hand(bench_peers: ModuleType) -> None:
    ours = bench_peers.Run(packet_hops=4_000_000, user_cpu_s=0.2, loop_cpu_s=None, details={})
    ns2 = bench_peers.Run(packet_hops=6_000_000, user_cpu_s=1.5, loop_cpu_s=1.0, details={})
    pair = bench_peers.Pair(ours=ours, ns2=ns2)
    # 20 million per second against 4 million with set-up and 6 million without.
    assert pair.ratio == pytest.approx(5.0)
    assert pair.ratio_to_loop == pytest.approx(20 / 6)


def test_both_take_turns_in_going_first(bench_peers: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    order: list[str] = []

    def runner(name: str, cpu_s: float):
        def run():
            order.append(name)
            return bench_peers.Run(packet_hops=1_000_000, user_cpu_s=cpu_s, loop_cpu_s=cpu_s, details={"drops": 7})

        return run

    pairs = bench_peers.measure_pairs(3, runner("ours", 0.1), runner("ns-2", 0.4))
    assert order == ["ns-2", "ours", "ours", "ns-2", "ns-2", "ours"]
    text = bench_peers.as_text({"L1": pairs}, 0.03)
    assert [line.split()[0] for line in text.splitlines() if "4.00" in line] == ["pair"] * 3 + ["median", "min", "max"]
    assert "drops 7" in text
    assert capsys.readouterr().err.count("ratio 4.00") == 3


def test_what_faircast_bench_prints_is_understood(bench_peers: ModuleType, tmp_path: Path) -> None:
    command = tmp_path / "faircast"
    command.write_text("""#!/bin/sh
test "$*" = "bench --json --load L1 --repeat 1" || exit 2
echo '{"calendar": "wheel", "loads": [{"load": "L1", "packet_hops": 4400000.0, "user_cpu_s": 0.25, "drops": 3}]}'
""")
    command.chmod(0o755)
    run = bench_peers.run_ours(str(command), "L1")
    assert (run.packet_hops, run.user_cpu_s, run.details) == (4_400_000, 0.25, {"drops": 3})
    with pytest.raises(bench_peers.CannotFinishError, match="ended with code 2"):
        bench_peers.run_ours(str(command), "L2")


def test_a_missing_peer_is_a_message(
    bench_peers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["bench_peers.py", "--no-install"])
    assert bench_peers.main() == 3
    assert "apt-get install ns2" in capsys.readouterr().err


def test_no_pairs_are_refused(
    bench_peers: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench_peers.py", "--pairs", "0"])
    with pytest.raises(SystemExit) as ended:
        bench_peers.main()
    assert ended.value.code == 2
    assert "got '0'" in capsys.readouterr().err
