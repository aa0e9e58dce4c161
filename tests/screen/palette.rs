//! The command line, `:`: each word does what it says, and none labels, stops or writes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use proptest::{
    prelude::{Strategy, prop},
    prop_oneof,
    strategy::ValueTree,
    test_runner::TestRunner,
};
use ratatui::layout::Size;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
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

fn replay_of(bundle: &Bundle) -> HeadlessScreen {
    let mut options = ScreenOptions::default();
    options.config.annotator = Some("zz".to_owned());
    let (size, paths) = (Size { width: 120, height: 40 }, [bundle.path().to_owned()]);
    HeadlessScreen::open(RunOpener::Disk, &paths, size, StartPlace::default(), options).unwrap()
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

/// What people typed after `:` in the replay at turn 46, and what must be on the screen then.
#[rustfmt::skip] // a table: one row a line
const TYPED: &[(&str, &str)] = &[
    // Views.
    ("replay", "[Replay]"), ("start", "turn 1: request"), ("diff", "diff: turn 45 → 46"),
    ("blame", "turn.step"), ("changes", "diff: turn 45 → 46"), ("history", "┌ history of ppdiff/losses.py"), ("replay 12", "turn 12: request"),
    ("curves", "[Curves]"), ("curve", "[Curves]"), ("chart", "[Curves]"), ("curves verbosity", "▌verbosity"),
    ("scores", "[Scores]"), ("components", "[Scores]"), ("verdicts", "[Scores]"), ("scores C17", "┌ C17 Min-SNR time weight"),
    ("compare", "[Compare]"), ("comparison", "[Compare]"),
    ("runs", "[Runs]"), ("table", "[Runs]"), ("live", "no live run"), ("agent", "no live run"),
    ("process", "[Process]"), ("pillars", "[Process]"), ("layers", "[Layers]"),
    // Places.
    ("12", "turn 12: request"), ("46.3", "step 3/5"), ("goto 39", "turn 39: request"), ("turn 12", "turn 12: request"),
    ("goto final", "turn 56: request"), ("goto c3", "turn 15: request"), ("goto 99", "no turn 99: this run has 56 turns"),
    ("next", "turn 47: request"), ("prev", "turn 45: request"), ("next 3", "turn 49: request"),
    ("next checkpoint", "turn 48: request"), ("next-failure", "C17 lost at turn 46"), ("next-loss", "C18 lost at turn 46"),
    ("losses.py", "ppdiff/losses.py"), ("file test_losses.py", "┌ tests/test_losses.py"),
    ("file lossse.py", "no file lossse.py in this turn"),
    ("diff losses.py", "┌ ppdiff/losses.py"), ("losses", "4 of 24 lost · scores by authors-reading"), ("lost", "4 at 39 → 0 at 56"),
    ("errors", "7 failures"), ("signals", "symbol no longer used: interface_weights"),
    // Search.
    ("find checkpoint", "checkpoint"), ("grep", "⏎ search"), ("search", "⏎ search"), ("filter x", "filter works in the table of runs"),
    // Explanations.
    ("help", "first here"), ("keys", "first here"), ("help kappa", "Cohen 1960"), ("help mcf", "mean component fidelity"),
    ("help ≡", "docs/scoring.md"), ("help quokka", "no explanation of quokka"), ("man erosion", "docs/scoring.md"),
    ("facts", "┌ this run "), ("info", "┌ this run "), ("jobs", "┌ jobs "),
    // Looks.
    ("theme dark", "theme: dark"), ("theme mauve", "no theme mauve; themes: terminal, dark"), ("theme", "high-contrast"),
    ("lanes erosion mcf", " MCF "), ("lanes", " verbosity "), ("lanes mauve", "no number is called mauve"),
    ("timeline", "timeline: slim"), ("mouse", "mouse capture is off"), ("side-by-side", "side by side needs 120 columns"),
    // Forms and commands of a shell: nothing is sent or written by opening them.
    ("judge", "ask a judge"), ("ask", "ask a judge"), ("rescore", "┌ re-score "), ("profile", "┌ re-score "), ("score", "┌ re-score "),
    ("run", "┌ live run "), ("start-live-run", "┌ live run "), ("tests", "┌ test the code at checkpoints "),
    ("figure", "trajview figure curves"), ("export", "trajview export"), ("save", "y copies the command line"), ("csv", "trajview export"),
    ("report", "`trajview report RUN`"), ("latex", ":export opens the form"), ("copy", "v verdict"), ("mark", "sets a bookmark"),
    // What the command line does not do.
    ("label", "labels are given in the audit"), ("label 3", "labels are given in the audit"),
    ("label-3", "is a key only"), ("undo", "undo takes the last label back"), ("stop", "the command line stops nothing"),
    ("kill", "the command line stops nothing"), ("stop-agent", "is a key only"), ("delete", "nothing can be deleted"),
    ("rm", "nothing can be deleted"), ("adjudicate", "by its keys"), ("note", "by their keys"), ("w", "nothing has to be saved"),
    ("agreement", "`trajview agree` prints it"), ("config", "--print-config"), ("absent", "no command absent"),
    ("0", "turns count from 1"), ("lanez", "no command lanez; nearest: lanes"), ("repaly", "nearest: replay"),
    ("quokka", "no command quokka; tab lists them"), ("open", ":open"),
    // Last, because `esc` leads back to the audit from here on.
    ("audit", "[Audit]"), ("audit c07", "┌ C07 "),
];

#[test]
fn words_that_people_typed_do_what_they_say_and_write_nothing() {
    let bundle = Bundle::new();
    let before = folder_files(bundle.path());
    let mut screen = replay_of(&bundle);
    let mut wrong = vec![];
    for (line, expected) in TYPED {
        frame_after(&mut screen, "<esc> <esc> <esc> <f1> 46G");
        let frame = run_line(&mut screen, line);
        if *expected == "ask a judge" {
            frame_after(&mut screen, "r"); // closes the pane
        }
        if !frame.contains(expected) {
            wrong.push(format!(":{line} without {expected:?}\n{frame}"));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(folder_files(bundle.path()), before);
    assert_eq!(bundle.labels("zz"), Vec::<String>::new());
}

#[test]
fn words_for_the_end_quit() {
    for line in ["quit", "q", "q!", "exit"] {
        let mut screen = audit_of(&Bundle::new());
        run_line(&mut screen, line);
        assert!(screen.app_mut().is_quitting, "{line}");
    }
}

/// What begins like a command, a key or a file, and anything else.
fn any_line() -> impl Strategy<Value = String> {
    let ids: Vec<&str> = keymap::all_bindings().map(|row| row.id).collect();
    let known = WORDS.into_iter().chain(ids).collect::<Vec<_>>();
    let known = prop::sample::select(known).prop_map(str::to_owned);
    let argument = prop_oneof!["[0-9]{1,3}", "C[0-9]{2}", "[a-z./ -]{0,12}", "\\PC{0,8}"];
    prop_oneof![
        (known.clone(), argument).prop_map(|(name, argument)| format!("{name} {argument}")),
        (known, 1_usize..6).prop_map(|(name, letters)| name.chars().take(letters).collect()),
        "\\PC{0,16}",
    ]
}

#[test]
fn whatever_line_is_made_up_no_label_and_no_file_of_the_run_changes() {
    let bundle = Bundle::new();
    let before = folder_files(bundle.path());
    let mut screen = audit_of(&bundle);
    let mut runner = TestRunner::deterministic();
    for (at, view) in
        [BaseKey::F(4), BaseKey::F(1), BaseKey::F(3)].into_iter().cycle().enumerate().take(90)
    {
        let line = any_line().new_tree(&mut runner).unwrap().current();
        run_and_return(&mut screen, &line, view);
        assert_eq!(bundle.labels("zz"), Vec::<String>::new(), "line {at}: {line}");
    }

    assert_eq!(folder_files(bundle.path()), before);
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
