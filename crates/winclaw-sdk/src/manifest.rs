use winclaw_tool::{ManifestError, PluginManifest};

/// Every fault of a plugin's manifest, given as JSON; empty when there is none.
///
/// Packaging runs the same checks, so a test that calls this finds them earlier:
/// `assert_eq!(winclaw_sdk::check_manifest(plugin().manifest()), []);`
pub fn check_manifest(json: &str) -> Vec<ManifestError> {
    match serde_json::from_str::<PluginManifest>(json) {
        Ok(manifest) => {
            let mut errors = manifest.check();
            let silent = manifest.tools.iter().filter(|tool| tool.description.trim().is_empty());
            errors.extend(silent.map(|tool| ManifestError {
                at: format!("tools.{}.description", tool.name),
                what: "is empty; give the tool's function a doc comment, which is what the model reads".into(),
            }));
            errors
        }
        Err(error) => vec![ManifestError { at: "plugin.json".into(), what: error.to_string() }],
    }
}
