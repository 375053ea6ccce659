//! Who gets which slots of a return channel.
//!
//! Terminals ask when a superframe begins, for what waits then. The hub, which hears it, assigns the slots of the
//! superframe that begins `lead` superframes later: the first that all terminals can still be told of. Constant slots
//! come first. What is left is shared by those who asked: all get equally many, but nobody more than was asked for
//! (max-min fair); what is too little for one each goes round, and the next superframe goes on where it ended. Then, if
//! so wanted, what still is left is shared by all in the same way. A terminal's slots lie one behind the other, in the
//! order of terminals.
//!
//! A *volume* is asked for once and assigned until it is used up (VBDC of DVB-RCS2), a *rate* holds until another one
//! is asked for or for some superframes (RBDC). What is asked for follows the request manager of SNS3
//! (`satellite-request-manager.cc`): of a rate what came in the last superframe, and what waits beyond that and beyond
//! what is on its way by rates that were asked for (`DoRbdcLegacy`, K = 1, no overestimation); of volume what waits
//! beyond what was asked for and has not been assigned. Constant slots are taken off both.

use super::grid::Grid;

/// How slots are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Slots that each terminal has in each superframe.
    pub constant: u32,
    /// What terminals ask for besides.
    pub demand: Demand,
    /// How many superframes after a request its slots come at the earliest, not zero.
    pub lead: u32,
    /// Slots in a superframe that a terminal can get on demand at most.
    pub most: u32,
    /// Whether all share what nobody asked for (free capacity assignment).
    pub free: bool,
}

/// What terminals ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing.
    Nothing,
    /// Slots in each superframe (rate-based dynamic capacity).
    Rate {
        /// For how many superframes a rate holds when no other is asked for, not zero.
        persistence: u32,
    },
    /// So many slots (volume-based dynamic capacity).
    Volume,
}

/// The hub of a channel, and what its terminals know of what they asked for.
pub(super) struct Desk {
    by: Assignment,
    grid: Grid,
    /// Superframes that have begun.
    begun: u64,
    clients: Vec<Client>,
    /// What is assigned of the present superframe and of those to come, `lead` of them, each terminal by terminal:
    /// slots on demand, and all. One that is over makes room for the last to come.
    demanded: Vec<u32>,
    assigned: Vec<u32>,
    /// The rates that were asked for in the last `lead` superframes, likewise.
    rates: Vec<u32>,
    wanted: Vec<u32>,
    /// Whose turn it is where there is too little for one each.
    turn: usize,
}

#[derive(Clone, Copy, Default)]
struct Client {
    /// What waited when it last asked, and what it had sent, bytes.
    backlog: u64,
    sent: u64,
    /// The sum of the rates of the last `lead` superframes.
    pending: u64,
    /// Slots of volume that it has asked for and that are not over.
    outstanding: u64,
    /// At the hub: slots of volume that are not assigned; or the present rate, and for how many superframes it holds.
    volume: u64,
    rate: u32,
    lasts: u32,
}

impl Desk {
    pub(super) fn new(by: Assignment, grid: Grid, terminals: usize) -> Desk {
        debug_assert!(by.lead > 0, "nobody is told before it has asked");
        let lead = by.lead as usize;
        let mut desk = Desk {
            by,
            grid,
            begun: 0,
            clients: vec![Client::default(); terminals],
            demanded: vec![0; (lead + 1) * terminals],
            assigned: vec![0; (lead + 1) * terminals],
            rates: vec![0; lead * terminals],
            wanted: vec![0; terminals],
            turn: 0,
        };
        // Nobody can have asked for the first ones.
        (0..u64::from(by.lead)).for_each(|superframe| desk.assign(superframe));
        desk
    }

    /// A terminal asks when a superframe begins: so many bytes wait, and it has sent so many since the start of the
    /// run. How many slots it asks for now; if it asks for rates, how many it wants in the superframe that is assigned
    /// now.
    pub(super) fn ask(&mut self, place: usize, backlog: u64, sent: u64) -> u64 {
        let before = self.row(self.begun + u64::from(self.by.lead)) + place;
        let client = &mut self.clients[place];
        let (payload, constant) = (u64::from(self.grid.payload), u64::from(self.by.constant));
        match self.by.demand {
            Demand::Nothing => 0,
            Demand::Volume => {
                client.outstanding -= u64::from(self.demanded[before]);
                let known = client.outstanding + constant;
                let asked = backlog.div_ceil(payload).saturating_sub(known);
                client.outstanding += asked;
                client.volume += asked;
                asked
            }
            Demand::Rate { persistence } => {
                let came = (backlog + sent - client.sent).saturating_sub(client.backlog);
                (client.backlog, client.sent) = (backlog, sent);
                let rest = backlog.saturating_sub(came + client.pending * payload);
                let asked =
                    (came + rest).div_ceil(payload).saturating_sub(constant).min(u64::from(self.by.most)) as u32;
                let lead = u64::from(self.by.lead);
                let oldest = &mut self.rates[(self.begun % lead) as usize * self.wanted.len() + place];
                client.pending = client.pending + u64::from(asked) - u64::from(std::mem::replace(oldest, asked));
                match asked {
                    0 => {
                        client.lasts = client.lasts.saturating_sub(1);
                        client.rate = if client.lasts > 0 { client.rate } else { 0 };
                    }
                    _ => (client.rate, client.lasts) = (asked, persistence),
                }
                u64::from(client.rate)
            }
        }
    }

    /// All have asked. The slots of each terminal in the superframe that begins.
    pub(super) fn begin_superframe(&mut self) -> &[u32] {
        self.assign(self.begun + u64::from(self.by.lead));
        let row = self.row(self.begun);
        self.begun += 1;
        &self.assigned[row..row + self.clients.len()]
    }

    /// Of each terminal, now that a superframe has begun: the slots of it that it had asked for by volume, and those
    /// that it waits for. Of nobody where none are asked for by volume.
    pub(super) fn volumes(&self) -> impl Iterator<Item = (u64, u64)> {
        let count = if self.by.demand == Demand::Volume { self.clients.len() } else { 0 };
        let row = self.row(self.begun - 1);
        let begun = self.demanded[row..row + count].iter().map(|&begun| u64::from(begun));
        begun.zip(&self.clients).map(|(begun, client)| (begun, client.outstanding - begun))
    }

    /// Assigns the slots of a superframe.
    fn assign(&mut self, superframe: u64) {
        let row = self.row(superframe);
        let row = row..row + self.clients.len();
        let (demanded, assigned) = (&mut self.demanded[row.clone()], &mut self.assigned[row]);
        for (wanted, client) in self.wanted.iter_mut().zip(&self.clients) {
            *wanted = client.volume.min(u64::from(self.by.most)) as u32 + client.rate;
        }
        demanded.fill(0);
        let constant = self.by.constant * self.clients.len() as u32;
        let rest = share(self.grid.slots - constant, &self.wanted, demanded, &mut self.turn);
        for ((assigned, &demanded), client) in assigned.iter_mut().zip(&*demanded).zip(&mut self.clients) {
            client.volume = client.volume.saturating_sub(u64::from(demanded));
            *assigned = demanded;
        }
        if self.by.free {
            // As much as there is for everybody.
            self.wanted.fill(self.grid.slots + self.by.most);
            share(rest, &self.wanted, assigned, &mut self.turn);
        }
        assigned.iter_mut().for_each(|assigned| *assigned += self.by.constant);
    }

    /// Where the row of a superframe begins that is not over, or that is the first to come which is not assigned.
    fn row(&self, superframe: u64) -> usize {
        (superframe % (u64::from(self.by.lead) + 1)) as usize * self.clients.len()
    }
}

/// Gives out so many slots beside what each has been given, to all equally many, to nobody more than is wanted. Where
/// there is too little for one each those get one whose turn it is. What is left.
fn share(mut slots: u32, wanted: &[u32], given: &mut [u32], turn: &mut usize) -> u32 {
    loop {
        let lacking = wanted.iter().zip(&*given).filter(|(wanted, given)| wanted > given).count() as u32;
        if lacking == 0 || slots == 0 {
            return slots;
        }
        let each = (slots / lacking).max(1);
        for place in (*turn..wanted.len()).chain(0..*turn) {
            let more = each.min(wanted[place].saturating_sub(given[place])).min(slots);
            given[place] += more;
            slots -= more;
            if slots == 0 {
                *turn = (place + 1) % wanted.len();
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    /// Ten slots of 100 bytes.
    const GRID: Grid = Grid { superframe: Duration(10_000), slots: 10, payload: 100 };
    const VOLUME: Assignment = Assignment { constant: 0, demand: Demand::Volume, lead: 2, most: 10, free: false };

    fn shared(slots: u32, wanted: &[u32], mut turn: usize) -> (Vec<u32>, u32, usize) {
        let mut given = vec![0; wanted.len()];
        let rest = share(slots, wanted, &mut given, &mut turn);
        (given, rest, turn)
    }

    #[test]
    fn slots_are_shared_alike_and_nobody_gets_more_than_it_wants() {
        assert_eq!(shared(10, &[2, 0, 3], 1), (vec![2, 0, 3], 5, 1));
        assert_eq!(shared(10, &[2, 9, 9], 0), (vec![2, 4, 4], 0, 0));
        assert_eq!(shared(10, &[9, 9, 9], 0), (vec![4, 3, 3], 0, 1));
        assert_eq!(shared(10, &[9, 9, 9], 2), (vec![3, 3, 4], 0, 0));
        assert_eq!(shared(2, &[9, 0, 9, 9], 3), (vec![1, 0, 0, 1], 0, 1));
        // 3 each, of 10; then the one that is left to one of those who lack one.
        assert_eq!(shared(10, &[3, 4, 4], 0), (vec![3, 4, 3], 0, 2));
        assert_eq!(shared(0, &[3], 0), (vec![0], 0, 0));
    }

    /// Asks with what waits and what has been sent, superframe by superframe: what is asked for, and what is assigned.
    fn course(by: Assignment, asks: &[&[(u64, u64)]]) -> Vec<(Vec<u64>, Vec<u32>)> {
        let mut desk = Desk::new(by, GRID, asks[0].len());
        let turn = |waiting: &&[(u64, u64)]| {
            let asked = (0..).zip(*waiting).map(|(place, &(backlog, sent))| desk.ask(place, backlog, sent)).collect();
            (asked, desk.begin_superframe().to_vec())
        };
        asks.iter().map(turn).collect()
    }

    #[test]
    fn volume_comes_after_the_lead_and_is_asked_for_once() {
        let asks: &[&[(u64, u64)]] = &[
            // Twelve slots and one; the first two superframes belong to nobody.
            &[(1101, 0), (50, 0)],
            &[(1101, 0), (50, 0)],
            // Two more have come to the first. Now nine slots begin for it, as the other one has one.
            &[(1301, 0), (50, 0)],
            &[(401, 900), (0, 50)],
            // Of three one is on its way, then none.
            &[(201, 1200), (0, 50)],
            &[(201, 1301), (0, 50)],
        ];
        let expected = [
            (vec![12, 1], vec![0, 0]),
            (vec![0, 0], vec![0, 0]),
            (vec![2, 0], vec![9, 1]),
            (vec![0, 0], vec![3, 0]),
            (vec![1, 0], vec![2, 0]),
            (vec![2, 0], vec![0, 0]),
        ];
        assert_eq!(course(VOLUME, asks), expected);
    }

    /// As above: of the first terminal twelve slots wait for two superframes, of which three for one more; two for two
    /// and so on. Its first nine begin in the third superframe.
    #[test]
    fn what_is_waited_for_is_counted_superframe_by_superframe() {
        let asks: [[(u64, u64); 2]; 5] = [
            [(1101, 0), (50, 0)],
            [(1101, 0), (50, 0)],
            [(1301, 0), (50, 0)],
            [(401, 900), (0, 50)],
            [(201, 1200), (0, 50)],
        ];
        let mut desk = Desk::new(VOLUME, GRID, 2);
        let turn = |waiting: &[(u64, u64); 2]| {
            for (place, &(backlog, sent)) in waiting.iter().enumerate() {
                desk.ask(place, backlog, sent);
            }
            desk.begin_superframe();
            desk.volumes().collect::<Vec<_>>()
        };
        let expected = [[(0, 12), (0, 1)], [(0, 12), (0, 1)], [(9, 5), (1, 0)], [(3, 2), (0, 0)], [(2, 1), (0, 0)]];
        assert_eq!(asks.iter().map(turn).collect::<Vec<_>>(), expected);
        let rates = Assignment { demand: Demand::Rate { persistence: 3 }, ..VOLUME };
        let mut desk = Desk::new(rates, GRID, 2);
        desk.ask(0, 500, 0);
        desk.begin_superframe();
        assert_eq!(desk.volumes().count(), 0);
    }

    #[test]
    fn nobody_gets_more_on_demand_than_the_most() {
        let by = Assignment { most: 4, lead: 1, ..VOLUME };
        let asks: &[&[(u64, u64)]] = &[&[(1000, 0)], &[(1000, 0)], &[(600, 400)], &[(200, 800)], &[(0, 1000)]];
        let expected = [(10, 0), (0, 4), (0, 4), (0, 2), (0, 0)];
        assert_eq!(course(by, asks), expected.map(|(asked, assigned)| (vec![asked], vec![assigned])));
    }

    #[test]
    fn a_rate_holds_until_another_is_asked_for_or_it_is_old() {
        let by = Assignment { demand: Demand::Rate { persistence: 3 }, lead: 1, most: 6, ..VOLUME };
        let asks: &[&[(u64, u64)]] = &[
            // 250 bytes have come: three slots, which is what is on its way at the next look.
            &[(250, 0)],
            // 200 more, and nothing that waits beyond these and what is on its way.
            &[(450, 0)],
            &[(150, 300)],
            // Everything has gone: the last rate, of two slots, holds for two superframes more.
            &[(0, 450)],
            &[(0, 450)],
            // 900 bytes: six slots are the most.
            &[(900, 450)],
            // 600 on their way, the others are asked for now.
            &[(900, 450)],
            &[(300, 1050)],
        ];
        let expected = [
            (vec![3], vec![0]),
            (vec![2], vec![3]),
            (vec![2], vec![2]),
            (vec![2], vec![2]),
            (vec![0], vec![2]),
            (vec![6], vec![0]),
            (vec![3], vec![6]),
            (vec![3], vec![3]),
        ];
        assert_eq!(course(by, asks), expected);
    }

    #[test]
    fn constant_slots_are_taken_off_and_what_is_left_is_free() {
        let by = Assignment { constant: 2, demand: Demand::Volume, lead: 1, most: 10, free: true };
        let asks: &[&[(u64, u64)]] = &[&[(500, 0), (0, 0)], &[(100, 400), (0, 0)], &[(0, 500), (0, 0)]];
        // Free slots are six, then three, of which the first gets two, then six.
        let expected = [(vec![3, 0], vec![5, 5]), (vec![0, 0], vec![7, 3]), (vec![0, 0], vec![5, 5])];
        assert_eq!(course(by, asks), expected);
        let constant = Assignment { demand: Demand::Nothing, free: false, constant: 3, ..by };
        assert_eq!(course(constant, &[&[(900, 0); 3][..]; 2]), vec![(vec![0; 3], vec![3; 3]); 2]);
    }
}
