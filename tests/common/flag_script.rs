//! A judge that flags what a script has, checkpoint by checkpoint.

use std::{collections::HashMap, sync::Mutex};

use serde_json::{Value, json};
use trajview::run::flags::Flagging;

use super::{
    judge_desk::Desk,
    judge_server::{Asked, Say, Server},
};

/// What the judge flags in which checkpoint (counts from 1): criterion and the definition it stands on.
pub const SCRIPT: [(usize, &str, &str, &str); 6] = [
    (1, "reinvented-helper", "ppdiff/data.py", "Complex"),
    (3, "copied-logic", "ppdiff/nn.py", "silu"),
    (6, "rival-versions", "ppdiff/train.py", "training_loss"),
    (8, "copied-logic", "ppdiff/nn.py", "silu"),
    (8, "rival-versions", "ppdiff/train.py", "training_loss"),
    (9, "scattered-constant", "ppdiff/__main__.py", "main"),
];

/// Counts the conversations of each group, which are the checkpoints where all of them are judged in order.
#[derive(Default)]
pub struct Sittings(pub Mutex<HashMap<String, usize>>);

impl Sittings {
    pub fn of(&self, asked: &Asked) -> usize {
        let is_first = asked.results.is_empty() && !is_second_chance(asked);
        let mut known = self.0.lock().unwrap();
        let number = known.entry(asked.component.clone()).or_default();
        *number += usize::from(is_first);
        *number
    }
}

pub fn is_second_chance(asked: &Asked) -> bool {
    asked.body.to_string().contains("Those were no flags")
}

pub fn reply_flags(entries: Vec<Value>) -> Say {
    Say::Calls(vec![("flags", json!({"flags": entries}))])
}

pub fn flag_entry(criterion: &str, path: &str, (start, end): (usize, usize)) -> Value {
    json!({"criterion": criterion, "path": path, "start": start, "end": end, "confidence": 4,
        "explanation": format!("{criterion} stands here.")})
}

/// The lines of a definition, as the tool told them.
pub fn lines_of(asked: &Asked, path: &str, name: &str) -> Option<(usize, usize)> {
    let told = asked.results.iter().flat_map(|result| result.lines());
    let mut found = told.filter_map(|line| {
        let (lines, named) = line.strip_prefix(path)?.strip_prefix(':')?.split_once(' ')?;
        let (start, end) = lines.split_once('-')?;
        let is_it = named.split(' ').any(|word| word == name);
        is_it.then_some((start.parse().ok()?, end.parse().ok()?))
    });
    found.next()
}

pub fn scripted_reply(asked: &Asked, checkpoint: usize) -> Say {
    match (asked.component.as_str(), checkpoint) {
        // Garbage once, and garbage twice.
        ("shape", 2) if !is_second_chance(asked) => Say::Text("It is all fine.".into()),
        ("shape", 2) => Say::Text(
            json!({"flags": [flag_entry("misleading-name", "ppdiff/geometry.py", (5, 6))]})
                .to_string(),
        ),
        ("shape", 4) => Say::Text("{\"flags\": \"none\"}".into()),
        ("shape", _) => reply_flags(vec![]),
        (_, _) if asked.results.is_empty() => {
            Say::Calls(vec![("symbols", json!({"path": "ppdiff"}))])
        }
        (_, checkpoint) => {
            let here = SCRIPT.iter().filter(|(at, ..)| *at == checkpoint);
            let mut found: Vec<Value> = here
                .filter_map(|(_, criterion, path, name)| {
                    Some(flag_entry(criterion, path, lines_of(asked, path, name)?))
                })
                .collect();
            if checkpoint == 6 {
                found.push(flag_entry("copied-logic", "ppdiff/train.py", (1, 9999)));
                found.push(flag_entry("copied-logic", "no/such.py", (1, 2)));
            }
            reply_flags(found)
        }
    }
}

pub fn scripted_server() -> Server {
    let sittings = Sittings::default();
    Server::new(move |asked| scripted_reply(asked, sittings.of(asked)))
}

/// `copied-logic ppdiff/nn.py:6-7 c3`: those of one file, with the state that found them.
pub fn flag_texts(flagging: &Flagging) -> Vec<String> {
    let one = |it: &trajview::run::flags::Flag| {
        let (start, end) = (it.start.unwrap(), it.end.unwrap());
        let from = it.carried_from.as_deref().unwrap_or("new");
        format!("{} {}:{start}-{end} {from}", it.criterion, it.path)
    };
    flagging.flags.iter().map(one).collect()
}

pub fn read_flaggings(desk: &Desk) -> Vec<Flagging> {
    let read = trajview::store::rubric::read_beside(&desk.run());
    assert_eq!(read.warnings, []);
    assert_eq!(read.judgements, []);
    read.flaggings
}
