//! Every real Claude Code transcript of the corpus is read, and every line of it accounted for.
#![allow(missing_docs, clippy::print_stdout)]

use palimpsest_core::transcript::{Log, Session};
use palimpsest_tests::{corpus, files};

#[test]
fn every_line_falls_in_one_class_and_every_file_loads() {
    let Some(corpus) = corpus() else { return };
    let files = files(&corpus.join("transcripts/claude-code"), "jsonl");
    assert!(files.len() > 30, "the corpus has more files than {}", files.len());
    for file in files {
        let bytes = std::fs::read(&file).expect("readable");
        let log = Log::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let breaks = bytes.split(|&byte| byte == b'\n').count() as u64 - 1;
        let open_end = u64::from(bytes.last().is_some_and(|&last| last != b'\n'));
        assert_eq!(log.lines.total(), breaks + open_end, "{}", file.display());
        let session = Session::load(&log);
        println!(
            "{} {:?} view {} archive {} boundaries {} {:?}",
            file.strip_prefix(&corpus).expect("inside").display(),
            log.lines,
            session.view.len(),
            session.archive.len(),
            session.boundaries.len(),
            log.diagnostics.iter().chain(&session.diagnostics).map(ToString::to_string).collect::<Vec<_>>()
        );
    }
}
