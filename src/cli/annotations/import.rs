//! Imports the scores in another tool's file as labels and judgements of bundles: all of them or none.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    agree::inputs::{AgreeInputs, read_text},
    output::{Out, print_note},
    run_args,
};
use trajview_formats::annotations::{self, Annotation, AnnotationAnswer, AnnotationSource};
use trajview_run::rubric::{COMPONENT_LEVELS, ItemKey, Label, LabelUnit, Rubric, ScoreScale};
use trajview_store as store;
use trajview_store::{judgements::JudgementFolder, labels::LabelBook};

use super::{AnnotationsArgs, item_of_name};

/// A run that scores may be of.
#[derive(Clone)]
struct KnownRun<'a> {
    folder: &'a Path,
    rubric: &'a Rubric,
    /// The state of `--at`, where the file does not record one: the commit, and turns done.
    commit_and_turn: Option<(Option<String>, usize)>,
}

/// A score whose run, item and state are known.
struct ImportedScore<'a> {
    folder: &'a Path,
    run: String,
    rater: String,
    source: AnnotationSource,
    model: Option<String>,
    label: Label,
}

pub(crate) fn import_annotations(
    gathered: &AgreeInputs,
    args: &AnnotationsArgs,
    file: &Path,
    out: &mut Out,
) -> CommandResult {
    let shown = file.display().to_string();
    let text = read_text(file)?;
    let tool = args.format.or_else(|| annotations::detect_tool(&text)).ok_or_else(|| {
        let why = "not recognised as a file of Inspect Scout, Langfuse, Phoenix or Label Studio; name the tool with --format TOOL";
        CommandFailure::cannot_understand(format!("{shown}: {why}"))
    })?;
    let read = annotations::read_annotations(tool, &text);
    let runs = runs_by_name(gathered, args)?;
    let mut wrong = read.wrong;
    let mut scores: Vec<ImportedScore<'_>> = vec![];
    for annotation in &read.annotations {
        match imported_score(annotation, &runs, args) {
            Ok(found) => {
                let place = &annotation.place;
                match scores.iter().any(|it| it.is_duplicate_of(&found)) {
                    true => wrong.push(format!(
                        "{place}: {} scored {} of {} already",
                        found.rater, annotation.item, annotation.run
                    )),
                    false => scores.push(found),
                }
            }
            Err(why) => {
                wrong.extend(why.into_iter().map(|why| format!("{}: {why}", annotation.place)))
            }
        }
    }
    if let Some((last, before)) = wrong.split_last() {
        before.iter().for_each(|what| print_note(&format!("{shown}: {what}")));
        return Err(CommandFailure::cannot_understand(format!(
            "{shown}: {last}; nothing was written"
        )));
    }
    if scores.is_empty() {
        out.print_line(&format!("no scores in {shown}"))?;
    }
    let (labels, verdicts) =
        scores.into_iter().partition(|it| it.source == AnnotationSource::Human);
    write_labels(labels, out)?;
    write_judgements(verdicts, out)?;
    Ok(Exit::Fine)
}

/// Returns the runs by every name that a file may have for them.
fn runs_by_name<'a>(
    gathered: &'a AgreeInputs,
    args: &AnnotationsArgs,
) -> Result<BTreeMap<String, KnownRun<'a>>, CommandFailure> {
    let (mut runs, mut folders) = (BTreeMap::new(), BTreeMap::<String, Vec<KnownRun<'_>>>::new());
    for run in gathered.named_runs().filter(|run| store::disk::is_dir(run.path)) {
        let at = args.at.as_deref().map(|word| state_at(run.path, word)).transpose()?;
        let known_run = KnownRun { folder: run.path, rubric: run.rubric, commit_and_turn: at };
        let folder = run.path.canonicalize().unwrap_or_else(|_| run.path.to_owned());
        if let Some(name) = folder.file_name() {
            let name = name.to_string_lossy().into_owned();
            folders.entry(name).or_default().push(known_run.clone());
        }
        runs.insert(run.name.to_owned(), known_run);
    }
    for (name, mut runs_of_folder) in folders {
        // A folder's name that two runs have names neither.
        if let (Some(only), true) = (runs_of_folder.pop(), runs_of_folder.is_empty()) {
            runs.entry(name).or_insert(only);
        }
    }
    Ok(runs)
}

/// Returns the commit of a moment, and turns done.
fn state_at(path: &Path, word: &str) -> Result<(Option<String>, usize), CommandFailure> {
    let opened = store::open(path)?;
    let done = run_args::turns_done(&opened.run, word)?;
    Ok((opened.run.commit_after(done).map(str::to_owned), done))
}

/// Imports one score as a label. The error has every reason why it cannot be imported.
fn imported_score<'a>(
    annotation: &Annotation,
    runs: &BTreeMap<String, KnownRun<'a>>,
    args: &AnnotationsArgs,
) -> Result<ImportedScore<'a>, Vec<String>> {
    let mut wrong = vec![];
    let run = runs.get(&annotation.run);
    if run.is_none() {
        let names: Vec<&str> = runs.keys().map(String::as_str).collect();
        wrong.push(format!("no run {} among {}", annotation.run, names.join(", ")));
    }
    let item = item_of_name(&annotation.item);
    if let Some(checklist) = run.and_then(|run| run.rubric.checklist.as_ref())
        && item.unit == LabelUnit::Component
        && !checklist.components.iter().any(|it| it.id == item.id)
    {
        wrong.push(format!("components.json of {} has no component {}", annotation.run, item.id));
    }
    let by = annotation.by.clone().or_else(|| args.annotator.clone());
    if by.is_none() {
        wrong.push("no rater; name one with --annotator NAME".into());
    }
    let score = answer_score(&annotation.answer, item.unit).map_err(|why| wrong.push(why)).ok();
    let mut state = annotation.state.clone();
    if let Some((commit, done)) = run.and_then(|run| run.commit_and_turn.clone())
        && state.commit.is_none()
        && state.turn.is_none()
    {
        (state.commit, state.turn) = (commit, Some(done));
    }
    if annotation.source == AnnotationSource::Judge {
        if item != ItemKey::from(item.id) {
            wrong
                .push(format!("{}: verdicts of judges exist only for components", annotation.item));
        }
        if state.commit.is_none() && state.turn.is_none() {
            wrong.push("has no judged commit or turn; name it with --at MOMENT".into());
        }
    }
    let (Some(run), Some(by), Some(score), true) = (run, by, score, wrong.is_empty()) else {
        return Err(wrong);
    };
    let label = Label {
        component: item.id.to_owned(),
        unit: item.unit,
        criterion: item.criterion.map(str::to_owned),
        commit: state.commit,
        turn: state.turn,
        judgement: state.judgement,
        score,
        cannot_tell: score.is_none(),
        blind: state.blind,
        reason: state.reason,
        note: annotation.note.clone(),
        at: annotation.at.clone(),
        ..Label::default()
    };
    Ok(ImportedScore {
        folder: run.folder,
        run: annotation.run.clone(),
        rater: by,
        source: annotation.source,
        model: state.model,
        label,
    })
}

/// Converts an answer to a score on the unit's own scale. None if the rater cannot tell.
fn answer_score(answer: &AnnotationAnswer, unit: LabelUnit) -> Result<Option<f64>, String> {
    let (scale, levels) = (unit.default_scale(), unit.rubric_levels());
    let score = match answer {
        AnnotationAnswer::CannotTell => return Ok(None),
        AnnotationAnswer::Score(score, _) => *score,
        AnnotationAnswer::Flag(is) if scale.lowest_and_highest() == (0, 1) => {
            f64::from(u8::from(*is))
        }
        AnnotationAnswer::Flag(is) => {
            return Err(format!("{is} is not a score; expected {}", scale.expected_text()));
        }
        AnnotationAnswer::Word(word) => {
            let at = levels.names.iter().position(|name| name.eq_ignore_ascii_case(word));
            let names = || levels.names.join(", ");
            at.ok_or_else(|| format!("{word:?} is not one of {}", names()))? as f64
        }
    };
    match ScoreScale::contains_score(scale, score) {
        true => Ok(Some(score)),
        false => Err(format!("{score} is not a score; expected {}", scale.expected_text())),
    }
}

impl ImportedScore<'_> {
    /// Returns whether the same rater already scored the same item of the same run and state, from the same source.
    fn is_duplicate_of(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.folder.to_owned(), it.rater.clone(), it.source);
        key(self) == key(other) && self.label.takes_place_of(&other.label)
    }
}

fn write_labels(scores: Vec<ImportedScore<'_>>, out: &mut Out) -> Result<(), CommandFailure> {
    let mut books: BTreeMap<(PathBuf, String), Vec<Label>> = BTreeMap::new();
    for it in scores {
        books.entry((it.folder.to_owned(), it.rater)).or_default().push(it.label);
    }
    let mut opened = vec![];
    for ((folder, by), labels) in books {
        opened.push((LabelBook::open(&folder, &by)?, labels)); // all of them before the first is written
    }
    for (book, labels) in &mut opened {
        book.put_labels(labels)?;
        let count = run_args::count_with_noun(labels.len(), "label");
        out.print_line(&format!(
            "{count} of {} in {}",
            book.labels().annotator,
            book.path().display()
        ))?;
    }
    Ok(())
}

/// The key of the judgement that a verdict belongs to: the bundle, the judge, and the state by commit and turn.
type JudgementKey = (PathBuf, String, Option<String>, Option<usize>);

fn write_judgements(scores: Vec<ImportedScore<'_>>, out: &mut Out) -> Result<(), CommandFailure> {
    let mut all: BTreeMap<JudgementKey, Vec<ImportedScore<'_>>> = BTreeMap::new();
    for it in scores {
        let state = (it.label.commit.clone(), it.label.turn);
        all.entry((it.folder.to_owned(), it.rater.clone(), state.0, state.1)).or_default().push(it);
    }
    for ((folder, by, commit, turn), verdicts) in all {
        let run = verdicts.first().map(|it| it.run.clone());
        let model = verdicts.iter().find_map(|it| it.model.clone());
        let created_at = verdicts.iter().filter_map(|it| it.label.at.clone()).max();
        let score = |it: &ImportedScore<'_>| {
            let score = it.label.score;
            let level = score.and_then(|score| COMPONENT_LEVELS.name(score as u8));
            let error = score.is_none().then_some("cannot tell");
            json!({
                "component": it.label.component, "score": score.map(|score| score as u8), "label": level,
                "rationale": it.label.note.clone().unwrap_or_default(), "evidence": [], "error": error,
            })
        };
        let document = json!({
            "schema": "trajview.judgement/1",
            "judge": { "name": by, "kind": "imported", "model": model },
            "run": run, "commit": commit, "turn": turn,
            "rubric": COMPONENT_LEVELS.rubric,
            "created_at": created_at,
            "components": verdicts.iter().map(|it| it.label.component.clone()).collect::<Vec<_>>(),
            "scores": verdicts.iter().map(score).collect::<Vec<_>>(),
        });
        let content = format!("{document:#}\n");
        let judgements = JudgementFolder::in_bundle(&folder);
        let there = judgements.read_all();
        if let Some((name, _)) = there.iter().find(|(_, bytes)| bytes == content.as_bytes()) {
            out.print_line(&format!(
                "the verdicts of {by} already exist: {}",
                folder.join("judgements").join(name).display()
            ))?;
            continue;
        }
        let names = (1..).map(|number: usize| match number {
            1 => format!("{by}-imported"),
            number => format!("{by}-imported-{number}"),
        });
        let is_free =
            |name: &String| !there.iter().any(|(existing, _)| *existing == format!("{name}.json"));
        let name = names.into_iter().find(is_free).unwrap_or_default();
        let made = judgements.create(&name, content.as_bytes())?;
        let count = run_args::count_with_noun(verdicts.len(), "verdict");
        out.print_line(&format!("{count} of {by} in {}", made.path().display()))?;
    }
    Ok(())
}
