//! Units. Tokens, bytes and milliseconds are three types, so that no sum mixes them.
//!
//! ```text
//! Tokens  what a model counts and a window holds       Bytes  what a file or a wire holds (UTF-8)
//! Millis  a moment (Unix) or a span, given by the host; the core has no clock
//! ```
//!
//! All arithmetic saturates: a wrong number from a server or a policy can never panic or wrap (invariant A13).

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident, $suffix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// None of it.
            pub const ZERO: Self = Self(0);

            /// The plain number.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// True for none.
            pub const fn is_zero(self) -> bool {
                self.0 == 0
            }

            /// This much times `numerator / denominator`, rounded down; a zero denominator gives zero.
            pub fn scaled(self, numerator: u64, denominator: u64) -> Self {
                let wide = u128::from(self.0) * u128::from(numerator);
                let scaled = wide.checked_div(u128::from(denominator)).unwrap_or(0);
                Self(u64::try_from(scaled).unwrap_or(u64::MAX))
            }

            /// The share `permille` / 1000 of this, rounded down.
            pub fn permille(self, permille: u32) -> Self {
                self.scaled(u64::from(permille), 1000)
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
                items.fold(Self::ZERO, Add::add)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", self.0, $suffix)
            }
        }
    };
}

unit! {
    /// A number of model tokens. Estimates say so where they are made; this type only holds the number.
    Tokens, " tokens"
}
unit! {
    /// A number of UTF-8 bytes.
    Bytes, " bytes"
}
unit! {
    /// Milliseconds: a moment since the Unix epoch where the name ends in `at` or `now`, else a span.
    Millis, " ms"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a13_arithmetic_saturates() {
        assert_eq!(Tokens(u64::MAX) + Tokens(1), Tokens(u64::MAX));
        assert_eq!(Tokens(1) - Tokens(2), Tokens::ZERO);
        assert_eq!(Tokens(u64::MAX).scaled(u64::MAX, 1), Tokens(u64::MAX));
        assert_eq!(Tokens(5).scaled(1, 0), Tokens::ZERO);
        assert_eq!(Tokens(200_000).permille(65), Tokens(13_000));
    }
}
