//! Players that a run is too short for. Known before a run.

use super::message::{KnownWarning, Warning};
use crate::network::NetworkSession;
use faircast_proto::playout::Kind;
use faircast_proto::time::Duration;

/// A player that never shows a picture, however good the network is: the source has not sent one whole segment by its
/// end, or by that of the run, or not as many as `start` asks for. Of a file of a rate everything is there at once, so
/// nothing is known of it.
pub(super) fn known(session: &NetworkSession, run: Duration) -> Option<KnownWarning> {
    let playout = session.playout.as_ref()?;
    if playout.kind == Kind::File && session.film().is_some() {
        return None;
    }
    let end = session.stop.unwrap_or(run).min(run);
    let time = Duration(end.0.saturating_sub(session.start.0));
    let whole = time.0 / playout.segment.0.max(1);
    // Media that end before are shown from then on.
    let ends = end < run || playout.segments().is_some_and(|segments| u64::from(segments) < whole);
    let asked = playout.segment.0.saturating_mul(playout.start_segments().into());
    let (key, value, what) = match () {
        () if whole == 0 => ("segment", playout.segment, "one segment lasts".to_owned()),
        () if !ends && asked >= time.0 => {
            let what = format!("the picture appears when {} segments in a row are there,", playout.start_segments());
            ("start", Duration(asked), what)
        }
        () => return None,
    };
    let message = format!(
        "nobody sees anything of session {}: {what} {value}, and its source has {time} from its start to its end or \
         that of the run",
        session.name
    );
    let warning = Warning { kind: "no-picture", subject: session.name.clone(), value: value.as_secs_f64(), message };
    Some(KnownWarning { path: format!("sessions.{}.playout.{key}", session.name), warning })
}
