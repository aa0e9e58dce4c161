//! Labels into a run and out of it, as tables.

use std::{collections::BTreeMap, io::Read, path::Path};

use crate::{
    cli::{
        Exit, Failure, Outcome, at,
        output::{Out, tell},
    },
    formats::rubric::labels_table::{self, Row},
    run::rubric::{Judgement, Label, REASONS, Unit},
    store::labels::LabelBook,
    study::queue::{Plan, queue},
};

use super::{Args, annotator, audited::Audited};

/// Larger files are no tables of labels.
const MOST_BYTES: u64 = 64 << 20;

/// The labels of one annotator, or of all of them.
pub fn export(audited: &Audited, args: &Args, out: &mut Out) -> Outcome {
    let of = if args.all { None } else { Some(annotator(args)?) };
    let is_asked = |name: &str| of.as_deref().is_none_or(|of| of == name);
    let books = audited.rubric.labels.iter().filter(|labels| is_asked(&labels.annotator));
    let rows: Vec<(&str, &str, &Label)> = books
        .flat_map(|book| book.labels.iter().map(|label| (book.annotator.as_str(), label)))
        .map(|(annotator, label)| (audited.run_name(), annotator, label))
        .collect();
    if rows.is_empty() {
        let who = of.as_deref().unwrap_or("nobody");
        let has = if of.is_some() { "has no labels" } else { "has labels" };
        tell(&format!("{who} {has} in {}", audited.path.display()));
    }
    out.raw(labels_table::write(rows).as_bytes())?;
    Ok(Exit::Fine)
}

/// The queue to be filled in elsewhere.
pub fn blank(audited: &Audited, plan: Plan, out: &mut Out) -> Outcome {
    let judgement = audited.judgement()?;
    let heads = ["number", "component", "name", "run", "commit", "turn", "judgement"];
    let to_fill = ["score", "blind", "reason", "note"];
    let mut text = labels_table::row(heads.iter().chain(&to_fill).map(|it| (*it).to_owned()));
    let done = audited.done(judgement)?;
    for (number, item) in (1..).zip(queue(&[judgement], plan)) {
        let number: usize = number;
        let name = audited.name_of(&item.component).to_owned();
        let state = state_of(judgement, done, Label::default());
        let words = [
            number.to_string(),
            item.component,
            name,
            audited.run_name().to_owned(),
            state.commit.unwrap_or_default(),
            done.to_string(),
            item.judgement,
        ];
        text += &labels_table::row(words.into_iter().chain(to_fill.map(|_| String::new())));
    }
    out.raw(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn state_of(judgement: &Judgement, done: usize, label: Label) -> Label {
    let judgement_file = Some(judgement.file.clone());
    Label { commit: judgement.commit.clone(), turn: Some(done), judgement: judgement_file, ..label }
}

/// Puts the labels of a table beside the run, all of them or none.
pub fn import(audited: &mut Audited, args: &Args, file: &Path, out: &mut Out) -> Outcome {
    let bundle = audited.bundle()?;
    let shown = file.display().to_string();
    let text = read(file)?;
    let table = labels_table::read(&text);
    for head in &table.strange {
        tell(&format!("{shown}: the column {head} is not read"));
    }
    let mut rows = table.rows;
    if args.judgement.is_some() {
        audited.choose(args.judgement.as_deref())?;
        let judgement = audited.judgement()?;
        let done = audited.done(judgement)?;
        for row in &mut rows {
            let label = &mut row.label;
            if label.judgement.is_none() && label.commit.is_none() && label.turn.is_none() {
                *label = state_of(judgement, done, std::mem::take(label));
            }
        }
    }
    let mut wrong: Vec<String> =
        table.wrong.into_iter().chain(wrong(audited, args, &rows)).collect();
    wrong.sort_by_key(|what| line_of(what)); // stable: what is of no line stands first
    if !wrong.is_empty() {
        return Err(refused(&shown, &wrong));
    }
    for note in notes(audited, &rows) {
        tell(&format!("{shown}: {note}"));
    }
    let by_annotator = by_annotator(args, rows)?;
    let mut books = vec![];
    for (name, labels) in by_annotator {
        books.push((LabelBook::open(&bundle, &name)?, labels));
    }
    for (book, labels) in &mut books {
        let before = book.labels().labels.clone();
        let is_known = |label: &&Label| before.iter().any(|it| it.is_of_one(label));
        let replaced = labels.iter().filter(is_known).count();
        book.put_all(labels)?;
        let count = at::counted(labels.len(), "label");
        let replaced = match replaced {
            0 => String::new(),
            count => format!(", {count} in the place of another"),
        };
        let is_told_blind = |label: &&Label| label.blind == Some(true);
        let is_not =
            |label: &&Label| book.labels().about(label).is_some_and(|it| it.blind != label.blind);
        let unblind = labels.iter().filter(is_told_blind).filter(is_not).count();
        let unblind = match unblind {
            0 => String::new(),
            count => format!(", {count} not blind, since the verdict was seen before"),
        };
        out.line(&format!(
            "{count} of {}{replaced}{unblind} in {}",
            book.labels().annotator,
            book.path().display()
        ))?;
    }
    if table.unfilled > 0 {
        out.line(&format!("{} without a score left out", at::counted(table.unfilled, "row")))?;
    }
    if books.is_empty() {
        out.line(&format!("no labels in {shown}"))?;
    }
    Ok(Exit::Fine)
}

fn read(file: &Path) -> Result<String, Failure> {
    let shown = file.display();
    let cannot = |why: String| Failure::unread(format!("cannot read {shown}: {why}"));
    let mut bytes = vec![];
    let opened = std::fs::File::open(file).map_err(|why| cannot(why.to_string()))?;
    let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|why| cannot(why.to_string()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(cannot(format!("it is larger than {} MB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| {
        let why = format!("{shown}: is no text in UTF-8; nothing was written");
        Failure::not_understood(why)
    })
}

/// The line that a sentence begins with.
fn line_of(what: &str) -> usize {
    let rest = what.strip_prefix("line ").unwrap_or_default();
    rest.split(':').next().and_then(|line| line.parse().ok()).unwrap_or(0)
}

/// Every row that cannot be used.
fn wrong(audited: &Audited, args: &Args, rows: &[Row]) -> Vec<String> {
    let mut wrong = vec![];
    for (at, row) in rows.iter().enumerate() {
        let mut told = |what: String| wrong.push(format!("line {}: {what}", row.line));
        let component = &row.label.component;
        let is_listed = row.label.unit == Unit::Component && audited.rubric.checklist.is_some();
        if is_listed && audited.component(component).is_none() {
            told(format!("components.json has no component {component}"));
        }
        let turns = audited.opened.run.turns.len();
        if let Some(turn) = row.label.turn.filter(|turn| *turn > turns) {
            told(format!("no turn {turn}; the run has {turns}"));
        }
        if let Some(run) = row.run.as_deref().filter(|run| !audited.is_called(run)) {
            told(format!("is of the run {run}; this one is {}", audited.run_name()));
        }
        let (said, given) = (row.annotator.as_deref(), args.annotator.as_deref().map(str::trim));
        if let Some((said, given)) = said.zip(given).filter(|(said, given)| said != given) {
            told(format!("is a label of {said}; without --annotator {given} each goes to its own"));
        }
        let is_same =
            |other: &&Row| other.annotator == row.annotator && other.label.is_of_one(&row.label);
        if let Some(first) = rows[..at].iter().find(is_same) {
            told(format!("{component} is labelled on line {} already", first.line));
        }
    }
    wrong
}

/// What is odd and no error.
fn notes(audited: &Audited, rows: &[Row]) -> Vec<String> {
    let mut notes = vec![];
    for row in rows {
        let mut told = |what: String| notes.push(format!("line {}: {what}; kept", row.line));
        if let Some(reason) = row.label.reason.as_deref().filter(|it| !REASONS.contains(it)) {
            told(format!("{reason:?} is none of {}", REASONS.join(", ")));
        }
        let is_here = |file: &&str| audited.rubric.judgements.iter().any(|it| it.file == **file);
        if let Some(file) = row.label.judgement.as_deref().filter(|file| !is_here(file)) {
            told(format!("there is no judgement {file}"));
        }
    }
    notes
}

fn by_annotator(args: &Args, rows: Vec<Row>) -> Result<BTreeMap<String, Vec<Label>>, Failure> {
    let mut by_annotator: BTreeMap<String, Vec<Label>> = BTreeMap::new();
    for row in rows {
        let name = match row.annotator {
            Some(name) => name,
            None => annotator(args)?,
        };
        by_annotator.entry(name).or_default().push(row.label);
    }
    Ok(by_annotator)
}

fn refused(shown: &str, wrong: &[String]) -> Failure {
    let (last, before) = wrong.split_last().map_or(("", wrong), |(last, it)| (last.as_str(), it));
    before.iter().for_each(|what| tell(&format!("{shown}: {what}")));
    Failure::not_understood(format!("{shown}: {last}; nothing was written"))
}
