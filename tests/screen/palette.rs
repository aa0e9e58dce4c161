//! The command line, `:`: each word does what it says, and none labels, stops or writes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use trajview::{
    runtime::HeadlessScreen,
    session::{start_place::StartPlace, views::View},
    shell::{AppMessage, glossary, keymap},
    widgets::{
        display_options::ThemeName,
        key::{BaseKey, Key},
    },
};

use crate::audit_view::{Bundle, assert_has, assert_lacks, frame_after, frame_text, open_audit};

/// Words that people type for what a key does, beside the id of every key.
const WORDS: [&str; 44] = [
    "label",
    "label 3",
    "label-3",
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
    "note",
    "confidence",
    "resume",
    "skip",
    "adjudicate",
    "settle",
    "write",
    "w",
    "wq",
    "export",
    "judge",
    "live",
    "replay",
    "curves",
    "scores",
    "audit",
    "compare",
    "runs",
    "process",
    "layers",
    "goto 2",
    "next",
    "previous",
    "play",
    "find loss",
    "losses",
    "theme dark",
    "help kappa",
    "quit",
    "rescore",
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

fn audit_of(bundle: &Bundle) -> HeadlessScreen {
    open_audit(bundle.path().to_owned(), (120, 40), Some("zz"), StartPlace::default())
}

/// Types a line after `:` and runs it.
fn run_line(screen: &mut HeadlessScreen, line: &str) -> String {
    screen.send_message(AppMessage::Press(Key::from_char(':')));
    screen.send_message(AppMessage::Paste(line.to_owned()));
    screen.send_message(AppMessage::Press(Key::without_modifiers(BaseKey::Enter)));
    frame_text(screen)
}

/// Runs a line, then goes back to the view of a key.
fn run_and_return(screen: &mut HeadlessScreen, line: &str, view: BaseKey) {
    run_line(screen, line);
    for code in [BaseKey::Esc, BaseKey::Esc, BaseKey::Esc, view] {
        screen.send_message(AppMessage::Press(Key::without_modifiers(code)));
    }
}

fn shown_view(screen: &mut HeadlessScreen) -> View {
    screen.app_mut().screens.open_run().expect("a run is open").session.view
}

fn shown_turn(screen: &mut HeadlessScreen) -> usize {
    screen.app_mut().screens.open_run().expect("a run is open").session.turn + 1
}

#[test]
fn whatever_is_typed_after_a_colon_no_label_and_no_file_of_the_run_changes() {
    let bundle = Bundle::new();
    let before = folder_files(bundle.path());
    let mut screen = audit_of(&bundle);
    let mut ids: Vec<&str> = keymap::all_bindings().map(|row| row.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let words: Vec<&str> = WORDS.into_iter().chain(ids).collect();

    for view in [BaseKey::F(4), BaseKey::F(1)] {
        screen.send_message(AppMessage::Press(Key::without_modifiers(view)));
        for words in &words {
            run_and_return(&mut screen, words, view);
            assert_eq!(bundle.labels("zz"), Vec::<String>::new(), "{words}");
        }
    }

    assert_eq!(folder_files(bundle.path()), before);
}

#[test]
fn in_the_replay_no_command_of_the_audit_is_offered() {
    let bundle = Bundle::new();
    let mut screen = audit_of(&bundle);

    let offered = frame_after(&mut screen, "<f1>:label");

    assert_lacks(&offered, "label-0");
    assert_has(&frame_after(&mut screen, "<enter>"), "labels are given in the audit");
}

#[test]
fn the_name_of_a_view_leads_to_it() {
    let bundle = Bundle::new();
    let mut screen = audit_of(&bundle);

    for (line, view) in [
        ("replay", View::Replay),
        ("curves", View::Curves),
        ("scores", View::Scores),
        ("audit", View::Audit),
        ("process", View::Process),
        ("layers", View::Layers),
    ] {
        run_line(&mut screen, line);
        assert_eq!(shown_view(&mut screen), view, "{line}");
    }
}

#[test]
fn arguments_lead_to_a_turn_a_component_a_curve_a_file_and_a_theme() {
    let bundle = Bundle::new();
    let mut screen = audit_of(&bundle);

    run_line(&mut screen, "replay 12");
    assert_eq!((shown_view(&mut screen), shown_turn(&mut screen)), (View::Replay, 12));
    run_line(&mut screen, "46");
    assert_eq!(shown_turn(&mut screen), 46);
    run_line(&mut screen, "39.2");
    assert_eq!(shown_turn(&mut screen), 39);
    run_line(&mut screen, "goto final");
    assert_eq!(shown_turn(&mut screen), 56);
    assert_has(&run_line(&mut screen, "goto 99"), "no turn 99: this run has 56 turns");
    frame_after(&mut screen, "<esc>");

    assert_has(&run_line(&mut screen, "scores c18"), "┌ C18 ");
    assert_has(&run_line(&mut screen, "scores C99"), "no component C99");
    frame_after(&mut screen, "<esc>");

    run_line(&mut screen, "curves verbosity");
    let number = screen.app_mut().screens.open_run().unwrap().curves.number;
    assert_eq!(number.id(), "verbosity");

    run_line(&mut screen, "replay 46");
    assert_has(&run_line(&mut screen, "file losses.py"), "ppdiff/losses.py");
    assert_has(&run_line(&mut screen, "file lossse.py"), "no file lossse.py in this turn");
    frame_after(&mut screen, "<esc>");

    run_line(&mut screen, "theme light");
    assert_eq!(screen.app_mut().shell.looks.theme, ThemeName::Light);
}

#[test]
fn words_that_people_typed_do_what_they_say() {
    let bundle = Bundle::new();
    let mut screen = audit_of(&bundle);
    for (line, expected) in [
        ("help", "first here"),
        ("keys", "first here"),
        ("help kappa", "Cohen 1960"),
        ("help ≡", "docs/scoring.md"),
        ("help quokka", "no explanation of quokka"),
        ("undo", "u in the audit takes the last label back"),
        ("stop", "the command line stops nothing"),
        ("delete", "nothing can be deleted"),
        ("export", "trajview export"),
        ("judge", "ask a judge"),
        ("rescore", "profile"),
        ("losses", "4 of 24 lost · scores by authors-reading"),
        ("open", ":open"),
        ("lanez", "no command lanez"),
        ("facts", "this run"),
        ("jobs", "jobs"),
        ("agreement", "`trajview agree` prints it"),
        ("find checkpoint", "checkpoint"),
    ] {
        assert_has(&run_line(&mut screen, line), expected);
        frame_after(&mut screen, "<esc> <esc> <esc> <f1>");
    }
}

#[test]
fn tab_completes_names_and_values() {
    let bundle = Bundle::new();
    let mut screen = audit_of(&bundle);

    assert_has(&frame_after(&mut screen, "<f1>:them<tab>"), ":theme ");
    assert_has(&frame_after(&mut screen, "col<tab>"), ":theme colour-blind");
    frame_after(&mut screen, "<enter>");
    assert_eq!(screen.app_mut().shell.looks.theme, ThemeName::ColourBlind);

    let values = frame_after(&mut screen, ":scores<space>snr");
    assert_has(&values, "C17");
    frame_after(&mut screen, "<tab><enter>");
    assert_has(&frame_text(&screen), "┌ C17 ");

    let names = frame_after(&mut screen, "<f1>:sc");
    assert_has(&names, "scores [COMPONENT]");
    assert_has(&names, "F3");
}

#[test]
fn the_page_of_each_explanation_exists_with_its_section() {
    for word in glossary::words() {
        for it in glossary::explanations(word) {
            let page = it.reference.split(' ').find(|part| part.starts_with("docs/"));
            let page = page.unwrap_or_else(|| panic!("{word}: {}", it.reference));
            let (file, section) = page.split_once('#').unwrap_or((page, ""));
            let text = fs::read_to_string(crate::common::project_path(file)).unwrap();
            let anchor = |line: &str| {
                let title = line.trim_start_matches('#').trim().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c));
                kept.collect::<String>().replace(' ', "-")
            };
            let mut titles = text.lines().filter(|line| line.starts_with('#'));
            assert!(section.is_empty() || titles.any(|it| anchor(it) == section), "{word}: {page}");
        }
    }
}
