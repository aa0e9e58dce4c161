//! In what runs differ that should differ in their condition alone: a gap between them may come from there as well.
//!
//! What a recording does not tell is no difference. Layers are part of the condition: `emergent` and `emergent+memory` differ
//! in the condition, `single-shot` and `emergent+memory` in two things.

use std::collections::BTreeSet;

use serde::Serialize;

use trajview_run::{Run, turn_record::PROMPTS};

/// How a run was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conduct {
    condition: Option<String>,
    facts: Vec<(&'static str, String)>,
}

/// Something that runs should have in common and have not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub what: &'static str,
    /// Each value with the runs that have it, in the order of the runs.
    pub values: Vec<ValueOf>,
}

/// A value and who has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValueOf {
    pub value: String,
    pub runs: Vec<String>,
}

impl Conduct {
    pub fn of(run: &Run) -> Self {
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

    fn value(&self, what: &str) -> Option<&str> {
        self.facts.iter().find(|(name, _)| *name == what).map(|(_, value)| value.as_str())
    }

    /// How it was asked, and the layers that treat that.
    fn parts(&self) -> (&str, &str) {
        let condition = self.condition.as_deref().unwrap_or_default();
        condition.split_once('+').unwrap_or((condition, ""))
    }
}

/// In what the runs differ beside their condition, in the order in which it is recorded. Runs are named as they are to be
/// named.
pub fn differences(runs: &[(String, &Conduct)]) -> Vec<Difference> {
    let mut found = vec![];
    let mut names: Vec<&'static str> = vec![];
    for (name, _) in runs.iter().flat_map(|(_, conduct)| &conduct.facts) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    for what in names {
        let told =
            runs.iter().filter_map(|(name, conduct)| Some((name, *conduct, conduct.value(what)?)));
        if what == PROMPTS {
            found.extend(prompts(&told.collect::<Vec<_>>()));
        } else {
            found.extend(difference(what, told.map(|(name, _, value)| (name.as_str(), value))));
        }
    }
    found.extend(layers(runs));
    found
}

/// Where two values at least are told.
fn difference<'a>(
    what: &'static str,
    told: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<Difference> {
    let mut values: Vec<ValueOf> = vec![];
    for (run, value) in told {
        match values.iter_mut().find(|it| it.value == value) {
            Some(known) => known.runs.push(run.to_owned()),
            None => values.push(ValueOf { value: value.to_owned(), runs: vec![run.to_owned()] }),
        }
    }
    (values.len() > 1).then_some(Difference { what, values })
}

/// Runs of one condition are asked the same; their prompts have no name but a number, of which the beginning is enough.
fn prompts(told: &[(&String, &Conduct, &str)]) -> Option<Difference> {
    let conditions: BTreeSet<&str> = told.iter().map(|(_, conduct, _)| conduct.parts().0).collect();
    conditions.into_iter().find_map(|condition| {
        let of = told.iter().filter(|(_, conduct, _)| conduct.parts().0 == condition);
        let short =
            |value: &'_ str| value.char_indices().nth(8).map_or(value.len(), |(end, _)| end);
        difference(PROMPTS, of.map(|(run, _, value)| (run.as_str(), &value[..short(value)])))
    })
}

/// Two things at once: another way of asking, and other layers.
fn layers(runs: &[(String, &Conduct)]) -> Option<Difference> {
    let parts = || {
        runs.iter().filter(|(_, it)| it.condition.is_some()).map(|(name, it)| (name, it.parts()))
    };
    let asked: BTreeSet<&str> = parts().map(|(_, (asked, _))| asked).collect();
    let conditions: BTreeSet<(&str, &str)> = parts().map(|(_, parts)| parts).collect();
    // With three conditions or more each is compared with each: that is what treatments are for.
    if asked.len() != 2 || conditions.len() != 2 {
        return None;
    }
    difference("layers", parts().map(|(name, (_, layers))| (name.as_str(), named(layers))))
}

fn named(layers: &str) -> &str {
    if layers.is_empty() { "none" } else { layers }
}

impl Difference {
    /// `agent version (1.0 in a, 1.1 in b)`
    pub fn words(&self) -> String {
        /// Longer lists of names are counted.
        const LONGEST: usize = 30;
        let value = |ValueOf { value, runs }: &ValueOf| {
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

    fn run(condition: &str, version: Option<&str>, conduct: &[(&'static str, &str)]) -> Conduct {
        let mut run = Run { condition: Some(condition.into()), ..Run::default() };
        run.agent =
            Agent { name: "codex".into(), version: version.map(str::to_owned), ..Agent::default() };
        run.origin.record.conduct =
            conduct.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Conduct::of(&run)
    }

    fn words(runs: &[Conduct]) -> Vec<String> {
        let named = ["a", "b", "c"].map(str::to_owned).into_iter().zip(runs);
        differences(&named.collect::<Vec<_>>()).iter().map(Difference::words).collect()
    }

    #[test]
    fn a_condition_alone_is_no_unfair_difference() {
        let runs = [
            run("single-shot", Some("1"), &[("retries", "0"), (PROMPTS, "x")]),
            run("emergent", Some("1"), &[("retries", "0"), (PROMPTS, "y")]),
        ];
        assert_eq!(words(&runs), Vec::<String>::new());
    }

    #[test]
    fn what_else_differs_is_named_with_both_values_and_what_is_not_told_is_not() {
        let runs = [
            run("single-shot", Some("1"), &[("retries", "0"), ("budget", "none")]),
            run("emergent", Some("2"), &[("retries", "3")]),
        ];
        assert_eq!(words(&runs), ["agent version (1 in a, 2 in b)", "retries (0 in a, 3 in b)"]);
        let untold = [run("single-shot", None, &[]), run("emergent", Some("2"), &[])];
        assert_eq!(words(&untold), Vec::<String>::new());
    }

    #[test]
    fn runs_of_one_condition_are_asked_the_same() {
        let prompts = |value| run("emergent", None, &[(PROMPTS, value)]);
        assert_eq!(
            words(&[prompts("0123456789"), prompts("abcdefghij")]),
            ["prompts (01234567 in a, abcdefgh in b)"]
        );
        assert_eq!(words(&[prompts("x"), prompts("x")]), Vec::<String>::new());
    }

    #[test]
    fn layers_are_a_treatment_of_one_way_of_asking() {
        let of = |condition| run(condition, None, &[]);
        assert_eq!(words(&[of("emergent"), of("emergent+memory")]), Vec::<String>::new());
        assert_eq!(
            words(&[of("single-shot"), of("emergent+memory")]),
            ["layers (none in a, memory in b)"]
        );
        let treated = [of("single-shot"), of("emergent"), of("emergent+memory")];
        assert_eq!(words(&treated), Vec::<String>::new());
    }

    #[test]
    fn many_runs_are_counted() {
        let version = |version| run("emergent", Some(version), &[]);
        let runs = [version("1"), version("1"), version("2")];
        assert_eq!(words(&runs), ["agent version (1 in a and b, 2 in c)"]);
        let names =
            ["runs/a-codex-emergent-1", "runs/a-codex-emergent-2", "runs/a-codex-emergent-3"];
        let named = names.map(str::to_owned).into_iter().zip(&runs);
        let found = differences(&named.collect::<Vec<_>>());
        assert_eq!(found[0].words(), "agent version (1 in 2 runs, 2 in runs/a-codex-emergent-3)");
    }
}
