//! For each score of 0 or 1: places that look like the component, opened by the judge or not.

use serde::Serialize;

use crate::cli::Failure;
use trajview_metrics::{
    absence::{Place, Why},
    lifeline::in_parentheses,
};
use trajview_run::rubric::{SEVERE, Verdict};

use super::{audited::Audited, document::ScoreRow};

#[derive(Debug, Serialize)]
pub struct AbsenceRow {
    pub component: String,
    pub name: String,
    /// What its name gives in parentheses.
    pub symbols: Vec<String>,
    pub verdict: ScoreRow,
    /// Never opened, best first.
    pub unopened: Vec<PlaceRow>,
    /// Opened, best first.
    pub opened: Vec<PlaceRow>,
}

#[derive(Debug, Serialize)]
pub struct PlaceRow {
    pub path: String,
    /// First and last line, counting from 1.
    pub start: usize,
    pub end: usize,
    /// The definition; null between definitions.
    pub name: Option<String>,
    /// How much it looks like the component; to be compared within one component only.
    pub fit: f64,
    /// Whether it defines a symbol that the component names.
    pub defines: bool,
    pub why: Vec<String>,
    /// Null where the judge did not open it.
    pub opened_by: Option<String>,
    /// Whether that is a tool we do not know the answers of.
    #[serde(skip)]
    pub is_guess: bool,
}

pub fn rows(audited: &Audited) -> Result<Vec<AbsenceRow>, Failure> {
    let judgement = audited.judgement()?;
    if audited.rubric.checklist.is_none() {
        let why = format!(
            "{}: no components.json says what the components are, so nothing can be looked for",
            audited.path.display()
        );
        return Err(Failure::not_understood(why));
    }
    let done = audited.done(judgement)?;
    let severe = |verdict: &&Verdict| verdict.score.is_some_and(|score| score <= SEVERE);
    let rows = judgement.verdicts.iter().filter(severe).filter_map(|verdict| {
        let component = audited.component(&verdict.component)?;
        let places =
            audited.opened.archive.places(&audited.opened.run, done, component, Some(verdict));
        Some((component, verdict.score?, places))
    });
    rows.map(|(component, score, places)| {
        let places = places.map_err(Failure::unread)?;
        let (opened, unopened): (Vec<_>, Vec<_>) = places.into_iter().partition(|it| it.is_opened);
        let shown = |places: Vec<Place>| places.into_iter().map(PlaceRow::of).collect();
        Ok(AbsenceRow {
            component: component.id.clone(),
            name: component.name.clone(),
            symbols: in_parentheses(&component.name),
            verdict: ScoreRow::of(score),
            unopened: shown(unopened),
            opened: shown(opened),
        })
    })
    .collect()
}

impl PlaceRow {
    fn of(place: Place) -> Self {
        Self {
            path: place.path,
            start: place.start,
            end: place.end,
            name: place.name,
            fit: (place.score * 100.0).round() / 100.0,
            defines: place.why.iter().any(|why| matches!(why, Why::Symbol(_))),
            why: place.why.iter().map(ToString::to_string).collect(),
            is_guess: place.opened_by.as_ref().is_some_and(|by| by.is_guess()),
            opened_by: place.opened_by.map(|by| by.to_string()),
        }
    }

    /// `ppdiff/embed.py:16-20 relative_position`
    pub fn words(&self) -> String {
        let name = self.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        format!("{}:{}-{}{name}", self.path, self.start, self.end)
    }
}
