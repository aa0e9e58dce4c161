//! The card of a judge's crash test: a row for each kind of edit, unfolded its components; below it the planted edit as a
//! diff with the reasons of both verdicts.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::{
    session::Session,
    widgets::{
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        pane::{ListPane, PaneRoom},
        scroll::Motion,
        wrap::wrap_line,
    },
};
use trajview_code::plants::PlantKind;
use trajview_run::format_number;
use trajview_study::crash_test::{CrashAnswer, CrashEdit, CrashReport, CrashRow, CrashTrial};

/// The state of the page.
#[derive(Debug, Default)]
pub struct CrashView {
    /// The shown test, counted from the newest.
    test: usize,
    /// The kind whose components are listed.
    unfolded: Option<PlantKind>,
    pub rows: ListPane,
    pub detail: ListPane,
    /// True if the text below the card has the keyboard.
    pub(crate) is_in_detail: bool,
    /// The row to which the scroll position of the text belongs.
    detail_subject: Option<(usize, usize)>,
    /// The text about the row at the cursor, wrapped to the width of this frame.
    detail_lines: Vec<(DetailMeaning, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CrashMessage {
    /// Shows the card, or the page before it again.
    Show,
    Move(Motion),
    /// Lists the components of a kind; at a component its edit.
    Open,
    /// The card of the next judge, or of the test before.
    NextTest,
    /// From the card to the text below it, and back.
    SwitchPart,
}

/// A row of the card.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CardRow<'t> {
    /// The repeats without an edit.
    Noise,
    Kind(&'t CrashRow),
    Trial(&'t CrashTrial),
}

/// The meaning of a line of the text below the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DetailMeaning {
    Heading,
    Text,
    Added,
    Removed,
    Hunk,
}

/// The areas of one frame, borders included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CrashAreas {
    pub card: Option<Rect>,
    pub detail: Option<Rect>,
}

/// Rows of the names of the columns.
pub(super) const HEAD_ROWS: u16 = 1;

/// Rows below which one part has all of them.
const LOW_BODY_ROWS: u16 = 22;

impl CrashAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, rows: usize, is_in_detail: bool) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        if body.height < LOW_BODY_ROWS {
            return match is_in_detail {
                true => Self { card: None, detail: Some(body) },
                false => Self { card: Some(body), detail: None },
            };
        }
        let rows = u16::try_from(rows.max(3)).unwrap_or(u16::MAX);
        let wanted = rows.saturating_add(HEAD_ROWS + 2);
        let most = if is_in_detail { body.height / 3 } else { body.height * 3 / 5 };
        let card = Constraint::Length(wanted.min(most));
        let [card, detail] = Split::vertical([card, Constraint::Fill(1)]).areas(body);
        Self { card: Some(card), detail: Some(detail) }
    }
}

impl CrashView {
    /// Returns the shown test; None while nothing is read, and where the run has none.
    pub(crate) fn shown_test<'s>(&self, session: &'s Session) -> Option<&'s CrashReport> {
        let tests = session.rubric.crash_tests.known_tests()?.ok()?;
        tests.get(self.test.min(tests.len().saturating_sub(1)))
    }

    pub(crate) fn card_rows<'s>(&self, session: &'s Session) -> Vec<CardRow<'s>> {
        let Some(test) = self.shown_test(session) else { return vec![] };
        let mut rows = vec![CardRow::Noise];
        for kind in &test.card.rows {
            rows.push(CardRow::Kind(kind));
            if self.unfolded == Some(kind.kind) {
                let edit = CrashEdit::Plant(kind.kind);
                rows.extend(test.trials.iter().filter(|it| it.edit == edit).map(CardRow::Trial));
            }
        }
        rows
    }

    pub(crate) fn is_unfolded(&self, kind: PlantKind) -> bool {
        self.unfolded == Some(kind)
    }

    pub(super) fn update_crash(&mut self, session: &mut Session, message: CrashMessage) {
        match message {
            CrashMessage::Move(motion) if self.is_in_detail => self.detail.scroll_by(motion),
            CrashMessage::Move(motion) => self.rows.move_cursor(motion),
            CrashMessage::SwitchPart => self.is_in_detail = !self.is_in_detail,
            CrashMessage::Open => self.open_row(session),
            CrashMessage::NextTest => {
                let tests = session.rubric.crash_tests.known_tests().and_then(Result::ok);
                let count = tests.map_or(0, <[_]>::len);
                if count < 2 {
                    session.notice = Some("this run has no other crash test".into());
                    return;
                }
                self.test = (self.test + 1) % count;
                self.rows.restart();
            }
            CrashMessage::Show => {} // the pages are the view's
        }
    }

    fn open_row(&mut self, session: &Session) {
        let rows = self.card_rows(session);
        match rows.get(self.rows.cursor()) {
            Some(CardRow::Kind(row)) if self.unfolded == Some(row.kind) => self.unfolded = None,
            Some(CardRow::Kind(row)) => {
                let kind = row.kind;
                self.unfolded = Some(kind);
                // The row stays at the cursor though another kind is folded.
                let is_same =
                    |it: &CardRow<'_>| matches!(it, CardRow::Kind(row) if row.kind == kind);
                let at = self.card_rows(session).iter().position(is_same);
                self.rows.choose(at.unwrap_or_default());
            }
            Some(CardRow::Trial(_) | CardRow::Noise) => self.is_in_detail = true,
            None => {}
        }
    }

    /// Goes back to the card; returns false if it has the keyboard.
    pub(super) fn close_part(&mut self) -> bool {
        std::mem::take(&mut self.is_in_detail)
    }

    pub(super) fn settle_crash(&mut self, session: &Session, layout: &ScreenLayout) {
        let count = self.card_rows(session).len();
        let areas = CrashAreas::for_layout(layout, count, self.is_in_detail);
        self.rows.settle(PaneRoom::framed(areas.card).with_fixed_rows(HEAD_ROWS, 0), count);
        let subject = Some((self.test, self.rows.cursor()));
        if self.detail_subject != subject {
            self.detail_subject = subject;
            self.detail.restart();
        }
        let width = areas.detail.map_or(0, |area| usize::from(area.width.saturating_sub(2)));
        self.detail_lines = self.wrapped_detail(session, width);
        self.detail.settle(PaneRoom::framed(areas.detail), self.detail_lines.len());
    }

    pub(super) fn point_at_crash(&mut self, session: &mut Session, mouse: Mouse) {
        let is_detail = self.detail.has_mouse(mouse);
        if !is_detail && !self.rows.has_mouse(mouse) {
            return;
        }
        self.is_in_detail = is_detail;
        match (is_detail, mouse.kind) {
            (true, _) => {
                if let Some(motion) = self.detail.mouse_motion(mouse) {
                    self.detail.scroll_by(motion);
                }
            }
            (false, MouseKind::Click | MouseKind::DoubleClick) => {
                self.rows.choose_row_at(mouse);
                if mouse.kind == MouseKind::DoubleClick {
                    self.open_row(session);
                }
            }
            (false, _) => {
                if let Some(motion) = self.rows.mouse_motion(mouse) {
                    self.rows.move_cursor(motion);
                }
            }
        }
    }

    /// Returns the component of the row at the cursor.
    pub(crate) fn chosen_component(&self, session: &Session) -> Option<String> {
        match self.card_rows(session).get(self.rows.cursor())? {
            CardRow::Trial(trial) => Some(trial.component.clone()),
            CardRow::Noise | CardRow::Kind(_) => None,
        }
    }

    /// Returns the text about the row at the cursor as it was wrapped for this frame.
    pub(crate) fn detail_lines(&self) -> &[(DetailMeaning, String)] {
        &self.detail_lines
    }

    /// Returns the text about the row at the cursor, wrapped to a width.
    fn wrapped_detail(&self, session: &Session, width: usize) -> Vec<(DetailMeaning, String)> {
        let Some(test) = self.shown_test(session) else { return vec![] };
        let paragraphs = match self.card_rows(session).get(self.rows.cursor()) {
            Some(CardRow::Noise) => noise_paragraphs(test),
            Some(CardRow::Kind(row)) => kind_paragraphs(row),
            Some(CardRow::Trial(trial)) => trial_paragraphs(test, trial),
            None => vec![],
        };
        let wrap = |(meaning, words): (DetailMeaning, String)| {
            let lines: Vec<String> = words.lines().map(str::to_owned).collect();
            let lines = if lines.is_empty() { vec![String::new()] } else { lines };
            let rows = lines.into_iter().flat_map(move |line| {
                let ranges = wrap_line(&line, width.max(1));
                ranges.into_iter().map(|at| line[at].to_owned()).collect::<Vec<_>>()
            });
            rows.map(move |row| (meaning, row)).collect::<Vec<_>>()
        };
        paragraphs.into_iter().flat_map(wrap).collect()
    }
}

type Paragraph = (DetailMeaning, String);

fn noise_paragraphs(test: &CrashReport) -> Vec<Paragraph> {
    let spent = match (test.spent_usd, test.requests_without_usage) {
        (Some(usd), _) => format_number::dollars_text(usd),
        (None, 0) => "no prices".into(),
        (None, count) => format!("cost unknown: {count} requests without a number of tokens"),
    };
    let tokens =
        test.tokens.map_or_else(|| "tokens not recorded".into(), |it| format!("{it} tokens"));
    vec![
        (
            DetailMeaning::Text,
            "The unedited tree was judged twice: what differs is the judge's own noise.".into(),
        ),
        (DetailMeaning::Text, format!("{} · seed {} · {spent} · {tokens}", test.file, test.seed)),
        (DetailMeaning::Text, "No verdict of a crash test is a score of the run.".into()),
    ]
}

fn kind_paragraphs(row: &CrashRow) -> Vec<Paragraph> {
    let expected = match row.kind.must_matter() {
        true => "The level must fall.",
        false => "The level must stay.",
    };
    let mut paragraphs = vec![
        (DetailMeaning::Heading, row.kind.description().to_owned()),
        (DetailMeaning::Text, format!("{expected} Result: {}.", row.verdict.words())),
    ];
    paragraphs.extend(row.p.map(|p| {
        (
            DetailMeaning::Text,
            format!("p = {}, adjusted for the kinds (Holm)", format_number::three_decimals(p)),
        )
    }));
    paragraphs.extend(row.undetectable_text().map(|why| (DetailMeaning::Text, why)));
    if row.shift.at_bottom > 0 {
        let words = format!(
            "{} components are left out: at level 0 unedited they cannot fall",
            row.shift.at_bottom
        );
        paragraphs.push((DetailMeaning::Text, words));
    }
    paragraphs.extend(row.not_planted.as_ref().map(|(why, count)| {
        (DetailMeaning::Text, format!("not planted in {count} of the components: {why}"))
    }));
    if row.shift.planted > 0 {
        paragraphs.push((DetailMeaning::Text, "enter lists the components".into()));
    }
    paragraphs
}

/// Returns `3`, `no level` or `not judged yet`.
pub(crate) fn level_text(answer: Option<&CrashAnswer>) -> String {
    match answer {
        None => "not judged yet".into(),
        Some(answer) => match answer.level {
            Some(level) if answer.is_unlooked => format!("{level}, unlooked"),
            Some(level) => level.to_string(),
            None => "no level".into(),
        },
    }
}

/// Returns the trial of a component in the unedited tree.
pub(crate) fn unedited_trial<'t>(test: &'t CrashReport, component: &str) -> Option<&'t CrashTrial> {
    test.trials.iter().find(|it| it.component == component && it.edit == CrashEdit::Unedited)
}

fn trial_paragraphs(test: &CrashReport, trial: &CrashTrial) -> Vec<Paragraph> {
    if let Some(why) = &trial.not_applicable {
        return vec![(DetailMeaning::Text, format!("not planted: {why}"))];
    }
    let mut paragraphs: Vec<Paragraph> =
        trial.summary.iter().map(|it| (DetailMeaning::Heading, it.clone())).collect();
    let before = unedited_trial(test, &trial.component).and_then(|it| it.answer.as_ref());
    for (word, answer) in [("unedited", before), ("edited", trial.answer.as_ref())] {
        paragraphs.push((DetailMeaning::Heading, format!("{word}: {}", level_text(answer))));
        let words = answer.map(|it| it.error.clone().unwrap_or_else(|| it.rationale.clone()));
        paragraphs.extend(words.map(|words| (DetailMeaning::Text, words)));
    }
    let lines = trial.diff.iter().flat_map(|diff| diff.lines());
    paragraphs.extend(lines.map(|line| {
        let meaning = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', ..] => DetailMeaning::Hunk,
            [b'+', ..] => DetailMeaning::Added,
            [b'-', ..] => DetailMeaning::Removed,
            _ => DetailMeaning::Text,
        };
        (meaning, line.to_owned())
    }));
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_with_very_many_rows_has_its_share_of_the_screen() {
        let mut layout = ScreenLayout::default();
        layout.body = Rect { x: 0, y: 0, width: 100, height: 40 };

        let areas = CrashAreas::for_layout(&layout, usize::from(u16::MAX) + 1, false);

        assert_eq!(areas.card.map(|it| it.height), Some(24));
        assert_eq!(areas.detail.map(|it| it.height), Some(16));
    }
}
