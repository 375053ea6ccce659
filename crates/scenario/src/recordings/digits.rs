//! Numbers as files have them, and what is wrong with a line.

/// What is wrong with which line, counted from 1.
pub(super) type Wrong = (usize, String);

/// A number without a sign times ten to the power of `places`; further places are cut off.
pub(super) fn decimal(text: &str, places: u32) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |number: u64, digits: &str| {
        digits.bytes().try_fold(number, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
    };
    let kept = part.get(..part.len().min(places as usize))?;
    digits(0, part).filter(|_| !(whole.is_empty() && part.is_empty()))?;
    let number = digits(digits(0, whole)?, kept)?;
    number.checked_mul(10_u64.checked_pow(places - kept.len() as u32)?)
}

/// A number times ten to the power of `places`, if nothing of it has to be cut off.
pub(super) fn decimal_exactly(text: &str, places: u32) -> Option<u64> {
    let part = text.split_once('.').map_or(0, |(_, part)| part.len());
    if part <= places as usize { decimal(text, places) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_digit_by_digit() {
        let all =
            [("12", 3), ("0.25", 3), (".5", 1), ("7.", 0), ("1.23456", 3)].map(|(text, places)| decimal(text, places));
        assert_eq!(all, [12_000, 250, 5, 7, 1234].map(Some));
        for wrong in ["", ".", "-1", "1e3", "1.2.3", "1.2x", "99999999999999999999"] {
            assert_eq!(decimal(wrong, 6), None, "{wrong}");
        }
        assert_eq!(["1.25", "1.256"].map(|text| decimal_exactly(text, 2)), [Some(125), None]);
    }
}
