//! Dilation: what the receivers behind a link demand together, as a part of what the fastest of them gets [Kwon,
//! Definition 1]. It is 1 where the others hold nothing that the fastest one does not.
//!
//! Demanded is what the source sends to the groups that somebody behind the link holds, each group counted once. It is
//! taken over windows of [`WINDOW`]; within one, what is demanded and what the fastest receiver gets are added up from
//! one change of memberships to the next, so that receivers who hold the same one after the other dilate nothing.
//!
//! Nothing is done per hop: the source's packets are counted by group, and what everybody gets follows from when he was
//! in which group. A packet counts as spread evenly over the time until the next one is due, so that short windows see
//! the rates of sources that send evenly, and not their single packets.

use super::tree::{Tree, Vertex};
use crate::counters::DilationTotals;
use crate::ids::LinkId;
use faircast_proto::group_set::GroupSet;
use faircast_proto::time::{Duration, Instant};

/// Over how long a time the quotient is taken: the peaks of binary counting layers last a slot, tens of milliseconds
/// and more [Kwon, section IV].
pub const WINDOW: Duration = Duration::from_millis(50);

/// The dilation of a session on the links of its tree behind which several receivers are. On others it is 1.
pub(crate) struct Dilation {
    /// By group of the session.
    streams: Vec<Stream>,
    /// Parents before those below them.
    places: Vec<TreeLink>,
    /// As the session's members.
    holders: Vec<Holder>,
    /// By link.
    links: Vec<(LinkId, Totals)>,
    /// By group: what had been sent when the present window began, in parts of a byte.
    at_start: Vec<u64>,
    /// Room for what has been sent by now.
    sums: Vec<u64>,
    /// When the present window ends.
    window_end: Instant,
}

/// What the source sends to a group.
#[derive(Clone, Copy, Default)]
struct Stream {
    /// Bytes of all packets but the last one.
    before: u64,
    last: Instant,
    last_bytes: u64,
    /// How long the last packet counts for; zero until there are two.
    gap: Duration,
    /// The last one came after a pause.
    paused: bool,
}

/// A link direction, or a link with legs.
struct TreeLink {
    /// Where in `links` it is.
    link: usize,
    above: Option<u32>,
    /// What the receivers behind it hold, each set once, and how many hold it. They are few: levels, and what is added
    /// to them for a while.
    held: Vec<(GroupSet, u32)>,
    /// By group what had been sent when this last changed in the present window; nothing if it has not.
    since: Vec<u64>,
    /// In the present window, until it last changed: what was demanded, what the fastest ones got.
    demanded: u64,
    got: u64,
}

/// A receiver.
#[derive(Clone, Copy)]
struct Holder {
    /// The lowest place that it is behind.
    place: Option<u32>,
    held: GroupSet,
}

/// For the whole run, since the end of the warm-up, since the last row.
#[derive(Clone, Copy, Default)]
struct Totals([DilationTotals; 3]);

/// Which totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DilationSpan {
    /// Since time zero.
    All,
    /// Since the end of the warm-up.
    Late,
    /// Since the last row.
    Interval,
}

/// Bytes are counted in this many parts.
const PARTS: u64 = 1 << 10;

impl Dilation {
    /// The dilation of a session of so many groups on a tree, with a member on each of these nodes.
    pub(super) fn new(groups: u32, tree: &Tree, members: &[Vertex]) -> Dilation {
        let mut dilation = Dilation {
            streams: vec![Stream::default(); groups as usize],
            places: Vec::new(),
            holders: Vec::new(),
            links: Vec::new(),
            at_start: vec![0; groups as usize],
            sums: Vec::new(),
            window_end: Instant::ZERO + WINDOW,
        };
        dilation.lay_out(tree, members, |_| GroupSet::EMPTY);
        dilation
    }

    /// Passes to another tree, of which the members at these nodes hold `held`. What the present window had is lost.
    pub(super) fn retree(&mut self, now: Instant, tree: &Tree, members: &[Vertex], held: impl Fn(usize) -> GroupSet) {
        self.catch_up(now);
        self.add_up(now);
        std::mem::swap(&mut self.at_start, &mut self.sums);
        self.lay_out(tree, members, held);
    }

    fn lay_out(&mut self, tree: &Tree, members: &[Vertex], held: impl Fn(usize) -> GroupSet) {
        let mut behind = vec![0u32; tree.len()];
        members.iter().for_each(|node| behind[node.index()] += 1);
        let order = tree.leaves_first();
        let mut behind_carrier = Vec::<(LinkId, u32)>::new();
        for &branch in &order {
            let branch = tree.branch(branch);
            let number = behind[branch.child.index()];
            behind[branch.parent.index()] += number;
            behind_carrier.extend(branch.carrier.map(|carrier| (carrier, number)));
        }
        behind_carrier.sort_unstable();
        behind_carrier.dedup_by(|next, sum| {
            next.0 == sum.0 && {
                sum.1 += next.1;
                true
            }
        });
        self.places.clear();
        // By node: the lowest place above it. By carrier: its place.
        let mut above: Vec<Option<u32>> = vec![None; tree.len()];
        let mut of_carrier: Vec<Option<u32>> = vec![None; behind_carrier.len()];
        for &branch in order.iter().rev() {
            let branch = *tree.branch(branch);
            let mut at = above[branch.parent.index()];
            if let Some(carrier) = branch.carrier {
                let known = behind_carrier.binary_search_by_key(&carrier, |known| known.0).expect("it was counted");
                if behind_carrier[known].1 > 1 {
                    at = Some(*of_carrier[known].get_or_insert_with(|| self.place(carrier, at)));
                }
            }
            if behind[branch.child.index()] > 1 {
                at = Some(self.place(branch.link, at));
            }
            above[branch.child.index()] = at;
        }
        self.holders.clear();
        for (member, node) in members.iter().enumerate() {
            let holder = Holder { place: above[node.index()], held: held(member) };
            self.holders.push(holder);
            let mut next = holder.place;
            while let Some(place) = next {
                let place = &mut self.places[place as usize];
                place.take_in(holder.held);
                next = place.above;
            }
        }
    }

    /// A new place on a link below another one.
    fn place(&mut self, link: LinkId, above: Option<u32>) -> u32 {
        let found = self.links.binary_search_by_key(&link, |known| known.0);
        let at = found.unwrap_or_else(|at| {
            self.links.insert(at, (link, Totals::default()));
            self.places.iter_mut().filter(|place| place.link >= at).for_each(|place| place.link += 1);
            at
        });
        self.places.push(TreeLink { link: at, above, held: Vec::new(), since: Vec::new(), demanded: 0, got: 0 });
        self.places.len() as u32 - 1
    }

    /// The source sends a packet to a group.
    #[inline]
    pub(super) fn sent(&mut self, now: Instant, group: u32, bytes: u16) {
        if now >= self.window_end {
            self.catch_up(now);
        }
        self.streams[group as usize].sent(now, bytes);
    }

    /// A member joins a group that it is not in, or leaves one that it is in.
    pub(super) fn change(&mut self, now: Instant, member: usize, group: u32, joins: bool) {
        self.catch_up(now);
        self.add_up(now);
        let holder = &mut self.holders[member];
        debug_assert_ne!(holder.held.contains(group), joins, "it does not change");
        let before = holder.held;
        match joins {
            true => holder.held.insert(group),
            false => holder.held.remove(group),
        }
        let (after, mut next) = (holder.held, holder.place);
        while let Some(place) = next {
            let place = &mut self.places[place as usize];
            place.compute(&self.at_start, &self.sums);
            place.since.clone_from(&self.sums);
            place.let_go(before);
            place.take_in(after);
            next = place.above;
        }
    }

    /// Ends the windows that are over by `now`.
    pub(super) fn catch_up(&mut self, now: Instant) {
        while self.window_end <= now {
            let end = self.window_end;
            self.add_up(end);
            self.window_end = end + WINDOW;
            if !self.end_window() {
                // Nothing until the next packet.
                let over = now.since(end).0 / WINDOW.0;
                self.window_end += Duration(over * WINDOW.0);
            }
        }
    }

    /// Adds up what has been sent to each group by `now`.
    fn add_up(&mut self, now: Instant) {
        self.sums.clear();
        self.sums.extend(self.streams.iter().map(|stream| stream.sum(now)));
    }

    /// Takes the quotients of a window. Says whether there was anything in it.
    fn end_window(&mut self) -> bool {
        let mut any = false;
        for place in &mut self.places {
            place.compute(&self.at_start, &self.sums);
            place.since.clear();
            let (demanded, got) = (std::mem::take(&mut place.demanded), std::mem::take(&mut place.got));
            if got > 0 {
                any = true;
                self.links[place.link].1.add(demanded as f64, got as f64);
            }
        }
        std::mem::swap(&mut self.at_start, &mut self.sums);
        any
    }

    /// The links behind which several receivers are or were, and the dilation there, by link.
    pub(crate) fn totals(&self, span: DilationSpan) -> impl Iterator<Item = (LinkId, DilationTotals)> {
        self.links.iter().map(move |(link, totals)| (*link, totals.0[span as usize]))
    }

    /// Begins totals anew.
    pub(super) fn restart(&mut self, span: DilationSpan) {
        self.links.iter_mut().for_each(|(_, totals)| totals.0[span as usize] = DilationTotals::default());
    }
}

impl TreeLink {
    /// Adds what was demanded and what the fastest one got since the last change, or since the window began.
    fn compute(&mut self, at_start: &[u64], now: &[u64]) {
        let since = if self.since.is_empty() { at_start } else { &self.since };
        let sent =
            |groups: GroupSet| -> u64 { groups.iter().map(|group| now[group as usize] - since[group as usize]).sum() };
        let all = self.held.iter().fold(GroupSet::EMPTY, |all, &(held, _)| all | held);
        self.demanded += sent(all);
        self.got += self.held.iter().map(|&(held, _)| sent(held)).max().unwrap_or(0);
    }

    /// A receiver behind it holds these groups.
    fn take_in(&mut self, groups: GroupSet) {
        match self.held.iter_mut().find(|(held, _)| *held == groups) {
            Some((_, number)) => *number += 1,
            None => self.held.push((groups, 1)),
        }
    }

    /// A receiver behind it no longer does.
    fn let_go(&mut self, groups: GroupSet) {
        let at = self.held.iter().position(|(held, _)| *held == groups).expect("somebody holds them");
        self.held[at].1 -= 1;
        if self.held[at].1 == 0 {
            self.held.swap_remove(at);
        }
    }
}

impl Stream {
    fn sent(&mut self, now: Instant, bytes: u16) {
        let since = now.since(self.last);
        if self.last_bytes > 0 && since > Duration::ZERO {
            // A source that is on and off goes on as before after a pause; one that has become slow pauses again.
            let pauses = self.gap > Duration::ZERO && since.0 > self.gap.0.saturating_mul(2);
            if !pauses || self.paused {
                self.gap = since;
            }
            self.paused = pauses && !self.paused;
        }
        self.before += self.last_bytes;
        (self.last, self.last_bytes) = (now, bytes.into());
    }

    /// What has been sent by `now`, in parts of a byte.
    fn sum(&self, now: Instant) -> u64 {
        let last = self.last_bytes * PARTS;
        let since = now.since(self.last);
        let counted = match since < self.gap {
            true => (u128::from(last) * u128::from(since.0) / u128::from(self.gap.0)) as u64,
            false => last,
        };
        self.before * PARTS + counted
    }
}

impl Totals {
    fn add(&mut self, demanded: f64, got: f64) {
        for totals in &mut self.0 {
            totals.windows += 1;
            totals.sum += demanded / got;
            totals.greatest = totals.greatest.max(demanded / got);
            totals.demanded_bytes += demanded / PARTS as f64;
            totals.fastest_bytes += got / PARTS as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NodeId;
    use crate::multicast::Woods;
    use crate::part::Carriers;
    use crate::routing::{Edge, Routes};

    const A: usize = 0;
    const B: usize = 1;
    const C: usize = 2;
    /// The links down: from the source to the router, from there to the hosts of A and B, to that of C.
    const TRUNK: LinkId = LinkId(0);
    const PAIR: LinkId = LinkId(2);

    fn ms(ms: u64) -> Instant {
        Instant(ms * 1_000_000)
    }

    /// A source, a router, a node with A and B, one with C.
    fn tree() -> Tree {
        tree_of(Vec::new())
    }

    /// The same with these carriers of legs.
    fn tree_of(carriers: Vec<Option<LinkId>>) -> Tree {
        let link = |from, to| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(1) };
        let edges: Vec<Edge> = [(0, 1), (1, 2), (1, 3)].iter().flat_map(|&(a, b)| [link(a, b), link(b, a)]).collect();
        let routes = Routes::towards(4, &edges, &[NodeId(0)]);
        let carriers = Carriers::new(carriers);
        Woods::new(4, &edges, &routes, &carriers).tree(NodeId(0), [2, 3].into_iter().map(NodeId))
    }

    fn dilation(groups: u32) -> Dilation {
        Dilation::new(groups, &tree(), &[Vertex(2), Vertex(2), Vertex(3)])
    }

    /// Packets of 1000 bytes from one moment until before another, every so often, to a group each.
    fn send(dilation: &mut Dilation, [from, to]: [u64; 2], every: &[u64]) {
        for now in from..to {
            for (group, _) in (0..).zip(every).filter(|(_, every)| now % **every == 0) {
                dilation.sent(ms(now), group, 1000);
            }
        }
        dilation.catch_up(ms(to));
    }

    /// By link what there is since the last row: greatest, mean, and windows.
    fn take(dilation: &mut Dilation) -> Vec<(LinkId, f64, f64, u64)> {
        let found = dilation.totals(DilationSpan::Interval);
        let found = found.map(|(link, it)| (link, it.greatest, it.sum / it.windows as f64, it.windows)).collect();
        dilation.restart(DilationSpan::Interval);
        found
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3 * expected, "{found} for {expected}");
    }

    #[test]
    fn it_is_what_is_demanded_by_what_the_fastest_gets() {
        let mut dilation = dilation(3);
        // 1, 2 and 4 packets in 20 ms: A has the first two, B the first and the third, C the first.
        for (member, group) in [(A, 0), (A, 1), (B, 0), (B, 2), (C, 0)] {
            dilation.change(Instant::ZERO, member, group, true);
        }
        send(&mut dilation, [0, 100], &[20, 10, 5]);
        take(&mut dilation);
        send(&mut dilation, [100, 600], &[20, 10, 5]);
        for (link, greatest, mean, windows) in take(&mut dilation) {
            assert!([TRUNK, PAIR].contains(&link), "behind others there is one");
            near(greatest, 7.0 / 5.0);
            near(mean, 7.0 / 5.0);
            assert_eq!(windows, 10);
        }
        // B leaves the third: what is left is nested. C holds all: on the trunk it is the fastest.
        dilation.change(ms(600), B, 2, false);
        dilation.change(ms(600), C, 2, true);
        send(&mut dilation, [600, 700], &[20, 10, 5]);
        let found = take(&mut dilation);
        assert_eq!(found.iter().map(|row| row.0).collect::<Vec<_>>(), [TRUNK, PAIR]);
        near(found[0].1, 7.0 / 5.0);
        assert_eq!((found[1].1, found[1].2), (1.0, 1.0));
        let late = dilation.totals(DilationSpan::All).next().expect("the trunk").1;
        assert_eq!(late.windows, 14);
        // 7 packets demanded in 20 ms, 5 got by the fastest, but for the first ones.
        near(late.demanded_bytes, 35.0 * 7000.0);
        near(late.fastest_bytes, 35.0 * 5000.0);
    }

    #[test]
    fn who_holds_the_same_one_after_the_other_dilates_nothing() {
        let mut dilation = dilation(2);
        dilation.change(Instant::ZERO, A, 0, true);
        dilation.change(Instant::ZERO, A, 1, true);
        dilation.change(Instant::ZERO, B, 0, true);
        send(&mut dilation, [0, 125], &[4, 2]);
        // In the middle of a window they change places; then they are both where A was.
        dilation.change(ms(125), A, 1, false);
        dilation.change(ms(125), B, 1, true);
        send(&mut dilation, [125, 180], &[4, 2]);
        dilation.change(ms(180), A, 1, true);
        send(&mut dilation, [180, 250], &[4, 2]);
        for (_, greatest, _, windows) in take(&mut dilation) {
            assert_eq!((greatest, windows), (1.0, 5));
        }
    }

    #[test]
    fn a_window_has_the_mean_over_its_time() {
        let mut dilation = dilation(2);
        dilation.change(Instant::ZERO, A, 0, true);
        send(&mut dilation, [0, 100], &[10, 10]);
        take(&mut dilation);
        // From 120 ms to 150 ms B has as much of another group: 1 for 20 ms and 2 for 30 ms.
        send(&mut dilation, [100, 120], &[10, 10]);
        dilation.change(ms(120), B, 1, true);
        send(&mut dilation, [120, 150], &[10, 10]);
        near(take(&mut dilation)[0].1, 1.6);
    }

    #[test]
    fn pauses_do_not_count_as_slowness() {
        // On for 40 ms with a packet each 5 ms, off for 40 ms, as a counting layer; beside it one that sends always.
        let mut dilation = dilation(2);
        dilation.change(Instant::ZERO, A, 0, true);
        dilation.change(Instant::ZERO, B, 1, true);
        for now in 0..800 {
            if now % 5 == 0 {
                dilation.sent(ms(now), 0, 1000);
            }
            if now % 5 == 0 && now / 40 % 2 == 1 {
                dilation.sent(ms(now), 1, 1000);
            }
        }
        dilation.catch_up(ms(800));
        let (_, totals) = dilation.totals(DilationSpan::All).next().expect("the trunk");
        // 8 of 16 packets in the mean, and at most as much as the other for the 40 of 50 ms that it is on.
        near(totals.demanded_bytes / totals.fastest_bytes, 1.5);
        near(totals.greatest, 1.8);
    }

    #[test]
    fn silence_is_no_dilation_and_costs_nothing() {
        let mut dilation = dilation(2);
        dilation.change(Instant::ZERO, A, 0, true);
        send(&mut dilation, [0, 100], &[10]);
        dilation.catch_up(ms(9_999_999_999));
        assert_eq!(dilation.window_end, ms(10_000_000_000), "not window by window");
        send(&mut dilation, [10_000_000_000, 10_000_000_100], &[10]);
        let windows = dilation.totals(DilationSpan::All).next().expect("the trunk").1.windows;
        // The last packet before counts for another 10 ms.
        assert_eq!(windows, 2 + 2);
    }

    #[test]
    fn memberships_pass_to_another_tree() {
        let mut dilation = dilation(2);
        dilation.change(Instant::ZERO, A, 0, true);
        dilation.change(Instant::ZERO, C, 1, true);
        send(&mut dilation, [0, 110], &[10, 10]);
        take(&mut dilation);
        // All on the node of C.
        let held = [GroupSet::of(0), GroupSet::EMPTY, GroupSet::of(1)];
        dilation.retree(ms(110), &tree(), &[Vertex(3); 3], |member| held[member]);
        send(&mut dilation, [110, 200], &[10, 10]);
        dilation.change(ms(200), C, 1, false);
        send(&mut dilation, [200, 250], &[10, 10]);
        let found = take(&mut dilation);
        assert_eq!(found.iter().map(|row| (row.0, row.3)).collect::<Vec<_>>(), [(TRUNK, 3), (PAIR, 0), (LinkId(4), 3)]);
        near(found[2].1, 2.0);
        near(found[2].2, 5.0 / 3.0);
    }

    #[test]
    fn a_link_with_legs_has_what_all_of_them_demand() {
        let mut carriers = vec![None; 6];
        (carriers[2], carriers[4]) = (Some(LinkId(9)), Some(LinkId(9)));
        let mut dilation = Dilation::new(2, &tree_of(carriers), &[Vertex(2), Vertex(2), Vertex(3)]);
        for (member, group) in [(A, 0), (B, 0), (C, 1)] {
            dilation.change(Instant::ZERO, member, group, true);
        }
        send(&mut dilation, [0, 250], &[10, 10]);
        let found: Vec<_> = take(&mut dilation).into_iter().map(|(link, greatest, ..)| (link, greatest)).collect();
        assert_eq!(found, [(TRUNK, 2.0), (PAIR, 1.0), (LinkId(9), 2.0)], "behind the other leg is one receiver");
    }

    #[test]
    fn what_many_hold_is_looked_at_once() {
        let nodes = vec![Vertex(2); 1000];
        let mut dilation = Dilation::new(3, &tree(), &nodes);
        for member in 0..1000 {
            (0..1 + member as u32 % 3).for_each(|group| dilation.change(ms(member as u64), member, group, true));
        }
        for place in &dilation.places {
            let mut held: Vec<u32> = place.held.iter().map(|&(_, number)| number).collect();
            held.sort_unstable();
            assert_eq!(held, [333, 333, 334]);
        }
        (0..1000).for_each(|member| dilation.change(ms(2000), member, 0, false));
        assert_eq!(dilation.places[0].held.len(), 3);
    }
}
