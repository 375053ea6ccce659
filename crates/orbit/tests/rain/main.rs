//! Rain against the rows by which ITU validates implementations, and synthesised rain against its distribution.

use faircast_orbit::rain::{Path, Rain, Site, correlation, specific_attenuation};

/// The rows of a file whose first lines are comments and names.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect()).collect()
}

fn path_of(row: &[f64]) -> Path {
    let &[latitude, _, altitude, frequency, elevation, tilt, _, _, rain_rate, slant, _] = row else {
        panic!("{row:?}")
    };
    let rain_height = altitude + slant * libm::sin(elevation.to_radians());
    Path { frequency, elevation, tilt, latitude, altitude, rain_height, rain_rate }
}

/// Independent standard normal numbers of a simple generator (Box and Muller; Knuth's MMIX constants).
fn normal(state: &mut u64) -> f64 {
    let mut uniform = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let (radius, angle) = ((-2.0 * libm::log(uniform())).sqrt(), std::f64::consts::TAU * uniform());
    radius * libm::cos(angle)
}

#[test]
fn specific_attenuation_is_that_of_the_rows() {
    let rows = rows(include_str!("p838-3.csv"));
    assert_eq!(rows.len(), 64);
    for row in rows {
        let [elevation, frequency, rate, tilt, k, alpha, attenuation] = row[..] else { panic!("{row:?}") };
        let (own_k, own_alpha) = specific_attenuation(frequency, elevation, tilt);
        for (own, theirs) in [(own_k, k), (own_alpha, alpha), (own_k * libm::pow(rate, own_alpha), attenuation)] {
            assert!((own / theirs - 1.0).abs() < 1e-6, "{own} instead of {theirs}: {row:?}");
        }
    }
}

#[test]
fn rain_attenuation_is_that_of_the_rows() {
    let rows = rows(include_str!("p618-14.csv"));
    assert_eq!(rows.len(), 64);
    for row in rows {
        let (own, theirs) = (path_of(&row).attenuation(row[6]), row[10]);
        assert!((own / theirs - 1.0).abs() < 1e-8, "{own} dB instead of {theirs}: {row:?}");
    }
}

#[test]
fn there_is_no_attenuation_above_the_rain() {
    let path = path_of(&rows(include_str!("p618-14.csv"))[0]);
    assert_eq!(Path { rain_height: path.altitude, ..path }.attenuation(0.1), 0.0);
    assert_eq!(Path { rain_rate: 0.0, ..path }.attenuation(0.1), 0.0);
}

#[test]
fn synthesised_rain_has_the_distribution() {
    // London and Rome, at 29 GHz; looks that are 6 h apart, when little is left of what was.
    for row in rows(include_str!("p618-14.csv")).iter().filter(|row| row[3] == 29.0 && row[6] == 0.1).take(2) {
        let site = Site { path: path_of(row), longitude: row[1], rain_percent: 100.0 * row[7] };
        let mut state = 1;
        let mut noise = |_| normal(&mut state);
        let looks = 1_000_000;
        let mut rain = Rain::new(&[site], 21_600.0, &mut noise);
        let mut exceeded = [0u32; 3];
        let limits = [1.0, 0.1].map(|percent| site.path.attenuation(percent));
        for _ in 0..looks {
            rain.step(&mut noise);
            let now = rain.attenuation(0);
            exceeded[0] += u32::from(now > limits[0]);
            exceeded[1] += u32::from(now > limits[1]);
            exceeded[2] += u32::from(now > 0.0);
        }
        for (count, percent) in exceeded.into_iter().zip([1.0, 0.1, site.rain_percent]) {
            let part = 100.0 * f64::from(count) / f64::from(looks) / percent;
            assert!((part - 1.0).abs() < 0.1, "{part} of {percent} %: {row:?}");
        }
    }
}

#[test]
fn rain_is_correlated_over_time_and_between_places() {
    // Three places: two 50 km apart, the third at the first.
    let path = Path {
        frequency: 20.0,
        elevation: 30.0,
        tilt: 45.0,
        latitude: 0.0,
        altitude: 0.0,
        rain_height: 5.0,
        rain_rate: 60.0,
    };
    // It always rains, so that attenuation says the normal variable.
    let at = |longitude| Site { path, longitude, rain_percent: 50.0 };
    let sites = [at(0.0), at(50.0 / 6378.0f64 * 180.0 / std::f64::consts::PI), at(0.0)];
    let mut state = 7;
    let mut noise = |_| normal(&mut state);
    let wet = |rain: &Rain, place| rain.attenuation(place) > 0.0;
    let part = |count: u32, of: u32| f64::from(count) / f64::from(of);
    // Two normal variables of correlation r have one sign with probability 1/2 + asin(r)/pi.
    let same_sign = |r: f64| 0.5 + libm::asin(r) / std::f64::consts::PI;
    assert!((correlation(50.0) - 0.502_75).abs() < 1e-4, "{}", correlation(50.0));
    // As it begins, ..
    let beginnings = 1000;
    let (mut places, mut moments) = (0, 0);
    for _ in 0..beginnings {
        let mut rain = Rain::new(&sites[..2], 600.0, &mut noise);
        let before = wet(&rain, 0);
        places += u32::from(before == wet(&rain, 1));
        rain.step(&mut noise);
        moments += u32::from(before == wet(&rain, 0));
    }
    // After 600 s: 0.3746² e^-0.541 + 0.7738² e^-0.0306 + 0.3746·0.7738·0.4549·(e^-0.541 + e^-0.0306), of 1.0028.
    let after = same_sign(0.8646);
    assert!((part(places, beginnings) - same_sign(correlation(50.0))).abs() < 0.04, "{}", part(places, beginnings));
    assert!((part(moments, beginnings) - after).abs() < 0.04, "{}", part(moments, beginnings));
    // .. and as it goes on.
    let looks = 400_000;
    let mut rain = Rain::new(&sites, 600.0, &mut noise);
    (places, moments) = (0, 0);
    for _ in 0..looks {
        let before = wet(&rain, 0);
        rain.step(&mut noise);
        assert_eq!(rain.attenuation(0), rain.attenuation(2), "one place, one rain");
        places += u32::from(wet(&rain, 0) == wet(&rain, 1));
        moments += u32::from(before == wet(&rain, 0));
    }
    assert!((part(places, looks) - same_sign(correlation(50.0))).abs() < 0.015, "{}", part(places, looks));
    assert!((part(moments, looks) - after).abs() < 0.01, "{}", part(moments, looks));
}
