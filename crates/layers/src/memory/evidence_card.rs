//! Evidence cards: a claim and the places that support it, written by the helper model or, without one, the text of
//! the places.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    artifact_reader::{ArtifactReader, OpenedChunk},
    chunk::{estimated_tokens, one_line},
    stale,
};
use crate::helper::{HelperCost, HelperModel, HelperPrompt};
use trajview_run::RepoPath;

/// The evidence for a request from one artifact.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryCard {
    /// `t42.1` is the first of turn 42.
    pub id: String,
    /// The claim and its limits; empty where no model wrote the card.
    pub claim_boundary: String,
    /// The way it works; empty where no model wrote the card.
    pub logic_sketch: String,
    pub assumptions: Vec<String>,
    pub anchored_spans: Vec<AnchoredSpan>,
}

/// A place in an artifact with its text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AnchoredSpan {
    pub artifact: String,
    /// First and last line, counting from 1; None for what has no lines.
    pub span: Option<(u32, u32)>,
    pub snippet: String,
    /// Turns done at the version that has it.
    pub version: usize,
}

/// A check of a card, or of a place that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardCheck {
    pub artifact: String,
    pub passed: bool,
    pub why: Option<String>,
}

/// A card with how it came about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MadeCard {
    pub card: MemoryCard,
    /// True where the model wrote the card.
    pub is_written: bool,
    pub checks: Vec<CardCheck>,
    pub spent: HelperCost,
}

/// Tokens of a card's claim and sketch; four characters are one.
const MOST_CLAIM: usize = 80;
const MOST_SKETCH: usize = 150;

/// Assumptions of a card.
const MOST_ASSUMPTIONS: usize = 5;

/// Places that a card cites, at least and at most.
const FEWEST_SPANS: usize = 2;
const MOST_SPANS: usize = 5;

/// Lines around its chunks that the model reads of an artifact.
const MOST_READ: usize = 200;

const SYSTEM: &str = "You write one evidence card for a coding agent about one file: only what its lines show, for the \
request given. Answer with one JSON object and nothing else: {\"claim_boundary\": what holds and where it ends (at most 60 \
words), \"logic_sketch\": how it works (at most 110 words), \"assumptions\": [at most 5 short sentences], \
\"anchored_spans\": [2 to 5 of {\"artifact\": the path, \"span\": [first line, last line], \"snippet\": these lines, copied \
exactly}]}.";

impl From<&OpenedChunk> for AnchoredSpan {
    fn from(opened: &OpenedChunk) -> Self {
        let OpenedChunk { artifact, span, snippet, version } = opened.clone();
        Self { artifact, span, snippet, version }
    }
}

/// Makes the cards of opened chunks, one for each artifact, in order: the text of the places, cut.
pub(crate) fn cut_cards(opened: &[OpenedChunk], turn: usize) -> Vec<MadeCard> {
    let mut cards: Vec<(String, Vec<AnchoredSpan>)> = vec![];
    for one in opened {
        let is_it = |(artifact, spans): &&mut (String, Vec<AnchoredSpan>)| {
            *artifact == one.artifact && spans.len() < MOST_SPANS
        };
        match cards.iter_mut().find(is_it) {
            Some((_, spans)) => spans.push(one.into()),
            None => cards.push((one.artifact.clone(), vec![one.into()])),
        }
    }
    let made = |(number, (_, anchored_spans)): (usize, (String, Vec<AnchoredSpan>))| {
        let id = format!("t{turn}.{number}");
        MadeCard {
            card: MemoryCard { id, anchored_spans, ..MemoryCard::default() },
            ..MadeCard::default()
        }
    };
    (1..).zip(cards).map(made).collect()
}

/// Lets the helper write a card in place of a cut one, with a second attempt where a citation does not match the
/// file. The cut card stays where that fails.
pub(crate) fn write_card(
    made: &mut MadeCard,
    request: &str,
    reader: &mut ArtifactReader<'_>,
    helper: &mut dyn HelperModel,
) {
    let Some(path) = made.card.anchored_spans.first().and_then(|it| RepoPath::new(&it.artifact))
    else {
        return;
    };
    let Some(text) = reader.file_text(&path).map(str::to_owned) else { return };
    let shown = numbered_lines(&text, &made.card.anchored_spans);
    let mut prompt = HelperPrompt {
        purpose: "evidence card",
        system: SYSTEM.to_owned(),
        text: format!("Request:\n{request}\n\nFile {}:\n{shown}", path.as_str()),
    };
    let check = |why: Option<String>| CardCheck {
        artifact: path.as_str().into(),
        passed: why.is_none(),
        why,
    };
    for _ in 0..2 {
        let answer = match helper.ask_model(&prompt) {
            Ok(answer) => answer,
            Err(why) => {
                made.checks.push(check(Some(why)));
                return;
            }
        };
        made.spent = made.spent.combined_with(answer.spent);
        match parse_card(&answer.text, &path, &text, reader.done) {
            Ok(card) => {
                made.checks.push(check(None));
                made.card = MemoryCard { id: std::mem::take(&mut made.card.id), ..card };
                made.is_written = true;
                return;
            }
            Err(why) => {
                prompt.text.push_str(&format!(
                    "\n\nYour last answer cannot be used: {why}. Write the card again."
                ));
                made.checks.push(check(Some(why)));
            }
        }
    }
}

/// Returns the lines that spans cite and those around, with their numbers.
fn numbered_lines(text: &str, spans: &[AnchoredSpan]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let each = MOST_READ / spans.len().max(1);
    let mut shown: BTreeMap<usize, &str> = BTreeMap::new();
    for (start, _) in spans.iter().filter_map(|it| it.span) {
        let first = (start as usize).saturating_sub(1);
        shown.extend(lines.iter().copied().enumerate().skip(first).take(each));
    }
    shown.iter().map(|(at, line)| format!("{}: {line}\n", at + 1)).collect()
}

/// Parses the card of an answer, with only those citations that match the file. The error says why there is no card.
fn parse_card(
    answer: &str,
    path: &RepoPath,
    text: &str,
    version: usize,
) -> Result<MemoryCard, String> {
    let object =
        answer.find('{').zip(answer.rfind('}')).and_then(|(start, end)| answer.get(start..=end));
    let card: MemoryCard = serde_json::from_str(object.ok_or("it has no JSON object")?)
        .map_err(|why| format!("not a card: {why}"))?;
    let mut spans: Vec<AnchoredSpan> = vec![];
    for span in &card.anchored_spans {
        // Blank lines around a snippet do not matter for its place.
        let snippet: Vec<&str> =
            span.snippet.trim_end().lines().skip_while(|line| line.trim().is_empty()).collect();
        let snippet = snippet.join("\n");
        let Some(start) =
            stale::snippet_line(&snippet, text).filter(|_| span.artifact == path.as_str())
        else {
            continue;
        };
        let end = start + snippet.lines().count().saturating_sub(1) as u32;
        let span = AnchoredSpan {
            artifact: span.artifact.clone(),
            span: Some((start, end)),
            snippet,
            version,
        };
        if !spans.contains(&span) && spans.len() < MOST_SPANS {
            spans.push(span);
        }
    }
    if spans.len() < FEWEST_SPANS {
        let (cited, stand) = (card.anchored_spans.len(), spans.len());
        return Err(format!(
            "of {cited} snippets {stand} stand in the file word for word, {FEWEST_SPANS} are needed"
        ));
    }
    let within = |text: &str, most: usize| match estimated_tokens(text) > most {
        true => one_line(text, most * 4 - 1),
        false => one_line(text, usize::MAX),
    };
    let assumptions =
        card.assumptions.iter().take(MOST_ASSUMPTIONS).map(|it| within(it, MOST_CLAIM));
    Ok(MemoryCard {
        claim_boundary: within(&card.claim_boundary, MOST_CLAIM),
        logic_sketch: within(&card.logic_sketch, MOST_SKETCH),
        assumptions: assumptions.collect(),
        anchored_spans: spans,
        ..MemoryCard::default()
    })
}
