//! Evidence cards: a claim and the places that it rests on, written by the helper model or, without one, what stands at the
//! places.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    chunk::{one_line, tokens},
    opened::{Opened, Reader},
    stale,
};
use crate::helper::{Helper, Prompt, Spent};
use trajview_run::RepoPath;

/// What a request is given of one artifact.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// `t42.1` is the first of turn 42.
    pub id: String,
    /// What holds and where it ends; empty where no model wrote the card.
    pub claim_boundary: String,
    /// How it works; empty where no model wrote the card.
    pub logic_sketch: String,
    pub assumptions: Vec<String>,
    pub anchored_spans: Vec<Anchored>,
}

/// A place in an artifact with the words that stand there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Anchored {
    pub artifact: String,
    /// First and last line, counting from 1; None for what has no lines.
    pub span: Option<(u32, u32)>,
    pub snippet: String,
    /// Turns done at the version that has it.
    pub version: usize,
}

/// A check of a card, or of a place that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub artifact: String,
    pub passed: bool,
    pub why: Option<String>,
}

/// A card with how it came about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Made {
    pub card: Card,
    /// Whether the model wrote it.
    pub is_written: bool,
    pub checks: Vec<Check>,
    pub spent: Spent,
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

impl From<&Opened> for Anchored {
    fn from(opened: &Opened) -> Self {
        let Opened { artifact, span, snippet, version } = opened.clone();
        Self { artifact, span, snippet, version }
    }
}

/// The cards of what was opened, one an artifact, in order: what stands at the places, cut.
pub fn cut(opened: &[Opened], turn: usize) -> Vec<Made> {
    let mut cards: Vec<(String, Vec<Anchored>)> = vec![];
    for one in opened {
        let is_it = |(artifact, spans): &&mut (String, Vec<Anchored>)| {
            *artifact == one.artifact && spans.len() < MOST_SPANS
        };
        match cards.iter_mut().find(is_it) {
            Some((_, spans)) => spans.push(one.into()),
            None => cards.push((one.artifact.clone(), vec![one.into()])),
        }
    }
    let made = |(number, (_, anchored_spans)): (usize, (String, Vec<Anchored>))| {
        let id = format!("t{turn}.{number}");
        Made { card: Card { id, anchored_spans, ..Card::default() }, ..Made::default() }
    };
    (1..).zip(cards).map(made).collect()
}

/// Has the helper write a card in place of a cut one; asked once more where what it cites does not stand there. The cut one
/// stays where that does not help.
pub fn write(made: &mut Made, request: &str, reader: &mut Reader<'_>, helper: &mut dyn Helper) {
    let Some(path) = made.card.anchored_spans.first().and_then(|it| RepoPath::new(&it.artifact))
    else {
        return;
    };
    let Some(text) = reader.text(&path).map(str::to_owned) else { return };
    let shown = numbered(&text, &made.card.anchored_spans);
    let mut prompt = Prompt {
        purpose: "evidence card",
        system: SYSTEM.to_owned(),
        text: format!("Request:\n{request}\n\nFile {}:\n{shown}", path.as_str()),
    };
    for _ in 0..2 {
        let answer = match helper.ask(&prompt) {
            Ok(answer) => answer,
            Err(why) => {
                made.checks.push(Check {
                    artifact: path.as_str().into(),
                    passed: false,
                    why: Some(why),
                });
                return;
            }
        };
        made.spent = made.spent.and(answer.spent);
        match read(&answer.text, &path, &text, reader.done) {
            Ok(card) => {
                made.checks.push(Check { artifact: path.as_str().into(), passed: true, why: None });
                made.card = Card { id: std::mem::take(&mut made.card.id), ..card };
                made.is_written = true;
                return;
            }
            Err(why) => {
                prompt.text.push_str(&format!(
                    "\n\nYour last answer cannot be used: {why}. Write the card again."
                ));
                made.checks.push(Check {
                    artifact: path.as_str().into(),
                    passed: false,
                    why: Some(why),
                });
            }
        }
    }
}

/// The lines that spans cite and those around, with their numbers.
fn numbered(text: &str, spans: &[Anchored]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let each = MOST_READ / spans.len().max(1);
    let mut shown: BTreeMap<usize, &str> = BTreeMap::new();
    for (start, _) in spans.iter().filter_map(|it| it.span) {
        let first = (start as usize).saturating_sub(1);
        shown.extend(lines.iter().copied().enumerate().skip(first).take(each));
    }
    shown.iter().map(|(at, line)| format!("{}: {line}\n", at + 1)).collect()
}

/// The card of an answer; of what it cites only what stands in the file. The error says why it is none.
fn read(answer: &str, path: &RepoPath, text: &str, version: usize) -> Result<Card, String> {
    let object =
        answer.find('{').zip(answer.rfind('}')).and_then(|(start, end)| answer.get(start..=end));
    let card: Card = serde_json::from_str(object.ok_or("it has no JSON object")?)
        .map_err(|why| format!("it is no card: {why}"))?;
    let mut spans: Vec<Anchored> = vec![];
    for span in &card.anchored_spans {
        // Blank lines around it say nothing of where it stands.
        let snippet: Vec<&str> =
            span.snippet.trim_end().lines().skip_while(|line| line.trim().is_empty()).collect();
        let snippet = snippet.join("\n");
        let Some(start) = stale::line_of(&snippet, text).filter(|_| span.artifact == path.as_str())
        else {
            continue;
        };
        let end = start + snippet.lines().count().saturating_sub(1) as u32;
        let span = Anchored {
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
    let within = |text: &str, most: usize| match tokens(text) > most {
        true => one_line(text, most * 4 - 1),
        false => one_line(text, usize::MAX),
    };
    let assumptions =
        card.assumptions.iter().take(MOST_ASSUMPTIONS).map(|it| within(it, MOST_CLAIM));
    Ok(Card {
        claim_boundary: within(&card.claim_boundary, MOST_CLAIM),
        logic_sketch: within(&card.logic_sketch, MOST_SKETCH),
        assumptions: assumptions.collect(),
        anchored_spans: spans,
        ..Card::default()
    })
}
