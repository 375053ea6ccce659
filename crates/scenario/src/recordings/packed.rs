//! Numbers as few bytes, and bytes as a text that a scenario can hold.

use faircast_proto::random::fnv1a;

/// Before the content of a recording, where the name of its file stood.
const CONTENT: &str = "recorded:";

/// Adds a number, seven bits a byte, the lowest first (LEB128).
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from what is left of `bytes` at `from`.
pub(super) fn take(bytes: &[u8], from: &mut usize) -> Option<u64> {
    let mut number = 0;
    for place in (0..64).step_by(7) {
        let byte = *bytes.get(*from)?;
        *from += 1;
        number |= u64::from(byte & 0x7f) << place;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// A difference as a number that is small if it is, up or down.
pub(super) fn folded(before: u64, after: u64) -> u64 {
    let difference = after.wrapping_sub(before) as i64;
    (difference.wrapping_shl(1) ^ (difference >> 63)) as u64
}

/// What a folded difference leads to.
pub(super) fn unfolded(before: u64, folded: u64) -> u64 {
    before.wrapping_add((folded >> 1) ^ (folded & 1).wrapping_neg())
}

/// Whether a text is the content of a recording, and no file's name.
pub(super) fn is_content(text: &str) -> bool {
    text.starts_with(CONTENT)
}

/// The content of a recording as a text: its lines, a number of its own, its hash, its bytes in base 64 (RFC 4648).
pub(super) fn text(lines: usize, own: u64, bytes: &[u8]) -> String {
    let mut text = format!("{CONTENT}{lines}:{own}:{:016x}:", fnv1a(bytes)).into_bytes();
    text.reserve(bytes.len().div_ceil(3) * 4);
    let four = |three: [u8; 3]| {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        [18, 12, 6, 0].map(|place| DIGITS[(bits >> place) as usize & 63])
    };
    let threes = bytes.chunks_exact(3);
    let rest = threes.remainder();
    threes.for_each(|three| text.extend(four([three[0], three[1], three[2]])));
    if let Some(&first) = rest.first() {
        // As many digits as its bytes need.
        text.extend(&four([first, rest.get(1).copied().unwrap_or(0), 0])[..=rest.len()]);
    }
    String::from_utf8(text).expect("digits of base 64 are ASCII")
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// By sign what it says as a digit of base 64; `NONE` if it is none.
const VALUES: [u8; 256] = {
    let (mut values, mut digit) = ([NONE; 256], 0);
    while digit < 64 {
        values[DIGITS[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};
const NONE: u8 = 0x80;

/// The lines, the number and the bytes of a content; or why it is none.
pub(super) fn content(text: &str) -> Result<(usize, u64, Vec<u8>), String> {
    let damaged = || "the content of this recording is damaged: name its file again".to_owned();
    let Some(rest) = text.strip_prefix(CONTENT) else {
        return Err("a file that nobody has read; legal is a file beside the scenario".to_owned());
    };
    let mut parts = rest.splitn(4, ':');
    let mut part = || parts.next().ok_or_else(damaged);
    let (lines, own, hash, digits) = (part()?, part()?, part()?, part()?);
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    let three = |four: [u8; 4]| {
        let values = four.map(|sign| VALUES[usize::from(sign)]);
        let is_legal = values.iter().all(|value| value & NONE == 0);
        let bits = values.iter().fold(0, |bits, value| bits << 6 | u32::from(*value));
        let [_, three @ ..] = bits.to_be_bytes();
        is_legal.then_some(three).ok_or_else(damaged)
    };
    let fours = digits.as_bytes().chunks_exact(4);
    let rest = fours.remainder();
    for four in fours {
        bytes.extend(three([four[0], four[1], four[2], four[3]])?);
    }
    match *rest {
        [] => {}
        [a, b] => bytes.extend(&three([a, b, b'A', b'A'])?[..1]),
        [a, b, c] => bytes.extend(&three([a, b, c, b'A'])?[..2]),
        _ => return Err(damaged()),
    }
    let (lines, own) = lines.parse().ok().zip(own.parse().ok()).ok_or_else(damaged)?;
    match format!("{:016x}", fnv1a(&bytes)) == hash {
        true => Ok((lines, own, bytes)),
        false => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_few_bytes() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 10_000_000, u64::from(u32::MAX), u64::MAX];
        for number in numbers {
            put(&mut bytes, number);
        }
        // 1, 1, 1, 2, 4, 5 and 10 bytes.
        assert_eq!(bytes.len(), 24);
        let mut from = 0;
        assert_eq!(numbers.map(|_| take(&bytes, &mut from)), numbers.map(Some));
        assert_eq!((take(&bytes, &mut from), from), (None, 24));
        assert_eq!(take(&[0xff; 11], &mut 0), None);
        for (before, after, small) in [(5, 5, 0), (5, 4, 1), (5, 6, 2), (0, u64::MAX, 1), (7, 0, 13)] {
            assert_eq!(folded(before, after), small);
            assert_eq!(unfolded(before, small), after);
        }
    }

    #[test]
    fn contents_are_texts() {
        // The known vectors of base64 (RFC 4648), without what fills up.
        for (bytes, digits) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            let text = text(3, 7, bytes.as_bytes());
            assert!(is_content(&text) && text.ends_with(&format!(":{digits}")), "{text}");
            assert_eq!(content(&text), Ok((3, 7, bytes.as_bytes().to_vec())));
        }
        let good = text(3, 7, b"foobar");
        for bad in ["recorded:3:7".to_owned(), good.replace("Zm9", "Zm8"), good.replace("Zm9", "Z!9"), good + "A"] {
            assert!(content(&bad).is_err_and(|why| why.contains("damaged")), "{bad}");
        }
        assert!(content("a.txt").is_err_and(|why| why.contains("nobody has read")));
    }
}
