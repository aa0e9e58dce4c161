//! From the evidence and from the events of a lifeline to the code.

use crate::{
    metrics::lifeline::{Side, Spot},
    run::{RepoPath, files::Change},
    session::views::View,
    shell::replay::Replay,
    views::{curves::Place, replay::base::Base},
    widgets::layout::Layout,
};

use super::areas::Areas;

impl Replay {
    /// The file of the evidence at the cursor, as it was judged, at the line.
    pub(super) fn open_evidence(&mut self, layout: &Layout) {
        let areas = Areas::of(layout, self.scores.components.part);
        let Some((path, line)) = self.evidence_at_cursor(&areas) else {
            self.session.notice =
                Some("enter opens lines of the evidence; this is none of them".into());
            return;
        };
        let (Some(turn), Some(path)) = (self.session.judged_turn(), RepoPath::new(&path)) else {
            self.session.notice = Some("the judged commit is no turn of this run".into());
            return;
        };
        self.leave();
        self.show_place(&Place { turn, path: path.clone(), lines: None, is_changed: false });
        self.diff.view = crate::views::replay::diff::View::File(path);
        self.diff.aim_at(line);
        self.session.notice = Some("backspace goes back to the scores".into());
    }

    /// The change of the playhead's turn, at the line that made the worst event of it.
    pub(super) fn open_event(&mut self) {
        let spot = self.events_here().into_iter().find_map(|(_, event)| event.spot.clone());
        let words = self
            .events_here()
            .first()
            .map(|(life, event)| format!("{} {}", life.name, event.what.words()));
        self.leave();
        if self.bases.base != Base::PreviousTurn {
            let before = std::mem::take(&mut self.bases.base);
            self.scores.components.lent_base.get_or_insert(before);
        }
        match spot {
            Some(spot) => self.show_spot(&spot),
            None => self.view = View::Replay,
        }
        let words = words.unwrap_or_else(|| "nothing happened to it in this turn".into());
        self.session.notice = Some(format!("{words}; backspace goes back to the scores"));
    }

    fn show_spot(&mut self, spot: &Spot) {
        let is_it = |change: &&Change| {
            change.path == spot.path
                || (spot.side == Side::Old && change.from.as_ref() == Some(&spot.path))
        };
        let turn = self.session.timeline.ready().and_then(|it| it.turns.get(self.session.turn));
        let change = turn.and_then(|turn| turn.changes.iter().find(is_it));
        let path = change.map_or_else(|| spot.path.clone(), |change| change.path.clone());
        let line = spot.line as usize;
        let lines = (spot.side == Side::New).then_some((line, line));
        let is_changed = change.is_some();
        self.show_place(&Place { turn: self.session.turn, path, lines, is_changed });
        match spot.side {
            Side::Old => self.diff.aim_at_old(line),
            Side::New => self.diff.aim_at(line),
        }
    }

    /// What the diff was measured from before an event led to it, once the scores are shown again.
    pub(crate) fn give_event_base_back(&mut self) {
        if self.view == View::Scores
            && let Some(base) = self.scores.components.lent_base.take()
        {
            self.bases.base = base;
        }
    }
}
