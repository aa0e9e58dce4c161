//! The blocks `faithfulness` and `exposure` of a score: of the end of a run, or of a folder.

use std::path::Path;

use serde::Serialize;

use crate::cli::{Exit, Failure};
use trajview_formats as formats;
use trajview_formats::Source;
use trajview_metrics::{
    blockers::{Blocked, Capped},
    exposure::{AtTurn, Exposed},
    faithfulness::{Faithfulness, Unscored, if50},
    reuse::{Module, Reuse, Symbol, Unread},
};
use trajview_run::{
    Run, Warning,
    named::{Named, NotNamed},
    pooled::Pooling,
    rubric::{Judgement, Pooled, Rubric},
};

/// The rubric the scores are on where a judgement names none.
const RUBRIC: &str = "slump-5";

/// What is said of the final tree. Absent values are null, never 0.
#[derive(Serialize, Default)]
pub struct FaithfulnessRow {
    /// `slump`: the formulas are those of the SLUMP paper, DIR's rules are ours.
    pub profile: &'static str,
    /// The tree that DIR is of.
    pub commit: Option<String>,
    /// Turns done; null for a folder.
    pub turn: Option<usize>,
    /// Components of the checklist, or those the judgement names; null without either.
    pub components: Option<usize>,
    /// Of those, how many have a score: the denominator of `mcf` and of the shares. Null without a judgement.
    pub judged: Option<usize>,
    #[serde(flatten)]
    pub values: FaithfulnessValues,
    /// The name of who judged.
    pub judge: Option<String>,
    pub judgement: Option<JudgementRow>,
    /// Names of all judgements that could have been chosen, in the order they were made.
    pub judges: Vec<String>,
    /// Blockers of the checklist that fail; null where it has none.
    pub blocked_by: Option<Vec<Blocked>>,
    #[serde(skip)]
    pub blocked: String,
    #[serde(flatten)]
    pub missing: MissingRow,
    pub dir_detail: DirRow,
}

/// The numbers of faithfulness, and the counts that they are made of.
#[derive(Serialize, Default)]
pub struct FaithfulnessValues {
    pub mcf: Option<f64>,
    /// With blockers taken into account; null where the checklist has none.
    pub mcf_capped: Option<f64>,
    pub dir: Option<f64>,
    pub if50: Option<f64>,
    /// Judged components with a score of 0 or 1.
    pub severe: Option<usize>,
    pub severe_share: Option<f64>,
    /// Judged components with a score of 4.
    pub full: Option<usize>,
    pub full_share: Option<f64>,
    pub by_score: Option<[usize; 5]>,
}

/// What has no verdict, no score, no result.
#[derive(Serialize, Default)]
pub struct MissingRow {
    /// Why there is no result where there are judgements: `2 of 24 by quick (judgements/quick.json)` for each.
    pub partial: Vec<String>,
    pub without_verdict: Vec<String>,
    pub without_score: Vec<Unscored>,
    pub without_component: Vec<String>,
    /// Without a score for a reason that is no failure.
    pub without_need: Vec<Unscored>,
}

/// Where the component scores are from.
#[derive(Serialize)]
pub struct JudgementRow {
    pub file: String,
    pub name: String,
    pub kind: String,
    pub model: Option<String>,
    pub rubric: String,
    pub created_at: Option<String>,
    pub commit: Option<String>,
    pub turn: Option<usize>,
    /// Whether it is of the tree that DIR is of; null where it says neither commit nor turn.
    pub is_of_this_tree: Option<bool>,
    /// What it is made of; null where it is one judgement.
    pub pooled: Option<PooledRow>,
}

/// Judgements that are pooled.
#[derive(Serialize)]
pub struct PooledRow {
    /// `mean`, `median` or `majority`.
    pub how: &'static str,
    pub count: usize,
    pub judges: Vec<String>,
    pub files: Vec<String>,
    #[serde(skip)]
    pub words: String,
}

impl PooledRow {
    fn of(pooled: &Pooled) -> Self {
        let (files, judges): (Vec<_>, Vec<_>) = pooled.from.iter().cloned().unzip();
        let (how, words) = (pooled.pool.word(), pooled.words());
        Self { how, count: files.len(), judges, files, words }
    }
}

/// What DIR is made of.
#[derive(Serialize, Default)]
pub struct DirRow {
    /// Symbols in use without being reused: by a decorator, an entry point or a string. In no other count.
    pub registered: Option<usize>,
    /// Why there is no DIR; null where there is one, and where no file could be read.
    pub not_defined: Option<&'static str>,
    /// Null where no file could be read, or nothing says what the files are.
    pub exported: Option<usize>,
    pub reused: Option<usize>,
    pub symbols: Vec<Symbol>,
    pub modules: Vec<Module>,
    pub skipped: Vec<Unread>,
    /// Whether some names were not followed to their end.
    pub gave_up: bool,
}

/// How much of the checklist the dialogue gave away.
#[derive(Serialize)]
pub struct ExposureRow {
    /// At the end of the last turn.
    pub rcr: Option<f64>,
    pub esr: Option<f64>,
    /// Of the checklist: the denominator of both.
    pub components: usize,
    /// Components that the audit has no entry for; they are in the denominator only.
    pub not_recorded: Vec<String>,
    pub without_component: Vec<String>,
    pub by_turn: Vec<AtTurn>,
}

impl DirRow {
    /// None where nothing says what the files are.
    fn of(reuse: Option<Reuse>) -> Self {
        let read = reuse.as_ref().filter(|reuse| reuse.is_read());
        let (exported, reused) = (read.map(Reuse::exported), read.map(Reuse::reused));
        let registered = read.map(Reuse::registered);
        let not_defined = read.and_then(Reuse::not_defined);
        let reuse = reuse.unwrap_or_default();
        Self {
            exported,
            reused,
            symbols: reuse.symbols,
            modules: reuse.modules,
            skipped: reuse.skipped,
            gave_up: reuse.gave_up,
            registered,
            not_defined,
        }
    }
}

impl FaithfulnessRow {
    /// None where nothing says what the files are.
    pub fn of_folder(reuse: Option<Reuse>) -> Self {
        let dir = reuse.as_ref().and_then(Reuse::dir);
        let values = FaithfulnessValues { dir, ..FaithfulnessValues::default() };
        Self { profile: "slump", values, dir_detail: DirRow::of(reuse), ..Self::default() }
    }

    /// Of the tree after the last turn.
    pub fn of_run(
        run: &Run,
        rubric: &Rubric,
        chosen: Option<&Judgement>,
        reuse: Option<Reuse>,
    ) -> Self {
        let checklist = rubric.checklist.as_ref();
        let end = Self {
            commit: run.turns[..run.end()]
                .last()
                .and_then(|turn| Some(turn.commit.as_deref()?.to_owned())),
            turn: Some(run.end()),
            components: checklist.map(|checklist| checklist.components.len()),
            judges: rubric.judgements.iter().map(|it| it.judge.name.clone()).collect(),
            missing: MissingRow {
                partial: if chosen.is_none() { rubric.partial() } else { vec![] },
                without_verdict: match (chosen, checklist) {
                    (None, Some(checklist)) => {
                        checklist.components.iter().map(|it| it.id.clone()).collect()
                    }
                    _ => vec![],
                },
                ..MissingRow::default()
            },
            ..Self::of_folder(reuse)
        };
        let Some(judgement) = chosen else { return end };
        let scores = Faithfulness::of(judgement, checklist);
        let is_any = scores.judged > 0;
        Self {
            components: Some(scores.components),
            judged: Some(scores.judged),
            values: FaithfulnessValues {
                mcf: scores.mcf(),
                mcf_capped: scores.capped.as_ref().map(|it| it.mcf),
                dir: end.values.dir,
                if50: scores.mcf().zip(end.values.dir).map(|(mcf, dir)| if50(mcf, dir)),
                severe: is_any.then(|| scores.severe()),
                severe_share: scores.share(scores.severe()),
                full: is_any.then(|| scores.full()),
                full_share: scores.share(scores.full()),
                by_score: is_any.then_some(scores.by_score),
            },
            blocked: scores.capped.as_ref().map(Capped::words).unwrap_or_default(),
            blocked_by: scores.capped.map(|it| it.by),
            judge: Some(judgement.judge.name.clone()),
            judgement: Some(JudgementRow::of(judgement, end.commit.as_deref(), run.end())),
            missing: MissingRow {
                partial: end.missing.partial,
                without_verdict: scores.without_verdict,
                without_score: scores.without_score,
                without_component: scores.without_component,
                without_need: scores.without_need,
            },
            ..end
        }
    }
}

impl JudgementRow {
    fn of(judgement: &Judgement, commit: Option<&str>, turn: usize) -> Self {
        let same_commit = judgement.commit.as_deref().zip(commit).map(|(a, b)| is_same(a, b));
        Self {
            file: judgement.file.clone(),
            name: judgement.judge.name.clone(),
            kind: judgement.judge.kind.clone(),
            model: judgement.judge.model.clone(),
            rubric: judgement.rubric.clone().unwrap_or_else(|| RUBRIC.into()),
            created_at: judgement.created_at.clone(),
            commit: judgement.commit.clone(),
            turn: judgement.turn,
            pooled: judgement.pooled.as_ref().map(PooledRow::of),
            is_of_this_tree: same_commit.or(judgement.turn.map(|judged| judged == turn)),
        }
    }
}

/// Whether one is the other, or the beginning of it.
fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    a.len().min(b.len()) >= SHORTEST_COMMIT && (a.starts_with(&b) || b.starts_with(&a))
}

const SHORTEST_COMMIT: usize = 7;

impl ExposureRow {
    /// None where nothing is recorded.
    pub fn of(run: &Run, rubric: &Rubric) -> Option<Self> {
        let checklist = rubric.checklist.as_ref();
        let exposed = Exposed::of(rubric.exposure.as_ref()?, checklist, run.end())?;
        Some(Self {
            rcr: exposed.last().map(|at| at.rcr),
            esr: exposed.last().map(|at| at.esr),
            components: exposed.components,
            not_recorded: exposed.not_recorded,
            without_component: exposed.without_component,
            by_turn: exposed.by_turn,
        })
    }

    /// What was given away up to a turn (counts from 1).
    pub fn at(&self, turn: usize) -> Option<AtTurn> {
        self.by_turn.iter().find(|at| at.turn == turn).copied()
    }
}

/// The judgement that is named ([`Named`]), or the one in a file from elsewhere, which joins the others; without a wish
/// [`Rubric::chosen`].
pub fn choose(rubric: &mut Rubric, wish: Option<&str>) -> Result<Option<usize>, Failure> {
    if let Some(wish) = wish {
        pool(rubric, wish)?;
    }
    let Some(wish) = wish else {
        return Ok(rubric.chosen().and_then(|chosen| place_of(rubric, chosen)));
    };
    match Named::of(wish, &[rubric]) {
        Ok(named) => Ok(named.in_run(rubric)),
        Err(NotNamed::Nothing { .. }) if Path::new(wish).is_file() => {
            let read = read_file(Path::new(wish), &mut rubric.warnings)?;
            rubric.judgements.push(read);
            Ok(Some(rubric.judgements.len() - 1))
        }
        Err(why @ NotNamed::Nothing { .. }) => {
            Err(Failure::wrong(format!("{why}; and no such file")))
        }
        Err(why) => Err(Failure::wrong(why.to_string())),
    }
}

/// Adds what is to be pooled, where the word asks for that.
pub fn pool(rubric: &mut Rubric, word: &str) -> Result<(), Failure> {
    let Some(pooling) = Pooling::of_word(word) else { return Ok(()) };
    let pooled = pooling.and_then(|pooling| rubric.pool(&pooling));
    pooled.map_err(Failure::wrong)
}

/// Which of the judgements it is.
pub fn place_of(rubric: &Rubric, judgement: &Judgement) -> Option<usize> {
    rubric.judgements.iter().position(|it| std::ptr::eq(it, judgement))
}

/// A judgement out of a file that lies anywhere.
fn read_file(path: &Path, warnings: &mut Vec<Warning>) -> Result<Judgement, Failure> {
    let told = |exit, why: &str| Failure::new(exit, format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|why| told(Exit::CannotRead, &why.to_string()))?;
    let name = path.display().to_string();
    let source = Source { name: "judgements/given.json", bytes: &bytes };
    let mut read = formats::rubric::read(&[source]);
    let judgement = read.judgements.pop();
    let problems = read.warnings.into_iter();
    warnings.extend(problems.map(|it| Warning { place: name.clone(), what: it.what }));
    let judgement = judgement
        .ok_or_else(|| told(Exit::CannotUnderstand, "is no judgement (trajview.judgement/1)"))?;
    Ok(Judgement { file: name, ..judgement })
}
