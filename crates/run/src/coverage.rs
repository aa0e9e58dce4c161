//! Which judgement is a run's result: one that has a score for every component of the checklist.
//!
//! A judging of some components, one that was stopped, and one in which the judge gave no usable answer for a component
//! cover a part only. Their verdicts are shown, with how many there are ([`Coverage`]); a number of the run is made of
//! them only where a user names them ([`mod@super::named`]).

use std::fmt;

use super::rubric::{Checklist, Codebook, Judgement, Rubric, Unit};

/// How many of the components that were to be judged have a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    pub scored: usize,
    pub all: usize,
    /// Whether the judgement may be the run's result.
    pub is_whole: bool,
}

impl Coverage {
    /// Without a checklist the components are those that the judgement was asked about and those it names. Where it does
    /// not say what it was asked about either, nothing can be missing, and one score is enough.
    pub fn of(judgement: &Judgement, checklist: Option<&Checklist>) -> Self {
        let ids = wanted(judgement, checklist);
        let is_scored = |id: &&&str| judgement.of(id).is_some_and(|it| it.score.is_some());
        // What has a reason is answered for, without a score.
        let has_reason = |id: &&&str| judgement.of(id).is_some_and(|it| it.reason.is_some());
        let (scored, all) = (ids.iter().filter(is_scored).count(), ids.len());
        let answered = scored + ids.iter().filter(has_reason).count();
        let is_said = checklist.is_some() || judgement.asked.is_some();
        Self { scored, all, is_whole: scored > 0 && (answered == all || !is_said) }
    }
}

/// `2 of 24`
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.scored, self.all)
    }
}

/// Ids of the components that a judgement has to score to cover them all, each once.
fn wanted<'a>(judgement: &'a Judgement, checklist: Option<&'a Checklist>) -> Vec<&'a str> {
    if let Some(checklist) = checklist {
        return checklist.components.iter().map(|it| it.id.as_str()).collect();
    }
    let asked = judgement.asked.iter().flatten().map(String::as_str);
    let mut ids = vec![];
    for id in asked.chain(judgement.verdicts.iter().map(|it| it.component.as_str())) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

impl Rubric {
    /// Over how much of the checklist a judgement has scores.
    pub fn coverage(&self, judgement: &Judgement) -> Coverage {
        Coverage::of(judgement, self.checklist.as_ref())
    }

    /// Whether a judgement has a score for every component of the checklist.
    pub fn covers(&self, judgement: &Judgement) -> bool {
        self.coverage(judgement).is_whole
    }

    /// The judge whose scores alone may be the run's result, as the checklist says.
    pub fn judge(&self) -> Option<&str> {
        self.checklist.as_ref()?.judge.as_deref()
    }

    /// Whether a judgement may be the run's result where a user names none: it covers the checklist, and its judge is the
    /// one that the checklist names, if it names one.
    pub fn may_be_result(&self, judgement: &Judgement) -> bool {
        self.covers(judgement) && self.judge().is_none_or(|it| it == judgement.judge.name)
    }

    /// The judgement that is the run's result where none is named: of those that may be ([`Self::may_be_result`]) the last
    /// made of the latest state; one without a turn is of the final state.
    pub fn chosen(&self) -> Option<&Judgement> {
        last_of(self.judgements.iter().filter(|it| self.may_be_result(it)))
    }

    /// The judgement to look at where none is named: the run's result, else the last made of the latest state that has
    /// a score.
    pub fn shown(&self) -> Option<&Judgement> {
        let has_score = |it: &&Judgement| self.coverage(it).scored > 0;
        self.chosen().or_else(|| last_of(self.judgements.iter().filter(has_score)))
    }

    /// As [`Self::shown`], for whoever goes by a codebook: where that has scales of its own, the last judgement by them.
    pub fn shown_by(&self, book: &Codebook) -> Option<&Judgement> {
        let by_it = self.judgements.iter().filter(|it| it.is_by(book));
        let own = !book.is_on_own_scale(Unit::Component);
        own.then(|| last_of(by_it)).flatten().or_else(|| self.shown())
    }

    /// What a run without a result has instead: `2 of 24 by quick (judgements/quick.json)`, one for each judgement with a
    /// score, as they were made, then those by codebooks with other scales; empty where there is a result.
    pub fn partial(&self) -> Vec<String> {
        if self.chosen().is_some() {
            return vec![];
        }
        let all = self.judgements.iter().map(|it| (it, self.coverage(it)));
        let scored = all.filter(|(_, coverage)| coverage.scored > 0);
        let of_levels =
            scored.map(|(it, coverage)| format!("{coverage} by {} ({})", it.judge.name, it.file));
        let by_book = self.judgements.iter().filter(|it| {
            let is_given = it.verdicts.iter().any(|verdict| !verdict.given.is_empty());
            is_given && self.coverage(it).scored == 0
        });
        let of_books = by_book.map(|it| {
            let (judge, file) = (&it.judge.name, &it.file);
            format!("on the scales of a codebook and not on 0..4 by {judge} ({file})")
        });
        of_levels.chain(of_books).collect()
    }
}

/// The last made of the latest state.
pub fn last_of<'a>(judgements: impl Iterator<Item = &'a Judgement>) -> Option<&'a Judgement> {
    judgements.max_by_key(|it| it.turn.unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::{Component, Verdict};

    fn judgement(file: &str, turn: usize, scores: &[(&str, Option<u8>)]) -> Judgement {
        let verdict = |(component, score): &(&str, Option<u8>)| Verdict {
            component: (*component).into(),
            score: *score,
            ..Verdict::default()
        };
        let verdicts = scores.iter().map(verdict).collect();
        Judgement { file: file.into(), turn: Some(turn), verdicts, ..Judgement::default() }
    }

    fn rubric(judgements: Vec<Judgement>) -> Rubric {
        let component = |id: &str| Component { id: id.into(), ..Component::default() };
        let components = ["C1", "C2"].map(component).to_vec();
        let checklist = Some(Checklist { task: None, judge: None, components });
        Rubric { checklist, judgements, ..Rubric::default() }
    }

    #[test]
    fn a_judging_of_some_components_never_takes_the_place_of_an_earlier_whole_one() {
        let rubric = rubric(vec![
            judgement("whole", 3, &[("C1", Some(4)), ("C2", Some(2))]),
            judgement("some", 9, &[("C1", Some(0)), ("C9", Some(4))]),
            judgement("malformed", 9, &[("C1", Some(0)), ("C2", None)]),
        ]);

        assert_eq!(rubric.chosen().map(|it| &*it.file), Some("whole"));
        assert_eq!(rubric.shown().map(|it| &*it.file), Some("whole"));
        let said = rubric.judgements.iter().map(|it| rubric.coverage(it).to_string());
        assert_eq!(said.collect::<Vec<_>>(), ["2 of 2", "1 of 2", "1 of 2"]);
        assert_eq!(rubric.partial(), Vec::<String>::new());
    }

    #[test]
    fn the_judge_that_a_checklist_names_is_the_result_whatever_another_says_later() {
        let by = |name: &str, turn: usize, scores: &[(&str, Option<u8>)]| {
            let mut judgement = judgement(name, turn, scores);
            judgement.judge.name = name.into();
            judgement
        };
        let all = |score| [("C1", Some(score)), ("C2", Some(score))];
        let named = |judge: Option<&str>, judgements| {
            let mut rubric = rubric(judgements);
            rubric.checklist.as_mut().unwrap().judge = judge.map(str::to_owned);
            rubric.chosen().map(|it| it.file.clone())
        };
        let judgements = || vec![by("ann", 3, &all(4)), by("bob", 9, &all(1))];

        assert_eq!(named(None, judgements()).as_deref(), Some("bob"));
        assert_eq!(named(Some("ann"), judgements()).as_deref(), Some("ann"));
        assert_eq!(named(Some("an"), judgements()), None);
        assert_eq!(named(Some("ann"), vec![by("ann", 3, &[("C1", Some(4))])]), None);
    }

    #[test]
    fn without_a_whole_judgement_there_is_no_result_and_what_there_is_says_how_much() {
        let rubric = rubric(vec![
            judgement("judgements/a.json", 9, &[("C2", Some(1))]),
            judgement("judgements/b.json", 3, &[("C1", Some(0))]),
            judgement("judgements/c.json", 9, &[("C1", None)]),
        ]);

        assert_eq!(rubric.chosen(), None);
        assert_eq!(rubric.shown().map(|it| &*it.file), Some("judgements/a.json"));
        let said = ["1 of 2 by  (judgements/a.json)", "1 of 2 by  (judgements/b.json)"];
        assert_eq!(rubric.partial(), said);
    }

    #[test]
    fn without_a_checklist_what_was_asked_for_is_the_whole() {
        let asked = Some(vec!["a".to_owned(), "b".to_owned()]);
        let killed =
            Judgement { asked: asked.clone(), ..judgement("killed", 1, &[("a", Some(3))]) };
        let whole = Judgement { asked, ..judgement("whole", 1, &[("b", Some(3)), ("a", Some(1))]) };
        let unsaid = judgement("unsaid", 1, &[("y", None), ("z", Some(3))]);

        let empty = judgement("empty", 1, &[("z", None)]);
        let all = [&killed, &whole, &unsaid, &empty].map(|it| Coverage::of(it, None));
        assert_eq!(all.map(|it| it.to_string()), ["1 of 2", "2 of 2", "1 of 2", "0 of 1"]);
        assert_eq!(all.map(|it| it.is_whole), [false, true, true, false]);
    }
}
