//! The tools.

use winclaw_sdk::prelude::*;

use crate::answer::{self, Answer, Shape};

/// What `evaluate` is called with.
#[args]
pub struct EvaluateArgs {
    /// Such as "15% of 200", "(2+3)^10", "100!", "0xff to binary", "5 km + 300 m to miles", "3 加 4 乘以 2". Functions take one bracketed argument: sqrt(2), sin(30°), ln(10).
    #[schemars(length(min = 1, max = 1000))]
    pub expression: String,
    /// Decimal places to round to, 0 to 100. Default: exact where possible, else 12 significant digits.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub precision: Option<u8>,
    /// Base to write the result in, 2 to 36. Default: 10.
    #[serde(default)]
    #[schemars(range(min = 2, max = 36))]
    pub base: Option<u8>,
}

/// What `convert` is called with.
#[args]
pub struct ConvertArgs {
    /// What to convert, with its unit: "5 km", "98.6 °F", "3斤", "0xff", "1 hour + 30 minutes".
    #[schemars(length(min = 1, max = 1000))]
    pub value: String,
    /// The unit or number form: "miles", "°C", "kg", "m/s", "英里", "hex", "base 7", "fraction".
    #[schemars(length(min = 1, max = 100))]
    pub to: String,
    /// Decimal places to round to, 0 to 100. Default: exact where possible, else 12 significant digits.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub precision: Option<u8>,
}

/// Computes an expression exactly where possible: arithmetic, percentages, powers, factorials, big integers, number
/// bases, functions, units. `200 + 15%` is 230. No currencies, dates or random numbers.
#[tool(side_effect = "read")]
pub fn evaluate(args: EvaluateArgs, cx: &Context) -> Result<Answer, Failure> {
    let shape = Shape::new(args.base, args.precision)?;
    let checked = answer::check("expression", &args.expression)?;
    answer::evaluate(&args.expression, &checked, shape, &|| cx.cancelled())
}

/// Converts a quantity to another unit, or a number to another base: length, mass, temperature, time, area, volume,
/// speed, energy, data and more. No currencies.
#[tool(side_effect = "read")]
pub fn convert(args: ConvertArgs, cx: &Context) -> Result<Answer, Failure> {
    let shape = Shape::new(None, args.precision)?;
    let mut value = answer::check("value", &args.value)?;
    let to = if args.to.trim() == "%" { "percent" } else { &args.to };
    let to = answer::check("to", to)?;
    value.plain = format!("({}) to {}", value.plain, to.plain);
    let written = format!("{} to {}", args.value.trim(), args.to.trim());
    answer::evaluate(&written, &value, shape, &|| cx.cancelled())
}
