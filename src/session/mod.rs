//! What is known of the run that is open, whatever view shows it, and the turn that is looked at.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

use std::sync::Arc;

use crate::{
    code::patch::LineCounts,
    run::{Run, files::Timeline},
    session::{
        ask::Loading,
        digest::{Digest, Lines},
        follow::{End, Follow},
    },
};

pub mod ask;
pub mod cache;
pub mod digest;
pub mod follow;
pub mod growth;
pub mod place;
pub mod question;
pub mod views;

use growth::Growth;

/// A run, what was worked out of it so far, and the place in it.
#[derive(Debug)]
pub struct Session {
    pub run: Arc<Run>,
    /// Not only the beginning of a recording whose rest is still being read.
    pub is_whole: bool,
    /// A turn that was asked for and is not in the run so far; counts from 0.
    pub beyond: Option<usize>,
    /// One a turn.
    pub digests: Vec<Digest>,
    pub timeline: Loading<Arc<Timeline>>,
    /// Lines of every change of every turn, as the timeline lists them; None for what has no lines.
    pub counts: Loading<Arc<Counts>>,
    /// The selected turn, counts from 0; 0 too where the run has none.
    pub turn: usize,
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
    pub follow: Follow,
    pub growth: Growth,
}

/// One list a turn, one entry a change.
pub type Counts = Vec<Vec<Option<LineCounts>>>;

impl Session {
    pub fn of(run: Arc<Run>) -> Self {
        let turns = 0..run.turns.len();
        let digests = turns.map(|turn| Digest::of(&run, &run.steps_of_turn(turn))).collect();
        Self {
            run,
            is_whole: true,
            beyond: None,
            digests,
            timeline: Loading::Nothing,
            counts: Loading::Nothing,
            turn: 0,
            notice: None,
            follow: Follow::default(),
            growth: Growth::default(),
        }
    }

    /// Lines by which the files after a turn differ from those before. None until they are counted: the sum of what the
    /// recorded edits wrote is another number.
    pub fn lines_of_turn(&self, turn: usize) -> Option<Lines> {
        let counts = self.counts.ready()?.get(turn)?.iter().flatten().copied().map(Lines::from);
        counts.reduce(|mut sum, lines| {
            sum.add(lines);
            sum
        })
    }

    /// Whether a turn is known to have changed nothing: not so where nothing says what the files were after it.
    pub fn left_all_alone(&self, turn: usize) -> bool {
        let counts = self.counts.ready().and_then(|counts| counts.get(turn));
        let is_untold =
            |timeline: &Arc<Timeline>| timeline.turns.get(turn).is_some_and(|it| it.is_untold);
        counts.is_some_and(Vec::is_empty) && !self.timeline.ready().is_some_and(is_untold)
    }

    /// How far the run goes.
    pub fn end(&self) -> End {
        let last = self.run.turns.len().saturating_sub(1);
        let steps = self.run.turns.last().map_or(0, |_| self.run.steps_of_turn(last).len());
        End { turns: self.run.turns.len(), steps }
    }

    /// `2 new turns`: what was written after the place that is looked at.
    pub fn news(&self) -> Option<String> {
        self.follow.news(self.end())
    }
}
