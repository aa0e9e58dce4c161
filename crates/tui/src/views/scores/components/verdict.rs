//! The lines of the panel beside the table: what the component is, what was said of it, the evidence in the code, and
//! what the judge looked at.

use crate::{
    session::Session,
    views::{
        scores::components::Components,
        verdict::{Given, Row, cut, given_label, label_by, say_fields, say_trace},
    },
};
use trajview_run::rubric::{Evidence, Verdict};

use super::{areas::Areas, asking::MOST_FILES};

/// Lines shown of one piece of evidence.
const MOST_LINES: usize = 200;

impl Components {
    /// As wide as the panel is in these areas.
    pub fn verdict_rows(&self, session: &Session, areas: &Areas) -> Vec<Row> {
        let width = areas.verdict_width().max(20);
        let Some(row) = self.component_row(session) else { return vec![] };
        let mut rows = vec![];
        self.say_component(session, width, &mut rows);
        if !row.is_in_checklist {
            rows.push(Row::Problem("the checklist has no such component".into()));
        }
        rows.push(Row::Blank);
        match self.verdict(session) {
            Some(verdict) => self.say_verdict(session, verdict, width, &mut rows),
            None => rows.push(Row::Note(self.why_no_verdict(session))),
        }
        self.say_label(session, &row.id, width, &mut rows);
        if let Some(verdict) = self.verdict(session) {
            self.say_evidence(session, verdict, &mut rows);
            say_trace(verdict, width, &mut rows);
        }
        rows
    }

    fn why_no_verdict(&self, session: &Session) -> String {
        match session.rubric.judgement() {
            None => "nothing has judged this run yet".into(),
            Some(judgement) => {
                let id = self.chosen.as_deref().unwrap_or_default();
                let why = if judgement.asks_about(id) {
                    "says nothing of"
                } else {
                    "was not asked about"
                };
                format!("{} {why} this component", judgement.judge.name)
            }
        }
    }

    fn say_component(&self, session: &Session, width: usize, rows: &mut Vec<Row>) {
        let Some(component) = self.component(session) else { return };
        let committed = component.committed_at_turn.map(|turn| format!("in turn {turn}"));
        let more = [
            ("asked for", committed.unwrap_or_default()),
            ("stated", self.exposure_said(session, &component.id)),
        ];
        say_fields(component, &more, width, rows);
    }

    /// `weakly since turn 4, clearly since turn 16 (3 of 4)`; empty where it was not audited.
    fn exposure_said(&self, session: &Session, id: &str) -> String {
        const WORDS: [&str; 5] = ["not at all", "weakly", "ambiguously", "clearly", "in full"];
        let exposure = session.rubric.known().and_then(|it| it.exposure.as_ref());
        let found = exposure.and_then(|it| it.components.iter().find(|it| it.id == id));
        let Some(found) = found else { return String::new() };
        let level = found.at(session.run.end());
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

    fn say_verdict(&self, session: &Session, verdict: &Verdict, width: usize, rows: &mut Vec<Row>) {
        let judge = session.rubric.judgement().map(|it| it.judge.name.clone());
        let by = judge.filter(|name| !name.is_empty()).unwrap_or_else(|| "the judge".into());
        if verdict.score.is_some() || verdict.given.is_empty() {
            rows.push(Row::Score {
                by: by.clone(),
                score: verdict.score.map(Given::level),
                label: verdict.label.clone(),
                words: String::new(),
            });
        }
        for given in &verdict.given {
            rows.push(Row::Score {
                by: by.clone(),
                score: Some(Given::of(given.score, given.scale, &given.name)),
                label: None,
                words: given.criterion.clone().unwrap_or_else(|| given.scale.to_string()),
            });
        }
        if verdict.score.is_none() {
            let (row, why): (fn(String) -> Row, _) = match &verdict.reason {
                Some(reason) => (Row::Note, reason.as_str()),
                None => {
                    (Row::Problem, verdict.error.as_deref().unwrap_or("the judge gave no score"))
                }
            };
            rows.extend(cut(why, width).into_iter().map(row));
        }
        rows.extend(cut(&verdict.rationale, width).into_iter().map(Row::Words));
    }

    fn say_label(&self, session: &Session, id: &str, width: usize, rows: &mut Vec<Row>) {
        let Some(label) = session.own_label_of(id) else { return };
        let blind = label.blind().map(|blind| if blind { "blind" } else { "not blind" });
        let words: Vec<&str> = [blind, label.reason()].into_iter().flatten().collect();
        rows.push(Row::Score {
            by: label_by(session.labels.annotator()),
            score: Some(given_label(label.given)),
            label: None,
            words: words.join(", "),
        });
        let note = label.note().unwrap_or_default();
        rows.extend(cut(note, width).into_iter().map(Row::Words));
    }

    fn say_evidence(&self, session: &Session, verdict: &Verdict, rows: &mut Vec<Row>) {
        rows.push(Row::Blank);
        if verdict.evidence.is_empty() {
            rows.push(Row::Note("the verdict names no lines of code".into()));
            return;
        }
        let Some(turn) = session.judged_turn() else {
            rows.push(Row::Problem("the judged commit is no turn of this run".into()));
            for it in &verdict.evidence {
                rows.push(Row::Evidence { path: it.path.clone(), lines: it.lines });
            }
            return;
        };
        rows.push(Row::Heading(format!("evidence, as it was after turn {}", turn + 1)));
        for evidence in &verdict.evidence {
            let (path, lines) = (evidence.path.clone(), evidence.lines);
            rows.push(Row::Evidence { path, lines });
            self.say_code(session, evidence, rows);
        }
    }

    fn say_code(&self, session: &Session, evidence: &Evidence, rows: &mut Vec<Row>) {
        let Some(key) = session.judged_file(&evidence.path) else {
            rows.push(Row::Problem("the path leads out of the repository".into()));
            return;
        };
        let count = match session.files.compared(&key) {
            Some(Ok(compared)) if compared.text().is_some() => compared.line_count(),
            Some(Ok(_)) => {
                rows.push(Row::Problem("there is no such text file at that turn".into()));
                return;
            }
            Some(Err(why)) => return rows.push(Row::Problem(why.clone())),
            None => return rows.push(Row::Note("reading…".into())),
        };
        let Some((first, last)) = evidence.lines else {
            rows.push(Row::Note(format!("the whole file, {count} lines; enter opens it")));
            return;
        };
        if first > count {
            rows.push(Row::Problem(format!("the file has {count} lines")));
            return;
        }
        let lines = first.max(1)..=last.min(count);
        let code = |line| Row::Code { path: evidence.path.clone(), line };
        rows.extend(lines.clone().take(MOST_LINES).map(code));
        if last > count {
            rows.push(Row::Problem(format!(
                "the evidence goes to line {last}, the file has {count} lines"
            )));
        } else if lines.count() > MOST_LINES {
            rows.push(Row::Note("… enter opens the file".into()));
        }
    }

    /// The file and the line that the cursor of the panel stands on, if it stands on evidence.
    pub fn evidence_at_cursor(&self, session: &Session, areas: &Areas) -> Option<(String, usize)> {
        let rows = self.verdict_rows(session, areas);
        let at = self.verdict.cursor.min(rows.len().checked_sub(1)?);
        // What is said of a piece of evidence stands below its heading.
        rows[..=at].iter().rev().find_map(|row| match row {
            Row::Code { path, line } => Some(Some((path.clone(), *line))),
            Row::Evidence { path, lines } => {
                Some(Some((path.clone(), lines.map_or(1, |(first, _)| first))))
            }
            Row::Note(_) | Row::Problem(_) => None,
            _ => Some(None),
        })?
    }
}

/// Whether more files have evidence than are read.
pub const fn reads_all(files: usize) -> bool {
    files <= MOST_FILES
}
