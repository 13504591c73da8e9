//! The simulated model and its provider: count, refuse or answer, report usage.
//!
//! ```text
//!  Request ─ check ─ count ─┬─ over the window ─▶ classify(400, "prompt is too long: …") ─▶ ModelFailure
//!                           └─ scene ─▶ story::next | summary::write ─▶ Reply with usage
//! ```

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::cache::{Cache, hashed};
use super::scene::Scene;
use super::story::{self, Move};
use super::{LARGE, SMALL, counter, summary};
use crate::agent::Purpose;
use crate::message::json::string;
use crate::message::text::head_chars;
use crate::provider::{ModelFailure, Reply, anthropic, classify};
use crate::request::{Request, check};
use crate::unit::Tokens;

/// Opens the signature of every simulated thinking block.
const SIGNED: &str = "c2ltdWxhdGVk";

/// How large the simulated models are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimConfig {
    /// The window of [`LARGE`], in tokens by the simulation's own count; in the demo, the policy's window.
    pub window: Tokens,
    /// The window of [`SMALL`], in thousandths of the other.
    pub small_permille: u32,
}

impl SimConfig {
    /// The two models for a window: the small one has half of it.
    pub fn new(window: Tokens) -> Self {
        Self { window, small_permille: 500 }
    }
}

/// A model that follows rules, behind a provider that counts, caches and refuses.
#[derive(Debug, Clone)]
pub struct SimModel {
    windows: BTreeMap<String, Tokens>,
    cache: Cache,
}

impl SimModel {
    /// Both models, with nothing cached.
    pub fn new(config: SimConfig) -> Self {
        let mut model = Self { windows: BTreeMap::new(), cache: Cache::default() };
        model.set_window(LARGE, config.window);
        model.set_window(SMALL, config.window.permille(config.small_permille));
        model
    }

    /// Gives a model another window.
    pub fn set_window(&mut self, model: &str, window: Tokens) {
        self.windows.insert(model.to_string(), window);
    }

    /// The window that applies to a model's name; one that is not known has the large one's.
    pub fn window(&self, model: &str) -> Tokens {
        self.windows.get(model).or_else(|| self.windows.get(LARGE)).copied().unwrap_or_default()
    }

    /// What a request's prompt costs by the simulation's own count.
    pub fn count(&self, request: &Request) -> Tokens {
        counter::request(request)
    }

    /// Answers a request.
    ///
    /// # Errors
    /// What the Messages API would answer: 400 for a request that breaks a rule, for thinking that was
    /// changed, and for a prompt over the window.
    pub fn reply(&mut self, purpose: Purpose, request: &Request) -> Result<Reply, ModelFailure> {
        if let Err(violation) = check(request) {
            return Err(refusal(&violation.to_string()));
        }
        if let Some(at) = changed_thinking(request) {
            return Err(refusal(&format!(
                "messages.{at}: `thinking` blocks in an `assistant` message cannot be modified"
            )));
        }
        let (used, window) = (self.count(request), self.window(&request.model));
        if used > window {
            let (used, window) = (used.get(), window.get());
            return Err(refusal(&format!("prompt is too long: {used} tokens > {window} maximum")));
        }
        let next = match purpose {
            Purpose::Summary => Move { words: summary::write(request), ..Move::default() },
            Purpose::Turn => turn(request),
        };
        let usage = self.cache.usage(request);
        let body = body(request, &next, |output| {
            format!(
                r#"{{"input_tokens":{},"cache_creation_input_tokens":{},"cache_read_input_tokens":{},"output_tokens":{output}}}"#,
                usage.input.get(),
                usage.cache_write.get(),
                usage.cache_read.get(),
            )
        });
        anthropic::decode(200, &[], &body)
    }
}

/// A refusal in the API's own shape, classed as any other.
fn refusal(message: &str) -> ModelFailure {
    let message = string(message);
    let body =
        format!(r#"{{"type":"error","error":{{"type":"invalid_request_error","message":{message}}}}}"#);
    classify(400, &[], &body)
}

/// The next move, with the one sentence that says what this is.
fn turn(request: &Request) -> Move {
    let scene = Scene::read(request);
    let mut next = story::next(&scene);
    if scene.is_first {
        next.words = format!("(This is a simulated model: it follows rules.) {}", next.words);
    }
    next
}

/// The message as the API would send it. Ids come from the request's own bytes, so the same request gives the
/// same answer, and two different ones never share an id.
fn body(request: &Request, next: &Move, usage: impl Fn(u64) -> String) -> String {
    let seed = hashed(0xcbf2_9ce4_8422_2325, &anthropic::encode(request));
    let (mut blocks, mut stop) = (blocks(request, next, seed), "tool_use");
    if next.calls.is_empty() {
        stop = "end_turn";
    }
    let cost = |blocks: &[String]| blocks.iter().map(|block| counter::text(block)).sum::<u64>();
    let (mut output, limit) = (cost(&blocks), request.max_tokens.get());
    if output > limit {
        // Cut as a provider cuts: in mid-text, and a call that was not finished is none.
        let chars = Tokens(next.words.chars().count() as u64).scaled(limit, output);
        let words = head_chars(&next.words, usize::try_from(chars.get()).unwrap_or(0)).to_string();
        blocks = self::blocks(request, &Move { words, ..Move::default() }, seed);
        stop = "max_tokens";
        output = cost(&blocks).min(limit);
    }
    format!(
        r#"{{"id":"msg_sim_{seed:016x}","type":"message","role":"assistant","model":{},"content":[{}],"stop_reason":"{stop}","stop_sequence":null,"usage":{}}}"#,
        string(&request.model),
        blocks.join(","),
        usage(output),
    )
}

/// Thinking (when the request allows it), words and calls.
fn blocks(request: &Request, next: &Move, seed: u64) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    if request.thinking.is_some() && !next.thought.is_empty() {
        let (thought, signature) = (string(&next.thought), signature(&next.thought));
        blocks.push(format!(r#"{{"type":"thinking","thinking":{thought},"signature":"{signature}"}}"#));
    }
    if !next.words.trim().is_empty() {
        blocks.push(format!(r#"{{"type":"text","text":{}}}"#, string(&next.words)));
    }
    blocks.extend(next.calls.iter().enumerate().map(|(at, call)| {
        let (tool, input) = (call.tool, &call.input);
        format!(r#"{{"type":"tool_use","id":"toolu_sim_{seed:016x}_{at}","name":"{tool}","input":{input}}}"#)
    }));
    blocks
}

/// A signature that can be checked: of the thinking's own bytes.
fn signature(thought: &str) -> String {
    format!("{SIGNED}{:016x}", hashed(0, thought))
}

/// The message with a simulated thinking block whose bytes are not what was signed.
fn changed_thinking(request: &Request) -> Option<usize> {
    request.messages.iter().position(|message| {
        message.blocks.iter().any(|raw| {
            let json = raw.json();
            let member = |name: &str| json.get(name).and_then(|value| value.as_str());
            let signed = member("signature").filter(|signature| signature.starts_with(SIGNED));
            signed.is_some_and(|signed| signed != signature(&member("thinking").unwrap_or_default()))
        })
    })
}
