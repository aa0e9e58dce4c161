//! A verdict as text, to be pasted elsewhere.

use super::verdict::score_said;
use crate::app::replay::Replay;

impl Replay {
    /// The verdict on the chosen component. The error says why there is none.
    pub fn verdict_as_text(&self) -> Result<String, String> {
        let row = self.component_row().ok_or("no component is chosen")?;
        let parts = &self.scores.components;
        let judgement = parts.judgement().ok_or("nothing has judged this run yet")?;
        let verdict = self.verdict().ok_or_else(|| format!("{} has no verdict", row.id))?;
        let score = verdict.score.map_or_else(|| "no score".into(), score_said);
        let mut lines = vec![format!("{} {}: {score}", row.id, row.name)];
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

    /// The id of the component that is looked at, while the table of components is shown.
    pub fn linked_component(&self) -> Option<String> {
        let shown = self.scores.shown(&self.run);
        (shown == Some(super::super::Shows::Components))
            .then(|| self.component_row())
            .flatten()
            .map(|row| row.id)
    }
}
