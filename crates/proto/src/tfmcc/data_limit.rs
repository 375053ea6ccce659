//! What a report may make of X that tells of a time in which the application had less to send than X allowed: the rule
//! of RFC 5348 section 4.3, with its X_recv_set.
//!
//! That section is about one receiver; here the set is that of the receiver that limits, as its reports are those that
//! X follows, and begins anew with the next one. Only in intervals that are data-limited it bounds X: at other times
//! RFC 4654 knows no such bound. So the Infinity with which the set begins there is left out, as both bounds take it
//! out.

use super::config::{Config, DataLimited};
use crate::address::Address;
use crate::parts::supply::GREATEST_GROWTH;
use crate::time::{Duration, Instant};
use std::collections::VecDeque;

/// What a report may make of X at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// What it makes of it otherwise.
    None,
    /// It raises X no further than to this, bit/s, and lowers it as otherwise. Not a number: it does not raise X.
    Growth(f64),
    /// X is at most this afterwards, bit/s. Not a number: no bound.
    Rate(f64),
}

/// What is looked at of a report.
#[derive(Clone, Copy, Debug)]
pub struct Reported {
    /// Who sent it.
    pub receiver: Address,
    /// X_recv, bit/s. What is negative or no number counts as none.
    pub receive_bps: f64,
    /// Its loss event rate p; 0 without a loss so far.
    pub loss_event_rate: f64,
    /// The round-trip time that it has measured on its way, seconds.
    pub rtt_s: f64,
}

/// What the receiver that limits has reported of late.
#[derive(Clone, Debug)]
pub struct DataLimit {
    /// k, round-trip times by which receivers measure what they receive.
    window_rtts: f64,
    /// Whose reports they are.
    receiver: Option<Address>,
    /// p of its last one.
    loss_event_rate: f64,
    /// X_recv_set, when each was reported and the rate in bit/s: the latest last, each lower than the one before, as
    /// only the largest is ever asked for.
    rates: VecDeque<(Instant, f64)>,
    /// Since when every report has found the application to be what limits.
    since: Instant,
}

/// What becomes of X_recv before it joins the set when a loss is reported.
const KEPT_AT_LOSS: f64 = 0.85;
/// How many rates are kept at most. The set is a small one, "typically only two values"; of a receiver that reports so
/// often that it would be larger the oldest are let go.
const MOST_RATES: usize = 8;

impl DataLimit {
    /// Nobody has reported. None where reports of such a time are taken as others are.
    pub fn by(config: &Config) -> Option<DataLimit> {
        (config.data_limited == DataLimited::Rfc5348).then(|| DataLimit {
            window_rtts: config.receive_rate_rtts,
            receiver: None,
            loss_event_rate: 0.0,
            rates: VecDeque::new(),
            since: Instant::ZERO,
        })
    }

    /// What a report may make of X. `is_short`: at present the application has less to send than X allows.
    pub fn bound(&mut self, now: Instant, report: &Reported, is_short: bool) -> Bound {
        self.since = if is_short { self.since.min(now) } else { Instant::FAR_FUTURE };
        let receive_bps = report.receive_bps.max(0.0);
        if self.receiver != Some(report.receiver) {
            // It does not limit so far; nothing is known of it but this.
            return if is_short { Bound::Growth(GREATEST_GROWTH * receive_bps) } else { Bound::None };
        }
        let has_loss = report.loss_event_rate > self.loss_event_rate;
        self.loss_event_rate = report.loss_event_rate;
        // "If the feedback packet reports a receive rate X_recv of zero [...] the sender does not consider that the
        // entire interval covered by the feedback packet was a data-limited interval."
        let covers = Duration::from_secs_f64((self.window_rtts + 1.0) * report.rtt_s);
        let is_data_limited = receive_bps > 0.0 && is_short && now.since(self.since) >= covers;
        if !is_data_limited {
            if !is_short {
                self.forget(now, report.rtt_s);
            }
            self.add(now, receive_bps);
        } else if has_loss {
            self.rates.iter_mut().for_each(|(_, bps)| *bps *= 0.5);
            self.maximize(now, KEPT_AT_LOSS * receive_bps);
            return Bound::Rate(self.largest_bps());
        } else {
            self.maximize(now, receive_bps);
        }
        if is_short { Bound::Growth(GREATEST_GROWTH * self.largest_bps()) } else { Bound::None }
    }

    /// A report has been heard that [`bound`](Self::bound) was asked of: its receiver limits now. What is known of
    /// another that limited before is let go.
    pub fn limits(&mut self, now: Instant, report: &Reported) {
        if self.receiver != Some(report.receiver) {
            self.receiver = Some(report.receiver);
            self.loss_event_rate = report.loss_event_rate;
            self.rates.clear();
            self.add(now, report.receive_bps.max(0.0));
        }
    }

    /// "Delete from X_recv_set values older than two round-trip times." A report covers one of them there and more
    /// here, so none are deleted from the moment at which there is little to send until a report covers nothing else.
    fn forget(&mut self, now: Instant, rtt_s: f64) {
        let oldest = Duration::from_secs_f64(2.0 * rtt_s);
        while self.rates.front().is_some_and(|&(at, _)| now.since(at) > oldest) {
            self.rates.pop_front();
        }
    }

    /// "Add X_recv to X_recv_set".
    fn add(&mut self, now: Instant, receive_bps: f64) {
        while self.rates.back().is_some_and(|&(_, bps)| bps <= receive_bps) {
            self.rates.pop_back();
        }
        if self.rates.len() == MOST_RATES {
            self.rates.pop_front();
        }
        self.rates.push_back((now, receive_bps));
    }

    /// "Add X_recv to X_recv_set [...] Set the timestamp of the largest item to the current time; Delete all other
    /// items."
    fn maximize(&mut self, now: Instant, receive_bps: f64) {
        let largest_bps = self.largest_bps().max(receive_bps);
        self.rates.clear();
        self.rates.push_back((now, largest_bps));
    }

    fn largest_bps(&self) -> f64 {
        self.rates.front().map_or(0.0, |&(_, bps)| bps)
    }
}
