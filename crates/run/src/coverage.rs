//! Chooses the judgement that is a run's result: one that has a score for every component of the checklist.
//!
//! A judging of some components, one that was stopped, and one in which the judge gave no usable answer for a component
//! cover a part only. Their verdicts are shown, with how many there are ([`Coverage`]); a number of the run is made of
//! them only where a user names them ([`mod@super::find_by_name`]).

use std::fmt;

use super::rubric::{Checklist, Codebook, Judgement, LabelUnit, Rubric};

/// The number of components that have a score, of those that were to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    pub scored: usize,
    pub total: usize,
    /// True if the judgement may be the run's result.
    pub is_complete: bool,
}

impl Coverage {
    /// Counts the scores of a judgement. Without a checklist the components are those that the judgement lists as
    /// requested and those it names. Where it lists none either, nothing can be missing, and one score is enough.
    pub fn for_judgement(judgement: &Judgement, checklist: Option<&Checklist>) -> Self {
        let ids = required_ids(judgement, checklist);
        let is_scored =
            |id: &&&str| judgement.verdict_on(id).is_some_and(|it| it.counted_level().is_some());
        // What has a reason is answered for, without a score; so is a level that no mean includes.
        let has_reason = |id: &&&str| {
            judgement.verdict_on(id).is_some_and(|it| it.reason.is_some() || it.is_left_out)
        };
        let (scored, all) = (ids.iter().filter(is_scored).count(), ids.len());
        let answered = scored + ids.iter().filter(has_reason).count();
        let is_said = checklist.is_some() || judgement.requested_ids.is_some();
        Self { scored, total: all, is_complete: scored > 0 && (answered == all || !is_said) }
    }
}

/// `2 of 24`
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.scored, self.total)
    }
}

/// Returns ids of the components that a judgement has to score to cover them all, each once.
fn required_ids<'a>(judgement: &'a Judgement, checklist: Option<&'a Checklist>) -> Vec<&'a str> {
    if let Some(checklist) = checklist {
        return checklist.components.iter().map(|it| it.id.as_str()).collect();
    }
    let requested = judgement.requested_ids.iter().flatten().map(String::as_str);
    let mut ids = vec![];
    for id in requested.chain(judgement.verdicts.iter().map(|it| it.component.as_str())) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

impl Rubric {
    /// Returns the coverage of the checklist by a judgement.
    pub fn coverage(&self, judgement: &Judgement) -> Coverage {
        Coverage::for_judgement(judgement, self.checklist.as_ref())
    }

    /// Returns whether a judgement has a score for every component of the checklist.
    pub fn is_covered_by(&self, judgement: &Judgement) -> bool {
        self.coverage(judgement).is_complete
    }

    /// Returns the judge, or the judgement, whose scores alone may be the run's result: the pinned one, else the one that the
    /// checklist names.
    pub fn result_judge(&self) -> Option<&str> {
        let of_checklist = || self.checklist.as_ref()?.judge.as_deref();
        self.pinned_judge.as_deref().or_else(of_checklist)
    }

    /// Returns whether a judgement may be the run's result where a user names none: it covers the checklist, and is of the
    /// judge whose scores alone may be, if there is one ([`Self::result_judge`]).
    pub fn may_be_result(&self, judgement: &Judgement) -> bool {
        self.is_covered_by(judgement) && self.result_judge().is_none_or(|it| judgement.is_named(it))
    }

    /// Returns a sentence where a judge is pinned of whom this run has no judgement.
    pub fn missing_pin(&self) -> Option<String> {
        let pinned = self.pinned_judge.as_deref()?;
        let judgements = &self.judgements;
        let is_missing = !judgements.is_empty() && !judgements.iter().any(|it| it.is_named(pinned));
        is_missing.then(|| {
            let mut judges: Vec<&str> = judgements.iter().map(|it| &*it.judge.name).collect();
            judges.sort_unstable();
            judges.dedup();
            format!(
                "{pinned} is pinned and has not judged this run, so it has no judged number; there are judgements by {}",
                judges.join(", ")
            )
        })
    }

    /// Returns the judgement that is the run's result where none is named: of those that may be ([`Self::may_be_result`]) the last
    /// made of the latest state; one without a turn is of the final state.
    pub fn result_judgement(&self) -> Option<&Judgement> {
        latest_judgement(self.judgements.iter().filter(|it| self.may_be_result(it)))
    }

    /// Returns the judgement to look at where none is named: the run's result, else the last made of the latest state that has
    /// a score.
    pub fn judgement_to_show(&self) -> Option<&Judgement> {
        let has_score = |it: &&Judgement| it.verdicts.iter().any(|it| it.score.is_some());
        self.result_judgement()
            .or_else(|| latest_judgement(self.judgements.iter().filter(has_score)))
    }

    /// Returns the last judgement by a codebook that has scales of its own; for other codebooks as
    /// [`Self::judgement_to_show`].
    pub fn judgement_to_show_by(&self, book: &Codebook) -> Option<&Judgement> {
        let by_it = self.judgements.iter().filter(|it| it.is_by_codebook(book));
        let has_own_scale = !book.is_on_own_scale(LabelUnit::Component);
        has_own_scale
            .then(|| latest_judgement(by_it))
            .flatten()
            .or_else(|| self.judgement_to_show())
    }

    /// Returns the incomplete judgements of a run without a result, as text: `2 of 24 by quick
    /// (judgements/quick.json)`, one for each judgement with a score, in the order in which they were made, then those
    /// by codebooks with other scales. Empty where there is a result.
    pub fn partial_coverages(&self) -> Vec<String> {
        if self.result_judgement().is_some() {
            return vec![];
        }
        let unlooked = |it: &Judgement| it.verdicts.iter().filter(|it| it.is_left_out).count();
        let all = self.judgements.iter().map(|it| (it, self.coverage(it), unlooked(it)));
        let scored = all.filter(|(_, coverage, unlooked)| coverage.scored + unlooked > 0);
        let of_levels = scored.map(|(it, coverage, unlooked)| {
            let (judge, file) = (&it.judge.name, &it.file);
            match unlooked {
                0 => format!("{coverage} by {judge} ({file})"),
                count => format!("{coverage}, {count} unlooked, by {judge} ({file})"),
            }
        });
        let by_book = self.judgements.iter().filter(|it| {
            let is_given = it.verdicts.iter().any(|verdict| !verdict.criterion_scores.is_empty());
            is_given && self.coverage(it).scored == 0
        });
        let of_books = by_book.map(|it| {
            let (judge, file) = (&it.judge.name, &it.file);
            format!("on the scales of a codebook and not on 0..4 by {judge} ({file})")
        });
        of_levels.chain(of_books).collect()
    }
}

/// Returns the last made of the latest state.
pub(crate) fn latest_judgement<'a>(
    judgements: impl Iterator<Item = &'a Judgement>,
) -> Option<&'a Judgement> {
    judgements.max_by_key(|it| it.turn.unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::{Component, Verdict};

    fn sample_judgement(file: &str, turn: usize, scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(component, score): &(&str, Option<u8>)| Verdict {
            component: (*component).into(),
            score: *score,
            ..Verdict::default()
        };
        let verdicts = scores.iter().map(verdict).collect();
        Judgement { file: file.into(), turn: Some(turn), verdicts, ..Judgement::default() }
    }

    fn sample_rubric(judgements: Vec<Judgement>) -> Rubric {
        let component = |id: &str| Component { id: id.into(), ..Component::default() };
        let components = ["C1", "C2"].map(component).to_vec();
        let checklist = Some(Checklist { task: None, judge: None, components });
        Rubric { checklist, judgements, ..Rubric::default() }
    }

    #[test]
    fn a_judging_of_some_components_never_takes_the_place_of_an_earlier_whole_one() {
        let rubric = sample_rubric(vec![
            sample_judgement("whole", 3, &[("C1", Some(4)), ("C2", Some(2))]),
            sample_judgement("some", 9, &[("C1", Some(0)), ("C9", Some(4))]),
            sample_judgement("malformed", 9, &[("C1", Some(0)), ("C2", None)]),
        ]);

        assert_eq!(rubric.result_judgement().map(|it| &*it.file), Some("whole"));
        assert_eq!(rubric.judgement_to_show().map(|it| &*it.file), Some("whole"));
        let coverages = rubric.judgements.iter().map(|it| rubric.coverage(it).to_string());
        assert_eq!(coverages.collect::<Vec<_>>(), ["2 of 2", "1 of 2", "1 of 2"]);
        assert_eq!(rubric.partial_coverages(), Vec::<String>::new());
    }

    #[test]
    fn the_judge_that_a_checklist_names_is_the_result_whatever_another_says_later() {
        let by = |name: &str, turn: usize, scores: &[(&str, Option<u8>)]| {
            let mut judgement = sample_judgement(name, turn, scores);
            judgement.judge.name = name.into();
            judgement
        };
        let all = |score| [("C1", Some(score)), ("C2", Some(score))];
        let named = |judge: Option<&str>, judgements| {
            let mut rubric = sample_rubric(judgements);
            rubric.checklist.as_mut().unwrap().judge = judge.map(str::to_owned);
            rubric.result_judgement().map(|it| it.file.clone())
        };
        let judgements = || vec![by("ann", 3, &all(4)), by("bob", 9, &all(1))];

        assert_eq!(named(None, judgements()).as_deref(), Some("bob"));
        assert_eq!(named(Some("ann"), judgements()).as_deref(), Some("ann"));
        assert_eq!(named(Some("an"), judgements()), None);
        assert_eq!(named(Some("ann"), vec![by("ann", 3, &[("C1", Some(4))])]), None);
    }

    #[test]
    fn a_pinned_judge_or_judgement_comes_before_the_checklists_and_one_that_is_missing_is_reported()
    {
        let by = |name: &str, file: &str, turn: usize| {
            let mut judgement = sample_judgement(file, turn, &[("C1", Some(4)), ("C2", Some(4))]);
            judgement.judge.name = name.into();
            judgement
        };
        let judgements = || {
            vec![
                by("ann", "judgements/a.json", 3),
                by("bob", "judgements/b.json", 9),
                by("bob", "judgements/c.json", 9),
            ]
        };
        let pinned = |pin: &str| {
            let mut rubric = sample_rubric(judgements());
            rubric.checklist.as_mut().unwrap().judge = Some("bob".into());
            rubric.pinned_judge = Some(pin.into());
            (rubric.result_judgement().map(|it| it.file.clone()), rubric.missing_pin().is_some())
        };

        assert_eq!(pinned("ann"), (Some("judgements/a.json".into()), false));
        assert_eq!(pinned("judgements/b.json"), (Some("judgements/b.json".into()), false));
        assert_eq!(pinned("b"), (Some("judgements/b.json".into()), false));
        assert_eq!(pinned("eve"), (None, true), "a number of another judge is never shown instead");
    }

    #[test]
    fn without_a_whole_judgement_there_is_no_result_and_what_there_is_says_how_much() {
        let rubric = sample_rubric(vec![
            sample_judgement("judgements/a.json", 9, &[("C2", Some(1))]),
            sample_judgement("judgements/b.json", 3, &[("C1", Some(0))]),
            sample_judgement("judgements/c.json", 9, &[("C1", None)]),
        ]);

        assert_eq!(rubric.result_judgement(), None);
        assert_eq!(rubric.judgement_to_show().map(|it| &*it.file), Some("judgements/a.json"));
        let expected = ["1 of 2 by  (judgements/a.json)", "1 of 2 by  (judgements/b.json)"];
        assert_eq!(rubric.partial_coverages(), expected);
    }

    #[test]
    fn without_a_checklist_what_was_asked_for_is_the_whole() {
        let requested = Some(vec!["a".to_owned(), "b".to_owned()]);
        let killed = Judgement {
            requested_ids: requested.clone(),
            ..sample_judgement("killed", 1, &[("a", Some(3))])
        };
        let complete = Judgement {
            requested_ids: requested,
            ..sample_judgement("whole", 1, &[("b", Some(3)), ("a", Some(1))])
        };
        let unsaid = sample_judgement("unsaid", 1, &[("y", None), ("z", Some(3))]);

        let empty = sample_judgement("empty", 1, &[("z", None)]);
        let all = [&killed, &complete, &unsaid, &empty].map(|it| Coverage::for_judgement(it, None));
        assert_eq!(all.map(|it| it.to_string()), ["1 of 2", "2 of 2", "1 of 2", "0 of 1"]);
        assert_eq!(all.map(|it| it.is_complete), [false, true, true, false]);
    }
}
