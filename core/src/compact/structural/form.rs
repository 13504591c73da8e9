//! The text's form, written and read back.
//!
//! ```text
//! ## Files and code (3 left out)      a section: one of nine names, and how many entries it lost
//! - edited src/lib.rs                 an entry
//! - a request                         another one, of several lines:
//! its second line                     as it was,
//!  - its third                        but one blank before what would begin an entry or a section
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::compact::summary::SECTIONS;

/// What is said when nothing else fits.
pub(super) const NOTHING: &str = "(earlier messages left out)";

/// Ends a text in which not even the headings of all sections that were left out have room.
pub(super) const MORE: &str = "## (more left out)";

/// A section: the nine of every summary, and one for what a model wrote before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    Request,
    Files,
    Errors,
    Solving,
    Messages,
    Tasks,
    Work,
    Next,
    Earlier,
}

impl Name {
    /// All that a structural summary can have, in the order of the text.
    pub(super) const ALL: [Self; 9] = [
        Self::Earlier,
        Self::Request,
        Self::Files,
        Self::Errors,
        Self::Solving,
        Self::Messages,
        Self::Tasks,
        Self::Work,
        Self::Next,
    ];

    /// The words of its heading.
    pub(super) fn title(self) -> &'static str {
        let at = match self {
            Self::Request => 0,
            Self::Files => 2,
            Self::Errors => 3,
            Self::Solving => 4,
            Self::Messages => 5,
            Self::Tasks => 6,
            Self::Work => 7,
            Self::Next => 8,
            Self::Earlier => return "Earlier summary, written by a model",
        };
        SECTIONS.get(at).copied().unwrap_or_default()
    }
}

/// One line or quotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its words, defused.
    pub(super) text: String,
    /// A short form that is whole in itself; without one an excerpt of the words is made where they are too long.
    pub(super) brief: Option<String>,
    /// How many times the usual brief length an excerpt of it may have.
    pub(super) weight: u64,
    /// Which entry of the section is taken first: the lowest.
    pub(super) rank: usize,
}

impl Entry {
    /// An entry of these words.
    pub(super) fn new(text: impl Into<String>, rank: usize) -> Self {
        Self { text: text.into(), brief: None, weight: 1, rank }
    }
}

/// A section before the budget is applied: entries in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: Name,
    pub(super) entries: Vec<Entry>,
    /// How many entries earlier generations left out.
    pub(super) omitted: usize,
}

/// A section's heading line.
pub(super) fn heading(name: Name, omitted: usize) -> String {
    match omitted {
        0 => format!("## {}\n", name.title()),
        count => format!("## {} ({count} left out)\n", name.title()),
    }
}

/// An entry's lines.
pub(super) fn entry(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    for (number, line) in text.trim_end().split('\n').enumerate() {
        if number == 0 {
            out.push_str("- ");
        } else if is_mark(line.trim_start_matches(' ')) {
            out.push(' ');
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn is_mark(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("## ")
}

/// Reads a structural summary back; `None` for any other text.
pub(super) fn read(text: &str) -> Option<Vec<Section>> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("## "));
    // Before the first heading there is nothing, or the line that says what the summary stands for.
    let before = text.lines().take_while(|line| !line.starts_with("## "));
    if before.filter(|line| !line.trim().is_empty()).any(|line| !line.starts_with('[')) {
        return None;
    }
    let (name, omitted) = read_heading(lines.next()?)?;
    let mut sections = alloc::vec![Section { name, entries: Vec::new(), omitted }];
    for line in lines.filter(|line| *line != MORE) {
        if let Some((name, omitted)) = read_heading(line) {
            sections.push(Section { name, entries: Vec::new(), omitted });
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        match (line.strip_prefix("- "), section.entries.last_mut()) {
            (Some(first), _) => section.entries.push(Entry::new(first, 0)),
            (None, Some(entry)) => {
                let indented = line.starts_with(' ') && is_mark(line.trim_start_matches(' '));
                let line = if indented { line.strip_prefix(' ').unwrap_or(line) } else { line };
                entry.text.push('\n');
                entry.text.push_str(line);
            }
            (None, None) if line.trim().is_empty() => {}
            (None, None) => section.entries.push(Entry::new(line, 0)),
        }
    }
    for entry in sections.iter_mut().flat_map(|section| &mut section.entries) {
        entry.text.truncate(entry.text.trim_end().len());
    }
    Some(sections)
}

fn read_heading(line: &str) -> Option<(Name, usize)> {
    let title = line.strip_prefix("## ")?;
    let known = |title: &str| Name::ALL.into_iter().find(|name| name.title() == title);
    if let Some(name) = known(title) {
        return Some((name, 0));
    }
    let (title, count) = title.strip_suffix(" left out)")?.rsplit_once(" (")?;
    Some((known(title)?, count.parse().ok()?))
}
