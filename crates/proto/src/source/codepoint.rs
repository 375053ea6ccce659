//! What the datagrams of a source say of themselves to queues that mark.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::packet::Ecn;

/// The ECN field of datagrams. A source of constant rate answers no marks: they are counted, and nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EcnField")]
#[serde(rename_all = "lowercase")]
pub enum Codepoint {
    /// Not ECN-capable.
    #[default]
    Off,
    /// ECT(0), ECN-capable (RFC 3168, section 5).
    Ect0,
    /// ECT(1), for the low-latency queue of those that have one (RFC 9331, section 4.1).
    Ect1,
}

impl Codepoint {
    /// Whether there is nothing to write: scenarios from before there was a choice stay what they are.
    pub fn is_off(&self) -> bool {
        *self == Codepoint::Off
    }
}

impl From<Codepoint> for Ecn {
    fn from(codepoint: Codepoint) -> Ecn {
        match codepoint {
            Codepoint::Off => Ecn::NotCapable,
            Codepoint::Ect0 => Ecn::Capable,
            Codepoint::Ect1 => Ecn::Scalable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::Scheme;
    use crate::source::{cbr, on_off};

    #[test]
    fn what_is_off_is_not_written_and_all_else_is_read_again() {
        for (codepoint, written, ecn) in [
            (Codepoint::Off, None, Ecn::NotCapable),
            (Codepoint::Ect0, Some("ect0"), Ecn::Capable),
            (Codepoint::Ect1, Some("ect1"), Ecn::Scalable),
        ] {
            assert_eq!(Ecn::from(codepoint), ecn);
            let cbr = cbr::Config { ecn: codepoint, ..Default::default() };
            let on_off = on_off::Config { ecn: codepoint, ..Default::default() };
            let texts =
                [serde_json::to_value(&cbr), serde_json::to_value(&on_off)].map(|text| text.expect("plain data"));
            assert_eq!(texts.each_ref().map(|text| text.get("ecn").and_then(|ecn| ecn.as_str())), [written; 2]);
            let [cbr_text, on_off_text] = texts;
            assert_eq!(serde_json::from_value::<cbr::Config>(cbr_text).expect("it was written"), cbr);
            assert_eq!(serde_json::from_value::<on_off::Config>(on_off_text).expect("it was written"), on_off);
        }
    }

    #[test]
    fn only_flows_may_promise_to_answer_each_mark_a_little() {
        let of_session = |ecn| Scheme::check(&cbr::Config { ecn, ..Default::default() }).len();
        let of_flow = |ecn| cbr::Config { ecn, ..Default::default() }.check().len();
        let all = [Codepoint::Off, Codepoint::Ect0, Codepoint::Ect1];
        assert_eq!((all.map(of_session), all.map(of_flow)), ([0, 0, 1], [0, 0, 0]));
    }
}
