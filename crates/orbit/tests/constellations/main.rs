//! Constellations as a whole: the published geometry, plans and their invariants, real satellites.

mod geometry;
mod paths;
mod plans;
mod real;
mod sorting;

use faircast_orbit::pieces::Knot;
use faircast_orbit::plan::Span;

/// Checks every `step` s.
fn checks(step: f64, until: f64) -> Vec<f64> {
    (1..).map(|check| f64::from(check) * step).take_while(|&at| at <= until).collect()
}

/// The delay of a span at a moment within it, s.
fn delay(span: &Span, at: u64) -> f64 {
    let next = span.knots.partition_point(|knot| knot.at <= at).clamp(1, span.knots.len() - 1);
    let [a, b]: [Knot; 2] = [span.knots[next - 1], span.knots[next]];
    let part = (at - a.at) as f64 / (b.at - a.at) as f64;
    (a.delay as f64 + part * (b.delay as f64 - a.delay as f64)) / 1e9
}

/// Seconds as plans have them.
fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Numbers that look drawn at random, 0 to 1: a linear congruential generator [Knuth, MMIX].
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + self.next() * (most - least)
    }

    fn whole(&mut self, least: u32, most: u32) -> u32 {
        least + (self.next() * f64::from(most - least + 1)) as u32
    }
}
