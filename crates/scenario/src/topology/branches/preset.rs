//! What branches are like that say nothing else.

use super::super::access::complete;
use crate::model::Acm;
use crate::model::link::{Duplex, Settings};
use crate::model::return_channel::{AccessEntry, ReturnEntry, VolumeAccess};
use faircast_proto::quantity::{Bytes, Decibels, SymbolRate};
use faircast_proto::time::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sorts of branches. The reasons for their numbers stand in the chapter on geostationary satellites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BranchPreset")]
pub enum Preset {
    /// A geostationary satellite of the year 2000: a downlink of 300 kbit/s and an uplink of 8 kbit/s for each
    /// receiver.
    #[default]
    Geo,
    /// One with spot beams in the Ka band: 30 and 3 Mbit/s for each receiver.
    GeoKa,
    /// One that broadcasts: a downlink of 38 Mbit/s that all hear, with losses of their own, and 512 kbit/s back from
    /// each.
    GeoBroadcast,
    /// A beam of an operator's satellite in the Ka band: a downlink of 104 Mbaud that all hear, each transmission with
    /// a modulation and code for its hearers, and one return carrier of 7.4 Mbit/s in slots, for which all ask.
    KaBeam,
    /// Wires: 768 and 128 kbit/s for each receiver, no satellite.
    Adsl,
}

/// What a satellite does with packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Payload {
    /// It is a router with a queue for each downlink.
    Processing,
    /// It repeats what it hears, without a queue: that at the station decides.
    BentPipe,
}

/// From the ground to the satellite.
pub(super) const HOP: Duration = Duration::from_millis(125);
/// A link on the ground, as the round trip of 540 ms in \[Ehlert] implies.
const GROUND: Duration = Duration::from_millis(10);

impl Preset {
    pub(super) fn has_a_satellite(self) -> bool {
        self != Preset::Adsl
    }

    /// Whether all receivers hear one downlink.
    pub(super) fn is_shared(self) -> bool {
        matches!(self, Preset::GeoBroadcast | Preset::KaBeam)
    }

    /// Whether receivers answer on one carrier.
    pub(super) fn has_a_return_channel(self) -> bool {
        self == Preset::KaBeam
    }

    pub(super) fn payload(self) -> Option<Payload> {
        match self {
            Preset::Geo => Some(Payload::Processing),
            Preset::GeoKa | Preset::GeoBroadcast | Preset::KaBeam => Some(Payload::BentPipe),
            Preset::Adsl => None,
        }
    }

    pub(super) fn trunk(self) -> Duplex {
        let (rate, queue) = self.behind();
        of_ground(rate, queue)
    }

    /// The link from the station to a satellite that does this; nothing without a satellite.
    pub(super) fn feeder(self, payload: Option<Payload>) -> Option<Duplex> {
        let (rate, queue) = self.behind();
        match payload.filter(|_| self.has_a_satellite())? {
            Payload::Processing => Some(complete(rate, HOP, queue)),
            // What there is beside the delay is that of the downlinks.
            Payload::BentPipe => {
                Some(Duplex { both: Settings { delay: Some(HOP), ..Settings::default() }, back: None })
            }
        }
    }

    pub(super) fn down(self) -> Duplex {
        match self {
            Preset::Geo => complete(Rate(300_000), HOP, 50.0),
            Preset::GeoKa => complete(Rate(30_000_000), HOP, 1000.0),
            Preset::GeoBroadcast => complete(Rate(38_000_000), HOP, 1000.0),
            Preset::KaBeam => {
                let Duplex { both, back } = complete(Rate(0), HOP, 5000.0);
                let acm = Acm {
                    averaging: Duration::from_secs(1),
                    report_interval: Duration::from_millis(1100),
                    report_delay: Duration(2 * HOP.0),
                    margin: Decibels(1.0),
                    hysteresis: Decibels(0.3),
                    ..Acm::default()
                };
                let symbol_rate = Some(SymbolRate(104_166_667));
                let es_n0 = Some(Decibels(14.0));
                Duplex { both: Settings { rate: None, symbol_rate, acm: Some(acm), es_n0, ..both }, back }
            }
            Preset::Adsl => complete(Rate(768_000), GROUND, 50.0),
        }
    }

    pub(super) fn up(self) -> Duplex {
        match self {
            Preset::Geo => complete(Rate(8_000), HOP, 50.0),
            Preset::GeoKa => complete(Rate(3_000_000), HOP, 100.0),
            Preset::GeoBroadcast => complete(Rate(512_000), HOP, 50.0),
            Preset::KaBeam => {
                let Duplex { both, back } = complete(Rate(0), HOP, 100.0);
                Duplex { both: Settings { rate: None, ..both }, back }
            }
            Preset::Adsl => complete(Rate(128_000), GROUND, 50.0),
        }
    }

    /// The carrier on which these links of receivers send, if there is one. Ten carriers of 1.25 MHz, of which each has
    /// 49 bursts of 1616 symbols in 100 ms, QPSK 1/2, taken for one; a terminal sends on one of them at a time.
    pub(super) fn return_channel(self, links: Vec<String>) -> Option<ReturnEntry> {
        let access =
            VolumeAccess { delay: Some(Duration::from_millis(600)), most: Some(49), ..VolumeAccess::default() };
        self.has_a_return_channel().then(|| ReturnEntry {
            links,
            superframe: Some(Duration::from_millis(100)),
            slots: Some(490),
            payload: Some(Bytes(188)),
            access: Some(AccessEntry::Volume(access)),
        })
    }

    /// Rate and queue of what is no bottleneck.
    fn behind(self) -> (Rate, f64) {
        match self {
            Preset::Geo | Preset::Adsl => (Rate(10_000_000), 50.0),
            Preset::GeoKa | Preset::KaBeam => (Rate(1_000_000_000), 1000.0),
            Preset::GeoBroadcast => (Rate(100_000_000), 1000.0),
        }
    }
}

/// A link on the ground.
pub(super) fn of_ground(rate: Rate, limit_pkts: f64) -> Duplex {
    complete(rate, GROUND, limit_pkts)
}
