//! The comparison for people, and for spreadsheets.

use std::io;

use crate::cli::{
    components, measuring,
    output::{self, Column, Out, Table, csv_row, dash},
    resampling::with_interval,
};
use trajview_metrics::{
    Number,
    numbers::{COMPARED, SLUMP, Style, ranked},
    quality::Ruler,
};
use trajview_run::rubric::LEVELS;
use trajview_study::{
    Interval,
    compare::{self, Cell, FileRow, Moment, Outcome, Party, Row, Standing, Transitions, letter},
};

use super::{
    document::{Document, EstimateRow, EstimatedRow},
    subtraction,
};

pub fn print(document: &Document<'_>, ruler: &Ruler, out: &mut Out) -> io::Result<()> {
    let sections = [
        runs(document),
        sessions(document),
        numbers(document),
        intervals(document),
        recoveries(document),
        components(document),
        transitions(document),
        means(document),
        phases(document),
        checkpoints(document),
        files(document),
    ];
    for (at, (title, table)) in sections.iter().flatten().enumerate() {
        if at > 0 {
            out.line("")?;
        }
        title_line(title, document.args.forms.md, out)?;
        table.write(document.args.forms.md, out)?;
        if at == 0 {
            out.line("")?;
            notes(document, ruler, out)?;
        }
    }
    Ok(())
}

type Section = Option<(String, Table)>;

fn title_line(title: &str, is_markdown: bool, out: &mut Out) -> io::Result<()> {
    match (title.is_empty(), is_markdown) {
        (true, _) => Ok(()),
        (false, true) => {
            out.sentence(&format!("## {title}"))?;
            out.line("")
        }
        (false, false) => out.sentence(title),
    }
}

/// Whose numbers these are, and what to know before believing them.
fn notes(document: &Document<'_>, ruler: &Ruler, out: &mut Out) -> io::Result<()> {
    let by = subtraction(document.parties);
    out.sentence(&measuring::said(ruler))?;
    let why =
        if by.is_slump { "" } else { ": the conditions do not say which run is the emergent one" };
    out.sentence(&format!("differences are {}{why}", by.words()))?;
    for warning in compare::warnings(document.parties) {
        out.sentence(&format!("note: {warning}"))?;
    }
    Ok(())
}

/// What each session did, where nothing was judged: then that is what there is to compare first.
fn sessions(document: &Document<'_>) -> Section {
    if !compare::are_plain(document.parties) {
        return None;
    }
    let letters = (0..document.parties.len()).map(|at| format!(">{}", letter(at)));
    let mut table = Table::headed([String::new()].into_iter().chain(letters).collect());
    let facts: Vec<_> =
        document.parties.iter().map(|party| compare::Session::of(party).facts()).collect();
    for (row, (name, _)) in facts[0].iter().enumerate() {
        if facts.iter().any(|of_run| of_run[row].1.is_some()) {
            let values = facts.iter().map(|of_run| dash(of_run[row].1.clone()));
            table.row([(*name).to_owned()].into_iter().chain(values).collect());
        }
    }
    Some(("sessions".into(), table))
}

fn runs(document: &Document<'_>) -> Section {
    let heads = ["", "run", "condition", "agent", "model", ">turns", "commit", "judged by", "task"];
    let mut table = Table::new(&heads).keyed(2);
    for (at, party) in document.parties.iter().enumerate() {
        let run = &party.run;
        let commit = run.turns[..run.end()].iter().rev().find_map(|turn| turn.commit.as_deref());
        let judged = party.judgement().map(|judgement| {
            let coverage = party.rubric.coverage(judgement);
            let part = if coverage.is_whole { String::new() } else { format!(", {coverage}") };
            let judge = &judgement.judge.name;
            let of = judgement.pooled.as_ref().map(|it| format!(" of {}", it.from.len()));
            let of = of.unwrap_or_default();
            format!("{judge}{of} at turn {}{part}", compare::done_at(run, judgement))
        });
        let unjudged =
            if party.rubric.partial().is_empty() { "not judged" } else { "in part only" };
        table.row(vec![
            letter(at),
            run.id.clone(),
            dash(run.condition.clone()),
            run.agent.name.clone(),
            dash(run.model.clone()),
            run.counted_turns().count().to_string(),
            dash(commit.map(|commit| commit.chars().take(10).collect::<String>())),
            judged.unwrap_or_else(|| unjudged.into()),
            dash(run.task.as_ref().map(|task| task.id.clone())),
        ]);
    }
    Some((String::new(), table))
}

/// One column a run, the difference of the first two, and what it means.
fn heads(document: &Document<'_>, before: &[&str]) -> Vec<String> {
    let letters = (0..document.parties.len()).map(|at| format!(">{}", letter(at)));
    let before = before.iter().map(|head| (*head).to_owned());
    before.chain(letters).chain([">difference", ""].map(String::from)).collect()
}

fn numbers(document: &Document<'_>) -> Section {
    let by = subtraction(document.parties);
    let mut table = Table::headed(heads(document, &["number"]));
    for number in COMPARED.iter().copied() {
        let values: Vec<Option<f64>> =
            document.parties.iter().map(|party| party.value(number)).collect();
        if values.iter().all(Option::is_none) {
            continue;
        }
        let outcome = Outcome::of(number, document.pair(), by);
        let cells = [number.label().to_owned()].into_iter();
        let cells = cells.chain(values.iter().map(|value| said(number, *value)));
        let delta = dash(outcome.delta.map(|delta| number.difference_written(delta)));
        table.row(cells.chain([delta, better(&outcome)]).collect());
    }
    Some((String::new(), table))
}

fn said(number: Number, value: Option<f64>) -> String {
    dash(value.map(|value| number.written(value, Style::Full)))
}

/// SLUMP's numbers of the first two runs; None where neither has one.
fn intervals(document: &Document<'_>) -> Section {
    let side = |it: &EstimateRow| with_interval(it.value, it.ci95);
    let columns: [Column<'_, EstimatedRow>; 4] = [
        ("number", &|it| it.name.into()),
        ("a", &|it| side(&it.a)),
        ("b", &|it| side(&it.b)),
        ("difference", &|it| side(&it.difference)),
    ];
    let found = document.intervals();
    let has_value = found.iter().any(|it| it.a.value.or(it.b.value).is_some());
    let title = format!("the numbers with intervals [{}]", compare::DRAWN);
    has_value.then(|| (title, Table::of(&columns, &found)))
}

/// How much of the gap between emergent and single-shot each treated run closes.
fn recoveries(document: &Document<'_>) -> Section {
    let found = compare::recoveries(document.parties);
    let heads = ["", "run", "condition"].map(String::from).into_iter();
    let heads = heads.chain(SLUMP.iter().map(|number| format!(">{}", number.short())));
    let mut table = Table::headed(heads.collect());
    let said = |share: Option<f64>| dash(share.map(|share| format!("{:.1} %", share * 100.0)));
    for it in &found {
        let run = &document.parties[it.treated].run;
        let (id, condition) = (run.id.clone(), dash(run.condition.clone()));
        let shares = it.shares.0.iter().map(|(_, share)| said(*share));
        table.row([letter(it.treated), id, condition].into_iter().chain(shares).collect());
    }
    let title = "gap recovery: (treated - emergent) / (single-shot - emergent)";
    (!found.is_empty()).then(|| (title.into(), table))
}

fn better(outcome: &Outcome) -> String {
    outcome.better.map(|at| format!("{} is better", letter(at))).unwrap_or_default()
}

fn components(document: &Document<'_>) -> Section {
    let (rows, by) = (document.rows(), subtraction(document.parties));
    if rows.is_empty() {
        return None;
    }
    let mut table = Table::headed(heads(document, &["component", "name"]));
    for at in compare::by_loss(&rows, by) {
        let row = &rows[at];
        let scores = row.cells.iter().map(cell);
        let delta = row.delta(by).map(signed);
        let cells = [row.id.clone(), row.name.clone()].into_iter().chain(scores);
        table.row(cells.chain([dash(delta), words(row)]).collect());
    }
    Some(("components, the largest loss first".into(), table))
}

/// `Simplified → Faithful`; of a component that one run alone has, which.
fn words(row: &Row) -> String {
    if let Some(only) = row.only_in() {
        return format!("only in {}", letter(only));
    }
    let label = |run| row.score(run).and_then(|score| LEVELS.get(usize::from(score)));
    match (label(0), label(1)) {
        (Some(a), Some(b)) if a == b => (*a).to_owned(),
        (Some(a), Some(b)) => format!("{a} → {b}"),
        (None, _) | (_, None) => {
            let missing = row.cells.iter().take(2).enumerate();
            let missing = missing.filter(|(_, cell)| !matches!(cell, Cell::Score(_)));
            let letters: Vec<String> = missing.map(|(at, _)| letter(at)).collect();
            format!("not judged in {}", letters.join(" and "))
        }
    }
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Score(score) => score.to_string(),
        Cell::NotJudged(_) => "not judged".into(),
        Cell::NotListed => "not listed".into(),
    }
}

fn transitions(document: &Document<'_>) -> Section {
    let transitions = Transitions::of(&document.rows(), (0, 1));
    if transitions.n == 0 {
        return None;
    }
    let mut table = Table::new(&[
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
        table.row([label].into_iter().chain(counts).collect());
    }
    let (n, equal) = (transitions.n, transitions.equal());
    Some((
        format!("from a score in a (rows) to one in b (columns): {n} components, {equal} the same"),
        table,
    ))
}

fn means(document: &Document<'_>) -> Section {
    let found = document.means(&document.rows());
    let n = found.first()?.n;
    let title =
        format!("means over the {n} components that both are judged on [95 % BCa over components]");
    Some((title, components::means_of_two(&found)))
}

fn phases(document: &Document<'_>) -> Section {
    let [a, b] = document.pair();
    let pairs = compare::by_phase(&a.run, &b.run).into_iter();
    let pairs: Vec<_> = pairs.map(|pair| (pair.phase.word().to_owned(), pair.a, pair.b)).collect();
    points(document, "phase", "by phase, at the end of its last checkpoint", pairs)
}

fn checkpoints(document: &Document<'_>) -> Section {
    let [a, b] = document.pair();
    if a.run.checkpoints.is_empty() && b.run.checkpoints.is_empty() {
        return None;
    }
    let pairs = compare::by_checkpoint(&a.run, &b.run).into_iter();
    let pairs: Vec<_> = pairs
        .map(|pair| {
            let by = pair.by.map_or("alone", compare::PairedBy::word);
            (by.to_owned(), pair.a, pair.b)
        })
        .collect();
    points(document, "paired by", "by checkpoint", pairs)
}

/// Every number twice: in a and in b.
fn points(
    document: &Document<'_>,
    key: &'static str,
    title: &str,
    pairs: Vec<(String, Option<Moment>, Option<Moment>)>,
) -> Section {
    let sides = document.pair();
    let is_known = |number: &Number| {
        let known = |moment: &Option<Moment>, party| value(*number, party, moment.as_ref());
        let [a, b] = sides;
        pairs.iter().any(|(_, at_a, at_b)| known(at_a, a).or(known(at_b, b)).is_some())
    };
    let shown = ranked(|shown| shown.phase).into_iter().filter(is_known);
    let shown: Vec<Number> = shown.collect();
    let heads = [key, "a", "b"].map(String::from).into_iter();
    let twice = |number: &Number| ["a", "b"].map(|side| format!(">{} {side}", number.label()));
    let mut table = Table::headed(heads.chain(shown.iter().flat_map(twice)).collect()).keyed(3);
    for (name, a, b) in &pairs {
        let moments = [a.as_ref(), b.as_ref()];
        let names = moments.iter().zip(sides).map(|(moment, party)| place(party, *moment));
        let values = shown.iter().flat_map(|number| {
            let of = |(moment, party): (&Option<&Moment>, _)| value(*number, party, *moment);
            moments.iter().zip(sides).map(of).map(|value| said(*number, value))
        });
        table.row([name.clone()].into_iter().chain(names).chain(values).collect());
    }
    Some((title.to_owned(), table))
}

fn value(number: Number, party: &Party, moment: Option<&Moment>) -> Option<f64> {
    party.value_at(number, moment?.done)
}

/// `c4 turn 21`
fn place(party: &Party, moment: Option<&Moment>) -> String {
    let Some(moment) = moment else { return "-".into() };
    let checkpoint = moment.checkpoint.and_then(|index| party.run.checkpoints.get(index));
    let id = checkpoint.map(|it| format!("{} ", it.id)).unwrap_or_default();
    format!("{id}turn {}", moment.done)
}

fn files(document: &Document<'_>) -> Section {
    if document.files.is_empty() {
        return None;
    }
    let mut table = Table::new(&["file", ">+", ">−", "", "name in a"]);
    let is_same = |row: &&FileRow| row.standing == Standing::Same && row.from.is_none();
    for row in document.files.iter().filter(|row| !is_same(row)) {
        let count = |of: fn(&trajview_code::patch::LineCounts) -> usize| {
            dash(row.lines.as_ref().map(|lines| of(lines).to_string()))
        };
        table.row(vec![
            row.path.clone(),
            count(|lines| lines.added),
            count(|lines| lines.removed),
            row.standing.words().into(),
            row.from.clone().unwrap_or_default(),
        ]);
    }
    let same = document.files.iter().filter(is_same).count();
    let all = document.files.len();
    Some((format!("final trees, from a to b: {all} files, {same} the same"), table))
}

fn signed(delta: i8) -> String {
    match delta {
        0 => "0".into(),
        delta if delta > 0 => format!("+{delta}"),
        delta => format!("−{}", delta.unsigned_abs()),
    }
}

/// One row for everything that is a pair of numbers: what it is (number, component, phase, checkpoint, file), its name,
/// both values, their difference. Empty cells are not recorded, not judged or not there.
pub fn csv(document: &Document<'_>, out: &mut Out) -> io::Result<()> {
    let numbers = document.numbers();
    let letters = (0..document.parties.len()).map(letter);
    let heads = ["section", "id", "name"].map(String::from).into_iter().chain(letters);
    out.raw(csv_row(heads.chain(["difference", "note"].map(String::from))).as_bytes())?;
    let by = subtraction(document.parties);
    let width = document.parties.len();
    let mut row =
        |section: &str, id: &str, name: &str, values: Vec<String>, delta: String, note: &str| {
            let blank = width.saturating_sub(values.len());
            let cells = [section, id, name].map(String::from).into_iter().chain(values);
            let cells = cells.chain(std::iter::repeat_n(String::new(), blank));
            out.raw(csv_row(cells.chain([delta, note.to_owned()])).as_bytes())
        };
    for it in numbers.iter().copied() {
        let values = document.parties.iter().map(|party| output::cell(party.value(it))).collect();
        let outcome = Outcome::of(it, document.pair(), by);
        row("number", it.id(), it.label(), values, output::cell(outcome.delta), &better(&outcome))?;
    }
    type End = fn(Interval) -> f64;
    let ends: [(&str, End); 2] = [("ci95_low", |it| it.low), ("ci95_high", |it| it.high)];
    for it in &document.intervals() {
        for (section, end) in ends {
            let of = |of: &EstimateRow| output::cell(of.ci95.map(end));
            row(section, it.name, "", vec![of(&it.a), of(&it.b)], of(&it.difference), "")?;
        }
    }
    let rows = document.rows();
    for at in compare::by_loss(&rows, by) {
        let it = &rows[at];
        let score = |run| output::cell(it.score(run));
        let delta = output::cell(it.delta(by));
        row("component", &it.id, &it.name, (0..width).map(score).collect(), delta, &words(it))?;
    }
    let [a, b] = document.pair();
    let mut moments = |section: &str, id: &str, a_at: Option<&Moment>, b_at: Option<&Moment>| {
        numbers.iter().copied().try_for_each(|it| {
            let values = [value(it, a, a_at), value(it, b, b_at)];
            let delta = output::cell(Outcome::between(it, values, by).delta);
            row(section, id, it.id(), values.map(output::cell).to_vec(), delta, "")
        })
    };
    for pair in compare::by_phase(&a.run, &b.run) {
        moments("phase", pair.phase.word(), pair.a.as_ref(), pair.b.as_ref())?;
    }
    for pair in compare::by_checkpoint(&a.run, &b.run) {
        let id = format!("{} | {}", place(a, pair.a.as_ref()), place(b, pair.b.as_ref()));
        moments("checkpoint", &id, pair.a.as_ref(), pair.b.as_ref())?;
    }
    for file in document.files {
        let removed = output::cell(file.lines.map(|lines| lines.removed));
        let added = output::cell(file.lines.map(|lines| lines.added));
        let from = file.from.as_deref().unwrap_or_default();
        row("file", &file.path, from, vec![removed, added], String::new(), file.standing.words())?;
    }
    Ok(())
}
