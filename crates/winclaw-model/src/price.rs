use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Usage;

/// Tokens that a price is for.
const MILLION: u128 = 1_000_000;

/// What a model costs, in millionths of the currency for a million tokens: 270 000 is 0.27.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// For a million tokens of the request that did not come from the vendor's cache.
    pub input: u64,
    /// For a million tokens that came from the vendor's cache.
    pub cached: u64,
    /// For a million tokens that were written to the vendor's cache; `None` where that costs as much as any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// For a million tokens of the reply, thoughts included.
    pub output: u64,
    /// What long requests cost; `None` where length makes no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
    /// `USD` or `CNY`.
    pub currency: Cow<'static, str>,
    /// The month the price was looked up, `YYYY-MM`.
    pub as_of: Cow<'static, str>,
}

/// The prices of a request whose tokens, cached ones included, are more than `above`. They hold for the whole of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongPrice {
    /// Tokens of a request up to which the ordinary prices hold.
    pub above: u64,
    /// As [`Price::input`].
    pub input: u64,
    /// As [`Price::cached`].
    pub cached: u64,
    /// As [`Price::written`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    /// As [`Price::output`].
    pub output: u64,
}

/// An amount of money, exact to a millionth of the currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Millionths of the currency: 1 500 000 is 1.50.
    pub amount: u64,
    /// `USD` or `CNY`.
    pub currency: Cow<'static, str>,
}

impl Price {
    /// What `usage` costs, rounded to the nearest millionth; `None` when the vendor counted neither request nor reply.
    ///
    /// Tokens that the vendor did not count are taken as none. Cached tokens beyond those of the request are not counted.
    pub fn cost(&self, usage: &Usage) -> Option<Cost> {
        if usage.input.is_none() && usage.output.is_none() {
            return None;
        }
        let input = usage.input.unwrap_or(0);
        let cached = usage.cached.unwrap_or(0).min(input);
        let written = usage.written.unwrap_or(0).min(input - cached);
        let fresh = input - cached - written;
        let at = self.at(input);
        let parts = [
            (fresh, at.input),
            (cached, at.cached),
            (written, at.written.unwrap_or(at.input)),
            (usage.output.unwrap_or(0), at.output),
        ];
        let sum: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
        let amount = u64::try_from((sum + MILLION / 2) / MILLION).unwrap_or(u64::MAX);
        Some(Cost { amount, currency: self.currency.clone() })
    }

    /// The prices that hold for a request of so many tokens.
    fn at(&self, input: u64) -> LongPrice {
        let Price { cached, written, output, .. } = *self;
        let short = LongPrice { above: 0, input: self.input, cached, written, output };
        self.long.filter(|long| input > long.above).unwrap_or(short)
    }
}

impl Cost {
    /// The sum of both; `None` when their currencies differ.
    pub fn plus(&self, other: &Cost) -> Option<Cost> {
        let amount = self.amount.saturating_add(other.amount);
        (self.currency == other.currency).then(|| Cost { amount, currency: self.currency.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price() -> Price {
        Price {
            input: 3_000_000,
            cached: 300_000,
            written: Some(3_750_000),
            output: 15_000_000,
            long: None,
            currency: "USD".into(),
            as_of: "2026-11".into(),
        }
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let usage = |input, cached, written, output| Usage { input, cached, written, output };
        let cases = [
            (usage(Some(1_000_000), None, None, None), Some(3_000_000)),
            (usage(Some(1_000_000), Some(1_000_000), None, None), Some(300_000)),
            (usage(Some(1_000_000), Some(400_000), Some(600_000), Some(0)), Some(120_000 + 2_250_000)),
            (usage(None, None, None, Some(10)), Some(150)),
            (usage(Some(1), Some(9), Some(9), None), Some(0)),
            (usage(Some(u64::MAX), None, None, Some(u64::MAX)), Some(u64::MAX)),
            (Usage::default(), None),
        ];
        for (usage, amount) in cases {
            assert_eq!(price().cost(&usage).map(|cost| cost.amount), amount, "{usage:?}");
        }
        let long = Some(LongPrice { above: 100, input: 6_000_000, cached: 0, written: None, output: 20_000_000 });
        let tiered = Price { long, ..price() };
        let cost = |input| tiered.cost(&usage(Some(input), None, None, Some(1))).map(|cost| cost.amount);
        assert_eq!((cost(100), cost(101)), (Some(300 + 15), Some(606 + 20)));
        let plain = Price { written: None, ..price() };
        assert_eq!(plain.cost(&usage(Some(2), None, Some(2), None)).map(|cost| cost.amount), Some(6));
    }

    #[test]
    fn only_money_of_one_currency_is_added() {
        let cost = |amount, currency: &'static str| Cost { amount, currency: currency.into() };
        assert_eq!(cost(1, "USD").plus(&cost(2, "USD")), Some(cost(3, "USD")));
        assert_eq!(cost(1, "USD").plus(&cost(2, "CNY")), None);
    }
}
