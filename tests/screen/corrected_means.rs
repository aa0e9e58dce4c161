//! From blind labels to a number for a paper: the corrected mean over the queue, the plan, the sentence, and the key that
//! shows corrected means instead of judged ones.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use ratatui::layout::Size;
use serde_json::Value;
use trajview::{
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{effect::Effect, start_place::StartPlace, views::View},
    shell::{AppMessage, copy::CopyTarget, state::ShellMessage},
};

use crate::{
    audit_view::{
        Bundle, assert_has, assert_lacks, audit_screen, frame_after, frame_text, open_audit,
    },
    common::{run_cli, studied::copy_folder},
};

/// The levels of the person who judged the end of the sample, by component.
fn human_levels(run: &Path) -> BTreeMap<String, u64> {
    let file = run.join("judgements/human-final.json");
    let judgement: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let level =
        |it: &Value| (it["component"].as_str().unwrap().to_owned(), it["score"].as_u64().unwrap());
    judgement["scores"].as_array().unwrap().iter().map(level).collect()
}

/// A copy of the sample of which a model's judgement alone is there, with the levels that a person gives.
fn quick_bundle() -> (Bundle, BTreeMap<String, u64>) {
    let bundle = Bundle::new();
    let levels = human_levels(bundle.path());
    bundle.keep_judgement("quick-reader.json");
    (bundle, levels)
}

/// Labels the next items of the queue, without reasons.
fn label_next(screen: &mut HeadlessScreen, levels: &BTreeMap<String, u64>, count: usize) {
    for _ in 0..count {
        let open = screen.app_mut().screens.open_run().unwrap();
        let level = levels[open.audit.audited_id().unwrap()];
        screen.press_keys(&level.to_string()).unwrap();
        if screen.app_mut().screens.open_run().unwrap().audit.prompt.is_some() {
            screen.press_keys("<esc>").unwrap();
        }
        screen.press_keys(";").unwrap();
    }
}

fn line_with<'a>(frame: &'a str, words: &str) -> &'a str {
    frame
        .lines()
        .find(|line| line.contains(words))
        .unwrap_or_else(|| panic!("no {words:?} in\n{frame}"))
}

/// The number before these words in a line.
fn number_before(line: &str, words: &str) -> usize {
    let before = line.split(words).next().unwrap().trim_end();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

/// The sentence that `ys` copies.
fn copied_text(screen: &mut HeadlessScreen) -> String {
    let frame = frame_after(screen, "y s");
    assert_has(&frame, "copied the sentence for a paper");
    let effects =
        screen.app_mut().update(AppMessage::Shell(ShellMessage::Copy(CopyTarget::Sentence)));
    let copied = effects.into_iter().find_map(|it| match it {
        Effect::Copy(text) => Some(text),
        _ => None,
    });
    copied.expect("something is copied")
}

#[test]
fn a_rater_goes_from_labels_to_a_sentence_for_a_paper() {
    for size in [(120, 40), (80, 24)] {
        let (bundle, levels) = quick_bundle();
        let mut screen = audit_screen(&bundle, size, "ann");

        label_next(&mut screen, &levels, 20);
        let after_20 = frame_text(&screen);
        let corrected = line_with(&after_20, "corrected ");
        assert_has(corrected, "· 20 labels");
        assert_lacks(&after_20, "judged 3.");
        assert_lacks(corrected, "worth");

        let mut frame = frame_after(&mut screen, ":plan <space> 0 . 1 5 <enter>");
        let mut labels = 20;
        while !frame.contains("plan for ±0.15: no more labels needed") {
            let plan = line_with(&frame, "plan for ±0.15: ");
            assert_has(plan, "next in the queue; expected ±0.1");
            let more = number_before(plan.split("±0.15: ").nth(1).unwrap(), "more label");
            assert!((1..=24 - labels).contains(&more), "{frame}");
            label_next(&mut screen, &levels, more);
            labels += more;
            frame = frame_text(&screen);
        }
        assert!(labels < 24, "{frame}");
        let sentence = copied_text(&mut screen);
        assert_has(&sentence, "by the judge quick-reader");
        assert_has(&sentence, &format!("{labels} blind labels by one rater, drawn at random"));
        assert_lacks(&sentence, "uncorrected");

        // The labels count as drawn for the command too.
        let path = bundle.path().to_str().unwrap();
        let audit = run_cli(&["audit", path, "--annotator", "ann", "--json"]);
        let printed: Value = serde_json::from_str(&audit.out).unwrap();
        assert_eq!(printed["queue"]["correction"]["sentence"], sentence);
        assert_eq!(printed["queue"]["correction"]["left_out"], 0);

        label_next(&mut screen, &levels, 24 - labels);
        let all = frame_text(&screen);
        assert_has(&all, "judged 3.04 · corrected 3.12 [3.12, 3.12] · 24 labels · all labelled");
        assert_has(&copied_text(&mut screen), "the uncorrected mean of the judge is 3.04");
    }
}

#[test]
fn an_item_of_which_the_rater_cannot_tell_counts_as_answered_at_once() {
    let (bundle, levels) = quick_bundle();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    label_next(&mut screen, &levels, 23);
    screen.press_keys(":plan <space> 0 . 0 1 <enter>").unwrap();
    assert_lacks(&copied_text(&mut screen), "uncorrected");

    screen.press_keys("_").unwrap();
    if screen.app_mut().screens.open_run().unwrap().audit.prompt.is_some() {
        screen.press_keys("<esc>").unwrap();
    }

    assert_has(&copied_text(&mut screen), "the uncorrected mean of the judge is 3.04");
}

#[test]
fn without_a_rater_the_sentence_is_refused_with_the_key_that_sets_one() {
    let (bundle, _) = quick_bundle();
    let path = bundle.path().to_owned();
    let mut screen = open_audit(path, (120, 40), None, StartPlace::default());

    assert_has(&frame_after(&mut screen, "y s"), "a corrected mean needs a rater: ");
}

#[test]
fn a_plan_that_is_taken_back_leaves_the_drawn_order() {
    let (bundle, levels) = quick_bundle();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    label_next(&mut screen, &levels, 6);
    let ids = |screen: &mut HeadlessScreen| -> Vec<String> {
        let open = screen.app_mut().screens.open_run().unwrap();
        open.session.queued_items().iter().map(|it| it.id.clone()).collect()
    };
    let drawn = ids(&mut screen);

    screen.press_keys(":plan <space> 0 . 3 <enter>").unwrap();
    let planned = ids(&mut screen);
    let refused = frame_after(&mut screen, ":plan <space> x <enter>");
    screen.press_keys("<esc> :plan <enter>").unwrap();

    assert_ne!(planned, drawn);
    assert_eq!(planned[..6], drawn[..6], "labelled items stay where they are");
    assert_has(&refused, "is not a width");
    assert_eq!(ids(&mut screen), drawn);
}

#[test]
fn one_key_shows_corrected_means_in_the_scores_the_comparison_and_the_table() {
    let (bundle, levels) = quick_bundle();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    label_next(&mut screen, &levels, 14);
    drop(screen);

    // Somebody else looks at the scores: nothing is hidden.
    let run = [bundle.path().to_owned()];
    let mut screen = open_runs(&run, (120, 40), View::Scores);
    let judged = frame_text(&screen);
    let corrected = frame_after(&mut screen, "~");
    let again = frame_after(&mut screen, "~");
    assert_has(&judged, "MCF judged 3.042 of 4");
    assert_has(&corrected, "MCF judged 3.04 · corrected 2.88 [2.36, 3.40] · 14 labels · worth ");
    assert_has(&again, "MCF judged 3.042 of 4");

    // The rater with items to label does not see the judge's mean with it.
    let mut screen = audit_screen(&bundle, (80, 24), "ann");
    let own = frame_after(&mut screen, "<f3> ~");
    assert_has(&own, "MCF corrected 2.88 [2.36, 3.40] · 14 labels · judged: hidden, 10 to label");
}

#[test]
fn without_labels_the_key_says_why_there_is_no_corrected_mean() {
    let (bundle, _) = quick_bundle();
    let mut screen = audit_screen(&bundle, (80, 24), "ben");

    let frame = frame_after(&mut screen, "<f3> ~");

    assert_has(&frame, "not corrected: no blind labels");
    assert_has(&frame, "MCF 3.042");
}

/// Two copies of the labelled run and one without labels, below a folder.
fn labelled_folder() -> tempfile::TempDir {
    let (bundle, levels) = quick_bundle();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    label_next(&mut screen, &levels, 14);
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two", "three"] {
        copy_folder(bundle.path(), &folder.path().join(name));
    }
    fs::remove_dir_all(folder.path().join("three/labels")).unwrap();
    folder
}

fn open_runs(paths: &[PathBuf], size: (u16, u16), view: View) -> HeadlessScreen {
    let size = Size { width: size.0, height: size.1 };
    let place = StartPlace { view, ..StartPlace::default() };
    HeadlessScreen::open(RunOpener::Disk, paths, size, place, ScreenOptions::default()).unwrap()
}

#[test]
fn a_comparison_shows_corrected_means_with_their_difference() {
    let folder = labelled_folder();
    for size in [(160, 40), (80, 24)] {
        let runs = ["one", "two"].map(|name| folder.path().join(name));
        let mut screen = open_runs(&runs, size, View::Compare);
        let frame = frame_after(&mut screen, "<s-tab> g g ~");

        assert_has(line_with(&frame, "MCF, corrected"), "2.88 ±0.52");
        assert_has(line_with(&frame, "MCF, corrected"), "+0.00 ±");
        assert_has(&frame, "a corrected 2.88 [2.36, 3.40] · 14 labels");
        assert_lacks(&frame_after(&mut screen, "~"), "MCF, corrected");
    }
}

#[test]
fn a_comparison_says_of_which_run_the_labels_do_not_correct_the_mean() {
    let folder = labelled_folder();
    let runs = ["one", "three"].map(|name| folder.path().join(name));
    let mut screen = open_runs(&runs, (160, 40), View::Compare);

    let frame = frame_after(&mut screen, "~");

    assert_has(&frame, "b not corrected: no blind labels");
}

#[test]
fn the_table_of_runs_has_a_column_of_corrected_means_in_the_place_of_the_judged_ones() {
    let folder = labelled_folder();
    for size in [(200, 50), (80, 24)] {
        let mut screen = open_runs(&[folder.path().to_owned()], size, View::Collection);
        let judged = frame_text(&screen);
        let corrected = frame_after(&mut screen, "~");

        assert_has(&corrected, "MCF corrected by blind labels: 2 of 3 judged runs");
        if size.0 == 200 {
            assert_lacks(line_with(&judged, "erosion"), "corrected");
            assert_has(line_with(&corrected, "erosion"), "corrected");
            assert_has(line_with(&corrected, "one "), "2.88 ±0.52");
            assert_lacks(&frame_after(&mut screen, "~"), "2.88 ±0.52");
        }
    }
}

#[test]
fn levels_in_doubt_have_their_sign_in_the_scores_the_audit_and_the_comparison_of_a_small_screen() {
    let (bundle, levels) = quick_bundle();
    let file = bundle.path().join("judgements/quick-reader.json");
    let mut judgement: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for verdict in judgement["scores"].as_array_mut().unwrap() {
        verdict["looks"] = 1.into();
        verdict["evidence_found"] = 0.into();
        verdict["evidence_given"] = 1.into();
    }
    judgement["judge"]["kind"] = "http".into();
    judgement["scores"][0]["looks"] = 0.into();
    judgement["scores"][0]["trace"] = serde_json::json!([]);
    fs::write(&file, judgement.to_string()).unwrap();
    let small = (80, 24);
    let run = [bundle.path().to_owned()];

    let scores = frame_text(&open_runs(&run, small, View::Scores));
    assert_has(line_with(&scores, "│C01 "), "4 Faithful ∅");
    assert_has(line_with(&scores, "│C02 "), "4 Faithful ‽");

    let other = tempfile::tempdir().unwrap();
    copy_folder(bundle.path(), other.path());
    let runs = [run[0].clone(), other.path().to_owned()];
    let mut screen = open_runs(&runs, small, View::Compare);
    assert_has(line_with(&frame_text(&screen), "C02 "), "4‽████");
    assert_has(line_with(&frame_after(&mut screen, "G"), "C01 "), "4∅");

    let mut screen = audit_screen(&bundle, small, "ann");
    while screen.app_mut().screens.open_run().unwrap().audit.audited_id() != Some("C02") {
        screen.press_keys("n").unwrap();
    }
    let audited = frame_after(&mut screen, &levels["C02"].to_string());
    assert_has(&audited, "‽ unsupported: ");
    let explained = frame_after(&mut screen, "<esc> :help <space> unsupported <enter>");
    assert_has(&explained, "beside a level above 0: the code has none of the");
}
