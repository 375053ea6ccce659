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

/// The number with which `text` begins, times ten to the power of `places` (at most 9), whether nothing of it was cut
/// off, and what follows it. Only if it begins with a digit and fits for certain: so are nearly all of the millions
/// that files have, and [`decimal`] reads any.
pub(super) fn leading(text: &[u8], places: u32) -> Option<(u64, bool, &[u8])> {
    let (mut number, mut rest) = whole(text)?;
    let (mut left, mut is_whole) = (places as usize, true);
    if text.len() - rest.len() + left > MOST {
        return None;
    }
    if let [b'.', behind @ ..] = rest {
        rest = behind;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            rest = after;
            match left {
                0 => is_whole = false,
                _ => (number, left) = (number * 10 + u64::from(digit - b'0'), left - 1),
            }
        }
    }
    Some((number * POWERS[left], is_whole, rest))
}

/// The whole number with which `text` begins, and what follows it; only if it fits for certain.
pub(super) fn whole(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut rest) = (0_u64, text);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        rest = after;
    }
    (1..=MOST).contains(&(text.len() - rest.len())).then_some((number, rest))
}

/// Digits of which all numbers fit into 64 bits.
const MOST: usize = 19;
/// Those of ten that can be wanted.
const POWERS: [u64; 10] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

    #[test]
    fn what_is_read_quickly_is_read_alike() {
        let mut random = Random::stream(1, "test/digits");
        let mut draw = |below: u32| (random.uniform() * f64::from(below)) as u32;
        let mut quick = 0;
        for _ in 0..100_000 {
            let length = draw(24);
            let text: String =
                (0..length).map(|_| char::from(b"0123456789012345678901234567890..-"[draw(34) as usize])).collect();
            let places = draw(10);
            let Some((number, is_whole, rest)) = leading(text.as_bytes(), places) else { continue };
            let own = &text[..text.len() - rest.len()];
            assert_eq!(read(own, places), Some((number, is_whole)), "{own} of {text}, {places} places");
            assert!(rest.first().is_none_or(|sign| !sign.is_ascii_digit()), "{own} of {text}");
            quick += 1;
        }
        assert!(quick > 50_000, "{quick}");
        assert_eq!(leading(b"12.5,7", 3), Some((12_500, true, &b",7"[..])));
        assert_eq!(leading(b"0.12345", 3), Some((123, false, &b""[..])));
        assert_eq!([&b""[..], b"-1", b".5", b"99999999999999999999"].map(|text| leading(text, 0)), [None; 4]);
        assert_eq!(leading(b"99999999999", 9), None, "that may not fit");
        assert_eq!(whole(b"9999999999999999999x"), Some((9_999_999_999_999_999_999, &b"x"[..])));
    }

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
