use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use winclaw_tool::{
    Dependency, FileAccess, Permissions, PluginId, PluginManifest, SideEffect, Text, ToolManifest, Words,
};

/// `plugin.toml`: what the author decides. Unknown fields are refused, since here they are spelling mistakes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PluginToml {
    id: PluginId,
    version: Option<String>,
    #[serde(default)]
    publisher: String,
    #[serde(default)]
    permissions: PermissionsToml,
    tools: BTreeMap<String, ToolToml>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct PermissionsToml {
    http: Vec<String>,
    secrets: Vec<String>,
    files: FileAccess,
    processes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolToml {
    category: String,
    summary: Text,
    #[serde(default)]
    title: Text,
    #[serde(default)]
    emoji: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    actions: Vec<String>,
    #[serde(default)]
    depends_on: Vec<Dependency>,
    #[serde(default)]
    detail_keys: Vec<String>,
    #[serde(default)]
    volatile_keys: Vec<String>,
    #[serde(default)]
    volatile_results: Vec<String>,
    #[serde(default)]
    destructive_if: Vec<String>,
    #[serde(default)]
    guidance: String,
    #[serde(default)]
    aliases: WordsToml,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    always_load: bool,
    #[serde(default)]
    poll: bool,
    untrusted_output: Option<bool>,
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WordsToml {
    en: Vec<String>,
    zh: Vec<String>,
}

fn default_timeout_ms() -> u64 {
    30_000
}

/// What `plugin.toml` says, ready to be joined with what the code says.
#[derive(Debug)]
pub(crate) struct Author {
    /// The manifest with empty descriptions where the doc comment is to serve, and without schemas and side effects.
    pub(crate) manifest: PluginManifest,
    /// Whether the file gives a version; else the crate's own is the plugin's.
    pub(crate) has_version: bool,
}

/// Reads and checks the text of a `plugin.toml`. The error says which field is wrong and what would be right.
pub(crate) fn read(text: &str) -> Result<Author, String> {
    let file: PluginToml = toml::from_str(text).map_err(|error| plain(&error.to_string()))?;
    let has_version = file.version.is_some();
    let manifest = manifest(file);
    check(&manifest)?;
    Ok(Author { manifest, has_version })
}

fn manifest(file: PluginToml) -> PluginManifest {
    let PermissionsToml { http, secrets, files, processes } = file.permissions;
    PluginManifest {
        schema: PluginManifest::SCHEMA,
        id: file.id,
        version: file.version.unwrap_or_else(|| "0.0.0".to_owned()),
        abi: 1,
        publisher: file.publisher,
        targets: BTreeMap::new(),
        permissions: Permissions { http, secrets, files, processes },
        tools: file.tools.into_iter().map(|(name, tool)| tool_manifest(name, tool)).collect(),
    }
}

fn tool_manifest(name: String, tool: ToolToml) -> ToolManifest {
    ToolManifest {
        name,
        title: tool.title,
        emoji: tool.emoji,
        category: tool.category,
        summary: tool.summary,
        description: tool.description.trim().to_owned(),
        parameters: json!({"type": "object"}),
        actions: tool.actions,
        depends_on: tool.depends_on,
        detail_keys: tool.detail_keys,
        volatile_keys: tool.volatile_keys,
        volatile_results: tool.volatile_results,
        destructive_if: tool.destructive_if,
        guidance: tool.guidance,
        aliases: Words { en: tool.aliases.en, zh: tool.aliases.zh },
        examples: tool.examples,
        side_effect: SideEffect::Read,
        always_load: tool.always_load,
        poll: tool.poll,
        untrusted_output: tool.untrusted_output,
        publisher: String::new(),
        timeout_ms: tool.timeout_ms,
    }
}

/// The checks of the manifest that need no schema; keys are checked against the schema when the plugin is tested.
fn check(manifest: &PluginManifest) -> Result<(), String> {
    let mut without_keys = manifest.clone();
    for tool in &mut without_keys.tools {
        tool.detail_keys.clear();
        tool.volatile_keys.clear();
        tool.destructive_if.clear();
    }
    let errors: Vec<String> = without_keys.check().iter().map(ToString::to_string).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
}

/// Says what was expected where serde can only name a type of ours.
fn plain(error: &str) -> String {
    let expected = [
        ("TextRepr", r#"expected a text: { en = "…", zh = "…" }, or one string for both"#),
        (
            "DependencyRepr",
            r#"expected a tool: "plugin.tool", or { tool = "plugin.tool", kind = "requires" | "input_from" | "often_with" }"#,
        ),
    ];
    let untagged = |name: &str| format!("data did not match any variant of untagged enum {name}");
    expected.iter().fold(error.trim_end().to_owned(), |text, (name, right)| text.replace(&untagged(name), right))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"
        id = "sky"
        publisher = "someone"
        [permissions]
        http = ["api.example.org"]
        files = "read"
        [tools.forecast]
        category = "information"
        title = { en = "Forecast", zh = "预报" }
        emoji = "🌤"
        summary = { en = "Weather", zh = "天气" }
        detail_keys = ["place"]
        destructive_if = ["overwrite"]
        depends_on = ["map.find", { tool = "clock.now", kind = "input_from" }]
        aliases = { zh = ["天气"] }
        examples = ["查天气"]
        timeout_ms = 5000
    "#;

    #[test]
    fn a_sound_file_is_read_whole() {
        let author = read(SOUND).expect("a sound file");
        let tool = &author.manifest.tools[0];
        assert!(!author.has_version);
        assert_eq!((tool.name.as_str(), tool.timeout_ms, tool.depends_on.len()), ("forecast", 5000, 2));
        assert_eq!(author.manifest.permissions.files, FileAccess::Read);
        assert_eq!(tool.title.zh, "预报");
        assert_eq!(
            (tool.detail_keys.as_slice(), tool.destructive_if.as_slice()),
            (["place".into()].as_slice(), ["overwrite".into()].as_slice())
        );
    }

    #[test]
    fn each_mistake_is_named_with_what_would_be_right() {
        let cases = [
            ("id = \"sky\"", "id = \"Sky!\"", "starting with a letter or digit"),
            ("publisher", "publischer", "unknown field `publischer`"),
            ("category = \"information\"", "", "missing field `category`"),
            ("http", "https", "unknown field `https`"),
            ("\"api.example.org\"", "\"https://api.example.org/\"", "permissions.http"),
            ("kind = \"input_from\"", "kind = \"inputs\"", "\"often_with\""),
            ("{ en = \"Weather\", zh = \"天气\" }", "3", "expected a text"),
            ("zh = [\"天气\"]", "fr = [\"météo\"]", "unknown field `fr`"),
            ("timeout_ms = 5000", "timeout_ms = 0", "tools.forecast.timeout_ms"),
            ("destructive_if", "destructive_when", "unknown field `destructive_when`"),
            ("destructive_if = [\"overwrite\"]", "destructive_if = \"overwrite\"", "expected a sequence"),
            ("tools.forecast", "tools.Forecast", "a-z, 0-9 and _"),
            ("\"information\"", "\"\"", "tools.forecast.category"),
            ("files = \"read\"", "files = \"all\"", "unknown variant `all`"),
            ("id = \"sky\"", "id = \"sky\"\nversion = \"1\"", "MAJOR.MINOR.PATCH"),
        ];
        for (right, wrong, part) in cases {
            assert!(SOUND.contains(right), "{right}");
            let error = read(&SOUND.replace(right, wrong)).expect_err("a mistake");
            assert!(error.contains(part), "{wrong}: {error}");
        }
    }

    #[test]
    fn syntax_errors_say_where() {
        let error = read("id = ").expect_err("no TOML");
        assert!(error.contains("line 1"), "{error}");
    }
}
