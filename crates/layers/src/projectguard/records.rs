//! The semantic state: records of designs, decisions and resources, each a markdown file of its own, and their relations in a
//! table beside them.
//!
//! `records/<type>-<n>.md` has a head between two lines `---` (type, title, status, origins, changed) and what it says. What it said
//! before stands below `## Earlier`, with the turn until which it did. Relations are rows of `edges.tsv`: from, relation, to, turn.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Origin, State};
use trajview_run::values::worded;

use super::words;

/// The folder of records in the state of the layer.
const FOLDER: &str = "records/";

/// The table of relations.
const EDGES: &str = "edges.tsv";

/// Before what a record said earlier.
const EARLIER: &str = "## Earlier";

/// Characters of what a record says.
const MOST: usize = 1_200;

/// Records and relations that are kept, at most.
const MOST_RECORDS: usize = 2_000;
const MOST_EDGES: usize = 10_000;

worded! {
    /// What a record is of (SLUMP, section 5).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Type {
        /// Method structure, constraints of the architecture, commitments that last.
        Design = "design",
        /// A choice that carries a design out.
        Decision = "decision",
        /// Evidence and artifacts that motivate the others: observations, questions put off.
        Resource = "resource",
    }
}

worded! {
    /// Whether a record is still so.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Status {
        #[default]
        Active = "active",
        Superseded = "superseded",
    }
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub kind: Type,
    /// Counts from 1 within its type.
    pub number: usize,
    pub title: String,
    pub status: Status,
    /// Requests and steps that it is from.
    pub origins: Vec<Origin>,
    /// The turns that made and changed it, in order.
    pub changed: Vec<usize>,
    /// On one line.
    pub body: String,
    pub earlier: Vec<Earlier>,
}

/// What a record said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The turn that changed it.
    pub until: usize,
    pub text: String,
}

/// A relation of a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The id of a record.
    pub from: String,
    /// `supersedes`, `operationalises`, `motivates`, `touches`, ...
    pub relation: String,
    /// The id of a record, or a path of the project.
    pub to: String,
    pub turn: usize,
}

/// All records and their relations.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// By id.
    all: BTreeMap<String, Record>,
    edges: BTreeSet<Edge>,
}

impl Record {
    /// `decision-3`
    pub fn id(&self) -> String {
        format!("{}-{}", self.kind.word(), self.number)
    }

    /// Its file in the state.
    pub fn file(&self) -> String {
        format!("{FOLDER}{}.md", self.id())
    }

    pub fn words(&self) -> BTreeSet<String> {
        words::of(&format!("{} {}", self.title, self.body))
    }

    /// Says something else from a turn on, and keeps what it said.
    pub fn revise(&mut self, turn: usize, body: &str) {
        let body = on_one_line(body, MOST);
        if !body.is_empty() && body != self.body {
            let text = std::mem::replace(&mut self.body, body);
            self.earlier.push(Earlier { until: turn, text });
        }
        self.note(turn);
    }

    /// Says that a turn changed it.
    pub fn note(&mut self, turn: usize) {
        if self.changed.last() != Some(&turn) {
            self.changed.push(turn);
        }
    }

    fn text(&self) -> String {
        let origins: Vec<String> = self.origins.iter().filter_map(origin_words).collect();
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
            text.push_str(&format!("\n{EARLIER}\n"));
            for earlier in self.earlier.iter().rev() {
                text.push_str(&format!("- until turn {}: {}\n", earlier.until, earlier.text));
            }
        }
        text
    }

    /// None where the file is none of a record.
    fn read(file: &str, text: &str) -> Option<Self> {
        let name = file.strip_prefix(FOLDER)?.strip_suffix(".md")?;
        let (kind, number) = name.rsplit_once('-')?;
        let kind = Type::by_word(kind)?;
        let (head, rest) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
        let field = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(key, _)| *key == name).map_or("", |(_, value)| value.trim())
        };
        let (body, before) = rest.split_once(EARLIER).unwrap_or((rest, ""));
        let earlier = |line: &str| {
            let (turn, text) = line.strip_prefix("- until turn ")?.split_once(": ")?;
            Some(Earlier {
                until: turn.parse().ok()?,
                text: text.trim_end_matches('\r').to_owned(),
            })
        };
        let mut earlier: Vec<Earlier> = before.lines().filter_map(earlier).collect();
        earlier.reverse();
        Some(Self {
            kind,
            number: number.parse().ok()?,
            title: field("title").to_owned(),
            status: Status::by_word(field("status")).unwrap_or_default(),
            origins: field("origins").split("; ").filter_map(origin).collect(),
            changed: field("changed").split(", ").filter_map(|it| it.parse().ok()).collect(),
            body: on_one_line(body, MOST),
            earlier,
        })
    }
}

/// `request 12`, `step 12.7`; None for what a record cannot be from.
pub fn origin_words(origin: &Origin) -> Option<String> {
    match origin {
        Origin::Request(turn) => Some(format!("request {turn}")),
        Origin::Step { turn, step } => Some(format!("step {turn}.{step}")),
        Origin::Record(_) | Origin::Lines { .. } | Origin::Decision(_) => None,
    }
}

/// The other way round.
pub fn origin(words: &str) -> Option<Origin> {
    let words = words.trim();
    if let Some(turn) = words.strip_prefix("request ") {
        return Some(Origin::Request(turn.trim().parse().ok()?));
    }
    let (turn, step) = words.strip_prefix("step ")?.split_once('.')?;
    Some(Origin::Step { turn: turn.trim().parse().ok()?, step: step.trim().parse().ok()? })
}

impl Records {
    /// Those that are still so, by id.
    pub fn active(&self) -> impl Iterator<Item = &Record> {
        self.all.values().filter(|record| record.status == Status::Active)
    }

    /// By id.
    pub fn all(&self) -> impl Iterator<Item = &Record> {
        self.all.values()
    }

    pub fn get(&self, id: &str) -> Option<&Record> {
        self.all.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut Record> {
        self.all.get_mut(id)
    }

    /// A new record of a turn; its id. None where there is no room for more.
    pub fn add(
        &mut self,
        kind: Type,
        turn: usize,
        (title, body): (&str, &str),
        origins: Vec<Origin>,
    ) -> Option<String> {
        if self.all.len() >= MOST_RECORDS {
            return None;
        }
        let numbers = self.all.values().filter(|it| it.kind == kind).map(|it| it.number);
        let record = Record {
            kind,
            number: numbers.max().unwrap_or(0).saturating_add(1),
            title: on_one_line(title, 120),
            status: Status::Active,
            origins,
            changed: vec![turn],
            body: on_one_line(body, MOST),
            earlier: vec![],
        };
        let id = record.id();
        self.all.insert(id.clone(), record);
        Some(id)
    }

    pub fn relate(&mut self, edge: Edge) {
        let is_plain = |text: &str| !text.is_empty() && !text.contains(['\t', '\n', '\r']);
        let known =
            |it: &&Edge| (&it.from, &it.relation, &it.to) == (&edge.from, &edge.relation, &edge.to);
        let is_new = !self.edges.iter().any(|it| known(&it));
        if self.edges.len() < MOST_EDGES
            && is_new
            && [&edge.from, &edge.relation, &edge.to].iter().all(|it| is_plain(it))
        {
            self.edges.insert(edge);
        }
    }

    /// The files of the project that a record touches.
    pub fn touches(&self, record: &Record) -> impl Iterator<Item = &str> {
        let id = record.id();
        let is_of = move |edge: &&Edge| edge.from == id && edge.relation == "touches";
        self.edges.iter().filter(is_of).map(|edge| edge.to.as_str())
    }

    pub fn state(&self) -> State {
        let mut state: State = self.all.values().map(|it| (it.file(), it.text())).collect();
        if !self.edges.is_empty() {
            let row = |it: &Edge| format!("{}\t{}\t{}\t{}\n", it.from, it.relation, it.to, it.turn);
            let rows: String = self.edges.iter().map(row).collect();
            state.insert(EDGES.into(), format!("from\trelation\tto\tturn\n{rows}"));
        }
        state
    }

    /// What cannot be read is left out.
    pub fn restored(state: &State) -> Self {
        let records = state.iter().filter_map(|(file, text)| Record::read(file, text));
        let all = records.take(MOST_RECORDS).map(|it| (it.id(), it)).collect();
        let mut records = Self { all, edges: BTreeSet::new() };
        for line in state.get(EDGES).iter().flat_map(|text| text.lines()) {
            if let [from, relation, to, turn] = line.split('\t').collect::<Vec<_>>()[..]
                && let Ok(turn) = turn.parse()
            {
                let [from, relation, to] = [from, relation, to].map(str::to_owned);
                records.relate(Edge { from, relation, to, turn });
            }
        }
        records
    }
}

/// A text without line breaks, and no longer than that.
pub fn on_one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_what_it_said_and_is_read_as_it_was_written() {
        let mut records = Records::default();
        let origins = vec![Origin::Request(3), Origin::Step { turn: 3, step: 2 }];
        let id = records.add(Type::Decision, 3, ("Weights", "Use\nMin-SNR."), origins).unwrap();
        let record = records.get_mut(&id).unwrap();
        record.revise(9, "Use no weights.");
        records.relate(Edge {
            from: id.clone(),
            relation: "touches".into(),
            to: "a.py".into(),
            turn: 3,
        });

        let state = records.state();

        assert_eq!(
            state["records/decision-1.md"],
            "---\ntype: decision\ntitle: Weights\nstatus: active\norigins: request 3; step 3.2\nchanged: 3, 9\n---\n\
             Use no weights.\n\n## Earlier\n- until turn 9: Use Min-SNR.\n"
        );
        assert_eq!(state["edges.tsv"], "from\trelation\tto\tturn\ndecision-1\ttouches\ta.py\t3\n");
        let again = Records::restored(&state);
        assert_eq!(again.state(), state);
        assert_eq!(again.get(&id), records.get(&id));
    }
}
