//! Replays a recorded run to a layer.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::cli::CommandFailure;
use trajview_analysis::layers::RunFeed;
use trajview_layers::{
    Brief, HelperAnswer, HelperCost, HelperModel, HelperPrompt, Layer, LayerSpec,
    brief_measures::share_named, project::ChangeKind, stack::LayerBrief,
};
use trajview_run::{Run, Time};
use trajview_store::{OpenedRecording, layers::layer_history};

/// The run and the layer to replay, and the folder for its files.
pub struct LayerReplay<'a> {
    pub opened: &'a OpenedRecording,
    pub spec: &'a LayerSpec,
    /// The folder that gets `layers/<name>`; None to keep nothing.
    pub out: Option<&'a Path>,
}

/// One turn of a layer.
pub struct ReplayedTurn {
    /// Counts from 1.
    pub turn: usize,
    /// None if the layer gave no text.
    pub brief: Option<Brief>,
    /// The share of the project's classes and functions that the brief names. None if there are none.
    pub share: Option<f64>,
    /// The files that the turn touched, where they were before it and where they are after.
    pub touched: Vec<String>,
    /// Cost of the brief and of learning the turn.
    pub spent: HelperCost,
    /// The layer's own time for the turn, model included.
    pub took: Duration,
    /// Sentences about errors.
    pub problems: Vec<String>,
}

impl LayerReplay<'_> {
    pub(crate) fn play_turns(
        &self,
        layer: &mut dyn Layer,
        helper: &mut dyn HelperModel,
    ) -> Result<Vec<ReplayedTurn>, CommandFailure> {
        let mut feed = RunFeed::new(self.opened).map_err(CommandFailure::cannot_read)?;
        let mut helper = CountingHelper { helper, spent: HelperCost::default() };
        let mut turns = vec![];
        while let Some(moment) = feed.next_moment() {
            let began = Instant::now();
            let (turn, commit) = (moment.turn, moment.project.commit.clone());
            let mut problems = vec![];
            let brief = layer.before_request(&moment, &mut helper).unwrap_or_else(|why| {
                problems.push(why);
                None
            });
            let mut took = began.elapsed();
            let share = share_named(&brief.clone().unwrap_or_default(), moment.project);
            let before = std::mem::take(&mut helper.spent);
            let Some(done) = feed.finish_turn() else { break };
            let mut touched = vec![];
            for change in done.changes {
                touched.push(change.path.to_string());
                if let ChangeKind::Renamed { from } = &change.kind {
                    touched.push(from.to_string());
                }
            }
            let began = Instant::now();
            problems.extend(layer.after_turn(&done, &mut helper).err());
            took += began.elapsed();
            let after = std::mem::take(&mut helper.spent);
            if let Some(out) = self.out {
                let layer_brief = brief.clone().map(|brief| LayerBrief {
                    layer: layer.name().to_owned(),
                    brief,
                    spent: before,
                });
                let entry = layer_history::LayerEntry {
                    spec: self.spec,
                    turn,
                    commit: commit.as_deref(),
                    state: &layer.state(),
                    layer_brief: layer_brief.as_ref(),
                    deliveries: &[],
                    after,
                    at: turn_end_time(&self.opened.run, turn),
                };
                layer_history::append_turn(out, &entry)?;
            }
            let spent = before.combined_with(after);
            turns.push(ReplayedTurn { turn, brief, share, touched, spent, took, problems });
        }
        if let Some(out) = self.out {
            layer_history::pack_layer(out, self.spec)?;
        }
        Ok(turns)
    }
}

/// Returns the time at which a turn (counts from 1) ended, as far as it is recorded.
fn turn_end_time(run: &Run, turn: usize) -> Time {
    let at = run.turns.get(turn - 1).and_then(|turn| turn.ended_at.or(turn.started_at));
    at.or(run.ended_at).or(run.started_at).unwrap_or(Time(0))
}

/// A helper whose spending is added up.
struct CountingHelper<'a> {
    helper: &'a mut dyn HelperModel,
    spent: HelperCost,
}

impl HelperModel for CountingHelper<'_> {
    fn is_available(&self) -> bool {
        self.helper.is_available()
    }

    fn ask_model(&mut self, prompt: &HelperPrompt) -> Result<HelperAnswer, String> {
        let answer = self.helper.ask_model(prompt)?;
        self.spent = self.spent.combined_with(answer.spent);
        Ok(answer)
    }
}
