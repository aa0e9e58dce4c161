//! The timeline below the views: the sample run while it plays, seeking with the mouse, its modes, and both runs of a comparison.

use ratatui::layout::Size;
use trajview::{
    metrics::Number,
    runtime::{HeadlessScreen, RunOpener, ScreenOptions},
    session::{
        start_place::StartPlace,
        timeline::{TimelineConfig, TimelineMessage, TimelineMode},
        views::View,
    },
    shell::{AppMessage, config::Config, open_run::RunMessage, state::ShellMessage},
    views::replay::ReplayMessage,
    widgets::{
        export,
        mouse::{Mouse, MouseKind},
    },
};

use crate::common::project_path;

const RUN: &str = "sample-runs/codex-p12";
const SINGLE_SHOT: &str = "sample-runs/codex-p12-single-shot";

fn opened(runs: &[&str], (width, height): (u16, u16), config: Config) -> HeadlessScreen {
    let paths: Vec<_> = runs.iter().map(|run| project_path(run)).collect();
    // A few rules are enough to be measured by, and quick.
    let rules = Some(project_path("assets/rules/python/booleans.yml"));
    let options = ScreenOptions { config: Config { rules, ..config }, ..ScreenOptions::default() };
    let size = Size { width, height };
    HeadlessScreen::open(RunOpener::Disk, &paths, size, StartPlace::default(), options).unwrap()
}

fn sample(size: (u16, u16), keys: &str) -> HeadlessScreen {
    let mut screen = opened(&[RUN], size, Config::default());
    screen.press_keys(keys).unwrap();
    screen
}

fn frame(screen: &HeadlessScreen) -> String {
    export::frame_text(&screen.draw_frame())
}

/// The rows of the timeline: its line, and the lanes below it.
fn timeline_rows(screen: &HeadlessScreen) -> Vec<String> {
    let frame = frame(screen);
    let rows: Vec<&str> = frame.lines().collect();
    let line = rows.iter().position(|row| row.starts_with("─ ")).unwrap_or(rows.len() - 1);
    rows[line..rows.len() - 1].iter().map(|row| row.trim_end().to_owned()).collect()
}

/// The frame after playback arrives at a turn.
fn played_to(screen: &mut HeadlessScreen, turn: usize) -> (String, Vec<String>) {
    screen.press_keys(&format!("{}G <space>", turn - 1)).unwrap();
    screen.send_message(AppMessage::Run(RunMessage::Replay(ReplayMessage::PlaybackTick)));
    let shown = (frame(screen), timeline_rows(screen));
    screen.press_keys("<space>").unwrap();
    shown
}

fn point(screen: &mut HeadlessScreen, kind: MouseKind, column: u16, row: u16) {
    screen.send_message(AppMessage::Shell(ShellMessage::Mouse(Mouse { kind, column, row })));
}

#[test]
fn while_the_run_plays_diff_curves_and_components_move_together() {
    let mut screen = sample((120, 40), "");
    let moments = [
        (12, "layers.py", "erosion      0.000", "■■■■■■■■················  not judged yet"),
        (39, "evaluate.py", "checkpoint 7 of 9", "MCF 3.833 judged at turn 39"),
        (46, "✖ C17, C18 lost here", "checkpoint 8 of 9", "lost here: C17 Min-SNR"),
        (56, "turn 56/56", "checkpoint 9 of 9", "MCF 3.125 judged at turn 56"),
    ];
    for (turn, replay, curves, components) in moments {
        let (frame, rows) = played_to(&mut screen, turn);

        assert!(frame.contains(replay), "turn {turn}: {replay}\n{frame}");
        assert!(rows[0].contains(&format!("turn {turn} of 56")), "{frame}");
        assert!(rows.iter().any(|row| row.contains(curves)), "turn {turn}: {curves}\n{frame}");
        assert!(rows[1].contains("│1 geometry│2 e") && rows[1].contains('▼'), "{frame}");
        assert!(rows[2].contains("▂▂▃") && rows[3].contains("▆▆▆"), "{frame}");
        assert!(rows[4].contains(components), "turn {turn}: {components}\n{frame}");
        assert_eq!(rows.len(), 6, "{frame}");
    }
}

#[test]
fn lost_components_turn_to_the_lost_sign_where_they_are_lost_and_stay_so() {
    let mut screen = sample((200, 50), "45G");
    let cells = |screen: &HeadlessScreen| -> String {
        let rows = timeline_rows(screen);
        rows[4].chars().skip(20).take(24).collect()
    };
    assert_eq!(cells(&screen), "444444434✖34444444443434");

    screen.press_keys("l").unwrap();

    assert_eq!(cells(&screen), "444444434✖344444✖✖443434");
    let words = "lost here: C17 Min-SNR time weight, C18 Interface weights of the losses";
    assert!(timeline_rows(&screen)[4].contains(words), "{}", frame(&screen));
    screen.press_keys("l").unwrap();
    assert!(!frame(&screen).contains("lost here"), "{}", frame(&screen));
    assert!(cells(&screen).contains("✖✖"));
}

#[test]
fn a_small_screen_has_the_slim_timeline_with_the_cells_on_its_line() {
    let mut screen = sample((80, 24), "46G <tab> <tab>");
    let rows = timeline_rows(&screen);

    assert_eq!(rows.len(), 4, "{}", frame(&screen));
    assert!(rows[0].starts_with("─ timeline 444444434✖344444✖✖443434 21/24 lost here: C17, C18 ─"));
    assert!(rows[1].starts_with(" erosion      0.347 ···"), "{rows:#?}");
    assert!(rows[2].starts_with(" verbosity    0.009 ···"), "{rows:#?}");
    // The starts of nine checkpoints, and the playhead over the sign of the loss.
    assert!(rows[3].starts_with(" events       ✖2 •2 │··✗···│"), "{rows:#?}");
    assert!(rows[3].contains("✖✗··▼"), "{rows:#?}");
    assert_eq!(
        rows[3].matches('│').count(),
        8,
        "the compaction is where the seventh starts: {rows:#?}"
    );
    for part in [
        "The losses are hard to log",
        "✖ C17, C18 lost   diff: turn 45 → 46   file 1/3 ─",
        "− from ppdiff.graph import",
    ] {
        assert!(frame(&screen).contains(part), "{part}: {}", frame(&screen));
    }

    screen.press_keys("t t").unwrap();
    let rows = timeline_rows(&screen);
    assert!(rows[2].starts_with(" erosion ") && rows[3].starts_with(" verbosity "), "{rows:#?}");
    assert!(rows[4].contains("444444434✖344444✖✖443434  lost here: C17, C18"), "{rows:#?}");
}

#[test]
fn one_key_makes_it_slim_hides_it_and_brings_it_back_in_every_view_of_a_run() {
    let others = ["1w", "2w", "3w", "9w"].map(|view| (view, [6, 4, 0, 6]));
    // The audit needs its rows, and starts with the slim one; signals have a lane in the view of the process.
    for (view, expected) in others.into_iter().chain([("4w", [4, 0, 6, 4]), ("8w", [7, 5, 0, 7])]) {
        let mut screen = sample((120, 40), view);
        let heights = ["", "t", "t", "t"].map(|key| {
            screen.press_keys(key).unwrap();
            timeline_rows(&screen).len()
        });
        assert_eq!(heights, expected, "{view}: {}", frame(&screen));
    }
    assert_eq!(timeline_rows(&sample((60, 15), "")).len(), 0);
}

#[test]
fn a_click_and_a_drag_seek_and_a_click_on_a_cell_opens_the_component() {
    let mut screen = sample((120, 40), "");
    let area_top = 33;

    point(&mut screen, MouseKind::Click, 20, area_top + 2);
    assert!(timeline_rows(&screen)[0].contains("turn 1 of 56"), "{}", frame(&screen));
    point(&mut screen, MouseKind::Drag, 118, 3);
    assert!(timeline_rows(&screen)[0].contains("turn 56 of 56"), "{}", frame(&screen));
    point(&mut screen, MouseKind::Release, 118, 3);
    point(&mut screen, MouseKind::Drag, 40, area_top + 2);
    assert!(timeline_rows(&screen)[0].contains("turn 56 of 56"), "the button is up");
    point(&mut screen, MouseKind::WheelUp, 60, area_top + 2);
    assert!(timeline_rows(&screen)[0].contains("turn 55 of 56"), "{}", frame(&screen));

    point(&mut screen, MouseKind::Click, 20 + 17, area_top + 4);
    let open = screen.app_mut().screens.open_run().unwrap();
    assert_eq!(open.session.view, View::Scores);
    let row = open.scores.components.component_row(&open.session);
    assert_eq!(row.map(|row| row.id).as_deref(), Some("C18"));
}

#[test]
fn other_numbers_can_have_lanes_and_an_unknown_one_is_refused() {
    let mut screen = sample((120, 40), "46G");
    let lanes = |ids: &[&str]| {
        AppMessage::Timeline(TimelineMessage::SetLanes(ids.iter().map(|id| (*id).into()).collect()))
    };

    screen.send_message(lanes(&["mcf", "files", "dir"]));
    let rows = timeline_rows(&screen);
    assert!(rows[2].contains(" — ") && rows[2].contains('█'), "{rows:#?}");
    assert!(rows[3].starts_with(" files"), "{rows:#?}");
    assert!(rows[4].contains("has no value for each turn"), "{rows:#?}");

    screen.send_message(lanes(&["no-such-number"]));
    let words = "no number is called no-such-number; `trajview list metrics` lists them";
    assert!(frame(&screen).contains(words), "{}", frame(&screen));
    screen.send_message(lanes(&[]));
    assert!(timeline_rows(&screen)[2].starts_with(" erosion"), "{}", frame(&screen));
}

#[test]
fn settings_choose_mode_and_lanes() {
    let timeline = TimelineConfig { mode: TimelineMode::Slim, lanes: vec![Number::Verbosity] };
    let screen = opened(&[RUN], (120, 40), Config { timeline, ..Config::default() });
    let rows = timeline_rows(&screen);

    assert_eq!(rows.len(), 3, "{rows:#?}");
    assert!(rows[1].starts_with(" verbosity"), "{rows:#?}");
}

#[test]
fn once_the_audit_was_opened_scores_that_wait_for_a_label_are_hidden() {
    let screen = sample((120, 40), "<f4> <f1> 46G");
    let rows = timeline_rows(&screen);

    assert!(rows[4].contains("■■■■■■■■■✖■■■■■■✖✖■■■■■■"), "{rows:#?}");
    assert!(rows[4].contains("scores are hidden until you label them"), "{rows:#?}");
    assert!(!frame(&screen).contains("MCF 3."), "{}", frame(&screen));
}

#[test]
fn signs_have_a_likeness_in_ascii() {
    let mut screen = opened(&[RUN], (120, 40), Config { ascii: true, ..Config::default() });
    screen.press_keys("46G").unwrap();
    let frame = export::frame_text(&screen.draw_frame());

    assert!(frame.is_ascii(), "{frame}");
    assert!(frame.contains("444444434X344444XX443434"), "{frame}");
}

#[test]
fn two_runs_have_a_timeline_each_with_the_same_phases_in_the_same_columns() {
    let mut screen = opened(&[RUN, SINGLE_SHOT], (200, 50), Config::default());
    let rows = timeline_rows(&screen);
    let starts: Vec<&String> = rows.iter().filter(|row| row.starts_with("─ ")).collect();

    assert!(starts[0].starts_with("─ a emergent, aligned by phase ─"), "{rows:#?}");
    assert!(starts[1].starts_with("─ b single-shot ─"), "{rows:#?}");
    let erosion: Vec<&String> = rows.iter().filter(|row| row.starts_with(" erosion")).collect();
    assert!(erosion[0].contains("   "), "between checkpoints nothing was measured: {rows:#?}");
    let point_at = |row: &str| row.chars().position(|c| c == '●');
    assert_eq!(point_at(erosion[1]), Some(198), "{rows:#?}");
    assert!(!erosion[1].contains('·') && !erosion[1].contains('▁'), "no level line: {rows:#?}");

    point(&mut screen, MouseKind::Click, 20, 50 - 1 - 12 + 2);
    assert!(timeline_rows(&screen)[0].contains("turn 6 of 56"), "{}", frame(&screen));
}

#[test]
fn a_round_that_lost_recorded_tests_is_marked() {
    let run = "sample-runs/evocodebench/tinycalc.json/made-a";
    let screen = opened(&[run], (120, 40), Config::default());

    let rows = timeline_rows(&screen);

    let events = rows.iter().find(|row| row.contains("events")).unwrap();
    assert_eq!(events.matches('✖').count(), 2, "rounds 3 and 4: {rows:?}");
}
