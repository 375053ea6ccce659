//! The turns of a receiver, whatever it receives: whose packets it takes, what it says to the sender and when, what it
//! tells its user of packets that it cannot use.

use crate::agreed::Agreed;
use crate::asking::Asking;
use crate::carried::Inbound;
use crate::ending::Result;
use crate::following::{Following, Member, others};
use crate::incoming::Incoming;
use crate::others::Others;
use crate::results::Results;
use crate::unread::Unread;
use faircast_deliver::keys::Salt;
use faircast_wire::clock::Clock;
use faircast_wire::network::Network;
use std::net::IpAddr;
use std::time::Duration;

/// Bytes of what is said at most.
const MESSAGE_BYTES: usize = 600;

/// A receiver.
pub struct Receiving<'a, I> {
    /// Its driver.
    pub driver: Member<I>,
    following: Following<'a>,
    began: Duration,
    /// When something came last, of whichever source; at first when it began.
    heard: Duration,
    asking: Asking,
    /// The session to which something was said.
    spoken: Option<Salt>,
    unread: Unread,
    others: Others,
}

/// Who receives.
pub struct Who<'a> {
    /// Its id.
    pub id: u64,
    /// The one host whose packets it takes, if one is named.
    pub source: Option<IpAddr>,
    /// The file of its keys.
    pub keys: Option<&'a str>,
}

impl<'a, I: Inbound> Receiving<'a, I> {
    /// One that begins now, at the present moment of `content`.
    ///
    /// # Errors
    ///
    /// The scheme has no such members.
    pub fn new(agreed: &'a Agreed, who: Who<'_>, content: Incoming<I>) -> Result<Receiving<'a, I>> {
        let following = Following::new(agreed, who.id, who.source);
        let began = content.now;
        Ok(Receiving {
            driver: following.member(content)?,
            following,
            began,
            heard: began,
            asking: Asking::new(began, who.id),
            spoken: None,
            unread: Unread::new(who.keys),
            others: Others::default(),
        })
    }

    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// The group is not to be had.
    pub fn start(&mut self, clock: &mut impl Clock, network: &mut impl Network) -> Result<()> {
        self.following.start(&mut self.driver, clock, network)
    }

    /// A turn begins.
    pub fn begin_turn(&mut self, now: Duration) {
        self.driver.content_mut().now = now;
    }

    /// When something is to be said next.
    pub fn speaks_at(&self) -> Duration {
        self.asking.next
    }

    /// It is time to say something: all is there.
    pub fn hurry(&mut self, now: Duration) {
        self.asking.next = now;
    }

    /// Says what is due, if something is; `is_whole` says that nothing is awaited any more. Whether it has been said
    /// often enough that this is so: then it is over.
    ///
    /// # Errors
    ///
    /// What has come could not be kept.
    pub fn speak(
        &mut self,
        now: Duration,
        is_whole: bool,
        clock: &mut impl Clock,
        network: &mut impl Network,
    ) -> Result<bool> {
        if now < self.asking.next {
            return Ok(false);
        }
        self.asking.turns();
        let store = &mut self.driver.content_mut().store;
        if I::IS_SAID_AT_ONCE && store.salt() != self.spoken {
            self.spoken = store.salt();
            self.asking.begins();
        }
        let period = store.period();
        // Before the end, too: what has come is safe then.
        let message = store.says(now, MESSAGE_BYTES)?;
        if is_whole && self.asking.has_said_farewell() {
            return Ok(true);
        }
        if let Some((message, asks)) = message
            && self.asking.says(is_whole, asks, period)
        {
            self.driver.say(&message, clock, network);
        }
        self.asking.waits(now, is_whole, period);
        Ok(false)
    }

    /// After a turn: another source, or the same one that was started again, is followed if it is time for it.
    ///
    /// # Errors
    ///
    /// What has come could not be kept, or no member can be made for the other source.
    pub fn follow(
        mut self,
        now: Duration,
        results: &mut Results,
        clock: &mut impl Clock,
        network: &mut impl Network,
    ) -> Result<Receiving<'a, I>> {
        if let Some(failure) = self.driver.content_mut().failure.take() {
            return Err(failure.into());
        }
        self.heard = self.driver.content().heard.unwrap_or(self.heard);
        let driver = self.following.follow(self.driver, now, results, clock, network)?;
        Ok(Receiving { driver, ..self })
    }

    /// What its user is told now, if something is, of packets that cannot be read and of others that send.
    pub fn remarks(&mut self, now: Duration) -> Vec<String> {
        let heard = self.driver.content().heard_of(self.forged());
        let unread = self.unread.look(now, &heard).map(str::to_owned);
        unread.into_iter().chain(others(&mut self.others, now, &self.driver)).collect()
    }

    /// Packets that nobody who has the key has sealed.
    pub fn forged(&self) -> u64 {
        self.following.forged(&self.driver)
    }

    /// What was told of packets that cannot be read.
    pub fn unread(&self) -> Option<&str> {
        self.unread.said()
    }

    /// Whether nothing had come for longer than this after the last turn, of whichever source.
    pub fn is_silent_for(&self, patience: Duration, now: Duration) -> bool {
        now.saturating_sub(self.heard) > patience
    }

    /// Says in words that nothing has come for so long.
    ///
    /// # Errors
    ///
    /// Packets came, and the keys are none of theirs.
    pub fn silence(&self, patience: Duration) -> Result<String> {
        let heard = self.driver.content().heard_of(self.forged());
        match self.unread.in_vain(&heard) {
            Some(ending) => Err(ending),
            None => Ok(self.unread.silence(&heard, patience.as_secs_f64())),
        }
    }

    /// How long it has gone on.
    pub fn took(&self, now: Duration) -> Duration {
        now - self.began
    }
}
