//! Reads the paths on the command line and makes raters of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use crate::cli::CommandFailure;
use trajview_analysis as analysis;
use trajview_formats as formats;
use trajview_formats::{
    SourceBytes, not_finite,
    rigorbench::scores::{self, RigorScore},
};
use trajview_run::rubric::{LabelUnit, Rubric};
use trajview_store as store;
use trajview_store::OpenedRecording;
use trajview_study::{
    audit_items::{self, AuditInputs, AuditItem, JudgingSource as Judging},
    raters::{self, Rater, RaterKind, RaterPanel, RunScores, ScoreFiles, ScoredItem, panel_of_run},
    score_table,
};

/// Files above this are no tables of scores.
const MOST_BYTES: u64 = 16 << 20;

/// One thing that was named, read.
struct AgreeInput {
    path: PathBuf,
    /// The name of a graded rubric tree; None for others, which their files or folders name.
    tree_name: Option<String>,
    content: AgreeContent,
}

enum AgreeContent {
    /// The rubric, with the items of leaves and signals where those are labelled.
    Run(Box<Rubric>, Vec<(Judging, Vec<AuditItem>)>),
    /// Text of a table.
    Table(String),
    /// One of RigorBench's score files.
    Scores(Vec<RigorScore>),
}

/// The inputs named on the command line, each with the name of its run.
pub struct AgreeInputs {
    inputs: Vec<(AgreeInput, String)>,
}

/// A run and where it is.
pub struct NamedRun<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    pub rubric: &'a Rubric,
}

impl AgreeInputs {
    pub(crate) fn read_paths(paths: &[PathBuf]) -> Result<Self, CommandFailure> {
        let mut all = vec![];
        for path in paths {
            all.extend(read_input(path)?);
        }
        let names = run_names(&all);
        Ok(Self { inputs: all.into_iter().zip(names).collect() })
    }

    /// Returns the inputs that hold judgements; tables are left out. A single file belongs to the folder that it lies
    /// in.
    pub(crate) fn named_runs(&self) -> impl Iterator<Item = NamedRun<'_>> {
        self.inputs.iter().filter_map(|(read, name)| match &read.content {
            AgreeContent::Run(rubric, _) => Some(NamedRun { name, path: &read.path, rubric }),
            AgreeContent::Table(_) | AgreeContent::Scores(_) => None,
        })
    }

    /// Returns whether all inputs are score files, whose scores are shares and not levels.
    pub(crate) fn has_only_score_files(&self) -> bool {
        self.inputs.iter().all(|(read, _)| matches!(read.content, AgreeContent::Scores(_)))
    }

    /// Runs the folder of each run that is one, by name.
    pub fn run_folders(&self) -> BTreeMap<String, PathBuf> {
        let folders = self.named_runs().filter(|run| store::disk::is_dir(run.path));
        folders.map(|run| (run.name.to_owned(), run.path.to_owned())).collect()
    }

    /// Returns the raters of everything, those of one name pooled.
    pub fn rater_panel(&self) -> Result<RaterPanel, CommandFailure> {
        panel_of_inputs(&self.inputs)
    }
}

fn panel_of_inputs(all: &[(AgreeInput, String)]) -> Result<RaterPanel, CommandFailure> {
    let mut panel = RaterPanel::default();
    for (read, name) in all {
        let place = read.path.display().to_string();
        panel.add(match &read.content {
            AgreeContent::Run(rubric, items) => {
                let files = if store::disk::is_dir(&read.path) {
                    ScoreFiles::In(&place)
                } else {
                    ScoreFiles::Alone(&place)
                };
                panel_of_run(RunScores { run: name, files, rubric, audit_items: items })
            }
            AgreeContent::Scores(scores) => {
                RaterPanel { raters: vec![rater_of_score_file(read, scores)], problems: vec![] }
            }
            AgreeContent::Table(text) => score_table::read_score_table(&place, text, "")
                .map_err(|why| no_scores(&place, text, &why))?,
        });
    }
    Ok(panel)
}

/// Returns a score file as a rater, called as the file: each task of each harness is a component of a run.
fn rater_of_score_file(read: &AgreeInput, scores: &[RigorScore]) -> Rater {
    let place = read.path.display().to_string();
    let score = |it: &RigorScore| {
        let (run, component) = (it.harness.clone(), it.task.clone());
        let item = ScoredItem { run, component, ..ScoredItem::default() };
        let rubric = Some(it.measure.to_owned());
        Some(raters::RaterScore {
            item,
            score: it.value?,
            scale: None,
            rubric,
            place: place.clone(),
            confidence: None,
        })
    };
    let name = read.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let scores = scores.iter().filter_map(score).collect();
    Rater { name, model: None, kind: RaterKind::Unknown, labels: None, scores }
}

/// Returns a file that holds neither judgements nor labels nor a table, in one line.
fn no_scores(place: &str, text: &str, why: &str) -> CommandFailure {
    let schema = json_schema_name(text);
    let what = match schema {
        Some(schema) => format!("has the schema {schema:?}"),
        None => why.to_owned(),
    };
    let expected =
        "expected judgements, labels or a table of scores with a head like component,a,b";
    CommandFailure::cannot_understand(format!("{place}: {what}; {expected}"))
}

fn read_input(path: &Path) -> Result<Vec<AgreeInput>, CommandFailure> {
    if let Some(folder) = store::rubric::bundle_of(path) {
        let content = bundle_content(&folder);
        return Ok(vec![AgreeInput { content, tree_name: None, path: folder }]);
    }
    if store::disk::is_dir(path) {
        return read_runs_below(path);
    }
    let text = read_text(path)?;
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let scores = is_yaml.then(|| scores::read_scores(&text)).flatten();
    let content = match (scores, rubric_of_file(path, &text)) {
        (Some(scores), _) => AgreeContent::Scores(scores),
        (None, Some(rubric)) => AgreeContent::Run(Box::new(rubric), vec![]),
        (None, None) => match read_tree(path) {
            Some(tree) => return Ok(vec![tree]),
            None => AgreeContent::Table(text),
        },
    };
    Ok(vec![AgreeInput { path: path.to_owned(), tree_name: None, content }])
}

/// Reads the judgements and labels beside the run in a bundle.
fn bundle_content(folder: &Path) -> AgreeContent {
    let rubric = store::rubric::read_beside(folder);
    let items = labelled_items(folder, &rubric);
    AgreeContent::Run(Box::new(rubric), items)
}

/// Reads a graded rubric tree that is in no bundle, with its labels. None for another file.
fn read_tree(path: &Path) -> Option<AgreeInput> {
    path.extension().filter(|end| *end == "json")?;
    let opened = store::open(path).ok()?;
    let name = analysis::study::name_of_tree_alone(path, &opened.run)?;
    let rubric = opened.archive.read_rubric();
    let items = leaf_and_signal_items(&opened, &rubric, &[LabelUnit::Leaf]);
    let content = AgreeContent::Run(Box::new(rubric), items);
    Some(AgreeInput { path: path.to_owned(), tree_name: Some(name), content })
}

/// Returns the leaves and signals that judges scored, from the run itself: the run is opened only where somebody
/// labelled such things.
fn labelled_items(folder: &Path, rubric: &Rubric) -> Vec<(Judging, Vec<AuditItem>)> {
    let labels = rubric.labels.iter().flat_map(|it| &it.labels).map(|it| it.unit);
    let labelled: BTreeSet<LabelUnit> =
        labels.chain(rubric.gold.iter().map(|it| it.unit)).collect();
    let wanted =
        [LabelUnit::Leaf, LabelUnit::Signal].into_iter().filter(|unit| labelled.contains(unit));
    let wanted: Vec<LabelUnit> = wanted.collect();
    if wanted.is_empty() {
        return vec![];
    }
    store::open(folder).map_or(vec![], |opened| leaf_and_signal_items(&opened, rubric, &wanted))
}

fn leaf_and_signal_items(
    opened: &OpenedRecording,
    rubric: &Rubric,
    wanted: &[LabelUnit],
) -> Vec<(Judging, Vec<AuditItem>)> {
    let has_signals = wanted.contains(&LabelUnit::Signal);
    let report = has_signals.then(|| analysis::process_report(&opened.archive, &opened.run));
    let ground =
        AuditInputs { run: &opened.run, rubric, process: report.as_ref(), decisions: None };
    let items_of_unit = |unit: &LabelUnit| {
        let unit = *unit;
        let all = audit_items::audit_sources(ground, unit).into_iter();
        all.map(move |source| {
            (source.clone(), audit_items::audit_items(ground, unit, &source.file))
        })
    };
    wanted.iter().flat_map(items_of_unit).collect()
}

fn read_runs_below(folder: &Path) -> Result<Vec<AgreeInput>, CommandFailure> {
    let runs = store::runs_below(folder);
    let bundles: Vec<AgreeInput> = runs
        .iter()
        .filter_map(|run| store::rubric::bundle_of(run))
        .map(|run| AgreeInput { content: bundle_content(&run), tree_name: None, path: run })
        .collect();
    if !bundles.is_empty() {
        return Ok(bundles);
    }
    let trees: Vec<AgreeInput> = runs.iter().filter_map(|path| read_tree(path)).collect();
    if trees.is_empty() {
        let why = format!(
            "{}: no run bundle and no graded rubric tree below this folder",
            folder.display()
        );
        return Err(CommandFailure::cannot_understand(why));
    }
    Ok(trees)
}

/// Reads a file's text, of at most so many bytes as a table may have; what is no UTF-8 is replaced.
pub fn read_text(path: &Path) -> Result<String, CommandFailure> {
    let cannot =
        |why: String| CommandFailure::cannot_read(format!("cannot read {}: {why}", path.display()));
    let size =
        store::disk::metadata(path).map_err(|why| CommandFailure::unreadable(path, &why))?.len();
    if size > MOST_BYTES {
        return Err(cannot(format!("it is larger than {} MB", MOST_BYTES >> 20)));
    }
    let bytes =
        store::disk::read_file(path).map_err(|why| CommandFailure::unreadable(path, &why))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the field `schema` of a JSON object; the rest of the object is not kept, however large it is.
fn json_schema_name(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct SchemaOnly {
        schema: String,
    }
    let is_object = text.trim_start().starts_with('{');
    let document = is_object
        .then(|| serde_json::from_str::<SchemaOnly>(&not_finite::readable_json(text)).ok())
        .flatten()?;
    Some(document.schema)
}

/// Reads a single file of judgements or labels.
fn rubric_of_file(path: &Path, text: &str) -> Option<Rubric> {
    let file = path.file_name()?.to_string_lossy();
    let schema = json_schema_name(text)?;
    let folder = match schema.as_str() {
        schema if schema.starts_with("trajview.judgement/") => "judgements",
        schema if schema.starts_with("trajview.labels/") => "labels",
        _ => return None,
    };
    let name = format!("{folder}/{}.json", file.trim_end_matches(".json"));
    let source = SourceBytes { name: &name, bytes: text.as_bytes() };
    let mut rubric = formats::rubric::read_rubric(&[source]);
    // A file that a user names is meant, also where it tests a judge.
    let Rubric { judgements, judge_tests, .. } = &mut rubric;
    judgements.append(judge_tests);
    store::rubric::leave_out_unlooked(&mut rubric);
    Some(rubric)
}

/// Returns the name of each run: the name in its judgements or its folder's name; its path where two runs would have
/// one name.
///
/// A single file that names no run belongs to the bundle it lies in, else to the only run there is.
fn run_names(all: &[AgreeInput]) -> Vec<String> {
    let is_run = |read: &AgreeInput| matches!(read.content, AgreeContent::Run(..));
    let mut names: Vec<String> = all.iter().map(run_name).collect();
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for (_, name) in all.iter().zip(&names).filter(|(read, _)| store::disk::is_dir(&read.path)) {
        *folders.entry(name.clone()).or_default() += 1;
    }
    for (read, name) in
        all.iter().zip(&mut names).filter(|(read, _)| store::disk::is_dir(&read.path))
    {
        if folders.get(name).is_some_and(|count| *count > 1) {
            *name = read.path.display().to_string();
        }
    }
    let distinct_names: BTreeSet<String> =
        names.iter().filter(|name| !name.is_empty()).cloned().collect();
    if let Some(only) = distinct_names.first().filter(|_| distinct_names.len() == 1) {
        let nameless =
            all.iter().zip(&mut names).filter(|(read, name)| is_run(read) && name.is_empty());
        nameless.for_each(|(_, name)| name.clone_from(only));
    }
    names
}

/// Returns the run's name from its judgements or its folder. Empty if there is neither.
fn run_name(read: &AgreeInput) -> String {
    let AgreeContent::Run(rubric, _) = &read.content else { return String::new() };
    if let Some(name) = &read.tree_name {
        return name.clone();
    }
    let all = [&rubric.judgements, &rubric.decisions, &rubric.process];
    let recorded_name = all.into_iter().flatten().find_map(|judgement| judgement.run.clone());
    let above = read.path.parent().and_then(Path::parent);
    let bundle = if store::disk::is_dir(&read.path) { Some(read.path.as_path()) } else { above };
    let folder = bundle.and_then(store::rubric::bundle_of);
    let folder = folder.map(|folder| folder.canonicalize().unwrap_or(folder));
    let folder = folder.as_deref().and_then(Path::file_name);
    recorded_name.or(folder.map(|name| name.to_string_lossy().into_owned())).unwrap_or_default()
}
