//! All judgements of a run on screen: the matrix, two held against each other, the words of both. On a copy of the
//! sample that several judges have judged.

use proptest::prelude::*;
use ratatui::layout::Size;
use trajview::{
    run::rubric::{Judge, Judgement, RepeatNumber, Rubric, Verdict},
    shell::{AppMessage, draw, state},
    views::scores::judges::JudgeSide,
    widgets::{
        key::{self, Key},
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

use crate::{
    common::{cli_text, judged::judged_sample},
    story::{Answering, Story},
};

/// The frame that some keys lead to from the scores.
fn judges_frame(size: &str, keys: &str, more: &[&str]) -> String {
    let folder = judged_sample();
    let run = folder.path().join("codex-p12");
    let run = run.to_str().unwrap();
    let fixed = [run, "--view", "scores", "--snapshot", size, "--keys", keys];
    cli_text(&[&fixed[..], more].concat())
}

#[test]
fn judgements_stand_across_with_two_of_them_beside() {
    insta::assert_snapshot!(judges_frame("120x40", "% j j l l", &[]));
}

#[test]
fn a_wide_screen_has_every_judgement() {
    insta::assert_snapshot!(judges_frame("200x50", "%", &[]));
}

#[test]
fn on_a_small_screen_the_matrix_and_the_two_are_tabs() {
    insta::assert_snapshot!(judges_frame("80x24", "% 8l", &[]));
    insta::assert_snapshot!(judges_frame("80x24", "% <tab> j", &[]));
}

#[test]
fn the_smallest_screen_has_a_few_rows_and_columns() {
    insta::assert_snapshot!(judges_frame("60x15", "% l", &[]));
}

#[test]
fn two_columns_are_chosen_and_only_their_differences_listed() {
    let said = judges_frame("120x40", "% 3l a 3l b v s s", &[]);

    assert!(said.contains(" prompt against prompt "), "{said}");
    insta::assert_snapshot!(said);
}

#[test]
fn repeats_are_held_against_each_other() {
    let said = judges_frame("120x40", "% 3l a 2l b", &[]);

    assert!(said.contains(" repeat against repeat "), "{said}");
    assert!(said.contains("they differ on 3 of 24"), "{said}");
}

#[test]
fn turns_are_told_apart_from_judges() {
    let said = judges_frame("120x40", "% l a l b", &[]);

    assert!(said.contains(" turn against turn, of other code "), "{said}");
}

#[test]
fn a_disagreement_opens_with_the_words_of_both() {
    insta::assert_snapshot!(judges_frame("120x40", "% v j <enter>", &[]));
}

#[test]
fn on_a_small_screen_the_words_are_flipped() {
    let first = judges_frame("80x24", "% <tab> <enter>", &[]);
    let second = judges_frame("80x24", "% <tab> <enter> f", &[]);

    assert!(
        first.contains("┌ a quick-reader") && second.contains("┌ b authors-reading"),
        "{first}{second}"
    );
    insta::assert_snapshot!(second);
}

#[test]
fn enter_opens_the_verdict_of_the_column_and_t_comes_back() {
    let opened = judges_frame("120x40", "% 5j 3l <enter>", &[]);
    assert!(
        opened.contains("judge reader (http, model-a") && opened.contains("C06 Sinusoidal"),
        "{opened}"
    );
    assert!(opened.contains("reader with prompt 3fa9c1b2, repeat 1: what is"), "{opened}");

    let back = judges_frame("120x40", "% 5j 3l <enter> %", &[]);
    assert!(back.contains("┌ 9 judgements") && back.contains("[3]"), "{back}");
}

#[test]
fn what_was_not_asked_about_and_what_failed_have_signs_of_their_own() {
    let said = judges_frame("200x50", "%", &[]);
    let line =
        |id: &str| said.lines().find(|line| line.contains(&format!("│{id}"))).unwrap().to_owned();

    assert!(line("C01").contains(" · "), "{said}");
    assert!(line("C08").contains(" ! "), "{said}");
    let opened = judges_frame("120x40", "% 8l <enter>", &[]);
    assert!(opened.contains("second-reader did not judge this component"), "{opened}");
}

#[test]
fn without_utf_8_every_sign_is_ascii() {
    for keys in ["%", "% <tab>", "% v <enter>"] {
        let said = judges_frame("80x24", keys, &["--ascii", "on"]);
        assert!(said.is_ascii(), "{said}");
    }
    insta::assert_snapshot!(judges_frame("80x24", "%", &["--ascii", "on"]));
}

#[test]
fn labels_of_human_raters_have_no_column() {
    let folder = judged_sample();
    let run = folder.path().join("codex-p12");
    std::fs::create_dir_all(run.join("labels")).unwrap();
    let labels = r#"{"schema": "trajview.labels/1", "annotator": "ann", "labels": [{"component": "C01", "score": 0}]}"#;
    std::fs::write(run.join("labels/ann.json"), labels).unwrap();

    let said = cli_text(&[
        run.to_str().unwrap(),
        "--view",
        "scores",
        "--snapshot",
        "200x50",
        "--keys",
        "%",
    ]);

    assert!(said.contains("9 judgements") && !said.contains("ann "), "{said}");
}

/// A judgement for each row: which judge, and what it gave each component.
fn made_rubric(rows: &[(u8, Vec<Option<u8>>)]) -> Rubric {
    let verdict = |(at, score): (usize, &Option<u8>)| Verdict {
        component: format!("C{at:02}"),
        score: *score,
        rationale: "a few words that go over the end of a narrow line, whatever its width is"
            .into(),
        ..Verdict::default()
    };
    let judgement = |(at, (judge, scores)): (usize, &(u8, Vec<Option<u8>>))| Judgement {
        file: format!("judgements/{at}.json"),
        judge: Judge { name: format!("judge {judge}"), kind: "http".into(), ..Judge::default() },
        turn: Some(usize::from(judge % 2) + 1),
        requested_ids: (judge % 3 == 0).then(|| vec!["C00".into(), "C09".into()]),
        repeat: (judge % 2 == 0).then_some(RepeatNumber { number: at + 1, total: rows.len() }),
        verdicts: scores.iter().enumerate().map(verdict).collect(),
        ..Judgement::default()
    };
    Rubric { judgements: rows.iter().enumerate().map(judgement).collect(), ..Rubric::default() }
}

/// Two judges and a repeat, on a made-up run.
fn open_judges() -> Answering {
    let rows = [
        (0, vec![Some(4), Some(1), Some(2)]),
        (0, vec![Some(4), Some(3), Some(2)]),
        (2, vec![Some(0), Some(1), None]),
    ];
    let mut world = Answering::telling(Story { rubric: made_rubric(&rows), ..Story::tell() });
    world.send(AppMessage::Resized(Size { width: 80, height: 24 }));
    key::parse_keys("3w %").unwrap().into_iter().for_each(|key| world.send(AppMessage::Press(key)));
    world
}

#[test]
fn a_click_chooses_a_component_and_a_judgement_and_two_open_it() {
    let mut world = open_judges();
    let point = |world: &mut Answering, kind, column, row| {
        world.send(AppMessage::Shell(state::ShellMessage::Mouse(Mouse { kind, column, row })));
    };
    let frame = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::without_colours(),
    ));
    let row = frame.lines().position(|line| line.contains("│C01")).unwrap() as u16;
    let heads = frame.lines().find(|line| line.contains("component")).unwrap();
    let column = heads.chars().position(|c| c == 'b').unwrap() as u16;

    point(&mut world, MouseKind::Click, column, row);
    let open = world.app.screens.open_run().unwrap();
    assert_eq!(open.scores.judges.judges_component(), Some("C01"));
    let clicked = open.scores.judges.judge_column(&open.session);
    assert_eq!(clicked, open.scores.judges.side_column(&open.session, JudgeSide::Second));
    point(&mut world, MouseKind::WheelDown, column, row);
    let open = world.app.screens.open_run().unwrap();
    assert_eq!(open.scores.judges.judges_component(), Some("C02"));

    point(&mut world, MouseKind::DoubleClick, column, row);
    let frame = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::without_colours(),
    ));
    assert!(frame.contains("┌ C01 ") && frame.contains("by judge"), "{frame}");
}

fn any_key() -> impl Strategy<Value = Key> {
    let all = key::parse_keys("% a b v s p P n N o f gg G h j k l 7 <tab> <enter> <esc>").unwrap();
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_judgements_the_keys_and_the_size_a_frame_is_drawn(
        rows in prop::collection::vec((0u8..4, prop::collection::vec(prop::option::of(0u8..=4), 0..5)), 0..6),
        keys in prop::collection::vec(any_key(), 0..25),
        (width, height) in (0u16..220, 0u16..60),
    ) {
        let mut world = Answering::telling(Story { rubric: made_rubric(&rows), ..Story::tell() });
        world.send(AppMessage::Resized(Size { width, height }));
        for key in key::parse_keys("3w %").unwrap().into_iter().chain(keys) {
            world.send(AppMessage::Press(key));
            draw::draw_picture(&world.app, Theme::without_colours());
            let open = world.app.screens.open_run().unwrap();
            let columns = open.scores.judges.judge_columns(&open.session);
            let judgements = &open.session.rubric.known_rubric().unwrap().judgements;
            let pooled = judgements.iter().filter(|it| it.pooled.is_some()).count();
            prop_assert_eq!(columns.len(), rows.len() + pooled);
            prop_assert_eq!(open.scores.judges.judge_column(&open.session).is_some(), !columns.is_empty());
        }
    }
}

#[test]
fn the_judgements_of_a_state_are_pooled_on_the_screen() {
    let folder = crate::common::judged::judged_sample();
    let run = folder.path().join("codex-p12");
    let frame = |size: &str, keys: &str| {
        let ran = crate::common::run_cli(&[
            run.to_str().unwrap(),
            "--view",
            "scores",
            "--snapshot",
            size,
            "--keys",
            keys,
        ]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };

    insta::assert_snapshot!("pooled_mean_120x40", frame("120x40", "P"));
    insta::assert_snapshot!("pooled_majority_80x24", frame("80x24", "P P P"));
    let alone = frame("120x40", "P P P P");
    assert!(!alone.contains("pooled"), "{alone}");
}
