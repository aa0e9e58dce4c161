//! The lines on the component that is chosen: what it is; and once a label is in, what was said of it.

use crate::{
    run::rubric::{FULL, Verdict},
    session::{Session, rubric::score_said},
    views::{
        audit::Audit,
        verdict::{Row, cut, label_by, say_fields, say_trace},
    },
};

use super::{Part, areas::Areas, prompt::Asks, queue::Standing};

impl Audit {
    /// As wide as the part is in these areas.
    pub fn item_rows(&self, session: &Session, areas: &Areas) -> Vec<Row> {
        let width = areas.width(Part::Component).max(20);
        let mut rows = vec![];
        let Some(id) = self.audited_id() else { return rows };
        if let Some(why) = session.labels.why_not_saved() {
            let words = format!("not saved: {why}; s tries again");
            rows.extend(cut(&words, width).into_iter().map(Row::Problem));
        }
        match self.revealed(session) {
            Some(verdict) => {
                self.say_outcome(session, id, verdict, width, &mut rows);
                rows.push(Row::Blank);
                self.say_item(session, id, width, &mut rows);
                rows.push(Row::Blank);
                say_trace(verdict, width, &mut rows);
            }
            None => {
                self.say_item(session, id, width, &mut rows);
                rows.push(Row::Blank);
                self.say_levels(session, width, &mut rows);
            }
        }
        rows
    }

    fn say_item(&self, session: &Session, id: &str, width: usize, rows: &mut Vec<Row>) {
        let has_list = session.rubric.known().is_some_and(|it| it.checklist.is_some());
        match (self.audited_component(session), has_list) {
            (Some(component), _) => {
                let committed = match component.committed_at_turn {
                    Some(turn) => format!("in turn {turn}; o goes to its request"),
                    None => String::new(),
                };
                say_fields(component, &[("committed", committed)], width, rows);
            }
            (None, true) => rows.push(Row::Problem("the checklist has no such component".into())),
            (None, false) => {
                let words = format!(
                    "nothing says what {id} is: there is no checklist (components.json) beside the run"
                );
                rows.extend(cut(&words, width).into_iter().map(Row::Note));
            }
        }
    }

    fn say_levels(&self, session: &Session, width: usize, rows: &mut Vec<Row>) {
        rows.push(Row::Heading("your label comes first, then the verdict".into()));
        let levels: Vec<String> = (0..=FULL).map(score_said).collect();
        rows.extend(cut(&levels.join("   "), width).into_iter().map(Row::Words));
        if let Some(why) = self.why_not_blind(session) {
            let words = format!("the label will not be blind: {why}");
            rows.extend(cut(&words, width).into_iter().map(Row::Problem));
        }
    }

    fn say_outcome(
        &self,
        session: &Session,
        id: &str,
        verdict: &Verdict,
        width: usize,
        rows: &mut Vec<Row>,
    ) {
        let (Some(label), Some(judgement)) = (self.own_label(session), session.audited()) else {
            return;
        };
        let blind = match label.blind {
            Some(true) => "blind",
            Some(false) => "not blind",
            None => "",
        };
        let unsaved = session.labels.is_unsaved(judgement, id).then_some("not saved yet");
        let facts = [Some(blind), unsaved].into_iter().flatten().filter(|it| !it.is_empty());
        rows.push(Row::Score {
            by: label_by(session.labels.annotator()),
            score: label.score,
            label: None,
            words: facts.collect::<Vec<_>>().join(", "),
        });
        rows.push(Row::Score {
            by: judge_by(&judgement.judge.name),
            score: verdict.score,
            label: verdict.label.clone(),
            words: String::new(),
        });
        self.say_difference(session, id, width, rows);
        rows.extend(cut(&verdict.rationale, width).into_iter().map(Row::Words));
        if verdict.evidence.is_empty() {
            rows.push(Row::Note("the verdict names no lines of code".into()));
        }
        for it in &verdict.evidence {
            rows.push(Row::Evidence { path: it.path.clone(), lines: it.lines });
        }
        if let Some(words) = self.unopened_said(session) {
            rows.extend(cut(&words, width).into_iter().map(Row::Problem));
        }
    }

    fn say_difference(&self, session: &Session, id: &str, width: usize, rows: &mut Vec<Row>) {
        let (Some((judge, own)), Some(label)) =
            (self.both_scores(session), self.own_label(session))
        else {
            return;
        };
        let Standing::Differs { is_explained, .. } = self.standing(session, id) else {
            rows.push(Row::Note("both agree".into()));
            return self.say_note(session, width, rows);
        };
        let (by, side) = (judge.abs_diff(own), if judge < own { "lower" } else { "higher" });
        let reason = match is_explained {
            true => format!("; reason {}", label.reason.as_deref().unwrap_or_default()),
            false => String::new(),
        };
        rows.push(Row::Heading(format!("they differ: the judge is {side} by {by}{reason}")));
        if self.asks == Some(Asks::Reason) {
            self.say_choices(session, width, rows);
        } else if !is_explained {
            rows.push(Row::Problem("no reason so far; b gives one".into()));
        }
        self.say_note(session, width, rows);
    }

    fn say_choices(&self, session: &Session, width: usize, rows: &mut Vec<Row>) {
        let words = "why? a letter answers, enter takes the first, esc asks later";
        rows.extend(cut(words, width).into_iter().map(Row::Heading));
        for (at, choice) in self.reasons_offered(session).into_iter().enumerate() {
            let likely = if at == 0 { " (likely)" } else { "" };
            let words = format!("{}  {}{likely}: {}", choice.letter, choice.code, choice.means);
            rows.extend(cut(&words, width).into_iter().map(Row::Choice));
        }
    }

    fn say_note(&self, session: &Session, width: usize, rows: &mut Vec<Row>) {
        let note =
            self.own_label(session).and_then(|label| label.note.as_deref()).unwrap_or_default();
        let words = format!("your note: {note}");
        if !note.is_empty() {
            rows.extend(cut(&words, width).into_iter().map(Row::Note));
        }
    }

    /// What a low score is to be checked against.
    fn unopened_said(&self, session: &Session) -> Option<String> {
        if !self.found_little(session) {
            return None;
        }
        let places = self.places_alike(session)?.as_ref().ok()?;
        let unopened = places.iter().filter(|place| !place.is_opened).count();
        Some(match (unopened, places.len()) {
            (_, 0) => "false absence? no place in the code looks like it".into(),
            (0, all) => {
                format!("false absence? the judge opened all {all} places that look like it")
            }
            (1, _) => {
                "false absence? the judge never opened 1 place that looks like it: ] shows it"
                    .into()
            }
            (some, _) => format!(
                "false absence? the judge never opened {some} places that look like it: ] shows them"
            ),
        })
    }
}

fn judge_by(name: &str) -> String {
    if name.is_empty() { "the judge".into() } else { format!("{name} (judge)") }
}

/// The piece of evidence that a row is.
pub(super) fn evidence_at(rows: &[Row], at: usize) -> Option<(&str, Option<(usize, usize)>)> {
    match rows.get(at)? {
        Row::Evidence { path, lines } => Some((path, *lines)),
        _ => None,
    }
}
