//! What does not hold yet, in `exceptions.txt`: a line for each, with the number it has today.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::Mutex,
};

use crate::project;

/// Tests that write the file do so one after the other.
static WRITING: Mutex<()> = Mutex::new(());

/// Whether numbers that went down are written, and the graph.
pub fn may_write() -> bool {
    std::env::var_os("TRAJVIEW_WRITE").is_some_and(|word| word == "1")
}

/// The exceptions of a rule are those found, each with its number. Fails where one is new, went up, went down or is gone;
/// where it may write, what is no worse in all is written instead.
pub fn hold(rule: &str, found: &BTreeMap<String, usize>) {
    let _writing = WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let path = project("tests/layout/exceptions.txt");
    let text = fs::read_to_string(&path).unwrap();
    let known = of_rule(&text, rule);
    let (worse, better) = compared(&known, found);
    let total = |rows: &BTreeMap<String, usize>| rows.values().sum::<usize>();
    if may_write() && total(found) <= total(&known) {
        if known != *found {
            fs::write(&path, with_rule(&text, rule, found)).unwrap();
        }
        return;
    }
    assert!(worse.is_empty(), "{rule}:\n{}\n{HOW_WORSE}", worse.join("\n"));
    assert!(better.is_empty(), "{rule}:\n{}\n{HOW_BETTER}", better.join("\n"));
}

const HOW_WORSE: &str = "Divide it; or, where it is moved rather than made worse, say so in tests/layout/exceptions.txt.";
const HOW_BETTER: &str =
    "Better than tests/layout/exceptions.txt says: TRAJVIEW_WRITE=1 cargo test --test layout";

/// What went up or is new, and what went down or is gone.
fn compared(
    known: &BTreeMap<String, usize>,
    found: &BTreeMap<String, usize>,
) -> (Vec<String>, Vec<String>) {
    let (mut worse, mut better) = (vec![], vec![]);
    for name in known.keys().chain(found.keys()).collect::<BTreeSet<_>>() {
        let (before, now) = (known.get(name).copied(), found.get(name).copied());
        let line = format!("{name}: {} now, {} before", now.unwrap_or(0), before.unwrap_or(0));
        match before.cmp(&now) {
            std::cmp::Ordering::Less => worse.push(line),
            std::cmp::Ordering::Greater => better.push(line),
            std::cmp::Ordering::Equal => {}
        }
    }
    (worse, better)
}

/// The lines below `## RULE`: a number and a name.
fn of_rule(text: &str, rule: &str) -> BTreeMap<String, usize> {
    let below = text.lines().skip_while(|line| line.strip_prefix("## ") != Some(rule)).skip(1);
    let rows = below.take_while(|line| !line.starts_with("## "));
    let rows = rows.filter_map(|line| line.trim().split_once(' '));
    rows.map(|(number, name)| (name.to_owned(), number.parse().expect("a number"))).collect()
}

fn with_rule(text: &str, rule: &str, rows: &BTreeMap<String, usize>) -> String {
    let mut lines = vec![];
    let mut is_below = false;
    for line in text.lines() {
        if line.starts_with("## ") {
            is_below = line.strip_prefix("## ") == Some(rule);
            lines.push(line.to_owned());
            if is_below {
                lines.push(String::new());
                lines.extend(rows.iter().map(|(name, number)| format!("{number} {name}")));
                lines.push(String::new());
            }
        } else if !is_below {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n").trim_end().to_owned() + "\n"
}

#[test]
fn a_number_may_only_go_down_and_then_must_be_written() {
    let rows = |rows: &[(&str, usize)]| -> BTreeMap<String, usize> {
        rows.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect()
    };
    let text = "Words.\n\n## a rule\n\n20 A\n17 B\n\n## another\n\n9 C\n";
    let known = of_rule(text, "a rule");
    assert_eq!(known, rows(&[("A", 20), ("B", 17)]));
    let (worse, better) = compared(&known, &rows(&[("A", 21), ("D", 16)]));
    assert_eq!(worse, ["A: 21 now, 20 before", "D: 16 now, 0 before"]);
    assert_eq!(better, ["B: 0 now, 17 before"]);
    let lowered = with_rule(text, "a rule", &rows(&[("A", 19)]));
    assert_eq!(lowered, "Words.\n\n## a rule\n\n19 A\n\n## another\n\n9 C\n");
}
