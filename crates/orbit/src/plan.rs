//! Everything that happens in a constellation during a run, compiled beforehand: links between satellites and between
//! stations and satellites, when they are up, and their delays as straight pieces.

use crate::constellation::Constellation;
use crate::handoff::{Attachment, HandoffRule, Handoffs};
use crate::isl::{Isl, IslRules};
use crate::pieces::{Knot, straight};
use crate::station::Station;
use crate::vector::Vector;
use std::collections::BTreeMap;

/// A station as a run wants it.
#[derive(Clone, Debug)]
pub struct StationPlan {
    /// Where it is.
    pub station: Station,
    /// What a satellite that it takes stands above, 0 to 90 degrees.
    pub mask: f64,
    /// How it chooses its satellite.
    pub rule: HandoffRule,
    /// When it looks, s after the start, in increasing order, up to the end of the run at least.
    pub checks: Vec<f64>,
    /// For how long it is without a link after each hand-off, s, that after a time without a satellite included. A
    /// satellite that is given up before this is over is never used.
    pub outage: f64,
}

/// A time in which a link is up, with its delay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The delay in straight pieces: from the first knot, when the link comes up, to the last one, when it goes down or
    /// the run ends.
    pub knots: Vec<Knot>,
}

/// A station's link to one satellite, as long as it lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The satellite.
    pub satellite: usize,
    /// When, and the delay.
    pub span: Span,
}

/// What happens in a constellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Every link between satellites that is ever up, with the times in which it is, in their order.
    pub isls: Vec<(Isl, Vec<Span>)>,
    /// By station: its satellites in their order.
    pub passes: Vec<Vec<Pass>>,
}

const SECOND: f64 = 1e9;

fn nanos(seconds: f64) -> u64 {
    (seconds * SECOND).round() as u64
}

impl Plan {
    /// Compiles the first `seconds` of a constellation.
    pub fn new(constellation: &Constellation, rules: &IslRules, stations: &[StationPlan], seconds: f64) -> Plan {
        let end = nanos(seconds);
        let isls = up_times(constellation, rules, end).into_iter().map(|(isl, times)| {
            let delay = |at: f64| {
                let [a, b] = isl.ends.map(|end| constellation.position(end, at));
                a.distance(b) / constellation.earth.light()
            };
            let spans = times.into_iter().map(|[from, until]| Span { knots: straight(from, until, delay) });
            (isl, spans.collect())
        });
        let isls = isls.collect();
        let passes = stations.iter().map(|plan| passes(constellation, plan, end)).collect();
        Plan { isls, passes }
    }
}

/// The times, from one nanosecond to another, in which each link between satellites is up.
fn up_times(constellation: &Constellation, rules: &IslRules, end: u64) -> BTreeMap<Isl, Vec<[u64; 2]>> {
    let lasting = rules.links(constellation);
    let mut times: BTreeMap<Isl, Vec<[u64; 2]>> = BTreeMap::new();
    let mut places = vec![Vector { x: 0.0, y: 0.0, z: 0.0 }; constellation.satellites.len()];
    let mut from = 0;
    for check in 1_u32.. {
        if from >= end || lasting.is_empty() && !rules.cross_seam {
            break;
        }
        let until = nanos(rules.check * f64::from(check)).min(end);
        for (satellite, place) in places.iter_mut().enumerate() {
            *place = constellation.position(satellite, from as f64 / SECOND);
        }
        let up = lasting.iter().filter(|isl| rules.is_up(constellation, isl.kind, isl.ends.map(|end| places[end])));
        // Where planes are so few that those at the seam are neighbours as well, one link is enough.
        let is_new = |isl: &Isl| lasting.binary_search_by_key(&isl.ends, |lasting| lasting.ends).is_err();
        let across = rules.across_seam(constellation, &places).into_iter().filter(is_new);
        for isl in up.copied().chain(across) {
            let times = times.entry(isl).or_default();
            match times.last_mut() {
                Some([_, last]) if *last == from => *last = until,
                _ => times.push([from, until]),
            }
        }
        from = until;
    }
    times
}

fn passes(constellation: &Constellation, plan: &StationPlan, end: u64) -> Vec<Pass> {
    let StationPlan { station, mask, rule, checks, outage } = plan;
    let handoffs = Handoffs { constellation, station: *station, mask: mask.to_radians(), rule: *rule };
    let attachments = handoffs.attachments(checks.iter().copied(), end as f64 / SECOND);
    let ends = attachments.iter().skip(1).map(|next| nanos(next.from)).chain([end]);
    let pass = |(nth, (attachment, until)): (usize, (&Attachment, u64))| {
        let satellite = attachment.satellite?;
        // The first one is no hand-off.
        let from = nanos(attachment.from).saturating_add(if nth > 0 { nanos(*outage) } else { 0 });
        let delay = |at: f64| station.distance(constellation.position(satellite, at)) / constellation.earth.light();
        (from < until).then(|| Pass { satellite, span: Span { knots: straight(from, until, delay) } })
    };
    attachments.iter().zip(ends).enumerate().filter_map(pass).collect()
}

impl Span {
    /// When the link comes up, ns.
    pub fn from(&self) -> u64 {
        self.knots.first().map_or(0, |knot| knot.at)
    }

    /// When it goes down or the run ends, ns.
    pub fn until(&self) -> u64 {
        self.knots.last().map_or(0, |knot| knot.at)
    }
}
