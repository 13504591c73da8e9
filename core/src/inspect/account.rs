//! What a stretch of conversation holds: categories, tools, the largest items, files read again and again.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use super::label;
use super::report::Places;
use crate::message::{Block, Exchange, ExchangeState, Item, MessageId, Origin, Part, ToolResult};
use crate::request::{Counted, block_cost, call_cost, result_cost, user_category};
use crate::tokens::{Category, Estimator, Ledger};
use crate::unit::Tokens;

/// How many of the largest items are listed.
const LARGEST: usize = 20;

/// Messages by who put them there. A record that only carries tool results is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Messages {
    /// User-role messages, whoever wrote them.
    pub user: u64,
    /// Responses of the model; several lines with one id are one response.
    pub assistant: u64,
    /// Of `user`: what a person asked.
    pub requests: u64,
    /// Of `user`: summaries of compacted history.
    pub summaries: u64,
}

/// One tool's calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// How often it was called.
    pub calls: u64,
    /// How many of the calls failed; a call that was never answered is not one of them.
    pub errors: u64,
    /// How many were never answered.
    pub unanswered: u64,
    /// Calls and results together.
    pub tokens: Tokens,
}

/// One of the largest items: a message, the words or the thinking of a response, or a call with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase")]
pub struct LargeItem {
    /// The id of the message's (first) record.
    pub id: String,
    /// The call's id, for a call.
    pub call: Option<String>,
    /// The tool, for a call.
    pub tool: Option<String>,
    /// What it is about, on one line.
    pub label: String,
    /// What most of it is.
    pub category: Category,
    /// The line of its record, for a call that of the result; 0 when it has none.
    pub line: u64,
    /// In which turn of the session, from 1; 0 before the first request.
    pub turn: u64,
    /// What it costs.
    pub tokens: Tokens,
    /// Its share of the account's total, in thousandths.
    pub permille: u32,
}

/// A file that was read more than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct RepeatedFile {
    /// Its path, as the calls spell it.
    pub path: String,
    /// How often it was read.
    pub times: u64,
    /// All calls and results together.
    pub tokens: Tokens,
}

/// The account of a stretch of conversation. Raw estimates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The sum of `ledger`.
    pub total: Tokens,
    /// Tokens by category.
    pub ledger: Ledger,
    /// Messages.
    pub messages: Messages,
    /// Requests that the model answered at least once.
    pub turns: u64,
    /// Tools, the one with most tokens first.
    pub tools: Vec<ToolUse>,
    /// The largest items, at most 20, largest first.
    pub largest: Vec<LargeItem>,
    /// Files read more than once, the one with most tokens first.
    pub repeated: Vec<RepeatedFile>,
}

/// Adds up items in their order.
pub(super) struct Accountant<'a> {
    estimator: Estimator,
    places: &'a Places,
    account: Account,
    /// Where each tool stands in the account's list.
    tools: BTreeMap<String, usize>,
    /// Every file that was read, also once.
    files: Vec<RepeatedFile>,
    /// Where each of them stands.
    paths: BTreeMap<String, usize>,
    /// A request stands that has no answer yet.
    asked: bool,
}

impl<'a> Accountant<'a> {
    pub(super) fn new(estimator: Estimator, places: &'a Places) -> Self {
        Self {
            estimator,
            places,
            account: Account::default(),
            tools: BTreeMap::new(),
            files: Vec::new(),
            paths: BTreeMap::new(),
            asked: false,
        }
    }

    pub(super) fn add(&mut self, entry: &Counted) {
        self.account.ledger += entry.cost;
        match entry.item.as_ref() {
            Item::User(message) => {
                let count = &mut self.account.messages;
                count.user += 1;
                count.summaries += u64::from(message.origin == Origin::Summary);
                if message.origin == Origin::Human {
                    count.requests += 1;
                    self.asked = true;
                }
                let (category, tokens) = (user_category(message.origin), entry.cost.total());
                self.large(&entry.item, category, self.places.line(&message.id), tokens);
            }
            Item::Response(response) => {
                self.account.messages.assistant += 1;
                self.account.turns += u64::from(core::mem::take(&mut self.asked));
                let line = self.places.line(&response.id);
                let cost_of = |thinking: bool| {
                    let wanted = response.blocks().filter(|block| block.is_thinking() == thinking);
                    wanted.map(|block: &Block| block_cost(block, self.estimator)).sum()
                };
                let (words, thinking) = (cost_of(false), cost_of(true));
                self.large(&entry.item, Category::Assistant, line, words);
                self.large(&entry.item, Category::Thinking, line, thinking);
                for part in &response.parts {
                    if let Part::Exchange(exchange) = part {
                        self.exchange(&response.id, exchange);
                    }
                }
            }
        }
    }

    fn exchange(&mut self, owner: &MessageId, exchange: &Exchange) {
        let called = call_cost(exchange, self.estimator);
        let result = exchange.result();
        let answered = result.map(|result| result_cost(result, self.estimator)).unwrap_or_default();
        let tokens = called + answered;
        let unanswered = !matches!(exchange.state, ExchangeState::Complete(_));
        let name = &exchange.call.name;
        let failed = !unanswered && result.is_some_and(|result| result.is_error);
        let tools = &mut self.account.tools;
        let at = *self.tools.entry(name.clone()).or_insert(tools.len());
        if at == tools.len() {
            tools.push(ToolUse {
                name: name.clone(),
                calls: 0,
                errors: 0,
                unanswered: 0,
                tokens: Tokens::ZERO,
            });
        }
        if let Some(tool) = tools.get_mut(at) {
            tool.calls += 1;
            tool.unanswered += u64::from(unanswered);
            tool.errors += u64::from(failed);
            tool.tokens += tokens;
        }
        if let Some(path) = label::file_read(&exchange.call) {
            let at = *self.paths.entry(path.clone()).or_insert(self.files.len());
            if at == self.files.len() {
                self.files.push(RepeatedFile { path, times: 0, tokens: Tokens::ZERO });
            }
            if let Some(file) = self.files.get_mut(at) {
                file.times += 1;
                file.tokens += tokens;
            }
        }
        let record = result.and_then(|result: &ToolResult| result.record.as_ref()).unwrap_or(owner);
        self.keep(LargeItem {
            id: owner.as_str().to_string(),
            call: Some(exchange.call.id.as_str().to_string()),
            tool: Some(name.clone()),
            label: label::call(&exchange.call),
            category: if answered > called { Category::ToolResults } else { Category::ToolCalls },
            line: self.places.line(record),
            turn: self.places.turn(owner),
            tokens,
            permille: 0,
        });
    }

    fn large(&mut self, item: &Item, category: Category, line: u64, tokens: Tokens) {
        if !self.is_large(tokens) {
            return;
        }
        let label = if category == Category::Thinking { "thinking".into() } else { label::item(item) };
        let id = item.id().as_str().to_string();
        let turn = self.places.turn(item.id());
        self.keep(LargeItem { id, call: None, tool: None, label, category, line, turn, tokens, permille: 0 });
    }

    /// Whether something of this size is among the largest so far.
    fn is_large(&self, tokens: Tokens) -> bool {
        let largest = &self.account.largest;
        !tokens.is_zero()
            && (largest.len() < LARGEST || largest.last().is_some_and(|smallest| tokens > smallest.tokens))
    }

    /// Keeps the largest, largest first; of equals the earlier.
    fn keep(&mut self, item: LargeItem) {
        if self.is_large(item.tokens) {
            let at = self.account.largest.partition_point(|larger| larger.tokens >= item.tokens);
            self.account.largest.insert(at, item);
            self.account.largest.truncate(LARGEST);
        }
    }

    pub(super) fn finish(mut self) -> Account {
        let total = self.account.ledger.total();
        self.account.total = total;
        for item in &mut self.account.largest {
            item.permille =
                u32::try_from(Tokens(1000).scaled(item.tokens.get(), total.get()).get()).unwrap_or(1000);
        }
        let tools = core::mem::take(&mut self.account.tools);
        self.account.tools = ordered(tools, |tool| u64::MAX - tool.tokens.get());
        self.files.retain(|file| file.times > 1);
        self.account.repeated = ordered(self.files, |file| u64::MAX - file.tokens.get());
        self.account
    }
}

/// Sorted by rank; of equals the earlier first. Ranks are sorted, not items, so that one sorting routine, which is
/// a large thing in a wasm file, serves every type.
pub(super) fn ordered<T>(items: Vec<T>, rank: impl Fn(&T) -> u64) -> Vec<T> {
    let mut ranks: Vec<(u64, usize)> = items.iter().enumerate().map(|(at, item)| (rank(item), at)).collect();
    ranks.sort_unstable();
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    ranks.into_iter().filter_map(|(_, at)| items.get_mut(at)?.take()).collect()
}
