//! Nothing leads out of the allowed folder, and nothing changes below one that may only be read.

use super::*;
use crate::read::{ReadArgs, page};

fn read(desk: &Desk, path: &str) -> Result<String, Failure> {
    let args = ReadArgs { path: path.into(), line: 1, byte: None, limit: 100, max_bytes: 4096, encoding: None };
    page(&desk.folders, &args, &|| Ok(())).map(|page| page.text)
}

/// Every tool that takes a path, tried on `path`; each must be refused.
fn all_refused(desk: &Desk, path: &str) {
    desk.file("own.txt", "own");
    let results: Vec<(&str, Result<(), Failure>)> = vec![
        ("read", read(desk, path).map(|_| ())),
        ("write", desk.write(path, "x", true).map(|_| ())),
        ("append", desk.append(path, "x").map(|_| ())),
        ("edit", desk.edit(path, "secret", "x").map(|_| ())),
        ("info", info_in(&desk.folders, &InfoArgs { path: path.into() }).map(|_| ())),
        ("move from", desk.relocate(path, "stolen", true).map(|_| ())),
        ("move to", desk.relocate("own.txt", path, true).map(|_| ())),
        ("copy from", desk.copy(path, "stolen", true).map(|_| ())),
        ("copy to", desk.copy("own.txt", path, true).map(|_| ())),
        ("delete", desk.delete(path, true)),
        ("make_dir", desk.make_dir(path).map(|_| ())),
        ("search", desk.search(SearchArgs { path: path.into(), ..search_args(Some("secret"), None) }).map(|_| ())),
    ];
    for (tool, result) in results {
        let failure = result.expect_err(&format!("{tool} {path}"));
        assert_eq!(failure.code, FailureCode::Denied, "{tool} {path}: {failure}");
    }
}

/// What is outside, as text; must be the same before and after.
fn outside(desk: &Desk) -> Vec<(String, String)> {
    let entries = fs::read_dir(&desk.outside).expect("the folder");
    let content = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), fs::read_to_string(entry.path()).unwrap_or_default())
    };
    let mut all: Vec<_> = entries.map(|entry| content(entry.expect("an entry"))).collect();
    all.sort();
    all
}

#[test]
fn paths_that_lead_out_are_denied() {
    let desk = Desk::new();
    fs::write(desk.outside.join("secret.txt"), "secret").expect("a file");
    let before = outside(&desk);
    let absolute = desk.outside.join("secret.txt").display().to_string();
    let dotted = desk.inside.join("../outside/secret.txt").display().to_string();
    for path in
        [absolute.as_str(), &dotted, "../outside/secret.txt", "../outside/new.txt", "x/../../outside/secret.txt"]
    {
        fs::create_dir_all(desk.inside.join("x")).expect("a folder");
        all_refused(&desk, path);
    }
    assert_eq!(outside(&desk), before);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_denied_even_for_files_that_do_not_exist_yet() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    fs::write(desk.outside.join("secret.txt"), "secret").expect("a file");
    symlink(&desk.outside, desk.inside.join("d")).expect("a link");
    symlink("../outside", desk.inside.join("r")).expect("a link");
    let before = outside(&desk);
    for path in ["d/secret.txt", "d/new.txt", "d/sub/new.txt", "r/secret.txt", "r/new.txt"] {
        all_refused(&desk, path);
    }
    assert_eq!(outside(&desk), before);
}

#[cfg(unix)]
#[test]
fn a_link_in_last_place_is_not_followed_out() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    fs::write(desk.outside.join("secret.txt"), "secret").expect("a file");
    let before = outside(&desk);
    for (name, target) in [("old", "secret.txt"), ("new", "none.txt")] {
        symlink(desk.outside.join(target), desk.inside.join(name)).expect("a link");
        for result in [
            read(&desk, name).map(|_| ()),
            desk.write(name, "x", true).map(|_| ()),
            desk.append(name, "x").map(|_| ()),
            desk.edit(name, "secret", "x").map(|_| ()),
            desk.copy(name, "stolen", false).map(|_| ()),
        ] {
            result.expect_err(name);
        }
        // The link itself is inside, so it may be moved and deleted.
        desk.relocate(name, "renamed", false).expect("moved");
        desk.delete("renamed", true).expect("deleted");
    }
    assert_eq!(outside(&desk), before);
}

#[cfg(unix)]
#[test]
fn links_inside_work_and_stay() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    desk.file("real/a.txt", "one");
    symlink("real", desk.inside.join("folder")).expect("a link");
    symlink("real/a.txt", desk.inside.join("file")).expect("a link");
    symlink("nowhere", desk.inside.join("dangling")).expect("a link");
    assert_eq!(read(&desk, "folder/a.txt").expect("text"), "one");
    desk.edit("file", "one", "two").expect("edited");
    desk.write("folder/b.txt", "b", false).expect("written");
    assert_eq!((desk.bytes("real/a.txt"), desk.bytes("real/b.txt")), (b"two".to_vec(), b"b".to_vec()));
    assert!(fs::symlink_metadata(desk.inside.join("file")).expect("the link").is_symlink());
    refused(desk.write("dangling", "x", true), FailureCode::ToolFailed, "leads nowhere");
    let copied = desk.copy(".", "x", false);
    refused(copied, FailureCode::InvalidArgs, "allowed folder itself");
    desk.file("tree/f", "f");
    symlink("f", desk.inside.join("tree/l")).expect("a link");
    assert!(desk.copy("tree", "tree2", false).expect("copied").warning.expect("a warning").contains("1 links"));
}

#[cfg(unix)]
#[test]
fn a_folder_swapped_for_a_link_while_writing_does_not_lead_out() {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    let desk = Desk::new();
    fs::write(desk.outside.join("secret.txt"), "secret").expect("a file");
    let (folder, before) = (desk.inside.join("d"), outside(&desk));
    fs::create_dir(&folder).expect("a folder");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Each step may fail when a tool was quicker; the next round starts from whatever is there.
            for n in 0.. {
                fs::rename(&folder, desk.inside.join(format!("aside{n}"))).ok();
                symlink(&desk.outside, &folder).ok();
                fs::remove_file(&folder).ok();
                fs::create_dir(&folder).ok();
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for n in 0..3_000 {
            assert!(read(&desk, "d/secret.txt").is_err(), "what is outside is never read");
            desk.edit("d/secret.txt", "secret", "x").ok();
            desk.delete("d/secret.txt", true).ok();
            if n % 20 == 0 {
                desk.write(&format!("d/{n}.txt"), "x", false).ok();
                desk.relocate(&format!("d/{n}.txt"), &format!("d/{n}.moved"), false).ok();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(outside(&desk), before);
}

#[test]
fn a_folder_for_reading_is_only_read() {
    let desk = Desk::with_access(false);
    desk.file("a.txt", "a");
    assert_eq!(read(&desk, "a.txt").expect("text"), "a");
    let results = [
        desk.write("a.txt", "x", true).map(|_| ()),
        desk.write("new.txt", "x", false).map(|_| ()),
        desk.append("a.txt", "x").map(|_| ()),
        desk.edit("a.txt", "a", "x").map(|_| ()),
        desk.relocate("a.txt", "b.txt", false).map(|_| ()),
        desk.copy("a.txt", "b.txt", false).map(|_| ()),
        desk.delete("a.txt", true),
        desk.make_dir("d").map(|_| ()),
    ];
    for result in results {
        refused(result, FailureCode::Denied, "may only be read");
    }
    assert_eq!((desk.names(""), desk.bytes("a.txt")), (vec!["a.txt".to_owned()], b"a".to_vec()));
    assert!(info_in(&desk.folders, &InfoArgs { path: "a.txt".into() }).expect("info").read_only);
}

#[test]
fn of_several_folders_the_deepest_counts() {
    let outer = Desk::with_access(false);
    let work = outer.inside.join("work");
    fs::create_dir(&work).expect("a folder");
    let root = |path: &Path, write: bool| FileRoot { path: path.to_owned(), write };
    let folders = Folders::new([root(&outer.inside, false), root(&work, true)]);
    let write = |path: PathBuf| {
        let args = WriteArgs {
            path: path.display().to_string(),
            text: "x".into(),
            overwrite: false,
            encoding: None,
            line_ends: None,
        };
        write_in(&folders, &args)
    };
    write(work.join("a.txt")).expect("written");
    refused(write(outer.inside.join("a.txt")), FailureCode::Denied, "may only be read");
    refused(
        write_in(
            &Folders::default(),
            &WriteArgs { path: "a".into(), text: "x".into(), overwrite: false, encoding: None, line_ends: None },
        ),
        FailureCode::Denied,
        "no folder is allowed",
    );
    let erase = delete_in(&folders, &DeleteArgs { path: work.display().to_string(), permanent: true }, &|_| Ok(()));
    refused(erase, FailureCode::InvalidArgs, "allowed folder itself");
}
