//! A session written down: at the end of each interval the tables that a simulation has of the same endpoint.
//!
//! The columns are those of `crates/tables`, the rows what a host knows: of its own endpoint, and of others what they
//! said. A source does not know what came; what it sent stands in its place.

mod host;
mod layers;
mod look;
mod names;

pub use names::receiver_name;

use crate::content::Content;
use crate::counters::Counters;
use crate::driver::Driver;
use crate::event_log::{EventLog, Noted};
use crate::session::Session;
use faircast_proto::endpoint::{Endpoint, EventKind, EventSubject, Gauge, LAYER_ADDED, LAYER_DROPPED};
use faircast_proto::group_set::{GroupPlan, GroupSet, Role};
use faircast_proto::packet::Address;
use faircast_proto::scheme::Scheme as _;
use faircast_proto::time::{Duration, Instant};
use faircast_tables::declared::table_of;
use faircast_tables::events::{EventOf, details, events};
use faircast_tables::flows::{FlowInterval, ReceiverInterval};
use faircast_tables::gauges::{Gauges, Shown};
use faircast_tables::interval::{Interval, Moment, intervals};
use faircast_tables::per_second::over;
use faircast_tables::table::{Table, Values};
use look::{Look, Span};
use names::Names;

/// How long an interval is, as that of simulations unless they say otherwise.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// Which end of a session is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The source.
    Source,
    /// A member.
    Member,
}

/// What is written down of an endpoint, interval by interval.
#[derive(Debug)]
pub struct Record {
    end: End,
    names: Names,
    plan: Vec<GroupPlan>,
    kinds: &'static [&'static EventKind],
    /// Time zero of the tables.
    began: Instant,
    /// Intervals that are over.
    over: u64,
    /// When the one that is under way began, or the endpoint in it.
    since: Instant,
    before: Look,
    held: Holding,
}

/// How many layers are held, and how long they have been in this interval, all of them together.
#[derive(Clone, Copy, Debug)]
struct Holding {
    level: u8,
    since: Instant,
    held: Duration,
}

/// What an interval has come to.
#[derive(Debug)]
pub struct Part {
    /// Its end, seconds.
    pub t_s: f64,
    /// The tables of it.
    pub tables: Vec<Table>,
    /// Events of it that are not in them.
    pub left_out: u64,
}

/// An event with the places of those whom it speaks of.
struct Told {
    at: Instant,
    noted: Noted,
    receiver: Option<u32>,
    cause: Option<u32>,
}

impl Record {
    /// A record of one end of the session called `name`, whose time zero is `began`. It goes on from `now` on, with the
    /// interval that is under way then. Of a member, `own` is its id and what it is called.
    pub fn new(session: &Session, name: &str, own: Option<(u64, &str)>, (began, now): (Instant, Instant)) -> Record {
        Record {
            end: if own.is_some() { End::Member } else { End::Source },
            names: Names::new(name, own),
            plan: session.scheme.groups(),
            kinds: session.scheme.events(),
            began,
            over: now.since(began).0 / INTERVAL.0,
            since: now,
            before: Look::default(),
            held: Holding { level: 0, since: now, held: Duration::ZERO },
        }
    }

    /// When the interval under way ends: with the next one, if less than half of it is left where it begins, as behind
    /// a look that was late. A rate over a moment would be that of a burst.
    pub fn next(&self) -> Instant {
        let next = self.began + Duration((self.over + 1) * INTERVAL.0);
        if next.since(self.since).0 * 2 < INTERVAL.0 { next + INTERVAL } else { next }
    }

    /// From now on it is another endpoint, which has counted nothing yet. Of the interval under way the rows tell what
    /// is from now on.
    pub fn renew(&mut self, now: Instant) {
        (self.since, self.before) = (now, Look::default());
        self.held = Holding { level: 0, since: now, held: Duration::ZERO };
    }

    /// The tables without any rows: what columns there are.
    pub fn empty<E: Endpoint, C: Content>(&self, driver: &Driver<E, C>) -> Vec<Table> {
        self.tables(None, &Look::at(self.since, driver), driver.endpoint().gauges(), f64::NAN, &[])
    }

    /// What has come of the interval, if it is over. `sending_bps` is what a member knows of its source's rate.
    pub fn look<E: Endpoint, C: Content>(
        &mut self,
        now: Instant,
        driver: &Driver<E, C>,
        log: &mut EventLog,
        sending_bps: f64,
    ) -> Option<Part> {
        if now < self.next() {
            return None;
        }
        // Where a host stood still several are over at once, and have one row.
        self.over = now.since(self.began).0 / INTERVAL.0;
        let at = Duration(self.over * INTERVAL.0);
        let (noted, left_out) = log.take();
        for Noted { at, event, .. } in &noted {
            if event.is(LAYER_ADDED) || event.is(LAYER_DROPPED) {
                self.hold(*at, event.after as u8);
            }
        }
        self.hold(now, level(driver.joined(), &self.plan));
        let span = Span {
            at: Instant(at.0),
            passed: now.since(self.since),
            late: now.since(self.began + at),
            is_member: !driver.joined().is_empty(),
        };
        let (told, look) = (self.told(&noted, driver), Look::at(now, driver));
        let tables = self.tables(Some(span), &look, driver.endpoint().gauges(), sending_bps, &told);
        (self.since, self.before, self.held.held) = (now, look, Duration::ZERO);
        Some(Part { t_s: at.as_secs_f64(), tables, left_out })
    }

    /// The events since the last interval. Of a part of an interval there are no rows.
    pub fn rest<E: Endpoint, C: Content>(&mut self, now: Instant, driver: &Driver<E, C>, log: &mut EventLog) -> Part {
        let (noted, left_out) = log.take();
        let told = self.told(&noted, driver);
        let look = Look::at(now, driver);
        let tables = self.tables(None, &look, driver.endpoint().gauges(), f64::NAN, &told);
        Part { t_s: now.since(self.began).as_secs_f64(), tables, left_out }
    }

    /// From this moment on so many layers are held.
    fn hold(&mut self, at: Instant, level: u8) {
        let Holding { level: before, since, held } = self.held;
        let passed = at.since(since);
        self.held = Holding { level, since: since.max(at), held: held + Duration(passed.0 * u64::from(before)) };
    }

    /// Who the events speak of.
    fn told<E: Endpoint, C: Content>(&mut self, noted: &[Noted], driver: &Driver<E, C>) -> Vec<Told> {
        let id = |address: Address| driver.directory().id(address);
        let own = (self.end == End::Member).then(|| driver.directory().own_id());
        let mut told = Vec::with_capacity(noted.len());
        for noted in noted {
            let about = match noted.event.subject {
                _ if noted.about.is_some() => noted.about,
                EventSubject::Own => own,
                EventSubject::Other(other) => Some(id(other)),
                EventSubject::Nobody => None,
            };
            told.push(Told {
                at: Instant(noted.at.since(self.began).0),
                noted: *noted,
                receiver: about.and_then(|id| self.names.member(id)),
                cause: noted.event.cause.receiver().and_then(|of| self.names.member(id(of))),
            });
        }
        told
    }

    /// The tables of an interval, or of none.
    fn tables(
        &self,
        span: Option<Span>,
        now: &Look,
        shows: &'static [Gauge],
        sending_bps: f64,
        told: &[Told],
    ) -> Vec<Table> {
        let before = &self.before;
        let moment = span.map(|span| Moment {
            at: span.at,
            subject: 0,
            report: &now.report,
            gauges: 0,
            present: if span.is_member { span.passed } else { Duration::ZERO },
            held: self.held.held,
            level: self.held.level,
        });
        let own: Vec<Interval> = intervals(moment.into_iter(), 1, &before.report);
        let seconds = span.map_or(0.0, |span| span.passed.as_secs_f64());
        let has_levels = self.plan.iter().filter(|plan| is_layer(plan)).count() > 1;
        let values = now.gauges.as_deref().unwrap_or_default();
        let shown = own.iter().map(|_| Shown { endpoint: 0, now: values, before: before.gauges.as_deref() });
        let (gauges, shown) = (Gauges::of(std::iter::once(shows)), shown.collect::<Vec<_>>());
        let receivers = |own| if self.end == End::Member { std::slice::from_ref(own) } else { &[] };
        let flow = |own| FlowInterval { own, receivers: receivers(own), seconds, is_session: true, has_levels };
        let flows: Vec<FlowInterval> = own.iter().map(flow).collect();
        let flows = table_of((FlowInterval::TABLE, FlowInterval::declared()), &flows, &self.names, has_levels, []);
        let one = |value: f64| Values::Float(vec![value; own.len()]);
        let mut tables = match self.end {
            End::Source => {
                let sent = now.report.sent_bytes.saturating_sub(before.report.sent_bytes);
                let flows = flows.with("rate_bps", one(over(8.0 * sent as f64, seconds)));
                vec![gauges.columns(flows.without(&["goodput_bps", "members", "mean_level"]), &shown)]
            }
            End::Member => {
                let flows = flows.with("sending_bps", one(sending_bps)).without(&["sent_pkts", "reports_received"]);
                let [joins, leaves] = [|counters: &Counters| counters.joins, |counters: &Counters| counters.leaves]
                    .map(|of| of(&now.counters).saturating_sub(of(&before.counters)));
                let row = |own| ReceiverInterval { own, flow: 0, member: 0, joins, leaves };
                let rows: Vec<ReceiverInterval> = own.iter().map(row).collect();
                let declared = (ReceiverInterval::TABLE, ReceiverInterval::declared());
                let receivers = table_of(declared, &rows, &self.names, has_levels, []);
                vec![flows, gauges.columns(receivers, &shown)]
            }
        };
        if has_levels {
            tables.push(layers::table(span, (before, now), (&self.plan, self.end), &self.names));
        }
        tables.push(self.events(told));
        tables.push(host::table(span, (before, now), &self.names));
        tables
    }

    fn events(&self, told: &[Told]) -> Table {
        let rows: Vec<EventOf> = told
            .iter()
            .map(|told| EventOf {
                at: told.at,
                flow: 0,
                event: &told.noted.event,
                receiver: told.receiver,
                cause_receiver: told.cause,
            })
            .collect();
        events(&rows, &details(std::iter::once(self.kinds)), &self.names)
    }
}

fn is_layer(plan: &GroupPlan) -> bool {
    layer(plan).is_some()
}

/// The rank of the layer that a group is.
fn layer(plan: &GroupPlan) -> Option<u8> {
    match plan.role {
        Role::Layer(rank) => Some(rank),
        _ => None,
    }
}

/// How many layers are held by a member of these groups.
fn level(joined: GroupSet, plan: &[GroupPlan]) -> u8 {
    (0..).zip(plan).filter(|(number, plan)| is_layer(plan) && joined.contains(*number)).count() as u8
}
