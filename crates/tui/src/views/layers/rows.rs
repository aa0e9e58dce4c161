//! What the lists hold: a row is a mark, words, and where it leads.

use crate::{
    session::{
        Session,
        opening::{Aim, Opening, Target},
    },
    widgets::theme::Meaning,
};
use trajview_layers::{
    Origin,
    record::{Entry, Record},
    stack::Delivery,
};
use trajview_run::{RepoPath, figures};

/// One row of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What kind of row it is, in a column of its own.
    pub kind: String,
    pub words: String,
    pub meaning: Meaning,
    pub open: Open,
    /// Which sentence of the brief it is.
    pub sentence: Option<usize>,
}

/// Where a row leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    Nothing,
    /// To where the sentence is from.
    Origins,
    Place(Opening),
}

impl Row {
    fn plain(kind: &str, words: impl Into<String>, meaning: Meaning) -> Self {
        let (kind, words) = (kind.to_owned(), words.into());
        Self { kind, words, meaning, open: Open::Nothing, sentence: None }
    }

    fn to(self, opening: Opening) -> Self {
        Self { open: Open::Place(opening), ..self }
    }
}

/// The request, what was said before it, what was forecast and touched, and what it cost.
pub fn of_brief(session: &Session, entry: Option<&Entry>) -> Vec<Row> {
    let turn = session.turn;
    let Some(found) = session.run.turns.get(turn) else { return vec![] };
    let request = Row::plain("request", &*found.title, Meaning::Heading);
    let mut rows = vec![request.to(Opening::at(turn, Target::Request))];
    let Some(entry) = entry else { return rows };
    let Some(said) = &entry.said else {
        rows.push(Row::plain("", "nothing was said before this request", Meaning::Muted));
        return rows;
    };
    rows.push(Row::plain("why", &*said.brief.why, Meaning::Muted));
    if let Some(why) = &said.brief.restarts {
        rows.push(Row::plain("⟲ restart", &**why, Meaning::Warning));
    }
    for (at, sentence) in said.brief.sentences.iter().enumerate() {
        let wrong = entry.contradicted.iter().find(|(place, _)| *place == at);
        let (kind, meaning) = match (wrong, sentence.from.is_empty()) {
            (Some(_), _) => ("✗ not so", Meaning::Error),
            (None, true) => ("", Meaning::Heading),
            (None, false) => ("", Meaning::Text),
        };
        let words = match wrong {
            Some((_, why)) => format!("{}  ({why})", sentence.text),
            None => sentence.text.clone(),
        };
        let open = if sentence.from.is_empty() { Open::Nothing } else { Open::Origins };
        for (number, line) in words.lines().enumerate() {
            let kind = if number == 0 { kind } else { "" };
            let row = Row::plain(kind, line, meaning);
            rows.push(Row { open: open.clone(), sentence: Some(at), ..row });
        }
    }
    for given in &entry.given {
        let asked =
            if given.asked.is_empty() { String::new() } else { format!(" {}", given.asked) };
        let words = match &given.failed {
            Some(why) => format!("{asked}: {why}"),
            None => format!("{asked}: {}", given.brief.text().replace('\n', " · ")),
        };
        let kind = match given.delivery {
            Delivery::Search => "search",
            Delivery::Call => "with a call",
        };
        rows.push(Row::plain(kind, words.trim_start(), Meaning::Text));
    }
    rows.extend(of_forecast(session, entry));
    rows.push(Row::plain("cost", cost(entry), Meaning::Muted));
    rows
}

/// Every file that was forecast, and every file that was touched and not forecast.
fn of_forecast(session: &Session, entry: &Entry) -> Vec<Row> {
    let forecast =
        entry.said.as_ref().map(|said| said.brief.forecast.as_slice()).unwrap_or_default();
    let is_touched = |path: &String| entry.touched.as_ref().map(|all| all.contains(path));
    let to_change = |path: &String, row: Row| match RepoPath::new(path) {
        Some(path) => row.to(Opening::at(session.turn, Target::Change { path, aim: None })),
        None => row,
    };
    let named = forecast.iter().map(|path| match is_touched(path) {
        Some(true) => {
            to_change(path, Row::plain("forecast", format!("{path}  touched"), Meaning::Added))
        }
        Some(false) => Row::plain("forecast", format!("{path}  not touched"), Meaning::Muted),
        None => Row::plain("forecast", &**path, Meaning::Muted),
    });
    let touched = entry.touched.iter().flatten().filter(|path| !forecast.contains(*path));
    let missed = touched.map(|path| {
        to_change(path, Row::plain("not forecast", format!("{path}  touched"), Meaning::Warning))
    });
    named.chain(missed).collect()
}

/// `620 ms · helper asked twice, 1.2 k tokens in, 300 out, $0.0040`
fn cost(entry: &Entry) -> String {
    let Some(said) = &entry.said else { return String::new() };
    let spent = &said.spent;
    let mut parts = vec![figures::duration(spent.seconds)];
    if spent.calls > 0 {
        let tokens = |count: Option<u64>| count.map_or_else(|| "unknown".into(), figures::short);
        parts.push(format!(
            "helper model: {} calls, {} tokens in, {} out",
            spent.calls,
            tokens(spent.input_tokens),
            tokens(spent.output_tokens)
        ));
        parts.extend(spent.cost_usd.map(figures::dollars));
    } else {
        parts.push("no helper model asked".into());
    }
    parts.join(" · ")
}

/// Where a sentence is from: a row for each origin, and of a record its text as it was then and what it said before.
pub fn of_origins(session: &Session, record: &Record, entry: &Entry, sentence: usize) -> Vec<Row> {
    let said = entry.said.as_ref();
    let Some(sentence) = said.and_then(|said| said.brief.sentences.get(sentence)) else {
        return vec![];
    };
    let mut rows = vec![];
    for origin in &sentence.from {
        rows.push(of_origin(session, origin));
        if let Origin::Record(path) = origin {
            rows.extend(of_record(record, entry, path));
        }
    }
    rows
}

fn of_origin(session: &Session, origin: &Origin) -> Row {
    let text = |words: String| Row::plain("from", words, Meaning::Heading);
    match origin {
        Origin::Record(path) => text(format!("record {path}")),
        Origin::Decision(id) => text(format!("decision {id}")),
        Origin::Request(turn) => {
            let title = session.run.turns.get(turn.wrapping_sub(1)).map(|it| &*it.title);
            text(format!("the request of turn {turn}: {}", title.unwrap_or_default()))
                .to(Opening::at(turn.saturating_sub(1), Target::Request))
        }
        Origin::Step { turn, step } => {
            let found = session
                .run
                .numbered_steps()
                .into_iter()
                .find(|(id, number)| id.turn + 1 == *turn && number == step);
            let row = text(format!("step {turn}.{step}"));
            match found {
                Some((id, _)) => row.to(Opening::at(id.turn, Target::Step(id))),
                None => row,
            }
        }
        Origin::Lines { path, start, end } => {
            let row = text(format!("{path}:{start}-{end}, as it was before the request"));
            match (RepoPath::new(path), session.turn.checked_sub(1)) {
                (Some(path), Some(turn)) => {
                    let aim = Some(Aim::Within(*start as usize, *end as usize));
                    row.to(Opening::at(turn, Target::File { path, aim }))
                }
                _ => row,
            }
        }
    }
}

/// A record's text as it was when the brief was made, and the turns that wrote it.
fn of_record(record: &Record, entry: &Entry, path: &str) -> Vec<Row> {
    let before = record.before(entry.turn).and_then(|it| it.state.get(path));
    let text = before.or_else(|| entry.state.get(path));
    let lines = text.map(|text| text.lines().collect::<Vec<_>>()).unwrap_or_default();
    let mut rows: Vec<Row> =
        lines.into_iter().map(|line| Row::plain("", line, Meaning::Text)).collect();
    let history = record.history(path);
    for (at, (turn, text)) in history.iter().enumerate() {
        let words = match (at, text.is_empty()) {
            (_, true) => format!("taken away after turn {turn}"),
            (0, false) => format!("written after turn {turn}"),
            (_, false) => format!("changed after turn {turn}"),
        };
        let row = Row::plain("history", words, Meaning::Muted);
        rows.push(row.to(Opening::at(turn.saturating_sub(1), Target::Turn)));
    }
    rows
}
