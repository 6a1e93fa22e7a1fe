//! The words of replies that go on to calls, and whether they are told again.

use std::collections::BTreeSet;

/// By which a repeated plan is known among what is repeated.
pub(crate) const SIGN: crate::digest::Signature = [1; 32];

/// How many plans are remembered.
const KEPT: usize = 8;

/// How many words of a plan are compared.
const MAX_WORDS: usize = 200;

/// Least pairs of words of a plan that is known again in other words; what is shorter is known word for word.
const LEAST: usize = 7;

/// Least pairs of words of what is known word for word; what is shorter, such as “Let me look.”, says nothing.
const SHORTEST: usize = 3;

/// How often the same few words may be told before that is remarked upon.
const MANY_SHORT: usize = 6;

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
    /// What is too short to be known in other words, with how often it was told.
    short: Vec<(String, usize)>,
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
            return (pairs.len() >= SHORTEST).then(|| self.tell_short(text.trim())).flatten();
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

    /// Few words may stand before any call, so they are only counted, and never taken for a sign that nothing is new.
    fn tell_short(&mut self, text: &str) -> Option<Again> {
        let at = self.short.iter().position(|(told, _)| told == text);
        let (told, times) = at.map_or_else(|| (text.to_owned(), 0), |at| self.short.remove(at));
        let times = times + 1;
        // What was told last stands last, so that the oldest goes first.
        self.short.push((told, times));
        if self.short.len() > KEPT {
            self.short.remove(0);
        }
        times.is_multiple_of(MANY_SHORT).then_some(Again { times, idle: 0 })
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
    fn the_same_few_words_are_remarked_upon_every_sixth_time_and_no_more() {
        for text in ["Let me check the next city.", "我来查询。"] {
            let mut plans = Plans::default();
            let told: Vec<_> = (0..40).filter_map(|epoch| plans.tell(text, epoch % 3)).collect();
            let sixth = |n: usize| Again { times: 6 * n, idle: 0 };
            assert_eq!(told, (1..=6).map(sixth).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn shortest_words_and_other_plans_are_free() {
        let mut plans = Plans::default();
        for n in 0..20 {
            assert_eq!(plans.tell("Let me look.", 0), None);
            assert_eq!(plans.tell(&format!("Now I do number {n}."), 0), None);
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
