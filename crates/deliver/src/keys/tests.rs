//! Keys at work: what opens what, and what is refused.

use super::testing::keys;
use super::*;
use crate::testing::Folder;
use std::os::unix::fs::PermissionsExt as _;

const SALT: Salt = Salt([5; 12]);

#[test]
fn members_open_what_the_sender_seals() {
    let (sender, receivers) = keys(2);
    let mut from = SenderSession::start(Some(&sender)).expect("random numbers");
    let mut to = ReceiverSession::new(Some(&receivers[1]), 0);
    for number in 0..5 {
        let mut message = format!("header|payload {number}").into_bytes();
        from.seal(&mut message, 7).expect("numbers are left");
        assert_eq!(message[..7], *b"header|");
        assert_eq!(message.len(), 16 + SEALED_BYTES);
        assert!(!message.windows(7).any(|window| window == b"payload"));
        let opened = to.open(&mut message, 7).expect("sealed by the same key");
        assert_eq!((opened.salt, opened.payload), (Some(from.salt()), format!("payload {number}").as_bytes()));
    }
}

#[test]
fn a_changed_bit_anywhere_is_noticed() {
    let mut sealer = Sealer::new(Secret([2; 32]), SALT);
    let mut opener = Opener::new(Secret([2; 32]));
    let mut message = b"header|payload".to_vec();
    sealer.seal(&mut message, 7).expect("numbers are left");
    for byte in 0..message.len() {
        let mut other = message.clone();
        other[byte] ^= 1;
        assert!(opener.open(&mut other, 7).is_err(), "byte {byte}");
        let mut short = message[..byte].to_vec();
        assert!(opener.open(&mut short, 7).is_err(), "{byte} bytes");
    }
    assert!(Opener::new(Secret([9; 32])).open(&mut message.clone(), 7).is_err(), "another group");
    assert!(opener.open(&mut message, 7).is_ok());
}

#[test]
fn no_two_packets_share_key_and_nonce() {
    let sealed = |mut sealer: Sealer| {
        let mut message = vec![0; 32];
        sealer.seal(&mut message, 0).expect("numbers are left");
        message[..32].to_vec()
    };
    let group = || Secret([2; 32]);
    let part = 1 << 23;
    let streams = [
        sealed(Sealer::new(group(), SALT)),
        sealed(Sealer::new(group(), SALT).at(1)),
        sealed(Sealer::new(group(), SALT).at(part)),
        sealed(Sealer::new(group(), SALT).at(part + 1)),
        sealed(Sealer::new(group(), Salt([6; 12]))),
        sealed(Sealer::new(Secret([3; 32]), SALT)),
    ];
    for (index, stream) in streams.iter().enumerate() {
        assert!(!streams[..index].contains(stream), "stream {index} came before");
    }
    let salts = [0; 2].map(|_| SenderSession::start(None).expect("random numbers").salt());
    assert_ne!(salts[0], salts[1], "each start has its own");
}

#[test]
fn keys_change_in_time_and_numbers_end() {
    let mut opener = Opener::new(Secret([2; 32]));
    let mut sealer = Sealer::new(Secret([2; 32]), SALT).at((1 << 23) - 1);
    let mut changed = Vec::new();
    for number in 0..3u8 {
        let mut message = vec![number; 8];
        sealer.seal(&mut message, 4).expect("numbers are left");
        assert_eq!(opener.open(&mut message.clone(), 4).expect("the key follows").payload, [number; 4]);
        changed.push(message);
    }
    assert!(opener.open(&mut changed[0].clone(), 4).is_ok(), "a late one of the key before");
    let mut last = Sealer::new(Secret([2; 32]), SALT).at((1 << 48) - 1);
    assert_eq!(last.seal(&mut vec![0; 4], 0), Ok(()));
    assert_eq!(last.seal(&mut vec![0; 4], 0), Err(Exhausted));
}

#[test]
fn feedback_is_heard_once_and_of_whom_it_says() {
    let (sender, receivers) = keys(2);
    let mut at_sender = SenderSession::start(Some(&sender)).expect("random numbers");
    let salt = at_sender.salt();
    let mut second = ReceiverSession::new(Some(&receivers[1]), 1000);
    let mut message = b"report".to_vec();
    second.mac(salt, &mut message);
    assert_eq!(message.len(), 6 + MAC_BYTES);
    for byte in 0..message.len() {
        let mut other = message.clone();
        other[byte] ^= 1;
        assert!(at_sender.verify(&other).is_err(), "byte {byte}");
        assert!(at_sender.verify(&message[..byte]).is_err(), "{byte} bytes");
    }
    assert_eq!(at_sender.verify(&message), Ok(Verified { receiver: Some(2), message: b"report" }));
    assert!(at_sender.verify(&message).is_err(), "heard before");
    let mut next = b"report".to_vec();
    second.mac(salt, &mut next);
    assert!(at_sender.verify(&next).is_ok(), "numbers go up by themselves");
}

#[test]
fn nobody_speaks_for_another_or_in_another_session() {
    let (sender, receivers) = keys(2);
    let mut at_sender = SenderSession::start(Some(&sender)).expect("random numbers");
    let forge = |own: &Secret, id, salt| {
        let mut message = b"report".to_vec();
        Speaker::new(id, own, salt).mac(1, &mut message);
        message
    };
    let salt = at_sender.salt();
    assert!(at_sender.verify(&forge(&receivers[0].own, 2, salt)).is_err(), "the first as the second");
    assert!(at_sender.verify(&forge(&receivers[0].group, 2, salt)).is_err(), "a member by the group key");
    assert!(at_sender.verify(&forge(&receivers[0].own, 1, SALT)).is_err(), "another session");
    let beyond = sender.receiver(3);
    assert!(at_sender.verify(&forge(&beyond.own, 3, salt)).is_err(), "beyond those with keys");
    assert!(at_sender.verify(&forge(&sender.receiver(0).own, 0, salt)).is_err(), "ids begin with 1");
    assert!(at_sender.verify(&forge(&receivers[0].own, 1, salt)).is_ok());
}

#[test]
fn open_sessions_leave_messages_as_they_are() {
    let mut from = SenderSession::start(None).expect("random numbers");
    let mut to = ReceiverSession::new(None, 0);
    let mut message = b"header|payload".to_vec();
    from.seal(&mut message, 7).expect("no numbers");
    assert_eq!(message, b"header|payload");
    assert_eq!(to.open(&mut message, 7), Ok(Opened { salt: None, payload: b"payload" }));
    assert!(to.open(&mut message, 15).is_err());
    to.mac(from.salt(), &mut message);
    assert_eq!(from.verify(&message), Ok(Verified { receiver: None, message: b"header|payload" }));
    assert!(from.signer().is_none() && to.verifier().is_none());
}

#[test]
fn files_are_the_owners_and_give_back_the_keys() {
    let folder = Folder::new();
    let written = make(&folder.path().join("keys"), 10, &mut || true).expect("a folder to write in");
    assert_eq!(written.len(), 11);
    assert!(written[1].ends_with("receiver-01.key") && written[10].ends_with("receiver-10.key"));
    for path in &written {
        assert_eq!(std::fs::metadata(path).expect("written").permissions().mode() & 0o777, 0o600);
    }
    let sender = SenderKeys::read(&written[0]).expect("written");
    assert_eq!(sender.receivers(), 10);
    for id in 1..=10 {
        assert_eq!(ReceiverKeys::read(&written[id as usize]), Ok(sender.receiver(id)));
    }
    assert_ne!(sender.receiver(1).own, sender.receiver(2).own);
    assert!(!format!("{sender:?}").contains(&hex_of(&sender.root)), "secrets are not shown");
}

fn hex_of(secret: &Secret) -> String {
    crate::bytes::hex(&secret.0)
}

#[test]
fn wrong_files_are_refused_in_a_sentence() {
    let folder = Folder::new();
    let written = make(folder.path(), 1, &mut || true).expect("a folder to write in");
    let sentence = |result: Result<SenderKeys, Failure>| result.expect_err("refused").to_string();
    assert!(make(folder.path(), 1, &mut || true).expect_err("there").to_string().contains("is there already"));
    assert!(make(folder.path(), 0, &mut || true).is_err());
    let (stopped, mut asked) = (folder.path().join("stopped"), 0);
    let mut goes_on = || {
        asked += 1;
        asked < 3
    };
    assert_eq!(make(&stopped, 9, &mut goes_on), Err(Failure::Stopped));
    assert_eq!(
        std::fs::read_dir(&stopped).expect("it was made").count(),
        0,
        "nothing is in the way of another attempt"
    );
    assert!(sentence(SenderKeys::read(&written[1])).contains("keys of a receiver, no sender's"));
    assert!(sentence(SenderKeys::read(folder.path())).contains("is no file with keys"));
    assert!(sentence(SenderKeys::read(&folder.path().join("none"))).contains("it is not there"));
    std::fs::set_permissions(&written[0], std::fs::Permissions::from_mode(0o640)).expect("ours");
    assert!(sentence(SenderKeys::read(&written[0])).contains("chmod 600"));
    std::fs::set_permissions(&written[0], std::fs::Permissions::from_mode(0o600)).expect("ours");
    let text = std::fs::read_to_string(&written[0]).expect("ours");
    for (from, to, says) in [
        ("faircast-key 1", "faircast-key 2", "version 1"),
        ("receivers 1", "receivers 0", "is a number"),
        ("root ", "rood ", "has no line root"),
        ("group ", "group x", "64 hexadecimal digits"),
    ] {
        std::fs::write(&written[0], text.replace(from, to)).expect("ours");
        assert!(sentence(SenderKeys::read(&written[0])).contains(says), "{says}");
    }
}
