use std::string::String;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::tokens::Profile;

fn encode(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sextet = (word >> (18 - 6 * place) & 63) as usize;
            text.push(if place > chunk.len() { '=' } else { char::from(ALPHABET[sextet]) });
        }
    }
    text
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0]);
    bytes
}

/// A JPEG with `metadata` bytes of application data before its frame header.
fn jpeg(width: u16, height: u16, metadata: u16) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xD8, 0xFF, 0xE1];
    bytes.extend((metadata + 2).to_be_bytes());
    bytes.resize(bytes.len() + usize::from(metadata), 0xC0);
    bytes.extend([0xFF, 0xC4, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 17, 8]);
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.push(3);
    bytes
}

#[test]
fn sizes_are_read_from_headers() {
    assert_eq!(image_size(&encode(&png(1440, 900))), Some((1440, 900)));
    assert_eq!(image_size(&std::format!("data:image/png;base64,{}", encode(&png(3, 5)))), Some((3, 5)));
    assert_eq!(image_size(&encode(b"GIF89a\x40\x01\xf0\x00\x00")), Some((320, 240)));
    assert_eq!(image_size(&encode(&jpeg(4032, 3024, 60_000))), Some((4032, 3024)));
    let webp = |chunk: &[u8]| encode(&[b"RIFF\0\0\0\0WEBP", chunk].concat());
    assert_eq!(image_size(&webp(b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01")), Some((640, 480)));
    assert_eq!(image_size(&webp(b"VP8X\0\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0")), Some((640, 480)));
    // 640 - 1 in 14 bits, then 480 - 1.
    assert_eq!(image_size(&webp(b"VP8L\0\0\0\0\x2f\x7f\xc2\x77\0")), Some((640, 480)));
}

#[test]
fn broken_headers_have_no_size() {
    let whole = jpeg(10, 10, 100);
    for cut in 0..whole.len() - 1 {
        assert_eq!(image_size(&encode(&whole[..cut.min(110)])), None);
    }
    for text in ["", "AAAA", "not base64!", "/9j/", &encode(&png(0, 7)), &encode(&png(1, 1)[..20])] {
        assert_eq!(image_size(text), None, "{text}");
    }
}

#[test]
fn pictures_cost_by_the_published_rule() {
    // The vendor's own table: 200×200 about 54, 1000×1000 about 1,334, 1092×1092 about 1,590 tokens.
    assert_eq!(image(200, 200), Tokens(54));
    assert_eq!(image(1000, 1000), Tokens(1334));
    assert_eq!(image(1092, 1092), Tokens(1590));
    assert_eq!(image(0, 0), Tokens(1));
    assert_eq!(image(3136, 784), image(1568, 392));
    assert_eq!(image(u32::MAX, u32::MAX), UNKNOWN_IMAGE);
}

#[test]
fn documents_cost_by_pages_or_by_text() {
    let estimator = Estimator::new(Profile::Claude);
    let pdf = |body: &str| {
        let data = encode(std::format!("%PDF-1.4\n{body}\n%%EOF").as_bytes());
        document(estimator, "application/pdf", DocumentSource::Base64(&data))
    };
    let three = "<</Type/Pages/Count 3>> <</Type /Page>> <</Type/Page/Parent 1 0 R>> <</Type\n/Page>>";
    assert_eq!(pdf(three), Tokens(3 * 2333));
    assert_eq!(pdf("<</Type/Pages /Count 12>> <</Count 5>>"), Tokens(12 * 2333));
    assert_eq!(pdf("packed"), Tokens(10 * 2333));
    assert_eq!(pdf("/Count 999999999999999999999"), Tokens(600 * 2333));
    assert_eq!(document(estimator, "application/pdf", DocumentSource::Remote), Tokens(10 * 2333));

    let text = "A plain document, in a few words.";
    let data = encode(text.as_bytes());
    assert_eq!(document(estimator, "text/plain", DocumentSource::Base64(&data)), estimator.text(text));
    assert_eq!(document(estimator, "text/plain", DocumentSource::Text(text)), estimator.text(text));
}

proptest! {
    #[test]
    fn a10_a_picture_costs_the_same_however_long_its_encoding(width in 1_u32..5000, height in 1_u32..5000, tail in 0_usize..4096) {
        let mut bytes = png(width, height);
        bytes.resize(bytes.len() + tail, 0x5A);
        prop_assert_eq!(image_size(&encode(&bytes)), Some((width, height)));
    }

    #[test]
    fn a10_pictures_are_bounded_and_grow_with_their_sides(width in 1_u32..1568, height in 1_u32..1568) {
        let cost = image(width, height);
        prop_assert!(cost >= Tokens(1) && cost <= UNKNOWN_IMAGE);
        prop_assert!(image(width + 1, height) >= cost);
        prop_assert_eq!(image(width, height), image(height, width));
    }

    #[test]
    fn a13_any_bytes_are_safe(mut bytes: Vec<u8>, head in 0_usize..5, text: String) {
        let magic: [&[u8]; 5] = [b"\x89PNG", b"\xFF\xD8\xFF", b"GIF8", b"RIFF\0\0\0\0WEBPVP8X", b"%PDF /Count /Type"];
        bytes.splice(0..0, magic[head].iter().copied());
        let data = encode(&bytes);
        for text in [data.as_str(), text.as_str()] {
            let _ = image_size(text);
            for kind in ["application/pdf", "text/plain"] {
                let cost = document(Estimator::default(), kind, DocumentSource::Base64(text));
                prop_assert!(cost <= Tokens(600 * 2333));
            }
        }
    }
}
