//! What stands around a tree: nothing, a judge's output, or a result with that output in it.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    Reader,
    node::{self, Body, Seen},
    value,
};
use crate::json::Object;
use trajview_run::rubric_tree::NodeId;

/// Wrappers within wrappers that are looked into.
const MOST_WRAPPED: u8 = 4;

impl Reader {
    /// Reads the whole text. The error says where it stops being JSON; what was read until there stays.
    pub fn document(&mut self, text: &str) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        Wrapper { reader: self, level: 0 }.deserialize(&mut json)?;
        json.end()
    }

    /// What a result says beside its tree; other fields are left alone.
    fn fact(&mut self, key: &str, raw: &RawValue) {
        let result = &mut self.tree.result;
        match key {
            "judge_type" => result.judge = value::words(raw),
            "model_name" => result.model = value::words(raw).or_else(|| result.model.take()),
            "completer_config" => {
                let config = Object::of(raw).unwrap_or_default();
                let named = ["model", "model_name"].iter().find_map(|name| config.get(name));
                result.model = named.and_then(value::words).or_else(|| result.model.take());
            }
            "graded_at" => result.graded_at = value::words(raw),
            "num_leaf_nodes" => result.leaves = value::count(raw),
            "num_invalid_leaf_nodes" => result.invalid = value::count(raw),
            "token_usage" => result.tokens = value::tokens(raw),
            "paper_id" => result.paper = value::words(raw),
            "run_id" => result.run = value::words(raw),
            "submission_exists" => result.has_submission = value::flag(raw),
            "code_only" => result.is_code_only = value::flag(raw),
            _ => {}
        }
    }
}

/// An object that holds a tree somewhere, or is one.
struct Wrapper<'r> {
    reader: &'r mut Reader,
    level: u8,
}

impl<'de> DeserializeSeed<'de> for Wrapper<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Wrapper<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { reader, level } = self;
        let (mut seen, mut score, mut is_node) = (Seen::default(), None, false);
        while let Some(key) = map.next_key::<&RawValue>()? {
            match &*value::text(key).unwrap_or_default() {
                "graded_task_tree" if !reader.has_tree => tree(reader, &mut map)?,
                "judge_output" | "paperbench_result" if level < MOST_WRAPPED => {
                    map.next_value_seed(Wrapper { reader, level: level + 1 })?;
                }
                "score" if is_node => {
                    reader.field(NodeId::default(), "score", map.next_value()?, &mut seen);
                }
                "score" => score = Some(map.next_value::<&RawValue>()?),
                // A tree that stands by itself: its root is the outermost object.
                "sub_tasks" if level == 0 && (is_node || !reader.has_tree) => {
                    (is_node, reader.has_tree) = (true, true);
                    let root = reader.open_root();
                    if let Some(raw) = score.take() {
                        reader.field(root, "score", raw, &mut seen);
                    }
                    node::entry(reader, root, key, &mut seen, &mut map)?;
                }
                name if level == 0
                    && node::OWN.contains(&name)
                    && (is_node || !reader.has_tree) =>
                {
                    let (name, root) = (name.to_owned(), reader.open_root());
                    reader.field(root, &name, map.next_value()?, &mut seen);
                }
                name => {
                    let name = name.to_owned();
                    reader.fact(&name, map.next_value()?);
                }
            }
        }
        if is_node {
            reader.close(NodeId::default(), &seen);
        } else if let Some(score) = score.and_then(value::number) {
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
fn tree<'de, M: MapAccess<'de>>(reader: &mut Reader, map: &mut M) -> Result<(), M::Error> {
    reader.tree.nodes.clear();
    map.next_value_seed(Tree { reader })
}

struct Tree<'r> {
    reader: &'r mut Reader,
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tree")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<(), M::Error> {
        self.reader.has_tree = true;
        let id = self.reader.open_root();
        Body { reader: self.reader, id }.visit_map(map)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.reader.absent = Some("its graded_task_tree is null".into());
        Ok(())
    }
}
