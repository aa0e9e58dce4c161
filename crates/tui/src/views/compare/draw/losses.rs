//! Draws the components and tests that a run lost: the turn in each run, the judge's scores, and the request.

use ratatui::{buffer::Buffer, layout::Rect, text::Line};
use trajview_run::format_number;

use crate::{
    session::context::KeyContext,
    views::{
        compare::{ComparePart, ComparisonView},
        verdict::plain_name,
    },
    widgets::{
        line::{padded_spans, safe_string, shown_label, trusted_span},
        panel::{draw_sentence, put_row},
        theme::{Meaning, Theme},
        wrap::wrap_line,
    },
};
use trajview_metrics::test_losses::{LossKind, has_followed_tests};
use trajview_study::compare::{ComparedLoss, ComponentFate, LossInRun, run_letter};

use super::{draw_frame, muted_spans, part_name_span, side_letter};

/// Cells of the kind.
const KIND_CELLS: usize = 10;

/// Cells of a turn, with the blank after it.
const TURN_CELLS: usize = 9;

/// Cells of the words of the run that lost it.
const LOST_CELLS: usize = 11;

/// Cells of both scores.
const SCORES_CELLS: usize = 18;

/// Cells that a name is not shortened below.
const LEAST_NAME_CELLS: usize = 14;

/// Most cells of a name where the request follows it.
const MOST_NAME_CELLS: usize = 36;

/// From this width on the scores are in the table.
const SCORES_FROM: usize = 72;

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == ComparePart::Losses;
    let losses = &compared.losses;
    let title = vec![part_name_span(compared, ComparePart::Losses, title_text(compared), theme)];
    let count = if losses.rows.is_empty() { String::new() } else { count_text(compared) };
    let below = match losses.rows.is_empty() {
        true => vec![],
        false => {
            let open = compared.keys.key_text(KeyContext::Pair, "open");
            muted_spans(format!("{open} opens the lines or the turn that lost it"), theme)
        }
    };
    let inner =
        draw_frame(is_focused, [title, muted_spans(count, theme), below], theme, area, buffer);
    if losses.rows.is_empty() {
        return draw_sentence(&why_empty(compared), theme.style_for(Meaning::Muted), inner, buffer);
    }
    let columns = LossColumns::for_width(usize::from(inner.width), has_tests(compared));
    put_row(columns.head_line(compared, theme), None, inner, 0, buffer);
    losses.pane.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |row| {
        columns.row_line(compared, &losses.rows[row], theme)
    });
    let used = u16::try_from(losses.rows.len()).unwrap_or(u16::MAX).saturating_add(ROWS_AROUND);
    if let (Some(room), Some(row)) = (inner.height.checked_sub(used), losses.selected_row()) {
        let below = Rect { y: inner.y + used, height: room, ..inner };
        draw_detail(compared, row, theme, below, buffer);
    }
}

/// Rows of the table that are not losses: the names of the columns, and a blank one below the losses.
const ROWS_AROUND: u16 = 2;

/// Draws the chosen loss in sentences: for each run that lost it the turn, the lines, the scores and the request.
fn draw_detail(
    compared: &ComparisonView,
    row: &ComparedLoss,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width).max(1);
    let mut y = 0;
    let mut put = |words: &str, meaning: Meaning| {
        for range in wrap_line(words, width) {
            let line = trusted_span(words[range].to_owned(), theme.style_for(meaning));
            put_row(line.into(), None, area, y, buffer);
            y = y.saturating_add(1);
        }
    };
    let name = format!("{} {}", row.id, plain_name(&row.name));
    for (side, loss) in
        row.fates.iter().enumerate().filter_map(|(at, it)| Some((at, it.as_loss()?)))
    {
        let letter = run_letter(compared.pair[side]);
        let head = format!("{} lost in {letter} at turn {}", safe_string(name.trim()), loss.turn);
        put(&head, Meaning::Heading);
        put(&safe_string(&facts_text(row.kind, loss)), Meaning::Text);
        let request = match loss.request.as_str() {
            "" => "no request recorded",
            words => &shown_label(words),
        };
        put(&format!("request: {}", safe_string(request)), Meaning::Text);
    }
}

/// Returns `ppdiff/losses.py:10 · 4 at 39 → 1 at 56`.
fn facts_text(kind: LossKind, loss: &LossInRun) -> String {
    let place = loss.spot.as_ref().map(|spot| format!("{}:{}", spot.path, spot.line));
    let state = |state: &Option<String>| state.clone().unwrap_or_else(|| "not judged".into());
    let scores = match kind {
        LossKind::Component => format!("{} → {}", state(&loss.before), state(&loss.after)),
        LossKind::Test => [&loss.before, &loss.after]
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(", "),
    };
    place.into_iter().chain([scores]).collect::<Vec<_>>().join(" · ")
}

fn has_tests(compared: &ComparisonView) -> bool {
    compared.losses.rows.iter().any(|row| row.kind == LossKind::Test)
}

fn title_text(compared: &ComparisonView) -> &'static str {
    if has_tests(compared) { "lost components and tests" } else { "lost components" }
}

/// Returns `4 lost, 4 only in a`.
fn count_text(compared: &ComparisonView) -> String {
    let rows = &compared.losses.rows;
    let only = |side: usize| rows.iter().filter(|row| row.lost_only_in() == Some(side)).count();
    let sides = (0..2).filter(|side| only(*side) > 0);
    let letter = |side: usize| run_letter(compared.pair[side]);
    let sides = sides.map(|side| format!(", {} only in {}", only(side), letter(side)));
    format!("{} lost{}", rows.len(), sides.collect::<String>())
}

fn why_empty(compared: &ComparisonView) -> String {
    if let Some(why) = compared.lifeline_failure() {
        return safe_string(why);
    }
    let pair = compared.compared_parties();
    let has_tests = pair.is_some_and(|it| it.iter().any(|party| has_followed_tests(&party.run)));
    match (compared.has_no_components(), compared.has_lifelines()) {
        (true, _) if has_tests => "neither run lost a test".into(),
        (true, _) => "neither run has a checklist of components, so no loss can be found".into(),
        (false, true) => "neither run lost a component".into(),
        (false, false) => "following the components…".into(),
    }
}

/// Widths of the columns. A column of zero cells is not shown.
struct LossColumns {
    kind: usize,
    name: usize,
    scores: usize,
    request: usize,
}

impl LossColumns {
    fn for_width(width: usize, has_tests: bool) -> Self {
        let scores = if width >= SCORES_FROM { SCORES_CELLS } else { 0 };
        let kind = if has_tests { KIND_CELLS } else { 0 };
        let room = width.saturating_sub(kind + 2 * TURN_CELLS + LOST_CELLS + scores);
        let name = (room / 2).clamp(LEAST_NAME_CELLS.min(room), MOST_NAME_CELLS);
        let request = room.saturating_sub(name);
        // A few letters of a request say nothing.
        let request = if request < LEAST_NAME_CELLS { 0 } else { request };
        let name = if request == 0 { room } else { name };
        Self { kind, name, scores, request }
    }

    fn head_line(&self, compared: &ComparisonView, theme: Theme) -> Line<'static> {
        let muted = theme.style_for(Meaning::Muted);
        let word = |word: &str, cells: usize| padded_spans(vec![trusted_span(word, muted)], cells);
        let mut spans = word("kind", self.kind);
        let name = if self.kind > 0 { "component or test" } else { "component" };
        spans.extend(word(name, self.name));
        for side in 0..2 {
            spans.extend(padded_spans(vec![side_letter(compared, side, theme)], TURN_CELLS));
        }
        spans.extend(word("lost", LOST_CELLS));
        spans.extend(word("before → after", self.scores));
        spans.extend(word("request", self.request));
        Line::from(spans)
    }

    /// Returns `C17 Min-SNR time weight   turn 46  kept     only in a  4 at 39 → 1 at 56  The losses are hard…`.
    fn row_line(
        &self,
        compared: &ComparisonView,
        row: &ComparedLoss,
        theme: Theme,
    ) -> Line<'static> {
        let (plain, muted) = (theme.style_for(Meaning::Text), theme.style_for(Meaning::Muted));
        let name = vec![
            trusted_span(format!("{} ", safe_string(&row.id)), theme.style_for(Meaning::Key)),
            trusted_span(safe_string(plain_name(&row.name)), plain),
        ];
        let mut spans = padded_spans(vec![trusted_span(row.kind.word(), muted)], self.kind);
        spans.extend(padded_spans(name, self.name));
        for fate in &row.fates {
            let meaning = if fate.as_loss().is_some() { Meaning::Error } else { Meaning::Muted };
            let word = match fate {
                ComponentFate::NotFollowed => format_number::MISSING_SIGN.into(),
                fate => fate.fate_text(),
            };
            spans.extend(padded_spans(
                vec![trusted_span(word, theme.style_for(meaning))],
                TURN_CELLS,
            ));
        }
        let lost = row.lost_in_text(|side| run_letter(compared.pair[side]));
        spans.extend(padded_spans(vec![trusted_span(lost, plain)], LOST_CELLS));
        // The loss of the run with the keyboard, where it has one.
        let own = row.fates.get(compared.side).and_then(ComponentFate::as_loss);
        if let Some(loss) = own.or_else(|| row.first_loss().map(|(_, loss)| loss)) {
            let score = |score: &Option<String>| {
                score.clone().unwrap_or_else(|| format_number::MISSING_SIGN.into())
            };
            let scores = match row.kind {
                LossKind::Component => format!("{} → {}", score(&loss.before), score(&loss.after)),
                LossKind::Test => "passed → failed".into(),
            };
            spans
                .extend(padded_spans(vec![trusted_span(safe_string(&scores), plain)], self.scores));
            spans.extend(padded_spans(
                vec![trusted_span(safe_string(&loss.request), muted)],
                self.request,
            ));
        }
        Line::from(spans)
    }
}
