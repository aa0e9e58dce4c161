//! Spellings of one harness are one: `claude-code`, `claude_code` and `Claude Code`.

use std::collections::BTreeMap;

/// Parts of names in RigorBench's files, with the name that its paper gives the harness; the first match counts, as
/// in its scripts.
const RIGORBENCH_NAMES: [(&str, &str); 5] = [
    ("baseline", "Baseline ReAct"),
    ("react", "Baseline ReAct"),
    ("superpower", "Superpowers"),
    ("rigor", "Agent-Rigor"),
    ("skill", "Agent-Skills"),
];

/// Letters and digits alone, in lower case.
pub fn normalized_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the name in RigorBench's paper for a harness that its files spell in several ways; None for another
/// harness.
pub fn rigorbench_name(name: &str) -> Option<&'static str> {
    let name = normalized_name(name);
    RIGORBENCH_NAMES.iter().find(|(part, _)| name.contains(part)).map(|(_, called)| *called)
}

/// The spelling of each harness: its most frequent one among the given names; of equally frequent ones the first in
/// the alphabet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HarnessSpellings(BTreeMap<String, String>);

impl HarnessSpellings {
    pub fn from_names<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut counts: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
        for name in names {
            *counts.entry(normalized_name(name)).or_default().entry(name).or_default() += 1;
        }
        let most = |(key, spellings): (String, BTreeMap<&str, usize>)| {
            let most = spellings.into_iter().rev().max_by_key(|(_, count)| *count);
            (key, most.map(|(name, _)| name.to_owned()).unwrap_or_default())
        };
        Self(counts.into_iter().map(most).collect())
    }

    /// Returns the usual spelling of this name.
    pub fn usual_spelling(&self, name: &str) -> String {
        self.0.get(&normalized_name(name)).cloned().unwrap_or_else(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_spelling_is_that_of_all() {
        let names = ["claude_code", "Claude Code", "claude-code", "Claude Code", "codex"];
        let spellings = HarnessSpellings::from_names(names.into_iter());

        let called: Vec<String> = names.iter().map(|name| spellings.usual_spelling(name)).collect();
        assert_eq!(called, ["Claude Code", "Claude Code", "Claude Code", "Claude Code", "codex"]);
        let even = HarnessSpellings::from_names(["b_c", "b-c"].into_iter());
        assert_eq!(even.usual_spelling("B C"), "b-c");
    }

    #[test]
    fn harnesses_of_the_benchmark_are_called_as_in_its_paper() {
        let names =
            ["superpowersharness", "Agent_Rigor", "agentskills", "Baseline", "ReAct-Harness", "x"];
        let called = names.map(rigorbench_name);
        let wanted =
            ["Superpowers", "Agent-Rigor", "Agent-Skills", "Baseline ReAct", "Baseline ReAct"];
        assert_eq!(called[..5], wanted.map(Some));
        assert_eq!(called[5], None);
    }
}
