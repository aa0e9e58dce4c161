//! The list of commands, `:`: it offers what holds in the view below it, and nothing that labels, stops or writes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use trajview::{
    runtime::HeadlessScreen,
    session::start_place::StartPlace,
    shell::{AppMessage, keymap},
    widgets::key::{BaseKey, Key},
};

use crate::audit_view::{Bundle, assert_has, assert_lacks, frame_after, open_audit};

/// Words that people type for what a key does, beside the help of every key.
const WORDS: [&str; 14] = [
    "label",
    "0",
    "4",
    "x",
    "absent",
    "cannot tell",
    "undo",
    "stop",
    "delete",
    "draw",
    "save",
    "reason",
    "resume",
    "skip",
];

/// Every file below a folder but those of raters, in which is noted which verdicts were on screen.
fn folder_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("labels") => {}
                true => open.push(path),
                false => drop(found.insert(path.clone(), fs::read(path).unwrap())),
            }
        }
    }
    found
}

/// Types words after `:` and runs what is found first, then goes back to the view of a key.
fn run_command(screen: &mut HeadlessScreen, words: &str, view: BaseKey) {
    screen.send_message(AppMessage::Press(Key::from_char(':')));
    screen.send_message(AppMessage::Paste(words.to_owned()));
    for code in [BaseKey::Enter, BaseKey::Esc, BaseKey::Esc, BaseKey::Esc, view] {
        screen.send_message(AppMessage::Press(Key::without_modifiers(code)));
    }
}

#[test]
fn whatever_is_typed_after_a_colon_no_label_and_no_file_of_the_run_changes() {
    let bundle = Bundle::new();
    let before = folder_files(bundle.path());
    let mut screen =
        open_audit(bundle.path().to_owned(), (120, 40), Some("zz"), StartPlace::default());
    let helps = keymap::all_bindings().map(|row| row.help).filter(|help| help.len() < 200);
    let words: Vec<&str> = WORDS.into_iter().chain(helps).collect();

    for view in [BaseKey::F(4), BaseKey::F(1)] {
        screen.send_message(AppMessage::Press(Key::without_modifiers(view)));
        for words in &words {
            run_command(&mut screen, words, view);
            assert_eq!(bundle.labels("zz"), Vec::<String>::new(), "{words}");
        }
    }

    assert_eq!(folder_files(bundle.path()), before);
}

#[test]
fn in_the_replay_no_command_of_the_audit_is_offered() {
    let bundle = Bundle::new();
    let mut screen =
        open_audit(bundle.path().to_owned(), (120, 40), Some("zz"), StartPlace::default());

    let offered = frame_after(&mut screen, "<f1>:label");

    assert_lacks(&offered, "label it 0");
    assert_lacks(&offered, "in the audit");
}

#[test]
fn the_name_of_a_view_leads_to_it() {
    let bundle = Bundle::new();
    let mut screen =
        open_audit(bundle.path().to_owned(), (120, 40), Some("zz"), StartPlace::default());

    assert_has(&frame_after(&mut screen, "<f1>:scores<enter>"), "MCF 3.125");
}
