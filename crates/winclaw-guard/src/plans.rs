//! The words of replies that go on to calls, and whether they are told again.

use std::collections::BTreeSet;

/// By which a repeated plan is known among what is repeated.
pub(crate) const SIGN: crate::digest::Signature = [1; 32];

/// How many plans are remembered.
const KEPT: usize = 8;

/// How many words of a plan are compared.
const MAX_WORDS: usize = 200;

/// Least pairs of words a plan has; what is shorter, such as “Let me look.”, says nothing.
const LEAST: usize = 7;

/// Share of pairs of words, in percent, that two tellings of one plan have in common.
const ALIKE: usize = 80;

/// How often a plan may be told while there is news in between before that is remarked upon.
const MANY: usize = 4;

type Pairs = BTreeSet<(String, String)>;

#[derive(Debug)]
struct Plan {
    pairs: Pairs,
    times: usize,
    /// How many tellings in a row had nothing new before them.
    idle: usize,
    epoch: u64,
}

/// What was told before.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    told: Vec<Plan>,
}

/// A plan that was told again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) times: usize,
    /// How many tellings in a row had nothing new before them.
    pub(crate) idle: usize,
}

impl Plans {
    /// A reply said `text`, after `epoch` things that were new. Whether that was told before, and is worth a word.
    pub(crate) fn tell(&mut self, text: &str, epoch: u64) -> Option<Again> {
        let pairs = pairs(text);
        if pairs.len() < LEAST {
            return None;
        }
        let Some(plan) = self.told.iter_mut().find(|plan| are_alike(&plan.pairs, &pairs)) else {
            if self.told.len() >= KEPT {
                self.told.remove(0);
            }
            self.told.push(Plan { pairs, times: 1, idle: 0, epoch });
            return None;
        };
        plan.times += 1;
        plan.idle = if plan.epoch == epoch { plan.idle + 1 } else { 0 };
        plan.epoch = epoch;
        let again = Again { times: plan.times, idle: plan.idle };
        (again.idle > 0 || again.times.is_multiple_of(MANY)).then_some(again)
    }
}

/// Neighbouring words, or characters where words are not told apart; numbers count as the same.
fn pairs(text: &str) -> Pairs {
    let words = words(text);
    words.iter().zip(words.iter().skip(1)).map(|(one, two)| (one.clone(), two.clone())).collect()
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        if words.len() > MAX_WORDS {
            break;
        }
        let plain = if c.is_numeric() { '#' } else { c };
        match c {
            c if !c.is_alphanumeric() => open = false,
            c if is_ideograph(c) => {
                words.push(c.to_string());
                open = false;
            }
            _ => {
                if !open {
                    words.push(String::new());
                }
                open = true;
                if let Some(word) = words.last_mut().filter(|word| plain != '#' || !word.ends_with('#')) {
                    word.extend(plain.to_lowercase());
                }
            }
        }
    }
    words
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn are_alike(one: &Pairs, two: &Pairs) -> bool {
    let common = one.intersection(two).count();
    common * 100 >= (one.len() + two.len() - common) * ALIKE
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "First I check the weather, then I make an image of it, and then I write the document.";

    #[test]
    fn a_plan_told_again_without_news_is_found_in_other_dress_too() {
        let mut plans = Plans::default();
        assert_eq!(plans.tell(PLAN, 1), None);
        assert_eq!(plans.tell(&PLAN.to_uppercase(), 1), Some(Again { times: 2, idle: 1 }));
        let again = format!("Okay. {PLAN}");
        assert_eq!(plans.tell(&again, 1), Some(Again { times: 3, idle: 2 }));
        assert_eq!(plans.tell(PLAN, 2), Some(Again { times: 4, idle: 0 }), "every fourth time, whatever was new");
        assert_eq!(plans.tell(PLAN, 3), None);
    }

    #[test]
    fn short_words_and_other_plans_are_free() {
        let mut plans = Plans::default();
        for n in 0..20 {
            assert_eq!(plans.tell("Let me look at that.", 0), None);
            let other =
                format!("Step {} is to read {} and compare it with {}.", n, "abc".repeat(n + 1), "xyz".repeat(n + 2));
            assert_eq!(plans.tell(&other, 0), None, "{other}");
        }
    }

    #[test]
    fn chinese_is_compared_by_character_and_numbers_do_not_count() {
        let mut plans = Plans::default();
        assert_eq!(plans.tell("第1步：先查询天气，再生成图片，然后写文档。", 0), None);
        assert!(plans.tell("第2步：先查询天气，再生成图片，然后写文档！", 0).is_some());
    }
}
