//! Shared by the targets of the formats: whatever the bytes, everything a screen would ask of a recording returns.

use trajview::{
    formats::{self, FileHead, Format, HEAD_BYTES, SourceBytes},
    run::{Run, StepId},
};

/// Reads `bytes` as the only source of a recording of that format, then every word of it.
#[allow(dead_code)] // not every target reads a recording of one source
pub fn read(format: &str, bytes: &[u8]) {
    read_sources(format, &[SourceBytes { name: "fuzz.jsonl", bytes }]);
}

pub fn read_sources(format: &str, sources: &[SourceBytes<'_>]) {
    let format = formats::format_by_name(format).expect("the target names a format of the list");
    let head = FileHead {
        name: "fuzz.jsonl",
        bytes: &sources[0].bytes[..sources[0].bytes.len().min(HEAD_BYTES)],
        is_whole: sources[0].bytes.len() <= HEAD_BYTES,
    };
    let _ = format.claims_file(&head);
    let _ = format.is_companion(&head, &head);
    if let Ok(run) = format.index_run(sources) {
        read_everything(format, &run, sources);
    }
}

fn read_everything(format: &dyn Format, run: &Run, sources: &[SourceBytes<'_>]) {
    let record = |place: trajview::run::RecordPlace| {
        sources.get(place.source.0 as usize).map_or(&[][..], |source| place.bytes_in(source.bytes))
    };
    let agents = (0..run.subagents.len()).map(Some).chain([None]);
    let lists = agents.flat_map(|agent| (0..run.turns.len().max(1)).map(move |turn| (turn, agent)));
    for (turn, subagent) in lists {
        for step in 0..run.agent_steps(turn, subagent).map_or(0, <[_]>::len) {
            let Some(step) = run.step(StepId { turn, subagent, step }) else { continue };
            assert!(step.label.chars().count() <= trajview::run::LABEL_CHARS);
            let _ = format.step_text(record(step.place), step);
            if let Some(result) = step.tool_result() {
                let _ = format.result_text(record(result.place), result);
            }
            for edit in &step.edits {
                let _ = format.recorded_edit(record(edit.place), edit);
            }
        }
        if subagent.is_some() {
            break; // a sub-agent's steps are not by turn
        }
    }
    for turn in 0..run.turns.len() {
        let _ = run.steps_of_turn(turn);
        if let Some(request) = run.turns[turn].request {
            let _ = format.request_text(record(request));
        }
    }
}
