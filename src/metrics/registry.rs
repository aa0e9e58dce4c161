//! Every number this program computes: what it is called everywhere, what it counts and where its formula is from.
//!
//! The list is what `trajview metrics`, table heads and documentation are made from. Where a formula differs by
//! profile, the definition says so and [`Profile`](super::quality::Profile) decides.

use serde::Serialize;

/// One number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// As it stands in JSON.
    pub name: &'static str,
    /// What one of it is.
    pub unit: &'static str,
    /// From and to, both included; open where there is no bound.
    pub range: &'static str,
    pub better: Better,
    /// What it is a number of.
    pub of: Of,
    /// Paper, tool or file the formula is from.
    pub source: &'static str,
    /// In one line.
    pub definition: &'static str,
}

/// Which way a number goes when the code gets better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    Lower,
    Higher,
    /// It only describes.
    Neither,
}

impl Better {
    /// As it stands in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
            Self::Neither => "neither",
        }
    }
}

/// What a metric is computed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// One state of the code.
    Snapshot,
    /// One run: what its modules reuse of each other, and what it was judged by.
    Run,
    /// Two raters' scores of the same components ([`crate::study::agreement`] computes them).
    Raters,
    /// Two conditions of the same tasks ([`crate::study::paired`]), or two numbers of the same runs.
    Runs,
    /// A graded rubric ([`super::rubric_tree`]).
    #[serde(rename = "rubric tree")]
    RubricTree,
}

impl Of {
    /// As a table shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Run => "run",
            Self::Raters => "raters",
            Self::Runs => "runs",
            Self::RubricTree => "rubric tree",
        }
    }
}

impl Better {
    /// As a table shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Higher => "higher",
            Self::Neither => "neither",
        }
    }
}

const SLUMP: &str = "SLUMP, arXiv 2603.17104";
const PAPER: &str = "SlopCodeBench, paper v1";
const BOTH: &str = "SlopCodeBench, paper v1 and scb-check";
const OURS: &str = "trajview";
const RUBRIC: &str = "PaperBench, judge/graded_task_node.py";

/// In the order they are shown.
#[rustfmt::skip]
pub static METRICS: &[Metric] = &[
    row("files", "files", "0..", Better::Neither, OURS, "files the profile counts, without those it skips"),
    row("lines", "lines", "0..", Better::Neither, BOTH, "physical lines of those files"),
    row("loc", "lines", "0..", Better::Neither, "radon, sloc", "lines that are neither blank, nor only a comment, nor a string that stands alone"),
    row("sloc", "lines", "0..", Better::Neither, BOTH, "lines on which code starts, without docstrings (or strings that stand alone, in scb-check)"),
    row("callables", "callables", "0..", Better::Neither, BOTH, "functions and methods"),
    row("high_cc", "callables", "0..", Better::Lower, BOTH, "callables with more than 10 paths"),
    row("max_cc", "paths", "0..", Better::Lower, OURS, "cyclomatic complexity of the callable with most"),
    row("mean_cc", "paths", "0..", Better::Lower, OURS, "mean cyclomatic complexity; 0 without callables"),
    row("mass", "paths * sqrt(lines)", "0..", Better::Neither, BOTH, "sum over callables of cyclomatic complexity times the root of their lines"),
    row("high_mass", "paths * sqrt(lines)", "0..", Better::Lower, BOTH, "the mass of callables with more than 10 paths"),
    row("erosion", "share", "0..1", Better::Lower, BOTH, "high_mass / mass; 0 without mass"),
    row("gini", "share", "0..1", Better::Lower, "Gini coefficient", "how unevenly the mass is spread over the callables"),
    row("clone_lines", "lines", "0..", Better::Lower, BOTH, "source lines in pieces of 3 lines or more that are there twice but for names and values"),
    row("rule_lines", "lines", "0..", Better::Lower, BOTH, "source lines in a match of a rule; a line hit by many counts once"),
    row("wrapper_lines", "lines", "0..", Better::Lower, "scb-check", "source lines of functions that only pass a call on; 0 outside the scb-check profiles"),
    row("flagged_lines", "lines", "0..", Better::Lower, BOTH, "source lines in a clone, a match or a wrapper"),
    row("verbosity", "share", "0..1", Better::Lower, PAPER, "flagged_lines / lines; in the scb-check profiles flagged_lines / sloc; 0 without lines"),
    row("exported", "symbols", "0..", Better::Neither, OURS, "public top-level classes and functions of the modules that are no entries, no tests").of(Of::Run),
    row("reused", "symbols", "0..", Better::Higher, OURS, "exported symbols that another module imports and refers to; tests do not count").of(Of::Run),
    row("dir", "share", "0..1", Better::Higher, SLUMP, "dependency integration: reused / exported, by our rules; none without exported symbols").of(Of::Run),
    row("mcf", "score", "0..4", Better::Higher, SLUMP, "mean component fidelity: mean score of the judged components; none where none is judged").of(Of::Run),
    row("if50", "share", "0..1", Better::Higher, SLUMP, "half mcf / 4, half dir; none without both").of(Of::Run),
    row("severe", "components", "0..", Better::Lower, SLUMP, "judged components with a score of 0 (absent) or 1 (wrong)").of(Of::Run),
    row("full", "components", "0..", Better::Higher, SLUMP, "judged components with a score of 4 (faithful)").of(Of::Run),
    row("slump", "difference", "-1..1", Better::Lower, SLUMP, "if50 of the single-shot run minus if50 of the emergent one; of mcf (-4..4) and dir likewise").of(Of::Runs),
    row("gap_recovery", "share", "any", Better::Higher, SLUMP, "(treated - emergent) / (single-shot - emergent); none where that gap is not positive").of(Of::Runs),
    row("rcr", "share", "0..1", Better::Neither, SLUMP, "components that can be recovered from what was said so far (level 1 or more) / components of the checklist").of(Of::Run),
    row("esr", "share", "0..1", Better::Neither, SLUMP, "components that were said explicitly so far (level 4) / components of the checklist").of(Of::Run),
    row("rubric_tree.score", "score", "0..1", Better::Higher, RUBRIC, "the root's: the mean of the sub-tasks by weight, of their sub-tasks and so on; 0 where weights add up to 0; an invalid leaf counts as 0").of(Of::RubricTree),
    row("rubric_tree.score_without_invalid", "score", "0..1", Better::Higher, OURS, "the same of the leaves that were judged successfully, the others and what is empty without them dropped").of(Of::RubricTree),
    row("rubric_tree.code_only", "score", "0..1", Better::Higher, RUBRIC, "the same of the leaves of the category Code Development (PaperBench Code-Dev)").of(Of::RubricTree),
    row("rubric_tree.leaves", "leaves", "1..", Better::Neither, RUBRIC, "nodes without sub-tasks").of(Of::RubricTree),
    row("rubric_tree.nodes", "nodes", "1..", Better::Neither, OURS, "all nodes, the root included").of(Of::RubricTree),
    row("rubric_tree.depth", "steps", "0..", Better::Neither, OURS, "from the root to the deepest node").of(Of::RubricTree),
    row("rubric_tree.invalid", "leaves", "0..", Better::Lower, RUBRIC, "leaves whose judging failed or gave no score that can be used").of(Of::RubricTree),
    row("exact", "share", "0..1", Better::Higher, "SLUMP", "pairs of scores that are one").of(Of::Raters),
    row("within_1", "share", "0..1", Better::Higher, "SLUMP", "pairs of scores that differ by at most 1").of(Of::Raters),
    row("kappa", "coefficient", "..1", Better::Higher, "Cohen 1960", "agreement beyond what the raters' base rates give by chance; every disagreement alike").of(Of::Raters),
    row("kappa_linear", "coefficient", "..1", Better::Higher, "Cohen 1968", "the same, a disagreement weighing as many steps as there are between the levels").of(Of::Raters),
    row("kappa_quadratic", "coefficient", "..1", Better::Higher, "Cohen 1968", "the same, by the square of the steps").of(Of::Raters),
    row("spearman", "coefficient", "-1..1", Better::Higher, "Spearman 1904", "correlation of the ranks, equals sharing the mean rank").of(Of::Raters),
    row("kendall", "coefficient", "-1..1", Better::Higher, "Kendall 1945, tau-b", "pairs in one order less pairs in the other, over those not tied").of(Of::Raters),
    row("alpha", "coefficient", "..1", Better::Higher, "Krippendorff 2011, ordinal", "agreement beyond chance, a disagreement weighing the square of the scores between the levels").of(Of::Raters),
    row("ac1", "coefficient", "..1", Better::Higher, "Gwet 2008", "agreement beyond guessing among all levels; steady where one level is most of all, and 1 where both gave it throughout").of(Of::Raters),
    row("ac2", "coefficient", "..1", Better::Higher, "Gwet 2008, quadratic", "the same, near levels agreeing in part").of(Of::Raters),
    row("boundary_2_3", "share", "0..1", Better::Lower, "SLUMP", "pairs of which one is Simplified and the other Equivalent").of(Of::Raters),
    row("boundary_3_4", "share", "0..1", Better::Lower, "SLUMP", "pairs of which one is Equivalent and the other Faithful").of(Of::Raters),
    row("mean_gap", "as the metric", "..", Better::Neither, "SLUMP", "mean of the first condition less the second, over tasks").of(Of::Runs),
    row("wilcoxon", "p", "0..1", Better::Neither, "Wilcoxon 1945, as SciPy", "signed-rank test, zeros dropped; exact by permutation up to 25 gaps, ties included, else by the normal distribution corrected for ties").of(Of::Runs),
    row("p_holm", "p", "0..1", Better::Neither, "Holm 1979", "the p of wilcoxon adjusted for the metrics of the same agent in the table, those of which neither side can be the better left out").of(Of::Runs),
    row("cohen_d", "standard deviations", "..", Better::Neither, "Cohen 1988, paired", "mean gap over the standard deviation of the gaps; none where the gaps differ by rounding alone").of(Of::Runs),
];

/// The numbers of a snapshot of code; the others need a rubric, imports between files, other runs or several raters.
pub fn of_snapshot() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(|metric| metric.of == Of::Snapshot)
}

const fn row(
    name: &'static str,
    unit: &'static str,
    range: &'static str,
    better: Better,
    source: &'static str,
    definition: &'static str,
) -> Metric {
    Metric { name, unit, range, better, of: Of::Snapshot, source, definition }
}

impl Metric {
    const fn of(self, of: Of) -> Self {
        Self { of, ..self }
    }
}

/// The metric of that name; None where there is none.
pub fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::metrics::quality::Snapshot;

    #[test]
    fn no_two_metrics_have_one_name_and_each_says_what_it_is() {
        let names: BTreeSet<&str> = METRICS.iter().map(|metric| metric.name).collect();

        assert_eq!(names.len(), METRICS.len());
        for metric in METRICS {
            let words = [metric.unit, metric.range, metric.source, metric.definition];
            assert!(words.iter().all(|words| !words.is_empty()), "{}", metric.name);
        }
    }

    #[test]
    fn every_number_of_a_snapshot_is_in_the_list_and_only_those() {
        let json = serde_json::to_value(Snapshot::default()).unwrap();
        let numbers = json.as_object().unwrap().iter().filter(|(_, value)| value.is_number());
        let numbers: BTreeSet<&str> = numbers.map(|(name, _)| name.as_str()).collect();

        assert_eq!(numbers, of_snapshot().map(|metric| metric.name).collect());
    }

    #[test]
    fn every_number_of_a_rubric_tree_is_in_the_list_and_only_those() {
        let json = serde_json::to_value(crate::metrics::rubric_tree::Summary::default()).unwrap();
        let numbers: BTreeSet<String> =
            json.as_object().unwrap().keys().map(|name| format!("rubric_tree.{name}")).collect();

        let listed = METRICS.iter().filter(|metric| metric.of == Of::RubricTree);
        assert_eq!(numbers, listed.map(|metric| metric.name.to_owned()).collect());
    }
}
