//! From the evidence and from the events of a lifeline to the code.

use crate::{
    session::{
        Session,
        opening::{Aim, Base, Opening, Target},
    },
    views::scores::components::Components,
    widgets::layout::Layout,
};
use trajview_metrics::lifeline::{Side, Spot};
use trajview_run::{RepoPath, files::Change};

use super::areas::Areas;

impl Components {
    /// The file of the evidence at the cursor, as it was judged, at the line.
    pub(super) fn open_evidence(&mut self, session: &mut Session, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        let Some((path, line)) = self.evidence_at_cursor(session, &areas) else {
            session.notice = Some("enter opens lines of the evidence; this is none of them".into());
            return;
        };
        let (Some(turn), Some(path)) = (session.judged_turn(), RepoPath::new(&path)) else {
            session.notice = Some("the judged commit is no turn of this run".into());
            return;
        };
        session.open(Opening::at_line(turn, path, line));
        session.notice = Some("backspace goes back to the scores".into());
    }

    /// The change of the playhead's turn, at the line that made the worst event of it.
    pub(super) fn open_event(&mut self, session: &mut Session) {
        let spot = self.events_here(session).into_iter().find_map(|(_, event)| event.spot.clone());
        let words = self
            .events_here(session)
            .first()
            .map(|(life, event)| format!("{} {}", life.name, event.what.words()));
        let target = spot.map_or(Target::Turn, |spot| self.target_of(session, &spot));
        let (turn, base) = (session.turn, Some(Base::PreviousTurn));
        session.open(Opening { turn, target, base });
        let words = words.unwrap_or_else(|| "nothing happened to it in this turn".into());
        session.notice = Some(format!("{words}; backspace goes back to the scores"));
    }

    fn target_of(&self, session: &Session, spot: &Spot) -> Target {
        let is_it = |change: &&Change| {
            change.path == spot.path
                || (spot.side == Side::Old && change.from.as_ref() == Some(&spot.path))
        };
        let turn = session.timeline.ready().and_then(|it| it.turns.get(session.turn));
        let change = turn.and_then(|turn| turn.changes.iter().find(is_it));
        let path = change.map_or_else(|| spot.path.clone(), |change| change.path.clone());
        let line = spot.line as usize;
        match spot.side {
            Side::Old => Target::Change { path, aim: Some(Aim::Old(line)) },
            Side::New if change.is_some() => Target::Change { path, aim: Some(Aim::Line(line)) },
            Side::New => Target::File { path, aim: Some(Aim::Line(line)) },
        }
    }
}
