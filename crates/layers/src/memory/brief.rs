//! What was found, as sentences with where each is from.

use std::collections::BTreeSet;

use super::{
    artifact_reader::OpenedChunk,
    chunk::{ChunkId, ChunkKind, estimated_tokens, one_line},
    evidence_card::{AnchoredSpan, MadeCard},
    graph::LinkKind,
    index_update::MemoryIndex,
    state_files::record_path,
};
use crate::brief::{BriefSentence, SentenceOrigin};

/// A chunk that is given.
#[derive(Debug, Clone)]
pub struct GivenChunk {
    pub id: ChunkId,
    pub opened: OpenedChunk,
}

/// A chunk that is named and not opened.
#[derive(Debug, Clone)]
pub struct NearChunk {
    pub id: ChunkId,
    pub synopsis: String,
    pub span: (u32, u32),
}

/// The content of a brief before it is worded.
#[derive(Debug, Default)]
pub struct BriefContent {
    pub given: Vec<GivenChunk>,
    pub cards: Vec<MadeCard>,
    pub near: Vec<NearChunk>,
    pub gone_ids: Vec<ChunkId>,
}

/// The number of names that a brief gives for each kind of neighbour.
const MOST_NAMES: usize = 4;

/// Stands above what is given.
const HEADING: &str = "From the project's memory: code and documents as they are before this request, and what was asked \
before. It may not be all that matters.";

/// The heading of a store that knows no versions.
const BLIND_HEADING: &str = "From the project's memory: pieces of code and documents, and what was asked before. Its \
pieces have no versions: some may be out of date.";

const NEAR: &str = "Also near, unopened:";
const REQUESTS: &str = "Asked for before:";
const GONE: &str = "No longer in the project:";

/// Sentences about chunks.
pub struct BriefWriter<'a> {
    pub index: &'a MemoryIndex,
    pub is_blind: bool,
}

impl BriefWriter<'_> {
    /// Writes the sentences in order: cards, near chunks, requests, gone chunks; empty where there is nothing of
    /// these.
    pub(crate) fn write_sentences(&self, content: &BriefContent) -> Vec<BriefSentence> {
        let BriefContent { given, cards, near, gone_ids: gone } = content;
        let mut sentences = vec![];
        let (of_files, of_requests): (Vec<&MadeCard>, Vec<&MadeCard>) = cards
            .iter()
            .partition(|made| made.card.anchored_spans.iter().any(|it| it.span.is_some()));
        of_files.into_iter().for_each(|made| self.write_card(made, given, &mut sentences));
        if !near.is_empty() {
            sentences.push(BriefSentence::heading(NEAR));
        }
        sentences.extend(near.iter().filter_map(|near| self.near_sentence(near)));
        if !of_requests.is_empty() {
            sentences.push(BriefSentence::heading(REQUESTS));
        }
        for span in of_requests.iter().flat_map(|made| &made.card.anchored_spans) {
            sentences.push(self.text_sentence(span, given));
        }
        if !gone.is_empty() {
            sentences.push(BriefSentence::heading(GONE));
        }
        sentences.extend(gone.iter().filter_map(|id| self.gone_sentence(*id)));
        if !sentences.is_empty() {
            let heading = if self.is_blind { BLIND_HEADING } else { HEADING };
            sentences.insert(0, BriefSentence::heading(heading));
        }
        sentences
    }

    fn write_card(
        &self,
        made: &MadeCard,
        given: &[GivenChunk],
        sentences: &mut Vec<BriefSentence>,
    ) {
        let card = &made.card;
        if made.is_written {
            let artifact = card.anchored_spans.first().map_or("", |it| it.artifact.as_str());
            let mut text = format!("{artifact}: {} {}", card.claim_boundary, card.logic_sketch);
            if !card.assumptions.is_empty() {
                text.push_str(&format!(" Assumed: {}", card.assumptions.join("; ")));
            }
            sentences.push(BriefSentence::new(
                text,
                card.anchored_spans.iter().filter_map(lines_origin),
            ));
        }
        for span in &card.anchored_spans {
            let chunk = given.iter().find(|it| is_of(span, it)).map(|it| it.id);
            let (title, from) = self.chunk_heading(span, chunk);
            sentences.push(BriefSentence::new(title, lines_origin(span).into_iter().chain(from)));
            let snippet: Vec<String> =
                span.snippet.lines().map(|line| format!("    {line}")).collect();
            sentences.push(BriefSentence::new(snippet.join("\n"), lines_origin(span)));
        }
    }

    /// Returns the tokens that a chunk takes in a brief, estimated.
    pub(crate) fn token_cost(&self, chunk: &GivenChunk) -> usize {
        let span = AnchoredSpan::from(&chunk.opened);
        match span.span {
            Some(_) => {
                estimated_tokens(&self.chunk_heading(&span, Some(chunk.id)).0)
                    + estimated_tokens(&span.snippet)
            }
            None => estimated_tokens(&span.snippet) + 4,
        }
    }

    /// Returns `a.py:3-9 f (function; since turn 2; used by g): …`, and what the words are from.
    fn chunk_heading(
        &self,
        span: &AnchoredSpan,
        chunk: Option<ChunkId>,
    ) -> (String, Vec<SentenceOrigin>) {
        let place = place_text(&span.artifact, span.span);
        let Some((id, head)) = chunk.and_then(|id| Some((id, self.index.catalogue.head(id)?)))
        else {
            return (place, vec![]);
        };
        let mut about = vec![head.kind.kind_word().to_owned()];
        let since = |turn: usize| turn > 0 && !self.is_blind;
        about.extend(since(head.introduced).then(|| format!("since turn {}", head.introduced)));
        let is_changed = since(head.version) && head.version > head.introduced;
        about.extend(is_changed.then(|| format!("changed in turn {}", head.version)));
        about.extend(self.relation_words(id, "used by", LinkKind::Calls, true));
        about.extend(self.relation_words(id, "uses", LinkKind::Calls, false));
        about.extend(self.relation_words(id, "tested in", LinkKind::Tests, true));
        let request_turns = self.request_turns(id);
        about.extend(self.request_words(&request_turns));
        let name = if head.name.is_empty() { String::new() } else { format!(" {}", head.name) };
        let mut from = vec![SentenceOrigin::Record(record_path(head))];
        from.extend(request_turns.into_iter().map(SentenceOrigin::Request));
        (format!("{place}{name} ({})", about.join("; ")), from)
    }

    /// Returns `used by a, b`; None where no edge of that kind is there.
    fn relation_words(
        &self,
        id: ChunkId,
        what: &str,
        link: LinkKind,
        is_back: bool,
    ) -> Option<String> {
        let catalogue = &self.index.catalogue;
        let near = self.index.graph.neighbours_of(id, |id| catalogue.key_of(id));
        let ids = near.iter().filter(|it| (it.link, it.is_reverse) == (link, is_back));
        let mut names = vec![];
        for head in ids.filter_map(|it| catalogue.head(it.other)) {
            let name = head.display_name().to_owned();
            if !names.contains(&name) && head.gone.is_none() {
                names.push(name);
            }
        }
        names.truncate(MOST_NAMES);
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    }

    /// Returns the last turns that requested or introduced a chunk, ascending.
    fn request_turns(&self, id: ChunkId) -> Vec<usize> {
        let catalogue = &self.index.catalogue;
        let near = self.index.graph.neighbours_of(id, |id| catalogue.key_of(id));
        let is_asked =
            |link: LinkKind| matches!(link, LinkKind::DiscussedIn | LinkKind::IntroducedBy);
        let requests = near.iter().filter(|it| is_asked(it.link) && !it.is_reverse);
        let turns: BTreeSet<usize> =
            requests.filter_map(|it| catalogue.head(it.other)?.request_turn()).collect();
        turns.into_iter().rev().take(MOST_NAMES).collect::<Vec<_>>().into_iter().rev().collect()
    }

    fn request_words(&self, turns: &[usize]) -> Option<String> {
        let words: Vec<String> = turns.iter().map(usize::to_string).collect();
        match turns {
            [] => None,
            [turn] => Some(format!("asked for in turn {turn}")),
            [..] => Some(format!("asked for in turns {}", words.join(", "))),
        }
    }

    /// Returns `- a.py:3-9 f: def f(x) - …`; None for a chunk that is not in the catalogue.
    pub(crate) fn near_sentence(&self, near: &NearChunk) -> Option<BriefSentence> {
        let head = self.index.catalogue.head(near.id)?;
        let (place, (start, end)) = (place_text(&head.artifact, Some(near.span)), near.span);
        let text = format!("- {place} {}: {}", head.name, one_line(&near.synopsis, 120));
        let lines = SentenceOrigin::Lines { path: head.artifact.clone(), start, end };
        Some(BriefSentence::new(text, [lines, SentenceOrigin::Record(record_path(head))]))
    }

    /// Returns the sentence of a request or decision.
    fn text_sentence(&self, span: &AnchoredSpan, given: &[GivenChunk]) -> BriefSentence {
        let text = format!("- {}: {}", span.artifact, span.snippet);
        let chunk = given.iter().find(|it| is_of(span, it));
        let head = chunk.and_then(|it| self.index.catalogue.head(it.id));
        let from = head.map(|head| match head.request_turn() {
            Some(turn) => SentenceOrigin::Request(turn),
            None => {
                SentenceOrigin::Decision(head.artifact.trim_start_matches("decision ").to_owned())
            }
        });
        BriefSentence::new(text, from)
    }

    fn gone_sentence(&self, id: ChunkId) -> Option<BriefSentence> {
        let catalogue = &self.index.catalogue;
        let head = catalogue.head(id)?;
        let turn = head.gone?;
        let near = self.index.graph.neighbours_of(id, |id| catalogue.key_of(id));
        let taken =
            |it: &&super::graph::GraphEdge| it.link == LinkKind::DeprecatedBy && !it.is_reverse;
        let takers = near.iter().filter(taken).filter_map(|it| catalogue.head(it.other));
        let taker =
            takers.filter(|it| it.kind != ChunkKind::Request).map(|it| it.display_name()).next();
        let request_turns = self.request_turns(id);
        let mut text = match head.name.as_str() {
            "" => format!("- {} is gone since turn {turn}", head.artifact),
            name => format!("- {name} ({}) is gone since turn {turn}", head.artifact),
        };
        text.extend(taker.map(|taker| format!(", taken in by {taker}")));
        text.extend(
            self.request_words(&request_turns)
                .map(|request_turns| format!("; it was {request_turns}")),
        );
        text.push_str(&format!(": {}", one_line(&head.synopsis, 120)));
        let from = std::iter::once(SentenceOrigin::Record(record_path(head)));
        Some(BriefSentence::new(
            text,
            from.chain(request_turns.into_iter().map(SentenceOrigin::Request)),
        ))
    }
}

/// Returns `a.py:3-9`, `a.py:3` for one line, or the name alone without lines.
fn place_text(artifact: &str, span: Option<(u32, u32)>) -> String {
    match span {
        Some((start, end)) if start == end => format!("{artifact}:{start}"),
        Some((start, end)) => format!("{artifact}:{start}-{end}"),
        None => artifact.to_owned(),
    }
}

fn is_of(span: &AnchoredSpan, given: &GivenChunk) -> bool {
    (&span.artifact, span.span, &span.snippet)
        == (&given.opened.artifact, given.opened.span, &given.opened.snippet)
}

fn lines_origin(span: &AnchoredSpan) -> Option<SentenceOrigin> {
    let (start, end) = span.span?;
    Some(SentenceOrigin::Lines { path: span.artifact.clone(), start, end })
}
