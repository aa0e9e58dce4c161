//! Draws two transcripts side by side: equal rows muted or folded, differences with a sign between the sides.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use crate::{
    session::{context::KeyContext, key_texts::KeyTexts, pending::Loading},
    views::compare::{ComparePart, ComparisonView, areas::DETAIL_ROWS, transcripts::ShownRow},
    widgets::{
        line::{fit_spans, padded_spans, safe_string, shown_label, trusted_span},
        panel::{draw_sentence, put_row},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::format_number::{self, count_with_noun};
use trajview_study::compare::{
    ComparedTranscripts, ItemKind, RowKind, TranscriptItem, TranscriptRow, run_letter,
    same_transcripts_text,
};

use super::{draw_frame, muted_spans, part_name_span, side_letter};

/// Cells of the address of a step, with the blank after it.
const ADDRESS_CELLS: usize = 8;

/// Cells of the sign between the sides.
const SIGN_CELLS: usize = 3;

pub fn draw(compared: &ComparisonView, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_focused = compared.part == ComparePart::Transcripts;
    let transcripts = &compared.transcripts;
    let title = vec![part_name_span(compared, ComparePart::Transcripts, "transcripts", theme)];
    let right = muted_spans(place_text(compared), theme);
    let below = muted_spans("~ changed  < only left  > only right  ✗ failed", theme);
    let inner = draw_frame(is_focused, [title, right, below], theme, area, buffer);
    let aligned = match &transcripts.aligned {
        Loading::Nothing | Loading::Waiting(_) => {
            return draw_sentence("aligning…", theme.style_for(Meaning::Muted), inner, buffer);
        }
        Loading::Failed(why) => {
            let style = theme.style_for(Meaning::Error);
            return draw_sentence(&safe_string(why), style, inner, buffer);
        }
        Loading::Ready(aligned) if aligned.rows.is_empty() => {
            let style = theme.style_for(Meaning::Muted);
            return draw_sentence("no run has a request or a step", style, inner, buffer);
        }
        Loading::Ready(aligned) => aligned,
    };
    let columns = SideColumns::for_width(usize::from(inner.width));
    put_row(first_difference_line(compared, theme, columns.width), None, inner, 0, buffer);
    put_row(columns.head_line(compared, aligned, theme), None, inner, 1, buffer);
    transcripts.pane.draw_rows(Some(theme.chosen_row(is_focused)), theme, buffer, |row| {
        match &transcripts.shown[row] {
            ShownRow::Fold(rows) => fold_line(&aligned.rows[rows.clone()], &compared.keys, theme),
            ShownRow::Row(row) => columns.row_line(aligned, &aligned.rows[*row], theme),
        }
    });
    let first = inner.height.saturating_sub(DETAIL_ROWS);
    for (y, side) in (first..inner.height).zip(0..2) {
        put_row(detail_line(compared, side, columns.width, theme), None, inner, y, buffer);
    }
}

/// Returns `difference 3 of 17`; before the first one `17 differences`.
fn place_text(compared: &ComparisonView) -> String {
    let transcripts = &compared.transcripts;
    match (transcripts.difference_place(), transcripts.aligned.ready()) {
        (_, None) => String::new(),
        ((_, 0), _) => "no difference".into(),
        ((0, all), _) => count_with_noun(all, "difference"),
        ((here, all), _) => format!("difference {here} of {all}"),
    }
}

/// Returns `first step that differs: a 1.3 Bash: ls | b 1.3 Bash: pwd (12 equal before it)`.
fn first_difference_line(compared: &ComparisonView, theme: Theme, width: usize) -> Line<'static> {
    let [a, b] = compared.pair.map(run_letter);
    let words = match &compared.transcripts.differences.first {
        None => {
            let both = compared.transcripts.aligned.ready();
            let are_cut = both.is_some_and(|it| it.a.left_out + it.b.left_out > 0);
            same_transcripts_text(&a, &b, are_cut)
        }
        Some(first) => {
            // Each side has its share of the room, so that neither hides the other.
            let share = width.saturating_sub(50) / 2;
            let [left, right] = [0, 1].map(|side| {
                let words = safe_string(&first.texts[side]);
                text::truncate(&words, share.max(12), "…").to_string()
            });
            let before = first.equal_before;
            format!("first step that differs: {a} {left} | {b} {right} ({before} equal before it)")
        }
    };
    Line::from(fit_spans(vec![trusted_span(words, theme.style_for(Meaning::Heading))], width))
}

/// Returns `── rows: 37 the same, 12 with text; enter shows them ──`.
fn fold_line(rows: &[TranscriptRow], keys: &KeyTexts, theme: Theme) -> Line<'static> {
    let equal = rows.iter().filter(|row| row.kind == RowKind::Same).count();
    let texts = rows.len() - equal;
    let texts = (texts > 0).then(|| format!("{texts} with text"));
    let equal = (equal > 0).then(|| format!("{equal} the same"));
    let parts = equal.into_iter().chain(texts).collect::<Vec<_>>().join(", ");
    let open = keys.key_text(KeyContext::Transcripts, "open");
    let words = format!("── rows: {parts}; {open} shows them ──");
    Line::from(trusted_span(words, theme.style_for(Meaning::Muted)))
}

/// Returns the item of a side at the cursor in one line: `a 1.3 Bash: python3 -m unittest -q`.
fn detail_line(
    compared: &ComparisonView,
    side: usize,
    width: usize,
    theme: Theme,
) -> Line<'static> {
    let transcripts = &compared.transcripts;
    let item = transcripts.selected_items().and_then(|items| items[side]);
    let lines = transcripts.selected_row().and_then(|row| row.lines.as_deref());
    let words = match (item, lines) {
        (None, _) => format_number::MISSING_SIGN.into(),
        (Some(item), Some(lines)) => {
            format!("{} {} … {}", item.address(), item.name, lines[side])
        }
        (Some(item), None) => {
            let line = shown_label(&item.line);
            let colon = if line.is_empty() { "" } else { ": " };
            format!("{} {}{colon}{line}", item.address(), item.name)
        }
    };
    let meaning = if item.is_some() { Meaning::Text } else { Meaning::Muted };
    let spans = vec![
        side_letter(compared, side, theme),
        trusted_span(format!(" {}", safe_string(&words)), theme.style_for(meaning)),
    ];
    Line::from(fit_spans(spans, width))
}

/// The widths of both sides.
struct SideColumns {
    width: usize,
    half: usize,
}

impl SideColumns {
    fn for_width(width: usize) -> Self {
        Self { width, half: width.saturating_sub(SIGN_CELLS) / 2 }
    }

    /// Returns `▸a codex-p12, 120 requests and calls      b codex-p12-single-shot, …`.
    fn head_line(
        &self,
        compared: &ComparisonView,
        aligned: &ComparedTranscripts,
        theme: Theme,
    ) -> Line<'static> {
        let muted = theme.style_for(Meaning::Muted);
        let counts = compared.transcripts.differences.counts;
        let own = [counts.only_a, counts.only_b];
        let head = |side: usize| {
            let party = compared.all_parties().get(compared.pair[side]);
            let id = party.map(|party| safe_string(&party.run.id)).unwrap_or_default();
            let left_out = [aligned.a.left_out, aligned.b.left_out][side];
            let left_out = match left_out {
                0 => String::new(),
                count => format!(", {} not aligned", count_with_noun(count, "later step")),
            };
            let all = counts.same + counts.changed + own[side];
            let words = format!(" {id}: {} of {all} the same{left_out}", counts.same);
            let spans = vec![side_letter(compared, side, theme), trusted_span(words, muted)];
            padded_spans(spans, self.half)
        };
        let gap = trusted_span(" ".repeat(SIGN_CELLS), muted);
        Line::from([head(0), vec![gap], head(1)].concat())
    }

    fn row_line(
        &self,
        aligned: &ComparedTranscripts,
        row: &TranscriptRow,
        theme: Theme,
    ) -> Line<'static> {
        let (sign, meaning) = match row.kind {
            RowKind::Same | RowKind::Text => (" ", Meaning::Muted),
            RowKind::Changed => ("~", Meaning::Warning),
            RowKind::OnlyA => ("<", Meaning::Removed),
            RowKind::OnlyB => (">", Meaning::Added),
        };
        let [a, b] = aligned.items_of(row).map(|item| self.item_spans(item, row.kind, theme));
        let sign = trusted_span(format!(" {sign} "), theme.style_for(meaning));
        Line::from([a, vec![sign], b].concat())
    }

    /// Returns `1.3     Bash: python3 -m unittest`, in so many cells.
    fn item_spans(
        &self,
        item: Option<&TranscriptItem>,
        kind: RowKind,
        theme: Theme,
    ) -> Vec<Span<'static>> {
        let muted = theme.style_for(Meaning::Muted);
        let Some(item) = item else { return padded_spans(vec![], self.half) };
        let meaning = match (item.kind, kind) {
            (ItemKind::Request, _) => Meaning::Heading,
            (_, RowKind::Same | RowKind::Text) => Meaning::Muted,
            (_, RowKind::Changed | RowKind::OnlyA | RowKind::OnlyB) => Meaning::Text,
        };
        let mut spans =
            padded_spans(vec![trusted_span(format!("{} ", item.address()), muted)], ADDRESS_CELLS);
        if item.has_failed {
            spans.push(trusted_span("✗ ", theme.style_for(Meaning::Error)));
        }
        spans.push(trusted_span(safe_string(&item.display_text()), theme.style_for(meaning)));
        padded_spans(spans, self.half)
    }
}
