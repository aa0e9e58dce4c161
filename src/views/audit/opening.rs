//! From the audit to the replay: the place on screen, and the turn that commits to the component.

use crate::{
    run::RepoPath,
    session::opening::{Opening, Target},
    shell::replay::Replay,
    widgets::layout::Layout,
};

use super::{Part, areas::Areas, item};

impl Replay {
    /// The file on screen as it was judged, at the line of the cursor; from a piece of evidence that one.
    pub(super) fn open_in_replay(&mut self, layout: &Layout) {
        let Some(turn) = self.session.audited_turn() else {
            self.session.notice = Some("the judged commit is no turn of this run".into());
            return;
        };
        let Some((path, line)) = self.place_at_cursor(layout) else {
            self.session.notice =
                Some("no file is on screen; t lists the files of the judged code".into());
            return;
        };
        self.session.open(Opening::at_line(turn, path, line));
        self.session.notice = Some("backspace goes back to the audit".into());
    }

    fn place_at_cursor(&self, layout: &Layout) -> Option<(RepoPath, usize)> {
        if self.audit.part == Part::Component {
            let areas = Areas::of(layout, self.audit.part);
            let rows = self.item_rows(&areas);
            if let Some((path, lines)) = item::evidence_at(&rows, self.audit.item.cursor) {
                return Some((RepoPath::new(path)?, lines.map_or(1, |(first, _)| first)));
            }
        }
        let key = self.audit_file()?;
        Some((key.path, self.audit.code.scroll.cursor + 1))
    }

    pub(super) fn go_to_commitment(&mut self) {
        let turn = self.audited_component().and_then(|it| it.committed_at_turn);
        let turn = turn.and_then(|turn| turn.checked_sub(1));
        let Some(turn) = turn.filter(|turn| *turn < self.session.run.turns.len()) else {
            self.session.notice =
                Some("nothing says in which turn the dialogue commits to it".into());
            return;
        };
        let id = self.audited_id().unwrap_or_default().to_owned();
        self.session.open(Opening::at(turn, Target::Request));
        self.session.notice =
            Some(format!("turn {} commits to {id}; backspace goes back to the audit", turn + 1));
    }
}
