//! Rain attenuation over time at several places, after ITU-R P.1853-2: two low-pass filters of one Gaussian noise,
//! whose sum says for which part of the time it rains less. The noises of places that are near each other are
//! correlated.
//!
//! P.1853-2 makes attenuation of that by a log-normal distribution fitted to pairs of P.618. The fit misses them: of
//! the sixteen places and frequencies of ITU's validation rows, its attenuation is exceeded for 0.87 to 1.69 % of the
//! time instead of 1 %. So here the distribution is that of P.618-14 itself, up to the probability of rain. Filters and
//! correlation are those of the recommendation, as an open implementation (ITURPropagPY) has them; we did not have its
//! text.

use super::attenuation::Path;
use crate::earth::Earth;

/// The filters' rates, 1/s, and the parts that they have of the sum.
const BETA: [f64; 2] = [9.0186e-4, 5.0990e-5];
const GAMMA: [f64; 2] = [0.3746, 0.7738];
/// The least part of the time that P.618-14 speaks of, %. What is exceeded for less is what is exceeded for this.
const LEAST_PERCENT: f64 = 0.001;
/// Intervals of the normal variable in which the attenuation is interpolated.
const STEP: f64 = 1.0 / 128.0;

/// A place on the ground at which it rains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// The way to the satellite.
    pub path: Path,
    /// Degrees.
    pub longitude: f64,
    /// For which part of the time it rains on the way, %.
    pub rain_percent: f64,
}

/// Rain at several places as it goes on.
pub struct Rain {
    places: Vec<Place>,
    /// Row by row the part below the diagonal, and that, of the factor that correlates noises.
    factor: Vec<Vec<f64>>,
    /// What is left of the filters' state in one step.
    keeps: [f64; 2],
    noises: Vec<f64>,
}

struct Place {
    filters: [f64; 2],
    /// Above this it rains.
    threshold: f64,
    /// Attenuation from the threshold on, in steps of the normal variable.
    attenuation: Vec<f64>,
}

/// How the rain at two places is correlated that are so many km apart [ITU-R P.1853-2, annex 1].
pub fn correlation(distance: f64) -> f64 {
    0.59 * libm::exp(-distance / 31.0) + 0.41 * libm::exp(-distance / 800.0)
}

impl Rain {
    /// Rain at these places, as it is at a moment of which nothing is known. `noise` gives a standard normal number of
    /// the place with this index, each independent of all others.
    pub fn new(sites: &[Site], step_seconds: f64, noise: &mut impl FnMut(usize) -> f64) -> Rain {
        let keeps = BETA.map(|beta| libm::exp(-beta * step_seconds));
        let places: Vec<Place> = sites.iter().map(Place::new).collect();
        let mut rain = Rain { noises: vec![0.0; places.len()], places, factor: factor(sites), keeps };
        // Both filters hear the same noise, so their states are correlated: this is their joint distribution.
        let joint = rain.joint();
        rain.draw(noise);
        let first = rain.noises.clone();
        rain.draw(noise);
        for ((place, first), second) in rain.places.iter_mut().zip(first).zip(&rain.noises) {
            place.filters = [first, joint * first + (1.0 - joint * joint).sqrt() * second];
        }
        rain
    }

    /// Goes on by one step.
    pub fn step(&mut self, noise: &mut impl FnMut(usize) -> f64) {
        self.draw(noise);
        let [fast, slow] = self.keeps;
        let gains = [(1.0 - fast * fast).sqrt(), (1.0 - slow * slow).sqrt()];
        for (place, noise) in self.places.iter_mut().zip(&self.noises) {
            place.filters = [fast * place.filters[0] + gains[0] * noise, slow * place.filters[1] + gains[1] * noise];
        }
    }

    /// The attenuation at a place, dB.
    pub fn attenuation(&self, place: usize) -> f64 {
        self.places[place].attenuation(self.normal(place))
    }

    /// The normal variable of a place: it says for which part of the time it rains less.
    fn normal(&self, place: usize) -> f64 {
        let [fast, slow] = self.places[place].filters;
        (GAMMA[0] * fast + GAMMA[1] * slow) / self.spread()
    }

    /// The standard deviation of the sum, which is 1 to five digits for steps of a second.
    fn spread(&self) -> f64 {
        (GAMMA[0] * GAMMA[0] + GAMMA[1] * GAMMA[1] + 2.0 * GAMMA[0] * GAMMA[1] * self.joint()).sqrt()
    }

    /// How the two filters of a place are correlated.
    fn joint(&self) -> f64 {
        let [fast, slow] = self.keeps;
        ((1.0 - fast * fast) * (1.0 - slow * slow)).sqrt() / (1.0 - fast * slow)
    }

    fn draw(&mut self, noise: &mut impl FnMut(usize) -> f64) {
        let own: Vec<f64> = (0..self.places.len()).map(noise).collect();
        for (mixed, row) in self.noises.iter_mut().zip(&self.factor) {
            *mixed = row.iter().zip(&own).map(|(part, noise)| part * noise).sum();
        }
    }
}

impl Place {
    fn new(site: &Site) -> Place {
        let threshold = quantile(site.rain_percent / 100.0);
        let steps = ((quantile(LEAST_PERCENT / 100.0) - threshold) / STEP).max(0.0) as usize + 1;
        let percent = |index: usize| (100.0 * exceeded(threshold + index as f64 * STEP)).max(LEAST_PERCENT);
        let attenuation = (0..=steps).map(|index| site.path.attenuation(percent(index))).collect();
        Place { filters: [0.0; 2], threshold, attenuation }
    }

    fn attenuation(&self, normal: f64) -> f64 {
        if normal <= self.threshold {
            return 0.0;
        }
        let (at, last) = ((normal - self.threshold) / STEP, self.attenuation.len() - 1);
        match at as usize {
            below if below < last => {
                let part = at - below as f64;
                (1.0 - part) * self.attenuation[below] + part * self.attenuation[below + 1]
            }
            _ => self.attenuation[last],
        }
    }
}

/// How probable it is that a standard normal number is greater.
fn exceeded(normal: f64) -> f64 {
    libm::erfc(normal * std::f64::consts::FRAC_1_SQRT_2) / 2.0
}

/// The number that a standard normal one exceeds with this probability, from -9 to 9.
fn quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if exceeded(middle) > probability { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The factor L of the matrix of correlations, L Lᵀ (Cholesky). Of places that rain reaches as one the second has no
/// noise of its own.
fn factor(sites: &[Site]) -> Vec<Vec<f64>> {
    let places: Vec<_> = sites
        .iter()
        .map(|site| Earth::Sphere.place(site.path.latitude.to_radians(), site.longitude.to_radians(), 0.0).0)
        .collect();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (index, place) in places.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(index + 1);
        for (other, above) in rows.iter().enumerate() {
            let known: f64 = row.iter().zip(above).map(|(a, b)| a * b).sum();
            let own = above[other];
            // The straight line between them: with it the matrix is that of a field, whatever the places.
            row.push(if own > 0.0 { (correlation(place.distance(places[other])) - known) / own } else { 0.0 });
        }
        let left = 1.0 - row.iter().map(|part| part * part).sum::<f64>();
        row.push(if left > 1e-12 { left.sqrt() } else { 0.0 });
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_is_the_inverse() {
        // 2.326348 and 3.090232 by any table of the normal distribution.
        for (probability, normal) in [(0.5, 0.0), (0.01, 2.326_348), (0.001, 3.090_232)] {
            assert!((quantile(probability) - normal).abs() < 1e-6, "{probability}");
            assert!((exceeded(normal) - probability).abs() < 1e-8, "{probability}");
        }
    }

    #[test]
    fn the_sum_of_the_filters_has_the_variance_one() {
        let rain = Rain::new(&[], 1.0, &mut |_| 0.0);
        assert!((rain.spread() - 1.0).abs() < 1e-4, "{}", rain.spread());
    }
}
