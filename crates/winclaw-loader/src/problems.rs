use std::path::Path;

use winclaw_tool::{ManifestError, PluginId, Problem, ProblemKind, Text};

use crate::TARGET;
use crate::bounds::Fault;

fn fatal(kind: ProblemKind, subject: &str, what: Text, mend: Text) -> Problem {
    Problem { kind, subject: subject.to_owned(), what, mend, fatal: true }
}

fn warning(kind: ProblemKind, subject: &str, what: Text, mend: Text) -> Problem {
    Problem { fatal: false, ..fatal(kind, subject, what, mend) }
}

fn install_again() -> Text {
    Text::new("Install the plugin again from its package.", "请用安装包重新安装该插件。")
}

/// The folder of all plugins does not exist or cannot be listed.
pub(crate) fn no_folder(folder: &Path, error: &std::io::Error) -> Problem {
    let shown = folder.display();
    warning(
        ProblemKind::Io,
        &shown.to_string(),
        Text::new(
            format!("The plugins folder {shown} cannot be read ({error}), so there are no plugins."),
            format!("无法读取插件文件夹 {shown}（{error}），因此没有可用插件。"),
        ),
        Text::new(
            "Make the folder and install plugins into it, or name another one.",
            "请创建该文件夹并安装插件，或指定其他文件夹。",
        ),
    )
}

/// A package or a file in it cannot be read.
pub(crate) fn unreadable(folder: &str, file: &str, error: &std::io::Error) -> Problem {
    fatal(
        ProblemKind::Io,
        folder,
        Text::new(format!("{folder}/{file} cannot be read: {error}."), format!("无法读取 {folder}/{file}：{error}。")),
        Text::new("Check that the file exists and that you may read it.", "请检查文件是否存在以及是否有读取权限。"),
    )
}

/// A subfolder without `plugin.json`.
pub(crate) fn no_manifest(folder: &str) -> Problem {
    fatal(
        ProblemKind::Manifest,
        folder,
        Text::new(
            format!("{folder} has no plugin.json, so it is not a plugin."),
            format!("{folder} 中没有 plugin.json，不是插件。"),
        ),
        Text::new("Remove the folder, or install the plugin again.", "请删除该文件夹，或重新安装插件。"),
    )
}

/// `plugin.json` is larger than a manifest can be.
pub(crate) fn manifest_too_large(folder: &str, bytes: u64, cap: u64) -> Problem {
    fatal(
        ProblemKind::Manifest,
        folder,
        Text::new(
            format!("{folder}/plugin.json has {bytes} bytes; a manifest has at most {cap}, so it was not read."),
            format!("{folder}/plugin.json 有 {bytes} 字节，超过清单上限 {cap} 字节，未读取。"),
        ),
        install_again(),
    )
}

/// `plugin.json` does not say what a manifest says.
pub(crate) fn bad_manifest(folder: &str, why: &str) -> Problem {
    fatal(
        ProblemKind::Manifest,
        folder,
        Text::new(
            format!("{folder}/plugin.json is not a manifest: {why}."),
            format!("{folder}/plugin.json 不是有效的清单：{why}。"),
        ),
        Text::new(
            "Install the plugin again, or ask its publisher to mend the manifest.",
            "请重新安装该插件，或请发布者修正清单。",
        ),
    )
}

/// The manifest reads, but breaks its own rules.
pub(crate) fn faulty_manifest(folder: &str, faults: &[ManifestError]) -> Problem {
    let listed = faults.iter().take(5).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let more = if faults.len() > 5 { format!("; and {} more", faults.len() - 5) } else { String::new() };
    bad_manifest(folder, &format!("{listed}{more}"))
}

/// Written for a host of another generation.
pub(crate) fn other_generation(folder: &str, field: &str, found: &str, ours: u32) -> Problem {
    fatal(
        ProblemKind::Target,
        folder,
        Text::new(
            format!("{folder}/plugin.json has `{field}` {found}; this host works with {ours}."),
            format!("{folder}/plugin.json 的 `{field}` 为 {found}，而本程序支持 {ours}。"),
        ),
        Text::new(
            "Install a version of the plugin made for this host, or update the host.",
            "请安装适用于本程序版本的插件，或更新本程序。",
        ),
    )
}

/// No library for this machine.
pub(crate) fn no_target(folder: &str, known: &[&str]) -> Problem {
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    fatal(
        ProblemKind::Target,
        folder,
        Text::new(
            format!("{folder} has no library for {TARGET}; it has: {known}."),
            format!("{folder} 没有适用于 {TARGET} 的库，只有：{known}。"),
        ),
        Text::new(
            format!("Get the package of this plugin for {TARGET}."),
            format!("请获取该插件适用于 {TARGET} 的安装包。"),
        ),
    )
}

/// The library's path leads out of the package.
pub(crate) fn path_escapes(folder: &str, file: &str) -> Problem {
    fatal(
        ProblemKind::Manifest,
        folder,
        Text::new(
            format!(
                "{folder}/plugin.json names the library `{}`, which is not inside the package.",
                file.escape_debug()
            ),
            format!("{folder}/plugin.json 指定的库“{}”不在插件包内。", file.escape_debug()),
        ),
        Text::new(
            "Do not use this package; get it again from its publisher.",
            "请勿使用该插件包，请从发布者处重新获取。",
        ),
    )
}

/// The library cannot be what the manifest says it is.
pub(crate) fn bad_library(folder: &str, file: &str, fault: &Fault) -> Problem {
    let what = fault.text();
    let mend = match fault {
        Fault::Machine { .. } | Fault::Format { .. } => Text::new(
            format!("Get the package of this plugin for {TARGET}."),
            format!("请获取该插件适用于 {TARGET} 的安装包。"),
        ),
        _ => install_again(),
    };
    fatal(
        ProblemKind::Library,
        folder,
        Text::new(format!("{folder}/{file} {}.", what.en), format!("{folder}/{file} {}。", what.zh)),
        mend,
    )
}

/// A second package of an id.
pub(crate) fn duplicate(id: &PluginId, kept: &str, dropped: &str) -> Problem {
    fatal(
        ProblemKind::Duplicate,
        dropped,
        Text::new(
            format!("{dropped} has the plugin id `{id}`, which {kept} has already; {kept} is used."),
            format!("{dropped} 的插件 id“{id}”与 {kept} 相同，已使用 {kept}。"),
        ),
        Text::new(
            format!("Remove one of the folders {kept} and {dropped}."),
            format!("请删除文件夹 {kept} 和 {dropped} 之一。"),
        ),
    )
}

/// The configuration trusts a plugin that is not there.
pub(crate) fn unknown_in_process(id: &PluginId) -> Problem {
    warning(
        ProblemKind::Claim,
        id.as_str(),
        Text::new(
            format!("`{id}` is to run inside the host, but no installed plugin has this id."),
            format!("配置要求“{id}”在主进程内运行，但没有安装这个插件。"),
        ),
        Text::new("Correct the id in the configuration, or remove it.", "请修正或删除配置中的这个 id。"),
    )
}
