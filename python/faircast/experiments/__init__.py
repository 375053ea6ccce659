"""All experiments, one line each: the id and the module that defines it in its list ``EXPERIMENTS``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from faircast.errors import InputError, choose, nearest

if TYPE_CHECKING:
    from faircast.experiment import Experiment

PAPERS = {
    "peng": "Peng, Sikdar: Multi-layer Multicast Congestion Control in Satellite Environments",
    "kwon": "Kwon, Byers: Leveraging Single Rate Schemes in Multiple Rate Multicast Congestion Control Design",
    "hang": "Hang, Erke: Optimization-based Congestion Control for Internet Multicast Communications",
    "durresi": "Durresi et al.: Congestion Control using Multilevel Explicit Congestion Notification in Satellite "
    "Networks",
    "ehlert": "Ehlert, Sisalem: Performance Analysis of Concurrent Multicast / TCP Traffic Over Lossy High Delay Links",
    "side-by-side": "All schemes side by side, on the same paths beside the same TCPs",
    "queues": "All schemes in the queues of today, on two paths beside the same TCPs",
    "operator": "An operator's beam: a film to 300 terminals beside web traffic",
    "checks": "Cross checks of the simulator against theory and against itself",
}
APART = ("side-by-side", "queues", "operator")
"""What ``--all`` leaves out: each takes longer than all papers together, and judges nothing of a paper."""

REGISTRY: dict[str, str] = {
    "peng-beside-rlm": "faircast.experiments.peng.beside_rlm",
    "peng-fig5": "faircast.experiments.peng.together",
    "peng-fig6": "faircast.experiments.peng.together",
    "peng-fig7": "faircast.experiments.peng.late",
    "peng-fig8": "faircast.experiments.peng.late",
    "peng-fig9": "faircast.experiments.peng.late",
    "peng-fig10": "faircast.experiments.peng.late",
    "peng-fig11": "faircast.experiments.peng.rlm",
    "peng-fig12": "faircast.experiments.peng.rlm",
    "peng-fig13": "faircast.experiments.peng.phases",
    "peng-table1": "faircast.experiments.peng.parameters",
    "peng-analysis": "faircast.experiments.peng.analysis",
    "peng-x1": "faircast.experiments.peng.claims",
    "peng-x2": "faircast.experiments.peng.cost",
    "peng-x3": "faircast.experiments.peng.receivers",
    "smcc-fig2": "faircast.experiments.kwon.counting_layers",
    "smcc-lemma1": "faircast.experiments.kwon.worst_dilation",
    "smcc-fig4": "faircast.experiments.kwon.two_receivers",
    "smcc-fig5": "faircast.experiments.kwon.late_receiver",
    "smcc-fig7": "faircast.experiments.kwon.calculated_rates",
    "smcc-table2": "faircast.experiments.kwon.calculated_rates",
    "smcc-fig9a": "faircast.experiments.kwon.more_traffic",
    "smcc-fig9b": "faircast.experiments.kwon.more_traffic",
    "smcc-fig11": "faircast.experiments.kwon.six_receivers",
    "smcc-fig12": "faircast.experiments.kwon.six_receivers",
    "smcc-x1": "faircast.experiments.kwon.claims",
    "smcc-x2": "faircast.experiments.kwon.sixty_receivers",
    "smcc-x3": "faircast.experiments.kwon.conditions",
    "smcc-x4": "faircast.experiments.kwon.join_costs",
    "smcc-x5": "faircast.experiments.kwon.spurious_joins",
    "omcc-table1": "faircast.experiments.hang.optimal_rates",
    "omcc-fig5-table2": "faircast.experiments.hang.one_megabit",
    "omcc-bw": "faircast.experiments.hang.bandwidths",
    "omcc-fig6a": "faircast.experiments.hang.receivers",
    "omcc-fig6b": "faircast.experiments.hang.receivers",
    "omcc-fig7": "faircast.experiments.hang.distances",
    "omcc-fig8a": "faircast.experiments.hang.utilities",
    "omcc-fig8b": "faircast.experiments.hang.utilities",
    "omcc-fig9a": "faircast.experiments.hang.utility_distances",
    "omcc-fig9b": "faircast.experiments.hang.utility_distances",
    "omcc-fig9c": "faircast.experiments.hang.utility_distances",
    "omcc-x1": "faircast.experiments.hang.gained_utility",
    "omcc-x2": "faircast.experiments.hang.competitors",
    "mecn-fig6": "faircast.experiments.durresi.queue_length",
    "mecn-fig7": "faircast.experiments.durresi.link_efficiency",
    "mecn-fig8a": "faircast.experiments.durresi.drops",
    "mecn-fig8b": "faircast.experiments.durresi.drops",
    "mecn-fig8-w64": "faircast.experiments.durresi.drops",
    "mecn-tables1-3": "faircast.experiments.durresi.code_points",
    "mecn-x": "faircast.experiments.durresi.equal_thresholds",
    "mecn-x2": "faircast.experiments.durresi.orbits",
    "mecn-x3": "faircast.experiments.durresi.architectures",
    "ehlert-fig2": "faircast.experiments.ehlert.over_time",
    "ehlert-fig3": "faircast.experiments.ehlert.over_time",
    "ehlert-fig4": "faircast.experiments.ehlert.over_time",
    "ehlert-fig5": "faircast.experiments.ehlert.over_time",
    "ehlert-table1": "faircast.experiments.ehlert.low_errors",
    "ehlert-table2": "faircast.experiments.ehlert.two_branches",
    "ehlert-table3": "faircast.experiments.ehlert.high_errors",
    "ehlert-table4": "faircast.experiments.ehlert.differentiation",
    "ehlert-x1": "faircast.experiments.ehlert.differentiation",
    "ehlert-x2": "faircast.experiments.ehlert.claims",
    "ehlert-x3": "faircast.experiments.ehlert.more_layers",
    "ehlert-x4": "faircast.experiments.ehlert.left_open",
    "ehlert-x5": "faircast.experiments.ehlert.reference_rtt",
    "x-all": "faircast.experiments.side_by_side.rates",
    "x-all-harm": "faircast.experiments.side_by_side.harm",
    "x-all-receivers": "faircast.experiments.side_by_side.receivers",
    "x-all-course": "faircast.experiments.side_by_side.course",
    "x-all-cost": "faircast.experiments.side_by_side.cost",
    "x-all-mlda-layers": "faircast.experiments.side_by_side.surprises.mlda_layers",
    "x-all-mlda-ias": "faircast.experiments.side_by_side.surprises.mlda_ias",
    "x-all-cubic": "faircast.experiments.side_by_side.surprises.cubic",
    "x-all-omcc": "faircast.experiments.side_by_side.surprises.omcc",
    "x-all-phases": "faircast.experiments.side_by_side.surprises.phases",
    "x-all-layers": "faircast.experiments.side_by_side.surprises.fixed_layers",
    "x-all-thresholds": "faircast.experiments.side_by_side.surprises.queue_thresholds",
    "x-all-acks": "faircast.experiments.side_by_side.surprises.acks",
    "x-all-smcc": "faircast.experiments.side_by_side.surprises.smcc",
    "x-queues": "faircast.experiments.side_by_side.rates",
    "x-queues-harm": "faircast.experiments.side_by_side.harm",
    "x-queues-course": "faircast.experiments.side_by_side.course",
    "x-queues-blocking": "faircast.experiments.side_by_side.surprises.blocking_by_drops",
    "x-queues-causes": "faircast.experiments.side_by_side.surprises.queue_causes",
    "x-queues-bursts": "faircast.experiments.side_by_side.surprises.layers_in_phase",
    "x-operator": "faircast.experiments.operator.film",
    "x-tcp": "faircast.experiments.checks.tcp_throughput",
    "x-tcp-hybla": "faircast.experiments.checks.tcp_hybla",
    "x-tcp-westwood": "faircast.experiments.checks.tcp_westwood",
    "x-tcp-cubic": "faircast.experiments.checks.tcp_cubic",
    "x-red": "faircast.experiments.checks.red_average",
    "x-ns2": "faircast.experiments.checks.ns2",
    "x-ecn": "faircast.experiments.checks.ecn_response",
    "x-tfmcc": "faircast.experiments.checks.tfmcc_equation",
    "x-tfmcc-geo": "faircast.experiments.checks.tfmcc_geo",
    "x-tfmcc-feedback": "faircast.experiments.checks.tfmcc_feedback",
    "x-tfmcc-tcp": "faircast.experiments.checks.tfmcc_beside_tcp",
    "x-pgmcc": "faircast.experiments.checks.pgmcc_window",
    "x-pgmcc-tcp": "faircast.experiments.checks.pgmcc_beside_tcp",
    "x-start": "faircast.experiments.checks.start",
    "x-lies": "faircast.experiments.checks.lies",
    "x-loss-differentiation": "faircast.experiments.checks.loss_differentiation",
    "x-link-errors": "faircast.experiments.checks.link_errors",
    "x-conservation": "faircast.experiments.checks.conservation",
    "x-determinism": "faircast.experiments.checks.determinism",
}


def load(name: str) -> Experiment:
    """The experiment with this id. Raises `InputError` if there is none."""
    if name not in REGISTRY and name in PAPERS:
        raise InputError(f"there is no experiment {name}, but a paper: faircast reproduce --paper {name}")
    choose("experiment", name, list(REGISTRY))
    for experiment in import_module(REGISTRY[name]).EXPERIMENTS:
        if experiment.id == name:
            found: Experiment = experiment
            return found
    raise AssertionError(f"{REGISTRY[name]} does not define the experiment {name}")


def select(ids: Sequence[str] = (), *, paper: str | None = None, everything: bool = False) -> list[Experiment]:
    """The experiments asked for, each once. Raises `InputError` if that is nothing."""
    if paper is not None and paper not in PAPERS:
        reproduced = {load(name).paper for name in REGISTRY}
        there = [key for key in PAPERS if key in reproduced]
        raise InputError(f"there is no paper {paper}{nearest(paper, there)}; there are: {', '.join(there)}")
    if sum((bool(ids), paper is not None, everything)) != 1:
        raise InputError("say which experiments: ids, --paper KEY or --all (faircast list experiments shows them)")
    if ids:
        return [load(name) for name in dict.fromkeys(ids)]
    chosen = [load(name) for name in REGISTRY]
    chosen = [
        experiment
        for experiment in chosen
        if experiment.paper == paper or (everything and experiment.paper not in APART)
    ]
    if not chosen:
        raise InputError(f"there are no experiments of {paper or 'any paper'} yet")
    return chosen
