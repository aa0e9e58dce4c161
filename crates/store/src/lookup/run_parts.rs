//! The parts of a run that are searched and indexed one at a time, and their texts.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

use trajview_code::ansi_text;
use trajview_run::{RecordPlace, Run, Step, StepText, lookup::LookupMoment};

use super::super::{
    archive::OpenedRecording,
    lookup::gathered_words::{EDITED_MARK, FAILED_MARK, GatheredWords, TOOL_MARK},
};

/// The number of bytes of records in a part: so many that few parts have a common word, so few that one is read in a
/// moment.
const PART_BYTES: u64 = 256 << 10;

/// The requests and steps of a run, by position.
pub struct RunParts<'a> {
    pub opened: &'a OpenedRecording,
    pub moments: Vec<LookupMoment>,
}

impl<'a> RunParts<'a> {
    pub fn new(opened: &'a OpenedRecording) -> Self {
        Self { opened, moments: LookupMoment::moments_of_run(&opened.run) }
    }

    /// Returns the parts in order, without a gap. Text that is appended to a log leaves all but the last as they are.
    pub(crate) fn part_ranges(&self) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut bytes) = (vec![], 0, 0u64);
        for (at, moment) in self.moments.iter().enumerate() {
            bytes = bytes.saturating_add(record_bytes(&self.opened.run, *moment));
            if bytes >= PART_BYTES {
                parts.push(start..at + 1);
                (start, bytes) = (at + 1, 0);
            }
        }
        if start < self.moments.len() {
            parts.push(start..self.moments.len());
        }
        parts
    }

    /// Returns the text of a moment; that of a request is in [`StepText::text`].
    pub fn moment_text(&self, moment: LookupMoment) -> StepText {
        let OpenedRecording { run, archive } = self.opened;
        match moment.step {
            Some((id, _)) => {
                let text = archive.step_text(run, id);
                let result = text.result.map(|text| ansi_text::plain_text(&text).into_owned());
                StepText { result, ..text }
            }
            None => StepText {
                text: archive.request_with_added(run, moment.turn),
                ..StepText::default()
            },
        }
    }

    /// Returns a number that changes when the index of the run has something else for the part.
    pub fn fingerprint(&self, part: &Range<usize>) -> i64 {
        let mut print = DefaultHasher::new();
        for moment in &self.moments[part.clone()] {
            moment.hash(&mut print);
            match moment.step.and_then(|(id, _)| self.opened.run.step(id)) {
                Some(step) => {
                    (step.place, step.kind.word(), step.has_failed()).hash(&mut print);
                    step.tool.as_ref().map(|tool| &tool.name).hash(&mut print);
                    step.tool_result().map(|result| (result.place, result.bytes)).hash(&mut print);
                    edited_paths(step).for_each(|path| path.hash(&mut print));
                }
                None => {
                    let turn = self.opened.run.turns.get(moment.turn);
                    turn.map(|turn| (turn.request, &turn.added)).hash(&mut print);
                }
            }
        }
        print.finish().cast_signed()
    }

    /// Returns the words of a part.
    pub(crate) fn gather_words(&self, part: &Range<usize>, gathered: &mut GatheredWords) -> String {
        for moment in &self.moments[part.clone()] {
            let texts = self.moment_text(*moment);
            gathered.add_text("", &texts.text);
            texts
                .arguments
                .iter()
                .chain(&texts.result)
                .for_each(|text| gathered.add_text("", text));
            let Some(step) = moment.step.and_then(|(id, _)| self.opened.run.step(id)) else {
                continue;
            };
            step.tool.iter().for_each(|tool| gathered.add_text(TOOL_MARK, &tool.name));
            if step.has_failed() {
                gathered.add_word(FAILED_MARK);
            }
            for path in edited_paths(step) {
                gathered.add_text("", &path);
                gathered.add_text(EDITED_MARK, &path);
            }
        }
        gathered.take_words()
    }
}

fn record_bytes(run: &Run, moment: LookupMoment) -> u64 {
    let len = |place: Option<RecordPlace>| place.map_or(0, |place| place.len);
    match moment.step.map(|(id, _)| run.step(id)) {
        Some(step) => {
            let result = step.and_then(|step| step.tool_result()).map(|result| result.place);
            len(step.map(|step| step.place)).saturating_add(len(result))
        }
        None => len(run.turns.get(moment.turn).and_then(|turn| turn.request)),
    }
}

/// Returns the names of the files that a step edits, the old names of renames included.
fn edited_paths(step: &Step) -> impl Iterator<Item = String> {
    step.edits.iter().flat_map(|edit| edit.from.iter().chain([&edit.path])).map(ToString::to_string)
}
