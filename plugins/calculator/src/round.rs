//! Fractions written as decimals, rounded half away from zero.
//!
//! fend's own rounding drops zeros before it rounds up (`3.107 to 2 dp` gives 3.2), so it is not used.

use num_bigint::BigUint;

/// How far to round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To this many places after the point.
    Places(usize),
    /// To this many significant digits; the part before the point is always whole.
    Figures(usize),
}

/// Significant digits shown when no rounding is asked for.
pub const DEFAULT_FIGURES: usize = 12;

/// Significant digits to which fend knows roots, logarithms and the like.
pub const KNOWN_FIGURES: usize = 15;

/// How many zeros may stand before or after the digits of a rounded value until a power of ten is written instead.
const MAX_ZEROS: usize = 15;

/// A fraction, as fend writes it: `-22/7`, `0x10/0x3`, `5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fraction {
    is_negative: bool,
    over: BigUint,
    under: BigUint,
    prefix: String,
    base: u32,
}

/// A decimal, and whether it is the whole value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rounded {
    /// The digits.
    pub text: String,
    /// Whether nothing was rounded off.
    pub whole: bool,
}

impl Fraction {
    /// Reads `text`, whose digits are in `base`; `None` when it is no fraction, such as a complex number.
    pub fn read(text: &str, base: u32) -> Option<Self> {
        let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (over, under) = digits.split_once('/').unwrap_or((digits, "1"));
        let prefix = ["0x", "0b", "0o"].iter().find(|prefix| over.starts_with(**prefix)).copied().unwrap_or("");
        let number = |text: &str| BigUint::parse_bytes(text.strip_prefix(prefix).unwrap_or(text).as_bytes(), base);
        let (over, under) = (number(over)?, number(under)?);
        (under != BigUint::ZERO).then(|| Fraction { is_negative, over, under, prefix: prefix.to_owned(), base })
    }

    /// Writes it as a decimal. `is_exact` is whether the fraction is the value itself and not only near it.
    pub fn write(&self, rounding: Option<Rounding>, is_exact: bool) -> Rounded {
        let magnitude = self.magnitude();
        let figures = |figures: usize| i64::try_from(figures).unwrap_or(i64::MAX).saturating_sub(magnitude);
        let known = if is_exact { i64::MAX } else { figures(KNOWN_FIGURES) };
        let places = match rounding {
            Some(Rounding::Places(places)) => i64::try_from(places).unwrap_or(i64::MAX),
            Some(Rounding::Figures(wanted)) => figures(wanted).max(0),
            None => figures(DEFAULT_FIGURES).max(0),
        };
        let zeros = i64::try_from(MAX_ZEROS).unwrap_or(i64::MAX);
        let is_far = known < 0 || (magnitude < -zeros && !matches!(rounding, Some(Rounding::Places(_))));
        if self.base == 10 && is_far && self.over != BigUint::ZERO {
            return self.scientific(magnitude, if is_exact { DEFAULT_FIGURES } else { KNOWN_FIGURES });
        }
        let (digits, whole) = self.scaled(places.min(known).max(0));
        let text = self.pointed(&digits, usize::try_from(places.min(known).max(0)).unwrap_or(0));
        Rounded { text, whole: whole && is_exact }
    }

    /// How many digits stand before the point; zero or less for the zeros after it.
    fn magnitude(&self) -> i64 {
        let length = |number: &BigUint| i64::try_from(number.to_str_radix(self.base).len()).unwrap_or(i64::MAX);
        let near = length(&self.over) - length(&self.under);
        let (over, under) = match u32::try_from(near.unsigned_abs()) {
            Ok(power) if near >= 0 => (self.over.clone(), &self.under * BigUint::from(self.base).pow(power)),
            Ok(power) => (&self.over * BigUint::from(self.base).pow(power), self.under.clone()),
            Err(_) => return near,
        };
        if over >= under { near + 1 } else { near }
    }

    /// The value times `base` to the power of `places`, rounded to a whole number, and whether that was exact.
    fn scaled(&self, places: i64) -> (BigUint, bool) {
        let power = BigUint::from(self.base).pow(u32::try_from(places.unsigned_abs()).unwrap_or(u32::MAX));
        let (over, under) = match places >= 0 {
            true => (&self.over * power, self.under.clone()),
            false => (self.over.clone(), &self.under * power),
        };
        let doubled = BigUint::from(2_u8);
        let whole = &over % &under == BigUint::ZERO;
        ((&over * &doubled + &under) / (&under * &doubled), whole)
    }

    /// The digits with a point before the last `places`.
    fn pointed(&self, digits: &BigUint, places: usize) -> String {
        let digits = format!("{:0>width$}", digits.to_str_radix(self.base), width = places + 1);
        let (before, after) = digits.split_at(digits.len() - places);
        let sign = if self.is_negative && digits.bytes().any(|digit| digit != b'0') { "-" } else { "" };
        let point = if after.is_empty() { "" } else { "." };
        format!("{sign}{}{before}{point}{after}", self.prefix)
    }

    /// `1.23e45`.
    fn scientific(&self, magnitude: i64, figures: usize) -> Rounded {
        let places = i64::try_from(figures).unwrap_or(i64::MAX) - magnitude;
        let (digits, _) = self.scaled(places);
        let digits = digits.to_string();
        // Rounding up may have made one digit more, as in 9.99 to 10.0.
        let power = magnitude - 1 + i64::try_from(digits.len() - figures.min(digits.len())).unwrap_or(0);
        let (before, after) = digits.split_at(1);
        let after = after.trim_end_matches('0');
        let sign = if self.is_negative { "-" } else { "" };
        let point = if after.is_empty() { "" } else { "." };
        Rounded { text: format!("{sign}{before}{point}{after}e{power}"), whole: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fraction: &str, rounding: Option<Rounding>, is_exact: bool, text: &str) {
        let read = Fraction::read(fraction, 10).expect("a fraction");
        assert_eq!(read.write(rounding, is_exact).text, text, "{fraction} {rounding:?}");
    }

    #[test]
    fn places_are_kept_and_rounded_half_away_from_zero() {
        for (fraction, places, text) in [
            ("107/1000", 2, "0.11"),
            ("300686/100000", 2, "3.01"),
            ("300086/100000", 2, "3.00"),
            ("-1005/1000", 2, "-1.01"),
            ("1999/1000", 2, "2.00"),
            ("5/2", 0, "3"),
            ("-1/1000", 2, "0.00"),
            ("5", 2, "5.00"),
            ("2/3", 30, "0.666666666666666666666666666667"),
        ] {
            check(fraction, Some(Rounding::Places(places)), true, text);
        }
    }

    #[test]
    fn figures_count_from_the_first_digit_that_is_not_zero() {
        for (fraction, figures, text) in
            [("2/3", 3, "0.667"), ("1/3000", 2, "0.00033"), ("20000/3", 3, "6667"), ("999/1000", 2, "1.00")]
        {
            check(fraction, Some(Rounding::Figures(figures)), true, text);
        }
        check("1/3", None, true, "0.333333333333");
        check("10000000000000000000/3", None, true, "3333333333333333333");
    }

    #[test]
    fn what_is_not_known_is_not_shown() {
        check("3184525836262887/2251799813685248", Some(Rounding::Places(40)), false, "1.41421356237310");
        check("123456789012345678901234567890", None, false, "1.23456789012346e29");
        check("1/30000000000000000000000000", None, true, "3.33333333333e-26");
        check("9999999999999999999/1", None, false, "1e19");
    }

    #[test]
    fn other_bases_keep_theirs() {
        let read = Fraction::read("0x10/0x3", 16).expect("a fraction");
        assert_eq!(read.write(Some(Rounding::Places(3)), true), Rounded { text: "0x5.555".into(), whole: false });
        assert_eq!(Fraction::read("1 + 2i", 10), None);
        assert_eq!(Fraction::read("1/0", 10), None);
    }
}
