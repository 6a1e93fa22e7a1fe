//! Words of a language and how they differ from passwords.

use super::super::names::{holds_words, is_password};
use super::{has_digit, is_random};

/// Words that begin what is said of a password and not the password.
const BEGINNINGS: [&str; 40] = [
    "incorrect",
    "invalid",
    "missing",
    "wrong",
    "expired",
    "required",
    "unauthorized",
    "unknown",
    "malformed",
    "denied",
    "failed",
    "not",
    "no",
    "the",
    "a",
    "an",
    "this",
    "that",
    "it",
    "is",
    "are",
    "was",
    "must",
    "should",
    "has",
    "have",
    "cannot",
    "you",
    "your",
    "please",
    "use",
    "see",
    "keep",
    "never",
    "check",
    "enter",
    "at",
    "we",
    "all",
    "only",
];

/// Whether a word is one of a language: letters, of which only the first may be a capital.
pub(super) fn is_plain(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', '!', '?', ':']);
    let mut letters = word.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Whether `word` behind `name:` begins a sentence, which `rest` goes on with: then it is about the secret. What people
/// choose as a password may be a word, so that there the sentence must begin as such sentences do.
pub(super) fn is_sentence(name: &str, word: &str, rest: &str) -> bool {
    if !is_plain(word) || holds_words(name) || words_after(rest) < 2 {
        return false;
    }
    !is_password(name) || BEGINNINGS.contains(&word.to_ascii_lowercase().as_str())
}

/// How many words `rest` begins with, three at most; a line, real or escaped, ends them.
fn words_after(rest: &str) -> usize {
    let line = rest.split(['\n', '\r', '\\', '"']).next().unwrap_or_default();
    if !line.starts_with(' ') {
        return 0;
    }
    let is_word =
        |word: &&str| word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | ',' | '.' | ':'));
    line.split(' ').skip(1).take(3).take_while(is_word).filter(|word| !word.is_empty()).count()
}

/// Whether `word` behind `pass:` or `pw:` is a password, and not a count, a yes or no, or the first of several words.
pub(super) fn is_short_password(word: &str, rest: &str) -> bool {
    let count = word.len() <= 6 && word.bytes().all(|b| b.is_ascii_digit() || b"%/.:".contains(&b));
    let flag = matches!(word.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "none" | "null" | "all");
    !(count || flag || is_plain(word) && words_after(rest) > 0)
}

/// Whether `word` right behind a Chinese name is a password, and not a method (`AES256`) or a date.
pub(super) fn is_typed_password(word: &str) -> bool {
    const METHODS: [&str; 13] =
        ["sha", "aes", "rsa", "md5", "hmac", "3des", "ecdsa", "ed25519", "sm2", "sm3", "sm4", "bcrypt", "base64"];
    let lower = word.to_ascii_lowercase();
    let date = word.len() == 10 && word.bytes().all(|b| b.is_ascii_digit() || b"-/.".contains(&b));
    has_digit(word) && is_random(word) && !date && !METHODS.iter().any(|method| lower.starts_with(method))
}
