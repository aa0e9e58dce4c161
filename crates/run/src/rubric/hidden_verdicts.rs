//! The verdicts that a rater may not see yet: those on items that they still have to label blind.

use super::{ItemKey, Judgement, LabelFile, LabelUnit, Rubric, Verdict};
use crate::Warning;

impl Rubric {
    /// Takes out what would no longer leave a rater blind, where they have labelled something of this run: the verdicts on
    /// items that they have not labelled, the labels of others and the gold labels. A verdict that is taken out has an error
    /// in place of its score, so that the judgement is not complete and has no mean.
    pub fn hide_from_rater(&mut self, rater: &str) {
        let is_own = |file: &&LabelFile| file.annotator == rater && !file.labels.is_empty();
        let Some(own) = self.labels.iter().find(is_own).cloned() else { return };
        let components = self.judgements.iter_mut().chain(&mut self.judge_tests);
        let components = components.map(|it| (LabelUnit::Component, it));
        let decisions = self.decisions.iter_mut().map(|it| (LabelUnit::Decision, it));
        let process = self.process.iter_mut().map(|it| (LabelUnit::Process, it));
        let all = components.chain(decisions).chain(process);
        let hidden: usize = all.map(|(unit, it)| hide_verdicts(it, unit, &own)).sum();
        if hidden > 0 {
            self.labels.retain(|file| file.annotator == rater);
            self.gold.clear();
            let what =
                format!("{hidden} verdicts are hidden until {rater} has labelled their items");
            self.warnings.push(Warning { place: own.file, what });
        }
    }
}

/// Hides the verdicts on items without an answer of the rater, and returns how many.
fn hide_verdicts(judgement: &mut Judgement, unit: LabelUnit, own: &LabelFile) -> usize {
    let is_open = |verdict: &Verdict| {
        !own.labels.iter().any(|label| {
            let criterion = label.criterion.as_deref();
            let item = ItemKey { id: &verdict.component, unit, criterion };
            label.is_answered() && label.is_on((&*judgement).into(), item)
        })
    };
    let open: Vec<bool> = judgement.verdicts.iter().map(is_open).collect();
    let verdicts = judgement.verdicts.iter_mut().zip(&open).filter(|(_, is_open)| **is_open);
    verdicts.for_each(|(verdict, _)| {
        let component = std::mem::take(&mut verdict.component);
        *verdict = Verdict { component, error: Some(HIDDEN.into()), ..Verdict::default() };
    });
    open.into_iter().filter(|is_open| *is_open).count()
}

/// The error of a verdict that is hidden.
const HIDDEN: &str = "hidden until you have labelled it";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::Label;

    fn verdict(component: &str, score: u8) -> Verdict {
        let rationale = "because".into();
        Verdict { component: component.into(), score: Some(score), rationale, ..Verdict::default() }
    }

    fn labels_of(annotator: &str, component: &str) -> LabelFile {
        let label = Label { component: component.into(), score: Some(3.0), ..Label::default() };
        LabelFile { annotator: annotator.into(), labels: vec![label], ..LabelFile::default() }
    }

    fn judged() -> Rubric {
        let verdicts = vec![verdict("C1", 4), verdict("C2", 0)];
        let file = "judgements/a.json".into();
        Rubric {
            judgements: vec![Judgement { file, verdicts, ..Judgement::default() }],
            labels: vec![labels_of("ana", "C1"), labels_of("ben", "C2")],
            ..Rubric::default()
        }
    }

    #[test]
    fn a_rater_with_open_items_sees_only_verdicts_on_what_they_labelled() {
        let mut rubric = judged();
        rubric.hide_from_rater("ana");

        let [seen, hidden] = &rubric.judgements[0].verdicts[..] else { panic!("two verdicts") };
        assert_eq!(*seen, verdict("C1", 4));
        assert_eq!((hidden.score, hidden.rationale.as_str()), (None, ""));
        assert_eq!(hidden.error.as_deref(), Some(HIDDEN));
        assert_eq!(rubric.labels.len(), 1);
        assert_eq!(rubric.warnings.len(), 1);
    }

    #[test]
    fn who_has_labelled_nothing_is_no_rater() {
        let mut rubric = judged();
        rubric.hide_from_rater("eve");
        assert_eq!(rubric, judged());
    }
}
