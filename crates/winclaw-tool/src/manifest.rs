use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::detail::ACTION;
use crate::{DetailKey, PluginId, Text, lookup};

/// What a call may do to the world, mildest first. It decides who must consent before the call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideEffect {
    /// Looks, and changes nothing.
    Read,
    /// Makes or changes something on this machine that can be undone or made again.
    Write,
    /// May lose something that cannot be brought back.
    Destructive,
    /// Acts on the world outside: sends, posts, pays, clicks.
    External,
}

impl SideEffect {
    /// The wire form, `read` and so on.
    pub fn as_str(self) -> &'static str {
        match self {
            SideEffect::Read => "read",
            SideEffect::Write => "write",
            SideEffect::Destructive => "destructive",
            SideEffect::External => "external",
        }
    }
}

/// How strongly one tool leans on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependencyKind {
    /// The tool cannot be used without the other: they are exposed together, transitively.
    Requires,
    /// The other's results often feed this tool: a small rank bonus and a line in the catalogue, never a schema.
    InputFrom,
    /// The two are often used in one task: consulted only when the model is stuck.
    OftenWith,
}

/// One edge of the dependency graph, as a manifest states it.
///
/// In JSON and TOML a plain string means `requires`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "DependencyRepr")]
pub struct Dependency {
    /// The other tool's id, `plugin.tool`; a name without a dot means a tool of the same plugin.
    pub tool: String,
    /// How strongly.
    pub kind: DependencyKind,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DependencyRepr {
    Plain(String),
    Kind { tool: String, kind: DependencyKind },
}

impl From<DependencyRepr> for Dependency {
    fn from(repr: DependencyRepr) -> Self {
        match repr {
            DependencyRepr::Plain(tool) => Dependency { tool, kind: DependencyKind::Requires },
            DependencyRepr::Kind { tool, kind } => Dependency { tool, kind },
        }
    }
}

/// Words a tool is known by, per language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    /// English words.
    pub en: Vec<String>,
    /// Chinese words.
    pub zh: Vec<String>,
}

impl Words {
    /// All words, English first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.en.iter().chain(&self.zh).map(String::as_str)
    }
}

/// What files a plugin may touch through the host's allowed roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// None but its own scratch folder.
    #[default]
    None,
    /// Reads below the allowed roots.
    Read,
    /// Reads and writes below the allowed roots.
    Write,
}

/// What a plugin asks the host for. Absent means nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Permissions {
    /// Host names it may reach through the host's HTTP client. No wildcards, no ports.
    pub http: Vec<String>,
    /// Names of the secrets it may read.
    pub secrets: Vec<String>,
    /// What files it may touch.
    pub files: FileAccess,
    /// Programs it may start.
    pub processes: Vec<String>,
}

/// The library of one target triple.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFile {
    /// Path of the library inside the package, with `/` between folders, such as
    /// `lib/x86_64-unknown-linux-gnu/libweather.so`.
    pub file: String,
    /// Lower-case hexadecimal SHA-256 of its bytes.
    pub sha256: String,
}

/// One tool, as its package declares it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolManifest {
    /// The tool's own name, `a-z0-9_`, unique in the plugin.
    pub name: String,
    /// What a person sees as its title. Absent: the name.
    #[serde(default)]
    pub title: Text,
    /// One emoji shown before the title. Absent: none.
    #[serde(default)]
    pub emoji: String,
    /// The kind of need it serves, in one lower-case word such as `information`. Any category is allowed.
    pub category: String,
    /// What it does in one line, for the catalogue.
    pub summary: Text,
    /// What the model reads when the tool is shown whole.
    pub description: String,
    /// JSON Schema of its arguments: an object schema.
    pub parameters: Value,
    /// Names of the actions, for a tool that bundles several. Absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// The tools it leans on.
    #[serde(default)]
    pub depends_on: Vec<Dependency>,
    /// Ordered dotted paths of the parameters that say what a call is about, such as `target.city`. An entry written
    /// `action:path`, such as `send:to`, counts only for calls whose argument `action` has that value; its action is one
    /// of `actions`, or of the values that the schema allows for the parameter `action`.
    ///
    /// They are kept in the short form of the schema; they make the one line a person sees of a call; a call that is
    /// about the same thing and gave the same result again and again is stopped though other arguments differ; and after
    /// a failure they say what the failed call and a stray one were about. Empty: none of this.
    #[serde(default)]
    pub detail_keys: Vec<String>,
    /// Dotted paths of parameters that do not change what a call does, such as a label; loop detection ignores them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volatile_keys: Vec<String>,
    /// Dotted paths of what differs in the result of every call and says nothing, such as `pid` or `took_ms`; loop
    /// detection ignores them. A path that a result does not have does no harm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volatile_results: Vec<String>,
    /// Dotted paths of boolean parameters that make a call destructive when true, such as `overwrite`. Absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destructive_if: Vec<String>,
    /// A note to the model on how to use it well, in English, at most 400 characters: shown with its schema, and in the
    /// system text while its schema stands in the tools array. Empty: none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub guidance: String,
    /// Other words people use for it.
    #[serde(default)]
    pub aliases: Words,
    /// Requests of people that this tool answers, in any language.
    #[serde(default)]
    pub examples: Vec<String>,
    /// What a call may do to the world, while no parameter of `destructive_if` is true.
    pub side_effect: SideEffect,
    /// Whether its schema is always shown.
    #[serde(default)]
    pub always_load: bool,
    /// Whether it is meant to be called again and again until its result changes.
    #[serde(default)]
    pub poll: bool,
    /// Whether what it gives back may be the words of others, such as a page, a mail or a file that somebody sent. After
    /// such words a call that acts somewhere new is asked about. Absent: as [`PluginManifest::offered`] says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted_output: Option<bool>,
    /// Who publishes it. Of a plugin's tool this is the plugin's publisher, whatever stands here; see
    /// [`PluginManifest::offered`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub publisher: String,
    /// How long a call may take, in milliseconds. Default 30 000.
    #[serde(default = "default_timeout_ms")]
    pub timeout_ms: u64,
}

impl ToolManifest {
    /// Whether the dotted `path`, such as `target.city`, names a parameter of the tool.
    pub fn has_parameter(&self, path: &str) -> bool {
        parameter(&self.parameters, path).is_some()
    }

    /// What is wrong with `entry` of `detail_keys`, read as [`DetailKey`] says; `None` if it holds for this tool.
    pub fn detail_fault(&self, entry: &str) -> Option<DetailFault> {
        let key = DetailKey::read(entry);
        if !self.has_parameter(key.path) {
            return Some(DetailFault::NoParameter);
        }
        let unknown = key.action.is_some_and(|action| !self.has_action(action));
        unknown.then_some(DetailFault::NoAction)
    }

    /// Whether `name` is one of `actions`, or a value that the schema lists for the parameter `action`.
    fn has_action(&self, name: &str) -> bool {
        let listed = |stated| allowed(&self.parameters, stated).iter().any(|value| *value == name);
        self.actions.iter().any(|action| action == name) || parameter(&self.parameters, ACTION).is_some_and(listed)
    }

    /// What the call with these `arguments` may do: [`ToolManifest::side_effect`], raised from `read` or `write` to
    /// `destructive` when a parameter of `destructive_if` is true. `external` stays, since it is the stronger.
    pub fn side_effect_of(&self, arguments: &Value) -> SideEffect {
        match self.side_effect {
            SideEffect::Read | SideEffect::Write if !self.destructive_in(arguments).is_empty() => {
                SideEffect::Destructive
            }
            stated => stated,
        }
    }

    /// The paths of `destructive_if` that are true in `arguments`, in the manifest's order. A parameter that is absent
    /// or null counts as the default its schema states.
    pub fn destructive_in(&self, arguments: &Value) -> Vec<&str> {
        let given = |path: &str| lookup(arguments, path).filter(|value| !value.is_null());
        let is_true = |path: &str| given(path).or_else(|| self.default_of(path)) == Some(&Value::Bool(true));
        self.destructive_if.iter().map(String::as_str).filter(|path| is_true(path)).collect()
    }

    fn default_of(&self, path: &str) -> Option<&Value> {
        let stated = parameter(&self.parameters, path)?;
        stated.get("default").or_else(|| deref(&self.parameters, stated).get("default"))
    }
}

/// Why an entry of `detail_keys` does not hold for its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailFault {
    /// Its path leads to no parameter.
    NoParameter,
    /// It is for an action that the tool does not have.
    NoAction,
}

fn default_timeout_ms() -> u64 {
    30_000
}

/// `plugin.json`: everything the host knows of a plugin without running it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PluginManifest {
    /// Version of this file's form; 1.
    pub schema: u32,
    /// The plugin's id.
    pub id: PluginId,
    /// Its version, `MAJOR.MINOR.PATCH`.
    pub version: String,
    /// Version of the boundary it was built for; 1.
    pub abi: u32,
    /// Who publishes it.
    #[serde(default)]
    pub publisher: String,
    /// The libraries, by target triple. Empty in what the DLL itself reports.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, TargetFile>,
    /// What it asks for.
    #[serde(default)]
    pub permissions: Permissions,
    /// Its tools.
    pub tools: Vec<ToolManifest>,
}

/// One fault of a manifest: the place in the file, and what must stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestError {
    /// The field, such as `tools.forecast.detail_keys`.
    pub at: String,
    /// What is wrong and what would be right.
    pub what: String,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl std::error::Error for ManifestError {}

impl PluginManifest {
    /// Version of `plugin.json` this host reads.
    pub const SCHEMA: u32 = 1;

    /// Its tools as a catalog takes them: each with the plugin's publisher, and with `untrusted_output` decided.
    ///
    /// Where a tool does not say itself, its output is that of others if the plugin may reach the network or start programs,
    /// or if it may touch files and the tool reads. What is only computed is the plugin's own.
    pub fn offered(&self) -> impl Iterator<Item = ToolManifest> {
        let Permissions { http, processes, files, .. } = &self.permissions;
        let outside = !http.is_empty() || !processes.is_empty();
        let reads_files = *files != FileAccess::None;
        self.tools.iter().map(move |tool| {
            let by_permission = outside || (reads_files && tool.side_effect == SideEffect::Read);
            let untrusted_output = Some(tool.untrusted_output.unwrap_or(by_permission));
            ToolManifest { publisher: self.publisher.clone(), untrusted_output, ..tool.clone() }
        })
    }

    /// Every fault that can be seen in the manifest alone, in file order; empty when there is none.
    ///
    /// Whether dependencies exist, and whether this host can load the targets, is checked where that is known.
    pub fn check(&self) -> Vec<ManifestError> {
        let mut errors = Vec::new();
        let mut fault = |at: String, what: String| errors.push(ManifestError { at, what });
        if self.schema != Self::SCHEMA {
            fault("schema".into(), format!("is {}, this host reads {}", self.schema, Self::SCHEMA));
        }
        if !is_version(&self.version) {
            fault("version".into(), format!("`{}` is not MAJOR.MINOR.PATCH, such as 1.0.0", self.version));
        }
        if self.tools.is_empty() {
            fault("tools".into(), "is empty; a plugin has at least one tool".into());
        }
        for host in self.permissions.http.iter().filter(|host| !is_host(host)) {
            fault("permissions.http".into(), format!("`{host}` is not a plain host name such as api.example.org"));
        }
        let mut seen = BTreeSet::new();
        for tool in &self.tools {
            if !seen.insert(tool.name.as_str()) {
                fault(format!("tools.{}", tool.name), "stands twice".into());
            }
            errors_of_tool(tool, &mut fault);
        }
        errors
    }
}

fn errors_of_tool(tool: &ToolManifest, fault: &mut impl FnMut(String, String)) {
    let at = |field: &str| format!("tools.{}.{field}", tool.name);
    if !is_tool_name(&tool.name) {
        fault(at("name"), format!("`{}` must be 1 to 64 of a-z, 0-9 and _", tool.name));
    }
    if tool.category.trim().is_empty() {
        fault(at("category"), "is empty; name the need it serves, such as information".into());
    }
    if tool.summary.is_empty() {
        fault(at("summary"), "is empty; say in one line what the tool does".into());
    }
    if tool.timeout_ms == 0 {
        fault(at("timeout_ms"), "is 0; give a positive number of milliseconds".into());
    }
    if tool.parameters.get("type").and_then(Value::as_str) != Some("object") {
        fault(at("parameters"), "must be a JSON Schema with \"type\": \"object\"".into());
    }
    errors_of_keys(tool, &mut |field, what| fault(at(field), what));
}

fn errors_of_keys(tool: &ToolManifest, fault: &mut impl FnMut(&str, String)) {
    for key in &tool.detail_keys {
        match tool.detail_fault(key) {
            Some(DetailFault::NoParameter) => fault("detail_keys", no_parameter(tool, DetailKey::read(key).path)),
            Some(DetailFault::NoAction) => fault("detail_keys", no_action(key)),
            None => {}
        }
    }
    let lists = [("volatile_keys", &tool.volatile_keys), ("destructive_if", &tool.destructive_if)];
    for (field, key) in lists.into_iter().flat_map(|(field, keys)| keys.iter().map(move |key| (field, key))) {
        match parameter(&tool.parameters, key) {
            None => fault(field, no_parameter(tool, key)),
            Some(stated) if field == "destructive_if" && !may_be_boolean(deref(&tool.parameters, stated)) => {
                fault(field, format!("`{key}` is no boolean; name a parameter that is true or false"));
            }
            Some(_) => {}
        }
    }
}

fn no_parameter(tool: &ToolManifest, path: &str) -> String {
    format!("`{path}` names no parameter; the parameters are: {}", parameter_names(&tool.parameters).join(", "))
}

fn no_action(key: &str) -> String {
    format!(
        "`{key}` is for an action that the tool does not have; before the `:` stands one of actions, or of the values of \
         the parameter `{ACTION}`"
    )
}

fn is_version(version: &str) -> bool {
    let core = version.split(['-', '+']).next().unwrap_or("");
    let parts: Vec<&str> = core.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

fn is_host(host: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    !host.is_empty() && host.len() <= 253 && host.bytes().all(legal) && !host.starts_with('.')
}

fn is_tool_name(name: &str) -> bool {
    let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(legal)
}

/// The schema of the parameter that the dotted `path` names, if it names one; local `$ref`s into `$defs` are followed.
fn parameter<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(schema, |at, key| deref(schema, at).get("properties")?.get(key))
}

/// Whether the schema leaves room for a boolean; one without a type does.
fn may_be_boolean(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "boolean"),
        Some(kind) => kind == "boolean",
        None => true,
    }
}

/// The values that a schema lists by `enum` or `const`, itself or in its choices, as some languages write an enum.
fn allowed<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = deref(root, schema);
    let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let choices = list("oneOf").chain(list("anyOf")).map(|choice| deref(root, choice));
    let stated = |one: &'a Value| {
        let listed = one.get("enum").and_then(Value::as_array).into_iter().flatten();
        listed.chain(one.get("const"))
    };
    std::iter::once(schema).chain(choices).flat_map(stated).collect()
}

fn deref<'a>(root: &'a Value, at: &'a Value) -> &'a Value {
    let target = |reference: &str| root.pointer(reference.strip_prefix('#')?);
    at.get("$ref").and_then(Value::as_str).and_then(target).unwrap_or(at)
}

fn parameter_names(schema: &Value) -> Vec<&str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
