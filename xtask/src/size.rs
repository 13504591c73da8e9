//! What the user has to download, gzipped, against the limits that the project sets itself.

use crate::build::files;
use crate::run::{Error, Result, say};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Limit of the npm package's wasm file, in gzipped bytes.
const PACKAGE_WASM: usize = 250_000;
/// Limit of the whole page, in gzipped bytes.
const PAGE: usize = 700_000;

/// The bytes as a server sends them to a browser that takes gzip.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // A vector takes every write.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Fails when the npm package's wasm file is over its limit.
pub(crate) fn check_package(wasm: &Path) -> Result {
    check("npm package's wasm", gzipped(wasm)?, PACKAGE_WASM)
}

/// Fails when everything that the page can load is together over the limit; names every file's part.
pub(crate) fn check_page(folder: &Path) -> Result {
    let mut total = 0;
    for file in files(folder)? {
        let size = gzipped(&file)?;
        println!("  {:>9} {}", thousands(size), file.strip_prefix(folder).unwrap_or(&file).display());
        total += size;
    }
    check("page", total, PAGE)
}

fn gzipped(file: &Path) -> Result<usize> {
    fs::read(file).map(|bytes| gzip(&bytes).len()).map_err(|error| Error::file("read", file, &error))
}

fn check(what: &str, size: usize, limit: usize) -> Result {
    let text = format!("{what}: {} bytes gzipped, of {} allowed", thousands(size), thousands(limit));
    if size > limit {
        return Err(Error::new(format!("{text}: too large"), "Find what grew: twiggy, or the sizes above."));
    }
    say(text);
    Ok(())
}

/// `1234567` as `1,234,567`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn groups_digits() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn gzip_comes_back() {
        let mut text = String::new();
        let bytes = gzip(b"again and again and again and again");
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "again and again and again and again");
    }

    #[test]
    fn over_the_limit_fails() {
        assert!(check("thing", 700_000, 700_000).is_ok());
        let error = check("thing", 700_001, 700_000).unwrap_err().to_string();
        assert!(error.contains("700,001"), "{error}");
    }
}
