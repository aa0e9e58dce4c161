//! Nodes as they come: one pass over the text, each node put behind the one before, and no deeper than is safe.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{PaperReader, field_values};
use crate::{
    json_object::{JsonObject, literal_text},
    tape::JsonTape,
};
use trajview_run::rubric_tree::{GradeAnswer, LeafCategory, NodeId, RubricNode};

/// Deeper nodes are left out. Rubrics have 9 levels; serde_json ends at 128, two for each of ours.
const MAX_DEPTH: u16 = 50;

/// The most nodes that are read; the largest rubric has 2,551.
const MAX_NODES: usize = 200_000;

/// Larger weights could add up to no number at all.
const MAX_WEIGHT: f64 = 1e15;

/// The fields of a node but its score, which a result has too, and its sub-tasks.
pub const NODE_KEYS: [&str; 8] = [
    "id",
    "requirements",
    "weight",
    "task_category",
    "finegrained_task_category",
    "valid_score",
    "explanation",
    "judge_metadata",
];

/// The fields that a node has had.
#[derive(Debug, Default)]
pub struct SeenFields {
    id: bool,
    requirements: bool,
    weight: bool,
    sub_tasks: bool,
}

impl PaperReader {
    /// Puts a node behind the others. None where there are too many already.
    fn open_node(&mut self, parent: Option<NodeId>, place: u32) -> Option<NodeId> {
        if self.tree.nodes.len() >= MAX_NODES {
            if !self.has_too_many {
                self.warnings
                    .add_warning(format!("more than {MAX_NODES} nodes; the rest is left out"));
                self.has_too_many = true;
            }
            return None;
        }
        let depth =
            parent.and_then(|parent| self.tree.node(parent)).map_or(0, |above| above.depth + 1);
        let id = NodeId::from_position(self.tree.nodes.len());
        self.tree.nodes.push(RubricNode { parent, place, depth, ..RubricNode::default() });
        Some(id)
    }

    /// Returns the root; adds it where there is none.
    pub fn open_root(&mut self) -> NodeId {
        if self.tree.nodes.is_empty() {
            self.open_node(None, 0);
        }
        NodeId::default()
    }

    /// Closes a node that has been read whole.
    pub fn close_node(&mut self, id: NodeId, seen: &SeenFields) {
        let end = self.tree.nodes.len() as u32;
        if let Some(node) = self.tree.nodes.get_mut(id.position()) {
            node.end = end;
        }
        let missing = [
            (seen.id, "has no id"),
            (seen.requirements, "does not say what it requires"),
            // The root's weight counts nowhere.
            (seen.weight || id == NodeId::default(), "has no weight and counts nothing"),
            (seen.sub_tasks, "has no list of sub_tasks: read as a leaf"),
        ];
        for (is_there, what) in missing {
            if !is_there {
                self.warn_of_node(id, what);
            }
        }
    }

    /// Reads one field of a node but its sub-tasks; other fields are ignored.
    pub fn read_field(&mut self, id: NodeId, key: &str, written: &str, seen: &mut SeenFields) {
        match key {
            "id" => {
                seen.id = true;
                let words = self.read_string(id, "id", written);
                self.change_node(id, |node| node.id = words);
            }
            "requirements" => {
                seen.requirements = true;
                let words = self.read_string(id, "requirements", written);
                self.change_node(id, |node| node.requirements = words);
            }
            "weight" => {
                seen.weight = true;
                let weight = self.read_weight(id, written);
                self.change_node(id, |node| node.weight = weight);
            }
            "task_category" => {
                let category = self
                    .read_optional_string(id, key, written)
                    .map(|words| LeafCategory::from_file_text(&words));
                self.change_node(id, |node| node.category = category);
            }
            "finegrained_task_category" => {
                let words = self.read_optional_string(id, key, written);
                self.change_node(id, |node| node.finegrained = words);
            }
            "score" => {
                let score = self.read_score(id, written);
                self.change_node(id, |node| node.score = score);
            }
            "valid_score" => {
                let is_valid = field_values::flag(written);
                if is_valid.is_none() && !field_values::is_null(written) {
                    self.warn_of_type(id, key, written, "true or false");
                }
                self.change_node(id, |node| node.is_valid = is_valid);
            }
            "explanation" => {
                let words = self.read_optional_string(id, key, written).unwrap_or_default();
                self.change_node(id, |node| node.explanation = words);
            }
            "judge_metadata" => {
                let answer = self.read_answer(id, written);
                self.change_node(id, |node| node.answer = answer);
            }
            _ => {}
        }
    }

    fn change_node(&mut self, id: NodeId, change: impl FnOnce(&mut RubricNode)) {
        if let Some(node) = self.tree.nodes.get_mut(id.position()) {
            change(node);
        }
    }

    fn warn_of_type(&mut self, id: NodeId, key: &str, written: &str, expected: &str) {
        let what =
            format!("{key} is {}, expected {expected}", field_values::value_description(written));
        self.warn_of_node(id, &what);
    }

    fn read_string(&mut self, id: NodeId, key: &str, written: &str) -> Box<str> {
        match literal_text(written) {
            Some(words) => words.into(),
            None => {
                self.warn_of_type(id, key, written, "a string");
                Box::default()
            }
        }
    }

    /// Returns a string that is not blank, else None. Adds a warning for a value that is neither a string nor null.
    fn read_optional_string(&mut self, id: NodeId, key: &str, written: &str) -> Option<Box<str>> {
        if literal_text(written).is_none() && !field_values::is_null(written) {
            self.warn_of_type(id, key, written, "a string or null");
        }
        field_values::non_blank_text(written)
    }

    fn read_weight(&mut self, id: NodeId, written: &str) -> f64 {
        let weight =
            field_values::number(written).filter(|weight| (0.0..=MAX_WEIGHT).contains(weight));
        weight.unwrap_or_else(|| {
            let what = format!(
                "weight is {}, expected a number 0 or more: it counts nothing",
                field_values::value_description(written)
            );
            self.warn_of_node(id, &what);
            0.0
        })
    }

    fn read_score(&mut self, id: NodeId, written: &str) -> Option<f64> {
        let score = field_values::number(written).filter(|score| (0.0..=1.0).contains(score));
        if score.is_none() && !field_values::is_null(written) {
            let what = format!(
                "score is {}, expected a number from 0 to 1: it counts as 0 and as invalid",
                field_values::value_description(written)
            );
            self.scoreless.insert(id);
            self.warn_of_node(id, &what);
        }
        score
    }

    /// Returns the answer of the judge; None for null and an empty string. Adds a warning for another value that is no
    /// object.
    fn read_answer(&mut self, id: NodeId, written: &str) -> Option<Box<GradeAnswer>> {
        let tape = JsonTape::parse(written);
        let Some(fields) = JsonObject::from_tape(&tape) else {
            if !field_values::is_null(written) && written != "\"\"" {
                self.warn_of_type(
                    id,
                    "judge_metadata",
                    written,
                    "an object, null or an empty string",
                );
            }
            return None;
        };
        let response = fields.text("full_judge_response").filter(|text| !text.trim().is_empty());
        let tokens = fields.get("token_usage").map(|it| field_values::tokens_by_model(it.get()));
        let answer = GradeAnswer {
            response: response.unwrap_or_default().into(),
            tokens: tokens.unwrap_or_default(),
        };
        (answer != GradeAnswer::default()).then(|| Box::new(answer))
    }
}

/// Reads the object of a node that is open.
pub struct NodeBody<'r> {
    pub reader: &'r mut PaperReader,
    pub id: NodeId,
}

impl<'de> DeserializeSeed<'de> for NodeBody<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NodeBody<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { reader, id } = self;
        let mut seen = SeenFields::default();
        while let Some(key) = map.next_key::<&RawValue>()? {
            read_entry(reader, id, key, &mut seen, &mut map)?;
        }
        reader.close_node(id, &seen);
        Ok(())
    }
}

/// Reads one entry of a node's object into the tree.
pub fn read_entry<'de, M: MapAccess<'de>>(
    reader: &mut PaperReader,
    id: NodeId,
    key: &RawValue,
    seen: &mut SeenFields,
    map: &mut M,
) -> Result<(), M::Error> {
    let key = literal_text(key.get()).unwrap_or_default();
    if key != "sub_tasks" {
        reader.read_field(id, &key, map.next_value::<&RawValue>()?.get(), seen);
        return Ok(());
    }
    let is_first = !std::mem::replace(&mut seen.sub_tasks, true);
    let depth = reader.tree.node(id).map_or(0, |node| node.depth);
    if is_first && depth < MAX_DEPTH {
        return map.next_value_seed(SubTasks { reader, parent: id, part: SubTaskPart::List });
    }
    let raw: &RawValue = map.next_value()?;
    if !is_first {
        reader.warn_of_node(id, "has more than one list of sub_tasks; the first counts");
    } else if raw.get().trim_start_matches(['[', ' ', '\n', '\t', '\r']) != "]" {
        let what = format!("is {MAX_DEPTH} levels deep; its sub-tasks are omitted");
        reader.warn_of_node(id, &what);
    }
    Ok(())
}

/// Reads what should be a list of sub-tasks, or one element of such a list.
struct SubTasks<'r> {
    reader: &'r mut PaperReader,
    parent: NodeId,
    part: SubTaskPart,
}

#[derive(Clone, Copy)]
enum SubTaskPart {
    List,
    /// The element at this place of the list; counts from 0.
    Element(u32),
}

impl SubTasks<'_> {
    /// Warns that the value has another type.
    fn warn_of_part(self, what: &str) {
        match self.part {
            SubTaskPart::List => {
                let what = format!("sub_tasks is {what}, expected a list: taken as a leaf");
                self.reader.warn_of_node(self.parent, &what);
            }
            SubTaskPart::Element(place) => {
                let path = self.reader.tree.node_path(self.parent);
                let what = format!("node {path}/{place}: is {what}, expected an object: left out");
                self.reader.warnings.add_warning(what);
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for SubTasks<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SubTasks<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<(), M::Error> {
        let SubTaskPart::Element(place) = self.part else {
            skip_map(map)?;
            self.warn_of_part("an object");
            return Ok(());
        };
        match self.reader.open_node(Some(self.parent), place) {
            Some(id) => NodeBody { reader: self.reader, id }.visit_map(map),
            None => skip_map(map),
        }
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        if matches!(self.part, SubTaskPart::Element(_)) {
            while seq.next_element::<&RawValue>()?.is_some() {}
            self.warn_of_part("a list");
            return Ok(());
        }
        let Self { reader, parent, .. } = self;
        for place in 0.. {
            let element = SubTasks { reader, parent, part: SubTaskPart::Element(place) };
            if seq.next_element_seed(element)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.warn_of_part("null");
        Ok(())
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<(), E> {
        self.warn_of_part(&is_true.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.warn_of_part(&number.to_string());
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.warn_of_part(&number.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.warn_of_part(&number.to_string());
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.warn_of_part("a string");
        Ok(())
    }
}

pub fn skip_map<'de, M: MapAccess<'de>>(mut map: M) -> Result<(), M::Error> {
    while map.next_key::<&RawValue>()?.is_some() {
        map.next_value::<&RawValue>()?;
    }
    Ok(())
}
