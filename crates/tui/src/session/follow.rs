//! Where the playhead is within its turn, and where others took it; of a recording that is still being written, whether it goes
//! along with the end.

use trajview_run::StepId;

/// What is known of the playhead and of the end of a run that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Follow {
    pub is_on: bool,
    /// It was written to and is not followed.
    pub has_more: bool,
    /// Turns and steps of the last one when the playhead was last at the end.
    seen: End,
    /// The turn that was on before others selected one, until the replay has followed them.
    pub left: Option<usize>,
    /// A step that others selected, until the replay has followed them.
    pub wanted: Option<StepId>,
    /// The step that is looked at, with its number in its turn; None where the turn as a whole is.
    pub step: Option<(StepId, usize)>,
}

/// How far a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End {
    pub turns: usize,
    /// Of the last turn.
    pub steps: usize,
}

impl Follow {
    /// The playhead is at the end: everything up to there has been seen.
    pub const fn see(&mut self, end: End) {
        self.seen = end;
    }

    /// What has been written behind the user's back: `2 new turns`; None while there is nothing new.
    pub fn news(&self, end: End) -> Option<String> {
        let turns = end.turns.saturating_sub(self.seen.turns);
        let steps = end.steps.saturating_sub(self.seen.steps);
        match (turns, steps) {
            _ if !self.is_on => self.has_more.then(|| "more was written: & follows".into()),
            (0, 0) => None,
            (0, 1) => Some("1 new step".into()),
            (0, steps) => Some(format!("{steps} new steps")),
            (1, _) => Some("1 new turn".into()),
            (turns, _) => Some(format!("{turns} new turns")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_what_came_since_the_end_was_last_seen() {
        let mut follow = Follow { is_on: true, ..Follow::default() };
        follow.see(End { turns: 3, steps: 4 });

        assert_eq!(follow.news(End { turns: 3, steps: 4 }), None);
        assert_eq!(follow.news(End { turns: 3, steps: 6 }).as_deref(), Some("2 new steps"));
        assert_eq!(follow.news(End { turns: 5, steps: 1 }).as_deref(), Some("2 new turns"));
        assert_eq!(Follow::default().news(End { turns: 5, steps: 1 }), None);
        let follow = Follow { has_more: true, ..Follow::default() };
        assert!(follow.news(End::default()).is_some_and(|words| words.contains("& follows")));
    }
}
