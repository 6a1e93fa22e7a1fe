use serde::{Deserialize, Serialize};
use winclaw_model::{Cost, Usage};

/// What calls of a model took: of one turn, of a task, or of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Tokens, as far as vendors reported them.
    pub usage: Usage,
    /// Money, as far as prices are known: one sum for each currency, in the order they came up.
    pub costs: Vec<Cost>,
}

impl Spent {
    /// Adds what one call took.
    pub fn add(&mut self, usage: &Usage, cost: Option<&Cost>) {
        let plus = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a.saturating_add(b.unwrap_or(0))));
        let sum = self.usage;
        self.usage = Usage {
            input: plus(sum.input, usage.input),
            cached: plus(sum.cached, usage.cached),
            written: plus(sum.written, usage.written),
            output: plus(sum.output, usage.output),
        };
        cost.into_iter().for_each(|cost| self.pay(cost));
    }

    /// The sum in the currency that came up first; nothing where no price is known.
    pub fn cost(&self) -> Option<&Cost> {
        self.costs.first()
    }

    fn pay(&mut self, cost: &Cost) {
        match self.costs.iter_mut().find_map(|sum| Some((sum.plus(cost)?, sum))) {
            Some((more, sum)) => *sum = more,
            None => self.costs.push(cost.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_for_each_currency_and_what_is_not_known_stays_so() {
        let cost = |amount, currency: &'static str| Cost { amount, currency: currency.into() };
        let usage = |input, output| Usage { input, output, ..Usage::default() };
        let mut spent = Spent::default();
        spent.add(&usage(Some(10), None), None);
        assert_eq!((spent.usage, spent.cost()), (usage(Some(10), None), None));
        spent.add(&usage(Some(5), Some(2)), Some(&cost(3, "USD")));
        spent.add(&usage(None, Some(2)), Some(&cost(7, "CNY")));
        spent.add(&usage(None, None), Some(&cost(4, "USD")));
        assert_eq!(spent.usage, usage(Some(15), Some(4)));
        assert_eq!(spent.costs, [cost(7, "USD"), cost(7, "CNY")]);
    }
}
