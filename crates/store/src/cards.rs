//! The card of the beginning of a recording, and what the disk tells about its session now.

use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use trajview_formats as formats;
use trajview_formats::{FileHead, SequentialExecutor, SourceBytes};
use trajview_run::{Run, RunCard};

use super::{
    disk,
    entries::{is_bundle, is_folder, name_of},
    path_bytes,
};

/// Returns the card of the beginning of a recording, which takes a moment to read: agent, task and model, and the
/// numbers of the beginning. None where the beginning has none of it.
pub fn card_of_head(path: &Path) -> Option<RunCard> {
    let main = match is_bundle(path) {
        true => path.join("run.json"),
        false if is_folder(path) => return None,
        false => path.to_owned(),
    };
    Some(RunCard::for_run(&read_head_run(&main)?))
}

fn read_head_run(main: &Path) -> Option<Run> {
    let (mut bytes, is_whole) = path_bytes::read_head(main).ok()?;
    let format =
        formats::format_for_head(&FileHead { name: name_of(main), bytes: &bytes, is_whole })?;
    if !is_whole {
        // Only of a log of lines a part makes sense.
        format.incremental_reader()?;
        bytes.truncate(memchr::memrchr(b'\n', &bytes)? + 1);
    }
    format
        .index_run_with(&[SourceBytes { name: name_of(main), bytes: &bytes }], &SequentialExecutor)
        .ok()
}

/// Returns the time when the recording was last written, in milliseconds since 1970-01-01 UTC; None where its file has
/// none.
pub fn written_at(path: &Path) -> Option<i64> {
    let main = if is_bundle(path) { path.join("run.json") } else { path.to_owned() };
    let written = disk::metadata(&main).ok()?.modified?;
    unix_millis(written)
}

/// Returns the current time, in milliseconds since 1970-01-01 UTC.
pub fn now_millis() -> i64 {
    unix_millis(SystemTime::now()).unwrap_or_default()
}

/// Returns the card with the current state of the session: when its file was written, and whether the agent is at work.
pub fn with_current_work(card: RunCard, path: &Path) -> RunCard {
    let Some(written) = written_at(path) else { return card };
    RunCard { work: card.work.clone().with_activity_at(written, now_millis()), ..card }
}

fn unix_millis(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}
