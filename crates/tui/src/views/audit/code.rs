//! The code as it was judged: places to look at, and the file that one of them is in, or any other.
//!
//! Before the label the places are those that look like the component, whatever the judge looked at. After it the
//! evidence comes first; where the judge found little or nothing, the places that it never opened follow.

use crate::{
    session::{
        Session,
        files::{DiffKey, Scope},
    },
    views::{
        audit::Audit,
        file_tree::{FileTree, Row},
    },
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use trajview_metrics::absence::Place;
use trajview_run::{
    RepoPath,
    files::Moment,
    rubric::{Evidence, SEVERE, Unit},
};

use super::{Part, areas::Areas};

/// Which file is on screen, and how far it is scrolled.
#[derive(Debug, Default)]
pub struct Code {
    /// Index into [`Audit::spots`].
    pub spot: usize,
    /// A file that was chosen from all of them, in the place of the spot's.
    pub file: Option<RepoPath>,
    pub scroll: Scroll,
    /// First character shown of each line.
    pub column: usize,
    /// All files of the judged code, where they are shown.
    pub tree: FileTree,
    /// The line to go to once the text is here; counts from 1.
    aim: Option<usize>,
    /// The spot that was aimed at last.
    aimed: Option<(String, usize)>,
    /// Judgement, component and whether the verdict is shown, of the spot.
    of: Option<(String, super::Chosen, bool)>,
}

/// Places of one component that are kept.
pub const MOST_SPOTS: usize = 20;

/// Rows of spots above the code, at most.
const MOST_ROWS: usize = 6;

/// Lines above the one that is aimed at.
const ABOVE: usize = 2;

/// Somewhere to look.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    pub path: String,
    /// First and last line, counting from 1; None where the whole file is meant.
    pub lines: Option<(usize, usize)>,
    pub kind: SpotKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SpotKind {
    /// The item is there.
    Item,
    /// The rater says that it should have been flagged: by which criterion.
    Missed(String),
    /// The verdict names it.
    Evidence,
    /// It looks like the component: the name of its symbol, and why. None of the judge's looks read it.
    Place { name: Option<String>, why: String, is_opened: bool },
}

/// The rows of the part, from above: spots, the name of the file, its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Of the window over the spots.
    pub first_spot: usize,
    pub spots: usize,
    /// Lines of code.
    pub lines: usize,
}

impl Audit {
    /// Where to look for the component that is chosen.
    pub fn spots(&self, session: &Session) -> Vec<Spot> {
        let places = self.places_alike(session).and_then(|places| places.as_ref().ok());
        let places = places.map_or(&[][..], |places| places);
        let Some(verdict) = self.revealed(session) else {
            let alike = places.iter().map(|place| spot_of(place, false));
            return self.own_places(session).into_iter().chain(alike).collect();
        };
        let evidence = verdict.evidence.iter().map(|it| Spot {
            path: it.path.clone(),
            lines: it.lines,
            kind: SpotKind::Evidence,
        });
        let evidence: Vec<Spot> = evidence.collect();
        let is_evidence = |spot: &Spot| {
            evidence.iter().any(|it| (&it.path, it.lines) == (&spot.path, spot.lines))
        };
        let is_low = self.found_little(session);
        let is_wanted = |place: &&Place| !is_low || !place.is_opened;
        let places = places.iter().filter(is_wanted).map(|place| spot_of(place, place.is_opened));
        let places: Vec<Spot> = places.filter(|spot| !is_evidence(spot)).collect();
        self.own_places(session).into_iter().chain(evidence).chain(places).collect()
    }

    /// Where the item itself is, and what the rater marked as missed.
    fn own_places(&self, session: &Session) -> Vec<Spot> {
        let item = self.audited_item(session);
        let own = item.map_or(&[][..], |item| &item.places).iter();
        let spot =
            |place: &Evidence, kind| Spot { path: place.path.clone(), lines: place.lines, kind };
        let missed = session.missed_flags();
        let missed =
            missed.into_iter().map(|(place, criterion)| spot(&place, SpotKind::Missed(criterion)));
        own.map(|place| spot(place, SpotKind::Item)).chain(missed).collect()
    }

    /// Whether the verdict that is shown finds next to nothing, so that what the judge never opened matters.
    pub fn found_little(&self, session: &Session) -> bool {
        let is_component = session.audited.unit() == Unit::Component;
        let score = self.revealed(session).and_then(|it| it.score);
        is_component && score.is_some_and(|score| score <= SEVERE.into())
    }

    /// The file on screen, as it was judged.
    pub fn audit_file(&self, session: &Session) -> Option<DiffKey> {
        let code = &self.code;
        let path = match &code.file {
            Some(path) => path.clone(),
            None => RepoPath::new(&self.spots(session).get(code.spot)?.path)?,
        };
        let turn = session.turn_of_item(self.audited_item(session)?)?;
        Some(DiffKey { scope: Scope::At(Moment::after(turn + 1)), path })
    }

    /// Lines of the file on screen, if they have arrived.
    pub fn audit_line_count(&self, session: &Session) -> usize {
        let compared =
            self.audit_file(session).and_then(|key| session.files.compared(&key)?.as_ref().ok());
        compared.filter(|it| it.text().is_some()).map_or(0, |it| it.line_count())
    }

    /// How the rows of the part are divided.
    pub fn code_rows(&self, session: &Session, areas: &Areas) -> Rows {
        let height = areas.height(Part::Code);
        let count = self.spots(session).len();
        let spots = count.min(MOST_ROWS).min((height / 3).max(1));
        let first_spot = crate::widgets::scroll::centred(self.code.spot, count, spots);
        Rows { first_spot, spots, lines: height.saturating_sub(spots + 1) }
    }

    pub(super) fn settle_code(&mut self, session: &mut Session, areas: &Areas) {
        let revealed = self.revealed(session).is_some();
        let of = self.audited_item(session);
        let of = of.map(|item| (item.judgement.clone(), super::Chosen::of(item), revealed));
        if self.code.of != of {
            let code = &mut self.code;
            (code.of, code.spot, code.aimed) = (of, 0, None);
            (code.file, code.column, code.tree.is_shown) = (None, 0, false);
            code.scroll = Scroll::default();
        }
        let spots = self.spots(session);
        let turn = self.audited_item(session).and_then(|it| session.turn_of_item(it));
        let timeline = session.timeline.ready().cloned();
        let code = &mut self.code;
        code.spot = code.spot.min(spots.len().saturating_sub(1));
        if code.file.is_none() {
            let target = spots
                .get(code.spot)
                .map(|spot| (spot.path.clone(), spot.lines.map_or(1, |(first, _)| first)));
            if code.aimed != target {
                code.aim = target.as_ref().map(|(_, line)| *line);
                code.aimed = target;
            }
        }
        if let Some(turn) = turn {
            code.tree.settle(&session.run, Moment::after(turn + 1), timeline.as_deref());
        }
        let (len, rows) = (self.audit_line_count(session), self.code_rows(session, areas));
        let code = &mut self.code;
        if len > 0
            && let Some(line) = code.aim.take()
        {
            let cursor = line.saturating_sub(1).min(len - 1);
            code.scroll = Scroll { cursor, top: cursor.saturating_sub(ABOVE) };
        }
        if len > 0 {
            code.scroll.follow(len, rows.lines);
        }
    }

    pub(super) fn go_to_spot_of_code(&mut self, session: &mut Session, by: isize, layout: &Layout) {
        let spots = self.spots(session).len();
        if spots == 0 {
            session.notice = Some("there is no place to go to; t lists the files".into());
            return;
        }
        if self.areas(layout).of_part(Part::Code).is_none() {
            // The place was not on screen so far: it is what is wanted, not the one after it.
            self.part = Part::Code;
            self.aim_at_spot(self.code.spot);
            return;
        }
        let at = (self.code.spot as isize + by).rem_euclid(spots as isize);
        self.aim_at_spot(at as usize);
    }

    pub(super) fn aim_at_spot(&mut self, at: usize) {
        let code = &mut self.code;
        code.spot = at;
        (code.file, code.tree.is_shown, code.aimed) = (None, false, None);
        code.column = 0;
    }

    pub(super) fn switch_files(&mut self, session: &mut Session) {
        self.part = Part::Code;
        let shown = self.audit_file(session).map(|key| key.path);
        let turn = self.audited_item(session).and_then(|it| session.turn_of_item(it));
        let timeline = session.timeline.ready().cloned();
        let code = &mut self.code;
        code.tree.is_shown = !code.tree.is_shown;
        if let Some(turn) = turn {
            code.tree.settle(&session.run, Moment::after(turn + 1), timeline.as_deref());
        }
        if let Some(path) = shown.filter(|_| code.tree.is_shown) {
            code.tree.reveal(&path);
        }
    }

    /// A folder folds; a file comes on screen.
    pub(super) fn open_file_of_tree(&mut self) {
        let code = &mut self.code;
        match code.tree.selected() {
            None => {}
            Some(Row::Folder { .. }) => code.tree.fold(),
            Some(Row::File { path, .. }) => {
                code.file = Some(path.clone());
                code.tree.is_shown = false;
                (code.aim, code.column) = (Some(1), 0);
            }
        }
    }

    pub(super) fn move_in_code(&mut self, session: &mut Session, motion: Motion, areas: &Areas) {
        let (len, rows) = (self.audit_line_count(session), self.code_rows(session, areas));
        let height = areas.height(Part::Code);
        let code = &mut self.code;
        if code.tree.is_shown {
            return code.tree.go(motion, height);
        }
        code.scroll.cursor = motion.from(code.scroll.cursor, len, rows.lines);
    }
}

fn spot_of(place: &Place, is_opened: bool) -> Spot {
    let why: Vec<String> = place.why.iter().map(ToString::to_string).collect();
    Spot {
        path: place.path.clone(),
        lines: Some((place.start, place.end)),
        kind: SpotKind::Place { name: place.name.clone(), why: why.join("; "), is_opened },
    }
}
