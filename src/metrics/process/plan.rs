//! Plans: what a text lists to be done, and in which order it was done.

use std::collections::HashSet;

/// One line of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    pub text: String,
    /// Whether the plan itself says that it is done.
    pub is_done: bool,
}

/// What a text lists, in order: the items of a plan tool's arguments (JSON), else numbered or ticked lines, `- [ ] ...` or
/// `1. ...`. Empty for what lists fewer than two things.
pub fn items(text: &str) -> Vec<Item> {
    let items = of_json(text).unwrap_or_else(|| of_lines(text));
    if items.len() < 2 { vec![] } else { items }
}

const LISTS: [&str; 5] = ["plan", "todos", "todo_list", "items", "tasks"];
const TEXTS: [&str; 6] = ["step", "content", "title", "description", "text", "task"];

fn of_json(text: &str) -> Option<Vec<Item>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let list = match &value {
        serde_json::Value::Array(list) => list,
        value => LISTS.iter().find_map(|key| value.get(*key)?.as_array())?,
    };
    let item = |value: &serde_json::Value| {
        let text =
            value.as_str().or_else(|| TEXTS.iter().find_map(|key| value.get(*key)?.as_str()));
        let status = value.get("status").and_then(|status| status.as_str()).unwrap_or_default();
        let is_done = matches!(status, "completed" | "done" | "complete");
        text.map(|text| Item { text: text.to_owned(), is_done })
    };
    Some(list.iter().filter_map(item).collect())
}

/// Lines that are looked at: a plan is short.
const MOST_LINES: usize = 2_000;

fn of_lines(text: &str) -> Vec<Item> {
    let mut items = vec![];
    for line in text.lines().take(MOST_LINES) {
        // A patch has its lines behind a sign.
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
        items.push(Item { text: text.trim().to_owned(), is_done });
    }
    items
}

/// Kendall's tau of the order in which things were planned and the order in which they were done, -1 to 1: `done` holds, for
/// each thing in planned order, when it was done. None where fewer than two were done. Equal moments count for neither order.
pub fn tau(done: &[Option<usize>]) -> Option<f64> {
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

/// Words of a plan's line that can be found again in what is done: names with a dot, an underscore, a slash or a capital
/// inside, and words of five letters or more that are not used for everything.
pub fn telling_words(text: &str) -> HashSet<String> {
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

    fn texts(text: &str) -> Vec<String> {
        items(text).into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn a_plan_is_read_from_a_tools_arguments_and_from_lines() {
        let json = r#"{"plan":[{"step":"Parse","status":"completed"},{"step":"Write","status":"pending"}]}"#;
        assert_eq!(texts(json), ["Parse", "Write"]);
        assert!(items(json)[0].is_done && !items(json)[1].is_done);
        assert_eq!(texts("Plan:\n1. Parse\n2. Write\n"), ["Parse", "Write"]);
        assert_eq!(texts("+- [x] Parse\n+- [~] Write\n"), ["Parse", "Write"]);
        assert_eq!(texts("1. only one"), [""; 0]);
        assert_eq!(texts("version 1.2\n3.4 is no item\n"), [""; 0]);
    }

    #[test]
    fn tau_is_one_in_order_and_minus_one_backwards() {
        assert_eq!(tau(&[Some(1), Some(4), Some(9)]), Some(1.0));
        assert_eq!(tau(&[Some(9), None, Some(4), Some(1)]), Some(-1.0));
        assert_eq!(tau(&[Some(2), Some(2)]), Some(0.0));
        assert_eq!(tau(&[Some(1), None]), None);
        assert_eq!(tau(&[]), None);
    }
}
