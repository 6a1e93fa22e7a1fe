//! Tokens and money in words.

use winclaw_agent::Spent;
use winclaw_model::{Cost, Usage};

use crate::commands::figures::{decimal, number};
use crate::screen::Screen;

/// An amount with its sign, as fine as [`decimal`] is.
pub fn amount(cost: &Cost) -> String {
    let sign = match &*cost.currency {
        "USD" => "$".to_owned(),
        "CNY" => "¥".to_owned(),
        other => format!("{other} "),
    };
    match cost.amount {
        0 => format!("{sign}0"),
        amount => format!("{sign}{}", decimal(amount)),
    }
}

/// Tokens as the provider counted them.
pub fn tokens(screen: &Screen, usage: &Usage) -> String {
    let Some(input) = usage.input else {
        return screen.word("the provider reported no tokens", "提供方未报告词元数").to_owned();
    };
    let cached = usage.cached.filter(|cached| *cached > 0);
    let cached = cached
        .map(|cached| screen.word(" ({n} from its cache)", "（其中 {n} 来自缓存）").replace("{n}", &number(cached)));
    let output = number(usage.output.unwrap_or(0));
    screen
        .word("{i} tokens in{c}, {o} out", "输入 {i} 词元{c}，输出 {o}")
        .replace("{i}", &number(input))
        .replace("{c}", &cached.unwrap_or_default())
        .replace("{o}", &output)
}

/// Everything that was spent, on one line.
pub fn spent(screen: &Screen, spent: &Spent) -> String {
    let costs: Vec<String> = spent.costs.iter().map(amount).collect();
    let money = match costs.as_slice() {
        [] => screen.word("no price is known for this model", "没有该模型的价格").to_owned(),
        costs => costs.join(" + "),
    };
    format!("{} · {money}", tokens(screen, &spent.usage))
}

#[cfg(test)]
mod tests {
    use winclaw_tool::Lang;

    use super::*;

    #[test]
    fn amounts_are_as_fine_as_they_need_to_be() {
        let cases = [(0, "$0"), (5, "$0.000005"), (12_300, "$0.0123"), (1_250_000, "$1.25"), (12_000_000, "$12.00")];
        for (micros, words) in cases {
            assert_eq!(amount(&Cost { amount: micros, currency: "USD".into() }), words);
        }
        assert_eq!(amount(&Cost { amount: 2_000_000, currency: "CNY".into() }), "¥2.00");
    }

    #[test]
    fn what_was_spent_is_said_in_both_languages() {
        let usage = Usage { input: Some(12_000), cached: Some(9_000), output: Some(50), ..Usage::default() };
        let all = Spent { usage, costs: vec![Cost { amount: 12_300, currency: "USD".into() }] };
        assert_eq!(spent(&Screen::plain(Lang::En), &all), "12,000 tokens in (9,000 from its cache), 50 out · $0.0123");
        assert_eq!(spent(&Screen::plain(Lang::Zh), &all), "输入 12,000 词元（其中 9,000 来自缓存），输出 50 · $0.0123");
        let nothing = spent(&Screen::plain(Lang::En), &Spent::default());
        assert!(nothing.contains("reported no tokens") && nothing.contains("no price"), "{nothing}");
    }
}
