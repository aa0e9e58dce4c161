//! Opens the code of evidence and of events of a lifeline.

use crate::{
    session::{
        Session,
        replay_opening::{DiffBase, LineAim, OpeningTarget, ReplayOpening},
    },
    views::scores::components::ComponentsView,
    widgets::layout::ScreenLayout,
};
use trajview_metrics::lifeline::{EventSpot, TurnSide};
use trajview_run::{RepoPath, files::FileChange};

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
        let target = spot.map_or(OpeningTarget::Turn, |spot| self.event_target(session, &spot));
        let (turn, base) = (session.turn, Some(DiffBase::PreviousTurn));
        session.set_opening(ReplayOpening { turn, target, base });
        let words = words.unwrap_or_else(|| "no event in this turn".into());
        session.notice = Some(format!("{words}; backspace returns to the scores"));
    }

    fn event_target(&self, session: &Session, spot: &EventSpot) -> OpeningTarget {
        let is_it = |change: &&FileChange| {
            change.path == spot.path
                || (spot.side == TurnSide::Old && change.from.as_ref() == Some(&spot.path))
        };
        let turn = session.timeline.ready().and_then(|it| it.turns.get(session.turn));
        let change = turn.and_then(|turn| turn.changes.iter().find(is_it));
        let path = change.map_or_else(|| spot.path.clone(), |change| change.path.clone());
        let line = spot.line as usize;
        match spot.side {
            TurnSide::Old => OpeningTarget::Change { path, aim: Some(LineAim::Old(line)) },
            TurnSide::New if change.is_some() => {
                OpeningTarget::Change { path, aim: Some(LineAim::Line(line)) }
            }
            TurnSide::New => OpeningTarget::File { path, aim: Some(LineAim::Line(line)) },
        }
    }
}
