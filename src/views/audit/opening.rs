//! From the audit to the replay: the place on screen, and the turn that commits to the component.

use crate::{
    run::RepoPath,
    session::{
        Session,
        opening::{Opening, Target},
    },
    views::audit::Audit,
    widgets::layout::Layout,
};

use super::{Part, areas::Areas, item};

impl Audit {
    /// The file on screen as it was judged, at the line of the cursor; from a piece of evidence that one.
    pub(super) fn open_in_replay(&mut self, session: &mut Session, layout: &Layout) {
        let Some(turn) = session.audited_turn() else {
            session.notice = Some("the judged commit is no turn of this run".into());
            return;
        };
        let Some((path, line)) = self.place_at_cursor(session, layout) else {
            session.notice =
                Some("no file is on screen; t lists the files of the judged code".into());
            return;
        };
        session.open(Opening::at_line(turn, path, line));
        session.notice = Some("backspace goes back to the audit".into());
    }

    fn place_at_cursor(&self, session: &Session, layout: &Layout) -> Option<(RepoPath, usize)> {
        if self.part == Part::Component {
            let areas = Areas::of(layout, self.part);
            let rows = self.item_rows(session, &areas);
            if let Some((path, lines)) = item::evidence_at(&rows, self.item.cursor) {
                return Some((RepoPath::new(path)?, lines.map_or(1, |(first, _)| first)));
            }
        }
        let key = self.audit_file(session)?;
        Some((key.path, self.code.scroll.cursor + 1))
    }

    pub(super) fn go_to_commitment(&mut self, session: &mut Session) {
        let turn = self.audited_component(session).and_then(|it| it.committed_at_turn);
        let turn = turn.and_then(|turn| turn.checked_sub(1));
        let Some(turn) = turn.filter(|turn| *turn < session.run.turns.len()) else {
            session.notice = Some("nothing says in which turn the dialogue commits to it".into());
            return;
        };
        let id = self.audited_id().unwrap_or_default().to_owned();
        session.open(Opening::at(turn, Target::Request));
        session.notice =
            Some(format!("turn {} commits to {id}; backspace goes back to the audit", turn + 1));
    }
}
