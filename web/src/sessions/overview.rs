//! The file in numbers: lines by class, messages, what ate the window, compactions, findings. All from `inspect`.

use std::sync::Arc;

use leptos::prelude::*;
use palimpsest_core::inspect::{Account, FileFacts, Inspection};
use palimpsest_core::transcript::{Boundary, Diagnostic};

use super::opened::Sessions;
use crate::format::{counted, grouped, short, size};
use crate::stage::Tok;
use crate::state::{Pane, Stage};

/// How many findings are shown before the rest is asked for.
const FINDINGS: usize = 5;

#[component]
pub(crate) fn Overview(sessions: Sessions) -> impl IntoView {
    move || {
        let inspection = sessions.inspection.get()?;
        let name = sessions.opened.with(|opened| opened.as_ref().map(|opened| opened.name.clone()))?;
        Some(view! { <Summary inspection name stage=sessions.stage /> })
    }
}

#[component]
fn Summary(inspection: Arc<Inspection>, name: String, stage: Stage) -> impl IntoView {
    let history = &inspection.history;
    let messages = history.messages;
    let title = inspection.title.clone();
    let reported = inspection.reported.as_ref().map(|reported| reported.context);
    view! {
        <section class="overview" aria-label="Overview">
            <header class="overview-head">
                <h2>{name}</h2>
                {title.map(|title| view! { <p class="quiet">{title}</p> })}
            </header>
            <dl class="numbers">
                <Number name="Messages" value=grouped(messages.user + messages.assistant) note=format!("{} from a person", grouped(messages.requests)) />
                <Number name="Turns" value=grouped(history.turns) note=counted(inspection.lifetime.requests, "request") />
                <Number name="Whole history" value=short(history.total) note="by estimate".to_owned() />
                <Number
                    name="Newest request"
                    value=reported.map_or_else(|| "?".to_owned(), short)
                    note=if reported.is_some() { "as the provider counted" } else { "no usage in the file" }.to_owned()
                />
                <Number name="Compactions" value=grouped(inspection.boundaries.len() as u64) note=counted(inspection.file.clearings, "clearing") />
            </dl>
            <div class="overview-parts">
                <Lines file=inspection.file.clone() />
                <AteMost account=history.clone() stage />
                <Tools account=history.clone() />
                <Repeated account=history.clone() />
                <Boundaries boundaries=inspection.boundaries.clone() />
                <Findings findings=inspection.diagnostics.clone() more=inspection.more_diagnostics />
            </div>
        </section>
    }
}

#[component]
fn Number(name: &'static str, value: String, note: String) -> impl IntoView {
    view! {
        <div class="number">
            <dt>{name}</dt>
            <dd>{value}</dd>
            <dd class="quiet">{note}</dd>
        </div>
    }
}

/// Each physical line is in exactly one class.
#[component]
fn Lines(file: FileFacts) -> impl IntoView {
    let lines = file.lines;
    let classes = [
        ("one record", "record", lines.record),
        ("joined records", "joined", lines.joined),
        ("blank", "blank", lines.blank),
        ("unreadable", "unreadable", lines.unreadable),
    ];
    view! {
        <details class="part">
            <summary>
                <h3>"File"</h3>
                {format!("{}, {}", size(file.bytes), counted(file.line_count, "line"))}
            </summary>
            <table class="plain" data-lines=file.line_count.to_string()>
                <caption class="visually-hidden">"Lines by class"</caption>
                <tbody>
                    {classes
                        .map(|(label, key, count)| {
                            view! {
                                <tr data-class=key data-count=count.to_string()>
                                    <th scope="row">{label}</th>
                                    <td>{grouped(count)}</td>
                                </tr>
                            }
                        })}
                    <tr class="sum">
                        <th scope="row">"lines"</th>
                        <td>{grouped(file.line_count)}</td>
                    </tr>
                    <tr>
                        <th scope="row">"records read"</th>
                        <td data-records=file.records.to_string()>{grouped(file.records)}</td>
                    </tr>
                    <tr>
                        <th scope="row">"of them subagents'"</th>
                        <td>{grouped(file.sidechain_records)}</td>
                    </tr>
                </tbody>
            </table>
        </details>
    }
}

#[component]
fn AteMost(account: Account, stage: Stage) -> impl IntoView {
    let first = account.largest.first().map(|item| format!("{}: {}", item.label, short(item.tokens)));
    view! {
        <details class="part">
            <summary><h3>"Largest items"</h3>{first}</summary>
            <table class="plain">
                <thead>
                    <tr><th scope="col">"Item"</th><th scope="col">"Line"</th><th scope="col">"Tokens"</th></tr>
                </thead>
                <tbody>
                    {account
                        .largest
                        .into_iter()
                        .map(|item| {
                            let id = item.id.clone();
                            view! {
                                <tr>
                                    <td>
                                        <span class="swatch" data-kind=item.category.key() aria-hidden="true"></span>
                                        <button type="button" class="link" on:click=move |_| {
                                            stage.pick(&id);
                                            stage.pane.set(Pane::Inspector);
                                        }>
                                            {item.label}
                                        </button>
                                    </td>
                                    <td>{item.line}</td>
                                    <td><Tok n=item.tokens /></td>
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </details>
    }
}

#[component]
fn Tools(account: Account) -> impl IntoView {
    let first = account.tools.first().map(|tool| format!("{}: {}", tool.name, short(tool.tokens)));
    (!account.tools.is_empty()).then(|| {
        view! {
            <details class="part">
                <summary><h3>"By tool"</h3>{first}</summary>
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">"Tool"</th>
                            <th scope="col">"Calls"</th>
                            <th scope="col">"Failed"</th>
                            <th scope="col">"Tokens"</th>
                        </tr>
                    </thead>
                    <tbody>
                        {account
                            .tools
                            .into_iter()
                            .map(|tool| {
                                view! {
                                    <tr>
                                        <th scope="row">{tool.name}</th>
                                        <td>{grouped(tool.calls)}</td>
                                        <td>{grouped(tool.errors)}</td>
                                        <td><Tok n=tool.tokens /></td>
                                    </tr>
                                }
                            })
                            .collect_view()}
                    </tbody>
                </table>
            </details>
        }
    })
}

#[component]
fn Repeated(account: Account) -> impl IntoView {
    let count = account.repeated.len() as u64;
    (count > 0).then(|| {
        view! {
            <details class="part">
                <summary><h3>"Read again"</h3>{counted(count, "file")}</summary>
                <table class="plain">
                    <thead>
                        <tr><th scope="col">"File"</th><th scope="col">"Times"</th><th scope="col">"Tokens"</th></tr>
                    </thead>
                    <tbody>
                        {account
                            .repeated
                            .into_iter()
                            .map(|file| {
                                view! {
                                    <tr>
                                        <th scope="row" class="path">{file.path}</th>
                                        <td>{grouped(file.times)}</td>
                                        <td><Tok n=file.tokens /></td>
                                    </tr>
                                }
                            })
                            .collect_view()}
                    </tbody>
                </table>
            </details>
        }
    })
}

#[component]
fn Boundaries(boundaries: Vec<Boundary>) -> impl IntoView {
    let last = boundaries.last().map(|last| format!("the newest at line {}", grouped(last.line)));
    (!boundaries.is_empty()).then(|| {
        view! {
            <details class="part">
                <summary><h3>"Compactions"</h3>{last}</summary>
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">"Line"</th>
                            <th scope="col">"Set off by"</th>
                            <th scope="col">"Before"</th>
                            <th scope="col">"After"</th>
                        </tr>
                    </thead>
                    <tbody>
                        {boundaries
                            .into_iter()
                            .map(|boundary| {
                                view! {
                                    <tr>
                                        <td>{grouped(boundary.line)}</td>
                                        <td>{boundary.trigger}</td>
                                        <td>{told(boundary.before)}</td>
                                        <td>{told(boundary.after)}</td>
                                    </tr>
                                }
                            })
                            .collect_view()}
                    </tbody>
                </table>
            </details>
        }
    })
}

/// A number that the file's writer gave; 0 means that it gave none.
fn told(tokens: palimpsest_core::unit::Tokens) -> AnyView {
    if tokens.is_zero() { "not told".into_any() } else { view! { <Tok n=tokens /> }.into_any() }
}

#[component]
fn Findings(findings: Vec<Diagnostic>, more: u64) -> impl IntoView {
    let count = findings.len() as u64 + more;
    let all = RwSignal::new(false);
    let findings = StoredValue::new(findings);
    let shown = move || {
        let findings = findings.get_value();
        let upto = if all.get() { findings.len() } else { FINDINGS };
        findings.into_iter().take(upto).map(|found| view! { <li>{found.to_string()}</li> }).collect_view()
    };
    (count > 0).then(|| {
        view! {
            <details class="part findings" open>
                <summary><h3>"Findings"</h3>{counted(count, "finding")}</summary>
                <ul>{shown}</ul>
                <Show when=move || { !all.get() && count > FINDINGS as u64 }>
                    <button type="button" class="link" on:click=move |_| all.set(true)>{format!("Show all {count}")}</button>
                </Show>
            </details>
        }
    })
}
