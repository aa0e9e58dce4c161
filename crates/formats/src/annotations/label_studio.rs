//! Tasks of Label Studio: one for each item of a run, whose `data` names both, with annotations of people and predictions
//! of judges. The score is the choice `score`, a note the text area `note`; [`labelling_config`] is the labelling
//! interface for it.
//!
//! Read from its JSON export; a choice is a level's number, its name, or both, a rating or a number is the score.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::json_object::JsonFields;
use crate::not_finite;

use super::{AnnotatedState, Annotation, AnnotationAnswer, AnnotationFile, AnnotationSource};

/// Returns the interface that shows our tasks, to be put in a project's settings; the choices are those of the scale.
pub fn labelling_config<'a>(levels: impl IntoIterator<Item = &'a str>) -> String {
    let escaped =
        |word: &str| word.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let choice = |word: &str| format!("    <Choice value=\"{}\"/>\n", escaped(word));
    let choices: String = levels.into_iter().map(choice).collect();
    format!(
        "<View>\n  <Header value=\"$component\"/>\n  <Text name=\"text\" value=\"$text\"/>\n  \
         <Choices name=\"score\" toName=\"text\" choice=\"single\" required=\"true\">\n{choices}  </Choices>\n  \
         <TextArea name=\"note\" toName=\"text\" maxSubmissions=\"1\"/>\n</View>\n"
    )
}

pub fn is_export(text: &str) -> bool {
    let tasks: Option<Vec<Value>> = serde_json::from_str(&not_finite::readable_json(text)).ok();
    tasks.is_some_and(|tasks| tasks.iter().any(|it| it.get("data").is_some_and(Value::is_object)))
}

pub fn read_tasks(text: &str) -> AnnotationFile {
    let tasks: Vec<Value> = match serde_json::from_str(&not_finite::readable_json(text)) {
        Ok(tasks) => tasks,
        Err(why) => {
            return AnnotationFile {
                wrong: vec![format!("is not a list of tasks: {why}")],
                ..AnnotationFile::default()
            };
        }
    };
    let mut read = AnnotationFile::default();
    for (number, task) in (1..).zip(&tasks) {
        let number = task.number("id").unwrap_or(number);
        let place = format!("task {number}");
        let data = task.object("data");
        let text = |name: &str| {
            let text = data?.text(name)?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let (Some(run), Some(item)) = (text("run"), text("component")) else {
            read.wrong.push(format!("{place}: its data names no run and component"));
            continue;
        };
        let about = Annotation {
            run,
            item,
            state: data.map(AnnotatedState::from_metadata).unwrap_or_default(),
            ..Annotation::default()
        };
        for (source, list, word) in [
            (AnnotationSource::Human, "annotations", "annotation"),
            (AnnotationSource::Judge, "predictions", "prediction"),
        ] {
            for (inner, entry) in (1..).zip(task.elements_of(list)) {
                let place = format!("{place}, {word} {inner}");
                let is_skipped = entry.flag("was_cancelled") == Some(true);
                if is_skipped {
                    continue;
                }
                match read_annotation(entry, source) {
                    Ok(found) => read.annotations.push(Annotation {
                        place,
                        run: about.run.clone(),
                        item: about.item.clone(),
                        state: AnnotatedState { ..found.state.or_else_from(&about.state) },
                        ..found
                    }),
                    Err(why) => read.wrong.push(format!("{place}: {why}")),
                }
            }
        }
    }
    read
}

impl AnnotatedState {
    /// Takes from `other` every value that is missing here.
    fn or_else_from(&self, other: &Self) -> Self {
        let text = |a: &Option<String>, b: &Option<String>| a.clone().or_else(|| b.clone());
        Self {
            commit: text(&self.commit, &other.commit),
            turn: self.turn.or(other.turn),
            judgement: text(&self.judgement, &other.judgement),
            blind: self.blind.or(other.blind),
            reason: text(&self.reason, &other.reason),
            model: text(&self.model, &other.model),
        }
    }
}

/// Reads one annotation or prediction, without the facts of its task.
fn read_annotation(entry: &Value, source: AnnotationSource) -> Result<Annotation, String> {
    let results = entry.list("result").ok_or("has no result")?;
    let mut answer = None;
    let mut note = None;
    for result in results {
        let value = result.object("value");
        let first = |name: &str| match value?.get(name)? {
            Value::Array(list) => list.first(),
            other => Some(other),
        };
        match result.text("type") {
            Some("choices") => {
                answer = answer.or(first("choices").and_then(AnnotationAnswer::from_json))
            }
            Some("rating") => {
                answer = answer.or(first("rating").and_then(AnnotationAnswer::from_json))
            }
            Some("number") => {
                answer = answer.or(first("number").and_then(AnnotationAnswer::from_json))
            }
            Some("textarea") => {
                note = note.or(first("text").and_then(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    let meta = entry.object("meta");
    let by = match source {
        AnnotationSource::Human => completed_by(entry),
        AnnotationSource::Judge => entry.text("model_version").map(str::to_owned),
    };
    let at = entry.text("created_at").map(str::to_owned);
    let state = meta.map(AnnotatedState::from_metadata).unwrap_or_default();
    let answer = answer.ok_or("has no choice, rating or number")?;
    Ok(Annotation { by, source, answer, note, state, at, ..Annotation::default() })
}

/// Returns the person who completed an annotation: an address, a name, or the number of a user.
fn completed_by(entry: &Value) -> Option<String> {
    match entry.get("completed_by")? {
        Value::Object(user) => {
            let names = ["email", "username", "first_name"].into_iter();
            let name = names.filter_map(|name| user.text(name)).find(|it| !it.is_empty());
            name.map(str::to_owned).or_else(|| user.get("id").map(Value::to_string))
        }
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(id) => Some(format!("user {id}")),
        _ => None,
    }
}

/// Returns a task for each item of each state of a run, in the order in which they are first named.
pub fn write_tasks(annotations: &[Annotation]) -> String {
    let mut order: BTreeMap<(&str, &str, Option<&str>), usize> = BTreeMap::new();
    let mut tasks: Vec<Map<String, Value>> = vec![];
    for it in annotations {
        let key = (it.run.as_str(), it.item.as_str(), it.state.commit.as_deref());
        let at = *order.entry(key).or_insert_with(|| {
            tasks.push(new_task(it, tasks.len() + 1));
            tasks.len() - 1
        });
        let list = if it.source == AnnotationSource::Human { "annotations" } else { "predictions" };
        let entries = tasks[at].get_mut(list).and_then(Value::as_array_mut);
        entries.into_iter().for_each(|entries| entries.push(annotation_entry(it)));
    }
    let tasks: Vec<Value> = tasks.into_iter().map(Value::Object).collect();
    format!("{:#}\n", Value::Array(tasks))
}

fn new_task(it: &Annotation, id: usize) -> Map<String, Value> {
    let mut data = Map::from_iter([
        ("run".to_owned(), json!(it.run)),
        ("component".to_owned(), json!(it.item)),
        ("text".to_owned(), json!(if it.title.is_empty() { &it.item } else { &it.title })),
    ]);
    let mut state = it.state.metadata();
    state.retain(|name, _| ["commit", "turn"].contains(&name.as_str()));
    data.extend(state);
    Map::from_iter([
        ("id".to_owned(), json!(id)),
        ("data".to_owned(), Value::Object(data)),
        ("annotations".to_owned(), json!([])),
        ("predictions".to_owned(), json!([])),
    ])
}

fn annotation_entry(it: &Annotation) -> Value {
    let mut results = vec![json!({
        "from_name": "score", "to_name": "text", "type": "choices",
        "value": { "choices": [it.answer.choice_text()] },
    })];
    results.extend(it.note.as_ref().map(|note| {
        json!({
            "from_name": "note", "to_name": "text", "type": "textarea",
            "value": { "text": [note] },
        })
    }));
    let mut meta = it.state.metadata();
    meta.retain(|name, _| !["commit", "turn"].contains(&name.as_str()));
    let mut entry = Map::from_iter([("result".to_owned(), json!(results))]);
    if !meta.is_empty() {
        entry.insert("meta".into(), Value::Object(meta));
    }
    entry.extend(it.at.as_ref().map(|at| ("created_at".to_owned(), json!(at))));
    let by = it.by.as_deref().unwrap_or_default();
    match it.source {
        AnnotationSource::Human => {
            entry.insert("completed_by".into(), json!({ "email": by }));
            entry.insert("was_cancelled".into(), json!(false));
        }
        AnnotationSource::Judge => {
            entry.insert("model_version".into(), json!(by));
        }
    }
    Value::Object(entry)
}
