//! The numbers of each run: opened, scored and let go again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use crate::{
    metrics::{
        faithfulness::{Faithfulness, if50},
        quality::Scored,
        reuse::Reuse,
    },
    run::{Run, Tokens, named::Named, recorded::Tests, rubric::Rubric},
    store::{self, Opened, ReuseReader, Scorer, Siblings},
    study::{
        compare::moments_of,
        corpus::{Measure, Measured},
        pairing::{Identity, keys},
        trend::Series,
    },
};

/// All runs that could be opened, and why the others could not.
pub struct Runs {
    pub measured: Vec<RunFacts>,
    /// Path and reason.
    pub problems: Vec<(String, String)>,
}

/// One run: what it is, and its numbers.
pub struct RunFacts {
    pub id: String,
    /// Below the folder that was named.
    pub path: String,
    pub format: &'static str,
    pub model: Option<String>,
    pub identity: Identity,
    /// Those that count; None for a rubric tree alone.
    pub turns: Option<usize>,
    /// As its recorder says: `running`, `finished`, `stopped` and why.
    pub state: Option<String>,
    /// A sentence for each turn that does not count, or was kept though it failed.
    pub states: Vec<String>,
    pub tokens: Tokens,
    pub cost_usd: Option<f64>,
    /// Those after the last checkpoint that has some, with its id.
    pub tests: Option<(String, Tests)>,
    /// Who gave the component scores.
    pub judge: Option<String>,
    /// Components with a score, and all.
    pub judged: Option<(usize, usize)>,
    pub warnings: usize,
    /// What could not be worked out, in sentences.
    pub trouble: Vec<String>,
    /// Erosion and verbosity at the end of each checkpoint.
    pub series: [Series; 2],
    pub measured: Measured,
}

/// What runs are scored with.
pub struct With<'a> {
    pub scorer: &'a Scorer,
    pub reader: &'a ReuseReader,
    /// Whose scores count; None for the judgement that speaks for each run.
    pub judge: Option<Named>,
}

/// Opens and scores every run, in the order of their paths.
pub fn all(paths: &[PathBuf], folder: &Path, with: &With<'_>) -> Runs {
    let name = |path: &Path| {
        let below = path.strip_prefix(folder).ok().filter(|below| !below.as_os_str().is_empty());
        below.unwrap_or(path).display().to_string()
    };
    let siblings = Siblings::default();
    let open = |path: &PathBuf| match store::open_among(path, &siblings) {
        Ok(opened) => Ok(facts(&opened, path, name(path), with)),
        Err(why) => Err((name(path), why.to_string())),
    };
    let opened: Vec<Result<RunFacts, _>> = paths.par_iter().map(open).collect();
    let mut runs = Runs { measured: vec![], problems: vec![] };
    for run in opened {
        match run {
            Ok(run) => {
                runs.problems
                    .extend(run.trouble.iter().map(|what| (run.path.clone(), what.clone())));
                runs.measured.push(run);
            }
            Err(problem) => runs.problems.push(problem),
        }
    }
    let names: Vec<Identity> = runs.measured.iter().map(|run| run.identity.clone()).collect();
    for (run, key) in runs.measured.iter_mut().zip(keys(&names)) {
        run.measured.key = key;
    }
    runs
}

fn facts(
    opened: &Opened,
    path: &Path,
    name: String,
    With { scorer, reader, judge }: &With<'_>,
) -> RunFacts {
    let (run, archive) = (&*opened.run, &*opened.archive);
    // A rubric tree alone has no state of code: nothing to measure, which is not 0.
    let has_turns = !(run.turns.is_empty() && run.rubric_tree.is_some());
    let ends = [run.end()];
    let end = if has_turns { &ends[..] } else { &[] };
    let mut trouble = vec![];
    let scored = match has_turns {
        true => scored(opened, scorer),
        false => Ok(BTreeMap::new()),
    };
    let scored = scored.unwrap_or_else(|why| {
        trouble.push(why);
        BTreeMap::new()
    });
    let series = series(run, &scored);
    let scored = scored.get(&run.end());
    let reuse = archive.reuse(run, end, reader).map(|mut reuse| reuse.pop().flatten());
    let dir = match reuse {
        Ok(reuse) => reuse.as_ref().and_then(Reuse::dir),
        Err(why) => {
            trouble.push(why);
            None
        }
    };
    trouble.dedup(); // both read the same files
    let rubric = store::rubric::read(path);
    let faithfulness = faithfulness(&rubric, judge.as_ref());
    if faithfulness.is_none() && !rubric.partial().is_empty() {
        let partial = rubric.partial().join("; ");
        trouble.push(format!("judged in part, which is no result: {partial}; --judge names one"));
    }
    let mcf = faithfulness.as_ref().and_then(|(_, scores)| scores.mcf());
    let tests = tests(run);
    let cost_usd = run.cost_usd();
    let turns = run.counted_turns().count();
    let tokens = run.tokens();
    let values = [
        (Measure::Mcf, mcf),
        (Measure::Dir, dir),
        (Measure::If50, mcf.zip(dir).map(|(mcf, dir)| if50(mcf, dir))),
        (Measure::Erosion, scored.and_then(Scored::erosion)),
        (Measure::Verbosity, scored.and_then(Scored::verbosity)),
        (Measure::Tests, tests.as_ref().and_then(|(_, tests)| pass_rate(tests))),
        (Measure::Tokens, total(tokens)),
        (Measure::CostUsd, cost_usd),
        (Measure::Turns, has_turns.then_some(turns as f64)),
    ];
    let known = values
        .into_iter()
        .filter_map(|(measure, value)| Some((measure, value.filter(|it| it.is_finite())?)));
    let identity = Identity::of_run(run);
    RunFacts {
        measured: Measured { key: identity.key.clone(), values: known.collect() },
        identity,
        id: run.id.clone(),
        path: name,
        format: run.format,
        model: run.model.clone(),
        turns: has_turns.then_some(turns),
        state: run.record.state.clone(),
        states: run.state_sentences(),
        tokens,
        cost_usd,
        tests,
        judge: faithfulness.as_ref().map(|(judge, _)| judge.clone()),
        judged: faithfulness.as_ref().map(|(_, scores)| (scores.judged, scores.components)),
        warnings: run.warnings.len() + rubric.warnings.len(),
        trouble,
        series,
    }
}

/// By turns done, the end of the run and of each checkpoint.
fn scored(opened: &Opened, scorer: &Scorer) -> Result<BTreeMap<usize, Scored>, String> {
    let run = &*opened.run;
    let ends = moments_of(run).into_iter().map(|moment| moment.done).chain([run.end()]);
    let moments: Vec<usize> = ends.collect::<BTreeSet<usize>>().into_iter().collect();
    let scored = opened.archive.score(run, &moments, scorer, &|_, _| true)?;
    Ok(moments.into_iter().zip(scored).collect())
}

/// Of a run without checkpoints nothing.
fn series(run: &Run, scored: &BTreeMap<usize, Scored>) -> [Series; 2] {
    let ends: Vec<usize> = moments_of(run)
        .into_iter()
        .filter(|moment| moment.checkpoint.is_some())
        .map(|moment| moment.done)
        .collect();
    [Scored::erosion, Scored::verbosity]
        .map(|of| ends.iter().map(|done| scored.get(done).and_then(of)).collect())
}

/// The judgement that speaks for the end of the run, as `score` chooses it.
fn faithfulness(rubric: &Rubric, judge: Option<&Named>) -> Option<(String, Faithfulness)> {
    let chosen = match judge {
        Some(judge) => rubric.judgements.get(judge.in_run(rubric)?),
        None => rubric.chosen(),
    }?;
    Some((chosen.judge.name.clone(), Faithfulness::of(chosen, rubric.checklist.as_ref())))
}

fn tests(run: &Run) -> Option<(String, Tests)> {
    run.checkpoints.iter().rev().find_map(|checkpoint| {
        let tests = checkpoint.recorded.as_ref()?.tests.as_ref()?;
        Some((checkpoint.id.clone(), tests.clone()))
    })
}

/// Of all tests, those of earlier checkpoints included; None where the harness failed and the counts say nothing.
pub fn pass_rate(tests: &Tests) -> Option<f64> {
    tests.strict.share().filter(|_| !tests.infrastructure_failure)
}

fn total(tokens: Tokens) -> Option<f64> {
    let sum = tokens.input?.saturating_add(tokens.output?);
    Some(sum as f64)
}
