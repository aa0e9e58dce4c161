//! What a run is judged by and what came of it: the table of its components, all its judgements at once, the rubric tree
//! it was graded with, or the flags it was given.
//!
//! A run may have any of them or none ([`Scores::there`]); [`Shows`] is which of them is looked at. Each has its own
//! state, messages and `update` in its own file: [`components`] with their [`lifeline`], [`judges`], [`tree`], [`flags`].
//! To add one, add it to [`Shows`], say when it is there, give it a context in the keymap and draw it in
//! [`draw`].

pub mod components;
pub mod draw;
pub mod flags;
pub mod judges;
pub mod lifeline;
pub mod tree;
mod view;

use crate::{
    session::{self, Session, views::View},
    widgets::layout::Layout,
};
use trajview_run::rubric::Judgement;

/// What the view shows beside what is known.
#[derive(Debug, Default)]
pub struct Scores {
    /// What was chosen; counts where the run has it.
    chosen: Option<Shows>,
    pub components: components::Components,
    pub judges: judges::Judges,
    pub tree: tree::Tree,
    pub flags: flags::Flags,
}

/// What there is to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    Components,
    /// All judgements, where there are two or more.
    Judges,
    Tree,
    Flags,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// To the next kind of scores, where the run has several.
    Switch,
    Components(components::Message),
    Judges(judges::Message),
    Tree(tree::Message),
    Flags(flags::Message),
}

impl Shows {
    /// In the order in which they are offered.
    const ALL: &'static [Self] = &[Self::Components, Self::Judges, Self::Tree, Self::Flags];
}

impl Scores {
    /// What the run has, in the order in which it is offered.
    pub fn there(&self, session: &Session) -> Vec<Shows> {
        let is_there = |shows: &&Shows| match shows {
            Shows::Components => session.rubric.is_there(),
            Shows::Judges => {
                session.rubric.known().is_some_and(|rubric| rubric.judgements.len() > 1)
            }
            Shows::Tree => session.run.rubric_tree.is_some(),
            Shows::Flags => !session::flags::of_session(session).is_empty(),
        };
        Shows::ALL.iter().filter(is_there).copied().collect()
    }

    /// What is looked at; None where nothing judges the run.
    pub fn shown(&self, session: &Session) -> Option<Shows> {
        let there = self.there(session);
        self.chosen.filter(|chosen| there.contains(chosen)).or_else(|| there.first().copied())
    }
}

impl Scores {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        session.view = View::Scores;
        match message {
            Message::Switch => self.switch_scores(session),
            Message::Components(message) => {
                self.components.update_components(session, message, layout)
            }
            Message::Judges(message) => self.update_judges(session, message, layout),
            Message::Tree(message) => self.tree.update_tree(session, message, layout),
            Message::Flags(message) => self.flags.update_flags(session, message, layout),
        }
    }

    fn switch_scores(&mut self, session: &mut Session) {
        let before = self.shown(session);
        self.switch_shown(session);
        // The component that is looked at stays.
        match (before, self.shown(session)) {
            (Some(Shows::Components), Some(Shows::Judges)) => {
                let id = self.components.component_row(session).map(|row| row.id);
                self.judges.choose(id);
            }
            (Some(Shows::Judges), Some(Shows::Components)) => {
                let id = self.judges.judges_component().map(str::to_owned);
                self.components.choose(id);
            }
            _ => {}
        }
    }

    fn switch_shown(&mut self, session: &mut Session) {
        let there = self.there(session);
        let at = there.iter().position(|shows| Some(*shows) == self.shown(session));
        match at.filter(|_| there.len() > 1) {
            Some(at) => self.chosen = there.get((at + 1) % there.len()).copied(),
            None => session.notice = Some("there are no other scores of this run".into()),
        }
    }

    /// Notes which verdicts are on screen: a label that follows is not blind.
    fn note_verdicts_shown(&mut self, session: &mut Session) {
        let judged = &session.rubric;
        let all = judged.known().map_or(&[][..], |rubric| &rubric.judgements);
        let shown: Vec<&Judgement> = match self.shown(session) {
            // A change tells the other score.
            Some(Shows::Components) => {
                judged.judgement().into_iter().chain(judged.other()).collect()
            }
            Some(Shows::Judges) => all.iter().collect(),
            Some(Shows::Tree | Shows::Flags) | None => vec![],
        };
        let pairs = shown.into_iter().flat_map(|judgement| {
            let ids = judgement.verdicts.iter().map(|verdict| verdict.component.clone());
            ids.map(|id| (judgement.file.clone(), id))
        });
        let pairs: Vec<_> = pairs.collect();
        session.audited.see(pairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{session::context::Context, views::view::RunView};
    use trajview_run::{Run, rubric_tree::RubricTree};

    #[test]
    fn the_view_shows_what_the_run_has() {
        let scores = Scores::default();
        let empty = Session::of(Run::default().into());
        let graded = Run { rubric_tree: Some(RubricTree::default().into()), ..Run::default() };
        let graded = Session::of(graded.into());

        assert_eq!(scores.shown(&empty), None);
        assert_eq!(scores.context(&empty), Context::Scores);
        assert_eq!(scores.shown(&graded), Some(Shows::Tree));
        assert_eq!(scores.context(&graded), Context::Rubric);
    }
}
