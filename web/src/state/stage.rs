//! Where one stands in a story, and what is picked out of it. Each place of the page has its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use palimpsest_core::inspect::WindowReport;

use super::story::{Frame, Marker, Story};

/// A column; on a narrow screen one shows at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pane {
    Conversation,
    Window,
    Inspector,
}

/// A page of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    /// What happened, step by step.
    Steps,
    /// The picked item.
    Item,
    /// The request as sent.
    Request,
}

/// The signals that the columns and the transport share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stage {
    pub story: RwSignal<Story>,
    pub step: RwSignal<usize>,
    pub playing: RwSignal<bool>,
    /// How many times as fast as at first.
    pub speed: RwSignal<u32>,
    /// The id of the picked item, or `@category` for a part that is no message.
    pub selected: RwSignal<Option<String>>,
    pub tab: RwSignal<Tab>,
    pub pane: RwSignal<Pane>,
    /// The frame of the step; `None` only for a story without frames.
    pub frame: Memo<Option<Frame>>,
    /// The window one step earlier, where that was another one.
    pub before: Memo<Option<Frame>>,
    /// The last step.
    pub last: Memo<usize>,
    /// Where the tiers acted.
    pub markers: Memo<Vec<Marker>>,
    /// Where each item of the window is in its report.
    pub rows: Memo<Rows>,
}

impl Stage {
    pub(crate) fn new(tab: Tab) -> Self {
        let story = RwSignal::new(Story::default());
        let step = RwSignal::new(0_usize);
        let at = move |step: usize| story.with(|story| story.frames.get(step).cloned());
        let frame = Memo::new(move |_| at(step.get()));
        let before = Memo::new(move |_| {
            let (now, earlier) = (at(step.get())?, at(step.get().checked_sub(1)?)?);
            (!Arc::ptr_eq(&now.report, &earlier.report)).then_some(earlier)
        });
        Self {
            story,
            step,
            playing: RwSignal::new(false),
            speed: RwSignal::new(1),
            selected: RwSignal::new(None),
            tab: RwSignal::new(tab),
            pane: RwSignal::new(Pane::Window),
            frame,
            before,
            last: Memo::new(move |_| story.with(Story::last)),
            markers: Memo::new(move |_| story.with(Story::markers)),
            rows: Memo::new(move |_| Rows::of(frame.get().map(|frame| frame.report))),
        }
    }

    /// Goes to a step; past the ends is at the ends.
    pub(crate) fn go(&self, step: usize) {
        self.step.set(step.min(self.last.get_untracked()));
    }

    /// Goes `by` steps on or back, and stops playing.
    pub(crate) fn walk(&self, by: isize) {
        self.playing.set(false);
        self.go(self.step.get_untracked().saturating_add_signed(by));
    }

    /// Plays or pauses; at the end it begins anew.
    pub(crate) fn toggle(&self) {
        let play = !self.playing.get_untracked();
        if play && self.step.get_untracked() >= self.last.get_untracked() {
            self.step.set(0);
        }
        self.playing.set(play);
    }

    /// Picks an item and shows it in the inspector.
    pub(crate) fn pick(&self, id: &str) {
        self.selected.set(Some(id.to_owned()));
        self.tab.set(Tab::Item);
    }

    /// True while the item is picked; a reader of it is told of changes.
    pub(crate) fn is_picked(&self, id: &str) -> bool {
        self.selected.with(|selected| selected.as_deref() == Some(id))
    }
}

/// Where each item is in a report, by id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    report: Option<Arc<WindowReport>>,
    places: Arc<BTreeMap<String, usize>>,
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        match (&self.report, &other.report) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Rows {
    fn of(report: Option<Arc<WindowReport>>) -> Self {
        let ids = report.iter().flat_map(|report| report.items.iter().enumerate());
        let places = Arc::new(ids.map(|(at, item)| (item.id.clone(), at)).collect());
        Self { report, places }
    }

    /// The item of this id, when it is in the window.
    pub(crate) fn get(&self, id: &str) -> Option<&palimpsest_core::inspect::ItemRow> {
        self.report.as_ref()?.items.get(*self.places.get(id)?)
    }
}
