//! Numbers as files have them, and what is wrong with a line.

/// What is wrong with which line, counted from 1.
pub(super) type Wrong = (usize, String);

/// A number without a sign times ten to the power of `places`; further places are cut off.
pub(super) fn decimal(text: &str, places: u32) -> Option<u64> {
    read(text, places).map(|(number, _)| number)
}

/// A number times ten to the power of `places`, if nothing of it has to be cut off.
pub(super) fn decimal_exactly(text: &str, places: u32) -> Option<u64> {
    read(text, places).filter(|(_, is_whole)| *is_whole).map(|(number, _)| number)
}

/// A number, and whether nothing of it was cut off: in one pass, as millions of them are read.
fn read(text: &str, places: u32) -> Option<(u64, bool)> {
    let (mut number, mut is_empty, mut is_whole) = (0_u64, true, true);
    // How many places have come behind the point, if that has.
    let mut behind = None;
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => {
                is_empty = false;
                match &mut behind {
                    Some(behind) if *behind == places => {
                        is_whole = false;
                        continue;
                    }
                    Some(behind) => *behind += 1,
                    None => {}
                }
                number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            }
            b'.' if behind.is_none() => behind = Some(0),
            _ => return None,
        }
    }
    let scaled = number.checked_mul(10_u64.checked_pow(places - behind.unwrap_or(0))?)?;
    (!is_empty).then_some((scaled, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_digit_by_digit() {
        let all =
            [("12", 3), ("0.25", 3), (".5", 1), ("7.", 0), ("1.23456", 3)].map(|(text, places)| decimal(text, places));
        assert_eq!(all, [12_000, 250, 5, 7, 1234].map(Some));
        for wrong in ["", ".", "-1", "1e3", "1.2.3", "1.2x", "1.2345678x", "99999999999999999999"] {
            assert_eq!((decimal(wrong, 6), decimal_exactly(wrong, 6)), (None, None), "{wrong}");
        }
        assert_eq!(
            ["1.25", "1.256", "1.250", "7"].map(|text| decimal_exactly(text, 2)),
            [Some(125), None, None, Some(700)]
        );
        assert_eq!(decimal("0.333333333333333333333333333333", 2), Some(33), "what is cut off may be long");
    }
}
