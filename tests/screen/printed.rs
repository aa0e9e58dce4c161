//! The colours that a tool printed: kept in its output, and nothing else of what it printed obeyed.

use proptest::prelude::*;
use ratatui::{
    buffer::Buffer,
    layout::Size,
    style::{Color, Modifier},
};
use serde_json::{Value as Json, json};
use trajview::{
    runtime::{self, ScreenOptions},
    session::start_place::StartPlace,
    widgets::export,
};

use super::story::{Story, Telling, opener_of};

fn printing_story(result: &str) -> Story {
    let mut told = Telling::default();
    told.turn("Run the tests", |turn| turn.call("shell", "pytest", result, Some(0)));
    told.turn("And again", |turn| turn.message("done"));
    told.end()
}

fn draw_frame(result: &str, size: (u16, u16), keys: &str) -> Buffer {
    let result = result.to_owned();
    let size = Size { width: size.0, height: size.1 };
    let opener = opener_of(move || printing_story(&result));
    runtime::headless_frame_with(opener, &[], size, keys, StartPlace::default()).unwrap()
}

/// The style of the first cell of some words on screen.
fn look_of(buffer: &Buffer, words: &str) -> (Color, Modifier) {
    let area = buffer.area;
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            let seen: String = (x..area.right()).map(|x| buffer[(x, y)].symbol()).collect();
            if seen.starts_with(words) {
                return (buffer[(x, y)].fg, buffer[(x, y)].modifier);
            }
        }
    }
    panic!("{words} is not on screen:\n{}", export::frame_text(buffer))
}

const PYTEST: &str = "\x1b[1mtest session\x1b[0m\r\n 10%\r 50%\r100%\n\x1b[31mFAILED\x1b[0m a.py \x1b[38;5;208mslow\x1b[0m\
    \n\x1b[2J\x1b]0;title\x07\x1b[32m3 \x1b[1mpassed\x1b[0m";

#[test]
fn an_output_has_the_colours_that_were_printed() {
    for size in [(120, 40), (80, 24)] {
        let seen = draw_frame(PYTEST, size, ". <tab><tab><tab> Z");
        let text = export::frame_text(&seen);
        assert_eq!(look_of(&seen, "test session").1, Modifier::BOLD);
        assert_eq!(look_of(&seen, "FAILED"), (Color::Red, Modifier::empty()));
        assert_eq!(look_of(&seen, "slow").0, Color::Indexed(208));
        assert_eq!(look_of(&seen, "passed"), (Color::Green, Modifier::BOLD));
        assert!(text.contains("100%") && !text.contains("50%"), "{text}");
        assert!(!text.contains('␛') && !text.contains("title"), "{text}");
    }
}

#[test]
fn the_search_does_not_see_the_colours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1.jsonl");
    let line = |kind: &str, uuid: &str, content: Json| {
        json!({
            "type": kind, "uuid": uuid, "parentUuid": null, "isSidechain": false, "cwd": "/w", "sessionId": "s1",
            "version": "2.0.14", "timestamp": "2026-11-20T10:00:00.000Z",
            "message": {"role": kind, "model": "made-up", "id": "m1", "content": content},
        })
        .to_string()
    };
    let call =
        json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "pytest"}}]);
    let said = json!([{"type": "tool_result", "tool_use_id": "t", "content": PYTEST}]);
    let lines = [
        line("user", "u1", json!("Run the tests")),
        line("assistant", "u2", call),
        line("user", "u3", said),
    ];
    std::fs::write(&path, lines.join("\n")).unwrap();
    let size = Size { width: 120, height: 40 };
    let keys = "/3<space>passed<enter>";
    let seen = runtime::headless_frame(
        &[path],
        size,
        keys,
        StartPlace::default(),
        ScreenOptions::default(),
    )
    .unwrap();

    let text = export::frame_text(&seen);
    assert!(text.contains("hit 1 of 1") && text.contains("▌  ┆ 3 passed"), "{text}");
}

/// What an attacker would print: pieces of sequences in any order.
fn any_output() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\x1b",
            "[",
            "]",
            "31m",
            "0m",
            "38;5;",
            "48;2;1;2;3m",
            "K",
            "2J",
            "?25l",
            "\x07",
            "\x1b\\",
            "\x1bP",
            "\r",
            "\u{8}",
            "\n",
            "\t",
            "\u{9b}",
            "\u{90}",
            "52;c;",
            "\u{202e}",
            "漢",
            ";",
            "9999",
            "\x1bc",
            "\x1b(",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_printed_no_control_character_reaches_the_screen(output in any_output()) {
        let seen = draw_frame(&output, (80, 24), ". <tab><tab><tab> Z G");
        for cell in &seen.content {
            prop_assert!(!cell.symbol().chars().any(char::is_control), "{:?}", cell.symbol());
        }
    }
}
