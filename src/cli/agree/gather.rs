//! From the paths on the command line to raters.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use crate::cli::Failure;
use trajview_formats as formats;
use trajview_formats::{
    Source, not_finite,
    rigorbench::scores::{self, Score},
};
use trajview_run::rubric::{Rubric, Unit};
use trajview_store as store;
use trajview_study::{
    items::{self, AuditItem, Ground, Source as Judging},
    raters::{self, Files, Item, Kind, Panel, Rater, RunScores, panel_of},
    sheet,
};

/// Files above this are no tables of scores.
const MOST_BYTES: u64 = 16 << 20;

/// One thing that was named, read.
struct Read {
    path: PathBuf,
    content: Content,
}

enum Content {
    /// With what was said of its leaves and signals, where those are labelled.
    Run(Box<Rubric>, Vec<(Judging, Vec<AuditItem>)>),
    /// Text of a table.
    Table(String),
    /// One of RigorBench's score files.
    Scores(Vec<Score>),
}

/// What was named on the command line, each with the name of its run.
pub struct Gathered {
    all: Vec<(Read, String)>,
}

/// A run and where it is.
pub struct NamedRun<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    pub rubric: &'a Rubric,
}

impl Gathered {
    pub fn of(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut all = vec![];
        for path in paths {
            all.extend(read(path)?);
        }
        let names = names(&all);
        Ok(Self { all: all.into_iter().zip(names).collect() })
    }

    /// What is judged in them; tables are none. A file that stands alone is in the folder that it lies in.
    pub fn runs(&self) -> impl Iterator<Item = NamedRun<'_>> {
        self.all.iter().filter_map(|(read, name)| match &read.content {
            Content::Run(rubric, _) => Some(NamedRun { name, path: &read.path, rubric }),
            Content::Table(_) | Content::Scores(_) => None,
        })
    }

    /// Whether nothing but score files is compared, whose scores are shares and not levels.
    pub fn are_shares(&self) -> bool {
        self.all.iter().all(|(read, _)| matches!(read.content, Content::Scores(_)))
    }

    /// The folder of each run that is one, by name.
    pub fn folders(&self) -> BTreeMap<String, PathBuf> {
        let folders = self.runs().filter(|run| store::disk::is_dir(run.path));
        folders.map(|run| (run.name.to_owned(), run.path.to_owned())).collect()
    }

    /// The raters of everything, those of one name pooled.
    pub fn panel(&self) -> Result<Panel, Failure> {
        panel(&self.all)
    }
}

fn panel(all: &[(Read, String)]) -> Result<Panel, Failure> {
    let mut panel = Panel::default();
    for (read, name) in all {
        let place = read.path.display().to_string();
        panel.add(match &read.content {
            Content::Run(rubric, said) => {
                let files = if store::disk::is_dir(&read.path) {
                    Files::In(&place)
                } else {
                    Files::Alone(&place)
                };
                panel_of(RunScores { run: name, files, rubric, said })
            }
            Content::Scores(scores) => {
                Panel { raters: vec![scorer(read, scores)], problems: vec![] }
            }
            Content::Table(text) => {
                sheet::read(&place, text, "").map_err(|why| no_scores(&place, text, &why))?
            }
        });
    }
    Ok(panel)
}

/// A score file as a rater, called as the file: each task of each harness is a component of a run.
fn scorer(read: &Read, scores: &[Score]) -> Rater {
    let place = read.path.display().to_string();
    let score = |it: &Score| {
        let (run, component) = (it.harness.clone(), it.task.clone());
        let item = Item { run, component, ..Item::default() };
        let rubric = Some(it.measure.to_owned());
        Some(raters::Score { item, score: it.value?, scale: None, rubric, place: place.clone() })
    };
    let name = read.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let scores = scores.iter().filter_map(score).collect();
    Rater { name, model: None, kind: Kind::Unknown, labels: None, scores }
}

/// A file that holds neither judgements nor labels nor a table, in one line.
fn no_scores(place: &str, text: &str, why: &str) -> Failure {
    let schema = schema_of(text);
    let what = match schema {
        Some(schema) => format!("says that it is {schema:?}"),
        None => why.to_owned(),
    };
    let expected =
        "expected judgements, labels or a table of scores with a head like component,a,b";
    Failure::not_understood(format!("{place}: {what}; {expected}"))
}

fn read(path: &Path) -> Result<Vec<Read>, Failure> {
    if let Some(folder) = store::rubric::bundle_of(path) {
        return Ok(vec![Read { content: content_of(&folder), path: folder }]);
    }
    if store::disk::is_dir(path) {
        return runs_below(path);
    }
    let text = text_of(path)?;
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let scores = is_yaml.then(|| scores::read(&text)).flatten();
    let content = match (scores, rubric_of(path, &text)) {
        (Some(scores), _) => Content::Scores(scores),
        (None, Some(rubric)) => Content::Run(Box::new(rubric), vec![]),
        (None, None) => Content::Table(text),
    };
    Ok(vec![Read { path: path.to_owned(), content }])
}

/// What is beside the run in a bundle.
fn content_of(folder: &Path) -> Content {
    let rubric = store::rubric::read(folder);
    let said = said(folder, &rubric);
    Content::Run(Box::new(rubric), said)
}

/// What was said of leaves and of signals, which the run itself holds: it is opened where somebody labelled such things.
fn said(folder: &Path, rubric: &Rubric) -> Vec<(Judging, Vec<AuditItem>)> {
    let labels = rubric.labels.iter().flat_map(|it| &it.labels).map(|it| it.unit);
    let labelled: BTreeSet<Unit> = labels.chain(rubric.gold.iter().map(|it| it.unit)).collect();
    let wanted = [Unit::Leaf, Unit::Signal].into_iter().filter(|unit| labelled.contains(unit));
    let wanted: Vec<Unit> = wanted.collect();
    if wanted.is_empty() {
        return vec![];
    }
    let Ok(opened) = store::open(folder) else { return vec![] };
    let has_signals = wanted.contains(&Unit::Signal);
    let report = has_signals.then(|| store::report(&opened.archive, &opened.run));
    let ground = Ground { run: &opened.run, rubric, process: report.as_ref(), decisions: None };
    let of = |unit: Unit| {
        let all = items::sources(ground, unit).into_iter();
        all.map(move |source| (source.clone(), items::of(ground, unit, &source.file)))
    };
    wanted.into_iter().flat_map(of).collect()
}

fn runs_below(folder: &Path) -> Result<Vec<Read>, Failure> {
    let bundles = store::runs_below(folder).into_iter();
    let bundles: Vec<Read> = bundles
        .filter_map(|run| store::rubric::bundle_of(&run))
        .map(|run| Read { content: content_of(&run), path: run })
        .collect();
    if bundles.is_empty() {
        let why = format!("{}: no run bundle below this folder", folder.display());
        return Err(Failure::not_understood(why));
    }
    Ok(bundles)
}

/// A file's text, of at most so many bytes as a table may have; what is no UTF-8 is replaced.
pub fn text_of(path: &Path) -> Result<String, Failure> {
    let cannot = |why: String| Failure::unread(format!("cannot read {}: {why}", path.display()));
    let size = store::disk::metadata(path).map_err(|why| cannot(why.to_string()))?.len();
    if size > MOST_BYTES {
        return Err(cannot(format!("it is larger than {} MB", MOST_BYTES >> 20)));
    }
    let bytes = store::disk::read(path).map_err(|why| cannot(why.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a JSON object says it is; nothing else of it is kept, however large it is.
fn schema_of(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Document {
        schema: String,
    }
    let is_object = text.trim_start().starts_with('{');
    let document = is_object
        .then(|| serde_json::from_str::<Document>(&not_finite::readable(text)).ok())
        .flatten()?;
    Some(document.schema)
}

/// A file of judgements or labels that stands alone.
fn rubric_of(path: &Path, text: &str) -> Option<Rubric> {
    let file = path.file_name()?.to_string_lossy();
    let schema = schema_of(text)?;
    let folder = match schema.as_str() {
        schema if schema.starts_with("trajview.judgement/") => "judgements",
        schema if schema.starts_with("trajview.labels/") => "labels",
        _ => return None,
    };
    let name = format!("{folder}/{}.json", file.trim_end_matches(".json"));
    Some(formats::rubric::read(&[Source { name: &name, bytes: text.as_bytes() }]))
}

/// What each run is called: as its judgements say or by its folder; by its path where two would be called the same.
///
/// A file that stands alone and names no run is of the bundle it lies in, else of the only run there is.
fn names(all: &[Read]) -> Vec<String> {
    let is_run = |read: &Read| matches!(read.content, Content::Run(..));
    let mut names: Vec<String> = all.iter().map(name).collect();
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
    let known: BTreeSet<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    if let Some(only) = known.first().filter(|_| known.len() == 1) {
        let nameless =
            all.iter().zip(&mut names).filter(|(read, name)| is_run(read) && name.is_empty());
        nameless.for_each(|(_, name)| name.clone_from(only));
    }
    names
}

/// Empty where nothing says it.
fn name(read: &Read) -> String {
    let Content::Run(rubric, _) = &read.content else { return String::new() };
    let all = [&rubric.judgements, &rubric.decisions, &rubric.process];
    let given = all.into_iter().flatten().find_map(|judgement| judgement.run.clone());
    let above = read.path.parent().and_then(Path::parent);
    let bundle = if store::disk::is_dir(&read.path) { Some(read.path.as_path()) } else { above };
    let folder = bundle.and_then(store::rubric::bundle_of);
    let folder = folder.map(|folder| folder.canonicalize().unwrap_or(folder));
    let folder = folder.as_deref().and_then(Path::file_name);
    given.or(folder.map(|name| name.to_string_lossy().into_owned())).unwrap_or_default()
}
