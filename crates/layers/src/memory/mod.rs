//! `memory`: a memory that knows versions (PaperGuru's kernel, for code).
//!
//! Four properties: content has versions, of which only the newest is given (`opened`); mentions lead to entities
//! that keep their identity through renames (`intake`, `catalogue`); chunks form a graph with types and times
//! (`graph`, `links`); everything given names artifact, lines and version (`card`). Versions are turns, of which
//! `turns.tsv` has the commits.
//!
//! Before a request `query` leads from its words to a pool of chunks, which are opened until the budget is used; the
//! helper model writes evidence cards of them. After a turn the memory follows its changes. [`stale`] measures how
//! much of the given text was stale, `copies` is the variant without versions.

mod artifact_reader;
mod brief;
mod catalogue;
mod chunk;
mod event;
mod evidence_card;
mod graph;
mod index_update;
mod links;
mod pagerank;
mod query;
pub mod stale;
mod state_files;
#[cfg(test)]
mod tests;
mod version_copies;

use std::collections::{BTreeMap, BTreeSet};

pub use evidence_card::{AnchoredSpan, MemoryCard};

use super::{
    Brief, HelperModel, Layer, LayerOffer, LayerProject, LayerSetup, LayerSpec, LayerState,
    RequestMoment, TurnDone,
};
use artifact_reader::{ArtifactReader, OpenedChunk};
use brief::{BriefContent, BriefWriter, GivenChunk, NearChunk};
use chunk::{ChunkHead, ChunkId, ChunkKind};
use event::{LayerMemoryEvent, MemoryEvents};
use evidence_card::MadeCard;
use index_update::{MemoryIndex, UpdateMoment};
use query::{MemoryQuery, PoolChunk, RoutedQuery};
use stale::StalePlaceCount;
use trajview_metrics::decisions;
use trajview_run::RepoPath;
use version_copies::VersionCopies;

/// The parts that can be switched; `blind` changes what the others do.
pub const PARTS: &[&str] = &["blind", "graph", "history", "cards"];

pub(crate) const OFFERED: LayerOffer = LayerOffer {
    name: "memory",
    parts: PARTS,
    what: "code, documents and requests as chunks with versions in a graph; the newest of what a request is near",
    make: |spec, options| Box::new(MemoryLayer::new(spec, options)),
};

/// Does without versions, beside whatever other parts work.
const BLIND: &str = "blind";

/// The file of the state with an event a line, as a bundle's `memory.jsonl` has them.
pub const EVENTS: &str = "memory.jsonl";

const TURNS: &str = "turns.tsv";
const COPIES: &str = "copies.jsonl";

/// Tokens of what is given with a request; four characters are one.
pub(crate) const BUDGET: usize = 1_500;

/// Chunks that are given with a request, and requests and decisions among them.
const MOST_GIVEN: usize = 24;
const MOST_ASKED: usize = 6;

/// Classes, functions and sections that are named and not opened, and the tokens that they may take.
const MOST_NEAR: usize = 24;
const BUDGET_OF_NEAR: usize = 500;

/// The number of gone chunks that a brief names, and the number of pool entries among which they are looked for.
const MOST_GONE: usize = 5;
const POOL_OF_GONE: usize = 48;

/// Cards that the helper model writes for a request.
const MOST_WRITTEN: usize = 4;

/// Entities and chunks that an event names.
const MOST_NAMED: usize = 64;

/// The layer.
pub struct MemoryLayer {
    name: String,
    has_graph: bool,
    has_history: bool,
    has_cards: bool,
    decisions: decisions::DecisionStore,
    index: MemoryIndex,
    /// The copies in the variant without versions.
    copies: Option<VersionCopies>,
    events: MemoryEvents,
    /// The commits that hold the files after so many turns.
    commits: BTreeMap<usize, String>,
}

impl MemoryLayer {
    pub fn new(spec: &LayerSpec, options: &LayerSetup) -> Self {
        let is_whole = spec.parts.iter().all(|part| part == BLIND);
        let works = |part: &str| is_whole || spec.names_part(part);
        Self {
            name: spec.to_string(),
            has_graph: works("graph"),
            has_history: works("history"),
            has_cards: works("cards"),
            decisions: options.decisions.clone(),
            index: MemoryIndex::default(),
            copies: spec.names_part(BLIND).then(VersionCopies::default),
            events: MemoryEvents::default(),
            commits: BTreeMap::new(),
        }
    }

    /// Takes in what the memory does not know at a moment after so many turns.
    fn catch_up(&mut self, project: &LayerProject, earlier: &[String], done: usize) {
        for (turn, text) in (1..).zip(earlier) {
            if self.index.catalogue.by_key(&format!("turn {turn}")).is_none()
                && let Some(id) = self.index.add_request(turn, text)
            {
                self.index.link_mentions(id, text, turn);
            }
        }
        let changes = self.index.unknown_changes(project);
        if !changes.is_empty() {
            self.index.apply_changes(project, &changes, UpdateMoment { turn: done, request: None });
            let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
            self.copy_versions(project, &paths, done);
        }
        for decision in &self.decisions.decisions {
            let text = format!("{} {}", decision.question, decision.answer);
            let head = ChunkHead {
                kind: ChunkKind::Decision,
                artifact: format!("decision {}", decision.id),
                synopsis: chunk::one_line(&text, 400),
                hash: chunk::text_hash(&text),
                ..ChunkHead::default()
            };
            if let Some(id) = self.index.catalogue.put_head(head) {
                let named = format!("{text} {}", decision.files.join(" "));
                self.index.link_mentions(id, &named, 0);
            }
        }
        if let Some(commit) = &project.commit {
            self.commits.insert(done, commit.clone());
        }
    }

    /// Keeps the versions of artifacts, where versions are not known.
    fn copy_versions(&mut self, project: &LayerProject, paths: &[&str], done: usize) {
        if let Some(copies) = &mut self.copies {
            let mut reader = ArtifactReader::new(project, &[], &self.decisions, done);
            copies.copy_artifacts(&self.index.catalogue, paths.iter().copied(), &mut reader);
        }
    }

    /// Opens the pool from its best entry on, until the budget is used.
    fn open_pool(
        &mut self,
        routed: &RoutedQuery,
        reader: &mut ArtifactReader<'_>,
        turn: usize,
    ) -> Vec<GivenChunk> {
        let writer = BriefWriter { index: &self.index, is_blind: self.copies.is_some() };
        let (mut given, mut left, mut asked): (Vec<GivenChunk>, usize, usize) = (vec![], BUDGET, 0);
        let mut failed = vec![];
        for found in &routed.pool {
            let Some(head) = self.index.catalogue.head(found.id) else { continue };
            let is_asked = matches!(head.kind, ChunkKind::Request | ChunkKind::Decision);
            let is_empty = !is_asked && head.lines.is_none() && found.copy.is_none();
            let is_past = found.copy.is_none() && head.gone.is_some();
            if given.len() >= MOST_GIVEN || is_empty || is_past || (is_asked && asked >= MOST_ASKED)
            {
                continue;
            }
            let opened = match self.open_chunk(found, head, reader) {
                Ok(opened) => opened,
                Err(why) => {
                    failed.push(LayerMemoryEvent::failed_verification(head, why, turn));
                    continue;
                }
            };
            let one = GivenChunk { id: found.id, opened };
            let cost = writer.token_cost(&one);
            if cost <= left && !given.iter().any(|it| contains_snippet(it, &one)) {
                left -= cost;
                asked += usize::from(is_asked);
                given.push(one);
            }
        }
        self.events.add_events(failed);
        given
    }

    /// Opens a chunk of the pool. The error says why it is not given.
    fn open_chunk(
        &self,
        found: &PoolChunk,
        head: &ChunkHead,
        reader: &mut ArtifactReader<'_>,
    ) -> Result<OpenedChunk, String> {
        match (found.copy, &self.copies) {
            (Some(at), Some(copies)) => {
                copies.open_version(at).ok_or_else(|| "it is not kept".to_owned())
            }
            (Some(_), None) | (None, _) => reader.open_chunk(head),
        }
    }

    /// The best of the pool that were not opened, by their heads.
    fn near_chunks(
        &self,
        routed: &RoutedQuery,
        given: &[GivenChunk],
        reader: &mut ArtifactReader<'_>,
    ) -> Vec<NearChunk> {
        let writer = BriefWriter { index: &self.index, is_blind: self.copies.is_some() };
        let (mut found, mut left): (Vec<NearChunk>, usize) = (vec![], BUDGET_OF_NEAR);
        let mut named: BTreeSet<String> =
            given.iter().map(|it| self.index.catalogue.key_of(it.id)).collect();
        for one in &routed.pool {
            let Some(head) = self.index.catalogue.head(one.id) else { continue };
            let is_kind =
                matches!(head.kind, ChunkKind::Class | ChunkKind::Function | ChunkKind::Section);
            let is_said = named.contains(&head.chunk_key()) || head.is_called_implicitly();
            if is_said || !is_kind || found.len() >= MOST_NEAR {
                continue;
            }
            let known = match (one.copy, &self.copies) {
                (Some(at), Some(copies)) => copies.version_synopsis(at),
                (Some(_), None) | (None, _) => {
                    let path =
                        head.file_path().filter(|path| reader.check_current(head, path).is_ok());
                    path.map(|_| (head.synopsis.as_str(), head.lines))
                }
            };
            let Some((synopsis, Some(span))) = known else { continue };
            let near = NearChunk { id: one.id, synopsis: synopsis.to_owned(), span };
            let cost =
                writer.near_sentence(&near).map_or(0, |it| chunk::estimated_tokens(&it.text));
            if cost <= left {
                left -= cost;
                named.insert(head.chunk_key());
                found.push(near);
            }
        }
        found
    }

    /// The cards of what is given.
    fn make_cards(
        &self,
        given: &[GivenChunk],
        moment: &RequestMoment<'_>,
        reader: &mut ArtifactReader<'_>,
        helper: &mut dyn HelperModel,
    ) -> Vec<MadeCard> {
        let opened: Vec<_> = given.iter().map(|it| it.opened.clone()).collect();
        let mut cards = evidence_card::cut_cards(&opened, moment.turn);
        if self.has_cards && helper.is_available() {
            let has_lines =
                |made: &&mut MadeCard| made.card.anchored_spans.iter().any(|it| it.span.is_some());
            for made in cards.iter_mut().filter(has_lines).take(MOST_WRITTEN) {
                evidence_card::write_card(made, moment.request, reader, helper);
            }
        }
        if self.copies.is_none() {
            cards.iter_mut().for_each(|made| verify_card(made, reader));
        }
        cards.retain(|made| !made.card.anchored_spans.is_empty());
        cards
    }

    fn record_events(
        &mut self,
        moment: &RequestMoment<'_>,
        routed: &RoutedQuery,
        given: &[GivenChunk],
        cards: &[MadeCard],
    ) {
        let key = |id: &ChunkId| self.index.catalogue.key_of(*id);
        let turn = moment.turn;
        let writer = BriefWriter { index: &self.index, is_blind: self.copies.is_some() };
        let tokens: usize = given.iter().map(|it| writer.token_cost(it)).sum();
        let routing = LayerMemoryEvent {
            query: Some(chunk::one_line(moment.request, 400)),
            entities: routed.entities.iter().take(MOST_NAMED).map(key).collect(),
            chunks: routed.pool.iter().take(MOST_NAMED).map(|it| key(&it.id)).collect(),
            ..LayerMemoryEvent::new("routing", turn)
        };
        let expansion = LayerMemoryEvent {
            chunks: given.iter().map(|it| key(&it.id)).collect(),
            tokens: u64::try_from(tokens).ok(),
            ..LayerMemoryEvent::new("expansion", turn)
        };
        let cards = cards.iter().flat_map(|made| LayerMemoryEvent::for_card(made, turn));
        self.events.add_events([routing, expansion].into_iter().chain(cards));
    }

    /// Returns the gone chunks that concern the request.
    fn gone_chunks(&self, routed: &RoutedQuery) -> Vec<ChunkId> {
        if self.copies.is_some() {
            return vec![];
        }
        let is_gone =
            |id: &ChunkId| self.index.catalogue.head(*id).is_some_and(|it| it.gone.is_some());
        let near = routed.pool.iter().take(POOL_OF_GONE).map(|it| it.id);
        near.filter(is_gone).take(MOST_GONE).collect()
    }

    fn reason_text(
        &self,
        routed: &RoutedQuery,
        content: &BriefContent,
        stale: StalePlaceCount,
    ) -> String {
        let (given, cards) = (content.given.len(), &content.cards);
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
fn cited_files(cards: &[MemoryCard]) -> Vec<String> {
    let mut files: Vec<String> = vec![];
    for span in cards.iter().flat_map(|card| &card.anchored_spans) {
        if span.span.is_some() && !files.contains(&span.artifact) {
            files.push(span.artifact.clone());
        }
    }
    files
}

/// Returns whether a given chunk already contains the lines of another chunk.
fn contains_snippet(given: &GivenChunk, other: &GivenChunk) -> bool {
    given.opened.artifact == other.opened.artifact
        && given.opened.snippet.contains(&other.opened.snippet)
}

/// Removes from a card the citations that do not match the current files.
fn verify_card(made: &mut MadeCard, reader: &mut ArtifactReader<'_>) {
    let mut checked = BTreeSet::new();
    let mut checks = vec![];
    made.card.anchored_spans.retain(|span| {
        if span.span.is_none() {
            return true;
        }
        let path = RepoPath::new(&span.artifact);
        let text = path.and_then(|path| reader.file_text(&path).map(str::to_owned));
        let passed = text.is_some_and(|text| stale::contains_lines(&span.snippet, &text));
        if checked.insert((span.artifact.clone(), passed)) {
            let why = (!passed).then(|| "the snippet is not in the file".to_owned());
            checks.push(evidence_card::CardCheck { artifact: span.artifact.clone(), passed, why });
        }
        passed
    });
    if !made.is_written {
        made.checks.extend(checks);
    }
}

impl Layer for MemoryLayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn without_helper(&self) -> Option<&'static str> {
        self.has_cards
            .then_some("what is found is given by its first lines; no evidence cards are written")
    }

    fn before_request(
        &mut self,
        moment: &RequestMoment<'_>,
        helper: &mut dyn HelperModel,
    ) -> Result<Option<Brief>, String> {
        let done = moment.turn.saturating_sub(1);
        self.catch_up(moment.project, moment.earlier, done);
        let query = MemoryQuery {
            text: moment.request,
            turn: moment.turn,
            has_graph: self.has_graph,
            has_history: self.has_history,
        };
        let routed = query::route_query(&self.index, &query, self.copies.as_ref());
        let decisions = self.decisions.clone();
        let mut reader = ArtifactReader::new(moment.project, moment.earlier, &decisions, done);
        let given = self.open_pool(&routed, &mut reader, moment.turn);
        let cards = self.make_cards(&given, moment, &mut reader, helper);
        self.record_events(moment, &routed, &given, &cards);
        let near = self.near_chunks(&routed, &given, &mut reader);
        let content = BriefContent { given, cards, near, gone_ids: self.gone_chunks(&routed) };
        let sentences = BriefWriter { index: &self.index, is_blind: self.copies.is_some() }
            .write_sentences(&content);
        if sentences.is_empty() {
            return Ok(None);
        }
        let cards: Vec<MemoryCard> = content.cards.iter().map(|made| made.card.clone()).collect();
        let why = self.reason_text(&routed, &content, stale::count_stale(&cards, moment.project));
        Ok(Some(Brief { sentences, forecast: cited_files(&cards), restarts: None, why }))
    }

    fn after_turn(
        &mut self,
        done: &TurnDone<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<(), String> {
        let request = self.index.add_request(done.turn, done.request);
        let when = UpdateMoment { turn: done.turn, request };
        self.index.apply_changes(done.project, done.changes, when);
        if let Some(id) = request {
            self.index.link_mentions(id, done.request, done.turn);
        }
        let paths: BTreeSet<&str> =
            done.steps.iter().flat_map(|step| &step.paths).map(String::as_str).collect();
        for path in paths {
            if let Some(id) = self.index.catalogue.by_key(path) {
                self.index.touch_chunk(id, done.turn);
            }
        }
        let changed: Vec<&str> = done.changes.iter().map(|it| it.path.as_str()).collect();
        self.copy_versions(done.project, &changed, done.turn);
        if let Some(commit) = &done.project.commit {
            self.commits.insert(done.turn, commit.clone());
        }
        Ok(())
    }

    fn state(&self) -> LayerState {
        let mut state = state_files::write_records(&self.index);
        let turns = self.commits.iter().map(|(turn, commit)| format!("{turn}\t{commit}\n"));
        state.insert(TURNS.to_owned(), turns.collect());
        state.insert(EVENTS.to_owned(), self.events.jsonl_text());
        if let Some(copies) = &self.copies {
            state.insert(COPIES.to_owned(), copies.jsonl_text(&self.index.catalogue));
        }
        state
    }

    fn restore(&mut self, state: &LayerState) {
        let text = |path: &str| state.get(path).map_or("", String::as_str);
        self.index = MemoryIndex::default();
        state_files::read_records(state, &mut self.index);
        let commit = |line: &str| {
            let (turn, commit) = line.split_once('\t')?;
            Some((turn.parse().ok()?, commit.to_owned()))
        };
        self.commits = text(TURNS).lines().filter_map(commit).collect();
        self.events = MemoryEvents::from_jsonl(text(EVENTS));
        if let Some(copies) = &mut self.copies {
            *copies = VersionCopies::from_jsonl(text(COPIES), &self.index.catalogue);
        }
    }
}
