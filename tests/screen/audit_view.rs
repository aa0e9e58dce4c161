//! The audit of a judge, keys in and frames out, on a copy of a sample: what is seen before a label and after it, and
//! what is on disk after each key.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ratatui::{layout::Size, style::Color};
use serde_json::Value;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    shell::{AppMessage, state},
    widgets::{
        display_options::Alphabet,
        export,
        mouse::{Mouse, MouseKind},
    },
};

use crate::common::{cli_text, project_path, run_cli};

/// A copy of the sample that may be written to.
pub struct Bundle(tempfile::TempDir);

impl Bundle {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&project_path("sample-runs/codex-p12"), folder.path());
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// With everything that verdicts say in words replaced by `word`, the scores left as they are.
    fn with_rationale(word: &str) -> Self {
        let bundle = Self::new();
        for entry in fs::read_dir(bundle.path().join("judgements")).unwrap() {
            let path = entry.unwrap().path();
            let mut judgement: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            for verdict in judgement["scores"].as_array_mut().unwrap() {
                verdict["rationale"] = word.into();
                verdict["label"] = word.into();
                verdict["evidence"] =
                    serde_json::json!([{"path": format!("{word}.py"), "start": 1, "end": 2}]);
                verdict["trace"] =
                    serde_json::json!([{"tool": word, "arguments": word, "excerpt": word}]);
            }
            fs::write(&path, judgement.to_string()).unwrap();
        }
        bundle
    }

    pub fn keep_judgement(&self, name: &str) {
        for entry in fs::read_dir(self.path().join("judgements")).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_str() != Some(name) {
                fs::remove_file(path).unwrap();
            }
        }
    }

    /// `C15 3 blind agree`, in the order of the file; a blank for what is not there.
    pub fn labels(&self, annotator: &str) -> Vec<String> {
        let path = self.path().join(format!("labels/{annotator}.json"));
        let Ok(bytes) = fs::read(path) else { return vec![] };
        let document: Value = serde_json::from_slice(&bytes).unwrap();
        let said = |label: &Value| {
            let word = |name: &str| label[name].as_str().unwrap_or("-").to_owned();
            let blind = if label["blind"] == true { "blind" } else { "open" };
            format!(
                "{} {} {blind} {} {}",
                word("component"),
                label["score"],
                word("reason"),
                word("note")
            )
        };
        document["labels"].as_array().unwrap().iter().map(said).collect()
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

pub fn open_audit(
    path: PathBuf,
    size: (u16, u16),
    annotator: Option<&str>,
    place: StartPlace,
) -> HeadlessScreen {
    let mut wishes = ScreenOptions::default();
    wishes.config.annotator = annotator.map(str::to_owned);
    let size = Size { width: size.0, height: size.1 };
    let place = StartPlace { view: View::Audit, ..place };
    HeadlessScreen::open(RunOpener::Disk, &[path], size, place, wishes).unwrap()
}

pub fn audit_screen(bundle: &Bundle, size: (u16, u16), annotator: &str) -> HeadlessScreen {
    open_audit(bundle.path().to_owned(), size, Some(annotator), StartPlace::default())
}

fn open_component(bundle: &Bundle, component: &str) -> HeadlessScreen {
    let place = StartPlace { component: Some(component.into()), ..StartPlace::default() };
    open_audit(bundle.path().to_owned(), (120, 40), Some("ann"), place)
}

pub fn frame_text(screen: &HeadlessScreen) -> String {
    export::frame_text(&screen.draw_frame())
}

pub fn frame_after(screen: &mut HeadlessScreen, keys: &str) -> String {
    screen.press_keys(keys).unwrap();
    frame_text(screen)
}

fn chosen_row(screen: &mut HeadlessScreen) -> String {
    screen.app_mut().screens.open_run().unwrap().audit.audited_id().unwrap().to_owned()
}

#[track_caller]
pub fn assert_has(frame: &str, words: &str) {
    assert!(frame.contains(words), "no {words:?} in\n{frame}");
}

#[track_caller]
pub fn assert_lacks(frame: &str, words: &str) {
    assert!(!frame.contains(words), "{words:?} in\n{frame}");
}

#[test]
fn a_label_comes_before_the_verdict_and_a_reason_after_it() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    insta::assert_snapshot!("hidden", frame_text(&screen));
    assert_eq!(bundle.labels("ann"), [""; 0]);

    insta::assert_snapshot!("differs", frame_after(&mut screen, "3"));
    assert_eq!(bundle.labels("ann"), ["C15 3 blind - -"]);

    insta::assert_snapshot!("explained", frame_after(&mut screen, "b"));
    assert_eq!(bundle.labels("ann"), ["C15 3 blind rubric-boundary -"]);

    frame_after(&mut screen, "\" contacts<space>count<space>more");
    assert_eq!(bundle.labels("ann"), ["C15 3 blind rubric-boundary -"]);
    assert_has(&frame_after(&mut screen, "<enter>"), "your note: contacts count more");
    assert_eq!(bundle.labels("ann"), ["C15 3 blind rubric-boundary contacts count more"]);

    let agreed = frame_after(&mut screen, "; 4");
    assert_eq!(chosen_row(&mut screen), "C24");
    assert_eq!(bundle.labels("ann")[1], "C24 4 blind agree -");
    assert_has(&agreed, "both agree");
    assert_has(&agreed, "2/24");
    assert_lacks(&agreed, "exact     0.500  1 of 2");
    assert_has(&agreed, "C24: you and the judge say 4 (; goes to the next unlabelled)");
    assert_has(&frame_after(&mut screen, "V"), "exact     0.500  1 of 2");
}

#[test]
fn on_a_small_screen_parts_are_tabs_and_a_label_brings_the_verdict_up() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (80, 24), "ann");
    insta::assert_snapshot!("small_queue", frame_text(&screen));
    insta::assert_snapshot!("small_differs", frame_after(&mut screen, "3"));
    insta::assert_snapshot!("small_code", frame_after(&mut screen, "<enter> ]"));
    insta::assert_snapshot!("small_codebook", frame_after(&mut screen, "<tab>"));
    insta::assert_snapshot!("small_agreement", frame_after(&mut screen, "<tab>"));
    assert_eq!(bundle.labels("ann"), ["C15 3 blind rubric-boundary -"]);
}

#[test]
fn the_smallest_screen_is_still_usable() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (60, 15), "ann");
    insta::assert_snapshot!("smallest_component", frame_after(&mut screen, "<enter>"));
    insta::assert_snapshot!("smallest_differs", frame_after(&mut screen, "3"));
}

#[test]
fn a_very_wide_screen_has_the_code_beside_the_component() {
    let bundle = Bundle::new();
    insta::assert_snapshot!(
        "wide",
        frame_after(&mut audit_screen(&bundle, (200, 50), "ann"), "F F 3")
    );
}

#[test]
fn without_utf_8_the_audit_is_ascii_and_without_colours_it_says_the_same() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    let words = frame_after(&mut screen, "3 b ; 4");
    screen.app_mut().shell.looks.has_colours = false;
    let plain = screen.draw_frame();

    let is_plain =
        |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
    assert!(plain.content.iter().all(is_plain));
    assert_eq!(export::frame_text(&plain), words);
    screen.app_mut().shell.looks.alphabet = Alphabet::Ascii;
    let ascii = frame_text(&screen);
    assert!(ascii.is_ascii());
    assert_has(&ascii, "y 4 agrees");
    assert_has(&ascii, "x 3 differs");
}

#[test]
fn colours_tell_what_agrees_from_what_differs() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    screen.press_keys("3 b ; 4 ;").unwrap();
    let frame = screen.draw_frame();
    let colour_of = |sign: &str| {
        let cell = frame.content.iter().find(|cell| cell.symbol() == sign);
        cell.map(|cell| cell.fg)
    };
    assert_eq!(colour_of("✓"), Some(Color::Green));
    assert_eq!(colour_of("✗"), Some(Color::Red));
}

#[test]
fn whatever_a_verdict_says_nothing_of_it_is_seen_before_its_label() {
    let (one, other) = (Bundle::with_rationale("zqxone"), Bundle::with_rationale("zqxother"));
    for (size, count) in [((120, 40), 24), ((200, 50), 3), ((80, 24), 5)] {
        let [mut first, mut second] =
            [&one, &other].map(|bundle| audit_screen(bundle, size, &format!("ann{}", size.0)));
        for number in 0..count {
            for keys in ["", "<tab>", "<tab> ]", "<tab>", "O", "O <tab>"] {
                let (a, b) = (frame_after(&mut first, keys), frame_after(&mut second, keys));
                assert_eq!(a, b, "component {number} of the queue after {keys:?}");
                assert_lacks(&a, "zqx");
            }
            let (a, b) = (frame_after(&mut first, "<space>"), frame_after(&mut second, "<space>"));
            assert_eq!(a, b);
            assert_lacks(&a, "zqx");
            for screen in [&mut first, &mut second] {
                screen.press_keys("<f4> n").unwrap();
            }
        }
        assert_has(&frame_after(&mut first, "3"), "zqxone");
    }
}

#[test]
fn in_the_replay_what_waits_for_a_label_has_no_marks() {
    let bundle = Bundle::new();
    let mut screen = open_component(&bundle, "C15");
    let hidden = frame_after(&mut screen, "O G <enter> <space>");
    assert_lacks(&hidden, "evidence");
    assert_eq!(screen.app_mut().screens.open_run().unwrap().session.view, View::Replay);
    assert_eq!(screen.app_mut().screens.open_run().unwrap().session.turn + 1, 56);

    assert_has(&frame_after(&mut screen, "<bs>"), "0/24");
    screen.press_keys("4").unwrap();
    let shown = frame_after(&mut screen, "<tab> <tab> <space>");
    assert_has(&shown, "◆ C15 evidence");
    assert_lacks(&shown, "◆ C16 evidence");
    assert_has(&frame_after(&mut screen, "<c-o>"), "1/24");
}

#[test]
fn a_label_that_was_taken_back_hides_the_verdict_and_the_next_one_is_not_blind() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");

    let back = frame_after(&mut screen, "3 u");

    assert_eq!(bundle.labels("ann"), ["C15 null open - -"]);
    assert_has(&back, "undone");
    assert_has(&back, "0/24");
    assert_lacks(&back, "rubric-boundary");
    assert_lacks(&back, "████ 4 Faithful");
    assert_has(&back, "the label will not be blind: a label was undone after the verdict was seen");
    let again = frame_after(&mut screen, "4 ; 4 V");
    assert_eq!(bundle.labels("ann"), ["C15 4 open agree -", "C24 4 blind agree -"]);
    assert_has(&again, "1 label, blind; 1 more is not");
    drop(screen);
    assert_has(&frame_text(&audit_screen(&bundle, (120, 40), "ann")), "2/24");
}

#[test]
fn a_label_that_is_in_is_not_overwritten_by_a_digit() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");

    assert_has(&frame_after(&mut screen, "4 1"), "C15 is labelled 4; u undoes a label");

    assert_eq!(bundle.labels("ann"), ["C15 4 blind agree -"]);
}

#[test]
fn work_goes_on_where_it_stopped() {
    let bundle = Bundle::new();
    audit_screen(&bundle, (120, 40), "ann").press_keys("4 ; 4 ; 3 <esc>").unwrap();

    let mut screen = audit_screen(&bundle, (120, 40), "ann");

    assert_has(&frame_text(&screen), "3/24");
    assert_eq!(chosen_row(&mut screen), "C04");
    screen.press_keys("N B").unwrap();
    assert_has(&frame_text(&screen), "both agree");
}

#[test]
fn two_raters_never_see_each_other() {
    let bundle = Bundle::new();
    audit_screen(&bundle, (120, 40), "zoe").press_keys("3 b ; 4").unwrap();

    let mut bob = audit_screen(&bundle, (120, 40), "bob");

    let first = frame_text(&bob);
    assert_has(&first, "0/24");
    assert_has(&first, "labelled by bob");
    assert_lacks(&first, "zoe");
    bob.press_keys("2").unwrap();
    assert_eq!(bundle.labels("bob"), ["C15 2 blind - -"]);
    assert_eq!(bundle.labels("zoe").len(), 2);
    assert_lacks(&frame_text(&bob), "zoe");
}

#[test]
fn the_scores_show_a_rater_the_labels_of_nobody_else() {
    let bundle = Bundle::new();
    audit_screen(&bundle, (120, 40), "ann").press_keys("3 b ; 4").unwrap();
    let scores = |annotator: Option<&str>| {
        let place = StartPlace { component: Some("C15".into()), ..StartPlace::default() };
        frame_after(&mut open_audit(bundle.path().to_owned(), (120, 40), annotator, place), "<f3>")
    };

    let (own, others, nobody) = (scores(Some("ann")), scores(Some("bob")), scores(None));

    assert_has(&own, "score             you");
    assert_has(&own, "ann (you)");
    for frame in [others, nobody] {
        assert_has(&frame, "C15");
        assert_lacks(&frame, "ann");
        assert_lacks(&frame, "score             you");
    }
}

#[test]
fn of_two_sessions_of_one_rater_the_first_label_stands_and_nothing_becomes_blind_again() {
    let bundle = Bundle::new();
    let (mut first, mut second) =
        (audit_screen(&bundle, (120, 40), "ann"), audit_screen(&bundle, (120, 40), "ann"));
    first.press_keys("3 b").unwrap();

    let told = frame_after(&mut second, "1");

    assert_has(&told, "ann labelled C15 3 in another session; the first label stays");
    assert_eq!(bundle.labels("ann"), ["C15 3 blind rubric-boundary -"]);
    assert_has(&told, "1/24");

    first.press_keys("u").unwrap();
    let told = frame_after(&mut second, "\" late<enter>");
    assert_has(&told, "ann undid the label of C15 in another session");
    second.press_keys("2").unwrap();
    assert_eq!(bundle.labels("ann")[0], "C15 2 open - -");
}

#[test]
fn where_nobody_said_who_labels_the_first_label_asks() {
    let bundle = Bundle::new();
    let mut screen = open_audit(bundle.path().to_owned(), (120, 40), None, StartPlace::default());
    assert_has(&frame_text(&screen), "no name yet: press a");

    assert_has(&frame_after(&mut screen, "4"), "who labels?");
    assert_has(&frame_after(&mut screen, "<enter>"), "a name is required");
    assert!(!bundle.path().join("labels").exists());
    let named = frame_after(&mut screen, "cleo <enter>");

    assert_has(&named, "labelled by cleo");
    assert_has(&named, "1/24");
    assert_eq!(bundle.labels("cleo"), ["C15 4 blind agree -"]);
}

#[test]
fn what_cannot_be_saved_is_told_and_saved_once_it_can_be() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    let labels = bundle.path().join("labels");
    fs::write(&labels, "in the way").unwrap();

    let failed = frame_after(&mut screen, "4");

    assert_has(&failed, "1 label not saved");
    assert_has(&failed, "not saved: ");
    let item: Vec<&str> = failed.lines().filter_map(|line| line.split("││").nth(1)).collect();
    let item = item.iter().map(|it| it.trim_end_matches([' ', '│'])).collect::<Vec<_>>().join(" ");
    assert_has(&item, "is not a folder; ctrl-s retries");
    assert_has(&failed, "unsaved");
    fs::remove_file(&labels).unwrap();
    assert_has(&frame_after(&mut screen, "ctrl-s"), "all saved");
    assert_eq!(bundle.labels("ann"), ["C15 4 blind agree -"]);
}

#[test]
fn a_place_that_cannot_hold_labels_is_told_before_anything_is_labelled() {
    let bundle = Bundle::new();
    fs::write(bundle.path().join("labels"), "in the way").unwrap();
    assert_has(
        &frame_after(&mut audit_screen(&bundle, (120, 40), "ann"), "4"),
        "labels: is not a folder",
    );
}

#[test]
fn what_cannot_be_audited_says_why() {
    let log = project_path("sample-runs/codex-exec-json/stdout.jsonl");
    let mut screen = open_audit(log, (80, 24), Some("ann"), StartPlace::default());
    assert_has(&frame_after(&mut screen, "3"), "not a run bundle, so labels cannot be saved");

    let bundle = Bundle::new();
    bundle.keep_judgement("none of them");
    assert_has(
        &frame_text(&audit_screen(&bundle, (120, 40), "ann")),
        "asks a judge; in a shell: `trajview judge RUN`",
    );
}

#[test]
fn without_a_checklist_verdicts_are_audited_all_the_same() {
    let bundle = Bundle::new();
    fs::remove_file(bundle.path().join("components.json")).unwrap();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    assert_has(&frame_text(&screen), "no description of C15");
    assert_has(&frame_after(&mut screen, "4"), "both agree");
}

#[test]
fn what_was_seen_in_the_scores_is_not_labelled_blind() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");

    assert_has(
        &frame_after(&mut screen, "<f3> <f4>"),
        "will not be blind: the verdict was on screen before",
    );

    screen.press_keys("4").unwrap();
    assert_eq!(bundle.labels("ann"), ["C15 4 open agree -"]);
}

#[test]
fn a_low_score_is_held_against_the_places_that_the_judge_never_opened() {
    let bundle = Bundle::new();
    bundle.keep_judgement("quick-reader.json");
    let mut screen = open_component(&bundle, "C24");
    let before = frame_text(&screen);
    assert_has(&before, "candidate code");
    assert_lacks(&before, "never opened");

    let judged = frame_after(&mut screen, "4");

    assert_has(&judged, "a  false-absence (likely)");
    assert_has(&judged, "false absence? the judge never opened");
    assert_has(&judged, "ppdiff/evaluate.py");
    insta::assert_snapshot!("false_absence", judged);
    screen.press_keys("<enter>").unwrap();
    assert_eq!(bundle.labels("ann"), ["C24 4 blind false-absence -"]);
}

#[test]
fn a_label_serves_every_judgement_of_its_state_and_no_other() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    screen.press_keys("4").unwrap();

    let of_the_state = frame_after(&mut screen, "F F");

    assert_has(&of_the_state, "audit of quick-reader");
    assert_has(&of_the_state, "1/24");
    let of_another = frame_after(&mut screen, "f");
    assert_has(&of_another, "after turn 39");
    assert_has(&of_another, "0/24");
}

#[test]
fn the_seed_decides_the_order() {
    let bundle = Bundle::new();
    let first = |seed| {
        let place = StartPlace { seed, ..StartPlace::default() };
        let mut screen = open_audit(bundle.path().to_owned(), (120, 40), Some("ann"), place);
        (
            screen.app_mut().screens.open_run().unwrap().session.queued_items().to_vec(),
            frame_text(&screen),
        )
    };
    let (usual, _) = first(None);
    let (other, frame) = first(Some(7));
    assert_eq!(first(Some(1)).0, usual);
    assert_ne!(other, usual);
    assert_has(&frame, "seed 7");
}

#[test]
fn digits_above_the_levels_still_count() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    screen.press_keys("5n").unwrap();
    assert_eq!(screen.app_mut().screens.open_run().unwrap().audit.rows.cursor(), 5);
    screen.press_keys("10N").unwrap();
    assert_eq!(bundle.labels("ann").len(), 1);
}

#[test]
fn the_request_that_commits_to_a_component_is_a_key_away() {
    let bundle = Bundle::new();
    let mut screen = open_component(&bundle, "C15");

    let turn = frame_after(&mut screen, "o");

    assert_has(&turn, "turn 22 asks for C15; backspace returns to the audit");
    assert_eq!(screen.app_mut().screens.open_run().unwrap().session.turn + 1, 22);
    assert_has(&frame_after(&mut screen, "<bs>"), "0/24");
}

#[test]
fn label_and_verdict_are_copied_once_both_are_known() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    assert_has(&frame_after(&mut screen, "y v"), "the verdict on C15 is hidden until you label it");
    assert_has(&frame_after(&mut screen, "4 y v"), "copied the label and the verdict");
    let link = frame_after(&mut screen, "y y");
    assert_has(&link, "--view audit --component C15 --annotator ann");
}

#[test]
fn the_mouse_selects_and_scrolls() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    let mut mouse = |kind, column, row| {
        screen.send_message(AppMessage::Shell(state::ShellMessage::Mouse(Mouse {
            kind,
            column,
            row,
        })));
        chosen_row(&mut screen)
    };
    let third = mouse(MouseKind::Click, 5, 6);
    assert_eq!(third, "C08");
    assert_eq!(mouse(MouseKind::WheelDown, 5, 6), "C04");
    mouse(MouseKind::Click, 60, 30);
    let part = screen.app_mut().screens.open_run().unwrap().audit.part;
    assert_eq!(part, trajview::views::audit::AuditPart::Code);

    let mut small = audit_screen(&bundle, (80, 24), "ann");
    small.send_message(AppMessage::Shell(state::ShellMessage::Mouse(Mouse {
        kind: MouseKind::Click,
        column: 9,
        row: 3,
    })));
    assert_has(&frame_text(&small), "Label first; the verdict");
}

#[test]
fn help_and_the_footer_name_the_keys() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    assert_has(&frame_text(&screen), "01234 label   [] place   tab part   L levels   ; unlabelled");
    assert_has(&frame_after(&mut screen, "?"), "label it 0; label it 1");
    screen.press_keys("<esc> 3").unwrap();
    assert_has(&frame_text(&screen), "a false-absence   p false-presence   b boundary");
    assert_has(&frame_after(&mut screen, "z"), "why do they differ? press a letter");
}

#[test]
fn while_it_asks_why_n_goes_on_and_the_next_digit_labels() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");

    assert_has(&frame_after(&mut screen, "3"), "a false-absence");
    screen.press_keys("n 4").unwrap();

    assert_eq!(bundle.labels("ann").len(), 2);
}

#[test]
fn the_program_labels_without_a_terminal() {
    let bundle = Bundle::new();
    let path = bundle.path().to_str().unwrap();
    let open = ["--view", "audit", "--annotator", "ann", "--snapshot", "120x40"];
    let arguments = [&[path], &open[..], &["--keys", "3 b N"]].concat();

    let frame = cli_text(&arguments);

    assert_has(&frame, "1/24");
    assert_eq!(bundle.labels("ann"), ["C15 3 blind rubric-boundary -"]);
    let blank = run_cli(&[path, "--view", "audit", "--annotator", " ", "--snapshot", "80x24"]);
    assert_eq!(blank.code, Some(2), "{}", blank.err);
    assert_has(&blank.err, "a name is not blank");
}

#[test]
fn what_the_judge_gives_stays_hidden_while_items_wait_for_a_label() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");

    let labelled = frame_after(&mut screen, "3<esc>");
    let looked_for = frame_after(&mut screen, "<s-tab>");
    assert_has(&looked_for, "hidden while 23 need a label");
    for told in ["scores used", "judge\\you", "exact", "kappa"] {
        assert_lacks(&labelled, told);
        assert_lacks(&looked_for, told);
    }

    screen.press_keys("<tab>").unwrap();
    let shown = frame_after(&mut screen, "V");
    let hidden = frame_after(&mut screen, "V");
    for told in ["scores used", "judge\\you", "exact", "kappa"] {
        assert_has(&shown, told);
        assert_lacks(&hidden, told);
    }
}

#[test]
fn the_header_names_the_state_that_is_audited() {
    let bundle = Bundle::new();
    let frame = frame_text(&audit_screen(&bundle, (120, 40), "ann"));

    assert_has(&frame, "after turn 56/56 · checkpoint 9/9");
    assert_lacks(&frame, "turn 1/56");
}

#[test]
fn a_newer_judgement_is_announced_and_moves_no_number() {
    let bundle = Bundle::new();
    let place = StartPlace::default();
    let mut screen = open_audit(bundle.path().to_owned(), (120, 40), Some("ann"), place);
    assert_has(&frame_after(&mut screen, "<f3>"), "MCF 3.125");

    let judgements = bundle.path().join("judgements");
    let mut newer: Value =
        serde_json::from_slice(&fs::read(judgements.join("human-final.json")).unwrap()).unwrap();
    newer["judge"]["name"] = "later".into();
    newer["created_at"] = "2027-01-01T00:00:00Z".into();
    newer["scores"].as_array_mut().unwrap().iter_mut().for_each(|it| it["score"] = 1.into());
    fs::write(judgements.join("zz-later.json"), newer.to_string()).unwrap();
    screen.send_message(AppMessage::Judged);

    let frame = frame_text(&screen);
    assert_has(&frame, "MCF 3.125");
    assert_has(&frame, "newer: later · f");
    assert_has(&frame_after(&mut screen, "f"), "MCF 1.000");
}

#[test]
fn the_component_that_is_chosen_goes_along_to_the_scores_and_back() {
    let bundle = Bundle::new();
    let mut screen = open_component(&bundle, "C18");

    assert_has(&frame_after(&mut screen, "<f3>"), "┌ C18 ");
    frame_after(&mut screen, "jj<f4>");

    assert_eq!(chosen_row(&mut screen), "C20");
}

/// Adds a whole judgement by another judge, with 1 for every component.
fn add_judgement(bundle: &Bundle, judge: &str) {
    let judgements = bundle.path().join("judgements");
    let mut newer: Value =
        serde_json::from_slice(&fs::read(judgements.join("human-final.json")).unwrap()).unwrap();
    newer["judge"]["name"] = judge.into();
    newer["created_at"] = "2027-01-01T00:00:00Z".into();
    newer["scores"].as_array_mut().unwrap().iter_mut().for_each(|it| it["score"] = 1.into());
    fs::write(judgements.join(format!("zz-{judge}.json")), newer.to_string()).unwrap();
}

#[test]
fn a_new_judgement_is_announced_with_the_number_that_it_would_change() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (200, 50), "ann");
    assert_has(&frame_after(&mut screen, "<f3>"), "MCF 3.125");

    add_judgement(&bundle, "later");
    screen.send_message(AppMessage::Judged);

    let frame = frame_text(&screen);
    assert_has(&frame, "new judgement by later at turn 56: MCF 1.000");
    assert_has(&frame, "shown stays MCF 3.125 by authors-reading at turn 56");
    assert_has(&frame, "MCF 3.125 of 4");
}
