"""Why a rate, a window or a level changed: the chain of causes of one moment of a run, in words and as JSON.

======================  ==============================================================================
`evidence`              the tables of a run; runs it again with the probes that an explanation needs
`question`              which flow, which moment
`fate`                  what became of a packet, at which link and why
`equation`              what the throughput equation gives, and would give for other inputs
`tfmcc`                 rates of TFMCC and OMCC
`tcp`                   windows of TCP
`layers`                levels of layer blocking, RLM and layered CBR
`smcc`                  levels of SMCC
`mlda`                  rates of layers and levels of MLDA
`picture`               pictures of those who play a session
`explanation`           what comes out: steps, what-ifs, notes
======================  ==============================================================================

The package is not called after the function `faircast.why`: a module of that name would take its place.
"""

from faircast.causes.explanation import Explanation
from faircast.causes.question import why

__all__ = ["Explanation", "why"]
