//! From cells to raters.

use serde_json::Value as Json;

use crate::raters::{Blindness, LabelSource, Rater, RaterKind, RaterPanel, RaterScore, ScoredItem};
use trajview_formats::rubric::labels_table::parse_flag;
use trajview_run::{Warning, rubric::LEVELS};

use super::csv;
use trajview_formats::not_finite;

/// A column or annotator of this name is what adjudication settled.
const GOLD: &str = "gold";

/// A table: cells are words, whatever they were.
pub struct ScoreTable {
    heads: Vec<String>,
    /// The place of each row (`line 7`, `row 3`), and its cells.
    rows: Vec<(String, Vec<String>)>,
}

const COMPONENT: [&str; 3] = ["component", "id", "item"];

pub(crate) fn from_csv(text: &str) -> Result<ScoreTable, String> {
    let mut rows = csv::parse_csv(text).into_iter();
    let heads = rows.next().ok_or("is not a table")?.cells;
    let rows = rows.map(|row| (format!("line {}", row.line), row.cells)).collect();
    Ok(ScoreTable { heads, rows })
}

pub fn from_json(text: &str) -> Result<ScoreTable, String> {
    let (json, _) = not_finite::read_json::<Json>(text.as_bytes())
        .map_err(|why| format!("does not read as JSON: {why}"))?;
    let columns = match &json {
        Json::Object(object) => match object.get("pairs") {
            Some(Json::Array(rows)) => return Ok(from_objects(rows)),
            _ => object,
        },
        Json::Array(rows) => return Ok(from_objects(rows)),
        _ => return Err("is neither a list nor an object of columns".into()),
    };
    let columns: Vec<(&String, &Vec<Json>)> =
        columns.iter().filter_map(|(head, column)| Some((head, column.as_array()?))).collect();
    let longest = columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0);
    let row = |at: usize| {
        columns
            .iter()
            .map(|(_, column)| column.get(at).map(cell_text).unwrap_or_default())
            .collect()
    };
    let rows = (0..longest).map(|at| (format!("row {}", at + 1), row(at))).collect();
    Ok(ScoreTable { heads: columns.iter().map(|(head, _)| (*head).clone()).collect(), rows })
}

fn from_objects(rows: &[Json]) -> ScoreTable {
    let mut heads: Vec<String> = vec![];
    for head in rows.iter().filter_map(Json::as_object).flat_map(|row| row.keys()) {
        if !heads.contains(head) {
            heads.push(head.clone());
        }
    }
    let cells = |row: &Json| {
        heads.iter().map(|head| row.get(head).map(cell_text).unwrap_or_default()).collect()
    };
    let rows =
        rows.iter().enumerate().map(|(at, row)| (format!("row {}", at + 1), cells(row))).collect();
    ScoreTable { heads, rows }
}

fn cell_text(json: &Json) -> String {
    match json {
        Json::Null => String::new(),
        Json::String(words) => words.trim().to_owned(),
        other => other.to_string(),
    }
}

/// The columns by their role.
struct ScoreColumns {
    component: Option<usize>,
    run: Option<usize>,
    commit: Option<usize>,
    rubric: Option<usize>,
    /// The confidence of a score, 0 to 1, where each row has one score.
    confidence: Option<usize>,
    scores: ScoreLayout,
}

enum ScoreLayout {
    /// A column each.
    Wide(Vec<usize>),
    /// A row each.
    Long { rater: usize, score: usize, blind: Option<usize> },
}

impl ScoreTable {
    fn find_columns(&self) -> Result<ScoreColumns, String> {
        let named = |name: &str| self.heads.iter().position(|head| head.eq_ignore_ascii_case(name));
        let component = COMPONENT.iter().find_map(|name| named(name));
        let (run, commit, rubric) = (named("run"), named("commit"), named("rubric"));
        let mut confidence = named("confidence");
        let scores = match (named("rater").or_else(|| named("annotator")), named("score")) {
            (Some(rater), Some(score)) => ScoreLayout::Long { rater, score, blind: named("blind") },
            _ => {
                confidence = None; // a column of this name is a rater here
                let is_taken = |at: &usize| [component, run, commit, rubric].contains(&Some(*at));
                let is_named = |at: &usize| !self.heads[*at].is_empty();
                ScoreLayout::Wide(
                    (0..self.heads.len()).filter(|at| !is_taken(at) && is_named(at)).collect(),
                )
            }
        };
        match &scores {
            ScoreLayout::Wide(raters) if raters.is_empty() => {
                Err("has no column of scores; expected a header like component,a,b".into())
            }
            _ => Ok(ScoreColumns { component, run, commit, rubric, confidence, scores }),
        }
    }

    /// Returns the raters in the order of their columns, or in which they come up, with their scores. The error is a
    /// sentence.
    pub fn rater_panel(&self, name: &str, run: &str) -> Result<RaterPanel, String> {
        let columns = self.find_columns()?;
        let mut panel = RaterPanel::default();
        for (number, (place, cells)) in self.rows.iter().enumerate() {
            let cell = |at: usize| cells.get(at).map_or("", String::as_str);
            let known = |at: Option<usize>| at.map(cell).filter(|words| !words.is_empty());
            let place = format!("{name}: {place}");
            let item = ScoredItem {
                run: known(columns.run).unwrap_or(run).to_owned(),
                component: known(columns.component)
                    .map_or_else(|| format!("row {}", number + 1), str::to_owned),
                commit: known(columns.commit).map(str::to_owned),
                ..ScoredItem::default()
            };
            let given: Vec<(&str, &str)> = match &columns.scores {
                ScoreLayout::Wide(raters) => {
                    raters.iter().map(|&at| (self.heads[at].as_str(), cell(at))).collect()
                }
                ScoreLayout::Long { rater, score, .. } => vec![(cell(*rater), cell(*score))],
            };
            let sight = match &columns.scores {
                ScoreLayout::Long { blind: Some(at), .. } => {
                    Some(Blindness::from_flag(parse_flag(cell(*at))))
                }
                ScoreLayout::Long { .. } | ScoreLayout::Wide(_) => None,
            };
            for (rater, cell) in given {
                let mut scored = cell_panel(rater, cell, &item, &place);
                let scores = scored.raters.iter_mut().flat_map(|rater| &mut rater.scores);
                // A word, as `high`, is a person's confidence and no probability.
                let confidence = known(columns.confidence)
                    .and_then(|it| it.parse().ok())
                    .filter(|it| (0.0..=1.0).contains(it));
                scores.for_each(|it| {
                    it.rubric = known(columns.rubric).map(str::to_owned);
                    it.confidence = confidence;
                });
                let labels = sight
                    .map(|sight| LabelSource { annotator: rater.to_owned(), blindness: sight });
                scored.raters.iter_mut().for_each(|it| it.labels.clone_from(&labels));
                panel.add(scored);
            }
        }
        Ok(panel)
    }
}

/// Returns the score of one cell. An empty cell names its rater and gives no score.
fn cell_panel(rater: &str, cell: &str, item: &ScoredItem, place: &str) -> RaterPanel {
    let problem = |what: String| RaterPanel {
        problems: vec![Warning { place: place.to_owned(), what }],
        ..RaterPanel::default()
    };
    if rater.is_empty() {
        return problem("names no rater".into());
    }
    let scores = match parse_score(cell) {
        None if !cell.is_empty() => return problem(format!("{rater}: {cell:?} is not a score")),
        None => vec![],
        Some(score) => {
            vec![RaterScore {
                item: item.clone(),
                score,
                scale: None,
                rubric: None,
                place: place.to_owned(),
                confidence: None,
            }]
        }
    };
    RaterPanel {
        raters: vec![Rater {
            name: rater.to_owned(),
            model: None,
            kind: if rater.eq_ignore_ascii_case(GOLD) {
                RaterKind::Gold
            } else {
                RaterKind::Unknown
            },
            labels: None,
            scores,
        }],
        problems: vec![],
    }
}

/// Parses a finite number, or the name of a level of SLUMP's rubric.
fn parse_score(cell: &str) -> Option<f64> {
    let named = LEVELS.iter().position(|level| level.eq_ignore_ascii_case(cell));
    named
        .map(|level| level as f64)
        .or_else(|| cell.parse().ok())
        .or_else(|| cell.replacen(',', ".", 1).parse().ok()) // as a table divided by semicolons has it
        .filter(|score: &f64| score.is_finite())
}
