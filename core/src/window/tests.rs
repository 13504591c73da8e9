use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::unit::Tokens;

fn every_policy() -> impl Iterator<Item = Policy> {
    Policy::NAMES.iter().map(|name| Policy::named(name).unwrap())
}

fn fields(errors: &[PolicyError]) -> Vec<&str> {
    errors.iter().map(|error| error.field).collect()
}

#[test]
fn every_name_has_a_policy_of_that_name_and_a_line_about_it() {
    for name in Policy::NAMES {
        assert_eq!(Policy::named(name).unwrap().name, name);
        let about = Policy::about(name).unwrap();
        assert!(about.ends_with('.') && !about.contains('\n') && about.len() < 110, "{about}");
    }
    assert_eq!(Policy::named("claude-code"), None);
    assert_eq!(Policy::about(""), None);
    assert_eq!(Policy::default(), Policy::named("palimpsest").unwrap());
    assert_eq!(Policy::default().window, Tokens(200_000));
}

#[test]
fn triggers_are_those_of_the_table() {
    let auto =
        |name, window| Policy::named(name).unwrap().thresholds_in(Tokens(window)).auto.map(Tokens::get);
    for (name, at_200k, at_1m) in [
        ("palimpsest", Some(167_000), Some(967_000)),
        ("claude-code-2.1.87", Some(187_000), Some(987_000)),
        ("claude-code-later", Some(167_000), Some(967_000)),
        ("langgraph-replica", Some(100_000), Some(100_000)),
        ("plain-python", Some(187_000), Some(987_000)),
        ("opencode", Some(180_000), Some(980_000)),
        ("codex", Some(180_000), Some(900_000)),
        ("pi", Some(183_616), Some(983_616)),
        ("micro-only", None, None),
        ("provider-editing", None, None),
        ("none", None, None),
    ] {
        assert_eq!((auto(name, 200_000), auto(name, 1_000_000)), (at_200k, at_1m), "{name}");
    }
    // Ours keeps its proportions on a small window: 16,000 − 10 % − 6.5 %.
    assert_eq!(auto("palimpsest", 16_000), Some(13_360));
    // A source's own number stands where it fits: 64,000 − 13,000.
    assert_eq!(auto("claude-code-2.1.87", 64_000), Some(51_000));
}

#[test]
fn a_model_that_writes_little_leaves_more_room() {
    let auto = |name: &str| {
        Policy::named(name).unwrap().with_max_output(Tokens(8_000)).thresholds().unwrap().auto.unwrap()
    };
    assert_eq!(auto("palimpsest"), Tokens(179_000));
    assert_eq!(auto("claude-code-later"), Tokens(179_000));
    assert_eq!(auto("opencode"), Tokens(192_000));
    assert_eq!(auto("claude-code-2.1.87"), Tokens(187_000));
}

#[test]
fn tails_are_those_of_the_table() {
    let tail = |name, window| {
        let policy = Policy::named(name).unwrap();
        let budget = policy.summary.tail.budget(&policy.thresholds_in(Tokens(window)));
        (budget.min.get(), budget.max.get())
    };
    for (name, at_200k) in [
        ("palimpsest", (10_000, 40_000)),
        ("claude-code-2.1.87", (10_000, 40_000)),
        ("claude-code-later", (10_000, 40_000)),
        ("langgraph-replica", (20_000, 20_000)),
        ("plain-python", (0, 0)),
        ("opencode", (15_000, 15_000)),
        ("codex", (20_000, 20_000)),
        ("pi", (20_000, 20_000)),
    ] {
        assert_eq!(tail(name, 200_000), at_200k, "{name}");
    }
    assert_eq!(tail("palimpsest", 16_000), (1_600, 3_200));
    // min(15,000, max(2,000, 25 %)), but never over the target
    assert_eq!(tail("opencode", 16_000), (4_000, 4_000));
    assert_eq!(tail("opencode", 6_000), (2_000, 2_000));
    assert_eq!(tail("opencode", 2_000).1, 1_050);
}

#[test]
fn lines_of_every_policy() {
    let mut table = format!(
        "{:<20}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>16}\n",
        "policy", "window", "micro", "target", "auto", "hard", "reserve", "tail"
    );
    let or_dash = |line: Option<Tokens>| line.map_or_else(|| "–".to_string(), |line| line.get().to_string());
    for policy in every_policy() {
        for window in [16_000, 200_000, 1_000_000] {
            let lines = policy.thresholds_in(Tokens(window));
            let tail = policy.summary.tail.budget(&lines);
            let name = if window == 16_000 { policy.name.as_str() } else { "" };
            let row = format!(
                "{name:<20}{window:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>16}\n",
                or_dash(lines.micro),
                lines.target.get(),
                or_dash(lines.auto),
                lines.hard.get(),
                lines.reserve.get(),
                format!("{}–{}", tail.min.get(), tail.max.get()),
            );
            table.push_str(&row);
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn the_default_as_json() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&Policy::default()).unwrap());
}

#[test]
fn every_policy_survives_json() {
    for policy in every_policy() {
        let json = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
    }
}

#[test]
fn what_json_leaves_out_is_ours_and_what_it_misspells_is_an_error() {
    let policy: Policy = serde_json::from_str(r#"{"name":"mine","micro":{"keepLast":2}}"#).unwrap();
    let ours = Policy::default();
    let micro = MicroRules { keep_last: 2, ..ours.micro.clone() };
    assert_eq!(policy, Policy { name: "mine".into(), micro, ..ours });

    let read = |json: &str| serde_json::from_str::<Policy>(json).map_err(|error| error.to_string());
    assert_eq!(read(r#"{"oversize":null}"#).unwrap().oversize, None);
    let mode =
        |mode: &str| read(&format!(r#"{{"micro":{{"mode":{mode}}}}}"#)).map(|policy| policy.micro.mode);
    assert_eq!(mode(r#""when_it_pays""#), Ok(MicroMode::WhenItPays));
    assert_eq!(mode(r#""every-round""#), Ok(MicroMode::EveryRound));
    for (json, hint) in [
        (r#"{"windwo":1}"#, "unknown field `windwo`"),
        (r#"{"micro":{"keepLst":1}}"#, "unknown field `keepLst`"),
        (r#"{"outputReserve":{"absolute":1,"share":5}}"#, "unknown field `share`"),
        (r#"{"trigger":"sometimes"}"#, "unknown variant `sometimes`"),
        (r#"{"trigger":{"share":{"permille":900,"x":1}}}"#, "unknown field `x`"),
        (r#"{"window":-1}"#, "invalid value"),
        (r#"{"window":"big"}"#, "invalid type"),
    ] {
        let error = read(json).unwrap_err();
        assert!(error.contains(hint), "{json}: {error}");
    }
}

#[test]
fn a13_an_unknown_window_triggers_nothing_and_says_so() {
    for policy in every_policy().map(|policy| policy.with_window(Tokens::ZERO)) {
        assert_eq!(policy.validate(), Ok(()), "{}", policy.name);
        assert_eq!(policy.validate_for(Tokens(1_000_000)), Ok(()));
        assert_eq!(policy.thresholds(), None);
        assert_eq!(policy.pressure(Tokens(u64::MAX)), Pressure::Low);
        assert!(policy.notices().contains(&Notice::UnknownWindow));
        let gauge = policy.gauge(Tokens(5));
        assert_eq!((gauge.used, gauge.over, gauge.permille()), (Tokens(5), Tokens::ZERO, None));
        assert_eq!(policy.output_limit(Tokens(1_000_000)), policy.max_output);
    }
    assert_eq!(Policy::default().notices(), []);
    assert_eq!(Policy::named("none").unwrap().notices(), [Notice::NoTrigger]);
}

#[test]
fn t057_the_reserve_is_not_counted_as_used() {
    let gauge = Policy::default().gauge(Tokens(53_500));
    assert_eq!((gauge.used, gauge.reserve), (Tokens(53_500), Tokens(20_000)));
    assert_eq!((gauge.free, gauge.over), (Tokens(126_500), Tokens::ZERO));
}

#[test]
fn t058_a_buffer_larger_than_the_window_is_named_and_the_gauge_stays_in_bounds() {
    let buffer = Limit::absolute(845_000);
    let trigger = TriggerRule::BelowWindow { output: Limit::ZERO, buffer };
    let policy =
        Policy { trigger, output_reserve: buffer, ..Policy::default() }.with_max_output(Tokens(900_000));
    assert_eq!(fields(&policy.validate().unwrap_err()), ["outputReserve", "trigger"]);
    let gauge = policy.gauge(Tokens(40_000));
    assert_eq!((gauge.reserve, gauge.free, gauge.over), (Tokens(200_000), Tokens::ZERO, Tokens(40_000)));
    assert_eq!(policy.pressure(Tokens(40_000)), Pressure::Over);
}

#[test]
fn b1_a_window_smaller_than_system_and_tools_is_named_with_the_window_that_would_do() {
    let policy = Policy::default().with_window(Tokens(16_000));
    assert_eq!(policy.validate_for(Tokens(13_359)), Ok(()));
    let errors = policy.validate_for(Tokens(40_000)).unwrap_err();
    assert_eq!(fields(&errors), ["window"]);
    insta::assert_snapshot!(errors[0].to_string());

    let needed = Tokens(47_904);
    assert!(errors[0].allowed.starts_with("47904 tokens"), "{}", errors[0].allowed);
    assert_eq!(policy.clone().with_window(needed).validate_for(Tokens(40_000)), Ok(()));
    assert!(policy.with_window(needed - Tokens(1)).validate_for(Tokens(40_000)).is_err());
    // Without a trigger, the floor must leave room for the answer.
    assert!(Policy::named("none").unwrap().validate_for(Tokens(200_000)).is_err());
}

#[test]
fn t034_a_summary_asks_for_no_more_than_the_model_writes() {
    let policy = Policy::default().with_window(Tokens(1_048_576)).with_max_output(Tokens(8_192));
    assert_eq!(policy.summary.output_limit(policy.window, policy.max_output), Tokens(8_192));
    let small = policy.clone().with_max_output(Tokens(2_000));
    assert_eq!(policy.summary.length(policy.window, policy.max_output), Tokens(5_000));
    assert_eq!(policy.summary.length(policy.window, small.max_output), Tokens(2_000));
    assert_eq!(policy.output_limit(Tokens(1_045_576)), Tokens(3_000));
    assert_eq!(policy.output_limit(Tokens(2_000_000)), Tokens(1));
}

/// One change that cannot work, and the field that must be named.
type Fault = (&'static str, fn(&mut Policy));

const FAULTS: [Fault; 26] = [
    ("name", |policy| policy.name = " ".into()),
    ("window", |policy| policy.window = Tokens(u64::MAX)),
    ("maxOutput", |policy| policy.max_output = Tokens::ZERO),
    ("outputReserve", |policy| policy.output_reserve = Limit::new(1, 1_001)),
    ("trigger", |policy| policy.trigger = TriggerRule::Share { permille: 1_000 }),
    ("trigger", |policy| policy.trigger = TriggerRule::Share { permille: 0 }),
    ("trigger.once-a-turn.at", |policy| {
        policy.trigger = TriggerRule::OnceATurn { at: Limit::new(50_000, 2_000) };
    }),
    ("hysteresis.targetPermille", |policy| policy.hysteresis.target_permille = 1_000),
    ("micro.from", |policy| policy.micro.from = Limit::absolute(190_000)),
    ("micro.minChars", |policy| policy.micro.min_chars = 20),
    ("micro.keepLast", |policy| policy.micro.keep_last = 0),
    ("micro.placeholder", |policy| policy.micro.placeholder = "  ".into()),
    ("micro.tools", |policy| policy.micro.tools.clear()),
    ("micro.expectedCalls", |policy| policy.micro.expected_calls = 0),
    ("summary.aim", |policy| policy.summary.aim = Limit::absolute(30_000)),
    ("summary.tail.range.min", |policy| {
        let (min, max) = (Limit::new(50_000, 500), Limit::new(40_000, 200));
        policy.summary.tail = Tail::Range { min, max, text_messages: 5 };
    }),
    ("summary.tail.trigger-share.permille", |policy| {
        policy.summary.tail = Tail::TriggerShare { permille: 1_000 };
    }),
    ("restore.file", |policy| policy.restore.file = Limit::absolute(60_000)),
    ("restore.skill", |policy| policy.restore.skills_total = Limit::ZERO),
    ("notes.section", |policy| policy.notes.total = Limit::absolute(1_000)),
    ("oversize.preview", |policy| {
        policy.oversize = Some(OversizeRules { preview: ByteLimit::new(0, 1), ..OversizeRules::default() });
    }),
    ("reactive.dropPermille", |policy| policy.reactive.drop_permille = 0),
    ("breaker.failures", |policy| policy.breaker.failures = 0),
    ("subagent.iterations", |policy| policy.subagent.iterations = 0),
    ("cache.marks", |policy| policy.cache.marks = 5),
    ("memory.selected", |policy| policy.memory.selected = 500),
];

#[test]
fn each_fault_is_found_alone_and_all_together() {
    let mut messages = String::new();
    for (field, fault) in FAULTS {
        let mut policy = Policy::default();
        fault(&mut policy);
        let errors = policy.validate().unwrap_err();
        assert!(fields(&errors).contains(&field), "{field}: {errors:?}");
        for error in errors {
            let line = error.to_string();
            assert!(!line.contains('\n') && !error.allowed.is_empty() && !error.advice.is_empty());
            messages.push_str(&line);
            messages.push('\n');
        }
    }
    insta::assert_snapshot!(messages);

    let mut policy = Policy::default();
    FAULTS.iter().filter(|(field, _)| *field != "window").for_each(|(_, fault)| fault(&mut policy));
    assert!(policy.validate().unwrap_err().len() > 15);
}

/// Any window a model may have, small ones as often as large ones.
fn windows() -> impl Strategy<Value = Tokens> {
    prop_oneof![1_000_u64..32_000, 32_000_u64..300_000, 300_000_u64..2_000_000].prop_map(Tokens)
}

fn limits() -> impl Strategy<Value = Limit> {
    (0_u64..100_000, proptest::option::of(0_u32..1_100))
        .prop_map(|(absolute, share_permille)| Limit { absolute: Tokens(absolute), share_permille })
}

fn triggers() -> impl Strategy<Value = TriggerRule> {
    prop_oneof![
        (limits(), limits()).prop_map(|(output, buffer)| TriggerRule::BelowWindow { output, buffer }),
        (0_u32..1_100).prop_map(|permille| TriggerRule::Share { permille }),
        limits().prop_map(|at| TriggerRule::OnceATurn { at }),
        Just(TriggerRule::Never),
    ]
}

/// Policies as a user may turn them, sound or not.
fn policies() -> impl Strategy<Value = Policy> {
    (0..Policy::NAMES.len(), windows(), 1_u64..200_000, limits(), triggers(), 0_u32..1_100, limits())
        .prop_map(|(name, window, max_output, output_reserve, trigger, target_permille, from)| {
            let policy = Policy::named(Policy::NAMES[name]).unwrap();
            let hysteresis = Hysteresis { target_permille, ..policy.hysteresis };
            let micro = MicroRules { from, ..policy.micro };
            Policy {
                window,
                max_output: Tokens(max_output),
                output_reserve,
                trigger,
                hysteresis,
                micro,
                ..policy
            }
        })
}

fn in_order(lines: &Thresholds) -> bool {
    let auto = lines.auto.is_none_or(|auto| lines.target < auto && auto < lines.hard);
    let micro = lines.micro.is_none_or(|micro| micro <= lines.trigger());
    auto && micro && !lines.target.is_zero() && lines.target < lines.hard && lines.hard <= lines.window
}

proptest! {
    #[test]
    fn every_named_policy_is_sound_on_every_window(
        // OpenCode's trigger leaves the output limit alone: under the answer's reserve it is refused in words.
        name in 0..Policy::NAMES.len(), window in windows(), output in 1_025_u64..300_000,
    ) {
        let policy = Policy::named(Policy::NAMES[name]).unwrap();
        let policy = policy.with_window(window).with_max_output(Tokens(output));
        prop_assert_eq!(policy.validate(), Ok(()));
        prop_assert!(in_order(&policy.thresholds().unwrap()));
    }

    #[test]
    fn b3_the_lines_of_every_valid_policy_are_in_order(policy in policies()) {
        let lines = policy.thresholds().unwrap();
        if policy.validate().is_ok() {
            prop_assert!(in_order(&lines), "{lines:?}");
        } else {
            // A refused policy is not used, but nothing panics and nothing leaves the window.
            prop_assert!(lines.hard <= lines.window && lines.auto.is_none_or(|auto| auto <= lines.window));
        }
    }

    #[test]
    fn a6_used_reserve_and_free_make_up_the_window(policy in policies(), used in 0_u64..4_000_000) {
        let used = Tokens(used);
        let gauge = policy.gauge(used);
        prop_assert_eq!(gauge.used + gauge.reserve + gauge.free, gauge.window + gauge.over);
        prop_assert!(gauge.free.is_zero() || gauge.over.is_zero());
        prop_assert!(gauge.free <= gauge.window && gauge.reserve <= gauge.window);
        prop_assert_eq!(gauge.over > Tokens::ZERO, policy.pressure(used) == Pressure::Over);
    }

    #[test]
    fn pressure_never_falls_as_a_request_grows(
        policy in policies(), one in 0_u64..2_000_000, more in 0_u64..2_000_000,
    ) {
        prop_assert!(policy.pressure(Tokens(one)) <= policy.pressure(Tokens(one + more)));
    }

    #[test]
    fn c3_no_tail_is_larger_than_the_target(policy in policies()) {
        let lines = policy.thresholds().unwrap();
        let tail = policy.summary.tail.budget(&lines);
        prop_assert!(tail.min <= tail.max && tail.max <= lines.target);
    }

    #[test]
    fn a_trigger_never_falls_as_the_window_grows(policy in policies(), more in 0_u64..2_000_000) {
        let wider = policy.thresholds_in(policy.window + Tokens(more));
        prop_assert!(policy.thresholds().unwrap().trigger() <= wider.trigger());
    }

    #[test]
    fn every_policy_that_can_be_made_survives_json(policy in policies()) {
        let json = serde_json::to_string(&policy).unwrap();
        prop_assert_eq!(serde_json::from_str::<Policy>(&json).unwrap(), policy);
    }
}
