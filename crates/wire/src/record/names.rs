//! The names of a session and of those in it.

use faircast_tables::ends::Ends;

/// Names by ids.
#[derive(Clone, Debug)]
pub(super) struct Names {
    flows: Vec<String>,
    /// The own one first, of a member.
    members: Vec<String>,
    ids: Vec<u64>,
}

/// What a receiver with this id is called in tables.
pub fn receiver_name(id: u64) -> String {
    format!("receiver-{id}")
}

/// Names that are kept. A source knows as many receivers by their ids, which come from a network; who limits is one
/// after the other.
const MOST: usize = 4096;

impl Names {
    /// The session's name, and id and name of the member that is written down.
    pub(super) fn new(session: &str, own: Option<(u64, &str)>) -> Names {
        Names {
            flows: vec![session.to_owned()],
            members: own.iter().map(|(_, name)| (*name).to_owned()).collect(),
            ids: own.iter().map(|(id, _)| *id).collect(),
        }
    }

    /// Which of the members has this id; nobody has 0.
    pub(super) fn member(&mut self, id: u64) -> Option<u32> {
        if id == 0 {
            return None;
        }
        if let Some(place) = self.ids.iter().rposition(|known| *known == id) {
            return Some(place as u32);
        }
        if self.ids.len() >= MOST {
            return None;
        }
        self.ids.push(id);
        self.members.push(receiver_name(id));
        Some(self.ids.len() as u32 - 1)
    }
}

impl Ends for Names {
    fn flows(&self) -> &[String] {
        &self.flows
    }

    fn members(&self) -> &[String] {
        &self.members
    }
}
