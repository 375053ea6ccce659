//! Who limits a session's rate: what its source knows of that, and what its data packets say to everybody.

use faircast_proto::endpoint::{Cause, Event, EventSubject};
use faircast_proto::packet::{Address, Header, Packet};
use faircast_proto::time::Instant;
use faircast_proto::{omcc, pgmcc, tfmcc};
use faircast_wire::event_log::EventLog;

/// The receiver that limits, as the source sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Who it is.
    pub receiver: Address,
    /// The loss event rate and the round-trip time in seconds that it has reported; of schemes with both.
    pub reported: Option<(f64, f64)>,
}

/// What a data packet says about its session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said {
    /// The present sending rate X, bit/s, of schemes that say it.
    pub rate_bps: Option<f64>,
    /// The largest round-trip time of all receivers, R_max, seconds, of schemes that say it.
    pub max_rtt_s: Option<f64>,
    /// What multiplies the throughput equation.
    pub scale: f64,
    /// Whether it names who limits; of TFMCC not every packet does.
    pub is_about_who_limits: bool,
}

/// Who limits, as a member hears of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heard {
    /// Who was said to limit last, by id.
    pub limiting: Option<u64>,
    /// The source's rate by its last packet, bit/s.
    pub rate_bps: Option<f64>,
    /// Whom the packet names that is taken next.
    named: Option<u64>,
}

impl Heard {
    /// The packet that is taken next names this member, or nobody.
    pub fn names(&mut self, id: Option<u64>) {
        self.named = id;
    }

    /// A packet says this. What the source notes when another receiver limits is noted here when its packets say so.
    pub fn take(&mut self, now: Instant, packet: &Packet, said: Option<Said>, log: &mut EventLog) {
        self.rate_bps = said.and_then(|said| said.rate_bps);
        if !said.is_some_and(|said| said.is_about_who_limits) || self.limiting == self.named {
            return;
        }
        self.limiting = self.named;
        let sequence = packet.header.number().unwrap_or_default();
        let event = Event::new(tfmcc::LIMITING_RECEIVER, Cause::Packet { sequence }).about(None);
        log.tell(now, &event, self.limiting);
    }
}

/// What is known when something has happened in a source.
pub fn after(before: Option<Limit>, event: &Event) -> Option<Limit> {
    let (is_report, is_other) = (event.kind == tfmcc::REPORT, event.kind.name == tfmcc::LIMITING_RECEIVER.name);
    match event.subject {
        EventSubject::Other(receiver) if is_report => {
            let [_, rtt_s, p, ..] = event.details;
            Some(Limit { receiver, reported: Some((p, rtt_s)) })
        }
        EventSubject::Other(receiver) if is_other && before.is_none_or(|limit| limit.receiver != receiver) => {
            Some(Limit { receiver, reported: None })
        }
        EventSubject::Nobody if is_other => None,
        _ => before,
    }
}

/// What a data packet says; none of schemes in which nobody limits, or no packet says who.
pub fn said(packet: &Packet) -> Option<Said> {
    let of_tfmcc = |data: &tfmcc::DataHeader, scale: f64| Said {
        rate_bps: Some(f64::from(data.rate_bps)),
        max_rtt_s: Some(f64::from(data.max_rtt_us) / 1e6),
        scale,
        is_about_who_limits: data.echo.is_some_and(|echo| echo.is_clr),
    };
    match &packet.header {
        Header::Tfmcc(tfmcc::Header::Data(data)) => Some(of_tfmcc(data, 1.0)),
        Header::Omcc(omcc::Header::Data(data)) => Some(of_tfmcc(&data.tfmcc, f64::from(data.scale))),
        Header::Pgmcc(pgmcc::Header::Data(data)) => {
            Some(Said { rate_bps: None, max_rtt_s: None, scale: 1.0, is_about_who_limits: data.acker.is_some() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::packet::{Ecn, FlowId, INITIAL_TTL};

    #[test]
    fn data_says_who_limits_if_it_is_about_that() {
        let packet = |header| Packet {
            sent: Instant(0),
            flow: FlowId(0),
            source: Address::endpoint(1),
            destination: Address::group(0),
            size: 1280,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header,
        };
        let tfmcc = |echo: Option<bool>| tfmcc::DataHeader {
            round: 1,
            sequence: 2,
            suppression_bps: 3.0,
            rate_bps: 4e6,
            max_rtt_us: 250_000,
            echo: echo.map(|is_clr| tfmcc::Echo { receiver: Address::endpoint(2), stamp_us: 5, is_clr }),
            starting: false,
            at_once: false,
        };
        for (echo, is_about_who_limits) in [(None, false), (Some(false), false), (Some(true), true)] {
            let expected = Said { rate_bps: Some(4e6), max_rtt_s: Some(0.25), scale: 1.0, is_about_who_limits };
            let data = tfmcc::Header::Data(tfmcc(echo));
            assert_eq!(said(&packet(Header::Tfmcc(data))), Some(expected));
            let data = omcc::Header::Data(omcc::DataHeader { tfmcc: tfmcc(echo), scale: 2.0, receivers: 3.0 });
            assert_eq!(said(&packet(Header::Omcc(data))), Some(Said { scale: 2.0, ..expected }));
        }
        let data = |acker| pgmcc::Header::Data(pgmcc::Data { sequence: 1, acker });
        let acker = [None, Some(Address::endpoint(3))].map(|acker| said(&packet(Header::Pgmcc(data(acker)))));
        assert_eq!(acker.map(|said| said.unwrap().is_about_who_limits), [false, true]);
        assert_eq!(said(&packet(Header::Datagram { sequence: 1 })), None);
    }

    #[test]
    fn a_source_knows_who_limits_and_what_it_reported() {
        let [one, two] = [1, 2].map(Address::endpoint);
        let other = |who| Event::new(tfmcc::LIMITING_RECEIVER, Cause::Time).about(who);
        let report = Event::change(tfmcc::REPORT, 1e6, 2e6, Cause::Time).about(Some(one)).with([9e5, 0.08, 0.01, 1.0]);
        let limit = |receiver, reported| Some(Limit { receiver, reported });
        let reported = after(None, &report);
        assert_eq!(reported, limit(one, Some((0.01, 0.08))));
        assert_eq!(after(reported, &other(Some(one))), reported, "its report came first");
        assert_eq!(after(reported, &other(Some(two))), limit(two, None));
        assert_eq!(after(reported, &Event::change(tfmcc::RATE, 1.0, 2.0, Cause::Time)), reported);
        assert_eq!(after(reported, &other(None)), None);
    }
}
