//! Spellings of one harness are one: `claude-code`, `claude_code` and `Claude Code`.

use std::collections::BTreeMap;

use trajview_formats::rigorbench::names::normalized_name;

/// The spelling of each harness: its most frequent one among the given names; of equally frequent ones the first in
/// the alphabet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HarnessSpellings(BTreeMap<String, String>);

impl HarnessSpellings {
    /// Returns for each harness the spelling that is most frequent among the names.
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
}
