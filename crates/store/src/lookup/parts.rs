//! The parts of a run that are looked through and indexed one at a time, and what they say.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

use trajview_code::printed;
use trajview_run::{Place, Run, Step, StepText, lookup::Moment};

use super::super::{
    archive::Opened,
    lookup::gathered::{EDITED, FAILED, Gathered, TOOL},
};

/// Bytes of records in a part: so many that few parts have a common word, so few that one is read in a moment.
const PART_BYTES: u64 = 256 << 10;

/// The requests and steps of a run, by position.
pub struct Parts<'a> {
    pub opened: &'a Opened,
    pub moments: Vec<Moment>,
}

impl<'a> Parts<'a> {
    pub fn of(opened: &'a Opened) -> Self {
        Self { opened, moments: Moment::all(&opened.run) }
    }

    /// One after the other, without a gap. What is appended to a log leaves all but the last as they are.
    pub fn all(&self) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut bytes) = (vec![], 0, 0u64);
        for (at, moment) in self.moments.iter().enumerate() {
            bytes = bytes.saturating_add(size(&self.opened.run, *moment));
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

    /// What a moment says; a request as [`StepText::text`].
    pub fn texts(&self, moment: Moment) -> StepText {
        let Opened { run, archive } = self.opened;
        match moment.step {
            Some((id, _)) => {
                let text = archive.step_text(run, id);
                let result = text.result.map(|text| printed::words(&text).into_owned());
                StepText { result, ..text }
            }
            None => StepText { text: archive.request(run, moment.turn), ..StepText::default() },
        }
    }

    /// A number that is another one where the index of the run tells something else of what the part says.
    pub fn print(&self, part: &Range<usize>) -> i64 {
        let mut print = DefaultHasher::new();
        for moment in &self.moments[part.clone()] {
            moment.hash(&mut print);
            match moment.step.and_then(|(id, _)| self.opened.run.step(id)) {
                Some(step) => {
                    (step.place, step.kind.word(), step.failed()).hash(&mut print);
                    step.tool.as_ref().map(|tool| &tool.name).hash(&mut print);
                    step.result().map(|result| (result.place, result.bytes)).hash(&mut print);
                    paths(step).for_each(|path| path.hash(&mut print));
                }
                None => {
                    let turn = self.opened.run.turns.get(moment.turn);
                    turn.map(|turn| (turn.request, &turn.added)).hash(&mut print);
                }
            }
        }
        print.finish().cast_signed()
    }

    /// The words of a part.
    pub fn words(&self, part: &Range<usize>, gathered: &mut Gathered) -> String {
        for moment in &self.moments[part.clone()] {
            let texts = self.texts(*moment);
            gathered.add("", &texts.text);
            texts.arguments.iter().chain(&texts.result).for_each(|text| gathered.add("", text));
            let Some(step) = moment.step.and_then(|(id, _)| self.opened.run.step(id)) else {
                continue;
            };
            step.tool.iter().for_each(|tool| gathered.add(TOOL, &tool.name));
            if step.failed() {
                gathered.add_word(FAILED);
            }
            for path in paths(step) {
                gathered.add("", &path);
                gathered.add(EDITED, &path);
            }
        }
        gathered.take()
    }
}

fn size(run: &Run, moment: Moment) -> u64 {
    let len = |place: Option<Place>| place.map_or(0, |place| place.len);
    match moment.step.map(|(id, _)| run.step(id)) {
        Some(step) => {
            let result = step.and_then(|step| step.result()).map(|result| result.place);
            len(step.map(|step| step.place)).saturating_add(len(result))
        }
        None => len(run.turns.get(moment.turn).and_then(|turn| turn.request)),
    }
}

/// The names of the files that a step edits, the old names of renames included.
fn paths(step: &Step) -> impl Iterator<Item = String> {
    step.edits.iter().flat_map(|edit| edit.from.iter().chain([&edit.path])).map(ToString::to_string)
}
