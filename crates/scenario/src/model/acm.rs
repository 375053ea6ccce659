//! What a scenario says of links that send symbols: the loop that chooses modulation and code, and rain.

use faircast_orbit::rain::{Path, Site};
use faircast_proto::limits;
use faircast_proto::limits::{above, from, to};
use faircast_proto::quantity::{Decibels, Frequency, RainRate};
use faircast_proto::time::Duration;
use faircast_sim::acm::control::Loop;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the modulation and code of transmissions is chosen. Without it there is no delay: what a leg can receive now is
/// what it gets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Acm", transform = limits::declare::<Acm>)]
#[serde(default)]
pub struct Acm {
    /// Terminals report the mean of their Es/N0, in dB, over so long, up to 1 h. Default 0 s: the present one.
    pub averaging: Duration,
    /// How often terminals report. Default 0 s: whenever their Es/N0 changes.
    pub report_interval: Duration,
    /// How long a report is on its way to the gateway, up to 1 h. Default 0 s.
    pub report_delay: Duration,
    /// From a report to the first transmission by it, up to 1 h. Default 0 s.
    pub switching_delay: Duration,
    /// What is taken off what is reported, 0 dB to 20 dB. Default 0 dB.
    pub margin: Decibels,
    /// By how much more than it needs is asked for before a better modulation and code is granted, 0 dB to 20 dB.
    /// Default 0 dB.
    pub hysteresis: Decibels,
    /// A packet to a group is sent with no less than this, bits in a symbol, while a leg that wants it is granted so
    /// much; the other legs do without. Default: the worst leg that wants it decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
}

/// Rain on the way to a terminal, of which its attenuation over time is made (ITU-R P.618-14 and P.1853-2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Rain", transform = limits::declare::<RainEntry>)]
pub struct RainEntry {
    /// Of the carrier, 1 GHz to 55 GHz.
    pub frequency: Frequency,
    /// How high the satellite stands above the horizon, degrees, 5 to 90.
    pub elevation: f64,
    /// The polarisation against the horizontal, degrees. Default 45, which stands for circular polarisation.
    #[serde(default = "circular")]
    pub tilt: f64,
    /// Of the terminal, degrees north, -90 to 90.
    pub latitude: f64,
    /// Of the terminal, degrees east, -180 to 360.
    pub longitude: f64,
    /// Of the terminal above the sea, km. Default 0.
    #[serde(default)]
    pub altitude: f64,
    /// Up to which height above the sea it rains, km.
    pub height: f64,
    /// The rain rate that is exceeded for 0.01 % of an average year, up to 300 mm/h.
    pub rate: RainRate,
    /// For which part of the time it rains on the way, up to 1. Default 0.05.
    #[serde(default = "usual")]
    pub probability: f64,
}

limits! { Acm {
    averaging, report_interval, report_delay, switching_delay: to(Duration::from_secs(3600)),
    margin, hysteresis: from(Decibels(0.0)).to(Decibels(20.0)),
    floor: efficiencies(),
} }

limits! { RainEntry {
    frequency: from(Frequency(1e9)).to(Frequency(55e9)),
    elevation: from(5.0).to(90.0),
    tilt: from(-90.0).to(90.0),
    latitude: from(-90.0).to(90.0),
    longitude: from(-180.0).to(360.0),
    altitude, height: from(0.0).to(20.0),
    rate: to(RainRate(300.0)),
    probability: above(0.0).to(1.0),
} }

/// Bits in a symbol.
pub(crate) fn efficiencies<C>() -> limits::Range<C, f64> {
    from(0.1).to(20.0)
}

/// Signal-to-noise ratios.
pub(crate) fn es_n0s<C>() -> limits::Range<C, Decibels> {
    from(Decibels(-50.0)).to(Decibels(100.0))
}

fn circular() -> f64 {
    45.0
}

fn usual() -> f64 {
    0.05
}

impl Acm {
    /// The loop that it describes.
    pub(crate) fn control(&self) -> Loop {
        Loop {
            averaging: self.averaging,
            report_interval: self.report_interval,
            report_delay: self.report_delay,
            switching_delay: self.switching_delay,
            margin_db: self.margin.0,
            hysteresis_db: self.hysteresis.0,
        }
    }
}

impl RainEntry {
    /// The place, and the way to the satellite.
    pub(crate) fn site(&self) -> Site {
        let path = Path {
            frequency: self.frequency.0 / 1e9,
            elevation: self.elevation,
            tilt: self.tilt,
            latitude: self.latitude,
            altitude: self.altitude,
            rain_height: self.height,
            rain_rate: self.rate.0,
        };
        Site { path, longitude: self.longitude, rain_percent: 100.0 * self.probability }
    }
}
