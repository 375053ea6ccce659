//! Reports and lifetimes, message by message.

use super::super::{Multicast, SessionPlan, SessionSite, Woods};
use super::*;
use crate::counters::MembershipMessages;
use crate::part::Carriers;
use crate::routing::{Edge, Routes};
use std::sync::Arc;

/// A source on node 0, a router, and on node 2 the member that is endpoint 7. Links 0 and 2 lead down, 1 and 3 up.
struct Row {
    multicast: Multicast,
    edges: [Edge; 4],
    now: Instant,
}

const DOWN: [LinkId; 2] = [LinkId(0), LinkId(2)];
const UP: [LinkId; 2] = [LinkId(1), LinkId(3)];
const ROUTER: NodeId = NodeId(1);
const HOST: NodeId = NodeId(2);

fn groups(which: &[u32]) -> GroupSet {
    which.iter().fold(GroupSet::EMPTY, |all, &group| all | GroupSet::of(group))
}

fn seconds(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

impl Row {
    /// Reports over these links can be lost.
    fn new(plan: SessionPlan, fallible: &[LinkId]) -> Row {
        let delay = Duration::from_millis(10);
        let edges =
            [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(from, to)| Edge { from: NodeId(from), to: NodeId(to), delay });
        let fallible: Arc<[bool]> = (0..4).map(|link| fallible.contains(&LinkId(link))).collect();
        let watched: Arc<[bool]> = Arc::new([false; 4]);
        let hosts: Arc<[bool]> = Arc::new([true, false, true]);
        let site = SessionSite {
            plan,
            flow: 0,
            root: NodeId(0),
            members: &[(HOST, 7)],
            hosts: &hosts,
            fallible: &fallible,
            watched: &watched,
        };
        let (routes, carriers) = (Routes::towards(3, &edges, &[NodeId(0)]), Carriers::default());
        let multicast = Multicast::new([site].into_iter(), &mut Woods::new(3, &edges, &routes, &carriers));
        Row { multicast, edges, now: Instant::ZERO }
    }

    fn sparse() -> Row {
        Row::new(SessionPlan::sparse(4), &[])
    }

    fn dense(prune_timeout: u64, fallible: &[LinkId]) -> Row {
        let mode = Mode::Dense { prune_timeout: Duration::from_secs(prune_timeout) };
        Row::new(SessionPlan { mode, ..SessionPlan::sparse(4) }, fallible)
    }

    /// What is joined where the source's and where the router's link down begins.
    fn joined(&self) -> [GroupSet; 2] {
        DOWN.map(|link| self.multicast.interface_on(SessionId(0), link).expect("a branch").0)
    }

    /// The member wants these groups now.
    fn want(&mut self, wanted: &[u32]) -> Vec<Message> {
        for group in 0..4 {
            assert!(self.multicast.change_membership(self.now, HOST, 7, group, wanted.contains(&(group as u32))));
        }
        let mut out = Vec::new();
        self.multicast.speak(self.now, &mut out);
        out
    }

    /// A message comes to the node to which its link leads.
    fn pass(&mut self, message: &Message) -> Vec<Message> {
        let mut out = Vec::new();
        self.multicast.receive(self.now, self.edges[message.link.index()].to, message, &mut out);
        out
    }

    /// Passes messages on until there are none; gives the reports, by link.
    fn settle(&mut self, messages: Vec<Message>) -> Vec<(LinkId, GroupSet)> {
        let (mut messages, mut reports) = (std::collections::VecDeque::from(messages), Vec::new());
        while let Some(message) = messages.pop_front() {
            if message.what == MembershipMessage::Report {
                reports.push((message.link, message.groups));
            }
            messages.extend(self.pass(&message));
        }
        reports
    }

    /// Lets time pass. What has been said by then, and when.
    fn wait(&mut self, until: f64, mut hears: impl FnMut(&mut Row, &Message)) -> Vec<(f64, LinkId, GroupSet)> {
        let mut said = Vec::new();
        while let Some(at) = self.multicast.next_task().filter(|&at| at <= seconds(until)) {
            self.now = at;
            let mut out = Vec::new();
            self.multicast.run_agenda(at, &mut out);
            for message in out {
                said.push((at.as_secs_f64(), message.link, message.groups));
                hears(self, &message);
            }
        }
        self.now = seconds(until);
        said
    }

    fn retree(&mut self) -> Vec<Message> {
        let mut out = Vec::new();
        let (routes, carriers) = (Routes::towards(3, &self.edges, &[NodeId(0)]), Carriers::default());
        self.multicast.retree(self.now, &mut Woods::new(3, &self.edges, &routes, &carriers), &mut out);
        out
    }
}

/// Nobody hears it.
fn lost(_row: &mut Row, _message: &Message) {}

/// It is heard, and answered.
fn heard(row: &mut Row, message: &Message) {
    row.settle(vec![*message]);
}

fn report(number: u32, which: &[u32]) -> Message {
    let what = MembershipMessage::Report;
    Message { session: SessionId(0), link: UP[1], what, number, groups: groups(which) }
}

#[test]
fn a_join_goes_up_and_is_acknowledged_hop_by_hop() {
    let mut row = Row::sparse();
    let said = row.want(&[1, 3]);
    assert_eq!(said.len(), 1);
    assert_eq!((said[0].link, said[0].groups), (UP[1], groups(&[1, 3])));
    let answer = row.pass(&said[0]);
    let short: Vec<_> = answer.iter().map(|message| (message.link, message.what, message.groups)).collect();
    use MembershipMessage::{Acknowledge, Report};
    assert_eq!(short, [(DOWN[1], Acknowledge, groups(&[1, 3])), (UP[0], Report, groups(&[1, 3]))]);
    assert_eq!(row.joined(), [groups(&[]), groups(&[1, 3])]);
    assert_eq!(row.settle(answer), [(UP[0], groups(&[1, 3]))]);
    let told = MembershipMessages { of_hosts: 1, of_routers: 1, acknowledgements: 2 };
    assert_eq!(Vec::from_iter(row.multicast.messages()), [told]);
    assert_eq!(row.joined(), [groups(&[1, 3]); 2]);
    assert_eq!(row.wait(1000.0, heard), [], "what is acknowledged is not repeated where nothing can be lost");
    assert!(!row.multicast.change_membership(row.now, HOST, 8, 0, true), "no member");
    assert!(!row.multicast.change_membership(row.now, HOST, 7, 4, true), "no group");
    assert!(!row.multicast.change_membership(row.now, NodeId(3), 7, 0, true), "no node of the tree");
}

#[test]
fn reports_are_ordered_by_numbers_that_wrap() {
    let mut row = Row::sparse();
    row.settle(vec![report(5, &[1])]);
    assert!(row.pass(&report(4, &[2])).is_empty(), "an older one is not even acknowledged");
    assert_eq!(row.joined()[1], groups(&[1]));
    // The same again, as after a lost acknowledgement.
    let answer = row.pass(&report(5, &[1]));
    assert_eq!(answer.iter().map(|message| message.number).collect::<Vec<_>>(), [5]);
    // Each is newer than the one before, by less than half of the numbers.
    for (number, which) in [(0x7fff_0000, 0), (0xfffe_0000, 2), (u32::MAX, 1), (0, 3), (1, 0)] {
        row.settle(vec![report(number, &[which])]);
        assert!(row.joined()[1].contains(which), "{number}");
    }
    for number in [0, u32::MAX, 0xfffe_0000, 0x8000_0002] {
        assert!(row.pass(&report(number, &[1, 2, 3])).is_empty(), "{number}");
    }
}

#[test]
fn only_the_acknowledgement_of_the_latest_report_ends_its_retries() {
    let mut row = Row::sparse();
    let first = row.want(&[0])[0];
    let second = row.want(&[0, 1])[0];
    let acknowledge = |number| Message { what: MembershipMessage::Acknowledge, link: DOWN[1], number, ..second };
    row.pass(&acknowledge(first.number));
    row.pass(&acknowledge(second.number + 1));
    let again = |at: f64| (at, UP[1], groups(&[0, 1]));
    assert_eq!(row.wait(7.0, lost), [again(3.0), again(6.0)]);
    row.pass(&acknowledge(second.number));
    assert_eq!(row.wait(100.0, lost), []);
    let told = MembershipMessages { of_hosts: 4, of_routers: 0, acknowledgements: 0 };
    assert_eq!(Vec::from_iter(row.multicast.messages()), [told], "each time counts, lost or not");
}

#[test]
fn what_a_host_leaves_ends_after_the_delay_of_that_leave() {
    for mut row in [Row::sparse(), Row::dense(50, &[])] {
        let mut said = row.want(&[0, 1, 2]);
        row.settle(said);
        said = row.want(&[1, 2]);
        assert_eq!(row.settle(said), [(UP[1], groups(&[1, 2]))], "nothing further up yet");
        row.wait(1.0, heard);
        said = row.want(&[2]);
        row.settle(said);
        // The leave delay is two seconds: of group 0 from 0 s, of group 1 from 1 s.
        row.wait(1.99, heard);
        assert_eq!(row.joined()[1], groups(&[0, 1, 2]));
        row.wait(2.0, heard);
        assert_eq!(row.joined()[1], groups(&[1, 2]));
        row.wait(2.99, heard);
        assert_eq!(row.joined()[1], groups(&[1, 2]));
        row.wait(3.0, heard);
        assert_eq!(row.joined()[1], groups(&[2]));
    }
}

#[test]
fn where_reports_meet_others_retries_are_spread() {
    let times = |seed| {
        let mut row = Row::sparse();
        row.multicast.spread_retries(UP[1], Random::stream(seed, "test/retries"));
        row.want(&[0]);
        let said = row.wait(1000.0, lost);
        let times: Vec<f64> = said.iter().map(|&(at, ..)| at).collect();
        let gaps = std::iter::once(0.0).chain(times.iter().copied()).zip(&times).map(|(before, at)| at - before);
        let gaps: Vec<f64> = gaps.collect();
        assert!(gaps.iter().all(|gap| (2.999..6.001).contains(gap)), "{gaps:?}");
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean - 4.5).abs() < 0.25, "{mean}");
        times
    };
    assert_ne!(times(1), times(2));
    assert_eq!(times(1), times(1));
}

#[test]
fn a_leave_that_is_said_again_is_waited_for_once() {
    let mut row = Row::sparse();
    let said = row.want(&[0, 1]);
    row.settle(said);
    let said = row.want(&[1]);
    row.settle(said.clone());
    // The same again at 1.5 s, as after a lost acknowledgement; the leave is of 0 s.
    row.wait(1.5, heard);
    row.settle(said);
    row.wait(2.0, heard);
    assert_eq!(row.joined(), [groups(&[1]); 2]);
    // What is left is to see, a retry time of 3 s after it, that the router's report of 2 s was acknowledged.
    row.wait(3.0, heard);
    assert_eq!(row.multicast.next_task(), Some(seconds(5.0)));
}

#[test]
fn however_often_something_is_said_or_known_its_end_and_its_repetition_are_awaited_once() {
    // By reports, and by changes of the tree, after which all is known without one.
    for by_reports in [true, false] {
        let mut row = Row::new(SessionPlan::sparse(4), &[UP[1]]);
        for second in 1..=60 {
            row.wait(f64::from(second), heard);
            match by_reports {
                true => {
                    let said = row.want(&[second % 4]);
                    row.settle(said);
                }
                false => {
                    row.multicast.change_membership(row.now, HOST, 7, second as usize % 4, second % 8 < 4);
                    row.retree();
                }
            }
        }
        row.wait(70.0, heard);
        assert_eq!(row.multicast.agenda.0.len(), 2, "{:?}", row.multicast.agenda.0);
    }
}

#[test]
fn a_join_beside_a_leave_does_not_wait_for_it() {
    let mut row = Row::sparse();
    let said = row.want(&[1]);
    row.settle(said);
    let said = row.want(&[2]);
    assert_eq!(row.settle(said), [(UP[1], groups(&[2])), (UP[0], groups(&[1, 2]))]);
    assert_eq!(row.wait(3.0, heard), [(2.0, UP[0], groups(&[2]))]);
}

#[test]
fn without_a_leave_delay_a_leave_goes_on_at_once() {
    let mut row = Row::new(SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(4) }, &[]);
    let said = row.want(&[1, 2]);
    row.settle(said);
    let said = row.want(&[2]);
    assert_eq!(row.settle(said), [(UP[1], groups(&[2])), (UP[0], groups(&[2]))]);
    assert_eq!(row.joined(), [groups(&[2]); 2]);
}

#[test]
fn what_can_be_lost_is_repeated_half_a_lifetime_after_it_was_last_said() {
    // Of 260 s, 125 s later. What is said in between sets the time anew.
    let mut row = Row::new(SessionPlan::sparse(4), &[UP[1]]);
    let said = row.want(&[0]);
    row.settle(said);
    assert_eq!(row.wait(60.0, heard), []);
    let said = row.want(&[0, 1]);
    row.settle(said);
    let both = groups(&[0, 1]);
    assert_eq!(row.wait(311.0, heard), [(185.0, UP[1], both), (310.0, UP[1], both)]);
    // Who wants nothing says so once, unless it is not heard.
    let said = row.want(&[]);
    row.settle(said);
    // 2 s later the router says so, too.
    assert_eq!(row.wait(1000.0, heard), [(313.0, UP[0], groups(&[]))]);
}

#[test]
fn what_is_not_repeated_ends_a_lifetime_after_it_was_last_heard() {
    let mut row = Row::new(SessionPlan::sparse(4), &[UP[1]]);
    let said = row.want(&[2]);
    row.settle(said);
    // The repetition at 125 s is heard and nothing after it.
    row.wait(125.0, heard);
    row.wait(384.9, lost);
    assert_eq!(row.joined(), [groups(&[2]); 2]);
    let said = row.wait(385.0, lost);
    assert!(said.contains(&(385.0, UP[0], groups(&[]))));
    assert_eq!(row.joined()[1], groups(&[]));
    // It is heard again: the host has never ceased to say it.
    row.wait(400.0, heard);
    assert_eq!(row.joined(), [groups(&[2]); 2]);
}

#[test]
fn in_dense_mode_a_prune_renews_those_before_it() {
    let mut row = Row::dense(100, &[]);
    assert_eq!(row.joined(), [GroupSet::all(4), groups(&[])]);
    row.wait(1.0, heard);
    // The router has no use for anything.
    let mut out = Vec::new();
    row.multicast.unwanted(row.now, SessionId(0), ROUTER, 0, &mut out);
    assert_eq!(row.settle(out), [(UP[0], groups(&[]))]);
    assert_eq!(row.joined()[0], groups(&[]));
    row.wait(50.0, heard);
    let said = row.want(&[1]);
    assert_eq!(row.settle(said), [(UP[1], groups(&[1])), (UP[0], groups(&[1]))]);
    // That names all it does not want: these stay closed until 150 s. What opens by itself is no news.
    row.wait(149.9, heard);
    assert_eq!(row.joined()[0], groups(&[1]));
    assert_eq!(row.wait(150.0, heard), []);
    assert_eq!(row.joined()[0], GroupSet::all(4));
}

#[test]
fn in_dense_mode_the_same_again_is_no_news() {
    let mut row = Row::dense(100, &[]);
    let said = row.want(&[1]);
    row.settle(said.clone());
    let answer = row.pass(&said[0]);
    assert_eq!(answer.iter().map(|message| message.what).collect::<Vec<_>>(), [MembershipMessage::Acknowledge]);
}

#[test]
fn in_dense_mode_what_a_host_said_ends_and_routers_are_flooded_for_ever() {
    let mut row = Row::dense(1000, &UP);
    let said = row.want(&[1]);
    row.settle(said);
    row.wait(1.0, lost);
    // The router hears nothing from the host any more, nor the source from the router.
    row.wait(259.9, lost);
    assert_eq!(row.joined(), [groups(&[1]); 2]);
    row.wait(300.0, lost);
    assert_eq!(row.joined(), [groups(&[1]), groups(&[])]);
}

#[test]
fn routers_decline_again_only_when_that_could_have_had_an_effect() {
    let mut row = Row::sparse();
    let says = |row: &mut Row, at: f64, node: NodeId, group: u32| {
        row.wait(at, lost);
        let mut out = Vec::new();
        row.multicast.unwanted(row.now, SessionId(0), node, group, &mut out);
        out.len()
    };
    assert_eq!(says(&mut row, 1.0, NodeId(0), 0), 0, "the source's node has nobody to tell");
    assert_eq!(says(&mut row, 1.0, HOST, 0), 0, "a host says what it wants, and nothing else");
    assert_eq!(says(&mut row, 1.0, ROUTER, 0), 1);
    let first = Message {
        session: SessionId(0),
        link: DOWN[0],
        what: MembershipMessage::Acknowledge,
        number: 1,
        ..report(0, &[])
    };
    row.pass(&first);
    assert_eq!(says(&mut row, 3.9, ROUTER, 1), 0, "that named all groups");
    assert_eq!(says(&mut row, 4.0, ROUTER, 1), 1, "the retry time of 3 s is over");
    let mut row = Row::dense(2, &[]);
    assert_eq!(says(&mut row, 1.0, ROUTER, 0), 1);
    row.pass(&first);
    assert_eq!(says(&mut row, 2.9, ROUTER, 1), 0);
    assert_eq!(says(&mut row, 3.0, ROUTER, 1), 1, "what it pruned has opened again");
}

#[test]
fn what_is_known_at_a_change_is_soft_state_as_well() {
    // A join is under way when the tree changes, at 5 ms.
    let mut row = Row::new(SessionPlan::sparse(4), &[UP[1]]);
    let said = row.want(&[1]);
    row.wait(0.005, lost);
    assert!(row.retree().is_empty(), "nobody has to say a word");
    assert_eq!(row.joined(), [groups(&[1]); 2]);
    assert!(row.pass(&Message { groups: groups(&[]), ..said[0] }).is_empty(), "what is from before has no effect");
    assert_eq!(row.joined(), [groups(&[1]); 2]);
    let repeated = row.wait(200.0, heard);
    assert_eq!(repeated, [(125.005, UP[1], groups(&[1]))]);
    // That was heard, so it holds until 385.005 s; a change at 300 s makes that 560 s.
    row.wait(300.0, lost);
    row.retree();
    row.wait(559.9, lost);
    assert_eq!(row.joined(), [groups(&[1]); 2]);
    row.wait(560.0, lost);
    assert_eq!(row.joined()[1], groups(&[]));
}

#[test]
fn what_is_known_and_was_never_said_is_repeated_and_ends_as_well() {
    for (fallible, repeats) in [(&[UP[1]][..], true), (&[], false)] {
        let mut row = Row::new(SessionPlan::sparse(4), fallible);
        row.wait(1.0, lost);
        row.retree();
        assert_eq!(row.multicast.next_task(), None, "nothing is wanted");
        assert!(row.multicast.change_membership(row.now, HOST, 7, 3, true));
        row.retree();
        let mut out = Vec::new();
        row.multicast.speak(row.now, &mut out);
        assert!(out.is_empty(), "it is known");
        let said = row.wait(260.9, lost);
        assert_eq!(said.first(), repeats.then_some(&(126.0, UP[1], groups(&[3]))));
        assert_eq!(row.joined(), [groups(&[3]); 2]);
        row.wait(261.0, lost);
        assert_eq!(row.joined()[1].is_empty(), repeats);
    }
}

#[test]
fn by_messages_those_whose_way_has_moved_say_what_they_want() {
    let mut row = Row::new(SessionPlan { rebuild: Rebuild::ByMessages, ..SessionPlan::sparse(4) }, &[]);
    let said = row.want(&[1]);
    row.settle(said);
    let same = row.retree();
    assert_eq!(row.settle(same), [], "nobody's has");
    // The host now reaches the source directly, over links 0 and 1; the router has no part in it.
    row.edges[0].to = HOST;
    row.edges[1].from = HOST;
    let told = row.retree();
    assert_eq!(row.settle(told), [(UP[0], groups(&[1]))]);
    assert_eq!(row.multicast.interface_on(SessionId(0), LinkId(0)).map(|(joined, _)| joined), Some(groups(&[1])));
}
