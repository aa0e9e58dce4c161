//! Spellings of one harness are one: `claude-code`, `claude_code` and `Claude Code`.

use std::collections::BTreeMap;

/// What a name of RigorBench contains, and what its paper calls the harness; the first that fits counts, as in its scripts.
const OF_RIGORBENCH: [(&str, &str); 5] = [
    ("baseline", "Baseline ReAct"),
    ("react", "Baseline ReAct"),
    ("superpower", "Superpowers"),
    ("rigor", "Agent-Rigor"),
    ("skill", "Agent-Skills"),
];

/// Letters and digits alone, in lower case.
pub fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What RigorBench's paper calls a harness that its files spell in several ways; None for another harness.
pub fn of_rigorbench(name: &str) -> Option<&'static str> {
    let name = plain(name);
    OF_RIGORBENCH.iter().find(|(part, _)| name.contains(part)).map(|(_, called)| *called)
}

/// One spelling for each harness: the most frequent one of the names given; of equally frequent ones the first in the
/// alphabet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spellings(BTreeMap<String, String>);

impl Spellings {
    pub fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut counts: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
        for name in names {
            *counts.entry(plain(name)).or_default().entry(name).or_default() += 1;
        }
        let most = |(key, spellings): (String, BTreeMap<&str, usize>)| {
            let most = spellings.into_iter().rev().max_by_key(|(_, count)| *count);
            (key, most.map(|(name, _)| name.to_owned()).unwrap_or_default())
        };
        Self(counts.into_iter().map(most).collect())
    }

    /// How the harness of this name is called.
    pub fn called(&self, name: &str) -> String {
        self.0.get(&plain(name)).cloned().unwrap_or_else(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_spelling_is_that_of_all() {
        let names = ["claude_code", "Claude Code", "claude-code", "Claude Code", "codex"];
        let spellings = Spellings::of(names.into_iter());

        let called: Vec<String> = names.iter().map(|name| spellings.called(name)).collect();
        assert_eq!(called, ["Claude Code", "Claude Code", "Claude Code", "Claude Code", "codex"]);
        let even = Spellings::of(["b_c", "b-c"].into_iter());
        assert_eq!(even.called("B C"), "b-c");
    }

    #[test]
    fn harnesses_of_the_benchmark_are_called_as_in_its_paper() {
        let names =
            ["superpowersharness", "Agent_Rigor", "agentskills", "Baseline", "ReAct-Harness", "x"];
        let called = names.map(of_rigorbench);
        let wanted =
            ["Superpowers", "Agent-Rigor", "Agent-Skills", "Baseline ReAct", "Baseline ReAct"];
        assert_eq!(called[..5], wanted.map(Some));
        assert_eq!(called[5], None);
    }
}
