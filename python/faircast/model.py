"""The parts of a scenario as classes, for scenarios that are put together in Python.

Made by tools/generate_model.py from the JSON schema: do not edit. All arguments are given by name; None means that the
key is left out, so that its default holds. Quantities are texts with units, such as "1.5 Mbit/s" or "250 ms".

Each object is checked when it is made: one that cannot be part of a scenario raises `faircast.InputError` with all that
is wrong. What depends on the other parts is checked when the scenario is run or validated.

Examples
--------
>>> from faircast.model import Dumbbell, Scenario, Tcp
>>> scenario = Scenario(
...     name="two-flows",
...     duration="60 s",
...     topology=Dumbbell(left=2, right=2),
...     flows={"web": Tcp(count=2, variant="newreno")},
... )
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias

from faircast.parts import Part, checked

Announce: TypeAlias = Literal["apart", "base"]
"""Where members tell each other of their levels.

* "apart": In a group apart, which all members join and to which they alone send.
* "base": In the group of the base layer, if they hold it or not.
"""
BlockingAdmission: TypeAlias = Literal["capped", "open"]
"""What becomes of a layer that is joined, other than the base.

* "capped": It is blocked if a layer of its session has been blocked before, and passes otherwise.
* "open": It passes.
"""
BlockingCompared: TypeAlias = Literal["observation", "hold"]
"""What a release waits for that follows from a comparison.

* "observation": The observation time, which grows with it as with any release.
* "hold": The hold alone, and the observation time stays what it is. With `reset = "level"` what leads to as many layers
  as were too much waits for both.
"""
BlockingCount: TypeAlias = Literal["packets", "bytes"]
"""What is counted.

* "packets": Packets; for traffic of one packet size.
* "bytes": Bytes.
"""
BlockingReads: TypeAlias = Literal["length", "drops"]
"""What says whether the queue is short or long.

* "length": Its length.
* "drops": What it has dropped or marked, for queues that are kept short; and its length from F2 on. Under fair queueing
  it is what was dropped or marked of the session alone.
"""
BlockingReset: TypeAlias = Literal["calm", "never", "level"]
"""When the observation time returns to its first value.

* "calm": With a release that comes more than four observation times after the one before, and when a session comes or
  goes.
* "never": Never, as in the paper's algorithm.
* "level": It belongs to the number of layers that was too much, as a block followed a release to it: what leads to
  fewer waits for the first value. It returns when a release to that number or more proves right, when a session comes
  or goes, and when the link becomes faster by what was blocked last. Beside unicast flows a short queue's releases make
  it grow, and it returns, as with "calm", too.
"""
BlockingUnicast: TypeAlias = Literal["flow", "pair"]
"""What is one unicast session.

* "flow": A flow: addresses and ports.
* "pair": All flows from one host to another, which needs less state in the router.
"""
BranchPreset: TypeAlias = Literal["geo", "geo-ka", "geo-broadcast", "ka-beam", "adsl"]
"""Sorts of branches.

The reasons for their numbers stand in the chapter on geostationary satellites.

* "geo": A geostationary satellite of the year 2000: a downlink of 300 kbit/s and an uplink of 8 kbit/s for each
  receiver.
* "geo-ka": One with spot beams in the Ka band: 30 and 3 Mbit/s for each receiver.
* "geo-broadcast": One that broadcasts: a downlink of 38 Mbit/s that all hear, with losses of their own, and 512 kbit/s
  back from each.
* "ka-beam": A beam of an operator's satellite in the Ka band: a downlink of 104 Mbaud that all hear, each transmission
  with a modulation and code for its hearers, and one return carrier of 7.4 Mbit/s in slots, for which all ask.
* "adsl": Wires: 768 and 128 kbit/s for each receiver, no satellite.
"""
Calendar: TypeAlias = Literal["wheel", "heap"]
"""The data structure that holds what happens next.

* "wheel": A timing wheel: the faster one.
* "heap": A four-ary heap: the one to compare with.
"""
EcnField: TypeAlias = Literal["off", "ect0", "ect1"]
"""The ECN field of datagrams.

A source of constant rate answers no marks: they are counted, and nothing else.

* "off": Not ECN-capable.
* "ect0": ECT(0), ECN-capable (RFC 3168, section 5).
* "ect1": ECT(1), for the low-latency queue of those that have one (RFC 9331, section 4.1).
"""
FlowBy: TypeAlias = Literal["address", "session"]
"""What a flow is.

* "address": What has the same source and destination: of a layered session each group.
* "session": What one endpoint of a session or of a flow sends, to whatever groups.
"""
FlowOccupancy: TypeAlias = Literal["shared", "own"]
"""Of what CoDel asks whether enough would be left waiting.

* "shared": Of the queues of all flows together.
* "own": Of the flow's queue alone.
"""
HandoffQueue: TypeAlias = Literal["keep", "lose", "discard"]
"""What becomes of packets that wait when their link goes down or turns elsewhere.

* "keep": They wait on, for the link to come up, or go to the new far end.
* "lose": They are transmitted, but nobody receives them, as in ns-2.
* "discard": They are removed at once.
"""
HandoffRule: TypeAlias = Literal["follow-plane", "nearest", "longest-lived"]
"""How a station chooses its satellite, of those above the mask.

* "follow-plane": ns-2's: it keeps its satellite as long as that is above the mask, and takes the one that follows in
  the same plane, or else the highest.
* "nearest": At every look the nearest one.
* "longest-lived": It keeps its satellite as long as that is above the mask, and takes the one that will be so longest.
"""
Lengths: TypeAlias = Literal["exponential", "pareto"]
"""The distribution of the lengths of periods.

* "exponential": Exponential.
* "pareto": Pareto, with a heavy tail.
"""
LensColumn: TypeAlias = Literal["rtt", "uplink", "downlink"]
"""Which column of a file of LENS is the delay.

* "rtt": Half the round-trip time.
* "uplink": The time on the way up; half the round-trip time where clocks make it negative.
* "downlink": The time on the way down, likewise.
"""
LieKind: TypeAlias = Literal["loss", "nothing", "contradiction", "late", "flapping", "acknowledge", "silence", "flood"]
"""What a liar does.

* "loss": It treats a part of what comes as lost.
* "nothing": Its reports say that all is lost and that it can take nothing, and it acknowledges nothing. An announcement
  of an experiment names the lowest level.
* "contradiction": Its reports say the same, but it acknowledges what has come.
* "late": Its reports come late, so the time stamps that they return are old.
* "flapping": It leaves and joins again and again.
* "acknowledge": It treats what is lost as if it had come.
* "silence": It reports nothing.
* "flood": It repeats its last report, however old; of an announcement the lowest level.
"""
LinkMode: TypeAlias = Literal["auto", "fused", "two-stage"]
"""How a link computes when packets leave.

* "auto": As `engine.link_mode` says; there: fused unless the queue decides at departure.
* "fused": At arrival.
* "two-stage": As events of their own.
"""
LossDifferentiationRule: TypeAlias = Literal["none", "ias", "mbiaz", "spike", "zigzag", "oracle"]
"""The rule by which a loss is called one or the other.

* "none": All losses are congestion, as without differentiation; they are compared with the truth.
* "ias": The inter-arrival scheme ([Ehlert] equation 2): n losses are the link's if (n+1) T_min <= T_g < (n+2) T_min.
* "mbiaz": The same with (n+1.25) T_min as the upper bound.
* "spike": Packets behind a queue that is full take long: losses are congestion from where one-way trip times rise above
  half of their range until they fall below a third of it ([Tobe], [Cen]).
* "zigzag": Losses are the link's if the trip behind them was short: below the mean by the mean deviation for one, and
  less so the more are missing ([Cen]).
* "oracle": The truth, which no real receiver knows: the upper bound of all rules.
"""
LossDifferentiationScope: TypeAlias = Literal["layer", "aggregate"]
"""Over what T_min is taken.

* "layer": Over the packets of each layer by itself.
* "aggregate": Over the packets of all layers that the receiver holds.
"""
LossDifferentiationWindow: TypeAlias = Literal["session", "rate", "recent"]
"""When T_min, or the range of trip times, is forgotten.

* "session": Never: it is that of the session.
* "rate": When the announced rate has changed by more than a tenth. With "ias" and "mbiaz" only.
* "recent": After five to ten seconds, or when the way has become shorter by more than the range. With "spike" only.
"""
MecnProfile: TypeAlias = Literal["mecn-literal", "mecn-overlap", "mecn-longramp"]
"""How the two levels share the thresholds.

* "mecn-literal": The paper's words: incipient marks end at `mid_th`.
* "mecn-overlap": Above `mid_th` a packet not marked moderate is still marked incipient with `p1_max`.
* "mecn-longramp": The incipient ramp runs from `min_th` to `max_th`.
"""
MldaLossRule: TypeAlias = Literal["max", "equation"]
"""LDA+ after a loss.

* "max": The larger of r (1 - sqrt(l)) and what the equation gives, as far as an increase goes.
* "equation": What the equation gives, as far as an increase goes.
"""
MldaRateRule: TypeAlias = Literal["lda+", "equation"]
"""How receivers compute their share.

* "lda+": LDA+: additive increase, multiplicative decrease.
* "equation": TFMCC's: the throughput of a TCP with the loss event rate over all layers (RFC 5348).
"""
MldaReportsTo: TypeAlias = Literal["sender-and-group", "sender"]
"""Where reports go.

* "sender-and-group": To a group apart, of which the source and all receivers are members: they hear each other, and who
  has nothing new to say is silent. The network must let members send.
* "sender": To the source alone: everybody reports in each round.
"""
OmccApply: TypeAlias = Literal["equation", "increase", "receive-rate"]
"""What f(N) multiplies.

* "equation": The throughput equation at the receivers ([Hang] eq. 13): the equilibrium is f(N) times that of TFMCC.
* "increase": The increase per R_max at the sender; the equilibrium remains that of TFMCC. Not in the paper.
* "receive-rate": The throughput equation at the receivers, but they ask for no more than they receive, or than the
  equation says without f(N): X_r = min(f·X, max(X_recv, X)). Not in the paper, a hypothesis about what its authors ran.
"""
OmccOrientation: TypeAlias = Literal["sender", "receiver"]
"""Whose utility counts ([Hang] section 2.2).

* "sender": The session's, whatever the number of receivers ([Hang] eq. 3).
* "receiver": The sum over its receivers, each with the same ([Hang] eq. 4 and 5).
"""
OmccUtility: TypeAlias = Literal["none", "log", "tcp", "alpha-fair"]
"""The utility u(x) that a receiver, or the session, has of the rate x.

* "none": No utility: f = 1, TFMCC.
* "log": log x: proportional fairness, f(N) = N ([Hang] eq. 1).
* "tcp": -1/x: that of TCP, f(N) = sqrt N ([Hang] eq. 2).
* "alpha-fair": x^(1 - alpha) / (1 - alpha): f(N) = N^(1/alpha); alpha = 1 is log, 2 is tcp.
"""
Orientation: TypeAlias = Literal["session", "receiver"]
"""Whether a session counts as one or as many as it has receivers.

* "session": As one, like a flow.
* "receiver": As many as it has receivers.
"""
PacketAction: TypeAlias = Literal[
    "accepted",
    "marked-incipient",
    "marked-moderate",
    "dropped-overflow",
    "dropped-active",
    "departed",
    "dropped-down",
    "rerouted",
    "discarded",
    "unreceived",
    "held-back",
    "lost",
    "no-route",
    "out-of-hops",
    "off-tree",
    "not-a-source",
]
"""What may happen to a packet at a link.

* "accepted": Entered the queue unchanged.
* "marked-incipient": Entered with a mark of incipient congestion.
* "marked-moderate": Entered with a mark of moderate congestion.
* "dropped-overflow": Was dropped because the queue was full.
* "dropped-active": Was dropped by decision of the discipline.
* "departed": Left the transmitter.
* "dropped-down": Came while the link was down.
* "rerouted": Waited when the link went down or turned, and took another way.
* "discarded": Waited then, and was removed.
* "unreceived": Was sent then, and nobody received it.
* "held-back": Was kept from the queue by a router agent.
* "lost": Was destroyed by the loss model at the far end.
* "no-route": Was given up on a node from which no way led on.
* "out-of-hops": Was given up after 64 links.
* "off-tree": Came over a link that is not the way down its tree, and was given up.
* "not-a-source": Came up the tree to a group to which members may not send, and was given up.
"""
Payload: TypeAlias = Literal["processing", "bent-pipe"]
"""What a satellite does with packets.

* "processing": It is a router with a queue for each downlink.
* "bent-pipe": It repeats what it hears, without a queue: that at the station decides.
"""
PgmccRtt: TypeAlias = Literal["time", "packets"]
"""What round-trip times are measured in.

* "time": Seconds, by time stamps (the draft, section 2.5.1).
* "packets": Packets: those sent since the one that a receiver has got last, one at least (section 2.5.3).
"""
PgmccThroughput: TypeAlias = Literal["full", "simple"]
"""How throughput is estimated.

* "full": By the TCP equation with its time-outs: 1 / (R sqrt(p) (1 + 9 p (1 + 32 p^2))) (the draft, section 2.4).
* "simple": Without them: 1 / (R sqrt(p)).
"""
PieDelay: TypeAlias = Literal["rate", "sojourn"]
"""How the delay of the queue is known.

* "rate": The bytes that wait, over the rate at which others have left (RFC 8033, section 5.2).
* "sojourn": How long the last packet that left has waited (RFC 8033, appendix A).
"""
PlayoutKind: TypeAlias = Literal["live", "file"]
"""Whether what comes too late is skipped or waited for.

* "live": A segment that is not complete when it is due is skipped.
* "file": The picture stops until the segment is complete.
"""
PolicerAction: TypeAlias = Literal["drop", "mark"]
"""What becomes of packets without tokens.

* "drop": They are dropped.
* "mark": They are marked if they are ECN-capable, and dropped otherwise.
"""
Profile: TypeAlias = Literal["realistic", "ns2"]
"""Whose leave latency a session has.

* "realistic": 2 s: two queries of IGMP a second apart (RFC 2236).
* "ns2": None, as in ns-2.
"""
Recovery: TypeAlias = Literal["reno", "newreno", "sack"]
"""How losses are repaired.

* "reno": One segment; over with the first new ACK.
* "newreno": One segment per round trip until everything sent before the loss is there (RFC 6582).
* "sack": Everything that SACK blocks show to be lost, as fast as the window allows (RFC 6675).
"""
RlmProfile: TypeAlias = Literal["ns2", "mended"]
"""What becomes of a receiver at the ends of its layers.

* "ns2": As in ns-2: who has left all layers never joins again, nor does who has ever held all and left one.
* "mended": Both try again, `rejoin_from_zero` and `restart_join_timer`, and `max_hold` bounds what others' experiments
  do.
"""
Shell: TypeAlias = Literal[
    "iridium",
    "teledesic",
    "starlink",
    "oneweb",
    "kuiper",
    "telesat",
    "star",
    "delta",
    "elements",
]
"""What a constellation is made from.

* "iridium": ns-2's Iridium: 6 planes of 11 satellites at 780 km and 86.4°, the planes 31.6° apart, with a seam.
* "teledesic": ns-2's Teledesic: 12 planes of 24 satellites at 1375 km and 84.7°, the planes 15° apart, with a seam.
* "starlink": Starlink's first shell: 72 planes of 22 satellites at 550 km and 53°, all round the equator.
* "oneweb": OneWeb as first filed: 18 planes of 40 satellites at 1200 km and 87.9°, 10° apart, with a seam.
* "kuiper": Kuiper's first shell: 34 planes of 34 satellites at 630 km and 51.9°, all round the equator.
* "telesat": Telesat's near-polar shell: 27 planes of 13 satellites at 1015 km and 98.98°, all round the equator.
* "star": Walker's star: nodes over half of the equator, so that there is a seam.
* "delta": Walker's delta: nodes all round the equator.
* "elements": Element sets of real satellites.
"""
SmccControl: TypeAlias = Literal["tfmcc", "pgmcc"]
"""What controls the rate of a layer.

* "tfmcc": TFMCC: by the throughput equation.
* "pgmcc": pgmcc: by a window, which the receiver that limits opens with its ACKs ([Kwon] section V).
"""
SmccElection: TypeAlias = Literal["feedback-round", "back-off"]
"""How members answer where the receiver that limits a layer has gone.

* "feedback-round": In a feedback round, as with TFMCC: few of many answer.
* "back-off": After a short random time, as with pgmcc: all that are in the layer do, so it is for groups of few.
"""
SmccJoin: TypeAlias = Literal["additive", "direct"]
"""How a receiver joins the next layer.

* "additive": A packet per round-trip time is added until it has as much as with the layer, which it then joins ([Kwon]
  section VI).
* "direct": At once, to compare with.
"""
TcpCubicGrowth: TypeAlias = Literal["rfc9438", "linux"]
"""How the window grows in congestion avoidance.

* "rfc9438": As RFC 9438 sections 4.2 to 4.5 have it: windows with fractions, Reno's growth of a segment per round trip
  above the window before the loss, the cubic function counted per ACK.
* "linux": As Linux 6.1 has it: whole segments, rounded down by a reduction, Reno's growth 8/15 of a segment per round
  trip throughout, all of it counted in segments, and 5 % per round trip at least while no reduction has shown a
  plateau.
"""
TcpCwndValidation: TypeAlias = Literal["rfc5681", "rfc7661"]
"""A window that the application does not use.

* "rfc5681": It is the initial one at most after a rest longer than a time-out (RFC 5681 section 4.1), and does not grow
  while less than half of it is outstanding. As Linux has it: `tcp_slow_start_after_idle` is on there, and only what is
  used grows.
* "rfc7661": It lasts for five minutes; a loss then cuts it to half of what was used (RFC 7661).
"""
TcpEcn: TypeAlias = Literal["off", "ecn", "mecn"]
"""Explicit congestion notification of a connection.

* "off": Not used.
* "ecn": One level (RFC 3168).
* "mecn": Two levels and loss [Durresi].
"""
TcpFullAck: TypeAlias = Literal["ssthresh", "flight"]
"""The window after the ACK that ends a recovery of NewReno (RFC 6582 section 3.2 step 3).

* "ssthresh": The slow-start threshold, option (2).
* "flight": What is outstanding and one segment more, at least 2, at most the threshold: option (1). No burst into a
  network that has run empty.
"""
TcpProfile: TypeAlias = Literal["rfc", "ns2", "linux"]
"""Sets of values for the keys that are left out.

* "rfc": The default of each key.
* "ns2": The one-way TCP agents of ns-2: ACKs are counted, limited transmit repairs after a time-out, and SACK repairs
  all holes before it sends new data.
* "linux": A Linux host: delayed ACKs, SACK, time stamps, sizes and times of its own. The window rule is to be said.
"""
TfmccDataLimited: TypeAlias = Literal["rfc4654", "rfc5348"]
"""The rate while the application has less to send than it allows.

* "rfc4654": What is received bounds it only as long as no receiver has had a loss (RFC 4654 sections 3.6, 4.3.4, 4.4).
  After that it grows towards what the equation gives, though little is sent.
* "rfc5348": No such report raises it above twice the rate at which its receiver has got data of late, and one that
  tells of a loss lowers it to half of that, or to 0.85 times what it says was got (RFC 5348 section 4.3).
"""
TfmccGapFloor: TypeAlias = Literal["decays", "follows"]
"""R_max after the gap between packets has raised it.

* "decays": It falls by a tenth per round, as ever: the letter of the RFC. From a very low rate the way up takes many
  minutes.
* "follows": It follows the gap down to what was measured. Not in the RFC.
"""
TfmccIdleFloor: TypeAlias = Literal["initial", "none"]
"""The least rate of a session that has nothing to send.

* "initial": That with which a session begins, a packet per R_max (RFC 5348 section 4.4).
* "none": A packet in 8 s, as when nobody answers: the letter of RFC 4654.
"""
TfmccLossEventSpan: TypeAlias = Literal["rtt", "window"]
"""The time from its first loss on in which further ones belong to a loss event.

* "rtt": The round-trip time R: the letter of RFC 4654 section 5.2.
* "window": What a TCP would have sent before it knew of the first loss, which it answers once: max(R, R') + min(3 gaps
  between packets, R'/4), where R' is the unsmoothed round-trip time of the packet that revealed that loss, 2 R at most.
  With less than a packet in it, or a mark, max(R, R') alone; before the first measurement R_max. Not in the RFC.
"""
TfmccMaxRtt: TypeAlias = Literal["rfc", "measured", "recent"]
"""The rule of R_max.

* "rfc": It falls by a tenth per round, not below the peak of the round: the letter of the RFC. After slow start has
  filled a buffer of many seconds it takes minutes, as rounds last six R_max.
* "measured": The same, but a round-trip time far above the receiver's own counts as twice that, one that tells of a
  silence does not count, and the rate grows by what was measured, whatever the gap between packets is. Not in the RFC.
* "recent": It is the peak of the last 4 rounds with reports, of those that ended in the last 10 s, and a third of the
  largest round-trip time of the last minute at least. Rounds last 8 s, or two R_max if that is more, at most, and
  receivers that have not measured their round-trip time are helped to it. Not in the RFC.
"""
TfmccOneWayAdjustment: TypeAlias = Literal["all", "others", "off"]
"""Who adjusts the round-trip time by one-way delays (RFC 4654 section 4.3.3).

* "all": Every receiver: the letter of the RFC.
* "others": All but the current limiting receiver, whose weight of 0.9 the unsmoothed adjustment would undo.
* "off": None.
"""
TfmccOutages: TypeAlias = Literal["one-event", "per-rtt"]
"""A row of lost packets that is longer than a round-trip time.

* "one-event": One loss event, if twice as many packets or more have come since the last one began. Not in the RFC.
* "per-rtt": A loss event for each round-trip time: the letter of the RFC.
"""
TfmccProfile: TypeAlias = Literal["faircast", "rfc4654"]
"""Sets of values for the keys that are left out.

* "faircast": The default of each key.
* "rfc4654": The letter of RFC 4654: `gap_floor` "decays", `max_rtt` "rfc", `suppressing_rounds` 8, `one_way_adjustment`
  "all", `discount_threshold` 0.5, `outages` "per-rtt", `loss_event_span` "rtt", `unanswered_clr` "kept", `idle_floor`
  "none".
"""
TfmccSeedFloor: TypeAlias = Literal["packet", "half"]
"""The least first loss interval.

* "packet": One packet. RFC 4654 names no bound.
* "half": The interval that gives half a packet per round-trip time, as with TFRC (RFC 5348 section 6.3.1): 4.8 packets.
"""
TfmccSlowStart: TypeAlias = Literal["rfc4654", "doubling"]
"""The way to the first rate.

* "rfc4654": Slow start: towards twice what the slowest receiver has got, until somebody reports a loss.
* "doubling": The first packets ask for reports, from which round-trip times are known; then the rate doubles in each of
  them, until packets take longer and longer to a receiver, as in RFC 9406, or are lost. Not in RFC 4654.
"""
TfmccTimerBias: TypeAlias = Literal["none", "offset"]
"""Feedback timers biased by the rate.

* "none": Chance alone.
* "offset": A quarter of the round depends on the desired rate relative to the sending rate: low rates report first.
"""
TfmccUnansweredClr: TypeAlias = Literal["predecessor", "kept"]
"""A limiting receiver that never reports again after it was selected in the place of another.

* "predecessor": The one that limited before does so again after ten round-trip times and the packets that name the new
  one. Not in the RFC.
* "kept": It is like any that falls silent: nobody limits until somebody reports.
"""
TreeMode: TypeAlias = Literal["sparse", "dense"]
"""How the tree of a session comes about.

* "sparse": By explicit joins: nothing flows where nobody has asked.
* "dense": By flooding: routers that have no use for what comes prune it back.
"""
TreeRebuild: TypeAlias = Literal["at-once", "by-messages"]
"""How routers come to know what is wanted below when the tree changes.

* "at-once": At that instant and without messages.
* "by-messages": By reports of those whose way to the source has changed.
"""
Utility: TypeAlias = Literal["own", "proportional", "potential-delay", "max-min", "alpha-fair"]
"""How a rate x is valued.

* "own": That of the sessions whose scheme has one: OMCC has f(N) times the rate of a flow on the same path. Else log x.
* "proportional": log x: proportional fairness.
* "potential-delay": -1/x: least potential delay, near to what TCP does.
* "max-min": The least rate first, then the next one.
* "alpha-fair": x^(1 - alpha) / (1 - alpha), log x for alpha = 1.
"""
Variant: TypeAlias = Literal["reno", "newreno", "sack", "westwood", "westwood+", "hybla", "cubic"]
"""The variant of TCP, by name.

* "reno": Reno: halves on loss; fast recovery ends with the first new ACK (RFC 5681).
* "newreno": NewReno: Reno whose fast recovery repairs several losses (RFC 6582).
* "sack": Reno with recovery from selective acknowledgements (RFC 2018, RFC 6675).
* "westwood": Westwood: after a loss, bandwidth times least RTT; estimated on every ACK.
* "westwood+": Westwood+: Westwood with one bandwidth sample per round trip.
* "hybla": Hybla: grows as fast as a reference flow with a shorter round trip.
* "cubic": CUBIC: grows by a cubic function of time; what most hosts use today (RFC 9438).
"""


@dataclasses.dataclass(kw_only=True, repr=False)
class AnySession(Part):
    """What every session may say, of whatever scheme.

    Parameters
    ----------
    source : str
        Sending node.
    application : Application, optional
        What the application has to send. Default: always something. For schemes that answer congestion.
    dscp : int, optional
        The DSCP of its packets, and of those that answer them, by which queues of kind "classes" tell them. Default 0.
        Legal: 0 to 63.
    membership : Membership, optional
        How members and routers come to the session's packets.
    playout : Playout, optional
        What its receivers play of it, and how. Default: nothing.
    receivers : Receivers, optional
        Who receives.
    start : str such as "250 ms", optional
        When the source starts. Default "0 s".
    start_jitter : str such as "250 ms", optional
        It starts later by a random time, uniform from zero to this. Default "0 s".
    stop : str such as "250 ms", optional
        When it stops. Default: not before the end.
    """

    source: str
    application: Application | None = None
    dscp: int | None = None
    membership: Membership | None = None
    playout: Playout | None = None
    receivers: Receivers | None = None
    start: str | None = None
    start_jitter: str | None = None
    stop: str | None = None


@dataclasses.dataclass(kw_only=True, repr=False)
class AnyFlow(Part):
    """What every flow may say, of whatever kind.

    Parameters
    ----------
    application : Application, optional
        What the application has to send. Default: always something. For TCP, whose own `segments` it takes the place
        of.
    count : int, optional
        So many flows, called NAME-0, NAME-1 and so on. Default: one flow, called NAME; where `from` or `to` names
        several nodes at once, as many as these are. Legal: 1 to 4294967295.
    dscp : int, optional
        The DSCP of their packets, and of those that answer them, by which queues of kind "classes" tell them. Default
        0. Legal: 0 to 63.
    from_ : str | Sequence[str], optional
        Sending node, or one for each of `count` flows: a list, or "home-*" for all nodes called so, or "home-[1-9]" for
        those of a row. Default: flow i is sent by the topology's left-i.
    pep : Pep, optional
        Proxies that split the connection of TCP. Default: there are none.
    start : str such as "250 ms" or a sequence of such, or Series, optional
        When the first flow starts. Default "0 s". A list has one for each of `count` flows.
    start_jitter : str such as "250 ms", optional
        Each flow starts later by a random time, uniform from zero to this. Default "0 s".
    start_step : str such as "250 ms", optional
        Time from the start of one flow to that of the next. Default "0 s": all start together.
    stop : str such as "250 ms", optional
        When all of them stop. Default: not before the end.
    to : str | Sequence[str], optional
        Receiving node, or one for each of `count` flows, like `from`. Default: flow i is received by the topology's
        right-i.
    """

    application: Application | None = None
    count: int | None = None
    dscp: int | None = None
    from_: str | Sequence[str] | None = None
    pep: Pep | None = None
    start: str | Sequence[str] | Series | None = None
    start_jitter: str | None = None
    start_step: str | None = None
    stop: str | None = None
    to: str | Sequence[str] | None = None


@dataclasses.dataclass(kw_only=True, repr=False)
class AnyLink(Part):
    """What both ways of a link, or one of them, may say.

    Parameters
    ----------
    acm : Acm, optional
        Of a link with a symbol rate: how the modulation and code of transmissions is chosen. Default: without delay.
    agent : RouterAgent, optional
        What looks after the queue in the router, of this direction alone. Default: nobody.
    changes : str | Sequence[Change], optional
        What changes while the network runs: a list, or the name of a CSV file. Default nothing.
    efficiency : float, optional
        Of a leg of a link with a symbol rate: the bits in a symbol that it can receive, 0.1 to 20. Legal: 0.1 to 20.
    es_n0 : str such as "6.5 dB", optional
        Of a leg of a link with a symbol rate, in the place of `efficiency`: the Es/N0 under a clear sky, -50 dB to 100
        dB. Legal: -50 dB to 100 dB.
    handoff_queue : {"keep", "lose", "discard"}, optional
        What becomes of packets that wait when the link goes down or turns elsewhere and they cannot be rerouted.
        Default "keep".
    header : str such as "1000 B", optional
        Bytes that the link layer adds to each packet, up to 1500 B: they take time, and bit errors can hit them.
        Default none.
    loss : Loss, optional
        What gets lost on the way. Default: nothing.
    mode : {"auto", "fused", "two-stage"}, optional
        How departures are computed. Default "auto". Results do not depend on it.
    queue : Queue, optional
        The queue in front of the transmitter. Default of a new link: drop-tail with 50 packets.
    rain : Rain, optional
        Of a leg with an Es/N0: rain on the way.
    reroute : bool, optional
        Whether packets to one host that wait when the link goes down or turns elsewhere take another way if there is
        one. Default true.
    symbol_rate : str such as "10 Mbaud", optional
        Of a link with legs, in the place of a rate: the symbols that its transmitter sends in a second, 100 baud to 10
        Gbaud. What a symbol carries depends on those who are to hear it. Legal: 100 baud to 10 Gbaud.
    trace : Trace, optional
        The link as it was measured, in the place of `changes`. Default nothing.
    """

    acm: Acm | None = None
    agent: RouterAgent | None = None
    changes: str | Sequence[Change] | None = None
    efficiency: float | None = None
    es_n0: str | None = None
    handoff_queue: HandoffQueue | None = None
    header: str | None = None
    loss: Loss | None = None
    mode: LinkMode | None = None
    queue: Queue | None = None
    rain: Rain | None = None
    reroute: bool | None = None
    symbol_rate: str | None = None
    trace: Trace | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Acm(Part):
    """How the modulation and code of transmissions is chosen.

    Without it there is no delay: what a leg can receive now is what it gets.

    Parameters
    ----------
    averaging : str such as "250 ms", optional
        Terminals report the mean of their Es/N0, in dB, over so long, up to 1 h. Default 0 s: the present one. Legal:
        at most 3600 s.
    floor : float, optional
        A packet to a group is sent with no less than this, bits in a symbol, while a leg that wants it is granted so
        much; the other legs do without. Default: the worst leg that wants it decides. Legal: 0.1 to 20.
    hysteresis : str such as "6.5 dB", optional
        By how much more than it needs is asked for before a better modulation and code is granted, 0 dB to 20 dB.
        Default 0 dB. Legal: 0 dB to 20 dB.
    margin : str such as "6.5 dB", optional
        What is taken off what is reported, 0 dB to 20 dB. Default 0 dB. Legal: 0 dB to 20 dB.
    report_delay : str such as "250 ms", optional
        How long a report is on its way to the gateway, up to 1 h. Default 0 s. Legal: at most 3600 s.
    report_interval : str such as "250 ms", optional
        How often terminals report. Default 0 s: whenever their Es/N0 changes. Legal: at most 3600 s.
    switching_delay : str such as "250 ms", optional
        From a report to the first transmission by it, up to 1 h. Default 0 s. Legal: at most 3600 s.
    """

    averaging: str | None = None
    floor: float | None = None
    hysteresis: str | None = None
    margin: str | None = None
    report_delay: str | None = None
    report_interval: str | None = None
    switching_delay: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Aloha(Part):
    """Terminals send in the next slot without asking, and what meets something else is lost or sent again.

    Parameters
    ----------
    backoff : int, optional
        Slots of which one is drawn to send again, after the first collision of a packet; twice as many after each
        further one, up to ten times. Default 8. Legal: 1 to 100000.
    delay : str such as "250 ms", optional
        From the end of a packet until its terminal knows that it has met another. Default: twice the longest delay of
        `links`. Legal: at most 10 s.
    retries : int, optional
        How often a packet is sent again at most. Default 0: what meets something else is lost. Legal: 0 to 100.
    """

    kind: ClassVar[str | None] = "aloha"

    backoff: int | None = None
    delay: str | None = None
    retries: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Application(Part):
    """What an application has to send, and when.

    Bytes are those of packets on the wire, headers included, as in all rates.

    It says `rate`, `bytes`, both, or a `trace`.

    Parameters
    ----------
    buffer : str such as "1000 B", optional
        What may wait until the source sends it, in whole packets; what does not find room is dropped, as a live source
        has it. Left out, all waits.
    bytes : str such as "1000 B", optional
        So much in all; when that has been sent the source stops. Left out, `rate` has no end. Legal: 1 B or more.
    rate : str such as "1.5 Mbit/s", optional
        It makes so much, evenly. Left out, all of `bytes` is there at the start. Legal: above 0 bit/s.
    trace : str | Sequence[Made], optional
        How much comes when, from the start of the source on: a list, or the name of a CSV file. After its end the
        source stops.
    """

    buffer: str | None = None
    bytes: str | None = None
    rate: str | None = None
    trace: str | Sequence[Made] | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Arrival(Part):
    """A transfer.

    Parameters
    ----------
    at : str such as "250 ms"
        When it arrives, from the start of the traffic.
    pair : int, optional
        Between the nodes of which pair, counted from 0. Default: drawn, each as likely as the others. Legal: 0 to
        4294967295.
    size : str such as "1000 B", optional
        How large it is, bytes of payload. Default: as `size` says. Legal: above 0 B.
    """

    at: str
    pair: int | None = None
    size: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Bernoulli(Part):
    """Loses each packet with the same probability, independently.

    Parameters
    ----------
    p : float | Series
        Probability that a packet is lost, 0 to 1. No default. Legal: 0 to 1.
    direction : {"both", "forward", "back"}, optional
        Which direction of the link loses; the other one then loses nothing. Default "both".
    """

    kind: ClassVar[str | None] = "bernoulli"

    p: float | Series
    direction: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class BitError(Part):
    """Loses a packet if one of its bits is hit; bits are hit independently.

    Parameters
    ----------
    ber : float
        Bit error rate: probability that a bit is hit, from 0 to less than 1. No default; satellite links 1e-8 to 1e-6
        [Ehlert]. Legal: from 0 to less than 1, for with 1 no bit would arrive as it was sent.
    direction : {"both", "forward", "back"}, optional
        Which direction of the link loses; the other one then loses nothing. Default "both".
    """

    kind: ClassVar[str | None] = "bit-error"

    ber: float
    direction: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Branch(Part):
    """A branch: a trunk, and links to and from receivers behind it, over a satellite or wires.

    Parameters
    ----------
    down : Settings, optional
        The links to the receivers, sat-down-0 and so on. Default of "geo" 300 kbit/s, 125 ms, of "geo-ka" 30 Mbit/s,
        125 ms, of "adsl" 768 kbit/s, 10 ms, of "geo-broadcast" one of 38 Mbit/s, 125 ms for all; drop-tail with 50
        packets, from 30 Mbit/s with 1000. Of "ka-beam" one of 104 Mbaud, 125 ms, 14 dB, drop-tail with 5000.
    each : Sequence[BranchReceiver], optional
        What is different about receivers, which they take by turns: of two, the third receiver has the first again.
    feeder : Duplex, optional
        The link from the station to the satellite, sat-feeder. Default 10 Mbit/s, 125 ms, drop-tail with 50 packets;
        "geo-ka" and "ka-beam" 1 Gbit/s, "geo-broadcast" 100 Mbit/s, all with 1000 packets. Of a bent pipe it has a
        delay only.
    payload : {"processing", "bent-pipe"}, optional
        What the satellite does with packets. Default "processing" for "geo", "bent-pipe" for "geo-ka", "geo-broadcast"
        and "ka-beam".
    preset : {"geo", "geo-ka", "geo-broadcast", "ka-beam", "adsl"}, optional
        What it is like where it says nothing else. Default "geo".
    receivers : int, optional
        Hosts for receivers: of a branch called sat sat-0, sat-1 and so on. Default 2. Legal: 1 to 1000000.
    satellite : float, optional
        The longitude above which the satellite stands, degrees east. Needed where places are given by theirs. Legal:
        -180 to 360.
    station : Site, optional
        Where the station is, from which the delay of `feeder` follows. Default: that delay is given.
    terminal : Site, optional
        Where the receivers are, from which the delays of `down` and `up` follow. Default: those delays are given.
    trunk : Duplex, optional
        The link from the router to the station or node, sat-trunk. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets;
        "geo-ka" and "ka-beam" 1 Gbit/s, "geo-broadcast" 100 Mbit/s, all with 1000 packets.
    up : Settings, optional
        The links from the receivers, sat-up-0 and so on, one for each. Default of "geo" 8 kbit/s, 125 ms, of "geo-ka" 3
        Mbit/s, 125 ms, of "geo-broadcast" 512 kbit/s, 125 ms, of "adsl" 128 kbit/s, 10 ms; drop-tail with 50 packets,
        with 100 of "geo-ka". Of "ka-beam" 125 ms and 100 packets, in slots of the return channel sat-return.
    """

    down: Settings | None = None
    each: Sequence[BranchReceiver] | None = None
    feeder: Duplex | None = None
    payload: Payload | None = None
    preset: BranchPreset | None = None
    receivers: int | None = None
    satellite: float | None = None
    station: Site | None = None
    terminal: Site | None = None
    trunk: Duplex | None = None
    up: Settings | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class BranchReceiver(Part):
    """What is different about a receiver of a branch.

    Parameters
    ----------
    down : Settings, optional
        The link to it. Where all hear one downlink: delay and loss.
    terminal : Site, optional
        Where it is.
    up : Settings, optional
        The link from it.
    """

    down: Settings | None = None
    terminal: Site | None = None
    up: Settings | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Branches(Part):
    """Sources at a router, receivers on branches over satellites or wires.

    Parameters
    ----------
    access : Duplex, optional
        Their links, access-source-0 and so on. Default 10 ms; rate and queue as those of the fastest trunk: 10 Mbit/s,
        drop-tail with 50 packets for the presets "geo" and "adsl".
    branches : Mapping[str, Branch], optional
        The branches by name, of which nodes and links of the branch have theirs; at least one.
    sources : int, optional
        Hosts for sources at the node `router`: source-0, source-1 and so on. Default 1. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "branches"

    access: Duplex | None = None
    branches: Mapping[str, Branch] | None = None
    sources: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Cbr(AnyFlow):
    """Packets at a constant rate.

    It takes, too, what `AnyFlow` takes.

    Parameters
    ----------
    ecn : {"off", "ect0", "ect1"}, optional
        The ECN field of its packets. Default "off". Sessions never have "ect1": their receivers do not answer marks in
        the way that it promises (RFC 9331, section 4.3).
    jitter : float, optional
        Each gap is the nominal one times 1 + U(-jitter, jitter). 0 (the default) means none, 0.5 is ns-2's `random_`.
        Legal: 0 to 1.
    packet_size : str such as "1000 B" or a sequence of such, optional
        Size of a packet on the wire. Default 210 B (ns-2). A list has one for each of `count` flows.
    rate : str such as "1.5 Mbit/s" or a sequence of such, optional
        Bits on the wire per second, headers included. Default 448 kbit/s (ns-2). A list has one for each of `count`
        flows. Legal: above 0 bit/s up to 1000 Gbit/s.
    """

    kind: ClassVar[str | None] = "cbr"

    ecn: EcnField | None = None
    jitter: float | None = None
    packet_size: str | Sequence[str] | None = None
    rate: str | Sequence[str] | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class CbrParameters(Part):
    """Parameters of the scheme cbr, for all sessions that do not say them.

    Parameters
    ----------
    ecn : {"off", "ect0", "ect1"}, optional
        The ECN field of its packets. Default "off". Sessions never have "ect1": their receivers do not answer marks in
        the way that it promises (RFC 9331, section 4.3).
    jitter : float, optional
        Each gap is the nominal one times 1 + U(-jitter, jitter). 0 (the default) means none, 0.5 is ns-2's `random_`.
        Legal: 0 to 1.
    packet_size : str such as "1000 B", optional
        Size of a packet on the wire. Default 210 B (ns-2).
    rate : str such as "1.5 Mbit/s", optional
        Bits on the wire per second, headers included. Default 448 kbit/s (ns-2). Legal: above 0 bit/s up to 1000
        Gbit/s.
    """

    ecn: EcnField | None = None
    jitter: float | None = None
    packet_size: str | None = None
    rate: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class CbrSession(AnySession, CbrParameters):
    """A constant rate: no congestion control, to compare with.

    It takes, too, what `AnySession` and `CbrParameters` take.
    """

    scheme: ClassVar[str | None] = "cbr"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Chain(Part):
    """Hosts at both ends of a row of routers.

    Parameters
    ----------
    access : Duplex, optional
        The links of all hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
        packets.
    access_left : Duplex, optional
        What is different on the left, for left-0, left-1 and so on.
    access_right : Duplex, optional
        What is different on the right, for right-0, right-1 and so on.
    hop : Duplex, optional
        The links hop-0, hop-1 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    hops : int, optional
        Links between routers: router-0, router-1 and so on are joined by hop-0, hop-1 and so on. Default 2. Legal: 1 to
        1000000.
    left : int, optional
        Hosts at router-0, left-0, left-1 and so on. Default 2. Legal: 1 to 1000000.
    right : int, optional
        Hosts at the last router, right-0, right-1 and so on. Default 2. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "chain"

    access: Duplex | None = None
    access_left: Duplex | None = None
    access_right: Duplex | None = None
    hop: Duplex | None = None
    hops: int | None = None
    left: int | None = None
    right: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Change(Part):
    """A change of a link: everything that is said changes at that instant, before anything else happens.

    Parameters
    ----------
    at : str such as "250 ms"
        When, from the start of the run.
    attenuation : str such as "6.5 dB", optional
        What is taken off its Es/N0 from now on, 0 dB to 100 dB. Only for legs with `es_n0`. Legal: 0 dB to 100 dB.
    delay : str such as "250 ms", optional
        Its propagation delay from now on, up to 1 h. Packets take the delay of their departure. Legal: at most 3600 s,
        for light is at Saturn by then.
    delay_to : str such as "250 ms", optional
        The delay goes from `delay` to this one in a straight line, in the time `over`. Legal: at most 3600 s, for light
        is at Saturn by then.
    efficiency : float, optional
        The bits in a symbol that it can receive from now on, 0.1 to 20. Only for legs with `efficiency`. Legal: 0.1 to
        20.
    es_n0 : str such as "6.5 dB", optional
        Its Es/N0 under a clear sky from now on, -50 dB to 100 dB. Only for legs with `es_n0`. Legal: -50 dB to 100 dB.
    loss : Loss, optional
        What gets lost from now on.
    over : str such as "250 ms", optional
        How long the delay takes from `delay` to `delay_to`. It stays there unless another change comes first.
    rate : str such as "1.5 Mbit/s", optional
        Its rate from now on, 10 bit/s to 10000 Gbit/s. What is in transmission completes at the old one. Legal: 10
        bit/s to 10000 Gbit/s.
    to : str, optional
        Node to which it leads from now on. Only for links with `simplex`.
    up : bool, optional
        Whether it is up from now on.
    """

    at: str
    attenuation: str | None = None
    delay: str | None = None
    delay_to: str | None = None
    efficiency: float | None = None
    es_n0: str | None = None
    loss: Loss | None = None
    over: str | None = None
    rate: str | None = None
    to: str | None = None
    up: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Classes(Part):
    """Queues of any kind by DSCP: strict priorities, and weights among equal ones.

    Parameters
    ----------
    classes : Sequence[QueueClass], optional
        The classes. Default: "expedited" (DSCP 46, EF) before all others, up to a tenth of the link's rate (RFC 3246);
        "assured" (AF11 to AF43, RFC 2597) and "default", of which the first has three times the weight.
    limit : str such as "50 packets", optional
        The most that may wait in all classes together, in packets or in bytes; each queue has its own limit beside it.
        Default "10000 packets".
    """

    kind: ClassVar[str | None] = "classes"

    classes: Sequence[QueueClass] | None = None
    limit: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class ClimbStep(Part):
    """A change of a member's level.

    Parameters
    ----------
    after : str such as "250 ms"
        How long after the member's start.
    level : int
        How many layers it holds from then on. Legal: 0 to 4294967295.
    """

    after: str
    level: int


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Codel(Part):
    """Controlled delay: drops or marks those that leave after waiting too long.

    Parameters
    ----------
    ce_threshold : str such as "250 ms", optional
        Marks ECN-capable packets that have waited for longer than this, whatever else is decided: for senders that
        answer many marks little, such as DCTCP (RFC 8290, section 5.2.7). Default: none. Legal: at most 3600 s.
    ecn : bool, optional
        Marks ECN-capable packets instead of dropping them. Default false (RFC 8289 has drops).
    interval : str such as "250 ms", optional
        How long all packets must have waited for more than `target` before the first is dropped, and the time between
        the first two drops: a usual round-trip time. Default "100 ms" (RFC 8289, section 4.2). Legal: above target up
        to 3600 s.
    limit : str such as "50 packets", optional
        The most that may wait, in packets or in bytes, without the packet in transmission. Default "1000 packets"
        (Linux; RFC 8289 has none).
    mtu : str such as "1000 B", optional
        As long as no more than this would be left waiting nothing is dropped. Default: the largest packet that has come
        so far (RFC 8289, section 4.1). Legal: 1 B or more.
    target : str such as "250 ms", optional
        The time for which packets may wait for good. Default "5 ms" (RFC 8289, section 4.3, which advises 5 to 10 % of
        `interval`). Legal: above 0 s up to 3600 s.
    """

    kind: ClassVar[str | None] = "codel"

    ce_threshold: str | None = None
    ecn: bool | None = None
    interval: str | None = None
    limit: str | None = None
    mtu: str | None = None
    target: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Configured(Part):
    """The number of receivers as it is given.

    Parameters
    ----------
    receivers : int, optional
        N, how many receivers there are. Left out, as many as the session was set up with. Legal: 1 to 4294967295.
    """

    kind: ClassVar[str | None] = "configured"

    receivers: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Constant(Part):
    """All are equal.

    Parameters
    ----------
    bytes : str such as "1000 B", optional
        Size of each. Default "100 KB". Legal: above 0 B.
    """

    kind: ClassVar[str | None] = "constant"

    bytes: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Constellation(Part):
    """Satellites that move over ground stations, with links among them.

    Parameters
    ----------
    altitude : float, optional
        Above the ground, km. Default: that of the preset; Walker's patterns need it. Legal: 160 to 100000.
    cross_seam : bool, optional
        Whether there are links across the seam, where planes go against each other. Default false; true for
        "teledesic".
    date : str, optional
        When the run of real satellites starts, UTC: "2026-06-14T00:00:00". Default: the latest epoch of the elements.
    downlink : Settings, optional
        The transmitter of each satellite to its stations, `sat-1-1-down` and so on; its losses are those of the legs,
        `sat-1-1-down-NAME`. Default 1.5 Mbit/s, drop-tail with 50 packets, 16 B of header.
    elements : str | Sequence[Elements], optional
        Real satellites: a file of their element sets, OMM in JSON or two-line elements, or a list of them;
        "iridium-next" is a sample that comes with the program.
    handoff : {"follow-plane", "nearest", "longest-lived"}, optional
        How stations choose their satellites. Default "follow-plane".
    handoff_check : str such as "250 ms", optional
        A station looks this often, at least "1 ms". Default "10 s".
    handoff_jitter : str such as "250 ms", optional
        Each time between two looks is drawn anew, uniformly, up to this much less or more. Default "0 s".
    handoff_outage : str such as "250 ms", optional
        How long a station has no link after each hand-off. Default "0 s".
    handoff_queue : {"keep", "lose", "discard"}, optional
        What becomes of packets that wait at a link that turns or goes down, for all links that say nothing else. Only
        those that are kept take another way if there is one. Default "keep".
    inclination : float, optional
        Degrees, more than 90 for orbits against the turning of the Earth. Default as altitude. Legal: 0 to 180.
    isl : Duplex, optional
        The links between satellites, `isl-1-1-1-2` from sat-1-1 to sat-1-2 and so on. Default 25 Mbit/s, drop-tail with
        50 packets, 16 B of header.
    isl_between_planes : int, optional
        In how many planes on either side. Default 1; 2 for "teledesic". Legal: 0 to 8.
    isl_check : str such as "250 ms", optional
        Latitude, longitude and sight are looked at this often, at least "1 ms". Default "10 s".
    isl_in_plane : int, optional
        How many satellites ahead in its plane, and as many behind, a satellite has links to. Default 1; 2 for
        "teledesic". Legal: 0 to 8.
    isl_latitude : float, optional
        Latitude above which a satellite's links to other planes are down, degrees. Default 60 for "iridium" and
        "teledesic", 70 for "oneweb", "telesat", "star" and "elements", 90 for "starlink", "kuiper" and "delta". Legal:
        0 to 90.
    isl_longitude : float, optional
        Difference of longitudes below which links across the seam are down, degrees. Default 10; 8 for "teledesic".
        Legal: 0 to 180.
    mask : float, optional
        The least elevation of a satellite that stations take, degrees. Default 8.2; 40 for "teledesic", 25 for
        "starlink", 55 for "oneweb", 35 for "kuiper", 10 for "telesat". Legal: 0 to 89.
    phasing : int, optional
        Walker's F: by how many parts of the circle divided by the number of satellites each plane is ahead of the one
        before. Default 0; in presets as the chapter on constellations says, mostly every other plane half a slot ahead.
        Legal: 0 to 4294967295.
    planes : int, optional
        How many planes there are; of element sets into how many the satellites are sorted. Default as altitude. Legal:
        1 to 1000.
    reroute_interval : str such as "250 ms", optional
        Routes are computed anew this often, in the delays of that moment, beside when a link comes, goes or turns; at
        least "1 ms". Default "5 s", with which no way is more than 1 ms longer than the shortest one.
    shell : {"iridium", "teledesic", "starlink", "oneweb", "kuiper", "telesat", "star", "delta", "elements"}, optional
        What it is made from. Default "iridium".
    slots : int, optional
        How many satellites each plane has. Default as altitude. Legal: 1 to 1000.
    spacing : float, optional
        From one plane's ascending node to the next one's, degrees. Default: that of the preset; 180 divided by the
        number of planes for a star, 360 for a delta. Legal: 0 to 360.
    start : str such as "250 ms", optional
        How long the satellites of a shell have gone round when the run starts. Default 0 s: slot 1 of plane 1 crosses
        the equator at the meridian of Greenwich.
    uplink : Settings, optional
        The transmitter of each station, `NAME-up`. Default 1.5 Mbit/s, drop-tail with 50 packets, 16 B of header.
    """

    kind: ClassVar[str | None] = "constellation"

    altitude: float | None = None
    cross_seam: bool | None = None
    date: str | None = None
    downlink: Settings | None = None
    elements: str | Sequence[Elements] | None = None
    handoff: HandoffRule | None = None
    handoff_check: str | None = None
    handoff_jitter: str | None = None
    handoff_outage: str | None = None
    handoff_queue: HandoffQueue | None = None
    inclination: float | None = None
    isl: Duplex | None = None
    isl_between_planes: int | None = None
    isl_check: str | None = None
    isl_in_plane: int | None = None
    isl_latitude: float | None = None
    isl_longitude: float | None = None
    mask: float | None = None
    phasing: int | None = None
    planes: int | None = None
    reroute_interval: str | None = None
    shell: Shell | None = None
    slots: int | None = None
    spacing: float | None = None
    start: str | None = None
    uplink: Settings | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Cra(Part):
    """Each has the same slots in each superframe (constant rate assignment).

    Parameters
    ----------
    constant : int, optional
        Slots of each terminal in a superframe. Default: as many as there are for each. Legal: 1 to 100000.
    free : bool, optional
        Whether all share the slots that are left. Default false.
    """

    kind: ClassVar[str | None] = "cra"

    constant: int | None = None
    free: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Csv(Part):
    """Any of rate, delay, loss and whether it was up: a CSV file.

    Parameters
    ----------
    file : str
        A CSV file with the columns time, rate, delay, loss, up, as `changes` takes it, of any length.
    """

    kind: ClassVar[str | None] = "csv"

    file: str


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class DropTail(Part):
    """Drops packets that find no room.

    Parameters
    ----------
    count_transmission : bool, optional
        Whether the limit counts the packet in transmission: of 50 packets 49 wait (ns-2). A limit in bytes then admits
        a packet if the bytes waiting and its own are less than the limit, otherwise if they are not more. Default true
        (ns-2).
    limit : str such as "50 packets", optional
        The most that the queue holds, in packets or in bytes. Default "50 packets" (ns-2).
    """

    kind: ClassVar[str | None] = "drop-tail"

    count_transmission: bool | None = None
    limit: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Dualpi2(Part):
    """A low-latency and a classic queue with coupled controllers.

    Parameters
    ----------
    alpha : float, optional
        Weight of the deviation from the target, 1/s. Default 0.1·`t_update`/`rtt_max`² (appendix A.1). Legal: 0 to
        1000.
    beta : float, optional
        Weight of the change since the last update, 1/s. Default 0.3/`rtt_max` (appendix A.1). Legal: 0 to 1000.
    classic_share : float, optional
        What the classic queue gets at least while both have packets. Default 0.0625 (appendix A.2: "e.g., 1/16").
        Legal: above 0 up to 0.5.
    k : float, optional
        The coupling factor: marks of the L queue have the probability `k`·p', drops of the classic one p'². Default 2
        (appendix A.1). Legal: 0.01 to 100.
    limit : str such as "50 packets", optional
        The most that may wait in both queues together, in packets or in bytes. Default "10000 packets" (Linux; RFC
        9332, appendix A.1, has 250 ms at the highest rate of the link).
    min_th : str such as "250 ms", optional
        Delay at which the L queue begins to mark. Default "800 us" (appendix A.1). Legal: at most 3600 s.
    mtu : str such as "1000 B", optional
        Nothing but the ramp acts while less than two of these wait. Default: the largest packet so far (appendix A.1
        has the MTU). Legal: 1 B or more.
    range : str such as "250 ms", optional
        Width of the ramp over which the probability of that mark rises to 1; at 0 it is a step. Default "400 us"
        (appendix A.1). Legal: at most 3600 s.
    rtt_max : str such as "250 ms", optional
        The longest usual round-trip time, by which the controller is stable. Default "100 ms" (appendix A.1). Legal:
        above 0 s up to 3600 s.
    t_update : str such as "250 ms", optional
        Time between two updates. Default: the smaller one of `target` and a third of `rtt_max` (appendix A.1). Legal:
        0.000001 s to 3600 s.
    target : str such as "250 ms", optional
        The delay of the classic queue that the controller aims at. Default "15 ms" (RFC 9332, appendix A.1). Legal:
        above 0 s up to 3600 s.
    th_len : int, optional
        The ramp does not act while no more packets than these wait in the L queue, the one that leaves included.
        Default 1 (appendix A.1). Legal: 0 to 4294967295.
    """

    kind: ClassVar[str | None] = "dualpi2"

    alpha: float | None = None
    beta: float | None = None
    classic_share: float | None = None
    k: float | None = None
    limit: str | None = None
    min_th: str | None = None
    mtu: str | None = None
    range: str | None = None
    rtt_max: str | None = None
    t_update: str | None = None
    target: str | None = None
    th_len: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Dumbbell(Part):
    """Hosts on both sides of one bottleneck.

    Parameters
    ----------
    access : Duplex, optional
        The links of all hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
        packets.
    access_left : Duplex, optional
        What is different on the left, for left-0, left-1 and so on.
    access_right : Duplex, optional
        What is different on the right, for right-0, right-1 and so on.
    bottleneck : Duplex, optional
        The link `bottleneck` from left-router to right-router. Default 10 Mbit/s, 20 ms, drop-tail with 50 packets.
    left : int, optional
        Hosts on the left, left-0, left-1 and so on. Default 2. Legal: 1 to 1000000.
    right : int, optional
        Hosts on the right, right-0, right-1 and so on. Default 2. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "dumbbell"

    access: Duplex | None = None
    access_left: Duplex | None = None
    access_right: Duplex | None = None
    bottleneck: Duplex | None = None
    left: int | None = None
    right: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Duplex(AnyLink):
    """Settings of all links of one kind in a topology, both directions.

    It takes, too, what `AnyLink` takes.

    Parameters
    ----------
    back : Settings, optional
        What is different in the direction back.
    delay : str such as "250 ms", optional
        Propagation delay, up to 1 h. Legal: at most 3600 s, for light is at Saturn by then.
    rate : str such as "1.5 Mbit/s", optional
        Rate of the transmitter, 10 bit/s to 10000 Gbit/s. Legal: 10 bit/s to 10000 Gbit/s.
    """

    back: Settings | None = None
    delay: str | None = None
    rate: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Elements(Part):
    """The elements of a satellite.

    They are an Orbit Mean-Elements Message (CCSDS 502.0) for SGP4, with the names of its keywords.

    Parameters
    ----------
    ARG_OF_PERICENTER : float
        Argument of the perigee, degrees.
    ECCENTRICITY : float
        Shape of the orbit. Legal: 0 to 1.
    EPOCH : str
        When the elements hold, UTC.
    INCLINATION : float
        Degrees. Legal: 0 to 180.
    MEAN_ANOMALY : float
        Degrees.
    MEAN_MOTION : float
        Turns per day.
    NORAD_CAT_ID : int
        Its number in the catalogue. Legal: 0 to 9223372036854775807.
    OBJECT_NAME : str
        Name of the satellite.
    RA_OF_ASC_NODE : float
        Right ascension of the ascending node, degrees.
    BSTAR : float, optional
        Drag, per radius of the Earth.
    CLASSIFICATION_TYPE : str, optional
        Whether it is classified.
    ELEMENT_SET_NO : int, optional
        How often elements have been given. Legal: 0 to 9223372036854775807.
    EPHEMERIS_TYPE : int, optional
        Which theory the elements are for: 0, SGP4. Legal: 0 to 4.
    MEAN_MOTION_DDOT : float, optional
        A sixth of the second one, turns per day cubed.
    MEAN_MOTION_DOT : float, optional
        Half of the first derivative of the mean motion, turns per day squared.
    OBJECT_ID : str, optional
        Its international designator.
    REV_AT_EPOCH : int, optional
        How often it has gone round. Legal: 0 to 9223372036854775807.
    """

    ARG_OF_PERICENTER: float
    ECCENTRICITY: float
    EPOCH: str
    INCLINATION: float
    MEAN_ANOMALY: float
    MEAN_MOTION: float
    NORAD_CAT_ID: int
    OBJECT_NAME: str
    RA_OF_ASC_NODE: float
    BSTAR: float | None = None
    CLASSIFICATION_TYPE: str | None = None
    ELEMENT_SET_NO: int | None = None
    EPHEMERIS_TYPE: int | None = None
    MEAN_MOTION_DDOT: float | None = None
    MEAN_MOTION_DOT: float | None = None
    OBJECT_ID: str | None = None
    REV_AT_EPOCH: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Engine(Part):
    """Settings of the simulator.

    Results do not depend on any of them.

    Parameters
    ----------
    calendar : {"wheel", "heap"}, optional
        The data structure that holds what happens next. Default "wheel".
    clock_offsets : bool, optional
        Gives the clock of every node a constant offset of its own, as real hosts have. Default true.
    link_mode : {"auto", "fused", "two-stage"}, optional
        How links with mode "auto" compute departures. Default "auto": fused unless the queue decides at departure.
    """

    calendar: Calendar | None = None
    clock_offsets: bool | None = None
    link_mode: LinkMode | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Estimated(Part):
    """An estimate of N from the uniform numbers of the feedback timers.

    Parameters
    ----------
    rounds : int, optional
        k: rounds for one estimate, those left out in which only the limiting receiver reports. Default 32: a standard
        deviation of 18 %. Legal: 3 to 10000.
    weight : float, optional
        Weight of a new estimate against the mean of those before. Default 0.25. Legal: above 0 up to 1.
    """

    kind: ClassVar[str | None] = "estimated"

    rounds: int | None = None
    weight: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Every(Part):
    """Loses every n-th packet.

    Parameters
    ----------
    n : int
        The packet with this number is lost, counted from 1, and each that comes as many after it. No default. Legal: 1
        to 9223372036854775807.
    direction : {"both", "forward", "back"}, optional
        Which direction of the link loses; the other one then loses nothing. Default "both".
    """

    kind: ClassVar[str | None] = "every"

    n: int
    direction: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Exponential(Part):
    """Sizes with an exponential distribution.

    Parameters
    ----------
    mean : str such as "1000 B", optional
        Default "100 KB". Legal: above 0 B.
    """

    kind: ClassVar[str | None] = "exponential"

    mean: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class FqCodel(Part):
    """Fair queueing by flows, each queue under controlled delay.

    Parameters
    ----------
    batch : int, optional
        The most packets that are dropped at once when the limit is passed. Default 64 (section 4.1). Legal: 1 to
        4294967295.
    by : {"address", "session"}, optional
        What a flow is. Default "address" (section 4.1).
    ce_threshold : str such as "250 ms", optional
        Marks ECN-capable packets that have waited for longer than this, whatever else is decided (section 5.2.7).
        Default: none. Legal: at most 3600 s.
    ecn : bool, optional
        Marks ECN-capable packets instead of dropping them. Default true (section 5.2.6).
    flows : int, optional
        Values of the hash, and so queues. Default 1024 (section 5.2.5). Legal: 1 to 65536.
    interval : str such as "250 ms", optional
        How long all packets of a flow must have waited for more than `target` before the first is dropped: the longest
        usual round-trip time. Default "100 ms" (section 5.2.1). Legal: above target up to 3600 s.
    limit : str such as "50 packets", optional
        The most that may wait in all queues together, in packets or in bytes. Beyond it packets are dropped from the
        head of the longest. Default "10240 packets" (RFC 8290, section 5.2.3).
    mtu : str such as "1000 B", optional
        As long as no more than this would be left waiting nothing is dropped. Default: the largest packet that has come
        so far (RFC 8289, section 4.1). Legal: 1 B or more.
    occupancy : {"shared", "own"}, optional
        Where `mtu` must be left waiting for a drop: in the queues of all flows together, or in that of the flow alone.
        Default "shared" (RFC 8289, section 4.4).
    quantum : str such as "1000 B", optional
        Bytes that a flow sends in a turn. Default "1514 B" (section 5.2.4). Legal: 1 B to 1000000 B.
    target : str such as "250 ms", optional
        The time for which packets of a flow may wait for good. Default "5 ms" (section 5.2.2, which advises at least
        the time that a packet takes, and otherwise 5 to 10 % of `interval`). Legal: above 0 s up to 3600 s.
    """

    kind: ClassVar[str | None] = "fq-codel"

    batch: int | None = None
    by: FlowBy | None = None
    ce_threshold: str | None = None
    ecn: bool | None = None
    flows: int | None = None
    interval: str | None = None
    limit: str | None = None
    mtu: str | None = None
    occupancy: FlowOccupancy | None = None
    quantum: str | None = None
    target: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class GilbertElliott(Part):
    """Loses packets in bursts: a good and a bad state.

    Parameters
    ----------
    bad_time : str such as "250 ms", optional
        Mean of the exponential stays in the bad state.
    bad_to_good : float, optional
        Probability per packet of passing from bad to good, 0 to 1. Legal: 0 to 1.
    direction : {"both", "forward", "back"}, optional
        Which direction of the link loses; the other one then loses nothing. Default "both".
    good_time : str such as "250 ms", optional
        Mean of the exponential stays in the good state: the chain goes by time.
    good_to_bad : float, optional
        Probability per packet of passing from good to bad, 0 to 1. Legal: 0 to 1.
    loss_bad : float, optional
        Probability that a packet is lost in the bad state, 0 to 1. Default 1. Legal: 0 to 1.
    loss_good : float, optional
        Probability that a packet is lost in the good state, 0 to 1. Default 0. Legal: 0 to 1.
    mean_burst : str such as "50 packets", optional
        Mean stay in the bad state; with `loss_bad` 1 the mean number of packets lost in a row. Default "5 packets",
        with `mean_loss`.
    mean_loss : float, optional
        Loss in the long run, from `loss_good` to below `loss_bad`. The chain then goes by packets.
    """

    kind: ClassVar[str | None] = "gilbert-elliott"

    bad_time: str | None = None
    bad_to_good: float | None = None
    direction: str | None = None
    good_time: str | None = None
    good_to_bad: float | None = None
    loss_bad: float | None = None
    loss_good: float | None = None
    mean_burst: str | None = None
    mean_loss: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class LayerBlocking(Part):
    """Blocks and releases layers by the state of the queue, so that sessions get what unicast flows get [Peng].

    Parameters
    ----------
    admission : {"capped", "open"}, optional
        What becomes of layers that are joined (open in the paper). Default "capped".
    back_factor : float, optional
        F_back: it grows so many times when a block follows a release. Default 4. Legal: 1 or more.
    block_hold : str such as "250 ms", optional
        The least time from one block to the next (open in the paper). Default 0.5 s.
    compared : {"observation", "hold"}, optional
        What a release waits for that follows from a comparison, as multicast sessions have less than unicast flows
        (open in the paper). Default "observation"; with `reads = "drops"` "hold".
    count : {"packets", "bytes"}, optional
        What is counted of the traffic. Default "packets", as in the paper.
    excess : float, optional
        R_block: a block needs a mean rate of multicast sessions that is above that of unicast flows by more than this
        part. Default 0.2. Legal: 0 or more.
    hold : str such as "250 ms", optional
        The least time from one action to the next (open in the paper). Default: the window.
    interval : str such as "250 ms", optional
        I_chk: from one look at the queue to the next. Default 20 ms. Legal: 0.001 s or more.
    lifetime : str such as "250 ms", optional
        For how long after its last packet a flow or layer counts as there (open in the paper). Default 3 s. Legal:
        interval or more.
    lower_threshold : float, optional
        F1: up to this part of the queue's limit the queue is short (phase 1). Default 0: empty. Legal: 0 to 1.
    max_observation : str such as "250 ms", optional
        The longest that the observation time becomes (open in the paper). Default 64 s. Legal: observation or more.
    memory : str such as "250 ms", optional
        With `reads = "drops"`: for so long after a drop or mark the queue counts as long, and as short after a `window`
        without any. Default 100 ms. Legal: interval or more.
    observation : str such as "250 ms", optional
        T_obs at first: how long the queue must have been short before a release. Default 1 s. Legal: 0.001 s or more.
    reads : {"length", "drops"}, optional
        What says whether the queue is short or long. Default "length", as in the paper.
    reset : {"calm", "never", "level"}, optional
        When the observation time returns to its first value (open in the paper). Default "calm"; with `reads = "drops"`
        "level".
    slow_factor : float, optional
        F_slow: the observation time grows so many times with a release that follows another. Default 1.5. Legal: 1 or
        more.
    unicast : {"flow", "pair"}, optional
        What is one unicast session. Default "flow".
    upper_threshold : float, optional
        F2: from this part of the queue's limit on it is long (phase 3). Default 0.8. Legal: above lower_threshold; 0 to
        1.
    window : str such as "250 ms", optional
        Over how long packets are counted (open in the paper). Default 2 s. Legal: interval or more.
    """

    kind: ClassVar[str | None] = "layer-blocking"

    admission: BlockingAdmission | None = None
    back_factor: float | None = None
    block_hold: str | None = None
    compared: BlockingCompared | None = None
    count: BlockingCount | None = None
    excess: float | None = None
    hold: str | None = None
    interval: str | None = None
    lifetime: str | None = None
    lower_threshold: float | None = None
    max_observation: str | None = None
    memory: str | None = None
    observation: str | None = None
    reads: BlockingReads | None = None
    reset: BlockingReset | None = None
    slow_factor: float | None = None
    unicast: BlockingUnicast | None = None
    upper_threshold: float | None = None
    window: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class LayerBlockingParameters(Part):
    """Parameters of the scheme layer-blocking, for all sessions that do not say them.

    Parameters
    ----------
    add_interval : str such as "250 ms", optional
        How long a receiver that is new waits between one layer and the next. Default 2 s. Legal: 0.001 s or more.
    check_interval : str such as "250 ms", optional
        From one look at what comes to the next. Default 0.5 s. Legal: 0.001 s or more.
    ecn : bool, optional
        Whether data is ECN-capable, so that queues mark it in place of dropping it. Receivers answer no marks, as they
        answer no losses; router agents that read drops (`reads = "drops"`) read marks, too. Choice of this project.
        Default false.
    greedy : bool, optional
        Members misbehave: they join all layers at once and never leave one. Default false.
    jitter : float, optional
        Each gap of the source is the nominal one times 1 + U(-jitter, jitter). Default 0.5, ns-2's `random_`. Legal: 0
        to 1.
    join_latency : str such as "250 ms", optional
        The most that a join is taken to need. Default 0.6 s.
    packet_size : str such as "1000 B", optional
        Size of a packet on the wire. Default 1000 B.
    rates : Sequence[str], optional
        Rate of each layer, the base first, headers included. Default 15 layers of 50 kbit/s [Peng].
    silence : str such as "250 ms", optional
        A layer is silent if nothing of it has come for this long, or for ten of its packet gaps or three join latencies
        if these are longer. Default 2 s. Legal: 0.001 s or more.
    """

    add_interval: str | None = None
    check_interval: str | None = None
    ecn: bool | None = None
    greedy: bool | None = None
    jitter: float | None = None
    join_latency: str | None = None
    packet_size: str | None = None
    rates: Sequence[str] | None = None
    silence: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class LayerBlockingSession(AnySession, LayerBlockingParameters):
    """Layers that routers block and release: receivers hold one that does not come.

    It takes, too, what `AnySession` and `LayerBlockingParameters` take.
    """

    scheme: ClassVar[str | None] = "layer-blocking"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class LayeredCbrParameters(Part):
    """Parameters of the scheme layered-cbr, for all sessions that do not say them.

    Parameters
    ----------
    announce : {"apart", "base"}, optional
        Whether, and where, members tell each other when they go to another level, in a packet of 47 B. Default: they do
        not.
    climb : Sequence[ClimbStep], optional
        When members go on to other levels, in the order of time. Default: never.
    ecn : bool, optional
        Whether its packets are ECN-capable. Members answer no marks. Default false.
    jitter : float, optional
        Each gap is the nominal one times 1 + U(-jitter, jitter). 0 (the default) means none, 0.5 is ns-2's `random_`.
        Legal: 0 to 1.
    level : int, optional
        How many layers members join when they start. Default: all. Legal: 0 to 4294967295.
    packet_size : str such as "1000 B", optional
        Size of a packet on the wire. Default 1000 B.
    rates : Sequence[str], optional
        Rate of each layer, the base first, headers included. Default 32, 64, 128 and 256 kbit/s (ns-2's example of
        RLM).
    """

    announce: Announce | None = None
    climb: Sequence[ClimbStep] | None = None
    ecn: bool | None = None
    jitter: float | None = None
    level: int | None = None
    packet_size: str | None = None
    rates: Sequence[str] | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class LayeredCbrSession(AnySession, LayeredCbrParameters):
    """Constant rates in layers, of which members hold the first: no congestion control.

    It takes, too, what `AnySession` and `LayeredCbrParameters` take.
    """

    scheme: ClassVar[str | None] = "layered-cbr"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Lens(Part):
    """Round-trip or one-way times: a CSV file of LENS.

    Parameters
    ----------
    file : str
        The file.
    column : {"rtt", "uplink", "downlink"}, optional
        Which column is the delay. Default "rtt": half of it.
    longest_gap : str such as "250 ms", optional
        A longer time between two lines is a hole, and refused. Default "1 s". Legal: 0.001 s or more.
    """

    kind: ClassVar[str | None] = "lens"

    file: str
    column: LensColumn | None = None
    longest_gap: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Leocc(Part):
    """When it could send, and its delay: a pair of files of LeoCC.

    Parameters
    ----------
    bw : str
        When it could send, as in a file of Mahimahi.
    delay : str
        A file with a whole number of milliseconds in every line, the one-way delay of one interval after the other.
    interval : str such as "250 ms", optional
        How long each delay holds. Default "10 ms". Legal: 0.001 s or more.
    """

    kind: ClassVar[str | None] = "leocc"

    bw: str
    delay: str
    interval: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Lie(Part):
    """How some of the receivers of a session lie.

    Parameters
    ----------
    after : str such as "250 ms", optional
        How long after its join each begins to lie. Default "0 s".
    delay : str such as "250 ms", optional
        Of "late": by how much its reports are late. Default "2 s".
    liars : int, optional
        How many receivers lie: the last ones. Default 1. Legal: 1 to 4294967295.
    part : float, optional
        Of "loss": the part of data packets that it pretends not to have got. Default 0.3. Legal: 0 to 1.
    period : str such as "250 ms", optional
        Of "flapping": how long it is there and away by turns; of "flood": the time from one report to the next. Default
        "5 s". Legal: 0.001 s or more.
    what : {"loss", "nothing", "contradiction", "late", "flapping", "acknowledge", "silence", "flood"}, optional
        What they do. Default "loss".
    """

    after: str | None = None
    delay: str | None = None
    liars: int | None = None
    part: float | None = None
    period: str | None = None
    what: LieKind | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Link(AnyLink):
    """A link between two nodes, or changes to a link of that name that the topology makes.

    A new link needs `from`, `to`, `rate` and `delay`. It carries traffic both ways; `back` says what is different in
    the direction from `to` to `from`. A link with legs needs `from` and `rate`, each of its legs `leg_of`, `to` and
    `delay`; both are simplex.

    It takes, too, what `AnyLink` takes.

    Parameters
    ----------
    back : Settings, optional
        What is different in the direction back.
    delay : str | Series, optional
        Propagation delay, up to 1 h. Legal: at most 3600 s, for light is at Saturn by then.
    from_ : str, optional
        Node at one end. Not for links of the topology. Of links that are named at once "home-*" or "home-[1-9]" gives
        each one of its own.
    leg_of : str, optional
        The link of which this is a leg: a far end with delay and losses of its own, behind that link's queue and
        transmitter. Not for links of the topology.
    rate : str | Series, optional
        Rate of the transmitter, 10 bit/s to 10000 Gbit/s. Legal: 10 bit/s to 10000 Gbit/s.
    simplex : bool, optional
        No direction back. Default false.
    to : str, optional
        Node at the other end, like `from`. Not for links of the topology.
    """

    back: Settings | None = None
    delay: str | Series | None = None
    from_: str | None = None
    leg_of: str | None = None
    rate: str | Series | None = None
    simplex: bool | None = None
    to: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Listed(Part):
    """Drawn from a list, each entry as likely as the others.

    Parameters
    ----------
    sizes : str | Sequence[str]
        What is drawn from: a list, or the name of a CSV file.
    """

    kind: ClassVar[str | None] = "listed"

    sizes: str | Sequence[str]


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Lognormal(Part):
    """Sizes with a lognormal distribution.

    Parameters
    ----------
    median : str such as "1000 B", optional
        Default "10 KB". Legal: above 0 B.
    sigma : float, optional
        Standard deviation of the natural logarithm. Default 1.5. Legal: 0 to 10.
    """

    kind: ClassVar[str | None] = "lognormal"

    median: str | None = None
    sigma: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class LossDifferentiation(Part):
    """How a receiver tells losses on links from losses by congestion.

    Parameters
    ----------
    rule : {"none", "ias", "mbiaz", "spike", "zigzag", "oracle"}, optional
        The rule. Default "ias".
    scope : {"layer", "aggregate"}, optional
        Whether each layer has a T_min of its own. Default "layer". Only with "ias" and "mbiaz".
    window : {"session", "rate", "recent"}, optional
        What is remembered of inter-arrival or trip times. Default "rate" with "ias" and "mbiaz", and "recent" with
        "spike". Only with these.
    """

    rule: LossDifferentiationRule | None = None
    scope: LossDifferentiationScope | None = None
    window: LossDifferentiationWindow | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Lossless(Part):
    """Loses nothing."""

    kind: ClassVar[str | None] = "none"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Made(Part):
    """What comes at a moment.

    Parameters
    ----------
    at : str such as "250 ms"
        When, from the start of the source.
    bytes : str such as "1000 B"
        How much. The packets that are full then are there; what is left over waits for what comes next.
    """

    at: str
    bytes: str


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Mahimahi(Part):
    """When it could send: a file of Mahimahi.

    Parameters
    ----------
    file : str
        A file with a whole number of milliseconds in every line, none before the one above it.
    """

    kind: ClassVar[str | None] = "mahimahi"

    file: str


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Mecn(Part):
    """Random early detection that marks two levels of congestion.

    Parameters
    ----------
    limit : str such as "50 packets", optional
        The most that may wait, in packets or in bytes, without the packet in transmission. Default "50 packets" (ns-2).
    max_th : str, optional
        Average queue from which every packet is dropped. Default "auto": `2 mid_th` [Durresi].
    mean_pktsize : str such as "1000 B", optional
        Mean packet size, for the decay while idle. Default: the size of the flows' data packets. Legal: 1 B to 65535 B.
    mid_th : str, optional
        Average queue from which packets are marked moderate. Default "auto": `2 min_th` [Durresi].
    min_th : str such as "50 packets", optional
        Average queue from which packets are marked incipient. Default "5 packets" (ns-2's RED).
    p1_max : float, optional
        Nominal probability of an incipient mark at the end of its ramp, 0 to 1. Default 0.1 (ns-2's RED; the paper
        gives none). Legal: 0 to 1.
    p2_max : float, optional
        Nominal probability of a moderate mark when the average reaches `max_th`, 0 to 1. Default 0.1, as `p1_max`.
        Legal: 0 to 1.
    profile : {"mecn-literal", "mecn-overlap", "mecn-longramp"}, optional
        How the levels share the thresholds. Default "mecn-overlap".
    w_q : float | Literal["auto"], optional
        Weight of an arrival in the average, above 0 and up to 1. Default 0.002 [FloydJacobson93]. "auto" as for RED.
        Legal: above 0 up to 1.
    wait : bool, optional
        Leaves at least 1/p packets between two marks of a level. Default true (ns-2).
    """

    kind: ClassVar[str | None] = "mecn"

    limit: str | None = None
    max_th: str | None = None
    mean_pktsize: str | None = None
    mid_th: str | None = None
    min_th: str | None = None
    p1_max: float | None = None
    p2_max: float | None = None
    profile: MecnProfile | None = None
    w_q: float | Literal["auto"] | None = None
    wait: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Membership(Part):
    """The ways by which members and routers come to a session's packets.

    Parameters
    ----------
    any_source : bool, optional
        Whether the network takes packets of members to groups for which the scheme has them send. Default true; false
        is a network of single sources (RFC 4607), which drops them.
    leave_delay : str such as "250 ms", optional
        How long a router goes on forwarding after a host's leave. Default: as the profile says.
    lifetime : str such as "250 ms", optional
        How long a report counts that is not repeated, where reports can be lost for good: on links that lose packets.
        There they are repeated after 0.48 of this time. Default 260 s, hence 125 s (RFC 2236).
    mode : {"sparse", "dense"}, optional
        How the tree comes about. Default "sparse".
    profile : {"realistic", "ns2"}, optional
        Whose leave latency. Default "realistic".
    prune_timeout : str such as "250 ms", optional
        In dense mode: until a pruned interface opens again. Default 0.5 s (ns-2); PIM-DM has 210 s.
    rebuild : {"at-once", "by-messages"}, optional
        How routers come to know what is wanted below when the tree changes. Default "at-once".
    retry : str such as "250 ms", optional
        How long a report of what is wanted waits for its acknowledgement until it is repeated. Default 3 s (PIM-DM).
    """

    any_source: bool | None = None
    leave_delay: str | None = None
    lifetime: str | None = None
    mode: TreeMode | None = None
    profile: Profile | None = None
    prune_timeout: str | None = None
    rebuild: TreeRebuild | None = None
    retry: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class MldaLda(Part):
    """The parameters of LDA+.

    Parameters
    ----------
    acked_packets : float, optional
        D, packets that a TCP acknowledges at once. Default 1; 2 with delayed acknowledgements. Legal: 1 to 100.
    drift_cap : bool, optional
        Whether an increase is bounded by twice the rate that really comes. Default true.
    first_increase : str such as "1.5 Mbit/s", optional
        A_0, what an increase begins with after a loss. Default 10 kbit/s. Legal: 1 bit/s to 400 Gbit/s.
    loss_rule : {"max", "equation"}, optional
        What becomes of the share when packets were lost. Default "max".
    timeout_rtts : float, optional
        t_out, the time-out of that TCP, in round-trip times. Default 4. Legal: 0 to 1000.
    """

    acked_packets: float | None = None
    drift_cap: bool | None = None
    first_increase: str | None = None
    loss_rule: MldaLossRule | None = None
    timeout_rtts: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class MldaParameters(Part):
    """Parameters of the scheme mlda, for all sessions that do not say them.

    Parameters
    ----------
    bandwidth_share : float, optional
        The most of the bottleneck's rate that a receiver's share is. Default 0.9 ([Ehlert]). Legal: above 0 up to 1.
    bottleneck : str such as "1.5 Mbit/s", optional
        R, the rate of every receiver's bottleneck, to simulate that it is known; left out, each receiver measures its
        own by packet pairs. Legal: 1 bit/s to 400 Gbit/s.
    echoes : int, optional
        The most time stamps of receivers that a sender report echoes, 12 bytes each. Left out, as many as fit into the
        source's part of the session's bandwidth and a packet of 1500 bytes. Legal: 1 to 255.
    ecn : bool, optional
        Whether data is ECN-capable. A packet that is marked counts as one lost by congestion, never as an error of a
        link; what reports of RTCP say of losses is without it. Choice of this project. Default false.
    exclude_below : str such as "1.5 Mbit/s", optional
        Receivers that lose packets and report a smaller share than this are not heeded, as an application without use
        for so little would have it (RFC 4654 section 3.3). Left out, all are.
    extra_interval : str such as "250 ms", optional
        The least time from one extra report to the next. Default 1 s. Legal: 0.001 s to 600 s.
    fast_decrease : bool, optional
        Whether a receiver that has lost packets and whose share is below the base layer's rate reports at once, and the
        source follows with an extra report. Default true.
    feedback_lambda : float, optional
        λ: how much rarer early reports are than late ones, by the truncated exponential. Default 10. Legal: 0 to 100.
    feedback_rtts : float, optional
        T_fb is at least so many of the largest round-trip time reported. Default 2. Legal: 0 to 100.
    feedback_share : float, optional
        T_fb, over which receivers spread their reports, is at least this part of `report_interval` and at most all of
        it. Default 0.5. Legal: 0 to 1.
    first_rate : str such as "1.5 Mbit/s", optional
        Rate of the base layer before the first report. Default 20 kbit/s. Legal: 1 bit/s to 400 Gbit/s.
    initial_rtt : str such as "250 ms", optional
        The round-trip time of a receiver that has not measured its own. Default 0.5 s. Legal: 0.001 s to 60 s.
    jitter : float, optional
        Each gap between packets is the nominal one times 1 + U(-jitter, jitter). Default 0.1. Legal: 0 to 1.
    join_tolerance : float, optional
        A receiver holds the layers that together are within 1 + this times its share. Default 0.05. Legal: 0 to 100.
    layers : int, optional
        K, how many layers there are. Default 3 ([Ehlert]). Legal: 1 to 127.
    lda : MldaLda, optional
        The parameters of LDA+, used with `rate_rule` "lda+".
    least_expected : int, optional
        What must have been expected in an interval or over the window for its loss to count; below that the last loss
        holds. Default 10 packets. Legal: 0 to 4294967295.
    least_gap : float, optional
        The enhancement layers are empty if they would carry less than this part of all together. Default 0.05. Legal: 0
        to 1.
    least_rate : str such as "1.5 Mbit/s", optional
        The least rate of the base layer and the least share. Left out, a packet per second. Legal: 1 bit/s to 400
        Gbit/s.
    loss_differentiation : LossDifferentiation, optional
        How receivers tell errors of links, which then count as received, from congestion; left out, all losses are
        congestion.
    loss_limit : float, optional
        A receiver leaves a layer at once if since the report with which it joined it more than this part of the packets
        was lost. Default 0.1; 1 = never. Legal: 0 to 1.
    loss_window : int, optional
        The loss of a receiver is the mean of so many of its last intervals, each of which weighs the same. Default 8; 1
        is the last interval alone, as reports of RTCP have it. Legal: 1 to 1000.
    max_rate : str such as "1.5 Mbit/s", optional
        The most that all layers carry together; left out, the rate of the fastest link out of the source's node. Legal:
        1 bit/s to 400 Gbit/s.
    missed_reports : int, optional
        After so many report intervals without a sender report a receiver ends its interval by itself: it goes down, if
        the losses say so, and reports. Default 3. Legal: 1 to 1000.
    one_way_adjustment : bool, optional
        Whether receivers adjust their round-trip time by one-way delays between measurements. Default true.
    packet_size : str such as "1000 B", optional
        M, size of a data packet on the wire, headers included. Default 512 B ([Ehlert]).
    probe_every : int, optional
        Of so many packets of the base layer two are sent back to back, unless `bottleneck` is known. Default 16; 0 =
        never. Legal: 0 to 4294967295.
    probe_samples : int, optional
        R is the median of so many of the last samples. Default 21. Legal: 1 to 1000.
    rate_rule : {"lda+", "equation"}, optional
        How a receiver computes its share. Default "lda+".
    reordering : int, optional
        A missing packet that is among the next so many packets of its layer after its gap was seen was late, not lost.
        Default 3. Legal: 0 to 1000.
    report_interval : str such as "250 ms", optional
        T_SR, from one sender report to the next. Default 5 s, the least that RFC 3550 recommends for RTCP. Legal: 0.1 s
        to 600 s.
    report_rounds : int, optional
        Reports count for so many rounds, the one in which they come not counted. Default 2. Legal: 1 to 1000.
    reports_to : {"sender-and-group", "sender"}, optional
        Whom receivers report to. Default "sender-and-group".
    rtt_weight : float, optional
        Weight of the old round-trip time at a measurement. Default 0.75. Legal: from 0 to less than 1.
    session_bandwidth : str such as "1.5 Mbit/s", optional
        What the session is declared to use. Of it 1.25 % are for reports of the source and 3.75 % for those of all
        receivers together (RFC 3550 section 6.2), headers of IP and UDP included. Default 1 Mbit/s. Legal: 1 kbit/s to
        400 Gbit/s.
    silent_rounds : int, optional
        After so many rounds in which nobody has reported the base layer's rate is halved, and in each one after.
        Default 2. Legal: 1 to 1000.
    similar : float, optional
        A receiver is silent in a round in which it has heard a share that differs from its own by no more than this
        part of its own, unless it has the lowest or the highest of all. Default 0.1. Legal: 0 to 1.
    uniform_up_to : int, optional
        Up to so many receivers the time of a report is drawn uniformly. Default 10. Legal: 0 to 4294967295.
    """

    bandwidth_share: float | None = None
    bottleneck: str | None = None
    echoes: int | None = None
    ecn: bool | None = None
    exclude_below: str | None = None
    extra_interval: str | None = None
    fast_decrease: bool | None = None
    feedback_lambda: float | None = None
    feedback_rtts: float | None = None
    feedback_share: float | None = None
    first_rate: str | None = None
    initial_rtt: str | None = None
    jitter: float | None = None
    join_tolerance: float | None = None
    layers: int | None = None
    lda: MldaLda | None = None
    least_expected: int | None = None
    least_gap: float | None = None
    least_rate: str | None = None
    loss_differentiation: LossDifferentiation | None = None
    loss_limit: float | None = None
    loss_window: int | None = None
    max_rate: str | None = None
    missed_reports: int | None = None
    one_way_adjustment: bool | None = None
    packet_size: str | None = None
    probe_every: int | None = None
    probe_samples: int | None = None
    rate_rule: MldaRateRule | None = None
    reordering: int | None = None
    report_interval: str | None = None
    report_rounds: int | None = None
    reports_to: MldaReportsTo | None = None
    rtt_weight: float | None = None
    session_bandwidth: str | None = None
    silent_rounds: int | None = None
    similar: float | None = None
    uniform_up_to: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class MldaSession(AnySession, MldaParameters):
    """MLDA: layers as wide as the least and the largest share that receivers report.

    It takes, too, what `AnySession` and `MldaParameters` take.
    """

    scheme: ClassVar[str | None] = "mlda"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Monitor(Part):
    """Counts what is offered to the queue, by session, group, flow and pair of addresses."""

    kind: ClassVar[str | None] = "monitor"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Node(Part):
    """A node: a host or a router, whatever is connected to it.

    Parameters
    ----------
    description : str, optional
        What it stands for, for people.
    """

    description: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Tfmcc(Part):
    """One TFMCC session: its sender and all its receivers.

    Parameters
    ----------
    data_limited : {"rfc4654", "rfc5348"}, optional
        What a report may raise the rate to that tells of a time in which the application had less to send than the rate
        allowed. Default "rfc4654": as at other times.
    discount_threshold : float, optional
        The least general discount factor. Default 0.25 (RFC 5348 section 5.5; RFC 4654 section 5.5 has 0.5). Legal:
        above 0 up to 1.
    discounting : bool, optional
        Discount old loss intervals when the present one is long (RFC 4654 section 5.5, optional there). Default true.
    ecn : bool, optional
        Data packets are ECN-capable, and marks count as losses. Default false.
    exclude_below : str such as "1.5 Mbit/s", optional
        Receivers that lose packets and report a lower rate than this are not heeded (RFC 4654 section 3.3: the
        application "should exclude receivers that report such a low rate"). Left out, all are.
    gap_floor : {"decays", "follows"}, optional
        What becomes of R_max after the gap between packets has raised it. Default "follows"; "decays" is the letter of
        RFC 4654 section 3.2.
    grace_rtts : float, optional
        For how many of its round-trip times after its selection the silence of a limiting receiver does not halve the
        rate. Default 10 (RFC 4654 section 3.3). Legal: 0 to 100.
    granularity : str such as "250 ms", optional
        Granularity ts_gran of the sender's clock: R_max stays this much above the gap between packets (RFC 4654 section
        3.2), and silence is borne this much longer for each round-trip time. Default 0 s; 10 ms is safe on a real host.
        Legal: at most 1 s.
    halving_gaps : float, optional
        Silence of the limiting receiver, in gaps between packets, after which the rate is halved, if that is longer.
        Default 2 (RFC 5348 section 4.3; RFC 4654 has no such bound). Legal: 1 to 100.
    halving_rtts : float, optional
        Silence of the limiting receiver, in its round-trip times, after which the rate is halved. Default 4 (RFC 4654
        section 3.3). Legal: 1 to 100.
    idle_floor : {"initial", "none"}, optional
        What the rate is not halved below for the silence of a session that has nothing to send. Default "initial";
        "none" is the letter of RFC 4654 section 3.6.
    initial_max_rtt : str such as "250 ms", optional
        R_max at the start: larger than the round-trip time of any receiver. Default 500 ms (RFC 4654 section 3.1); over
        a geostationary hop take 1 s. Legal: 0.001 s to 63 s.
    loss_differentiation : LossDifferentiation, optional
        Receivers tell losses on links from congestion, of which alone their rate depends then. Left out, they take all
        for congestion, and compare nothing.
    loss_event_span : {"rtt", "window"}, optional
        How long a loss event lasts. Default "rtt" (RFC 4654 section 5.2); "window" on real hosts.
    max_rate : str such as "1.5 Mbit/s", optional
        The sending rate never exceeds this; left out, the rate of the fastest link out of the source's node.
    max_receivers : int, optional
        N: upper bound of the number of receivers, for the feedback timers. Default 10000 (RFC 4654 section 4.5). Legal:
        2 to 4294967295.
    max_rtt : {"rfc", "measured", "recent"}, optional
        What raises R_max and by what of it the rate grows, how R_max falls, and how long a feedback round may last.
        Default "measured"; "rfc" is the letter of RFC 4654 sections 3.2 to 3.4.
    one_way_adjustment : {"all", "others", "off"}, optional
        Who adjusts the round-trip time by one-way delays between measurements. Default "others".
    outages : {"one-event", "per-rtt"}, optional
        What a row of lost packets is that is longer than a round-trip time. Default "one-event"; "per-rtt" is the
        letter of RFC 4654 section 5.2.
    packet_size : str such as "1000 B", optional
        Size s of a data packet on the wire, headers included. Default 1000 B.
    profile : {"faircast", "rfc4654"}, optional
        Whose choices the keys that are left out take. Default "faircast".
    quantise : bool, optional
        X_supp, X_r and R_max go on the wire as the short numbers of RFC 4654 section 2.2.1. Default false: as `f32` and
        microseconds.
    receive_rate_rtts : float, optional
        k: the receive rate is measured over k round-trip times. Default 4 (RFC 4654 section 4.3.4: 2 to 4). Legal: 1 to
        16.
    report_size : str such as "1000 B", optional
        Size on the wire of what receivers send; left out, what its fields take: of a report 68 B, with OMCC 72 B, with
        SMCC 69 B, of OMCC's registration 43 B, of SMCC's acknowledgement 55 B.
    round_rtts : float, optional
        Length of a feedback round in R_max. Default 6 (RFC 4654 section 3.4, unicast feedback). Legal: 1 to 100.
    rtt_weight : float, optional
        Weight q of the old round-trip time at a measurement. Default 0.5 (RFC 4654 section 4.3.2). Legal: from 0 to
        less than 1.
    rtt_weight_clr : float, optional
        Weight q at the current limiting receiver. Default 0.9 (RFC 4654 section 4.3.2; the SIGCOMM paper has 0.95).
        Legal: from 0 to less than 1.
    seed_floor : {"packet", "half"}, optional
        What the first loss interval is at least. Default "packet".
    silence_floor : str such as "250 ms", optional
        No silence shorter than this halves the rate, as R counts as a quarter of it at least in all that silence does
        (by `halving_rtts`). Default 0 s, which is RFC 4654; 50 ms on real hosts: on a LAN four round-trip times pass
        while a scheduler lets a receiver wait. Legal: at most 1 s.
    silence_gaps : float, optional
        Silence after which the limiting receiver is given up or, if no receiver limits, the rate is halved, in gaps
        between packets, if that is longer. Default 5 (a choice: RFC 4654 has no such bound). Legal: 1 to 100.
    silence_rtts : float, optional
        Silence after which the limiting receiver is given up, in its round-trip times; or, if no receiver limits, after
        which the rate is halved, in R_max. Default 10 (RFC 4654 section 3.3). Legal: 1 to 100.
    slow_start : {"rfc4654", "doubling"}, optional
        How a session comes to its rate. Default "rfc4654", the slow start of RFC 4654 section 3.6.
    suppressing_rounds : int, optional
        In how many of 8 rounds a receiver may lower X_supp with reports that do not make it the limiting one. Default
        2; 8 is the letter of RFC 4654 section 3.4, by which one liar silences all others. Legal: 1 to 8.
    suppression : float, optional
        g: a report suppresses others down to (1 - g) times its rate. Default 0.1 (RFC 4654 section 3.4). Legal: from 0
        to less than 1.
    timer_bias : {"none", "offset"}, optional
        What the feedback timers depend on beside chance. Default "none" (RFC 4654 section 4.5).
    unanswered_clr : {"predecessor", "kept"}, optional
        Who limits if a receiver that was selected in the place of another never reports again. Default "predecessor";
        "kept" is nearest to the letter of RFC 4654 section 3.3.
    """

    data_limited: TfmccDataLimited | None = None
    discount_threshold: float | None = None
    discounting: bool | None = None
    ecn: bool | None = None
    exclude_below: str | None = None
    gap_floor: TfmccGapFloor | None = None
    grace_rtts: float | None = None
    granularity: str | None = None
    halving_gaps: float | None = None
    halving_rtts: float | None = None
    idle_floor: TfmccIdleFloor | None = None
    initial_max_rtt: str | None = None
    loss_differentiation: LossDifferentiation | None = None
    loss_event_span: TfmccLossEventSpan | None = None
    max_rate: str | None = None
    max_receivers: int | None = None
    max_rtt: TfmccMaxRtt | None = None
    one_way_adjustment: TfmccOneWayAdjustment | None = None
    outages: TfmccOutages | None = None
    packet_size: str | None = None
    profile: TfmccProfile | None = None
    quantise: bool | None = None
    receive_rate_rtts: float | None = None
    report_size: str | None = None
    round_rtts: float | None = None
    rtt_weight: float | None = None
    rtt_weight_clr: float | None = None
    seed_floor: TfmccSeedFloor | None = None
    silence_floor: str | None = None
    silence_gaps: float | None = None
    silence_rtts: float | None = None
    slow_start: TfmccSlowStart | None = None
    suppressing_rounds: int | None = None
    suppression: float | None = None
    timer_bias: TfmccTimerBias | None = None
    unanswered_clr: TfmccUnansweredClr | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class OmccParameters(Tfmcc):
    """Parameters of the scheme omcc, for all sessions that do not say them.

    It takes, too, what `Tfmcc` takes.

    Parameters
    ----------
    alpha : float, optional
        Exponent of the utility "alpha-fair", above 0; needed there and not allowed with another. Legal: above 0.
    f_apply : {"equation", "increase", "receive-rate"}, optional
        What f(N) multiplies. Default "equation".
    f_max : float, optional
        Upper bound of f(N), at least 1; left out, nothing bounds it. Legal: 1 or more.
    orientation : {"sender", "receiver"}, optional
        Whose utility counts. Default "receiver".
    population : OmccPopulation, optional
        How the sender knows N. Default { kind = "configured" }.
    utility : {"none", "log", "tcp", "alpha-fair"}, optional
        What the rate is worth, and so f(N). Default "log".
    weight : float, optional
        Weight w of the utility beside that of other flows, above 0: f = (w·N)^(1/alpha). Default 1. Legal: above 0.
    """

    alpha: float | None = None
    f_apply: OmccApply | None = None
    f_max: float | None = None
    orientation: OmccOrientation | None = None
    population: OmccPopulation | None = None
    utility: OmccUtility | None = None
    weight: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class OmccSession(AnySession, OmccParameters):
    """OMCC: TFMCC scaled by what the session's rate is worth to its receivers.

    It takes, too, what `AnySession` and `OmccParameters` take.
    """

    scheme: ClassVar[str | None] = "omcc"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class OnOff(AnyFlow):
    """Packets at a constant rate during on periods of random length, nothing between them.

    It takes, too, what `AnyFlow` takes.

    Parameters
    ----------
    ecn : {"off", "ect0", "ect1"}, optional
        The ECN field of its packets. Default "off".
    lengths : {"exponential", "pareto"}, optional
        How the lengths are distributed. Default "exponential".
    off : str such as "250 ms", optional
        Mean length of an off period. Default 500 ms. Legal: 0.000001 s or more.
    on : str such as "250 ms", optional
        Mean length of an on period. Default 500 ms. Legal: 0.000001 s or more.
    packet_size : str such as "1000 B" or a sequence of such, optional
        Size of a packet on the wire. Default 210 B. A list has one for each of `count` flows.
    rate : str such as "1.5 Mbit/s" or a sequence of such, optional
        Bits on the wire per second while on. Default 64 kbit/s. A list has one for each of `count` flows. Legal: above
        0 bit/s up to 1000 Gbit/s.
    shape : float, optional
        Shape of the Pareto distribution, 1.01 or more. Default 1.5. Not used with "exponential". Legal: 1.01 or more,
        for at 1 there is no mean, and just above it nearly all periods are next to nothing.
    """

    kind: ClassVar[str | None] = "on-off"

    ecn: EcnField | None = None
    lengths: Lengths | None = None
    off: str | None = None
    on: str | None = None
    packet_size: str | Sequence[str] | None = None
    rate: str | Sequence[str] | None = None
    shape: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Optimum(Part):
    """What would be the best rates: which utility of all rates together is greatest.

    It is computed after a run and changes nothing in it.

    Parameters
    ----------
    alpha : float, optional
        Of utility "alpha-fair", which needs it: 0.1 to 20. Legal: 0.1 to 20, beyond that take the utility max-min.
    multirate : bool, optional
        Whether every receiver of a session that answers congestion has a rate of its own, or all of them one. Default
        as the session's scheme has it: several layers give several rates.
    orientation : {"session", "receiver"}, optional
        Whether a session counts as one or as many as it has receivers. Default "session". With the utility "own" it is
        about sessions whose scheme has none.
    utility : {"own", "proportional", "potential-delay", "max-min", "alpha-fair"}, optional
        How a rate is valued. Default "own".
    weights : Mapping[str, float], optional
        What flows and sessions count among the others, by name of an entry or of one of its flows, above 0. Default 1.
    """

    alpha: float | None = None
    multirate: bool | None = None
    orientation: Orientation | None = None
    utility: Utility | None = None
    weights: Mapping[str, float] | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Outage(Part):
    """Loses everything for a while, once or again and again.

    Parameters
    ----------
    length : str such as "250 ms"
        How long it lasts. Legal: above 0 s.
    start : str such as "250 ms"
        When the first outage begins.
    direction : {"both", "forward", "back"}, optional
        Which direction of the link loses; the other one then loses nothing. Default "both".
    period : str such as "250 ms", optional
        From the beginning of one outage to that of the next, more than `length`. Default: there is only one. Legal:
        above length.
    """

    kind: ClassVar[str | None] = "outage"

    length: str
    start: str
    direction: str | None = None
    period: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Pareto(Part):
    """Pareto, with an upper bound or without.

    Parameters
    ----------
    least : str such as "1000 B", optional
        The smallest. Default "10 KB". Legal: above 0 B.
    most : str such as "1000 B", optional
        The largest. Default: there is none. Legal: least or more.
    shape : float, optional
        Default 1.2. Up to 1 there is no finite mean without `most`. Legal: above 0 up to 100.
    """

    kind: ClassVar[str | None] = "pareto"

    least: str | None = None
    most: str | None = None
    shape: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class ParkingLot(Part):
    """Hosts at both ends of a row of routers, and cross traffic at every hop.

    Parameters
    ----------
    access : Duplex, optional
        The links of all hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
        packets.
    access_cross : Duplex, optional
        What is different for the hosts of cross traffic, on access-cross-in-0, access-cross-out-0 and so on.
    access_left : Duplex, optional
        What is different on the left, for left-0, left-1 and so on.
    access_right : Duplex, optional
        What is different on the right, for right-0, right-1 and so on.
    hop : Duplex, optional
        The links hop-0, hop-1 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    hops : int, optional
        Links between routers: router-0, router-1 and so on are joined by hop-0, hop-1 and so on. Default 3. Legal: 1 to
        1000000.
    left : int, optional
        Hosts of through traffic at router-0, left-0, left-1 and so on. Default 1. Legal: 1 to 1000000.
    right : int, optional
        Hosts of through traffic at the last router, right-0, right-1 and so on. Default 1. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "parking-lot"

    access: Duplex | None = None
    access_cross: Duplex | None = None
    access_left: Duplex | None = None
    access_right: Duplex | None = None
    hop: Duplex | None = None
    hops: int | None = None
    left: int | None = None
    right: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Path(Part):
    """A pair of nodes between which the way is observed.

    Parameters
    ----------
    from_ : str
        The node where the way starts.
    to : str
        The node where it ends.
    """

    from_: str
    to: str


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Pep(Part):
    """Proxies that split TCP connections (RFC 3135 section 2.4).

    Parameters
    ----------
    at : Sequence[str | Sequence[str]]
        The nodes where they are, in the order in which data comes there: of each its name, or a list with one for each
        flow, as in `from`.
    buffer : str such as "1000 B", optional
        What each of them may hold of a connection: what has come and has not been acknowledged on the far side. From
        two segments to 65535. Default "1 MB".
    handshake : bool, optional
        Whether they open connections to each other with TCP's handshake. One connection that is there all the time and
        carries many (RFC 3135 section 2.4) needs none. Default: as the flow says.
    initial_cwnd : str such as "50 packets", optional
        The congestion window with which they begin to send. Default: as the flow says. Legal: 1 packet or more.
    variant : {"reno", "newreno", "sack", "westwood", "westwood+", "hybla", "cubic"}, optional
        The rule for the window of what they send. Default: as the flow says.
    """

    at: Sequence[str | Sequence[str]]
    buffer: str | None = None
    handshake: bool | None = None
    initial_cwnd: str | None = None
    variant: Variant | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class PgmccParameters(Part):
    """Parameters of the scheme pgmcc, for all sessions that do not say them.

    Parameters
    ----------
    bar : str such as "250 ms", optional
        For so long an acker whose word does not agree with its acknowledgements cannot be the acker again; 0 s: its
        word is not looked at. Default 60 s. Legal: at most 1000000 s.
    bias : float, optional
        C: a receiver becomes the acker if its throughput is below so many times the acker's. Default 0.75 (the draft,
        section 2.3). Legal: above 0 up to 1.
    ecn : bool, optional
        Data packets are ECN-capable, and marks count as losses. Default false.
    exclude_below : str such as "1.5 Mbit/s", optional
        Receivers that lose packets and whose throughput by the TCP equation is below this are not heeded, as an
        application without use for so little would have it (RFC 4654 section 3.3). Left out, all are.
    feedback_size : str such as "1000 B", optional
        Size of an ACK, a NAK and an NCF on the wire; left out, what the fields of each take: 59 B, 59 B and 46 B.
    initial_rto : str such as "250 ms", optional
        Time-out before the first measurement. Default 3 s (the draft, section 2.7). Legal: min_rto to 60 s.
    loss_weight : float, optional
        c: weight of the newest packet in the loss rate. Default 500/65536 = 0.00763 (the draft, section 2.6). Legal:
        above 0 and below 1.
    max_rate : str such as "1.5 Mbit/s", optional
        The source never sends faster; left out, than the fastest link out of its node. Packets that the window lets go
        together leave one after the other at this rate.
    max_rto : str such as "250 ms", optional
        Up to this successive time-outs double. Default 8 s, as TFMCC sends a packet in 8 s at least: a receiver that
        comes to a silent session waits that long. TCP has 60 s. Legal: min_rto to 60 s.
    min_rto : str such as "250 ms", optional
        Least time-out. Default 1 s. Legal: 0.001 s to 60 s.
    nak_backoff : str such as "250 ms", optional
        A NAK waits for a random time up to this, and is spared if meanwhile the source confirms another's. Default 50
        ms. Legal: at most 60 s.
    ncf : bool, optional
        The source confirms NAKs to all (NCF). Default true (RFC 3208 section 2.1).
    packet_size : str such as "1000 B", optional
        Size of a data packet on the wire, headers included. Default 1000 B.
    recent_ackers : int, optional
        Of so many recent ackers the source remembers round-trip time and loss rate, and takes ACKs. Default 16. Legal:
        1 to 1000.
    rtt : {"time", "packets"}, optional
        In what round-trip times are measured for that. Default "time".
    rtt_weight : float, optional
        Weight of the newest measurement in the round-trip time by which receivers are compared. Default 0.125. Legal:
        above 0 up to 1.
    ssthresh : str such as "50 packets", optional
        Up to this window each packet acknowledged opens it by one. Default 4 packets (the draft, section 2.2). Legal: 1
        packet to 1000000 packets.
    throughput : {"full", "simple"}, optional
        The throughput by which receivers are compared. Default "full".
    timeouts_to_election : int, optional
        After so many time-outs in a row another acker is elected. Default 2 (the draft, section 2.7). Legal: 1 to 100.
    """

    bar: str | None = None
    bias: float | None = None
    ecn: bool | None = None
    exclude_below: str | None = None
    feedback_size: str | None = None
    initial_rto: str | None = None
    loss_weight: float | None = None
    max_rate: str | None = None
    max_rto: str | None = None
    min_rto: str | None = None
    nak_backoff: str | None = None
    ncf: bool | None = None
    packet_size: str | None = None
    recent_ackers: int | None = None
    rtt: PgmccRtt | None = None
    rtt_weight: float | None = None
    ssthresh: str | None = None
    throughput: PgmccThroughput | None = None
    timeouts_to_election: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class PgmccSession(AnySession, PgmccParameters):
    """pgmcc: a TCP-like window towards the receiver with the lowest throughput.

    It takes, too, what `AnySession` and `PgmccParameters` take.
    """

    scheme: ClassVar[str | None] = "pgmcc"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Pie(Part):
    """Drops or marks at random, so that the delay of the queue is a target.

    Parameters
    ----------
    alpha : float, optional
        Weight of the deviation from the target, 1/s. Default 0.125 (RFC 8033, appendix B). Legal: 0 to 1000.
    beta : float, optional
        Weight of the change since the last update, 1/s. Default 1.25 (RFC 8033, appendix B). Legal: 0 to 1000.
    delay : {"rate", "sojourn"}, optional
        How the delay is known. Default: "rate" if `enhanced` (RFC 8033, appendix B), otherwise "sojourn" (appendix A).
    dq_threshold : str such as "1000 B", optional
        DQ_THRESHOLD: the rate is measured over so much. Default "16384 B" (RFC 8033, appendix B). Legal: 1 B to 65536
        B.
    ecn : bool, optional
        Marks ECN-capable packets instead of dropping them, up to `mark_ecnth`. Default true (RFC 8033, appendix B).
    enhanced : bool, optional
        The enhancements of RFC 8033, sections 5.3 to 5.5: PIE acts from a third of the limit on, drops are neither
        close together nor far apart, and the probability grows by 0.02 at most. Default true.
    limit : str such as "50 packets", optional
        The most that may wait, in packets or in bytes, without the packet in transmission (TAIL_DROP). Default "1000
        packets" (Linux; RFC 8033 has none).
    mark_ecnth : float, optional
        From this probability on packets are dropped even if they are ECN-capable. Default 0.1 (RFC 8033, section 5.1).
        Legal: 0 to 1.
    max_burst : str such as "250 ms", optional
        MAX_BURST: for so long after a time without congestion nothing is dropped. Default "150 ms" (RFC 8033, section
        4.4). Legal: at most 3600 s.
    t_update : str such as "250 ms", optional
        T_UPDATE, the time between two updates of the probability. Default "15 ms" (RFC 8033, section 4.2). Legal:
        0.000001 s to 3600 s.
    target : str such as "250 ms", optional
        QDELAY_REF, the delay that the controller aims at. Default "15 ms" (RFC 8033, section 4.2). Legal: above 0 s up
        to 3600 s.
    """

    kind: ClassVar[str | None] = "pie"

    alpha: float | None = None
    beta: float | None = None
    delay: PieDelay | None = None
    dq_threshold: str | None = None
    ecn: bool | None = None
    enhanced: bool | None = None
    limit: str | None = None
    mark_ecnth: float | None = None
    max_burst: str | None = None
    t_update: str | None = None
    target: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Playout(Part):
    """What the receivers of a session play, and how: media in segments of one length.

    Parameters
    ----------
    buffer : str such as "250 ms", optional
        Of a file: how much must be there, in whole segments, before the picture goes on after a stall. Default: as
        `start`. Legal: above 0 s.
    fec : float, optional
        What forward error correction adds to each segment of a layer, as part of it: of n packets any n / (1 + fec),
        rounded up, are enough. Default 0. Legal: 0 to 10.
    length : str such as "250 ms", optional
        Of media of a rate: how long they are, rounded up to whole segments. Default: without end. Legal: above 0 s.
    media_rate : str | Sequence[str], optional
        Rate of the media, bytes of its packets on the wire without what `fec` adds; of adaptive media a list that
        rises, of which each segment has the highest that the source's rate allows. Needed, but of schemes that send at
        rates of their own, in layers or constant: those are played as they are, and it must be left out.
    repair : Repair, optional
        What is missing comes otherwise. Default: it does not.
    segment : str such as "250 ms", optional
        Length of a segment. Default "2 s". Legal: 0.01 s or more.
    start : str such as "250 ms", optional
        How much of the media must be there, in whole segments one after the other, before the picture appears. Default:
        two segments. Legal: above 0 s.
    wait : str such as "250 ms", optional
        Of live media of a rate: how long a packet may wait at the source until the whole segment is given up. Default:
        as `start`.
    """

    buffer: str | None = None
    fec: float | None = None
    length: str | None = None
    media_rate: str | Sequence[str] | None = None
    repair: Repair | None = None
    segment: str | None = None
    start: str | None = None
    wait: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Policer(Part):
    """A token bucket that drops or marks, before a queue of any kind.

    Parameters
    ----------
    action : {"drop", "mark"}, optional
        What becomes of packets without tokens. Default "drop".
    burst : str such as "1000 B", optional
        Tokens that are there at most; no larger packet has ever enough. Default "15000 B", ten packets of Ethernet.
        Legal: 1 B to 1099511627776 B.
    queue : Queue, optional
        What others wait in. Default: a drop-tail queue.
    rate : str such as "1.5 Mbit/s", optional
        How fast tokens come. Default: as `share` says. Legal: 1 bit/s or more.
    share : float, optional
        How fast they come, as a part of the rate that the link has at first, without a `rate`. Default 1. Legal: above
        0 up to 1.
    """

    kind: ClassVar[str | None] = "policer"

    action: PolicerAction | None = None
    burst: str | None = None
    queue: Queue | None = None
    rate: str | None = None
    share: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Probes(Part):
    """The observations of a run: what is written down, and how often.

    Parameters
    ----------
    events : bool, optional
        Reductions of windows and time-outs. Default true.
    flows : bool, optional
        A row for each flow, session and receiver and each interval. Default true.
    interval : str such as "250 ms", optional
        Time between two rows of a flow, a link or a path. Default "1 s". Legal: 0.000001 s or more.
    links : bool, optional
        A row for each direction of a link and interval. Default true.
    packets : Sequence[str], optional
        Directions of links, and legs, of which it is kept what happens to every single packet, which takes memory.
        Default none.
    packets_actions : Sequence[PacketAction], optional
        What is kept of what happens to them. Default all.
    packets_flows : Sequence[str], optional
        The flows, entries of flows and sessions whose packets are kept. Default all.
    packets_from : str such as "250 ms", optional
        From when on, default "0 s".
    packets_until : str such as "250 ms", optional
        And until when. Default the end.
    paths : Sequence[Path], optional
        Pairs of nodes: the way that packets take from the first to the second, its delay and hops, at every interval
        and whenever it changes. Default none.
    queue_interval : str such as "250 ms", optional
        Time between two samples of a queue. Default "100 ms". Legal: 0.000001 s or more.
    queues : Sequence[str], optional
        Directions of links whose queue is sampled: `bottleneck`, or `bottleneck.back` for the direction back. Default
        none.
    trace : bool, optional
        A hash over everything that happens, to compare runs. Default false.
    """

    events: bool | None = None
    flows: bool | None = None
    interval: str | None = None
    links: bool | None = None
    packets: Sequence[str] | None = None
    packets_actions: Sequence[PacketAction] | None = None
    packets_flows: Sequence[str] | None = None
    packets_from: str | None = None
    packets_until: str | None = None
    paths: Sequence[Path] | None = None
    queue_interval: str | None = None
    queues: Sequence[str] | None = None
    trace: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class QueueClass(Part):
    """A class.

    Parameters
    ----------
    queue : Queue
        Its queue, of any kind.
    dscp : Sequence[int], optional
        The code points that are its own, 0 to 63 each. Those of no class are the last one's. Default: none.
    name : str, optional
        What it is called, by a name of its own and without a slash, which stands between it and a class within it.
        Default: its number, from 0.
    priority : int, optional
        A class goes before all with a greater number. Default 0. Legal: 0 to 4294967295.
    weight : float, optional
        Its part of what classes of its priority send, above 0. Default 1.
    """

    queue: Queue
    dscp: Sequence[int] | None = None
    name: str | None = None
    priority: int | None = None
    weight: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Rain(Part):
    """Rain on the way to a terminal, of which its attenuation over time is made (ITU-R P.618-14 and P.1853-2).

    Parameters
    ----------
    elevation : float
        How high the satellite stands above the horizon, degrees, 5 to 90. Legal: 5 to 90.
    frequency : str such as "20 GHz"
        Of the carrier, 1 GHz to 55 GHz. Legal: 1 GHz to 55 GHz.
    height : float
        Up to which height above the sea it rains, km. Legal: 0 to 20.
    latitude : float
        Of the terminal, degrees north, -90 to 90. Legal: -90 to 90.
    longitude : float
        Of the terminal, degrees east, -180 to 360. Legal: -180 to 360.
    rate : str such as "40 mm/h"
        The rain rate that is exceeded for 0.01 % of an average year, up to 300 mm/h. Legal: at most 300 mm/h.
    altitude : float, optional
        Of the terminal above the sea, km. Default 0. Legal: 0 to 20.
    probability : float, optional
        For which part of the time it rains on the way, up to 1. Default 0.05. Legal: above 0 up to 1.
    tilt : float, optional
        The polarisation against the horizontal, degrees. Default 45, which stands for circular polarisation. Legal: -90
        to 90.
    """

    elevation: float
    frequency: str
    height: float
    latitude: float
    longitude: float
    rate: str
    altitude: float | None = None
    probability: float | None = None
    tilt: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class RateCap(Part):
    """Blocks the highest layers of sessions above a rate.

    Parameters
    ----------
    interval : str such as "250 ms", optional
        From one look to the next. Default 20 ms. Legal: 0.001 s or more.
    rate : str such as "1.5 Mbit/s", optional
        What all groups together may send over the link. Default 1 Mbit/s. Legal: above 0 bit/s.
    window : str such as "250 ms", optional
        Over how long rates are measured, and the least time from one action to the next. Default 1 s. Legal: interval
        or more.
    """

    kind: ClassVar[str | None] = "rate-cap"

    interval: str | None = None
    rate: str | None = None
    window: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Rbdc(Part):
    """Terminals ask for slots in each superframe (rate-based dynamic capacity).

    Parameters
    ----------
    constant : int, optional
        Slots that each terminal has in each superframe besides. Default 0. Legal: 0 to 100000.
    delay : str such as "250 ms", optional
        From a request to the first superframe that may be assigned by it, rounded up to superframes, at least one.
        Default: twice the longest delay of `links`, which is there and back. Legal: at most 10 s.
    free : bool, optional
        Whether all share the slots for which nobody has asked. Default false.
    most : int, optional
        Slots in a superframe that a terminal gets on demand at most. Default: all. Legal: 1 to 100000.
    persistence : int, optional
        For how many superframes a rate holds if no other is asked for. Default 5. Legal: 1 to 1000.
    """

    kind: ClassVar[str | None] = "rbdc"

    constant: int | None = None
    delay: str | None = None
    free: bool | None = None
    most: int | None = None
    persistence: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Receivers(Part):
    """The receivers of a session: NAME-0, NAME-1 and so on.

    Parameters
    ----------
    count : int, optional
        How many. Default: as many as `nodes` lists; without a list one per host on the topology's right. Legal: 1 to
        4294967295.
    join : str | Sequence[str] | Series, optional
        When they join, or when each of them does. Default "0 s".
    join_jitter : str such as "250 ms", optional
        Each joins later by a random time, uniform from zero to this. Default "0 s".
    join_step : str such as "250 ms", optional
        Time from the join of one receiver to that of the next. Default "0 s".
    leave : str | Sequence[str] | Series, optional
        When they leave, or when each of them does. Default: not before the end.
    lie : Lie, optional
        How the last ones of them lie. Default: they do not.
    nodes : str | Sequence[str], optional
        The node of all receivers, or one for each: a list, or "home-*" for all nodes called so, or "home-[1-9]" for
        those of a row. Default: receiver i is on the topology's right-i.
    """

    count: int | None = None
    join: str | Sequence[str] | Series | None = None
    join_jitter: str | None = None
    join_step: str | None = None
    leave: str | Sequence[str] | Series | None = None
    lie: Lie | None = None
    nodes: str | Sequence[str] | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Red(Part):
    """Random early detection: gentle, adaptive, byte mode, ECN marking.

    Parameters
    ----------
    adapt : RedAdapt, optional
        How `max_p` is adapted, if `adaptive`.
    adaptive : bool, optional
        Adapts `max_p` so that the average stays between the thresholds [FloydGummadiShenker01]. Default false.
    bytes : bool, optional
        Measures the queue in bytes, and acts on large packets more often than on small ones. Default false (ns-2).
    ecn : bool, optional
        Marks ECN-capable packets instead of dropping them early, as long as the average is below `max_th` (RFC 3168,
        section 7). Default false.
    gentle : bool, optional
        Above `max_th` the probability rises to 1 at `2 max_th`, instead of dropping everything. Default false (ns-2
        before April 2001).
    limit : str such as "50 packets", optional
        The most that may wait, in packets or in bytes, without the packet in transmission. Default "50 packets" (ns-2).
    mark_above_max_th : bool, optional
        If `gentle` and `ecn`: goes on marking from `max_th` up to `2 max_th`, as ns-2 can. Default false: packets are
        dropped there (RFC 3168, section 7).
    max_p : float, optional
        Nominal probability of an action when the average reaches `max_th`, 0 to 1. Default 0.1 (ns-2). Legal: 0 to 1.
    max_th : str, optional
        Average queue at which the probability has risen to `max_p`. Default "15 packets" (ns-2). "auto" is `3 min_th`.
    mean_pktsize : str such as "1000 B", optional
        Mean packet size, for the decay while idle and for byte mode. Default: the size of the flows' data packets.
        Legal: 1 B to 65535 B.
    min_th : str, optional
        Average queue from which packets are dropped or marked at random. Default "5 packets" (ns-2). "auto" is `max(5,
        target_delay * packets per second / 2)`, with `max_th` "auto", too (ns-2 since 2001).
    target_delay : str such as "250 ms", optional
        Queueing delay from which "auto" thresholds are worked out. Default "5 ms" (ns-2).
    w_q : float | Literal["auto"], optional
        Weight of an arrival in the average, above 0 and up to 1. Default 0.002 [FloydJacobson93]. "auto" is `1 -
        exp(-1/(10 rtt ptc))`, `rtt = max(0.1 s, 3 (delay + 1/ptc))`, ptc packets per second (ns-2 since 2001). Legal:
        above 0 up to 1.
    wait : bool, optional
        Leaves at least 1/p packets between two actions. Default true (ns-2).
    """

    kind: ClassVar[str | None] = "red"

    adapt: RedAdapt | None = None
    adaptive: bool | None = None
    bytes: bool | None = None
    ecn: bool | None = None
    gentle: bool | None = None
    limit: str | None = None
    mark_above_max_th: bool | None = None
    max_p: float | None = None
    max_th: str | None = None
    mean_pktsize: str | None = None
    min_th: str | None = None
    target_delay: str | None = None
    w_q: float | Literal["auto"] | None = None
    wait: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class RedAdapt(Part):
    """Constants of adaptive RED ([FloydGummadiShenker01]; ns-2).

    Parameters
    ----------
    bottom : float | Literal["auto"], optional
        `max_p` is not lowered from here, 0 to 1. Default "auto": `min(0.01, 80000 bit/s / rate)`. Legal: 0 to 1.
    decrease : float, optional
        What `max_p` is multiplied with to lower it, 0 to 1. Default 0.9. Legal: 0 to 1.
    increase : float, optional
        Most that is added to `max_p`, 0 to 1. Default 0.01. Legal: 0 to 1.
    increase_part : float, optional
        Most that is added to `max_p`, as a part of it. Default 0.25. Legal: 0 or more.
    interval : str such as "250 ms", optional
        Least time between two changes of `max_p`. Default "500 ms".
    margin : float, optional
        The target zone begins and ends this part of `max_th - min_th` inside the thresholds, 0 to 0.5. Default 0.4.
        Legal: 0 to 0.5.
    top : float, optional
        `max_p` is not raised from here, 0 to 1. Default 0.5. Legal: 0 to 1.
    """

    bottom: float | Literal["auto"] | None = None
    decrease: float | None = None
    increase: float | None = None
    increase_part: float | None = None
    interval: str | None = None
    margin: float | None = None
    top: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Registration(Part):
    """Registration: every receiver tells the sender that it is a member.

    Parameters
    ----------
    missed : int, optional
        How many messages in a row may fail to come before a receiver is forgotten, half a refresh time after the last
        of them was due. Default 3. Legal: 1 to 100.
    refresh : str such as "250 ms", optional
        Time from one message of a receiver to the next. Default 30 s. Legal: 1 s to 3600 s.
    """

    kind: ClassVar[str | None] = "registration"

    missed: int | None = None
    refresh: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Repair(Part):
    """How what is missing of a segment comes, on a way that is not part of the network.

    Parameters
    ----------
    after : str such as "250 ms"
        How long it takes, from the moment at which the receiver knows that the segment is over: when a packet of a
        later one comes in the same layer, or the source ends.
    most : float, optional
        The largest part of a segment's packets that is repaired; of a segment that lacks more nothing is. Default 1.
        Legal: above 0 up to 1.
    """

    after: str
    most: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class ReturnChannel(Part):
    """A carrier on which many terminals send in slots, or changes to one of that name that the topology makes.

    A new one needs `links`, `superframe`, `slots`, `payload` and `access`.

    Parameters
    ----------
    access : ReturnAccess, optional
        Who sends when.
    links : Sequence[str], optional
        Directions of links that have no transmitter of their own and send on it, a terminal each: names as "up-0" or
        "line.back", and patterns as "up-*". Their rate is that of the carrier.
    payload : str such as "1000 B", optional
        What a slot takes, up to 65535 B, with headers of the link layer. Legal: above 0 B up to 65535 B.
    slots : int, optional
        Slots in a superframe, all of one length, up to 100000. Legal: 1 to 100000.
    superframe : str such as "250 ms", optional
        How long a superframe is, 1 ms to 10 s. Legal: 0.001 s to 10 s.
    """

    access: ReturnAccess | None = None
    links: Sequence[str] | None = None
    payload: str | None = None
    slots: int | None = None
    superframe: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class RlmParameters(Part):
    """Parameters of the scheme rlm, for all sessions that do not say them.

    Parameters
    ----------
    backoff : float, optional
        A failed experiment makes the join timer of its layer so many times as long. Default 2. Legal: 1 or more.
    detection_deviation : str such as "250 ms", optional
        The deviation of that at first. Default 2 s.
    detection_time : str such as "250 ms", optional
        How long it takes at first until loss follows from a layer too many. Default 5 s. Legal: 0.001 s or more.
    ecn : bool, optional
        Whether data is ECN-capable. A packet that is marked counts as one that is lost: RLM is older than ECN, so this
        is a choice of this project. Default false.
    gain : float, optional
        The weight of a new detection time in its mean and in its deviation. Default 0.25. Legal: 0 to 1.
    jitter : float, optional
        Each gap of the source is the nominal one times 1 + U(-jitter, jitter). Default 0.5, ns-2's `random_`. Legal: 0
        to 1.
    join_timer : str such as "250 ms", optional
        The mean time from one experiment to the next at first, and the least. Default 5 s. Legal: 0.001 s or more.
    loss_threshold : float, optional
        A layer is left if a larger part than this of at least ten packets is lost. Default 0.25. Legal: 0 to 1.
    max_hold : str such as "250 ms", optional
        For so long at most the experiments of others alone hold up a receiver that loses nothing. Default: with the
        profile "mended" as long as `max_join_timer`, with "ns2" forever.
    max_join_timer : str such as "250 ms", optional
        The most that the join timer becomes. Default 60 s. Legal: join_timer or more.
    packet_size : str such as "1000 B", optional
        Size of a packet on the wire. Default 1000 B.
    profile : {"ns2", "mended"}, optional
        Whether the dead ends of ns-2's code are mended. Default "mended".
    rates : Sequence[str], optional
        Rate of each layer, the base first, headers included. Default 32, 64, 128, 256, 512 and 1024 kbit/s (ns-2's
        example).
    rejoin_from_zero : bool, optional
        Whether who has left all layers joins the base again when its join timer says so. Default: as the profile says.
    relaxation : float, optional
        A while without loss makes it so many times as long. Default 0.75. Legal: 0 to 1.
    restart_join_timer : bool, optional
        Whether who leaves a layer while no join timer runs, as it had held all layers, starts one. Default: as the
        profile says.
    """

    backoff: float | None = None
    detection_deviation: str | None = None
    detection_time: str | None = None
    ecn: bool | None = None
    gain: float | None = None
    jitter: float | None = None
    join_timer: str | None = None
    loss_threshold: float | None = None
    max_hold: str | None = None
    max_join_timer: str | None = None
    packet_size: str | None = None
    profile: RlmProfile | None = None
    rates: Sequence[str] | None = None
    rejoin_from_zero: bool | None = None
    relaxation: float | None = None
    restart_join_timer: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class RlmSession(AnySession, RlmParameters):
    """RLM: receivers try layers and leave them on loss.

    It takes, too, what `AnySession` and `RlmParameters` take.
    """

    scheme: ClassVar[str | None] = "rlm"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Satellite(Part):
    """Sources at a gateway, receivers on the one downlink of a satellite.

    Parameters
    ----------
    access : Duplex, optional
        The links of the hosts at the gateway, access-left-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
        packets.
    downlink : Settings, optional
        The link `downlink` from the satellite to all terminals: one queue, one transmitter. Default 10 Mbit/s,
        drop-tail with 50 packets.
    feeder : Duplex, optional
        The link `feeder` from the gateway to the satellite. Default 10 Mbit/s, 125 ms, drop-tail with 50 packets.
    left : int, optional
        Hosts at the gateway, for sources: left-0, left-1 and so on. Default 1. Legal: 1 to 1000000.
    leg : Settings, optional
        Its legs, leg-0 to terminal right-0 and so on. Default 125 ms, without losses.
    leg_delays : Sequence[str], optional
        Delays of the legs, which terminals take by turns: of three, leg-3 has the first again. Default: that of `leg`.
    leg_losses : Sequence[Loss], optional
        Losses of the legs, by turns likewise. Default: that of `leg`.
    return_ : Settings, optional
        The links back, return-0 from right-0 to the satellite and so on, a transmitter for each terminal. Default 1
        Mbit/s, 125 ms, drop-tail with 50 packets.
    right : int, optional
        Terminals, for receivers: right-0, right-1 and so on. Default 2. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "satellite"

    access: Duplex | None = None
    downlink: Settings | None = None
    feeder: Duplex | None = None
    left: int | None = None
    leg: Settings | None = None
    leg_delays: Sequence[str] | None = None
    leg_losses: Sequence[Loss] | None = None
    return_: Settings | None = None
    right: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Series(Part):
    """Values of a row: that of the n-th link or host, counted from 0, is the first plus n steps.

    Parameters
    ----------
    first : str | float
        The first value.
    step : str | float
        From one to the next.
    """

    first: str | float
    step: str | float


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Settings(AnyLink):
    """Settings of one direction of a link.

    It takes, too, what `AnyLink` takes.

    Parameters
    ----------
    delay : str such as "250 ms", optional
        Propagation delay, up to 1 h. Legal: at most 3600 s, for light is at Saturn by then.
    rate : str such as "1.5 Mbit/s", optional
        Rate of the transmitter, 10 bit/s to 10000 Gbit/s. Legal: 10 bit/s to 10000 Gbit/s.
    """

    delay: str | None = None
    rate: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Shaper(Part):
    """A token bucket that delays, behind a queue of any kind.

    Parameters
    ----------
    burst : str such as "1000 B", optional
        Tokens that are there at most. A larger packet goes when all of them are there, and is owed. Default "15000 B",
        ten packets of Ethernet. Legal: 1 B to 1099511627776 B.
    queue : Queue, optional
        What packets wait in. Default: a drop-tail queue.
    rate : str such as "1.5 Mbit/s", optional
        How fast tokens come. Default: the rate that the link has at first, by which nothing changes but where bursts
        wait, as long as it keeps that rate. Legal: 1 bit/s or more.
    """

    kind: ClassVar[str | None] = "shaper"

    burst: str | None = None
    queue: Queue | None = None
    rate: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Site(Part):
    """A place on the ground: how high the satellite stands there, or where it is.

    Parameters
    ----------
    elevation : float, optional
        How high the satellite stands above the horizon, degrees: 90 straight below it, 0 at the edge of what it sees.
        Legal: 0 to 90.
    latitude : float, optional
        Degrees north. Legal: -90 to 90.
    longitude : float, optional
        Degrees east. Legal: -180 to 360.
    """

    elevation: float | None = None
    latitude: float | None = None
    longitude: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class SmccParameters(Part):
    """Parameters of the scheme smcc, for all sessions that do not say them.

    Parameters
    ----------
    base_rate : str such as "1.5 Mbit/s", optional
        B_0, the most that the lowest layer carries. Default 1 Mbit/s; not beside `bounds`.
    bounds : Sequence[str], optional
        B_0, B_1 .. themselves, increasing: the most that the layers up to each carry together. Default: by the three
        parameters above.
    control : {"tfmcc", "pgmcc"}, optional
        What controls the rate of each layer. Default "tfmcc".
    growth : float, optional
        By what the most that the layers carry together grows from one to the next: B_i = base_rate · growth^i. Default
        2 ([Kwon]); not beside `bounds`. Legal: above 1 up to 1000.
    join : {"additive", "direct"}, optional
        How receivers join the next layer. Default "additive".
    layers : int, optional
        How many layers there are. Default 4; not beside `bounds`. Legal: 1 to 128, counting layers included.
    loss_differentiation : LossDifferentiation, optional
        Receivers tell losses on links from congestion, of which alone their level and their reports depend then, and
        whether an attempt fails. Left out, they take all for congestion, and compare nothing. With `control` "tfmcc".
    pgmcc : SmccPgmcc, optional
        The parameters of the windows, used with `control` "pgmcc".
    phases : int, optional
        How many times there are counting layers of each period, shifted against each other so that receivers wait less
        before they can begin: 1 or 2. Default 1. Legal: 1 to 2.
    rtts : Sequence[str], optional
        The periods of the counting layers, increasing: a receiver takes the shortest that makes its climb, of a packet
        more in each period, at most 1.1 times as steep as that of a TCP with its least round-trip time. Each a power of
        two times the first, as in [Kwon], or any whose slots begin together often: after at most 65536 times what all
        are multiples of, which is 0.1 ms at least. Default 32, 64, 128, 256 and 512 ms.
    tfmcc : Tfmcc, optional
        The parameters of TFMCC, for each layer alike. `max_rate` is none of them: the bounds say it. With `control`
        "pgmcc" what they say of reports and measurements holds as well.
    """

    base_rate: str | None = None
    bounds: Sequence[str] | None = None
    control: SmccControl | None = None
    growth: float | None = None
    join: SmccJoin | None = None
    layers: int | None = None
    loss_differentiation: LossDifferentiation | None = None
    pgmcc: SmccPgmcc | None = None
    phases: int | None = None
    rtts: Sequence[str] | None = None
    tfmcc: Tfmcc | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class SmccPgmcc(Part):
    """The window of each layer.

    Parameters
    ----------
    bias : float, optional
        Another receiver limits a layer if it wants less than so many times T_i. Default 0.75, as in pgmcc. Legal: above
        0 up to 1.
    election : {"feedback-round", "back-off"}, optional
        How long an election takes. Default "feedback-round".
    initial_rto : str such as "250 ms", optional
        How long a receiver that limits may be silent before its first ACK. Default 3 s. Legal: min_rto to 60 s.
    min_rto : str such as "250 ms", optional
        The least time-out, after which a receiver that limits and acknowledges nothing is given up. Default 1 s. Legal:
        0.001 s to 60 s.
    nak_backoff : str such as "250 ms", optional
        With `election = "back-off"` members wait for a random part of this. Default 50 ms, as in pgmcc. Legal: at most
        60 s.
    ssthresh : str such as "50 packets", optional
        Up to this window each packet acknowledged opens it by one. Default 4 packets, as in pgmcc. Legal: 1 packet to
        1000000 packets.
    """

    bias: float | None = None
    election: SmccElection | None = None
    initial_rto: str | None = None
    min_rto: str | None = None
    nak_backoff: str | None = None
    ssthresh: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class SmccSession(AnySession, SmccParameters):
    """SMCC: layers, each with a TFMCC of its own; receivers go up a packet per round-trip time.

    It takes, too, what `AnySession` and `SmccParameters` take.
    """

    scheme: ClassVar[str | None] = "smcc"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Star(Part):
    """Hosts around one router.

    Parameters
    ----------
    access : Duplex, optional
        The links of all hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
        packets.
    access_left : Duplex, optional
        What is different on the left, for left-0, left-1 and so on.
    access_right : Duplex, optional
        What is different on the right, for right-0, right-1 and so on.
    left : int, optional
        Hosts on the left, for sources: left-0, left-1 and so on. Default 1. Legal: 1 to 1000000.
    right : int, optional
        Hosts on the right, for receivers: right-0, right-1 and so on. Default 2. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "star"

    access: Duplex | None = None
    access_left: Duplex | None = None
    access_right: Duplex | None = None
    left: int | None = None
    right: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Station(Part):
    """A ground station: a node that has a link to one satellite of the constellation at a time.

    Parameters
    ----------
    latitude : float
        Degrees north, from -90 to 90: geocentric on the sphere of shells, geodetic on the ellipsoid of real elements.
        Legal: -90 to 90.
    longitude : float
        Degrees east, from -180 to 360. Legal: -180 to 360.
    altitude : float, optional
        Above the ground, km. Default 0. Legal: 0 to 100.
    downlink : Settings, optional
        What is different about the links from satellites to it: losses. If rate, queue, agent or header are said, every
        satellite has a queue and a transmitter of their own for this station.
    mask : float, optional
        The least elevation of a satellite that it takes, degrees. Default: `topology.mask`. Legal: 0 to 89.
    uplink : Settings, optional
        What is different about its transmitter, the link `NAME-up`.
    """

    latitude: float
    longitude: float
    altitude: float | None = None
    downlink: Settings | None = None
    mask: float | None = None
    uplink: Settings | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Tcp(AnyFlow):
    """A TCP transfer.

    It takes, too, what `AnyFlow` takes.

    Parameters
    ----------
    abc_limit : int, optional
        The most segments for which an ACK lets the window grow in slow start, L of RFC 3465 section 2.2: used with
        `byte_counting`, and without `hystart`, which has a limit of its own. After a time-out it is 1 (section 2.3).
        Default 1, as RFC 5681 section 3.1 wants it; RFC 3465 allows 2 for experiments. Legal: 1 to 1000.
    ack_size : str such as "1000 B", optional
        Size of an acknowledgement on the wire. Default 40 B: IP and TCP without options, as ns-2 has it. Legal: 1 B to
        65535 B.
    byte_counting : bool, optional
        In congestion avoidance an ACK lets the window grow for each segment that it acknowledges (RFC 5681 section 3.1,
        RFC 3465 section 2.1), and in slow start for at most `abc_limit` of them. If false for one, whatever it
        acknowledges, as in ns-2: a receiver that delays its ACKs then halves the growth. Left out, true but with
        "hybla", which is published so. The cubic function of "cubic" does not count.
    cubic : TcpCubic, optional
        CUBIC: used with `variant = "cubic"`.
    cwnd_validation : {"rfc5681", "rfc7661"}, optional
        What becomes of a window that the application does not use. Default "rfc5681".
    delayed_ack : bool, optional
        Acknowledge every second segment that comes in order instead of every one. Default false (ns-2 `Agent/TCPSink`).
    delayed_ack_timeout : str such as "250 ms", optional
        How long a lone segment waits for its acknowledgement if `delayed_ack`. Default 100 ms (ns-2; RFC 5681 section
        4.2 allows 500 ms). Legal: above 0 s up to 86400 s.
    dupthresh : int, optional
        Duplicate ACKs that show a loss. Default 3 (RFC 5681 section 3.2). Legal: 1 to 1000.
    ecn : {"off", "ecn", "mecn"}, optional
        Explicit congestion notification. Default "off".
    ecn_retransmissions : bool, optional
        Retransmissions are ECN-capable, too, if `ecn` is not "off", as ns-2 sends them. Default false (RFC 3168 section
        6.1.5).
    full_ack : {"ssthresh", "flight"}, optional
        The window with which NewReno leaves a recovery. Default "ssthresh", which is what ns-2 does.
    granularity : str such as "250 ms", optional
        Clock granularity G: the least value of the variance term in the time-out. Default 10 ms (ns-2 `tcpTick_`).
        Legal: at most 86400 s.
    grow_after_timeout : bool, optional
        Let the window grow while a time-out is repaired although the receiver still echoes marks from before it: the
        time-out has answered them, and CWR, which ends the echo, goes out with new data only (RFC 3168 section 6.1.2).
        Default true; false is the letter of that section, one segment per round trip until the repair is complete.
    handshake : bool, optional
        Exchange SYN and SYN-ACK, of `ack_size` each, before data (RFC 9293 section 3.5): data begins a round trip
        later, and that has been measured. Default false, as in ns-2's one-way TCP.
    handshake_ack : bool, optional
        Acknowledge the SYN-ACK at once by a packet of its own, of `ack_size`, before data (RFC 9293 section 3.5, figure
        6), as hosts do whose application writes once it is connected. It takes a place in queues that count packets.
        Default false: the acknowledgement goes with the first segment (section 3.10.7.3). With `handshake` only.
    hdr : str such as "1000 B", optional
        Headers that a segment has on the wire beside its payload. Default 40 B: IP and TCP without options. 0 B counts
        as ns-2 did before 2002.
    holes_first : bool, optional
        In a recovery by SACK, what is not acknowledged below something that is goes before what was never sent, though
        it does not count as lost yet: rule (3) of NextSeg before rule (2), as in ns-2. Default false (RFC 6675 section
        4).
    hybla : TcpHybla, optional
        Hybla: used with `variant = "hybla"`.
    hystart : bool, optional
        End the first slow start when round trips become longer, by HyStart++ (RFC 9406); with it the window grows by
        the segments that an ACK acknowledges, at most 8 unless paced. Left out, on with "cubic" (RFC 9438 section 4.10)
        and off with every other variant.
    initial_cwnd : str such as "50 packets", optional
        Congestion window at the start. Default 2 packets (ns-2 since May 2001). Legal: 1 packet to 1000000000 packets.
    initial_ssthresh : str such as "50 packets", optional
        Slow-start threshold at the start; left out, `wnd` (ns-2), hence unbounded where that is (RFC 5681 section 3.1:
        "arbitrarily high"). Legal: 1 packet to 1000000000 packets.
    limited_retransmit : bool, optional
        After a time-out the first duplicate ACKs let out, as new segments otherwise, those that the sender goes back
        over, as ns-2's `send_one` does. Default false: RFC 3042 section 2 has "previously unsent data". Without effect
        without `limited_transmit`.
    limited_transmit : bool, optional
        Send a new segment on each of the first duplicate ACKs (RFC 3042). Default true.
    max_burst : int, optional
        The most segments that the window lets out at once: for one ACK, at the start, after a time-out. The repairs
        that Reno and NewReno send on an ACK, and limited transmit, come on top. Left out, unlimited (ns-2 `maxburst_`
        0). RFC 6582 section 3.2 step 3 encourages such a limit with `full_ack` "ssthresh". Legal: 1 to 4294967295.
    mecn : TcpMecn, optional
        Multilevel ECN: used with `ecn = "mecn"`.
    mss : str such as "1000 B" or a sequence of such, optional
        Payload of a segment. Default 1000 B (ns-2). A list has one for each of `count` flows. Legal: above 0 B.
    pacing : TcpPacing, optional
        Send evenly, so many windows per round-trip time, instead of in bursts. `{}` takes the default ratios. Left out,
        no pacing: what an ACK lets go goes at once.
    profile : {"rfc", "ns2", "linux"}, optional
        Whose choices the keys that are left out take. Default "rfc".
    proportional_rate_reduction : bool, optional
        In a recovery by SACK, let the window shrink with what arrives, over a round trip, instead of at once, after
        which the sender is silent for a part of it: proportional rate reduction (RFC 9937), which Linux has, too.
        Default false (RFC 6675).
    rate_limited_increase : bool, optional
        A window that is not full grows to what was outstanding at once and an ACK of all of that would make of it, and
        no further (draft-ietf-ccwg-ratelimited-increase). Default false. With variants that grow as Reno does.
    recovery : {"reno", "newreno", "sack"}, optional
        How losses are repaired; left out, the way that goes with the variant.
    rescue_retransmission : bool, optional
        In a recovery by SACK in which nothing else may be sent, send the last segment outstanding again, once: rule (4)
        of NextSeg (RFC 6675 section 4). It finds out whether the end of a transfer was lost. Default true.
    rto_initial : str such as "250 ms", optional
        Retransmission time-out before the first measurement. Default 3 s (ns-2; RFC 6298 (2.1) says 1 s). Legal: above
        0 s up to rto_max.
    rto_max : str such as "250 ms", optional
        Greatest retransmission time-out. Default 60 s (RFC 6298 (2.5)). Legal: above 0 s up to 86400 s.
    rto_min : str such as "250 ms", optional
        Least retransmission time-out. Default 1 s (RFC 6298 (2.4); ns-2.35 has 0.2 s). Legal: above 0 s up to rto_max.
    rtt_tick : str such as "250 ms", optional
        Measure round-trip times with a clock that ticks this often, as ns-2 does (`tcpTick_`, 10 ms): the ticks between
        sending and ACK, at least one. Where in a tick the connection begins is drawn. Left out, to the nanosecond, or
        the microsecond with `timestamps`. Legal: above 0 s up to 86400 s.
    segmentation_offload : bool, optional
        Hand new segments down in bundles, as hosts do whose network card, or kernel, cuts them: as many as go in a
        millisecond at the pace of the window, two at least, and half of the window at most. The last of several that go
        together has the push flag, and its receiver acknowledges it at once, `delayed_ack` or not; what is less than a
        bundle waits for an acknowledgement that is about to come. Linux does so. Default false.
    segments : int or a sequence of such, optional
        Segments to transfer; left out, the source always has data (FTP). A list has one for each of `count` flows.
        Legal: 1 to 4294967295.
    send_jitter : str such as "250 ms", optional
        What a sending host adds to each opportunity to send: a uniform time from zero to this (ns-2 `overhead_`). About
        the time that the bottleneck takes for a packet breaks the lock-step of flows with equal round-trip times.
        Default 0 s: none. Legal: at most 86400 s.
    timestamps : bool, optional
        Measure the round-trip time on every ACK of new data by time stamps (RFC 7323) rather than on one segment at a
        time. Sizes on the wire stay as configured. Default false.
    variant : {"reno", "newreno", "sack", "westwood", "westwood+", "hybla", "cubic"} or a sequence of such, optional
        The window rule. Default "newreno". A list has one for each of `count` flows.
    westwood : TcpWestwood, optional
        Westwood's filter: used with `variant = "westwood"`.
    westwood_plus : TcpWestwoodPlus, optional
        Westwood+'s filter: used with `variant = "westwood+"`.
    whole_segments : bool, optional
        In congestion avoidance let the window grow by whole segments, one when as many as it has have been
        acknowledged, and leave whole ones after a reduction, as hosts do (Linux). Without effect on the growth of RFC
        9438. Default false: each ACK adds its part (RFC 5681 equation (3)).
    wnd : str such as "50 packets", optional
        The receiver's window, whole segments; left out, unbounded, so that the network alone limits. ns-2 has 20
        packets. Legal: 1 packet to 1000000000 packets.
    """

    kind: ClassVar[str | None] = "tcp"

    abc_limit: int | None = None
    ack_size: str | None = None
    byte_counting: bool | None = None
    cubic: TcpCubic | None = None
    cwnd_validation: TcpCwndValidation | None = None
    delayed_ack: bool | None = None
    delayed_ack_timeout: str | None = None
    dupthresh: int | None = None
    ecn: TcpEcn | None = None
    ecn_retransmissions: bool | None = None
    full_ack: TcpFullAck | None = None
    granularity: str | None = None
    grow_after_timeout: bool | None = None
    handshake: bool | None = None
    handshake_ack: bool | None = None
    hdr: str | None = None
    holes_first: bool | None = None
    hybla: TcpHybla | None = None
    hystart: bool | None = None
    initial_cwnd: str | None = None
    initial_ssthresh: str | None = None
    limited_retransmit: bool | None = None
    limited_transmit: bool | None = None
    max_burst: int | None = None
    mecn: TcpMecn | None = None
    mss: str | Sequence[str] | None = None
    pacing: TcpPacing | None = None
    profile: TcpProfile | None = None
    proportional_rate_reduction: bool | None = None
    rate_limited_increase: bool | None = None
    recovery: Recovery | None = None
    rescue_retransmission: bool | None = None
    rto_initial: str | None = None
    rto_max: str | None = None
    rto_min: str | None = None
    rtt_tick: str | None = None
    segmentation_offload: bool | None = None
    segments: int | Sequence[int] | None = None
    send_jitter: str | None = None
    timestamps: bool | None = None
    variant: Variant | Sequence[Variant] | None = None
    westwood: TcpWestwood | None = None
    westwood_plus: TcpWestwoodPlus | None = None
    whole_segments: bool | None = None
    wnd: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TcpCubic(Part):
    """The parameters of CUBIC.

    Parameters
    ----------
    beta : float, optional
        What a loss, or a mark of plain ECN, multiplies the window by. Default 0.7 (RFC 9438 section 4.6). Legal: above
        0 and below 1.
    c : float, optional
        How steep the cubic function is, segments per cubic second. Default 0.4 (RFC 9438 section 5.1). Legal: above 0
        up to 1000000.
    fast_convergence : bool, optional
        A loss at a smaller window than that of the one before makes room for others: the plateau is lowered further
        (RFC 9438 section 4.7, which wants it off for a flow that is alone). Default true.
    growth : {"rfc9438", "linux"}, optional
        By whose arithmetic the window grows. Default "rfc9438".
    """

    beta: float | None = None
    c: float | None = None
    fast_convergence: bool | None = None
    growth: TcpCubicGrowth | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TcpHybla(Part):
    """The parameters of Hybla.

    Parameters
    ----------
    rtt0 : str such as "250 ms", optional
        RTT0, the round trip of the reference connection, whose growth is imitated. Flows with a shorter one grow as
        NewReno does. Default 25 ms (Linux; ns-3 has 50 ms). Legal: above 0 s.
    """

    rtt0: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TcpMecn(Part):
    """The response to multilevel marks [Durresi].

    Parameters
    ----------
    alpha1 : float, optional
        Reduction on incipient congestion: the window is multiplied by `1 - alpha1`. Default 0.2 ([Durresi] Table III).
        Legal: from 0 to less than 1.
    alpha2 : float, optional
        Reduction on moderate congestion. Default 0.4 ([Durresi] Table III). Legal: alpha1 or more, for moderate is more
        than incipient; from 0 to less than 1.
    alpha3 : float, optional
        Reduction that a loss brings a window to that an echo has already reduced. Default 0.5 ([Durresi] Table III).
        Legal: from 0 to less than 1.
    escalate : bool, optional
        Within one window of data a higher level, or a loss, adds what its reduction has more than the one made. If
        false, there is one reduction per window. Default true. The paper does not say.
    hold : bool, optional
        An echo that meets a window of one segment makes the sender wait for its timer, as RFC 3168 section 6.1.2 asks
        of ECN. Default false: the paper does not say.
    latch : bool, optional
        The receiver echoes the level marked first until the sender has answered it, then the next ([Durresi] section
        V). If false, a higher level is echoed at once. Default true.
    """

    alpha1: float | None = None
    alpha2: float | None = None
    alpha3: float | None = None
    escalate: bool | None = None
    hold: bool | None = None
    latch: bool | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TcpPacing(Part):
    """How fast a paced sender sends, in windows per smoothed round-trip time.

    Parameters
    ----------
    avoidance : float, optional
        Windows per round-trip time in congestion avoidance and recovery. Default 1.2: what has been held back is made
        up for. Legal: 1 to 1000, for less would hold the window back.
    slow_start : float, optional
        Windows per round-trip time in slow start. Default 2: the window doubles in a round trip. Legal: 1 to 1000, for
        less would hold the window back.
    """

    avoidance: float | None = None
    slow_start: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TcpWestwood(Part):
    """The parameters of Westwood's filter.

    Parameters
    ----------
    m : float, optional
        Where no ACK comes for `tau / m`, a sample of zero is taken in. Default 2, the least that the sampling theorem
        allows. Legal: 1 to 1000.
    tau : str such as "250 ms", optional
        The time constant τ of the filter. Default 0.5 s. Legal: above 0 s up to 86400 s.
    """

    m: float | None = None
    tau: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TcpWestwoodPlus(Part):
    """The parameters of Westwood+'s filter.

    Parameters
    ----------
    least_after_slow_start : float, optional
        A loss in slow start leaves at least this part of the window. The estimate is one of ten round trips and lags
        far behind a window that doubles in one. Default 0.5, what Reno leaves, and half of the window is what the path
        carried in the round trip before; 0 as published, and as in Linux. Legal: 0 to 1.
    least_interval : str such as "250 ms", optional
        A sample is over a round trip, but over no less than this. Default 50 ms (Linux). Legal: above 0 s up to 86400
        s.
    weight : float, optional
        The weight of a new sample, which is the mean of the last two. Default 0.1 (ns-3). Legal: above 0 up to 1.
    """

    least_after_slow_start: float | None = None
    least_interval: str | None = None
    weight: float | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TfmccParameters(Tfmcc):
    """Parameters of the scheme tfmcc, for all sessions that do not say them.

    It takes, too, what `Tfmcc` takes.
    """


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class TfmccSession(AnySession, TfmccParameters):
    """TFMCC: the rate of a TCP on the way to the worst receiver (RFC 4654).

    It takes, too, what `AnySession` and `TfmccParameters` take.
    """

    scheme: ClassVar[str | None] = "tfmcc"


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Tree(Part):
    """Sources at the root and receivers at the leaves of a tree of routers.

    Parameters
    ----------
    access : Duplex, optional
        The links of all hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
        packets.
    access_left : Duplex, optional
        What is different on the left, for left-0, left-1 and so on.
    access_right : Duplex, optional
        What is different on the right, for right-0, right-1 and so on.
    branch : Duplex, optional
        The links between routers, branch-1, branch-2 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    depth : int, optional
        Levels of links from the root to the leaves. Default 3. Legal: 1 to 20.
    fan_out : int, optional
        Links down from each router. Default 2: a binary tree. There are fan_out to the power of depth leaves, a million
        at most. Legal: 1 to 1000000.
    left : int, optional
        Hosts at the root, for sources: left-0, left-1 and so on. Default 1. Legal: 1 to 1000000.
    """

    kind: ClassVar[str | None] = "tree"

    access: Duplex | None = None
    access_left: Duplex | None = None
    access_right: Duplex | None = None
    branch: Duplex | None = None
    depth: int | None = None
    fan_out: int | None = None
    left: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Vbdc(Part):
    """Terminals ask for slots for what waits (volume-based dynamic capacity).

    Parameters
    ----------
    constant : int, optional
        Slots that each terminal has in each superframe besides. Default 0. Legal: 0 to 100000.
    delay : str such as "250 ms", optional
        From a request to the first superframe that may be assigned by it, rounded up to superframes, at least one.
        Default: twice the longest delay of `links`, which is there and back. Legal: at most 10 s.
    free : bool, optional
        Whether all share the slots for which nobody has asked. Default false.
    most : int, optional
        Slots in a superframe that a terminal gets on demand at most. Default: all. Legal: 1 to 100000.
    """

    kind: ClassVar[str | None] = "vbdc"

    constant: int | None = None
    delay: str | None = None
    free: bool | None = None
    most: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Visits(Part):
    """Users, each of whom fetches a page, waits until all of it is there, thinks, and fetches the next.

    Parameters
    ----------
    objects : int, optional
        Transfers of a page, over connections that are opened at once. Default 1. Legal: 1 to 1000.
    think : str such as "250 ms", optional
        Mean time from the end of a page to the next, exponential; each user thinks before the first page, too. Default
        "5 s".
    users : int, optional
        How many; user i is on pair i of the nodes, and they go round. Default 1. Legal: 1 to 1000000.
    """

    objects: int | None = None
    think: str | None = None
    users: int | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Web(Part):
    """Finite TCP transfers that arrive at random, between one or several pairs of nodes.

    Parameters
    ----------
    abc_limit : int, optional
        The most segments for which an ACK lets the window grow in slow start, L of RFC 3465 section 2.2: used with
        `byte_counting`, and without `hystart`, which has a limit of its own. After a time-out it is 1 (section 2.3).
        Default 1, as RFC 5681 section 3.1 wants it; RFC 3465 allows 2 for experiments. Legal: 1 to 1000.
    ack_size : str such as "1000 B", optional
        Size of an acknowledgement on the wire. Default 40 B: IP and TCP without options, as ns-2 has it. Legal: 1 B to
        65535 B.
    application : Application, optional
        What the application has to send. Default: always something. For TCP, whose own `segments` it takes the place
        of.
    arrivals : str | Sequence[Arrival], optional
        Transfers arrive at these moments, counted from `start`: a list, or the name of a CSV file.
    at_once : int, optional
        Connections open at one time, at most; further ones wait in order. Default 10000. Legal: 1 to 1000000.
    byte_counting : bool, optional
        In congestion avoidance an ACK lets the window grow for each segment that it acknowledges (RFC 5681 section 3.1,
        RFC 3465 section 2.1), and in slow start for at most `abc_limit` of them. If false for one, whatever it
        acknowledges, as in ns-2: a receiver that delays its ACKs then halves the growth. Left out, true but with
        "hybla", which is published so. The cubic function of "cubic" does not count.
    classes : Sequence[str], optional
        Limits of the classes of size in the summary: in class 1 are transfers of at most the first of these, and so on;
        in the last one those larger than all. Default "10 KB", "100 KB", "1 MB".
    count : int, optional
        So many flows, called NAME-0, NAME-1 and so on. Default: one flow, called NAME; where `from` or `to` names
        several nodes at once, as many as these are. Legal: 1 to 4294967295.
    cubic : TcpCubic, optional
        CUBIC: used with `variant = "cubic"`.
    cwnd_validation : {"rfc5681", "rfc7661"}, optional
        What becomes of a window that the application does not use. Default "rfc5681".
    delayed_ack : bool, optional
        Acknowledge every second segment that comes in order instead of every one. Default false (ns-2 `Agent/TCPSink`).
    delayed_ack_timeout : str such as "250 ms", optional
        How long a lone segment waits for its acknowledgement if `delayed_ack`. Default 100 ms (ns-2; RFC 5681 section
        4.2 allows 500 ms). Legal: above 0 s up to 86400 s.
    dscp : int, optional
        The DSCP of their packets, and of those that answer them, by which queues of kind "classes" tell them. Default
        0. Legal: 0 to 63.
    dupthresh : int, optional
        Duplicate ACKs that show a loss. Default 3 (RFC 5681 section 3.2). Legal: 1 to 1000.
    ecn : {"off", "ecn", "mecn"}, optional
        Explicit congestion notification. Default "off".
    ecn_retransmissions : bool, optional
        Retransmissions are ECN-capable, too, if `ecn` is not "off", as ns-2 sends them. Default false (RFC 3168 section
        6.1.5).
    from_ : str | Sequence[str], optional
        Sending node, or one for each of `count` flows: a list, or "home-*" for all nodes called so, or "home-[1-9]" for
        those of a row. Default: flow i is sent by the topology's left-i.
    full_ack : {"ssthresh", "flight"}, optional
        The window with which NewReno leaves a recovery. Default "ssthresh", which is what ns-2 does.
    granularity : str such as "250 ms", optional
        Clock granularity G: the least value of the variance term in the time-out. Default 10 ms (ns-2 `tcpTick_`).
        Legal: at most 86400 s.
    grow_after_timeout : bool, optional
        Let the window grow while a time-out is repaired although the receiver still echoes marks from before it: the
        time-out has answered them, and CWR, which ends the echo, goes out with new data only (RFC 3168 section 6.1.2).
        Default true; false is the letter of that section, one segment per round trip until the repair is complete.
    handshake : bool, optional
        Exchange SYN and SYN-ACK, of `ack_size` each, before data (RFC 9293 section 3.5): data begins a round trip
        later, and that has been measured. Default false, as in ns-2's one-way TCP.
    handshake_ack : bool, optional
        Acknowledge the SYN-ACK at once by a packet of its own, of `ack_size`, before data (RFC 9293 section 3.5, figure
        6), as hosts do whose application writes once it is connected. It takes a place in queues that count packets.
        Default false: the acknowledgement goes with the first segment (section 3.10.7.3). With `handshake` only.
    hdr : str such as "1000 B", optional
        Headers that a segment has on the wire beside its payload. Default 40 B: IP and TCP without options. 0 B counts
        as ns-2 did before 2002.
    holes_first : bool, optional
        In a recovery by SACK, what is not acknowledged below something that is goes before what was never sent, though
        it does not count as lost yet: rule (3) of NextSeg before rule (2), as in ns-2. Default false (RFC 6675 section
        4).
    hybla : TcpHybla, optional
        Hybla: used with `variant = "hybla"`.
    hystart : bool, optional
        End the first slow start when round trips become longer, by HyStart++ (RFC 9406); with it the window grows by
        the segments that an ACK acknowledges, at most 8 unless paced. Left out, on with "cubic" (RFC 9438 section 4.10)
        and off with every other variant.
    initial_cwnd : str such as "50 packets", optional
        Congestion window at the start. Default 2 packets (ns-2 since May 2001). Legal: 1 packet to 1000000000 packets.
    initial_ssthresh : str such as "50 packets", optional
        Slow-start threshold at the start; left out, `wnd` (ns-2), hence unbounded where that is (RFC 5681 section 3.1:
        "arbitrarily high"). Legal: 1 packet to 1000000000 packets.
    interval : str such as "250 ms", optional
        Mean time between two arrivals of a Poisson process. One of `interval`, `load`, `arrivals` and `visits` says
        when transfers arrive. Legal: above 0 s.
    limited_retransmit : bool, optional
        After a time-out the first duplicate ACKs let out, as new segments otherwise, those that the sender goes back
        over, as ns-2's `send_one` does. Default false: RFC 3042 section 2 has "previously unsent data". Without effect
        without `limited_transmit`.
    limited_transmit : bool, optional
        Send a new segment on each of the first duplicate ACKs (RFC 3042). Default true.
    link : str, optional
        The direction of a link of which `load` is a part. Default: the slowest on the way of the first pair of nodes.
    load : float, optional
        Arrivals are a Poisson process that offers this part of the rate of `link`, headers included. Legal: above 0 up
        to 100.
    max_burst : int, optional
        The most segments that the window lets out at once: for one ACK, at the start, after a time-out. The repairs
        that Reno and NewReno send on an ACK, and limited transmit, come on top. Left out, unlimited (ns-2 `maxburst_`
        0). RFC 6582 section 3.2 step 3 encourages such a limit with `full_ack` "ssthresh". Legal: 1 to 4294967295.
    mecn : TcpMecn, optional
        Multilevel ECN: used with `ecn = "mecn"`.
    mss : str such as "1000 B", optional
        Payload of a segment. Default 1000 B (ns-2). Legal: above 0 B.
    objects_per_connection : int, optional
        Transfers that a connection carries, one after the other. Default 1. Legal: 1 to 1000.
    pacing : TcpPacing, optional
        Send evenly, so many windows per round-trip time, instead of in bursts. `{}` takes the default ratios. Left out,
        no pacing: what an ACK lets go goes at once.
    pep : Pep, optional
        Proxies that split the connection of TCP. Default: there are none.
    profile : {"rfc", "ns2", "linux"}, optional
        Whose choices the keys that are left out take. Default "rfc".
    proportional_rate_reduction : bool, optional
        In a recovery by SACK, let the window shrink with what arrives, over a round trip, instead of at once, after
        which the sender is silent for a part of it: proportional rate reduction (RFC 9937), which Linux has, too.
        Default false (RFC 6675).
    rate_limited_increase : bool, optional
        A window that is not full grows to what was outstanding at once and an ACK of all of that would make of it, and
        no further (draft-ietf-ccwg-ratelimited-increase). Default false. With variants that grow as Reno does.
    recovery : {"reno", "newreno", "sack"}, optional
        How losses are repaired; left out, the way that goes with the variant.
    rescue_retransmission : bool, optional
        In a recovery by SACK in which nothing else may be sent, send the last segment outstanding again, once: rule (4)
        of NextSeg (RFC 6675 section 4). It finds out whether the end of a transfer was lost. Default true.
    rto_initial : str such as "250 ms", optional
        Retransmission time-out before the first measurement. Default 3 s (ns-2; RFC 6298 (2.1) says 1 s). Legal: above
        0 s up to rto_max.
    rto_max : str such as "250 ms", optional
        Greatest retransmission time-out. Default 60 s (RFC 6298 (2.5)). Legal: above 0 s up to 86400 s.
    rto_min : str such as "250 ms", optional
        Least retransmission time-out. Default 1 s (RFC 6298 (2.4); ns-2.35 has 0.2 s). Legal: above 0 s up to rto_max.
    rtt_tick : str such as "250 ms", optional
        Measure round-trip times with a clock that ticks this often, as ns-2 does (`tcpTick_`, 10 ms): the ticks between
        sending and ACK, at least one. Where in a tick the connection begins is drawn. Left out, to the nanosecond, or
        the microsecond with `timestamps`. Legal: above 0 s up to 86400 s.
    segmentation_offload : bool, optional
        Hand new segments down in bundles, as hosts do whose network card, or kernel, cuts them: as many as go in a
        millisecond at the pace of the window, two at least, and half of the window at most. The last of several that go
        together has the push flag, and its receiver acknowledges it at once, `delayed_ack` or not; what is less than a
        bundle waits for an acknowledgement that is about to come. Linux does so. Default false.
    segments : int, optional
        Segments to transfer; left out, the source always has data (FTP). Legal: 1 to 4294967295.
    send_jitter : str such as "250 ms", optional
        What a sending host adds to each opportunity to send: a uniform time from zero to this (ns-2 `overhead_`). About
        the time that the bottleneck takes for a packet breaks the lock-step of flows with equal round-trip times.
        Default 0 s: none. Legal: at most 86400 s.
    size : Size, optional
        How large a transfer is, in bytes of payload. Needed, unless `arrivals` says it of each.
    start : str such as "250 ms", optional
        When the first flow starts. Default "0 s".
    start_jitter : str such as "250 ms", optional
        Each flow starts later by a random time, uniform from zero to this. Default "0 s".
    start_step : str such as "250 ms", optional
        Time from the start of one flow to that of the next. Default "0 s": all start together.
    stop : str such as "250 ms", optional
        When all of them stop. Default: not before the end.
    timestamps : bool, optional
        Measure the round-trip time on every ACK of new data by time stamps (RFC 7323) rather than on one segment at a
        time. Sizes on the wire stay as configured. Default false.
    tls_round_trips : int, optional
        Round trips between TCP's handshake and data, a segment each: 1 with TLS 1.3, 2 with TLS 1.2. Default 0. Legal:
        0 to 10.
    to : str | Sequence[str], optional
        Receiving node, or one for each of `count` flows, like `from`. Default: flow i is received by the topology's
        right-i.
    variant : {"reno", "newreno", "sack", "westwood", "westwood+", "hybla", "cubic"}, optional
        The window rule. Default "newreno".
    visits : Visits, optional
        Users who fetch page after page.
    westwood : TcpWestwood, optional
        Westwood's filter: used with `variant = "westwood"`.
    westwood_plus : TcpWestwoodPlus, optional
        Westwood+'s filter: used with `variant = "westwood+"`.
    whole_segments : bool, optional
        In congestion avoidance let the window grow by whole segments, one when as many as it has have been
        acknowledged, and leave whole ones after a reduction, as hosts do (Linux). Without effect on the growth of RFC
        9438. Default false: each ACK adds its part (RFC 5681 equation (3)).
    wnd : str such as "50 packets", optional
        The receiver's window, whole segments; left out, unbounded, so that the network alone limits. ns-2 has 20
        packets. Legal: 1 packet to 1000000000 packets.
    """

    kind: ClassVar[str | None] = "web"

    abc_limit: int | None = None
    ack_size: str | None = None
    application: Application | None = None
    arrivals: str | Sequence[Arrival] | None = None
    at_once: int | None = None
    byte_counting: bool | None = None
    classes: Sequence[str] | None = None
    count: int | None = None
    cubic: TcpCubic | None = None
    cwnd_validation: TcpCwndValidation | None = None
    delayed_ack: bool | None = None
    delayed_ack_timeout: str | None = None
    dscp: int | None = None
    dupthresh: int | None = None
    ecn: TcpEcn | None = None
    ecn_retransmissions: bool | None = None
    from_: str | Sequence[str] | None = None
    full_ack: TcpFullAck | None = None
    granularity: str | None = None
    grow_after_timeout: bool | None = None
    handshake: bool | None = None
    handshake_ack: bool | None = None
    hdr: str | None = None
    holes_first: bool | None = None
    hybla: TcpHybla | None = None
    hystart: bool | None = None
    initial_cwnd: str | None = None
    initial_ssthresh: str | None = None
    interval: str | None = None
    limited_retransmit: bool | None = None
    limited_transmit: bool | None = None
    link: str | None = None
    load: float | None = None
    max_burst: int | None = None
    mecn: TcpMecn | None = None
    mss: str | None = None
    objects_per_connection: int | None = None
    pacing: TcpPacing | None = None
    pep: Pep | None = None
    profile: TcpProfile | None = None
    proportional_rate_reduction: bool | None = None
    rate_limited_increase: bool | None = None
    recovery: Recovery | None = None
    rescue_retransmission: bool | None = None
    rto_initial: str | None = None
    rto_max: str | None = None
    rto_min: str | None = None
    rtt_tick: str | None = None
    segmentation_offload: bool | None = None
    segments: int | None = None
    send_jitter: str | None = None
    size: Size | None = None
    start: str | None = None
    start_jitter: str | None = None
    start_step: str | None = None
    stop: str | None = None
    timestamps: bool | None = None
    tls_round_trips: int | None = None
    to: str | Sequence[str] | None = None
    variant: Variant | None = None
    visits: Visits | None = None
    westwood: TcpWestwood | None = None
    westwood_plus: TcpWestwoodPlus | None = None
    whole_segments: bool | None = None
    wnd: str | None = None


@checked
@dataclasses.dataclass(kw_only=True, repr=False)
class Scenario(Part):
    """A scenario: a network, the traffic on it and what is to be observed.

    Nodes, links, flows and sessions have names and are taken in the order of their names, so that the order in which a
    file lists them means nothing.

    Parameters
    ----------
    duration : str such as "250 ms"
        Simulated time. Legal: above 0 s up to 8640000 s, 100 days.
    format : int
        Version of the format: 1. Legal: 1.
    name : str
        Name of the scenario, part of the names of its results: letters, digits, `-`, `_` and `.`.
    description : str, optional
        What it is about, for people.
    engine : Engine, optional
        How the simulator works; results do not depend on it.
    flows : Mapping[str, Flow], optional
        Flows by name.
    links : Mapping[str, Link], optional
        Further links by name, and changes to the links that the topology makes; "line-*" speaks of all links called so
        or, if one end is a pattern, makes one to each such node, and "line-[1-9]" names a row of them.
    nodes : Mapping[str, Node], optional
        Further nodes by name; "home-[1-9]" names a row of them.
    optimum : Optimum, optional
        What would be the best rates: a column of the summary.
    probes : Probes, optional
        What is observed.
    reroute_interval : str such as "250 ms", optional
        Routes are computed anew this often, in the delays of that moment, at least "1 ms". Default: that of a
        constellation, otherwise only when a link goes down or up or turns elsewhere.
    return_channels : Mapping[str, ReturnChannel], optional
        Carriers by name on which many terminals send in slots, and changes to those that the topology makes.
    schemes : Mapping[str, Part], optional
        Parameters by scheme, for every session of that scheme that does not say them. So a session can have another
        scheme without keys of the first one in its way.
    seed : int, optional
        Seed of all random streams, 0 to 2^53 - 1. Default 1. Legal: 0 to 9007199254740991.
    sessions : Mapping[str, Session], optional
        Multicast sessions by name.
    stations : Mapping[str, Station], optional
        Ground stations by name, nodes of their own: those of a topology of kind "constellation".
    topology : Topology, optional
        A named topology: makes nodes and links, which `nodes` and `links` add to and override.
    warmup : str such as "250 ms", optional
        The beginning that statistics leave out. Default: a tenth of the duration.
    """

    duration: str
    format: int = 1
    name: str
    description: str | None = None
    engine: Engine | None = None
    flows: Mapping[str, Flow] | None = None
    links: Mapping[str, Link] | None = None
    nodes: Mapping[str, Node] | None = None
    optimum: Optimum | None = None
    probes: Probes | None = None
    reroute_interval: str | None = None
    return_channels: Mapping[str, ReturnChannel] | None = None
    schemes: Mapping[str, Part] | None = None
    seed: int | None = None
    sessions: Mapping[str, Session] | None = None
    stations: Mapping[str, Station] | None = None
    topology: Topology | None = None
    warmup: str | None = None


Flow: TypeAlias = "Tcp | Cbr | OnOff | Web"
"""One or several like flows."""
Loss: TypeAlias = "Lossless | Bernoulli | Every | BitError | GilbertElliott | Outage"
"""A loss model as configurations write it: `{ kind = "bernoulli", p = 0.001 }`."""
OmccPopulation: TypeAlias = "Configured | Registration | Estimated"
"""How the sender knows N: `{ kind = "registration", refresh = "30 s" }`."""
Queue: TypeAlias = "DropTail | Red | Mecn | Codel | FqCodel | Pie | Dualpi2 | Classes | Shaper | Policer"
"""A queue discipline as configurations write it: `{ kind = "drop-tail", limit = "50 packets" }`."""
ReturnAccess: TypeAlias = "Cra | Rbdc | Vbdc | Aloha"
"""How terminals come to slots."""
RouterAgent: TypeAlias = "Monitor | LayerBlocking | RateCap"
"""A router agent as configurations write it: `{ kind = "monitor" }`."""
Session: TypeAlias = (
    "CbrSession | TfmccSession | OmccSession | PgmccSession | SmccSession | LayeredCbrSession | LayerBlockingSession | "
    "RlmSession | MldaSession"
)
"""A multicast session."""
Size: TypeAlias = "Constant | Exponential | Pareto | Lognormal | Listed"
"""How sizes are distributed."""
Topology: TypeAlias = "Dumbbell | Chain | ParkingLot | Star | Satellite | Branches | Constellation | Tree"
"""A named topology as scenarios write it: `kind = "dumbbell"`."""
Trace: TypeAlias = "Mahimahi | Leocc | Lens | Csv"
"""A link as it was measured.

Files are named by their paths, relative to the scenario's; their content takes the places of their names when the
scenario is read.
"""
