//! The rows. To add a number, add a row; its position decides the order in `trajview list metrics`. `places` has the lists of
//! the numbers that each place shows.

use super::{
    number_definition::{
        BetterDirection::{self, Higher, Lower, Neither},
        NumberColumn, NumberDefinition,
        NumberEvidence::{
            self, Callables, Components, Files, Nodes, RatedPairs, Symbols, TestCases,
        },
        NumberInput::{
            self, Code, Counted, Exposure, Judgement, Process, Raters, Reuse, RubricTree, Spent,
            Tests,
        },
    },
    number_format::NumberForm::{
        self, Amount, Count, Dollars, FineShare, Percent, Score, Seconds, Share, Statistic, Tenths,
    },
};
use crate::{faithfulness::if50, process::Pillar};

const SLUMP: &str = "SLUMP, arXiv 2603.17104";
const PAPER: &str = "SlopCodeBench, paper v1";
const BOTH: &str = "SlopCodeBench, paper v1 and scb-check";
const OURS: &str = "trajview";
const RIGOR: &str = "RigorBench, section 4.1";
const RUBRIC: &str = "PaperBench, judge/graded_task_node.py";
const HARNESS: &str = "SlopCodeBench, evaluation.json";
const RECORDING: &str = "the recording";

/// Builds the list of numbers and their rows from one table, so that neither can lack an entry of the other.
macro_rules! numbers {
    ($($number:ident = $row:expr,)+) => {
        /// A number of the list, in the order of the rows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Number {
            $($number,)+
        }

        const COUNT: usize = [$(stringify!($number)),+].len();

        static ROWS: [NumberDefinition; COUNT] = [$($row,)+];

        impl Number {
            pub const ALL: [Self; COUNT] = [$(Self::$number,)+];

            pub fn row(self) -> &'static NumberDefinition {
                &ROWS[self as usize]
            }
        }
    };
}

#[rustfmt::skip] // a table: one row a number
numbers! {
    // The code.
    Files = number_row("files", Count, "files", "0..", Neither, Code(|it| f64::from(it.files)), OURS, "files the profile counts, without those it skips", Files),
    Lines = number_row("lines", Count, "lines", "0..", Neither, Code(|it| it.totals.lines as f64), BOTH, "physical lines of those files", Files),
    Loc = number_row("loc", Count, "lines", "0..", Neither, Code(|it| it.totals.loc as f64), "radon, sloc", "lines that are neither blank, nor only a comment, nor a string that is a statement by itself", Files)
        .with_labels("lines of code", "loc"),
    Sloc = number_row("sloc", Count, "lines", "0..", Neither, Code(|it| it.totals.sloc as f64), BOTH, "lines on which code starts, without docstrings (or strings that are statements, in scb-check)", Files),
    Callables = number_row("callables", Count, "callables", "0..", Neither, Code(|it| it.totals.callables as f64), BOTH, "functions and methods", Callables)
        .with_labels("functions", "functions"),
    HighCc = number_row("high_cc", Count, "callables", "0..", Lower, Code(|it| it.totals.high_cc as f64), BOTH, "callables with more than 10 paths", Callables)
        .with_labels("complex (CC > 10)", "CC > 10"),
    MaxCc = number_row("max_cc", Count, "paths", "0..", Lower, Code(|it| f64::from(it.totals.max_cc)), OURS, "cyclomatic complexity of the callable with most", Callables)
        .with_labels("highest complexity (CC)", "max CC"),
    MeanCc = number_row("mean_cc", Tenths, "paths", "0..", Lower, Code(|it| it.totals.mean_cc), OURS, "mean cyclomatic complexity; 0 without callables", Callables)
        .with_labels("mean branches (CC)", "mean CC"),
    Mass = number_row("mass", Tenths, "paths * sqrt(lines)", "0..", Neither, Code(|it| it.totals.mass), BOTH, "sum over callables of cyclomatic complexity times the root of their lines", Callables),
    HighMass = number_row("high_mass", Tenths, "paths * sqrt(lines)", "0..", Lower, Code(|it| it.totals.high_mass), BOTH, "the mass of callables with more than 10 paths", Callables)
        .with_labels("mass above 10", "high mass"),
    CloneLines = number_row("clone_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.clone_lines as f64), BOTH, "source lines in pieces of 3 lines or more that occur twice, apart from names and values", NumberEvidence::FlaggedLines)
        .with_labels("clone lines", "clone lines"),
    RuleLines = number_row("rule_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.rule_lines as f64), BOTH, "source lines in a match of a rule; a line hit by many counts once", NumberEvidence::FlaggedLines)
        .with_labels("rule lines", "rule lines"),
    WrapperLines = number_row("wrapper_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.wrapper_lines as f64), "scb-check", "source lines of functions that only pass a call on; 0 outside the scb-check profiles", NumberEvidence::FlaggedLines)
        .with_labels("wrapper lines", "wrapper lines"),
    FlaggedLines = number_row("flagged_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.flagged_lines as f64), BOTH, "source lines in a clone, a match or a wrapper", NumberEvidence::FlaggedLines)
        .with_labels("flagged lines", "flagged"),
    Erosion = number_row("erosion", FineShare, "share", "0..1", Lower, Code(|it| it.erosion), BOTH, "high_mass / mass; 0 without mass", Callables)
        .with_help("share of mass in callables with more than 10 paths, at the end")
        .with_column("erosion", 7)
        .with_recorded_column("recorded-erosion"),
    Verbosity = number_row("verbosity", FineShare, "share", "0..1", Lower, Code(|it| it.verbosity), PAPER, "flagged_lines / lines; in the scb-check profiles flagged_lines / sloc; 0 without lines", NumberEvidence::FlaggedLines)
        .with_help("share of lines that are clones, rule hits or wrappers, at the end")
        .with_column("verbosity", 9)
        .with_recorded_column("recorded-verbosity"),
    Gini = number_row("gini", FineShare, "share", "0..1", Lower, Code(|it| it.gini), "Gini coefficient", "how unevenly the mass is spread over the callables", Callables),
    // Reuse between modules.
    Dir = number_row("dir", Share, "share", "0..1", Higher, Reuse(|it| it.dir), SLUMP, "dependency integration: reused / exported, by our rules; none without exported symbols", Symbols)
        .with_labels("integration (DIR)", "DIR")
        .with_help("dependency integration: share of exported symbols that another module uses, at the end")
        .with_column("dir", 6),
    Exported = number_row("exported", Count, "symbols", "0..", Neither, Reuse(|it| Some(it.exported? as f64)), OURS, "public top-level classes and functions of modules that are neither entries nor tests", Symbols),
    Reused = number_row("reused", Count, "symbols", "0..", Higher, Reuse(|it| Some(it.reused? as f64)), OURS, "exported symbols that another module imports and refers to; tests do not count", Symbols),
    Registered = number_row("registered", Count, "symbols", "0..", Neither, Reuse(|it| Some(it.registered? as f64)), OURS, "symbols in use without being reused: by a decorator, an entry point or a string; neither exported nor reused", Symbols),
    // Scores of judges.
    Mcf = number_row("mcf", Score, "score", "0..4", Higher, Judgement(|it| it.mcf), SLUMP, "mean component fidelity: mean score of the judged components; none where none is judged", Components)
        .with_labels("mean score (MCF)", "MCF")
        .with_help("mean component fidelity, 0–4, of the judgement that counts as the run's result")
        .with_column("mcf", 5),
    McfCapped = number_row("mcf_capped", Score, "score", "0..4", Higher, Judgement(|it| it.mcf_capped), OURS, "mcf with blockers: where a component that blocks fails, the mean (or the scores it names) counts at most its cap; none where the checklist has no blocker", Components)
        .with_labels("MCF with blockers", "MCF capped"),
    If50 = number_row("if50", Share, "share", "0..1", Higher, Judgement(|it| Some(if50(it.mcf?, it.dir?))), SLUMP, "half mcf / 4, half dir; none without both", Components)
        .with_labels("combined MCF·DIR (IF50)", "IF50")
        .with_help("half MCF / 4 and half DIR, where the end of the run was judged")
        .with_column("if50", 6),
    Severe = number_row("severe", Count, "components", "0..", Lower, Judgement(|it| Some(it.severe? as f64)), SLUMP, "judged components with a score of 0 (absent) or 1 (wrong)", Components)
        .with_labels("severe failures", "severe"),
    Full = number_row("full", Count, "components", "0..", Higher, Judgement(|it| Some(it.full? as f64)), SLUMP, "judged components with a score of 4 (faithful)", Components),
    Judged = number_row("judged", Count, "components", "0..", Neither, Judgement(|it| Some(it.judged? as f64)), OURS, "components of the checklist with a score: what mcf and the shares are over", Components),
    Unlooked = number_row("unlooked", Count, "components", "0..", Lower, Judgement(|it| Some(it.unlooked? as f64)), OURS, "levels that the judge gave without one look at the code; in no mean, and not judged, unless --count-unlooked is given", Components),
    Unsupported = number_row("unsupported", Count, "components", "0..", Lower, Judgement(|it| Some(it.unsupported? as f64)), OURS, "levels above 0 that rest on quotes of which the code has none; counted in every mean", Components),
    Components = number_row("components", Count, "components", "0..", Neither, Judgement(|it| Some(it.components? as f64)), OURS, "components of the checklist; without one those that the judgement names", NumberEvidence::Components),
    SevereShare = number_row("severe_share", Share, "share", "0..1", Lower, Judgement(|it| Some(it.severe? as f64 / it.judged? as f64)), SLUMP, "severe / judged", Components)
        .with_labels("severe failures of all", "severe share"),
    FullShare = number_row("full_share", Share, "share", "0..1", Higher, Judgement(|it| Some(it.full? as f64 / it.judged? as f64)), SLUMP, "full / judged", Components)
        .with_labels("faithful of all", "full share"),
    // Exposure by the dialogue.
    Rcr = number_row("rcr", Percent, "share", "0..1", Neither, Exposure(|it| it.rcr), SLUMP, "components that can be recovered from the requests so far (level 1 or more) / components of the checklist", NumberEvidence::Exposure)
        .with_labels("components stated (≥ weakly)", "RCR"),
    Esr = number_row("esr", Percent, "share", "0..1", Neither, Exposure(|it| it.esr), SLUMP, "components stated explicitly so far (level 4) / components of the checklist", NumberEvidence::Exposure)
        .with_labels("components stated in full", "ESR"),
    // Test results of a checkpoint.
    Tests = number_row("tests", Percent, "share", "0..1", Higher, Tests(|it| Some(it.strict)), HARNESS, "tests of the checkpoint and of all before it: passed / all; none where the harness failed", TestCases)
        .with_labels("tests passed", "strict")
        .with_help("tests of the last checkpoint and all before it: passed of all")
        .with_column("strict", 9),
    TestsIso = number_row("tests_iso", Percent, "share", "0..1", Higher, Tests(|it| it.iso), HARNESS, "tests of the checkpoint alone: passed / all; none where the harness failed", TestCases)
        .with_labels("tests of this checkpoint", "iso")
        .with_help("tests of the last checkpoint alone: passed of all")
        .with_column("iso", 9),
    TestsCore = number_row("tests_core", Percent, "share", "0..1", Higher, Tests(|it| it.core), HARNESS, "core tests of the checkpoint: passed / all; none where the harness failed", TestCases)
        .with_labels("core tests", "core")
        .with_help("core tests of the last checkpoint: passed of all")
        .with_column("core", 7),
    // Counts and usage of turns.
    Turns = number_row("turns", Count, "turns", "0..", Neither, Counted(|it| it.turns), OURS, "requests that count, each with all that answers it", NumberEvidence::Turns)
        .with_help("requests, each with all that answers it")
        .with_column("turns", 6),
    Checkpoints = number_row("checkpoints", Count, "checkpoints", "0..", Neither, Counted(|it| it.checkpoints), OURS, "stages of the task", NumberEvidence::Turns)
        .with_labels("checkpoints", "ckpt")
        .with_help("checkpoints: stages of the task")
        .with_column("checkpoints", 5),
    Churn = number_row("churn", Amount, "lines", "0..", Neither, Counted(|it| it.churn), OURS, "lines added and removed by the turns since the point before; of a run by all its turns", NumberEvidence::Turns)
        .with_labels("lines changed", "churn")
        .with_help("lines added and removed, as far as recorded edits tell; sorts by their sum")
        .with_column("churn", 13),
    Tokens = number_row("tokens", Amount, "tokens", "0..", Neither, Spent(|it| it.tokens), RECORDING, "tokens read and written, cached ones included, each counted once; curves have those of each point, comparisons those from the beginning", NumberEvidence::Turns)
        .with_help("tokens read and written, cached ones included")
        .with_column("tokens", 7),
    Context = number_row("context_tokens", Amount, "tokens", "0..", Neither, Spent(|it| it.context), RECORDING, "tokens that the main agent's last model call read, cached ones included: what its context held at the end of the turn; of several turns that of the last", NumberEvidence::Turns)
        .with_labels("context", "context"),
    Cost = number_row("cost_usd", Dollars, "US dollars", "0..", Neither, Spent(|it| it.cost_usd), RECORDING, "as recorded", NumberEvidence::Turns)
        .with_labels("cost", "cost")
        .with_help("US dollars, as recorded")
        .with_column("cost", 9),
    CostComputed = number_row("cost_computed_usd", Dollars, "US dollars", "0..", Neither, Spent(|it| it.computed_usd), OURS, "at list prices from a dated table, from the tokens of each response; none where a token has no price", NumberEvidence::Turns)
        .with_labels("cost computed", "list cost")
        .with_help("US dollars at list prices, computed from tokens; nothing where a token has no price")
        .with_column("listcost", 9),
    Duration = number_row("duration_s", Seconds, "seconds", "0..", Neither, Spent(|it| it.seconds), RECORDING, "from the first recorded moment to the last", NumberEvidence::Turns)
        .with_labels("time", "time")
        .with_help("from the first recorded moment to the last; in filters in seconds, or 5m, 2h")
        .with_column("time", 8),
    Warnings = number_row("warnings", Count, "warnings", "0..", Neither, Counted(|it| it.warnings), OURS, "things in the recording that could not be used", NumberEvidence::Turns)
        .with_labels("warnings", "⚠")
        .with_help("things in the recording that could not be used; e lists them")
        .with_column("warnings", 4),
    // The process of the run.
    RigorScore = number_row("rigor_score", FineShare, "share", "0..1", Higher, Process(|it| it.rigor_score), RIGOR, "weighted mean of the seven pillars that the recording can tell (profile rigor-paper): .15 pf + .15 vc + .2 re + .1 aq + .1 ati + .2 tad + .1 ee", NumberEvidence::Steps)
        .with_labels("RigorScore", "rigor")
        .with_help("process discipline: weighted mean of the pillars that the recording can tell")
        .with_column("rigor", 6),
    Signals = number_row("signals", Count, "signals", "0..", Lower, Process(|it| Some(it.signals? as f64)), OURS, "moments that deserve attention: loops, unresolved failures, undone edits, symbols no longer used; docs/process.md has their precision", NumberEvidence::Steps)
        .with_labels("signals", "signals")
        .with_help("moments that are worth a look: loops, failures left, edits undone, uses lost")
        .with_column("signals", 7),
    MemoryEvents = number_row("memory_events", Count, "events", "0..", Neither, Process(|it| Some(it.memory_events? as f64)), OURS, "retrieval events and evidence cards of a memory, as memory.jsonl of the bundle records them", NumberEvidence::Steps)
        .with_labels("memory events", "memory")
        .with_help("what a memory did: routing, verification, expansion, cards given")
        .with_column("memory", 6),
    StaleRate = number_row("stale_rate", FineShare, "share", "0..1", Lower, Process(|it| it.stale_rate), OURS, "evidence cards of a memory that were stale when given, of those whose cited files are known: a snippet was nowhere in its file, or the file did not exist; at a point of a curve of the cards given so far", NumberEvidence::Steps)
        .with_labels("stale cards", "stale")
        .with_help("share of a memory's evidence cards that were stale when the agent was given them")
        .with_column("stale", 6),
    PlanningFidelity = number_row("pf", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Planning)), RIGOR, ".30 a plan before code + .35 its quality (asks for a judge) + .35 Kendall's tau of planned and executed order, over what is known", NumberEvidence::Steps),
    VerificationCoverage = number_row("vc", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Verification)), RIGOR, ".35 public functions named in a test file + .30 coverage gained + .35 requirements with a test (neither is recorded), over what is known", NumberEvidence::Steps),
    RecoveryEfficiency = number_row("re", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Recovery)), RIGOR, ".30 / (1 + .2 cycles) + .35 strategies / attempts + .35 (1 - tokens of failed attempts / tokens), over what is known", NumberEvidence::Steps),
    AbstentionQuality = number_row("aq", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Abstention)), RIGOR, "only defined for impossible tasks; no recording marks its task as impossible", NumberEvidence::Steps),
    TransitionIntegrity = number_row("ati", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Transitions)), RIGOR, ".40 builds that succeed + .40 runs of tests that do not fail after one that passed + .20 commits (asks for a judge), as the agent ran them", NumberEvidence::Steps),
    AssertionDensity = number_row("tad", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Assertions)), RIGOR, "min(1, meaningful assertions per test function / 5), of Python test files at the end", NumberEvidence::Files),
    ExplorationEfficiency = number_row("ee", Share, "share", "0..1", Higher, Process(|it| it.pillar_value(Pillar::Exploration)), RIGOR, "files modified / (files read + files modified), each file once", NumberEvidence::Steps),
    // Scores of a rubric tree.
    TreeScore = number_row("rubric_tree.score", Share, "score", "0..1", Higher, RubricTree(|it| it.score), RUBRIC, "the root's: the mean of the sub-tasks by weight, of their sub-tasks and so on; 0 where weights add up to 0; an invalid leaf counts as 0", Nodes)
        .with_labels("score", "score"),
    TreeScoreWithoutInvalid = number_row("rubric_tree.score_without_invalid", Share, "score", "0..1", Higher, RubricTree(|it| it.score_without_invalid), OURS, "the same of the leaves that were judged successfully, the others and what is empty without them dropped", Nodes)
        .with_labels("score without invalid", "score without invalid"),
    TreeCodeOnly = number_row("rubric_tree.code_only", Share, "score", "0..1", Higher, RubricTree(|it| it.code_only), RUBRIC, "the same of the leaves of the category Code Development (PaperBench Code-Dev)", Nodes)
        .with_labels("code only", "code only"),
    TreeLeaves = number_row("rubric_tree.leaves", Count, "leaves", "1..", Neither, RubricTree(|it| Some(it.leaves as f64)), RUBRIC, "nodes without sub-tasks", Nodes)
        .with_labels("leaves", "leaves"),
    TreeNodes = number_row("rubric_tree.nodes", Count, "nodes", "1..", Neither, RubricTree(|it| Some(it.nodes as f64)), OURS, "all nodes, the root included", Nodes)
        .with_labels("nodes", "nodes"),
    TreeDepth = number_row("rubric_tree.depth", Count, "steps", "0..", Neither, RubricTree(|it| Some(it.depth as f64)), OURS, "from the root to the deepest node", Nodes)
        .with_labels("depth", "depth"),
    TreeInvalid = number_row("rubric_tree.invalid", Count, "leaves", "0..", Lower, RubricTree(|it| Some(it.invalid? as f64)), RUBRIC, "leaves without a usable score", Nodes)
        .with_labels("invalid", "invalid"),
    // Agreement of two raters.
    Exact = number_row("exact", Share, "share", "0..1", Higher, Raters, SLUMP, "pairs of scores that are one", RatedPairs),
    Within1 = number_row("within_1", Share, "share", "0..1", Higher, Raters, SLUMP, "pairs of scores that differ by at most 1", RatedPairs),
    Kappa = number_row("kappa", Statistic, "coefficient", "..1", Higher, Raters, "Cohen 1960", "agreement beyond what the raters' base rates give by chance; every disagreement alike", RatedPairs),
    KappaLinear = number_row("kappa_linear", Statistic, "coefficient", "..1", Higher, Raters, "Cohen 1968", "the same, a disagreement weighing as many steps as there are between the levels", RatedPairs),
    KappaQuadratic = number_row("kappa_quadratic", Statistic, "coefficient", "..1", Higher, Raters, "Cohen 1968", "the same, by the square of the steps", RatedPairs),
    Spearman = number_row("spearman", Statistic, "coefficient", "-1..1", Higher, Raters, "Spearman 1904", "correlation of the ranks, equals sharing the mean rank", RatedPairs),
    Kendall = number_row("kendall", Statistic, "coefficient", "-1..1", Higher, Raters, "Kendall 1945, tau-b", "pairs in one order less pairs in the other, over those not tied", RatedPairs),
    Alpha = number_row("alpha", Statistic, "coefficient", "..1", Higher, Raters, "Krippendorff 2011, ordinal", "agreement beyond chance, a disagreement weighing the square of the scores between the levels", RatedPairs),
    Icc21 = number_row("icc_2_1", Statistic, "coefficient", "..1", Higher, Raters, "McGraw and Wong 1996, ICC(A,1)", "share of the variance of single scores that lies between items; a rater who is stricter throughout agrees less; interval by quantiles of F", RatedPairs)
        .with_labels("ICC(2,1)", "ICC(2,1)"),
    Icc31 = number_row("icc_3_1", Statistic, "coefficient", "..1", Higher, Raters, "McGraw and Wong 1996, ICC(C,1)", "the same, a constant difference between raters not counting", RatedPairs)
        .with_labels("ICC(3,1)", "ICC(3,1)"),
    Ac1 = number_row("ac1", Statistic, "coefficient", "..1", Higher, Raters, "Gwet 2008", "agreement beyond guessing among all levels; steady where one level is most of all, and 1 where both gave it throughout", RatedPairs),
    Ac2 = number_row("ac2", Statistic, "coefficient", "..1", Higher, Raters, "Gwet 2008, quadratic", "the same, near levels agreeing in part", RatedPairs),
    Boundary23 = number_row("boundary_2_3", Share, "share", "0..1", Lower, Raters, SLUMP, "of the pairs with a Simplified or Equivalent, the share with one of each; none without such pairs", RatedPairs),
    Boundary34 = number_row("boundary_3_4", Share, "share", "0..1", Lower, Raters, SLUMP, "of the pairs with an Equivalent or Faithful, the share with one of each; none without such pairs", RatedPairs),
    // Statistics over several runs.
    Slump = number_row("slump", Statistic, "difference", "-1..1", Lower, NumberInput::Runs, SLUMP, "if50 of the single-shot run minus if50 of the emergent one; of mcf (-4..4) and dir likewise", NumberEvidence::Runs),
    GapRecovery = number_row("gap_recovery", Statistic, "share", "any", Higher, NumberInput::Runs, SLUMP, "(treated - emergent) / (single-shot - emergent); none where that gap is not positive; over tasks the mean of these ratios, and the ratio of the means over all tasks", NumberEvidence::Runs),
    MeanGap = number_row("mean_gap", Statistic, "as the metric", "..", Neither, NumberInput::Runs, SLUMP, "mean of the first condition less the second, over tasks", NumberEvidence::Runs),
    Wilcoxon = number_row("wilcoxon", Statistic, "p", "0..1", Neither, NumberInput::Runs, "Wilcoxon 1945, as SciPy", "signed-rank test, zeros dropped; exact by permutation up to 25 gaps, ties included, else by the normal distribution corrected for ties", NumberEvidence::Runs),
    PHolm = number_row("p_holm", Statistic, "p", "0..1", Neither, NumberInput::Runs, "Holm 1979", "the p of wilcoxon adjusted for the metrics of the same agent in the table, without metrics that have no better direction", NumberEvidence::Runs),
    CohenD = number_row("cohen_d", Statistic, "standard deviations", "..", Neither, NumberInput::Runs, "Cohen 1988, paired", "mean gap over the standard deviation of the gaps; none where the gaps differ by rounding alone", NumberEvidence::Runs),
    PNormal = number_row("p_normal", Statistic, "p", "0..1", Neither, NumberInput::Runs, "Wilcoxon 1945, as SciPy", "the p of wilcoxon by the normal approximation, independent of the test that was used", NumberEvidence::Runs),
    W = number_row("w", Statistic, "ranks", "0..", Neither, NumberInput::Runs, "Wilcoxon 1945, as SciPy", "the smaller of the two sums of ranks", NumberEvidence::Runs),
    Pearson = number_row("pearson", Statistic, "coefficient", "-1..1", Neither, NumberInput::Runs, "Pearson 1895", "correlation of two numbers over the runs that have both", NumberEvidence::Runs),
    P = number_row("p", Statistic, "p", "0..1", Neither, NumberInput::Runs, "Wilcoxon 1945, as SciPy", "that of wilcoxon, by the test that was made; of a correlation, that there is none", NumberEvidence::Runs),
    UsdPerSolved = number_row("usd_per_solved", Dollars, "US dollars", "0..", Lower, NumberInput::Runs, OURS, "all dollars by all solved checkpoints of the runs of an agent under a condition, by recorded or by computed cost", NumberEvidence::Runs),
    SolvedCheckpoints = number_row("solved_checkpoints", Count, "checkpoints", "0..", Higher, NumberInput::Runs, OURS, "checkpoints of a run of which every test passed, those of earlier checkpoints included", NumberEvidence::Runs),
    NotPriced = number_row("not_priced_tokens", Count, "tokens", "0..", Lower, NumberInput::Runs, OURS, "tokens of a run that the table of prices has no price for", NumberEvidence::Runs),
    LeftOut = number_row("left_out", Count, "runs", "0..", Neither, NumberInput::Runs, OURS, "runs with fewer than two measured checkpoints, which have no slope", NumberEvidence::Runs),
    UnmeasuredCheckpoints = number_row("unmeasured_checkpoints", Count, "checkpoints", "0..", Neither, NumberInput::Runs, OURS, "checkpoints of which no file could be measured", NumberEvidence::Runs),
    RunsCounted = number_row("runs", Count, "runs", "0..", Neither, NumberInput::Runs, OURS, "runs that a trend is over", NumberEvidence::Runs),
    PairsOfRuns = number_row("n", Count, "pairs", "0..", Neither, NumberInput::Runs, OURS, "pairs that a test or a correlation is over", NumberEvidence::Runs),
    Wins = number_row("wins", Count, "tasks", "0..", Neither, NumberInput::Runs, SLUMP, "tasks of which the first condition is better; higher, where neither way is", NumberEvidence::Runs),
    Ties = number_row("ties", Count, "tasks", "0..", Neither, NumberInput::Runs, SLUMP, "tasks of which the conditions are equal", NumberEvidence::Runs),
    Losses = number_row("losses", Count, "tasks", "0..", Neither, NumberInput::Runs, SLUMP, "tasks of which the second condition is better; higher, where neither way is", NumberEvidence::Runs),
    Zeros = number_row("zeros", Count, "pairs", "0..", Neither, NumberInput::Runs, "Wilcoxon 1945, as SciPy", "differences of 0, which wilcoxon drops", NumberEvidence::Runs),
    Rises = number_row("rises", Count, "runs", "0..", Neither, NumberInput::Runs, PAPER, "runs of which the last measured checkpoint is above the first", NumberEvidence::Runs),
    Level = number_row("level", Count, "runs", "0..", Neither, NumberInput::Runs, OURS, "runs of which both are equal", NumberEvidence::Runs),
    Falls = number_row("falls", Count, "runs", "0..", Neither, NumberInput::Runs, OURS, "runs of which the last measured checkpoint is below the first", NumberEvidence::Runs),
    ShareRising = number_row("share_rising", Share, "share", "0..1", Neither, NumberInput::Runs, PAPER, "rises / runs with two measured checkpoints or more", NumberEvidence::Runs),
    RisingSlopes = number_row("rising_slopes", Count, "runs", "0..", Neither, NumberInput::Runs, OURS, "runs whose slope is above 0", NumberEvidence::Runs),
    Slope = number_row("slope", Statistic, "as the metric, a checkpoint", "..", Neither, NumberInput::Runs, PAPER, "least squares over the measured checkpoints of a run; of several runs the mean", NumberEvidence::Runs),
}

#[expect(clippy::too_many_arguments, reason = "a row of a table, whose columns these are")]
const fn number_row(
    id: &'static str,
    form: NumberForm,
    unit: &'static str,
    range: &'static str,
    better: BetterDirection,
    input: NumberInput,
    source: &'static str,
    definition: &'static str,
    evidence: NumberEvidence,
) -> NumberDefinition {
    let (label, short) = (id, id);
    NumberDefinition {
        id,
        label,
        short,
        unit,
        range,
        better,
        form,
        input,
        source,
        definition,
        help: "",
        evidence,
        column: None,
        recorded_word: None,
    }
}

impl NumberDefinition {
    /// Sets the name that people read, and the head of a narrow column.
    const fn with_labels(self, label: &'static str, short: &'static str) -> Self {
        Self { label, short, ..self }
    }

    const fn with_help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    const fn with_column(self, word: &'static str, cells: u8) -> Self {
        Self { column: Some(NumberColumn { word, cells }), ..self }
    }

    const fn with_recorded_column(self, word: &'static str) -> Self {
        Self { recorded_word: Some(word), ..self }
    }
}
