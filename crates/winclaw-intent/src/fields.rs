use serde_json::{Map, Value};
use winclaw_catalog::CatalogTool;

use crate::weights::Weights;

/// Deepest level of nested parameters that is read.
const DEEPEST: usize = 6;

/// Where a word of a tool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Name,
    Source,
    Alias,
    Summary,
    Description,
    Category,
    Action,
    Parameter,
    ParameterText,
    Example,
}

impl Field {
    pub(crate) const ALL: [Field; 10] = [
        Field::Name,
        Field::Source,
        Field::Alias,
        Field::Summary,
        Field::Description,
        Field::Category,
        Field::Action,
        Field::Parameter,
        Field::ParameterText,
        Field::Example,
    ];

    /// What the field is called in evidence. The source is part of the name.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Field::Name | Field::Source => "name",
            Field::Alias => "alias",
            Field::Summary => "summary",
            Field::Description => "description",
            Field::Category => "category",
            Field::Action => "action",
            Field::Parameter | Field::ParameterText => "parameter",
            Field::Example => "example",
        }
    }

    pub(crate) fn weight(self, weights: &Weights) -> f32 {
        match self {
            Field::Name => weights.name,
            Field::Source => weights.source,
            Field::Alias => weights.alias,
            Field::Summary => weights.summary,
            Field::Description => weights.description,
            Field::Category => weights.category,
            Field::Action => weights.action,
            Field::Parameter => weights.parameter,
            Field::ParameterText => weights.parameter_text,
            Field::Example => weights.example,
        }
    }
}

/// Calls `sink` with every text of `tool` and the field it stands in.
pub(crate) fn each<'a>(tool: &'a CatalogTool, sink: &mut impl FnMut(Field, &'a str)) {
    let manifest = &tool.manifest;
    sink(Field::Name, tool.id.name());
    titles(tool).for_each(|title| sink(Field::Name, title));
    sink(Field::Source, tool.id.source());
    manifest.aliases.iter().for_each(|alias| sink(Field::Alias, alias));
    sink(Field::Description, &manifest.description);
    summaries(tool).for_each(|summary| sink(Field::Summary, summary));
    sink(Field::Category, &manifest.category);
    manifest.actions.iter().for_each(|action| sink(Field::Action, action));
    manifest.examples.iter().for_each(|example| sink(Field::Example, example));
    parameters(&manifest.parameters, DEEPEST, sink);
}

/// The titles that are not the name over again.
pub(crate) fn titles(tool: &CatalogTool) -> impl Iterator<Item = &str> {
    let title = &tool.manifest.title;
    let second = Some(&title.zh).filter(|zh| **zh != title.en);
    std::iter::once(&title.en)
        .chain(second)
        .map(String::as_str)
        .filter(|title| !title.is_empty() && *title != tool.id.name())
}

/// The summaries that say something the description does not: one made from the description counts once.
fn summaries(tool: &CatalogTool) -> impl Iterator<Item = &str> {
    let manifest = &tool.manifest;
    let second = Some(&manifest.summary.zh).filter(|zh| **zh != manifest.summary.en);
    let news = |summary: &&String| {
        let stated = summary.trim_end_matches("… [cut]");
        !stated.is_empty() && !manifest.description.contains(stated)
    };
    std::iter::once(&manifest.summary.en).chain(second).filter(news).map(String::as_str)
}

/// The names, descriptions and enumerated values of parameters, also of those inside others.
fn parameters<'a>(schema: &'a Value, left: usize, sink: &mut impl FnMut(Field, &'a str)) {
    let Some(schema) = schema.as_object().filter(|_| left > 0) else {
        return;
    };
    for (name, parameter) in objects(schema, "properties") {
        sink(Field::Parameter, name);
        parameter_texts(parameter, sink);
        parameters(parameter, left - 1, sink);
    }
    for (_, definition) in objects(schema, "$defs").chain(objects(schema, "definitions")) {
        parameters(definition, left - 1, sink);
    }
    for inner in ["items", "anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(*key)) {
        match inner {
            Value::Array(branches) => branches.iter().for_each(|branch| parameters(branch, left - 1, sink)),
            one => parameters(one, left - 1, sink),
        }
    }
}

fn objects<'a>(schema: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    schema.get(key).and_then(Value::as_object).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn parameter_texts<'a>(parameter: &'a Value, sink: &mut impl FnMut(Field, &'a str)) {
    let description = parameter.get("description").and_then(Value::as_str);
    description.into_iter().for_each(|text| sink(Field::ParameterText, text));
    let values = parameter.get("enum").and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).take(16).for_each(|value| sink(Field::ParameterText, value));
}
