//! A run with twelve components, one function each, and judges that are scripted: one sound, one that believes comments, one
//! that does not see deletions.

use std::fs;

use serde_json::{Value, json};

use super::{
    judge_desk::Desk,
    judge_server::{Asked, Say},
};

pub const COMPONENTS: usize = 12;

/// Puts the run in the place of the desk's own.
pub fn lay_run(desk: &Desk) {
    let run = desk.run();
    fs::remove_dir_all(&run).unwrap();
    fs::create_dir_all(run.join("session")).unwrap();
    fs::write(run.join("run.json"), r#"{"schema": "trajview.run/1", "id": "terms"}"#).unwrap();
    let line = |role: &str, content: Value, uuid: &str| {
        json!({"parentUuid": null, "isSidechain": false, "sessionId": "s", "cwd": "/w", "type": role, "uuid": uuid,
            "message": {"role": role, "content": content}})
        .to_string()
    };
    let write = |id: &str, name: &str, text: &str| {
        let call = json!([{"type": "tool_use", "id": id, "name": "Write",
            "input": {"file_path": format!("/w/{name}"), "content": text}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "File created"}]);
        [line("assistant", call, &format!("a{id}")), line("user", result, &format!("u{id}"))]
    };
    let mut lines = vec![line("user", json!("Write the terms."), "u0")];
    lines.extend(write("t1", "model.py", &model_text()));
    lines.push(line("assistant", json!([{"type": "text", "text": "Done."}]), "a9"));
    fs::write(run.join("session/s.jsonl"), lines.join("\n") + "\n").unwrap();
    let component = |number: usize| {
        json!({"id": format!("C{number:02}"), "name": format!("Term {number} (`term_{number:02}`)"),
            "intent": format!("Computes term {number} of the sum."), "formula": format!("2 left + right - {}", 100 + number)})
    };
    let components: Vec<Value> = (1..=COMPONENTS).map(component).collect();
    let list = json!({"schema": "trajview.components/1", "components": components});
    fs::write(run.join("components.json"), list.to_string()).unwrap();
}

fn model_text() -> String {
    let mut text = String::from("\"\"\"The terms.\"\"\"\n\n\n");
    for number in 1..=COMPONENTS {
        text += &format!(
            "def term_{number:02}(left, right):\n    \"\"\"Term {number}.\"\"\"\n    doubled = left * 2\n    total = doubled + right\n    return total - {}\n\n\n",
            100 + number
        );
    }
    text += "def everything(left, right):\n    parts = []\n";
    for number in 1..=COMPONENTS {
        text += &format!("    parts.append(term_{number:02}(left, right))\n");
    }
    text + "    return sum(parts)\n"
}

/// What a scripted judge gets wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// It adds a level for a comment that claims faithfulness.
    BelievesComments,
    /// It does not see that a component is gone.
    MissesDeletions,
}

/// A judge that looks for the formula, the calls and the comment of a component, and decides by what is there.
pub fn answer(asked: &Asked, fault: Fault) -> Say {
    let number: usize = asked.component.trim_start_matches('C').parse().unwrap();
    let [formula, uses, claim] = asked.results.as_slice() else {
        let search = |pattern: String| ("search", json!({"pattern": pattern}));
        return Say::Calls(vec![
            search(format!("total - {}\\b", 100 + number)),
            search(format!("term_{number:02}\\(")),
            search("exactly as specified".into()),
        ]);
    };
    let hits = |text: &str| text.lines().filter(|line| line.contains(".py:")).count();
    let (formula_hits, use_hits) = (hits(formula), hits(uses));
    let usual = 1 + number % 3;
    let is_whole = formula_hits >= 1 && use_hits >= 2;
    let is_deleted = !uses.contains("def ");
    let level = match fault {
        Fault::BelievesComments if is_whole && hits(claim) > 0 => usual + 1,
        Fault::MissesDeletions if is_deleted => usual,
        _ if is_whole => usual,
        _ => 0,
    };
    let place = formula.lines().find_map(|line| {
        let (path, rest) = line.split_once(".py:")?;
        let (line, text) = rest.split_once(':')?;
        let line: usize = line.parse().ok()?;
        Some(json!({"path": format!("{path}.py"), "start": line, "end": line, "lines": format!("{line}-{line}"), "quote": text.trim()}))
    });
    let evidence: Vec<Value> = place.into_iter().collect();
    Say::Text(json!({"evidence": evidence, "rationale": format!("{} was looked at.", asked.component), "level": level}).to_string())
}
