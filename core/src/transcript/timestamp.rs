//! Moments as the transcript spells them: `2026-12-01T02:25:12.345Z`.

use alloc::format;
use alloc::string::String;

use crate::unit::Millis;

const DAY: u64 = 86_400_000;

/// A Unix moment as RFC 3339 in UTC with milliseconds.
pub fn rfc3339(at: Millis) -> String {
    let (year, month, day) = civil(at.get() / DAY);
    let of_day = at.get() % DAY;
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Days since 1970-01-01 to a date of the proleptic Gregorian calendar, counted in 400-year eras that begin
/// in March (the public algorithm known as `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_known_moments() {
        assert_eq!(rfc3339(Millis(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(Millis(951_782_400_000)), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(Millis(1_796_091_912_345)), "2026-12-01T02:25:12.345Z");
    }
}
