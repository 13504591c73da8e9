//! The bindings as JavaScript sees them. The same tests run in Node and, with `WASM_BINDGEN_USE_BROWSER=1` and a
//! `CHROMEDRIVER`, in a browser; `cargo xtask test` does both.
#![cfg(target_arch = "wasm32")]

use js_sys::{Array, Error, JSON, Object, Reflect};
use palimpsest_wasm::{
    Inspector, Session, count_tokens, inspect, model_failure, policies, policy, validate_policy, wire_format,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

const FILE: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"你好"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"Hi \ud83d"}],"usage":{"input_tokens":18446744073709551615,"output_tokens":3}}}"#,
    "\n",
);

fn json(text: &str) -> JsValue {
    JSON::parse(text).unwrap()
}

/// The value at a path of members.
fn at(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, name| Reflect::get(&value, &name.into()).unwrap())
}

fn code<T>(result: Result<T, JsValue>) -> String {
    let error: Error = result.err().expect("a failure").dyn_into().expect("a JavaScript Error");
    assert_eq!(error.name(), "PalimpsestError");
    assert!(!String::from(error.message()).is_empty());
    at(&error, "code").as_string().unwrap()
}

#[wasm_bindgen_test]
fn a_file_crosses_as_a_plain_object_with_plain_numbers() {
    let found = inspect(FILE.as_bytes(), &JsValue::UNDEFINED).unwrap();
    assert_eq!(at(&found, "file.recordTypes.user").as_f64(), Some(1.0), "a map is an object");
    assert!(at(&found, "title").is_null(), "an absent value is null");
    let used = at(&found, "window.gauge.used").as_f64().unwrap();
    assert!((1e15..9e15).contains(&used), "a number beyond JavaScript's is bounded, not refused: {used}");
    assert!(
        at(&found, "window.items.1.label").as_string().unwrap().starts_with("Hi "),
        "no lone surrogate crosses"
    );
}

#[wasm_bindgen_test]
fn pieces_give_what_the_whole_gives() {
    let mut inspector = Inspector::new(&JsValue::NULL).unwrap();
    for piece in FILE.as_bytes().chunks(3) {
        inspector.push(piece);
    }
    assert_eq!(inspector.records(), 2);
    let text = |value: JsValue| String::from(JSON::stringify(&value).unwrap());
    assert_eq!(text(inspector.finish().unwrap()), text(inspect(FILE.as_bytes(), &JsValue::NULL).unwrap()));
}

#[wasm_bindgen_test]
fn what_is_wrong_is_an_error_with_a_code() {
    let none = JsValue::UNDEFINED;
    assert_eq!(code(inspect(b"", &none)), "empty-file");
    assert_eq!(code(inspect(b"\xff\xfe\x00", &none)), "not-a-session");
    assert_eq!(code(inspect(b"{\"a\":1}", &none)), "not-a-session");
    assert_eq!(code(inspect(FILE.as_bytes(), &json(r#"{"window":-1}"#))), "bad-argument");
    assert_eq!(code(inspect(FILE.as_bytes(), &json(r#"{"widow":1}"#))), "bad-argument");
    assert_eq!(code(inspect(FILE.as_bytes(), &json("7"))), "bad-argument");
    assert_eq!(code(policy("nobody", None)), "unknown-policy");
    assert_eq!(code(policy("none", Some(f64::NAN))), "bad-argument");
    assert_eq!(code(validate_policy(json(r#"{"micro":{"kepLast":1}}"#))), "bad-policy");
    assert_eq!(code(wire_format("smoke")), "bad-argument");
    assert_eq!(code(model_failure(&json("{}"))), "bad-argument");
    assert_eq!(code(count_tokens("x", Some("gpt-9".into()))), "bad-argument");
    for config in [
        "null",
        "[]",
        "{}",
        r#"{"model":1,"sessionId":"s"}"#,
        r#"{"model":"m","sessionId":"s","tools":[{}]}"#,
    ] {
        assert_eq!(code(Session::new(&json(config))), "bad-config", "{config}");
    }
}

#[wasm_bindgen_test]
fn policies_come_back_as_they_went() {
    let names: Array = policies().unwrap().dyn_into().unwrap();
    assert!(names.length() >= 12);
    for row in names.iter() {
        let found = policy(&at(&row, "name").as_string().unwrap(), Some(64_000.0)).unwrap();
        let faults: Array = validate_policy(found).unwrap().dyn_into().unwrap();
        assert_eq!(faults.length(), 0);
    }
}

#[wasm_bindgen_test]
fn a_turn_runs_and_a_request_is_there_until_it_is_answered() {
    let mut session = Session::new(&json(r#"{"model":"m","sessionId":"s"}"#)).unwrap();
    session.prompt("Hello.", 0.0).unwrap();
    let effect = session.next_effect().unwrap();
    assert_eq!(at(&effect, "type").as_string().unwrap(), "append");
    session.complete(at(&effect, "id").as_f64().unwrap(), &json(r#"{"type":"stored"}"#), 1.0).unwrap();
    let call = session.next_effect().unwrap();
    let id = at(&call, "id").as_f64().unwrap();
    for wire in ["anthropic", "openai"] {
        assert!(session.encode_request(id, wire).unwrap().contains("Hello."));
    }
    assert_eq!(code(session.complete(id, &json(r#"{"type":"magic"}"#), 2.0)), "bad-argument");
    assert!(session.encode_request(id, "openai").is_ok(), "no outcome, so the request still waits");
    let body = r#"{"id":"m1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Good day."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":3}}"#;
    let answer = Object::new();
    for (name, value) in [("wire", "anthropic".into()), ("status", 200.into()), ("body", JsValue::from(body))]
    {
        Reflect::set(&answer, &name.into(), &value).unwrap();
    }
    let outcome = json(r#"{"type":"answer"}"#);
    Reflect::set(&outcome, &"answer".into(), &answer).unwrap();
    session.complete(id, &outcome, 3.0).unwrap();
    assert_eq!(session.words(), "Good day.");
    assert_eq!(code(session.encode_request(id, "openai")), "unknown-effect");
    assert_eq!(at(&session.report().unwrap(), "items.length").as_f64(), Some(2.0));
}

#[cfg(feature = "simulated")]
#[wasm_bindgen_test]
fn the_simulated_demo_runs_to_its_end() {
    use palimpsest_wasm::Simulation;
    let mut simulation = Simulation::new(64_000.0).unwrap();
    let mut session = Simulation::open(JsValue::NULL, 64_000.0).unwrap();
    let mut now = 0.0;
    for prompt in Simulation::prompts() {
        session.prompt(&prompt, now).unwrap();
        loop {
            now += 1.0;
            let effect = session.next_effect().unwrap();
            if effect.is_null() {
                break;
            }
            let id = at(&effect, "id").as_f64().unwrap();
            match at(&effect, "type").as_string().unwrap().as_str() {
                "append" | "write-artifact" => {
                    session.complete(id, &json(r#"{"type":"stored"}"#), now).unwrap();
                }
                "abort" => {}
                _ => simulation.perform(&mut session, id, now).unwrap(),
            }
        }
        assert!(session.is_idle());
    }
    assert!(!session.words().is_empty());
}
