//! `memory`: a memory that knows versions (PaperGuru's kernel, for code).
//!
//! Four properties: content has versions, of which only the newest is given (`opened`); mentions lead to entities that keep
//! their place through renames (`intake`, `catalogue`); chunks hang together in a graph with types and times (`graph`,
//! `links`); all that is given names artifact, lines and version (`card`). Versions are turns, of which `turns.tsv` has
//! the commits.
//!
//! Before a request `query` leads from its words to a pool of chunks, which are opened until the budget is used; the helper
//! model writes evidence cards of them. After a turn the memory follows what it changed. [`stale`] measures how much of what
//! was given no longer held, `copies` is the variant without versions beside it.

mod brief;
mod card;
mod catalogue;
mod chunk;
mod copies;
mod event;
mod graph;
mod intake;
mod links;
mod opened;
mod query;
mod rank;
pub mod stale;
mod state;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use card::{Anchored, Card};

use super::{Brief, Helper, Layer, Moment, Offered, Options, Project, Spec, State, TurnDone};
use brief::{Given, Near, Told, Writer};
use card::Made;
use chunk::{Head, Id, Kind};
use copies::Copies;
use event::{Event, Events};
use intake::{Index, When};
use opened::{Opened, Reader};
use query::{Found, Query, Routed};
use stale::Stale;
use trajview_metrics::decisions;
use trajview_run::RepoPath;

/// The parts that can be switched; `blind` changes what the others do.
pub const PARTS: &[&str] = &["blind", "graph", "history", "cards"];

pub const OFFERED: Offered = Offered {
    name: "memory",
    parts: PARTS,
    what: "code, documents and requests as chunks with versions in a graph; the newest of what a request is near",
    make: |spec, options| Box::new(Memory::new(spec, options)),
};

/// Does without versions, beside whatever other parts work.
const BLIND: &str = "blind";

/// The file of the state with an event a line, as a bundle's `memory.jsonl` has them.
pub const EVENTS: &str = "memory.jsonl";

const TURNS: &str = "turns.tsv";
const COPIES: &str = "copies.jsonl";

/// Tokens of what is given with a request; four characters are one.
pub const BUDGET: usize = 1_500;

/// Chunks that are given with a request, and requests and decisions among them.
const MOST_GIVEN: usize = 24;
const MOST_ASKED: usize = 6;

/// Classes, functions and sections that are named and not opened, and the tokens that they may take.
const MOST_NEAR: usize = 24;
const BUDGET_OF_NEAR: usize = 500;

/// What is gone is told of so many, of those that stand so far up in the pool.
const MOST_GONE: usize = 5;
const POOL_OF_GONE: usize = 48;

/// Cards that the helper model writes for a request.
const MOST_WRITTEN: usize = 4;

/// Entities and chunks that an event names.
const MOST_NAMED: usize = 64;

/// The layer.
pub struct Memory {
    name: String,
    has_graph: bool,
    has_history: bool,
    has_cards: bool,
    decisions: decisions::Store,
    index: Index,
    /// In the variant without versions.
    copies: Option<Copies>,
    events: Events,
    /// The commits that hold the files after so many turns.
    commits: BTreeMap<usize, String>,
}

impl Memory {
    pub fn new(spec: &Spec, options: &Options) -> Self {
        let is_whole = spec.parts.iter().all(|part| part == BLIND);
        let works = |part: &str| is_whole || spec.has(part);
        Self {
            name: spec.to_string(),
            has_graph: works("graph"),
            has_history: works("history"),
            has_cards: works("cards"),
            decisions: options.decisions.clone(),
            index: Index::default(),
            copies: spec.has(BLIND).then(Copies::default),
            events: Events::default(),
            commits: BTreeMap::new(),
        }
    }

    /// Takes in what the memory does not know at a moment after so many turns.
    fn catch_up(&mut self, project: &Project, earlier: &[String], done: usize) {
        for (turn, text) in (1..).zip(earlier) {
            if self.index.catalogue.by_key(&format!("turn {turn}")).is_none()
                && let Some(id) = self.index.request(turn, text)
            {
                self.index.discuss(id, text, turn);
            }
        }
        let changes = self.index.differences(project);
        if !changes.is_empty() {
            self.index.update(project, &changes, When { turn: done, request: None });
            let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
            self.copy(project, &paths, done);
        }
        for decision in &self.decisions.decisions {
            let text = format!("{} {}", decision.question, decision.answer);
            let head = Head {
                kind: Kind::Decision,
                artifact: format!("decision {}", decision.id),
                synopsis: chunk::one_line(&text, 400),
                hash: chunk::hash(&text),
                ..Head::default()
            };
            if let Some(id) = self.index.catalogue.put(head) {
                let named = format!("{text} {}", decision.files.join(" "));
                self.index.discuss(id, &named, 0);
            }
        }
        if let Some(commit) = &project.commit {
            self.commits.insert(done, commit.clone());
        }
    }

    /// Keeps the versions of artifacts, where versions are not known.
    fn copy(&mut self, project: &Project, paths: &[&str], done: usize) {
        if let Some(copies) = &mut self.copies {
            let mut reader = Reader::new(project, &[], &self.decisions, done);
            copies.take_in(&self.index.catalogue, paths.iter().copied(), &mut reader);
        }
    }

    /// Opens the pool from its best on, as far as the budget goes.
    fn expand(&mut self, routed: &Routed, reader: &mut Reader<'_>, turn: usize) -> Vec<Given> {
        let writer = Writer { index: &self.index, is_blind: self.copies.is_some() };
        let (mut given, mut left, mut asked): (Vec<Given>, usize, usize) = (vec![], BUDGET, 0);
        let mut failed = vec![];
        for found in &routed.pool {
            let Some(head) = self.index.catalogue.head(found.id) else { continue };
            let is_asked = matches!(head.kind, Kind::Request | Kind::Decision);
            let is_empty = !is_asked && head.lines.is_none() && found.copy.is_none();
            let is_past = found.copy.is_none() && head.gone.is_some();
            if given.len() >= MOST_GIVEN || is_empty || is_past || (is_asked && asked >= MOST_ASKED)
            {
                continue;
            }
            let opened = match self.open(found, head, reader) {
                Ok(opened) => opened,
                Err(why) => {
                    failed.push(Event::failed(head, why, turn));
                    continue;
                }
            };
            let one = Given { id: found.id, opened };
            let cost = writer.cost(&one);
            if cost <= left && !given.iter().any(|it| holds(it, &one)) {
                left -= cost;
                asked += usize::from(is_asked);
                given.push(one);
            }
        }
        self.events.add(failed);
        given
    }

    /// The content of a chunk of the pool. The error says why it is not given.
    fn open(&self, found: &Found, head: &Head, reader: &mut Reader<'_>) -> Result<Opened, String> {
        match (found.copy, &self.copies) {
            (Some(at), Some(copies)) => copies.open(at).ok_or_else(|| "it is not kept".to_owned()),
            (Some(_), None) | (None, _) => reader.open(head),
        }
    }

    /// The best of the pool that were not opened, by their heads.
    fn near(&self, routed: &Routed, given: &[Given], reader: &mut Reader<'_>) -> Vec<Near> {
        let writer = Writer { index: &self.index, is_blind: self.copies.is_some() };
        let (mut found, mut left): (Vec<Near>, usize) = (vec![], BUDGET_OF_NEAR);
        let mut named: BTreeSet<String> =
            given.iter().map(|it| self.index.catalogue.key(it.id)).collect();
        for one in &routed.pool {
            let Some(head) = self.index.catalogue.head(one.id) else { continue };
            let is_kind = matches!(head.kind, Kind::Class | Kind::Function | Kind::Section);
            let is_said = named.contains(&head.key()) || head.is_called_by_itself();
            if is_said || !is_kind || found.len() >= MOST_NEAR {
                continue;
            }
            let known = match (one.copy, &self.copies) {
                (Some(at), Some(copies)) => copies.synopsis(at),
                (Some(_), None) | (None, _) => {
                    let path = head.path().filter(|path| reader.is_current(head, path).is_ok());
                    path.map(|_| (head.synopsis.as_str(), head.lines))
                }
            };
            let Some((synopsis, Some(span))) = known else { continue };
            let near = Near { id: one.id, synopsis: synopsis.to_owned(), span };
            let cost = writer.near(&near).map_or(0, |it| chunk::tokens(&it.text));
            if cost <= left {
                left -= cost;
                named.insert(head.key());
                found.push(near);
            }
        }
        found
    }

    /// The cards of what is given.
    fn cards(
        &self,
        given: &[Given],
        moment: &Moment<'_>,
        reader: &mut Reader<'_>,
        helper: &mut dyn Helper,
    ) -> Vec<Made> {
        let opened: Vec<_> = given.iter().map(|it| it.opened.clone()).collect();
        let mut cards = card::cut(&opened, moment.turn);
        if self.has_cards && helper.is_available() {
            let has_lines =
                |made: &&mut Made| made.card.anchored_spans.iter().any(|it| it.span.is_some());
            for made in cards.iter_mut().filter(has_lines).take(MOST_WRITTEN) {
                card::write(made, moment.request, reader, helper);
            }
        }
        if self.copies.is_none() {
            cards.iter_mut().for_each(|made| verify(made, reader));
        }
        cards.retain(|made| !made.card.anchored_spans.is_empty());
        cards
    }

    fn record(&mut self, moment: &Moment<'_>, routed: &Routed, given: &[Given], cards: &[Made]) {
        let key = |id: &Id| self.index.catalogue.key(*id);
        let turn = moment.turn;
        let writer = Writer { index: &self.index, is_blind: self.copies.is_some() };
        let tokens: usize = given.iter().map(|it| writer.cost(it)).sum();
        let routing = Event {
            query: Some(chunk::one_line(moment.request, 400)),
            entities: routed.entities.iter().take(MOST_NAMED).map(key).collect(),
            chunks: routed.pool.iter().take(MOST_NAMED).map(|it| key(&it.id)).collect(),
            ..Event::new("routing", turn)
        };
        let expansion = Event {
            chunks: given.iter().map(|it| key(&it.id)).collect(),
            tokens: u64::try_from(tokens).ok(),
            ..Event::new("expansion", turn)
        };
        let cards = cards.iter().flat_map(|made| Event::of_card(made, turn));
        self.events.add([routing, expansion].into_iter().chain(cards));
    }

    /// What is gone and has to do with the request.
    fn gone(&self, routed: &Routed) -> Vec<Id> {
        if self.copies.is_some() {
            return vec![];
        }
        let is_gone = |id: &Id| self.index.catalogue.head(*id).is_some_and(|it| it.gone.is_some());
        let near = routed.pool.iter().take(POOL_OF_GONE).map(|it| it.id);
        near.filter(is_gone).take(MOST_GONE).collect()
    }

    fn why(&self, routed: &Routed, told: &Told, stale: Stale) -> String {
        let (given, cards) = (told.given.len(), &told.cards);
        let written = cards.iter().filter(|made| made.is_written).count();
        let cut = match (self.has_cards, written) {
            (true, 0) => ", cut to their first lines as no model wrote cards".to_owned(),
            (true, written) => format!(", {written} of {} cards by the helper model", cards.len()),
            (false, _) => ", cut to their first lines".to_owned(),
        };
        let left_out = match self.index.catalogue.left_out {
            0 => String::new(),
            count => format!("; {count} chunks were left out as there are too many"),
        };
        format!(
            "{given} of {} chunks near the {} entities that the request names{cut}; {} of {} cited places stale{left_out}",
            routed.pool.len(),
            routed.entities.len(),
            stale.stale,
            stale.given,
        )
    }
}

/// The files that cards cite, the first cited first.
fn forecast(cards: &[Card]) -> Vec<String> {
    let mut files: Vec<String> = vec![];
    for span in cards.iter().flat_map(|card| &card.anchored_spans) {
        if span.span.is_some() && !files.contains(&span.artifact) {
            files.push(span.artifact.clone());
        }
    }
    files
}

/// Whether what is given already has the lines of another chunk.
fn holds(given: &Given, other: &Given) -> bool {
    given.opened.artifact == other.opened.artifact
        && given.opened.snippet.contains(&other.opened.snippet)
}

/// Takes out of a card what does not stand in the files as they are.
fn verify(made: &mut Made, reader: &mut Reader<'_>) {
    let mut checked = BTreeSet::new();
    let mut checks = vec![];
    made.card.anchored_spans.retain(|span| {
        if span.span.is_none() {
            return true;
        }
        let path = RepoPath::new(&span.artifact);
        let text = path.and_then(|path| reader.text(&path).map(str::to_owned));
        let passed = text.is_some_and(|text| stale::stands(&span.snippet, &text));
        if checked.insert((span.artifact.clone(), passed)) {
            let why = (!passed).then(|| "the snippet does not stand in the file".to_owned());
            checks.push(card::Check { artifact: span.artifact.clone(), passed, why });
        }
        passed
    });
    if !made.is_written {
        made.checks.extend(checks);
    }
}

impl Layer for Memory {
    fn name(&self) -> &str {
        &self.name
    }

    fn without_helper(&self) -> Option<&'static str> {
        self.has_cards
            .then_some("what is found is given by its first lines; no evidence cards are written")
    }

    fn before(
        &mut self,
        moment: &Moment<'_>,
        helper: &mut dyn Helper,
    ) -> Result<Option<Brief>, String> {
        let done = moment.turn.saturating_sub(1);
        self.catch_up(moment.project, moment.earlier, done);
        let query = Query {
            text: moment.request,
            turn: moment.turn,
            has_graph: self.has_graph,
            has_history: self.has_history,
        };
        let routed = query::route(&self.index, &query, self.copies.as_ref());
        let decisions = self.decisions.clone();
        let mut reader = Reader::new(moment.project, moment.earlier, &decisions, done);
        let given = self.expand(&routed, &mut reader, moment.turn);
        let cards = self.cards(&given, moment, &mut reader, helper);
        self.record(moment, &routed, &given, &cards);
        let near = self.near(&routed, &given, &mut reader);
        let told = Told { given, cards, near, gone: self.gone(&routed) };
        let sentences =
            Writer { index: &self.index, is_blind: self.copies.is_some() }.sentences(&told);
        if sentences.is_empty() {
            return Ok(None);
        }
        let cards: Vec<Card> = told.cards.iter().map(|made| made.card.clone()).collect();
        let why = self.why(&routed, &told, stale::of(&cards, moment.project));
        Ok(Some(Brief { sentences, forecast: forecast(&cards), restarts: None, why }))
    }

    fn after(&mut self, done: &TurnDone<'_>, _helper: &mut dyn Helper) -> Result<(), String> {
        let request = self.index.request(done.turn, done.request);
        let when = When { turn: done.turn, request };
        self.index.update(done.project, done.changes, when);
        if let Some(id) = request {
            self.index.discuss(id, done.request, done.turn);
        }
        let paths: BTreeSet<&str> =
            done.steps.iter().flat_map(|step| &step.paths).map(String::as_str).collect();
        for path in paths {
            if let Some(id) = self.index.catalogue.by_key(path) {
                self.index.touch(id, done.turn);
            }
        }
        let changed: Vec<&str> = done.changes.iter().map(|it| it.path.as_str()).collect();
        self.copy(done.project, &changed, done.turn);
        if let Some(commit) = &done.project.commit {
            self.commits.insert(done.turn, commit.clone());
        }
        Ok(())
    }

    fn state(&self) -> State {
        let mut state = state::write(&self.index);
        let turns = self.commits.iter().map(|(turn, commit)| format!("{turn}\t{commit}\n"));
        state.insert(TURNS.to_owned(), turns.collect());
        state.insert(EVENTS.to_owned(), self.events.text());
        if let Some(copies) = &self.copies {
            state.insert(COPIES.to_owned(), copies.text(&self.index.catalogue));
        }
        state
    }

    fn restore(&mut self, state: &State) {
        let text = |path: &str| state.get(path).map_or("", String::as_str);
        self.index = Index::default();
        state::read(state, &mut self.index);
        let commit = |line: &str| {
            let (turn, commit) = line.split_once('\t')?;
            Some((turn.parse().ok()?, commit.to_owned()))
        };
        self.commits = text(TURNS).lines().filter_map(commit).collect();
        self.events = Events::restore(text(EVENTS));
        if let Some(copies) = &mut self.copies {
            *copies = Copies::restore(text(COPIES), &self.index.catalogue);
        }
    }
}
