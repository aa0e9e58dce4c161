//! The numbers of each run: opened, scored and let go again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use trajview_analysis as analysis;
use trajview_analysis::scores::{ReuseRequest, ScoreRequest, Scorers, Scores};
use trajview_metrics::{
    Number,
    cost::Prices,
    exposure::ExposureAtTurn,
    faithfulness::Faithfulness,
    numbers::{
        CORPUS, TRENDS,
        facts::{MomentFacts, ReuseCounts, TestScores, TurnCounts, TurnUsage, VerdictSummary},
    },
    process::ProcessNumbers,
    quality::{QualitySnapshot, ScoredSnapshot},
};
use trajview_run::{
    Run, Tokens, Warning,
    checkpoint_record::RecordedTests,
    files::RunMoment,
    find_by_name::JudgeSelection,
    pooled_judgements::PoolRequest,
    rubric::{Judgement, Rubric},
    trial::TrialValues,
};
use trajview_store as store;
use trajview_store::{OpenedRecording, Siblings};
use trajview_study::{
    compare::{checkpoint_moments, turns_done_at_judgement},
    corpus::MeasuredRun,
    corrected::{
        estimator::{CorrectedMean, CorrectionRefusal},
        judgement_queue::corrected_mcf,
    },
    fairness::RunConduct,
    pairing::{RunIdentity, pairing_keys},
    trend::CheckpointSeries,
};

use super::cost_per_solved::SpentRow;

/// All runs that could be opened, and why the others could not.
pub struct CorpusRuns {
    pub measured: Vec<CorpusRunFacts>,
    pub problems: Vec<Warning>,
}

/// One run: what it is, and its numbers.
pub struct CorpusRunFacts {
    pub id: String,
    /// The path below the named folder.
    pub path: String,
    pub format: &'static str,
    pub model: Option<String>,
    /// The harness' result.
    pub trial: TrialValues,
    pub identity: RunIdentity,
    /// Turns that count; None without a log.
    pub turns: Option<usize>,
    pub states: RunStates,
    pub tokens: Tokens,
    /// Tests of the last checkpoint that has some, with its id.
    pub tests: Option<(String, RecordedTests)>,
    /// Seconds between the first recorded moment and the last.
    pub seconds: Option<f64>,
    pub judged: ChosenJudgement,
    pub warnings: usize,
    /// Sentences about values that could not be computed.
    pub trouble: Vec<String>,
    /// The numbers that go from checkpoint to checkpoint, at the end of each.
    pub series: Vec<(Number, CheckpointSeries)>,
    /// The cost, and the number of solved checkpoints.
    pub spent: SpentRow,
    pub measured: MeasuredRun,
}

/// The judgement that counts, with its component scores.
pub struct ChosenJudgement {
    /// The judge of the component scores.
    pub judge: Option<String>,
    /// The file of that judgement.
    pub file: Option<String>,
    /// The state that was judged, in turns done.
    pub turn: Option<usize>,
    /// The time when the judgement was made.
    pub judged_at: Option<String>,
    /// Other judgements of the whole checklist, which do not count: judge and file. Empty if a judge is named.
    pub other_judgements: Vec<String>,
    /// Components with a score, and all.
    pub counts: Option<(usize, usize)>,
    /// The MCF that blind labels correct, or the reason why there is none. None without a judgement.
    pub corrected: Option<Result<CorrectedMean, CorrectionRefusal>>,
    /// The score of each component that has one, by id.
    pub scores: BTreeMap<String, f64>,
}

/// The conduct of a run, and the states of it and of its turns.
pub struct RunStates {
    pub conduct: RunConduct,
    /// The recorder's state of the run: `running`, `finished`, `stopped` with the reason.
    pub of_run: Option<String>,
    /// A sentence for each turn that does not count, or was kept though it failed.
    pub of_turns: Vec<String>,
}

/// The tools and choices that runs are scored with.
pub struct CorpusOptions<'a> {
    pub scorers: &'a Scorers,
    /// The judge whose scores count; None for the judgement that each run chooses.
    pub judge: Option<JudgeSelection>,
    pub prices: &'a Prices,
    /// True if nothing is scored or counted beyond what the outcomes need.
    pub is_outcomes_only: bool,
}

/// Opens and scores every run, in the order of their paths.
pub(crate) fn measure_runs(
    paths: &[PathBuf],
    folder: &Path,
    with: &CorpusOptions<'_>,
) -> CorpusRuns {
    let name = |path: &Path| {
        let below = path.strip_prefix(folder).ok().filter(|below| !below.as_os_str().is_empty());
        below.unwrap_or(path).display().to_string()
    };
    let siblings = Siblings::default();
    let open = |path: &PathBuf| match store::open_among(path, &siblings) {
        Ok(opened) => {
            Ok(run_facts(&opened.with_cache(with.scorers.scorer.cache()), path, name(path), with))
        }
        Err(why) => Err(Warning { place: name(path), what: why.to_string() }),
    };
    // What is measured is written to the cache together.
    let opened: Vec<Result<CorpusRunFacts, _>> =
        with.scorers.scorer.batch_cache_writes(|| paths.par_iter().map(open).collect());
    let mut runs = CorpusRuns { measured: vec![], problems: vec![] };
    for run in opened {
        match run {
            Ok(run) => {
                let problem =
                    |what: &String| Warning { place: run.path.clone(), what: what.clone() };
                runs.problems.extend(run.trouble.iter().map(problem));
                runs.measured.push(run);
            }
            Err(problem) => runs.problems.push(problem),
        }
    }
    let names: Vec<RunIdentity> = runs.measured.iter().map(|run| run.identity.clone()).collect();
    for (run, key) in runs.measured.iter_mut().zip(pairing_keys(&names)) {
        run.measured.key = key;
    }
    runs
}

fn run_facts(
    opened: &OpenedRecording,
    path: &Path,
    name: String,
    CorpusOptions { scorers, judge, prices, is_outcomes_only }: &CorpusOptions<'_>,
) -> CorpusRunFacts {
    let (run, archive) = (&*opened.run, &*opened.archive);
    // Without a log there is no state of code: nothing to measure, which is not 0.
    let has_turns = !run.has_no_log();
    let mut trouble = vec![];
    let is_scored = has_turns && !is_outcomes_only;
    let (scored, reuse) = match is_scored {
        true => code_and_reuse(opened, scorers, &mut trouble),
        false => Default::default(),
    };
    let series = checkpoint_series(run, &scored);
    let mut rubric = store::rubric::read_beside(path);
    if let Some(JudgeSelection::Judge(word)) = judge.as_ref() {
        // One that has nothing to pool has no judgement of that name.
        let _ = PoolRequest::from_word(word).map(|pooling| rubric.add_pooled(&pooling?));
    }
    let faithfulness = judged_faithfulness(&rubric, judge.as_ref());
    if faithfulness.is_none() && !rubric.partial_coverages().is_empty() {
        let partial = rubric.partial_coverages().join("; ");
        trouble.push(format!("incomplete judgement, not used: {partial}; choose one with --judge"));
    }
    trouble.extend(faithfulness.iter().flat_map(|(_, scores)| scores.doubt_notes()));
    let tests = last_tests(run);
    let bought = SpentRow::for_run(run, prices);
    let turns = run.counted_turns().count();
    let tokens = run.tokens();
    let exposure = rubric.exposure.as_ref();
    let end_facts = RunEndFacts {
        code: measured_code(scored.get(&run.end_in_turns())),
        reuse,
        scores: faithfulness.as_ref().map(|(_, scores)| scores),
        exposed: exposure
            .and_then(|it| ExposureAtTurn::new(it, rubric.checklist.as_ref(), run.end_in_turns())),
        tests: tests.as_ref().map(|(_, tests)| tests),
        counted: TurnCounts {
            turns: has_turns.then_some(turns as f64),
            checkpoints: Some(run.checkpoints.len() as f64),
            churn: None,
            warnings: Some((run.warnings.len() + rubric.warnings.len()) as f64),
        },
        spent: TurnUsage {
            tokens: tokens.total().map(|sum| sum as f64),
            cost_usd: bought.recorded_usd,
            computed_usd: bought.cost_computed_usd,
            ..TurnUsage::default()
        },
        processed: is_scored.then(|| analysis::process_numbers(archive, run)),
    };
    let value = |number: &Number| {
        Some((*number, number.value_at(&end_facts).filter(|value| value.is_finite())?))
    };
    let values = CORPUS.iter().filter_map(value).collect();
    let identity = RunIdentity::for_run(run);
    CorpusRunFacts {
        measured: MeasuredRun { key: identity.key.clone(), values },
        identity,
        id: run.id.clone(),
        path: name,
        format: run.origin.format,
        model: run.model.clone(),
        trial: TrialValues::for_run(run),
        turns: has_turns.then_some(turns),
        states: RunStates {
            conduct: RunConduct::for_run(run),
            of_run: run.origin.record.state.clone(),
            of_turns: run.state_sentences(),
        },
        tokens,
        tests,
        seconds: run.duration_s(),
        judged: ChosenJudgement {
            judge: faithfulness.as_ref().map(|(judge, _)| judge.clone()),
            file: chosen_judgement(&rubric, judge.as_ref()).map(|it| it.file.clone()),
            turn: chosen_judgement(&rubric, judge.as_ref())
                .map(|it| turns_done_at_judgement(run, it)),
            judged_at: chosen_judgement(&rubric, judge.as_ref())
                .and_then(|it| it.created_at.clone()),
            other_judgements: if judge.is_none() { other_judgements(&rubric) } else { vec![] },
            counts: faithfulness.as_ref().map(|(_, scores)| (scores.judged, scores.components)),
            corrected: chosen_judgement(&rubric, judge.as_ref())
                .map(|judgement| corrected_mcf(&rubric, judgement)),
            scores: component_scores(&rubric, judge.as_ref()),
        },
        warnings: run.warnings.len() + rubric.warnings.len(),
        spent: bought,
        trouble,
        series,
    }
}

/// Scores the end of the run and of each checkpoint, by turns done, and DIR at the end. Adds a sentence to
/// `trouble` for each part that cannot be read.
fn code_and_reuse(
    opened: &OpenedRecording,
    scorers: &Scorers,
    trouble: &mut Vec<String>,
) -> (BTreeMap<usize, ScoredSnapshot>, Option<ReuseCounts>) {
    let run = &*opened.run;
    let ends =
        checkpoint_moments(run).into_iter().map(|moment| moment.done).chain([run.end_in_turns()]);
    let ends: Vec<usize> = ends.collect::<BTreeSet<usize>>().into_iter().collect();
    let request = ScoreRequest {
        moments: &RunMoment::after_each_count(&ends),
        with_detail: false,
        reuse: ReuseRequest::AtEnd(&scorers.reader),
        for_process: true,
    };
    let scores = Scores::for_run(&opened.archive, run, &request, &scorers.scorer, &|_, _, _| true);
    let mut noted = |why: String| trouble.push(why);
    let Ok(Scores { code, reuse }) = scores.map_err(&mut noted) else { return Default::default() };
    let reuse = reuse.map_err(noted).ok();
    (ends.into_iter().zip(code).collect(), reuse.and_then(|reuse| reuse.end_counts()))
}

/// Returns the series of each number with a trend over checkpoints; empty for a run without checkpoints.
fn checkpoint_series(
    run: &Run,
    scored: &BTreeMap<usize, ScoredSnapshot>,
) -> Vec<(Number, CheckpointSeries)> {
    let ends = checkpoint_moments(run).into_iter().filter(|moment| moment.checkpoint.is_some());
    let ends: Vec<usize> = ends.map(|moment| moment.done).collect();
    let at = |number: Number, done| number.value_of_code(measured_code(scored.get(done))?);
    let series_of = |number: Number| (number, ends.iter().map(|done| at(number, done)).collect());
    TRENDS.iter().copied().map(series_of).collect()
}

/// Returns the measured code. None if no file was measured.
fn measured_code(scored: Option<&ScoredSnapshot>) -> Option<&QualitySnapshot> {
    scored.and_then(ScoredSnapshot::measured_snapshot)
}

/// The facts on a run at its end.
struct RunEndFacts<'a> {
    code: Option<&'a QualitySnapshot>,
    reuse: Option<ReuseCounts>,
    scores: Option<&'a Faithfulness>,
    exposed: Option<ExposureAtTurn>,
    tests: Option<&'a RecordedTests>,
    counted: TurnCounts,
    spent: TurnUsage,
    processed: Option<ProcessNumbers>,
}

impl MomentFacts for RunEndFacts<'_> {
    fn code_snapshot(&self) -> Option<&QualitySnapshot> {
        self.code
    }

    fn reuse_counts(&self) -> Option<ReuseCounts> {
        self.reuse
    }

    fn verdict_summary(&self) -> Option<VerdictSummary> {
        Some(VerdictSummary::from_scores(self.scores?, self.reuse.and_then(|reuse| reuse.dir)))
    }

    fn exposure_shares(&self) -> Option<ExposureAtTurn> {
        self.exposed
    }

    fn test_results(&self) -> Option<TestScores> {
        TestScores::from_tests(self.tests?)
    }

    fn turn_counts(&self) -> TurnCounts {
        self.counted
    }

    fn turn_usage(&self) -> TurnUsage {
        self.spent
    }

    fn process_numbers(&self) -> Option<ProcessNumbers> {
        self.processed
    }
}

/// Returns the judgement for the end of the run, chosen as `score` does.
fn chosen_judgement<'a>(
    rubric: &'a Rubric,
    judge: Option<&JudgeSelection>,
) -> Option<&'a Judgement> {
    match judge {
        Some(judge) => rubric.judgements.get(judge.position_in_run(rubric)?),
        None => rubric.result_judgement(),
    }
}

/// Lists the judgements of the whole checklist that were not chosen, `gpt (judgements/b.json)`. Empty if the
/// checklist names the judge.
fn other_judgements(rubric: &Rubric) -> Vec<String> {
    if rubric.result_judge().is_some() {
        return vec![];
    }
    let chosen = rubric.result_judgement().map(|it| &it.file);
    let complete = rubric.judgements.iter().filter(|it| rubric.is_covered_by(it));
    let others = complete.filter(|it| Some(&it.file) != chosen);
    others.map(|it| format!("{} ({})", it.judge.name, it.file)).collect()
}

/// Returns the scores of the checklist's components, or of all components where there is no checklist.
fn component_scores(rubric: &Rubric, judge: Option<&JudgeSelection>) -> BTreeMap<String, f64> {
    let verdicts = chosen_judgement(rubric, judge).into_iter().flat_map(|it| &it.verdicts);
    let is_listed = |id: &str| {
        rubric.checklist.as_ref().is_none_or(|it| it.components.iter().any(|one| one.id == id))
    };
    let listed = verdicts.filter(|verdict| is_listed(&verdict.component));
    listed.filter_map(|it| Some((it.component.clone(), f64::from(it.counted_level()?)))).collect()
}

fn judged_faithfulness(
    rubric: &Rubric,
    judge: Option<&JudgeSelection>,
) -> Option<(String, Faithfulness)> {
    let chosen = chosen_judgement(rubric, judge)?;
    Some((
        chosen.judge.name.clone(),
        Faithfulness::from_judgement(chosen, rubric.checklist.as_ref()),
    ))
}

fn last_tests(run: &Run) -> Option<(String, RecordedTests)> {
    run.checkpoints.iter().rev().find_map(|checkpoint| {
        let tests = checkpoint.recorded.as_ref()?.tests.as_ref()?;
        Some((checkpoint.id.clone(), tests.clone()))
    })
}
