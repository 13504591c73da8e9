use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::unit::Tokens;

#[test]
fn the_lines_are_those_of_the_table() {
    let auto = |name: &str| Policy::named(name).unwrap().thresholds().auto.map(Tokens::get);
    assert_eq!(auto("palimpsest"), Some(167_000));
    assert_eq!(auto("claude-code-2.1.87"), Some(187_000));
    assert_eq!(auto("claude-code-later"), Some(167_000));
    assert_eq!(auto("plain-python"), Some(187_000));
    assert_eq!(auto("opencode"), Some(180_000));
    assert_eq!(auto("codex"), Some(180_000));
    assert_eq!(auto("pi"), Some(183_616));
    assert_eq!(auto("none"), None);
}

#[test]
fn every_policy_in_three_windows() {
    let mut table = String::new();
    for policy in Policy::all_named() {
        for window in [16_000, 200_000, 1_000_000] {
            let lines = policy.clone().with_window(Tokens(window)).thresholds();
            let auto = lines.auto.map_or_else(|| "–".into(), |auto| format!("{}", auto.get()));
            table.push_str(&format!(
                "{:20} {window:>8}  target {:>7}  auto {auto:>7}  hard {:>7}  reserve {:>6}\n",
                policy.name,
                lines.target.get(),
                lines.hard.get(),
                lines.reserve.get()
            ));
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn policies_survive_json_and_refuse_unknown_fields() {
    for policy in Policy::all_named() {
        let json = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
        assert!(serde_json::from_str::<Policy>(&json.replacen("\"name\"", "\"nam\"", 1)).is_err());
    }
}

#[test]
fn names_are_told_with_what_they_are() {
    let names: Vec<_> = Policy::all_named().into_iter().map(|policy| policy.name).collect();
    assert_eq!(names.len(), NAMED.len());
    assert!(Policy::named("nonesuch").is_none());
}

#[test]
fn b1_a_window_smaller_than_the_floor_is_named() {
    let policy = Policy::default().with_window(Tokens(10_000));
    let error = policy.validate_floor(Tokens(9_500)).unwrap_err();
    assert!(
        format!("{error}")
            .starts_with("policy field window: system prompt, tools and instructions take 9500 tokens")
    );
}

#[test]
fn faults_are_all_told_at_once() {
    let mut policy = Policy::default().with_window(Tokens(10)).with_max_output(Tokens(0));
    policy.summary.breaker = 0;
    let found = policy.validate().unwrap_err();
    assert_eq!(
        found.iter().map(|error| error.field).collect::<Vec<_>>(),
        ["window", "maxOutput", "summary.breaker"]
    );
}

#[test]
fn t057_t058_the_reserve_is_not_used_and_nothing_exceeds_the_window() {
    let lines = Policy::default().thresholds();
    let gauge = lines.gauge(Tokens(53_500));
    assert_eq!((gauge.used, gauge.over), (Tokens(53_500), Tokens(0)));
    assert_eq!(gauge.used + gauge.reserve + gauge.free, Tokens(200_000));
    assert_eq!(lines.gauge(Tokens(845_000)).over, Tokens(645_000));
}

#[test]
fn a13_an_unknown_window_triggers_nothing() {
    let lines = Policy::default().with_window(Tokens(0)).thresholds();
    assert_eq!(lines.auto, None);
    assert_eq!(lines.pressure(Tokens(1_000_000)), Pressure::Low);
}

proptest! {
    #[test]
    fn the_lines_are_in_order_for_every_policy_and_window(
        at in 0_usize..12, window in 1_000_u64..2_000_000, output in 1_u64..200_000, used in 0_u64..4_000_000,
    ) {
        let policy = Policy::all_named().remove(at).with_window(Tokens(window)).with_max_output(Tokens(output));
        prop_assert!(policy.validate().is_ok(), "{:?}", policy.validate());
        let lines = policy.thresholds();
        let auto = lines.auto.unwrap_or(lines.hard);
        prop_assert!(lines.target < auto && auto <= lines.hard && lines.hard < lines.window, "{lines:?}");
        let gauge = lines.gauge(Tokens(used));
        if gauge.over.is_zero() {
            prop_assert_eq!(gauge.used + gauge.reserve + gauge.free, lines.window);
        } else {
            prop_assert_eq!(gauge.used - gauge.over, lines.window);
        }
    }
}
