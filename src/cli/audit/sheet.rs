//! Labels into a run and out of it, as tables.

use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

use crate::cli::{
    Exit, Failure, Outcome, at,
    output::{Out, tell},
};
use trajview_formats::rubric::labels_table::{self, Row};
use trajview_run::rubric::{Codebook, Judgement, Label, REASONS, Rubric, Unit};
use trajview_store::labels::LabelBook;
use trajview_study::{
    items::AuditItem,
    queue::{Plan, queue},
    studied::{Studied, StudyRun},
};

use super::{Args, annotator, audited::Audited};

/// Larger files are no tables of labels.
const MOST_BYTES: u64 = 64 << 20;

/// The labels of one annotator, or of all of them.
pub fn export(audited: &Audited, args: &Args, out: &mut Out) -> Outcome {
    let of = if args.all { None } else { Some(annotator(args)?) };
    let place = audited.path.display().to_string();
    export_runs([(audited.run_name(), &audited.rubric)], of.as_deref(), &place, out)
}

/// The labels of one rater of a study, or of all of them, over its runs.
pub fn export_study(studied: &Studied, args: &Args, out: &mut Out) -> Outcome {
    let me = annotator(args)?;
    if args.all && studied.design.is_rater(&me) && !studied.design.may_see_all(&me) {
        return Err(Failure::wrong(format!(
            "{me} labels in this study, and is shown no labels of others before they are settled"
        )));
    }
    let of = if args.all { None } else { Some(me) };
    let runs = studied.runs.iter().map(|run| (run.name.as_str(), &run.rubric));
    export_runs(runs, of.as_deref(), &studied.name, out)
}

/// `of` is whose labels; None for everybody's.
fn export_runs<'a>(
    runs: impl IntoIterator<Item = (&'a str, &'a Rubric)>,
    of: Option<&str>,
    place: &str,
    out: &mut Out,
) -> Outcome {
    let is_asked = |name: &str| of.is_none_or(|of| of == name);
    let mut rows: Vec<(&str, &str, &Label)> = vec![];
    for (run, rubric) in runs {
        for book in rubric.labels.iter().filter(|labels| is_asked(&labels.annotator)) {
            rows.extend(book.labels.iter().map(|label| (run, book.annotator.as_str(), label)));
        }
    }
    if rows.is_empty() {
        let who = of.unwrap_or("nobody");
        let has = if of.is_some() { "has no labels" } else { "has labels" };
        tell(&format!("{who} {has} in {place}"));
    }
    out.raw(labels_table::write(rows).as_bytes())?;
    Ok(Exit::Fine)
}

/// A row of a sheet that is to be filled in.
pub struct Blank<'a> {
    pub name: &'a str,
    pub run: &'a str,
    /// Of the thing, with nothing said.
    pub label: Label,
}

/// The queue to be filled in elsewhere.
pub fn blank(audited: &Audited, plan: Plan, out: &mut Out) -> Outcome {
    let judgement = audited.judgement()?;
    let (run, turn) = (audited.run_name(), Some(audited.done(judgement)?));
    let items = queue(&[judgement], plan);
    let row = |component: &'_ String| {
        let label = Label { component: component.clone(), ..Label::default() };
        Blank { name: audited.name_of(component), run, label: state_of(judgement, turn, label) }
    };
    let rows: Vec<Blank<'_>> = items.iter().map(|item| row(&item.component)).collect();
    write_blank(&rows, out)
}

/// The same of other things than components, and of components by a codebook.
pub fn blank_items(audited: &Audited, items: &[AuditItem], out: &mut Out) -> Outcome {
    let book = audited.rubric.codebook.as_deref();
    let run = audited.run_name();
    let row = |item: &'_ AuditItem| {
        let book = book.filter(|_| item.unit == Unit::Component);
        (item.title.clone(), on_scale(item, book))
    };
    let rows: Vec<(String, Label)> = items.iter().map(row).collect();
    let rows = rows.iter().map(|(name, label)| Blank { name, run, label: label.clone() });
    write_blank(&rows.collect::<Vec<_>>(), out)
}

/// A label of an item that says nothing yet but on which scale it is, where that is not the unit's own.
fn on_scale(item: &AuditItem, book: Option<&Codebook>) -> Label {
    let scale = book.and_then(|book| book.criterion(item.criterion.as_deref())).map(|it| it.scale);
    let scale = scale.filter(|scale| *scale != item.unit.scale());
    Label { scale: scale.map(|scale| scale.to_string()), ..item.label() }
}

/// What a rater labels of a study, to be filled in elsewhere.
pub fn blank_study(studied: &Studied, who: &str, out: &mut Out) -> Outcome {
    if !studied.design.has_rater(who) {
        return Err(not_a_rater(studied, who));
    }
    let row = |at: usize| {
        let item = &studied.items[at];
        let run = studied.run_of(item)?;
        let label = on_scale(&item.item, Some(run.codebook(&studied.design)));
        Some(Blank { name: &item.item.title, run: &run.name, label })
    };
    let rows: Vec<Blank<'_>> = studied.queue_of(who).into_iter().filter_map(row).collect();
    write_blank(&rows, out)
}

fn not_a_rater(studied: &Studied, who: &str) -> Failure {
    let raters = studied.design.raters.join(", ");
    Failure::wrong(format!(
        "{who} is none of the raters of {} ({raters}); --annotator names one",
        studied.name
    ))
}

/// The unit, the criterion and the scale have columns where anything has them.
fn write_blank(rows: &[Blank<'_>], out: &mut Out) -> Outcome {
    let is_plain = rows.iter().all(|row| row.label.item() == (&row.label.component).into());
    let has_scale = rows.iter().any(|row| row.label.scale.is_some());
    let more: &[&str] = match (is_plain, has_scale) {
        (_, true) => &["unit", "criterion", "scale"],
        (false, false) => &["unit", "criterion"],
        (true, false) => &[],
    };
    let heads = ["number", "component", "name", "run", "commit", "turn", "judgement"];
    let to_fill = ["score", "blind", "reason", "note"];
    let heads = heads.iter().chain(more).chain(&to_fill);
    let mut text = labels_table::row(heads.map(|it| (*it).to_owned()));
    for (number, Blank { name, run, label }) in (1_usize..).zip(rows) {
        let words = |words: &Option<String>| words.clone().unwrap_or_default();
        let first = [
            number.to_string(),
            label.component.clone(),
            (*name).to_owned(),
            (*run).to_owned(),
            words(&label.commit),
            label.turn.map(|turn| turn.to_string()).unwrap_or_default(),
            words(&label.judgement),
        ];
        let kind = [label.unit.word().to_owned(), words(&label.criterion), words(&label.scale)];
        let kind = kind.into_iter().take(more.len());
        let cells = first.into_iter().chain(kind).chain(to_fill.map(|_| String::new()));
        text += &labels_table::row(cells);
    }
    out.raw(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn state_of(judgement: &Judgement, turn: Option<usize>, label: Label) -> Label {
    let judgement_file = Some(judgement.file.clone());
    Label { commit: judgement.commit.clone(), turn, judgement: judgement_file, ..label }
}

/// A run that labels of a table go to.
pub struct Target<'a> {
    pub name: &'a str,
    pub rubric: &'a Rubric,
    /// The folder that labels are written to.
    pub place: PathBuf,
    /// How many the run has; None where it was not read.
    turns: Option<usize>,
    /// Whether a table means it.
    is_called: Box<dyn Fn(&str) -> bool + 'a>,
}

impl<'a> Target<'a> {
    fn of(audited: &'a Audited) -> Result<Self, Failure> {
        Ok(Self {
            name: audited.run_name(),
            rubric: &audited.rubric,
            place: audited.bundle()?,
            turns: Some(audited.opened.run.turns.len()),
            is_called: Box::new(|name| audited.is_called(name)),
        })
    }

    fn of_run(run: &'a StudyRun) -> Self {
        let folder = run.path.file_name().map(|it| it.to_string_lossy().into_owned());
        Self {
            name: &run.name,
            rubric: &run.rubric,
            place: run.place.clone(),
            turns: None,
            is_called: Box::new(move |name| name == run.name || folder.as_deref() == Some(name)),
        }
    }

    /// Whether the checklist has it; true where there is none.
    fn has_component(&self, id: &str) -> bool {
        let checklist = self.rubric.checklist.as_ref();
        checklist.is_none_or(|it| it.components.iter().any(|it| it.id == id))
    }
}

/// A table of labels whose rows were given their runs.
pub struct Sorted<'a> {
    pub targets: Vec<Target<'a>>,
    /// With the number of the target.
    pub rows: Vec<(usize, Row)>,
    pub unfilled: usize,
    /// As it is called in sentences.
    shown: String,
    /// Sentences with their lines.
    wrong: Vec<String>,
}

impl<'a> Sorted<'a> {
    /// Reads a table; what is not understood is told with the rest that is wrong.
    pub fn read(file: &Path, targets: Vec<Target<'a>>) -> Result<Self, Failure> {
        let shown = file.display().to_string();
        let table = labels_table::read(&read(file)?);
        // What raters said, beside what is to be settled.
        let is_strange = |head: &&String| !head.starts_with("label of ");
        for head in table.strange.iter().filter(is_strange) {
            tell(&format!("{shown}: the column {head} is not read"));
        }
        let unfilled = table.unfilled;
        let mut sorted = Self { targets, rows: vec![], unfilled, shown, wrong: table.wrong };
        for row in table.rows {
            match sorted.target_of(&row) {
                Ok(at) => sorted.rows.push((at, row)),
                Err(what) => sorted.wrong.push(format!("line {}: {what}", row.line)),
            }
        }
        Ok(sorted)
    }

    /// Of a study.
    pub fn of_study(file: &Path, studied: &'a Studied) -> Result<Self, Failure> {
        let mut sorted = Self::read(file, studied.runs.iter().map(Target::of_run).collect())?;
        for (at, row) in &mut sorted.rows {
            let label = &mut row.label;
            if label.unit == Unit::default() {
                label.unit = studied.design.unit;
            }
            let mut items = studied.items.iter();
            let item = items.find(|it| it.run == *at && it.key() == label.item());
            let says_no_state =
                label.judgement.is_none() && label.commit.is_none() && label.turn.is_none();
            if let Some(item) = item.filter(|_| says_no_state) {
                let Label { judgement, commit, turn, .. } = item.item.label();
                (label.judgement, label.commit, label.turn) = (judgement, commit, turn);
            }
        }
        Ok(sorted)
    }

    fn target_of(&self, row: &Row) -> Result<usize, String> {
        match (&row.run, self.targets.as_slice()) {
            (None, [_]) => Ok(0),
            (None, all) => Err(format!("names no run; there are {}", all.len())),
            (Some(name), all) => {
                all.iter().position(|it| (it.is_called)(name)).ok_or_else(|| match all {
                    [only] => format!("is of the run {name}; this one is {}", only.name),
                    _ => format!("is of the run {name}, which is none of the study"),
                })
            }
        }
    }

    /// Tells everything that is wrong, where anything is.
    pub fn check(&self, more: Vec<String>) -> Result<(), Failure> {
        let mut wrong: Vec<String> = self.wrong.iter().cloned().chain(more).collect();
        wrong.sort_by_key(|what| line_of(what)); // stable: what is of no line stands first
        if wrong.is_empty() { Ok(()) } else { Err(refused(&self.shown, &wrong)) }
    }
}

/// Puts the labels of a table beside the run, all of them or none.
pub fn import(audited: &mut Audited, args: &Args, file: &Path, out: &mut Out) -> Outcome {
    if args.judgement.is_some() {
        audited.choose(args.judgement.as_deref())?;
    }
    let mut sorted = Sorted::read(file, vec![Target::of(audited)?])?;
    if args.judgement.is_some() {
        let judgement = audited.judgement()?;
        let done = audited.done(judgement)?;
        for (_, Row { label, .. }) in &mut sorted.rows {
            if label.judgement.is_none() && label.commit.is_none() && label.turn.is_none() {
                *label = state_of(judgement, Some(done), std::mem::take(label));
            }
        }
    }
    write(sorted, args, vec![], out)
}

/// Puts the labels of a table beside the runs of a study, all of them or none.
pub fn import_study(studied: &Studied, args: &Args, file: &Path, out: &mut Out) -> Outcome {
    let sorted = Sorted::of_study(file, studied)?;
    let mut wrong = vec![];
    for (_, row) in &sorted.rows {
        let name = match &row.annotator {
            Some(name) => name.clone(),
            None => annotator(args)?,
        };
        if !studied.design.has_rater(&name) {
            let raters = studied.design.raters.join(", ");
            wrong.push(format!("line {}: {name} is none of the raters ({raters})", row.line));
        }
    }
    write(sorted, args, wrong, out)
}

fn write(sorted: Sorted<'_>, args: &Args, more: Vec<String>, out: &mut Out) -> Outcome {
    sorted.check(wrong(&sorted, args).into_iter().chain(more).collect())?;
    for note in notes(&sorted) {
        tell(&format!("{}: {note}", sorted.shown));
    }
    let mut books = vec![];
    for ((at, name), labels) in by_annotator(args, sorted.rows)? {
        books.push((LabelBook::open(&sorted.targets[at].place, &name)?, labels));
    }
    for (book, labels) in &mut books {
        put(book, labels, out)?;
    }
    if sorted.unfilled > 0 {
        let rows = at::counted(sorted.unfilled, "row");
        out.line(&format!("{rows} without a score left out"))?;
    }
    if books.is_empty() {
        out.line(&format!("no labels in {}", sorted.shown))?;
    }
    Ok(Exit::Fine)
}

/// Writes labels to the file of a rater, and says what became of them.
fn put(book: &mut LabelBook, labels: &[Label], out: &mut Out) -> Result<(), Failure> {
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
    let (who, place) = (&book.labels().annotator, book.path().display());
    out.line(&format!("{count} of {who}{replaced}{unblind} in {place}"))?;
    Ok(())
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
fn wrong(sorted: &Sorted<'_>, args: &Args) -> Vec<String> {
    let mut wrong = vec![];
    for (number, (at, row)) in sorted.rows.iter().enumerate() {
        let target = &sorted.targets[*at];
        let mut told = |what: String| wrong.push(format!("line {}: {what}", row.line));
        let component = &row.label.component;
        if row.label.unit == Unit::Component && !target.has_component(component) {
            told(format!("components.json has no component {component}"));
        }
        if let Some((turn, turns)) =
            row.label.turn.zip(target.turns).filter(|(turn, all)| turn > all)
        {
            told(format!("no turn {turn}; the run has {turns}"));
        }
        let (said, given) = (row.annotator.as_deref(), args.annotator.as_deref().map(str::trim));
        if let Some((said, given)) = said.zip(given).filter(|(said, given)| said != given) {
            told(format!("is a label of {said}; without --annotator {given} each goes to its own"));
        }
        let is_same = |(other_at, other): &&(usize, Row)| {
            (other_at, &other.annotator) == (at, &row.annotator)
                && other.label.is_of_one(&row.label)
        };
        if let Some((_, first)) = sorted.rows[..number].iter().find(is_same) {
            told(format!("{component} is labelled on line {} already", first.line));
        }
    }
    wrong
}

/// What is odd and no error.
fn notes(sorted: &Sorted<'_>) -> Vec<String> {
    let mut notes = vec![];
    for (at, row) in &sorted.rows {
        let mut told = |what: String| notes.push(format!("line {}: {what}; kept", row.line));
        if let Some(reason) = row.label.reason.as_deref().filter(|it| !REASONS.contains(it)) {
            told(format!("{reason:?} is none of {}", REASONS.join(", ")));
        }
        let rubric = sorted.targets[*at].rubric;
        let judged = rubric.judgements.iter().chain(&rubric.decisions).chain(&rubric.process);
        let judged = judged.map(|it| &it.file).chain(rubric.flaggings.iter().map(|it| &it.file));
        let files: Vec<&String> = judged.collect();
        // A graded tree is part of the recording.
        let is_here =
            |file: &&str| row.label.unit == Unit::Leaf || files.iter().any(|it| it == file);
        if let Some(file) = row.label.judgement.as_deref().filter(|file| !is_here(file)) {
            told(format!("there is no judgement {file}"));
        }
    }
    notes
}

/// The labels of each rater in each run.
type ByAnnotator = BTreeMap<(usize, String), Vec<Label>>;

fn by_annotator(args: &Args, rows: Vec<(usize, Row)>) -> Result<ByAnnotator, Failure> {
    let mut by_annotator = ByAnnotator::new();
    for (at, row) in rows {
        let name = match row.annotator {
            Some(name) => name,
            None => annotator(args)?,
        };
        by_annotator.entry((at, name)).or_default().push(row.label);
    }
    Ok(by_annotator)
}

fn refused(shown: &str, wrong: &[String]) -> Failure {
    let (last, before) = wrong.split_last().map_or(("", wrong), |(last, it)| (last.as_str(), it));
    before.iter().for_each(|what| tell(&format!("{shown}: {what}")));
    Failure::not_understood(format!("{shown}: {last}; nothing was written"))
}
