//! A receiver goes over to another source: one that was started again, or another host that sends when the first has
//! gone.

use crate::agreed::Agreed;
use crate::carried::Inbound;
use crate::ending::{Ending, Result};
use crate::incoming::Incoming;
use crate::others::{self, Others};
use crate::results::Results;
use faircast_proto::registry::SchemeReceiver;
use faircast_proto::time;
use faircast_wire::clock::Clock;
use faircast_wire::driver::Driver;
use faircast_wire::network::Network;
use std::net::IpAddr;
use std::time::Duration;

/// The driver of a receiver.
pub type Member<I> = Driver<SchemeReceiver, Incoming<I>>;

/// What is said, once, of others that send to the group.
pub fn others<I: Inbound>(others: &mut Others, now: Duration, driver: &Member<I>) -> Option<String> {
    let taken = driver.source().map(|source| source.at);
    let is_there = time::Duration::from_secs_f64(others::IS_THERE.as_secs_f64());
    let there = driver.other_sources().within(is_there, driver.now());
    others.look(now, (taken, driver.content().heard), &there)
}

/// A source that is silent for so long makes room for another that is there.
const GONE: Duration = Duration::from_secs(3);

/// Whom a receiver is, and whose packets it takes.
pub struct Following<'a> {
    agreed: &'a Agreed,
    id: u64,
    source: Option<IpAddr>,
    /// Packets of others while the source was heard, and forged ones of drivers before.
    foreign: u64,
    forged: u64,
}

impl<'a> Following<'a> {
    /// The receiver with this id takes packets of one host, or of the first that it hears.
    pub fn new(agreed: &'a Agreed, id: u64, source: Option<IpAddr>) -> Following<'a> {
        Following { agreed, id, source, foreign: 0, forged: 0 }
    }

    /// A driver that has not begun.
    pub fn member<I: Inbound>(&self, content: Incoming<I>) -> Result<Member<I>> {
        self.agreed.session.member(self.id, self.agreed.groups, self.source, content).map_err(Ending::from)
    }

    /// Begins to listen.
    pub fn start<I: Inbound>(
        &self,
        driver: &mut Member<I>,
        clock: &mut impl Clock,
        network: &mut impl Network,
    ) -> Result<()> {
        driver.start(clock, network);
        if driver.joined().is_empty() {
            let why = driver.counters().last_failure.map_or(String::new(), |kind| format!(": {kind}"));
            return Err(Ending::Input(format!("cannot receive on {}{why}", self.agreed.groups.first())));
        }
        Ok(())
    }

    /// Looks whether another source, or the same one that was started again, is to be followed. Then congestion control
    /// begins anew, and what is received goes on.
    pub fn follow<I: Inbound>(
        &mut self,
        mut driver: Member<I>,
        now: Duration,
        results: &mut Results,
        clock: &mut impl Clock,
        network: &mut impl Network,
    ) -> Result<Member<I>> {
        let heard = driver.content().heard;
        if heard == Some(now) {
            self.foreign = driver.counters().foreign;
        }
        let has_gone = heard.is_some_and(|heard| now.saturating_sub(heard) > GONE);
        let is_renewed = std::mem::take(&mut driver.content_mut().is_renewed);
        let is_another_there = has_gone && driver.counters().foreign > self.foreign;
        if !is_renewed && !is_another_there {
            return Ok(driver);
        }
        self.forged += driver.counters().forged;
        let malformed = driver.counters().all_malformed();
        let before = driver.joined();
        let mut driver = self.member(driver.into_content())?;
        driver.content_mut().heard = None;
        driver.content_mut().malformed += malformed;
        results.renew(clock.now());
        driver.start(clock, network);
        // Layers that the one before had joined would go on to come, and nobody would leave them.
        let now_joined = driver.joined();
        before.iter().filter(|number| !now_joined.contains(*number)).for_each(|number| network.leave(number));
        self.foreign = 0;
        Ok(driver)
    }

    /// Packets that nobody who has the key has sealed. What came too early or once more was refused, too, and is none
    /// of these.
    pub fn forged<I: Inbound>(&self, driver: &Member<I>) -> u64 {
        (self.forged + driver.counters().forged).saturating_sub(driver.content().early + driver.content().repeated)
    }
}
