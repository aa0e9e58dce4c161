//! Stability for people and for spreadsheets.

use std::io;

use crate::{
    cli::{
        agree::{Args, document::Document, tables},
        output::{Out, Table, csv_row},
    },
    ui::text,
};

use super::{ContrastRow, GroupRow, Measures, Repeats, Who};

/// Digits of a prompt's hash and of a commit that are shown.
const DIGITS: usize = 8;

/// Columns of a judge's name in a table of many.
const MOST_NAME: usize = 24;

pub fn print(document: &Document, repeats: &Repeats, args: &Args, out: &mut Out) -> io::Result<()> {
    out.line(&tables::head(document))?;
    let mut show = |title: &str, table: &Table| tables::section(title, table, args.md, out);
    for group in &repeats.repeats {
        show(&format!("{}, {}", who(&group.who), of_group(group)), &whole(group))?;
        show("component by component, over pairs of repeats", &components(group))?;
    }
    if !repeats.contrasts.is_empty() {
        show("one against another, of the same state of the code", &contrasts(repeats))?;
    }
    for contrast in repeats.contrasts.iter().filter(|_| args.detail) {
        let table = differing(contrast);
        let title = format!(
            "{}: {} - {}: components whose usual level differs",
            contrast.words,
            short(&contrast.first, contrast),
            short(&contrast.second, contrast)
        );
        if let Some(table) = table {
            show(&title, &table)?;
        }
    }
    out.line("")?;
    notes(repeats).iter().try_for_each(|note| out.line(note))
}

/// `stub (gpt-5), prompt 3fa9c1b2, 3 judgements`
fn who(it: &Who) -> String {
    let model = it.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    let short = |sha: &String| sha.chars().take(DIGITS).collect::<String>();
    let prompt = it.prompt_sha256.as_ref().map(|sha| format!(", prompt {}", short(sha)));
    let warm = it.temperature.map(|it| format!(", temperature {it}"));
    format!("{}{model}{}{}", it.judge, prompt.unwrap_or_default(), warm.unwrap_or_default())
}

/// `stub 3fa9c1b2`: no more than tells the two of a contrast apart.
fn short(it: &Who, contrast: &ContrastRow) -> String {
    let name = text::truncate(&it.judge, MOST_NAME, "…");
    let (first, second) = (&contrast.first, &contrast.second);
    let digits = |sha: &String| format!(" {}", sha.chars().take(DIGITS).collect::<String>());
    let mut words = name.into_owned();
    if first.model != second.model && first.judge == second.judge {
        words.extend(it.model.as_ref().map(|model| format!(" ({model})")));
    }
    words.extend(it.prompt_sha256.as_ref().map(digits));
    if contrast.against == "settings" {
        words.extend(it.budget.map(|budget| format!(", at most {budget} calls")));
        words.extend(it.temperature.map(|it| format!(", temperature {it}")));
    }
    words
}

/// `3 repeats of codex-p12 after turn 56 at 610540d2`
fn of_group(group: &GroupRow) -> String {
    let turn = group.turn.map(|turn| format!(" after turn {turn}")).unwrap_or_default();
    let commit =
        group.commit.as_ref().map(|commit| commit.chars().take(DIGITS).collect::<String>());
    let commit = commit.map(|commit| format!(" at {commit}")).unwrap_or_default();
    let run = if group.run.is_empty() { String::new() } else { format!(" of {}", group.run) };
    format!("{} repeats{run}{turn}{commit}", group.who.count)
}

/// `0.77 [0.63, 0.88]`
fn with_interval(measures: &Measures, name: &str) -> String {
    match measures.get(name) {
        (Some(value), Some([low, high])) => format!("{value:.2} [{low:.2}, {high:.2}]"),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => "-".into(),
    }
}

fn number(it: Option<f64>, digits: usize) -> String {
    it.map_or_else(|| "-".into(), |it| format!("{it:.digits$}"))
}

fn whole(group: &GroupRow) -> Table {
    let mut table = Table::new(&["measure", "value"]);
    let said = |name: &str| with_interval(&group.measures, name);
    let shares: Vec<String> =
        group.base_rate.iter().map(|it| format!("{:.0}", it * 100.0)).collect();
    let mcf: Vec<String> = group.mcf.iter().map(|it| number(*it, 3)).collect();
    let spread = match group.mcf_range {
        Some((low, high)) => format!(
            "mean {}, SD {}, from {low:.3} to {high:.3}: {}",
            number(group.mcf_mean, 3),
            number(group.mcf_sd, 3),
            mcf.join(", ")
        ),
        None => "-".into(),
    };
    let rows = [
        ("components compared", group.compared.to_string()),
        ("exact", said("exact")),
        ("within 1", said("within_1")),
        ("alpha (ordinal)", said("alpha")),
        ("flips between 2 and 3", said("flips_2_3")),
        ("flips between 3 and 4", said("flips_3_4")),
        ("flips of a severe failure", said("severe_flips")),
        ("MCF of each repeat", spread),
        ("base rate of 0 to 4", format!("{} %", shares.join(" "))),
    ];
    rows.into_iter().for_each(|(name, value)| table.row(vec![name.into(), value]));
    table
}

/// `4 4 - 3`
fn scores(scores: &[Option<u8>]) -> String {
    let said = |it: &Option<u8>| it.map_or_else(|| "-".to_owned(), |it| it.to_string());
    scores.iter().map(said).collect::<Vec<_>>().join(" ")
}

fn components(group: &GroupRow) -> Table {
    let heads = [
        "component",
        "scores",
        ">mode",
        ">range",
        ">SD",
        ">at mode",
        ">exact",
        ">2/3 flips",
        ">3/4 flips",
        ">severe",
    ];
    let mut table = Table::new(&heads);
    for it in &group.components {
        let share = |name: &str| number(it.shares.get(name).copied().flatten(), 2);
        table.row(vec![
            it.component.clone(),
            scores(&it.scores),
            it.mode.map_or_else(|| "-".into(), |it| it.to_string()),
            it.range.map_or_else(|| "-".into(), |(low, high)| format!("{low}-{high}")),
            number(it.sd, 2),
            number(it.at_mode, 2),
            share("exact"),
            share("flips_2_3"),
            share("flips_3_4"),
            share("severe_flips"),
        ]);
    }
    table
}

fn contrasts(repeats: &Repeats) -> Table {
    let heads = [
        "first",
        "second",
        "differ by",
        ">n",
        "exact",
        "within 1",
        "second less first",
        ">exact within the first",
        ">within the second",
    ];
    let mut table = Table::new(&heads);
    for it in &repeats.contrasts {
        table.row(vec![
            short(&it.first, it),
            short(&it.second, it),
            it.against.into(),
            it.compared.to_string(),
            with_interval(&it.measures, "exact"),
            with_interval(&it.measures, "within_1"),
            with_interval(&it.measures, "gap"),
            number(it.exact_within_first, 2),
            number(it.exact_within_second, 2),
        ]);
    }
    table
}

/// None where nothing differs.
fn differing(contrast: &ContrastRow) -> Option<Table> {
    let mut table = Table::new(&["component", "first", "second", ">gap", ">exact"]);
    let mut differing = contrast.components.iter().filter(|it| it.differs == Some(true)).peekable();
    differing.peek()?;
    for it in differing {
        table.row(vec![
            it.component.clone(),
            scores(&it.first),
            scores(&it.second),
            number(it.gap, 2),
            number(it.exact, 2),
        ]);
    }
    Some(table)
}

/// What there is none of, and what is not defined.
fn notes(repeats: &Repeats) -> Vec<String> {
    let mut notes = vec![];
    if repeats.repeats.is_empty() {
        notes.push(
            "nothing was judged twice in the same way: repeats have one judge, model, prompt, budget, \
             temperature and rubric, and one commit; trajview judge --repeat K makes them"
                .to_owned(),
        );
    }
    for group in &repeats.repeats {
        let mut reasons: Vec<(&str, Vec<&str>)> = vec![];
        for (name, why) in &group.measures.not_defined {
            match reasons.iter_mut().find(|(known, _)| known == why) {
                Some((_, names)) => names.push(name),
                None => reasons.push((why, vec![name])),
            }
        }
        let said = reasons.iter().map(|(why, names)| {
            format!("{}: {} not defined: {why}", who(&group.who), names.join(", "))
        });
        notes.extend(said);
    }
    notes.push(
        "a flip is a pair of repeats on different sides of a boundary; severe is 1 or less".into(),
    );
    notes
}

/// A row for every group, part and measure. Empty cells are not defined.
pub fn csv(repeats: &Repeats, out: &mut Out) -> io::Result<()> {
    let heads = [
        "run",
        "first",
        "second",
        "against",
        "part",
        "name",
        "n",
        "measure",
        "value",
        "ci95_low",
        "ci95_high",
        "scores_first",
        "scores_second",
    ];
    out.raw(csv_row(heads.map(String::from)).as_bytes())?;
    let cell = |it: Option<f64>| it.map(|it| it.to_string()).unwrap_or_default();
    let mut row = |ids: [String; 4], part: [String; 3], value: [String; 4], given: [String; 2]| {
        out.raw(csv_row(ids.into_iter().chain(part).chain(value).chain(given)).as_bytes())
    };
    let whole = |measures: &Measures, name: &str| {
        let (value, interval) = measures.get(name);
        let [low, high] = interval.map_or([None, None], |[low, high]| [Some(low), Some(high)]);
        [name.to_owned(), cell(value), cell(low), cell(high)]
    };
    let of_part = |name: &str, value: Option<f64>| {
        [name.to_owned(), cell(value), String::new(), String::new()]
    };
    for it in &repeats.repeats {
        let ids = || [it.run.clone(), who(&it.who), String::new(), "repeat".into()];
        for name in it.measures.values.keys() {
            let part = ["all".into(), String::new(), it.compared.to_string()];
            row(ids(), part, whole(&it.measures, name), Default::default())?;
        }
        for component in &it.components {
            let n = component.scores.iter().flatten().count().to_string();
            let part = || ["component".into(), component.component.clone(), n.clone()];
            let given = || [scores(&component.scores), String::new()];
            let own = [("sd", component.sd), ("at_mode", component.at_mode)];
            let shares = component.shares.iter().map(|(name, value)| (*name, *value));
            for (name, value) in own.into_iter().chain(shares) {
                row(ids(), part(), of_part(name, value), given())?;
            }
        }
    }
    for it in &repeats.contrasts {
        let ids = || [it.run.clone(), who(&it.first), who(&it.second), it.against.to_owned()];
        for name in it.measures.values.keys() {
            let part = ["all".into(), String::new(), it.compared.to_string()];
            row(ids(), part, whole(&it.measures, name), Default::default())?;
        }
        for component in &it.components {
            let n = component.first.iter().chain(&component.second).flatten().count().to_string();
            let part = || ["component".into(), component.component.clone(), n.clone()];
            let given = || [scores(&component.first), scores(&component.second)];
            for (name, value) in [("gap", component.gap), ("exact", component.exact)] {
                row(ids(), part(), of_part(name, value), given())?;
            }
        }
    }
    Ok(())
}
