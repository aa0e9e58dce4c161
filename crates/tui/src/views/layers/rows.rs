//! Builds the rows of the lists. A row has a mark, a text and a target.

use crate::{
    session::{
        Session,
        replay_opening::{LineAim, OpeningTarget, ReplayOpening},
    },
    widgets::theme::Meaning,
};
use trajview_layers::{
    SentenceOrigin,
    record::{LayerRecord, LayerTurnEntry},
    stack::Delivery,
};
use trajview_run::{RepoPath, format_number};

/// One row of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerListRow {
    /// The kind of row, shown in its own column.
    pub kind: String,
    pub text: String,
    pub meaning: Meaning,
    pub target: RowOpening,
    /// Index of the sentence of the brief.
    pub sentence: Option<usize>,
}

/// The target of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowOpening {
    Nothing,
    /// Opens the origins of the sentence.
    Origins,
    Place(ReplayOpening),
}

impl LayerListRow {
    fn without_opening(kind: &str, words: impl Into<String>, meaning: Meaning) -> Self {
        let (kind, words) = (kind.to_owned(), words.into());
        Self { kind, text: words, meaning, target: RowOpening::Nothing, sentence: None }
    }

    fn leading_to(self, opening: ReplayOpening) -> Self {
        Self { target: RowOpening::Place(opening), ..self }
    }
}

/// Returns the request, the brief before it, the files forecast and touched, and the cost.
pub(crate) fn brief_rows(session: &Session, entry: Option<&LayerTurnEntry>) -> Vec<LayerListRow> {
    let turn = session.turn;
    let Some(found) = session.run.turns.get(turn) else { return vec![] };
    let request = LayerListRow::without_opening("request", &*found.title, Meaning::Heading);
    let mut rows = vec![request.leading_to(ReplayOpening::at_turn(turn, OpeningTarget::Request))];
    let Some(entry) = entry else { return rows };
    let Some(said) = &entry.layer_brief else {
        rows.push(LayerListRow::without_opening(
            "",
            "no brief before this request",
            Meaning::Muted,
        ));
        return rows;
    };
    rows.push(LayerListRow::without_opening("why", &*said.brief.why, Meaning::Muted));
    if let Some(why) = &said.brief.restarts {
        rows.push(LayerListRow::without_opening("⟲ restart", &**why, Meaning::Warning));
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
        let open = if sentence.from.is_empty() { RowOpening::Nothing } else { RowOpening::Origins };
        for (number, line) in words.lines().enumerate() {
            let kind = if number == 0 { kind } else { "" };
            let row = LayerListRow::without_opening(kind, line, meaning);
            rows.push(LayerListRow { target: open.clone(), sentence: Some(at), ..row });
        }
    }
    for given in &entry.deliveries {
        let request_words =
            if given.asked.is_empty() { String::new() } else { format!(" {}", given.asked) };
        let words = match &given.failed {
            Some(why) => format!("{request_words}: {why}"),
            None => format!("{request_words}: {}", given.brief.text().replace('\n', " · ")),
        };
        let kind = match given.delivery {
            Delivery::Search => "search",
            Delivery::Call => "with a call",
        };
        rows.push(LayerListRow::without_opening(kind, words.trim_start(), Meaning::Text));
    }
    rows.extend(forecast_rows(session, entry));
    rows.push(LayerListRow::without_opening("cost", cost_text(entry), Meaning::Muted));
    rows
}

/// Returns every file that was forecast, and every file that was touched and not forecast.
fn forecast_rows(session: &Session, entry: &LayerTurnEntry) -> Vec<LayerListRow> {
    let forecast =
        entry.layer_brief.as_ref().map(|said| said.brief.forecast.as_slice()).unwrap_or_default();
    let is_touched = |path: &String| entry.touched.as_ref().map(|all| all.contains(path));
    let to_change = |path: &String, row: LayerListRow| match RepoPath::new(path) {
        Some(path) => row.leading_to(ReplayOpening::at_turn(
            session.turn,
            OpeningTarget::Change { path, aim: None },
        )),
        None => row,
    };
    let planned_rows = forecast.iter().map(|path| match is_touched(path) {
        Some(true) => to_change(
            path,
            LayerListRow::without_opening("forecast", format!("{path}  touched"), Meaning::Added),
        ),
        Some(false) => LayerListRow::without_opening(
            "forecast",
            format!("{path}  not touched"),
            Meaning::Muted,
        ),
        None => LayerListRow::without_opening("forecast", &**path, Meaning::Muted),
    });
    let touched = entry.touched.iter().flatten().filter(|path| !forecast.contains(*path));
    let missed = touched.map(|path| {
        to_change(
            path,
            LayerListRow::without_opening(
                "not forecast",
                format!("{path}  touched"),
                Meaning::Warning,
            ),
        )
    });
    planned_rows.chain(missed).collect()
}

/// Returns `620 ms · helper asked twice, 1.2 k tokens in, 300 out, $0.0040`.
fn cost_text(entry: &LayerTurnEntry) -> String {
    let Some(said) = &entry.layer_brief else { return String::new() };
    let spent = &said.spent;
    let mut parts = vec![format_number::duration_text(spent.seconds)];
    if spent.calls > 0 {
        let tokens =
            |count: Option<u64>| count.map_or_else(|| "unknown".into(), format_number::short_count);
        parts.push(format!(
            "helper model: {} calls, {} tokens in, {} out",
            spent.calls,
            tokens(spent.input_tokens),
            tokens(spent.output_tokens)
        ));
        parts.extend(spent.cost_usd.map(format_number::dollars_text));
    } else {
        parts.push("no helper model used".into());
    }
    parts.join(" · ")
}

/// Returns the origins of a sentence: a row for each origin, and for a record its text at that time.
pub(crate) fn origin_rows(
    session: &Session,
    record: &LayerRecord,
    entry: &LayerTurnEntry,
    sentence: usize,
) -> Vec<LayerListRow> {
    let brief = entry.layer_brief.as_ref();
    let Some(sentence) = brief.and_then(|said| said.brief.sentences.get(sentence)) else {
        return vec![];
    };
    let mut rows = vec![];
    for origin in &sentence.from {
        rows.push(origin_row(session, origin));
        if let SentenceOrigin::Record(path) = origin {
            rows.extend(record_rows(record, entry, path));
        }
    }
    rows
}

fn origin_row(session: &Session, origin: &SentenceOrigin) -> LayerListRow {
    let text = |words: String| LayerListRow::without_opening("from", words, Meaning::Heading);
    match origin {
        SentenceOrigin::Record(path) => text(format!("record {path}")),
        SentenceOrigin::Decision(id) => text(format!("decision {id}")),
        SentenceOrigin::Request(turn) => {
            let title = session.run.turns.get(turn.wrapping_sub(1)).map(|it| &*it.title);
            text(format!("the request of turn {turn}: {}", title.unwrap_or_default()))
                .leading_to(ReplayOpening::at_turn(turn.saturating_sub(1), OpeningTarget::Request))
        }
        SentenceOrigin::Step { turn, step } => {
            let found = session
                .run
                .numbered_steps()
                .into_iter()
                .find(|(id, number)| id.turn + 1 == *turn && number == step);
            let row = text(format!("step {turn}.{step}"));
            match found {
                Some((id, _)) => {
                    row.leading_to(ReplayOpening::at_turn(id.turn, OpeningTarget::Step(id)))
                }
                None => row,
            }
        }
        SentenceOrigin::Lines { path, start, end } => {
            let row = text(format!("{path}:{start}-{end}, before the request"));
            match (RepoPath::new(path), session.turn.checked_sub(1)) {
                (Some(path), Some(turn)) => {
                    let aim = Some(LineAim::Within(*start as usize, *end as usize));
                    row.leading_to(ReplayOpening::at_turn(turn, OpeningTarget::File { path, aim }))
                }
                _ => row,
            }
        }
    }
}

/// Returns a record's text as it was when the brief was made, and the turns that wrote it.
fn record_rows(record: &LayerRecord, entry: &LayerTurnEntry, path: &str) -> Vec<LayerListRow> {
    let before = record.entry_before(entry.turn).and_then(|it| it.state.get(path));
    let text = before.or_else(|| entry.state.get(path));
    let lines = text.map(|text| text.lines().collect::<Vec<_>>()).unwrap_or_default();
    let mut rows: Vec<LayerListRow> = lines
        .into_iter()
        .map(|line| LayerListRow::without_opening("", line, Meaning::Text))
        .collect();
    let history = record.file_history(path);
    for (at, (turn, text)) in history.iter().enumerate() {
        let words = match (at, text.is_empty()) {
            (_, true) => format!("removed after turn {turn}"),
            (0, false) => format!("written after turn {turn}"),
            (_, false) => format!("changed after turn {turn}"),
        };
        let row = LayerListRow::without_opening("history", words, Meaning::Muted);
        rows.push(
            row.leading_to(ReplayOpening::at_turn(turn.saturating_sub(1), OpeningTarget::Turn)),
        );
    }
    rows
}
