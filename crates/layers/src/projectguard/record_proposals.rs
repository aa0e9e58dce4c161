//! The making of records after a turn: drawn from the request literally, or proposed by a helper model and accepted
//! by fixed rules.
//!
//! The user's requests count, and changes that were accepted into the code; mere statements of the assistant do not.
//! So a proposal must cite the request of the turn, or a step of it that edits files and did not fail. A proposal
//! that repeats a record in other words changes that record.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::{HelperModel, HelperPrompt, SentenceOrigin, StepAuthor, TurnDone};
use trajview_metrics::{
    decisions::{Decision, extraction},
    process::plan::distinctive_words,
};

use super::records::{
    RecordEdge, RecordStatus, RecordType, SemanticRecord, SemanticRecords, on_one_line,
};

/// Characters of the interaction that a model reads, of one step of it, and of the records that are there.
const MAX_INTERACTION_CHARS: usize = 24_000;
const MAX_STEP_CHARS: usize = 1_500;
const MAX_KNOWN_CHARS: usize = 12_000;

/// Proposals of one turn that are looked at.
const MAX_PROPOSALS: usize = 20;

/// The part of the telling words that two records share where they are about the same.
const MIN_SHARED_WORDS: f64 = 0.6;

/// A rejected proposal with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedProposal {
    pub turn: usize,
    pub title: String,
    pub why: String,
}

/// Draws records from the request of a turn, in its own words. One takes another's place only where the words say so.
pub(crate) fn draw_records(records: &mut SemanticRecords, turn: usize, request: &str) {
    let mut known: Vec<&SemanticRecord> = records.all_records().collect();
    known.sort_by_key(|record| (record.changed.first().copied(), record.number));
    let decision = |record: &&SemanticRecord| Decision {
        id: record.id(),
        answer: record.body.clone(),
        ..Decision::default()
    };
    let mut all: Vec<Decision> = known.iter().map(decision).collect();
    let count = all.len();
    extraction::add_decisions_of_request(&mut all, turn, request);
    // Sentences of one request may take each other's place.
    let mut ids: HashMap<&str, String> = HashMap::new();
    for decision in &all[count..] {
        let kind =
            if is_lasting(&decision.answer) { RecordType::Design } else { RecordType::Decision };
        let text = (&*title_of(&decision.answer), &*decision.answer);
        let Some(id) = records.add_record(kind, turn, text, vec![SentenceOrigin::Request(turn)])
        else {
            return;
        };
        for path in &decision.files {
            records.add_edge(new_edge(&id, "touches", path, turn));
        }
        for earlier in &decision.supersedes {
            let earlier = ids.get(earlier.as_str()).unwrap_or(earlier).clone();
            supersede_record(records, &id, &earlier, turn);
        }
        ids.insert(&decision.id, id);
    }
}

fn supersede_record(records: &mut SemanticRecords, by: &str, earlier: &str, turn: usize) {
    if let Some(record) = records.get_mut(earlier) {
        record.status = RecordStatus::Superseded;
        record.note_turn(turn);
        records.add_edge(new_edge(by, "supersedes", earlier, turn));
    }
}

fn new_edge(from: &str, relation: &str, to: &str, turn: usize) -> RecordEdge {
    RecordEdge { from: from.into(), relation: relation.into(), to: to.into(), turn }
}

/// Returns whether a sentence is a lasting commitment, by its words.
fn is_lasting(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let has = |word: &str| words.contains(&word);
    ["must", "never", "always", "only", "every", "whole"].iter().any(|it| has(it))
        || lower.contains("from now on")
}

/// Returns the first eight words of a sentence.
fn title_of(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    words[..words.len().min(8)].join(" ").trim_end_matches(['.', ',', ':', ';']).to_owned()
}

/// The answer that a model must give.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordProposals {
    records: Vec<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordProposal {
    /// The id of the record that it changes; none for a new one.
    #[serde(default)]
    revises: Option<String>,
    r#type: String,
    title: String,
    body: String,
    /// `request`, `step 7`.
    origins: Vec<String>,
    #[serde(default)]
    supersedes: Vec<String>,
    #[serde(default)]
    relations: Vec<ProposedRelation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProposedRelation {
    relation: String,
    to: String,
}

const SYSTEM: &str = r#"You keep the records of a software project while an agent works on it, request by request.
Answer with one JSON object and nothing else:
{"records": [{"revises": null or the id of a record, "type": "design" | "decision" | "resource", "title": "...", "body": "...",
"origins": ["request", "step 7"], "supersedes": ["decision-2"], "relations": [{"relation": "operationalises", "to": "design-1"}]}]}
design: method structure, constraints of the architecture, commitments that last. decision: a choice that carries a design out
(interface conventions, training choices). resource: observations and questions put off that motivate the others.
Rules: only what the user asked for, or what was accepted into the code; what the assistant only proposed does not count.
Each record names as its origins the request of this turn or a step that edits files. Prefer to revise a record over adding
one. Relations: operationalises, motivates, touches (a file). Write short bodies with names and numbers as they are. An empty
list where the turn laid nothing down."#;

/// Asks a model for records of a turn and lets in what the rules allow. The error is a sentence; nothing was changed then.
pub(crate) fn propose_records(
    records: &mut SemanticRecords,
    done: &TurnDone<'_>,
    helper: &mut dyn HelperModel,
) -> Result<Vec<DroppedProposal>, String> {
    let text = format!(
        "# Records so far\n{}\n# Turn {}\n## Request\n{}\n## Steps\n{}",
        known_records_text(records),
        done.turn,
        first_chars(done.request, MAX_INTERACTION_CHARS / 3),
        interaction_text(done)
    );
    let prompt = HelperPrompt { purpose: "records", system: SYSTEM.into(), text };
    let answer = helper.ask_model(&prompt)?;
    let proposals: RecordProposals = serde_json::from_str(json_of(&answer.text))
        .map_err(|why| format!("the helper model's records cannot be read: {why}"))?;
    let mut dropped = vec![];
    for value in proposals.records.into_iter().take(MAX_PROPOSALS) {
        let title = value.get("title").and_then(serde_json::Value::as_str);
        let title = on_one_line(title.unwrap_or("without a title"), 80);
        let taken = serde_json::from_value::<RecordProposal>(value)
            .map_err(|_| "it is not in the form that was asked for")
            .and_then(|proposal| accept_proposal(records, done, proposal));
        let dropped_for =
            |why: &str| DroppedProposal { turn: done.turn, title, why: why.to_owned() };
        dropped.extend(taken.err().map(dropped_for));
    }
    Ok(dropped)
}

/// Returns the JSON object of an answer, with or without a code fence.
pub fn json_of(answer: &str) -> &str {
    match (answer.find('{'), answer.rfind('}')) {
        (Some(start), Some(end)) if start < end => &answer[start..=end],
        _ => answer,
    }
}

fn known_records_text(records: &SemanticRecords) -> String {
    let mut text = String::new();
    for record in records.active_records() {
        let line = format!("{}: {}: {}\n", record.id(), record.title, record.body);
        if text.len() + line.len() > MAX_KNOWN_CHARS {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Returns the messages and edits of a turn, as far as there is room.
fn interaction_text(done: &TurnDone<'_>) -> String {
    let mut text = String::new();
    for step in done.steps.iter().filter(|it| it.who == StepAuthor::Agent) {
        let (what, words) = match (&step.tool, step.edits) {
            (None, _) => ("says".to_owned(), step.text.as_str()),
            (Some(_), true) => (format!("edits {}", step.paths.join(", ")), step.text.as_str()),
            (Some(tool), false) => (format!("calls {tool}"), ""),
        };
        let failed = if step.failed { " (failed)" } else { "" };
        let words = first_chars(words, MAX_STEP_CHARS);
        let line = format!("step {} {what}{failed}: {words}\n", step.number);
        if text.len() + line.len() > MAX_INTERACTION_CHARS {
            break;
        }
        text.push_str(&line);
    }
    text
}

fn first_chars(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Accepts one proposal, or returns the reason for rejecting it.
fn accept_proposal(
    records: &mut SemanticRecords,
    done: &TurnDone<'_>,
    proposal: RecordProposal,
) -> Result<(), &'static str> {
    let kind = RecordType::by_word(&proposal.r#type).ok_or("its type is none of the three")?;
    let (title, body) = (on_one_line(&proposal.title, 120), proposal.body.trim());
    if title.is_empty() || body.is_empty() {
        return Err("it says nothing");
    }
    let origins: Vec<SentenceOrigin> =
        proposal.origins.iter().filter_map(|words| proposal_origin(done, words)).collect();
    if origins.is_empty() {
        return Err("it cites neither the request nor a step that edits files");
    }
    let turn = done.turn;
    let revised = match &proposal.revises {
        Some(id) => Some(records.get(id).ok_or("the record that it changes is not there")?.id()),
        None => find_similar_record(records, kind, &title, body),
    };
    let id = match revised {
        Some(id) => {
            let record = records.get_mut(&id).ok_or("the record that it changes is not there")?;
            record.revise_body(turn, body);
            record.status = RecordStatus::Active;
            record.origins.extend(origins);
            let mut seen = HashSet::new();
            record.origins.retain(|origin| seen.insert(origin.clone()));
            id
        }
        None => records
            .add_record(kind, turn, (&title, body), origins)
            .ok_or("there is no room for more")?,
    };
    for earlier in proposal.supersedes.iter().filter(|earlier| **earlier != id) {
        supersede_record(records, &id, earlier, turn);
    }
    for ProposedRelation { relation, to } in proposal.relations {
        let is_file = done.project.paths().any(|path| path.as_str() == to);
        if is_file || records.get(&to).is_some() {
            records.add_edge(new_edge(&id, &on_one_line(&relation, 40), &to, turn));
        }
    }
    Ok(())
}

/// Returns what `request` or `step 7` names; None for a step that does not edit, or failed.
fn proposal_origin(done: &TurnDone<'_>, words: &str) -> Option<SentenceOrigin> {
    let words = words.trim();
    let turn = done.turn;
    if words == "request" || words == format!("request {turn}") {
        return Some(SentenceOrigin::Request(turn));
    }
    let number = words.strip_prefix("step ")?.trim();
    let number = number.strip_prefix(&format!("{turn}.")).unwrap_or(number);
    let step: usize = number.parse().ok()?;
    let is_edit = |it: &&crate::StepSeen| it.number == step && it.edits && !it.failed;
    done.steps.iter().find(is_edit).map(|_| SentenceOrigin::Step { turn, step })
}

/// Returns the id of a record of the same type that is about the same: of that title, or with most of the telling
/// words.
fn find_similar_record(
    records: &SemanticRecords,
    kind: RecordType,
    title: &str,
    body: &str,
) -> Option<String> {
    let words = distinctive_words(&format!("{title} {body}"));
    let is_alike = |it: &&SemanticRecord| {
        let record_words = distinctive_words(&format!("{} {}", it.title, it.body));
        let all = record_words.union(&words).count();
        let shared = record_words.intersection(&words).count();
        it.title.eq_ignore_ascii_case(title)
            || (all > 0 && shared as f64 / all as f64 >= MIN_SHARED_WORDS)
    };
    records.active_records().filter(|it| it.kind == kind).find(is_alike).map(|it| it.id())
}
