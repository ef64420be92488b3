//! An amount of money, in US dollars.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ts_rs::TS;

/// US dollars, exact to a billionth of a dollar. On the wire it is a number of dollars, such as `0.25`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, TS)]
#[ts(export, type = "number")]
pub struct Usd(u64);

/// Billionths in a dollar.
const BILLION: f64 = 1e9;

impl Usd {
    pub const ZERO: Self = Self(0);
    /// The largest amount: a million dollars. A 64-bit float still holds each of its billionths, so an amount that is written and read again is
    /// the same.
    pub const MAX: Self = Self(1_000_000_000_000_000);

    /// Billionths of a dollar, at most [`Usd::MAX`].
    #[must_use]
    pub const fn of_billionths(billionths: u64) -> Self {
        if billionths > Self::MAX.0 { Self::MAX } else { Self(billionths) }
    }

    #[must_use]
    pub const fn billionths(self) -> u64 {
        self.0
    }

    /// The amount nearest to this one; none below zero, above [`Usd::MAX`], and for what is no number.
    #[must_use]
    pub fn new(dollars: f64) -> Option<Self> {
        let billionths = (dollars * BILLION).round();
        // What is no number is in no range.
        let fits = (0.0..=Self::MAX.0 as f64).contains(&billionths);
        fits.then_some(Self(billionths as u64))
    }

    #[must_use]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / BILLION
    }

    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self::of_billionths(self.0.saturating_add(more.0))
    }

    /// What is left of it; none where `less` is more.
    #[must_use]
    pub fn minus(self, less: Self) -> Option<Self> {
        self.0.checked_sub(less.0).map(Self)
    }

    /// The price of so many tokens, where this is the price of a million. Rounded up.
    #[must_use]
    pub fn of_tokens(self, tokens: u64) -> Self {
        let billionths = (u128::from(self.0) * u128::from(tokens)).div_ceil(1_000_000);
        Self::of_billionths(u64::try_from(billionths).unwrap_or(u64::MAX))
    }

    /// The tokens that this buys, where a million of them cost `price`. None where they cost nothing.
    #[must_use]
    pub fn buys(self, price: Self) -> Option<u64> {
        let tokens = (u128::from(self.0) * 1_000_000).checked_div(u128::from(price.0))?;
        Some(u64::try_from(tokens).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dollars() {
            // Two digits that say something: a short answer of a cheap model costs a hundredth of a cent.
            small if small > 0.0 && small < 0.01 => write!(f, "${small:.4}"),
            dollars => write!(f, "${dollars:.2}"),
        }
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(f64::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("an amount of US dollars"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_amount_is_the_same_after_it_was_written_and_read(billionths in 0..=Usd::MAX.0) {
            let text = serde_json::to_string(&Usd(billionths)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Usd>(&text).unwrap(), Usd(billionths), "{}", text);
        }

        #[test]
        fn what_an_amount_buys_costs_no_more_than_it(amount in 0..=Usd::MAX.0, price in 1..=Usd::MAX.0) {
            let (amount, price) = (Usd(amount), Usd(price));
            let tokens = amount.buys(price).unwrap();
            prop_assert!(price.of_tokens(tokens) <= amount);
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        let none = [-0.01, 1_000_000.01, f64::NAN, f64::INFINITY].map(Usd::new);
        assert_eq!(none, [None; 4]);
        assert_eq!(serde_json::from_str::<Usd>("3").unwrap(), Usd(3_000_000_000));
    }

    #[test]
    fn an_amount_reads_as_dollars() {
        let said = [0.0, 0.0004, 0.25, 12.0].map(|dollars| Usd::new(dollars).unwrap().to_string());
        assert_eq!(said, ["$0.00", "$0.0004", "$0.25", "$12.00"]);
    }
}
