//! The rows. A new number is one of them; where it belongs among the others decides the order of JSON and of `trajview metrics`.

use super::{
    row::{
        Better::{self, Higher, Lower, Neither},
        Column,
        Evidence::{self, Callables, Components, Files, Nodes, RatedPairs, Symbols, TestCases},
        NOWHERE,
        Of::{
            self, Code, Counted, Exposure, Judgement, Process, Raters, Reuse, RubricTree, Spent,
            Tests,
        },
        Row, Shown,
    },
    written::Form::{
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

/// Makes the closed list of numbers and their rows of one table, so that neither can lack what the other has.
macro_rules! numbers {
    ($($number:ident = $row:expr,)+) => {
        /// One number, by what it is and not by its name. The order is that of the rows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Number {
            $($number,)+
        }

        const COUNT: usize = [$(stringify!($number)),+].len();

        static ROWS: [Row; COUNT] = [$($row,)+];

        impl Number {
            pub const ALL: [Self; COUNT] = [$(Self::$number,)+];

            pub fn row(self) -> &'static Row {
                &ROWS[self as usize]
            }
        }
    };
}

#[rustfmt::skip] // a table: one row a number
numbers! {
    // The code.
    Files = row("files", Count, "files", "0..", Neither, Code(|it| f64::from(it.files)), OURS, "files the profile counts, without those it skips", Files)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: Some(0), csv: Some(0), beside: Some(3) }),
    Lines = row("lines", Count, "lines", "0..", Neither, Code(|it| it.totals.lines as f64), BOTH, "physical lines of those files", Files)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(1), beside: Some(4) }),
    Loc = row("loc", Count, "lines", "0..", Neither, Code(|it| it.totals.loc as f64), "radon, sloc", "lines that are neither blank, nor only a comment, nor a string that stands alone", Files)
        .called("lines of code", "loc")
        .shown(Shown { curve: Some(3), drawn_with: None, column: None, recorded: None, compare: Some(7), phase: Some(2), corpus: None, task: None, trend: None, score: Some(1), csv: Some(2), beside: None }),
    Sloc = row("sloc", Count, "lines", "0..", Neither, Code(|it| it.totals.sloc as f64), BOTH, "lines on which code starts, without docstrings (or strings that stand alone, in scb-check)", Files)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(3), beside: Some(5) }),
    Callables = row("callables", Count, "callables", "0..", Neither, Code(|it| it.totals.callables as f64), BOTH, "functions and methods", Callables)
        .called("functions", "functions")
        .shown(Shown { curve: Some(4), drawn_with: None, column: None, recorded: None, compare: Some(11), phase: None, corpus: None, task: None, trend: None, score: Some(2), csv: Some(4), beside: Some(6) }),
    HighCc = row("high_cc", Count, "callables", "0..", Lower, Code(|it| it.totals.high_cc as f64), BOTH, "callables with more than 10 paths", Callables)
        .called("complex (CC > 10)", "CC > 10")
        .shown(Shown { curve: Some(5), drawn_with: None, column: None, recorded: None, compare: Some(12), phase: None, corpus: None, task: None, trend: None, score: Some(3), csv: Some(5), beside: Some(7) }),
    MaxCc = row("max_cc", Count, "paths", "0..", Lower, Code(|it| f64::from(it.totals.max_cc)), OURS, "cyclomatic complexity of the callable with most", Callables)
        .called("most branches (CC)", "max CC")
        .shown(Shown { curve: Some(6), drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: Some(4), csv: Some(6), beside: Some(8) }),
    MeanCc = row("mean_cc", Tenths, "paths", "0..", Lower, Code(|it| it.totals.mean_cc), OURS, "mean cyclomatic complexity; 0 without callables", Callables)
        .called("mean branches (CC)", "mean CC")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(7), beside: Some(9) }),
    Mass = row("mass", Tenths, "paths * sqrt(lines)", "0..", Neither, Code(|it| it.totals.mass), BOTH, "sum over callables of cyclomatic complexity times the root of their lines", Callables)
        .shown(Shown { curve: Some(2), drawn_with: None, column: None, recorded: None, compare: Some(10), phase: None, corpus: None, task: None, trend: None, score: Some(5), csv: Some(8), beside: Some(2) }),
    HighMass = row("high_mass", Tenths, "paths * sqrt(lines)", "0..", Lower, Code(|it| it.totals.high_mass), BOTH, "the mass of callables with more than 10 paths", Callables)
        .called("mass above 10", "high mass")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(9), beside: None }),
    CloneLines = row("clone_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.clone_lines as f64), BOTH, "source lines in pieces of 3 lines or more that are there twice but for names and values", Evidence::FlaggedLines)
        .called("clone lines", "clone lines")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(11), beside: Some(10) }),
    RuleLines = row("rule_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.rule_lines as f64), BOTH, "source lines in a match of a rule; a line hit by many counts once", Evidence::FlaggedLines)
        .called("rule lines", "rule lines")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(12), beside: None }),
    WrapperLines = row("wrapper_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.wrapper_lines as f64), "scb-check", "source lines of functions that only pass a call on; 0 outside the scb-check profiles", Evidence::FlaggedLines)
        .called("wrapper lines", "wrapper lines")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(13), beside: None }),
    FlaggedLines = row("flagged_lines", Count, "lines", "0..", Lower, Code(|it| it.totals.flagged_lines as f64), BOTH, "source lines in a clone, a match or a wrapper", Evidence::FlaggedLines)
        .called("flagged lines", "flagged")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: Some(7), csv: Some(14), beside: None }),
    Erosion = row("erosion", FineShare, "share", "0..1", Lower, Code(|it| it.erosion), BOTH, "high_mass / mass; 0 without mass", Callables)
        .help("share of mass in callables with more than 10 paths, at the end")
        .shown(Shown { curve: Some(0), drawn_with: Some(Number::Verbosity), column: col(5, "erosion", 7, Some(3)), recorded: col(11, "recorded-erosion", 7, Some(8)), compare: Some(4), phase: Some(0), corpus: Some(3), task: None, trend: Some(0), score: Some(6), csv: Some(10), beside: Some(0) }),
    Verbosity = row("verbosity", FineShare, "share", "0..1", Lower, Code(|it| it.verbosity), PAPER, "flagged_lines / lines; in the scb-check profiles flagged_lines / sloc; 0 without lines", Evidence::FlaggedLines)
        .help("share of lines that are clones, rule hits or wrappers, at the end")
        .shown(Shown { curve: Some(1), drawn_with: Some(Number::Erosion), column: col(6, "verbosity", 9, Some(4)), recorded: col(12, "recorded-verbosity", 9, Some(9)), compare: Some(5), phase: Some(1), corpus: Some(4), task: None, trend: Some(1), score: Some(8), csv: Some(15), beside: Some(1) }),
    Gini = row("gini", FineShare, "share", "0..1", Lower, Code(|it| it.gini), "Gini coefficient", "how unevenly the mass is spread over the callables", Callables)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(16), beside: None }),
    // What modules use of each other.
    Dir = row("dir", Share, "share", "0..1", Higher, Reuse(|it| it.dir), SLUMP, "dependency integration: reused / exported, by our rules; none without exported symbols", Symbols)
        .called("reuse (DIR)", "DIR")
        .help("dependency integration: share of exported symbols that another module uses, at the end")
        .shown(Shown { curve: None, drawn_with: None, column: col(7, "dir", 6, Some(2)), recorded: None, compare: Some(1), phase: Some(6), corpus: Some(1), task: Some(1), trend: None, score: Some(9), csv: Some(20), beside: None }),
    Exported = row("exported", Count, "symbols", "0..", Neither, Reuse(|it| Some(it.exported? as f64)), OURS, "public top-level classes and functions of the modules that are no entries, no tests", Symbols)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(18), beside: None }),
    Reused = row("reused", Count, "symbols", "0..", Higher, Reuse(|it| Some(it.reused? as f64)), OURS, "exported symbols that another module imports and refers to; tests do not count", Symbols)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(19), beside: None }),
    Registered = row("registered", Count, "symbols", "0..", Neither, Reuse(|it| Some(it.registered? as f64)), OURS, "symbols in use without being reused: by a decorator, an entry point or a string; neither exported nor reused", Symbols),
    // What a judge gave.
    Mcf = row("mcf", Score, "score", "0..4", Higher, Judgement(|it| it.mcf), SLUMP, "mean component fidelity: mean score of the judged components; none where none is judged", Components)
        .called("mean score (MCF)", "MCF")
        .help("mean component fidelity, 0–4, of the judgement that speaks for the run")
        .shown(Shown { curve: Some(10), drawn_with: None, column: col(13, "mcf", 5, Some(0)), recorded: None, compare: Some(0), phase: Some(5), corpus: Some(0), task: Some(0), trend: None, score: None, csv: Some(21), beside: None }),
    McfCapped = row("mcf_capped", Score, "score", "0..4", Higher, Judgement(|it| it.mcf_capped), OURS, "mcf with blockers: where a component that blocks fails, the mean (or the scores it names) counts at most its cap; none where the checklist has no blocker", Components)
        .called("MCF with blockers", "MCF capped")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: Some(0), phase: None, corpus: Some(0), task: Some(0), trend: None, score: None, csv: None, beside: None }),
    If50 = row("if50", Share, "share", "0..1", Higher, Judgement(|it| Some(if50(it.mcf?, it.dir?))), SLUMP, "half mcf / 4, half dir; none without both", Components)
        .called("both (IF50)", "IF50")
        .help("half MCF / 4 and half DIR, where the end of the run was judged")
        .shown(Shown { curve: None, drawn_with: None, column: col(14, "if50", 6, Some(1)), recorded: None, compare: Some(2), phase: Some(7), corpus: Some(2), task: Some(2), trend: None, score: None, csv: Some(22), beside: None }),
    Severe = row("severe", Count, "components", "0..", Lower, Judgement(|it| Some(it.severe? as f64)), SLUMP, "judged components with a score of 0 (absent) or 1 (wrong)", Components)
        .called("severe failures", "severe")
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: Some(3), phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    Full = row("full", Count, "components", "0..", Higher, Judgement(|it| Some(it.full? as f64)), SLUMP, "judged components with a score of 4 (faithful)", Components),
    Judged = row("judged", Count, "components", "0..", Neither, Judgement(|it| Some(it.judged? as f64)), OURS, "components of the checklist with a score: what mcf and the shares are over", Components)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(23), beside: None }),
    Components = row("components", Count, "components", "0..", Neither, Judgement(|it| Some(it.components? as f64)), OURS, "components of the checklist; without one those that the judgement names", Evidence::Components)
        .shown(Shown { curve: None, drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(24), beside: None }),
    SevereShare = row("severe_share", Share, "share", "0..1", Lower, Judgement(|it| Some(it.severe? as f64 / it.judged? as f64)), SLUMP, "severe / judged", Components)
        .called("severe failures of all", "severe share"),
    FullShare = row("full_share", Share, "share", "0..1", Higher, Judgement(|it| Some(it.full? as f64 / it.judged? as f64)), SLUMP, "full / judged", Components)
        .called("faithful of all", "full share"),
    // What the dialogue gave away.
    Rcr = row("rcr", Percent, "share", "0..1", Neither, Exposure(|it| it.rcr), SLUMP, "components that can be recovered from what was said so far (level 1 or more) / components of the checklist", Evidence::Exposure)
        .called("recoverable", "RCR")
        .shown(Shown { curve: Some(11), drawn_with: Some(Number::Esr), column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(25), beside: None }),
    Esr = row("esr", Percent, "share", "0..1", Neither, Exposure(|it| it.esr), SLUMP, "components that were said explicitly so far (level 4) / components of the checklist", Evidence::Exposure)
        .called("explicit", "ESR")
        .shown(Shown { curve: Some(12), drawn_with: Some(Number::Rcr), column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: Some(26), beside: None }),
    // What the tests of a checkpoint said.
    Tests = row("tests", Percent, "share", "0..1", Higher, Tests(|it| Some(it.strict)), HARNESS, "tests of the checkpoint and of all before it: passed / all; none where the harness failed", TestCases)
        .called("tests passed", "strict")
        .help("tests of the last checkpoint and all before it: passed of all")
        .shown(Shown { curve: Some(8), drawn_with: None, column: col(8, "strict", 9, Some(5)), recorded: None, compare: Some(6), phase: Some(3), corpus: Some(5), task: Some(3), trend: None, score: None, csv: None, beside: None }),
    TestsIso = row("tests_iso", Percent, "share", "0..1", Higher, Tests(|it| it.iso), HARNESS, "tests of the checkpoint alone: passed / all; none where the harness failed", TestCases)
        .called("tests of this checkpoint", "iso")
        .help("tests of the last checkpoint alone: passed of all")
        .shown(Shown { curve: None, drawn_with: None, column: col(9, "iso", 9, Some(6)), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    TestsCore = row("tests_core", Percent, "share", "0..1", Higher, Tests(|it| it.core), HARNESS, "core tests of the checkpoint: passed / all; none where the harness failed", TestCases)
        .called("core tests", "core")
        .help("core tests of the last checkpoint: passed of all")
        .shown(Shown { curve: None, drawn_with: None, column: col(10, "core", 7, Some(7)), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    // What turns do and take.
    Turns = row("turns", Count, "turns", "0..", Neither, Counted(|it| it.turns), OURS, "requests that count, each with all that answers it", Evidence::Turns)
        .help("requests, each with all that answers it")
        .shown(Shown { curve: None, drawn_with: None, column: col(4, "turns", 6, Some(10)), recorded: None, compare: Some(9), phase: None, corpus: Some(8), task: None, trend: None, score: None, csv: None, beside: None }),
    Checkpoints = row("checkpoints", Count, "checkpoints", "0..", Neither, Counted(|it| it.checkpoints), OURS, "stages of the task", Evidence::Turns)
        .called("checkpoints", "ckpt")
        .help("checkpoints: stages of the task")
        .shown(Shown { curve: None, drawn_with: None, column: col(15, "checkpoints", 5, None), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    Churn = row("churn", Amount, "lines", "0..", Neither, Counted(|it| it.churn), OURS, "lines added and removed by the turns since the point before; of a run by all its turns", Evidence::Turns)
        .called("lines changed", "churn")
        .help("lines added and removed, as far as recorded edits tell; sorts by their sum")
        .shown(Shown { curve: Some(7), drawn_with: None, column: col(17, "churn", 13, Some(11)), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: Some(10), csv: Some(17), beside: None }),
    Tokens = row("tokens", Amount, "tokens", "0..", Neither, Spent(|it| it.tokens), RECORDING, "tokens read and written, cached ones included, each counted once; curves have those of each point, comparisons those from the beginning", Evidence::Turns)
        .help("tokens read and written, cached ones included")
        .shown(Shown { curve: Some(9), drawn_with: None, column: col(18, "tokens", 7, Some(12)), recorded: None, compare: Some(8), phase: Some(4), corpus: Some(6), task: None, trend: None, score: None, csv: None, beside: None }),
    Context = row("context_tokens", Amount, "tokens", "0..", Neither, Spent(|it| it.context), RECORDING, "tokens that the main agent's last model call read, cached ones included: what its context held at the end of the turn; of several turns that of the last", Evidence::Turns)
        .called("context", "context")
        .shown(Shown { curve: Some(9), drawn_with: None, column: None, recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    Cost = row("cost_usd", Dollars, "US dollars", "0..", Neither, Spent(|it| it.cost_usd), RECORDING, "as recorded", Evidence::Turns)
        .called("cost", "cost")
        .help("US dollars, as recorded")
        .shown(Shown { curve: None, drawn_with: None, column: col(19, "cost", 9, Some(13)), recorded: None, compare: None, phase: None, corpus: Some(7), task: None, trend: None, score: None, csv: None, beside: None }),
    CostComputed = row("cost_computed_usd", Dollars, "US dollars", "0..", Neither, Spent(|it| it.computed_usd), OURS, "at list prices from a dated table, from the tokens of each response; none where a token has no price", Evidence::Turns)
        .called("cost computed", "list cost")
        .help("US dollars at list prices, computed from tokens; nothing where a token has no price")
        .shown(Shown { curve: None, drawn_with: None, column: col(19, "listcost", 9, None), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    Duration = row("duration_s", Seconds, "seconds", "0..", Neither, Spent(|it| it.seconds), RECORDING, "from the first recorded moment to the last", Evidence::Turns)
        .called("time", "time")
        .help("from the first recorded moment to the last; in filters in seconds, or 5m, 2h")
        .shown(Shown { curve: None, drawn_with: None, column: col(20, "time", 8, Some(14)), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    Warnings = row("warnings", Count, "warnings", "0..", Neither, Counted(|it| it.warnings), OURS, "things in the recording that could not be used", Evidence::Turns)
        .called("warnings", "⚠")
        .help("things in the recording that could not be used; e lists them")
        .shown(Shown { curve: None, drawn_with: None, column: col(21, "warnings", 4, None), recorded: None, compare: None, phase: None, corpus: None, task: None, trend: None, score: None, csv: None, beside: None }),
    // How it was worked on.
    RigorScore = row("rigor_score", FineShare, "share", "0..1", Higher, Process(|it| it.rigor_score), RIGOR, "weighted mean of the seven pillars that the recording can tell (profile rigor-paper): .15 pf + .15 vc + .2 re + .1 aq + .1 ati + .2 tad + .1 ee", Evidence::Steps)
        .called("RigorScore", "rigor")
        .help("process discipline: weighted mean of the pillars that the recording can tell")
        .shown(Shown { curve: None, drawn_with: None, column: col(22, "rigor", 6, Some(15)), recorded: None, compare: Some(13), phase: None, corpus: Some(9), task: None, trend: None, score: None, csv: None, beside: None }),
    Signals = row("signals", Count, "signals", "0..", Lower, Process(|it| Some(it.signals? as f64)), OURS, "moments that are worth a look: loops, failures left, edits undone, names whose last use is lost; docs/process.md says how often they hit", Evidence::Steps)
        .called("signals", "signals")
        .help("moments that are worth a look: loops, failures left, edits undone, uses lost")
        .shown(Shown { curve: None, drawn_with: None, column: col(23, "signals", 7, Some(16)), recorded: None, compare: Some(14), phase: None, corpus: Some(10), task: None, trend: None, score: None, csv: None, beside: None }),
    MemoryEvents = row("memory_events", Count, "events", "0..", Neither, Process(|it| Some(it.memory_events? as f64)), OURS, "retrieval events and evidence cards of a memory, as memory.jsonl of the bundle records them", Evidence::Steps)
        .called("memory events", "memory")
        .help("what a memory did: routing, verification, expansion, cards given")
        .shown(Shown { curve: None, drawn_with: None, column: col(24, "memory", 6, None), recorded: None, compare: Some(15), phase: None, corpus: Some(11), task: None, trend: None, score: None, csv: None, beside: None }),
    StaleRate = row("stale_rate", FineShare, "share", "0..1", Lower, Process(|it| it.stale_rate), OURS, "evidence cards of a memory that were stale when given, of those whose cited files are known: a snippet stood nowhere in its file, or the file was gone; at a point of a curve of the cards given so far", Evidence::Steps)
        .called("stale cards", "stale")
        .help("share of a memory's evidence cards that were stale when the agent was given them")
        .shown(Shown { curve: Some(13), drawn_with: None, column: col(25, "stale", 6, Some(17)), recorded: None, compare: Some(16), phase: None, corpus: Some(12), task: None, trend: None, score: None, csv: None, beside: None }),
    PlanningFidelity = row("pf", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Planning)), RIGOR, ".30 a plan before code + .35 its quality (asks for a judge) + .35 Kendall's tau of planned and executed order, over what is known", Evidence::Steps),
    VerificationCoverage = row("vc", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Verification)), RIGOR, ".35 public functions named in a test file + .30 coverage gained + .35 requirements with a test (neither is recorded), over what is known", Evidence::Steps),
    RecoveryEfficiency = row("re", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Recovery)), RIGOR, ".30 / (1 + .2 cycles) + .35 strategies / attempts + .35 (1 - tokens of failed attempts / tokens), over what is known", Evidence::Steps),
    AbstentionQuality = row("aq", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Abstention)), RIGOR, "defined for tasks that cannot be done; no recording says that its task is one", Evidence::Steps),
    TransitionIntegrity = row("ati", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Transitions)), RIGOR, ".40 builds that succeed + .40 runs of tests that do not fail after one that passed + .20 commits (asks for a judge), as the agent ran them", Evidence::Steps),
    AssertionDensity = row("tad", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Assertions)), RIGOR, "min(1, meaningful assertions per test function / 5), of Python test files at the end", Evidence::Files),
    ExplorationEfficiency = row("ee", Share, "share", "0..1", Higher, Process(|it| it.pillar(Pillar::Exploration)), RIGOR, "files modified / (files read + files modified), each file once", Evidence::Steps),
    // What a rubric tree comes to.
    TreeScore = row("rubric_tree.score", Share, "score", "0..1", Higher, RubricTree(|it| it.score), RUBRIC, "the root's: the mean of the sub-tasks by weight, of their sub-tasks and so on; 0 where weights add up to 0; an invalid leaf counts as 0", Nodes)
        .called("score", "score"),
    TreeScoreWithoutInvalid = row("rubric_tree.score_without_invalid", Share, "score", "0..1", Higher, RubricTree(|it| it.score_without_invalid), OURS, "the same of the leaves that were judged successfully, the others and what is empty without them dropped", Nodes)
        .called("score without invalid", "score without invalid"),
    TreeCodeOnly = row("rubric_tree.code_only", Share, "score", "0..1", Higher, RubricTree(|it| it.code_only), RUBRIC, "the same of the leaves of the category Code Development (PaperBench Code-Dev)", Nodes)
        .called("code only", "code only"),
    TreeLeaves = row("rubric_tree.leaves", Count, "leaves", "1..", Neither, RubricTree(|it| Some(it.leaves as f64)), RUBRIC, "nodes without sub-tasks", Nodes)
        .called("leaves", "leaves"),
    TreeNodes = row("rubric_tree.nodes", Count, "nodes", "1..", Neither, RubricTree(|it| Some(it.nodes as f64)), OURS, "all nodes, the root included", Nodes)
        .called("nodes", "nodes"),
    TreeDepth = row("rubric_tree.depth", Count, "steps", "0..", Neither, RubricTree(|it| Some(it.depth as f64)), OURS, "from the root to the deepest node", Nodes)
        .called("depth", "depth"),
    TreeInvalid = row("rubric_tree.invalid", Count, "leaves", "0..", Lower, RubricTree(|it| Some(it.invalid? as f64)), RUBRIC, "leaves whose judging failed or gave no score that can be used", Nodes)
        .called("invalid", "invalid"),
    // What two raters agree on.
    Exact = row("exact", Share, "share", "0..1", Higher, Raters, SLUMP, "pairs of scores that are one", RatedPairs),
    Within1 = row("within_1", Share, "share", "0..1", Higher, Raters, SLUMP, "pairs of scores that differ by at most 1", RatedPairs),
    Kappa = row("kappa", Statistic, "coefficient", "..1", Higher, Raters, "Cohen 1960", "agreement beyond what the raters' base rates give by chance; every disagreement alike", RatedPairs),
    KappaLinear = row("kappa_linear", Statistic, "coefficient", "..1", Higher, Raters, "Cohen 1968", "the same, a disagreement weighing as many steps as there are between the levels", RatedPairs),
    KappaQuadratic = row("kappa_quadratic", Statistic, "coefficient", "..1", Higher, Raters, "Cohen 1968", "the same, by the square of the steps", RatedPairs),
    Spearman = row("spearman", Statistic, "coefficient", "-1..1", Higher, Raters, "Spearman 1904", "correlation of the ranks, equals sharing the mean rank", RatedPairs),
    Kendall = row("kendall", Statistic, "coefficient", "-1..1", Higher, Raters, "Kendall 1945, tau-b", "pairs in one order less pairs in the other, over those not tied", RatedPairs),
    Alpha = row("alpha", Statistic, "coefficient", "..1", Higher, Raters, "Krippendorff 2011, ordinal", "agreement beyond chance, a disagreement weighing the square of the scores between the levels", RatedPairs),
    Ac1 = row("ac1", Statistic, "coefficient", "..1", Higher, Raters, "Gwet 2008", "agreement beyond guessing among all levels; steady where one level is most of all, and 1 where both gave it throughout", RatedPairs),
    Ac2 = row("ac2", Statistic, "coefficient", "..1", Higher, Raters, "Gwet 2008, quadratic", "the same, near levels agreeing in part", RatedPairs),
    Boundary23 = row("boundary_2_3", Share, "share", "0..1", Lower, Raters, SLUMP, "of the pairs in which a rater gave Simplified or Equivalent those of which one is the one and one the other; none where nobody gave either", RatedPairs),
    Boundary34 = row("boundary_3_4", Share, "share", "0..1", Lower, Raters, SLUMP, "of the pairs in which a rater gave Equivalent or Faithful those of which one is the one and one the other; none where nobody gave either", RatedPairs),
    // What runs say together.
    Slump = row("slump", Statistic, "difference", "-1..1", Lower, Of::Runs, SLUMP, "if50 of the single-shot run minus if50 of the emergent one; of mcf (-4..4) and dir likewise", Evidence::Runs),
    GapRecovery = row("gap_recovery", Statistic, "share", "any", Higher, Of::Runs, SLUMP, "(treated - emergent) / (single-shot - emergent); none where that gap is not positive; over tasks the mean of these ratios, and the ratio of the means over all tasks", Evidence::Runs),
    MeanGap = row("mean_gap", Statistic, "as the metric", "..", Neither, Of::Runs, SLUMP, "mean of the first condition less the second, over tasks", Evidence::Runs),
    Wilcoxon = row("wilcoxon", Statistic, "p", "0..1", Neither, Of::Runs, "Wilcoxon 1945, as SciPy", "signed-rank test, zeros dropped; exact by permutation up to 25 gaps, ties included, else by the normal distribution corrected for ties", Evidence::Runs),
    PHolm = row("p_holm", Statistic, "p", "0..1", Neither, Of::Runs, "Holm 1979", "the p of wilcoxon adjusted for the metrics of the same agent in the table, those of which neither side can be the better left out", Evidence::Runs),
    CohenD = row("cohen_d", Statistic, "standard deviations", "..", Neither, Of::Runs, "Cohen 1988, paired", "mean gap over the standard deviation of the gaps; none where the gaps differ by rounding alone", Evidence::Runs),
    PNormal = row("p_normal", Statistic, "p", "0..1", Neither, Of::Runs, "Wilcoxon 1945, as SciPy", "the p of wilcoxon by the normal approximation, whatever the test that was made", Evidence::Runs),
    W = row("w", Statistic, "ranks", "0..", Neither, Of::Runs, "Wilcoxon 1945, as SciPy", "the smaller of the two sums of ranks", Evidence::Runs),
    Pearson = row("pearson", Statistic, "coefficient", "-1..1", Neither, Of::Runs, "Pearson 1895", "correlation of two numbers over the runs that have both", Evidence::Runs),
    P = row("p", Statistic, "p", "0..1", Neither, Of::Runs, "Wilcoxon 1945, as SciPy", "that of wilcoxon, by the test that was made; of a correlation, that there is none", Evidence::Runs),
    UsdPerSolved = row("usd_per_solved", Dollars, "US dollars", "0..", Lower, Of::Runs, OURS, "all dollars by all solved checkpoints of the runs of an agent under a condition, by recorded or by computed cost", Evidence::Runs),
    SolvedCheckpoints = row("solved_checkpoints", Count, "checkpoints", "0..", Higher, Of::Runs, OURS, "checkpoints of a run of which every test passed, those of earlier checkpoints included", Evidence::Runs),
    NotPriced = row("not_priced_tokens", Count, "tokens", "0..", Lower, Of::Runs, OURS, "tokens of a run that the table of prices has no price for", Evidence::Runs),
    LeftOut = row("left_out", Count, "runs", "0..", Neither, Of::Runs, OURS, "runs with fewer than two measured checkpoints, which have no slope", Evidence::Runs),
    UnmeasuredCheckpoints = row("unmeasured_checkpoints", Count, "checkpoints", "0..", Neither, Of::Runs, OURS, "checkpoints of which no file could be measured", Evidence::Runs),
    RunsCounted = row("runs", Count, "runs", "0..", Neither, Of::Runs, OURS, "runs that a trend is over", Evidence::Runs),
    PairsOfRuns = row("n", Count, "pairs", "0..", Neither, Of::Runs, OURS, "pairs that a test or a correlation is over", Evidence::Runs),
    Wins = row("wins", Count, "tasks", "0..", Neither, Of::Runs, SLUMP, "tasks of which the first condition is better; higher, where neither way is", Evidence::Runs),
    Ties = row("ties", Count, "tasks", "0..", Neither, Of::Runs, SLUMP, "tasks of which the conditions are equal", Evidence::Runs),
    Losses = row("losses", Count, "tasks", "0..", Neither, Of::Runs, SLUMP, "tasks of which the second condition is better; higher, where neither way is", Evidence::Runs),
    Zeros = row("zeros", Count, "pairs", "0..", Neither, Of::Runs, "Wilcoxon 1945, as SciPy", "differences of 0, which wilcoxon drops", Evidence::Runs),
    Rises = row("rises", Count, "runs", "0..", Neither, Of::Runs, PAPER, "runs of which the last measured checkpoint is above the first", Evidence::Runs),
    Level = row("level", Count, "runs", "0..", Neither, Of::Runs, OURS, "runs of which both are equal", Evidence::Runs),
    Falls = row("falls", Count, "runs", "0..", Neither, Of::Runs, OURS, "runs of which the last measured checkpoint is below the first", Evidence::Runs),
    ShareRising = row("share_rising", Share, "share", "0..1", Neither, Of::Runs, PAPER, "rises / runs with two measured checkpoints or more", Evidence::Runs),
    RisingSlopes = row("rising_slopes", Count, "runs", "0..", Neither, Of::Runs, OURS, "runs whose slope is above 0", Evidence::Runs),
    Slope = row("slope", Statistic, "as the metric, a checkpoint", "..", Neither, Of::Runs, PAPER, "least squares over the measured checkpoints of a run; of several runs the mean", Evidence::Runs),
}

#[expect(clippy::too_many_arguments, reason = "a row of a table, whose columns these are")]
const fn row(
    id: &'static str,
    form: Form,
    unit: &'static str,
    range: &'static str,
    better: Better,
    of: Of,
    source: &'static str,
    definition: &'static str,
    opens: Evidence,
) -> Row {
    let (label, short) = (id, id);
    let (help, shown) = ("", NOWHERE);
    Row { id, label, short, unit, range, better, form, of, source, definition, help, opens, shown }
}

const fn col(rank: u8, word: &'static str, cells: u8, tested: Option<u8>) -> Option<Column> {
    Some(Column { rank, word, cells, tested })
}

impl Row {
    /// What people read, and what heads a narrow column.
    const fn called(self, label: &'static str, short: &'static str) -> Self {
        Self { label, short, ..self }
    }

    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    const fn shown(self, shown: Shown) -> Self {
        Self { shown, ..self }
    }
}
