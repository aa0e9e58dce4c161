//! Flags beside the lines of the replay: those of the state that the diff shows.

use std::ops::RangeInclusive;

use crate::{run::flags::Flag, session::files::Scope, shell::replay::Replay};

use super::states::By;

/// Lines that are flagged.
#[derive(Debug, Clone, PartialEq)]
pub struct FlagMark {
    pub flag: Flag,
    /// Of the file as it was judged, counting from 1.
    pub lines: RangeInclusive<usize>,
    /// Who flagged them.
    by: String,
}

impl FlagMark {
    /// `⚑ copied-logic`
    pub fn label(&self) -> String {
        format!("⚑ {}", self.flag.criterion)
    }

    fn why(&self) -> (String, String) {
        let (first, last) = (self.lines.start(), self.lines.end());
        let kind = self.flag.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let sure = self.flag.confidence;
        let sure = sure.map(|it| format!(", confidence {it} of 5")).unwrap_or_default();
        let carried = self.flag.carried_from.as_deref();
        let carried = carried.map(|from| format!(", carried from {from}")).unwrap_or_default();
        let said = self.flag.explanation.as_deref().unwrap_or("No explanation is given.");
        let by = &self.by;
        let words = format!("lines {first}–{last}{kind}: {by}{sure}{carried}. {said}");
        (self.label(), words)
    }
}

impl Replay {
    /// The flags in the file that the diff shows, of every judge that judged the state it shows.
    pub fn flag_marks(&self) -> Vec<FlagMark> {
        let Some(key) = self.diff_key().filter(|_| self.curves.has_marks) else { return vec![] };
        let turn = match key.scope {
            Scope::Turn(turn) | Scope::At(turn) => turn,
            Scope::Since { done, turn } if done <= turn => turn,
            Scope::Since { .. } | Scope::Step(_) => return vec![],
        };
        let mut marks: Vec<FlagMark> = vec![];
        for source in self.flag_sources() {
            let by = match source.by {
                By::Recorded => "recorded".to_owned(),
                judge @ By::Judge(_) => judge.words(),
            };
            // Of several judgings of this state the last one speaks.
            let Some(state) = source.states.iter().rfind(|it| it.turn == Some(turn + 1)) else {
                continue;
            };
            let here = state.flags.iter().filter(|flag| *flag.path == *key.path.as_str());
            marks.extend(here.filter_map(|flag| {
                let (start, end) = (flag.start? as usize, flag.end? as usize);
                Some(FlagMark { flag: flag.clone(), lines: start..=end, by: by.clone() })
            }));
        }
        marks
    }

    /// What the flags at the cursor of the diff say, one paragraph each.
    pub(crate) fn why_flagged(&self, line: usize) -> Vec<(String, String)> {
        let marks = self.flag_marks().into_iter().filter(|mark| mark.lines.contains(&line));
        marks.map(|mark| mark.why()).collect()
    }
}
