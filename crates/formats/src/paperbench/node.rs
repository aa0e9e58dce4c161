//! Nodes as they come: one pass over the text, each node put behind the one before, and no deeper than is safe.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{Reader, value};
use crate::json::Object;
use trajview_run::rubric_tree::{Answer, Category, Node, NodeId};

/// Deeper nodes are left out. Rubrics have 9 levels; serde_json ends at 128, two for each of ours.
const MOST_DEEP: u16 = 50;

/// The most nodes that are read; the largest rubric has 2,551.
const MOST_NODES: usize = 200_000;

/// Larger weights could add up to no number at all.
const MOST_WEIGHT: f64 = 1e15;

/// The fields of a node but its score, which a result has too, and its sub-tasks.
pub const OWN: [&str; 8] = [
    "id",
    "requirements",
    "weight",
    "task_category",
    "finegrained_task_category",
    "valid_score",
    "explanation",
    "judge_metadata",
];

/// Which fields a node has had.
#[derive(Debug, Default)]
pub struct Seen {
    id: bool,
    requirements: bool,
    weight: bool,
    sub_tasks: bool,
}

impl Reader {
    /// Puts a node behind the others. None where there are too many already.
    fn open(&mut self, parent: Option<NodeId>, place: u32) -> Option<NodeId> {
        if self.tree.nodes.len() >= MOST_NODES {
            if !self.has_too_many {
                self.warnings.say(format!("more than {MOST_NODES} nodes; the rest is left out"));
                self.has_too_many = true;
            }
            return None;
        }
        let depth =
            parent.and_then(|parent| self.tree.node(parent)).map_or(0, |above| above.depth + 1);
        let id = NodeId::of(self.tree.nodes.len());
        self.tree.nodes.push(Node { parent, place, depth, ..Node::default() });
        Some(id)
    }

    /// The root, put first if it was not yet.
    pub fn open_root(&mut self) -> NodeId {
        if self.tree.nodes.is_empty() {
            self.open(None, 0);
        }
        NodeId::default()
    }

    /// All of a node has been read.
    pub fn close(&mut self, id: NodeId, seen: &Seen) {
        let end = self.tree.nodes.len() as u32;
        if let Some(node) = self.tree.nodes.get_mut(id.at()) {
            node.end = end;
        }
        let missing = [
            (seen.id, "has no id"),
            (seen.requirements, "does not say what it requires"),
            // The root's weight counts nowhere.
            (seen.weight || id == NodeId::default(), "has no weight and counts nothing"),
            (seen.sub_tasks, "has no list of sub_tasks: taken as a leaf"),
        ];
        for (is_there, what) in missing {
            if !is_there {
                self.warn(id, what);
            }
        }
    }

    /// One field of a node but its sub-tasks; other fields are left alone.
    pub fn field(&mut self, id: NodeId, key: &str, raw: &RawValue, seen: &mut Seen) {
        match key {
            "id" => {
                seen.id = true;
                let words = self.string(id, "id", raw);
                self.put(id, |node| node.id = words);
            }
            "requirements" => {
                seen.requirements = true;
                let words = self.string(id, "requirements", raw);
                self.put(id, |node| node.requirements = words);
            }
            "weight" => {
                seen.weight = true;
                let weight = self.weight(id, raw);
                self.put(id, |node| node.weight = weight);
            }
            "task_category" => {
                let category = self.optional(id, key, raw).map(|words| Category::of(&words));
                self.put(id, |node| node.category = category);
            }
            "finegrained_task_category" => {
                let words = self.optional(id, key, raw);
                self.put(id, |node| node.finegrained = words);
            }
            "score" => {
                let score = self.score(id, raw);
                self.put(id, |node| node.score = score);
            }
            "valid_score" => {
                let is_valid = value::flag(raw);
                if is_valid.is_none() && !value::is_null(raw) {
                    self.wrong(id, key, raw, "true or false");
                }
                self.put(id, |node| node.is_valid = is_valid);
            }
            "explanation" => {
                let words = self.optional(id, key, raw).unwrap_or_default();
                self.put(id, |node| node.explanation = words);
            }
            "judge_metadata" => {
                let answer = self.answer(id, raw);
                self.put(id, |node| node.answer = answer);
            }
            _ => {}
        }
    }

    fn put(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.tree.nodes.get_mut(id.at()) {
            change(node);
        }
    }

    fn wrong(&mut self, id: NodeId, key: &str, raw: &RawValue, expected: &str) {
        let what = format!("{key} is {}, expected {expected}", value::kind(raw));
        self.warn(id, &what);
    }

    fn string(&mut self, id: NodeId, key: &str, raw: &RawValue) -> Box<str> {
        match value::text(raw) {
            Some(words) => words.into(),
            None => {
                self.wrong(id, key, raw, "a string");
                Box::default()
            }
        }
    }

    /// A string, or nothing.
    fn optional(&mut self, id: NodeId, key: &str, raw: &RawValue) -> Option<Box<str>> {
        if value::text(raw).is_none() && !value::is_null(raw) {
            self.wrong(id, key, raw, "a string or null");
        }
        value::words(raw)
    }

    fn weight(&mut self, id: NodeId, raw: &RawValue) -> f64 {
        let weight = value::number(raw).filter(|weight| (0.0..=MOST_WEIGHT).contains(weight));
        weight.unwrap_or_else(|| {
            let what = format!(
                "weight is {}, expected a number 0 or more: it counts nothing",
                value::kind(raw)
            );
            self.warn(id, &what);
            0.0
        })
    }

    fn score(&mut self, id: NodeId, raw: &RawValue) -> Option<f64> {
        let score = value::number(raw).filter(|score| (0.0..=1.0).contains(score));
        if score.is_none() && !value::is_null(raw) {
            let what = format!(
                "score is {}, expected a number from 0 to 1: it counts as 0 and as invalid",
                value::kind(raw)
            );
            self.scoreless.insert(id);
            self.warn(id, &what);
        }
        score
    }

    /// An object; null and an empty string in its place mean that there is none.
    fn answer(&mut self, id: NodeId, raw: &RawValue) -> Option<Box<Answer>> {
        let Some(fields) = Object::of(raw) else {
            if !value::is_null(raw) && raw.get() != "\"\"" {
                self.wrong(id, "judge_metadata", raw, "an object, null or an empty string");
            }
            return None;
        };
        let response = fields.get("full_judge_response").and_then(value::words);
        let tokens = fields.get("token_usage").map(value::tokens).unwrap_or_default();
        let answer = Answer { response: response.unwrap_or_default(), tokens };
        (answer != Answer::default()).then(|| Box::new(answer))
    }
}

/// Reads the object of a node that is open.
pub struct Body<'r> {
    pub reader: &'r mut Reader,
    pub id: NodeId,
}

impl<'de> DeserializeSeed<'de> for Body<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Body<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { reader, id } = self;
        let mut seen = Seen::default();
        while let Some(key) = map.next_key::<&RawValue>()? {
            entry(reader, id, key, &mut seen, &mut map)?;
        }
        reader.close(id, &seen);
        Ok(())
    }
}

/// One entry of a node's object.
pub fn entry<'de, M: MapAccess<'de>>(
    reader: &mut Reader,
    id: NodeId,
    key: &RawValue,
    seen: &mut Seen,
    map: &mut M,
) -> Result<(), M::Error> {
    let key = value::text(key).unwrap_or_default();
    if key != "sub_tasks" {
        reader.field(id, &key, map.next_value()?, seen);
        return Ok(());
    }
    let is_first = !std::mem::replace(&mut seen.sub_tasks, true);
    let depth = reader.tree.node(id).map_or(0, |node| node.depth);
    if is_first && depth < MOST_DEEP {
        return map.next_value_seed(Below { reader, parent: id, part: Part::List });
    }
    let raw: &RawValue = map.next_value()?;
    if !is_first {
        reader.warn(id, "has more than one list of sub_tasks; the first counts");
    } else if raw.get().trim_start_matches(['[', ' ', '\n', '\t', '\r']) != "]" {
        let what = format!("stands {MOST_DEEP} levels deep; its sub-tasks are left out");
        reader.warn(id, &what);
    }
    Ok(())
}

/// Reads what should be a list of sub-tasks, or one element of such a list.
struct Below<'r> {
    reader: &'r mut Reader,
    parent: NodeId,
    part: Part,
}

#[derive(Clone, Copy)]
enum Part {
    List,
    /// At this place of the list; counts from 0.
    Element(u32),
}

impl Below<'_> {
    /// It is something else.
    fn complain(self, what: &str) {
        match self.part {
            Part::List => {
                let what = format!("sub_tasks is {what}, expected a list: taken as a leaf");
                self.reader.warn(self.parent, &what);
            }
            Part::Element(place) => {
                let path = self.reader.tree.path(self.parent);
                let what = format!("node {path}/{place}: is {what}, expected an object: left out");
                self.reader.warnings.say(what);
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Below<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Below<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<(), M::Error> {
        let Part::Element(place) = self.part else {
            skip(map)?;
            self.complain("an object");
            return Ok(());
        };
        match self.reader.open(Some(self.parent), place) {
            Some(id) => Body { reader: self.reader, id }.visit_map(map),
            None => skip(map),
        }
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        if matches!(self.part, Part::Element(_)) {
            while seq.next_element::<&RawValue>()?.is_some() {}
            self.complain("a list");
            return Ok(());
        }
        let Self { reader, parent, .. } = self;
        for place in 0.. {
            let element = Below { reader, parent, part: Part::Element(place) };
            if seq.next_element_seed(element)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.complain("null");
        Ok(())
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<(), E> {
        self.complain(&is_true.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.complain(&number.to_string());
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.complain(&number.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.complain(&number.to_string());
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.complain("a string");
        Ok(())
    }
}

pub fn skip<'de, M: MapAccess<'de>>(mut map: M) -> Result<(), M::Error> {
    while map.next_key::<&RawValue>()?.is_some() {
        map.next_value::<&RawValue>()?;
    }
    Ok(())
}
