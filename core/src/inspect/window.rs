//! A window with everything in it, item by item: what a page draws and a terminal lists.
//!
//! ```text
//!  0 ▕ system ▏ tools ▏ row ▏ row ▏ row ▏ …   used   ┊ free ┊ reserve ▏ window
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Serialize, Serializer};

use super::label;
use crate::message::{Exchange, ExchangeState, Item, Origin, ResultForm};
use crate::request::{Counted, Role, View, call_cost, result_cost};
use crate::tokens::{Category, Estimator, Factor, Ledger};
use crate::unit::Tokens;
use crate::window::{Gauge, Thresholds};

/// In which form an item stands in the view. Of several forms the one that took most away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ItemState {
    /// As it came.
    Verbatim,
    /// A result of it is a preview; the whole is an artifact.
    Spilled,
    /// A result of it is cut in the middle.
    Cut,
    /// A result of it was cleared.
    Cleared,
    /// It stands for compacted history.
    Summary,
}

/// Where a call of the view stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CallState {
    /// In flight.
    Pending,
    /// Answered; the result is as it came.
    Verbatim,
    /// Answered; a preview stands for the result.
    Spilled,
    /// Answered; the result is cut in the middle.
    Cut,
    /// Answered; the result was cleared.
    Cleared,
    /// Never answered; a marked error stands for the result.
    Unanswered,
}

/// One call of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The tool with its most telling argument, on one line.
    pub label: String,
    /// Call and result together.
    pub tokens: Tokens,
    /// Where it stands.
    pub state: CallState,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// One item of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ItemRow {
    /// The id of its (first) record.
    pub id: String,
    /// Who speaks.
    #[serde(serialize_with = "role")]
    #[cfg_attr(feature = "typescript", tsify(type = "\"user\" | \"assistant\""))]
    pub role: Role,
    /// The category of its largest part.
    pub kind: Category,
    /// What it says, on one line.
    pub label: String,
    /// What it costs, by category.
    pub ledger: Ledger,
    /// What it costs.
    pub tokens: Tokens,
    /// In which form it stands.
    pub state: ItemState,
    /// Its calls in the model's order.
    pub calls: Vec<CallRow>,
}

/// A window and what fills it. Estimates, calibrated by `WindowParts::factor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase")]
pub struct WindowReport {
    /// The model's name.
    pub model: String,
    /// The window; 0 when it is not known.
    pub window: Tokens,
    /// The policy's lines in it; none when the window is not known.
    pub thresholds: Option<Thresholds>,
    /// The sum of `ledger`: what is known of the next request.
    pub total: Tokens,
    /// Tokens by category.
    pub ledger: Ledger,
    /// What the provider counted beyond `total`: a file does not hold the system prompt and the tools it was used
    /// with. 0 for a live session.
    pub unseen: Tokens,
    /// How `total` and `unseen` together divide the window.
    pub gauge: Gauge,
    /// The conversation's items in order. Each is rounded up by itself, so their sum may be a few tokens more.
    pub items: Vec<ItemRow>,
}

/// What a [`WindowReport`] is made of.
#[derive(Debug, Clone, Copy)]
pub struct WindowParts<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The policy's lines; none when the window is not known.
    pub thresholds: Option<Thresholds>,
    /// The raw estimate of everything but the conversation.
    pub prelude: Ledger,
    /// The conversation.
    pub view: &'a View,
    /// The calibration.
    pub factor: Factor,
    /// What the provider counted beyond all that.
    pub unseen: Tokens,
}

impl WindowReport {
    /// Draws up the account of a window.
    pub fn of(parts: &WindowParts<'_>) -> Self {
        let ledger = (parts.prelude + parts.view.ledger()).scaled(parts.factor);
        let total = ledger.total();
        let gauge = gauge(parts.thresholds, total + parts.unseen);
        Self {
            model: parts.model.to_string(),
            window: gauge.window,
            thresholds: parts.thresholds,
            total,
            ledger,
            unseen: parts.unseen,
            gauge,
            items: rows(parts.view, parts.factor),
        }
    }
}

/// How a window is filled; of an unknown one only what is used can be told.
fn gauge(thresholds: Option<Thresholds>, used: Tokens) -> Gauge {
    let unknown =
        Gauge { window: Tokens::ZERO, used, reserve: Tokens::ZERO, free: Tokens::ZERO, over: Tokens::ZERO };
    thresholds.map_or(unknown, |thresholds| thresholds.gauge(used))
}

/// The rows of a view, calibrated.
pub fn rows(view: &View, factor: Factor) -> Vec<ItemRow> {
    view.entries().iter().map(|entry| row(entry, view.estimator(), factor)).collect()
}

fn row(entry: &Counted, estimator: Estimator, factor: Factor) -> ItemRow {
    let ledger = entry.cost.scaled(factor);
    let item = entry.item.as_ref();
    let calls: Vec<CallRow> = match item {
        Item::User(_) => Vec::new(),
        Item::Response(response) => {
            response.exchanges().map(|exchange| call_row(exchange, estimator, factor)).collect()
        }
    };
    ItemRow {
        id: item.id().as_str().to_string(),
        role: if item.as_user().is_some() { Role::User } else { Role::Assistant },
        kind: largest(&ledger),
        label: label::item(item),
        ledger,
        tokens: ledger.total(),
        state: state(item),
        calls,
    }
}

fn call_row(exchange: &Exchange, estimator: Estimator, factor: Factor) -> CallRow {
    let result = exchange.result();
    let raw = call_cost(exchange, estimator)
        + result.map(|result| result_cost(result, estimator)).unwrap_or_default();
    CallRow {
        id: exchange.call.id.as_str().to_string(),
        name: exchange.call.name.clone(),
        label: label::call(&exchange.call),
        tokens: factor.apply(raw),
        state: call_state(exchange),
        is_error: result.is_some_and(|result| result.is_error),
    }
}

fn call_state(exchange: &Exchange) -> CallState {
    match &exchange.state {
        ExchangeState::Pending => CallState::Pending,
        ExchangeState::Closed(_) => CallState::Unanswered,
        ExchangeState::Complete(result) => match result.form {
            ResultForm::Original => CallState::Verbatim,
            ResultForm::Cleared => CallState::Cleared,
            ResultForm::Spilled => CallState::Spilled,
            ResultForm::Cut => CallState::Cut,
        },
    }
}

fn state(item: &Item) -> ItemState {
    let of_call = |exchange: &Exchange| match call_state(exchange) {
        CallState::Cleared => ItemState::Cleared,
        CallState::Spilled => ItemState::Spilled,
        CallState::Cut => ItemState::Cut,
        CallState::Pending | CallState::Verbatim | CallState::Unanswered => ItemState::Verbatim,
    };
    match item {
        Item::User(message) if message.origin == Origin::Summary => ItemState::Summary,
        Item::User(_) => ItemState::Verbatim,
        Item::Response(response) => response.exchanges().map(of_call).max().unwrap_or(ItemState::Verbatim),
    }
}

/// The category that holds most; of equals the first in listing order.
fn largest(ledger: &Ledger) -> Category {
    let larger =
        |best: (Category, Tokens), next: (Category, Tokens)| if next.1 > best.1 { next } else { best };
    ledger.iter().reduce(larger).map_or(Category::User, |(category, _)| category)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn role<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(role.as_str())
}
