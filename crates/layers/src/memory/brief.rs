//! What was found, as sentences with where each is from.

use std::collections::BTreeSet;

use super::{
    card::{Anchored, Made},
    chunk::{Id, Kind, one_line, tokens},
    graph::Link,
    intake::Index,
    opened::Opened,
    state::record,
};
use crate::brief::{Origin, Sentence};

/// A chunk that is given.
#[derive(Debug, Clone)]
pub struct Given {
    pub id: Id,
    pub opened: Opened,
}

/// A chunk that is named and not opened.
#[derive(Debug, Clone)]
pub struct Near {
    pub id: Id,
    pub synopsis: String,
    pub span: (u32, u32),
}

/// What is told of, before it is put into words.
#[derive(Debug, Default)]
pub struct Told {
    pub given: Vec<Given>,
    pub cards: Vec<Made>,
    pub near: Vec<Near>,
    pub gone: Vec<Id>,
}

/// Names that are told of each kind of neighbour.
const MOST_NAMES: usize = 4;

/// Stands above what is given.
const HEADING: &str = "From the project's memory: code and documents as they are before this request, and what was asked \
before. It may not be all that matters.";

/// The same of a store that knows no versions.
const BLIND_HEADING: &str = "From the project's memory: pieces of code and documents, and what was asked before. Its \
pieces have no versions: some may be out of date.";

const NEAR: &str = "Also near, unopened:";
const REQUESTS: &str = "Asked for before:";
const GONE: &str = "No longer in the project:";

/// Sentences about chunks.
pub struct Writer<'a> {
    pub index: &'a Index,
    pub is_blind: bool,
}

impl Writer<'_> {
    /// In order: cards, what is near, what was asked, what is gone; empty where there is nothing of these.
    pub fn sentences(&self, told: &Told) -> Vec<Sentence> {
        let Told { given, cards, near, gone } = told;
        let mut sentences = vec![];
        let (of_files, asked): (Vec<&Made>, Vec<&Made>) = cards
            .iter()
            .partition(|made| made.card.anchored_spans.iter().any(|it| it.span.is_some()));
        of_files.into_iter().for_each(|made| self.card(made, given, &mut sentences));
        if !near.is_empty() {
            sentences.push(Sentence::heading(NEAR));
        }
        sentences.extend(near.iter().filter_map(|near| self.near(near)));
        if !asked.is_empty() {
            sentences.push(Sentence::heading(REQUESTS));
        }
        for span in asked.iter().flat_map(|made| &made.card.anchored_spans) {
            sentences.push(self.words(span, given));
        }
        if !gone.is_empty() {
            sentences.push(Sentence::heading(GONE));
        }
        sentences.extend(gone.iter().filter_map(|id| self.gone(*id)));
        if !sentences.is_empty() {
            let heading = if self.is_blind { BLIND_HEADING } else { HEADING };
            sentences.insert(0, Sentence::heading(heading));
        }
        sentences
    }

    fn card(&self, made: &Made, given: &[Given], sentences: &mut Vec<Sentence>) {
        let card = &made.card;
        if made.is_written {
            let artifact = card.anchored_spans.first().map_or("", |it| it.artifact.as_str());
            let mut text = format!("{artifact}: {} {}", card.claim_boundary, card.logic_sketch);
            if !card.assumptions.is_empty() {
                text.push_str(&format!(" Assumed: {}", card.assumptions.join("; ")));
            }
            sentences.push(Sentence::new(text, card.anchored_spans.iter().filter_map(lines)));
        }
        for span in &card.anchored_spans {
            let chunk = given.iter().find(|it| is_of(span, it)).map(|it| it.id);
            let (title, from) = self.title(span, chunk);
            sentences.push(Sentence::new(title, lines(span).into_iter().chain(from)));
            let snippet: Vec<String> =
                span.snippet.lines().map(|line| format!("    {line}")).collect();
            sentences.push(Sentence::new(snippet.join("\n"), lines(span)));
        }
    }

    /// Tokens that a chunk takes in a brief.
    pub fn cost(&self, given: &Given) -> usize {
        let span = Anchored::from(&given.opened);
        match span.span {
            Some(_) => tokens(&self.title(&span, Some(given.id)).0) + tokens(&span.snippet),
            None => tokens(&span.snippet) + 4,
        }
    }

    /// `a.py:3-9 f (function; since turn 2; used by g): …`, and what else that is from.
    fn title(&self, span: &Anchored, chunk: Option<Id>) -> (String, Vec<Origin>) {
        let place = place(&span.artifact, span.span);
        let Some((id, head)) = chunk.and_then(|id| Some((id, self.index.catalogue.head(id)?)))
        else {
            return (place, vec![]);
        };
        let mut about = vec![head.kind.word().to_owned()];
        let since = |turn: usize| turn > 0 && !self.is_blind;
        about.extend(since(head.introduced).then(|| format!("since turn {}", head.introduced)));
        let is_changed = since(head.version) && head.version > head.introduced;
        about.extend(is_changed.then(|| format!("changed in turn {}", head.version)));
        about.extend(self.names(id, "used by", Link::Calls, true));
        about.extend(self.names(id, "uses", Link::Calls, false));
        about.extend(self.names(id, "tested in", Link::Tests, true));
        let asked = self.asked(id);
        about.extend(self.asked_words(&asked));
        let name = if head.name.is_empty() { String::new() } else { format!(" {}", head.name) };
        let mut from = vec![Origin::Record(record(head))];
        from.extend(asked.into_iter().map(Origin::Request));
        (format!("{place}{name} ({})", about.join("; ")), from)
    }

    /// `used by a, b`; None where no edge of that kind is there.
    fn names(&self, id: Id, what: &str, link: Link, is_back: bool) -> Option<String> {
        let catalogue = &self.index.catalogue;
        let near = self.index.graph.neighbours(id, |id| catalogue.key(id));
        let ids = near.iter().filter(|it| (it.link, it.is_back) == (link, is_back));
        let mut names = vec![];
        for head in ids.filter_map(|it| catalogue.head(it.other)) {
            let name = head.title().to_owned();
            if !names.contains(&name) && head.gone.is_none() {
                names.push(name);
            }
        }
        names.truncate(MOST_NAMES);
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    }

    /// The turns that asked for a chunk, or brought it; the last of them, ascending.
    fn asked(&self, id: Id) -> Vec<usize> {
        let catalogue = &self.index.catalogue;
        let near = self.index.graph.neighbours(id, |id| catalogue.key(id));
        let is_asked = |link: Link| matches!(link, Link::DiscussedIn | Link::IntroducedBy);
        let asked = near.iter().filter(|it| is_asked(it.link) && !it.is_back);
        let turns: BTreeSet<usize> =
            asked.filter_map(|it| catalogue.head(it.other)?.request()).collect();
        turns.into_iter().rev().take(MOST_NAMES).collect::<Vec<_>>().into_iter().rev().collect()
    }

    fn asked_words(&self, turns: &[usize]) -> Option<String> {
        let words: Vec<String> = turns.iter().map(usize::to_string).collect();
        match turns {
            [] => None,
            [turn] => Some(format!("asked for in turn {turn}")),
            [..] => Some(format!("asked for in turns {}", words.join(", "))),
        }
    }

    /// `- a.py:3-9 f: def f(x) - …`
    pub fn near(&self, near: &Near) -> Option<Sentence> {
        let head = self.index.catalogue.head(near.id)?;
        let (place, (start, end)) = (place(&head.artifact, Some(near.span)), near.span);
        let text = format!("- {place} {}: {}", head.name, one_line(&near.synopsis, 120));
        let lines = Origin::Lines { path: head.artifact.clone(), start, end };
        Some(Sentence::new(text, [lines, Origin::Record(record(head))]))
    }

    /// A request or decision.
    fn words(&self, span: &Anchored, given: &[Given]) -> Sentence {
        let text = format!("- {}: {}", span.artifact, span.snippet);
        let chunk = given.iter().find(|it| is_of(span, it));
        let head = chunk.and_then(|it| self.index.catalogue.head(it.id));
        let from = head.map(|head| match head.request() {
            Some(turn) => Origin::Request(turn),
            None => Origin::Decision(head.artifact.trim_start_matches("decision ").to_owned()),
        });
        Sentence::new(text, from)
    }

    fn gone(&self, id: Id) -> Option<Sentence> {
        let catalogue = &self.index.catalogue;
        let head = catalogue.head(id)?;
        let turn = head.gone?;
        let near = self.index.graph.neighbours(id, |id| catalogue.key(id));
        let taken = |it: &&super::graph::Edge| it.link == Link::DeprecatedBy && !it.is_back;
        let takers = near.iter().filter(taken).filter_map(|it| catalogue.head(it.other));
        let taker = takers.filter(|it| it.kind != Kind::Request).map(|it| it.title()).next();
        let asked = self.asked(id);
        let mut text = match head.name.as_str() {
            "" => format!("- {} is gone since turn {turn}", head.artifact),
            name => format!("- {name} ({}) is gone since turn {turn}", head.artifact),
        };
        text.extend(taker.map(|taker| format!(", taken in by {taker}")));
        text.extend(self.asked_words(&asked).map(|asked| format!("; it was {asked}")));
        text.push_str(&format!(": {}", one_line(&head.synopsis, 120)));
        let from = std::iter::once(Origin::Record(record(head)));
        Some(Sentence::new(text, from.chain(asked.into_iter().map(Origin::Request))))
    }
}

/// `a.py:3-9`
fn place(artifact: &str, span: Option<(u32, u32)>) -> String {
    match span {
        Some((start, end)) if start == end => format!("{artifact}:{start}"),
        Some((start, end)) => format!("{artifact}:{start}-{end}"),
        None => artifact.to_owned(),
    }
}

fn is_of(span: &Anchored, given: &Given) -> bool {
    (&span.artifact, span.span, &span.snippet)
        == (&given.opened.artifact, given.opened.span, &given.opened.snippet)
}

fn lines(span: &Anchored) -> Option<Origin> {
    let (start, end) = span.span?;
    Some(Origin::Lines { path: span.artifact.clone(), start, end })
}
