//! The two long files: made by code, the same on every run.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Zones in the order of the source; two make a lane.
const ZONES: [&str; 6] = ["BALT", "BOTH", "ISLE", "NORD", "SOUTH", "WEST"];
/// Lanes that the dump lacks, so that a comparison finds something.
const MISSING: [&str; 2] = ["BOTH-ISLE", "BOTH-SOUTH"];

/// A linear congruential generator: enough to make numbers look measured.
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// A dump of the tariff service: one object a lane, with its last revisions.
pub(super) fn tariffs() -> String {
    let mut noise = Noise(311);
    let mut lanes = Vec::new();
    for (at, from) in ZONES.iter().enumerate() {
        for to in ZONES.iter().skip(at) {
            let lane = format!("{from}-{to}");
            if MISSING.contains(&lane.as_str()) {
                continue;
            }
            let price = 24 + noise.below(40);
            let history: Vec<String> = (0..3)
                .map(|age| {
                    let revision = 311 - age * (3 + noise.below(4));
                    let old = price - noise.below(5);
                    let (month, by) = (12 - age * 3, ["lindqvist", "ozola", "brandt"]);
                    let by = by.get(usize::try_from(noise.below(3)).unwrap_or(0)).unwrap_or(&"brandt");
                    format!(
                        "      {{ \"revision\": {revision}, \"perKilogram\": {old}, \"from\": \"2025-{month:02}-01\", \"by\": \"{by}\" }}"
                    )
                })
                .collect();
            lanes.push(format!(
                "  {{\n    \"lane\": \"{lane}\",\n    \"perKilogram\": {price},\n    \"dangerousGoods\": {},\n    \
                 \"validDays\": {},\n    \"revision\": 311,\n    \"minimumKilograms\": 100,\n    \"currency\": \"EUR\",\n    \
                 \"history\": [\n{}\n    ]\n  }}",
                (30 + noise.below(40)) * 1_000,
                if noise.below(4) == 0 { 7 } else { 14 },
                history.join(",\n"),
            ));
        }
    }
    format!("[\n{}\n]\n", lanes.join(",\n"))
}

/// One day of the service. At 14:07 a reload leaves the cache's life out, and until 15:02 every quote asks the
/// tariff service anew, which cannot keep up.
pub(super) fn log() -> String {
    const LANES: [&str; 5] = ["BALT-NORD", "NORD-WEST", "ISLE-WEST", "BALT-WEST", "BOTH-NORD"];
    let mut noise = Noise(48_151);
    let mut out = String::new();
    let mut seconds = 13 * 3_600;
    let (broken, mended) = (14 * 3_600 + 7 * 60 + 2, 15 * 3_600 + 2 * 60 + 40);
    let (mut was_broken, mut was_mended) = (false, false);
    let mut line = |seconds: u64, milli: u64, level: &str, text: &str| {
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let _ = writeln!(out, "2026-03-03T{hour:02}:{minute:02}:{second:02}.{milli:03}Z {level:<5} {text}");
    };
    while seconds < 15 * 3_600 + 30 * 60 {
        seconds += 4 + noise.below(18);
        let milli = noise.below(1_000);
        if seconds >= broken && !was_broken {
            was_broken = true;
            line(broken, 41, "INFO", "cache reconfigured cacheSeconds=0 hits=18231 misses=96");
        }
        if seconds >= mended && !was_mended {
            was_mended = true;
            line(mended, 377, "INFO", "cache reconfigured cacheSeconds=300 hits=0 misses=1904");
        }
        let lane = LANES.get(usize::try_from(noise.below(5)).unwrap_or(0)).unwrap_or(&"BALT-NORD");
        let (id, total) = (noise.below(0xff_ffff), 4_000 + noise.below(90_000));
        let slow = was_broken && !was_mended;
        let ms = if slow { 160 + noise.below(2_300) } else { 1 + noise.below(6) };
        if slow && ms > 700 {
            let text =
                format!("tariff service busy, trying again route={lane} ms={} attempt=1 status=503", ms / 3);
            line(seconds, milli / 2, "WARN", &text);
        }
        if slow && ms > 2_200 {
            let text = format!("tariff {lane}: gave up (status 503) req={id:06x}");
            line(seconds, milli, "ERROR", &text);
        } else {
            line(seconds, milli, "INFO", &format!("quote lane={lane} total={total} ms={ms} req={id:06x}"));
        }
    }
    out
}
