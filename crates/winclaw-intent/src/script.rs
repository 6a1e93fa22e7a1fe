use winclaw_catalog::names::is_cjk;

/// The writing a text is mostly in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Chinese characters, kana or Korean syllables.
    Cjk,
    /// Any other letters, or none at all.
    Other,
}

impl Script {
    /// The script of `text`. A CJK character says as much as a few letters: a text is CJK from one for every four letters
    /// of others on, so that a Chinese request with English names in it is still Chinese.
    pub fn of(text: &str) -> Script {
        let (mut cjk, mut latin, mut other) = (0_usize, 0_usize, 0_usize);
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            match c {
                c if is_cjk(c) => cjk += 1,
                'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => latin += 1,
                _ => other += 1,
            }
        }
        match () {
            () if cjk > 0 && cjk * 4 >= latin + other => Script::Cjk,
            () if latin > other => Script::Latin,
            () => Script::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_script_it_is_mostly_in() {
        let cases = [
            ("show the weather", Script::Latin),
            ("Où est l'été", Script::Latin),
            ("查天气", Script::Cjk),
            ("用 GitHub 查一下 issue", Script::Cjk),
            ("translate 你 into English please, thank you", Script::Latin),
            ("天気を調べて", Script::Cjk),
            ("какая погода", Script::Other),
            ("🙂 42", Script::Other),
            ("", Script::Other),
        ];
        for (text, script) in cases {
            assert_eq!(Script::of(text), script, "{text}");
        }
    }
}
