//! An expression as a person writes it, brought to plain ASCII operators, with the way back to what was written.

/// Text in which every character knows where it stood in what the person wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    chars: Vec<char>,
    places: Vec<usize>,
}

/// What is written one way and read another, longest first where one begins another.
const WORDS: [(&str, &str); 54] = [
    ("的平方根", "^(1/2)"),
    ("的立方根", "^(1/3)"),
    ("的平方", "^2"),
    ("的立方", "^3"),
    ("的阶乘", "!"),
    ("阶乘", "!"),
    ("次方", ""),
    ("次幂", ""),
    ("等于多少", " to "),
    ("是多少", " to "),
    ("等于几", " to "),
    ("转换为", " to "),
    ("转换成", " to "),
    ("转化为", " to "),
    ("换算为", " to "),
    ("换算成", " to "),
    ("转成", " to "),
    ("转为", " to "),
    ("化为", " to "),
    ("化成", " to "),
    ("二进制", "binary"),
    ("八进制", "octal"),
    ("十进制", "decimal"),
    ("十六进制", "hex"),
    ("加仑", "加仑"),
    ("加上", " + "),
    ("减去", " - "),
    ("乘以", " * "),
    ("乘上", " * "),
    ("除以", " / "),
    ("加", " + "),
    ("减", " - "),
    ("乘", " * "),
    ("转", " to "),
    ("根号", "√"),
    ("个", ""),
    ("圆周率", "pi"),
    ("摄氏度", " °C"),
    ("华氏度", " °F"),
    ("摄氏", " °C"),
    ("华氏", " °F"),
    ("℃", " °C"),
    ("℉", " °F"),
    ("deg C", " °C"),
    ("deg F", " °F"),
    ("degC", " °C"),
    ("degF", " °F"),
    ("**", "^"),
    ("π", "pi"),
    ("×", "*"),
    ("✕", "*"),
    ("·", "*"),
    ("÷", "/"),
    ("−", "-"),
];

/// What is asked around an expression and is not part of it, at its start.
const LEADS: [&str; 7] = ["what is ", "what's ", "calculate ", "请计算", "计算一下", "计算", "算一下"];

/// The same at its end.
const TAILS: [&str; 10] = ["等于多少", "是多少", "等于几", "等于", "得多少", "?", "？", "=", "＝", "。"];

impl Source {
    /// Reads `text`: full-width forms, Chinese operators and signs become ASCII, and what merely asks is left out.
    pub fn read(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let (mut at, end) = expression(&chars);
        let mut source = Source::default();
        while at < end {
            at += source.take(&chars[..end], at);
        }
        source
    }

    /// Takes what stands at `at` and says how many characters that was.
    fn take(&mut self, chars: &[char], at: usize) -> usize {
        let rest = &chars[at..];
        if let Some(digits) = percent_of(rest) {
            self.push_chars(&rest[3..3 + digits], at + 3);
            self.push("%", at);
            return 3 + digits;
        }
        if let Some((word, plain)) = WORDS.iter().find(|(word, _)| starts_with(rest, word)) {
            self.push(plain, at);
            return word.chars().count();
        }
        match rest[0] {
            '的' => self.push(if is_power(rest) { "^" } else { " * " }, at),
            '万' | '亿' if self.after_digit() => self.push(if rest[0] == '万' { "e4" } else { "e8" }, at),
            c @ '！'..='～' => self.push_char(half_width(c), at),
            '　' | '\u{a0}' => self.push(" ", at),
            c if c.is_ascii_digit() && self.chars.last().is_some_and(|last| is_han(*last)) => {
                self.push(" ", at);
                self.push_char(c, at);
            }
            c => self.push_char(c, at),
        }
        1
    }

    fn after_digit(&self) -> bool {
        self.chars.last().is_some_and(char::is_ascii_digit)
    }

    fn push(&mut self, text: &str, at: usize) {
        text.chars().for_each(|c| self.push_char(c, at));
    }

    fn push_chars(&mut self, chars: &[char], at: usize) {
        chars.iter().zip(at..).for_each(|(c, at)| self.push_char(*c, at));
    }

    fn push_char(&mut self, c: char, at: usize) {
        self.chars.push(c);
        self.places.push(at);
    }

    /// The characters.
    pub fn chars(&self) -> &[char] {
        &self.chars
    }

    /// The text between two indices.
    pub fn slice(&self, from: usize, to: usize) -> String {
        self.chars[from..to].iter().collect()
    }

    /// Where the character at `index` stood in what was written, from 1; one past the end for an index past the end.
    pub fn place(&self, index: usize) -> usize {
        match self.places.get(index) {
            Some(place) => place + 1,
            None => self.places.last().map_or(1, |last| last + 2),
        }
    }
}

/// The part of `chars` that is the expression itself: from, to.
fn expression(chars: &[char]) -> (usize, usize) {
    let (mut from, mut to) = (0, chars.len());
    loop {
        let before = (from, to);
        while from < to && chars[from].is_whitespace() {
            from += 1;
        }
        while from < to && chars[to - 1].is_whitespace() {
            to -= 1;
        }
        let part = &chars[from..to];
        from += LEADS.iter().find(|lead| starts_with(part, lead)).map_or(0, |lead| lead.chars().count());
        to -= TAILS.iter().find(|tail| ends_with(&chars[from..to], tail)).map_or(0, |tail| tail.chars().count());
        if (from, to) == before {
            return before;
        }
    }
}

fn starts_with(chars: &[char], word: &str) -> bool {
    let mut rest = chars.iter();
    word.chars().all(|c| rest.next().is_some_and(|other| other.to_lowercase().eq(c.to_lowercase())))
}

fn ends_with(chars: &[char], word: &str) -> bool {
    chars.len().checked_sub(word.chars().count()).is_some_and(|at| starts_with(&chars[at..], word))
}

/// For `百分之15`: how many characters the number has.
fn percent_of(chars: &[char]) -> Option<usize> {
    let digits = chars.get(3..)?.iter().take_while(|c| c.is_ascii_digit() || **c == '.').count();
    (starts_with(chars, "百分之") && digits > 0).then_some(digits)
}

/// Whether `的` begins `的10次方`.
fn is_power(chars: &[char]) -> bool {
    let digits = chars[1..].iter().take_while(|c| c.is_ascii_digit()).count();
    digits > 0 && (starts_with(&chars[1 + digits..], "次方") || starts_with(&chars[1 + digits..], "次幂"))
}

/// The ASCII form of a full-width one.
fn half_width(c: char) -> char {
    char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)
}

/// Whether `c` is a Chinese character.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        Source::read(text).chars().iter().collect()
    }

    #[test]
    fn chinese_writing_becomes_plain() {
        for (written, read) in [
            ("（1＋2）×3÷4", "(1+2)*3/4"),
            ("3 加 4 乘以 2", "3  +  4  *  2"),
            ("10减去2除以4", "10 - 2 / 4"),
            ("百分之15", "15%"),
            ("200的15％", "200 * 15%"),
            ("2的10次方", "2^10"),
            ("5的阶乘", "5!"),
            ("16的平方根", "16^(1/2)"),
            ("5公里等于多少英里？", "5公里 to 英里"),
            ("1＋1＝？", "1+1"),
            ("计算 12*3 等于多少", "12*3"),
            ("3万加1.5亿", "3e4 + 1.5e8"),
            ("37℃转华氏度", "37 °C to  °F"),
            ("1小时30分钟", "1小时 30分钟"),
            ("255转换为十六进制", "255 to hex"),
            ("What is 2**8?", "2^8"),
            ("2·π", "2*pi"),
        ] {
            assert_eq!(plain(written), read, "{written}");
        }
    }

    #[test]
    fn a_place_leads_back_to_what_was_written() {
        let source = Source::read("计算 2 乘以 x");
        let at = source.chars().iter().position(|c| *c == 'x').expect("x");
        assert_eq!(source.place(at), 9);
        assert_eq!(Source::read("1 +").place(3), 4);
        assert_eq!(Source::read("").place(0), 1);
    }
}
