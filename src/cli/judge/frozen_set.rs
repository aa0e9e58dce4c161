//! The set of a drift gate: components of runs with an earlier level, and gold labels where there are some.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use trajview_analysis as analysis;
use trajview_run::{
    find_by_name::JudgeSelection,
    rubric::{ItemKey, Judgement, LabelUnit, Rubric, gold_label_for},
};
use trajview_store as store;
use trajview_store::OpenedRecording;
use trajview_study::queue::shuffle;

use super::super::CommandFailure;

/// The runs of a set.
pub struct FrozenSet {
    pub runs: Vec<FrozenRun>,
    /// True if the set is a study: each of its items has a gold label.
    pub is_study: bool,
    /// Runs without anything to compare, each with the reason.
    pub skipped: Vec<String>,
}

/// A run with an earlier judgement.
pub struct FrozenRun {
    pub name: String,
    pub bundle: PathBuf,
    pub opened: Arc<OpenedRecording>,
    /// Turns done in the judged state.
    pub turn: usize,
    pub earlier_judge: String,
    pub earlier_file: String,
    pub items: Vec<FrozenItem>,
}

/// A component with its earlier level.
pub struct FrozenItem {
    pub component: String,
    pub earlier: u8,
    pub gold: Option<u8>,
}

/// A run before it is opened.
struct NamedBundle {
    name: String,
    bundle: PathBuf,
    rubric: Rubric,
}

impl FrozenSet {
    /// Reads a study, a bundle or a folder of bundles. `earlier` names the earlier judge or judgement.
    pub(crate) fn read(path: &Path, earlier: Option<&str>) -> Result<Self, CommandFailure> {
        store::remote::refuse_writing(path)
            .map_err(|why| CommandFailure::wrong_arguments(format!("{}: {why}", path.display())))?;
        let is_study = analysis::study::is_study(path);
        let bundles = if is_study { study_bundles(path)? } else { bundles_below(path)? };
        let rubrics: Vec<&Rubric> = bundles.iter().map(|it| &it.rubric).collect();
        let selection = earlier
            .map(|word| JudgeSelection::find_in(word, &rubrics))
            .transpose()
            .map_err(|why| CommandFailure::wrong_arguments(format!("--earlier: {why}")))?;
        let mut set = Self { runs: vec![], is_study, skipped: vec![] };
        for named in &bundles {
            match frozen_run(named, selection.as_ref(), is_study) {
                Ok(run) => set.runs.push(run),
                Err(why) => set.skipped.push(format!("{}: skipped: {why}", named.name)),
            }
        }
        match set.runs.is_empty() {
            true => Err(CommandFailure::wrong_arguments(match set.skipped.as_slice() {
                [] => format!("{}: no run bundle", path.display()),
                all => all.join("\n"),
            })),
            false => Ok(set),
        }
    }

    /// Keeps so many components, drawn at random by the seed; runs without any are taken out.
    pub(crate) fn draw_sample(&mut self, size: usize, seed: u64) {
        let mut places: Vec<(usize, String)> = self
            .runs
            .iter()
            .enumerate()
            .flat_map(|(at, run)| run.items.iter().map(move |it| (at, it.component.clone())))
            .collect();
        shuffle(&mut places, seed);
        places.truncate(size);
        for (at, run) in self.runs.iter_mut().enumerate() {
            let is_drawn = |it: &FrozenItem| {
                places.iter().any(|(drawn, id)| *drawn == at && *id == it.component)
            };
            run.items.retain(is_drawn);
        }
        self.runs.retain(|run| !run.items.is_empty());
    }
}

fn study_bundles(path: &Path) -> Result<Vec<NamedBundle>, CommandFailure> {
    let study = analysis::study::open_study(path)?;
    if study.design.unit != LabelUnit::Component {
        return Err(CommandFailure::wrong_arguments(format!(
            "{}: --against judges components; this study is about {}s",
            path.display(),
            study.design.unit.word()
        )));
    }
    let runs = study.runs.into_iter();
    Ok(runs
        .map(|run| NamedBundle { name: run.name, bundle: run.path, rubric: run.rubric })
        .collect())
}

fn bundles_below(path: &Path) -> Result<Vec<NamedBundle>, CommandFailure> {
    let named = |bundle: PathBuf| {
        let whole = bundle.canonicalize().unwrap_or_else(|_| bundle.clone());
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        NamedBundle { name, rubric: store::rubric::read_beside(&bundle), bundle }
    };
    if let Some(bundle) = store::rubric::bundle_of(path) {
        return Ok(vec![named(bundle)]);
    }
    if !store::disk::is_dir(path) {
        return Err(CommandFailure::wrong_arguments(format!(
            "{}: neither a study file, nor a run bundle, nor a folder of bundles",
            path.display()
        )));
    }
    let bundles =
        store::runs_below(path).into_iter().filter_map(|it| store::rubric::bundle_of(&it));
    Ok(bundles.map(named).collect())
}

/// Opens a run with its earlier levels; the error is the reason why it has nothing to compare.
fn frozen_run(
    named: &NamedBundle,
    selection: Option<&JudgeSelection>,
    needs_gold: bool,
) -> Result<FrozenRun, String> {
    let rubric = &named.rubric;
    let earlier = match selection {
        Some(selection) => {
            selection.position_in_run(rubric).and_then(|at| rubric.judgements.get(at))
        }
        None => rubric.result_judgement(),
    };
    let earlier = earlier.ok_or("no earlier judgement of all components; --earlier names one")?;
    let mut items = frozen_items(rubric, earlier);
    if items.is_empty() {
        return Err(format!("{} has no level from 0 to 4", earlier.file));
    }
    items.retain(|it| !needs_gold || it.gold.is_some());
    if items.is_empty() {
        return Err(format!("no gold label on what {} scored", earlier.file));
    }
    let opened = Arc::new(store::open(&named.bundle).map_err(|why| why.to_string())?);
    let turns = &opened.run.turns;
    let has_commit = |commit: &str| {
        turns.iter().rposition(|turn| turn.commit.as_deref() == Some(commit)).map(|at| at + 1)
    };
    let of_commit = || earlier.commit.as_deref().and_then(has_commit);
    let turn = earlier.turn.or_else(of_commit).unwrap_or(turns.len());
    if turn > turns.len() {
        return Err(format!("{} is of turn {turn}; the run has {}", earlier.file, turns.len()));
    }
    Ok(FrozenRun {
        name: named.name.clone(),
        bundle: named.bundle.clone(),
        turn,
        earlier_judge: earlier.judge.name.clone(),
        earlier_file: earlier.file.clone(),
        items,
        opened,
    })
}

/// Returns the components of the checklist that the earlier judgement gave a level that counts.
fn frozen_items(rubric: &Rubric, earlier: &Judgement) -> Vec<FrozenItem> {
    let is_listed = |id: &str| {
        rubric.checklist.as_ref().is_none_or(|all| all.components.iter().any(|it| it.id == id))
    };
    let gold_level = |id: &str| {
        let key = ItemKey { unit: LabelUnit::Component, id, criterion: None };
        let gold = gold_label_for(&rubric.gold, key, earlier.commit.as_deref())?;
        let is_own_scale = gold.label_scale() == LabelUnit::Component.default_scale();
        let score = gold.score.filter(|it| is_own_scale && it.fract() == 0.0)?;
        (0.0..=4.0).contains(&score).then_some(score as u8)
    };
    let verdicts = earlier.verdicts.iter().filter(|it| it.criterion_scores.is_empty());
    verdicts
        .filter(|it| is_listed(&it.component))
        .filter_map(|it| {
            Some(FrozenItem {
                component: it.component.clone(),
                earlier: it.counted_level()?,
                gold: gold_level(&it.component),
            })
        })
        .collect()
}
