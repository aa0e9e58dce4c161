//! A verdict as text, to be pasted elsewhere.

use crate::{
    session::{Session, rubric::score_text},
    views::scores::{ScoresPage, ScoresView},
};
use trajview_run::rubric::Judgement;

impl ScoresView {
    /// Returns the verdict of the selected judgement on the chosen component as text. The error explains why there is
    /// none.
    pub(crate) fn verdict_as_text(&self, session: &Session) -> Result<String, String> {
        let is_across = self.shown_page(session) == Some(ScoresPage::Judges);
        let (id, judgement) = if is_across {
            let column = self.judges.judge_column(session);
            let judgement =
                column.as_ref().and_then(|column| self.judges.column_judgement(session, column));
            (self.judges.judges_component().map(str::to_owned), judgement)
        } else {
            (
                self.components.component_row(session).map(|row| row.id),
                session.rubric.shown_judgement(),
            )
        };
        let id = id.ok_or("no component selected")?;
        let judgement = judgement.ok_or("no judgements of this run yet")?;
        verdict_in_words(judgement, &id, component_name(session, &id))
    }

    /// Returns the id of the selected component, while the table of components or all judgements are shown.
    pub(crate) fn linked_component(&self, session: &Session) -> Option<String> {
        match self.shown_page(session)? {
            ScoresPage::Components => self.components.component_row(session).map(|row| row.id),
            ScoresPage::Judges => self.judges.judges_component().map(str::to_owned),
            ScoresPage::Losses => self.losses.lost_component(session),
            ScoresPage::Crash => self.crash.chosen_component(session),
            ScoresPage::Tree | ScoresPage::Flags => None,
        }
    }
}

fn verdict_in_words(judgement: &Judgement, id: &str, name: &str) -> Result<String, String> {
    let verdict = judgement.verdict_on(id).ok_or_else(|| format!("{id} has no verdict"))?;
    let score = verdict.score.map_or_else(|| "no score".into(), score_text);
    let mut lines = vec![format!("{id} {name}: {score}")];
    let judged = [
        Some(format!("judge {}", judgement.judge.name)),
        judgement.turn.map(|turn| format!("turn {turn}")),
        judgement.commit.clone().map(|commit| format!("commit {commit}")),
        judgement.created_at.clone(),
    ];
    lines.push(judged.into_iter().flatten().collect::<Vec<_>>().join(", "));
    lines.extend(verdict.error.clone());
    if !verdict.rationale.is_empty() {
        lines.push(verdict.rationale.clone());
    }
    for evidence in &verdict.evidence {
        let lines_said = evidence.lines.map(|(first, last)| format!(":{first}-{last}"));
        lines.push(format!("{}{}", evidence.path, lines_said.unwrap_or_default()));
    }
    Ok(lines.join("\n"))
}

/// Returns the component's name in the checklist. Empty if the checklist lacks the component.
fn component_name<'s>(session: &'s Session, id: &str) -> &'s str {
    let checklist = session.rubric.known_rubric().and_then(|it| it.checklist.as_ref());
    let found = checklist.and_then(|it| it.components.iter().find(|it| it.id == id));
    found.map_or("", |it| &it.name)
}
