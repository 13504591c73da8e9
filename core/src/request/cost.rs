//! What each item costs, by category. Counted once, when the item comes in.

use crate::message::{Block, BlockKind, Exchange, Item, Origin, Part, RawJson, ToolResult};
use crate::tokens::{
    Category, DocumentSource, Estimator, Ledger, UNKNOWN_IMAGE, document, image, image_size,
};
use crate::unit::Tokens;

/// Role and separators of one message.
const MESSAGE_FRAME: Tokens = Tokens(4);

/// The raw estimate of one item. It is additive: a view costs the sum of its items (A7).
pub fn item_cost(item: &Item, estimator: Estimator) -> Ledger {
    let mut ledger = Ledger::new();
    match item {
        Item::User(message) => {
            let category = user_category(message.origin);
            ledger.add(category, MESSAGE_FRAME);
            for block in &message.blocks {
                ledger.add(category, block_cost(block, estimator));
            }
        }
        Item::Response(response) => {
            ledger.add(Category::Assistant, MESSAGE_FRAME);
            for part in &response.parts {
                match part {
                    Part::Block(block) => {
                        let thinking = block.is_thinking();
                        let category = if thinking { Category::Thinking } else { Category::Assistant };
                        ledger.add(category, block_cost(block, estimator));
                    }
                    Part::Exchange(exchange) => add_exchange(&mut ledger, exchange, estimator),
                }
            }
        }
    }
    ledger
}

/// The category of what stands in a user-role message.
pub fn user_category(origin: Origin) -> Category {
    match origin {
        Origin::Human | Origin::Host => Category::User,
        Origin::Summary => Category::Summary,
        Origin::Attachment => Category::Attachments,
        Origin::Skill => Category::Skills,
    }
}

/// The raw estimate of a call.
pub fn call_cost(exchange: &Exchange, estimator: Estimator) -> Tokens {
    estimator.framing().tool_call
        + estimator.text(&exchange.call.name)
        + estimator.text(exchange.call.input().as_str())
}

/// The raw estimate of a result.
pub fn result_cost(result: &ToolResult, estimator: Estimator) -> Tokens {
    estimator.framing().tool_result + result.blocks().iter().map(|block| block_cost(block, estimator)).sum()
}

fn add_exchange(ledger: &mut Ledger, exchange: &Exchange, estimator: Estimator) {
    ledger.add(Category::ToolCalls, call_cost(exchange, estimator));
    if let Some(result) = exchange.result() {
        ledger.add(Category::ToolResults, result_cost(result, estimator));
    }
}

/// The raw estimate of texts that stand alone: system blocks, tool schemas.
pub fn raw_cost(values: &[RawJson], estimator: Estimator) -> Tokens {
    values.iter().map(|value| estimator.text(value.as_str())).sum()
}

/// The raw estimate of a block; never zero for a block that is sent (A7), never by base64 length (A10).
pub fn block_cost(block: &Block, estimator: Estimator) -> Tokens {
    match block.kind() {
        BlockKind::Text | BlockKind::Thinking => {
            block.words().map_or(Tokens(1), |words| estimator.text(&words).max(Tokens(1)))
        }
        // Encrypted thinking is about as many tokens as its plain text had: base64 of it, 4/3 the bytes.
        BlockKind::RedactedThinking => Tokens((block.raw().as_str().len() as u64 / 6).max(1)),
        BlockKind::Image => block
            .media()
            .and_then(|media| image_size(&media.data))
            .map_or(UNKNOWN_IMAGE, |(width, height)| image(width, height)),
        BlockKind::Document => document_cost(block, estimator),
        BlockKind::Unknown => estimator.text(block.raw().as_str()).max(Tokens(1)),
    }
}

fn document_cost(block: &Block, estimator: Estimator) -> Tokens {
    let kind = block.raw().json().get("source").and_then(|source| source.get("type"));
    let kind = kind.and_then(|kind| kind.as_str()).unwrap_or_default();
    let media = block.media();
    let media_type = media.as_ref().map(|media| media.media_type.as_ref()).unwrap_or_default();
    let data = media.as_ref().map(|media| media.data.as_ref()).unwrap_or_default();
    let source = match kind.as_ref() {
        "base64" => DocumentSource::Base64(data),
        "text" => DocumentSource::Text(data),
        _ => DocumentSource::Remote,
    };
    document(estimator, media_type, source).max(Tokens(1))
}
