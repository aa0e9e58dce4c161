//! How records come to be after a turn: drawn from the request in its own words, or proposed by a helper model and let in by our
//! rules.
//!
//! What the user asked for counts, and what was accepted into the code; what the assistant only said does not. So a proposal must
//! cite the request of the turn, or a step of it that edits files and did not fail. A proposal that says what a record says
//! already in other words changes that record.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::{Helper, Origin, Prompt, TurnDone, Who};
use trajview_metrics::{
    decisions::{Decision, drawn},
    process::plan::telling_words,
};

use super::records::{Edge, Record, Records, Status, Type, on_one_line};

/// Characters of the interaction that a model reads, of one step of it, and of the records that are there.
const INTERACTION: usize = 24_000;
const STEP: usize = 1_500;
const KNOWN: usize = 12_000;

/// Proposals of one turn that are looked at.
const PROPOSALS: usize = 20;

/// The part of the telling words that two records share where they are about the same.
const ALIKE: f64 = 0.6;

/// What a proposal was not let in for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    pub turn: usize,
    pub title: String,
    pub why: String,
}

/// Draws records from the request of a turn, in its own words. One takes another's place only where the words say so.
pub fn draw(records: &mut Records, turn: usize, request: &str) {
    let mut known: Vec<&Record> = records.all().collect();
    known.sort_by_key(|record| (record.changed.first().copied(), record.number));
    let decision = |record: &&Record| Decision {
        id: record.id(),
        answer: record.body.clone(),
        ..Decision::default()
    };
    let mut all: Vec<Decision> = known.iter().map(decision).collect();
    let count = all.len();
    drawn::add(&mut all, turn, request);
    // Sentences of one request may take each other's place.
    let mut ids: HashMap<&str, String> = HashMap::new();
    for decision in &all[count..] {
        let kind = if lasts(&decision.answer) { Type::Design } else { Type::Decision };
        let text = (&*title_of(&decision.answer), &*decision.answer);
        let Some(id) = records.add(kind, turn, text, vec![Origin::Request(turn)]) else { return };
        for path in &decision.files {
            records.relate(edge(&id, "touches", path, turn));
        }
        for earlier in &decision.supersedes {
            let earlier = ids.get(earlier.as_str()).unwrap_or(earlier).clone();
            supersede(records, &id, &earlier, turn);
        }
        ids.insert(&decision.id, id);
    }
}

fn supersede(records: &mut Records, by: &str, earlier: &str, turn: usize) {
    if let Some(record) = records.get_mut(earlier) {
        record.status = Status::Superseded;
        record.note(turn);
        records.relate(edge(by, "supersedes", earlier, turn));
    }
}

fn edge(from: &str, relation: &str, to: &str, turn: usize) -> Edge {
    Edge { from: from.into(), relation: relation.into(), to: to.into(), turn }
}

/// Whether a sentence commits for good, by its words.
fn lasts(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').collect();
    let has = |word: &str| words.contains(&word);
    ["must", "never", "always", "only", "every", "whole"].iter().any(|it| has(it))
        || lower.contains("from now on")
}

/// The first words of a sentence.
fn title_of(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    words[..words.len().min(8)].join(" ").trim_end_matches(['.', ',', ':', ';']).to_owned()
}

/// What a model is to answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposals {
    records: Vec<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Proposal {
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
    relations: Vec<Relation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Relation {
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
pub fn propose(
    records: &mut Records,
    done: &TurnDone<'_>,
    helper: &mut dyn Helper,
) -> Result<Vec<Dropped>, String> {
    let text = format!(
        "# Records so far\n{}\n# Turn {}\n## Request\n{}\n## Steps\n{}",
        known(records),
        done.turn,
        on_few_chars(done.request, INTERACTION / 3),
        interaction(done)
    );
    let prompt = Prompt { purpose: "records", system: SYSTEM.into(), text };
    let answer = helper.ask(&prompt)?;
    let proposals: Proposals = serde_json::from_str(json_of(&answer.text))
        .map_err(|why| format!("the helper model's records cannot be read: {why}"))?;
    let mut dropped = vec![];
    for value in proposals.records.into_iter().take(PROPOSALS) {
        let title = value.get("title").and_then(serde_json::Value::as_str);
        let title = on_one_line(title.unwrap_or("without a title"), 80);
        let taken = serde_json::from_value::<Proposal>(value)
            .map_err(|_| "it is not in the form that was asked for")
            .and_then(|proposal| take(records, done, proposal));
        let dropped_for = |why: &str| Dropped { turn: done.turn, title, why: why.to_owned() };
        dropped.extend(taken.err().map(dropped_for));
    }
    Ok(dropped)
}

/// A JSON object out of an answer that may stand in a fence.
pub fn json_of(answer: &str) -> &str {
    match (answer.find('{'), answer.rfind('}')) {
        (Some(start), Some(end)) if start < end => &answer[start..=end],
        _ => answer,
    }
}

fn known(records: &Records) -> String {
    let mut text = String::new();
    for record in records.active() {
        let line = format!("{}: {}: {}\n", record.id(), record.title, record.body);
        if text.len() + line.len() > KNOWN {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// What was said and edited, as far as there is room.
fn interaction(done: &TurnDone<'_>) -> String {
    let mut text = String::new();
    for step in done.steps.iter().filter(|it| it.who == Who::Agent) {
        let (what, words) = match (&step.tool, step.edits) {
            (None, _) => ("says".to_owned(), step.text.as_str()),
            (Some(_), true) => (format!("edits {}", step.paths.join(", ")), step.text.as_str()),
            (Some(tool), false) => (format!("calls {tool}"), ""),
        };
        let failed = if step.failed { " (failed)" } else { "" };
        let words = on_few_chars(words, STEP);
        let line = format!("step {} {what}{failed}: {words}\n", step.number);
        if text.len() + line.len() > INTERACTION {
            break;
        }
        text.push_str(&line);
    }
    text
}

fn on_few_chars(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Lets in one proposal, or says why not.
fn take(
    records: &mut Records,
    done: &TurnDone<'_>,
    proposal: Proposal,
) -> Result<(), &'static str> {
    let kind = Type::by_word(&proposal.r#type).ok_or("its type is none of the three")?;
    let (title, body) = (on_one_line(&proposal.title, 120), proposal.body.trim());
    if title.is_empty() || body.is_empty() {
        return Err("it says nothing");
    }
    let origins: Vec<Origin> =
        proposal.origins.iter().filter_map(|words| origin(done, words)).collect();
    if origins.is_empty() {
        return Err("it cites neither the request nor a step that edits files");
    }
    let turn = done.turn;
    let revised = match &proposal.revises {
        Some(id) => Some(records.get(id).ok_or("the record that it changes is not there")?.id()),
        None => alike(records, kind, &title, body),
    };
    let id = match revised {
        Some(id) => {
            let record = records.get_mut(&id).ok_or("the record that it changes is not there")?;
            record.revise(turn, body);
            record.status = Status::Active;
            record.origins.extend(origins);
            let mut seen = HashSet::new();
            record.origins.retain(|origin| seen.insert(origin.clone()));
            id
        }
        None => {
            records.add(kind, turn, (&title, body), origins).ok_or("there is no room for more")?
        }
    };
    for earlier in proposal.supersedes.iter().filter(|earlier| **earlier != id) {
        supersede(records, &id, earlier, turn);
    }
    for Relation { relation, to } in proposal.relations {
        let is_file = done.project.paths().any(|path| path.as_str() == to);
        if is_file || records.get(&to).is_some() {
            records.relate(edge(&id, &on_one_line(&relation, 40), &to, turn));
        }
    }
    Ok(())
}

/// `request`, or a step that edits and did not fail.
fn origin(done: &TurnDone<'_>, words: &str) -> Option<Origin> {
    let words = words.trim();
    let turn = done.turn;
    if words == "request" || words == format!("request {turn}") {
        return Some(Origin::Request(turn));
    }
    let number = words.strip_prefix("step ")?.trim();
    let number = number.strip_prefix(&format!("{turn}.")).unwrap_or(number);
    let step: usize = number.parse().ok()?;
    let is_edit = |it: &&crate::StepSeen| it.number == step && it.edits && !it.failed;
    done.steps.iter().find(is_edit).map(|_| Origin::Step { turn, step })
}

/// A record of the same type that is about the same: of that title, or with most of the telling words.
fn alike(records: &Records, kind: Type, title: &str, body: &str) -> Option<String> {
    let words = telling_words(&format!("{title} {body}"));
    let is_alike = |it: &&Record| {
        let own = telling_words(&format!("{} {}", it.title, it.body));
        let all = own.union(&words).count();
        let shared = own.intersection(&words).count();
        it.title.eq_ignore_ascii_case(title) || (all > 0 && shared as f64 / all as f64 >= ALIKE)
    };
    records.active().filter(|it| it.kind == kind).find(is_alike).map(|it| it.id())
}
