use super::*;

#[test]
fn defaults_are_legal_and_come_back() {
    let config = Config::default();
    assert_eq!(config.check(), []);
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
    let given =
        r#"{"rate_rule": "lda+", "reports_to": "sender", "lda": {"loss_rule": "equation", "acked_packets": 2}}"#;
    let config: Config = serde_json::from_str(given).unwrap();
    assert_eq!((config.rate_rule, config.reports_to), (RateRule::Lda, ReportsTo::Sender));
    assert_eq!(config.lda, Lda { loss_rule: LossRule::Equation, acked_packets: 2.0, ..Lda::default() });
}

#[test]
fn groups_are_the_layers_and_one_for_reports() {
    let config = Config::default();
    let plans = config.group_plans();
    assert_eq!((plans.len(), config.report_group()), (4, Some(3)));
    assert_eq!((plans[2].role, plans[3].role, plans[3].senders), (Role::Layer(2), Role::Control, Senders::Members));
    let config = Config { reports_to: ReportsTo::Sender, layers: 127, ..config };
    assert_eq!((config.group_plans().len(), config.report_group()), (127, None));
    for config in [config.clone(), Config { reports_to: ReportsTo::SenderAndGroup, ..config }] {
        assert_eq!((config.check(), GroupPlan::complaint(&config.group_plans())), (vec![], None));
    }
}

#[test]
fn a_packet_per_second_is_the_least() {
    assert_eq!(Config::default().least_bps(), 4096.0);
    assert_eq!(Config { least_rate: Some(Rate(8000)), ..Config::default() }.least_bps(), 8000.0);
}

#[test]
fn bounds_are_legal_and_what_is_beyond_them_is_named() {
    type Set = fn(&mut Config, f64);
    let cases: [(&str, Set, &[f64], &[f64]); 31] = [
        ("layers", |c, v| c.layers = v as u32, &[1.0, 127.0], &[0.0, 128.0]),
        ("packet_size", |c, v| c.packet_size = Bytes(v as u64), &[41.0, 65_535.0], &[40.0, 65_536.0]),
        ("report_interval", |c, v| c.report_interval = Duration::from_secs_f64(v), &[0.1, 600.0], &[0.0, 0.099, 600.1]),
        ("session_bandwidth", |c, v| c.session_bandwidth = Rate(v as u64), &[1000.0, 4e11], &[0.0, 999.0, 4.1e11]),
        ("missed_reports", |c, v| c.missed_reports = v as u32, &[1.0, 1000.0], &[0.0, 1001.0]),
        ("loss_window", |c, v| c.loss_window = v as u32, &[1.0, 1000.0], &[0.0, 1001.0]),
        ("reordering", |c, v| c.reordering = v as u32, &[0.0, 1000.0], &[1001.0]),
        ("bandwidth_share", |c, v| c.bandwidth_share = v, &[1e-9, 1.0], &[0.0, -0.1, 1.01, f64::NAN]),
        ("bottleneck", |c, v| c.bottleneck = Some(Rate(v as u64)), &[1.0, 4e11], &[0.0, 4.1e11]),
        ("probe_every", |c, v| c.probe_every = v as u32, &[0.0, 2.0, 1e6], &[1.0]),
        ("probe_samples", |c, v| c.probe_samples = v as u32, &[1.0, 1000.0], &[0.0, 1001.0]),
        ("first_rate", |c, v| c.first_rate = Rate(v as u64), &[1.0, 4e11], &[0.0, 4.1e11]),
        ("least_rate", |c, v| c.least_rate = Some(Rate(v as u64)), &[1.0, 4e11], &[0.0, 4.1e11]),
        ("max_rate", |c, v| c.max_rate = Some(Rate(v as u64)), &[4096.0, 4e11], &[0.0, 4095.0, 4.1e11]),
        ("least_gap", |c, v| c.least_gap = v, &[0.0, 1.0], &[-0.1, 1.1, f64::NAN]),
        ("jitter", |c, v| c.jitter = v, &[0.0, 1.0], &[-0.1, 1.1, f64::NAN]),
        ("similar", |c, v| c.similar = v, &[0.0, 1.0], &[-0.1, 1.1, f64::NAN]),
        ("feedback_share", |c, v| c.feedback_share = v, &[0.0, 1.0], &[-0.1, 1.1, f64::NAN]),
        ("feedback_rtts", |c, v| c.feedback_rtts = v, &[0.0, 100.0], &[-0.1, 100.1, f64::NAN]),
        ("feedback_lambda", |c, v| c.feedback_lambda = v, &[0.0, 100.0], &[-0.1, 100.1, f64::NAN]),
        ("report_rounds", |c, v| c.report_rounds = v as u32, &[1.0, 1000.0], &[0.0, 1001.0]),
        ("silent_rounds", |c, v| c.silent_rounds = v as u32, &[1.0, 1000.0], &[0.0, 1001.0]),
        ("echoes", |c, v| c.echoes = Some(v as u32), &[1.0, 255.0], &[0.0, 256.0]),
        ("extra_interval", |c, v| c.extra_interval = Duration::from_secs_f64(v), &[0.001, 600.0], &[0.0, 600.1]),
        ("join_tolerance", |c, v| c.join_tolerance = v, &[0.0, 100.0], &[-0.1, 100.1, f64::NAN]),
        ("loss_limit", |c, v| c.loss_limit = v, &[0.0, 1.0], &[-0.1, 1.1, f64::NAN]),
        ("initial_rtt", |c, v| c.initial_rtt = Duration::from_secs_f64(v), &[0.001, 60.0], &[0.0, 60.1]),
        ("rtt_weight", |c, v| c.rtt_weight = v, &[0.0, 0.999], &[-0.1, 1.0, f64::NAN]),
        ("lda.first_increase", |c, v| c.lda.first_increase = Rate(v as u64), &[1.0, 4e11], &[0.0, 4.1e11]),
        ("lda.acked_packets", |c, v| c.lda.acked_packets = v, &[1.0, 100.0], &[0.9, 100.1, f64::NAN]),
        ("lda.timeout_rtts", |c, v| c.lda.timeout_rtts = v, &[0.0, 1000.0], &[-1.0, 1000.1, f64::NAN]),
    ];
    for (field, set, legal, illegal) in cases {
        let wrong = |value: f64| {
            let mut config = Config::default();
            set(&mut config, value);
            config.check()
        };
        for &value in legal {
            assert_eq!(wrong(value), [], "{field} {value}");
        }
        for &value in illegal {
            let wrong = wrong(value);
            let named: Vec<&str> = wrong.iter().map(|(field, _)| field.as_str()).collect();
            assert_eq!(named, [field], "{value}");
            assert!(wrong[0].1.contains(" given; legal is "), "{wrong:?}");
        }
    }
}
