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
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = format!("{CONTENT}{lines}:{own}:{:016x}:", fnv1a(bytes));
    text.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, place| bits << 8 | u32::from(three.get(place).copied().unwrap_or(0)));
        // As many digits as its bytes need.
        text.extend((0..=three.len()).map(|place| char::from(DIGITS[(bits >> (18 - 6 * place)) as usize & 63])));
    }
    text
}

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
    if digits.len() % 4 == 1 {
        return Err(damaged());
    }
    for four in digits.as_bytes().chunks(4) {
        let mut bits = 0;
        for place in 0..4 {
            let digit = match four.get(place) {
                None => 0,
                Some(digit @ b'A'..=b'Z') => digit - b'A',
                Some(digit @ b'a'..=b'z') => digit - b'a' + 26,
                Some(digit @ b'0'..=b'9') => digit - b'0' + 52,
                Some(b'+') => 62,
                Some(b'/') => 63,
                Some(_) => return Err(damaged()),
            };
            bits = bits << 6 | u32::from(digit);
        }
        bytes.extend((1..four.len()).map(|place| (bits >> (24 - 8 * place)) as u8));
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
