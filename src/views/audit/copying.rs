//! A label and its verdict as text, to be pasted elsewhere.

use crate::{
    run::rubric::CANNOT_TELL,
    session::{Session, rubric::score_said},
    views::audit::Audit,
};

use super::Part;

/// The label and the verdict on the component that is chosen. The error says why there is none.
pub fn audit_as_text(audit: &Audit, session: &Session) -> Result<String, String> {
    let id = audit.audited_id().ok_or("no component is chosen")?;
    let hidden = || format!("the verdict on {id} is hidden until your label is in");
    let (Some(verdict), Some(label)) = (audit.revealed(session), audit.own_label(session)) else {
        return Err(hidden());
    };
    let judgement = session.audited().ok_or_else(hidden)?;
    let name = audit.audited_component(session).map(|it| it.name.clone()).unwrap_or_default();
    let said = |score: Option<u8>| score.map_or_else(|| "no score".into(), score_said);
    let given = label.score().map_or_else(|| CANNOT_TELL.into(), |score| score_said(score as u8));
    let annotator = session.labels.annotator().unwrap_or("nobody");
    let blind = if label.blind() == Some(true) { "blind" } else { "not blind" };
    let mut lines = vec![
        format!("{id} {name}").trim_end().to_owned(),
        format!("{annotator}: {given} ({blind})"),
        format!("{}: {}", judgement.judge.name, said(verdict.score)),
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

/// The line at the cursor of the code, else the component that is chosen. The error says why there is none.
pub fn audit_line(audit: &Audit, session: &Session) -> Result<String, String> {
    if audit.part == Part::Code && !audit.code.tree.is_shown {
        let line = audit.audit_file(session).and_then(|key| {
            let compared = session.files.compared(&key)?.as_ref().ok()?;
            let row = compared.row_of_line(audit.code.scroll.cursor + 1);
            Some(compared.line(*compared.rows.get(row)?)?.text.clone())
        });
        return line.ok_or_else(|| "no line is selected".into());
    }
    let id = audit.audited_id().ok_or("no component is chosen")?;
    let name = audit.audited_component(session).map(|it| it.name.clone()).unwrap_or_default();
    Ok(format!("{id} {name}").trim_end().to_owned())
}
