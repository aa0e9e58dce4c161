//! The scores of a run: the table of its components, all its judgements at once, the rubric tree with its grades, or
//! its flags.
//!
//! A run may have any of them or none ([`ScoresView::offered_pages`]). [`ScoresPage`] selects the page on screen. Each
//! page has its own state, messages and update function in its own file: [`components`] with their [`lifeline`],
//! [`judges`], [`tree`], [`flags`]. To add a page, add it to [`ScoresPage`], define when it is offered, give it a
//! context in the keymap and draw it in [`draw`].

pub mod components;
pub mod crash;
pub mod draw;
pub mod flags;
pub mod judges;
pub mod lifeline;
pub mod losses;
pub mod tree;
mod view;

use crate::{
    session::{self, Session, views::View},
    widgets::layout::ScreenLayout,
};
use trajview_run::rubric::Judgement;

/// The state of the view, apart from the scores.
#[derive(Debug, Default)]
pub struct ScoresView {
    /// The chosen page. Ignored if the run does not have it.
    chosen: Option<ScoresPage>,
    pub components: components::ComponentsView,
    pub judges: judges::JudgesView,
    pub tree: tree::TreeView,
    pub flags: flags::FlagsView,
    pub losses: losses::LossesView,
    pub crash: crash::CrashView,
    /// The page from which the table of losses or a crash test was opened.
    page_before: Option<ScoresPage>,
}

/// A page of the scores view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoresPage {
    Components,
    /// All judgements, if there are two or more.
    Judges,
    Tree,
    Flags,
    /// The lost components and tests; it has a key of its own and is not among the pages that follow each other.
    Losses,
    /// The card of a judge's crash test, likewise.
    Crash,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ScoresMessage {
    /// Switches to the next page, if the run has several.
    Switch,
    Components(components::ComponentsMessage),
    Judges(judges::JudgesMessage),
    Tree(tree::TreeMessage),
    Flags(flags::FlagsMessage),
    Losses(losses::LossesMessage),
    Crash(crash::CrashMessage),
}

impl ScoresPage {
    /// The pages that follow each other, in the order in which they are offered.
    const ALL: &'static [Self] = &[Self::Components, Self::Judges, Self::Tree, Self::Flags];
}

impl ScoresView {
    /// Returns the pages that the run has, in the order in which they are offered.
    pub(crate) fn offered_pages(&self, session: &Session) -> Vec<ScoresPage> {
        let is_there = |shows: &&ScoresPage| match shows {
            ScoresPage::Components => session.rubric.has_content(),
            ScoresPage::Judges => {
                session.rubric.known_rubric().is_some_and(|rubric| rubric.judgements.len() > 1)
            }
            ScoresPage::Tree => session.run.rubric_tree.is_some(),
            ScoresPage::Flags => !session::flags::flag_sources(session).is_empty(),
            ScoresPage::Losses | ScoresPage::Crash => false,
        };
        ScoresPage::ALL.iter().filter(is_there).copied().collect()
    }

    /// Returns the page on screen. None if the run has no scores.
    pub(crate) fn shown_page(&self, session: &Session) -> Option<ScoresPage> {
        let there = self.offered_pages(session);
        let is_there = |page: &ScoresPage| match page {
            ScoresPage::Losses => session.can_have_losses(),
            ScoresPage::Crash => true,
            page => there.contains(page),
        };
        // The tests of a run without any other scores are better than nothing.
        let losses = || session.can_have_losses().then_some(ScoresPage::Losses);
        self.chosen.filter(is_there).or_else(|| there.first().copied()).or_else(losses)
    }
}

impl ScoresView {
    pub(crate) fn update_view(
        &mut self,
        session: &mut Session,
        message: ScoresMessage,
        layout: &ScreenLayout,
    ) {
        session.view = View::Scores;
        match message {
            ScoresMessage::Switch => self.switch_scores(session),
            ScoresMessage::Components(message) => {
                self.components.update_components(session, message, layout)
            }
            ScoresMessage::Judges(message) => self.update_judges(session, message, layout),
            ScoresMessage::Tree(message) => self.tree.update_tree(session, message, layout),
            ScoresMessage::Flags(message) => self.flags.update_flags(session, message),
            ScoresMessage::Losses(losses::LossesMessage::Show) => self.toggle_losses(session),
            ScoresMessage::Losses(message) => self.losses.update_losses(session, message),
            ScoresMessage::Crash(crash::CrashMessage::Show) => self.toggle_crash_test(session),
            ScoresMessage::Crash(message) => self.crash.update_crash(session, message),
        }
    }

    /// Shows the table of losses, or the page before it again.
    fn toggle_losses(&mut self, session: &mut Session) {
        let before = self.shown_page(session);
        if before == Some(ScoresPage::Losses) {
            self.close_page();
            return;
        }
        if !session.can_have_losses() {
            session.notice = Some(losses::NOTHING_TO_LOSE.into());
            return;
        }
        self.open_page(ScoresPage::Losses, before);
    }

    /// Shows the card of the newest crash test, or the page before it again.
    fn toggle_crash_test(&mut self, session: &mut Session) {
        let before = self.shown_page(session);
        if before == Some(ScoresPage::Crash) {
            self.close_page();
            return;
        }
        session.rubric.crash_tests.forget(); // a test may go on meanwhile
        self.open_page(ScoresPage::Crash, before);
    }

    fn open_page(&mut self, page: ScoresPage, before: Option<ScoresPage>) {
        let has_own_key = |it: &ScoresPage| matches!(it, ScoresPage::Losses | ScoresPage::Crash);
        if !before.as_ref().is_some_and(has_own_key) {
            self.page_before = before;
        }
        self.chosen = Some(page);
    }

    /// Shows the page before the table of losses or a crash test again; returns false where another page is shown.
    fn close_page(&mut self) -> bool {
        let is_chosen = matches!(self.chosen, Some(ScoresPage::Losses | ScoresPage::Crash));
        if is_chosen {
            self.chosen = self.page_before.take();
        }
        is_chosen
    }

    fn switch_scores(&mut self, session: &mut Session) {
        let before = self.shown_page(session);
        self.switch_shown(session);
        // The selected component stays the same.
        match (before, self.shown_page(session)) {
            (Some(ScoresPage::Components), Some(ScoresPage::Judges)) => {
                let id = self.components.component_row(session).map(|row| row.id);
                self.judges.choose_component(id);
            }
            (Some(ScoresPage::Judges), Some(ScoresPage::Components)) => {
                let id = self.judges.judges_component().map(str::to_owned);
                self.components.choose_component(id);
            }
            _ => {}
        }
    }

    fn switch_shown(&mut self, session: &mut Session) {
        let there = self.offered_pages(session);
        let at = there.iter().position(|shows| Some(*shows) == self.shown_page(session));
        match at.filter(|_| there.len() > 1) {
            Some(at) => self.chosen = there.get((at + 1) % there.len()).copied(),
            None => session.notice = Some("this run has no other scores".into()),
        }
    }

    /// Notes which verdicts are on screen: a label that follows is not blind.
    fn note_verdicts_shown(&mut self, session: &mut Session) {
        let judged = &session.rubric;
        let all = judged.known_rubric().map_or(&[][..], |rubric| &rubric.judgements);
        let judgements: Vec<&Judgement> = match self.shown_page(session) {
            // A change needs the score of the other judgement.
            Some(ScoresPage::Components) => {
                judged.shown_judgement().into_iter().chain(judged.compared_judgement()).collect()
            }
            Some(ScoresPage::Judges) => all.iter().collect(),
            // Its scores are of the judge that is shown, in several states.
            Some(ScoresPage::Losses) => {
                let judge = judged.shown_judgement().map(|it| &it.judge.name);
                all.iter().filter(|it| Some(&it.judge.name) == judge).collect()
            }
            // Its reasons are of the same judge and components.
            Some(ScoresPage::Crash) => {
                let judge = self.crash.shown_test(session).map(|it| &it.judge);
                all.iter().filter(|it| Some(&it.judge.name) == judge).collect()
            }
            Some(ScoresPage::Tree | ScoresPage::Flags) | None => vec![],
        };
        let pairs = judgements.into_iter().flat_map(|judgement| {
            let ids = judgement.verdicts.iter().map(|verdict| verdict.component.clone());
            ids.map(|id| (judgement.file.clone(), id))
        });
        let pairs: Vec<_> = pairs.collect();
        session.audit.see_verdicts(pairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{session::context::KeyContext, views::view::RunView};
    use trajview_run::{Run, rubric_tree::RubricTree};

    #[test]
    fn the_view_shows_what_the_run_has() {
        let scores = ScoresView::default();
        let empty = Session::new(Run::default().into());
        let graded = Run { rubric_tree: Some(RubricTree::default().into()), ..Run::default() };
        let graded = Session::new(graded.into());

        assert_eq!(scores.shown_page(&empty), None);
        assert_eq!(scores.keyboard_context(&empty), KeyContext::Scores);
        assert_eq!(scores.shown_page(&graded), Some(ScoresPage::Tree));
        assert_eq!(scores.keyboard_context(&graded), KeyContext::Rubric);
    }
}
