//! Opens the code of evidence and of events of a lifeline.

use crate::{
    session::{
        Session,
        replay_opening::{DiffBase, OpeningTarget, ReplayOpening},
    },
    views::scores::components::ComponentsView,
    widgets::layout::ScreenLayout,
};
use trajview_run::RepoPath;

use super::areas::ComponentsAreas;

impl ComponentsView {
    /// Opens the file of the evidence at the cursor, as it was judged, at the line.
    pub(super) fn open_evidence(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let areas = ComponentsAreas::for_layout(layout, self.part);
        let Some((path, line)) = self.evidence_at_cursor(session, &areas) else {
            session.notice = Some("not an evidence line".into());
            return;
        };
        let (Some(turn), Some(path)) = (session.judged_turn(), RepoPath::new(&path)) else {
            session.notice = Some("the judged commit is not a turn of this run".into());
            return;
        };
        session.set_opening(ReplayOpening::at_line(turn, path, line));
        session.notice = Some("backspace returns to the scores".into());
    }

    /// Opens the change of the playhead's turn, at the line that made the worst event of it.
    pub(super) fn open_event(&mut self, session: &mut Session) {
        let spot =
            self.playhead_events(session).into_iter().find_map(|(_, event)| event.spot.clone());
        let words = self
            .playhead_events(session)
            .first()
            .map(|(life, event)| format!("{} {}", life.name, event.change.change_text()));
        session.set_opening(match spot {
            Some(spot) => session.opening_of_event(session.turn, &spot),
            None => {
                let base = Some(DiffBase::PreviousTurn);
                ReplayOpening { turn: session.turn, target: OpeningTarget::Turn, base }
            }
        });
        let words = words.unwrap_or_else(|| "no event in this turn".into());
        session.notice = Some(format!("{words}; backspace returns to the scores"));
    }
}
