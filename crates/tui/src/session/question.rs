//! The questions to the reader of recordings, and their answers.
//!
//! A [`Question`] is a plain value; an [`Executor`] answers it, and an [`Answer`] has the result, or a sentence. All
//! three are made from one list, so that a question without an answer does not compile. To add a question add a row
//! to the list, answer it in `runtime::world`, and use it where it is needed; [`super::pending`] has the caches of
//! answers and drops late ones.

use std::{path::PathBuf, sync::Arc};

use crate::session::{
    self,
    code_measures::{MovedScores, RulerName},
    columns::RunTableColumn,
    compare_protocol::MeasuredRunMoment,
    export_job::ExportJob,
    files::coloured_texts::{ColouredSides, TextsToColour},
    integration::DependencyIntegration,
    jobs::{CheckJob, FormRequest, JobPlan, JobRefusal, TestJob},
    judging::JudgingUpdate,
    label_protocol::{LabelSave, SavedLabels, ScorePairs},
    sql_filter::FilterRequest,
    table_protocol::{FoundRuns, PairedSides, ReadDepth, RunOrder, RunRequest},
};
use trajview_layers::record::LayerRecord;
use trajview_metrics::{
    absence::CandidatePlace,
    cost::RunCost,
    decisions::DecisionLane,
    lifeline::{self, Lifeline},
    memory::MemoryTimeline,
    process::ProcessReport,
};
use trajview_run::{
    RepoPath, Run, SourceId, StepId, StepText,
    files::{
        FileChange, FileDiff, RunMoment, Timeline,
        blame::BlamedLine,
        history::{ChangeHistory as Past, HistoryQuery as PastWanted},
    },
    judging::{JudgeEntry, JudgingOutcome, JudgingPlan, JudgingRequest, JudgingStart},
    lookup::{LookupTotals, RunHits},
    pictures::raster::DecodedImage,
    rubric::{Component, GoldLabel, Label, LabelFile, Rubric, Verdict},
    search::{SearchHit, SearchQuery},
    terminal_recording::{PieceStart, TerminalPiece, TerminalRecording},
};
use trajview_study::{
    Estimate,
    compare::{ComparedRun, ComparedTranscripts, ComparedTrees},
    crash_test::CrashReport,
    paired::TestedMetric,
};

use super::{request::Sentence, turn_counts::ChangeLineCounts};

/// Makes the questions, their answers and who gives them from one list: `Name, method { what it needs } -> what it gives`.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident, $method:ident { $($field:ident: $type:ty),* } -> $reply:ty;)*) => {
        /// A question.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Question {
            $($(#[$doc])* $name { $($field: $type),* },)*
        }

        /// The result of a question; an error is a sentence.
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
            /// Answers the question.
            pub fn carry_out(self, executor: &impl Executor) -> Answer {
                match self {
                    $(Self::$name { $($field),* } => Answer::$name(executor.$method($($field),*)),)*
                }
            }

            /// Returns the constructor of a failed answer.
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
    LineCounts, line_counts { run: Arc<Run> } -> Arc<ChangeLineCounts>;
    /// The words of a step.
    StepText, step_text { run: Arc<Run>, step: StepId } -> Arc<StepText>;
    /// The words of a turn's request; turns count from 0.
    RequestText, request_text { run: Arc<Run>, turn: usize } -> Arc<StepText>;
    /// The images of a step and of its result; without a step those of the turn's request. Turns count from 0.
    Images, images { run: Arc<Run>, turn: usize, step: Option<StepId> } -> Arc<Vec<DecodedImage>>;
    /// A change, line by line, with so many lines of context.
    Diff, diff { run: Arc<Run>, change: FileChange, context: usize } -> FileDiff;
    /// The changes between two moments, counted in turns done.
    ChangesBetween, changes_between { run: Arc<Run>, before: usize, after: usize } -> Vec<FileChange>;
    /// The writers of the lines of a file, at a moment.
    Blame, blame { run: Arc<Run>, path: RepoPath, moment: RunMoment } -> Vec<BlamedLine>;
    /// A recorded terminal among the files of the run, without its output.
    TerminalRecording, terminal_recording { run: Arc<Run>, source: SourceId } -> Arc<TerminalRecording>;
    /// The events of a piece of a recorded terminal.
    TerminalPiece, terminal_piece { source: SourceId, piece: PieceStart } -> Arc<TerminalPiece>;
    /// Every change to a file, or to a definition in it.
    History, history { run: Arc<Run>, wanted: PastWanted } -> Arc<Past>;
    /// Syntax colours of two texts.
    Colours, colours { texts: TextsToColour } -> ColouredSides;
    /// The crash tests of judges beside the run, the newest first.
    CrashTests, crash_tests { run: Arc<Run> } -> Arc<Vec<CrashReport>>;
    /// A search through the whole recording; the hits that [`AnswerPart::Hits`] did not bring yet.
    Search, search { run: Arc<Run>, query: SearchQuery } -> Vec<SearchHit>;
    /// Erosion, verbosity and the rest at these moments.
    Scores, scores { run: Arc<Run>, moments: Vec<RunMoment> } -> session::code_measures::MeasuredMoments;
    /// The changes behind the scores between two moments.
    Moved, moved { run: Arc<Run>, before: RunMoment, after: RunMoment } -> Arc<MovedScores>;
    /// The rubric of the run: components, exposure, judgements, labels.
    Rubric, rubric { run: Arc<Run> } -> Arc<Rubric>;
    /// The share of the modules' exports that is reused, after so many turns; None where the files are unknown.
    Reuse, reuse { run: Arc<Run>, done: usize } -> Option<DependencyIntegration>;
    /// The lifelines of these components, turn by turn.
    Lifelines, lifelines { run: Arc<Run>, components: Vec<lifeline::FollowedComponent> } -> Arc<Vec<Lifeline>>;
    /// The process of the run; None where the recording does not have it.
    Process, process { run: Arc<Run> } -> Option<Arc<ProcessReport>>;
    /// The decisions of the store that is named, else of the run's own, over its steps; None where it has none.
    Decisions, decisions { run: Arc<Run> } -> Option<Arc<DecisionLane>>;
    /// The cost of the run at list prices, by the current prices.
    Cost, cost { run: Arc<Run> } -> Arc<RunCost>;
    /// The output of a memory, and its stale part; None where the run has no `memory.jsonl`.
    Memory, memory { run: Arc<Run> } -> Option<Arc<MemoryTimeline>>;
    /// Writes the decisions of the requests into the bundle as its store of decisions. A sentence.
    DrawDecisions, draw_decisions { run: Arc<Run> } -> String;
    /// The briefs and states of layers of project state over the run; empty where none is recorded.
    Layers, layers { run: Arc<Run> } -> Option<Arc<Vec<LayerRecord>>>;
    /// The labels of this rater so far.
    Labels, labels { annotator: String } -> LabelFile;
    /// Saves a label or seen verdicts of a rater: into this folder, or into the bundle of the open run; `seen` is
    /// what the rater saw of the thing before a label.
    SaveLabel, save_label { place: Option<PathBuf>, annotator: String, what: LabelSave, seen: Option<Label> } -> SavedLabels;
    /// Saves the outcome for a thing. Returns all outcomes in that folder.
    SaveGold, save_gold { place: PathBuf, gold: Box<GoldLabel> } -> Vec<GoldLabel>;
    /// The labels of all raters in each of these folders.
    StudyLabels, study_labels { places: Vec<PathBuf> } -> Vec<Vec<LabelFile>>;
    /// The places that look like a component after so many turns. Without a verdict nothing of a judge's trace is
    /// included.
    Places, places { run: Arc<Run>, done: usize, component: Component, verdict: Option<Verdict> } -> Arc<Vec<CandidatePlace>>;
    /// Weighted kappa of scores of a judge and a rater, with its interval.
    Agreement, agreement { pairs: ScorePairs } -> Estimate;

    /// Runs that are set beside each other, with what they are judged by.
    Parties, parties { paths: Vec<PathBuf> } -> Vec<ComparedRun>;
    /// The numbers of a run's code at these moments, in turns done.
    PartyScores, party_scores { path: PathBuf, moments: Vec<usize> } -> (RulerName, Vec<MeasuredRunMoment>);
    /// The lifelines of these components in one of the runs.
    PartyLifelines, party_lifelines { path: PathBuf, components: Vec<lifeline::FollowedComponent> } -> Arc<Vec<Lifeline>>;
    /// The files that two runs ended with.
    Trees, trees { paths: [PathBuf; 2] } -> ComparedTrees;
    /// The requests, calls and edits of two runs, aligned.
    Transcripts, transcripts { paths: [PathBuf; 2] } -> Arc<ComparedTranscripts>;
    /// One of the files, line by line.
    FileBetween, file_between { paths: [PathBuf; 2], change: Box<FileChange> } -> FileDiff;
    /// A file of a run as it stood after so many turns.
    FileText, file_text { path: PathBuf, file: String, done: usize } -> Arc<str>;

    /// The runs below these paths, reported in parts.
    RunPaths, run_paths { sources: Vec<PathBuf>, order: RunOrder } -> ();
    /// The cards of these runs, reported in parts.
    Cards, cards { depth: ReadDepth, asked: Vec<RunRequest> } -> ();
    /// The measures of the files of these runs, reported in parts.
    RunScores, run_scores { asked: Vec<RunRequest> } -> ();
    /// A search for one line in all runs below these paths, reported in parts.
    Find, find { sources: Vec<PathBuf>, words: String } -> LookupTotals;
    /// The rows of a table that fit an expression in SQL, by their numbers; None while their values are sent.
    Filtered, filtered { wanted: FilterRequest } -> Option<Vec<usize>>;
    /// Two sides, tested column by column.
    PairTests, pair_tests { sides: PairedSides } -> Vec<TestedMetric<RunTableColumn>>;

    /// The plan of a job; nothing is started.
    JobPlan, job_plan { wanted: FormRequest } -> Result<JobPlan, JobRefusal>;
    /// The agents of this machine with their versions, and the last form values for this task; first without
    /// versions, as a part.
    Agents, agents { origin: session::jobs::FormOrigin } -> session::jobs::FormFacts;
    /// Runs a command of the user on the files at checkpoints. A sentence about all of them; each is reported.
    CheckpointTests, checkpoint_tests { run: Arc<Run>, tests: TestJob } -> String;
    /// Runs commands of the user on the files after each turn, or each edit. A sentence about all of them; each is reported.
    StateChecks, state_checks { checks: CheckJob } -> String;
    /// Writes runs elsewhere. A sentence.
    Export, export { job: ExportJob } -> String;

    /// The plan of a judging of a run of so many turns; nothing is sent.
    JudgePlan, judge_plan { turns: usize, wish: JudgingRequest } -> JudgingPlan;
    /// All judges, and what is wrong with the settings, if anything is. The settings are read again, and keys,
    /// programs and servers of this machine are looked up; judges that need no lookup come first, as a part.
    Judges, judges {} -> (Vec<JudgeEntry>, Option<Sentence>);
    /// All judges, with the models of the judge of this name, where they are available.
    Models, models { judge: String } -> Vec<JudgeEntry>;
    /// The judge of this name with this model is to be in the settings. A sentence.
    KeepJudge, keep_judge { judge: String, model: String } -> String;
    /// A judging of a run of so many turns, reported while it runs. It never fails: its outcome says how it ended.
    Judging, judging { turns: usize, wish: JudgingRequest, start: JudgingStart } -> JudgingOutcome;
}

/// A partial answer that arrives before the answer itself.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerPart {
    Hits(Vec<SearchHit>),
    /// The number of files read, and of all; the numbers follow.
    Measured(usize, usize),
    Runs(FoundRuns),
    /// The hits in some runs.
    RunHits(Vec<RunHits>),
    /// A checkpoint was tested.
    Tested(String, session::jobs::CheckpointOutcome),
    /// Agents, without their versions.
    Agents(session::jobs::FormFacts),
    Judges(Vec<JudgeEntry>),
    /// The update of a judging, after so many seconds.
    Judging(JudgingUpdate),
}
