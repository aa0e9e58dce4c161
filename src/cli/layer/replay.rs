//! A layer asked and told over a recorded run.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::cli::Failure;
use trajview_layers::{
    Answer, Brief, Helper, Layer, Prompt, Spec, Spent, measure::share_named, project::ChangeKind,
    stack::Said,
};
use trajview_run::{Run, Time};
use trajview_store::{
    Opened,
    layers::{Feed, history},
};

/// What is replayed, and where it is kept.
pub struct Replay<'a> {
    pub opened: &'a Opened,
    pub spec: &'a Spec,
    /// The folder that gets `layers/<name>`; None to keep nothing.
    pub out: Option<&'a Path>,
}

/// One turn of a layer.
pub struct Turn {
    /// Counts from 1.
    pub turn: usize,
    /// None where it said nothing.
    pub brief: Option<Brief>,
    /// Of the project's classes and functions the part that the brief names; None where there are none.
    pub share: Option<f64>,
    /// The files that the turn touched, where they were before it and where they are after.
    pub touched: Vec<String>,
    /// For the brief and for taking in the turn.
    pub spent: Spent,
    /// The layer's own time for the turn, model included.
    pub took: Duration,
    /// What went wrong, in sentences.
    pub problems: Vec<String>,
}

impl Replay<'_> {
    pub fn play(
        &self,
        layer: &mut dyn Layer,
        helper: &mut dyn Helper,
    ) -> Result<Vec<Turn>, Failure> {
        let mut feed = Feed::new(self.opened).map_err(Failure::unread)?;
        let mut helper = Counting { helper, spent: Spent::default() };
        let mut turns = vec![];
        while let Some(moment) = feed.moment() {
            let began = Instant::now();
            let (turn, commit) = (moment.turn, moment.project.commit.clone());
            let mut problems = vec![];
            let brief = layer.before(&moment, &mut helper).unwrap_or_else(|why| {
                problems.push(why);
                None
            });
            let mut took = began.elapsed();
            let share = share_named(&brief.clone().unwrap_or_default(), moment.project);
            let before = std::mem::take(&mut helper.spent);
            let Some(done) = feed.go_on() else { break };
            let mut touched = vec![];
            for change in done.changes {
                touched.push(change.path.to_string());
                if let ChangeKind::Renamed { from } = &change.kind {
                    touched.push(from.to_string());
                }
            }
            let began = Instant::now();
            problems.extend(layer.after(&done, &mut helper).err());
            took += began.elapsed();
            let after = std::mem::take(&mut helper.spent);
            if let Some(out) = self.out {
                let said = brief.clone().map(|brief| Said {
                    layer: layer.name().to_owned(),
                    brief,
                    spent: before,
                });
                let entry = history::Entry {
                    spec: self.spec,
                    turn,
                    commit: commit.as_deref(),
                    state: &layer.state(),
                    said: said.as_ref(),
                    given: &[],
                    after,
                    at: ended(&self.opened.run, turn),
                };
                history::append(out, &entry)?;
            }
            let spent = before.and(after);
            turns.push(Turn { turn, brief, share, touched, spent, took, problems });
        }
        if let Some(out) = self.out {
            history::pack(out, self.spec)?;
        }
        Ok(turns)
    }
}

/// When a turn (counts from 1) ended, as far as the recording tells.
fn ended(run: &Run, turn: usize) -> Time {
    let at = run.turns.get(turn - 1).and_then(|turn| turn.ended_at.or(turn.started_at));
    at.or(run.ended_at).or(run.started_at).unwrap_or(Time(0))
}

/// A helper whose spending is added up.
struct Counting<'a> {
    helper: &'a mut dyn Helper,
    spent: Spent,
}

impl Helper for Counting<'_> {
    fn is_available(&self) -> bool {
        self.helper.is_available()
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, String> {
        let answer = self.helper.ask(prompt)?;
        self.spent = self.spent.and(answer.spent);
        Ok(answer)
    }
}
