//! Which verdicts were seen before their label was in, and which must not be seen yet.
//!
//! Once the audit was looked at, the replay says nothing of components that wait for a label. The scores say all there
//! is, and who looks there is free to; the labels that follow are not blind, and the audit says so.

use std::collections::BTreeSet;

use crate::{
    run::rubric::Judgement, session::views::View, shell::replay::Replay, views::scores::Shows,
    widgets::layout::Layout,
};

#[derive(Debug, Default)]
pub struct Hiding {
    /// Whether the audit was on screen.
    has_begun: bool,
    /// Judgement and component.
    seen: BTreeSet<(String, String)>,
}

impl Hiding {
    /// Whether a verdict was on screen since the program started.
    pub fn was_seen(&self, judgement: &Judgement, id: &str) -> bool {
        self.seen.contains(&(judgement.file.clone(), id.to_owned()))
    }
}

impl Replay {
    pub(super) fn note_what_is_seen(&mut self, layout: &Layout) {
        match self.view {
            View::Audit => {
                self.audit.hiding.has_begun = true;
                if self.revealed().is_some()
                    && let (Some(judgement), Some(id)) = (self.audited(), self.audited_id())
                {
                    let pair = (judgement.file.clone(), id.to_owned());
                    self.audit.hiding.seen.insert(pair);
                }
            }
            View::Scores => {
                let parts = &self.scores.components;
                let all = parts.rubric().map_or(&[][..], |rubric| &rubric.judgements);
                let shown: Vec<&Judgement> = match self.scores.shown(&self.session.run) {
                    // A change tells the other score.
                    Some(Shows::Components) => {
                        parts.judgement().into_iter().chain(parts.other()).collect()
                    }
                    Some(Shows::Judges) => all.iter().collect(),
                    Some(Shows::Tree | Shows::Flags) | None => vec![],
                };
                let pairs = shown.into_iter().flat_map(|judgement| {
                    let ids = judgement.verdicts.iter().map(|verdict| verdict.component.clone());
                    ids.map(|id| (judgement.file.clone(), id))
                });
                let pairs: Vec<_> = pairs.collect();
                self.audit.hiding.seen.extend(pairs);
            }
            View::Replay if layout.now.is_some() => {
                let ids: Vec<String> = self.standings().into_iter().map(|it| it.id).collect();
                let rubric = self.scores.components.rubric();
                let files = rubric.map_or(&[][..], |rubric| &rubric.judgements);
                let pairs: Vec<_> = files
                    .iter()
                    .flat_map(|it| ids.iter().map(|id| (it.file.clone(), id.clone())))
                    .collect();
                self.audit.hiding.seen.extend(pairs);
            }
            _ => {}
        }
    }

    /// Whether the verdict on a component waits for a label, so that nothing of it may be shown beside the code.
    pub fn is_hidden_by_the_audit(&self, id: &str) -> bool {
        self.audit.hiding.has_begun && self.unlabelled().contains(id)
    }

    /// Whether the next label of the component that is looked at would not be blind, and why.
    pub fn why_not_blind(&self) -> Option<&'static str> {
        let (judgement, id) = (self.audited()?, self.audited_id()?);
        let taken_back = self.audit.book.of(judgement, id).is_some_and(|it| it.score.is_none());
        match (taken_back, self.audit.hiding.was_seen(judgement, id)) {
            (true, _) => Some("a label was taken back after the verdict was seen"),
            (false, true) => Some("the verdict was on screen before"),
            (false, false) => None,
        }
    }
}
