//! What is looked for in many runs at once: words, phrases, patterns and filters, and what a hit of it is.
//!
//! A [`Lookup`] is written in one line: `retry "connection reset" /E\d{4}/ tool:Bash since:7d`. Everything in it must
//! hold of the same request, or of the same step with its call and its result. [`words`] says what a word is; what is
//! found is told in [`RunHits`]. The texts are those of the search within a run ([`super::search`]), so that both find the
//! same.

mod parse;
pub mod words;

use std::{fmt, ops::Range, path::PathBuf};

use super::{
    Run, Step, StepId, StepText, Time,
    activity::folder_name,
    search::{HitPlace, Matcher, Query, StepField, Syntax},
};

use words::{Phrase, Word};

/// What is looked for, ready to look through many texts.
#[derive(Debug)]
pub struct Lookup {
    /// Each must be in the same request or step.
    terms: Vec<Term>,
    filters: Vec<Filter>,
}

/// Something that is in a text or not.
#[derive(Debug)]
enum Term {
    Phrase(Phrase),
    Pattern(Box<Matcher>, Query),
}

/// What must hold of a run or a step, beside what it says.
#[derive(Debug, Clone, PartialEq)]
enum Filter {
    /// A recorded edit of the step, or its call, names a file of this name.
    File(Phrase),
    /// The step edits a file of this name.
    Edited(Phrase),
    /// The step calls the tool of this name.
    Tool(Phrase),
    /// The step failed.
    Failed,
    /// The agent has this name, or writes this format.
    Agent(Phrase),
    /// The folder the agent worked in has this name.
    Project(Phrase),
    /// Not before this time. What has no time is not meant.
    Since(Time),
}

/// A request, or a step with its number in the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Counts from 0.
    pub turn: usize,
    /// The step, and its number, which counts from 1 ([`Run::step_numbers`]); None for the request.
    pub step: Option<(StepId, usize)>,
}

/// A line in which something stands that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub moment: Moment,
    /// The text it stands in.
    pub place: HitPlace,
    /// Line of that text, counts from 0.
    pub line: usize,
    /// The line, cut around the hit to [`EXCERPT_CHARS`]; a step's label where only filters were given.
    pub excerpt: Box<str>,
    /// Bytes of the excerpt; empty where only filters were given.
    pub range: Range<usize>,
    /// Byte of the whole line at which the hit begins.
    pub start: usize,
}

impl Hit {
    /// As the search within a run tells it.
    pub fn in_run(&self) -> super::search::Hit {
        let range = self.start..self.start + self.range.len();
        super::search::Hit { turn: self.moment.turn, place: self.place, line: self.line, range }
    }
}

/// What was found in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunHits {
    pub path: PathBuf,
    pub about: About,
    /// In playing order, at most [`MOST_HITS`].
    pub hits: Vec<Hit>,
    /// How many there are, those that are not kept included.
    pub total: usize,
}

/// Which run it is, to a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    pub id: String,
    pub title: String,
    /// None where the recording names none.
    pub agent: Option<String>,
    /// The folder the agent worked in; None where the recording does not tell.
    pub project: Option<String>,
    pub started_at: Option<Time>,
}

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Looked {
    pub runs: usize,
    /// Those of them that the index knew as they are.
    pub indexed: usize,
    /// Runs with hits.
    pub with_hits: usize,
    pub hits: usize,
}

/// Hits kept of one run; those after them are counted.
pub const MOST_HITS: usize = 1_000;

/// The longest excerpt, in characters.
pub const EXCERPT_CHARS: usize = 240;

/// What an index must have of a part of a run, so that something that is looked for can be in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needed {
    /// Words of the texts, and of the names of edited files.
    pub words: Vec<Word>,
    /// Words of the names of edited files.
    pub edited: Vec<Word>,
    /// Words of the names of tools.
    pub tools: Vec<Word>,
    /// A step that failed.
    pub failed: bool,
}

impl About {
    pub fn of(run: &Run) -> Self {
        Self {
            id: run.id.clone(),
            title: run.title.clone(),
            agent: run.agent_key(),
            project: run.origin.root.clone(),
            started_at: run.started_at,
        }
    }

    /// The last part of the folder's path.
    pub fn project_name(&self) -> Option<&str> {
        self.project.as_deref().map(folder_name)
    }

    /// `2026-01-31`, in UTC.
    pub fn day(&self) -> Option<String> {
        self.started_at.map(|time| time.to_string().chars().take(10).collect())
    }
}

/// `12.7`, as `--at` takes it; of the request `12`.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.turn + 1)?;
        self.step.map_or(Ok(()), |(_, number)| write!(f, ".{number}"))
    }
}

impl Moment {
    /// Every request and step of a run, in playing order.
    pub fn all(run: &Run) -> Vec<Self> {
        let of_turn = |turn: usize| {
            let steps = run.steps_of_turn(turn).into_iter().zip(1..);
            let steps = steps.map(move |step| Self { turn, step: Some(step) });
            std::iter::once(Self { turn, step: None }).chain(steps)
        };
        (0..run.turns.len()).flat_map(of_turn).collect()
    }

    /// When it began; of a step without a time of its own, when its turn began.
    pub fn time(self, run: &Run) -> Option<Time> {
        let step = self.step.and_then(|(id, _)| run.step(id)).and_then(|step| step.started_at);
        step.or_else(|| run.turns.get(self.turn).and_then(|turn| turn.started_at))
    }
}

impl Lookup {
    /// What is written in one line; `now` is what a time such as `7d` is counted from. The error is a sentence.
    pub fn parse(words: &str, now: Time) -> Result<Self, String> {
        parse::parse(words, now)
    }

    /// One pattern in Rust's `regex` syntax. The error is a sentence.
    pub fn pattern(pattern: &str) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("there is nothing to look for".into());
        }
        Ok(Self { terms: vec![Term::pattern(pattern)?], filters: vec![] })
    }

    /// The first thing that is looked for, as the search within a run takes it; None where only filters were given.
    pub fn in_run(&self) -> Option<Query> {
        self.terms.first().map(|term| match term {
            Term::Phrase(phrase) => {
                let words: Vec<String> =
                    phrase.text().split_whitespace().map(|it| it.to_lowercase()).collect();
                match words.as_slice() {
                    [one] => Query { pattern: one.clone(), syntax: Syntax::Literal },
                    several => {
                        let escaped = several.iter().map(|it| regex::escape(it));
                        let pattern = escaped.collect::<Vec<_>>().join(r"\s+");
                        Query { pattern, syntax: Syntax::Regex }
                    }
                }
            }
            Term::Pattern(_, query) => query.clone(),
        })
    }

    /// Words that the texts of a request or a step with hits have; those of filters and patterns are not among them.
    pub fn words_said(&self) -> Vec<Word> {
        let phrases = self.terms.iter().filter_map(|term| match term {
            Term::Phrase(phrase) => Some(phrase.words()),
            Term::Pattern(..) => None,
        });
        phrases.flatten().collect()
    }

    /// What an index must have of a part of a run.
    pub fn needed(&self) -> Needed {
        let mut needed = Needed { words: self.words_said(), ..Needed::default() };
        for filter in &self.filters {
            match filter {
                Filter::File(name) => needed.words.extend(name.words()),
                Filter::Edited(name) => needed.edited.extend(name.words()),
                Filter::Tool(name) => needed.tools.extend(name.words()),
                Filter::Failed => needed.failed = true,
                Filter::Agent(_) | Filter::Project(_) | Filter::Since(_) => {}
            }
        }
        needed
    }

    /// Whether a run can have hits: its agent, its format, its folder, and the last time of anything in it.
    pub fn takes_run(
        &self,
        agent: Option<&str>,
        format: &str,
        project: Option<&str>,
        last: Option<Time>,
    ) -> bool {
        self.filters.iter().all(|filter| match filter {
            Filter::Agent(name) => agent.is_some_and(|it| name.is_in(it)) || name.is_in(format),
            Filter::Project(name) => project.is_some_and(|it| name.is_in(it)),
            Filter::Since(time) => last.is_some_and(|last| last >= *time),
            Filter::File(_) | Filter::Edited(_) | Filter::Tool(_) | Filter::Failed => true,
        })
    }

    /// Whether the index of a run lets a moment have hits; what it says is not looked at.
    pub fn takes(&self, run: &Run, moment: Moment) -> bool {
        let step = moment.step.and_then(|(id, _)| run.step(id));
        self.filters.iter().all(|filter| match filter {
            Filter::Edited(name) => step.is_some_and(|step| edits(step, name)),
            Filter::Tool(name) => {
                step.and_then(|step| step.tool.as_ref()).is_some_and(|tool| name.is_in(&tool.name))
            }
            Filter::Failed => step.is_some_and(Step::failed),
            Filter::File(_) => step.is_some(), // its call may name it
            Filter::Since(time) => moment.time(run).is_some_and(|it| it >= *time),
            Filter::Agent(_) | Filter::Project(_) => true, // of the run
        })
    }

    /// Gives each line of a moment with something that is looked for, if all of it is there. The texts are those of the
    /// step, or of the request as [`StepText::text`].
    pub fn look(
        &self,
        run: &Run,
        moment: Moment,
        texts: &StepText,
        found: &mut dyn FnMut(Found<'_>),
    ) {
        let fields = fields(moment, texts);
        if !self.names_files(run, moment, texts)
            || !self.terms.iter().all(|term| term.is_in(&fields))
        {
            return;
        }
        if self.terms.is_empty() {
            let step = moment.step.and_then(|(id, _)| run.step(id));
            let title = run.turns.get(moment.turn).map_or("", |turn| &turn.title);
            let label = step.map_or(title, |step| &step.label);
            let place = fields.first().map_or(HitPlace::Request, |(place, _)| *place);
            return found(Found { moment, place, line: 0, words: label, range: 0..0 });
        }
        for (place, text) in fields {
            self.lines(text, &mut |line, words, range| {
                found(Found { moment, place, line, words, range });
            });
        }
    }

    fn names_files(&self, run: &Run, moment: Moment, texts: &StepText) -> bool {
        let step = moment.step.and_then(|(id, _)| run.step(id));
        self.filters.iter().all(|filter| match filter {
            Filter::File(name) => {
                let in_call = || texts.arguments.as_deref().is_some_and(|text| name.is_in(text));
                step.is_some_and(|step| edits(step, name) || in_call())
            }
            _ => true,
        })
    }

    /// Each line of a text that has one of the terms, once, with the first of them.
    fn lines(&self, text: &str, give: &mut dyn FnMut(usize, &str, Range<usize>)) {
        let mut at: Vec<(usize, Range<usize>)> = vec![];
        for term in &self.terms {
            term.places(text, &mut |line, range| at.push((line, range)));
        }
        if at.is_empty() {
            return;
        }
        at.sort_by_key(|(line, range)| (*line, range.start, range.end));
        at.dedup_by_key(|(line, _)| *line);
        let mut lines = text.lines().enumerate();
        for (line, range) in at {
            if let Some((_, words)) = lines.find(|(number, _)| *number == line) {
                give(line, words, range);
            }
        }
    }
}

/// A hit, while the text that it stands in is at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'t> {
    pub moment: Moment,
    pub place: HitPlace,
    pub line: usize,
    /// The whole line.
    pub words: &'t str,
    /// Bytes of the line.
    pub range: Range<usize>,
}

impl Found<'_> {
    /// The hit with its line cut to what is kept.
    pub fn kept(&self) -> Hit {
        let (excerpt, range) = excerpt(self.words, &self.range);
        Hit {
            moment: self.moment,
            place: self.place,
            line: self.line,
            excerpt: excerpt.into(),
            range,
            start: self.range.start,
        }
    }
}

/// A line cut around a hit to [`EXCERPT_CHARS`], and the hit's bytes in it; a third of the room is left before it.
fn excerpt(line: &str, range: &Range<usize>) -> (String, Range<usize>) {
    if line.len() <= EXCERPT_CHARS {
        return (line.to_owned(), range.clone());
    }
    let before = line[..range.start].char_indices().rev().take(EXCERPT_CHARS / 3).last();
    let start = before.map_or(range.start, |(at, _)| at);
    let end =
        line[start..].char_indices().nth(EXCERPT_CHARS).map_or(line.len(), |(at, _)| start + at);
    let within = |at: usize| at.clamp(start, end) - start;
    (line[start..end].to_owned(), within(range.start)..within(range.end))
}

fn edits(step: &Step, name: &Phrase) -> bool {
    let has = |path: &dyn std::fmt::Display| name.is_in(&path.to_string());
    step.edits.iter().any(|edit| has(&edit.path) || edit.from.as_ref().is_some_and(|it| has(it)))
}

/// The texts of a moment with their places, in reading order.
fn fields(moment: Moment, texts: &StepText) -> Vec<(HitPlace, &str)> {
    let Some((step, _)) = moment.step else { return vec![(HitPlace::Request, &texts.text)] };
    let place = |field| HitPlace::Step(step, field);
    let optional = [
        (StepField::Arguments, texts.arguments.as_deref()),
        (StepField::Result, texts.result.as_deref()),
    ];
    let optional = optional.into_iter().filter_map(|(field, text)| Some((place(field), text?)));
    std::iter::once((place(StepField::Text), texts.text.as_str())).chain(optional).collect()
}

impl Term {
    fn pattern(pattern: &str) -> Result<Self, String> {
        let query = Query { pattern: pattern.into(), syntax: Syntax::Regex };
        Ok(Self::Pattern(Box::new(Matcher::of(&query)?), query))
    }

    fn is_in(&self, fields: &[(HitPlace, &str)]) -> bool {
        fields.iter().any(|(_, text)| match self {
            Self::Phrase(phrase) => phrase.is_in(text),
            Self::Pattern(matcher, _) => matcher.matches_in(text).next().is_some(),
        })
    }

    /// Gives each place where it stands in a text: the line, and the bytes of the line.
    fn places(&self, text: &str, give: &mut dyn FnMut(usize, Range<usize>)) {
        match self {
            Self::Pattern(matcher, _) => {
                matcher.matches_in(text).for_each(|(line, range)| give(line, range));
            }
            Self::Phrase(phrase) => {
                let (mut line, mut start) = (0, 0);
                for found in phrase.places(text) {
                    let between = &text.as_bytes()[start..found.start];
                    let ends = memchr::memchr_iter(b'\n', between).count();
                    if let Some(last) = memchr::memrchr(b'\n', between) {
                        (line, start) = (line + ends, start + last + 1);
                    }
                    give(line, found.start - start..found.end - start);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: usize) -> Moment {
        let id = StepId { turn: 0, subagent: None, step: id };
        Moment { turn: 0, step: Some((id, 1)) }
    }

    fn look(lookup: &str, texts: &StepText) -> Vec<(usize, Range<usize>)> {
        let lookup = Lookup::parse(lookup, Time(0)).unwrap();
        let mut found = vec![];
        lookup.look(&Run::default(), step(0), texts, &mut |it| found.push((it.line, it.range)));
        found
    }

    #[test]
    fn every_term_must_be_in_the_same_step() {
        let texts = StepText {
            text: "first\nretry later".into(),
            arguments: Some("curl".into()),
            result: Some("connection reset\n\nretry".into()),
        };

        assert_eq!(look("retry", &texts), [(1, 0..5), (2, 0..5)]);
        assert_eq!(look("retry curl", &texts), [(1, 0..5), (0, 0..4), (2, 0..5)]);
        assert_eq!(look("retry wget", &texts), []);
        assert_eq!(look(r#""connection reset" /^re.*y$/"#, &texts), [(0, 0..16), (2, 0..5)]);
    }

    #[test]
    fn a_line_with_several_hits_is_told_once() {
        let texts = StepText { text: "a b a\na".into(), ..StepText::default() };
        assert_eq!(look("a b", &texts), [(0, 0..1), (1, 0..1)]);
    }

    #[test]
    fn a_long_line_is_cut_around_its_hit() {
        let line = format!("{}é hit {}", "x".repeat(500), "y".repeat(500));
        let start = line.find("hit").unwrap();

        let (excerpt, range) = excerpt(&line, &(start..start + 3));

        assert_eq!((&excerpt[range], excerpt.chars().count()), ("hit", EXCERPT_CHARS));
        assert_eq!(super::excerpt("a hit", &(2..5)), ("a hit".into(), 2..5));
    }
}
