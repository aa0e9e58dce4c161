//! The place of the playhead within its turn, and pending moves of it; for a recording that is still being written,
//! whether the playhead follows its end.

use trajview_run::StepId;

/// The state of the playhead and of the end of a growing run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FollowState {
    pub is_following: bool,
    /// True where the run has grown and is not followed.
    pub has_more: bool,
    /// Turns and steps of the last one when the playhead was last at the end.
    seen: RunEnd,
    /// The turn that was on before others selected one, until the replay has followed them.
    pub left_turn: Option<usize>,
    /// A step that others selected, until the replay has followed them.
    pub wanted_step: Option<StepId>,
    /// The step that is looked at, with its number in its turn; None where the turn as a whole is.
    pub step: Option<(StepId, usize)>,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunEnd {
    pub turns: usize,
    /// The steps of the last turn.
    pub steps: usize,
}

impl FollowState {
    /// Notes that everything up to this end of the run has been seen.
    pub(crate) const fn mark_seen(&mut self, end: RunEnd) {
        self.seen = end;
    }

    /// Returns a text about new turns or steps: `2 new turns`; None while there is nothing new.
    pub(crate) fn news_text(&self, end: RunEnd) -> Option<String> {
        let turns = end.turns.saturating_sub(self.seen.turns);
        let steps = end.steps.saturating_sub(self.seen.steps);
        match (turns, steps) {
            _ if !self.is_following => self.has_more.then(|| "new data: & follows".into()),
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
        let mut follow = FollowState { is_following: true, ..FollowState::default() };
        follow.mark_seen(RunEnd { turns: 3, steps: 4 });

        assert_eq!(follow.news_text(RunEnd { turns: 3, steps: 4 }), None);
        assert_eq!(follow.news_text(RunEnd { turns: 3, steps: 6 }).as_deref(), Some("2 new steps"));
        assert_eq!(follow.news_text(RunEnd { turns: 5, steps: 1 }).as_deref(), Some("2 new turns"));
        assert_eq!(FollowState::default().news_text(RunEnd { turns: 5, steps: 1 }), None);
        let follow = FollowState { has_more: true, ..FollowState::default() };
        assert!(
            follow.news_text(RunEnd::default()).is_some_and(|words| words.contains("& follows"))
        );
    }
}
