//! The flags: keys in, frames out, on a made-up run judged at both of its checkpoints, and on a recorded one.

use ratatui::layout::Size;
use trajview::{
    run::{
        flags::{Flag, FlagGroup, Flagging},
        rubric::{Judge, Rubric},
    },
    session::views::View,
    shell::{AppMessage, draw, state},
    widgets::{
        display_options::Alphabet,
        export, key,
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

use crate::{
    common::cli_text,
    story::{Answering, Story, Telling},
};

const BEFORE: &str = "import math\n\n\ndef mean(values):\n    # the mean of the values\n    return sum(values) / len(values)\n\n\ndef average(values):\n    return sum(values) / len(values)\n";
const AFTER: &str = "\"\"\"Numbers.\"\"\"\nimport math\n\n\ndef mean(values):\n    # the mean of the values\n    return sum(values) / len(values)\n\n\ndef spread(values):\n    return max(values) - min(values)\n";

fn made_flag(criterion: &str, kind: &str, (start, end): (u64, u64), from: Option<&str>) -> Flag {
    Flag {
        criterion: criterion.into(),
        category: Some("duplication".into()),
        kind: Some(kind.into()),
        path: "numbers/mean_and_spread.py".into(),
        start: Some(start),
        end: Some(end),
        confidence: Some(if kind == "erosion" { 4.0 } else { 2.0 }),
        explanation: Some(
            "`mean` and `average` do the same \u{1b}[31mtwice\u{202e}: whoever changes one has to remember the other, and \
             nothing says that they belong together."
                .into(),
        ),
        carried_from: from.map(Into::into),
        ..Flag::default()
    }
}

fn made_flagging(judge: &str, turn: usize, flags: Vec<Flag>) -> Flagging {
    let judge = Judge { name: judge.into(), model: Some("m-1".into()), ..Judge::default() };
    Flagging {
        file: format!("judgements/{}-{turn}.json", judge.name),
        judge,
        turn: Some(turn),
        created_at: Some(format!("2026-01-0{turn}T00:00:00Z")),
        lines_of_code: Some(8),
        flags,
        ..Flagging::default()
    }
}

fn made_flaggings() -> Vec<Flagging> {
    let copied = made_flag("copied-logic", "erosion", (9, 10), None);
    let comment = |lines, from| made_flag("restating-comment", "verbosity", lines, from);
    let first = made_flagging("reader", 1, vec![copied.clone(), comment((5, 5), None)]);
    let mut last = made_flagging("reader", 2, vec![comment((6, 6), Some("cp1"))]);
    let error = Some("no flags after two attempts: the answer is empty".into());
    last.groups = vec![FlagGroup { id: "shape".into(), error, ..FlagGroup::default() }];
    vec![first, last, made_flagging("other", 2, vec![])]
}

/// Two turns, each the end of a checkpoint.
fn flagged_story() -> Story {
    let mut told = Telling::default();
    told.turn("The mean", |turn| turn.write("numbers/mean_and_spread.py", BEFORE));
    told.checkpoint("mean");
    told.turn("The spread", |turn| turn.write("numbers/mean_and_spread.py", AFTER));
    told.checkpoint("spread");
    let mut story = told.end();
    story.rubric = Rubric { flaggings: made_flaggings(), ..Rubric::default() };
    story
}

fn open_flags(width: u16, height: u16, keys: &str) -> Answering {
    let mut world = Answering::telling(flagged_story());
    world.send(AppMessage::Resized(Size { width, height }));
    press_keys(&mut world, "3w");
    press_keys(&mut world, keys);
    world
}

fn press_keys(world: &mut Answering, keys: &str) {
    key::parse_keys(keys).unwrap().into_iter().for_each(|key| world.send(AppMessage::Press(key)));
}

fn frame_text(world: &Answering) -> String {
    export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()))
}

#[test]
fn flags_stand_in_a_table_with_their_counts_above_and_their_words_below() {
    insta::assert_snapshot!(frame_text(&open_flags(120, 40, "[")));
}

#[test]
fn a_small_screen_has_the_lines_of_each_flag_and_whether_it_is_carried() {
    insta::assert_snapshot!(frame_text(&open_flags(80, 24, "")));
}

#[test]
fn the_smallest_screen_has_the_table_alone() {
    insta::assert_snapshot!(frame_text(&open_flags(60, 15, "[")));
}

#[test]
fn recorded_flags_are_named_so() {
    let tally = "sample-runs/slopcodebench/tally";
    insta::assert_snapshot!(cli_text(&[tally, "--view", "scores", "--snapshot", "100x20"]));
}

#[test]
fn without_utf_8_the_flags_are_ascii() {
    let mut app = open_flags(120, 40, "").app;
    app.shell.looks.alphabet = Alphabet::Ascii;
    let frame = export::frame_text(&draw::draw_picture(&app, Theme::from_options(app.shell.looks)));
    assert!(frame.is_ascii());
    assert!(frame.contains("> carried"), "{frame}");
}

#[test]
fn all_flags_are_listed_once_where_they_were_found() {
    let shown = frame_text(&open_flags(120, 40, "a"));

    assert!(shown.contains("2 flags   1 verbosity   1 erosion"), "{shown}");
    assert!(shown.contains("judge reader (m-1) · all 2 judged states"), "{shown}");
    assert!(!shown.contains("carried cp1") && !shown.contains("→ carried"), "{shown}");
}

#[test]
fn rows_are_sorted_by_what_is_chosen() {
    let first = |keys: &str| {
        let world = open_flags(120, 40, keys);
        let open = world.app.screens.open_run().unwrap();
        let rows = open.scores.flags.flag_rows(&open.session);
        rows[0].flag.criterion.to_string()
    };

    assert_eq!(first("["), "restating-comment", "by line");
    assert_eq!(first("[ s"), "copied-logic", "by its name");
    assert_eq!(first("[ s s"), "copied-logic", "by confidence");
    assert_eq!(first("[ s s s"), "restating-comment");
}

#[test]
fn another_judge_has_flags_of_its_own_and_none_is_a_sentence() {
    let mut world = open_flags(120, 40, "f");
    let shown = frame_text(&world);
    assert!(shown.contains("no flags in cp2"), "{shown}");
    assert!(shown.contains("flags 2 of 2: judge other (m-1)"), "{shown}");

    press_keys(&mut world, "<enter>");
    assert!(frame_text(&world).contains("no flag here"));
    press_keys(&mut world, "f");
    assert!(frame_text(&world).contains("judge reader (m-1) · cp2, after turn 2"));
    press_keys(&mut world, "] %");
    assert!(frame_text(&world).contains("this run has no other scores"));
}

#[test]
fn enter_goes_to_the_lines_as_they_were_judged_and_w_says_why_they_are_flagged() {
    let mut world = open_flags(120, 40, "[ j <enter>");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!((open.session.view, open.session.turn + 1), (View::Replay, 1));
    assert_eq!(open.replay.diff.line_number(), Some(9));
    assert!(frame_text(&world).contains("⚑ copied-logic"), "{}", frame_text(&world));

    press_keys(&mut world, "W");
    let shown = frame_text(&world);
    assert!(
        shown.contains("lines 9–10 (erosion): judge reader (m-1), confidence 4 of 5."),
        "{shown}"
    );

    press_keys(&mut world, "<esc> |");
    assert!(!frame_text(&world).contains("⚑ copied-logic"));
    press_keys(&mut world, "| <bs>");
    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Scores);
    press_keys(&mut world, "] <enter>");
    let shown = frame_text(&world);
    assert!(shown.contains("⚑ restating-comment") && !shown.contains("⚑ copied-logic"), "{shown}");
}

#[test]
fn a_click_chooses_a_flag_and_a_second_opens_it() {
    let mut world = open_flags(120, 40, "[");
    let click =
        |kind| AppMessage::Shell(state::ShellMessage::Mouse(Mouse { kind, column: 5, row: 6 }));

    world.send(click(MouseKind::Click));
    assert_eq!(world.app.screens.open_run().unwrap().scores.flags.rows.cursor(), 1);
    world.send(click(MouseKind::DoubleClick));
    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Replay);
}
