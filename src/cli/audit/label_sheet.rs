//! Labels into a run and out of it, as tables.

use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note},
    run_args,
};
use trajview_formats::rubric::labels_table::{self, LabelsTableRow};
use trajview_run::rubric::{Codebook, Judgement, Label, LabelUnit, REASONS, Rubric};
use trajview_store::labels::LabelBook;
use trajview_study::{
    audit_items::AuditItem,
    loaded_study::{LoadedStudy, StudyRun},
    queue::{QueuePlan, draw_queue},
};

use super::{AuditArgs, annotator_name, audited_run::AuditedRun};

/// Larger files are no tables of labels.
const MOST_BYTES: u64 = 64 << 20;

/// Prints the labels of one annotator, or of all of them, as CSV.
pub(crate) fn export_labels(
    audited: &AuditedRun,
    args: &AuditArgs,
    out: &mut Out,
) -> CommandResult {
    let annotator = if args.all { None } else { Some(annotator_name(args)?) };
    let place = audited.path.display().to_string();
    export_runs([(audited.run_name(), &audited.rubric)], annotator.as_deref(), &place, out)
}

/// Prints the labels of one rater of a study, or of all of them, over its runs, as CSV.
pub(crate) fn export_study_labels(
    studied: &LoadedStudy,
    args: &AuditArgs,
    out: &mut Out,
) -> CommandResult {
    let me = annotator_name(args)?;
    if args.all && studied.design.is_rater(&me) && !studied.design.may_see_all(&me) {
        return Err(CommandFailure::wrong_arguments(format!(
            "{me} is a rater of this study and cannot see labels of others before adjudication"
        )));
    }
    let annotator = if args.all { None } else { Some(me) };
    let runs = studied.runs.iter().map(|run| (run.name.as_str(), &run.rubric));
    export_runs(runs, annotator.as_deref(), &studied.name, out)
}

/// Exports the items of runs. `of` selects the rater of the labels; None selects everybody's.
fn export_runs<'a>(
    runs: impl IntoIterator<Item = (&'a str, &'a Rubric)>,
    annotator: Option<&str>,
    place: &str,
    out: &mut Out,
) -> CommandResult {
    let is_asked = |name: &str| annotator.is_none_or(|of| of == name);
    let mut rows: Vec<(&str, &str, &Label)> = vec![];
    for (run, rubric) in runs {
        for book in rubric.labels.iter().filter(|labels| is_asked(&labels.annotator)) {
            rows.extend(book.labels.iter().map(|label| (run, book.annotator.as_str(), label)));
        }
    }
    if rows.is_empty() {
        let who = annotator.unwrap_or("nobody");
        let has = if annotator.is_some() { "has no labels" } else { "has labels" };
        print_note(&format!("{who} {has} in {place}"));
    }
    out.print_bytes(labels_table::write_table(rows).as_bytes())?;
    Ok(Exit::Fine)
}

/// A row of a sheet that is to be filled in.
pub struct BlankRow<'a> {
    pub name: &'a str,
    pub run: &'a str,
    /// The label of the item, without an answer.
    pub label: Label,
}

/// Prints the queue to be filled in elsewhere.
pub(crate) fn print_blank_queue(
    audited: &AuditedRun,
    plan: QueuePlan,
    out: &mut Out,
) -> CommandResult {
    let judgement = audited.judgement()?;
    let (run, turn) = (audited.run_name(), Some(audited.turns_done(judgement)?));
    let items = draw_queue(&[judgement], plan);
    let row = |component: &'_ String| {
        let label = Label { component: component.clone(), ..Label::default() };
        BlankRow {
            name: audited.component_name(component),
            run,
            label: label_with_state(judgement, turn, label),
        }
    };
    let rows: Vec<BlankRow<'_>> = items.iter().map(|item| row(&item.component)).collect();
    print_blank_sheet(&rows, out)
}

/// Prints items of other kinds than components, and of components by a codebook.
pub(crate) fn print_blank_items(
    audited: &AuditedRun,
    items: &[AuditItem],
    out: &mut Out,
) -> CommandResult {
    let book = audited.rubric.codebook.as_deref();
    let run = audited.run_name();
    let row = |item: &'_ AuditItem| {
        let book = book.filter(|_| item.unit == LabelUnit::Component);
        (item.title.clone(), blank_label(item, book))
    };
    let rows: Vec<(String, Label)> = items.iter().map(row).collect();
    let rows = rows.iter().map(|(name, label)| BlankRow { name, run, label: label.clone() });
    print_blank_sheet(&rows.collect::<Vec<_>>(), out)
}

/// Makes an empty label of an item, with its scale where that is not the unit's own.
fn blank_label(item: &AuditItem, book: Option<&Codebook>) -> Label {
    let scale =
        book.and_then(|book| book.criterion_by_id(item.criterion.as_deref())).map(|it| it.scale);
    let scale = scale.filter(|scale| *scale != item.unit.default_scale());
    Label { scale: scale.map(|scale| scale.to_string()), ..item.empty_label() }
}

/// Prints the items of a study that a rater labels, as a sheet to be filled in elsewhere.
pub(crate) fn print_blank_study(studied: &LoadedStudy, who: &str, out: &mut Out) -> CommandResult {
    if !studied.design.has_rater(who) {
        return Err(no_rater_failure(studied, who));
    }
    let row = |at: usize| {
        let item = &studied.items[at];
        let run = studied.run_of(item)?;
        let label = blank_label(&item.item, Some(run.codebook_for(&studied.design)));
        Some(BlankRow { name: &item.item.title, run: &run.name, label })
    };
    let rows: Vec<BlankRow<'_>> = studied.queue_of(who).into_iter().filter_map(row).collect();
    print_blank_sheet(&rows, out)
}

fn no_rater_failure(studied: &LoadedStudy, who: &str) -> CommandFailure {
    let raters = studied.design.raters.join(", ");
    CommandFailure::wrong_arguments(format!(
        "{who} is not a rater of {} ({raters}); choose one with --annotator",
        studied.name
    ))
}

/// Prints the items. The unit, the criterion and the scale have columns only if anything has them.
fn print_blank_sheet(rows: &[BlankRow<'_>], out: &mut Out) -> CommandResult {
    let is_plain = rows.iter().all(|row| row.label.item_key() == (&row.label.component).into());
    let has_scale = rows.iter().any(|row| row.label.scale.is_some());
    let more: &[&str] = match (is_plain, has_scale) {
        (_, true) => &["unit", "criterion", "scale"],
        (false, false) => &["unit", "criterion"],
        (true, false) => &[],
    };
    let heads = ["number", "component", "name", "run", "commit", "turn", "judgement"];
    let to_fill = ["score", "blind", "reason", "note"];
    let heads = heads.iter().chain(more).chain(&to_fill);
    let mut text = labels_table::csv_line(heads.map(|it| (*it).to_owned()));
    for (number, BlankRow { name, run, label }) in (1_usize..).zip(rows) {
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
        text += &labels_table::csv_line(cells);
    }
    out.print_bytes(text.as_bytes())?;
    Ok(Exit::Fine)
}

fn label_with_state(judgement: &Judgement, turn: Option<usize>, label: Label) -> Label {
    let judgement_file = Some(judgement.file.clone());
    Label { commit: judgement.commit.clone(), turn, judgement: judgement_file, ..label }
}

/// A run that labels of a table go to.
pub struct ImportTarget<'a> {
    pub name: &'a str,
    pub rubric: &'a Rubric,
    /// The folder that labels are written to.
    pub place: PathBuf,
    /// The number of turns of the run. None if it was not read.
    turns: Option<usize>,
    /// Returns whether a table means this run by a name.
    is_called: Box<dyn Fn(&str) -> bool + 'a>,
}

impl<'a> ImportTarget<'a> {
    fn for_run(audited: &'a AuditedRun) -> Result<Self, CommandFailure> {
        Ok(Self {
            name: audited.run_name(),
            rubric: &audited.rubric,
            place: audited.label_folder()?,
            turns: Some(audited.opened.run.turns.len()),
            is_called: Box::new(|name| audited.is_called(name)),
        })
    }

    fn for_study_run(run: &'a StudyRun) -> Self {
        let folder = run.path.file_name().map(|it| it.to_string_lossy().into_owned());
        Self {
            name: &run.name,
            rubric: &run.rubric,
            place: run.labels_folder.clone(),
            turns: None,
            is_called: Box::new(move |name| name == run.name || folder.as_deref() == Some(name)),
        }
    }

    /// Returns whether the checklist has the component. True if there is no checklist.
    fn has_component(&self, id: &str) -> bool {
        let checklist = self.rubric.checklist.as_ref();
        checklist.is_none_or(|it| it.components.iter().any(|it| it.id == id))
    }
}

/// A table of labels whose rows were given their runs.
pub struct LabelSheet<'a> {
    pub targets: Vec<ImportTarget<'a>>,
    /// The rows, each with the index of its target.
    pub rows: Vec<(usize, LabelsTableRow)>,
    pub unfilled: usize,
    /// The file's name in sentences.
    file_name: String,
    /// Sentences with their lines.
    wrong: Vec<String>,
}

impl<'a> LabelSheet<'a> {
    /// Reads a table; lines that cannot be parsed are reported with the other errors.
    pub(crate) fn read_sheet(
        file: &Path,
        targets: Vec<ImportTarget<'a>>,
    ) -> Result<Self, CommandFailure> {
        let shown = file.display().to_string();
        let table = labels_table::read_table(&read_sheet_text(file)?);
        // The columns with the raters' labels, in a sheet for adjudication.
        let is_strange = |head: &&String| !head.starts_with("label of ");
        for head in table.strange.iter().filter(is_strange) {
            print_note(&format!("{shown}: the column {head} is not read"));
        }
        let unfilled = table.unfilled;
        let mut sorted =
            Self { targets, rows: vec![], unfilled, file_name: shown, wrong: table.wrong };
        for row in table.rows {
            match sorted.target_index(&row) {
                Ok(at) => sorted.rows.push((at, row)),
                Err(what) => sorted.wrong.push(format!("line {}: {what}", row.line)),
            }
        }
        Ok(sorted)
    }

    /// Reads a table of labels of a study.
    pub(crate) fn read_for_study(
        file: &Path,
        studied: &'a LoadedStudy,
    ) -> Result<Self, CommandFailure> {
        let mut sorted =
            Self::read_sheet(file, studied.runs.iter().map(ImportTarget::for_study_run).collect())?;
        for (at, row) in &mut sorted.rows {
            let label = &mut row.label;
            if label.unit == LabelUnit::default() {
                label.unit = studied.design.unit;
            }
            let mut items = studied.items.iter();
            let item = items.find(|it| it.run == *at && it.item_key() == label.item_key());
            let says_no_state =
                label.judgement.is_none() && label.commit.is_none() && label.turn.is_none();
            if let Some(item) = item.filter(|_| says_no_state) {
                let Label { judgement, commit, turn, .. } = item.item.empty_label();
                (label.judgement, label.commit, label.turn) = (judgement, commit, turn);
            }
        }
        Ok(sorted)
    }

    fn target_index(&self, row: &LabelsTableRow) -> Result<usize, String> {
        match (&row.run, self.targets.as_slice()) {
            (None, [_]) => Ok(0),
            (None, all) => Err(format!("has no run, and the study has {}", all.len())),
            (Some(name), all) => {
                all.iter().position(|it| (it.is_called)(name)).ok_or_else(|| match all {
                    [only] => format!("belongs to the run {name}; this one is {}", only.name),
                    _ => format!("belongs to the run {name}, which is not in the study"),
                })
            }
        }
    }

    /// Fails with everything that is wrong, in the order of the lines; `more` is added to it.
    pub(crate) fn check_rows(&self, more: Vec<String>) -> Result<(), CommandFailure> {
        let mut wrong: Vec<String> = self.wrong.iter().cloned().chain(more).collect();
        wrong.sort_by_key(|what| line_number_in(what)); // stable: what is of no line stands first
        if wrong.is_empty() { Ok(()) } else { Err(sheet_refused(&self.file_name, &wrong)) }
    }
}

/// Imports the labels of a table into the run's bundle, all of them or none.
pub(crate) fn import_labels(
    audited: &mut AuditedRun,
    args: &AuditArgs,
    file: &Path,
    out: &mut Out,
) -> CommandResult {
    if args.judge.is_some() {
        audited.choose_judgement(args.judge.as_deref())?;
    }
    let mut sorted = LabelSheet::read_sheet(file, vec![ImportTarget::for_run(audited)?])?;
    if args.judge.is_some() {
        let judgement = audited.judgement()?;
        let done = audited.turns_done(judgement)?;
        for (_, LabelsTableRow { label, .. }) in &mut sorted.rows {
            if label.judgement.is_none() && label.commit.is_none() && label.turn.is_none() {
                *label = label_with_state(judgement, Some(done), std::mem::take(label));
            }
        }
    }
    write_labels(sorted, args, vec![], out)
}

/// Imports the labels of a table into the bundles of a study's runs, all of them or none.
pub(crate) fn import_study_labels(
    studied: &LoadedStudy,
    args: &AuditArgs,
    file: &Path,
    out: &mut Out,
) -> CommandResult {
    let sorted = LabelSheet::read_for_study(file, studied)?;
    let mut wrong = vec![];
    for (_, row) in &sorted.rows {
        let name = match &row.annotator {
            Some(name) => name.clone(),
            None => annotator_name(args)?,
        };
        if !studied.design.has_rater(&name) {
            let raters = studied.design.raters.join(", ");
            wrong.push(format!("line {}: {name} is not a rater ({raters})", row.line));
        }
    }
    write_labels(sorted, args, wrong, out)
}

fn write_labels(
    sorted: LabelSheet<'_>,
    args: &AuditArgs,
    more: Vec<String>,
    out: &mut Out,
) -> CommandResult {
    sorted.check_rows(unusable_rows(&sorted, args).into_iter().chain(more).collect())?;
    for note in odd_rows(&sorted) {
        print_note(&format!("{}: {note}", sorted.file_name));
    }
    let mut books = vec![];
    for ((at, name), labels) in labels_by_annotator(args, sorted.rows)? {
        books.push((LabelBook::open(&sorted.targets[at].place, &name)?, labels));
    }
    for (book, labels) in &mut books {
        write_rater_labels(book, labels, out)?;
    }
    if sorted.unfilled > 0 {
        let rows = run_args::count_with_noun(sorted.unfilled, "row");
        out.print_line(&format!("{rows} without a score skipped"))?;
    }
    if books.is_empty() {
        out.print_line(&format!("no labels in {}", sorted.file_name))?;
    }
    Ok(Exit::Fine)
}

/// Writes labels to the file of a rater, and prints how many were new, replaced or not blind.
fn write_rater_labels(
    book: &mut LabelBook,
    labels: &[Label],
    out: &mut Out,
) -> Result<(), CommandFailure> {
    let before = book.labels().labels.clone();
    let is_known = |label: &&Label| before.iter().any(|it| it.takes_place_of(label));
    let replaced = labels.iter().filter(is_known).count();
    book.put_labels(labels)?;
    let count = run_args::count_with_noun(labels.len(), "label");
    let replaced = match replaced {
        0 => String::new(),
        count => format!(", {count} replaced"),
    };
    let is_told_blind = |label: &&Label| label.blind == Some(true);
    let is_not = |label: &&Label| {
        book.labels().last_of_same_item(label).is_some_and(|it| it.blind != label.blind)
    };
    let unblind = labels.iter().filter(is_told_blind).filter(is_not).count();
    let unblind = match unblind {
        0 => String::new(),
        count => format!(", {count} not blind, because the verdict was seen before"),
    };
    let (who, place) = (&book.labels().annotator, book.path().display());
    out.print_line(&format!("{count} of {who}{replaced}{unblind} in {place}"))?;
    Ok(())
}

fn read_sheet_text(file: &Path) -> Result<String, CommandFailure> {
    let shown = file.display();
    let cannot = |why: String| CommandFailure::cannot_read(format!("cannot read {shown}: {why}"));
    let mut bytes = vec![];
    let opened = std::fs::File::open(file).map_err(|why| CommandFailure::unreadable(file, &why))?;
    let read = opened.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|why| CommandFailure::unreadable(file, &why))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(cannot(format!("it is larger than {} MB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| {
        let why = format!("{shown}: not UTF-8; nothing was written");
        CommandFailure::cannot_understand(why)
    })
}

/// Returns the line that a sentence begins with.
fn line_number_in(what: &str) -> usize {
    let rest = what.strip_prefix("line ").unwrap_or_default();
    rest.split(':').next().and_then(|line| line.parse().ok()).unwrap_or(0)
}

/// Returns every row that cannot be used.
fn unusable_rows(sorted: &LabelSheet<'_>, args: &AuditArgs) -> Vec<String> {
    let mut wrong = vec![];
    for (number, (at, row)) in sorted.rows.iter().enumerate() {
        let target = &sorted.targets[*at];
        let mut add = |what: String| wrong.push(format!("line {}: {what}", row.line));
        let component = &row.label.component;
        if row.label.unit == LabelUnit::Component && !target.has_component(component) {
            add(format!("components.json has no component {component}"));
        }
        if let Some((turn, turns)) =
            row.label.turn.zip(target.turns).filter(|(turn, all)| turn > all)
        {
            add(format!("no turn {turn}; the run has {turns}"));
        }
        let (in_row, on_command_line) =
            (row.annotator.as_deref(), args.annotator.as_deref().map(str::trim));
        if let Some((in_row, on_command_line)) = in_row
            .zip(on_command_line)
            .filter(|(in_row, on_command_line)| in_row != on_command_line)
        {
            add(format!(
                "is a label of {in_row}; without --annotator {on_command_line} each label is saved for its own rater"
            ));
        }
        let is_same = |(other_at, other): &&(usize, LabelsTableRow)| {
            (other_at, &other.annotator) == (at, &row.annotator)
                && other.label.takes_place_of(&row.label)
        };
        if let Some((_, first)) = sorted.rows[..number].iter().find(is_same) {
            add(format!("{component} is already labelled on line {}", first.line));
        }
    }
    wrong
}

/// Lists oddities that are no errors.
fn odd_rows(sorted: &LabelSheet<'_>) -> Vec<String> {
    let mut notes = vec![];
    for (at, row) in &sorted.rows {
        let mut add = |what: String| notes.push(format!("line {}: {what}; kept", row.line));
        if let Some(reason) = row.label.reason.as_deref().filter(|it| !REASONS.contains(it)) {
            add(format!("{reason:?} is not one of {}", REASONS.join(", ")));
        }
        let rubric = sorted.targets[*at].rubric;
        let judged = rubric.judgements.iter().chain(&rubric.decisions).chain(&rubric.process);
        let judged = judged.map(|it| &it.file).chain(rubric.flaggings.iter().map(|it| &it.file));
        let files: Vec<&String> = judged.collect();
        // A graded tree is part of the recording.
        let is_here =
            |file: &&str| row.label.unit == LabelUnit::Leaf || files.iter().any(|it| it == file);
        if let Some(file) = row.label.judgement.as_deref().filter(|file| !is_here(file)) {
            add(format!("no judgement {file}"));
        }
    }
    notes
}

/// The labels of each rater in each run.
type LabelsByAnnotator = BTreeMap<(usize, String), Vec<Label>>;

fn labels_by_annotator(
    args: &AuditArgs,
    rows: Vec<(usize, LabelsTableRow)>,
) -> Result<LabelsByAnnotator, CommandFailure> {
    let mut by_annotator = LabelsByAnnotator::new();
    for (at, row) in rows {
        let name = match row.annotator {
            Some(name) => name,
            None => annotator_name(args)?,
        };
        by_annotator.entry((at, name)).or_default().push(row.label);
    }
    Ok(by_annotator)
}

fn sheet_refused(shown: &str, wrong: &[String]) -> CommandFailure {
    let (last, before) = wrong.split_last().map_or(("", wrong), |(last, it)| (last.as_str(), it));
    before.iter().for_each(|what| print_note(&format!("{shown}: {what}")));
    CommandFailure::cannot_understand(format!("{shown}: {last}; nothing was written"))
}
