//! The account of the window in the words and the order of `/context`, with the total.

use leptos::prelude::*;
use palimpsest_core::inspect::WindowReport;
use palimpsest_core::tokens::Category;
use palimpsest_core::unit::Tokens;

use super::tokens::Tok;
use crate::format::percent;
use crate::state::Stage;

/// The categories that make up the messages; those before them are fixed parts of each request.
const MESSAGES: [Category; 7] = [
    Category::User,
    Category::Assistant,
    Category::Thinking,
    Category::ToolCalls,
    Category::ToolResults,
    Category::Attachments,
    Category::Summary,
];

#[derive(Debug, Clone, PartialEq)]
struct Row {
    kind: &'static str,
    name: &'static str,
    tokens: Tokens,
    level: Level,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Part,
    Sum,
    Inner,
    Total,
}

fn rows(report: &WindowReport) -> Vec<Row> {
    let row = |kind, name, tokens, level| Row { kind, name, tokens, level };
    let part =
        |category: Category, level| row(category.key(), category.label(), report.ledger.get(category), level);
    let some = |row: &Row| !row.tokens.is_zero();
    let mut rows: Vec<Row> = Vec::new();
    rows.extend(Some(row("unseen", "Not in the file", report.unseen, Level::Part)).filter(some));
    rows.extend(
        Category::ALL
            .into_iter()
            .filter(|category| !MESSAGES.contains(category))
            .map(|category| part(category, Level::Part))
            .filter(some),
    );
    let messages = MESSAGES.into_iter().map(|category| report.ledger.get(category)).sum();
    rows.push(row("messages", "Messages", messages, Level::Sum));
    rows.extend(
        MESSAGES.into_iter().map(|category| part(category, Level::Inner)).filter(some).map(shortened),
    );
    if !report.window.is_zero() {
        rows.push(row("reserve", "Reserve", report.gauge.reserve, Level::Part));
        rows.push(row("free", "Free space", report.gauge.free, Level::Part));
    }
    rows.extend(Some(row("over", "Over the window", report.gauge.over, Level::Part)).filter(some));
    rows.push(row("total", "Used", report.gauge.used, Level::Total));
    rows
}

/// Under "Messages", "User messages" is "User".
fn shortened(row: Row) -> Row {
    Row { name: row.name.strip_suffix(" messages").unwrap_or(row.name), ..row }
}

/// The table, which is the legend of the bar's colours and patterns too.
#[component]
pub(crate) fn LedgerTable(stage: Stage) -> impl IntoView {
    let rows = Memo::new(move |_| stage.frame.get().map(|frame| rows(&frame.report)).unwrap_or_default());
    let window = Memo::new(move |_| stage.frame.get().map(|frame| frame.report.window).unwrap_or_default());
    view! {
        <table class="ledger">
            <caption class="visually-hidden">"Tokens by category"</caption>
            <thead class="visually-hidden">
                <tr>
                    <th scope="col">"Category"</th>
                    <th scope="col">"Tokens"</th>
                    <th scope="col">"Share of the window"</th>
                </tr>
            </thead>
            <tbody>
                {move || {
                    rows.get()
                        .into_iter()
                        .map(|row| {
                            view! {
                                <tr data-level=level_key(row.level) data-row=row.kind>
                                    <th scope="row">
                                        <span class="swatch" data-kind=row.kind aria-hidden="true"></span>
                                        {row.name}
                                    </th>
                                    <td><Tok n=row.tokens /></td>
                                    <td class="share">{percent(row.tokens, window.get())}</td>
                                </tr>
                            }
                        })
                        .collect_view()
                }}
            </tbody>
        </table>
    }
}

const fn level_key(level: Level) -> &'static str {
    match level {
        Level::Part => "part",
        Level::Sum => "sum",
        Level::Inner => "inner",
        Level::Total => "total",
    }
}
