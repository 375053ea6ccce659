//! How long a loss event lasts to a TCP: what it had sent before it knew of the first loss.
//!
//! By RFC 4654 section 5.2 a loss event lasts for R, since a TCP halves its window once in a round-trip time. But a TCP
//! goes by no time: when three duplicate ACKs have shown a loss, it notes the highest octet that it has sent by then,
//! and all losses up to that belong to the same recovery (RFC 6675 section 5, RecoveryPoint = HighData). That is what
//! goes out in the round-trip time of that moment, with the queue as it is then, and until three packets more have told
//! of the loss. R, smoothed, is less while a queue fills: what an overflow drops a round-trip time after its first
//! packet would be a second event.

use super::rate_control::FAR_RTTS;

/// Packets behind a lost one that tell a TCP of it (RFC 6675 section 2, DupThresh).
const TELLING: f64 = 3.0;
/// What of R' they may take: with fewer than twelve packets in it the window of a TCP is so short that it does not have
/// the three duplicates in every case; a choice.
const MOST_OF_RTT: f64 = 0.25;

/// How long a loss event lasts, seconds, that begins with a loss which a packet reveals, or with its mark.
///
/// `rtt_s` is R, smoothed; `momentary_s` R' of that packet, without smoothing, and `gap_s` the time from one packet to
/// the next, s/X. It is max(R, R') + min(3 gaps, R'/4); R' counts as 2 R at most, as where R_max is measured: a packet
/// that waited for the end of an outage tells of that.
///
/// With less than a packet in max(R, R') nothing is added: no other is under way with the one that is lost, and each
/// loss stays an event. Nor is it to a `mark`, of which the first ACK tells.
pub(super) fn loss_window_s(rtt_s: f64, momentary_s: f64, gap_s: f64, mark: bool) -> f64 {
    let momentary_s = momentary_s.min(FAR_RTTS * rtt_s);
    let longest_s = rtt_s.max(momentary_s);
    if mark || gap_s >= longest_s {
        return longest_s;
    }
    // A rate that is no number, or negative, makes no gap.
    longest_s + (TELLING * gap_s).max(0.0).min(MOST_OF_RTT * momentary_s)
}

#[cfg(test)]
#[path = "loss_window_tests.rs"]
mod tests;
