//! The numbers of each run: opened, scored and let go again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use trajview_metrics::{
    Number,
    cost::Prices,
    exposure::AtTurn,
    faithfulness::Faithfulness,
    numbers::{
        CORPUS,
        facts::{Counted, Facts, Reused, Spent, Tested, Verdicts},
        ranked,
    },
    process::Processed,
    quality::{Scored, Snapshot},
};
use trajview_run::{
    Run, Tokens,
    files::Moment as At,
    named::Named,
    pooled::Pooling,
    recorded::Tests,
    rubric::{Judgement, Rubric},
};
use trajview_store as store;
use trajview_store::{Opened, ReuseReader, Scorer, Siblings};
use trajview_study::{
    compare::moments_of,
    corpus::Measured,
    fairness::Conduct,
    pairing::{Identity, keys},
    trend::Series,
};

use super::solved::SpentRow;

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
    pub states: States,
    pub tokens: Tokens,
    /// Those after the last checkpoint that has some, with its id.
    pub tests: Option<(String, Tests)>,
    pub judged: Judged,
    pub warnings: usize,
    /// What could not be worked out, in sentences.
    pub trouble: Vec<String>,
    /// The numbers that go from checkpoint to checkpoint, at the end of each.
    pub series: Vec<(Number, Series)>,
    /// What it cost, and how many checkpoints it solved.
    pub spent: SpentRow,
    pub measured: Measured,
}

/// What the judgement that counts says.
pub struct Judged {
    /// Who gave the component scores.
    pub judge: Option<String>,
    /// The file of that judgement.
    pub file: Option<String>,
    /// When it was made.
    pub at: Option<String>,
    /// Other judgements of the whole checklist, which do not count: judge and file. Empty where a judge is named.
    pub others: Vec<String>,
    /// Components with a score, and all.
    pub counts: Option<(usize, usize)>,
    /// The score of each component that has one, by id.
    pub scores: BTreeMap<String, f64>,
}

/// How a run was made, and what became of it and of its turns.
pub struct States {
    pub conduct: Conduct,
    /// As its recorder says: `running`, `finished`, `stopped` and why.
    pub of_run: Option<String>,
    /// A sentence for each turn that does not count, or was kept though it failed.
    pub of_turns: Vec<String>,
}

/// What runs are scored with.
pub struct With<'a> {
    pub scorer: &'a Scorer,
    pub reader: &'a ReuseReader,
    /// Whose scores count; None for the judgement that speaks for each run.
    pub judge: Option<Named>,
    pub prices: &'a Prices,
}

/// Opens and scores every run, in the order of their paths.
pub fn all(paths: &[PathBuf], folder: &Path, with: &With<'_>) -> Runs {
    let name = |path: &Path| {
        let below = path.strip_prefix(folder).ok().filter(|below| !below.as_os_str().is_empty());
        below.unwrap_or(path).display().to_string()
    };
    let siblings = Siblings::default();
    let open = |path: &PathBuf| match store::open_among(path, &siblings) {
        Ok(opened) => Ok(facts(&opened.kept_in(with.scorer.cache()), path, name(path), with)),
        Err(why) => Err((name(path), why.to_string())),
    };
    // What is measured is written to the cache together.
    let opened: Vec<Result<RunFacts, _>> =
        with.scorer.gathering(|| paths.par_iter().map(open).collect());
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
    With { scorer, reader, judge, prices }: &With<'_>,
) -> RunFacts {
    let (run, archive) = (&*opened.run, &*opened.archive);
    // A rubric tree alone has no state of code: nothing to measure, which is not 0.
    let has_turns = !run.is_rubric_tree_alone();
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
    let reuse = archive.reuse(run, end, reader).map(|mut reuse| reuse.pop().flatten());
    let reuse = match reuse {
        Ok(reuse) => reuse.as_ref().map(Reused::of),
        Err(why) => {
            trouble.push(why);
            None
        }
    };
    trouble.dedup(); // both read the same files
    let mut rubric = store::rubric::read(path);
    if let Some(Named::Judge(word)) = judge.as_ref() {
        // One that has nothing to pool has no judgement of that name.
        let _ = Pooling::of_word(word).map(|pooling| rubric.pool(&pooling?));
    }
    let faithfulness = faithfulness(&rubric, judge.as_ref());
    if faithfulness.is_none() && !rubric.partial().is_empty() {
        let partial = rubric.partial().join("; ");
        trouble.push(format!("judged in part, which is no result: {partial}; --judge names one"));
    }
    let tests = tests(run);
    let bought = SpentRow::of(run, prices);
    let turns = run.counted_turns().count();
    let tokens = run.tokens();
    let exposure = rubric.exposure.as_ref();
    let known = Known {
        code: code(scored.get(&run.end())),
        reuse,
        scores: faithfulness.as_ref().map(|(_, scores)| scores),
        exposed: exposure.and_then(|it| AtTurn::of(it, rubric.checklist.as_ref(), run.end())),
        tests: tests.as_ref().map(|(_, tests)| tests),
        counted: Counted {
            turns: has_turns.then_some(turns as f64),
            checkpoints: Some(run.checkpoints.len() as f64),
            churn: None,
            warnings: Some((run.warnings.len() + rubric.warnings.len()) as f64),
        },
        spent: Spent {
            tokens: total(tokens),
            cost_usd: bought.recorded_usd,
            computed_usd: bought.cost_computed_usd,
            ..Spent::default()
        },
        processed: has_turns.then(|| store::processed(archive, run)),
    };
    let value =
        |number: &Number| Some((*number, number.value(&known).filter(|value| value.is_finite())?));
    let values = CORPUS.iter().filter_map(value).collect();
    let identity = Identity::of_run(run);
    RunFacts {
        measured: Measured { key: identity.key.clone(), values },
        identity,
        id: run.id.clone(),
        path: name,
        format: run.origin.format,
        model: run.model.clone(),
        turns: has_turns.then_some(turns),
        states: States {
            conduct: Conduct::of(run),
            of_run: run.origin.record.state.clone(),
            of_turns: run.state_sentences(),
        },
        tokens,
        tests,
        judged: Judged {
            judge: faithfulness.as_ref().map(|(judge, _)| judge.clone()),
            file: chosen(&rubric, judge.as_ref()).map(|it| it.file.clone()),
            at: chosen(&rubric, judge.as_ref()).and_then(|it| it.created_at.clone()),
            others: if judge.is_none() { others(&rubric) } else { vec![] },
            counts: faithfulness.as_ref().map(|(_, scores)| (scores.judged, scores.components)),
            scores: scores(&rubric, judge.as_ref()),
        },
        warnings: run.warnings.len() + rubric.warnings.len(),
        spent: bought,
        trouble,
        series,
    }
}

/// By turns done, the end of the run and of each checkpoint.
fn scored(opened: &Opened, scorer: &Scorer) -> Result<BTreeMap<usize, Scored>, String> {
    let run = &*opened.run;
    let ends = moments_of(run).into_iter().map(|moment| moment.done).chain([run.end()]);
    let moments: Vec<usize> = ends.collect::<BTreeSet<usize>>().into_iter().collect();
    let scored = opened.archive.score(run, &At::after_each(&moments), scorer, &|_, _| true)?;
    Ok(moments.into_iter().zip(scored).collect())
}

/// Of a run without checkpoints nothing.
fn series(run: &Run, scored: &BTreeMap<usize, Scored>) -> Vec<(Number, Series)> {
    let ends = moments_of(run).into_iter().filter(|moment| moment.checkpoint.is_some());
    let ends: Vec<usize> = ends.map(|moment| moment.done).collect();
    let at = |number: Number, done| number.of_code(code(scored.get(done))?);
    let of = |number: Number| (number, ends.iter().map(|done| at(number, done)).collect());
    ranked(|shown| shown.trend).into_iter().map(of).collect()
}

/// None where no file was measured.
fn code(scored: Option<&Scored>) -> Option<&Snapshot> {
    scored.and_then(Scored::code)
}

/// What is known of a run at its end.
struct Known<'a> {
    code: Option<&'a Snapshot>,
    reuse: Option<Reused>,
    scores: Option<&'a Faithfulness>,
    exposed: Option<AtTurn>,
    tests: Option<&'a Tests>,
    counted: Counted,
    spent: Spent,
    processed: Option<Processed>,
}

impl Facts for Known<'_> {
    fn code(&self) -> Option<&Snapshot> {
        self.code
    }

    fn reuse(&self) -> Option<Reused> {
        self.reuse
    }

    fn verdicts(&self) -> Option<Verdicts> {
        Some(Verdicts::of(self.scores?, self.reuse.and_then(|reuse| reuse.dir)))
    }

    fn exposed(&self) -> Option<AtTurn> {
        self.exposed
    }

    fn tested(&self) -> Option<Tested> {
        Tested::of(self.tests?)
    }

    fn counted(&self) -> Counted {
        self.counted
    }

    fn spent(&self) -> Spent {
        self.spent
    }

    fn process(&self) -> Option<Processed> {
        self.processed
    }
}

/// The judgement that speaks for the end of the run, as `score` chooses it.
fn chosen<'a>(rubric: &'a Rubric, judge: Option<&Named>) -> Option<&'a Judgement> {
    match judge {
        Some(judge) => rubric.judgements.get(judge.in_run(rubric)?),
        None => rubric.chosen(),
    }
}

/// The judgements of the whole checklist that the chosen one stands before, `gpt (judgements/b.json)`; none where the
/// checklist names the judge.
fn others(rubric: &Rubric) -> Vec<String> {
    if rubric.judge().is_some() {
        return vec![];
    }
    let chosen = rubric.chosen().map(|it| &it.file);
    let whole = rubric.judgements.iter().filter(|it| rubric.covers(it));
    let others = whole.filter(|it| Some(&it.file) != chosen);
    others.map(|it| format!("{} ({})", it.judge.name, it.file)).collect()
}

/// Of the components of the checklist, where there is one.
fn scores(rubric: &Rubric, judge: Option<&Named>) -> BTreeMap<String, f64> {
    let verdicts = chosen(rubric, judge).into_iter().flat_map(|it| &it.verdicts);
    let is_listed = |id: &str| {
        rubric.checklist.as_ref().is_none_or(|it| it.components.iter().any(|one| one.id == id))
    };
    let known = verdicts.filter(|verdict| is_listed(&verdict.component));
    known.filter_map(|it| Some((it.component.clone(), f64::from(it.score?)))).collect()
}

fn faithfulness(rubric: &Rubric, judge: Option<&Named>) -> Option<(String, Faithfulness)> {
    let chosen = chosen(rubric, judge)?;
    Some((chosen.judge.name.clone(), Faithfulness::of(chosen, rubric.checklist.as_ref())))
}

fn tests(run: &Run) -> Option<(String, Tests)> {
    run.checkpoints.iter().rev().find_map(|checkpoint| {
        let tests = checkpoint.recorded.as_ref()?.tests.as_ref()?;
        Some((checkpoint.id.clone(), tests.clone()))
    })
}

fn total(tokens: Tokens) -> Option<f64> {
    let sum = tokens.input?.saturating_add(tokens.output?);
    Some(sum as f64)
}
