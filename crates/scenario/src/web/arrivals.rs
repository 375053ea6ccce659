//! When transfers arrive, between which nodes, and how large they are.
//!
//! All of it is drawn as it is needed: a million arrivals take no room before they come.

use super::entry::{NetworkWeb, Source};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// A connection that is to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub at: Instant,
    pub pair: usize,
    /// The user who wants it, if it is one's.
    pub user: Option<usize>,
}

/// What is to come.
pub(super) struct Arrivals {
    web: Arc<NetworkWeb>,
    state: State,
    next: Option<Planned>,
    /// When no more arrive.
    stop: Instant,
    pairs: Random,
    sizes: Random,
}

enum State {
    Poisson {
        mean_s: f64,
        gaps: Random,
        /// The arrival before the next, s after the start. Summed as it is drawn, so that nothing is rounded twice.
        before_s: f64,
    },
    Listed {
        /// How many have been taken out.
        taken: usize,
    },
    Users {
        users: Vec<User>,
        think: Duration,
        objects: u32,
        /// Those who think, by when they want their next page.
        thinking: BinaryHeap<Reverse<(Instant, usize)>>,
        /// Connections of pages that are to be opened, each with how many objects it carries.
        wanted: VecDeque<(Planned, u32)>,
    },
}

/// Somebody who fetches pages.
struct User {
    /// Of thinking and of the sizes of objects.
    random: Random,
    /// Connections of the present page that have not ended.
    open: u32,
}

impl Arrivals {
    /// All that come in a run with this seed.
    pub(super) fn new(web: Arc<NetworkWeb>, seed: u64) -> Arrivals {
        let stream = |purpose: &str| Random::stream(seed, &format!("flow/{}/{purpose}", web.name));
        let start = Instant::ZERO + web.start;
        let state = match &web.source {
            Source::Poisson { mean_s } => State::Poisson { mean_s: *mean_s, gaps: stream("arrivals"), before_s: 0.0 },
            Source::Listed(_) => State::Listed { taken: 0 },
            &Source::Users { users, think, objects } => {
                let mut thinking = BinaryHeap::new();
                let users = (0..users as usize).map(|user| {
                    let mut random = stream(&format!("user-{user}"));
                    thinking.push(Reverse((start + thought(think, &mut random), user)));
                    User { random, open: 0 }
                });
                let users = users.collect();
                State::Users { users, think, objects, thinking, wanted: VecDeque::new() }
            }
        };
        let stop = web.stop.map_or(Instant::FAR_FUTURE, |stop| Instant::ZERO + stop);
        let (pairs, sizes) = (stream("pairs"), stream("sizes"));
        let mut arrivals = Arrivals { web, state, next: None, stop, pairs, sizes };
        arrivals.find_next();
        arrivals
    }

    /// The connection that is opened next.
    pub(super) fn next(&self) -> Option<Planned> {
        self.next
    }

    /// Takes it out, with the sizes of what it carries in `sizes`.
    pub(super) fn take(&mut self, sizes: &mut Vec<u64>) -> Option<Planned> {
        let planned = self.next?;
        sizes.clear();
        let web = &self.web;
        let drawn = |random: &mut Random| web.sizes.as_ref().map_or(1, |sizes| sizes.draw(random));
        match &mut self.state {
            State::Poisson { .. } => sizes.extend((0..web.objects).map(|_| drawn(&mut self.sizes))),
            State::Listed { taken } => {
                let Source::Listed(all) = &web.source else { return None };
                let bytes = all[*taken].bytes;
                sizes.extend((0..web.objects).map(|_| bytes.unwrap_or_else(|| drawn(&mut self.sizes))));
                *taken += 1;
            }
            State::Users { users, objects, thinking, wanted, .. } => {
                if wanted.is_empty() {
                    // A page: its connections are opened together.
                    let Reverse((_, user)) = thinking.pop()?;
                    let mut left = *objects;
                    while left > 0 {
                        let own = left.min(web.objects);
                        wanted.push_back((Planned { user: Some(user), ..planned }, own));
                        left -= own;
                    }
                    users[user].open = wanted.len() as u32;
                }
                let (planned, own) = wanted.pop_front()?;
                let random = &mut users[planned.user?].random;
                sizes.extend((0..own).map(|_| drawn(random)));
            }
        }
        self.find_next();
        Some(planned)
    }

    /// A connection of a user has ended.
    pub(super) fn end(&mut self, user: usize, now: Instant) {
        let State::Users { users, think, thinking, .. } = &mut self.state else { return };
        users[user].open -= 1;
        if users[user].open == 0 {
            let next = now + thought(*think, &mut users[user].random);
            thinking.push(Reverse((next, user)));
            self.find_next();
        }
    }

    fn find_next(&mut self) {
        let start = Instant::ZERO + self.web.start;
        let pairs = self.web.pairs.len();
        let planned = match &mut self.state {
            State::Poisson { mean_s, gaps, before_s } => {
                *before_s += gaps.exponential(*mean_s);
                let pair = (self.pairs.uniform() * pairs as f64) as usize;
                Some(Planned { at: start + Duration::from_secs_f64(*before_s), pair, user: None })
            }
            State::Listed { taken } => {
                let Source::Listed(all) = &self.web.source else { return };
                all.get(*taken).map(|arrival| {
                    let drawn = |random: &mut Random| (random.uniform() * pairs as f64) as usize;
                    let pair = arrival.pair.map_or_else(|| drawn(&mut self.pairs), |pair| pair as usize);
                    Planned { at: start + arrival.at, pair, user: None }
                })
            }
            State::Users { thinking, wanted, .. } => match wanted.front() {
                Some((planned, _)) => Some(*planned),
                None => {
                    thinking.peek().map(|&Reverse((at, user))| Planned { at, pair: user % pairs, user: Some(user) })
                }
            },
        };
        self.next = planned.filter(|planned| planned.at < self.stop);
    }
}

fn thought(mean: Duration, random: &mut Random) -> Duration {
    Duration::from_secs_f64(random.exponential(mean.as_secs_f64()))
}
