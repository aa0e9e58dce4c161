//! What the levels mean, as raters go by it, and whether the judge was given the same text.

use crate::{
    session::Session,
    views::{
        audit::Audit,
        verdict::{Row, cut},
    },
};
use trajview_run::rubric::{GivenTo, Unit, codebook::BUILT_IN};

use super::{Part, areas::Areas};

/// As wide as the part is in these areas.
pub fn codebook_rows(audit: &Audit, session: &Session, areas: &Areas) -> Vec<Row> {
    let width = areas.width(Part::Codebook).max(20);
    let mut rows = vec![];
    let book = session.codebook();
    let criterion = match audit.audited_item(session) {
        Some(item) => session.criterion_of(item),
        None => book.criterion(None),
    };
    let Some(criterion) = criterion else { return rows };
    rows.extend(cut(&origin(session), width).into_iter().map(Row::Note));
    if let Some((words, is_fine)) = given(session) {
        let row = if is_fine { Row::Note } else { Row::Problem };
        rows.extend(cut(&words, width).into_iter().map(row));
    }
    if let Some(id) = &criterion.id {
        let name = format!("{id}  {}", criterion.name);
        rows.push(Row::Blank);
        rows.extend(cut(name.trim_end(), width).into_iter().map(Row::Heading));
    }
    if criterion.levels.is_empty() {
        rows.push(Row::Blank);
        rows.push(Row::Words(format!("any number on {}", criterion.scale)));
    }
    for level in &criterion.levels {
        rows.push(Row::Blank);
        rows.push(Row::Heading(criterion.said(level.score)));
        rows.extend(cut(&level.means, width).into_iter().map(Row::Words));
        for example in &level.examples {
            let words = format!("for example: {example}");
            rows.extend(cut(&words, width).into_iter().map(Row::Note));
        }
    }
    if !criterion.rule.is_empty() {
        rows.push(Row::Blank);
        rows.extend(cut(&criterion.rule, width).into_iter().map(Row::Words));
    }
    rows
}

fn origin(session: &Session) -> String {
    let book = session.codebook();
    let says_nothing = |level: &trajview_run::rubric::CodebookLevel| level.means.is_empty();
    let is_bare = book.criteria.iter().all(|it| it.levels.iter().all(says_nothing));
    match (book.origin.as_str(), is_bare) {
        (BUILT_IN, true) => match session.audited.unit() {
            Unit::Process => {
                "the names of the levels; the judge's question has what each means for its part"
                    .into()
            }
            _ => "the names of the levels; a study's [codebook] says what they mean".into(),
        },
        (BUILT_IN, false) => "the built-in text".into(),
        (origin, _) => format!("the text of {origin}"),
    }
}

/// Whether the judge was given this text; None where nobody was asked in words.
fn given(session: &Session) -> Option<(String, bool)> {
    let unit = session.audited.unit();
    if matches!(unit, Unit::Signal | Unit::Leaf | Unit::Flag) {
        return None;
    }
    let source = session.audit_source()?;
    let given = session.codebook().given_to(source.prompt_sha256.as_deref(), unit);
    let by = if source.by.is_empty() { "the judge" } else { &source.by };
    Some((given.said_of(by), given != GivenTo::Another))
}
