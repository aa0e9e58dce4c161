//! Builds the lines of the panel next to the table: the component, the verdict, the evidence in the code, and the
//! judge's lookups.

use crate::{
    session::{Session, context::KeyContext},
    views::{
        scores::components::ComponentsView,
        verdict::{
            ShownScore, VerdictRow, doubt_text, evidence_row, label_author_text, label_score,
            push_field_rows, push_request_rows, push_trace_rows, words_in_rows,
        },
    },
};
use trajview_run::rubric::{Evidence, Verdict};

use super::areas::ComponentsAreas;

/// Lines shown of one piece of evidence.
const MOST_EVIDENCE_LINES: usize = 200;

impl ComponentsView {
    /// Returns the rows of the panel at its width in these areas.
    pub(crate) fn verdict_rows(
        &self,
        session: &Session,
        areas: &ComponentsAreas,
    ) -> Vec<VerdictRow> {
        let width = areas.verdict_width().max(20);
        let Some(row) = self.component_row(session) else { return vec![] };
        let mut rows = vec![];
        self.push_component_rows(session, width, &mut rows);
        if !row.is_in_checklist {
            rows.push(VerdictRow::Problem("the checklist has no such component".into()));
        }
        rows.push(VerdictRow::Blank);
        match self.chosen_verdict(session) {
            Some(verdict) => self.push_verdict_rows(session, verdict, width, &mut rows),
            None => rows.push(VerdictRow::Note(self.why_no_verdict(session))),
        }
        self.push_label_rows(session, &row.id, width, &mut rows);
        if let Some(turn) = self.requesting_turn(session) {
            rows.push(VerdictRow::Blank);
            push_request_rows(session, turn, width, &mut rows);
        }
        if let Some(verdict) = self.chosen_verdict(session) {
            self.push_evidence_rows(session, verdict, &mut rows);
            push_trace_rows(verdict, width, &mut rows);
        }
        rows
    }

    /// Returns the turn that asks for the chosen component, counted from 0; None where nothing says which one does.
    pub(crate) fn requesting_turn(&self, session: &Session) -> Option<usize> {
        let turn = self.chosen_component(session)?.committed_at_turn?.checked_sub(1)?;
        Some(turn).filter(|turn| *turn < session.run.turns.len())
    }

    fn why_no_verdict(&self, session: &Session) -> String {
        match session.rubric.shown_judgement() {
            None => "no judgements of this run yet".into(),
            Some(judgement) => {
                let id = self.chosen.as_deref().unwrap_or_default();
                let why =
                    if judgement.asks_about(id) { "has no verdict on" } else { "did not judge" };
                format!("{} {why} this component", judgement.judge.name)
            }
        }
    }

    fn push_component_rows(&self, session: &Session, width: usize, rows: &mut Vec<VerdictRow>) {
        let Some(component) = self.chosen_component(session) else { return };
        let committed = component.committed_at_turn.map(|turn| format!("in turn {turn}"));
        let more = [
            ("requested", committed.unwrap_or_default()),
            ("spec level", self.exposure_text(session, &component.id)),
        ];
        push_field_rows(component, &more, width, rows);
    }

    /// Returns `weakly since turn 4, clearly since turn 16 (3 of 4)`. Empty if it was not audited.
    fn exposure_text(&self, session: &Session, id: &str) -> String {
        const WORDS: [&str; 5] = ["not at all", "weakly", "ambiguously", "clearly", "in full"];
        let exposure = session.rubric.known_rubric().and_then(|it| it.exposure.as_ref());
        let found = exposure.and_then(|it| it.components.iter().find(|it| it.id == id));
        let Some(found) = found else { return String::new() };
        let level = found.level_at(session.run.end_in_turns());
        let words = |level: u8| WORDS.get(usize::from(level)).copied().unwrap_or_default();
        let steps: Vec<String> = found
            .by_turn
            .iter()
            .map(|(turn, level)| format!("{} since turn {turn}", words(*level)))
            .collect();
        match steps.is_empty() {
            true => format!("{} ({level} of 4)", words(level)),
            false => format!("{} ({level} of 4)", steps.join(", ")),
        }
    }

    fn push_verdict_rows(
        &self,
        session: &Session,
        verdict: &Verdict,
        width: usize,
        rows: &mut Vec<VerdictRow>,
    ) {
        let judge = session.rubric.shown_judgement().map(|it| it.judge.name.clone());
        let by = judge.filter(|name| !name.is_empty()).unwrap_or_else(|| "the judge".into());
        if verdict.score.is_some() || verdict.criterion_scores.is_empty() {
            rows.push(VerdictRow::Score {
                by: by.clone(),
                score: verdict.score.map(ShownScore::component_level),
                label: verdict.label.clone(),
                words: String::new(),
            });
        }
        for given in &verdict.criterion_scores {
            rows.push(VerdictRow::Score {
                by: by.clone(),
                score: Some(ShownScore::for_scale(given.score, given.scale, &given.name)),
                label: None,
                words: given.criterion.clone().unwrap_or_else(|| given.scale.to_string()),
            });
        }
        if verdict.score.is_none() {
            let (row, why): (fn(String) -> VerdictRow, _) = match &verdict.reason {
                Some(reason) => (VerdictRow::Note, reason.as_str()),
                None => (
                    VerdictRow::Problem,
                    verdict.error.as_deref().unwrap_or("the judge gave no score"),
                ),
            };
            rows.extend(words_in_rows(why, width).into_iter().map(row));
        }
        if let Some(doubt) = verdict.doubt() {
            let is_counted = if verdict.is_left_out { "; no mean counts it" } else { "" };
            let text = doubt_text(doubt) + is_counted;
            rows.extend(words_in_rows(&text, width).into_iter().map(VerdictRow::Problem));
        }
        rows.extend(words_in_rows(&verdict.rationale, width).into_iter().map(VerdictRow::Words));
    }

    fn push_label_rows(
        &self,
        session: &Session,
        id: &str,
        width: usize,
        rows: &mut Vec<VerdictRow>,
    ) {
        let Some(label) = session.own_label_of(id) else { return };
        let blind = label.is_blind().map(|blind| if blind { "blind" } else { "not blind" });
        let words: Vec<&str> = [blind, label.reason()].into_iter().flatten().collect();
        rows.push(VerdictRow::Score {
            by: label_author_text(session.labels.annotator()),
            score: Some(label_score(label.label)),
            label: None,
            words: words.join(", "),
        });
        let note = label.note().unwrap_or_default();
        rows.extend(words_in_rows(note, width).into_iter().map(VerdictRow::Words));
    }

    fn push_evidence_rows(&self, session: &Session, verdict: &Verdict, rows: &mut Vec<VerdictRow>) {
        rows.push(VerdictRow::Blank);
        if verdict.evidence.is_empty() {
            rows.push(VerdictRow::Note("the verdict cites no lines of code".into()));
            return;
        }
        let Some(turn) = session.judged_turn() else {
            rows.push(VerdictRow::Problem("the judged commit is not a turn of this run".into()));
            for it in &verdict.evidence {
                rows.push(evidence_row(it));
            }
            return;
        };
        rows.push(VerdictRow::Heading(format!("evidence, after turn {}", turn + 1)));
        for evidence in &verdict.evidence {
            rows.push(evidence_row(evidence));
            self.push_code_rows(session, evidence, rows);
        }
    }

    fn push_code_rows(&self, session: &Session, evidence: &Evidence, rows: &mut Vec<VerdictRow>) {
        let Some(key) = session.judged_file(&evidence.path) else {
            rows.push(VerdictRow::Problem("the path is outside of the repository".into()));
            return;
        };
        let count = match session.files.compared_file(&key) {
            Some(Ok(compared)) if compared.text_diff().is_some() => compared.line_count(),
            Some(Ok(_)) => {
                rows.push(VerdictRow::Problem("no such text file at that turn".into()));
                return;
            }
            Some(Err(why)) => return rows.push(VerdictRow::Problem(why.clone())),
            None => return rows.push(VerdictRow::Note("reading…".into())),
        };
        let Some((first, last)) = evidence.shown_lines() else {
            let open = session.keys.key_text(KeyContext::Verdict, "open");
            rows.push(VerdictRow::Note(format!("the whole file, {count} lines; {open} opens it")));
            return;
        };
        if first > count {
            rows.push(VerdictRow::Problem(format!("the file has {count} lines")));
            return;
        }
        let lines = first.max(1)..=last.min(count);
        let code = |line| VerdictRow::Code { path: evidence.path.clone(), line };
        rows.extend(lines.clone().take(MOST_EVIDENCE_LINES).map(code));
        if last > count {
            rows.push(VerdictRow::Problem(format!(
                "the evidence ends at line {last}, the file has {count} lines"
            )));
        } else if lines.count() > MOST_EVIDENCE_LINES {
            let open = session.keys.key_text(KeyContext::Verdict, "open");
            rows.push(VerdictRow::Note(format!("… {open} opens the file")));
        }
    }

    /// Returns the file and the line of the evidence at the cursor of the panel. None if the cursor is not at evidence.
    pub(crate) fn evidence_at_cursor(
        &self,
        session: &Session,
        areas: &ComponentsAreas,
    ) -> Option<(String, usize)> {
        let rows = self.verdict_rows(session, areas);
        let at = self.verdict.cursor().min(rows.len().checked_sub(1)?);
        // The text on a piece of evidence is below its heading.
        rows[..=at].iter().rev().find_map(|row| match row {
            VerdictRow::Code { path, line } => Some(Some((path.clone(), *line))),
            VerdictRow::Evidence { path, lines, .. } => {
                Some(Some((path.clone(), lines.map_or(1, |(first, _)| first))))
            }
            VerdictRow::Note(_) | VerdictRow::Problem(_) => None,
            _ => Some(None),
        })?
    }
}
