use std::collections::BTreeSet;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;
use winclaw_catalog::CatalogTool;
use winclaw_tool::Failure;

use crate::Repair;
use crate::arguments::{MAX_DEPTH, too_deep};
use crate::cost::is_affordable;
use crate::example::{corrected, nearest};
use crate::repair::{self, Draft};
use crate::shape::{self, inside};

/// How many errors are told at once.
const MAX_ERRORS: usize = 5;

/// How many branches are told of, where one of several must hold.
const MAX_BRANCHES: usize = 4;

/// How many errors are looked at.
const MAX_SEEN: usize = 1_000;

/// How often a pattern may go back before it counts as not matching; it keeps a hostile pattern from burning time.
const MAX_BACKTRACKS: usize = 20_000;

/// Longest text of an error that has no words of its own, in characters.
const MAX_ERROR: usize = 200;

/// Longest example of a right call, in characters; a longer one is left out.
const MAX_EXAMPLE: usize = 1_500;

/// Whether `arguments` fit the tool's schema; if not, an `invalid_args` failure that says what is wrong with each field,
/// what was expected, what a right call would look like, and which parameters there are.
///
/// A tool whose schema is itself not valid, refers to something outside itself, or is so entangled that checking could
/// take very long, passes every object: its author's mistake must not cost the tool. Nothing is ever fetched. At most five errors are told. Compiles the schema at every
/// call; a [`Guard`](crate::Guard) keeps it.
pub fn check_arguments(tool: &CatalogTool, arguments: &Value) -> Result<(), Failure> {
    Checker::of(tool).check(tool, arguments).map(drop)
}

/// `arguments` as `tool` would run with them, put right where that loses and guesses nothing, and what was repaired; else as
/// [`check_arguments`] says. What fits already is not changed, but for whole numbers written with a point. Compiles the
/// schema at every call.
pub fn repair_arguments(tool: &CatalogTool, arguments: Value) -> Result<(Value, Vec<Repair>), Failure> {
    let Checked { draft, fits } = Checker::of(tool).repair(tool, arguments);
    fits.map(|_| (draft.value, draft.repairs))
}

/// A compiled schema, or why it does not compile.
#[derive(Debug)]
pub(crate) struct Checker(Result<Box<Validator>, String>);

impl Checker {
    pub(crate) fn of(tool: &CatalogTool) -> Checker {
        let schema = &tool.manifest.parameters;
        // A dialect nobody knows is no reason to check nothing: read it as the current one.
        let plain = || match schema {
            Value::Object(map) => Value::Object(map.iter().filter(|(key, _)| *key != "$schema").map(own).collect()),
            other => other.clone(),
        };
        let built = compile(schema).or_else(|error| compile(&plain()).map_err(|_| error));
        Checker(built.map(Box::new))
    }

    /// `arguments` put right where that loses and guesses nothing; where it does not lead to arguments that fit, they are
    /// left as they are and the failure is about them.
    pub(crate) fn repair(&self, tool: &CatalogTool, arguments: Value) -> Checked {
        let can_be = !is_deeper(&arguments, MAX_DEPTH) && is_affordable(&tool.manifest.parameters, &arguments);
        let validator = self.0.as_ref().ok().filter(|_| can_be);
        match validator.and_then(|validator| repair::repaired(tool, validator, &arguments)) {
            Some(draft) => Checked { draft, fits: Ok(None) },
            None => Checked { fits: self.check(tool, &arguments), draft: Draft::new(arguments) },
        }
    }

    /// As [`check_arguments`]; where nothing could be checked, with what the model should hear of it.
    pub(crate) fn check(&self, tool: &CatalogTool, arguments: &Value) -> Result<Option<String>, Failure> {
        let id = &tool.id;
        if is_deeper(arguments, MAX_DEPTH) {
            return Err(Failure::invalid_args(format!("`{id}` was not run: {}", too_deep())));
        }
        let schema = &tool.manifest.parameters;
        let fault = match &self.0 {
            Ok(validator) if is_affordable(schema, arguments) => return outcome(tool, validator, arguments),
            Ok(_) => "it is too entangled",
            Err(error) => error,
        };
        if arguments.is_object() {
            Ok(Some(format!("The schema of `{id}` is faulty ({fault}), so the arguments were not checked.")))
        } else {
            let given = shape::shown(arguments);
            Err(Failure::invalid_args(format!(
                "`{id}` was not run: its arguments are {given}; send an object such as {{}}."
            )))
        }
    }
}

/// Arguments that a tool was called with, as far as they can be put right, and whether they fit.
pub(crate) struct Checked {
    pub(crate) draft: Draft,
    /// As [`Checker::check`] says of the arguments in the draft.
    pub(crate) fits: Result<Option<String>, Failure>,
}

fn outcome(tool: &CatalogTool, validator: &Validator, arguments: &Value) -> Result<Option<String>, Failure> {
    if validator.is_valid(arguments) { Ok(None) } else { Err(failure(tool, validator, arguments)) }
}

fn own((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

fn compile(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS);
    let built = jsonschema::options().offline().with_pattern_options(patterns).build(schema);
    built.map_err(|error| winclaw_catalog::clean(&error.to_string(), MAX_ERROR))
}

/// Whether something stands in `value` under more than `levels` brackets.
pub(crate) fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|item| is_deeper(item, levels - 1)),
        _ => false,
    }
}

fn failure(tool: &CatalogTool, validator: &Validator, arguments: &Value) -> Failure {
    let schema = &tool.manifest.parameters;
    let mut text = format!("The arguments of `{}` are not right; it was not run.", tool.id);
    if arguments.is_object() {
        for line in errors(schema, validator, arguments) {
            text.push_str(&format!("\n- {line}"));
        }
    } else {
        text.push_str(&format!("\n- The arguments are {}; expected one object.", shape::shown(arguments)));
    }
    if let Some(example) = example(schema, validator, arguments) {
        text.push_str(&format!("\nArguments that would be right: {example}"));
    }
    text.push_str("\nParameters:");
    let parameters = shape::parameters(schema);
    if parameters.is_empty() {
        text.push_str(" none");
    }
    for line in parameters {
        text.push_str(&format!("\n- {line}"));
    }
    let id = &tool.id;
    Failure::invalid_args(text).with_hint(
        format!("`winclaw tool describe {id}` shows its parameters."),
        format!("`winclaw tool describe {id}` 会列出它的参数。"),
    )
}

/// An example that is known to be valid and short enough to send.
fn example(schema: &Value, validator: &Validator, arguments: &Value) -> Option<String> {
    let kept = corrected(schema, validator, arguments);
    let fresh = || corrected(schema, validator, &Value::Null);
    let fits = |value: Value| Some(value.to_string()).filter(|text| text.chars().count() <= MAX_EXAMPLE);
    kept.and_then(fits).or_else(|| fresh().and_then(fits))
}

/// What is wrong, one line for each place, at most [`MAX_ERRORS`] and a line that counts the rest.
fn errors(schema: &Value, validator: &Validator, arguments: &Value) -> Vec<String> {
    let mut told = BTreeSet::new();
    let found = validator.iter_errors(arguments).take(MAX_SEEN).flat_map(|error| told_of(schema, &error));
    let mut lines: Vec<String> = found.filter(|line| told.insert(line.clone())).collect();
    if lines.len() > MAX_ERRORS {
        let more = lines.len() - MAX_ERRORS;
        lines.truncate(MAX_ERRORS);
        lines.push(format!("and {more} more"));
    }
    lines
}

fn told_of(schema: &Value, error: &ValidationError<'_>) -> Vec<String> {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Required { property } => vec![missing(schema, pointer, property)],
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| unknown(schema, pointer, name)).collect()
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }
            if error.instance().is_object() =>
        {
            vec![branches(schema, context)]
        }
        _ => vec![wrong(schema, pointer, error)],
    }
}

/// What would have to change for each branch of an object, of which one must hold.
fn branches(schema: &Value, context: &[Vec<ValidationError<'_>>]) -> String {
    let first = |branch: &Vec<ValidationError<'_>>| {
        let error = branch.first()?;
        let line = match error.kind() {
            ValidationErrorKind::Required { property } => missing(schema, error.instance_path().as_str(), property),
            _ => wrong(schema, error.instance_path().as_str(), error),
        };
        Some(line.trim_end_matches('.').to_owned())
    };
    let mut lines: Vec<String> = context.iter().filter_map(first).take(MAX_BRANCHES).collect();
    lines.dedup();
    format!("{}.", lines.join(", or: "))
}

fn missing(schema: &Value, pointer: &str, property: &Value) -> String {
    let pointer = inside(pointer, property.as_str().unwrap_or_default());
    let expected = shape::at(schema, &pointer).map_or_else(|| "a value".to_owned(), |at| shape::words(schema, at));
    format!("`{}` is missing; expected {expected}.", shape::place(&pointer))
}

fn unknown(schema: &Value, pointer: &str, name: &str) -> String {
    let known = shape::at(schema, pointer).map(|at| shape::property_names(schema, at)).unwrap_or_default();
    let advice = match nearest(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "leave it out.".to_owned(),
    };
    format!("`{}` is not a parameter; {advice}", shape::place(&inside(pointer, name)))
}

fn wrong(schema: &Value, pointer: &str, error: &ValidationError<'_>) -> String {
    let place = shape::place(pointer);
    let subject = if place.is_empty() { "the whole".to_owned() } else { format!("`{place}`") };
    let expected = shape::at(schema, pointer).map(|at| shape::words(schema, at));
    let value = shape::shown(error.instance());
    let detail = winclaw_catalog::clean(&error.masked_with("it").to_string(), MAX_ERROR);
    match expected {
        Some(expected) if says_enough(error.kind()) && expected != "any value" => {
            format!("{subject} is {value}; expected {expected}.")
        }
        Some(expected) if expected != "any value" => format!("{subject} is {value}; expected {expected} ({detail})."),
        _ => format!("{subject} is {value}: {detail}."),
    }
}

/// Whether the words of the schema already say what the error is.
fn says_enough(kind: &ValidationErrorKind) -> bool {
    use ValidationErrorKind as Kind;
    matches!(
        kind,
        Kind::Type { .. }
            | Kind::Enum { .. }
            | Kind::Constant { .. }
            | Kind::Minimum { .. }
            | Kind::Maximum { .. }
            | Kind::ExclusiveMinimum { .. }
            | Kind::ExclusiveMaximum { .. }
            | Kind::MultipleOf { .. }
            | Kind::MinLength { .. }
            | Kind::MaxLength { .. }
            | Kind::Pattern { .. }
            | Kind::Format { .. }
            | Kind::MinItems { .. }
            | Kind::MaxItems { .. }
            | Kind::AnyOf { .. }
            | Kind::OneOfNotValid { .. }
    )
}

#[cfg(test)]
pub(crate) mod tests;
