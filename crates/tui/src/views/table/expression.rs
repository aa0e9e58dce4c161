//! An SQL expression that filters the table: `mcf < 2.5 and agent = 'codex'`.
//!
//! Its columns ([`COLUMN_NAMES`]) are those of the table `runs` of `trajview sql`, as far as they are read for the
//! table of runs, and the columns of the table itself. SQLite evaluates it in the background. The values of rows are
//! sent ahead, so that a key costs no more than the question. The rows follow the last expression that could be
//! evaluated; an error of the typed expression is shown and does not change the rows. A row without known values
//! appears once it was read and matches.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::session::{
    columns::{self, RunTableColumn},
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
    sql_filter::{FilterKind, FilterRequest, FilterValue},
};
use trajview_run::{
    RunCard, Time,
    run_card::{CardIdentity, CardTotals},
    trial::{TrialColumn, TrialValues},
};

use super::{row::RunRow, values::KnownValue};

/// Rows whose values are sent in one request, between two frames.
const ROWS_SENT_AT_ONCE: usize = 500;

/// Names that are listed where a word may become several.
const LISTED_NAMES: usize = 6;

#[derive(Debug, Default)]
pub struct WhereExpression {
    /// The prompt while an expression is typed. None otherwise.
    pub prompt: Option<ExpressionPrompt>,
    /// The expression that filters the rows. Empty if there is none.
    pub text: String,
    /// For each row whether it matches the expression, if there is one.
    row_matches: Vec<bool>,
    /// The question that is out, about this expression.
    asking: Pending<String>,
    /// The last expression that was answered, with or without an error.
    answered: Option<String>,
    /// Rows whose values were not sent yet. None before the first expression.
    unsent: Option<BTreeSet<usize>>,
    has_begun: bool,
}

/// An expression that is typed.
#[derive(Debug, Default)]
pub struct ExpressionPrompt {
    pub text: String,
    /// The reason why the expression cannot be evaluated.
    pub complaint: Option<Sentence>,
    /// True if the expression is to be applied once it was evaluated.
    is_accepted: bool,
    /// The expression and the matches before the prompt was opened.
    previous_state: (String, Vec<bool>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionMessage {
    Start,
    Type(String),
    Erase,
    EraseAll,
    /// The name of a column that is begun, as far as it is clear.
    Complete,
    Accept,
    /// Closes the prompt and restores the previous expression.
    Cancel,
}

impl WhereExpression {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns true if the row of this index is listed.
    pub(crate) fn lists_row(&self, row: usize) -> bool {
        self.is_empty() || self.row_matches.get(row).copied().unwrap_or_default()
    }

    /// Notes that the row of this index has changed.
    pub(super) fn note_changed_row(&mut self, row: usize) {
        if let Some(unsent) = &mut self.unsent {
            unsent.insert(row);
        }
    }

    /// Removes the expression, so that all rows are listed again.
    pub(super) fn clear_expression(&mut self) {
        self.text.clear();
        self.row_matches.clear();
    }

    /// Applies a message. Returns true if the listed rows changed.
    pub(super) fn update_expression(&mut self, message: ExpressionMessage) -> bool {
        if message == ExpressionMessage::Start {
            let before = (self.text.clone(), self.row_matches.clone());
            self.prompt = Some(ExpressionPrompt {
                text: self.text.clone(),
                previous_state: before,
                ..ExpressionPrompt::default()
            });
        }
        let Some(prompt) = &mut self.prompt else { return false };
        match message {
            ExpressionMessage::Start => {}
            ExpressionMessage::Type(words) => prompt.text.push_str(&words),
            ExpressionMessage::Erase => drop(prompt.text.pop()),
            ExpressionMessage::EraseAll => prompt.text.clear(),
            ExpressionMessage::Complete => prompt.complete_word(),
            ExpressionMessage::Accept => {
                let is_answered = self.answered.as_deref() == Some(prompt.text.trim());
                let is_settled = prompt.text.trim().is_empty() || is_answered;
                match is_settled && prompt.complaint.is_none() {
                    true => self.prompt = None,
                    false => prompt.is_accepted = true,
                }
                return false;
            }
            ExpressionMessage::Cancel => {
                (self.text, self.row_matches) = std::mem::take(&mut prompt.previous_state);
                self.prompt = None;
                self.answered = None; // rows may have changed since
                return true;
            }
        }
        prompt.is_accepted = false;
        if prompt.text.trim().is_empty() {
            prompt.complaint = None;
            self.clear_expression();
            return true;
        }
        false
    }

    /// Returns the expression to evaluate. Empty if there is none.
    fn wanted_text(&self) -> &str {
        self.prompt.as_ref().map_or(&self.text, |prompt| &prompt.text).trim()
    }

    /// Sends values that are not sent yet, and asks what is wanted of all rows.
    pub(super) fn ask_rows(&mut self, numbers: &mut RequestIds, rows: &[RunRow]) -> Option<Effect> {
        let wanted = self.wanted_text().to_owned();
        if wanted.is_empty() || !self.asking.is_free() {
            return None;
        }
        let unsent = self.unsent.get_or_insert_with(|| (0..rows.len()).collect());
        if unsent.is_empty() && self.answered.as_ref() == Some(&wanted) {
            return None;
        }
        let rest = match unsent.iter().nth(ROWS_SENT_AT_ONCE).copied() {
            Some(next) => unsent.split_off(&next),
            None => BTreeSet::new(),
        };
        let sent = std::mem::replace(unsent, rest);
        let values = |row: usize| Some((row, row_values(rows.get(row)?)));
        let wanted = FilterRequest {
            begins: (!self.has_begun)
                .then(|| FILTER_COLUMNS.iter().map(|column| (column.name, column.kind)).collect()),
            rows: sent.into_iter().filter_map(values).collect(),
            expression: unsent.is_empty().then(|| wanted.clone()),
        };
        self.has_begun = true;
        let sent_expression = wanted.expression.clone().unwrap_or_default();
        Some(self.asking.ask_question(numbers, sent_expression, Question::Filtered { wanted }))
    }

    /// Takes the rows that fit, if the question is out; whether other rows are listed now.
    pub(super) fn take_rows(
        &mut self,
        request: RequestId,
        answer: Result<Option<Vec<usize>>, Sentence>,
    ) -> bool {
        let Some(about) = self.asking.take_answered(request) else { return false };
        let is_wanted = self.wanted_text() == about;
        match answer {
            Ok(None) => false, // the values arrived
            Ok(Some(fits)) => {
                self.answered = Some(about.clone());
                if !is_wanted {
                    return false;
                }
                (self.text, self.row_matches) = (about, membership_by_row(&fits));
                if let Some(prompt) = &mut self.prompt {
                    prompt.complaint = None;
                }
                self.prompt.take_if(|prompt| prompt.is_accepted);
                true
            }
            Err(why) => {
                self.answered = Some(about);
                if let Some(prompt) = self.prompt.as_mut().filter(|_| is_wanted) {
                    prompt.complaint = Some(why);
                    prompt.is_accepted = false;
                }
                false
            }
        }
    }
}

impl ExpressionPrompt {
    /// Returns the column names that begin with the word being typed. None if the word is already a name or cannot
    /// become one.
    pub(crate) fn candidate_names(&self) -> Option<String> {
        let word = word_at_end(&self.text)?;
        let names = names_from(word);
        if names.is_empty() || names.contains(&word) {
            return None;
        }
        let listed = names.iter().take(LISTED_NAMES).copied().collect::<Vec<_>>().join(" ");
        let more = names.len().saturating_sub(LISTED_NAMES);
        Some(if more > 0 { format!("{listed} and {more} more") } else { listed })
    }

    fn complete_word(&mut self) {
        let Some(word) = word_at_end(&self.text) else { return };
        let names = names_from(word);
        let Some(first) = names.first() else { return };
        let shared = names.iter().map(|name| {
            let same = first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b);
            same.count()
        });
        let shared = shared.min().unwrap_or_default();
        let end = if names.len() == 1 { " " } else { "" };
        let start = self.text.len() - word.len();
        self.text.replace_range(start.., &format!("{}{end}", &first[..shared]));
    }
}

/// Returns the word at the end of what is typed. None in a text between quotes.
fn word_at_end(text: &str) -> Option<&str> {
    let is_quoted = text.matches('\'').count() % 2 == 1;
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text.trim_end_matches(is_of_word).len();
    let word = text.get(start..)?;
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_word && !is_quoted).then_some(word)
}

/// Returns the names of columns that begin so, in upper or lower case.
fn names_from(word: &str) -> Vec<&'static str> {
    let word = word.to_ascii_lowercase();
    FILTER_COLUMNS.iter().map(|column| column.name).filter(|name| name.starts_with(&word)).collect()
}

/// A column that an expression may name.
struct FilterColumn {
    name: &'static str,
    kind: FilterKind,
    source: ValueSource,
}

/// The source of a column's values.
#[derive(Clone, Copy)]
enum ValueSource {
    Row(fn(&RunRow) -> FilterValue),
    /// From the facts in the beginning of a recording.
    Identity(fn(&CardIdentity) -> FilterValue),
    Card(fn(&RunCard) -> FilterValue),
    /// From the harness' result.
    Trial(TrialColumn),
    /// From the totals of a card.
    Totals(fn(&CardTotals) -> FilterValue),
    Column(RunTableColumn),
}

/// The columns of the table `runs` that a table on screen has read: a value here is the one there.
const RUN_COLUMNS: [(&str, FilterKind, ValueSource); 47] = [
    ("transcript_id", FilterKind::Text, ValueSource::Identity(|it| text_value(Some(&it.id)))),
    ("source_type", FilterKind::Text, ValueSource::Identity(|it| text_value(Some(it.format)))),
    (
        "source_uri",
        FilterKind::Text,
        ValueSource::Row(|row| FilterValue::Text(row.path.display().to_string())),
    ),
    ("date", FilterKind::Text, ValueSource::Totals(|it| moment_value(it.started_at))),
    ("task_set", FilterKind::Text, ValueSource::Totals(|it| text_value(it.task_set.as_ref()))),
    ("task_id", FilterKind::Text, ValueSource::Identity(|it| text_value(it.task_key.as_ref()))),
    (
        TrialColumn::Task.word(),
        FilterKind::Text,
        ValueSource::Identity(|it| text_value(it.task_key.as_ref())),
    ),
    (TrialColumn::Attempt.word(), FilterKind::Whole, ValueSource::Trial(TrialColumn::Attempt)),
    (TrialColumn::Outcome.word(), FilterKind::Text, ValueSource::Trial(TrialColumn::Outcome)),
    (TrialColumn::Reward.word(), FilterKind::Real, ValueSource::Trial(TrialColumn::Reward)),
    (TrialColumn::RewardName.word(), FilterKind::Text, ValueSource::Trial(TrialColumn::RewardName)),
    (TrialColumn::Error.word(), FilterKind::Text, ValueSource::Trial(TrialColumn::Error)),
    ("task_title", FilterKind::Text, ValueSource::Totals(|it| text_value(it.task_title.as_ref()))),
    ("agent", FilterKind::Text, ValueSource::Identity(|it| text_value(it.agent_key.as_ref()))),
    ("agent_version", FilterKind::Text, ValueSource::Identity(|it| text_value(agent_version(it)))),
    ("model", FilterKind::Text, ValueSource::Identity(|it| text_value(it.model.as_ref()))),
    ("title", FilterKind::Text, ValueSource::Identity(|it| text_value(Some(&it.title)))),
    ("condition", FilterKind::Text, ValueSource::Identity(|it| text_value(it.condition.as_ref()))),
    ("harness", FilterKind::Text, ValueSource::Identity(|it| text_value(it.harness.as_ref()))),
    (
        "provenance",
        FilterKind::Text,
        ValueSource::Identity(|it| text_value(it.provenance.as_ref())),
    ),
    ("ended_at", FilterKind::Text, ValueSource::Totals(|it| moment_value(it.ended_at))),
    ("total_time", FilterKind::Real, ValueSource::Totals(|it| real_value(it.seconds))),
    ("total_tokens", FilterKind::Whole, ValueSource::Totals(|it| whole_value(it.all_tokens()))),
    ("input_tokens", FilterKind::Whole, ValueSource::Totals(|it| whole_value(it.tokens.input))),
    (
        "cached_input_tokens",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.tokens.cached_input)),
    ),
    ("output_tokens", FilterKind::Whole, ValueSource::Totals(|it| whole_value(it.tokens.output))),
    (
        "reasoning_tokens",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.tokens.reasoning)),
    ),
    (
        "cache_write_tokens",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.tokens.cache_write)),
    ),
    (
        "cache_write_1h_tokens",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.tokens.cache_write_1h)),
    ),
    (
        "not_priced_tokens",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.not_priced_tokens)),
    ),
    ("steps", FilterKind::Whole, ValueSource::Totals(|it| count_value(it.steps))),
    ("tool_calls", FilterKind::Whole, ValueSource::Totals(|it| count_value(it.tool_calls))),
    ("errors", FilterKind::Whole, ValueSource::Totals(|it| count_value(it.errors))),
    (
        "success",
        FilterKind::Truth,
        ValueSource::Card(|card| truth_value(card.trial.is_success(card.totals.tests))),
    ),
    (
        "tests_passed",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.tests.map(|it| it.0))),
    ),
    (
        "tests_total",
        FilterKind::Whole,
        ValueSource::Totals(|it| whole_value(it.tests.map(|it| it.1))),
    ),
    (
        "judged_turn",
        FilterKind::Whole,
        ValueSource::Card(|card| count_value(card.mcf.as_ref().map(|it| it.done))),
    ),
    (
        "checkpoints",
        FilterKind::Whole,
        ValueSource::Card(|card| whole_value(Some(card.checkpoints as u64))),
    ),
    (
        "turns",
        FilterKind::Whole,
        ValueSource::Card(|card| whole_value(turn_count(card, card.turns))),
    ),
    (
        "turns_not_counted",
        FilterKind::Whole,
        ValueSource::Card(|card| whole_value(turn_count(card, card.not_counted.len()))),
    ),
    ("cost_usd", FilterKind::Real, ValueSource::Card(|card| real_value(card.cost.recorded_usd))),
    (
        "cost_computed_usd",
        FilterKind::Real,
        ValueSource::Card(|card| real_value(card.cost.computed_usd)),
    ),
    (
        "lines_added",
        FilterKind::Whole,
        ValueSource::Card(|card| whole_value(card.lines.map(|lines| lines.0))),
    ),
    (
        "lines_removed",
        FilterKind::Whole,
        ValueSource::Card(|card| whole_value(card.lines.map(|lines| lines.1))),
    ),
    (
        "mcf",
        FilterKind::Real,
        ValueSource::Card(|card| real_value(card.mcf.as_ref().map(|it| it.score))),
    ),
    (
        "judge",
        FilterKind::Text,
        ValueSource::Card(|card| text_value(card.mcf.as_ref().map(|it| &it.judge))),
    ),
    ("read_error", FilterKind::Text, ValueSource::Row(|row| text_value(row.reading_failure()))),
];

static FILTER_COLUMNS: LazyLock<Vec<FilterColumn>> = LazyLock::new(|| {
    let mut all: Vec<FilterColumn> = RUN_COLUMNS
        .iter()
        .map(|&(name, kind, of)| FilterColumn { name, kind, source: of })
        .collect();
    for column in RunTableColumn::all_columns() {
        let name = column_filter_name(column);
        let kind = match column.column_kind() {
            columns::ColumnKind::Words => FilterKind::Text,
            columns::ColumnKind::Number => FilterKind::Real,
        };
        if !all.iter().any(|it| it.name == name) {
            all.push(FilterColumn { name, kind, source: ValueSource::Column(column) });
        }
    }
    all
});

/// The names of all columns.
pub static COLUMN_NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| FILTER_COLUMNS.iter().map(|column| column.name).collect());

/// Returns a column of the table as an expression names it: `recorded_erosion`.
fn column_filter_name(column: RunTableColumn) -> &'static str {
    let word = column.column_info().word;
    if word.contains('-') { word.replace('-', "_").leak() } else { word }
}

/// Returns the values of a row, in the order of [`COLUMN_NAMES`].
pub fn row_values(row: &RunRow) -> Vec<FilterValue> {
    FILTER_COLUMNS.iter().map(|column| column_value(row, column)).collect()
}

fn column_value(row: &RunRow, column: &FilterColumn) -> FilterValue {
    match column.source {
        ValueSource::Row(of) => of(row),
        ValueSource::Identity(of) => {
            row.known_card().map_or(FilterValue::Missing, |card| of(&card.identity))
        }
        ValueSource::Card(of) => row.whole_card().map_or(FilterValue::Missing, of),
        ValueSource::Trial(column) => {
            row.whole_card().map_or(FilterValue::Missing, |card| trial_value(&card.trial, column))
        }
        ValueSource::Totals(of) => {
            row.whole_card().map_or(FilterValue::Missing, |card| of(&card.totals))
        }
        ValueSource::Column(column) => match column.column_kind() {
            columns::ColumnKind::Words => text_value(row.shown_text(column).known_value()),
            columns::ColumnKind::Number => match row.column_number(column) {
                KnownValue::Known(number) => real_value(Some(number)),
                KnownValue::Coming | KnownValue::Missing => FilterValue::Missing,
            },
        },
    }
}

/// Returns for each row whether it is among `rows`, up to the last of them.
fn membership_by_row(rows: &[usize]) -> Vec<bool> {
    let mut all = vec![false; rows.iter().max().map_or(0, |last| last + 1)];
    rows.iter().for_each(|row| all[*row] = true);
    all
}

/// Returns the version of the agent, which follows the agent's name.
fn agent_version(identity: &CardIdentity) -> Option<&str> {
    let (agent, name) = (identity.agent.as_deref()?, identity.agent_key.as_deref()?);
    agent.strip_prefix(name)?.strip_prefix(' ')
}

fn text_value(words: Option<impl AsRef<str>>) -> FilterValue {
    words.map_or(FilterValue::Missing, |words| FilterValue::Text(words.as_ref().to_owned()))
}

/// Returns a count of turns. None without a log.
fn turn_count(card: &RunCard, count: usize) -> Option<u64> {
    (!card.totals.has_no_log).then_some(count as u64)
}

fn whole_value(number: Option<u64>) -> FilterValue {
    number
        .and_then(|number| i64::try_from(number).ok())
        .map_or(FilterValue::Missing, FilterValue::Whole)
}

fn count_value(number: Option<usize>) -> FilterValue {
    whole_value(number.map(|number| number as u64))
}

/// Returns a time in RFC 3339, as in the tables.
fn moment_value(millis: Option<i64>) -> FilterValue {
    text_value(millis.map(|millis| Time(millis).to_string()))
}

fn truth_value(is_so: Option<bool>) -> FilterValue {
    is_so.map_or(FilterValue::Missing, FilterValue::Truth)
}

fn trial_value(trial: &TrialValues, column: TrialColumn) -> FilterValue {
    match column {
        TrialColumn::Attempt => whole_value(trial.attempt.map(u64::from)),
        TrialColumn::Reward => real_value(trial.reward),
        TrialColumn::Task | TrialColumn::Outcome | TrialColumn::RewardName | TrialColumn::Error => {
            text_value(trial.cell_text(column))
        }
    }
}

fn real_value(number: Option<f64>) -> FilterValue {
    number.filter(|number| number.is_finite()).map_or(FilterValue::Missing, FilterValue::Real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(effect: Option<Effect>) -> (RequestId, FilterRequest) {
        let Some(Effect::Ask(request, question)) = effect else { panic!("nothing is asked") };
        let Question::Filtered { wanted } = *question else { panic!("something else is asked") };
        (request, wanted)
    }

    fn rows(count: usize) -> Vec<RunRow> {
        (0..count)
            .map(|at| RunRow::unread_row(format!("runs/{at}").into(), at.to_string()))
            .collect()
    }

    fn typed(text: &str) -> WhereExpression {
        let mut expression = WhereExpression::default();
        expression.update_expression(ExpressionMessage::Start);
        expression.update_expression(ExpressionMessage::Type(text.into()));
        expression
    }

    #[test]
    fn rows_are_sent_once_a_part_at_a_time_and_those_that_change_again() {
        let (mut numbers, rows) = (RequestIds::default(), rows(ROWS_SENT_AT_ONCE + 5));
        let mut expression = typed("turns > 3");

        let (first, sent) = asked(expression.ask_rows(&mut numbers, &rows));
        assert_eq!((sent.rows.len(), sent.expression), (ROWS_SENT_AT_ONCE, None));
        assert!(sent.begins.is_some());
        assert!(!expression.take_rows(first, Ok(None)));
        let (second, sent) = asked(expression.ask_rows(&mut numbers, &rows));
        assert_eq!((sent.begins, sent.rows.len()), (None, 5));
        assert_eq!(sent.expression.as_deref(), Some("turns > 3"));
        assert!(expression.take_rows(second, Ok(Some(vec![2]))));
        assert!(expression.ask_rows(&mut numbers, &rows).is_none());
        expression.note_changed_row(7);
        assert_eq!(asked(expression.ask_rows(&mut numbers, &rows)).1.rows[0].0, 7);
    }

    #[test]
    fn what_cannot_be_evaluated_moves_no_row_and_an_old_answer_is_dropped() {
        let (mut numbers, rows) = (RequestIds::default(), rows(3));
        let mut expression = typed("turns > 3");
        let (request, _) = asked(expression.ask_rows(&mut numbers, &rows));
        expression.take_rows(request, Ok(Some(vec![1])));

        expression.update_expression(ExpressionMessage::Type(" and".into()));
        let (request, _) = asked(expression.ask_rows(&mut numbers, &rows));
        expression.update_expression(ExpressionMessage::Type(" mcf".into()));
        assert!(!expression.take_rows(request, Err("not finished".into())));
        assert_eq!(expression.prompt.as_ref().unwrap().complaint, None);
        let (request, _) = asked(expression.ask_rows(&mut numbers, &rows));
        assert!(!expression.take_rows(request, Err("no".into())));

        assert_eq!(expression.prompt.as_ref().unwrap().complaint.as_deref(), Some("no"));
        assert_eq!([0, 1, 2].map(|row| expression.lists_row(row)), [false, true, false]);
        expression.update_expression(ExpressionMessage::Cancel);
        assert!(expression.is_empty() && expression.lists_row(0));
    }

    #[test]
    fn enter_keeps_an_expression_as_soon_as_it_is_evaluated() {
        let (mut numbers, rows) = (RequestIds::default(), rows(3));
        let mut expression = typed("turns > 3");
        expression.update_expression(ExpressionMessage::Accept);
        assert!(expression.prompt.is_some());
        let (request, _) = asked(expression.ask_rows(&mut numbers, &rows));
        expression.take_rows(request, Ok(Some(vec![])));

        assert!(expression.prompt.is_none());
        assert_eq!(expression.text, "turns > 3");
    }

    #[test]
    fn names_of_columns_are_completed_as_far_as_they_are_clear() {
        let completed = |text: &str| {
            let mut expression = typed(text);
            expression.update_expression(ExpressionMessage::Complete);
            expression.prompt.unwrap().text
        };

        assert_eq!(completed("turns > 3 and cond"), "turns > 3 and condition ");
        assert_eq!(completed("lines_"), "lines_");
        assert_eq!(completed("line"), "lines_");
        assert_eq!(completed("title = 'cond"), "title = 'cond");
        assert_eq!(completed("3"), "3");
        let listed = typed("lines").prompt.unwrap().candidate_names();
        assert_eq!(listed.as_deref(), Some("lines_added lines_removed"));
        assert_eq!(typed("mcf").prompt.unwrap().candidate_names(), None);
    }

    #[test]
    fn every_column_has_a_name_of_its_own_that_needs_no_quotes() {
        let mut names = COLUMN_NAMES.clone();
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FILTER_COLUMNS.len());
    }
}
