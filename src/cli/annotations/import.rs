//! What another tool's file says of runs, as labels and judgements of their bundles: all of it or nothing.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::cli::{
    Exit, Failure, Outcome,
    agree::gather::{Gathered, text_of},
    at,
    output::{Out, tell},
};
use trajview_formats::annotations::{self, Annotation, Answer, Source};
use trajview_run::rubric::{COMPONENTS, ItemKey, Label, Rubric, Scale, Unit};
use trajview_store as store;
use trajview_store::{judgements::Judgements, labels::LabelBook};

use super::{Args, item_of};

/// A run that scores may be of.
#[derive(Clone)]
struct Known<'a> {
    folder: &'a Path,
    rubric: &'a Rubric,
    /// The state where the file does not say it, of `--at`: the commit, and turns done.
    at: Option<(Option<String>, usize)>,
}

/// A score whose run, item and state are known.
struct Taken<'a> {
    folder: &'a Path,
    run: String,
    by: String,
    source: Source,
    model: Option<String>,
    label: Label,
}

pub fn import(gathered: &Gathered, args: &Args, file: &Path, out: &mut Out) -> Outcome {
    let shown = file.display().to_string();
    let text = text_of(file)?;
    let tool = args.form.or_else(|| annotations::tool_of(&text)).ok_or_else(|| {
        let why = "is no file of Inspect Scout, Langfuse, Phoenix or Label Studio that is known by its form; --as TOOL names it";
        Failure::not_understood(format!("{shown}: {why}"))
    })?;
    let read = annotations::read(tool, &text);
    let runs = known(gathered, args)?;
    let mut wrong = read.wrong;
    let mut taken: Vec<Taken<'_>> = vec![];
    for annotation in &read.annotations {
        match take(annotation, &runs, args) {
            Ok(found) => {
                let place = &annotation.place;
                match taken.iter().any(|it| it.is_the_same(&found)) {
                    true => wrong.push(format!(
                        "{place}: {} scored {} of {} already",
                        found.by, annotation.item, annotation.run
                    )),
                    false => taken.push(found),
                }
            }
            Err(why) => {
                wrong.extend(why.into_iter().map(|why| format!("{}: {why}", annotation.place)))
            }
        }
    }
    if let Some((last, before)) = wrong.split_last() {
        before.iter().for_each(|what| tell(&format!("{shown}: {what}")));
        return Err(Failure::not_understood(format!("{shown}: {last}; nothing was written")));
    }
    if taken.is_empty() {
        out.line(&format!("no scores in {shown}"))?;
    }
    let (labels, verdicts) = taken.into_iter().partition(|it| it.source == Source::Human);
    write_labels(labels, out)?;
    write_judgements(verdicts, out)?;
    Ok(Exit::Fine)
}

/// The runs by every name that a file may have for them.
fn known<'a>(gathered: &'a Gathered, args: &Args) -> Result<BTreeMap<String, Known<'a>>, Failure> {
    let (mut runs, mut folders) = (BTreeMap::new(), BTreeMap::<String, Vec<Known<'_>>>::new());
    for run in gathered.runs().filter(|run| store::disk::is_dir(run.path)) {
        let at = args.at.as_deref().map(|word| state_at(run.path, word)).transpose()?;
        let known = Known { folder: run.path, rubric: run.rubric, at };
        let folder = run.path.canonicalize().unwrap_or_else(|_| run.path.to_owned());
        if let Some(name) = folder.file_name() {
            let name = name.to_string_lossy().into_owned();
            folders.entry(name).or_default().push(known.clone());
        }
        runs.insert(run.name.to_owned(), known);
    }
    for (name, mut known) in folders {
        // A folder's name that two runs have names neither.
        if let (Some(only), true) = (known.pop(), known.is_empty()) {
            runs.entry(name).or_insert(only);
        }
    }
    Ok(runs)
}

/// The commit of a moment, and turns done.
fn state_at(path: &Path, word: &str) -> Result<(Option<String>, usize), Failure> {
    let opened = store::open(path)?;
    let done = at::turns_done(&opened.run, word)?;
    Ok((opened.run.commit_after(done).map(str::to_owned), done))
}

/// One score as a label, or every reason why not.
fn take<'a>(
    annotation: &Annotation,
    runs: &BTreeMap<String, Known<'a>>,
    args: &Args,
) -> Result<Taken<'a>, Vec<String>> {
    let mut wrong = vec![];
    let run = runs.get(&annotation.run);
    if run.is_none() {
        let names: Vec<&str> = runs.keys().map(String::as_str).collect();
        wrong.push(format!("no run {} among {}", annotation.run, names.join(", ")));
    }
    let item = item_of(&annotation.item);
    if let Some(checklist) = run.and_then(|run| run.rubric.checklist.as_ref())
        && item.unit == Unit::Component
        && !checklist.components.iter().any(|it| it.id == item.id)
    {
        wrong.push(format!("components.json of {} has no component {}", annotation.run, item.id));
    }
    let by = annotation.by.clone().or_else(|| args.annotator.clone());
    if by.is_none() {
        wrong.push("nothing says who gave it; --annotator NAME does".into());
    }
    let score = score_of(&annotation.answer, item.unit).map_err(|why| wrong.push(why)).ok();
    let mut state = annotation.state.clone();
    if let Some((commit, done)) = run.and_then(|run| run.at.clone())
        && state.commit.is_none()
        && state.turn.is_none()
    {
        (state.commit, state.turn) = (commit, Some(done));
    }
    if annotation.source == Source::Judge {
        if item != ItemKey::from(item.id) {
            wrong.push(format!("{}: verdicts of judges are of components alone", annotation.item));
        }
        if state.commit.is_none() && state.turn.is_none() {
            wrong.push("names no commit and no turn that was judged; --at MOMENT does".into());
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
    Ok(Taken {
        folder: run.folder,
        run: annotation.run.clone(),
        by,
        source: annotation.source,
        model: state.model,
        label,
    })
}

/// The number of an answer on the unit's own scale; None where the rater cannot tell.
fn score_of(answer: &Answer, unit: Unit) -> Result<Option<f64>, String> {
    let (scale, levels) = (unit.scale(), unit.levels());
    let score = match answer {
        Answer::CannotTell => return Ok(None),
        Answer::Score(score, _) => *score,
        Answer::Is(is) if scale.ends() == (0, 1) => f64::from(u8::from(*is)),
        Answer::Is(is) => return Err(format!("{is} is no score; expected {}", scale.expected())),
        Answer::Word(word) => {
            let at = levels.names.iter().position(|name| name.eq_ignore_ascii_case(word));
            let names = || levels.names.join(", ");
            at.ok_or_else(|| format!("{word:?} is none of {}", names()))? as f64
        }
    };
    match Scale::holds(scale, score) {
        true => Ok(Some(score)),
        false => Err(format!("{score} is no score; expected {}", scale.expected())),
    }
}

impl Taken<'_> {
    fn is_the_same(&self, other: &Self) -> bool {
        let key = |it: &Self| (it.folder.to_owned(), it.by.clone(), it.source);
        key(self) == key(other) && self.label.is_of_one(&other.label)
    }
}

fn write_labels(taken: Vec<Taken<'_>>, out: &mut Out) -> Result<(), Failure> {
    let mut books: BTreeMap<(PathBuf, String), Vec<Label>> = BTreeMap::new();
    for it in taken {
        books.entry((it.folder.to_owned(), it.by)).or_default().push(it.label);
    }
    let mut opened = vec![];
    for ((folder, by), labels) in books {
        opened.push((LabelBook::open(&folder, &by)?, labels)); // all of them before the first is written
    }
    for (book, labels) in &mut opened {
        book.put_all(labels)?;
        let count = at::counted(labels.len(), "label");
        out.line(&format!("{count} of {} in {}", book.labels().annotator, book.path().display()))?;
    }
    Ok(())
}

/// Which judgement a verdict is of: the bundle, the judge, and the state by commit and turn.
type Of = (PathBuf, String, Option<String>, Option<usize>);

fn write_judgements(taken: Vec<Taken<'_>>, out: &mut Out) -> Result<(), Failure> {
    let mut all: BTreeMap<Of, Vec<Taken<'_>>> = BTreeMap::new();
    for it in taken {
        let state = (it.label.commit.clone(), it.label.turn);
        all.entry((it.folder.to_owned(), it.by.clone(), state.0, state.1)).or_default().push(it);
    }
    for ((folder, by, commit, turn), verdicts) in all {
        let run = verdicts.first().map(|it| it.run.clone());
        let model = verdicts.iter().find_map(|it| it.model.clone());
        let created_at = verdicts.iter().filter_map(|it| it.label.at.clone()).max();
        let score = |it: &Taken<'_>| {
            let score = it.label.score;
            let level = score.and_then(|score| COMPONENTS.name(score as u8));
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
            "rubric": COMPONENTS.rubric,
            "created_at": created_at,
            "components": verdicts.iter().map(|it| it.label.component.clone()).collect::<Vec<_>>(),
            "scores": verdicts.iter().map(score).collect::<Vec<_>>(),
        });
        let content = format!("{document:#}\n");
        let judgements = Judgements::of(&folder);
        let there = judgements.all();
        if let Some((name, _)) = there.iter().find(|(_, bytes)| bytes == content.as_bytes()) {
            out.line(&format!(
                "the verdicts of {by} are there already: {}",
                folder.join("judgements").join(name).display()
            ))?;
            continue;
        }
        let names = (1..).map(|number: usize| match number {
            1 => format!("{by}-imported"),
            number => format!("{by}-imported-{number}"),
        });
        let is_free =
            |name: &String| !there.iter().any(|(known, _)| *known == format!("{name}.json"));
        let name = names.into_iter().find(is_free).unwrap_or_default();
        let made = judgements.create(&name, content.as_bytes())?;
        let count = at::counted(verdicts.len(), "verdict");
        out.line(&format!("{count} of {by} in {}", made.path().display()))?;
    }
    Ok(())
}
