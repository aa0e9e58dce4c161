use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
};

use super::*;
use crate::widgets::{export, key, theme::Theme};
use trajview_run::{
    Tokens,
    batch::{BatchProgress, BatchScore, BatchUsage, PlanCombination},
};

fn batch_row(number: u32, state: BatchState, why: Option<&str>) -> BatchRow {
    let agent = if number.is_multiple_of(2) { "claude" } else { "codex" };
    let is_begun = state != BatchState::Waiting;
    let tokens = Tokens {
        input: is_begun.then_some(120_400),
        output: is_begun.then_some(8_000),
        ..Tokens::default()
    };
    let used = BatchUsage {
        tokens,
        cost_usd: (agent == "claude" && is_begun).then_some(0.31),
        seconds: if is_begun { 134.0 } else { 0.0 },
    };
    let scores =
        vec![BatchScore { after: "c1".into(), number: "erosion".into(), value: Some(0.25) }];
    BatchRow {
        id: format!("id{number}"),
        folder: format!("runs/ppdiff-{agent}-{number}"),
        combination: PlanCombination {
            script: "ppdiff".into(),
            agent: agent.into(),
            model: (agent == "codex").then(|| "gpt-5.5".into()),
            condition: "emergent".into(),
            repeat: number,
        },
        progress: BatchProgress {
            state,
            why: why.map(str::to_owned),
            turns: if is_begun { 3 } else { 0 },
            requests: 12,
            failures: usize::from(state == BatchState::Failed),
            kept: 0,
            used,
        },
        tests: is_begun.then_some((4, 5)),
        scores: if state == BatchState::Done { scores } else { vec![] },
    }
}

fn batch_table() -> BatchTable {
    let rows = vec![
        batch_row(1, BatchState::Done, None),
        batch_row(2, BatchState::Running, None),
        batch_row(3, BatchState::Resting, Some("turn 4 failed: 429 Too Many Requests")),
        batch_row(
            4,
            BatchState::Failed,
            Some("turn 4 failed: the agent failed (exit code 7); it is left out"),
        ),
        batch_row(5, BatchState::Waiting, None),
    ];
    let mut table = BatchTable::new("runs".into(), rows);
    table.set_size(Size { width: 80, height: 9 });
    table
}

fn drawn_frame(table: &BatchTable, width: u16) -> String {
    let area = Rect { x: 0, y: 0, width, height: 9 };
    let mut buffer = Buffer::empty(area);
    let mut table = table.clone();
    table.set_size(area.as_size());
    draw_batch(&table, Theme::with_terminal_colours(), area, &mut buffer);
    export::frame_text(&buffer)
}

fn press_keys(table: &mut BatchTable, keys: &str) -> Vec<BatchRequest> {
    key::parse_keys(keys).unwrap().into_iter().filter_map(|key| table.handle_key(key)).collect()
}

#[test]
fn every_run_has_its_state_its_turns_and_what_it_took() {
    insta::assert_snapshot!(drawn_frame(&batch_table(), 80));
}

#[test]
fn a_wide_terminal_shows_tests_and_scores_too() {
    let mut table = batch_table();
    press_keys(&mut table, "n");
    insta::assert_snapshot!(drawn_frame(&table, 130));
}

#[test]
fn keys_stop_a_run_try_one_again_and_pause_all() {
    let mut table = batch_table();

    assert_eq!(press_keys(&mut table, "j X"), [BatchRequest::Stop(1)]);
    assert_eq!(press_keys(&mut table, "n r"), [BatchRequest::Retry(3)]);
    assert_eq!(
        press_keys(&mut table, "<space> <space>"),
        [BatchRequest::Pause, BatchRequest::GoOn]
    );
    assert_eq!(press_keys(&mut table, "<enter>"), [BatchRequest::Watch(3)]);
}

#[test]
fn what_a_run_does_not_allow_is_told_and_not_wished() {
    let mut table = batch_table();

    assert_eq!(press_keys(&mut table, "X"), []);
    assert!(drawn_frame(&table, 80).contains("this run is not active"));
    assert_eq!(press_keys(&mut table, "r"), []);
    assert!(drawn_frame(&table, 80).contains("r retries only runs that"));
    assert_eq!(press_keys(&mut table, "G <enter>"), []);
    assert!(drawn_frame(&table, 80).contains("not started yet"));
}

#[test]
fn leaving_asks_twice_while_runs_are_made() {
    let mut table = batch_table();

    assert_eq!(press_keys(&mut table, "q"), []);
    assert!(drawn_frame(&table, 80).contains("q again stops 1 run; the same command resumes them"));
    assert_eq!(press_keys(&mut table, "j q"), []);
    assert_eq!(press_keys(&mut table, "q"), [BatchRequest::Quit]);
    table.set_rows(vec![batch_row(1, BatchState::Done, None)]);
    assert_eq!(press_keys(&mut table, "q"), [BatchRequest::Quit]);
}

#[test]
fn no_size_is_too_small_to_be_drawn() {
    let table = batch_table();
    for (width, height) in [(0, 0), (1, 1), (10, 2), (20, 3), (30, 4), (200, 50)] {
        let area = Rect { x: 0, y: 0, width, height };
        let mut buffer = Buffer::empty(area);
        draw_batch(&table, Theme::with_terminal_colours(), area, &mut buffer);
    }
}
