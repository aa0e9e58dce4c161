//! The marks beside the lines that the diff shows, and what each of them means.

use crate::{
    session::{
        Session,
        code_marks::{CodeMark, MarkKind},
        code_measures::{MomentSpan, MovedScores},
        files::DiffKey,
        judged_marks::{evidence_explanations, flag_explanations},
    },
    views::{
        line_marks::{ShownMarks, mark_label},
        replay::ReplayView,
    },
};
use trajview_metrics::quality::{HIGH_CC, QualityChangeKind};
use trajview_run::{files::RunMoment, format_number};

/// Returns the moments that the marks are worked out from; None where the lines on the right are not those after the
/// turn.
pub(crate) fn marked_span(replay: &ReplayView, session: &Session) -> Option<MomentSpan> {
    let turn = marked_diff_key(replay, session)?.scope.turn_after()?;
    Some((RunMoment::after_turns(turn), RunMoment::after_turns(turn + 1)))
}

/// Returns the key of the comparison on screen; None while marks are switched off.
pub(crate) fn marked_diff_key(replay: &ReplayView, session: &Session) -> Option<DiffKey> {
    replay.diff_key(session).filter(|_| replay.diff.has_marks)
}

/// Returns the marks beside the lines on screen, as far as they are known.
pub(crate) fn shown_marks<'s>(replay: &ReplayView, session: &'s Session) -> Option<ShownMarks<'s>> {
    let path = replay.diff_key(session)?.path;
    let moved = session.scores.moved_between(marked_span(replay, session)?)?.as_ref().ok()?;
    Some(ShownMarks { moved, marks: moved.marks.marks_in_file(&path) })
}

/// Explains the marks over the line under the cursor, one paragraph each: a heading and its text.
pub(crate) fn mark_explanations(replay: &ReplayView, session: &Session) -> Vec<(String, String)> {
    let Some(line) = replay.diff.line_number() else { return vec![] };
    let code = shown_marks(replay, session).into_iter().flat_map(|shown| {
        shown
            .marks_over_line(line)
            .map(|mark| mark_explanation(mark, shown.moved))
            .collect::<Vec<_>>()
    });
    let Some(key) = marked_diff_key(replay, session) else { return code.collect() };
    let judged = evidence_explanations(session, &key, line).into_iter();
    judged.chain(flag_explanations(session, &key, line)).chain(code).collect()
}

fn mark_explanation(mark: &CodeMark, moved: &MovedScores) -> (String, String) {
    let lines = format!("lines {}–{}", mark.span.start, mark.span.end);
    let words = match &mark.what {
        MarkKind::Callable { name, sloc, mass, .. } => {
            let here =
                if became_high(name, moved) { " It reached this value in this turn." } else { "" };
            format!(
                "{name}, {lines}: more than {HIGH_CC} paths through {sloc} lines, mass {} (CC times the root of \
                 the lines). Its mass counts as eroded.{here}",
                format_number::one_decimal(*mass)
            )
        }
        MarkKind::Rule(id) => {
            let words = moved.marks.rule_words(id).cloned().unwrap_or_default();
            let category = words.category.map(|it| format!(" ({it})")).unwrap_or_default();
            let why = words.why.map(|why| format!(" {}", why.trim())).unwrap_or_default();
            format!("{}{category}, {lines}.{why}", words.message.trim_end_matches('.'))
        }
        MarkKind::Clone { others } => format!(
            "{lines} have the same structure as {}. Names and literals may differ.",
            others.join(", ")
        ),
    };
    (mark_label(mark), words)
}

/// Returns whether the complexity of a function became high in the change.
fn became_high(name: &str, moved: &MovedScores) -> bool {
    let is_it = |what: &QualityChangeKind| matches!(what, QualityChangeKind::Callable { name: other, .. } if other == name);
    moved.changes.iter().any(|change| change.became_high_cc() && is_it(&change.what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::code_marks::CodeMarks;
    use trajview_metrics::{
        quality::{CallableAt, CloneGroup, CodePlace, HitAt, QualityDetail, SourceSpan},
        rules::RuleSet,
    };
    use trajview_run::RepoPath;

    #[test]
    fn marks_are_listed_by_file_in_the_order_of_lines() {
        let span = |start, end| SourceSpan { start, end };
        let callable = |cc, start| CallableAt {
            path: "a.py".into(),
            name: "read".into(),
            span: span(start, start + 9),
            cc,
            sloc: 9,
            mass: 3.0 * f64::from(cc),
        };
        let place =
            |path: &str, start| CodePlace { path: path.into(), span: span(start, start + 3) };
        let detail = QualityDetail {
            callables: vec![callable(10, 1), callable(11, 20)],
            clones: vec![CloneGroup { hash: 1, places: vec![place("a.py", 3), place("b.py", 7)] }],
            hits: vec![HitAt { rule: "r".into(), path: "a.py".into(), span: span(2, 2) }],
            ..QualityDetail::default()
        };

        let marks = CodeMarks::from_detail(&detail, &RuleSet::none());

        let labels = |path| -> Vec<String> {
            marks.marks_in_file(&RepoPath::new(path).unwrap()).iter().map(mark_label).collect()
        };
        assert_eq!(labels("a.py"), ["§ r", "≡ 2 alike", "▲ CC 11"]);
        assert_eq!(labels("b.py"), ["≡ 2 alike"]);
        assert_eq!(labels("c.py"), [""; 0]);
    }
}
