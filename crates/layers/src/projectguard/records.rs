//! The semantic state: records of designs, decisions and resources, each a markdown file of its own, and their
//! relations in a table beside them.
//!
//! `records/<type>-<n>.md` has a head between two lines `---` (type, title, status, origins, changed) and the text.
//! Earlier texts follow below `## Earlier`, each with the turn that changed it. Relations are rows of `edges.tsv`:
//! from, relation, to, turn.

use std::collections::{BTreeMap, BTreeSet};

use crate::{LayerState, SentenceOrigin};
use trajview_run::worded_enum::worded;

use super::words;

/// The folder of records in the state of the layer.
const FOLDER: &str = "records/";

/// The table of relations.
const EDGES_FILE: &str = "edges.tsv";

/// The heading above earlier texts of a record.
const EARLIER_HEADING: &str = "## Earlier";

/// The largest number of characters of a record's text.
const MAX_BODY_CHARS: usize = 1_200;

/// Records and relations that are kept, at most.
const MOST_RECORDS: usize = 2_000;
const MOST_EDGES: usize = 10_000;

worded! {
    /// The kind of a record (SLUMP, section 5).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RecordType {
        /// Method structure, constraints of the architecture, commitments that last.
        Design = "design",
        /// A choice that carries a design out.
        Decision = "decision",
        /// Evidence and artifacts that motivate the others: observations, questions put off.
        Resource = "resource",
    }
}

worded! {
    /// Whether a record is still in effect.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum RecordStatus {
        #[default]
        Active = "active",
        Superseded = "superseded",
    }
}

/// A record of a design, decision or resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticRecord {
    pub kind: RecordType,
    /// The number within its type, counted from 1.
    pub number: usize,
    pub title: String,
    pub status: RecordStatus,
    /// Requests and steps that it is from.
    pub origins: Vec<SentenceOrigin>,
    /// The turns that made and changed it, in order.
    pub changed: Vec<usize>,
    /// The text on one line.
    pub body: String,
    pub earlier: Vec<EarlierText>,
}

/// An earlier text of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierText {
    /// The turn that changed it.
    pub until: usize,
    pub text: String,
}

/// A relation of a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordEdge {
    /// The id of a record.
    pub from: String,
    /// `supersedes`, `operationalises`, `motivates`, `touches`, ...
    pub relation: String,
    /// The id of a record, or a path of the project.
    pub to: String,
    pub turn: usize,
}

/// The records and their relations.
#[derive(Debug, Clone, Default)]
pub struct SemanticRecords {
    /// The records by id.
    all: BTreeMap<String, SemanticRecord>,
    edges: BTreeSet<RecordEdge>,
}

impl SemanticRecord {
    /// Returns `decision-3`.
    pub fn id(&self) -> String {
        format!("{}-{}", self.kind.word(), self.number)
    }

    /// Returns the path of its file in the state.
    pub fn file_name(&self) -> String {
        format!("{FOLDER}{}.md", self.id())
    }

    pub(crate) fn distinct_words(&self) -> BTreeSet<String> {
        words::distinct_words(&format!("{} {}", self.title, self.body))
    }

    /// Changes the text from a turn on, and keeps the earlier text.
    pub(crate) fn revise_body(&mut self, turn: usize, body: &str) {
        let body = on_one_line(body, MAX_BODY_CHARS);
        if !body.is_empty() && body != self.body {
            let text = std::mem::replace(&mut self.body, body);
            self.earlier.push(EarlierText { until: turn, text });
        }
        self.note_turn(turn);
    }

    /// Notes that a turn changed the record.
    pub fn note_turn(&mut self, turn: usize) {
        if self.changed.last() != Some(&turn) {
            self.changed.push(turn);
        }
    }

    fn markdown_text(&self) -> String {
        let origins: Vec<String> = self.origins.iter().filter_map(origin_text).collect();
        let changed: Vec<String> = self.changed.iter().map(ToString::to_string).collect();
        let mut text = format!(
            "---\ntype: {}\ntitle: {}\nstatus: {}\norigins: {}\nchanged: {}\n---\n{}\n",
            self.kind.word(),
            self.title,
            self.status.word(),
            origins.join("; "),
            changed.join(", "),
            self.body
        );
        if !self.earlier.is_empty() {
            text.push_str(&format!("\n{EARLIER_HEADING}\n"));
            for earlier in self.earlier.iter().rev() {
                text.push_str(&format!("- until turn {}: {}\n", earlier.until, earlier.text));
            }
        }
        text
    }

    /// Parses the file of a record; None where the file is not one.
    fn parse_file(file: &str, text: &str) -> Option<Self> {
        let name = file.strip_prefix(FOLDER)?.strip_suffix(".md")?;
        let (kind, number) = name.rsplit_once('-')?;
        let kind = RecordType::by_word(kind)?;
        let (head, rest) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
        let field = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(key, _)| *key == name).map_or("", |(_, value)| value.trim())
        };
        let (body, before) = rest.split_once(EARLIER_HEADING).unwrap_or((rest, ""));
        let earlier = |line: &str| {
            let (turn, text) = line.strip_prefix("- until turn ")?.split_once(": ")?;
            Some(EarlierText {
                until: turn.parse().ok()?,
                text: text.trim_end_matches('\r').to_owned(),
            })
        };
        let mut earlier: Vec<EarlierText> = before.lines().filter_map(earlier).collect();
        earlier.reverse();
        Some(Self {
            kind,
            number: number.parse().ok()?,
            title: field("title").to_owned(),
            status: RecordStatus::by_word(field("status")).unwrap_or_default(),
            origins: field("origins").split("; ").filter_map(parse_origin).collect(),
            changed: field("changed").split(", ").filter_map(|it| it.parse().ok()).collect(),
            body: on_one_line(body, MAX_BODY_CHARS),
            earlier,
        })
    }
}

/// Returns `request 12` or `step 12.7`; None for what a record cannot be from.
pub fn origin_text(origin: &SentenceOrigin) -> Option<String> {
    match origin {
        SentenceOrigin::Request(turn) => Some(format!("request {turn}")),
        SentenceOrigin::Step { turn, step } => Some(format!("step {turn}.{step}")),
        SentenceOrigin::Record(_) | SentenceOrigin::Lines { .. } | SentenceOrigin::Decision(_) => {
            None
        }
    }
}

/// Parses the text of [`origin_text`].
pub(crate) fn parse_origin(words: &str) -> Option<SentenceOrigin> {
    let words = words.trim();
    if let Some(turn) = words.strip_prefix("request ") {
        return Some(SentenceOrigin::Request(turn.trim().parse().ok()?));
    }
    let (turn, step) = words.strip_prefix("step ")?.split_once('.')?;
    Some(SentenceOrigin::Step { turn: turn.trim().parse().ok()?, step: step.trim().parse().ok()? })
}

impl SemanticRecords {
    /// Returns the records in effect, by id.
    pub(crate) fn active_records(&self) -> impl Iterator<Item = &SemanticRecord> {
        self.all.values().filter(|record| record.status == RecordStatus::Active)
    }

    /// Returns the records by id.
    pub(crate) fn all_records(&self) -> impl Iterator<Item = &SemanticRecord> {
        self.all.values()
    }

    pub fn get(&self, id: &str) -> Option<&SemanticRecord> {
        self.all.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut SemanticRecord> {
        self.all.get_mut(id)
    }

    /// Adds a record of a turn, and returns its id; None where there is no room for more.
    pub(crate) fn add_record(
        &mut self,
        kind: RecordType,
        turn: usize,
        (title, body): (&str, &str),
        origins: Vec<SentenceOrigin>,
    ) -> Option<String> {
        if self.all.len() >= MOST_RECORDS {
            return None;
        }
        let numbers = self.all.values().filter(|it| it.kind == kind).map(|it| it.number);
        let record = SemanticRecord {
            kind,
            number: numbers.max().unwrap_or(0).saturating_add(1),
            title: on_one_line(title, 120),
            status: RecordStatus::Active,
            origins,
            changed: vec![turn],
            body: on_one_line(body, MAX_BODY_CHARS),
            earlier: vec![],
        };
        let id = record.id();
        self.all.insert(id.clone(), record);
        Some(id)
    }

    /// Adds an edge, where it is new, has plain texts and there is room for it.
    pub(crate) fn add_edge(&mut self, edge: RecordEdge) {
        let is_plain = |text: &str| !text.is_empty() && !text.contains(['\t', '\n', '\r']);
        let known = |it: &&RecordEdge| {
            (&it.from, &it.relation, &it.to) == (&edge.from, &edge.relation, &edge.to)
        };
        let is_new = !self.edges.iter().any(|it| known(&it));
        if self.edges.len() < MOST_EDGES
            && is_new
            && [&edge.from, &edge.relation, &edge.to].iter().all(|it| is_plain(it))
        {
            self.edges.insert(edge);
        }
    }

    /// Returns the files of the project that a record touches.
    pub fn touched_files(&self, record: &SemanticRecord) -> impl Iterator<Item = &str> {
        let id = record.id();
        let is_of = move |edge: &&RecordEdge| edge.from == id && edge.relation == "touches";
        self.edges.iter().filter(is_of).map(|edge| edge.to.as_str())
    }

    pub(crate) fn state_files(&self) -> LayerState {
        let mut state: LayerState =
            self.all.values().map(|it| (it.file_name(), it.markdown_text())).collect();
        if !self.edges.is_empty() {
            let row =
                |it: &RecordEdge| format!("{}\t{}\t{}\t{}\n", it.from, it.relation, it.to, it.turn);
            let rows: String = self.edges.iter().map(row).collect();
            state.insert(EDGES_FILE.into(), format!("from\trelation\tto\tturn\n{rows}"));
        }
        state
    }

    /// Reads the records from a state; files that cannot be read are left out.
    pub(crate) fn from_state(state: &LayerState) -> Self {
        let records =
            state.iter().filter_map(|(file, text)| SemanticRecord::parse_file(file, text));
        let all = records.take(MOST_RECORDS).map(|it| (it.id(), it)).collect();
        let mut records = Self { all, edges: BTreeSet::new() };
        for line in state.get(EDGES_FILE).iter().flat_map(|text| text.lines()) {
            if let [from, relation, to, turn] = line.split('\t').collect::<Vec<_>>()[..]
                && let Ok(turn) = turn.parse()
            {
                let [from, relation, to] = [from, relation, to].map(str::to_owned);
                records.add_edge(RecordEdge { from, relation, to, turn });
            }
        }
        records
    }
}

/// Returns a text without line breaks, of at most so many characters.
pub(crate) fn on_one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_what_it_said_and_is_read_as_it_was_written() {
        let mut records = SemanticRecords::default();
        let origins = vec![SentenceOrigin::Request(3), SentenceOrigin::Step { turn: 3, step: 2 }];
        let id = records
            .add_record(RecordType::Decision, 3, ("Weights", "Use\nMin-SNR."), origins)
            .unwrap();
        let record = records.get_mut(&id).unwrap();
        record.revise_body(9, "Use no weights.");
        records.add_edge(RecordEdge {
            from: id.clone(),
            relation: "touches".into(),
            to: "a.py".into(),
            turn: 3,
        });

        let state = records.state_files();

        assert_eq!(
            state["records/decision-1.md"],
            "---\ntype: decision\ntitle: Weights\nstatus: active\norigins: request 3; step 3.2\nchanged: 3, 9\n---\n\
             Use no weights.\n\n## Earlier\n- until turn 9: Use Min-SNR.\n"
        );
        assert_eq!(state["edges.tsv"], "from\trelation\tto\tturn\ndecision-1\ttouches\ta.py\t3\n");
        let again = SemanticRecords::from_state(&state);
        assert_eq!(again.state_files(), state);
        assert_eq!(again.get(&id), records.get(&id));
    }
}
