//! From cells to raters.

use serde_json::Value as Json;

use crate::raters::{Item, Kind, LabelsOf, Panel, Rater, Score, Sight};
use trajview_formats::rubric::labels_table::flag;
use trajview_run::{Warning, rubric::LEVELS};

use super::csv;
use trajview_formats::not_finite;

/// A column or annotator of this name is what adjudication settled.
const GOLD: &str = "gold";

/// A table: cells are words, whatever they were.
pub struct Table {
    heads: Vec<String>,
    /// Where the row is (`line 7`, `row 3`), and its cells.
    rows: Vec<(String, Vec<String>)>,
}

const COMPONENT: [&str; 3] = ["component", "id", "item"];

pub fn from_csv(text: &str) -> Result<Table, String> {
    let mut rows = csv::rows(text).into_iter();
    let heads = rows.next().ok_or("holds no table")?.cells;
    let rows = rows.map(|row| (format!("line {}", row.line), row.cells)).collect();
    Ok(Table { heads, rows })
}

pub fn from_json(text: &str) -> Result<Table, String> {
    let (json, _) = not_finite::read::<Json>(text.as_bytes())
        .map_err(|why| format!("does not read as JSON: {why}"))?;
    let columns = match &json {
        Json::Object(object) => match object.get("pairs") {
            Some(Json::Array(rows)) => return Ok(of_objects(rows)),
            _ => object,
        },
        Json::Array(rows) => return Ok(of_objects(rows)),
        _ => return Err("is neither a list nor an object of columns".into()),
    };
    let columns: Vec<(&String, &Vec<Json>)> =
        columns.iter().filter_map(|(head, column)| Some((head, column.as_array()?))).collect();
    let longest = columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0);
    let row = |at: usize| {
        columns.iter().map(|(_, column)| column.get(at).map(words).unwrap_or_default()).collect()
    };
    let rows = (0..longest).map(|at| (format!("row {}", at + 1), row(at))).collect();
    Ok(Table { heads: columns.iter().map(|(head, _)| (*head).clone()).collect(), rows })
}

fn of_objects(rows: &[Json]) -> Table {
    let mut heads: Vec<String> = vec![];
    for head in rows.iter().filter_map(Json::as_object).flat_map(|row| row.keys()) {
        if !heads.contains(head) {
            heads.push(head.clone());
        }
    }
    let cells = |row: &Json| {
        heads.iter().map(|head| row.get(head).map(words).unwrap_or_default()).collect()
    };
    let rows =
        rows.iter().enumerate().map(|(at, row)| (format!("row {}", at + 1), cells(row))).collect();
    Table { heads, rows }
}

fn words(json: &Json) -> String {
    match json {
        Json::Null => String::new(),
        Json::String(words) => words.trim().to_owned(),
        other => other.to_string(),
    }
}

/// Which column says what.
struct Columns {
    component: Option<usize>,
    run: Option<usize>,
    commit: Option<usize>,
    rubric: Option<usize>,
    scores: Scores,
}

enum Scores {
    /// A column each.
    Wide(Vec<usize>),
    /// A row each.
    Long { rater: usize, score: usize, blind: Option<usize> },
}

impl Table {
    fn columns(&self) -> Result<Columns, String> {
        let named = |name: &str| self.heads.iter().position(|head| head.eq_ignore_ascii_case(name));
        let component = COMPONENT.iter().find_map(|name| named(name));
        let (run, commit, rubric) = (named("run"), named("commit"), named("rubric"));
        let scores = match (named("rater").or_else(|| named("annotator")), named("score")) {
            (Some(rater), Some(score)) => Scores::Long { rater, score, blind: named("blind") },
            _ => {
                let is_taken = |at: &usize| [component, run, commit, rubric].contains(&Some(*at));
                let is_named = |at: &usize| !self.heads[*at].is_empty();
                Scores::Wide(
                    (0..self.heads.len()).filter(|at| !is_taken(at) && is_named(at)).collect(),
                )
            }
        };
        match &scores {
            Scores::Wide(raters) if raters.is_empty() => {
                Err("has no column of scores; a table has a head like component,a,b".into())
            }
            _ => Ok(Columns { component, run, commit, rubric, scores }),
        }
    }

    /// Raters in the order of their columns, or in which they come up.
    pub fn panel(&self, name: &str, run: &str) -> Result<Panel, String> {
        let columns = self.columns()?;
        let mut panel = Panel::default();
        for (number, (place, cells)) in self.rows.iter().enumerate() {
            let cell = |at: usize| cells.get(at).map_or("", String::as_str);
            let known = |at: Option<usize>| at.map(cell).filter(|words| !words.is_empty());
            let place = format!("{name}: {place}");
            let item = Item {
                run: known(columns.run).unwrap_or(run).to_owned(),
                component: known(columns.component)
                    .map_or_else(|| format!("row {}", number + 1), str::to_owned),
                commit: known(columns.commit).map(str::to_owned),
                ..Item::default()
            };
            let given: Vec<(&str, &str)> = match &columns.scores {
                Scores::Wide(raters) => {
                    raters.iter().map(|&at| (self.heads[at].as_str(), cell(at))).collect()
                }
                Scores::Long { rater, score, .. } => vec![(cell(*rater), cell(*score))],
            };
            let sight = match &columns.scores {
                Scores::Long { blind: Some(at), .. } => Some(Sight::of(flag(cell(*at)))),
                Scores::Long { .. } | Scores::Wide(_) => None,
            };
            for (rater, cell) in given {
                let mut scored = scored(rater, cell, &item, &place);
                let scores = scored.raters.iter_mut().flat_map(|rater| &mut rater.scores);
                scores.for_each(|it| it.rubric = known(columns.rubric).map(str::to_owned));
                let labels = sight.map(|sight| LabelsOf { annotator: rater.to_owned(), sight });
                scored.raters.iter_mut().for_each(|it| it.labels.clone_from(&labels));
                panel.add(scored);
            }
        }
        Ok(panel)
    }
}

/// One cell. An empty one names its rater and gives no score.
fn scored(rater: &str, cell: &str, item: &Item, place: &str) -> Panel {
    let problem = |what: String| Panel {
        problems: vec![Warning { place: place.to_owned(), what }],
        ..Panel::default()
    };
    if rater.is_empty() {
        return problem("names no rater".into());
    }
    let scores = match score_of(cell) {
        None if !cell.is_empty() => return problem(format!("{rater}: {cell:?} is no score")),
        None => vec![],
        Some(score) => {
            vec![Score {
                item: item.clone(),
                score,
                scale: None,
                rubric: None,
                place: place.to_owned(),
            }]
        }
    };
    Panel {
        raters: vec![Rater {
            name: rater.to_owned(),
            model: None,
            kind: if rater.eq_ignore_ascii_case(GOLD) { Kind::Gold } else { Kind::Unknown },
            labels: None,
            scores,
        }],
        problems: vec![],
    }
}

/// A finite number, or the name of a level of SLUMP's rubric.
fn score_of(cell: &str) -> Option<f64> {
    let named = LEVELS.iter().position(|level| level.eq_ignore_ascii_case(cell));
    named
        .map(|level| level as f64)
        .or_else(|| cell.parse().ok())
        .or_else(|| cell.replacen(',', ".", 1).parse().ok()) // as a table divided by semicolons has it
        .filter(|score: &f64| score.is_finite())
}
