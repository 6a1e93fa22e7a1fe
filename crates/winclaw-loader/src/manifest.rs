use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use winclaw_abi::ABI;
use winclaw_tool::{PluginManifest, Problem};

use crate::problems;

/// Name of the manifest in a package.
pub(crate) const FILE: &str = "plugin.json";
/// Most bytes of a manifest.
const MAX_BYTES: u64 = 1024 * 1024;
/// Most lists and objects inside each other.
const MAX_DEPTH: usize = 64;

/// Reads and checks the manifest of the package at `path`, which is called `folder` in problems.
pub(crate) fn read(path: &Path, folder: &str) -> Result<PluginManifest, Problem> {
    let text = read_capped(path, folder)?;
    let depth = depth(&text);
    if depth > MAX_DEPTH {
        return Err(problems::bad_manifest(folder, &format!("it nests {depth} levels deep, {MAX_DEPTH} are allowed")));
    }
    let bad = |error: serde_json::Error| problems::bad_manifest(folder, &error.to_string());
    same_generation(&serde_json::from_slice(&text).map_err(bad)?, folder)?;
    let manifest: PluginManifest = serde_json::from_slice(&text).map_err(bad)?;
    let faults = manifest.check();
    if faults.is_empty() { Ok(manifest) } else { Err(problems::faulty_manifest(folder, &faults)) }
}

fn read_capped(path: &Path, folder: &str) -> Result<Vec<u8>, Problem> {
    let file = path.join(FILE);
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => problems::no_manifest(folder),
        _ => problems::unreadable(folder, FILE, &error),
    };
    let size = std::fs::metadata(&file).map_err(unreadable)?.len();
    if size > MAX_BYTES {
        return Err(problems::manifest_too_large(folder, size, MAX_BYTES));
    }
    let mut text = Vec::new();
    File::open(&file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut text)).map_err(unreadable)?;
    let read = text.len() as u64;
    // The file may have grown since it was measured, or may be a device without a size.
    if read > MAX_BYTES { Err(problems::manifest_too_large(folder, read, MAX_BYTES)) } else { Ok(text) }
}

/// The two fields that say what all others mean. A later generation may have changed those, so they are not read yet.
#[derive(Deserialize)]
struct Generation {
    #[serde(default)]
    schema: Value,
    #[serde(default)]
    abi: Value,
}

fn same_generation(found: &Generation, folder: &str) -> Result<(), Problem> {
    for (field, found, ours) in [("schema", &found.schema, PluginManifest::SCHEMA), ("abi", &found.abi, ABI)] {
        if !found.is_number() {
            return Err(problems::bad_manifest(folder, &format!("the number `{field}` is missing")));
        }
        if found.as_u64() != Some(u64::from(ours)) {
            return Err(problems::other_generation(folder, field, &found.to_string(), ours));
        }
    }
    Ok(())
}

/// How deep lists and objects nest, by their brackets outside strings.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0_usize, false, false);
    for &byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        for (json, deep) in
            [("1", 0), ("[]", 1), (r#"{"a":[{}]}"#, 3), (r#"["[[[\"[["]"#, 1), (r#"["\\",[]]"#, 2), ("]]]", 0)]
        {
            assert_eq!(depth(json.as_bytes()), deep, "{json}");
        }
    }
}
