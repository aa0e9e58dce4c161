//! The columns whose values are in the card of a run: its words, and the facts that identify a session.
//!
//! To add a column write one row below, and its place in the columns of scores or of sessions.

use std::borrow::Cow;

use trajview_run::{
    RunCard, Time, format_number,
    trial::{TrialColumn, reward_text},
};

use super::{ColumnInfo, ColumnKind, ColumnSource, text_column};

/// The card of a run, and whether the recording was read to its end.
#[derive(Debug, Clone, Copy)]
pub struct ReadCard<'c> {
    pub card: &'c RunCard,
    pub is_whole: bool,
}

impl<'c> ReadCard<'c> {
    fn whole_card(self) -> Option<&'c RunCard> {
        Some(self.card).filter(|_| self.is_whole)
    }
}

/// How a column gets its value from a card. None is "not recorded".
#[derive(Clone, Copy)]
pub enum CardValue {
    Words(fn(ReadCard<'_>) -> Option<Cow<'_, str>>),
    Number { value: fn(ReadCard<'_>) -> Option<f64>, format: fn(f64) -> String },
}

/// A column that is read from the card.
struct CardColumnRow {
    info: ColumnInfo,
    help: &'static str,
    value: CardValue,
}

/// Defines [`CardColumn`] from its rows: the word (a literal or a constant), the least and the most cells, what the column means, and its
/// value.
macro_rules! card_columns {
    ($($column:ident = $word:expr, $cells:expr, $help:expr, $value:expr;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CardColumn { $($column),* }

        static ROWS: &[CardColumnRow] = &[$(
            CardColumnRow { info: text_column($word, $cells), help: $help, value: $value },
        )*];
    };
}

#[rustfmt::skip] // a table: one row a column
card_columns! {
    Task = TrialColumn::Task.word(), [10, 16], TrialColumn::Task.meaning(),
        words(|read| read.card.identity.task.as_deref().map(Cow::from));
    Outcome = TrialColumn::Outcome.word(), [8, 8], TrialColumn::Outcome.meaning(),
        words(|read| Some(read.card.trial.outcome?.word().into()));
    Reward = TrialColumn::Reward.word(), [6, 8], TrialColumn::Reward.meaning(),
        CardValue::Number { value: |read| read.card.trial.reward, format: reward_text };
    Attempt = TrialColumn::Attempt.word(), [7, 7], TrialColumn::Attempt.meaning(),
        CardValue::Number { value: |read| read.card.trial.attempt.map(f64::from), format: |number| number.to_string() };
    Agent = "agent", [9, 18], "the agent and its version",
        words(|read| read.card.identity.agent.as_deref().map(Cow::from));
    Condition = "condition", [11, 11], "emergent or single-shot",
        words(|read| read.card.identity.condition.as_deref().map(Cow::from));
    RewardName = TrialColumn::RewardName.word(), [11, 16], TrialColumn::RewardName.meaning(),
        words(|read| read.card.trial.reward_name.as_deref().map(Cow::from));
    Error = TrialColumn::Error.word(), [12, 40], TrialColumn::Error.meaning(),
        words(|read| read.card.trial.error.as_deref().map(Cow::from));
    Corrected = "corrected", [10, 10], "MCF corrected by blind labels of people, with half the width of its 95 % interval",
        CardValue::Number { value: |read| Some(read.card.mcf.as_ref()?.corrected.as_ref().ok()?.value), format: |mean| format_number::with_decimals(mean, 2) };
    Judge = "judge", [6, 14], "the judge of MCF and IF50: the pinned one, else that of the last judgement of the complete checklist",
        words(|read| Some(read.card.mcf.as_ref()?.judge.as_str().into()));
    JudgedTurn = "judged_turn", [7, 7], "the turn whose code was judged for MCF and IF50",
        CardValue::Number { value: |read| Some(read.card.mcf.as_ref()?.done as f64), format: |turn| turn.to_string() };
    Model = "model", [10, 16], "the model as the recording names it",
        words(|read| read.card.identity.model.as_deref().map(Cow::from));
    Title = "title", [12, 40], "the name in the recording",
        words(|read| Some(read.card.identity.title.as_str().into()));
    When = "when", [16, 16], "the last recorded moment, else when the file was written, in UTC",
        CardValue::Number { value: last_active_at, format: |millis| Time(millis as i64).minute_text() };
    State = "state", [8, 14], "working (in a tool that has not returned), waiting for the user, or stopped; as of the last update",
        words(|read| Some(read.whole_card()?.work.activity.as_ref()?.display_text().into()));
    Project = "project", [8, 18], "the last part of the agent's working directory",
        words(|read| read.card.work.project_name().map(Cow::from));
    Request = "request", [20, 40], "the first request, its first line",
        words(|read| read.card.identity.request.as_deref().map(Cow::from));
    Branch = "branch", [6, 16], "the recorded version-control branch at the start",
        words(|read| read.card.work.branch.as_deref().map(Cow::from));
    Steps = "steps", [6, 6], "messages, thinking and tool calls, those of sub-agents too",
        count(|read| Some(read.whole_card()?.work.steps as f64));
    Edits = "edits", [6, 6], "recorded changes of files, those of sub-agents too",
        count(|read| Some(read.whole_card()?.work.edits? as f64));
    Failures = "failures", [6, 6], "failed calls, as far as their results are recorded",
        count(|read| Some(read.whole_card()?.trouble.failures? as f64));
}

const fn words(value: fn(ReadCard<'_>) -> Option<Cow<'_, str>>) -> CardValue {
    CardValue::Words(value)
}

const fn count(value: fn(ReadCard<'_>) -> Option<f64>) -> CardValue {
    CardValue::Number { value, format: |count| format_number::short_count(count.round() as u64) }
}

/// Returns the time of a session, which is known before the rest is read.
fn last_active_at(read: ReadCard<'_>) -> Option<f64> {
    let work = &read.card.work;
    let millis = if read.is_whole { work.last_active_at() } else { work.written_at };
    millis.map(|millis| millis as f64)
}

impl CardColumn {
    fn row(self) -> &'static CardColumnRow {
        &ROWS[self as usize]
    }

    pub(super) fn column_info(self) -> ColumnInfo {
        let kind = match self.value() {
            CardValue::Words(_) => ColumnKind::Words,
            CardValue::Number { .. } => ColumnKind::Number,
        };
        let info = ColumnInfo { kind, ..self.row().info };
        match self {
            Self::Judge | Self::Corrected => ColumnInfo { source: ColumnSource::Judged, ..info },
            Self::JudgedTurn => {
                ColumnInfo { source: ColumnSource::Judged, title: "at turn", ..info }
            }
            Self::Outcome | Self::Reward | Self::Attempt | Self::RewardName | Self::Error => {
                ColumnInfo { source: ColumnSource::Harness, ..info }
            }
            Self::Failures => ColumnInfo { title: "failed", ..info },
            _ => info,
        }
    }

    pub(super) fn help_text(self) -> &'static str {
        self.row().help
    }

    pub(crate) fn value(self) -> CardValue {
        self.row().value
    }
}
