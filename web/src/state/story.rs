//! A story: one frame for each event of the engine, and the record it rests on.

use std::sync::Arc;

use palimpsest_core::agent::{Event, Purpose};
use palimpsest_core::inspect::WindowReport;
use palimpsest_core::request::Request;
use palimpsest_core::transcript::{Entry, EntryKind};
use palimpsest_core::unit::Tokens;

use super::events::{Told, Tone, tell};
use super::turn::Turns;
use crate::format::first_line;

/// A request as it was handed out.
#[derive(Debug)]
pub(crate) struct Sent {
    pub purpose: Purpose,
    pub request: Request,
}

/// A moment: what happened and how the window stood then. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Its place in the story, from 0.
    pub step: usize,
    /// What happened; nothing yet in the first.
    pub event: Option<Arc<Event>>,
    /// The window then.
    pub report: Arc<WindowReport>,
    /// The newest request handed out by then.
    pub sent: Option<Arc<Sent>>,
    /// How many records had been stored by then.
    pub records: usize,
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        let event = match (&self.event, &other.event) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        let sent = match (&self.sent, &other.sent) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        event && sent && self.step == other.step && Arc::ptr_eq(&self.report, &other.report)
    }
}

impl Frame {
    /// What everything in the window costs, the parts a file does not hold included.
    pub(crate) fn used(&self) -> Tokens {
        self.report.gauge.used
    }

    /// The event in words.
    pub(crate) fn told(&self) -> Told {
        self.event.as_deref().map_or_else(Told::beginning, tell)
    }
}

/// A point of the timeline that stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marker {
    pub step: usize,
    pub tone: Tone,
}

/// Frames and the record under them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Story {
    pub frames: Vec<Frame>,
    pub turns: Turns,
    /// The frames of the engine's newest move, from here on: what it stores next belongs to them.
    newest: usize,
    /// The first of them at which the window changed.
    turning: usize,
}

impl Story {
    /// A still picture: one window, one record.
    pub(crate) fn still(report: WindowReport, turns: Turns) -> Self {
        let records = turns.records();
        let frame = Frame { step: 0, event: None, report: Arc::new(report), sent: None, records };
        Self { frames: vec![frame], turns, newest: 1, turning: 1 }
    }

    /// The last step; 0 for a story without frames.
    pub(crate) fn last(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// Takes a stored record. The engine tells its events first and stores then, so the record is there from the
    /// first frame of the newest move on; a tier's own record from the frame where the window changed.
    pub(crate) fn record(&mut self, entry: &Entry) {
        self.turns.push(entry);
        if matches!(
            entry.kind,
            EntryKind::CompactBoundary | EntryKind::MicroBoundary | EntryKind::Replacement
        ) {
            self.newest = self.turning;
        }
        let records = self.turns.records();
        for frame in self.frames.iter_mut().skip(self.newest) {
            frame.records = records;
        }
    }

    /// Takes the events of one move of the engine and the window after it.
    ///
    /// The engine tells its events after the move is made. The frames before the event that changed the window
    /// therefore show it as it was before, so that a tier's step is where the picture changes.
    pub(crate) fn moved(&mut self, events: Vec<Event>, report: WindowReport) {
        let report = Arc::new(report);
        let (before, sent) = match self.frames.last() {
            Some(frame) => (frame.report.clone(), frame.sent.clone()),
            None => (report.clone(), None),
        };
        let turning = events.iter().position(|event| tell(event).changes_window).unwrap_or(0);
        self.newest = self.frames.len();
        self.turning = self.newest + turning;
        for (at, event) in events.into_iter().enumerate() {
            self.frames.push(Frame {
                step: self.frames.len(),
                event: Some(Arc::new(event)),
                report: if at < turning { before.clone() } else { report.clone() },
                sent: sent.clone(),
                records: self.turns.records(),
            });
        }
    }

    /// Takes the request that the newest [`Event::RequestSent`] told of: the engine tells of it before it hands it
    /// out.
    pub(crate) fn asked(&mut self, sent: &Arc<Sent>) {
        for frame in self.frames.iter_mut().rev() {
            frame.sent = Some(Arc::clone(sent));
            if matches!(frame.event.as_deref(), Some(Event::RequestSent { .. })) {
                break;
            }
        }
    }

    /// The event of a frame in words; a turn's beginning in the user's.
    pub(crate) fn told(&self, frame: &Frame) -> Told {
        let mut told = frame.told();
        if let Some(Event::TurnStarted { message }) = frame.event.as_deref() {
            let turn = self.turns.all().iter().rev().find(|turn| turn.id == *message);
            let words = turn.map(|turn| first_line(&turn.words(), 80)).unwrap_or_default();
            if !words.is_empty() {
                told.title = format!("“{words}”");
            }
        }
        told
    }

    /// Where the tiers acted.
    pub(crate) fn markers(&self) -> Vec<Marker> {
        let marker = |frame: &Frame| {
            let tone = frame.told().tone;
            tone.is_marked().then_some(Marker { step: frame.step, tone })
        };
        self.frames.iter().filter_map(marker).collect()
    }
}
