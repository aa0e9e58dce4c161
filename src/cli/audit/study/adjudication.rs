//! `trajview audit STUDY --adjudicate`: what raters scored differently, and what was settled, in and out.

use std::{collections::BTreeMap, io, path::Path};

use serde::Serialize;

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    audit::{
        AuditArgs, annotator_name,
        document::{LabelRow, score_number},
        label_sheet::LabelSheet,
    },
    output::{Json, Out, OutputTable, cell_or_dash, print_warnings, record, safe_line},
    run_args,
};
use trajview_formats::rubric::labels_table;
use trajview_run::{
    Time,
    rubric::{CANNOT_TELL, GoldLabel, LabelUnit, score_text},
};
use trajview_store as store;
use trajview_study::{
    adjudication::AdjudicationCase,
    audit_items::{AuditItem, JudgingSource},
    loaded_study::LoadedStudy,
};
use trajview_tui::widgets::text;

/// The printed document (schema `trajview.adjudication/1`).
#[derive(Debug, Serialize)]
struct AdjudicationDocument {
    schema: &'static str,
    study: String,
    adjudicator: String,
    /// The number of cases that are settled.
    settled: usize,
    cases: Vec<AdjudicationCaseRow>,
}

#[derive(Debug, Serialize)]
struct AdjudicationCaseRow {
    run: String,
    component: String,
    criterion: Option<String>,
    /// Empty if nothing names it.
    name: String,
    commit: Option<String>,
    turn: Option<usize>,
    differs: bool,
    labels: Vec<RaterLabelRow>,
    /// Raters who are to label it and have not.
    missing: Vec<String>,
    /// Null if verdicts were not requested.
    verdicts: Option<Vec<Json>>,
    gold: Option<Json>,
}

#[derive(Debug, Serialize)]
struct RaterLabelRow {
    rater: String,
    #[serde(flatten)]
    label: LabelRow,
}

pub fn run(studied: &LoadedStudy, args: &AuditArgs, out: &mut Out) -> CommandResult {
    let who = annotator_name(args)?;
    if !studied.may_adjudicate(&who) {
        return Err(CommandFailure::wrong_arguments(match &studied.design.adjudicator {
            Some(adjudicator) => {
                format!("{adjudicator} adjudicates this study; use --annotator {adjudicator}")
            }
            None => format!(
                "{who} is a rater of this study and cannot see labels of others; the study's `adjudicator` can"
            ),
        }));
    }
    print_warnings(&studied.warnings);
    if args.adjudicate_agreed {
        return settle_agreed(studied, out);
    }
    match (&args.import, args.export, args.blank) {
        (Some(file), ..) => import_gold(studied, file, &who, out),
        (None, true, true) => print_blank_sheet(studied, out),
        (None, true, false) => export_gold(studied, out),
        (None, false, _) => {
            print_document(&AdjudicationDocument::new(studied, &who, args.verdicts), args, out)
        }
    }
}

impl AdjudicationDocument {
    fn new(studied: &LoadedStudy, who: &str, with_verdicts: bool) -> Self {
        let cases = studied.adjudication_cases();
        Self {
            schema: "trajview.adjudication/1",
            study: studied.name.clone(),
            adjudicator: who.to_owned(),
            settled: cases.iter().filter(|case| case.gold.is_some()).count(),
            cases: cases
                .iter()
                .map(|case| AdjudicationCaseRow::new(studied, case, with_verdicts))
                .collect(),
        }
    }
}

impl AdjudicationCaseRow {
    fn new(studied: &LoadedStudy, case: &AdjudicationCase<'_>, with_verdicts: bool) -> Self {
        let AuditItem { id, criterion, title, commit, turn, .. } = &case.item.item;
        let label = |(rater, label): &(String, trajview_run::rubric::JudgementLabel<'_>)| {
            RaterLabelRow { rater: rater.clone(), label: LabelRow::new(*label) }
        };
        Self {
            run: run_name_of_case(studied, case),
            component: id.clone(),
            criterion: criterion.clone(),
            name: title.clone(),
            commit: commit.clone(),
            turn: *turn,
            differs: case.has_different_answers(),
            labels: case.labels.iter().map(label).collect(),
            missing: case.missing.clone(),
            verdicts: with_verdicts.then(|| judge_verdict_rows(studied, case)),
            gold: case.gold.map(gold_record),
        }
    }
}

fn gold_record(gold: &GoldLabel) -> Json {
    record! {
        score: gold.score.and_then(score_number),
        cannot_tell: gold.cannot_tell,
        by: gold.by,
        note: gold.note,
        at: gold.at,
    }
}

fn run_name_of_case(studied: &LoadedStudy, case: &AdjudicationCase<'_>) -> String {
    studied.run_of(case.item).map(|it| it.name.clone()).unwrap_or_default()
}

/// Returns the verdict of each judge of the study in the state that was labelled.
fn judge_verdict_rows(studied: &LoadedStudy, case: &AdjudicationCase<'_>) -> Vec<Json> {
    let row = |(source, item): (&JudgingSource, &AuditItem)| {
        record! {
            judge: source.by,
            judgement: source.file,
            score: item.verdict.score.and_then(score_number),
        }
    };
    studied.judge_verdicts(case.item).into_iter().map(row).collect()
}

fn print_document(
    document: &AdjudicationDocument,
    args: &AuditArgs,
    out: &mut Out,
) -> CommandResult {
    if args.json {
        out.print_json(document)?;
        return Ok(Exit::Fine);
    }
    if args.csv {
        write_csv(document, out)?;
        return Ok(Exit::Fine);
    }
    let cases = run_args::count_with_noun(document.cases.len(), "item");
    let AdjudicationDocument { study, adjudicator, settled, .. } = document;
    out.print_line(&safe_line(&format!(
        "{study}: {cases} to adjudicate by {adjudicator}, {settled} adjudicated"
    )))?;
    if !document.cases.is_empty() {
        out.print_line("")?;
        case_table(document, args.forms.md).write_table(args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// Returns `3 false-absence`, a column a rater.
fn case_table(document: &AdjudicationDocument, is_whole: bool) -> OutputTable {
    let mut raters: Vec<&str> = vec![];
    for case in &document.cases {
        let all = case.labels.iter().map(|it| it.rater.as_str());
        for rater in all.chain(case.missing.iter().map(String::as_str)) {
            if !raters.contains(&rater) {
                raters.push(rater);
            }
        }
    }
    let has_verdicts = document.cases.iter().any(|case| case.verdicts.is_some());
    let heads = ["run", "component", "name"].into_iter().chain(raters.iter().copied());
    let heads = heads.chain(has_verdicts.then_some("judges")).chain(["gold"]);
    let mut table = OutputTable::with_heads(heads.map(str::to_owned).collect()).with_keys(2);
    for case in &document.cases {
        let name = safe_line(&case.name).into_owned();
        let name = if is_whole { name } else { text::truncate(&name, 24, "…").into_owned() };
        let rater_cell = |rater: &&str| {
            let label = case.labels.iter().find(|it| it.rater == **rater);
            cell_or_dash(label.map(|it| label_cell(&it.label)))
        };
        let judges = case.verdicts.as_ref().map(|all| {
            let verdict_text = |it: &Json| format!("{} {}", it.cell("judge"), it.cell("score"));
            all.iter().map(verdict_text).collect::<Vec<_>>().join(", ")
        });
        let gold = case.gold.as_ref().map(|it| match it.field("cannot_tell") {
            Json::Flag(true) => CANNOT_TELL.to_owned(),
            _ => it.cell("score"),
        });
        let first = [case.run.clone(), case.component.clone(), name].into_iter();
        let cells =
            first.chain(raters.iter().map(rater_cell)).chain(judges).chain([cell_or_dash(gold)]);
        table.add_row(cells.collect());
    }
    table
}

fn label_cell(label: &LabelRow) -> String {
    match label.reason.as_deref() {
        Some(reason) => format!("{} {reason}", label.score_cell()),
        None => label.score_cell(),
    }
}

/// Writes a row a label.
fn write_csv(document: &AdjudicationDocument, out: &mut Out) -> io::Result<()> {
    let columns = "run=case.run component=case.component name=case.name commit=case.commit turn=case.turn \
        differs=case.differs rater=of.rater score=of.score cannot_tell=of.cannot_tell confidence=of.confidence \
        blind=of.blind reason=of.reason note=of.note gold=case.gold.score gold_by=case.gold.by gold_note=case.gold.note";
    let rows = document
        .cases
        .iter()
        .flat_map(|case| case.labels.iter().map(move |of| record! { case: case, of: of }));
    out.print_csv(columns, rows)
}

/// The columns of gold labels: those of a table of labels, and the earlier annotators.
const GOLD_COLUMNS: [&str; 12] = [
    "run",
    "component",
    "unit",
    "criterion",
    "scale",
    "commit",
    "turn",
    "score",
    "cannot_tell",
    "annotator",
    "note",
    "at",
];

/// Prints everything that was settled as CSV, with its history: the last of an item counts.
fn export_gold(studied: &LoadedStudy, out: &mut Out) -> CommandResult {
    let mut text = labels_table::csv_line(GOLD_COLUMNS.map(String::from));
    for run in &studied.runs {
        for gold in &run.rubric.gold {
            let words = |words: &Option<String>| words.clone().unwrap_or_default();
            let unit = (gold.unit != LabelUnit::default()).then(|| gold.unit.word());
            text += &labels_table::csv_line([
                run.name.clone(),
                gold.component.clone(),
                unit.unwrap_or_default().to_owned(),
                words(&gold.criterion),
                words(&gold.scale),
                words(&gold.commit),
                gold.turn.map(|it| it.to_string()).unwrap_or_default(),
                gold.score.map(score_text).unwrap_or_default(),
                if gold.cannot_tell { "true".into() } else { String::new() },
                words(&gold.by),
                words(&gold.note),
                words(&gold.at),
            ]);
        }
    }
    out.print_bytes(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Prints the cases as a sheet to be filled in: the label of each rater, and an empty score.
fn print_blank_sheet(studied: &LoadedStudy, out: &mut Out) -> CommandResult {
    let raters = studied.rater_names();
    let heads = ["run", "component", "name", "commit", "turn"].map(String::from).into_iter();
    let heads = heads.chain(raters.iter().map(|rater| format!("label of {rater}")));
    let mut text = labels_table::csv_line(heads.chain(["score", "note"].map(String::from)));
    for case in studied.adjudication_cases().iter().filter(|case| case.gold.is_none()) {
        let AuditItem { id, title, commit, turn, .. } = &case.item.item;
        let rater_cell = |rater: &String| {
            let label = case.labels.iter().find(|(name, _)| name == rater);
            label.map(|(_, label)| label_cell(&LabelRow::new(*label))).unwrap_or_default()
        };
        let first = [
            run_name_of_case(studied, case),
            id.clone(),
            title.clone(),
            commit.clone().unwrap_or_default(),
            turn.map(|it| it.to_string()).unwrap_or_default(),
        ];
        let cells = first.into_iter().chain(raters.iter().map(rater_cell));
        text += &labels_table::csv_line(cells.chain([String::new(), String::new()]));
    }
    out.print_bytes(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Takes what was settled elsewhere, all of it or none.
fn import_gold(studied: &LoadedStudy, file: &Path, who: &str, out: &mut Out) -> CommandResult {
    let sorted = LabelSheet::read_for_study(file, studied)?;
    let cases = studied.adjudication_cases();
    let (mut wrong, mut by_run) = (vec![], BTreeMap::<usize, Vec<GoldLabel>>::new());
    for (at, row) in &sorted.rows {
        let label = &row.label;
        let is_it = |case: &&AdjudicationCase<'_>| {
            case.item.run == *at && case.item.item.item_key() == label.item_key()
        };
        let Some(case) = cases.iter().find(is_it) else {
            let what = "needs no adjudication: no two raters scored it differently";
            wrong.push(format!("line {}: {} {what}", row.line, label.component));
            continue;
        };
        let by = row.annotator.clone().unwrap_or_else(|| who.to_owned());
        let time = Time(jiff::Timestamp::now().as_millisecond()).to_string();
        by_run.entry(*at).or_default().push(GoldLabel {
            score: label.score,
            cannot_tell: label.cannot_tell,
            scale: label.scale.clone(),
            by: Some(by),
            note: label.note.clone(),
            at: Some(label.at.clone().unwrap_or(time)),
            ..studied.new_outcome(case)
        });
    }
    sorted.check_rows(wrong)?;
    add_gold(studied, by_run, out)?;
    if sorted.unfilled > 0 {
        let rows = run_args::count_with_noun(sorted.unfilled, "row");
        out.print_line(&format!("{rows} without a score skipped"))?;
    }
    Ok(Exit::Fine)
}

/// The name under which agreed labels become gold.
const EVERYBODY: &str = "all raters";

/// Makes gold labels of the things that all raters scored alike.
fn settle_agreed(studied: &LoadedStudy, out: &mut Out) -> CommandResult {
    let mut by_run = BTreeMap::<usize, Vec<GoldLabel>>::new();
    for (run, gold) in studied.agreed_outcomes(EVERYBODY) {
        let at = Some(Time(jiff::Timestamp::now().as_millisecond()).to_string());
        by_run.entry(run).or_default().push(GoldLabel { at, ..gold });
    }
    if by_run.is_empty() {
        out.print_line("every item that all raters scored alike has an outcome")?;
    }
    add_gold(studied, by_run, out)?;
    Ok(Exit::Fine)
}

/// Adds gold labels to the files of their runs, and prints how many are new.
fn add_gold(
    studied: &LoadedStudy,
    by_run: BTreeMap<usize, Vec<GoldLabel>>,
    out: &mut Out,
) -> Result<(), CommandFailure> {
    for (at, gold) in by_run {
        let Some(run) = studied.runs.get(at) else { continue };
        let (_, added) = store::gold::add_gold(&run.labels_folder, &gold)?;
        let same = match gold.len() - added {
            0 => String::new(),
            count => format!(", {count} already existed"),
        };
        let count = run_args::count_with_noun(added, "outcome");
        out.print_line(&format!(
            "{count}{same} in {}",
            run.labels_folder.join(store::gold::GOLD_FILE).display()
        ))?;
    }
    Ok(())
}
