//! What the model sees: counted items in order, derived from the record and never the record itself.
//!
//! Each item is counted once, when it comes in or is replaced; the sum is kept, so asking for it costs nothing.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cost::item_cost;
use crate::message::Item;
use crate::tokens::{Estimator, Ledger};

/// An item with what it costs, uncalibrated.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The item.
    pub item: Arc<Item>,
    /// Its raw estimate by category.
    pub cost: Ledger,
}

/// The items of the next request.
#[derive(Debug, Clone)]
pub struct View {
    estimator: Estimator,
    entries: Vec<Counted>,
    ledger: Ledger,
}

impl View {
    /// An empty view.
    pub fn new(estimator: Estimator) -> Self {
        Self { estimator, entries: Vec::new(), ledger: Ledger::new() }
    }

    /// A view of items that are there already.
    pub fn of(items: impl IntoIterator<Item = Arc<Item>>, estimator: Estimator) -> Self {
        let mut view = Self::new(estimator);
        for item in items {
            view.push(item);
        }
        view
    }

    /// The estimator that counts it.
    pub fn estimator(&self) -> Estimator {
        self.estimator
    }

    /// Its items with their costs.
    pub fn entries(&self) -> &[Counted] {
        &self.entries
    }

    /// Its items.
    pub fn items(&self) -> Vec<Arc<Item>> {
        self.entries.iter().map(|entry| entry.item.clone()).collect()
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without items.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The raw estimate of all items by category.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: impl Into<Arc<Item>>) {
        let item = item.into();
        let cost = item_cost(&item, self.estimator);
        self.ledger += cost;
        self.entries.push(Counted { item, cost });
    }

    /// Adds an item that was counted before.
    pub fn push_counted(&mut self, entry: Counted) {
        self.ledger += entry.cost;
        self.entries.push(entry);
    }

    /// Puts another item in the place of one; an index beyond the end does nothing.
    pub fn replace(&mut self, at: usize, item: impl Into<Arc<Item>>) {
        let Some(entry) = self.entries.get_mut(at) else { return };
        let item = item.into();
        let cost = item_cost(&item, self.estimator);
        self.ledger = self.ledger - entry.cost + cost;
        *entry = Counted { item, cost };
    }

    /// Changes a copy of the item at `at` and puts it in its place.
    pub fn edit(&mut self, at: usize, change: impl FnOnce(&mut Item)) {
        if let Some(entry) = self.entries.get(at) {
            let mut item = entry.item.as_ref().clone();
            change(&mut item);
            self.replace(at, item);
        }
    }

    /// The index of the newest thing a person asked.
    pub fn live_request(&self) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.item.is_human())
    }

    /// The raw cost of the items from `at` on.
    pub fn cost_from(&self, at: usize) -> Ledger {
        self.entries.iter().skip(at).fold(Ledger::new(), |sum, entry| sum + entry.cost)
    }
}
