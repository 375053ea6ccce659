//! What viewers see of sessions whose media are played: the players of their receivers, and what sources have sent.
//!
//! What a packet carries of the media lies beside it in the store. Where nothing is played
//! none of this is there.

use faircast_proto::playout::{Config, Media, Piece, Player, Sent, Shown};
use faircast_proto::time::Instant;

/// What is played of a session.
#[derive(Clone, Debug)]
pub struct PlayoutPlan {
    /// The parameters, which have passed their check.
    pub config: Config,
    /// Which layer each of the session's groups is, by its number; nothing if it is none.
    pub layers: Vec<Option<u8>>,
    /// Size of a data packet on the wire.
    pub packet_bytes: u64,
}

/// What a receiver saw.
#[derive(Clone, Debug, Default)]
pub struct Playback {
    /// Every segment that was due, in the order of time; players have the numbers of their receivers
    /// among [those of all flows](crate::world::World::receivers).
    pub shown: Vec<Shown>,
    /// By the same numbers, of those that play: when each began and ended.
    pub viewers: Vec<Viewer>,
}

/// When a receiver that plays joined and left, and when the picture appeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// Which of the receivers of all flows it is.
    pub receiver: u32,
    /// When it joined, if it has.
    pub joined: Option<Instant>,
    /// When the picture appeared, if it has.
    pub started: Option<Instant>,
    /// When nothing more was to be seen: it left, the media ended or the run did.
    pub stopped: Option<Instant>,
}

/// All that is played.
pub(crate) struct Playout {
    films: Vec<Film>,
    /// By group, of all sessions: its film, and its layer.
    groups: Vec<Option<(u32, u8)>>,
    /// By endpoint: what it is to films.
    roles: Vec<Role>,
    /// With the film that each plays.
    players: Vec<(u32, Player)>,
    shown: Vec<Shown>,
}

struct Film {
    media: Media,
    /// Its players.
    players: std::ops::Range<usize>,
}

#[derive(Clone, Copy)]
enum Role {
    None,
    Source(u32),
    Player(u32),
}

impl Playout {
    /// Nothing yet, among so many groups and endpoints.
    pub(crate) fn new(groups: usize, endpoints: usize) -> Playout {
        let (groups, roles) = (vec![None; groups], vec![Role::None; endpoints]);
        Playout { films: Vec::new(), groups, roles, players: Vec::new(), shown: Vec::new() }
    }

    /// Adds a session whose groups begin there, with its source and its receivers, each with its number among those of
    /// all flows.
    pub(crate) fn add(
        &mut self,
        plan: &PlayoutPlan,
        first_group: usize,
        source: usize,
        receivers: impl Iterator<Item = (u32, usize)>,
    ) {
        let film = self.films.len() as u32;
        for (group, layer) in self.groups[first_group..].iter_mut().zip(&plan.layers) {
            *group = layer.map(|layer| (film, layer));
        }
        let layers = plan.layers.iter().flatten().count();
        let first = self.players.len();
        self.roles[source] = Role::Source(film);
        for (number, endpoint) in receivers {
            self.roles[endpoint] = Role::Player(self.players.len() as u32);
            self.players.push((film, Player::new(number, layers)));
        }
        let media = Media::new(&plan.config, layers, plan.packet_bytes);
        self.films.push(Film { media, players: first..self.players.len() });
    }

    /// An endpoint starts.
    pub(crate) fn start(&mut self, now: Instant, endpoint: usize) {
        match self.roles.get(endpoint) {
            Some(&Role::Source(film)) => self.films[film as usize].media.begin(now),
            Some(&Role::Player(player)) => self.players[player as usize].1.join(now),
            _ => {}
        }
    }

    /// An endpoint stops; a source of media of a rate has done with so many segments.
    pub(crate) fn stop(&mut self, now: Instant, endpoint: usize, done: Option<u32>) {
        match self.roles.get(endpoint) {
            Some(&Role::Source(film)) => {
                let film = &mut self.films[film as usize];
                film.media.end(now, done);
                for (_, player) in &mut self.players[film.players.clone()] {
                    player.end(now, &film.media, &mut self.shown);
                }
            }
            Some(&Role::Player(player)) => {
                let (film, player) = &mut self.players[player as usize];
                player.stop(now, &self.films[*film as usize].media, &mut self.shown);
            }
            _ => {}
        }
    }

    /// Whether an endpoint is the source of a film.
    #[inline]
    pub(crate) fn is_source(&self, endpoint: usize) -> bool {
        matches!(self.roles.get(endpoint), Some(Role::Source(_)))
    }

    /// A source sends a data packet to a group; media of a rate say what it carries.
    pub(crate) fn send(&mut self, now: Instant, group: usize, sent: Option<Sent>) -> Piece {
        let Some(&Some((film, layer))) = self.groups.get(group) else { return Piece::NONE };
        let media = &mut self.films[film as usize].media;
        match sent {
            Some(sent) => media.send(now, sent),
            None if media.config().media_rate.is_some() => Piece::NONE,
            None => media.send_in(now, layer),
        }
    }

    /// Whether packets to a group carry media for an endpoint that plays them.
    #[inline]
    pub(crate) fn is_played(&self, endpoint: usize, group: usize) -> bool {
        matches!(self.roles.get(endpoint), Some(Role::Player(_))) && matches!(self.groups.get(group), Some(Some(_)))
    }

    /// A packet to a group has come to an endpoint.
    pub(crate) fn arrive(&mut self, now: Instant, endpoint: usize, group: usize, piece: Piece) {
        let (Role::Player(player), Some((_, layer))) = (self.roles[endpoint], self.groups[group]) else { return };
        let (film, player) = &mut self.players[player as usize];
        player.arrive(now, piece, layer.into(), &self.films[*film as usize].media, &mut self.shown);
    }

    /// What was seen until now, after which nothing is.
    pub(crate) fn finish(mut self, now: Instant) -> Playback {
        let mut viewers = Vec::with_capacity(self.players.len());
        let numbers = self.players.iter_mut().map(|(film, player)| {
            player.stop(now, &self.films[*film as usize].media, &mut self.shown);
            let (joined, started, stopped) = (player.joined(), player.started(), player.stopped());
            Viewer { receiver: player.number(), joined, started, stopped }
        });
        viewers.extend(numbers);
        // Each is in the order of time.
        self.shown.sort_by_key(|shown| (shown.due, shown.player));
        Playback { shown: self.shown, viewers }
    }
}
