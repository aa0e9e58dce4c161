//! A label and its verdict as text, to be pasted elsewhere.

use crate::{session::Session, views::audit::AuditView};
use trajview_run::rubric::{CANNOT_TELL, score_text};

use super::AuditPart;

/// Returns the label and the verdict of the chosen item. The error is the reason why there is none.
pub(crate) fn audit_as_text(audit: &AuditView, session: &Session) -> Result<String, String> {
    let item = audit.audited_item(session).ok_or("nothing is selected")?;
    let hidden = || format!("the verdict on {} is hidden until you label it", item.id);
    let (Some(verdict), Some(label)) =
        (audit.revealed_verdict(session), audit.current_label(session))
    else {
        return Err(hidden());
    };
    let by = session.audit_source().map(|it| it.by.as_str()).unwrap_or_default();
    let criterion = session.criterion_of(item);
    let score_words =
        |score: f64| criterion.map_or_else(|| score_text(score), |it| it.level_text(score));
    let label_score = label.score().map_or_else(|| CANNOT_TELL.into(), score_words);
    let judged = verdict.score.map_or_else(|| "no score".into(), score_words);
    let annotator = session.labels.annotator().unwrap_or("nobody");
    let blind = if label.is_blind() == Some(true) { "blind" } else { "not blind" };
    let mut lines = vec![
        format!("{} {}", item.id, item.title).trim_end().to_owned(),
        format!("{annotator}: {label_score} ({blind})"),
        format!("{by}: {judged}"),
    ];
    lines.extend(label.reason().map(|reason| format!("reason: {reason}")));
    lines.extend(label.note().map(|note| format!("note: {note}")));
    if !verdict.rationale.is_empty() {
        lines.push(verdict.rationale.clone());
    }
    for it in &verdict.evidence {
        let range = it.lines.map(|(first, last)| format!(":{first}-{last}"));
        lines.push(format!("{}{}", it.path, range.unwrap_or_default()));
    }
    Ok(lines.join("\n"))
}

/// Returns the line at the cursor of the code, else the chosen item. The error is the reason why there is none.
pub(crate) fn audit_line(audit: &AuditView, session: &Session) -> Result<String, String> {
    if audit.part == AuditPart::Code && !audit.code.tree.is_shown {
        let line = audit.audit_file(session).and_then(|key| {
            let compared = session.files.compared_file(&key)?.as_ref().ok()?;
            let row = compared.row_of_line(audit.code.lines.cursor() + 1);
            Some(compared.line_at(*compared.rows.get(row)?)?.text.clone())
        });
        return line.ok_or_else(|| "no line is selected".into());
    }
    let item = audit.audited_item(session).ok_or("nothing is selected")?;
    Ok(format!("{} {}", item.id, item.title).trim_end().to_owned())
}
