//! Marks a place that should have been flagged: the line at the cursor of the code, with its criterion.
//!
//! The mark is a label like that of a flag, with the score for *accept*, of a place that the judging does not flag. For
//! a judging that does flag it, the same label accepts the flag.

use crate::session::context::KeyContext;
use crate::{session::Session, views::audit::AuditView};
use trajview_run::rubric::{Evidence, Label, LabelUnit};
use trajview_study::audit_items::place_id;

use super::{
    AuditPart,
    prompt::{AuditPrompt, MissedPrompt},
};

/// Asks for the criterion of the place at the cursor.
pub(super) fn ask_for_missed(audit: &mut AuditView, session: &mut Session) {
    if session.audit.unit() != LabelUnit::Flag {
        let kind = session.keys.key_text(KeyContext::Audit, "audit-kind");
        session.notice =
            Some(format!("only the audit of flags marks missed places; {kind} switches the kind"));
        return;
    }
    if !audit.is_ready(session, None) {
        return;
    }
    let Some(path) = audit.audit_file(session).map(|key| key.path) else {
        let files = session.keys.key_text(KeyContext::Audit, "file-tree");
        session.notice = Some(format!("no file is on screen; {files} lists the files"));
        return;
    };
    audit.part = AuditPart::Code;
    let line = audit.code.lines.cursor() + 1;
    let text = format!("{line} ");
    audit.prompt =
        Some(AuditPrompt::Missed(MissedPrompt { path: path.to_string(), text, why: None }));
}

/// Reads `12-19 criterion`, or `12 criterion`, and marks the place. The error is a sentence.
pub(super) fn mark_missed(
    audit: &mut AuditView,
    session: &mut Session,
    typed: &MissedPrompt,
) -> Result<(), String> {
    let expected = || "write the lines and the criterion, as 12-19 copied-logic".to_owned();
    let (lines, criterion) = typed.text.trim().split_once(' ').ok_or_else(expected)?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.parse::<usize>().ok().filter(|line| *line > 0);
    let lines = number(first).zip(number(last)).ok_or_else(expected)?;
    let criterion = criterion.trim();
    let last = audit.audit_line_count(session);
    if lines.0 > lines.1 || lines.1 > last {
        return Err(format!("the file has lines 1 to {last}"));
    }
    let source = session.audit_source().ok_or_else(expected)?;
    let id = place_id(&Evidence { path: typed.path.clone(), lines: Some(lines), quote: None });
    let label = Label {
        component: id.clone(),
        unit: LabelUnit::Flag,
        criterion: Some(criterion.to_owned()),
        commit: source.commit.clone(),
        turn: source.turn,
        judgement: Some(source.file.clone()),
        score: Some(f64::from(LabelUnit::Flag.rubric_levels().highest_score())),
        seen: Some(vec![]),
        ..Label::default()
    };
    let is_flagged = session.queued_items().iter().any(|item| item.item_key() == label.item_key());
    if is_flagged {
        return Err("already flagged by this criterion: label the flag".into());
    }
    session.labels.put_label(label);
    session.notice = Some(format!("{id} is marked as missed: {criterion}"));
    Ok(())
}
