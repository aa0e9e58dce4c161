//! The marks beside the lines that the diff shows, and what each of them means.

use crate::{
    session::{
        Session,
        files::DiffKey,
        judged_marks::{why_evidence, why_flagged},
        marks::{Mark, Sort},
        measured::{Moved, Span},
    },
    views::{
        line_marks::{Shown, label},
        replay::Replay,
    },
};
use trajview_metrics::quality::{HIGH_CC, What};
use trajview_run::{figures, files::Moment};

/// The moments that the marks are worked out from; None where the lines on the right are not those after the turn.
pub(crate) fn marked_span(replay: &Replay, session: &Session) -> Option<Span> {
    let turn = marked_file(replay, session)?.scope.turn_after()?;
    Some((Moment::after(turn), Moment::after(turn + 1)))
}

/// The comparison on screen, where its lines have marks.
pub(crate) fn marked_file(replay: &Replay, session: &Session) -> Option<DiffKey> {
    replay.diff_key(session).filter(|_| replay.diff.has_marks)
}

/// The marks beside the lines on screen, as far as they are known.
pub fn marks<'s>(replay: &Replay, session: &'s Session) -> Option<Shown<'s>> {
    let path = replay.diff_key(session)?.path;
    let moved = session.scores.moved(marked_span(replay, session)?)?.as_ref().ok()?;
    Some(Shown { moved, marks: moved.marks.of_file(&path) })
}

/// What the marks over the line under the cursor mean, one paragraph each: a heading and what it says.
pub fn why_marked(replay: &Replay, session: &Session) -> Vec<(String, String)> {
    let Some(line) = replay.diff.line_number() else { return vec![] };
    let code = marks(replay, session)
        .into_iter()
        .flat_map(|shown| shown.over(line).map(|mark| why(mark, shown.moved)).collect::<Vec<_>>());
    let Some(key) = marked_file(replay, session) else { return code.collect() };
    let judged = why_evidence(session, &key, line).into_iter();
    judged.chain(why_flagged(session, &key, line)).chain(code).collect()
}

fn why(mark: &Mark, moved: &Moved) -> (String, String) {
    let lines = format!("lines {}–{}", mark.span.start, mark.span.end);
    let words = match &mark.what {
        Sort::Callable { name, sloc, mass, .. } => {
            let here = if became_high(name, moved) { " It came to that in this turn." } else { "" };
            format!(
                "{name}, {lines}: more than {HIGH_CC} paths through {sloc} lines, mass {} (CC times the root of \
                 the lines). Its mass counts as eroded.{here}",
                figures::tenths(*mass)
            )
        }
        Sort::Rule(id) => {
            let words = moved.marks.words_of(id).cloned().unwrap_or_default();
            let category = words.category.map(|it| format!(" ({it})")).unwrap_or_default();
            let why = words.why.map(|why| format!(" {}", why.trim())).unwrap_or_default();
            format!("{}{category}, {lines}.{why}", words.message.trim_end_matches('.'))
        }
        Sort::Clone { others } => format!(
            "{lines} have the same structure as {}. Names and literals may differ.",
            others.join(", ")
        ),
    };
    (label(mark), words)
}

fn became_high(name: &str, moved: &Moved) -> bool {
    let is_it = |what: &What| matches!(what, What::Callable { name: other, .. } if other == name);
    moved.changes.iter().any(|change| change.became_high_cc() && is_it(&change.what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::marks::Marks;
    use trajview_metrics::{
        quality::{CallableAt, CloneGroup, Detail, HitAt, Place, Span},
        rules::Rules,
    };
    use trajview_run::RepoPath;

    #[test]
    fn marks_are_listed_by_file_in_the_order_of_lines() {
        let span = |start, end| Span { start, end };
        let callable = |cc, start| CallableAt {
            path: "a.py".into(),
            name: "read".into(),
            span: span(start, start + 9),
            cc,
            sloc: 9,
            mass: 3.0 * f64::from(cc),
        };
        let place = |path: &str, start| Place { path: path.into(), span: span(start, start + 3) };
        let detail = Detail {
            callables: vec![callable(10, 1), callable(11, 20)],
            clones: vec![CloneGroup { hash: 1, places: vec![place("a.py", 3), place("b.py", 7)] }],
            hits: vec![HitAt { rule: "r".into(), path: "a.py".into(), span: span(2, 2) }],
            ..Detail::default()
        };

        let marks = Marks::of(&detail, &Rules::none());

        let labels = |path| -> Vec<String> {
            marks.of_file(&RepoPath::new(path).unwrap()).iter().map(label).collect()
        };
        assert_eq!(labels("a.py"), ["§ r", "≡ 2 alike", "▲ CC 11"]);
        assert_eq!(labels("b.py"), ["≡ 2 alike"]);
        assert_eq!(labels("c.py"), [""; 0]);
    }
}
