//! How much rain attenuates, and for which part of the time: the specific attenuation of ITU-R P.838-3 and the
//! prediction of ITU-R P.618-14, section 2.2.1.1.
//!
//! We had the formulas from general knowledge and from open implementations, not the text of the recommendations; the
//! rows by which ITU validates implementations hold (`tests/rain`). Where the recommendations take rain rate and rain
//! height from maps (P.837, P.839), here they are given.

/// The way between a satellite and a place on the ground, and the rain there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// GHz, 1 to 1000 by P.838-3; P.618-14 holds up to 55.
    pub frequency: f64,
    /// How high the satellite stands above the horizon, degrees, 5 or more.
    pub elevation: f64,
    /// The polarisation against the horizontal, degrees; 45 for circular polarisation.
    pub tilt: f64,
    /// Of the place, degrees.
    pub latitude: f64,
    /// Of the place above the sea, km.
    pub altitude: f64,
    /// Up to which height above the sea it rains, km.
    pub rain_height: f64,
    /// The rain rate that is exceeded for 0.01 % of an average year, mm/h.
    pub rain_rate: f64,
}

/// Four or five bells, the slope and the constant of a coefficient of P.838-3.
struct Bells {
    bells: &'static [[f64; 3]],
    slope: f64,
    constant: f64,
}

/// P.838-3, tables 1 to 4: a, b, c of each bell, m, c.
const K_HORIZONTAL: Bells = Bells {
    bells: &[
        [-5.33980, -0.10008, 1.13098],
        [-0.35351, 1.26970, 0.45400],
        [-0.23789, 0.86036, 0.15354],
        [-0.94158, 0.64552, 0.16817],
    ],
    slope: -0.18961,
    constant: 0.71147,
};
const K_VERTICAL: Bells = Bells {
    bells: &[
        [-3.80595, 0.56934, 0.81061],
        [-3.44965, -0.22911, 0.51059],
        [-0.39902, 0.73042, 0.11899],
        [0.50167, 1.07319, 0.27195],
    ],
    slope: -0.16398,
    constant: 0.63297,
};
const ALPHA_HORIZONTAL: Bells = Bells {
    bells: &[
        [-0.14318, 1.82442, -0.55187],
        [0.29591, 0.77564, 0.19822],
        [0.32177, 0.63773, 0.13164],
        [-5.37610, -0.96230, 1.47828],
        [16.1721, -3.29980, 3.43990],
    ],
    slope: 0.67849,
    constant: -1.95537,
};
const ALPHA_VERTICAL: Bells = Bells {
    bells: &[
        [-0.07771, 2.33840, -0.76284],
        [0.56727, 0.95545, 0.54039],
        [-0.20238, 1.14520, 0.26809],
        [-48.2991, 0.791669, 0.116226],
        [48.5833, 0.791459, 0.116479],
    ],
    slope: -0.053739,
    constant: 0.83433,
};

impl Bells {
    fn at(&self, frequency: f64) -> f64 {
        let x = libm::log10(frequency);
        let bell = |&[height, centre, width]: &[f64; 3]| {
            let from_centre = (x - centre) / width;
            height * libm::exp(-from_centre * from_centre)
        };
        self.bells.iter().map(bell).sum::<f64>() + self.slope * x + self.constant
    }
}

/// The coefficients k and alpha of rain of rate R, which takes k R^alpha dB per km [ITU-R P.838-3 eq. (1) to (5)].
/// Frequency in GHz; elevation of the way and tilt of the polarisation in degrees.
pub fn specific_attenuation(frequency: f64, elevation: f64, tilt: f64) -> (f64, f64) {
    let k = [&K_HORIZONTAL, &K_VERTICAL].map(|bells| libm::exp10(bells.at(frequency)));
    let alpha = [&ALPHA_HORIZONTAL, &ALPHA_VERTICAL].map(|bells| bells.at(frequency));
    let cos = libm::cos(elevation.to_radians());
    let mixed = cos * cos * libm::cos(2.0 * tilt.to_radians());
    let both = |[horizontal, vertical]: [f64; 2]| (horizontal + vertical + (horizontal - vertical) * mixed) / 2.0;
    let whole = both(k);
    (whole, both([k[0] * alpha[0], k[1] * alpha[1]]) / whole)
}

impl Path {
    /// The attenuation that is exceeded for 0.01 % of an average year, dB [ITU-R P.618-14 section 2.2.1.1, steps 2 to
    /// 9]; 0 where it does not rain above the place.
    pub fn attenuation_at_a_ten_thousandth(&self) -> f64 {
        let depth = self.rain_height - self.altitude;
        if depth <= 0.0 || self.rain_rate <= 0.0 {
            return 0.0;
        }
        let (sin, cos) = libm::sincos(self.elevation.to_radians());
        let ground = depth / sin * cos;
        let (k, alpha) = specific_attenuation(self.frequency, self.elevation, self.tilt);
        let specific = k * libm::pow(self.rain_rate, alpha);
        let reduced =
            1.0 / (1.0 + 0.78 * (ground * specific / self.frequency).sqrt() - 0.38 * (1.0 - libm::exp(-2.0 * ground)));
        let top = libm::atan2(depth, ground * reduced).to_degrees();
        let in_rain = if top > self.elevation { ground * reduced / cos } else { depth / sin };
        let to_tropics = (36.0 - self.latitude.abs()).max(0.0);
        let slant = 31.0 * (1.0 - libm::exp(-self.elevation / (1.0 + to_tropics)));
        let squared = self.frequency * self.frequency;
        let adjusted = 1.0 / (1.0 + sin.sqrt() * (slant * (in_rain * specific).sqrt() / squared - 0.45));
        specific * in_rain * adjusted
    }

    /// The attenuation that is exceeded for `percent` of an average year, dB [ITU-R P.618-14 section 2.2.1.1, step 10].
    /// The recommendation speaks of 0.001 % to 5 %.
    pub fn attenuation(&self, percent: f64) -> f64 {
        let at_a_ten_thousandth = self.attenuation_at_a_ten_thousandth();
        if at_a_ten_thousandth <= 0.0 {
            return 0.0;
        }
        let (latitude, sin) = (self.latitude.abs(), libm::sin(self.elevation.to_radians()));
        let beta = match () {
            () if percent >= 1.0 || latitude >= 36.0 => 0.0,
            () if self.elevation >= 25.0 => -0.005 * (latitude - 36.0),
            () => -0.005 * (latitude - 36.0) + 1.8 - 4.25 * sin,
        };
        let power =
            0.655 + 0.033 * libm::log(percent) - 0.045 * libm::log(at_a_ten_thousandth) - beta * (1.0 - percent) * sin;
        at_a_ten_thousandth * libm::pow(percent / 0.01, -power)
    }
}
