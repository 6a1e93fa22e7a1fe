//! `winclaw config`.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toml_edit::{DocumentMut, Item, Table};

use crate::cli::{Common, ConfigCommand, SecretCommand};
use crate::complaint::{Complaint, Exit, io};
use crate::config::keys::{self, KEYS};
use crate::config::layers::{self, Place, Setting};
use crate::config::secrets::{Secrets, Source, check_name};
use crate::config::trust::{PROJECT_FILE, Trusted};
use crate::config::value::Given;
use crate::config::{Config, Places, write_private};
use crate::hidden::clean;
use crate::screen::{Screen, Style, columns, harmless};

/// Longest secret that is read, in bytes.
const MAX_SECRET: u64 = 64 * 1024;

/// Runs it. Only `get` and `list` need a configuration without mistakes; the others are how mistakes are mended.
pub fn run(common: &Common, screen: Screen, command: ConfigCommand) -> Result<Exit, Complaint> {
    match command {
        ConfigCommand::Get { key, json } => get(&Config::load(common)?, screen, &key, json),
        ConfigCommand::List { origin, all, json } => {
            list(&Config::load(common)?, screen, origin, all, json);
            Ok(Exit::Done)
        }
        ConfigCommand::Set { key, value, project } => {
            let path = layers::path_of(&key)?;
            let setting = layers::setting(path, Place::Argument, |kind| {
                Given::typed(kind, &value).map_err(|_| format!("{value:?}"))
            })?;
            let file = file_of(&Places::of(common)?, project);
            change(&file, |document| put(document, &setting))?;
            let value = clean(&setting.given.to_toml().to_string());
            said(screen, &format!("{} = {value}", keys::written(&setting.path)), &file)
        }
        ConfigCommand::Unset { key, project } => unset(&Places::of(common)?, screen, &key, project),
        ConfigCommand::Path { json } => {
            paths(&Places::of(common)?, screen, json);
            Ok(Exit::Done)
        }
        ConfigCommand::Trust { forget } => trust(&Places::of(common)?, screen, forget),
        ConfigCommand::Secret(command) => secret(common, screen, command),
    }
}

fn get(config: &Config, screen: Screen, name: &str, json: bool) -> Result<Exit, Complaint> {
    let path = layers::path_of(name)?;
    let key = keys::find(&path).ok_or_else(|| layers::unknown(&path, None))?;
    let setting = config.settings.get(&keys::written(&path));
    if json {
        screen.json(&row_json(&keys::written(&path), key.default, setting));
        return Ok(Exit::Done);
    }
    match setting {
        Some(setting) => screen.line(&harmless(&plain(&setting.given))),
        None if !key.default.is_empty() => screen.line(key.default),
        None => {
            let name = keys::written(&path);
            return Err(Complaint::new(Exit::Usage, format!("`{name}` is not set"), format!("“{name}”未设置"))
                .mend(format!("winclaw config set {name} …"), format!("winclaw config set {name} …")));
        }
    }
    Ok(Exit::Done)
}

/// A value as scripts read it: texts bare, lists one entry a line.
fn plain(given: &Given) -> String {
    match given {
        Given::Words(text) => text.clone(),
        Given::Names(names) => names.join("\n"),
        other => other.to_toml().to_string(),
    }
}

fn list(config: &Config, screen: Screen, origin: bool, all: bool, as_json: bool) {
    let mut rows: Vec<(String, &'static str, Option<&Setting>)> = config
        .settings
        .iter()
        .map(|setting| (keys::written(&setting.path), setting.key.default, Some(setting)))
        .collect();
    if all {
        let missing = KEYS.iter().filter(|key| config.settings.get(key.name).is_none());
        rows.extend(missing.map(|key| (key.name.to_owned(), key.default, None)));
    }
    if as_json {
        let row = |(name, default, setting): &(String, &str, Option<&Setting>)| {
            let mut row = row_json(name, default, *setting);
            // The password of an address is shown to whoever asks for it by name, and to nobody who reads a list.
            row["value"] = clean_value(&row["value"]);
            row
        };
        let rows: Vec<Value> = rows.iter().map(row).collect();
        return screen.json(&json!({"settings": rows, "held_back": held_back(config)}));
    }
    let about = |name: &str| KEYS.iter().find(|key| key.name == name).map(|key| key.about()).unwrap_or_default();
    let row = |(name, default, setting): &(String, &str, Option<&Setting>)| {
        let value =
            setting.map_or_else(|| unset_value(&screen, default), |setting| setting.given.to_toml().to_string());
        let place = setting
            .map_or_else(|| screen.word("default", "默认").to_owned(), |it| screen.text(&it.place.text()).to_owned());
        let mut row = vec![harmless(name), harmless(&clean(&value))];
        row.extend(origin.then(|| screen.paint(Style::Dim, &harmless(&place))));
        row.extend((all && setting.is_none()).then(|| screen.paint(Style::Dim, screen.text(&about(name)))));
        row
    };
    if rows.is_empty() {
        screen.line(screen.word(
            "nothing is set; `winclaw config list --all` lists every key",
            "没有任何设置；运行 winclaw config list --all 查看所有配置键",
        ));
    }
    columns(&rows.iter().map(row).collect::<Vec<_>>()).iter().for_each(|line| screen.line(line));
    if let Some(text) = config.held_back_text() {
        screen.note(&screen.paint(Style::Yellow, &harmless(screen.text(&text))));
    }
}

fn unset_value(screen: &Screen, default: &str) -> String {
    let words = if default.is_empty() { screen.word("not set", "未设置") } else { default };
    screen.paint(Style::Dim, words)
}

fn row_json(name: &str, default: &str, setting: Option<&Setting>) -> Value {
    match setting {
        Some(setting) => {
            let place = setting.place.text();
            json!({"key": name, "value": setting.given, "origin": setting.place.word(), "place": place.en})
        }
        None if default.is_empty() => json!({"key": name, "value": null, "origin": "default"}),
        None => json!({"key": name, "value": default, "origin": "default"}),
    }
}

fn clean_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text)),
        other => winclaw_trace::redact(other),
    }
}

fn held_back(config: &Config) -> Vec<String> {
    config.held_back.iter().map(|setting| keys::written(&setting.path)).collect()
}

fn file_of(places: &Places, project: bool) -> PathBuf {
    match project {
        true => places.project.clone().unwrap_or_else(|| places.here.join(PROJECT_FILE)),
        false => places.file.clone(),
    }
}

/// Changes a file and keeps everything else in it, comments too.
fn change<T>(file: &Path, edit: impl FnOnce(&mut DocumentMut) -> T) -> Result<T, Complaint> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(file, &error)),
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let (place, why) = (file.display(), error.to_string());
        Complaint::new(Exit::Usage, format!("{place}: {why}"), format!("{place}：{why}"))
            .mend("correct the line it names first", "请先改正所指的那一行")
    })?;
    let done = edit(&mut document);
    write_private(file, document.to_string().as_bytes()).map_err(|error| io(file, &error))?;
    Ok(done)
}

fn put(document: &mut DocumentMut, setting: &Setting) {
    let Some((last, tables)) = setting.path.split_last() else { return };
    let mut table = document.as_table_mut();
    for name in tables {
        let item = table.entry(name).or_insert_with(|| {
            let mut new = Table::new();
            new.set_implicit(true);
            Item::Table(new)
        });
        if !item.is_table() {
            *item = Item::Table(item.clone().into_table().unwrap_or_default());
        }
        let Some(inner) = item.as_table_mut() else { return };
        table = inner;
    }
    let value = toml_edit::ser::ValueSerializer::new();
    if let Ok(mut value) = serde::Serialize::serialize(&setting.given.to_toml(), value) {
        // The comment behind the old value stays.
        if let Some(old) = table.get(last).and_then(Item::as_value) {
            *value.decor_mut() = old.decor().clone();
        }
        match table.get_mut(last) {
            // In place, so that the comment above it stays too.
            Some(item) => *item = Item::Value(value),
            None => drop(table.insert(last, Item::Value(value))),
        }
    }
}

fn take_out(document: &mut DocumentMut, path: &[String]) -> bool {
    let Some((last, tables)) = path.split_last() else { return false };
    let mut table: Option<&mut dyn toml_edit::TableLike> = Some(document.as_table_mut());
    for name in tables {
        table = table.and_then(|table| table.get_mut(name)).and_then(Item::as_table_like_mut);
    }
    table.and_then(|table| table.remove(last)).is_some()
}

fn unset(places: &Places, screen: Screen, key: &str, project: bool) -> Result<Exit, Complaint> {
    let (path, file) = (layers::path_of(key)?, file_of(places, project));
    let name = keys::written(&path);
    if change(&file, |document| take_out(document, &path))? {
        return said(screen, &format!("- {name}"), &file);
    }
    let place = file.display();
    Err(Complaint::new(Exit::Usage, format!("{place} does not set `{name}`"), format!("{place} 中没有设置“{name}”"))
        .mend("`winclaw config list --origin` says where it is set", "运行 winclaw config list --origin 查看设置位置"))
}

fn said(screen: Screen, what: &str, file: &Path) -> Result<Exit, Complaint> {
    screen.line(&harmless(&format!("{what}  ({})", file.display())));
    Ok(Exit::Done)
}

fn paths(places: &Places, screen: Screen, as_json: bool) {
    let secrets = Secrets::beside(&places.file, false);
    let rows = [
        ("config", Some(places.file.clone())),
        ("project", places.project.clone()),
        ("policy", Some(places.file.with_file_name("policy.toml"))),
        ("secrets", Some(secrets.file().to_owned())),
        ("data", Some(places.data_dir.clone())),
        ("traces", Some(places.data_dir.join("traces"))),
        ("sessions", Some(places.data_dir.join("sessions"))),
    ];
    if as_json {
        let entries: Map<String, Value> = rows.iter().map(|(name, path)| ((*name).to_owned(), json!(path))).collect();
        return screen.json(&entries);
    }
    let shown = |path: &Option<PathBuf>| match path {
        None => screen.paint(Style::Dim, screen.word("none here", "此处没有")),
        Some(path) if path.exists() => harmless(&path.display().to_string()),
        Some(path) => {
            let absent = screen.word("absent", "不存在");
            format!("{} {}", harmless(&path.display().to_string()), screen.paint(Style::Dim, &format!("({absent})")))
        }
    };
    let rows: Vec<Vec<String>> = rows.iter().map(|(name, path)| vec![(*name).to_owned(), shown(path)]).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
}

fn trust(places: &Places, screen: Screen, forget: bool) -> Result<Exit, Complaint> {
    let Some(project) = &places.project else {
        let here = places.here.display();
        let (en, zh) = (
            format!("there is no {PROJECT_FILE} in {here} or above"),
            format!("{here} 及其上级文件夹中没有 {PROJECT_FILE}"),
        );
        return Err(Complaint::new(Exit::Usage, en, zh).mend("go into the project's folder", "请进入项目文件夹"));
    };
    let text = std::fs::read_to_string(project).map_err(|error| io(project, &error))?;
    // What cannot be read cannot be trusted.
    let settings = layers::of_text(project, &text, |line| Place::Project(project.clone(), line))?;
    let mut trusted = Trusted::read(&places.data_dir);
    trusted.set(project, (!forget).then_some(text.as_str())).map_err(|error| io(&places.data_dir, &error))?;
    let words = match forget {
        true => screen.word("no longer trusted", "不再信任"),
        false => screen.word("trusted until it changes", "已信任，直到其内容改变"),
    };
    screen.line(&harmless(&format!("{}: {words}", project.display())));
    for setting in settings.iter().filter(|setting| !forget && !setting.key.harmless) {
        screen.line(&harmless(&format!("  {} = {}", keys::written(&setting.path), setting.given.to_toml())));
    }
    Ok(Exit::Done)
}

fn secret(common: &Common, screen: Screen, command: SecretCommand) -> Result<Exit, Complaint> {
    let config = Config::load_or_begin(common)?;
    let secrets = &config.secrets;
    match command {
        SecretCommand::Set { name, file } => {
            check_name(&name)?;
            let value = ask_secret(screen, &name)?;
            let place = match secrets.set(&name, &value, file)? {
                Source::Keyring => screen.text(&Source::Keyring.text()).to_owned(),
                Source::File => secrets.file().display().to_string(),
            };
            let words = screen.word("kept in", "已存入");
            screen.line(&harmless(&format!("{name}: {words} {place}")));
        }
        SecretCommand::List { json } => list_secrets(&config, screen, json)?,
        SecretCommand::Remove { name } => {
            if !secrets.remove(&name)? {
                let (en, zh) = (format!("no secret `{name}` is kept"), format!("没有保存名为“{name}”的密钥"));
                return Err(Complaint::new(Exit::Usage, en, zh)
                    .mend("`winclaw config secret list` has the names", "运行 winclaw config secret list 查看名称"));
            }
            screen.line(&format!("- {name}"));
        }
    }
    Ok(Exit::Done)
}

fn list_secrets(config: &Config, screen: Screen, as_json: bool) -> Result<(), Complaint> {
    let all = config.secrets.list()?;
    if as_json {
        let rows: Vec<Value> =
            all.iter().map(|(name, source)| json!({"name": name, "kept_in": source.text().en})).collect();
        screen.json(&json!({"secrets": rows}));
        return Ok(());
    }
    if all.is_empty() {
        screen.line(screen.word("no secret is kept", "没有保存任何密钥"));
    }
    let rows: Vec<Vec<String>> =
        all.iter().map(|(name, source)| vec![name.clone(), screen.text(&source.text()).to_owned()]).collect();
    columns(&rows).iter().for_each(|line| screen.line(line));
    Ok(())
}

/// The secret itself: typed unseen on a terminal, else all of standard input without its line end.
fn ask_secret(screen: Screen, name: &str) -> Result<String, Complaint> {
    let failed = |error: std::io::Error| Complaint::new(Exit::Usage, error.to_string(), error.to_string());
    let text = match std::io::stdin().is_terminal() {
        true => {
            let words = screen.word("it is not shown as you type", "输入时不会显示");
            rpassword::prompt_password(format!("{name} ({words}): ")).map_err(failed)?
        }
        false => {
            let mut text = String::new();
            std::io::stdin().take(MAX_SECRET).read_to_string(&mut text).map_err(failed)?;
            text
        }
    };
    let text = text.trim_end_matches(['\r', '\n']).to_owned();
    match text.is_empty() || text.contains(['\0', '\n', '\r']) {
        false => Ok(text),
        true => Err(Complaint::new(Exit::Usage, "a secret is one line that is not empty", "密钥应为一行非空文本")
            .mend("type it, or pipe it in", "请输入密钥，或通过管道传入")),
    }
}
