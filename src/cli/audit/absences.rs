//! Places that look like a component with a score of 0 or 1, opened by the judge or not.

use serde::Serialize;

use crate::cli::CommandFailure;
use trajview_analysis::absence_check;
use trajview_metrics::{
    absence::{CandidatePlace, MatchReason},
    lifeline::in_parentheses,
};
use trajview_run::rubric::{SEVERE, Verdict};

use super::{audited_run::AuditedRun, document::AuditScoreRow};

#[derive(Debug, Serialize)]
pub struct AbsenceRow {
    pub component: String,
    pub name: String,
    /// The symbols that the component's name has in parentheses.
    pub symbols: Vec<String>,
    pub verdict: AuditScoreRow,
    /// Never opened, best first.
    pub unopened: Vec<AbsencePlaceRow>,
    /// Opened, best first.
    pub opened: Vec<AbsencePlaceRow>,
}

#[derive(Debug, Serialize)]
pub struct AbsencePlaceRow {
    pub path: String,
    /// First and last line, counting from 1.
    pub start: usize,
    pub end: usize,
    /// The definition; null between definitions.
    pub name: Option<String>,
    /// How much the place looks like the component; comparable within one component only.
    pub fit: f64,
    /// True if the place defines a symbol that the component names.
    pub defines: bool,
    pub why: Vec<String>,
    /// Null if the judge did not open it.
    pub opened_by: Option<String>,
    /// True if the judge used a tool whose answers are not known.
    #[serde(skip)]
    pub is_guess: bool,
}

pub(crate) fn absence_rows(audited: &AuditedRun) -> Result<Vec<AbsenceRow>, CommandFailure> {
    let judgement = audited.judgement()?;
    if audited.rubric.checklist.is_none() {
        let why =
            format!("{}: no components.json, so no components to search", audited.path.display());
        return Err(CommandFailure::cannot_understand(why));
    }
    let done = audited.turns_done(judgement)?;
    let severe = |verdict: &&Verdict| verdict.score.is_some_and(|score| score <= SEVERE);
    let absence_rows = judgement.verdicts.iter().filter(severe).filter_map(|verdict| {
        let component = audited.component(&verdict.component)?;
        let places = absence_check::candidate_places(
            &audited.opened.archive,
            &audited.opened.run,
            done,
            component,
            Some(verdict),
        );
        Some((component, verdict.score?, places))
    });
    absence_rows
        .map(|(component, score, places)| {
            let places = places.map_err(CommandFailure::cannot_read)?;
            let (opened, unopened): (Vec<_>, Vec<_>) =
                places.into_iter().partition(|it| it.is_opened);
            let shown = |places: Vec<CandidatePlace>| {
                places.into_iter().map(AbsencePlaceRow::new).collect()
            };
            Ok(AbsenceRow {
                component: component.id.clone(),
                name: component.name.clone(),
                symbols: in_parentheses(&component.name),
                verdict: AuditScoreRow::of_component(score),
                unopened: shown(unopened),
                opened: shown(opened),
            })
        })
        .collect()
}

impl AbsencePlaceRow {
    fn new(place: CandidatePlace) -> Self {
        Self {
            path: place.path,
            start: place.start,
            end: place.end,
            name: place.name,
            fit: (place.score * 100.0).round() / 100.0,
            defines: place.reasons.iter().any(|why| matches!(why, MatchReason::Symbol(_))),
            why: place.reasons.iter().map(ToString::to_string).collect(),
            is_guess: place.opened_by.as_ref().is_some_and(|by| by.is_guess()),
            opened_by: place.opened_by.map(|by| by.to_string()),
        }
    }

    /// Returns `ppdiff/embed.py:16-20 relative_position`.
    pub fn place_text(&self) -> String {
        let name = self.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        format!("{}:{}-{}{name}", self.path, self.start, self.end)
    }
}
