//! A playback as an asciicast (version 2), for players such as asciinema's: a frame after each key.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ratatui::{buffer::Buffer, layout::Size};
use serde_json::json;

use crate::runtime::{self, Options, Rehearsal};
use trajview_tui::{
    session::place::Place,
    shell::Message,
    widgets::{export, key},
};

use super::Failure;

/// Seconds that a frame stands.
const PACE: f64 = 1.0;

/// What is pressed to play a run where no keys are given.
const NEXT_TURN: &str = "l";

/// A run has no more turns than this for a playback.
const MOST_FRAMES: usize = 2_000;

/// What is recorded.
pub struct Playback<'a> {
    pub size: Size,
    /// As `--keys` has them; empty for the whole run, turn by turn.
    pub keys: &'a str,
    pub place: Place,
    pub options: Options,
}

/// Writes the frames to a file.
pub fn write(paths: &[PathBuf], playback: Playback<'_>, file: &Path) -> Result<(), Failure> {
    let Playback { size, keys, place, options } = playback;
    let keys_given = key::parse(keys).map_err(runtime::Failure::from)?;
    let next = key::parse(NEXT_TURN).map_err(runtime::Failure::from)?;
    let mut screen = Rehearsal::of(runtime::from_disk(), paths, size, place, options)?;
    let mut frames = vec![screen.frame()];
    if keys_given.is_empty() {
        while frames.len() < MOST_FRAMES {
            next.iter().for_each(|key| screen.send(Message::Press(*key)));
            let frame = screen.frame();
            if frames.last() == Some(&frame) {
                break;
            }
            frames.push(frame);
        }
    }
    for key in keys_given {
        screen.send(Message::Press(key));
        frames.push(screen.frame());
    }
    fs::write(file, text(size, &frames))
        .map_err(|why| Failure::unread(format!("cannot write {}: {why}", file.display())))
}

fn text(size: Size, frames: &[Buffer]) -> String {
    let head = json!({ "version": 2, "width": size.width, "height": size.height });
    let mut text = format!("{head}\n");
    for (frame, number) in frames.iter().zip(0_u32..) {
        let drawn = export::ansi(frame);
        let drawn = drawn.trim_end_matches('\n').replace('\n', "\r\n");
        let event =
            json!([f64::from(number) * PACE, "o", format!("\x1b[?25l\x1b[H\x1b[2J{drawn}")]);
        text.push_str(&format!("{event}\n"));
    }
    text
}
