//! The names of harnesses in RigorBench's files.

/// Parts of names, with the name that its paper gives the harness; the first match counts, as in its scripts.
const RIGORBENCH_NAMES: [(&str, &str); 5] = [
    ("baseline", "Baseline ReAct"),
    ("react", "Baseline ReAct"),
    ("superpower", "Superpowers"),
    ("rigor", "Agent-Rigor"),
    ("skill", "Agent-Skills"),
];

/// Returns the letters and digits of a name alone, in lower case: spellings of one name are one.
pub fn normalized_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the name in RigorBench's paper for a harness that its files spell in several ways; None for another
/// harness.
pub fn rigorbench_name(name: &str) -> Option<&'static str> {
    let name = normalized_name(name);
    RIGORBENCH_NAMES.iter().find(|(part, _)| name.contains(part)).map(|(_, called)| *called)
}

/// Returns the key by which a result and its score are found, however task and harness are spelled.
pub fn score_key(task: &str, harness: &str) -> (String, String) {
    let harness = rigorbench_name(harness).unwrap_or(harness);
    (normalized_name(task), normalized_name(harness))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harnesses_of_the_benchmark_are_called_as_in_its_paper() {
        let names =
            ["superpowersharness", "Agent_Rigor", "agentskills", "Baseline", "ReAct-Harness", "x"];
        let called = names.map(rigorbench_name);
        let wanted =
            ["Superpowers", "Agent-Rigor", "Agent-Skills", "Baseline ReAct", "Baseline ReAct"];
        assert_eq!(called[..5], wanted.map(Some));
        assert_eq!(called[5], None);
        assert_eq!(score_key("task_1", "claude-code"), ("task1".into(), "claudecode".into()));
    }
}
