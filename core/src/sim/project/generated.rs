//! The long parts of the project: tables, the tariff dump and the log. Made by code, the same on every run.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Zones in the order of their names; two make a lane.
const ZONES: [&str; 6] = ["BALT", "BOTH", "ISLE", "NORD", "SOUTH", "WEST"];
/// Lanes that the dump lacks, so that a comparison finds something.
const MISSING: [&str; 2] = ["BOTH-ISLE", "BOTH-SOUTH"];
/// Code, name and zone of every port, one a line.
const PORTS: &str = include_str!("files/ports.txt");

/// A linear congruential generator: enough to make numbers look measured.
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(from.len() as u64)).unwrap_or(0);
        from.get(at).copied().unwrap_or_default()
    }
}

/// A written file with its generated part in place of the mark.
pub(super) fn filled(path: &str, text: &str) -> String {
    match path {
        "src/zones.ts" => text.replace(
            "{PORTS}",
            &ports(|code, name, zone, fee| {
                format!("  {{ code: \"{code}\", name: \"{name}\", zone: \"{zone}\", fee: {fee} }},\n")
            }),
        ),
        "src/schedule.ts" => text.replace("{SAILINGS}", &sailings()),
        "src/distances.ts" => text.replace("{MILES}", &miles()),
        "src/holidays.ts" => text.replace("{HOLIDAYS}", &holidays()),
        "src/contracts.ts" => text.replace("{CONTRACTS}", &contracts()),
        "test/money.test.ts" => text.replace("{CASES}", &cases()),
        path if path.starts_with("docs/") => text.replace(
            "{FEES}",
            &ports(|code, name, _, fee| {
                format!("| {code} | {name} | {}.{:02} |\n", fee / 1_000, fee / 10 % 100)
            }),
        ),
        _ => text.to_string(),
    }
}

/// One row for each port; its fee is in tenths of a cent.
fn ports(row: impl Fn(&str, &str, &str, u64) -> String) -> String {
    let mut noise = Noise(72);
    let mut out = String::new();
    for line in PORTS.lines() {
        let Some((code, rest)) = line.split_once(' ') else { continue };
        let Some((name, zone)) = rest.rsplit_once(' ') else { continue };
        let drawn = 7_000 + noise.below(700) * 10;
        // The sums of the tests rest on these two.
        let fee = match code {
            "SEGOT" => 9_500,
            "LVRIX" => 8_200,
            _ => drawn,
        };
        out.push_str(&row(code, name, zone, fee));
    }
    out
}

fn sailings() -> String {
    const SHIPS: [&str; 8] = ["Tern", "Skua", "Fulmar", "Gannet", "Dunlin", "Plover", "Curlew", "Avocet"];
    let mut noise = Noise(8_417);
    let mut out = String::new();
    for (at, from) in ZONES.iter().enumerate() {
        for to in ZONES.iter().skip(at + 1) {
            for _ in 0..=noise.below(3) {
                let days: Vec<String> =
                    (0..7).filter(|_| noise.below(3) == 0).map(|day: u64| day.to_string()).collect();
                let days = if days.is_empty() { "3".to_string() } else { days.join(", ") };
                let (ship, closes, hours) = (noise.pick(&SHIPS), 8 + noise.below(11), 11 + noise.below(130));
                let _ = writeln!(
                    out,
                    "  {{ ship: \"{ship}\", from: \"{from}\", to: \"{to}\", days: [{days}], closes: {closes}, hours: {hours} }},"
                );
            }
        }
    }
    out
}

fn contracts() -> String {
    const FIRST: [&str; 8] = ["Daugava", "Vänern", "Hanse", "Sund", "Fjord", "Biscay", "Vistula", "Saimaa"];
    const SECOND: [&str; 7] = ["Timber", "Foods", "Papier", "Steel", "Glass", "Pharma", "Möbler"];
    let mut noise = Noise(30_442);
    let mut out = String::new();
    for at in 0..52 {
        let number = if at == 0 { 48_151 } else { 10_000 + noise.below(80_000) };
        let name = format!("{} {}", noise.pick(&FIRST), noise.pick(&SECOND));
        let (discount, days) = (noise.below(9) * 10, noise.pick(&["14", "30", "45", "60"]));
        let (month, by) = (1 + noise.below(12), noise.pick(&["lindqvist", "ozola", "brandt"]));
        let _ = writeln!(
            out,
            "  {{ customer: \"K-{number}\", name: \"{name}\", discount: {discount}, daysToPay: {days}, validFrom: \"2025-{month:02}-01\", by: \"{by}\" }},"
        );
    }
    out
}

fn miles() -> String {
    let mut noise = Noise(512);
    let codes: Vec<&str> = PORTS.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut out = String::new();
    for _ in 0..104 {
        let (from, to, miles) = (noise.pick(&codes), noise.pick(&codes), 60 + noise.below(2_400));
        if from != to {
            let _ = writeln!(out, "  [\"{from}\", \"{to}\", {miles}],");
        }
    }
    out
}

fn holidays() -> String {
    const COUNTRIES: [&str; 16] =
        ["BE", "DE", "DK", "EE", "ES", "FI", "FO", "FR", "GB", "IE", "IS", "IT", "LT", "LV", "NL", "NO"];
    let mut noise = Noise(365);
    let mut out = String::new();
    for country in COUNTRIES {
        let day = |month: u64| {
            let (kept, day) = (noise.below(5) > 0, 1 + noise.below(28));
            kept.then(|| format!("\"2026-{month:02}-{day:02}\""))
        };
        let days: Vec<String> = (1..=12).filter_map(day).collect();
        let _ = writeln!(out, "  {country}: [\"2026-01-01\", {}],", days.join(", "));
    }
    out
}

/// More rows for the rounding test: amounts on both sides of a half and on it.
fn cases() -> String {
    let mut noise = Noise(14);
    let mut out = String::new();
    for _ in 0..36 {
        let amount = noise.below(900_000) * 10
            + [0, 3, 4, 5, 6, 9].get(usize::try_from(noise.below(6)).unwrap_or(0)).copied().unwrap_or(5);
        let _ = writeln!(out, "    [{amount}, {}],", (amount + 5) / 10);
    }
    out
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
            let history: Vec<String> = (0..7).map(|age| revision(&mut noise, price, age)).collect();
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

/// An older price of a lane, `age` steps back.
fn revision(noise: &mut Noise, price: u64, age: u64) -> String {
    let number = 311 - age * 5 - noise.below(4);
    let old = price - noise.below(5);
    let month = 12 - age;
    let by = noise.pick(&["lindqvist", "ozola", "brandt"]);
    format!(
        "      {{ \"revision\": {number}, \"perKilogram\": {old}, \"from\": \"2025-{month:02}-01\", \"by\": \"{by}\" }}"
    )
}

/// One afternoon of the service. At 14:07 a reload leaves the cache's life out, and until 15:02 every quote
/// asks the tariff service anew, which cannot keep up.
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
        let lane = noise.pick(&LANES);
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
