//! Everything a session file tells.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::account::{Account, Accountant, ordered};
use super::usage::{Lifetime, Reported, safe};
use super::window::{WindowParts, WindowReport};
use crate::message::{Item, MessageId, Origin};
use crate::request::View;
use crate::tokens::{Estimator, Factor, Ledger};
use crate::transcript::{Boundary, Diagnostic, EntryKind, LineCounts, Log, Session};
use crate::unit::{Bytes, Tokens};
use crate::window::Policy;

/// The window that is assumed when nobody says which: that of most models a session file comes from.
pub const USUAL_WINDOW: Tokens = Tokens(200_000);
/// The window that is assumed when the file shows a request larger than [`USUAL_WINDOW`].
pub const LARGE_WINDOW: Tokens = Tokens(1_000_000);

/// The file itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(hashmap_as_object))]
#[serde(rename_all = "camelCase")]
pub struct FileFacts {
    /// Its size.
    pub bytes: Bytes,
    /// How many physical lines it has: the sum of `lines`.
    pub line_count: u64,
    /// Its lines by class.
    pub lines: LineCounts,
    /// How many records were read from them.
    pub records: u64,
    /// Records by `type`, with `/subtype` where they have one.
    pub record_types: BTreeMap<String, usize>,
    /// How many of the records belong to subagents.
    pub sidechain_records: u64,
    /// How many records clear old tool results.
    pub clearings: u64,
}

/// A session file, opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// The file itself.
    pub file: FileFacts,
    /// The session's id.
    pub session_id: Option<String>,
    /// The title that its host gave it.
    pub title: Option<String>,
    /// The model of the newest response.
    pub model: Option<String>,
    /// The policy whose lines are drawn into the window.
    pub policy: String,
    /// True when nobody said how large the window is, so that it was assumed.
    pub window_assumed: bool,
    /// What the model would see next, in its window.
    pub window: WindowReport,
    /// The same, added up: everything since the newest boundary, its summary first.
    pub view: Account,
    /// The whole conversation, compacted parts too, without the summaries that stand for them. Results that were
    /// cleared or shortened count as they stand in the view.
    pub history: Account,
    /// The provider's count of the newest request in the view.
    pub reported: Option<Reported>,
    /// Sums over all requests of the file.
    pub lifetime: Lifetime,
    /// The compactions, oldest first; their numbers are the file's own.
    pub boundaries: Vec<Boundary>,
    /// What was wrong with the file, by line; findings about the whole file first.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more findings there were than are listed.
    pub more_diagnostics: u64,
}

impl Inspection {
    /// Adds up a file and the conversation in it. Without a `window` one is assumed: [`USUAL_WINDOW`], or
    /// [`LARGE_WINDOW`] when a request of the file was larger.
    pub fn of(log: &Log, session: &Session, policy: &Policy, window: Option<Tokens>) -> Self {
        let estimator = Estimator::new(policy.profile);
        let places = Places::of(log, session);
        let lifetime = Lifetime::of(log);
        let assumed = if lifetime.peak > USUAL_WINDOW { LARGE_WINDOW } else { USUAL_WINDOW };
        let view = View::of(session.view.iter().cloned(), estimator);
        let reported = Reported::of(session, &view, &places);
        let window_report = WindowReport::of(&WindowParts {
            model: session.model.as_deref().unwrap_or_default(),
            thresholds: policy.clone().with_window(window.unwrap_or(assumed)).thresholds(),
            prelude: Ledger::new(),
            view: &view,
            factor: Factor::ONE,
            unseen: reported.as_ref().map(|reported| reported.unseen).unwrap_or_default(),
        });
        let mut diagnostics = log.diagnostics.clone();
        diagnostics.extend(session.diagnostics.iter().cloned());
        let diagnostics = ordered(diagnostics, |found| found.line);
        Self {
            file: FileFacts::of(log),
            session_id: session.session_id.clone(),
            title: session.title.clone(),
            model: session.model.clone(),
            policy: policy.name.clone(),
            window_assumed: window.is_none(),
            window: window_report,
            view: account(&view, &places),
            history: account(&history(session, &places, estimator), &places),
            reported,
            lifetime,
            boundaries: session.boundaries.iter().map(bounded).collect(),
            diagnostics,
            more_diagnostics: log.more_diagnostics,
        }
    }
}

impl FileFacts {
    fn of(log: &Log) -> Self {
        let mut facts = Self {
            bytes: log.bytes,
            line_count: log.lines.total(),
            lines: log.lines,
            records: log.entries.len() as u64,
            ..Self::default()
        };
        for entry in &log.entries {
            *facts.record_types.entry(entry.type_name.clone()).or_default() += 1;
            facts.sidechain_records += u64::from(entry.sidechain);
            facts.clearings += u64::from(entry.kind == EntryKind::MicroBoundary);
        }
        facts
    }
}

fn account(view: &View, places: &Places) -> Account {
    let mut accountant = Accountant::new(view.estimator(), places);
    for entry in view.entries() {
        accountant.add(entry);
    }
    accountant.finish()
}

/// Everything that was said, each item once: a boundary's kept tail stands in the archive and in the view.
fn history(session: &Session, places: &Places, estimator: Estimator) -> View {
    let is_summary = |item: &Item| item.as_user().is_some_and(|message| message.origin == Origin::Summary);
    let all = session.archive.iter().chain(&session.view).enumerate();
    let news = all.filter(|(at, item)| !is_summary(item) && places.is_first(item.id(), *at));
    View::of(news.map(|(_, item)| item.clone()), estimator)
}

fn bounded(boundary: &Boundary) -> Boundary {
    Boundary { before: safe(boundary.before), after: safe(boundary.after), ..boundary.clone() }
}

/// Where each record stands.
pub(super) struct Places(BTreeMap<MessageId, Place>);

#[derive(Default)]
struct Place {
    /// Its line in the file; 0 when it has no id of its own.
    line: u64,
    /// Its turn in the session, from 1; 0 before the first request.
    turn: u64,
    /// Its index in archive and view together.
    first: Option<usize>,
}

impl Places {
    fn of(log: &Log, session: &Session) -> Self {
        let mut places = Self(BTreeMap::new());
        for entry in &log.entries {
            if let Some(id) = &entry.id {
                let place = places.0.entry(id.clone()).or_default();
                place.line = if place.line == 0 { entry.line } else { place.line };
            }
        }
        let mut turn = 0;
        for (at, item) in session.archive.iter().chain(&session.view).enumerate() {
            let place = places.0.entry(item.id().clone()).or_default();
            if place.first.is_none() {
                turn += u64::from(item.is_human());
                (place.turn, place.first) = (turn, Some(at));
            }
        }
        places
    }

    /// The line of a record; 0 when the file has none of this id. A record without an id is known by its line.
    pub(super) fn line(&self, id: &MessageId) -> u64 {
        let by_name = || id.as_str().strip_prefix("line-")?.parse().ok();
        self.0.get(id).map(|place| place.line).filter(|&line| line > 0).or_else(by_name).unwrap_or(0)
    }

    /// In which turn of the session an item stands, from 1; 0 before the first request.
    pub(super) fn turn(&self, id: &MessageId) -> u64 {
        self.0.get(id).map_or(0, |place| place.turn)
    }

    /// Whether the item at this index of archive and view together is the first with its id.
    fn is_first(&self, id: &MessageId, at: usize) -> bool {
        self.0.get(id).is_some_and(|place| place.first == Some(at))
    }
}
