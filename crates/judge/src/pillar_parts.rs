//! The parts of process pillars that a judge scores: the question of each, and its levels.

use trajview_metrics::process::JudgedPart;
use trajview_run::rubric::PROCESS_LEVELS;

/// A part, and what of the run it is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartQuestion {
    pub part: JudgedPart,
    /// The plan, the commits, or the requirements, as text.
    pub material: String,
}

/// The question of a part, and the meaning of each level, from 0.
struct PartDescription {
    name: &'static str,
    /// The description of the material.
    material: &'static str,
    task: &'static str,
    levels: [&'static str; PROCESS_LEVELS.names.len()],
}

const fn description_of(part: JudgedPart) -> PartDescription {
    match part {
        JudgedPart::Plan => PartDescription {
            name: "decomposition of the plan",
            material: "The plan that the agent made, the longest of the run",
            task: "How fine is the plan: does it part the work into steps that can be done and checked one by one? Judge the plan as a \
                   plan; the repository shows what the work was.",
            levels: [
                "no parts of the work: a title, or the request in other words",
                "a few large steps that say what comes out and not what is to be done",
                "steps that can be done in order, some of them too large or without a way to tell that they are done",
                "steps small enough to be done and checked alone, in an order that respects what needs what",
            ],
        },
        JudgedPart::Commits => PartDescription {
            name: "coherence of the commits",
            material: "The commits that the agent made, in order, each with its command line and the files that were edited since the last",
            task: "Is each commit one unit: one purpose, whole, and named by its message?",
            levels: [
                "commits mix what has nothing to do with each other, and messages say nothing",
                "few commits are one unit; most are heaps of whatever had changed",
                "most commits are one unit, some mix purposes or leave their purpose half done",
                "every commit is one unit that its message names",
            ],
        },
        JudgedPart::Requirements => PartDescription {
            name: "requirements with a test",
            material: "What was required of the run",
            task: "How many of the requirements does a test in the repository hold the code to? A test that imports the code and asserts \
                   what the requirement says counts; one that only runs it does not.",
            levels: [
                "no requirement has a test",
                "fewer than half have one",
                "half or more have one, and some that matter have none",
                "all have one, or all but what cannot be tested",
            ],
        },
    }
}

impl PartQuestion {
    /// Returns the text for a blank of the question; None for an unknown blank.
    pub fn fill_blank(&self, name: &str) -> Option<String> {
        let about = description_of(self.part);
        Some(match name {
            "id" => self.part.id().to_owned(),
            "name" => about.name.to_owned(),
            "task" => about.task.to_owned(),
            "given" => about.material.to_owned(),
            "material" => self.material.clone(),
            "levels" => {
                let named = PROCESS_LEVELS.names.iter().zip(about.levels).enumerate();
                let line = |(level, (name, what)): (usize, (&&str, &str))| {
                    format!("- {level} {name}: {what}")
                };
                named.map(line).collect::<Vec<_>>().join("\n")
            }
            _ => return None,
        })
    }
}
