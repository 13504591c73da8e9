//! Every error body and overflow wording that was collected from real providers is classed as what it is.

use palimpsest_core::provider::{FailureKind, classify};
use serde_json::Value;

/// The collection beside the repository; without it there is nothing to check.
fn collected() -> Option<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/errors.json");
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).expect("the collection is JSON"))
}

#[test]
fn every_collected_body_has_its_class() {
    let Some(collected) = collected() else { return };
    let groups = collected.as_object().expect("groups by provider");
    let mut seen = 0;
    for (group, entries) in groups {
        for entry in entries.as_array().into_iter().flatten().filter(|entry| entry.is_object()) {
            let status = u16::try_from(entry["status"].as_u64().expect("a status")).expect("a status");
            let body = entry["body"].to_string();
            let case = entry["case"].as_str().unwrap_or_default();
            let failure = classify(status, &[], &body);
            let expected: fn(FailureKind) -> bool = match case {
                case if case.contains("orphan") => |kind| kind == FailureKind::BadRequest,
                case if case.contains("RateLimit") => |kind| matches!(kind, FailureKind::RateLimited { .. }),
                _ => |kind| matches!(kind, FailureKind::ContextExceeded { .. }),
            };
            assert!(expected(failure.kind), "{group}, {case}: {failure:?}");
            seen += 1;
        }
    }
    assert!(seen >= 7, "{seen} bodies");
}

#[test]
fn every_collected_overflow_wording_is_known() {
    let Some(collected) = collected() else { return };
    let wordings = collected["overflow_patterns"].as_array().expect("a list of wordings");
    for wording in wordings {
        let (provider, words) = (wording[0].as_str().expect("who"), wording[1].as_str().expect("what"));
        // These three refuse without words or do not refuse at all.
        if ["Cerebras", "z.ai", "Ollama"].contains(&provider) {
            continue;
        }
        // The collection writes X and Y for the numbers.
        let words = words.replace(" X", " 140000").replace(" Y", " 131072");
        for body in [words.clone(), format!(r#"{{"error":{{"message":{},"code":400}}}}"#, Value::from(words))]
        {
            assert!(classify(400, &[], &body).is_context_exceeded(), "{provider}: {body}");
        }
    }
}
