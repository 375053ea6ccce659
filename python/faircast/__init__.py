"""faircast: laboratory and library for fair multicast congestion control, above all over satellite paths.

>>> import faircast
>>> result = faircast.run("scenario.toml", seed=1)
>>> result.summary.to_pandas()

Importing this package is cheap: Arrow, matplotlib and scipy are loaded when something needs them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from faircast.core import choose

if TYPE_CHECKING:
    from faircast._native import Control, ScenarioError
    from faircast.archiving.pack import archive
    from faircast.archiving.verdict import Verified, verify
    from faircast.causes.question import why
    from faircast.comparison import compare
    from faircast.errors import InputError, NotFinishedError, ResultWarning
    from faircast.experiment import Experiment
    from faircast.fitting.checking import Check
    from faircast.fitting.drawing import Drawn
    from faircast.fitting.estimate import fit
    from faircast.fitting.model import Fitted
    from faircast.guests import register_scheme
    from faircast.maps.network import Network, network
    from faircast.merging import merge
    from faircast.reading import Runs, read
    from faircast.report import Report, Reproduction
    from faircast.reproduction import reproduce
    from faircast.results import RunResult
    from faircast.runs import run
    from faircast.scenario import Resolved, problems, resolve
    from faircast.sobol import Sensitivity, sensitivity
    from faircast.statistics import Estimate, estimate, jain, variation
    from faircast.stopping import UntilApart
    from faircast.sweeps import SweepResult, sweep
    from faircast.tuning import Tuning, tune
    from faircast.utility.network import optimum
    from faircast.utility.optimum import Optimum
    from faircast.utility.problem import InfeasibleError
    from faircast.utility.properties import Property, fairness_properties
    from faircast.ways import PathSeries, paths

__all__ = [
    "Check",
    "Control",
    "Drawn",
    "Estimate",
    "Experiment",
    "Fitted",
    "InfeasibleError",
    "InputError",
    "Network",
    "NotFinishedError",
    "Optimum",
    "PathSeries",
    "Property",
    "Report",
    "Reproduction",
    "Resolved",
    "ResultWarning",
    "RunResult",
    "Runs",
    "ScenarioError",
    "Sensitivity",
    "SweepResult",
    "Tuning",
    "UntilApart",
    "Verified",
    "archive",
    "compare",
    "estimate",
    "fairness_properties",
    "fit",
    "jain",
    "merge",
    "network",
    "optimum",
    "paths",
    "problems",
    "read",
    "register_scheme",
    "reproduce",
    "resolve",
    "run",
    "sensitivity",
    "sweep",
    "tune",
    "variation",
    "verify",
    "why",
]

_HOME = {
    "Check": "faircast.fitting.checking",
    "Control": "faircast._native",
    "Drawn": "faircast.fitting.drawing",
    "Estimate": "faircast.statistics",
    "Experiment": "faircast.experiment",
    "Fitted": "faircast.fitting.model",
    "InfeasibleError": "faircast.utility.problem",
    "InputError": "faircast.errors",
    "Network": "faircast.maps.network",
    "NotFinishedError": "faircast.errors",
    "Optimum": "faircast.utility.optimum",
    "PathSeries": "faircast.ways",
    "Property": "faircast.utility.properties",
    "Report": "faircast.report",
    "Reproduction": "faircast.report",
    "Resolved": "faircast.scenario",
    "ResultWarning": "faircast.errors",
    "RunResult": "faircast.results",
    "Runs": "faircast.reading",
    "ScenarioError": "faircast._native",
    "Sensitivity": "faircast.sobol",
    "SweepResult": "faircast.sweeps",
    "Tuning": "faircast.tuning",
    "UntilApart": "faircast.stopping",
    "Verified": "faircast.archiving.verdict",
    "__version__": "",
    "archive": "faircast.archiving.pack",
    "compare": "faircast.comparison",
    "estimate": "faircast.statistics",
    "fairness_properties": "faircast.utility.properties",
    "fit": "faircast.fitting.estimate",
    "jain": "faircast.statistics",
    "merge": "faircast.merging",
    "network": "faircast.maps.network",
    "optimum": "faircast.utility.network",
    "paths": "faircast.ways",
    "problems": "faircast.scenario",
    "read": "faircast.reading",
    "register_scheme": "faircast.guests",
    "reproduce": "faircast.reproduction",
    "resolve": "faircast.scenario",
    "run": "faircast.runs",
    "sensitivity": "faircast.sobol",
    "sweep": "faircast.sweeps",
    "tune": "faircast.tuning",
    "variation": "faircast.statistics",
    "verify": "faircast.archiving.verdict",
    "why": "faircast.causes.question",
}

choose()


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("faircast")
    if name not in _HOME:
        raise AttributeError(f"module faircast has no attribute {name}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
