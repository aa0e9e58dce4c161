//! Logs inside a recording: read by their own formats, their places moved into all sources of the recording.

use crate::format::file_name;
use trajview_run::{RecordPlace, Run, SourceId, Step};

use super::{FileHead, HEAD_BYTES, SourceBytes};

/// Returns the place of `part`, which is borrowed from `whole`.
pub fn place_within(whole: &[u8], part: &str, source: SourceId) -> RecordPlace {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len());
    let line = 1 + memchr::memchr_iter(b'\n', &whole[..start]).count() as u32;
    RecordPlace { source, line, part: 0, start: start as u64, len: part.len() as u64 }
}

pub fn head_of(source: SourceBytes<'_>) -> FileHead<'_> {
    let is_whole = source.bytes.len() <= HEAD_BYTES;
    let bytes = &source.bytes[..source.bytes.len().min(HEAD_BYTES)];
    FileHead { name: file_name(source.name), bytes, is_whole }
}

/// Makes the places of a run that was read from a subset of the sources point into all of them.
pub fn move_places(run: &mut Run, ids: &[SourceId]) {
    let move_place = |place: &mut RecordPlace| {
        if let Some(id) = ids.get(place.source.0 as usize) {
            place.source = *id;
        }
    };
    let move_steps = |steps: &mut [Step]| {
        for step in steps {
            move_place(&mut step.place);
            step.edits.iter_mut().for_each(|edit| move_place(&mut edit.place));
            if let Some(result) = step.tool.as_mut().and_then(|tool| tool.result.as_mut()) {
                move_place(&mut result.place);
            }
        }
    };
    for turn in &mut run.turns {
        turn.request.iter_mut().chain(&mut turn.added).for_each(move_place);
        move_steps(&mut turn.steps);
    }
    run.subagents.iter_mut().for_each(|agent| move_steps(&mut agent.steps));
}
