//! The rows on the meaning of the levels, and on whether the judge had the same text.

use crate::{
    session::Session,
    views::{
        audit::AuditView,
        verdict::{VerdictRow, words_in_rows},
    },
};
use trajview_run::rubric::{LabelUnit, PromptMatch, codebook::BUILT_IN};

use super::{AuditPart, areas::AuditAreas};

/// Returns the rows, cut to the width of the part in these areas.
pub(crate) fn codebook_rows(
    audit: &AuditView,
    session: &Session,
    areas: &AuditAreas,
) -> Vec<VerdictRow> {
    let width = areas.width_inside(AuditPart::Codebook).max(20);
    let mut rows = vec![];
    let book = session.audit_codebook();
    let criterion = match audit.audited_item(session) {
        Some(item) => session.criterion_of(item),
        None => book.criterion_by_id(None),
    };
    let Some(criterion) = criterion else { return rows };
    rows.extend(words_in_rows(&origin_text(session), width).into_iter().map(VerdictRow::Note));
    if let Some((words, is_fine)) = judge_had_text(session) {
        let row = if is_fine { VerdictRow::Note } else { VerdictRow::Problem };
        rows.extend(words_in_rows(&words, width).into_iter().map(row));
    }
    if let Some(id) = &criterion.id {
        let name = format!("{id}  {}", criterion.name);
        rows.push(VerdictRow::Blank);
        rows.extend(words_in_rows(name.trim_end(), width).into_iter().map(VerdictRow::Heading));
    }
    if criterion.levels.is_empty() {
        rows.push(VerdictRow::Blank);
        rows.push(VerdictRow::Words(format!("any number on {}", criterion.scale)));
    }
    for level in &criterion.levels {
        rows.push(VerdictRow::Blank);
        rows.push(VerdictRow::Heading(criterion.level_text(level.score)));
        rows.extend(words_in_rows(&level.means, width).into_iter().map(VerdictRow::Words));
        for example in &level.examples {
            let words = format!("for example: {example}");
            rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Note));
        }
    }
    if !criterion.rule.is_empty() {
        rows.push(VerdictRow::Blank);
        rows.extend(words_in_rows(&criterion.rule, width).into_iter().map(VerdictRow::Words));
    }
    rows
}

fn origin_text(session: &Session) -> String {
    let book = session.audit_codebook();
    let says_nothing = |level: &trajview_run::rubric::CodebookLevel| level.means.is_empty();
    let is_bare = book.criteria.iter().all(|it| it.levels.iter().all(says_nothing));
    match (book.origin.as_str(), is_bare) {
        (BUILT_IN, true) => match session.audit.unit() {
            LabelUnit::Process => {
                "only the names of the levels; the judge's prompt explains them for each part"
                    .into()
            }
            _ => "only the names of the levels; a study's [codebook] explains them".into(),
        },
        (BUILT_IN, false) => "the built-in text".into(),
        (origin, _) => format!("the text of {origin}"),
    }
}

/// Returns the judge and whether it had this text; None where no judge had a prompt.
fn judge_had_text(session: &Session) -> Option<(String, bool)> {
    let unit = session.audit.unit();
    if matches!(unit, LabelUnit::Signal | LabelUnit::Leaf | LabelUnit::Flag) {
        return None;
    }
    let source = session.audit_source()?;
    let given = session.audit_codebook().compare_with_prompt(source.prompt_sha256.as_deref(), unit);
    let by = if source.by.is_empty() { "the judge" } else { &source.by };
    Some((given.sentence_for(by), given != PromptMatch::Another))
}
