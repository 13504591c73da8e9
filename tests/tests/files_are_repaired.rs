//! Whatever a session file holds, it loads to a valid request, loses nothing silently, and is stable.
#![allow(missing_docs)]

use palimpsest_core::message::RawJson;
use palimpsest_core::request::{Prelude, PreludeParts, Request, View, assemble, check};
use palimpsest_core::tokens::{Estimator, Profile};
use palimpsest_core::transcript::{Log, Session};
use palimpsest_core::unit::Tokens;
use palimpsest_tests::{cases, corpus, files};
use proptest::prelude::*;

fn request(session: &Session) -> Result<Request, String> {
    let estimator = Estimator::new(Profile::Claude);
    let parts = PreludeParts {
        model: "m",
        max_tokens: Tokens(100),
        system: vec!["You are a test."],
        memory_index: None,
        instructions: Some("Be kind."),
        tools: Vec::new(),
        thinking: None,
    };
    let view = View::of(session.view.iter().cloned(), estimator);
    let request =
        assemble(&Prelude::new(&parts, estimator), &view, None).map_err(|call| format!("{call} is open"))?;
    check(&request).map_err(|violation| violation.to_string())?;
    Ok(request)
}

/// One line of a file, true to the format or spoilt.
#[derive(Debug, Clone)]
enum Line {
    User { id: u8, parent: Option<u8>, text: String, meta: bool },
    Results { id: u8, parent: Option<u8>, calls: Vec<u8>, text: bool },
    Assistant { id: u8, parent: Option<u8>, response: u8, blocks: Vec<u8> },
    Boundary { id: u8, logical: u8, summary: bool },
    Micro { id: u8, parent: u8, calls: Vec<u8> },
    Spoilt(u8),
}

fn line() -> impl Strategy<Value = Line> {
    let id = 0_u8..24;
    let parent = proptest::option::of(0_u8..24);
    let calls = proptest::collection::vec(0_u8..10, 1..4);
    prop_oneof![
        3 => (id.clone(), parent.clone(), "[a-я字🟡 ]{0,12}", any::<bool>())
            .prop_map(|(id, parent, text, meta)| Line::User { id, parent, text, meta }),
        4 => (id.clone(), parent.clone(), calls.clone(), any::<bool>())
            .prop_map(|(id, parent, calls, text)| Line::Results { id, parent, calls, text }),
        5 => (id.clone(), parent, 0_u8..6, proptest::collection::vec(0_u8..16, 0..5))
            .prop_map(|(id, parent, response, blocks)| Line::Assistant { id, parent, response, blocks }),
        1 => (id.clone(), 0_u8..24, any::<bool>()).prop_map(|(id, logical, summary)| Line::Boundary { id, logical, summary }),
        1 => (id, 0_u8..24, calls).prop_map(|(id, parent, calls)| Line::Micro { id, parent, calls }),
        1 => (0_u8..8).prop_map(Line::Spoilt),
    ]
}

fn link(parent: Option<u8>) -> String {
    parent.map_or_else(|| "null".into(), |id| format!("\"u{id}\""))
}

/// A content block by number: calls 0 to 9, then the other kinds.
fn block(number: u8) -> String {
    match number {
        0..=9 => {
            format!(r#"{{"type":"tool_use","id":"t{number}","name":"read","input":{{"n":{number}.0}}}}"#)
        }
        10 => r#"{"type":"thinking","thinking":"hm","signature":"s"}"#.into(),
        11 => r#"{"type":"redacted_thinking","data":"x"}"#.into(),
        12 => r#"{"type":"text","text":"  "}"#.into(),
        13 => r#"{"type":"hologram","x":9007199254740993}"#.into(),
        14 => r#"{"type":"text","text":"cut \ud83d"}"#.into(),
        _ => r#"{"type":"text","text":"said"}"#.into(),
    }
}

fn write(line: &Line) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match line {
        Line::User { id, parent, text, meta } => format!(
            r#"{{"type":"user","uuid":"u{id}","parentUuid":{},"isMeta":{meta},"message":{{"role":"user","content":"{text}"}}}}"#,
            link(*parent)
        ),
        Line::Results { id, parent, calls, text } => {
            let mut blocks: Vec<String> = calls
                .iter()
                .map(|call| {
                    format!(
                        r#"{{"type":"tool_result","tool_use_id":"t{call}","content":"r","is_error":false}}"#
                    )
                })
                .collect();
            if *text {
                blocks.insert(0, block(15));
            }
            format!(
                r#"{{"type":"user","uuid":"u{id}","parentUuid":{},"message":{{"role":"user","content":[{}]}}}}"#,
                link(*parent),
                list(blocks)
            )
        }
        Line::Assistant { id, parent, response, blocks } => format!(
            r#"{{"type":"assistant","uuid":"u{id}","parentUuid":{},"message":{{"id":"m{response}","role":"assistant","content":[{}],"usage":{{"input_tokens":5,"output_tokens":1}}}}}}"#,
            link(*parent),
            list(blocks.iter().map(|number| block(*number)).collect())
        ),
        Line::Boundary { id, logical, summary } => {
            let mut text = format!(
                r#"{{"type":"system","subtype":"compact_boundary","uuid":"u{id}","parentUuid":null,"logicalParentUuid":"u{logical}","compactMetadata":{{"trigger":"auto","preservedSegments":[{{"headUuid":"u{logical}","tailUuid":"u{id}"}}]}}}}"#
            );
            if *summary {
                let record = r#"{"type":"user","uuid":"sN","parentUuid":"uN","isCompactSummary":true,"message":{"role":"user","content":"sum"}}"#;
                text.push('\n');
                text.push_str(&record.replace("sN", &format!("s{id}")).replace("uN", &format!("u{id}")));
            }
            text
        }
        Line::Micro { id, parent, calls } => format!(
            r#"{{"type":"system","subtype":"microcompact_boundary","uuid":"u{id}","parentUuid":"u{parent}","microcompactMetadata":{{"compactedToolIds":[{}]}}}}"#,
            list(calls.iter().map(|call| format!("\"t{call}\"")).collect())
        ),
        Line::Spoilt(kind) => match kind {
            0 => "{\"type\":\"us".into(),
            1 => "42".into(),
            2 => String::new(),
            3 => "[]".into(),
            4 => r#"{"type":"user","uuid":"u1","message":"error"}"#.into(),
            5 => r#"{"type":"summary","leafUuid":"u1"}{"type":"summary","leafUuid":"u2"}"#.into(),
            6 => r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result"}]}}"#.into(),
            _ => "\u{0}binary".into(),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(512), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn p1_p2_p3_p8_j3_any_file_loads_to_a_valid_request(lines in proptest::collection::vec(line(), 1..40)) {
        let text = lines.iter().map(write).collect::<Vec<_>>().join("\n");
        let Ok(log) = Log::read(text.as_bytes()) else { return Ok(()) };
        prop_assert_eq!(log.lines.total(), text.split('\n').count() as u64 - u64::from(text.ends_with('\n')));
        let session = Session::load(&log);
        if session.view.is_empty() {
            return Ok(());
        }
        request(&session).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn p9_what_is_valid_goes_through_unchanged(lines in proptest::collection::vec(line(), 1..30)) {
        let text = lines.iter().map(write).collect::<Vec<_>>().join("\n");
        let Ok(log) = Log::read(text.as_bytes()) else { return Ok(()) };
        let session = Session::load(&log);
        let Ok(first) = request(&session) else { return Ok(()) };
        // The messages of the request, written down as a file, load to the same request.
        let file: Vec<String> = first.messages.iter().enumerate().map(|(at, message)| {
            let blocks: Vec<&str> = message.blocks.iter().skip(usize::from(at == 0)).map(RawJson::as_str).collect();
            let role = message.role.as_str();
            format!(r#"{{"type":"{role}","uuid":"n{at}","message":{{"id":"r{at}","role":"{role}","content":[{}]}}}}"#, blocks.join(","))
        }).collect();
        let again = Session::load(&Log::read(file.join("\n").as_bytes()).expect("records"));
        prop_assert_eq!(request(&again).expect("valid").messages, first.messages);
    }
}

#[test]
fn every_real_file_gives_a_valid_request() {
    let Some(corpus) = corpus() else { return };
    for file in files(&corpus.join("transcripts/claude-code"), "jsonl") {
        let bytes = std::fs::read(&file).expect("readable");
        let session = Session::load(&Log::read(&bytes).expect("a session"));
        if !session.view.is_empty() {
            request(&session).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }
}

#[test]
fn j3_a_file_cut_at_any_byte_loads_to_a_valid_request() {
    let lines = [
        Line::User { id: 0, parent: None, text: "go 字🟡".into(), meta: false },
        Line::Assistant { id: 1, parent: Some(0), response: 0, blocks: vec![10, 0, 1] },
        Line::Results { id: 2, parent: Some(1), calls: vec![0], text: false },
        Line::Results { id: 3, parent: Some(2), calls: vec![1], text: true },
        Line::Boundary { id: 4, logical: 3, summary: true },
        Line::User { id: 5, parent: None, text: "on".into(), meta: false },
        Line::Assistant { id: 6, parent: Some(5), response: 1, blocks: vec![15, 2] },
        Line::Results { id: 7, parent: Some(6), calls: vec![2], text: false },
    ];
    let text = lines.iter().map(write).collect::<Vec<_>>().join("\n");
    let whole = Log::read(text.as_bytes()).expect("a session").entries.len();
    for end in 1..text.len() {
        let Ok(log) = Log::read(&text.as_bytes()[..end]) else { continue };
        let complete = text.as_bytes()[..end].split(|&byte| byte == b'\n').count() - 1;
        assert!(log.entries.len() >= complete.min(whole), "at most the last record is lost at byte {end}");
        let session = Session::load(&log);
        if !session.view.is_empty() {
            request(&session).unwrap_or_else(|error| panic!("cut at {end}: {error}"));
        }
    }
}
