//! `trajview audit STUDY --adjudicate`: what raters scored differently, and what was settled, in and out.

use std::{collections::BTreeMap, io, path::Path};

use serde::Serialize;

use crate::cli::{
    Exit, Failure, Outcome, at,
    audit::{
        Args, annotator,
        document::{LabelRow, number},
        sheet::Sorted,
    },
    output::{Out, Table, dash, plain, tell_warnings},
};
use trajview_formats::rubric::labels_table;
use trajview_run::{
    Time,
    rubric::{CANNOT_TELL, Gold, Unit, written},
};
use trajview_store as store;
use trajview_study::{
    adjudication::Case,
    items::{AuditItem, Source},
    studied::Studied,
};
use trajview_tui::widgets::text;

/// What is printed (schema `trajview.adjudication/1`).
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    study: String,
    adjudicator: String,
    /// How many of the cases are settled.
    settled: usize,
    cases: Vec<CaseRow>,
}

#[derive(Debug, Serialize)]
struct CaseRow {
    run: String,
    component: String,
    criterion: Option<String>,
    /// Empty where nothing names it.
    name: String,
    commit: Option<String>,
    turn: Option<usize>,
    differs: bool,
    labels: Vec<RaterLabelRow>,
    /// Raters who are to label it and have not.
    missing: Vec<String>,
    /// Null where they were not asked for.
    verdicts: Option<Vec<VerdictRow>>,
    gold: Option<GoldRow>,
}

#[derive(Debug, Serialize)]
struct RaterLabelRow {
    rater: String,
    #[serde(flatten)]
    label: LabelRow,
}

#[derive(Debug, Serialize)]
struct VerdictRow {
    judge: String,
    judgement: String,
    score: Option<serde_json::Number>,
}

#[derive(Debug, Serialize)]
struct GoldRow {
    score: Option<serde_json::Number>,
    cannot_tell: bool,
    by: Option<String>,
    note: Option<String>,
    at: Option<String>,
}

pub fn run(studied: &Studied, args: &Args, out: &mut Out) -> Outcome {
    let who = annotator(args)?;
    if !studied.may_adjudicate(&who) {
        return Err(Failure::wrong(match &studied.design.adjudicator {
            Some(named) => {
                format!("{named} settles what raters of this study differ on; --annotator {named}")
            }
            None => format!(
                "{who} labels in this study, and is shown no labels of others; `adjudicator` of the study names who \
                 settles them"
            ),
        }));
    }
    tell_warnings(&studied.warnings);
    if args.settle_agreed {
        return settle_agreed(studied, out);
    }
    match (&args.import, args.export, args.blank) {
        (Some(file), ..) => import(studied, file, &who, out),
        (None, true, true) => blank(studied, out),
        (None, true, false) => export(studied, out),
        (None, false, _) => print(&Document::of(studied, &who, args.verdicts), args, out),
    }
}

impl Document {
    fn of(studied: &Studied, who: &str, with_verdicts: bool) -> Self {
        let cases = studied.cases();
        Self {
            schema: "trajview.adjudication/1",
            study: studied.name.clone(),
            adjudicator: who.to_owned(),
            settled: cases.iter().filter(|case| case.gold.is_some()).count(),
            cases: cases.iter().map(|case| CaseRow::of(studied, case, with_verdicts)).collect(),
        }
    }
}

impl CaseRow {
    fn of(studied: &Studied, case: &Case<'_>, with_verdicts: bool) -> Self {
        let AuditItem { id, criterion, title, commit, turn, .. } = &case.item.item;
        let label = |(rater, label): &(String, trajview_run::rubric::LabelOn<'_>)| RaterLabelRow {
            rater: rater.clone(),
            label: LabelRow::of(*label),
        };
        Self {
            run: run_name(studied, case),
            component: id.clone(),
            criterion: criterion.clone(),
            name: title.clone(),
            commit: commit.clone(),
            turn: *turn,
            differs: case.differs(),
            labels: case.labels.iter().map(label).collect(),
            missing: case.missing.clone(),
            verdicts: with_verdicts.then(|| verdicts(studied, case)),
            gold: case.gold.map(GoldRow::of),
        }
    }
}

impl GoldRow {
    fn of(gold: &Gold) -> Self {
        Self {
            score: gold.score.and_then(number),
            cannot_tell: gold.cannot_tell,
            by: gold.by.clone(),
            note: gold.note.clone(),
            at: gold.at.clone(),
        }
    }
}

fn run_name(studied: &Studied, case: &Case<'_>) -> String {
    studied.run_of(case.item).map(|it| it.name.clone()).unwrap_or_default()
}

/// What each judge of the study said of it, in the state that was labelled.
fn verdicts(studied: &Studied, case: &Case<'_>) -> Vec<VerdictRow> {
    let row = |(source, said): (&Source, &AuditItem)| VerdictRow {
        judge: source.by.clone(),
        judgement: source.file.clone(),
        score: said.said.score.and_then(number),
    };
    studied.verdicts(case.item).into_iter().map(row).collect()
}

fn print(document: &Document, args: &Args, out: &mut Out) -> Outcome {
    if args.json {
        out.json(document)?;
        return Ok(Exit::Fine);
    }
    if args.csv {
        csv(document, out)?;
        return Ok(Exit::Fine);
    }
    let cases = at::counted(document.cases.len(), "item");
    let Document { study, adjudicator, settled, .. } = document;
    out.line(&plain(&format!("{study}: {cases} to settle by {adjudicator}, {settled} settled")))?;
    if !document.cases.is_empty() {
        out.line("")?;
        table(document, args.forms.md).write(args.forms.md, out)?;
    }
    Ok(Exit::Fine)
}

/// `3 false-absence`, a column a rater.
fn table(document: &Document, is_whole: bool) -> Table {
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
    let mut table = Table::headed(heads.map(str::to_owned).collect()).keyed(2);
    for case in &document.cases {
        let name = plain(&case.name).into_owned();
        let name = if is_whole { name } else { text::truncate(&name, 24, "…").into_owned() };
        let said = |rater: &&str| {
            let label = case.labels.iter().find(|it| it.rater == **rater);
            dash(label.map(|it| said(&it.label)))
        };
        let judges = case.verdicts.as_ref().map(|all| {
            let said = |it: &VerdictRow| format!("{} {}", it.judge, dash(it.score.as_ref()));
            all.iter().map(said).collect::<Vec<_>>().join(", ")
        });
        let gold = case.gold.as_ref().map(|it| match it.cannot_tell {
            true => CANNOT_TELL.to_owned(),
            false => dash(it.score.as_ref()),
        });
        let first = [case.run.clone(), case.component.clone(), name].into_iter();
        let cells = first.chain(raters.iter().map(said)).chain(judges).chain([dash(gold)]);
        table.row(cells.collect());
    }
    table
}

fn said(label: &LabelRow) -> String {
    match label.reason.as_deref() {
        Some(reason) => format!("{} {reason}", label.said()),
        None => label.said(),
    }
}

/// A row a label.
fn csv(document: &Document, out: &mut Out) -> io::Result<()> {
    #[derive(Serialize)]
    struct Row<'a> {
        case: &'a CaseRow,
        of: &'a RaterLabelRow,
    }
    let columns = "run=case.run component=case.component name=case.name commit=case.commit turn=case.turn \
        differs=case.differs rater=of.rater score=of.score cannot_tell=of.cannot_tell confidence=of.confidence \
        blind=of.blind reason=of.reason note=of.note gold=case.gold.score gold_by=case.gold.by gold_note=case.gold.note";
    let rows =
        document.cases.iter().flat_map(|case| case.labels.iter().map(move |of| Row { case, of }));
    out.csv(columns, rows)
}

/// The columns of what was settled; those of a table of labels, and who said what before.
const COLUMNS: [&str; 12] = [
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

/// Everything that was settled, with its history: the last of an item counts.
fn export(studied: &Studied, out: &mut Out) -> Outcome {
    let mut text = labels_table::row(COLUMNS.map(String::from));
    for run in &studied.runs {
        for gold in &run.rubric.gold {
            let words = |words: &Option<String>| words.clone().unwrap_or_default();
            let unit = (gold.unit != Unit::default()).then(|| gold.unit.word());
            text += &labels_table::row([
                run.name.clone(),
                gold.component.clone(),
                unit.unwrap_or_default().to_owned(),
                words(&gold.criterion),
                words(&gold.scale),
                words(&gold.commit),
                gold.turn.map(|it| it.to_string()).unwrap_or_default(),
                gold.score.map(written).unwrap_or_default(),
                if gold.cannot_tell { "true".into() } else { String::new() },
                words(&gold.by),
                words(&gold.note),
                words(&gold.at),
            ]);
        }
    }
    out.raw(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// The cases as a sheet to be filled in: what each rater said, and an empty score.
fn blank(studied: &Studied, out: &mut Out) -> Outcome {
    let raters = studied.raters();
    let heads = ["run", "component", "name", "commit", "turn"].map(String::from).into_iter();
    let heads = heads.chain(raters.iter().map(|rater| format!("label of {rater}")));
    let mut text = labels_table::row(heads.chain(["score", "note"].map(String::from)));
    for case in studied.cases().iter().filter(|case| case.gold.is_none()) {
        let AuditItem { id, title, commit, turn, .. } = &case.item.item;
        let of = |rater: &String| {
            let label = case.labels.iter().find(|(name, _)| name == rater);
            label.map(|(_, label)| said(&LabelRow::of(*label))).unwrap_or_default()
        };
        let first = [
            run_name(studied, case),
            id.clone(),
            title.clone(),
            commit.clone().unwrap_or_default(),
            turn.map(|it| it.to_string()).unwrap_or_default(),
        ];
        let cells = first.into_iter().chain(raters.iter().map(of));
        text += &labels_table::row(cells.chain([String::new(), String::new()]));
    }
    out.raw(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Takes what was settled elsewhere, all of it or none.
fn import(studied: &Studied, file: &Path, who: &str, out: &mut Out) -> Outcome {
    let sorted = Sorted::of_study(file, studied)?;
    let cases = studied.cases();
    let (mut wrong, mut by_run) = (vec![], BTreeMap::<usize, Vec<Gold>>::new());
    for (at, row) in &sorted.rows {
        let label = &row.label;
        let is_it = |case: &&Case<'_>| case.item.run == *at && case.item.item.key() == label.item();
        let Some(case) = cases.iter().find(is_it) else {
            let what = "is nothing that is to be settled: no two raters scored it differently";
            wrong.push(format!("line {}: {} {what}", row.line, label.component));
            continue;
        };
        let by = row.annotator.clone().unwrap_or_else(|| who.to_owned());
        let time = Time(jiff::Timestamp::now().as_millisecond()).to_string();
        by_run.entry(*at).or_default().push(Gold {
            score: label.score,
            cannot_tell: label.cannot_tell,
            scale: label.scale.clone(),
            by: Some(by),
            note: label.note.clone(),
            at: Some(label.at.clone().unwrap_or(time)),
            ..studied.outcome(case)
        });
    }
    sorted.check(wrong)?;
    add_all(studied, by_run, out)?;
    if sorted.unfilled > 0 {
        let rows = at::counted(sorted.unfilled, "row");
        out.line(&format!("{rows} without a score left out"))?;
    }
    Ok(Exit::Fine)
}

/// Who settled what nobody differs on.
const EVERYBODY: &str = "all raters";

/// What all raters of a thing scored alike becomes gold.
fn settle_agreed(studied: &Studied, out: &mut Out) -> Outcome {
    let mut by_run = BTreeMap::<usize, Vec<Gold>>::new();
    for (run, gold) in studied.agreed(EVERYBODY) {
        let at = Some(Time(jiff::Timestamp::now().as_millisecond()).to_string());
        by_run.entry(run).or_default().push(Gold { at, ..gold });
    }
    if by_run.is_empty() {
        out.line("nothing that all raters scored alike is without an outcome")?;
    }
    add_all(studied, by_run, out)?;
    Ok(Exit::Fine)
}

/// Adds outcomes to those of their runs, and says how many.
fn add_all(
    studied: &Studied,
    by_run: BTreeMap<usize, Vec<Gold>>,
    out: &mut Out,
) -> Result<(), Failure> {
    for (at, gold) in by_run {
        let Some(run) = studied.runs.get(at) else { continue };
        let (_, added) = store::gold::add(&run.place, &gold)?;
        let same = match gold.len() - added {
            0 => String::new(),
            count => format!(", {count} there already"),
        };
        let count = at::counted(added, "outcome");
        out.line(&format!("{count}{same} in {}", run.place.join(store::gold::FILE).display()))?;
    }
    Ok(())
}
