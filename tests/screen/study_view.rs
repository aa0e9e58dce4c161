//! The queue of a study, keys in and frames out: one queue over many runs, and what is on disk after each key.

use std::sync::Arc;

use ratatui::layout::Size;
use trajview::{
    analysis,
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{start_place::StartPlace, views::View},
    shell::config::Config,
    widgets::{display_options::Alphabet, export},
};

use crate::common::{project_path, studied::Studied};

const RATED: &str = "name = \"fidelity\"\nruns = [\"runs/*\"]\njudges = [\"judge\"]\nraters = [\"ana\", \"ben\", \"cho\"]\n\
    adjudicator = \"dee\"\n[sample]\nstrata = [\"score\", \"run\"]\n";

const SMALL: Size = Size { width: 80, height: 24 };
const MEDIUM: Size = Size { width: 120, height: 40 };
const WIDE: Size = Size { width: 200, height: 50 };

/// The queue of a rater, as the program opens it.
fn open_study(studied: &Studied, who: &str, size: Size) -> HeadlessScreen {
    let study = analysis::study::open_study(&studied.file()).unwrap();
    let config = Config { annotator: Some(who.into()), ..Config::default() };
    let alphabet = Some(Alphabet::Unicode);
    let options = ScreenOptions {
        study: Some(Arc::new(study)),
        config,
        alphabet,
        ..ScreenOptions::default()
    };
    let place = StartPlace { view: View::Audit, ..StartPlace::default() };
    HeadlessScreen::open(RunOpener::Disk, &[], size, place, options).unwrap()
}

/// Without the moments at which things were settled.
fn frame_text(screen: &HeadlessScreen) -> String {
    let time = regex::Regex::new(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ").unwrap();
    time.replace_all(&export::frame_text(&screen.draw_frame()), "1970-01-01T00:00:00.000Z")
        .into_owned()
}

/// The run and the component that are looked at.
fn chosen_row(screen: &mut HeadlessScreen) -> String {
    let open = screen.app_mut().screens.open_run().unwrap();
    let study = open.session.study_queue().unwrap();
    assert_eq!(open.audit.audited_id(), Some(study.chosen_item().unwrap().item.id.as_str()));
    format!("{} {}", study.chosen_run().unwrap().name, study.chosen_item().unwrap().item.id)
}

/// Labels a whole queue with these scores in turn, reasons put off.
fn label_all(screen: &mut HeadlessScreen, scores: &str) {
    let count = screen.app_mut().screens.open_run().unwrap().session.study_queue().unwrap().len();
    for score in scores.chars().cycle().take(count) {
        screen.press_keys(&format!("{score} <esc> ;")).unwrap();
    }
}

#[test]
fn one_queue_goes_over_all_runs_and_each_label_goes_to_its_own_bundle() {
    let studied = Studied::new(3, 4, RATED);
    let mut screen = open_study(&studied, "ana", MEDIUM);
    let mut seen = vec![];
    for _ in 0..12 {
        let here = chosen_row(&mut screen);
        assert!(frame_text(&screen).contains(here.split(' ').next().unwrap()), "{here}");
        screen.press_keys("3").unwrap();
        seen.push(format!("{here} 3"));
        screen.press_keys("<esc> ;").unwrap();
    }
    let runs: Vec<&str> = seen.iter().map(|it| it.split(' ').next().unwrap()).collect();

    assert!(runs.windows(2).filter(|pair| pair[0] != pair[1]).count() > 3, "{runs:?}");
    seen.sort();
    let mut kept = studied.labels("ana");
    kept.sort();
    assert_eq!(kept, seen);
    assert!(frame_text(&screen).contains("all 12 are labelled"), "{}", frame_text(&screen));
}

#[test]
fn the_next_session_goes_on_where_the_last_one_stopped() {
    let studied = Studied::new(3, 4, RATED);
    let mut first = open_study(&studied, "ana", MEDIUM);
    first.press_keys("2 <esc> ; 2 <esc> ;").unwrap();
    let next = chosen_row(&mut first);

    let mut second = open_study(&studied, "ana", MEDIUM);

    assert_eq!(chosen_row(&mut second), next);
    assert!(frame_text(&second).contains("2/12"), "{}", frame_text(&second));
}

#[test]
fn a_rater_sees_nothing_of_another() {
    let studied = Studied::new(2, 4, RATED);
    label_all(&mut open_study(&studied, "ben", MEDIUM), "1");

    let mut ana = open_study(&studied, "ana", WIDE);
    let before = frame_text(&ana);
    ana.press_keys("S").unwrap();

    assert!(!before.contains("ben") && before.contains("0/8"), "{before}");
    assert!(frame_text(&ana).contains("dee adjudicates this study"), "{}", frame_text(&ana));
    assert!(!frame_text(&ana).contains("ben"));
}

#[test]
fn a_verdict_of_a_thing_is_shown_after_its_label_alone() {
    let studied = Studied::new(2, 4, RATED);
    let mut ana = open_study(&studied, "ana", MEDIUM);
    let id = chosen_row(&mut ana).split(' ').nth(1).unwrap().to_owned();
    assert!(!frame_text(&ana).contains(&format!("seen in {id}.py")));

    ana.press_keys("3").unwrap();

    assert!(frame_text(&ana).contains(&format!("seen in {id}.py")), "{}", frame_text(&ana));
}

#[test]
fn a_run_that_cannot_be_opened_is_said_and_the_queue_goes_on() {
    let studied = Studied::new(2, 4, RATED);
    let mut ana = open_study(&studied, "ana", MEDIUM);
    let here = chosen_row(&mut ana).split(' ').next().unwrap().to_owned();
    let other = if here == "one" { "two" } else { "one" };
    std::fs::write(studied.run(other).join("run.json"), "{").unwrap();
    let is_other = |screen: &mut HeadlessScreen| {
        let open = screen.app_mut().screens.open_run().unwrap();
        open.session.study_queue().unwrap().chosen_run().unwrap().name == other
    };
    while !is_other(&mut ana) {
        ana.press_keys("n").unwrap();
    }

    ana.press_keys("3").unwrap();

    assert!(frame_text(&ana).contains(&format!("cannot open {other}: ")), "{}", frame_text(&ana));
    assert_eq!(studied.labels("ana"), Vec::<String>::new());
    while is_other(&mut ana) {
        ana.press_keys("n").unwrap();
    }
    ana.press_keys("3").unwrap();
    assert_eq!(studied.labels("ana").len(), 1);
}

#[test]
fn another_name_has_its_own_queue_and_labels() {
    let studied = Studied::new(2, 4, RATED);
    let mut screen = open_study(&studied, "ana", MEDIUM);
    screen.press_keys("3 <esc> a b e n <enter>").unwrap();
    assert!(frame_text(&screen).contains("0/8"), "{}", frame_text(&screen));
    screen.press_keys("4 <esc> a z o e <enter>").unwrap();
    assert!(
        frame_text(&screen).contains("zoe is not a rater of fidelity"),
        "{}",
        frame_text(&screen)
    );
    screen.press_keys("<esc> a a n a <enter>").unwrap();

    assert!(frame_text(&screen).contains("1/8"), "{}", frame_text(&screen));
    assert_eq!((studied.labels("ana").len(), studied.labels("ben").len()), (1, 1));
}

#[test]
fn what_raters_differ_on_is_settled_by_the_adjudicator_and_its_history_stays() {
    let studied = Studied::new(2, 3, RATED);
    label_all(&mut open_study(&studied, "ana", MEDIUM), "3");
    label_all(&mut open_study(&studied, "ben", MEDIUM), "34");
    let mut dee = open_study(&studied, "dee", WIDE);
    let count = dee.app_mut().screens.open_run().unwrap().session.study_queue().unwrap().len();
    assert_eq!(count, 3, "{}", frame_text(&dee));
    let here = chosen_row(&mut dee);

    dee.press_keys("2 \" w h y <enter> 4 u 3").unwrap();

    let gold = studied.run(here.split(' ').next().unwrap()).join("gold.json");
    let gold: serde_json::Value = serde_json::from_slice(&std::fs::read(gold).unwrap()).unwrap();
    let scores: Vec<String> = gold["gold"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["score"], it["note"]))
        .collect();
    assert_eq!(scores, ["2 null", "2 \"why\"", "4 \"why\"", "null null", "3 null"]);
    assert_eq!(gold["gold"][0]["from"].as_array().unwrap().len(), 2);
    assert!(frame_text(&dee).contains("1/3"), "{}", frame_text(&dee));
    let next = open_study(&studied, "dee", WIDE);
    assert!(frame_text(&next).contains("1/3"), "{}", frame_text(&next));
}

#[test]
fn verdicts_of_judges_are_shown_to_the_adjudicator_when_asked_for() {
    let studied = Studied::new(2, 3, RATED);
    label_all(&mut open_study(&studied, "ana", MEDIUM), "3");
    label_all(&mut open_study(&studied, "ben", MEDIUM), "4");
    let mut dee = open_study(&studied, "dee", MEDIUM);
    assert!(!frame_text(&dee).contains("seen in"));
    dee.press_keys("v").unwrap();
    assert!(frame_text(&dee).contains("seen in"), "{}", frame_text(&dee));
}

/// The two samples as a study, labelled by three raters.
fn sample_study() -> Studied {
    let studied = Studied::new(
        0,
        0,
        "name = \"fidelity\"\nruns = [\"runs/*\"]\njudges = [\"quick-reader\", \"authors-reading\"]\n\
        raters = [\"ana\", \"ben\", \"cho\"]\nadjudicator = \"dee\"\n[sample]\nsize = 12\nstrata = [\"score\", \"run\"]\n",
    );
    for name in ["codex-p12", "codex-p12-single-shot"] {
        crate::common::studied::copy_folder(
            &project_path(&format!("sample-runs/{name}")),
            &studied.run(name),
        );
    }
    studied
}

#[test]
fn the_queue_of_a_study_at_three_sizes() {
    let studied = sample_study();
    let mut first = open_study(&studied, "ana", MEDIUM);
    first.press_keys("4 <esc> ; 0 B a ;").unwrap();
    for (name, size) in [("small", SMALL), ("medium", MEDIUM), ("wide", WIDE)] {
        insta::assert_snapshot!(
            format!("queue_{name}"),
            frame_text(&open_study(&studied, "ana", size))
        );
    }
}

#[test]
fn adjudication_at_three_sizes() {
    let studied = sample_study();
    for (rater, scores) in [("ana", "43"), ("ben", "4310"), ("cho", "44")] {
        label_all(&mut open_study(&studied, rater, MEDIUM), scores);
    }
    let mut first = open_study(&studied, "dee", MEDIUM);
    first.press_keys("3 \" s a w <space> i t <enter> ;").unwrap();
    for (name, size) in [("small", SMALL), ("medium", MEDIUM), ("wide", WIDE)] {
        let mut dee = open_study(&studied, "dee", size);
        if name == "small" {
            dee.press_keys("<enter>").unwrap();
        }
        if name == "wide" {
            dee.press_keys("v").unwrap();
        }
        insta::assert_snapshot!(format!("adjudication_{name}"), frame_text(&dee));
    }
}

#[test]
fn a_label_is_taken_back_whichever_run_it_is_of() {
    let studied = Studied::new(3, 4, RATED);
    let mut ana = open_study(&studied, "ana", MEDIUM);
    let first = chosen_row(&mut ana);
    ana.press_keys("3 <esc> ;").unwrap();
    let run = |here: &str| here.split(' ').next().unwrap().to_owned();
    // On to a thing of another run, which has no label yet.
    while run(&chosen_row(&mut ana)) == run(&first) {
        ana.press_keys("n").unwrap();
    }

    ana.press_keys("u").unwrap();

    assert_eq!(chosen_row(&mut ana), first);
    assert!(frame_text(&ana).contains("0/12"), "{}", frame_text(&ana));
    let words = format!("of {} undone", run(&first));
    assert!(frame_text(&ana).contains(&words), "{}", frame_text(&ana));
    assert_eq!(studied.labels("ana"), [format!("{first} null")]);
    ana.press_keys("u").unwrap();
    assert!(frame_text(&ana).contains("no label to undo here"), "{}", frame_text(&ana));
}

#[test]
fn what_raters_said_meanwhile_is_read_when_differences_are_settled() {
    let both = RATED.replace("adjudicator = \"dee\"", "adjudicator = \"ana\"");
    let both = both.replace("\"ana\", \"ben\", \"cho\"", "\"ben\", \"cho\"");
    let studied = Studied::new(2, 3, &both);
    label_all(&mut open_study(&studied, "ben", MEDIUM), "3");
    let mut ana = open_study(&studied, "ana", MEDIUM);
    let count = |it: &mut HeadlessScreen| {
        it.app_mut().screens.open_run().map(|it| it.session.study_queue().unwrap().len())
    };
    assert_eq!(count(&mut ana).unwrap_or_default(), 0);

    label_all(&mut open_study(&studied, "cho", MEDIUM), "4");
    ana.press_keys("S").unwrap();

    assert!(frame_text(&ana).contains("labels reloaded"), "{}", frame_text(&ana));
    assert_eq!(count(&mut ana), Some(6));
}

#[test]
fn labelling_by_the_codebook_of_a_study_at_three_sizes() {
    let studied = Studied::new(
        2,
        4,
        &format!(
            "{RATED}[codebook]\nscale = \"1..5\"\nrule = \"Between two levels take the lower one.\"\n\
             levels = [{{ score = 1, name = \"lost\", means = \"Nothing of it is left.\", examples = [\"a stub that raises\"] }},\n\
             {{ score = 5, name = \"whole\", means = \"All that is asked for is there, and used.\" }}]\n"
        ),
    );
    for (name, size) in [("small", SMALL), ("medium", MEDIUM), ("wide", WIDE)] {
        let mut ana = open_study(&studied, "ana", size);
        ana.press_keys("L").unwrap();
        insta::assert_snapshot!(format!("codebook_{name}"), frame_text(&ana));
    }
}

#[test]
fn agreement_of_three_raters_with_gold_at_three_sizes() {
    let studied = sample_study();
    for (rater, scores) in [("ana", "43"), ("ben", "4310"), ("cho", "44")] {
        label_all(&mut open_study(&studied, rater, MEDIUM), scores);
    }
    let mut first = open_study(&studied, "dee", MEDIUM);
    let count = first.app_mut().screens.open_run().unwrap().session.study_queue().unwrap().len();
    for score in "43".chars().cycle().take(count) {
        first.press_keys(&format!("{score} ;")).unwrap();
    }
    for (name, size) in [("small", SMALL), ("medium", MEDIUM), ("wide", WIDE)] {
        let mut dee = open_study(&studied, "dee", size);
        dee.press_keys("<s-tab>").unwrap();
        insta::assert_snapshot!(format!("agreement_{name}"), frame_text(&dee));
    }
}
