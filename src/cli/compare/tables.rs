//! The comparison for people, and for spreadsheets.

use std::{collections::BTreeSet, io};

use crate::cli::{
    component_comparison,
    corrected_fields::corrected_text,
    measuring_args,
    output::{self, Json, Out, OutputTable, TableColumn, cell_or_dash, csv_row},
};
use trajview_metrics::{
    Number,
    faithfulness::Faithfulness,
    numbers::{COMPARED, NumberStyle, PHASE_TABLE, SLUMP},
    quality::Ruler,
};
use trajview_run::{format_number, rubric::LEVELS};
use trajview_study::compare::{
    self, ComparedComponent, ComparedMoment, ComparedRun, ComponentCell, ComponentFate,
    FilePresence, FileRow, NumberOutcome, ResultCell, run_letter,
};

use trajview_tui::widgets::text;

use super::{document::CompareDocument, run_subtraction};

pub(crate) fn print_comparison(
    document: &CompareDocument<'_>,
    ruler: &Ruler,
    out: &mut Out,
) -> io::Result<()> {
    let sections = [
        run_table(document),
        session_table(document),
        result_table(document),
        number_table(document),
        estimate_table(document),
        recovery_table(document),
        component_table(document),
        test_table(document),
        transcript_table(document),
        loss_table(document),
        transition_table(document),
        means_table(document),
        corrected_table(document),
        phase_table(document),
        checkpoint_table(document),
        file_table(document),
    ];
    for (at, (title, table)) in sections.iter().flatten().enumerate() {
        if at > 0 {
            out.print_line("")?;
        }
        print_title(title, document.args.forms.md, out)?;
        table.write_table(document.args.forms.md, out)?;
        if at == 0 {
            out.print_line("")?;
            print_notes(document, ruler, out)?;
        }
    }
    Ok(())
}

type TitledTable = Option<(String, OutputTable)>;

fn print_title(title: &str, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    match (title.is_empty(), is_markdown) {
        (true, _) => Ok(()),
        (false, true) => {
            out.print_sentence(&format!("## {title}"))?;
            out.print_line("")
        }
        (false, false) => out.print_sentence(title),
    }
}

/// Prints the profile of the numbers, the direction of differences, and warnings.
fn print_notes(document: &CompareDocument<'_>, ruler: &Ruler, out: &mut Out) -> io::Result<()> {
    let by = run_subtraction(document.parties);
    out.print_sentence(&measuring_args::ruler_text(ruler))?;
    let why = if by.is_slump { "" } else { ": the conditions do not identify the emergent run" };
    out.print_sentence(&match document.has_base_differences() {
        true => format!(
            "differences of results, numbers and components are each run − {}; the other tables compare a and b",
            run_letter(document.base())
        ),
        false => format!("differences are {}{why}", by.display_text()),
    })?;
    for (_, row) in document.transcripts {
        out.print_sentence(&first_difference_text(row))?;
    }
    for warning in compare::comparison_warnings(document.parties) {
        out.print_sentence(&format!("note: {warning}"))?;
    }
    Ok(())
}

/// Makes a table of each session's facts, where nothing was judged: then the session is the first thing to compare.
fn session_table(document: &CompareDocument<'_>) -> TitledTable {
    if !compare::lack_judgements(document.parties) {
        return None;
    }
    let letters = (0..document.parties.len()).map(|at| format!(">{}", run_letter(at)));
    let mut table = OutputTable::with_heads([String::new()].into_iter().chain(letters).collect());
    let facts: Vec<_> = document
        .parties
        .iter()
        .map(|party| compare::SessionFacts::for_run(party).named_facts())
        .collect();
    for (row, (name, _)) in facts[0].iter().enumerate() {
        if facts.iter().any(|of_run| of_run[row].1.is_some()) {
            let values = facts.iter().map(|of_run| cell_or_dash(of_run[row].1.clone()));
            table.add_row([(*name).to_owned()].into_iter().chain(values).collect());
        }
    }
    Some(("sessions".into(), table))
}

fn run_table(document: &CompareDocument<'_>) -> TitledTable {
    let heads = ["", "run", "condition", "agent", "model", ">turns", "commit", "judged by", "task"];
    let mut table = OutputTable::new(&heads).with_keys(2);
    for (at, party) in document.parties.iter().enumerate() {
        let run = &party.run;
        let commit =
            run.turns[..run.end_in_turns()].iter().rev().find_map(|turn| turn.commit.as_deref());
        let judged = party.judgement().map(|judgement| {
            let coverage = party.rubric.coverage(judgement);
            let part = if coverage.is_complete { String::new() } else { format!(", {coverage}") };
            let scores = Faithfulness::from_judgement(judgement, party.rubric.checklist.as_ref());
            let doubts = [("unlooked", &scores.unlooked), ("unsupported", &scores.unsupported)];
            let doubts = doubts.map(|(what, ids)| match ids.len() {
                0 => String::new(),
                count => format!(", {count} {what}"),
            });
            let judge = &judgement.judge.name;
            let pooled_text = judgement.pooled.as_ref().map(|it| format!(" of {}", it.from.len()));
            let pooled_text = pooled_text.unwrap_or_default();
            format!(
                "{judge}{pooled_text} at turn {}{part}{}",
                compare::turns_done_at_judgement(run, judgement),
                doubts.concat()
            )
        });
        let unjudged =
            if party.rubric.partial_coverages().is_empty() { "not judged" } else { "in part only" };
        table.add_row(vec![
            run_letter(at),
            run.id.clone(),
            cell_or_dash(run.condition.clone()),
            run.agent.name.clone(),
            cell_or_dash(run.model.clone()),
            cell_or_dash((!run.has_no_log()).then(|| run.counted_turns().count())),
            cell_or_dash(commit.map(|commit| commit.chars().take(10).collect::<String>())),
            judged.unwrap_or_else(|| unjudged.into()),
            cell_or_dash(run.task_key()),
        ]);
    }
    Some((String::new(), table))
}

/// Returns `first step that differs: a 1.3 Bash: ls | b 1.3 Bash: pwd (12 equal before it)`.
fn first_difference_text(row: &Json) -> String {
    let (base, run) = (row.cell("base"), row.cell("run"));
    if row.field("first_difference").is_null() {
        return compare::same_transcripts_text(&base, &run, row.count("left_out") > 0);
    }
    let [of_base, of_run] = ["base_text", "run_text"].map(|side| {
        let text = row.cell(&format!("first_difference.{side}"));
        text::truncate(&text, REQUEST_WIDTH, "…").to_string()
    });
    let before = row.cell("first_difference.equal_before");
    format!("first step that differs: {base} {of_base} | {run} {of_run} ({before} equal before it)")
}

/// Makes a table of the requests and calls of each run that the base has as well, or not.
fn transcript_table(document: &CompareDocument<'_>) -> TitledTable {
    let rows = document.transcripts.iter().map(|(_, row)| row);
    let columns: [TableColumn<'_, Json>; 6] = [
        ("", &|it| format!("{} | {}", it.cell("base"), it.cell("run"))),
        (">same", &|it| it.cell("same")),
        (">changed", &|it| it.cell("changed")),
        (">only in the first", &|it| it.cell("only_base")),
        (">only in the second", &|it| it.cell("only_run")),
        (">left out", &|it| it.cell("left_out")),
    ];
    let title = "transcripts aligned by requests, tool calls and edits".to_owned();
    let is_shown = !document.transcripts.is_empty();
    is_shown.then(|| (title, OutputTable::from_rows(&columns, rows)))
}

/// Makes a table of what the harness recorded; None if it recorded nothing.
fn result_table(document: &CompareDocument<'_>) -> TitledTable {
    let rows = document.result_rows();
    let letters = (0..document.parties.len()).map(|at| format!(">{}", run_letter(at)));
    let heads = ["recorded".to_owned()].into_iter().chain(letters);
    let heads = heads.chain(base_heads(document)).chain([String::new()]);
    let mut table = OutputTable::with_heads(heads.collect());
    for row in &rows {
        let text = |at: usize| {
            let text = row.field(&format!("texts.{at}"));
            text::truncate(&text.cell_or("", "-"), RESULT_WIDTH, "…").to_string()
        };
        let differences = document.compared_with_base().into_iter().map(|at| {
            let by = row.number(&format!("differences.{at}"));
            cell_or_dash(by.map(format_number::signed_three_decimals))
        });
        let cells = [row.cell("name")].into_iter().chain((0..document.parties.len()).map(text));
        table.add_row(
            cells
                .chain(differences)
                .chain([direction_text(&row.cell("better_direction"))])
                .collect(),
        );
    }
    (!rows.is_empty()).then(|| ("results of the harness".into(), table))
}

/// Columns of a result of one run: an error may be long.
const RESULT_WIDTH: usize = 40;

/// The most tests with different outcomes that are printed.
const MAX_TESTS: usize = 50;

/// Makes a table of the recorded tests that do not have the same outcome in all runs; None if no test is recorded.
fn test_table(document: &CompareDocument<'_>) -> TitledTable {
    let rows = document.test_rows();
    let differing: Vec<&Json> = rows.iter().filter(|row| !row.flag("same")).collect();
    let letters = (0..document.parties.len()).map(run_letter);
    let heads = ["test".to_owned(), "checkpoint".to_owned()].into_iter().chain(letters);
    let mut table = OutputTable::with_heads(heads.collect());
    for row in differing.iter().take(MAX_TESTS) {
        let outcome = |at: usize| row.field(&format!("outcomes.{at}")).cell_or("", "-");
        let names = [row.cell("name"), row.cell_or("checkpoint", "-")].into_iter();
        table.add_row(names.chain((0..document.parties.len()).map(outcome)).collect());
    }
    let (all, count) = (rows.len(), differing.len());
    let more = if count > MAX_TESTS { format!(" (the first {MAX_TESTS})") } else { String::new() };
    let in_some = rows.iter().filter(|row| !row.flag("in_all_runs")).count();
    let in_some =
        if in_some > 0 { format!(", recorded in some runs only {in_some}") } else { String::new() };
    let title = format!("recorded tests: {all}, with different outcomes {count}{more}{in_some}");
    (!rows.is_empty()).then_some((title, table))
}

/// Returns `higher is better`; empty where neither direction is.
fn direction_text(direction: &str) -> String {
    match direction {
        "neither" => String::new(),
        direction => format!("{direction} is better"),
    }
}

/// Returns `b − a` for each run that is compared with the base.
fn base_heads(document: &CompareDocument<'_>) -> Vec<String> {
    let base = run_letter(document.base());
    let others = document.compared_with_base().into_iter();
    others.map(|at| format!(">{} − {base}", run_letter(at))).collect()
}

/// Returns the heads: one column for each run, the difference of the first two or of each to the base, and its meaning.
fn table_heads(document: &CompareDocument<'_>, before: &[&str]) -> Vec<String> {
    let letters = (0..document.parties.len()).map(|at| format!(">{}", run_letter(at)));
    let before = before.iter().map(|head| (*head).to_owned());
    let differences = match document.has_base_differences() {
        true => base_heads(document),
        false => vec![">difference".to_owned()],
    };
    before.chain(letters).chain(differences).chain([String::new()]).collect()
}

fn number_table(document: &CompareDocument<'_>) -> TitledTable {
    let by = run_subtraction(document.parties);
    let mut table = OutputTable::with_heads(table_heads(document, &["number"]));
    for number in COMPARED.iter().copied() {
        let values: Vec<Option<f64>> =
            document.parties.iter().map(|party| party.final_value(number)).collect();
        if values.iter().all(Option::is_none) {
            continue;
        }
        let outcome = NumberOutcome::at_end(number, document.first_two(), by);
        let cells = [number.label().to_owned()].into_iter();
        let cells = cells.chain(values.iter().map(|value| number_cell(number, *value)));
        let to_base = compare::base_differences(&values, document.base());
        let differences = document.differences(outcome.delta, &to_base).into_iter();
        let differences =
            differences.map(|by| cell_or_dash(by.map(|by| number.format_difference(by))));
        let remark = match document.has_base_differences() {
            true => direction_text(number.better().word()),
            false => better_text(&outcome),
        };
        table.add_row(cells.chain(differences).chain([remark]).collect());
    }
    Some((String::new(), table))
}

fn number_cell(number: Number, value: Option<f64>) -> String {
    cell_or_dash(value.map(|value| number.format_value(value, NumberStyle::Full)))
}

/// Returns the table of SLUMP's numbers of the first two runs; None if neither has one.
fn estimate_table(document: &CompareDocument<'_>) -> TitledTable {
    let columns: [TableColumn<'_, Json>; 4] = [
        ("number", &|it| it.cell("name")),
        ("a", &|it| it.interval_cell("a.value", "a.ci95")),
        ("b", &|it| it.interval_cell("b.value", "b.ci95")),
        ("difference", &|it| it.interval_cell("difference.value", "difference.ci95")),
    ];
    let found = document.number_estimates();
    let has_value = found.iter().any(|it| it.number("a.value").or(it.number("b.value")).is_some());
    let title = format!("the numbers with intervals [{}]", compare::INTERVAL_METHOD);
    has_value.then(|| (title, OutputTable::from_rows(&columns, &found)))
}

/// Makes a table of the share of the gap between emergent and single-shot that each treated run closes.
fn recovery_table(document: &CompareDocument<'_>) -> TitledTable {
    let found = compare::run_recoveries(document.parties);
    let heads = ["", "run", "condition"].map(String::from).into_iter();
    let heads = heads.chain(SLUMP.iter().map(|number| format!(">{}", number.short())));
    let mut table = OutputTable::with_heads(heads.collect());
    let percent =
        |share: Option<f64>| cell_or_dash(share.map(|share| format!("{:.1} %", share * 100.0)));
    for it in &found {
        let run = &document.parties[it.treated].run;
        let (id, condition) = (run.id.clone(), cell_or_dash(run.condition.clone()));
        let shares = it.shares.0.iter().map(|(_, share)| percent(*share));
        table.add_row([run_letter(it.treated), id, condition].into_iter().chain(shares).collect());
    }
    let title = "gap recovery: (treated - emergent) / (single-shot - emergent)";
    (!found.is_empty()).then(|| (title.into(), table))
}

fn better_text(outcome: &NumberOutcome) -> String {
    outcome.better.map(|at| format!("{} is better", run_letter(at))).unwrap_or_default()
}

fn component_table(document: &CompareDocument<'_>) -> TitledTable {
    let (rows, by) = (document.component_rows(), run_subtraction(document.parties));
    if rows.is_empty() {
        return None;
    }
    let mut table = OutputTable::with_heads(table_heads(document, &["component", "name"]));
    let order = match document.has_base_differences() {
        true => compare::by_base_difference(&rows, document.base()),
        false => compare::by_loss(&rows, by),
    };
    for at in order {
        let row = &rows[at];
        let cells = [row.id.clone(), row.name.clone()].into_iter();
        let cells = cells.chain(row.cells.iter().map(score_cell));
        let to_base = compare::score_differences(row, document.base());
        let differences = document.differences(row.score_delta(by), &to_base).into_iter();
        let differences = differences.map(|by| cell_or_dash(by.map(signed_text)));
        let remark = match (document.has_base_differences(), row.only_in()) {
            (_, Some(only)) => format!("only in {}", run_letter(only)),
            (true, None) => String::new(),
            (false, None) => transition_text(row),
        };
        table.add_row(cells.chain(differences).chain([remark]).collect());
    }
    let first = if document.has_base_differences() { "difference" } else { "loss" };
    Some((format!("components, the largest {first} first"), table))
}

/// Returns `Simplified → Faithful`.
fn transition_text(row: &ComparedComponent) -> String {
    let label = |run| row.score_in(run).and_then(|score| LEVELS.get(usize::from(score)));
    match (label(0), label(1)) {
        (Some(a), Some(b)) if a == b => (*a).to_owned(),
        (Some(a), Some(b)) => format!("{a} → {b}"),
        (None, _) | (_, None) => {
            let missing = row.cells.iter().take(2).enumerate();
            let missing = missing.filter(|(_, cell)| !matches!(cell, ComponentCell::Score(_)));
            let letters: Vec<String> = missing.map(|(at, _)| run_letter(at)).collect();
            format!("not judged in {}", letters.join(" and "))
        }
    }
}

fn score_cell(cell: &ComponentCell) -> String {
    match cell {
        ComponentCell::Score(score) => score.to_string(),
        ComponentCell::NotJudged(_) => "not judged".into(),
        ComponentCell::LeftOut(score, doubt) => format!("{score} {}", doubt.word()),
        ComponentCell::NotListed => "not listed".into(),
    }
}

fn transition_table(document: &CompareDocument<'_>) -> TitledTable {
    let transitions = document.transitions(&document.component_rows());
    if transitions.n == 0 {
        return None;
    }
    let mut table = OutputTable::new(&[
        "a \\ b",
        ">0 Absent",
        ">1 Wrong",
        ">2 Simplified",
        ">3 Equivalent",
        ">4 Faithful",
    ]);
    for (score, counts) in transitions.counts.iter().enumerate() {
        let counts =
            counts.iter().map(|count| if *count == 0 { "·".into() } else { count.to_string() });
        let label = format!("{score} {}", LEVELS[score]);
        table.add_row([label].into_iter().chain(counts).collect());
    }
    let (n, equal) = (transitions.n, transitions.equal_count());
    Some((format!("score transitions (a → b): {n} components, {equal} unchanged"), table))
}

fn means_table(document: &CompareDocument<'_>) -> TitledTable {
    let found = document.component_means(&document.component_rows());
    let n = found.first()?.cell("n");
    let title = format!("means over the {n} components judged in both [95 % BCa over components]");
    Some((title, component_comparison::means_of_two_table(&found)))
}

fn corrected_table(document: &CompareDocument<'_>) -> TitledTable {
    let rows = document.corrected_rows();
    let two_places = |row: &Json, field: &str| row.number(field).map(|it| format!("{it:.2}"));
    let columns: [TableColumn<'_, Json>; 5] = [
        ("run", &|it| it.cell("run")),
        ("judge", &|it| it.cell("judge")),
        (">judged", &|it| cell_or_dash(two_places(it, "mcf"))),
        (">corrected", &|it| cell_or_dash(two_places(it, "corrected_mcf"))),
        ("interval, labels", &|it| {
            cell_or_dash(corrected_text(it).or(it.text("not_corrected").map(str::to_owned)))
        }),
    ];
    let title = "MCF corrected by blind labels [95 %]".to_owned();
    (!rows.is_empty()).then(|| (title, OutputTable::from_rows(&columns, &rows)))
}

fn phase_table(document: &CompareDocument<'_>) -> TitledTable {
    let [a, b] = document.first_two();
    let pairs = compare::pair_by_phase(&a.run, &b.run).into_iter();
    let pairs: Vec<_> = pairs.map(|pair| (pair.phase.word().to_owned(), pair.a, pair.b)).collect();
    point_pair_table(document, "phase", "by phase, at the end of its last checkpoint", pairs)
}

fn checkpoint_table(document: &CompareDocument<'_>) -> TitledTable {
    let [a, b] = document.first_two();
    if a.run.checkpoints.is_empty() && b.run.checkpoints.is_empty() {
        return None;
    }
    let pairs = compare::pair_by_checkpoint(&a.run, &b.run).into_iter();
    let pairs: Vec<_> = pairs
        .map(|pair| {
            let by = pair.by.map_or("alone", compare::PairedBy::word);
            (by.to_owned(), pair.a, pair.b)
        })
        .collect();
    point_pair_table(document, "paired by", "by checkpoint", pairs)
}

/// Returns every number twice: in a and in b.
fn point_pair_table(
    document: &CompareDocument<'_>,
    key: &'static str,
    title: &str,
    pairs: Vec<(String, Option<ComparedMoment>, Option<ComparedMoment>)>,
) -> TitledTable {
    let sides = document.first_two();
    let is_known = |number: &Number| {
        let value_of = |moment: &Option<ComparedMoment>, party| {
            value_at_moment(*number, party, moment.as_ref())
        };
        let [a, b] = sides;
        pairs.iter().any(|(_, at_a, at_b)| value_of(at_a, a).or(value_of(at_b, b)).is_some())
    };
    let shown = PHASE_TABLE.iter().copied().filter(is_known);
    let shown: Vec<Number> = shown.collect();
    let heads = [key, "a", "b"].map(String::from).into_iter();
    let twice = |number: &Number| ["a", "b"].map(|side| format!(">{} {side}", number.label()));
    let mut table =
        OutputTable::with_heads(heads.chain(shown.iter().flat_map(twice)).collect()).with_keys(3);
    for (name, a, b) in &pairs {
        let moments = [a.as_ref(), b.as_ref()];
        let names = moments.iter().zip(sides).map(|(moment, party)| moment_text(party, *moment));
        let values = shown.iter().flat_map(|number| {
            let value_of = |(moment, party): (&Option<&ComparedMoment>, _)| {
                value_at_moment(*number, party, *moment)
            };
            moments.iter().zip(sides).map(value_of).map(|value| number_cell(*number, value))
        });
        table.add_row([name.clone()].into_iter().chain(names).chain(values).collect());
    }
    Some((title.to_owned(), table))
}

fn value_at_moment(
    number: Number,
    party: &ComparedRun,
    moment: Option<&ComparedMoment>,
) -> Option<f64> {
    party.value_at(number, moment?.done)
}

/// Returns `c4 turn 21`.
fn moment_text(party: &ComparedRun, moment: Option<&ComparedMoment>) -> String {
    let Some(moment) = moment else { return "-".into() };
    let checkpoint = moment.checkpoint.and_then(|index| party.run.checkpoints.get(index));
    let id = checkpoint.map(|it| format!("{} ", it.id)).unwrap_or_default();
    format!("{id}turn {}", moment.done)
}

/// Makes a table of the components and tests that a run lost. None if no run lost one.
fn loss_table(document: &CompareDocument<'_>) -> TitledTable {
    let losses = compare::compared_losses(&document.parties.iter().collect::<Vec<_>>());
    let letters = (0..document.parties.len()).map(run_letter);
    let heads = ["kind", "component or test", "name"].map(String::from).into_iter().chain(letters);
    let heads = heads.chain(["lost", "before", "after", "place", "request"].map(String::from));
    let mut table = OutputTable::with_heads(heads.collect()).with_keys(2);
    for row in &losses {
        let Some((_, loss)) = row.first_loss() else { continue };
        let place = loss.spot.as_ref().map(|spot| format!("{}:{}", spot.path, spot.line));
        let names = [row.kind.word().to_owned(), row.id.clone(), row.name.clone()].into_iter();
        let cells = names.chain(row.fates.iter().map(ComponentFate::fate_text));
        let of_loss = [
            row.lost_in_text(run_letter),
            cell_or_dash(loss.before.clone()),
            cell_or_dash(loss.after.clone()),
            cell_or_dash(place),
            text::truncate(&loss.request, REQUEST_WIDTH, "…").to_string(),
        ];
        table.add_row(cells.chain(of_loss).collect());
    }
    (!losses.is_empty()).then(|| (LOSSES_TITLE.into(), table))
}

const LOSSES_TITLE: &str = "components and tests that a run lost; scores, line and request are of the first run that lost it";

/// Columns of a request in the table of losses.
const REQUEST_WIDTH: usize = 60;

fn file_table(document: &CompareDocument<'_>) -> TitledTable {
    if document.files.is_empty() {
        return None;
    }
    let mut table = OutputTable::new(&["file", ">+", ">−", "", "name in a"]);
    let is_same = |row: &&FileRow| row.presence == FilePresence::Same && row.from.is_none();
    for row in document.files.iter().filter(|row| !is_same(row)) {
        let count = |count_of: fn(&trajview_code::patch::LineCounts) -> usize| {
            cell_or_dash(row.lines.as_ref().map(|lines| count_of(lines).to_string()))
        };
        table.add_row(vec![
            row.path.clone(),
            count(|lines| lines.added),
            count(|lines| lines.removed),
            row.presence.words().into(),
            row.from.clone().unwrap_or_default(),
        ]);
    }
    let same = document.files.iter().filter(is_same).count();
    let all = document.files.len();
    Some((format!("final trees, from a to b: {all} files, {same} the same"), table))
}

fn signed_text(delta: i8) -> String {
    match delta {
        0 => "0".into(),
        delta if delta > 0 => format!("+{delta}"),
        delta => format!("−{}", delta.unsigned_abs()),
    }
}

/// Writes one row for each pair of numbers: its kind (result, number, corrected, component, test, transcript, lost_at_turn, phase,
/// checkpoint, file), its name, the value of each run, the difference of the first two; with a base also that of each run to
/// the base. Empty cells are not recorded, not judged or not there.
pub fn write_csv(document: &CompareDocument<'_>, out: &mut Out) -> io::Result<()> {
    let numbers = document.listed_numbers();
    let letters = (0..document.parties.len()).map(run_letter);
    let heads = ["section", "id", "name"].map(String::from).into_iter().chain(letters);
    let (base, others) = (run_letter(document.base()), document.compared_with_base());
    let to_base = others.iter().map(|at| format!("{}_minus_{base}", run_letter(*at)));
    let heads = heads.chain(["difference", "note"].map(String::from)).chain(to_base);
    out.print_bytes(csv_row(heads).as_bytes())?;
    let by = run_subtraction(document.parties);
    let width = document.parties.len();
    let mut row_with_base = |names: [&str; 3],
                             values: Vec<String>,
                             delta: String,
                             note: &str,
                             differences: Vec<Option<f64>>| {
        let blank = width.saturating_sub(values.len());
        let cells = names.map(String::from).into_iter().chain(values);
        let cells = cells.chain(std::iter::repeat_n(String::new(), blank));
        let to_base = others.iter().map(|at| differences.get(*at).copied().flatten());
        let cells = cells.chain([delta, note.to_owned()]).chain(to_base.map(output::cell_or_empty));
        out.print_bytes(csv_row(cells).as_bytes())
    };
    for it in &compare::result_rows(document.parties) {
        let value = |cell: &ResultCell| match cell.number() {
            Some(number) => (number + 0.0).to_string(), // 0 and not -0
            None => output::cell_or_empty(cell.display_text()),
        };
        let values = it.cells.iter().map(value).collect();
        let (note, to_base) = (direction_text(it.better.word()), it.differences(document.base()));
        row_with_base(["result", &it.name, ""], values, String::new(), &note, to_base)?;
    }
    for it in numbers.iter().copied() {
        let values: Vec<Option<f64>> =
            document.parties.iter().map(|party| party.final_value(it)).collect();
        let outcome = NumberOutcome::at_end(it, document.first_two(), by);
        row_with_base(
            ["number", it.id(), it.label()],
            values.iter().copied().map(output::cell_or_empty).collect(),
            output::cell_or_empty(outcome.delta),
            &better_text(&outcome),
            compare::base_differences(&values, document.base()),
        )?;
    }
    for it in &document.number_estimates() {
        for (section, end) in [("ci95_low", "ci95.0"), ("ci95_high", "ci95.1")] {
            let end_cell = |side: &str| it.field(side).field(end).csv_cell();
            let values = vec![end_cell("a"), end_cell("b")];
            let names = [section, &it.cell("name"), ""];
            row_with_base(names, values, end_cell("difference"), "", vec![])?;
        }
    }
    let corrected = document.corrected_rows();
    for field in ["corrected_mcf", "corrected_low", "corrected_high", "corrected_labels"] {
        let Some((runs, difference)) = corrected.split_at_checked(width) else { break };
        let cell = |row: &Json| row.field(field).csv_cell();
        let judges: BTreeSet<&str> = runs.iter().filter_map(|row| row.text("judge")).collect();
        row_with_base(
            ["corrected", field, ""],
            runs.iter().map(cell).collect(),
            difference.first().map(cell).unwrap_or_default(),
            &judges.into_iter().collect::<Vec<_>>().join(", "),
            vec![],
        )?;
    }
    for it in &document.test_rows() {
        let outcome = |at: usize| it.field(&format!("outcomes.{at}")).csv_cell();
        let names = ["test", &it.cell("name"), &it.cell_or("checkpoint", "")];
        row_with_base(names, (0..width).map(outcome).collect(), String::new(), "", vec![])?;
    }
    for (run, it) in document.transcripts {
        let mut texts = vec![String::new(); width];
        texts[document.base()] = it.field("first_difference.base_text").csv_cell();
        texts[*run] = it.field("first_difference.run_text").csv_cell();
        let (id, note) = (run_letter(*run), first_difference_text(it));
        row_with_base(
            ["transcript", &id, "first_difference"],
            texts,
            String::new(),
            &note,
            vec![],
        )?;
        for kind in ["same", "changed", "only_base", "only_run"] {
            let mut counts = vec![String::new(); width];
            counts[*run] = it.cell(kind);
            row_with_base(["transcript", &id, kind], counts, String::new(), "", vec![])?;
        }
    }
    let rows = document.component_rows();
    for at in compare::by_loss(&rows, by) {
        let it = &rows[at];
        let score = |run| output::cell_or_empty(it.score_in(run));
        let delta = output::cell_or_empty(it.score_delta(by));
        let differences = compare::score_differences(it, document.base()).into_iter();
        row_with_base(
            ["component", &it.id, &it.name],
            (0..width).map(score).collect(),
            delta,
            &transition_text(it),
            differences.map(|by| by.map(f64::from)).collect(),
        )?;
    }
    let mut row = |section: &str, id: &str, name: &str, values, delta, note: &str| {
        row_with_base([section, id, name], values, delta, note, vec![])
    };
    for it in compare::compared_losses(&document.parties.iter().collect::<Vec<_>>()) {
        let turn = |fate: &ComponentFate| output::cell_or_empty(fate.as_loss().map(|it| it.turn));
        let turns = it.fates.iter().map(turn).collect();
        row("lost_at_turn", &it.id, &it.name, turns, String::new(), &it.lost_in_text(run_letter))?;
    }
    let [a, b] = document.first_two();
    let mut moments =
        |section: &str, id: &str, a_at: Option<&ComparedMoment>, b_at: Option<&ComparedMoment>| {
            numbers.iter().copied().try_for_each(|it| {
                let values = [value_at_moment(it, a, a_at), value_at_moment(it, b, b_at)];
                let delta =
                    output::cell_or_empty(NumberOutcome::between_values(it, values, by).delta);
                row(section, id, it.id(), values.map(output::cell_or_empty).to_vec(), delta, "")
            })
        };
    for pair in compare::pair_by_phase(&a.run, &b.run) {
        moments("phase", pair.phase.word(), pair.a.as_ref(), pair.b.as_ref())?;
    }
    for pair in compare::pair_by_checkpoint(&a.run, &b.run) {
        let id =
            format!("{} | {}", moment_text(a, pair.a.as_ref()), moment_text(b, pair.b.as_ref()));
        moments("checkpoint", &id, pair.a.as_ref(), pair.b.as_ref())?;
    }
    for file in document.files {
        let removed = output::cell_or_empty(file.lines.map(|lines| lines.removed));
        let added = output::cell_or_empty(file.lines.map(|lines| lines.added));
        let from = file.from.as_deref().unwrap_or_default();
        row("file", &file.path, from, vec![removed, added], String::new(), file.presence.words())?;
    }
    Ok(())
}
