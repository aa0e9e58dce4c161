//! A search through many runs at once: words, phrases, patterns and filters, and its hits.
//!
//! A [`Lookup`] is written in one line: `retry "connection reset" /E\d{4}/ tool:Bash since:7d`. Everything in it must
//! be true of the same request, or of the same step with its call and its result. [`words`] defines a word; [`RunHits`]
//! has the hits of a run. The texts are those of the search within a run ([`super::search`]), so that both find the
//! same.

mod parse;
pub mod words;

use std::{fmt, ops::Range, path::PathBuf};

use super::{
    Run, Step, StepId, StepText, Time,
    activity::folder_name,
    filter_condition::TrialCondition,
    search::{HitPlace, QueryMatcher, QuerySyntax, SearchQuery, StepField},
    trial::TrialValues,
};

use words::{IndexWord, Phrase};

/// A query for many texts, prepared.
#[derive(Debug)]
pub struct Lookup {
    /// Each must be in the same request or step.
    terms: Vec<LookupTerm>,
    filters: Vec<LookupFilter>,
}

/// A phrase or a pattern of a query.
#[derive(Debug)]
enum LookupTerm {
    Phrase(Phrase),
    Pattern(Box<QueryMatcher>, SearchQuery),
}

/// A condition on a run or a step, beside its text.
#[derive(Debug, Clone, PartialEq)]
enum LookupFilter {
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
    /// The step is not before this time. A step without a time does not match.
    Since(Time),
    /// The harness recorded this of the run.
    Trial(TrialCondition),
}

/// A request, or a step with its number in the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LookupMoment {
    /// Counts from 0.
    pub turn: usize,
    /// The step, and its number, which counts from 1 ([`Run::step_numbers`]); None for the request.
    pub step: Option<(StepId, usize)>,
}

/// A line with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupHit {
    pub moment: LookupMoment,
    /// The text with the line.
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

impl LookupHit {
    /// Returns the hit in the form of the search within a run.
    pub fn as_search_hit(&self) -> super::search::SearchHit {
        let range = self.start..self.start + self.range.len();
        super::search::SearchHit {
            turn: self.moment.turn,
            place: self.place,
            line: self.line,
            range,
        }
    }
}

/// The hits of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunHits {
    pub path: PathBuf,
    pub about: LookupRun,
    /// The hits in playing order, at most [`MOST_HITS`].
    pub hits: Vec<LookupHit>,
    /// Number of hits, those that are not kept included.
    pub total: usize,
}

/// The identity of a run, for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookupRun {
    pub id: String,
    pub title: String,
    /// The agent; None where the recording names none.
    pub agent: Option<String>,
    /// The folder the agent worked in; None where the recording does not tell.
    pub project: Option<String>,
    pub started_at: Option<Time>,
}

/// The totals of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LookupTotals {
    pub runs: usize,
    /// Runs whose index was up to date.
    pub indexed: usize,
    /// Runs with hits.
    pub with_hits: usize,
    pub hits: usize,
}

/// Hits kept of one run; those after them are counted.
pub const MOST_HITS: usize = 1_000;

/// The longest excerpt, in characters.
pub(crate) const EXCERPT_CHARS: usize = 240;

/// The index entries that a part of a run must have to contain a hit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexNeeds {
    /// Words of the texts, and of the names of edited files.
    pub words: Vec<IndexWord>,
    /// Words of the names of edited files.
    pub edited: Vec<IndexWord>,
    /// Words of the names of tools.
    pub tools: Vec<IndexWord>,
    /// A step that failed.
    pub failed: bool,
}

impl LookupRun {
    pub fn for_run(run: &Run) -> Self {
        Self {
            id: run.id.clone(),
            title: run.title.clone(),
            agent: run.agent_key(),
            project: run.origin.root.clone(),
            started_at: run.started_at,
        }
    }

    /// Returns the last part of the folder's path.
    pub fn project_name(&self) -> Option<&str> {
        self.project.as_deref().map(folder_name)
    }

    /// Returns `2026-01-31`, in UTC; None where the start is not recorded.
    pub fn start_day(&self) -> Option<String> {
        self.started_at.map(|time| time.to_string().chars().take(10).collect())
    }
}

/// `12.7`, as `--at` takes it; of the request `12`.
impl fmt::Display for LookupMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.turn + 1)?;
        self.step.map_or(Ok(()), |(_, number)| write!(f, ".{number}"))
    }
}

impl LookupMoment {
    /// Returns every request and step of a run, in playing order.
    pub fn moments_of_run(run: &Run) -> Vec<Self> {
        let of_turn = |turn: usize| {
            let steps = run.steps_of_turn(turn).into_iter().zip(1..);
            let steps = steps.map(move |step| Self { turn, step: Some(step) });
            std::iter::once(Self { turn, step: None }).chain(steps)
        };
        (0..run.turns.len()).flat_map(of_turn).collect()
    }

    /// Returns the start of the moment; for a step without a time, the start of its turn.
    pub fn start_time(self, run: &Run) -> Option<Time> {
        let step = self.step.and_then(|(id, _)| run.step(id)).and_then(|step| step.started_at);
        step.or_else(|| run.turns.get(self.turn).and_then(|turn| turn.started_at))
    }
}

impl Lookup {
    /// Reads a query from one line; a time such as `7d` counts from `now`. The error is a sentence.
    pub fn parse(words: &str, now: Time) -> Result<Self, String> {
        parse::parse_lookup(words, now)
    }

    /// Returns one pattern in Rust's `regex` syntax. The error is a sentence.
    pub fn from_pattern(pattern: &str) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("empty query".into());
        }
        Ok(Self { terms: vec![LookupTerm::from_pattern(pattern)?], filters: vec![] })
    }

    /// Returns the first thing that is looked for, as the search within a run takes it; None where only filters were given.
    pub fn first_search_query(&self) -> Option<SearchQuery> {
        self.terms.first().map(|term| match term {
            LookupTerm::Phrase(phrase) => {
                let words: Vec<String> =
                    phrase.text().split_whitespace().map(|it| it.to_lowercase()).collect();
                match words.as_slice() {
                    [one] => SearchQuery { pattern: one.clone(), syntax: QuerySyntax::Literal },
                    several => {
                        let escaped = several.iter().map(|it| regex::escape(it));
                        let pattern = escaped.collect::<Vec<_>>().join(r"\s+");
                        SearchQuery { pattern, syntax: QuerySyntax::Regex }
                    }
                }
            }
            LookupTerm::Pattern(_, query) => query.clone(),
        })
    }

    /// Returns words that the texts of a request or a step with hits have; those of filters and patterns are not among them.
    pub fn text_words(&self) -> Vec<IndexWord> {
        let phrases = self.terms.iter().filter_map(|term| match term {
            LookupTerm::Phrase(phrase) => Some(phrase.required_words()),
            LookupTerm::Pattern(..) => None,
        });
        phrases.flatten().collect()
    }

    /// Returns the index entries that a part of a run must have.
    pub fn index_needs(&self) -> IndexNeeds {
        let mut needed = IndexNeeds { words: self.text_words(), ..IndexNeeds::default() };
        for filter in &self.filters {
            match filter {
                LookupFilter::File(name) => needed.words.extend(name.required_words()),
                LookupFilter::Edited(name) => needed.edited.extend(name.required_words()),
                LookupFilter::Tool(name) => needed.tools.extend(name.required_words()),
                LookupFilter::Failed => needed.failed = true,
                LookupFilter::Agent(_)
                | LookupFilter::Project(_)
                | LookupFilter::Since(_)
                | LookupFilter::Trial(_) => {}
            }
        }
        needed
    }

    /// Returns whether a run can have hits, by its agent, its format, its folder, and its last time.
    pub fn accepts_run(
        &self,
        agent: Option<&str>,
        format: &str,
        project: Option<&str>,
        last: Option<Time>,
    ) -> bool {
        self.filters.iter().all(|filter| match filter {
            LookupFilter::Agent(name) => {
                agent.is_some_and(|it| name.is_in(it)) || name.is_in(format)
            }
            LookupFilter::Project(name) => project.is_some_and(|it| name.is_in(it)),
            LookupFilter::Since(time) => last.is_some_and(|last| last >= *time),
            LookupFilter::File(_)
            | LookupFilter::Edited(_)
            | LookupFilter::Tool(_)
            | LookupFilter::Failed
            | LookupFilter::Trial(_) => true,
        })
    }

    /// Returns whether a run can have hits, by the result of its harness. An index does not have it: a result may be written
    /// after the log was read.
    pub fn accepts_trial(&self, values: &TrialValues) -> bool {
        self.filters.iter().all(|filter| match filter {
            LookupFilter::Trial(condition) => condition.holds_for(values),
            _ => true,
        })
    }

    /// Returns whether a moment can have hits, by the index of its run; its text is not read.
    pub fn accepts_moment(&self, run: &Run, moment: LookupMoment) -> bool {
        let step = moment.step.and_then(|(id, _)| run.step(id));
        self.filters.iter().all(|filter| match filter {
            LookupFilter::Edited(name) => step.is_some_and(|step| edits_file(step, name)),
            LookupFilter::Tool(name) => {
                step.and_then(|step| step.tool.as_ref()).is_some_and(|tool| name.is_in(&tool.name))
            }
            LookupFilter::Failed => step.is_some_and(Step::has_failed),
            LookupFilter::File(_) => step.is_some(), // its call may name it
            LookupFilter::Since(time) => moment.start_time(run).is_some_and(|it| it >= *time),
            // Of the run.
            LookupFilter::Agent(_) | LookupFilter::Project(_) | LookupFilter::Trial(_) => true,
        })
    }

    /// Gives each line of a moment with something that is looked for, if all of it is there. The texts are those of the
    /// step, or of the request as [`StepText::text`].
    pub fn find_hits(
        &self,
        run: &Run,
        moment: LookupMoment,
        texts: &StepText,
        on_hit: &mut dyn FnMut(LineHit<'_>),
    ) {
        let fields = texts_of_moment(moment, texts);
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
            return on_hit(LineHit { moment, place, line: 0, line_text: label, range: 0..0 });
        }
        for (place, text) in fields {
            self.matching_lines(text, &mut |line, words, range| {
                on_hit(LineHit { moment, place, line, line_text: words, range });
            });
        }
    }

    fn names_files(&self, run: &Run, moment: LookupMoment, texts: &StepText) -> bool {
        let step = moment.step.and_then(|(id, _)| run.step(id));
        self.filters.iter().all(|filter| match filter {
            LookupFilter::File(name) => {
                let in_call = || texts.arguments.as_deref().is_some_and(|text| name.is_in(text));
                step.is_some_and(|step| edits_file(step, name) || in_call())
            }
            _ => true,
        })
    }

    /// Calls `give` once for each line with a term: its number from 0, the line, and the bytes of its leftmost match.
    fn matching_lines(&self, text: &str, give: &mut dyn FnMut(usize, &str, Range<usize>)) {
        let mut at: Vec<(usize, Range<usize>)> = vec![];
        for term in &self.terms {
            term.each_place(text, &mut |line, range| at.push((line, range)));
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

/// A hit with its whole line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHit<'t> {
    pub moment: LookupMoment,
    pub place: HitPlace,
    pub line: usize,
    /// The whole line.
    pub line_text: &'t str,
    /// Bytes of the line.
    pub range: Range<usize>,
}

impl LineHit<'_> {
    /// Returns the hit with its line cut to what is kept.
    pub fn to_hit(&self) -> LookupHit {
        let (excerpt, range) = cut_excerpt(self.line_text, &self.range);
        LookupHit {
            moment: self.moment,
            place: self.place,
            line: self.line,
            excerpt: excerpt.into(),
            range,
            start: self.range.start,
        }
    }
}

/// Returns a line cut around a hit to [`EXCERPT_CHARS`], and the hit's bytes in it; a third of the room is left before it.
fn cut_excerpt(line: &str, range: &Range<usize>) -> (String, Range<usize>) {
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

fn edits_file(step: &Step, name: &Phrase) -> bool {
    let has = |path: &dyn std::fmt::Display| name.is_in(&path.to_string());
    step.edits.iter().any(|edit| has(&edit.path) || edit.from.as_ref().is_some_and(|it| has(it)))
}

/// Returns the texts of a moment with their places, in reading order.
fn texts_of_moment(moment: LookupMoment, texts: &StepText) -> Vec<(HitPlace, &str)> {
    let Some((step, _)) = moment.step else { return vec![(HitPlace::Request, &texts.text)] };
    let place = |field| HitPlace::Step(step, field);
    let optional = [
        (StepField::Arguments, texts.arguments.as_deref()),
        (StepField::Result, texts.result.as_deref()),
    ];
    let optional = optional.into_iter().filter_map(|(field, text)| Some((place(field), text?)));
    std::iter::once((place(StepField::Text), texts.text.as_str())).chain(optional).collect()
}

impl LookupTerm {
    fn from_pattern(pattern: &str) -> Result<Self, String> {
        let query = SearchQuery { pattern: pattern.into(), syntax: QuerySyntax::Regex };
        Ok(Self::Pattern(Box::new(QueryMatcher::for_query(&query)?), query))
    }

    fn is_in(&self, fields: &[(HitPlace, &str)]) -> bool {
        fields.iter().any(|(_, text)| match self {
            Self::Phrase(phrase) => phrase.is_in(text),
            Self::Pattern(matcher, _) => matcher.matches_in(text).next().is_some(),
        })
    }

    /// Calls `give` with each match in a text: the line, and the bytes of the line.
    fn each_place(&self, text: &str, give: &mut dyn FnMut(usize, Range<usize>)) {
        match self {
            Self::Pattern(matcher, _) => {
                matcher.matches_in(text).for_each(|(line, range)| give(line, range));
            }
            Self::Phrase(phrase) => {
                let (mut line, mut start) = (0, 0);
                for range in phrase.places_in(text) {
                    let between = &text.as_bytes()[start..range.start];
                    let ends = memchr::memchr_iter(b'\n', between).count();
                    if let Some(last) = memchr::memrchr(b'\n', between) {
                        (line, start) = (line + ends, start + last + 1);
                    }
                    give(line, range.start - start..range.end - start);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step_moment(id: usize) -> LookupMoment {
        let id = StepId { turn: 0, subagent: None, step: id };
        LookupMoment { turn: 0, step: Some((id, 1)) }
    }

    fn find_places(lookup: &str, texts: &StepText) -> Vec<(usize, Range<usize>)> {
        let lookup = Lookup::parse(lookup, Time(0)).unwrap();
        let mut hits = vec![];
        lookup.find_hits(&Run::default(), step_moment(0), texts, &mut |it| {
            hits.push((it.line, it.range))
        });
        hits
    }

    #[test]
    fn every_term_must_be_in_the_same_step() {
        let texts = StepText {
            text: "first\nretry later".into(),
            arguments: Some("curl".into()),
            result: Some("connection reset\n\nretry".into()),
        };

        assert_eq!(find_places("retry", &texts), [(1, 0..5), (2, 0..5)]);
        assert_eq!(find_places("retry curl", &texts), [(1, 0..5), (0, 0..4), (2, 0..5)]);
        assert_eq!(find_places("retry wget", &texts), []);
        assert_eq!(find_places(r#""connection reset" /^re.*y$/"#, &texts), [(0, 0..16), (2, 0..5)]);
    }

    #[test]
    fn a_line_with_several_hits_is_told_once() {
        let texts = StepText { text: "a b a\na".into(), ..StepText::default() };
        assert_eq!(find_places("a b", &texts), [(0, 0..1), (1, 0..1)]);
    }

    #[test]
    fn a_long_line_is_cut_around_its_hit() {
        let line = format!("{}é hit {}", "x".repeat(500), "y".repeat(500));
        let start = line.find("hit").unwrap();

        let (excerpt, range) = cut_excerpt(&line, &(start..start + 3));

        assert_eq!((&excerpt[range], excerpt.chars().count()), ("hit", EXCERPT_CHARS));
        assert_eq!(super::cut_excerpt("a hit", &(2..5)), ("a hit".into(), 2..5));
    }
}
