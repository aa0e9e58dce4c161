//! What is asked of whoever reads recordings, and what comes back.
//!
//! A [`Question`] is a plain value; an [`Executor`] answers it, and an [`Answer`] brings what it said, or a sentence. All
//! three are made from one list, so that a question without an answer does not compile. To ask something new add a row to
//! the list, answer it in `runtime::world`, and use it where it is wanted; [`super::ask`] has what keeps answers and drops
//! late ones.

use std::{path::PathBuf, sync::Arc};

use crate::session::{
    self,
    columns::Column,
    files::texts::{Sides, Texts},
    filtering::ToFilter,
    integration::Integration,
    jobs::{Checks, Plan as JobPlan, Refusal, Tests, Wanted},
    judging::{Judge, JudgingRequest, News, Outcome, Plan as JudgePlan, Start},
    measured::{Moved, RulerName},
    parties::Measured,
    runs::{Asked, Depth, Found as FoundRuns, Order, Sides as PairedSides},
    saved::{Pairs, Saved, ToSave},
};
use trajview_layers::record::Record;
use trajview_metrics::{
    absence::Place,
    cost::RunCost,
    decisions::Lane,
    lifeline::{self, Lifeline},
    memory::Course,
    process::Report,
};
use trajview_run::{
    RepoPath, Run, StepId, StepText,
    files::{
        Change, FileDiff, Moment, Timeline,
        blame::BlamedLine,
        history::{History as Past, Wanted as PastWanted},
    },
    lookup::{Looked, RunHits},
    pictures::raster::Decoded,
    rubric::{Component, Gold, Label, Labels, Rubric, Verdict},
    search::{Hit, Query},
};
use trajview_study::{
    Estimate,
    compare::{Party, Trees},
    paired::Tested,
};

use super::{digest::Counts, request::Sentence};

/// Makes the questions, their answers and who gives them from one list: `Name, method { what it needs } -> what it gives`.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident, $method:ident { $($field:ident: $type:ty),* } -> $reply:ty;)*) => {
        /// A question.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Question {
            $($(#[$doc])* $name { $($field: $type),* },)*
        }

        /// What came of a question; an error is a sentence.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Answer {
            $($(#[$doc])* $name(Result<$reply, Sentence>),)*
        }

        /// Whoever answers questions.
        pub trait Executor {
            $($(#[$doc])* ///
            /// # Errors
            /// A sentence where it cannot be answered.
            fn $method(&self, $($field: $type),*) -> Result<$reply, Sentence>;)*
        }

        impl Question {
            /// Has it answered.
            pub fn carry_out(self, executor: &impl Executor) -> Answer {
                match self {
                    $(Self::$name { $($field),* } => Answer::$name(executor.$method($($field),*)),)*
                }
            }

            /// Makes the answer of whoever was asked and failed.
            pub fn failure(&self) -> fn(Sentence) -> Answer {
                match self {
                    $(Self::$name { .. } => |why| Answer::$name(Err(why)),)*
                }
            }
        }
    };
}

questions! {
    /// The files over time.
    Timeline, timeline { run: Arc<Run> } -> Arc<Timeline>;
    /// Lines of every change of every turn.
    LineCounts, line_counts { run: Arc<Run> } -> Arc<Counts>;
    /// The words of a step.
    StepText, step_text { run: Arc<Run>, step: StepId } -> Arc<StepText>;
    /// The words of a turn's request; turns count from 0.
    RequestText, request_text { run: Arc<Run>, turn: usize } -> Arc<StepText>;
    /// The images of a step and of its result; without a step those of the turn's request. Turns count from 0.
    Images, images { run: Arc<Run>, turn: usize, step: Option<StepId> } -> Arc<Vec<Decoded>>;
    /// A change, line by line, with so many lines of context.
    Diff, diff { run: Arc<Run>, change: Change, context: usize } -> FileDiff;
    /// What changed between two moments, counted in turns done.
    ChangesBetween, changes_between { run: Arc<Run>, before: usize, after: usize } -> Vec<Change>;
    /// Who wrote the lines of a file, at a moment.
    Blame, blame { run: Arc<Run>, path: RepoPath, moment: Moment } -> Vec<BlamedLine>;
    /// Every change to a file, or to a definition in it.
    History, history { run: Arc<Run>, wanted: PastWanted } -> Arc<Past>;
    /// Syntax colours of two texts.
    Colours, colours { texts: Texts } -> Sides;
    /// Words in everything the recording says; the hits that [`Part::Hits`] did not bring yet.
    Search, search { run: Arc<Run>, query: Query } -> Vec<Hit>;
    /// Erosion, verbosity and the rest at these moments.
    Scores, scores { run: Arc<Run>, moments: Vec<Moment> } -> session::measured::Answer;
    /// What moved the scores between two moments.
    Moved, moved { run: Arc<Run>, before: Moment, after: Moment } -> Arc<Moved>;
    /// What the run is judged by: components, exposure, judgements, labels.
    Rubric, rubric { run: Arc<Run> } -> Arc<Rubric>;
    /// How much of what the modules offer is reused, after so many turns; None where nothing says what the files were.
    Reuse, reuse { run: Arc<Run>, done: usize } -> Option<Integration>;
    /// What became of these components, turn by turn.
    Lifelines, lifelines { run: Arc<Run>, components: Vec<lifeline::Asked> } -> Arc<Vec<Lifeline>>;
    /// How the run was worked on; None where the recording cannot tell.
    Process, process { run: Arc<Run> } -> Option<Arc<Report>>;
    /// The decisions of the store that is named, else of the run's own, over its steps; None where it has none.
    Decisions, decisions { run: Arc<Run> } -> Option<Arc<Lane>>;
    /// What the run costs at list prices, by the prices that hold.
    Cost, cost { run: Arc<Run> } -> Arc<RunCost>;
    /// What a memory gave the agent, and what of it was stale; None where the run has no `memory.jsonl`.
    Memory, memory { run: Arc<Run> } -> Option<Arc<Course>>;
    /// What the requests lay down is written into the bundle as its store of decisions. A sentence.
    DrawDecisions, draw_decisions { run: Arc<Run> } -> String;
    /// What layers of project state said and knew over the run; empty where none is recorded.
    Layers, layers { run: Arc<Run> } -> Option<Arc<Vec<Record>>>;
    /// What this rater has labelled so far.
    Labels, labels { annotator: String } -> Labels;
    /// What a rater said or saw, brought to the disk: into this folder, or into the bundle of the run that is open; `seen`
    /// is what the rater saw of the thing before a label.
    SaveLabel, save_label { place: Option<PathBuf>, annotator: String, what: ToSave, seen: Option<Label> } -> Saved;
    /// What was settled of a thing, brought to the disk. Everything that is settled in that folder.
    SaveGold, save_gold { place: PathBuf, gold: Box<Gold> } -> Vec<Gold>;
    /// What all raters have said in each of these folders.
    StudyLabels, study_labels { places: Vec<PathBuf> } -> Vec<Vec<Labels>>;
    /// Places that look like a component after so many turns. Without a verdict nothing is told of what a judge opened.
    Places, places { run: Arc<Run>, done: usize, component: Component, verdict: Option<Verdict> } -> Arc<Vec<Place>>;
    /// Weighted kappa of scores of a judge and a rater, with its interval.
    Agreement, agreement { pairs: Pairs } -> Estimate;

    /// Runs that are set beside each other, with what they are judged by.
    Parties, parties { paths: Vec<PathBuf> } -> Vec<Party>;
    /// The numbers of a run's code at these moments, in turns done.
    PartyScores, party_scores { path: PathBuf, moments: Vec<usize> } -> (RulerName, Vec<Measured>);
    /// The files that two runs ended with.
    Trees, trees { paths: [PathBuf; 2] } -> Trees;
    /// One of them, line by line.
    FileBetween, file_between { paths: [PathBuf; 2], change: Box<Change> } -> FileDiff;
    /// A file of a run as it stood after so many turns.
    FileText, file_text { path: PathBuf, file: String, done: usize } -> Arc<str>;

    /// The runs below these paths, told of in parts.
    RunPaths, run_paths { sources: Vec<PathBuf>, order: Order } -> ();
    /// What these runs say, told of in parts.
    Cards, cards { depth: Depth, asked: Vec<Asked> } -> ();
    /// What the files of these runs measure, told of in parts.
    RunScores, run_scores { asked: Vec<Asked> } -> ();
    /// What is written in one line, looked for in all runs below these paths, told of in parts.
    Find, find { sources: Vec<PathBuf>, words: String } -> Looked;
    /// The rows of a table that fit an expression in SQL, by their numbers; None while their values are sent.
    Filtered, filtered { wanted: ToFilter } -> Option<Vec<usize>>;
    /// Two sides, tested column by column.
    PairTests, pair_tests { sides: PairedSides } -> Vec<Tested<Column>>;

    /// What beginning a job would do; nothing is begun.
    JobPlan, job_plan { wanted: Wanted } -> Result<JobPlan, Refusal>;
    /// The agents of this machine with their versions, and what was said last about this task; first without versions, as
    /// a part.
    Agents, agents { task: String } -> session::jobs::Found;
    /// A command of the person's is run on the files at checkpoints. A sentence about all of them; each is told of.
    CheckpointTests, checkpoint_tests { run: Arc<Run>, tests: Tests } -> String;
    /// Commands of the person's are run on the files of every turn. A sentence about all of them; each is told of.
    StateChecks, state_checks { checks: Checks } -> String;

    /// What a judging would take, of a run of so many turns; nothing is sent.
    JudgePlan, judge_plan { turns: usize, wish: JudgingRequest } -> JudgePlan;
    /// Everybody who can be asked, and what is wrong with the settings, if anything is. The settings are read again, keys,
    /// programs and servers of this machine are looked for; those that need no looking come first, as a part.
    Judges, judges {} -> (Vec<Judge>, Option<Sentence>);
    /// Everybody who can be asked, with the models of the judge of this name, where they can be had.
    Models, models { judge: String } -> Vec<Judge>;
    /// The judge of this name with this model is to be in the settings. A sentence.
    KeepJudge, keep_judge { judge: String, model: String } -> String;
    /// A judging of a run of so many turns, told of while it goes on. It never fails: how it ended is its outcome.
    Judging, judging { turns: usize, wish: JudgingRequest, start: Start } -> Outcome;
}

/// What is known before a question is answered, or the beginning of its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Hits(Vec<Hit>),
    /// So many of so many files are read; the numbers follow.
    Measured(usize, usize),
    Runs(FoundRuns),
    /// What was found in some runs.
    RunHits(Vec<RunHits>),
    /// A checkpoint was tested.
    Tested(String, session::jobs::Outcome),
    /// Agents, without their versions.
    Agents(session::jobs::Found),
    Judges(Vec<Judge>),
    /// After so many seconds.
    Judging(f64, News),
}
