//! `layer` of a turn in `run.json`: the layer between the script and the agent, as text.
//!
//! A layer is a text, an object with `name`, `added`, `restarted` and `why`, or a list of such. The first line names
//! which it was and why; what it put before the request follows.

use crate::json_object::JsonFields;
use serde_json::Value;

/// Returns a text as it is; anything else that is no layer as JSON.
pub fn layers_text(layer: &Value) -> String {
    match layer {
        Value::String(words) => words.clone(),
        Value::Array(layers) => layers.iter().map(layers_text).collect::<Vec<_>>().join("\n\n"),
        Value::Object(_) => one_layer_text(layer).unwrap_or_else(|| layer.to_string()),
        other => other.to_string(),
    }
}

fn one_layer_text(layer: &Value) -> Option<String> {
    let text = |key: &str| layer.text(key).map(str::trim);
    let name = text("name")?;
    let added = text("added").unwrap_or_default();
    let mut parts = vec![];
    parts.extend(text("why").filter(|why| !why.is_empty()).map(str::to_owned));
    parts.push(match added.lines().count() {
        0 => "nothing added".to_owned(),
        1 => "1 line added".to_owned(),
        count => format!("{count} lines added"),
    });
    if layer.flag("restarted") == Some(true) {
        let reason = text("reason").map(|why| format!(": {why}")).unwrap_or_default();
        parts.push(format!("a new session{reason}"));
    }
    match layer.number("given") {
        None | Some(0) => {}
        Some(1) => parts.push("asked once while the agent worked".to_owned()),
        Some(count) => parts.push(format!("asked {count} times while the agent worked")),
    }
    let head = format!("{name}: {}", parts.join("; "));
    Some(if added.is_empty() { head } else { format!("{head}\n\n{added}") })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::layers_text;

    #[test]
    fn a_layer_is_told_in_words_whatever_it_is() {
        let notes = json!({"name": "notes", "added": "Mind\nthe gap.", "restarted": true, "why": "the notes"});
        assert_eq!(layers_text(&json!("as it is")), "as it is");
        assert_eq!(
            layers_text(&notes),
            "notes: the notes; 2 lines added; a new session\n\nMind\nthe gap."
        );
        assert_eq!(
            layers_text(&json!([{"name": "a", "given": 2}, {"name": "b", "why": "x"}])),
            "a: nothing added; asked 2 times while the agent worked\n\nb: x; nothing added"
        );
        assert_eq!(layers_text(&json!({"other": 1})), r#"{"other":1}"#);
        assert_eq!(layers_text(&json!(3)), "3");
    }
}
