//! A playback as an asciicast (version 2), for players such as asciinema's: a frame after each key.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ratatui::{buffer::Buffer, layout::Size};
use serde_json::json;

use crate::runtime::{self, HeadlessScreen, ScreenOptions};
use trajview_tui::{
    session::start_place::StartPlace,
    shell::AppMessage,
    widgets::{export, key},
};

use super::CommandFailure;

/// Seconds for which a frame is shown.
const SECONDS_A_FRAME: f64 = 1.0;

/// The key that plays a run where no keys are given.
const NEXT_TURN_KEY: &str = "l";

/// A run has no more turns than this for a playback.
const MOST_FRAMES: usize = 2_000;

/// The settings of a playback.
pub struct CastPlayback<'a> {
    pub size: Size,
    /// The keys of `--keys`; empty to play the whole run, turn by turn.
    pub keys: &'a str,
    pub place: StartPlace,
    pub options: ScreenOptions,
}

/// Writes the frames to a file.
pub(crate) fn write_cast(
    paths: &[PathBuf],
    playback: CastPlayback<'_>,
    file: &Path,
) -> Result<(), CommandFailure> {
    let CastPlayback { size, keys, place, options } = playback;
    let keys_given = key::parse_keys(keys).map_err(runtime::ScreenFailure::from)?;
    let next = key::parse_keys(NEXT_TURN_KEY).map_err(runtime::ScreenFailure::from)?;
    let mut screen = HeadlessScreen::open(runtime::RunOpener::Disk, paths, size, place, options)?;
    let mut frames = vec![screen.draw_frame()];
    if keys_given.is_empty() {
        while frames.len() < MOST_FRAMES {
            next.iter().for_each(|key| screen.send_message(AppMessage::Press(*key)));
            let frame = screen.draw_frame();
            if frames.last() == Some(&frame) {
                break;
            }
            frames.push(frame);
        }
    }
    for key in keys_given {
        screen.send_message(AppMessage::Press(key));
        frames.push(screen.draw_frame());
    }
    fs::write(file, cast_text(size, &frames)).map_err(|why| CommandFailure::unwritable(file, &why))
}

fn cast_text(size: Size, frames: &[Buffer]) -> String {
    let head = json!({ "version": 2, "width": size.width, "height": size.height });
    let mut text = format!("{head}\n");
    for (frame, number) in frames.iter().zip(0_u32..) {
        let drawn = export::frame_ansi(frame);
        let drawn = drawn.trim_end_matches('\n').replace('\n', "\r\n");
        let event = json!([
            f64::from(number) * SECONDS_A_FRAME,
            "o",
            format!("\x1b[?25l\x1b[H\x1b[2J{drawn}")
        ]);
        text.push_str(&format!("{event}\n"));
    }
    text
}
