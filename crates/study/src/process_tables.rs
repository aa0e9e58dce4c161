//! Process over several runs: a grid of tasks and harnesses, a ranking with intervals, the correlation of process
//! with outcome, and the tables of RigorBench's paper: [`overall_table`] (III), [`condition_table`] (IV),
//! [`pillar_table`] (V).

use std::collections::BTreeMap;

use serde::Serialize;

use trajview_metrics::process::Pillar;

use super::{
    bootstrap::{BootstrapPlan, Interval, bca_estimate},
    correlation::correlate_pairs,
    maths::mean,
    undefined::NumberOrReason,
};

/// A run with its process scores.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessRun {
    pub task: String,
    pub harness: String,
    /// 0 to 1; None where the recording gives no pillar.
    pub score: Option<f64>,
    /// The outcome of the run by any measure; None where it is not recorded.
    pub outcome: Option<f64>,
    /// The scores in the order of [`Pillar::ALL`].
    pub pillars: [Option<f64>; Pillar::ALL.len()],
}

/// The runs of one task with one harness.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GridCell {
    pub task: String,
    pub harness: String,
    /// Runs with a score.
    pub n: usize,
    pub mean: Option<f64>,
}

/// A harness in the ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HarnessRank {
    pub harness: String,
    /// Runs with a score, and without.
    pub n: usize,
    pub without: usize,
    pub mean: Option<f64>,
    /// 95 % (BCa) over runs; None where it is not defined.
    pub interval: Option<Interval>,
}

/// The correlation of process with outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutcomeCorrelation {
    /// `all runs`, `harness means`, or one harness.
    pub over: String,
    pub n: usize,
    /// Spearman's rank correlation; None where it is not defined.
    pub rho: Option<f64>,
    pub p: Option<f64>,
}

/// Mean and spread of a number over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanSpread {
    /// Runs that have it.
    pub n: usize,
    pub mean: Option<f64>,
    /// Standard deviation (n - 1); None of fewer than two.
    pub deviation: Option<f64>,
}

impl MeanSpread {
    fn from_values(values: &[f64]) -> Self {
        let centre = mean_of(values);
        let deviation = centre.filter(|_| values.len() > 1).map(|centre| {
            let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
            (squares / (values.len() - 1) as f64).sqrt()
        });
        Self { n: values.len(), mean: centre, deviation }
    }
}

/// A harness over all its runs: Table III of RigorBench's paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverallRow {
    pub harness: String,
    pub rigor_score: MeanSpread,
    pub outcome: MeanSpread,
}

/// A harness pillar by pillar: Table V of the paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PillarMeans {
    pub harness: String,
    pub n: usize,
    /// Means over the runs that have the pillar.
    pub pillars: BTreeMap<&'static str, Option<f64>>,
    pub rigor_score: Option<f64>,
}

/// A pillar under two conditions: Table IV of the paper.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PillarContrast {
    pub pillar: &'static str,
    pub name: &'static str,
    pub weight: f64,
    /// The mean of the means of the harnesses that do not enforce discipline.
    pub baseline: Option<f64>,
    /// The mean of the harness that enforces discipline.
    pub disciplined: Option<f64>,
    pub delta: Option<f64>,
}

/// The harness that Table IV sets against all others.
pub const DISCIPLINED: &str = "Agent-Rigor";

/// Returns a row for each harness, the best first.
pub fn overall_table(runs: &[ProcessRun]) -> Vec<OverallRow> {
    let row = |harness: &str| {
        let harness_runs = || runs.iter().filter(|run| run.harness == harness);
        let scores: Vec<f64> = harness_runs().filter_map(|run| run.score).collect();
        let worth: Vec<f64> = harness_runs().filter_map(|run| run.outcome).collect();
        let (rigor_score, outcome) =
            (MeanSpread::from_values(&scores), MeanSpread::from_values(&worth));
        OverallRow { harness: harness.into(), rigor_score, outcome }
    };
    let mut rows: Vec<OverallRow> = harness_names(runs).into_iter().map(row).collect();
    let key = |row: &OverallRow| row.rigor_score.mean.unwrap_or(-1.0);
    rows.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.harness.cmp(&b.harness)));
    rows
}

/// Returns the means by pillar, in the order of [`overall_table`].
pub fn pillar_table(runs: &[ProcessRun]) -> Vec<PillarMeans> {
    let row = |row: OverallRow| {
        let harness_runs = || runs.iter().filter(|run| run.harness == row.harness);
        let pillar_mean = |pillar: &Pillar| {
            let values: Vec<f64> =
                harness_runs().filter_map(|run| run.pillars[*pillar as usize]).collect();
            (pillar.word(), mean_of(&values))
        };
        PillarMeans {
            n: harness_runs().count(),
            pillars: Pillar::ALL.iter().map(pillar_mean).collect(),
            rigor_score: row.rigor_score.mean,
            harness: row.harness,
        }
    };
    overall_table(runs).into_iter().map(row).collect()
}

/// Returns an empty table where [`DISCIPLINED`] is not among the harnesses, or is the only one.
pub fn condition_table(runs: &[ProcessRun]) -> Vec<PillarContrast> {
    let (disciplined, others): (Vec<PillarMeans>, Vec<PillarMeans>) =
        pillar_table(runs).into_iter().partition(|row| row.harness == DISCIPLINED);
    let [disciplined] = disciplined.as_slice() else { return vec![] };
    if others.is_empty() {
        return vec![];
    }
    let row = |pillar: &Pillar| {
        let pillar_value = |row: &PillarMeans| row.pillars.get(pillar.word()).copied().flatten();
        let baseline = mean_of(&others.iter().filter_map(pillar_value).collect::<Vec<_>>());
        let disciplined = pillar_value(disciplined);
        PillarContrast {
            pillar: pillar.word(),
            name: pillar.name(),
            weight: pillar.weight(),
            delta: disciplined.zip(baseline).map(|(a, b)| a - b),
            baseline,
            disciplined,
        }
    };
    Pillar::ALL.iter().map(row).collect()
}

/// Returns a cell for each pair of task and harness that has a run, by task, then by harness.
pub fn process_grid(runs: &[ProcessRun]) -> Vec<GridCell> {
    let mut keys: Vec<(&str, &str)> =
        runs.iter().map(|run| (run.task.as_str(), run.harness.as_str())).collect();
    keys.sort_unstable();
    keys.dedup();
    let cell = |(task, harness): (&str, &str)| {
        let cell_runs = runs.iter().filter(|run| run.task == task && run.harness == harness);
        let scores: Vec<f64> = cell_runs.filter_map(|run| run.score).collect();
        GridCell {
            task: task.into(),
            harness: harness.into(),
            n: scores.len(),
            mean: mean_of(&scores),
        }
    };
    keys.into_iter().map(cell).collect()
}

/// Ranks the harnesses, the best first; those without a score last.
pub fn rank_harnesses(runs: &[ProcessRun], plan: &BootstrapPlan) -> Vec<HarnessRank> {
    let mut rows: Vec<HarnessRank> = harness_names(runs)
        .into_iter()
        .map(|harness| {
            let harness_runs: Vec<&ProcessRun> =
                runs.iter().filter(|run| run.harness == harness).collect();
            let scores: Vec<f64> = harness_runs.iter().filter_map(|run| run.score).collect();
            let interval = (plan.resamples > 0 && scores.len() > 1).then(|| {
                let drawn = |draw: Vec<usize>| {
                    Ok(mean(&draw.iter().map(|at| scores[*at]).collect::<Vec<_>>()))
                };
                let without = |one: usize| {
                    let others = scores.iter().enumerate().filter(|(at, _)| *at != one);
                    Ok(mean(&others.map(|(_, score)| *score).collect::<Vec<_>>()))
                };
                let resampled: Vec<NumberOrReason> =
                    plan.draws_among(scores.len()).map(drawn).collect();
                let without: Vec<NumberOrReason> = (0..scores.len()).map(without).collect();
                bca_estimate(Ok(mean(&scores)), &resampled, &without, plan.confidence).interval.ok()
            });
            HarnessRank {
                n: scores.len(),
                without: harness_runs.len() - scores.len(),
                mean: mean_of(&scores),
                interval: interval.flatten(),
                harness: harness.into(),
            }
        })
        .collect();
    rows.sort_by(|a, b| {
        let by_mean = b.mean.unwrap_or(-1.0).total_cmp(&a.mean.unwrap_or(-1.0));
        by_mean.then_with(|| a.harness.cmp(&b.harness))
    });
    rows
}

/// Correlates over all runs, over the means of the harnesses, and within each harness.
pub fn outcome_correlations(runs: &[ProcessRun]) -> Vec<OutcomeCorrelation> {
    let pair = |run: &ProcessRun| Some((run.score?, run.outcome?));
    let mut rows = vec![outcome_correlation("all runs", runs.iter().filter_map(pair).collect())];
    let mut means = vec![];
    let mut within = vec![];
    for harness in harness_names(runs) {
        let known_pairs = runs.iter().filter(|run| run.harness == harness).filter_map(pair);
        let pairs: Vec<(f64, f64)> = known_pairs.collect();
        let (scores, worth): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        means.extend(mean_of(&scores).zip(mean_of(&worth)));
        within.push(outcome_correlation(harness, pairs));
    }
    rows.push(outcome_correlation("harness means", means));
    rows.extend(within);
    rows
}

fn outcome_correlation(over: &str, pairs: Vec<(f64, f64)>) -> OutcomeCorrelation {
    let found = correlate_pairs(&pairs);
    let spearman = found.spearman.ok();
    OutcomeCorrelation {
        over: over.to_owned(),
        n: found.n,
        rho: spearman.map(|it| it.r),
        p: spearman.and_then(|it| it.p.ok()),
    }
}

fn harness_names(runs: &[ProcessRun]) -> Vec<&str> {
    let mut names: Vec<&str> = runs.iter().map(|run| run.harness.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn mean_of(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process_run(task: &str, harness: &str, score: f64, outcome: f64) -> ProcessRun {
        let (task, harness) = (task.into(), harness.into());
        let score = (score >= 0.0).then_some(score);
        let mut pillars = [None; 7];
        pillars[Pillar::Assertions as usize] = score;
        ProcessRun { task, harness, score, outcome: Some(outcome), pillars }
    }

    fn sample_runs() -> Vec<ProcessRun> {
        vec![
            process_run("t1", "a", 0.2, 0.1),
            process_run("t2", "a", 0.4, 0.3),
            process_run("t3", "a", 0.6, 0.2),
            process_run("t1", "b", 0.9, 0.8),
            process_run("t1", "b", 0.7, 0.9),
            process_run("t2", "b", -1.0, 0.5),
        ]
    }

    #[test]
    fn a_cell_is_the_mean_of_its_runs_and_a_run_without_a_score_is_not_zero() {
        let cells: Vec<_> = process_grid(&sample_runs())
            .into_iter()
            .map(|it| (it.task, it.harness, it.n))
            .collect();
        let wanted =
            [("t1", "a", 1), ("t1", "b", 2), ("t2", "a", 1), ("t2", "b", 0), ("t3", "a", 1)];
        let wanted: Vec<_> =
            wanted.iter().map(|(a, b, n)| (a.to_string(), b.to_string(), *n)).collect();
        assert_eq!(cells, wanted);
    }

    #[test]
    fn the_best_harness_is_first_with_its_interval() {
        let ranking = rank_harnesses(
            &sample_runs(),
            &BootstrapPlan { resamples: 999, ..BootstrapPlan::default() },
        );
        assert_eq!((ranking[0].harness.as_str(), ranking[0].n, ranking[0].without), ("b", 2, 1));
        assert_eq!(ranking[0].mean, Some(0.8));
        let interval = ranking[1].interval.unwrap();
        assert!(interval.low < 0.4 && 0.4 < interval.high);
    }

    #[test]
    fn the_tables_of_the_paper_are_means_of_runs_and_of_the_other_harnesses() {
        let runs = vec![
            process_run("t1", DISCIPLINED, 0.9, 0.8),
            process_run("t2", DISCIPLINED, 0.7, 0.6),
            process_run("t1", "a", 0.2, 0.1),
            process_run("t2", "a", 0.4, 0.3),
            process_run("t1", "b", 0.6, 0.5),
        ];

        let overall = overall_table(&runs);
        assert_eq!(overall[0].harness, DISCIPLINED);
        let MeanSpread { n, mean, deviation } = overall[0].rigor_score;
        assert_eq!((n, mean), (2, Some(0.8)));
        assert!((deviation.unwrap() - 0.02f64.sqrt()).abs() < 1e-12);
        assert_eq!(overall[1].rigor_score.deviation, None, "of one run");

        // The means of a and b, 0.3 and 0.6, count alike though b has one run.
        let tad = condition_table(&runs).into_iter().find(|row| row.pillar == "tad").unwrap();
        assert!((tad.baseline.unwrap() - 0.45).abs() < 1e-12, "{tad:?}");
        assert!((tad.delta.unwrap() - 0.35).abs() < 1e-12, "{tad:?}");
        assert_eq!(pillar_table(&runs)[0].pillars["pf"], None);
        assert_eq!(condition_table(&runs[2..]), []);
    }

    #[test]
    fn process_and_outcome_are_correlated_across_and_within() {
        let rows = outcome_correlations(&sample_runs());
        let named: Vec<_> = rows.iter().map(|it| (it.over.as_str(), it.n, it.rho)).collect();
        assert_eq!(named[0].0, "all runs");
        assert_eq!(named[1], ("harness means", 2, Some(1.0)));
        assert_eq!(named[2], ("a", 3, Some(0.5)));
        assert_eq!(named[3], ("b", 2, Some(-1.0)));
    }
}
