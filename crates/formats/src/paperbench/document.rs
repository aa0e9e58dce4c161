//! Reads the document around a tree: none, a judge's output, or a result with that output in it.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    PaperReader, field_values,
    node::{self, NodeBody, SeenFields},
};
use crate::{
    json_object::{JsonObject, literal_text},
    tape::JsonTape,
};
use trajview_run::rubric_tree::NodeId;

/// Wrappers within wrappers that are looked into.
const MAX_WRAPPERS: u8 = 4;

impl PaperReader {
    /// Reads the whole text. The error is the place where it stops being JSON; everything before it is kept.
    pub fn read_document(&mut self, text: &str) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        TreeWrapper { reader: self, level: 0 }.deserialize(&mut json)?;
        json.end()
    }

    /// Reads a field of a result beside its tree; other fields are ignored.
    fn read_fact(&mut self, key: &str, written: &str) {
        let result = &mut self.tree.result;
        match key {
            "judge_type" => result.judge = field_values::non_blank_text(written),
            "model_name" => {
                result.model = field_values::non_blank_text(written).or_else(|| result.model.take())
            }
            "completer_config" => {
                let tape = JsonTape::parse(written);
                let config = JsonObject::from_tape(&tape).unwrap_or_default();
                let named = ["model", "model_name"].iter().find_map(|name| config.get(name));
                result.model = named
                    .and_then(|it| field_values::non_blank_text(it.get()))
                    .or_else(|| result.model.take());
            }
            "graded_at" => result.graded_at = field_values::non_blank_text(written),
            "num_leaf_nodes" => result.leaves = field_values::count(written),
            "num_invalid_leaf_nodes" => result.invalid = field_values::count(written),
            "token_usage" => result.tokens = field_values::tokens_by_model(written),
            "paper_id" => result.paper = field_values::non_blank_text(written),
            "run_id" => result.run = field_values::non_blank_text(written),
            "submission_exists" => result.has_submission = field_values::flag(written),
            "code_only" => result.is_code_only = field_values::flag(written),
            _ => {}
        }
    }
}

/// An object that contains a tree somewhere, or is one.
struct TreeWrapper<'r> {
    reader: &'r mut PaperReader,
    level: u8,
}

impl<'de> DeserializeSeed<'de> for TreeWrapper<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeWrapper<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { reader, level } = self;
        let (mut seen, mut score, mut is_node) = (SeenFields::default(), None, false);
        while let Some(key) = map.next_key::<&RawValue>()? {
            match &*literal_text(key.get()).unwrap_or_default() {
                "graded_task_tree" if !reader.has_tree => read_graded_tree(reader, &mut map)?,
                "judge_output" | "paperbench_result" if level < MAX_WRAPPERS => {
                    map.next_value_seed(TreeWrapper { reader, level: level + 1 })?;
                }
                "score" if is_node => {
                    let score: &RawValue = map.next_value()?;
                    reader.read_field(NodeId::default(), "score", score.get(), &mut seen);
                }
                "score" => score = Some(map.next_value::<&RawValue>()?.get()),
                // A tree by itself: its root is the outermost object.
                "sub_tasks" if level == 0 && (is_node || !reader.has_tree) => {
                    (is_node, reader.has_tree) = (true, true);
                    let root = reader.open_root();
                    if let Some(written) = score.take() {
                        reader.read_field(root, "score", written, &mut seen);
                    }
                    node::read_entry(reader, root, key, &mut seen, &mut map)?;
                }
                name if level == 0
                    && node::NODE_KEYS.contains(&name)
                    && (is_node || !reader.has_tree) =>
                {
                    let (name, root) = (name.to_owned(), reader.open_root());
                    let value: &RawValue = map.next_value()?;
                    reader.read_field(root, &name, value.get(), &mut seen);
                }
                name => {
                    let name = name.to_owned();
                    reader.read_fact(&name, map.next_value::<&RawValue>()?.get());
                }
            }
        }
        if is_node {
            reader.close_node(NodeId::default(), &seen);
        } else if let Some(score) = score.and_then(field_values::number) {
            reader.tree.result.score.get_or_insert(score);
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.reader.absent = Some("its judge_output is null".into());
        Ok(())
    }
}

/// Reads the value of `graded_task_tree`.
fn read_graded_tree<'de, M: MapAccess<'de>>(
    reader: &mut PaperReader,
    map: &mut M,
) -> Result<(), M::Error> {
    reader.tree.nodes.clear();
    map.next_value_seed(GradedTree { reader })
}

struct GradedTree<'r> {
    reader: &'r mut PaperReader,
}

impl<'de> DeserializeSeed<'de> for GradedTree<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for GradedTree<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tree")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<(), M::Error> {
        self.reader.has_tree = true;
        let id = self.reader.open_root();
        NodeBody { reader: self.reader, id }.visit_map(map)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.reader.absent = Some("its graded_task_tree is null".into());
        Ok(())
    }
}
