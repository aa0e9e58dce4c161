//! An expression in SQL that narrows the table down: `mcf < 2.5 and agent = 'codex'`.
//!
//! Its columns ([`NAMES`]) are those of the table `runs` of `trajview sql`, as far as they are read for the table of runs, and the columns of
//! the table itself. SQLite evaluates it, in the background: the values of rows are sent ahead, so that a key costs no more than
//! the question. The rows follow the last expression that could be evaluated; what is wrong with the one that is typed is said
//! and moves nothing. A row of which nothing is known yet has no values, and comes when it is read and fits.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::session::{
    ask::Pending,
    columns::{self, Column},
    effect::Effect,
    filtering::{Kind, ToFilter, Value},
    question::Question,
    request::{Numbers, Request, Sentence},
};
use trajview_run::{
    Card, Time,
    card::{CardIdentity, CardTotals},
};

use super::{row::Row, values::Known};

/// Rows whose values are sent at once: what is worked out between two frames.
const ROWS_AT_ONCE: usize = 500;

/// Names that are listed where a word may become several.
const LISTED: usize = 6;

#[derive(Debug, Default)]
pub struct Expression {
    /// What is typed; None where nobody types.
    pub prompt: Option<Prompt>,
    /// What the rows follow; empty where it is nothing.
    pub text: String,
    /// Whether it takes each of the rows, as far as it takes any.
    fits: Vec<bool>,
    /// The question that is out, about this expression.
    asking: Pending<String>,
    /// The last expression that was answered, in whatever way.
    answered: Option<String>,
    /// Rows whose values are not sent yet; None before anybody typed.
    unsent: Option<BTreeSet<usize>>,
    has_begun: bool,
}

/// An expression that is typed.
#[derive(Debug, Default)]
pub struct Prompt {
    pub text: String,
    /// Why it cannot be evaluated.
    pub complaint: Option<Sentence>,
    /// It is to be kept once it is evaluated.
    is_accepted: bool,
    /// What was there before.
    before: (String, Vec<bool>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Start,
    Type(String),
    Erase,
    EraseAll,
    /// The name of a column that is begun, as far as it is clear.
    Complete,
    Accept,
    /// As it was before.
    Cancel,
}

impl Expression {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether the row of this number is listed.
    pub fn takes(&self, row: usize) -> bool {
        self.is_empty() || self.fits.get(row).copied().unwrap_or_default()
    }

    /// The row of this number is another than it was.
    pub(super) fn note(&mut self, row: usize) {
        if let Some(unsent) = &mut self.unsent {
            unsent.insert(row);
        }
    }

    /// All rows are listed again.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.fits.clear();
    }

    /// Whether other rows are listed now.
    pub(super) fn update(&mut self, message: Message) -> bool {
        if message == Message::Start {
            let before = (self.text.clone(), self.fits.clone());
            self.prompt = Some(Prompt { text: self.text.clone(), before, ..Prompt::default() });
        }
        let Some(prompt) = &mut self.prompt else { return false };
        match message {
            Message::Start => {}
            Message::Type(words) => prompt.text.push_str(&words),
            Message::Erase => drop(prompt.text.pop()),
            Message::EraseAll => prompt.text.clear(),
            Message::Complete => prompt.complete(),
            Message::Accept => {
                let is_answered = self.answered.as_deref() == Some(prompt.text.trim());
                let is_settled = prompt.text.trim().is_empty() || is_answered;
                match is_settled && prompt.complaint.is_none() {
                    true => self.prompt = None,
                    false => prompt.is_accepted = true,
                }
                return false;
            }
            Message::Cancel => {
                (self.text, self.fits) = std::mem::take(&mut prompt.before);
                self.prompt = None;
                self.answered = None; // rows may have changed since
                return true;
            }
        }
        prompt.is_accepted = false;
        if prompt.text.trim().is_empty() {
            prompt.complaint = None;
            self.clear();
            return true;
        }
        false
    }

    /// What is to be evaluated; empty where it is nothing.
    fn wanted(&self) -> &str {
        self.prompt.as_ref().map_or(&self.text, |prompt| &prompt.text).trim()
    }

    /// Sends values that are not sent yet, and asks what is wanted of all rows.
    pub(super) fn ask(&mut self, numbers: &mut Numbers, rows: &[Row]) -> Option<Effect> {
        let wanted = self.wanted().to_owned();
        if wanted.is_empty() || !self.asking.is_free() {
            return None;
        }
        let unsent = self.unsent.get_or_insert_with(|| (0..rows.len()).collect());
        if unsent.is_empty() && self.answered.as_ref() == Some(&wanted) {
            return None;
        }
        let rest = match unsent.iter().nth(ROWS_AT_ONCE).copied() {
            Some(next) => unsent.split_off(&next),
            None => BTreeSet::new(),
        };
        let sent = std::mem::replace(unsent, rest);
        let values = |row: usize| Some((row, values(rows.get(row)?)));
        let wanted = ToFilter {
            begins: (!self.has_begun)
                .then(|| COLUMNS.iter().map(|column| (column.name, column.kind)).collect()),
            rows: sent.into_iter().filter_map(values).collect(),
            expression: unsent.is_empty().then(|| wanted.clone()),
        };
        self.has_begun = true;
        let about = wanted.expression.clone().unwrap_or_default();
        Some(self.asking.ask(numbers, about, Question::Filtered { wanted }))
    }

    /// Takes the rows that fit, if the question is out; whether other rows are listed now.
    pub(super) fn take(
        &mut self,
        request: Request,
        answer: Result<Option<Vec<usize>>, Sentence>,
    ) -> bool {
        let Some(about) = self.asking.answered(request) else { return false };
        let is_wanted = self.wanted() == about;
        match answer {
            Ok(None) => false, // the values arrived
            Ok(Some(fits)) => {
                self.answered = Some(about.clone());
                if !is_wanted {
                    return false;
                }
                (self.text, self.fits) = (about, places(&fits));
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

impl Prompt {
    /// What the word that is being typed may become; None where it is a name already, or can be none.
    pub fn candidates(&self) -> Option<String> {
        let word = word_at_end(&self.text)?;
        let names = names_from(word);
        if names.is_empty() || names.contains(&word) {
            return None;
        }
        let listed = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(" ");
        let more = names.len().saturating_sub(LISTED);
        Some(if more > 0 { format!("{listed} and {more} more") } else { listed })
    }

    fn complete(&mut self) {
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

/// The word at the end of what is typed; None in a text between quotes.
fn word_at_end(text: &str) -> Option<&str> {
    let is_quoted = text.matches('\'').count() % 2 == 1;
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text.trim_end_matches(is_of_word).len();
    let word = text.get(start..)?;
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_word && !is_quoted).then_some(word)
}

/// Names of columns that begin so, in upper or lower case.
fn names_from(word: &str) -> Vec<&'static str> {
    let word = word.to_ascii_lowercase();
    COLUMNS.iter().map(|column| column.name).filter(|name| name.starts_with(&word)).collect()
}

/// A column that an expression may name.
struct Named {
    name: &'static str,
    kind: Kind,
    of: Of,
}

/// Where its values are.
#[derive(Clone, Copy)]
enum Of {
    Row(fn(&Row) -> Value),
    /// In what the beginning of a recording says already.
    Identity(fn(&CardIdentity) -> Value),
    Card(fn(&Card) -> Value),
    /// In what a card adds up to.
    Totals(fn(&CardTotals) -> Value),
    Column(Column),
}

/// The columns of the table `runs` that a table on screen has read: a value here is the one there.
const OF_RUNS: [(&str, Kind, Of); 41] = [
    ("transcript_id", Kind::Text, Of::Identity(|it| text(Some(&it.id)))),
    ("source_type", Kind::Text, Of::Identity(|it| text(Some(it.format)))),
    ("source_uri", Kind::Text, Of::Row(|row| Value::Text(row.path.display().to_string()))),
    ("date", Kind::Text, Of::Totals(|it| moment(it.started_at))),
    ("task_set", Kind::Text, Of::Totals(|it| text(it.task_set.as_ref()))),
    ("task_id", Kind::Text, Of::Identity(|it| text(it.task_key.as_ref()))),
    ("task_title", Kind::Text, Of::Totals(|it| text(it.task_title.as_ref()))),
    ("agent", Kind::Text, Of::Identity(|it| text(it.agent_key.as_ref()))),
    ("agent_version", Kind::Text, Of::Identity(|it| text(version(it)))),
    ("model", Kind::Text, Of::Identity(|it| text(it.model.as_ref()))),
    ("title", Kind::Text, Of::Identity(|it| text(Some(&it.title)))),
    ("condition", Kind::Text, Of::Identity(|it| text(it.condition.as_ref()))),
    ("harness", Kind::Text, Of::Identity(|it| text(it.harness.as_ref()))),
    ("provenance", Kind::Text, Of::Identity(|it| text(it.provenance.as_ref()))),
    ("ended_at", Kind::Text, Of::Totals(|it| moment(it.ended_at))),
    ("total_time", Kind::Real, Of::Totals(|it| real(it.seconds))),
    ("total_tokens", Kind::Whole, Of::Totals(|it| whole(it.all_tokens()))),
    ("input_tokens", Kind::Whole, Of::Totals(|it| whole(it.tokens.input))),
    ("cached_input_tokens", Kind::Whole, Of::Totals(|it| whole(it.tokens.cached_input))),
    ("output_tokens", Kind::Whole, Of::Totals(|it| whole(it.tokens.output))),
    ("reasoning_tokens", Kind::Whole, Of::Totals(|it| whole(it.tokens.reasoning))),
    ("cache_write_tokens", Kind::Whole, Of::Totals(|it| whole(it.tokens.cache_write))),
    ("cache_write_1h_tokens", Kind::Whole, Of::Totals(|it| whole(it.tokens.cache_write_1h))),
    ("not_priced_tokens", Kind::Whole, Of::Totals(|it| whole(it.not_priced_tokens))),
    ("steps", Kind::Whole, Of::Totals(|it| count(it.steps))),
    ("tool_calls", Kind::Whole, Of::Totals(|it| count(it.tool_calls))),
    ("errors", Kind::Whole, Of::Totals(|it| count(it.errors))),
    ("success", Kind::Truth, Of::Totals(|it| success(it.tests))),
    ("tests_passed", Kind::Whole, Of::Totals(|it| whole(it.tests.map(|it| it.0)))),
    ("tests_total", Kind::Whole, Of::Totals(|it| whole(it.tests.map(|it| it.1)))),
    ("judged_turn", Kind::Whole, Of::Card(|card| count(card.mcf.as_ref().map(|it| it.done)))),
    ("checkpoints", Kind::Whole, Of::Card(|card| whole(Some(card.checkpoints as u64)))),
    ("turns", Kind::Whole, Of::Card(|card| whole(of_turns(card, card.turns)))),
    (
        "turns_not_counted",
        Kind::Whole,
        Of::Card(|card| whole(of_turns(card, card.not_counted.len()))),
    ),
    ("cost_usd", Kind::Real, Of::Card(|card| real(card.cost.recorded_usd))),
    ("cost_computed_usd", Kind::Real, Of::Card(|card| real(card.cost.computed_usd))),
    ("lines_added", Kind::Whole, Of::Card(|card| whole(card.lines.map(|lines| lines.0)))),
    ("lines_removed", Kind::Whole, Of::Card(|card| whole(card.lines.map(|lines| lines.1)))),
    ("mcf", Kind::Real, Of::Card(|card| real(card.mcf.as_ref().map(|it| it.score)))),
    ("judge", Kind::Text, Of::Card(|card| text(card.mcf.as_ref().map(|it| &it.judge)))),
    ("read_error", Kind::Text, Of::Row(|row| text(row.failure()))),
];

static COLUMNS: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let mut all: Vec<Named> =
        OF_RUNS.iter().map(|&(name, kind, of)| Named { name, kind, of }).collect();
    for column in Column::all() {
        let name = name_of(column);
        let kind = match column.kind() {
            columns::Kind::Words => Kind::Text,
            columns::Kind::Number => Kind::Real,
        };
        if !all.iter().any(|it| it.name == name) {
            all.push(Named { name, kind, of: Of::Column(column) });
        }
    }
    all
});

/// The names of all columns.
pub static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| COLUMNS.iter().map(|column| column.name).collect());

/// A column of the table as an expression names it: `recorded_erosion`.
fn name_of(column: Column) -> &'static str {
    let word = column.about().word;
    if word.contains('-') { word.replace('-', "_").leak() } else { word }
}

/// The values of a row, in the order of [`NAMES`].
pub fn values(row: &Row) -> Vec<Value> {
    COLUMNS.iter().map(|column| value(row, column)).collect()
}

fn value(row: &Row, column: &Named) -> Value {
    match column.of {
        Of::Row(of) => of(row),
        Of::Identity(of) => row.card().map_or(Value::Missing, |card| of(&card.identity)),
        Of::Card(of) => row.whole().map_or(Value::Missing, of),
        Of::Totals(of) => row.whole().map_or(Value::Missing, |card| of(&card.totals)),
        Of::Column(column) => match column.kind() {
            columns::Kind::Words => text(row.shown(column).known()),
            columns::Kind::Number => match row.number(column) {
                Known::Known(number) => real(Some(number)),
                Known::Coming | Known::Missing => Value::Missing,
            },
        },
    }
}

/// Whether each of the rows is among these, up to the last that is.
fn places(rows: &[usize]) -> Vec<bool> {
    let mut all = vec![false; rows.iter().max().map_or(0, |last| last + 1)];
    rows.iter().for_each(|row| all[*row] = true);
    all
}

/// The version of the agent: what stands behind its name.
fn version(identity: &CardIdentity) -> Option<&str> {
    let (agent, name) = (identity.agent.as_deref()?, identity.agent_key.as_deref()?);
    agent.strip_prefix(name)?.strip_prefix(' ')
}

fn text(words: Option<impl AsRef<str>>) -> Value {
    words.map_or(Value::Missing, |words| Value::Text(words.as_ref().to_owned()))
}

/// A count of turns; None of a rubric tree alone, which has none to count.
fn of_turns(card: &Card, count: usize) -> Option<u64> {
    (!card.totals.is_tree_alone).then_some(count as u64)
}

fn whole(number: Option<u64>) -> Value {
    number.and_then(|number| i64::try_from(number).ok()).map_or(Value::Missing, Value::Whole)
}

fn count(number: Option<usize>) -> Value {
    whole(number.map(|number| number as u64))
}

/// RFC 3339, as in the tables.
fn moment(millis: Option<i64>) -> Value {
    text(millis.map(|millis| Time(millis).to_string()))
}

/// Whether all recorded tests pass; nothing is known where there are none.
fn success(tests: Option<(u64, u64)>) -> Value {
    let all = tests.filter(|(_, total)| *total > 0);
    all.map_or(Value::Missing, |(passed, total)| Value::Truth(passed == total))
}

fn real(number: Option<f64>) -> Value {
    number.filter(|number| number.is_finite()).map_or(Value::Missing, Value::Real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(effect: Option<Effect>) -> (Request, ToFilter) {
        let Some(Effect::Ask(request, question)) = effect else { panic!("nothing is asked") };
        let Question::Filtered { wanted } = *question else { panic!("something else is asked") };
        (request, wanted)
    }

    fn rows(count: usize) -> Vec<Row> {
        (0..count).map(|at| Row::of(format!("runs/{at}").into(), at.to_string())).collect()
    }

    fn typed(text: &str) -> Expression {
        let mut expression = Expression::default();
        expression.update(Message::Start);
        expression.update(Message::Type(text.into()));
        expression
    }

    #[test]
    fn rows_are_sent_once_a_part_at_a_time_and_those_that_change_again() {
        let (mut numbers, rows) = (Numbers::default(), rows(ROWS_AT_ONCE + 5));
        let mut expression = typed("turns > 3");

        let (first, sent) = asked(expression.ask(&mut numbers, &rows));
        assert_eq!((sent.rows.len(), sent.expression), (ROWS_AT_ONCE, None));
        assert!(sent.begins.is_some());
        assert!(!expression.take(first, Ok(None)));
        let (second, sent) = asked(expression.ask(&mut numbers, &rows));
        assert_eq!((sent.begins, sent.rows.len()), (None, 5));
        assert_eq!(sent.expression.as_deref(), Some("turns > 3"));
        assert!(expression.take(second, Ok(Some(vec![2]))));
        assert!(expression.ask(&mut numbers, &rows).is_none());
        expression.note(7);
        assert_eq!(asked(expression.ask(&mut numbers, &rows)).1.rows[0].0, 7);
    }

    #[test]
    fn what_cannot_be_evaluated_moves_no_row_and_an_old_answer_is_dropped() {
        let (mut numbers, rows) = (Numbers::default(), rows(3));
        let mut expression = typed("turns > 3");
        let (request, _) = asked(expression.ask(&mut numbers, &rows));
        expression.take(request, Ok(Some(vec![1])));

        expression.update(Message::Type(" and".into()));
        let (request, _) = asked(expression.ask(&mut numbers, &rows));
        expression.update(Message::Type(" mcf".into()));
        assert!(!expression.take(request, Err("not finished".into())));
        assert_eq!(expression.prompt.as_ref().unwrap().complaint, None);
        let (request, _) = asked(expression.ask(&mut numbers, &rows));
        assert!(!expression.take(request, Err("no".into())));

        assert_eq!(expression.prompt.as_ref().unwrap().complaint.as_deref(), Some("no"));
        assert_eq!([0, 1, 2].map(|row| expression.takes(row)), [false, true, false]);
        expression.update(Message::Cancel);
        assert!(expression.is_empty() && expression.takes(0));
    }

    #[test]
    fn enter_keeps_an_expression_as_soon_as_it_is_evaluated() {
        let (mut numbers, rows) = (Numbers::default(), rows(3));
        let mut expression = typed("turns > 3");
        expression.update(Message::Accept);
        assert!(expression.prompt.is_some());
        let (request, _) = asked(expression.ask(&mut numbers, &rows));
        expression.take(request, Ok(Some(vec![])));

        assert!(expression.prompt.is_none());
        assert_eq!(expression.text, "turns > 3");
    }

    #[test]
    fn names_of_columns_are_completed_as_far_as_they_are_clear() {
        let completed = |text: &str| {
            let mut expression = typed(text);
            expression.update(Message::Complete);
            expression.prompt.unwrap().text
        };

        assert_eq!(completed("turns > 3 and cond"), "turns > 3 and condition ");
        assert_eq!(completed("lines_"), "lines_");
        assert_eq!(completed("line"), "lines_");
        assert_eq!(completed("title = 'cond"), "title = 'cond");
        assert_eq!(completed("3"), "3");
        let listed = typed("lines").prompt.unwrap().candidates();
        assert_eq!(listed.as_deref(), Some("lines_added lines_removed"));
        assert_eq!(typed("mcf").prompt.unwrap().candidates(), None);
    }

    #[test]
    fn every_column_has_a_name_of_its_own_that_needs_no_quotes() {
        let mut names = NAMES.clone();
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(names.iter().all(|name| name.chars().all(is_plain)), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLUMNS.len());
    }
}
