//! Configuration and secrets, as a person uses them.

use std::fs;

use serde_json::Value;
use winclaw_tests::Room;

fn room() -> (Room, String) {
    let room = Room::with(&["calculator"]);
    let file = room.path().join("conf").join("config.toml");
    (room, file.to_str().expect("a path in UTF-8").to_owned())
}

#[test]
fn a_key_is_set_read_listed_and_taken_out_and_comments_stay() {
    let (room, file) = room();
    fs::create_dir(room.path().join("conf")).expect("a folder");
    fs::write(&file, "# mine\nlang = \"en\" # always\n").expect("written");
    let run = |args: &[&str]| room.winclaw(&[&["config"], args, &["--config", &file]].concat());
    run(&["set", "trace.keep_days", "7"]).run().exits(0).says(&["trace.keep_days = 7"]);
    run(&["set", "lang", "zh"]).run().exits(0);
    run(&["set", "models.\"openai/gpt-x.1\".window_tokens", "64000"]).run().exits(0);
    let text = fs::read_to_string(&file).expect("a file");
    assert!(text.contains("# mine") && text.contains("lang = \"zh\" # always"), "{text}");
    run(&["get", "trace.keep_days"]).run().exits(0).says(&["7"]);
    run(&["get", "approve"]).run().exits(0).says(&["never"]);
    run(&["list", "--origin"]).run().exits(0).says(&["lang", "config.toml:2", "trace.keep_days"]);
    run(&["unset", "trace.keep_days"]).run().exits(0);
    run(&["get", "trace.keep_days"]).run().exits(0).says(&["90"]);
    run(&["unset", "trace.keep_days"]).run().exits(2).complains(&["没有设置"]);
}

#[test]
fn mistakes_are_named_with_file_line_and_what_was_meant() {
    let (room, file) = room();
    let cases = [
        ("aprove = \"never\"\n", vec!["config.toml:1", "`aprove`", "did you mean `approve`?"]),
        ("lang = \"en\"\n[trace]\nkeep_days = \"long\"\n", vec!["config.toml:3", "whole number from 0 to 36500"]),
        ("lang = \n", vec!["config.toml", "correct the line"]),
    ];
    fs::create_dir(room.path().join("conf")).expect("a folder");
    for (text, words) in cases {
        fs::write(&file, text).expect("written");
        room.winclaw(&["tool", "list", "--config", &file, "--lang", "en"]).run().exits(2).complains(&words);
    }
    // What is wrong can still be looked for and mended.
    fs::write(&file, "aprove = \"never\"\n").expect("written");
    room.winclaw(&["config", "path", "--config", &file]).run().exits(0).says(&["config.toml"]);
    room.winclaw(&["config", "unset", "aprove", "--config", &file]).run().exits(0);
    room.winclaw(&["tool", "list", "--config", &file]).run().exits(0);
    room.winclaw(&["tool", "list", "-c", "lnag=zh"]).run().exits(2).complains(&["did you mean `lang`?"]);
    room.winclaw(&["tool", "list", "-c", "lang"]).run().exits(2).complains(&["key=value"]);
    room.winclaw(&["tool", "list"]).env("WINCLAW_MODLE", "x/y").run().exits(2).complains(&["WINCLAW_MODEL"]);
    room.winclaw(&["tool", "list"]).env("WINCLAW_LANG", "fr").run().exits(2).complains(&["WINCLAW_LANG", "\"zh\""]);
}

#[test]
fn later_places_win_and_what_is_disabled_adds_up() {
    let (room, file) = room();
    fs::create_dir(room.path().join("conf")).expect("a folder");
    fs::write(&file, "max_turns = 5\n[tools]\ndisabled = [\"calculator.convert\"]\n").expect("written");
    let list = |run: winclaw_tests::Run| -> Value {
        let done = run.run().exits(0);
        serde_json::from_str(&done.stdout).expect("JSON")
    };
    let all = list(
        room.winclaw(&["config", "list", "--json", "--config", &file, "-c", "tools.disabled=other.tool"])
            .env("WINCLAW_MAX_TURNS", "6"),
    );
    let of = |key: &str| {
        let rows = all["settings"].as_array().expect("rows");
        rows.iter().find(|row| row["key"] == key).expect("the key").clone()
    };
    assert_eq!((of("max_turns")["value"].clone(), of("max_turns")["origin"].clone()), (6.into(), "environment".into()));
    assert_eq!(of("tools.disabled")["value"], serde_json::json!(["calculator.convert", "other.tool"]));
    room.winclaw(&["tool", "call", "calculator.convert", "--args", "{}", "--config", &file]).run().exits(7);
}

#[test]
fn a_project_sets_what_is_harmless_and_the_rest_once_it_is_trusted() {
    let room = Room::with(&["calculator"]);
    let project = room.work().join(".winclaw");
    fs::create_dir(&project).expect("a folder");
    let file = project.join("config.toml");
    fs::write(&file, "lang = \"zh\"\napprove = \"always\"\n").expect("written");
    let get = |key: &str| room.winclaw(&["config", "get", key]).run().exits(0).stdout.trim().to_owned();
    assert_eq!((get("lang").as_str(), get("approve").as_str()), ("zh", "never"));
    room.winclaw(&["tool", "list"]).run().exits(0).complains(&["approve", "winclaw config trust"]);
    room.winclaw(&["config", "trust"]).run().exits(0).says(&["approve = \"always\""]);
    assert_eq!(get("approve"), "always");
    // Trust is of what was looked at.
    fs::write(&file, "lang = \"zh\"\napprove = \"writes\"\n").expect("written");
    assert_eq!(get("approve"), "never");
    room.winclaw(&["config", "trust"]).run().exits(0);
    room.winclaw(&["config", "trust", "--forget"]).run().exits(0);
    assert_eq!(get("approve"), "never");
}

#[test]
fn the_password_of_an_address_is_in_no_list() {
    let (room, file) = room();
    fs::create_dir_all(room.path().join("conf")).expect("a folder");
    let text = "model = \"mine/m\"\n[providers.mine]\nbase_url = \"http://me:canary-7@127.0.0.1:9/v1\"\n";
    fs::write(&file, text).expect("written");
    for args in [&["config", "list"][..], &["config", "list", "--json"], &["doctor"], &["doctor", "--json"]] {
        let told = room.winclaw(&[args, &["--config", &file]].concat()).run().told();
        assert!(!told.contains("canary"), "{args:?}: {told}");
    }
}

#[test]
fn a_secret_is_read_from_standard_input_kept_privately_and_never_shown() {
    let (room, file) = room();
    let run = |args: &[&str]| room.winclaw(&[&["config", "secret"], args, &["--config", &file]].concat());
    run(&["set", "DEEPSEEK_API_KEY", "--file"]).stdin("sk-canary-4711\n").run().exits(0).says(&["secrets.toml"]);
    let listed = run(&["list"]).run().exits(0).says(&["DEEPSEEK_API_KEY"]);
    assert!(!listed.told().contains("canary"), "{}", listed.told());
    let kept = room.path().join("conf").join("secrets.toml");
    assert!(fs::read_to_string(&kept).expect("kept").contains("sk-canary-4711"));
    fs::write(&file, "").expect("written");
    // The model's key is found there; nothing else is asked for.
    let doctor = room.winclaw(&["doctor", "--json", "--config", &file]).run().exits(0);
    let report: Value = serde_json::from_str(&doctor.stdout).expect("JSON");
    let rows = report["checks"].as_array().expect("checks").clone();
    let of = |name: &str| rows.iter().find(|row| row["check"] == name).expect("a check")["message"].to_string();
    assert!(of("model").contains("openai") || of("model").contains("none") || of("model").contains("deepseek"));
    assert!(!doctor.told().contains("canary"), "{}", doctor.told());
    run(&["set", "sk-0123456789abcdef"]).stdin("x\n").run().exits(2).complains(&["standard input"]);
    run(&["set", "EMPTY"]).stdin("\n").run().exits(2).complains(&["not empty"]);
    run(&["remove", "DEEPSEEK_API_KEY"]).run().exits(0);
    run(&["remove", "DEEPSEEK_API_KEY"]).run().exits(2);
}

#[cfg(unix)]
#[test]
fn a_secrets_file_that_others_can_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let (room, file) = room();
    let run = |args: &[&str]| room.winclaw(&[&["config", "secret"], args, &["--config", &file]].concat());
    run(&["set", "SKY_KEY", "--file"]).stdin("canary").run().exits(0);
    let kept = room.path().join("conf").join("secrets.toml");
    assert_eq!(fs::metadata(&kept).expect("kept").permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o644)).expect("changed");
    run(&["list"]).run().exits(2).complains(&["chmod 600"]);
    fs::write(&file, "").expect("written");
    room.winclaw(&["doctor", "--config", &file]).run().exits(2).says(&["secrets", "chmod 600"]);
}

#[test]
fn a_provider_of_ones_own_is_asked_where_the_configuration_says() {
    let (room, file) = room();
    fs::create_dir(room.path().join("conf")).expect("a folder");
    let text = "model = \"mine/m\"\n[providers.mine]\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    fs::write(&file, text).expect("written");
    room.winclaw(&["run", "hello", "--config", &file]).run().exits(4).complains(&["127.0.0.1:9"]);
    fs::write(&file, text.replace("base_url", "like = \"nobody\"\nbase_url")).expect("written");
    room.winclaw(&["run", "hello", "--config", &file]).run().exits(2).complains(&["nobody", "openai"]);
}

#[test]
fn a_provider_of_ones_own_is_told_of_by_its_own_names() {
    let (room, _) = room();
    let run = |set: &[&str]| {
        let set: Vec<&str> = set.iter().flat_map(|set| ["-c", set]).collect();
        room.winclaw(&[&["run", "hello", "--no-session", "--model", "mine/m"], &set[..]].concat()).run()
    };
    let at = "providers.mine.base_url=http://127.0.0.1:9/v1";
    run(&[at, "providers.mine.key_variable=MINE_KEY"]).exits(3).complains(&["MINE_KEY"]);
    run(&[at, "providers.mine.key_variable=MINE_KEY", "providers.mine.key_required=false"]).exits(4);
    run(&["providers.mine.base_url=notaurl"]).exits(2).complains(&["providers.mine.base_url"]);
    let at = at.replace("mine", "ours");
    run(&[&at]).exits(2).complains(&["names no model", "openai", "your own: ours"]);
}

#[test]
fn a_named_configuration_that_is_not_there_is_said_with_how_to_make_it() {
    let (room, file) = room();
    room.winclaw(&["doctor", "--config", &file]).run().exits(2).complains(&["winclaw config set --config"]);
}
