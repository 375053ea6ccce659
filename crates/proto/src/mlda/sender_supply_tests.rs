//! Applications that have little to send.

use super::*;

#[test]
fn shares_that_were_not_used_are_believed_up_to_twice_what_was() {
    // Rounds of 5 s. Packets of 1000 B, four per second: 32 kbit/s.
    let mut run = Run::new(&Config::default());
    let reports = |run: &mut Run, round: u32| {
        run.report(1, 1e6);
        run.report(2, 4e6);
        run.run(5.0 * f64::from(round + 1));
    };
    run.input(run.now, Input::Granted(0), None);
    for round in 0..4 {
        for quarter in 0..20 {
            run.run(5.0 * f64::from(round) + 0.25 * f64::from(quarter));
            run.input(run.now, Input::Granted(1), None);
        }
        reports(&mut run, round);
        let rates: Vec<f64> = run.sender.rates_bps().collect();
        let first_bps = Config::default().first_rate.as_bps_f64();
        assert!(rates.iter().sum::<f64>() <= first_bps.max(2.0 * 33_600.0), "{rates:?}");
    }
    // Once it has enough for a round, they count.
    run.input(run.now, Input::Granted(crate::endpoint::ENDLESS), None);
    for round in 4..8 {
        reports(&mut run, round);
    }
    let rates: Vec<f64> = run.sender.rates_bps().collect();
    assert_eq!(rates[0], 1e6);
    assert!((rates.iter().sum::<f64>() - 4e6).abs() < 1.0, "{rates:?}");
}

#[test]
fn a_pair_takes_two_packets_or_waits() {
    let mut run = Run::new(&Config::default());
    run.input(run.now, Input::Granted(0), None);
    run.packets.clear();
    for second in 1..60 {
        run.run(f64::from(second));
        run.input(run.now, Input::Granted(1), None);
    }
    let probes = |run: &Run| {
        let probe = |packet: &&Packet| matches!(packet.header, packet::Header::Mlda(Header::Data(data)) if data.probe);
        run.packets.iter().filter(probe).count()
    };
    run.run(60.0);
    let before = run.packets.len();
    assert!(before > 50 && probes(&run) == 0, "{before}");
    run.input(run.now, Input::Granted(2), None);
    run.run(70.0);
    assert_eq!((run.packets.len() - before, probes(&run)), (2, 1));
}
