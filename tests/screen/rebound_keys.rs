//! Texts name the keys that the user has: empty views, notices, hints.

use ratatui::layout::Size;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::start_place::StartPlace,
    shell::config::{Chord, Config},
    widgets::{export, key},
};

use crate::common::project_path;

/// Keys that the table does not have for these commands.
const REBOUND: [(&str, &str); 9] = [
    ("judge", "<c-t>"),
    ("file-tree", "<c-l>"),
    ("start-live-run", "<c-a>"),
    ("goto", "<c-b>"),
    ("clear-filter", "<c-r>"),
    ("next-unlabelled", "<c-y>"),
    ("rater", "<c-x>"),
    ("line-marks", "<c-w>"),
    ("explain-mark", "<c-e>"),
];

/// Opens paths with the rebound keys and presses keys.
fn frame(paths: &[&str], keys: &str) -> String {
    let chord = |key: &str| Chord { written: key.into(), keys: key::parse_keys(key).unwrap() };
    let bound = REBOUND.map(|(id, key)| (id.to_owned(), vec![chord(key)])).into();
    let rules = Some(project_path("assets/rules/python/booleans.yml"));
    let config = Config { keys: bound, rules, ..Config::default() };
    let options = ScreenOptions { config, ..ScreenOptions::default() };
    let paths: Vec<_> = paths.iter().map(|path| project_path(path)).collect();
    let size = Size { width: 120, height: 40 };
    let place = StartPlace::default();
    let mut screen = HeadlessScreen::open(RunOpener::Disk, &paths, size, place, options).unwrap();
    screen.press_keys(keys).unwrap();
    export::frame_text(&screen.draw_frame())
}

#[test]
fn an_empty_view_names_the_users_keys() {
    let scored = frame(&["tests/bad-runs/bundle-bad-checkpoint"], "<f3>");
    assert!(scored.contains("ctrl-t  asks a judge"), "{scored}");

    let live = frame(&["sample-runs/logs/pi.jsonl"], "<f7>");
    assert!(live.contains("ctrl-a starts an agent"), "{live}");

    let tree = frame(&["sample-runs/paperbench"], "<f1>");
    assert!(tree.contains("ctrl-b s shows the tree"), "{tree}");
}

#[test]
fn notices_and_hints_name_the_users_keys() {
    let run = ["sample-runs/codex-p12"];

    let unnamed = frame(&run, "<f4>");
    assert!(unnamed.contains("no name yet: press ctrl-x"), "{unnamed}");

    let after_g = frame(&run, "ctrl-b %");
    assert!(after_g.contains("ctrl-b is followed by the letter of a view"), "{after_g}");
}

#[test]
fn the_notice_about_marks_beside_lines_names_the_users_keys() {
    let run = ["sample-runs/codex-p12"];

    let frames = [frame(&run, "<f1> <c-w>"), frame(&run, "<f1> <c-w> <c-w>")].concat();

    assert!(frames.contains("marks are hidden; ctrl-w shows them"), "{frames}");
    assert!(frames.contains("flags; ctrl-e says why"), "{frames}");
}

#[test]
fn a_comparison_names_the_keys_that_copy_there() {
    let runs =
        ["made-a", "made-b"].map(|it| format!("sample-runs/evocodebench/tinycalc.json/{it}"));

    let refused = frame(&[&runs[0], &runs[1]], "y h");

    assert!(refused.contains("; y l, y v and y y copy here"), "{refused}");
}

#[test]
fn the_table_of_runs_names_the_users_keys() {
    let none = frame(&["sample-runs/logs"], "/ nothing <enter>");

    assert!(none.contains("; ctrl-r shows all"), "{none}");
}
