//! Reads plans from texts, and compares the planned order with the order of execution.

use std::collections::HashSet;
use trajview_formats::JsonFields;

/// One item of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanItem {
    pub text: String,
    /// True where the plan itself marks the item as done.
    pub is_done: bool,
}

/// Returns the items that a text lists, in order: the items of a plan tool's arguments (JSON), else numbered or ticked
/// lines, `- [ ] ...` or `1. ...`. Empty for a text that lists fewer than two things.
pub(crate) fn plan_items(text: &str) -> Vec<PlanItem> {
    let items = items_in_json(text).unwrap_or_else(|| items_in_lines(text));
    if items.len() < 2 { vec![] } else { items }
}

const LISTS: [&str; 5] = ["plan", "todos", "todo_list", "items", "tasks"];
const TEXTS: [&str; 6] = ["step", "content", "title", "description", "text", "task"];

/// Reads the items of a plan tool's arguments; None where the text is no such JSON.
fn items_in_json(text: &str) -> Option<Vec<PlanItem>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let list = match &value {
        serde_json::Value::Array(list) => list,
        value => LISTS.iter().find_map(|key| value.list(key))?,
    };
    let item = |value: &serde_json::Value| {
        let text = value.as_str().or_else(|| TEXTS.iter().find_map(|key| value.text(key)));
        let status = value.get("status").and_then(|status| status.as_str()).unwrap_or_default();
        let is_done = matches!(status, "completed" | "done" | "complete");
        text.map(|text| PlanItem { text: text.to_owned(), is_done })
    };
    Some(list.iter().filter_map(item).collect())
}

/// The most lines that are read; a plan is short.
const MAX_LINES: usize = 2_000;

/// Reads numbered and ticked lines.
fn items_in_lines(text: &str) -> Vec<PlanItem> {
    let mut items = vec![];
    for line in text.lines().take(MAX_LINES) {
        // The lines of a patch begin with a sign.
        let line = line.strip_prefix('+').unwrap_or(line).trim();
        let numbered = line.split_once(['.', ')']).filter(|(number, _)| {
            !number.is_empty() && number.len() < 3 && number.bytes().all(|it| it.is_ascii_digit())
        });
        // `[ ]` open, `[x]` done, `[~]` under way.
        let box_of = |line: &'_ str| {
            let mut inside = line.strip_prefix("- [").or_else(|| line.strip_prefix("* ["))?.chars();
            let tick = inside.next()?;
            Some((tick, inside.as_str().strip_prefix("] ")?.to_owned()))
        };
        let ticked = box_of(line);
        let (text, is_done) = match (numbered, &ticked) {
            (_, Some((tick, rest))) => (rest.as_str(), matches!(tick, 'x' | 'X')),
            (Some((_, rest)), None) if rest.starts_with(' ') => (rest, false),
            _ => continue,
        };
        items.push(PlanItem { text: text.trim().to_owned(), is_done });
    }
    items
}

/// The fewest non-blank characters of a plan (RigorBench, section 4.3).
pub(crate) const MIN_PLAN_CHARS: usize = 50;

/// Keys of a call's arguments whose values are no text of a plan.
const NO_WORDS: [&str; 14] = [
    "file",
    "path",
    "file_path",
    "filepath",
    "filename",
    "targetfile",
    "target_file",
    "absolutepath",
    "status",
    "id",
    "priority",
    "command",
    "activeform",
    "todo_id",
];

/// Returns the text of a plan: the values in the arguments of a call (JSON) other than paths and states, the added
/// lines of a patch, else the text. None where nothing is left, as for a call that is recorded without its text.
pub fn plan_text(line: &str) -> Option<String> {
    let is_json = line.trim_start().starts_with(['{', '[']);
    let value = is_json.then(|| serde_json::from_str::<serde_json::Value>(line).ok()).flatten();
    let words = match value {
        Some(value) => {
            let (mut words, mut open) = (vec![], vec![&value]);
            while let Some(value) = open.pop() {
                match value {
                    serde_json::Value::String(text) => words.push(text.as_str()),
                    serde_json::Value::Array(list) => open.extend(list.iter().rev()),
                    serde_json::Value::Object(map) => {
                        let is_told = |(key, _): &(&String, _)| {
                            !NO_WORDS.contains(&key.to_lowercase().as_str())
                        };
                        open.extend(map.iter().filter(is_told).map(|(_, value)| value));
                    }
                    _ => {}
                }
            }
            words.join("\n")
        }
        None => line.lines().filter_map(added_line).collect::<Vec<_>>().join("\n"),
    };
    Some(words).filter(|words| !words.trim().is_empty())
}

/// Returns a line without the sign of a patch; None for lines that a patch removes and for its headers.
fn added_line(line: &str) -> Option<&str> {
    let is_head =
        ["*** ", "--- ", "+++ ", "@@", "diff --git "].iter().any(|it| line.starts_with(it));
    let is_taken = line.starts_with('-') && !line.starts_with("- ");
    (!is_head && !is_taken).then(|| line.strip_prefix('+').unwrap_or(line))
}

/// Returns whether a text is a plan: it has [`MIN_PLAN_CHARS`] non-blank characters and a word of the task. Where the
/// task has no distinctive words, the length alone counts.
pub(crate) fn is_plan(text: &str, terms: &HashSet<String>) -> bool {
    let letters = text.chars().filter(|c| !c.is_whitespace()).count();
    let is_like = |word: &String| {
        terms.iter().any(|term| term.starts_with(word.as_str()) || word.starts_with(term.as_str()))
    };
    letters >= MIN_PLAN_CHARS && (terms.is_empty() || self::task_terms(text).iter().any(is_like))
}

/// Returns the words of a task by which a plan for it is recognised: words of four letters or more, without those that
/// every task has.
pub(crate) fn task_terms(text: &str) -> HashSet<String> {
    const COMMON: [&str; 48] = [
        "about",
        "after",
        "also",
        "before",
        "change",
        "code",
        "create",
        "does",
        "each",
        "file",
        "files",
        "first",
        "from",
        "function",
        "have",
        "implement",
        "into",
        "make",
        "must",
        "need",
        "only",
        "please",
        "plan",
        "should",
        "step",
        "steps",
        "task",
        "test",
        "tests",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "update",
        "using",
        "verify",
        "want",
        "what",
        "when",
        "where",
        "which",
        "will",
        "with",
        "write",
    ];
    let words = text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
    words.filter(|word| word.chars().count() >= 4 && !COMMON.contains(&word.as_str())).collect()
}

/// Returns Kendall's tau between the planned and the executed order, -1 to 1: for each item in planned order, `done`
/// has the moment at which it was done. None where fewer than two were done. Equal moments count for neither order.
pub(crate) fn kendall_tau(done: &[Option<usize>]) -> Option<f64> {
    let done: Vec<usize> = done.iter().flatten().copied().collect();
    let pairs = done.len() * done.len().checked_sub(1)? / 2;
    if pairs == 0 {
        return None;
    }
    let mut sum = 0i64;
    for (at, first) in done.iter().enumerate() {
        for second in &done[at + 1..] {
            sum += match first.cmp(second) {
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Greater => -1,
            };
        }
    }
    Some(sum as f64 / pairs as f64)
}

/// Returns the words of a plan's line that can be recognised in later steps: names with a dot, an underscore, a slash
/// or a capital inside, and words of five letters or more that are not used for everything.
pub fn distinctive_words(text: &str) -> HashSet<String> {
    const COMMON: [&str; 14] = [
        "write",
        "tests",
        "update",
        "create",
        "implement",
        "should",
        "after",
        "before",
        "check",
        "first",
        "verify",
        "files",
        "their",
        "other",
    ];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.');
    text.split(|c| !is_part(c))
        .map(|word| word.trim_matches(['.', '/']).to_lowercase())
        .filter(|word| {
            let is_name = word.contains(['_', '/', '.']);
            (is_name && word.len() > 2) || (word.len() >= 5 && !COMMON.contains(&word.as_str()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item_texts(text: &str) -> Vec<String> {
        plan_items(text).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn a_plan_is_read_from_a_tools_arguments_and_from_lines() {
        let json = r#"{"plan":[{"step":"Parse","status":"completed"},{"step":"Write","status":"pending"}]}"#;
        assert_eq!(item_texts(json), ["Parse", "Write"]);
        assert!(plan_items(json)[0].is_done && !plan_items(json)[1].is_done);
        assert_eq!(item_texts("Plan:\n1. Parse\n2. Write\n"), ["Parse", "Write"]);
        assert_eq!(item_texts("+- [x] Parse\n+- [~] Write\n"), ["Parse", "Write"]);
        assert_eq!(item_texts("1. only one"), [""; 0]);
        assert_eq!(item_texts("version 1.2\n3.4 is no item\n"), [""; 0]);
    }

    #[test]
    fn a_plan_has_fifty_characters_and_a_word_of_the_task() {
        let task = task_terms("Add JWT authentication to the Flask API, then test it");
        assert!(task.contains("authentication") && !task.contains("test") && !task.contains("api"));
        let plan = "1. Hash passwords\n2. Add an auth route that returns a token\n3. Guard the other routes";

        assert!(is_plan(plan, &task), "auth begins authentication");
        assert!(!is_plan("authentication: todo", &task), "too short");
        assert!(!is_plan(&"lorem ipsum dolor sit amet ".repeat(4), &task), "of something else");
        assert!(!is_plan(&" \n".repeat(400), &task), "blanks do not count");
        assert!(
            is_plan(&"x".repeat(50), &HashSet::new()),
            "of a task without words the length counts"
        );
        assert!(!is_plan(&"x".repeat(49), &HashSet::new()));
    }

    #[test]
    fn the_words_of_a_plan_are_without_its_path_and_state() {
        let call = r#"{"file_path": "/w/plan.md", "content": "Parse, then write"}"#;
        assert_eq!(plan_text(call).unwrap(), "Parse, then write");
        let list = r#"{"todos": [{"content": "Parse", "status": "pending", "id": "1"}]}"#;
        assert_eq!(plan_text(list).unwrap(), "Parse");
        let patch = "*** Add File: plan.md\n+Parse\n-Old\n+- write";
        assert_eq!(plan_text(patch).unwrap(), "Parse\n- write");
        assert_eq!(plan_text(r#"{"file": "/w/plan.md"}"#), None);
    }

    #[test]
    fn tau_is_one_in_order_and_minus_one_backwards() {
        assert_eq!(kendall_tau(&[Some(1), Some(4), Some(9)]), Some(1.0));
        assert_eq!(kendall_tau(&[Some(9), None, Some(4), Some(1)]), Some(-1.0));
        assert_eq!(kendall_tau(&[Some(2), Some(2)]), Some(0.0));
        assert_eq!(kendall_tau(&[Some(1), None]), None);
        assert_eq!(kendall_tau(&[]), None);
    }
}
