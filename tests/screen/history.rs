//! The history of one thing, with one key from any line of it.

use ratatui::layout::Size;
use trajview::{
    runtime::{self, ScreenOptions},
    session::{
        start_place::{NamedMoment, StartPlace},
        views::View,
    },
    widgets::export,
};

use crate::common::project_path;

const FILE: &str = "ppdiff/forward.py";

fn history_frame(size: (u16, u16), keys: &str, place: StartPlace) -> String {
    let paths = [project_path("sample-runs/codex-p12")];
    let size = Size { width: size.0, height: size.1 };
    let frame = runtime::headless_frame(&paths, size, keys, place, ScreenOptions::default());
    export::frame_text(&frame.unwrap_or_else(|why| panic!("{why}")))
}

/// At a line of a function that the turn changes.
fn at_line(size: (u16, u16), keys: &str) -> String {
    let place = StartPlace {
        turn: Some(NamedMoment::Turn(21)),
        file: Some(FILE.into()),
        line: Some(25),
        ..StartPlace::default()
    };
    history_frame(size, keys, place)
}

#[test]
fn one_key_lists_every_change_to_the_function_around_the_line() {
    insta::assert_snapshot!(at_line((120, 40), "H"));
    insta::assert_snapshot!(at_line((80, 24), "H"));
}

#[test]
fn enter_goes_to_the_step_and_the_lines_of_a_change_and_backspace_back() {
    let there = at_line((120, 40), "H g <enter>");
    assert!(there.contains("backspace returns") && there.contains("turn 20/56"), "{there}");

    let back = at_line((120, 40), "H g <enter> <bs>");
    assert!(back.contains("turn 21/56"), "{back}");
}

#[test]
fn outside_the_diff_it_is_the_history_of_the_file() {
    let file = at_line((120, 40), "<tab><tab><tab> H");
    assert!(file.contains(&format!("history of {FILE} ")), "{file}");
    let switched = at_line((120, 40), "H f");
    assert!(switched.contains(&format!("history of {FILE} ")), "{switched}");
    let why = at_line((120, 40), "<tab><tab><tab> H f");
    assert!(why.contains("open it at a line of the diff"), "{why}");
}

#[test]
fn from_the_code_of_the_audit_it_opens_too_and_closing_it_goes_back_there() {
    let audit = || StartPlace { view: View::Audit, ..StartPlace::default() };
    let open = history_frame((120, 40), "] H", audit());
    assert!(open.contains("history of "), "{open}");

    let closed = history_frame((120, 40), "] H <esc>", audit());
    assert_eq!(closed, history_frame((120, 40), "]", audit()));
}
