//! The audit of whatever can be judged, keys in and frames out: what is proposed before it is committed, the codebook,
//! scales of a person's own, leaves of a rubric tree, flags with the places that were missed, signals.

use std::fs;

use serde_json::{Value, json};
use trajview::{
    run::rubric::LabelUnit,
    runtime::HeadlessScreen,
    session::{start_place::StartPlace, views::View},
};

use crate::{
    audit_view::{
        Bundle, assert_has, assert_lacks, audit_screen, frame_after, frame_text, open_audit,
    },
    common::project_path,
};

const MEDIUM: (u16, u16) = (120, 40);

fn audit_of(bundle: &Bundle, size: (u16, u16), unit: LabelUnit) -> HeadlessScreen {
    let place = StartPlace { unit: Some(unit), ..StartPlace::default() };
    open_audit(bundle.path().to_owned(), size, Some("ann"), place)
}

/// What the file of labels has.
fn labels_of(bundle: &Bundle) -> Value {
    let bytes = fs::read(bundle.path().join("labels/ann.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn with_codebook(codebook: Value) -> Bundle {
    let bundle = Bundle::new();
    let path = bundle.path().join("components.json");
    let mut checklist: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    checklist["codebook"] = codebook;
    fs::write(&path, checklist.to_string()).unwrap();
    bundle
}

fn with_flags() -> Bundle {
    let bundle = Bundle::new();
    let flag = |criterion: &str, path: &str, lines: (u64, u64), why: &str| {
        json!({"criterion": criterion, "category": "words", "type": "verbosity", "path": path, "start": lines.0,
            "end": lines.1, "confidence": 4, "explanation": why})
    };
    let judgement = json!({
        "schema": "trajview.judgement/1",
        "judge": {"name": "flagger", "kind": "http", "model": "m-1"},
        "commit": "610540d2038c3343ff934f9f90ced3b4806f89ad", "turn": 56, "rubric": "scb-flags",
        "flags": [
            flag("restating-comment", "ppdiff/losses.py", (7, 12), "It says twice what the code says."),
            flag("copied-logic", "ppdiff/embed.py", (16, 20), "The same as in nn.py."),
        ],
    });
    fs::write(bundle.path().join("judgements/flags.json"), judgement.to_string()).unwrap();
    bundle
}

fn with_tree() -> Bundle {
    let bundle = Bundle::new();
    let graded = project_path("sample-runs/paperbench/grader_output.json");
    fs::copy(graded, bundle.path().join("grader_output.json")).unwrap();
    bundle
}

#[test]
fn a_proposal_shows_nothing_costs_nothing_and_survives_the_session() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    let proposed = frame_after(&mut screen, "P 3");

    assert_has(&proposed, "3 proposed");
    assert_has(&proposed, "0/24");
    assert_lacks(&proposed, "(judge)");
    insta::assert_snapshot!("proposed", proposed);
    screen.press_keys("2").unwrap();
    assert_eq!(bundle.labels("ann"), Vec::<String>::new());
    let mut again = audit_screen(&bundle, MEDIUM, "ann");
    assert_has(&frame_text(&again), "2 proposed");
    assert_has(&frame_after(&mut again, "<enter>"), "(judge)");
    assert_eq!(bundle.labels("ann"), ["C15 2 blind - -"]);
    assert_eq!(labels_of(&bundle).get("proposals"), Some(&json!([])));
}

#[test]
fn a_proposal_can_be_taken_away_and_the_label_is_blind_all_the_same() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    let taken = frame_after(&mut screen, "P 3 u");

    assert_has(&taken, "proposal removed");
    assert_lacks(&taken, "proposed,");
    screen.press_keys("4 <enter>").unwrap();
    assert_eq!(bundle.labels("ann"), ["C15 4 blind agree -"]);
}

#[test]
fn confidence_a_note_and_cannot_tell_come_with_the_label() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    let before = frame_after(&mut screen, "c c \" s e e <enter>");
    assert_has(&before, "medium confidence");
    assert_has(&before, "your note: see");
    assert_has(&frame_after(&mut screen, "_"), "cannot tell");

    let label = &labels_of(&bundle)["labels"][0];
    assert_eq!((&label["score"], &label["cannot_tell"]), (&Value::Null, &json!(true)));
    assert_eq!((&label["confidence"], &label["note"]), (&json!("medium"), &json!("see")));
    assert_eq!((&label["blind"], &label["seen"]), (&json!(true), &json!([])));
    assert_has(&frame_after(&mut screen, "c"), "high confidence");
    assert_eq!(labels_of(&bundle)["labels"][0]["confidence"], "high");
}

#[test]
fn what_was_seen_in_the_scores_is_not_forgotten_by_the_next_session() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");
    screen.press_keys("4 <f3> <f4>").unwrap();
    drop(screen);

    let mut next = audit_screen(&bundle, MEDIUM, "ann");
    assert_has(&frame_text(&next), "the label will not be blind: the verdict was on screen before");
    next.press_keys("4").unwrap();

    let labels = labels_of(&bundle)["labels"].clone();
    assert_eq!((&labels[0]["blind"], &labels[0]["seen"]), (&json!(true), &json!([])));
    assert_eq!(labels[1]["blind"], false);
    let judged = labels[1]["judgement"].clone();
    assert!(labels[1]["seen"].as_array().unwrap().contains(&judged), "{}", labels[1]);
}

#[test]
fn the_codebook_is_a_key_away_and_beside_the_item_where_there_is_room() {
    let bundle = Bundle::new();

    let small = frame_after(&mut audit_screen(&bundle, (80, 24), "ann"), "L");
    assert_has(&small, "nothing in the repository does what the component is for");
    let mut medium = audit_screen(&bundle, MEDIUM, "ann");
    assert_lacks(&frame_text(&medium), "the built-in text");
    insta::assert_snapshot!("codebook", frame_after(&mut medium, "L"));
    assert_lacks(&frame_after(&mut medium, "L"), "the built-in text");
    let wide = frame_text(&audit_screen(&bundle, (200, 50), "ann"));
    assert_has(&wide, "the built-in text");
    insta::assert_snapshot!("codebook_wide", wide);
}

#[test]
fn a_scale_of_ones_own_gives_the_keys_their_meaning() {
    let bundle = with_codebook(json!({"scale": "1..5", "levels": [
        {"score": 1, "name": "Useless", "means": "Nobody could use it.", "examples": ["a stub"]},
        {"score": 5, "name": "Perfect"}]}));
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    let codebook = frame_after(&mut screen, "L");
    assert_has(&codebook, "the text of components.json");
    assert_has(&codebook, "for example: a stub");
    assert_has(&frame_after(&mut screen, "0"), "0 is not on the scale 1..5");
    screen.press_keys("5").unwrap();

    let label = &labels_of(&bundle)["labels"][0];
    assert_eq!((&label["score"], &label["scale"]), (&json!(5), &json!("1..5")));
    assert_has(&frame_text(&screen), "5 Perfect");
}

#[test]
fn where_any_number_is_on_the_scale_it_is_typed() {
    let bundle = with_codebook(json!({"scale": "[0,1]"}));
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    assert_has(&frame_after(&mut screen, ". 2 <enter>"), "expected a number from 0 to 1");
    screen.press_keys("<c-u> 0 . 2 5 <enter>").unwrap();

    let label = &labels_of(&bundle)["labels"][0];
    assert_eq!((&label["score"], &label["scale"]), (&json!(0.25), &json!("[0,1]")));
}

#[test]
fn each_of_several_criteria_is_labelled_by_itself() {
    let bundle = with_codebook(json!({"criteria": [
        {"id": "right", "scale": "0..1", "levels": [{"name": "no"}, {"name": "yes"}]},
        {"id": "clear", "name": "Clarity", "scale": "1..5", "rule": "Take the lower one."}]}));
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    assert_has(&frame_text(&screen), "0/48");
    screen.press_keys("1 <esc>").unwrap();

    let label = &labels_of(&bundle)["labels"][0];
    assert!(["right", "clear"].contains(&label["criterion"].as_str().unwrap()));
    assert_has(&frame_text(&screen), "1/48");
}

#[test]
fn leaves_of_a_rubric_tree_are_audited_as_components_are() {
    let bundle = with_tree();
    let mut screen = audit_of(&bundle, MEDIUM, LabelUnit::Leaf);

    let hidden = frame_text(&screen);
    assert_has(&hidden, "queue of leaves");
    assert_lacks(&hidden, "(judge)");
    insta::assert_snapshot!("leaf", hidden);
    screen.press_keys("1").unwrap();

    assert_has(&frame_text(&screen), "(judge)");
    let label = &labels_of(&bundle)["labels"][0];
    assert_eq!((&label["unit"], &label["score"]), (&json!("leaf"), &json!(1)));
    assert_eq!(
        (&label["judgement"], &label["blind"]),
        (&json!("grader_output.json"), &json!(true))
    );
    let wide = frame_after(&mut audit_of(&bundle, (200, 50), LabelUnit::Leaf), "0");
    insta::assert_snapshot!("leaf_wide", wide);
}

#[test]
fn flags_are_accepted_rejected_and_what_was_missed_is_marked() {
    let bundle = with_flags();
    let mut screen = audit_of(&bundle, MEDIUM, LabelUnit::Flag);
    let hidden = frame_text(&screen);
    assert_has(&hidden, "the label will not be blind: only raised items are in the queue");
    assert_lacks(&hidden, "It says twice");
    assert_lacks(&hidden, "The same as in nn.py");
    insta::assert_snapshot!("flag", hidden);

    screen.press_keys("1 ; 0 <esc>").unwrap();
    let missed = frame_after(&mut screen, "! <c-u> 2 - 3 <space> u n u s e d <enter>");

    assert_has(&missed, "is marked as missed: unused");
    let labels = labels_of(&bundle)["labels"].clone();
    let said: Vec<_> =
        labels.as_array().unwrap().iter().map(|it| (&it["unit"], &it["score"])).collect();
    assert_eq!(
        said,
        [(&json!("flag"), &json!(1)), (&json!("flag"), &json!(0)), (&json!("flag"), &json!(1))]
    );
    assert_eq!((&labels[0]["blind"], &labels[2]["criterion"]), (&json!(false), &json!("unused")));
    assert_has(&frame_text(&screen), "missed    1");
    insta::assert_snapshot!("flag_labelled", frame_after(&mut screen, "<esc>"));
    insta::assert_snapshot!(
        "flag_small",
        frame_after(&mut audit_of(&with_flags(), (80, 24), LabelUnit::Flag), "<enter>")
    );
}

#[test]
fn signals_are_labelled_real_or_not_and_lead_to_their_step() {
    let bundle = Bundle::new();
    let mut screen = audit_of(&bundle, MEDIUM, LabelUnit::Signal);

    assert_has(&frame_text(&screen), "queue of signals");
    screen.press_keys("1").unwrap();
    let label = labels_of(&bundle)["labels"][0].clone();
    assert_eq!(
        (&label["unit"], &label["score"], &label["blind"]),
        (&json!("signal"), &json!(1), &json!(false))
    );
    assert!(label["criterion"].is_string() && label["judgement"].is_null(), "{label}");
    screen.press_keys("<space>").unwrap();
    assert_eq!(screen.app_mut().screens.open_run().unwrap().session.view, View::Replay);
}

#[test]
fn one_key_goes_through_the_kinds_that_there_are() {
    let bundle = with_flags();
    let mut screen = audit_screen(&bundle, MEDIUM, "ann");

    assert_has(&frame_after(&mut screen, "v"), "auditing flags");
    assert_has(&frame_after(&mut screen, "v"), "auditing signals");
    assert_has(&frame_after(&mut screen, "v"), "auditing components");
    assert_has(&frame_after(&mut screen, "!"), "only the audit of flags marks missed places");
}

/// The sample with a codebook of two criteria, by which one judge scored a few components.
fn by_criteria() -> Bundle {
    let bundle = with_codebook(json!({"criteria": [
        {"id": "right", "name": "Is it right", "scale": "0..1", "levels": [{"name": "no"}, {"name": "yes"}]},
        {"id": "clear", "name": "Is it clear", "scale": "1..5", "levels": [{"name": "muddled"}]}]}));
    let score = |id: &str, right: u8, clear: u8| {
        json!({"component": id, "score": null, "rationale": format!("{id}: the sum is there, its name misleads."),
            "criteria": [{"id": "right", "score": right, "label": if right == 1 { "yes" } else { "no" }},
                {"id": "clear", "score": clear}],
            "evidence": [{"path": "ppdiff/losses.py", "start": 7, "end": 12}], "trace": []})
    };
    let judgement = json!({
        "schema": "trajview.judgement/1",
        "judge": {"name": "two-scales", "kind": "http", "model": "m-1", "criteria": [
            {"id": "right", "scale": "0..1"}, {"id": "clear", "scale": "1..5"}]},
        "commit": "610540d2038c3343ff934f9f90ced3b4806f89ad", "turn": 56, "rubric": "codebook",
        "components": ["C01", "C02"], "scores": [score("C01", 1, 4), score("C02", 0, 2)],
    });
    fs::write(bundle.path().join("judgements/two-scales.json"), judgement.to_string()).unwrap();
    bundle
}

#[test]
fn each_criterion_is_held_against_what_the_judge_gave_by_it() {
    let bundle = by_criteria();
    let mut screen = audit_of(&bundle, MEDIUM, LabelUnit::Component);

    let first = frame_after(&mut screen, "1");

    assert_has(&first, "two-scales (judge)");
    assert_has(&first, "it is shown after each has a label");
    assert_lacks(&first, "its name misleads");
    let labels = labels_of(&bundle);
    assert_eq!(labels["labels"][0]["judgement"], "judgements/two-scales.json");
    for size in [MEDIUM, (80, 24)] {
        let bundle = by_criteria();
        let mut screen = audit_of(&bundle, size, LabelUnit::Component);
        let frame = frame_after(&mut screen, "1 <esc> n 1 <esc> n 1");
        insta::assert_snapshot!(format!("a_criterion_of_a_codebook_{}", size.0), frame);
        let all = labels_of(&bundle);
        let blind: Vec<bool> =
            all["labels"].as_array().unwrap().iter().map(|it| it["blind"] == true).collect();
        assert_eq!(blind, [true; 3]);
    }
}

#[test]
fn the_scores_show_what_a_judge_gave_by_a_codebook() {
    let bundle = by_criteria();
    for size in [MEDIUM, (80, 24)] {
        let mut screen = audit_of(&bundle, size, LabelUnit::Component);
        let mut frame = frame_after(&mut screen, "<f3>");
        for _ in 0..6 {
            if frame.contains("two-scales") {
                break;
            }
            frame = frame_after(&mut screen, "f");
        }
        insta::assert_snapshot!(format!("scores_by_a_codebook_{}", size.0), frame);
    }
}
