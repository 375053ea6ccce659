use super::*;

#[test]
fn a_link_may_be_called_as_a_flow_is() {
    let mut rows = Rows::default();
    for subject in ["web", "web", "run", "uplink", "web", "web", "run"] {
        rows.add(subject, "metric", "1", 0.0);
    }
    assert_eq!(rows.subjects.dictionary, ["web", "run", "uplink"]);
    assert_eq!(rows.subjects.codes, [0, 0, 1, 2, 0, 0, 1]);
}

#[test]
fn sums_are_of_what_is_there_and_has_one() {
    let mut rows = Rows::default();
    let mut flow = |name: &str, goodput: f64, timeouts: Option<f64>| {
        let first = rows.values.len();
        rows.both(name, "goodput", "bit/s", [goodput, 10.0]);
        rows.add(name, "srtt_end", "s", 0.1);
        timeouts.into_iter().for_each(|timeouts| rows.add(name, "timeouts", "1", timeouts));
        first..rows.values.len()
    };
    let flows = [flow("a", 1.0, None), flow("b", f64::NAN, Some(3.0)), flow("c", 4.0, Some(5.0))];
    let mut told = |which: &[Range<usize>]| -> Vec<(String, f64)> {
        let first = rows.values.len();
        rows.sums("run", "flows_", which);
        let word = |row: usize| rows.metrics.dictionary[rows.metrics.codes[row] as usize].clone();
        (first..rows.values.len()).map(|row| (word(row), rows.values[row])).collect()
    };
    let named = |name: &str, value| (name.to_owned(), value);
    assert_eq!(
        told(&flows),
        [named("flows_goodput_sum", 5.0), named("flows_goodput_sum_all", 30.0), named("flows_timeouts_sum", 8.0)]
    );
    assert!(told(&flows[1..2])[0].1.is_nan(), "of nothing but NaN");
    assert_eq!(told(&[]), []);
}

#[test]
fn jain_index_by_hand() {
    assert_eq!(jain_index(&[2.0, 2.0, 2.0]), 1.0);
    assert_eq!(jain_index(&[5.0, 0.0, 0.0, 0.0, 0.0]), 0.2);
    // (1 + 2 + 3)^2 / (3 * 14)
    assert!((jain_index(&[1.0, 2.0, 3.0]) - 36.0 / 42.0).abs() < 1e-15);
    assert_eq!(jain_index(&[0.0, 0.0]), 1.0);
}
