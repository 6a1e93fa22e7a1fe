//! Folders, places and entries on a real disk.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use cap_std::fs::File;

use super::*;
use crate::FailureCode;

/// A folder that is allowed, and one beside it that is not.
struct Desk {
    _temp: tempfile::TempDir,
    inside: PathBuf,
    outside: PathBuf,
    folders: Folders,
}

impl Desk {
    fn new(write: bool) -> Desk {
        let temp = tempfile::tempdir().expect("a folder");
        let base = temp.path().canonicalize().expect("a path");
        let (inside, outside) = (base.join("inside"), base.join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).expect("a folder");
        }
        let folders = Folders::new([FileRoot { path: inside.clone(), write }]);
        Desk { _temp: temp, inside, outside, folders }
    }

    fn entry(&self, path: &str) -> Result<Entry, Failure> {
        let place = self.folders.find(path, Access::Write)?;
        place.make_parents()?;
        place.entry()
    }

    fn make(&self, path: &str) -> Result<(), Failure> {
        self.folders.find(path, Access::Write)?.make_dir()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Failure> {
        self.folders.find(path, Access::Read)?.read(9)
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.inside.join(path)).expect("the file")
    }

    fn count(&self, path: &str) -> usize {
        fs::read_dir(self.inside.join(path)).expect("the folder").count()
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, Failure>) -> FailureCode {
    result.expect_err("a failure").code
}

#[test]
fn a_name_taken_at_the_last_moment_is_not_replaced_unasked() {
    let desk = Desk::new(true);
    let entry = desk.entry("a").expect("an entry");
    let appear = |file: &mut File| {
        fs::write(desk.inside.join("a"), "other")?;
        file.write_all(b"mine")
    };
    assert_eq!(entry.put(Clash::Refuse, appear).expect_err("taken").kind(), ErrorKind::AlreadyExists);
    assert_eq!(desk.bytes("a"), b"other");
    entry.put(Clash::Replace, appear).expect("replaced");
    assert_eq!(desk.bytes("a"), b"mine");
    assert_eq!(desk.count(""), 1, "no temporary file is left");
}

#[test]
fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
    let desk = Desk::new(true);
    fs::write(desk.inside.join("a"), "old").expect("a file");
    let fail = |file: &mut File| file.write_all(b"half").and_then(|()| Err(io::Error::other("disk gone")));
    desk.entry("a").expect("an entry").put(Clash::Replace, fail).expect_err("the error of the disk");
    assert_eq!(desk.bytes("a"), b"old");
    assert_eq!(desk.count(""), 1);
}

#[test]
fn a_file_is_new_replaced_or_refused() {
    let desk = Desk::new(true);
    let save = |path: &str, bytes: &[u8], agreed| desk.entry(path)?.save(bytes, Clash::overwrite(agreed));
    save("新/深/a.txt", b"one", false).expect("a new file");
    let failure = save("新/深/a.txt", b"two", false).expect_err("taken");
    assert!(failure.message.contains("`a (2).txt`") && failure.message.contains("overwrite"), "{failure}");
    save("新/深/a (2).txt", b"x", false).expect("the free name");
    assert!(save("新/深/a.txt", b"two", false).expect_err("taken").message.contains("`a (3).txt`"));
    save("新/深/a.txt", b"two", true).expect("replaced");
    assert_eq!(desk.bytes("新/深/a.txt"), b"two");
    assert_eq!(desk.count("新/深"), 2, "no temporary file is left");
    assert!(save("新/深", b"x", true).expect_err("a folder").message.contains("not a file"));
}

#[test]
fn a_file_is_read_whole_or_not_at_all() {
    let desk = Desk::new(true);
    fs::write(desk.inside.join("nine"), "123456789").expect("a file");
    fs::write(desk.inside.join("ten"), "1234567890").expect("a file");
    assert_eq!(desk.read("nine").expect("bytes"), b"123456789");
    assert_eq!(desk.entry("nine").expect("an entry").read(9).expect("bytes"), b"123456789");
    assert!(desk.read("ten").expect_err("too large").message.contains("9 bytes"));
    assert!(desk.read("none").expect_err("nothing").message.contains("does not exist"));
    assert_eq!(code(desk.read(".")), FailureCode::InvalidArgs);
    let found = |path: &str| desk.folders.find(path, Access::Read).and_then(|place| place.found());
    assert!(found("none").expect("an answer").is_none());
    assert!(found("ten").expect("an answer").is_some_and(|found| found.is_file()));
}

fn says_how_to_allow(failure: &Failure) -> bool {
    let names_both = |text: &str, configuration: &str| text.contains("`--allow DIR`") && text.contains(configuration);
    failure.hint.as_ref().is_some_and(|hint| names_both(&hint.en, "configuration") && names_both(&hint.zh, "配置"))
}

#[test]
fn what_is_outside_or_read_only_is_denied_with_the_folders_that_are_not() {
    let desk = Desk::new(true);
    let allowed = format!("inside `{}`", desk.inside.display());
    for bad in [desk.outside.to_str().expect("text"), "../x", "a/../../x"] {
        let failure = desk.make(bad).expect_err("denied");
        assert_eq!(failure.code, FailureCode::Denied, "{bad}");
        assert!(failure.message.contains(&allowed), "{failure}");
        // A path that leads out through `..` or a link stays shut even where its end is allowed.
        assert_eq!(says_how_to_allow(&failure), Path::new(bad).is_absolute(), "{failure:?}");
    }
    let read_only = Desk::new(false);
    for path in [".", "sub", read_only.inside.to_str().expect("text")] {
        let failure = read_only.make(path).expect_err("denied");
        assert!(failure.code == FailureCode::Denied && says_how_to_allow(&failure), "{failure:?}");
    }
    assert!(says_how_to_allow(&read_only.folders.first(Access::Write).expect_err("denied")));
    assert_eq!(code(read_only.folders.first(Access::Write)), FailureCode::Denied);
    assert_eq!(read_only.folders.first(Access::Read).expect("a place").path(), read_only.inside);
    let none = Folders::default();
    assert_eq!(code(none.find(".", Access::Read)), FailureCode::Denied);
    assert_eq!(code(none.first(Access::Write)), FailureCode::Denied);
}

#[test]
fn a_read_only_folder_names_the_one_for_writing_and_the_deepest_counts() {
    let (outer, other) = (Desk::new(false), Desk::new(true));
    let work = outer.inside.join("work");
    fs::create_dir(&work).expect("a folder");
    let root = |path: &Path, write| FileRoot { path: path.to_owned(), write };
    let folders = Folders::new([root(&outer.inside, false), root(&work, true), root(&other.inside, true)]);
    let failure = folders.find("a.txt", Access::Write).expect_err("read-only");
    for path in [&work, &other.inside] {
        assert!(failure.message.contains(&format!("`{}`", path.display())), "{failure}");
    }
    let inner = work.join("a.txt");
    let place = folders.find(inner.to_str().expect("text"), Access::Write).expect("a place");
    place.entry().expect("an entry").save(b"x", Clash::Refuse).expect("written");
    assert_eq!((fs::read(inner).expect("the file"), place.path()), (b"x".to_vec(), work.join("a.txt")));
    assert_eq!(folders.first(Access::Write).expect("a place").path(), work);
    assert!(folders.any_inside(&outer.inside) && folders.any_inside(&work) && !folders.any_inside(&work.join("a.txt")));
}

#[test]
fn what_was_found_for_reading_is_not_written() {
    let desk = Desk::new(true);
    fs::write(desk.inside.join("a"), "old").expect("a file");
    let place = |path: &str| desk.folders.find(path, Access::Read).expect("a place");
    assert!(place("a").may_write());
    let entry = place("a").entry().expect("an entry");
    entry.save(b"new", Clash::Replace).expect_err("only to be read");
    entry
        .at(entry.dir.try_clone().expect("a handle"), "b".as_ref(), desk.inside.join("b"))
        .save(b"new", Clash::Refuse)
        .expect_err("only to be read");
    assert_eq!(code(place("new/b").make_parents()), FailureCode::Denied);
    assert_eq!((desk.bytes("a"), desk.count("")), (b"old".to_vec(), 1));
}

#[test]
fn texts_that_are_no_path_are_refused() {
    let desk = Desk::new(true);
    for bad in ["", "a\0b", "~", "~/a"] {
        assert_eq!(code(desk.folders.find(bad, Access::Read)), FailureCode::InvalidArgs, "{bad:?}");
    }
    assert_eq!(code(desk.entry(".")), FailureCode::InvalidArgs, "an allowed folder itself");
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new(true);
    fs::write(desk.outside.join("secret.txt"), "secret").expect("a file");
    symlink(&desk.outside, desk.inside.join("d")).expect("a link");
    for path in ["d", "d/new"] {
        assert_eq!(code(desk.make(path)), FailureCode::Denied, "{path}");
    }
    assert_eq!(code(desk.entry("d/new.txt")), FailureCode::Denied);
    assert!(desk.read("d/secret.txt").expect_err("outside").message.contains("outside"));
    for (name, to) in [("old", "secret.txt"), ("new", "new.txt")] {
        symlink(desk.outside.join(to), desk.inside.join(name)).expect("a link");
        desk.entry(name).expect("an entry").save(b"x", Clash::Replace).expect_err("a link");
        desk.folders.find(name, Access::Write).and_then(|place| place.target()).expect_err("a link out");
    }
    assert_eq!(fs::read_dir(&desk.outside).expect("a folder").count(), 1);
    assert_eq!(fs::read(desk.outside.join("secret.txt")).expect("the file"), b"secret");
}

#[cfg(unix)]
#[test]
fn links_inside_are_followed_by_a_target_and_stay() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new(true);
    fs::create_dir(desk.inside.join("real")).expect("a folder");
    fs::write(desk.inside.join("real/a"), "one").expect("a file");
    symlink("real/a", desk.inside.join("l")).expect("a link");
    symlink("nowhere", desk.inside.join("dangling")).expect("a link");
    let target = |path: &str| desk.folders.find(path, Access::Write).and_then(|place| place.target());
    let entry = target("l").expect("an entry");
    entry.save(b"two", Clash::Replace).expect("written");
    assert_eq!((entry.path, desk.bytes("real/a")), (desk.inside.join("real/a"), b"two".to_vec()));
    assert!(fs::symlink_metadata(desk.inside.join("l")).expect("the link").is_symlink());
    assert!(target("dangling").expect_err("nothing").message.contains("leads nowhere"));
}

#[cfg(unix)]
#[test]
fn a_folder_swapped_for_a_link_does_not_lead_out() {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    let desk = Desk::new(true);
    fs::write(desk.outside.join("secret"), "secret").expect("a file");
    let (folder, done) = (desk.inside.join("d"), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Each step may fail when the other side was quicker; the next round starts from whatever is there.
            while !done.load(Ordering::Relaxed) {
                fs::remove_dir_all(&folder).ok();
                symlink(&desk.outside, &folder).ok();
                fs::remove_file(&folder).ok();
                fs::create_dir(&folder).ok();
            }
        });
        for n in 0..1_000 {
            assert_ne!(desk.read("d/secret").ok(), Some(b"secret".to_vec()), "what is outside is never read");
            desk.entry(&format!("d/{n}")).and_then(|entry| entry.save(b"x", Clash::Refuse)).ok();
            desk.entry("d/secret").and_then(|entry| entry.save(b"x", Clash::Replace)).ok();
            desk.folders
                .find("d/secret", Access::Write)
                .and_then(|place| place.target()?.save(b"x", Clash::Replace))
                .ok();
            desk.entry("d/secret").map(|entry| entry.dir.remove_file(&entry.name).ok()).ok();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(&desk.outside).expect("a folder").count(), 1);
    assert_eq!(fs::read(desk.outside.join("secret")).expect("the file"), b"secret");
}
