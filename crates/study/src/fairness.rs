//! In what runs differ that should differ in their condition alone: a gap between them may come from there as well.
//!
//! What a recording does not tell is no difference. Layers are part of the condition: `emergent` and `emergent+memory` differ
//! in the condition, `single-shot` and `emergent+memory` in two things.

use std::collections::BTreeSet;

use serde::Serialize;

use trajview_run::{Run, turn_record::PROMPTS};

/// The settings with which a run was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunConduct {
    condition: Option<String>,
    facts: Vec<(&'static str, String)>,
}

/// Something that runs should have in common and have not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConductDifference {
    pub what: &'static str,
    /// Each value with the runs that have it, in the order of the runs.
    pub values: Vec<ConductValue>,
}

/// A value and who has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConductValue {
    pub value: String,
    pub runs: Vec<String>,
}

impl RunConduct {
    pub fn for_run(run: &Run) -> Self {
        let known = |what, value: &Option<String>| Some((what, value.clone()?));
        let agent = Some(run.agent.name.clone()).filter(|name| !name.is_empty());
        let facts = [
            known("agent", &agent),
            known("agent version", &run.agent.version),
            known("model", &run.model),
        ];
        let facts = facts.into_iter().flatten().chain(run.origin.record.conduct.iter().cloned());
        Self { condition: run.condition.clone(), facts: facts.collect() }
    }

    fn fact_value(&self, what: &str) -> Option<&str> {
        self.facts.iter().find(|(name, _)| *name == what).map(|(_, value)| value.as_str())
    }

    /// Splits the condition into the style of requests and the layers.
    fn condition_parts(&self) -> (&str, &str) {
        let condition = self.condition.as_deref().unwrap_or_default();
        condition.split_once('+').unwrap_or((condition, ""))
    }
}

/// Returns `not the same task: a X, b Y` where two of the runs record different tasks ([`Run::task_key`]). Each task comes with
/// the display name of its run; a run that records none is no difference.
pub fn task_difference(runs: impl IntoIterator<Item = (String, Option<String>)>) -> Option<String> {
    let tasks: Vec<(String, String)> =
        runs.into_iter().filter_map(|(name, task)| Some((name, task?))).collect();
    let (_, first) = tasks.first()?;
    let named = tasks.iter().map(|(name, task)| format!("{name} {task}"));
    let named = named.collect::<Vec<_>>().join(", ");
    tasks.iter().any(|(_, task)| task != first).then(|| format!("not the same task: {named}"))
}

/// Returns the settings, other than the condition, in which the runs differ, in the order in which they are recorded.
/// Each run comes with its display name.
pub fn conduct_differences(runs: &[(String, &RunConduct)]) -> Vec<ConductDifference> {
    let mut found = vec![];
    let mut names: Vec<&'static str> = vec![];
    for (name, _) in runs.iter().flat_map(|(_, conduct)| &conduct.facts) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    for what in names {
        let known_values = runs
            .iter()
            .filter_map(|(name, conduct)| Some((name, *conduct, conduct.fact_value(what)?)));
        if what == PROMPTS {
            found.extend(prompt_difference(&known_values.collect::<Vec<_>>()));
        } else {
            found.extend(value_difference(
                what,
                known_values.map(|(name, _, value)| (name.as_str(), value)),
            ));
        }
    }
    found.extend(layer_difference(runs));
    found
}

/// Returns a difference where at least two values are recorded.
fn value_difference<'a>(
    what: &'static str,
    recorded: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<ConductDifference> {
    let mut values: Vec<ConductValue> = vec![];
    for (run, value) in recorded {
        match values.iter_mut().find(|it| it.value == value) {
            Some(known) => known.runs.push(run.to_owned()),
            None => {
                values.push(ConductValue { value: value.to_owned(), runs: vec![run.to_owned()] })
            }
        }
    }
    (values.len() > 1).then_some(ConductDifference { what, values })
}

/// Compares prompts within one condition, where they should be equal; a prompt has no name but a hash, of which the
/// beginning is enough.
fn prompt_difference(prompts: &[(&String, &RunConduct, &str)]) -> Option<ConductDifference> {
    let conditions: BTreeSet<&str> =
        prompts.iter().map(|(_, conduct, _)| conduct.condition_parts().0).collect();
    conditions.into_iter().find_map(|condition| {
        let in_condition =
            prompts.iter().filter(|(_, conduct, _)| conduct.condition_parts().0 == condition);
        let short =
            |value: &'_ str| value.char_indices().nth(8).map_or(value.len(), |(end, _)| end);
        value_difference(
            PROMPTS,
            in_condition.map(|(run, _, value)| (run.as_str(), &value[..short(value)])),
        )
    })
}

/// Reports runs that differ in two things at once: the style of requests and the layers.
fn layer_difference(runs: &[(String, &RunConduct)]) -> Option<ConductDifference> {
    let parts = || {
        runs.iter()
            .filter(|(_, it)| it.condition.is_some())
            .map(|(name, it)| (name, it.condition_parts()))
    };
    let requests: BTreeSet<&str> = parts().map(|(_, (requests, _))| requests).collect();
    let conditions: BTreeSet<(&str, &str)> = parts().map(|(_, parts)| parts).collect();
    // With three conditions or more each is compared with each: that is what treatments are for.
    if requests.len() != 2 || conditions.len() != 2 {
        return None;
    }
    value_difference(
        "layers",
        parts().map(|(name, (_, layers))| (name.as_str(), layer_names(layers))),
    )
}

fn layer_names(layers: &str) -> &str {
    if layers.is_empty() { "none" } else { layers }
}

impl ConductDifference {
    /// Returns `agent version (1.0 in a, 1.1 in b)`.
    pub fn display_text(&self) -> String {
        /// Longer lists of names are counted.
        const LONGEST: usize = 30;
        let value = |ConductValue { value, runs }: &ConductValue| {
            let names = runs.join(" and ");
            match runs.len() {
                count if count > 1 && names.len() > LONGEST => format!("{value} in {count} runs"),
                _ => format!("{value} in {names}"),
            }
        };
        let values: Vec<String> = self.values.iter().map(value).collect();
        format!("{} ({})", self.what, values.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::Agent;

    fn conduct_of_run(
        condition: &str,
        version: Option<&str>,
        conduct: &[(&'static str, &str)],
    ) -> RunConduct {
        let mut run = Run { condition: Some(condition.into()), ..Run::default() };
        run.agent =
            Agent { name: "codex".into(), version: version.map(str::to_owned), ..Agent::default() };
        run.origin.record.conduct =
            conduct.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        RunConduct::for_run(&run)
    }

    fn difference_texts(runs: &[RunConduct]) -> Vec<String> {
        let named = ["a", "b", "c"].map(str::to_owned).into_iter().zip(runs);
        conduct_differences(&named.collect::<Vec<_>>())
            .iter()
            .map(ConductDifference::display_text)
            .collect()
    }

    #[test]
    fn a_condition_alone_is_no_unfair_difference() {
        let runs = [
            conduct_of_run("single-shot", Some("1"), &[("retries", "0"), (PROMPTS, "x")]),
            conduct_of_run("emergent", Some("1"), &[("retries", "0"), (PROMPTS, "y")]),
        ];
        assert_eq!(difference_texts(&runs), Vec::<String>::new());
    }

    #[test]
    fn what_else_differs_is_named_with_both_values_and_what_is_not_told_is_not() {
        let runs = [
            conduct_of_run("single-shot", Some("1"), &[("retries", "0"), ("budget", "none")]),
            conduct_of_run("emergent", Some("2"), &[("retries", "3")]),
        ];
        assert_eq!(
            difference_texts(&runs),
            ["agent version (1 in a, 2 in b)", "retries (0 in a, 3 in b)"]
        );
        let untold =
            [conduct_of_run("single-shot", None, &[]), conduct_of_run("emergent", Some("2"), &[])];
        assert_eq!(difference_texts(&untold), Vec::<String>::new());
    }

    #[test]
    fn runs_of_one_condition_are_asked_the_same() {
        let prompts = |value| conduct_of_run("emergent", None, &[(PROMPTS, value)]);
        assert_eq!(
            difference_texts(&[prompts("0123456789"), prompts("abcdefghij")]),
            ["prompts (01234567 in a, abcdefgh in b)"]
        );
        assert_eq!(difference_texts(&[prompts("x"), prompts("x")]), Vec::<String>::new());
    }

    #[test]
    fn layers_are_a_treatment_of_one_way_of_asking() {
        let of = |condition| conduct_of_run(condition, None, &[]);
        assert_eq!(
            difference_texts(&[of("emergent"), of("emergent+memory")]),
            Vec::<String>::new()
        );
        assert_eq!(
            difference_texts(&[of("single-shot"), of("emergent+memory")]),
            ["layers (none in a, memory in b)"]
        );
        let treated = [of("single-shot"), of("emergent"), of("emergent+memory")];
        assert_eq!(difference_texts(&treated), Vec::<String>::new());
    }

    #[test]
    fn many_runs_are_counted() {
        let version = |version| conduct_of_run("emergent", Some(version), &[]);
        let runs = [version("1"), version("1"), version("2")];
        assert_eq!(difference_texts(&runs), ["agent version (1 in a and b, 2 in c)"]);
        let names =
            ["runs/a-codex-emergent-1", "runs/a-codex-emergent-2", "runs/a-codex-emergent-3"];
        let named = names.map(str::to_owned).into_iter().zip(&runs);
        let found = conduct_differences(&named.collect::<Vec<_>>());
        assert_eq!(
            found[0].display_text(),
            "agent version (1 in 2 runs, 2 in runs/a-codex-emergent-3)"
        );
    }
}
