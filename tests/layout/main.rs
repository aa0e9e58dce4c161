//! The floor plan of the house, and the test that it is the plan we live in.
//!
//! A room may use only rooms named before it. Rooms with windows (store, judge, live) and rooms with a screen (app,
//! ui) meet only in tui and cli. Only rooms with windows, tui and cli may name files, clocks, threads, processes,
//! sockets or the terminal.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// What a room has beside its walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Pure: runs anywhere.
    Plain,
    /// May touch the world, must not know the screen.
    Windows,
    /// Knows what is shown, must not touch the world.
    Screen,
    /// Wires the others together.
    Door,
}

/// The rooms from the ground up. A room that is not built yet is on the plan all the same.
const PLAN: [(&str, Kind); 12] = [
    ("code", Kind::Plain),
    ("run", Kind::Plain),
    ("formats", Kind::Plain),
    ("metrics", Kind::Plain),
    ("study", Kind::Plain),
    ("store", Kind::Windows),
    ("judge", Kind::Windows),
    ("live", Kind::Windows),
    ("app", Kind::Screen),
    ("ui", Kind::Screen),
    ("tui", Kind::Door),
    ("cli", Kind::Door),
];

/// What only windows and doors may name.
const WORLD: [&str; 15] = [
    "std::fs",
    "std::thread",
    "std::process",
    "std::env",
    "std::net",
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
    "git2::",
    "notify::",
    "memmap2::",
    "portable_pty::",
    "crossterm::",
    "crossbeam_channel::",
    "ureq::",
];

fn may_use(room: usize, other: usize) -> bool {
    let (kind, other_kind) = (PLAN[room].1, PLAN[other].1);
    let meets_across = (kind == Kind::Screen && other_kind == Kind::Windows)
        || (kind == Kind::Windows && other_kind == Kind::Screen);
    other < room && !meets_across
}

fn position(name: &str) -> Option<usize> {
    PLAN.iter().position(|(room, _)| *room == name)
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            all.push(path);
        }
    }
    all
}

/// The code without comments and without its tests, which may open any door: those at the end of a file, and those in
/// a file or folder called `tests`.
fn production(path: &Path) -> String {
    let is_test = |part: &std::ffi::OsStr| part == "tests" || part == "tests.rs";
    if path.strip_prefix(src()).is_ok_and(|path| path.iter().any(is_test)) {
        return String::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    code.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n")
}

/// The names after `crate::`, those of a list at its first level.
fn rooms_named_in(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for piece in text.split("crate::").skip(1) {
        match piece.strip_prefix('{') {
            Some(list) => found.extend(first_words_of_list(list)),
            None => found.extend(first_word(piece)),
        }
    }
    found
}

fn first_word(text: &str) -> Option<String> {
    let word: String =
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// `app::{A, B}, ui}` gives app and ui.
fn first_words_of_list(list: &str) -> Vec<String> {
    let (mut depth, mut words, mut item) = (0, vec![], String::new());
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => words.extend(first_word(&std::mem::take(&mut item))),
            c if depth == 0 => item.push(c),
            _ => {}
        }
    }
    words.extend(first_word(&item));
    words
}

fn every_file(mut judge: impl FnMut(usize, &Path, &str) -> Vec<String>) {
    let mut broken = vec![];
    for (room, (name, _)) in PLAN.iter().enumerate() {
        for file in sources(&src().join(name)) {
            broken.extend(judge(room, &file, &production(&file)));
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn every_room_keeps_to_the_plan() {
    every_file(|room, file, text| {
        let others = rooms_named_in(text).into_iter().filter_map(|name| position(&name));
        let wrong = others.filter(|&other| other != room && !may_use(room, other));
        wrong.map(|other| format!("{} uses `{}`", file.display(), PLAN[other].0)).collect()
    });
}

#[test]
fn rooms_without_windows_do_not_touch_the_world() {
    every_file(|room, file, text| {
        if matches!(PLAN[room].1, Kind::Windows | Kind::Door) {
            return vec![];
        }
        let named = WORLD.iter().filter(|name| text.contains(**name));
        named.map(|name| format!("{} names {name}", file.display())).collect()
    });
}

#[test]
fn a_room_never_climbs_out_of_itself() {
    every_file(|_, file, text| {
        let climbs = text.contains("super::super::super");
        climbs
            .then(|| format!("{}: write `crate::`, so that this test can see it", file.display()))
            .into_iter()
            .collect()
    });
}

#[test]
fn git_stays_in_store() {
    every_file(|room, file, text| {
        let is_out = PLAN[room].0 != "store" && text.contains("git2");
        is_out.then(|| format!("{} names git2", file.display())).into_iter().collect()
    });
}

#[test]
fn connections_are_opened_in_judge_alone() {
    every_file(|room, file, text| {
        let is_out = PLAN[room].0 != "judge" && text.contains("ureq");
        is_out.then(|| format!("{} names ureq", file.display())).into_iter().collect()
    });
}

#[test]
fn every_plain_and_screen_room_denies_the_world_to_clippy_too() {
    for (room, kind) in PLAN {
        let door = src().join(room).join("mod.rs");
        if matches!(kind, Kind::Plain | Kind::Screen) && door.exists() {
            let text = fs::read_to_string(&door).unwrap();
            let denial = "#![deny(clippy::disallowed_methods, clippy::disallowed_types)]";
            assert!(text.contains(denial), "{} lacks {denial}", door.display());
        }
    }
}

#[test]
fn every_room_is_on_the_plan() {
    for entry in fs::read_dir(src()).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let room = entry.file_name().into_string().unwrap();
        assert!(position(&room).is_some(), "src/{room} is not on the plan");
    }
}

#[test]
fn the_test_sees_through_nested_lists() {
    let text = "use crate::{app::{App, Message}, ui}; fn f() { crate::store::open() }";
    assert_eq!(Vec::from_iter(rooms_named_in(text)), ["app", "store", "ui"]);
}
