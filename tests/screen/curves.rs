//! The curves: keys in, frames out, on a made-up run whose code gets worse.

use std::{process::Command, sync::Arc};

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Size};
use trajview::{
    metrics::Number,
    run::{
        Checkpoint, CheckpointRecord, Tokens,
        checkpoint_record::{MeasureValue, PassCount, RecordedMeasure, RecordedTests},
    },
    runtime::{self, ScreenOptions},
    session::{curve_values, question::Question, start_place::StartPlace, views::View},
    shell::{AppMessage, config::Config, draw, state},
    views::curves::reference::ReferenceBands,
    widgets::{
        export, key,
        mouse::{Mouse, MouseKind},
        theme::Theme,
    },
};

use crate::story::{Answering, Story, Telling, opener_of};

/// A function with so many branches.
fn branching_steps(branches: usize) -> String {
    let branch = |n: usize| format!("    if x > {n}:\n        total = total + {n}\n");
    let all: String = (0..branches).map(branch).collect();
    format!("def steps(x):\n    total = 0\n{all}    return total\n")
}

const HELPERS: &str = "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)\n";
const TWICE: &str = "def mean_of(numbers):\n    total = 0\n    for number in numbers:\n        total += number\n    return total / len(numbers)\n";

fn leak_text(words: String) -> &'static str {
    Box::leak(words.into_boxed_str())
}

/// Eight turns in five checkpoints; turn 6 makes one function large.
fn eroding_story() -> Story {
    let mut told = Telling::default();
    told.turn("Start with a helper", |turn| turn.write("src/helpers.py", HELPERS));
    told.checkpoint("helpers");
    for (branches, checkpoint) in [(2, ""), (4, "first steps"), (5, ""), (6, "more steps")] {
        told.turn("Add a few steps", |turn| {
            turn.write("src/steps.py", leak_text(branching_steps(branches)))
        });
        if !checkpoint.is_empty() {
            told.checkpoint(checkpoint);
        }
    }
    told.turn("All the other steps, please", |turn| {
        turn.write("src/steps.py", leak_text(branching_steps(14)));
        turn.write("src/more.py", TWICE);
    });
    told.checkpoint("all steps");
    told.turn("Explain what was done", |turn| turn.message("Nothing was left out."));
    told.turn("Two more", |turn| turn.write("src/steps.py", leak_text(branching_steps(16))));
    told.checkpoint("the last ones");
    let mut story = told.end();
    for (turn, tokens) in story.run.turns.iter_mut().zip([900, 1200, 1500, 800, 700, 4000, 300]) {
        turn.tokens =
            Tokens { input: Some(tokens), output: Some(tokens / 10), ..Tokens::default() };
    }
    for (checkpoint, passed) in story.run.checkpoints.iter_mut().zip([4, 9, 13, 12]) {
        record_tests(checkpoint, passed);
    }
    story
}

fn record_tests(checkpoint: &mut Checkpoint, passed: u64) {
    let strict = PassCount { passed, total: 16 };
    let erosion = RecordedMeasure {
        source: "quality.json".into(),
        name: "erosion".into(),
        value: MeasureValue::Number(passed as f64 / 32.0),
        metric: Some("erosion"),
        doubt: None,
    };
    checkpoint.recorded = Some(Box::new(CheckpointRecord {
        values: vec![erosion],
        tests: Some(RecordedTests { strict, iso: strict, ..RecordedTests::default() }),
        ..CheckpointRecord::default()
    }));
}

fn frame_as(wishes: ScreenOptions, width: u16, height: u16, keys: &str) -> Buffer {
    let place = StartPlace { view: View::Curves, ..StartPlace::default() };
    let size = Size { width, height };
    runtime::headless_frame_as(opener_of(eroding_story), &[], size, keys, place, wishes).unwrap()
}

fn frame_text(width: u16, height: u16, keys: &str) -> String {
    let mut world = Answering::telling(eroding_story());
    world.send(AppMessage::Resized(Size { width, height }));
    press_keys(&mut world, "2w");
    press_keys(&mut world, keys);
    export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()))
}

#[test]
fn a_recorded_value_that_cannot_be_relied_on_keeps_its_row_and_has_its_reason_below_the_list() {
    let mut story = eroding_story();
    for record in story.run.checkpoints.iter_mut().filter_map(|it| it.recorded.as_mut()) {
        record.values.push(RecordedMeasure {
            source: "quality.json".into(),
            name: "verbosity".into(),
            value: MeasureValue::Number(0.0),
            metric: Some("verbosity"),
            doubt: Some("every rule count is 0: the rules did not run"),
        });
    }
    let mut world = Answering::telling(story);
    world.send(AppMessage::Resized(Size { width: 80, height: 24 }));
    press_keys(&mut world, "2w");

    let seen = export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()));

    let row = seen.lines().find(|line| line.contains("│ verbosity  ")).expect("a row");
    assert!(row.contains("recorded 0.000?"), "{seen}");
    assert!(seen.contains("recorded value verbosity ignored: every rule count is 0"), "{seen}");
}

#[test]
fn a_real_world_measures_with_its_own_rules() {
    let seen = export::frame_text(&frame_as(ScreenOptions::default(), 120, 40, "x"));
    assert!(seen.contains("computed · profile trajview · "), "{seen}");
    assert!(seen.contains("largest rise 1/2 of erosion: +0.9"), "{seen}");
}

fn open_curves(keys: &str) -> Answering {
    let mut world = Answering::telling(eroding_story());
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    press_keys(&mut world, "2w");
    press_keys(&mut world, keys);
    world
}

fn press_keys(world: &mut Answering, keys: &str) {
    key::parse_keys(keys).unwrap().into_iter().for_each(|key| world.send(AppMessage::Press(key)));
}

fn send_mouse(world: &mut Answering, kind: MouseKind, column: u16, row: u16) {
    world.send(AppMessage::Shell(state::ShellMessage::Mouse(Mouse { kind, column, row })));
}

fn selected_turn(world: &Answering) -> usize {
    world.app.screens.open_run().unwrap().session.turn + 1
}

#[test]
fn the_chart_stands_above_the_values_and_what_moved_them() {
    insta::assert_snapshot!(frame_text(120, 40, "4l"));
}

#[test]
fn the_steepest_point_opens_into_what_moved_it() {
    insta::assert_snapshot!(frame_text(120, 40, "x <enter>"));
}

#[test]
fn a_small_screen_has_the_chart_and_one_list() {
    insta::assert_snapshot!(frame_text(80, 24, "2l"));
    insta::assert_snapshot!(frame_text(80, 24, "x <enter>"));
}

#[test]
fn a_very_wide_screen_has_room_for_long_rows() {
    insta::assert_snapshot!(frame_text(200, 50, "a 3l jj"));
}

#[test]
fn the_smallest_screen_still_has_a_chart() {
    insta::assert_snapshot!(frame_text(60, 15, "G"));
}

#[test]
fn without_utf_8_the_chart_is_ascii() {
    let mut app = open_curves("x").app;
    app.shell.looks.alphabet = trajview::widgets::display_options::Alphabet::Ascii;
    let frame = export::frame_text(&draw::draw_picture(&app, Theme::from_options(app.shell.looks)));
    assert!(frame.is_ascii());
    insta::assert_snapshot!(frame);
}

#[test]
fn without_colours_the_curves_are_told_apart_by_their_signs_and_names() {
    let mut app = open_curves("x").app;
    app.shell.looks.has_colours = false;
    let frame = draw::draw_picture(&app, Theme::from_options(app.shell.looks));
    let has_colour = |cell: &ratatui::buffer::Cell| {
        cell.fg != ratatui::style::Color::Reset || cell.bg != ratatui::style::Color::Reset
    };
    assert!(!frame.content.iter().any(has_colour));
    let seen = export::frame_text(&frame);
    assert!(seen.contains("● erosion") && seen.contains("○ verbosity"), "{seen}");
}

#[test]
fn a_row_leads_to_the_hunk_and_backspace_back_to_the_curves() {
    let mut world = open_curves("x <enter> <enter>");
    let open = world.app.screens.open_run().unwrap();
    assert_eq!((open.session.view, open.session.turn + 1), (View::Replay, 6));
    assert_eq!(open.replay.diff_key(&open.session).unwrap().path.as_str(), "src/steps.py");
    let line = open.replay.diff.line_number();
    assert!(line > Some(1), "the first added line, not the top of the function: {line:?}");

    press_keys(&mut world, "<bs>");

    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Curves);
}

#[test]
fn at_checkpoints_a_row_leads_to_the_change_since_the_checkpoint_began() {
    let mut world = open_curves("a x <enter> <enter>");
    let seen = export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()));
    assert!(seen.contains("diff: start of checkpoint 4 →"), "{seen}");

    press_keys(&mut world, "<bs> 1w");

    let seen = export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()));
    assert!(!seen.contains("start of checkpoint"), "{seen}");
}

#[test]
fn lines_of_the_diff_have_marks_and_each_says_why() {
    let seen = frame_text(120, 40, "x 1w f <tab><tab>");
    assert!(seen.contains("§ sum-in-a-loop"), "{seen}");
    insta::assert_snapshot!(frame_text(120, 40, "x 1w f <tab><tab> jj W"));

    let clones = frame_text(120, 40, "x 1w F <tab><tab> j W");
    assert!(clones.contains("have the same structure as src/helpers.py:1"), "{clones}");

    let hidden = frame_text(120, 40, "x 1w f |");
    assert!(hidden.contains("marks are hidden") && !hidden.contains("▲ CC"), "{hidden}");
}

#[test]
fn marks_stand_beside_the_new_side_of_two_columns_and_of_a_whole_file() {
    let columns = frame_text(200, 50, "x 1w f d");
    assert!(columns.contains("§ sum-in-a-loop"), "{columns}");
    let whole = frame_text(120, 40, "x 1w f <tab><tab> a");
    assert!(whole.contains("def steps(x):") && whole.contains("▲ CC 15"), "{whole}");
}

#[test]
fn the_steepest_rises_are_gone_through_in_order() {
    let mut world = open_curves("x");
    assert_eq!(selected_turn(&world), 6);
    press_keys(&mut world, "x");
    assert_eq!(selected_turn(&world), 8);
    press_keys(&mut world, "x");
    let notice = world.app.screens.open_run().unwrap().session.notice.clone();
    assert_eq!(notice.as_deref(), Some("no further rise of erosion"));
    press_keys(&mut world, "gg x");
    assert_eq!(selected_turn(&world), 6);
}

#[test]
fn what_is_not_recorded_is_a_gap_and_never_nothing() {
    let world = open_curves("");
    let open = world.app.screens.open_run().unwrap();
    let points = open.curves.axis_points(&open.session);
    let values = |number| curve_values::values_at(number, &open.session, &points);
    let (tests, tokens) = (values(Number::Tests), values(Number::Tokens));

    let passed = [Some(0.25), None, Some(0.5625), None, Some(0.8125), Some(0.75), None, None];
    assert_eq!(tests, passed);
    assert_eq!(tokens[7], None);
    assert_eq!(values(Number::Erosion)[0], Some(0.0));
}

#[test]
fn a_click_on_the_chart_takes_the_playhead_there() {
    let mut world = open_curves("");
    send_mouse(&mut world, MouseKind::Click, 98, 5);
    assert_eq!(selected_turn(&world), 8);
    send_mouse(&mut world, MouseKind::WheelUp, 60, 5);
    assert_eq!(selected_turn(&world), 7);
    let frame = export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()));
    let mass = frame.lines().position(|line| line.contains("│ mass") || line.contains("mass  "));
    send_mouse(&mut world, MouseKind::Click, 3, mass.unwrap() as u16);
    assert_eq!(world.app.screens.open_run().unwrap().curves.number, Number::Mass);
}

#[test]
fn the_values_of_a_point_are_shown_while_the_pointer_is_over_it() {
    let mut world = open_curves("x");
    let seen = |world: &Answering| {
        export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()))
    };

    send_mouse(&mut world, MouseKind::Move, 98, 5);
    assert!(seen(&world).contains("pointed at: turn 8 · cp5, final"), "{}", seen(&world));
    assert_eq!(selected_turn(&world), 6);
    assert!(
        world.app.screens.open_run().unwrap().session.notice.is_some(),
        "moving the mouse answers no message"
    );

    send_mouse(&mut world, MouseKind::Move, 3, 35);
    assert!(seen(&world).contains("after turn 6"), "{}", seen(&world));
}

#[test]
fn rules_and_clones_come_first_where_verbosity_is_looked_at() {
    let first = |keys: &str| {
        let world = open_curves(keys);
        let open = world.app.screens.open_run().unwrap();
        let rows = open.curves.moved_rows(&open.session);
        rows.first().map(|change| change.mass_change().is_some())
    };
    assert_eq!(first("x"), Some(true));
    assert_eq!(first("x j"), Some(false));
}

#[test]
fn a_reference_band_is_drawn_with_its_source_only_where_somebody_gives_one() {
    let reference = ReferenceBands {
        verbosity: Some([0.1, 0.3]),
        source: Some("our own 20 repositories".into()),
        ..ReferenceBands::default()
    };
    let config = Config { reference, ..Config::default() };
    let wishes = ScreenOptions { config, ..ScreenOptions::default() };
    let seen = export::frame_text(&frame_as(wishes, 120, 40, "j"));
    assert!(seen.contains("┄ 0.1–0.3: our own 20 repositories"), "{seen}");
    assert!(!frame_text(120, 40, "j").contains('┄'));
}

#[test]
fn the_view_is_part_of_the_link_and_of_the_palette() {
    let mut world = open_curves("3l");
    press_keys(&mut world, "yy");
    let notice = world.app.screens.open_run().unwrap().session.notice.clone().unwrap_or_default();
    assert_eq!(notice, "copied: trajview 'a run' --at 4 --view curves");

    press_keys(&mut world, ":replay<enter>");
    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Replay);
}

#[test]
fn what_is_not_measured_yet_is_passed_over_and_what_is_not_recorded_is_not() {
    use trajview::{
        metrics::quality::UnmeasuredReason,
        session::{code_measures::MeasuredMoment, curve_values::PointValue},
    };
    let nothing = MeasuredMoment {
        snapshot: Err(UnmeasuredReason::NotRecorded { files: 1 }),
        not_recorded: 1,
    };
    assert_eq!(PointValue::from_measured(None, None), PointValue::NotYet);
    assert_eq!(PointValue::from_measured(Some(&nothing), None), PointValue::NotRecorded);
    assert_eq!(PointValue::from_measured(Some(&nothing), Some(0.5)), PointValue::Value(0.5));
}

#[test]
fn measuring_stops_and_goes_on() {
    let mut world = Answering::telling_at(Size { width: 60, height: 15 }, eroding_story());
    let app = &mut world.app;
    app.update(AppMessage::Resized(Size { width: 120, height: 40 }));
    press_only(app, "2w");
    let effects = press_only(app, "X");
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, trajview::session::effect::Effect::StopScoring))
    );
    let seen = export::frame_text(&draw::draw_picture(app, Theme::without_colours()));
    assert!(seen.contains("stopped: 0 of 8 turns measured, X continues"), "{seen}");

    press_keys(&mut world, "X");

    let seen = export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()));
    assert!(!seen.contains("stopped") && seen.contains("made up"), "{seen}");
    assert_eq!(world.app.screens.open_run().unwrap().session.scores.measured_turn_count(), 8);
}

#[test]
fn an_answer_that_was_called_off_does_no_harm_after_going_on() {
    let mut world = Answering::telling_at(Size { width: 60, height: 15 }, eroding_story());
    let mut asked = world.app.update(AppMessage::Resized(Size { width: 120, height: 40 }));
    asked.extend(press_only(&mut world.app, "2w"));
    press_only(&mut world.app, "X");
    press_keys(&mut world, "X");

    for effect in asked {
        if let trajview::session::effect::Effect::Ask(request, question) = effect
            && let Question::Scores { .. } = *question
        {
            world.send(AppMessage::Answered(request, question.failure()("stopped".into())));
        }
    }

    let open = world.app.screens.open_run().unwrap();
    assert_eq!(
        (open.session.scores.failed.clone(), open.session.scores.measured_turn_count()),
        (None, 8)
    );
}

#[test]
fn the_playhead_plays_on_over_the_chart() {
    let mut world = open_curves("gg <space>");
    world.send(AppMessage::Run(trajview::shell::open_run::RunMessage::Replay(
        trajview::views::replay::ReplayMessage::PlaybackTick,
    )));
    assert_eq!(selected_turn(&world), 2);
    assert_eq!(world.app.screens.open_run().unwrap().session.view, View::Curves);
}

fn press_only(
    app: &mut trajview::shell::App,
    keys: &str,
) -> Vec<trajview::session::effect::Effect> {
    let keys = key::parse_keys(keys).unwrap().into_iter();
    keys.flat_map(|key| app.update(AppMessage::Press(key))).collect()
}

#[test]
fn a_run_that_cannot_be_measured_says_why() {
    let broken = || Story { timeline: Err("the files are not recorded".into()), ..eroding_story() };
    let mut world = Answering::telling(broken());
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    press_keys(&mut world, "2w");
    let seen = export::frame_text(&draw::draw_picture(&world.app, Theme::without_colours()));
    assert!(seen.contains("the files are not recorded"), "{seen}");
}

#[test]
fn a_run_that_grows_measures_only_what_is_new() {
    let mut world = open_curves("");
    let mut grown = (*world.app.screens.open_run().unwrap().session.run).clone();
    grown.turns.push(trajview::run::Turn::default());
    world.story_mut().run = grown.clone();
    if let Ok(timeline) = &mut world.story_mut().timeline {
        timeline.turns.push(trajview::run::files::TurnFiles::default());
    }

    let effects = world.app.update(AppMessage::Grown(Arc::new(grown)));
    world.answer_all(effects);

    let open = world.app.screens.open_run().unwrap();
    assert_eq!(open.curves.axis_points(&open.session).len(), 9);
    assert_eq!(open.session.scores.measured_turn_count(), 9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_the_keys_and_the_size_a_frame_is_drawn(
        keys in proptest::collection::vec("[hljkgGxavX\\[\\]{}w:?y'MR&+ -]|<enter>|<bs>|<tab>|<esc>|[1-9]", 0..30),
        width in 20_u16..220,
        height in 5_u16..60,
    ) {
        let mut world = open_curves("");
        world.send(AppMessage::Resized(Size { width, height }));
        for key in &keys {
            press_keys(&mut world, &key.replace(' ', "<space>"));
        }
        let open = world.app.screens.open_run().unwrap();
        prop_assert!(open.session.turn < open.session.run.turns.len());
        draw::draw_picture(&world.app, Theme::with_terminal_colours());
    }
}

fn settled_frame(width: u16, height: u16, keys: &str) -> String {
    export::frame_text(&frame_as(ScreenOptions::default(), width, height, keys))
}

#[test]
fn what_measures_the_code_is_chosen_in_a_form_that_says_what_it_would_do() {
    insta::assert_snapshot!("score_form_120x40", settled_frame(120, 40, "U l"));
    insta::assert_snapshot!("score_form_200x50", settled_frame(200, 50, "U l"));
    let wrong_path = settled_frame(80, 24, "U j <space> no-such-rules <enter>");
    insta::assert_snapshot!("score_form_80x24", wrong_path);
}

#[test]
fn the_numbers_after_the_form_are_those_of_its_profile() {
    let before = settled_frame(120, 40, "");
    assert!(before.contains("profile trajview"), "{before}");
    let after = settled_frame(120, 40, "U l <enter>");
    assert!(after.contains("scb-paper formulas"), "{after}");
    let closed = settled_frame(120, 40, "U l <esc>");
    assert!(closed.contains("profile trajview"), "{closed}");
}

#[test]
fn what_was_measured_before_stays_beside_the_new_values_until_it_is_dismissed() {
    let both = settled_frame(120, 40, "5l U l <enter>");
    insta::assert_snapshot!("before_120x40", both);
    insta::assert_snapshot!("before_80x24", settled_frame(80, 24, "5l U l <enter>"));
    insta::assert_snapshot!("before_200x50", settled_frame(200, 50, "5l U l <enter>"));
    assert!(both.contains("◇ erosion, trajview"), "{both}");
    let dismissed = settled_frame(120, 40, "5l U l <enter> B");
    assert!(!dismissed.contains("◇") && dismissed.contains("scb-paper formulas"), "{dismissed}");
}

/// A copy of a sample run that may be written to.
fn copied_sample(sample: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs").join(sample);
    assert!(Command::new("cp").arg("-r").args([&source, &run]).status().unwrap().success());
    (place, run)
}

#[test]
fn the_code_of_every_checkpoint_is_tested_with_a_command_from_a_form() {
    let (_place, run) = copied_sample("codex-p12");
    let keys = |keys: &str| {
        let size = Size { width: 120, height: 40 };
        let place = StartPlace { view: View::Curves, ..StartPlace::default() };
        let frame = runtime::headless_frame(
            std::slice::from_ref(&run),
            size,
            keys,
            place,
            ScreenOptions::default(),
        );
        let frame = export::frame_text(&frame.unwrap());
        frame.replace(&run.display().to_string(), "RUN")
    };
    let command =
        "test<space>-d<space>ppdiff<space>&&<space>echo<space>ok<space>1<space>-<space>src";
    let form = format!("D <space> {command} <enter> j h");

    let before = keys("");
    assert!(before.contains("tests passed"), "{before}");
    assert!(keys("D").contains("which command?"));
    let planned = keys(&form);
    assert!(
        planned.contains("‹ all ›  9 checkpoints") && planned.contains("RUN/tests.jsonl"),
        "{planned}"
    );
    let after = keys(&format!("{form} <enter>"));

    let lines = std::fs::read_to_string(run.join("tests.jsonl")).unwrap();
    let outcomes = lines.lines().filter(|line| line.contains("\"outcome\":\"passed\"")).count();
    assert_eq!(outcomes, 9, "{lines}");
    assert!(after.contains("tests done: 9 of 9 checkpoints have outcomes"), "{after}");
}

#[test]
fn the_form_of_tests_says_where_they_run_and_where_their_outcome_is_kept() {
    let (_place, run) = copied_sample("codex-p12");
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let size = Size { width, height };
        let keys = "D <space> cargo<space>test <enter> j j <space> out.xml <enter>";
        let frame = runtime::headless_frame(
            std::slice::from_ref(&run),
            size,
            keys,
            StartPlace::default(),
            ScreenOptions::default(),
        );
        let frame = export::frame_text(&frame.unwrap());
        let names = [run.display().to_string(), "R".repeat(3)];
        let rows: Vec<&str> = frame.lines().filter(|row| row.contains('│')).collect();
        assert!(rows.iter().any(|row| row.contains("JUnit report")), "{frame}");
        let frame = frame.replace(&names[0], &names[1]);
        let form: Vec<&str> =
            frame.lines().skip_while(|row| !row.contains("┌ test the code")).take(12).collect();
        assert!(form.iter().any(|row| row.contains("sh -c 'cargo test'")), "{frame}");
        assert!(form.iter().any(|row| row.contains("no keys")), "{frame}");
    }
}

#[test]
fn a_form_makes_its_profile_the_default_of_later_runs() {
    let place = tempfile::tempdir().unwrap();
    let settings = place.path().join("config.toml");
    std::fs::write(&settings, "# mine\ntheme = \"dark\"\n").unwrap();
    let wishes = || ScreenOptions { settings: Some(settings.clone()), ..ScreenOptions::default() };
    let planned = export::frame_text(&frame_as(wishes(), 120, 40, "U l j j l"));
    assert!(planned.contains("saved in") && planned.contains("config.toml"), "{planned}");
    let kept = export::frame_text(&frame_as(wishes(), 120, 40, "U l j j l <enter>"));
    assert!(kept.contains("scb-paper is the default from now on"), "{kept}");
    let text = std::fs::read_to_string(&settings).unwrap();
    assert_eq!(text, "# mine\ntheme = \"dark\"\nprofile = \"scb-paper\"\n");
    let nowhere =
        export::frame_text(&frame_as(ScreenOptions::default(), 120, 40, "U l j j l <enter>"));
    assert!(nowhere.contains("no folder for settings"), "{nowhere}");
}

#[test]
fn a_comparison_and_a_table_of_runs_keep_what_was_measured_before_in_brackets() {
    let sample = |name: &str| {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs").join(name)
    };
    let runs = [sample("codex-p12"), sample("codex-p12-single-shot")];
    let shown = |view: View, keys: &str| {
        let place = StartPlace { view, ..StartPlace::default() };
        let size = Size { width: 160, height: 45 };
        let wishes = ScreenOptions {
            config: Config { rules: None, ..Config::default() },
            ..ScreenOptions::default()
        };
        export::frame_text(&runtime::headless_frame(&runs, size, keys, place, wishes).unwrap())
    };
    let row = |frame: &str, name: &str| {
        let row = frame.lines().find(|row| row.contains(name)).map(str::to_owned);
        row.unwrap_or_else(|| panic!("no {name} in {frame}"))
    };
    for (view, name, before, after) in [
        (View::Compare, "│erosion", "0.445      0.000", "0.445  (0.445)    0.000  (0.000)"),
        (View::Collection, "codex-p12  ", "0.445", "0.445 (0.445)"),
    ] {
        assert!(row(&shown(view, ""), name).contains(before), "{}", shown(view, ""));
        let both = shown(view, "U l <enter>");
        assert!(row(&both, name).contains(after), "{both}");
        let dismissed = shown(view, "U l <enter> B");
        assert!(!row(&dismissed, name).contains("(0.445"), "{dismissed}");
    }
}
