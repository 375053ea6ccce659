//! When a link could send.

use super::held;
use super::packed;
use faircast_sim::opportunities::Opportunities;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// When a link could send, as Mahimahi's files have it; in a scenario the name of the file.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", inline, extend("x-file" = true))]
pub struct Stamps(pub Opportunities);

impl Serialize for Stamps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // How much later each time is than the one before, and how often it stands there.
        let stamps = self.0.stamps();
        let (mut bytes, mut before) = (Vec::new(), 0);
        for same in stamps.chunk_by(|a, b| a == b) {
            packed::put(&mut bytes, u64::from(same[0] - before));
            packed::put(&mut bytes, same.len() as u64);
            before = same[0];
        }
        serializer.serialize_str(&packed::text(stamps.len(), 0, &bytes))
    }
}

impl<'de> Deserialize<'de> for Stamps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Stamps, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Some(held) = held::find(&text) {
            return Ok(held);
        }
        let (lines, _, bytes) = packed::content(&text).map_err(de::Error::custom)?;
        let damaged = || de::Error::custom("the content of this recording is damaged: name its file again");
        let (mut stamps, mut at, mut from) = (Vec::new(), 0_u32, 0);
        while from < bytes.len() {
            let number = |from: &mut usize| packed::take(&bytes, from).ok_or_else(damaged);
            let later = number(&mut from)?;
            let times = number(&mut from)?;
            at = u32::try_from(u64::from(at).saturating_add(later)).map_err(|_| damaged())?;
            if times > (lines - stamps.len()) as u64 {
                return Err(damaged());
            }
            stamps.resize(stamps.len() + times as usize, at);
        }
        if stamps.len() != lines {
            return Err(damaged());
        }
        Opportunities::new(stamps.into()).map(Stamps).ok_or_else(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn many_of_a_moment_take_two_bytes() {
        let stamps: Vec<u32> = (0..30_000).map(|line| line / 30).collect();
        let stamps = Stamps(Opportunities::new(stamps.into()).expect("legal stamps"));
        let written = json!(stamps);
        let text = written.as_str().expect("a text");
        // 1000 moments, 4 digits for 3 bytes.
        assert!(text.len() < 2720 && text.starts_with("recorded:30000:0:"), "{} signs", text.len());
        let read: Stamps = serde_json::from_value(written).expect("it can be read back");
        assert_eq!(read, stamps);
    }

    #[test]
    fn what_is_no_list_of_times_is_refused() {
        let read = |lines, bytes: &[u8]| serde_json::from_value::<Stamps>(json!(packed::text(lines, 0, bytes)));
        assert!(read(2, &[1, 2]).is_ok());
        // Fewer and more than said, half a pair, no time at all, a time beyond all others, nothing but zero.
        for (lines, bytes) in [(3, &[1, 2][..]), (1, &[1, 2]), (2, &[1, 2, 3]), (0, &[]), (1, &[0, 1])] {
            assert!(read(lines, bytes).is_err(), "{lines} {bytes:?}");
        }
        assert!(read(1, &[0xff, 0xff, 0xff, 0xff, 0x7f, 1]).is_err());
        assert!(serde_json::from_value::<Stamps>(json!("a.txt")).is_err());
    }
}
