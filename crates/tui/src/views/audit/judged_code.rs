//! The code as it was judged: places to look at, and the file that contains one of them, or any other file.
//!
//! Before the label the places are those that resemble the component, whatever the judge read. After it the
//! evidence comes first; where the judge found little or nothing, the places that it never opened follow.

use crate::{
    session::{
        Session,
        context::KeyContext,
        files::{DiffKey, DiffScope},
    },
    views::{
        audit::AuditView,
        file_tree::{FileTree, FileTreeRow},
    },
    widgets::{layout::ScreenLayout, pane::ListPane, scroll::Motion},
};
use trajview_metrics::absence::CandidatePlace;
use trajview_run::{
    RepoPath,
    files::RunMoment,
    rubric::{Evidence, LabelUnit, SEVERE},
};

use super::{AuditPart, areas::AuditAreas};

/// The shown file and its scroll position.
#[derive(Debug, Default)]
pub struct JudgedCode {
    /// Index into [`AuditView::code_spots`].
    pub spot: usize,
    /// A file that was chosen from all of them, in the place of the spot's.
    pub file: Option<RepoPath>,
    pub lines: ListPane,
    /// First character shown of each line.
    pub column: usize,
    /// All files of the judged code, where they are shown.
    pub tree: FileTree,
    /// The line to go to once the text is here; counts from 1.
    target_line: Option<usize>,
    /// The spot that was aimed at last.
    last_target: Option<(String, usize)>,
    /// Judgement, component and whether the verdict is shown, of the spot.
    shown_for: Option<(String, super::ChosenItem, bool)>,
}

/// Places of one component that are kept.
pub(crate) const MAX_SPOTS: usize = 20;

/// Lines above the one that is aimed at.
const LINES_ABOVE_TARGET: usize = 2;

/// Somewhere to look.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeSpot {
    pub path: String,
    /// First and last line, counting from 1; None where the whole file is meant.
    pub lines: Option<(usize, usize)>,
    pub kind: SpotKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SpotKind {
    /// The item is there.
    Item,
    /// The rater marked it as missed: the criterion that flags it.
    Missed(String),
    /// The verdict names it.
    Evidence,
    /// A place similar to the component: the name of its symbol, and the reason. No tool call of the judge read it.
    Place { name: Option<String>, why: String, is_opened: bool },
}

impl CodeSpot {
    /// Returns whether both are in the same lines, in part or as a whole: one of them leads to the other.
    fn shares_lines_with(&self, other: &Self) -> bool {
        let (first, last) = self.lines.unwrap_or((0, usize::MAX));
        let (other_first, other_last) = other.lines.unwrap_or((0, usize::MAX));
        self.path == other.path && first <= other_last && other_first <= last
    }
}

/// The rows of the part, from above: spots, the name of the file, its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodePartRows {
    /// The first visible spot.
    pub first_spot: usize,
    pub spots: usize,
}

impl AuditView {
    /// Returns the places to look at for the chosen item.
    pub(crate) fn code_spots(&self, session: &Session) -> Vec<CodeSpot> {
        let places = self.similar_places(session).and_then(|places| places.as_ref().ok());
        let places = places.map_or(&[][..], |places| places);
        let Some(verdict) = self.revealed_verdict(session) else {
            let alike = places.iter().map(|place| place_spot(place, false));
            return self.item_spots(session).into_iter().chain(alike).collect();
        };
        let evidence = verdict.evidence.iter().map(|it| CodeSpot {
            path: it.path.clone(),
            lines: it.shown_lines(),
            kind: SpotKind::Evidence,
        });
        let mut evidence: Vec<CodeSpot> = evidence.collect();
        evidence.dedup();
        let is_evidence = |spot: &CodeSpot| evidence.iter().any(|it| it.shares_lines_with(spot));
        let is_low = self.is_low_score(session);
        let is_wanted = |place: &&CandidatePlace| !is_low || !place.is_opened;
        let places =
            places.iter().filter(is_wanted).map(|place| place_spot(place, place.is_opened));
        let places: Vec<CodeSpot> = places.filter(|spot| !is_evidence(spot)).collect();
        self.item_spots(session).into_iter().chain(evidence).chain(places).collect()
    }

    /// Returns the places of the item itself and those that the rater marked as missed.
    fn item_spots(&self, session: &Session) -> Vec<CodeSpot> {
        let item = self.audited_item(session);
        let own = item.map_or(&[][..], |item| &item.places).iter();
        let spot = |place: &Evidence, kind| CodeSpot {
            path: place.path.clone(),
            lines: place.lines,
            kind,
        };
        let missed = session.missed_flags();
        let missed =
            missed.into_iter().map(|(place, criterion)| spot(&place, SpotKind::Missed(criterion)));
        own.map(|place| spot(place, SpotKind::Item)).chain(missed).collect()
    }

    /// Returns whether the shown score is so low that places the judge never opened matter.
    pub(crate) fn is_low_score(&self, session: &Session) -> bool {
        let is_component = session.audit.unit() == LabelUnit::Component;
        let score = self.revealed_verdict(session).and_then(|it| it.score);
        is_component && score.is_some_and(|score| score <= SEVERE.into())
    }

    /// Returns the file on screen, as it was judged.
    pub(crate) fn audit_file(&self, session: &Session) -> Option<DiffKey> {
        let code = &self.code;
        let path = match &code.file {
            Some(path) => path.clone(),
            None => RepoPath::new(&self.code_spots(session).get(code.spot)?.path)?,
        };
        let turn = session.turn_of_item(self.audited_item(session)?)?;
        Some(DiffKey { scope: DiffScope::At(RunMoment::after_turns(turn + 1)), path })
    }

    /// Returns lines of the file on screen, if they have arrived.
    pub(crate) fn audit_line_count(&self, session: &Session) -> usize {
        let compared = self
            .audit_file(session)
            .and_then(|key| session.files.compared_file(&key)?.as_ref().ok());
        compared.filter(|it| it.text_diff().is_some()).map_or(0, |it| it.line_count())
    }

    /// Returns the division of the rows of the part.
    pub(crate) fn code_rows(&self, session: &Session, areas: &AuditAreas) -> CodePartRows {
        let count = self.code_spots(session).len();
        let spots = count.min(areas.spot_rows());
        let first_spot = crate::widgets::scroll::centred_top(self.code.spot, count, spots);
        CodePartRows { first_spot, spots }
    }

    pub(super) fn settle_code(&mut self, session: &mut Session, areas: &AuditAreas) {
        let revealed = self.revealed_verdict(session).is_some();
        let of = self.audited_item(session);
        let of =
            of.map(|item| (item.judgement.clone(), super::ChosenItem::for_item(item), revealed));
        if self.code.shown_for != of {
            let code = &mut self.code;
            (code.shown_for, code.spot, code.last_target) = (of, 0, None);
            (code.file, code.column, code.tree.is_shown) = (None, 0, false);
            code.lines.restart();
        }
        let spots = self.code_spots(session);
        let turn = self.audited_item(session).and_then(|it| session.turn_of_item(it));
        let timeline = session.timeline.ready().cloned();
        let code = &mut self.code;
        code.spot = code.spot.min(spots.len().saturating_sub(1));
        if code.file.is_none() {
            let target = spots
                .get(code.spot)
                .map(|spot| (spot.path.clone(), spot.lines.map_or(1, |(first, _)| first)));
            if code.last_target != target {
                code.target_line = target.as_ref().map(|(_, line)| *line);
                code.last_target = target;
            }
        }
        if let Some(turn) = turn {
            code.tree.settle_tree(
                &session.run,
                RunMoment::after_turns(turn + 1),
                timeline.as_deref(),
            );
        }
        let (len, rows) = (self.audit_line_count(session), self.code_rows(session, areas));
        let code = &mut self.code;
        if len > 0
            && let Some(line) = code.target_line.take()
        {
            let cursor = line.saturating_sub(1).min(len - 1);
            code.lines.show_below(LINES_ABOVE_TARGET, cursor);
        }
        if len > 0 {
            let room = areas.part_room(AuditPart::Code).with_fixed_rows(rows.spots as u16 + 1, 0);
            code.lines.settle(room, len);
        }
    }

    pub(super) fn go_to_spot_of_code(
        &mut self,
        session: &mut Session,
        by: isize,
        layout: &ScreenLayout,
    ) {
        let spots = self.code_spots(session).len();
        if spots == 0 {
            let files = session.keys.key_text(KeyContext::Audit, "file-tree");
            session.notice = Some(format!("no code location; {files} lists the files"));
            return;
        }
        if self.part_areas(layout).part_area(AuditPart::Code).is_none() {
            // The place was hidden so far: the user wants this one, not the one after it.
            self.part = AuditPart::Code;
            self.aim_at_spot(self.code.spot);
            return;
        }
        let at = (self.code.spot as isize + by).rem_euclid(spots as isize);
        self.aim_at_spot(at as usize);
    }

    pub(super) fn aim_at_spot(&mut self, at: usize) {
        let code = &mut self.code;
        code.spot = at;
        (code.file, code.tree.is_shown, code.last_target) = (None, false, None);
        code.column = 0;
    }

    pub(super) fn switch_files(&mut self, session: &mut Session) {
        self.part = AuditPart::Code;
        let shown = self.audit_file(session).map(|key| key.path);
        let turn = self.audited_item(session).and_then(|it| session.turn_of_item(it));
        let timeline = session.timeline.ready().cloned();
        let code = &mut self.code;
        code.tree.is_shown = !code.tree.is_shown;
        if let Some(turn) = turn {
            code.tree.settle_tree(
                &session.run,
                RunMoment::after_turns(turn + 1),
                timeline.as_deref(),
            );
        }
        if let Some(path) = shown.filter(|_| code.tree.is_shown) {
            code.tree.reveal_file(&path);
        }
    }

    /// Folds a folder, or shows a file.
    pub(super) fn open_file_of_tree(&mut self) {
        let code = &mut self.code;
        match code.tree.selected_row() {
            None => {}
            Some(FileTreeRow::Folder { .. }) => code.tree.toggle_folder(),
            Some(FileTreeRow::File { path, .. }) => {
                code.file = Some(path.clone());
                code.tree.is_shown = false;
                (code.target_line, code.column) = (Some(1), 0);
            }
        }
    }

    pub(super) fn move_in_code(&mut self, motion: Motion, areas: &AuditAreas) {
        let code = &mut self.code;
        match code.tree.is_shown {
            true => code.tree.move_cursor(motion, areas.rows_inside(AuditPart::Code)),
            false => code.lines.move_cursor(motion),
        }
    }
}

fn place_spot(place: &CandidatePlace, is_opened: bool) -> CodeSpot {
    let why: Vec<String> = place.reasons.iter().map(ToString::to_string).collect();
    CodeSpot {
        path: place.path.clone(),
        lines: Some((place.start, place.end)),
        kind: SpotKind::Place { name: place.name.clone(), why: why.join("; "), is_opened },
    }
}
