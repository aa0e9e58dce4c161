//! Draws the steps of the turn: one line each, unfolded to their text, call and result.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::{Session, turn_counts::LineTotals},
    views::replay::{
        ReplayView,
        steps::{
            DEPTH_INDENT, MAX_INDENTED_DEPTH, ROW_INDENT, StepFilter, StepRow, StepRowKind,
            step_field_text,
        },
    },
    widgets::{
        ansi_style,
        layout::ReplayPanel,
        line::{
            fit_spans, left_and_right, recorded_span, safe_string, shown_label, spans_width,
            trusted_span,
        },
        paint::{StyleLayer, paint_text},
        panel::{PanelTitles, draw_titled_panel, put_row},
        search_hits::{self, RowHit},
        theme::{LineDisplay, Meaning, Theme},
    },
};
use trajview_run::{
    Edit, Role, Run, Step, StepId, StepKind, ToolResult, format_number,
    search::{HitPlace, SearchHit, StepField},
};

use super::{name_span, selection_style, step_columns::StepCells, turns::line_counts};

/// Columns between tab stops, as the rows were cut for.
const TAB_WIDTH: usize = 4;

pub fn draw(view: &ReplayView, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let words = match session.run.turns.is_empty() {
        true => "steps".to_owned(),
        false => format!("steps of turn {}{}", session.turn + 1, agent_path_text(view, session)),
    };
    let cost = trusted_span(turn_cost_text(view, session), theme.style_for(Meaning::Muted));
    let title =
        vec![name_span(view, ReplayPanel::Steps, words, theme), filter_span(view, theme), cost];
    let paces = StepCells::new(view, session, usize::from(area.width).saturating_sub(4));
    let heads = paces.head_line(theme);
    let room = usize::from(area.width).saturating_sub(2 + heads.width());
    let titles = PanelTitles::from(fit_spans(title, room)).with_right(heads);
    let inner = draw_titled_panel(view.focus == ReplayPanel::Steps, titles, theme, area, buffer);
    if view.steps.items.is_empty() {
        let words = match view.steps.step_filter() {
            StepFilter::All => "no steps".to_owned(),
            kinds => format!("no {} in this turn", kinds.filter_name()),
        };
        return crate::widgets::panel::draw_sentence(
            &words,
            theme.style_for(Meaning::Muted),
            inner,
            buffer,
        );
    }
    let list = &view.steps.list;
    list.draw_position(theme, buffer);
    let width = usize::from(inner.width).saturating_sub(2);
    let painter = StepPainter { view, session, theme, width, paces };
    for (index, y) in list.visible_rows().zip(0..) {
        let Some(row) = view.steps.row_at(index) else { break };
        let is_cursor = view.steps.chosen_step().is_some() && index == list.cursor();
        // Text keeps its own looks: a hit on a reversed row could not be seen.
        let is_chosen = is_cursor && *row.kind == StepRowKind::Head;
        let style = is_chosen.then(|| selection_style(view, ReplayPanel::Steps, theme));
        let Some(mut line) = painter.row_line(row) else { continue };
        let mark = if is_cursor { "▌" } else { " " };
        line.spans.insert(0, trusted_span(mark, theme.style_for(Meaning::FocusedBorder)));
        put_row(line, style, inner, y, buffer);
    }
}

/// Returns ` › explorer › reader, depth 2`: the sub-agents that were entered, the outermost first.
fn agent_path_text(view: &ReplayView, session: &Session) -> String {
    let agents = view.steps.entered_agents();
    let name = |id: &StepId| {
        let agent = session.run.step(*id).and_then(|step| step.subagent);
        agent
            .and_then(|agent| session.run.subagents.get(agent))
            .map(|agent| safe_string(&agent.name))
    };
    let names: String = agents.iter().rev().filter_map(name).map(|it| format!(" › {it}")).collect();
    if agents.is_empty() { names } else { format!("{names}, depth {}", agents.len()) }
}

/// Returns ` errors only, 12 hidden `.
fn filter_span(view: &ReplayView, theme: Theme) -> Span<'static> {
    let words = match view.steps.step_filter() {
        StepFilter::All => String::new(),
        kinds => format!(" {} only, {} hidden ", kinds.filter_name(), view.steps.hidden_count()),
    };
    trusted_span(words, theme.style_for(Meaning::Warning))
}

/// Returns ` 2m 14s · 12k tokens · computed $0.12 `: the time and tokens of the turn, as far as they are recorded, and
/// its cost at list prices where the steps show their cost.
fn turn_cost_text(view: &ReplayView, session: &Session) -> String {
    let Some(turn) = session.run.turns.get(session.turn) else {
        return String::new();
    };
    let seconds =
        turn.ended_at.zip(turn.started_at).and_then(|(end, start)| end.seconds_since(start));
    let computed = session.scores.process.cost.known_cost().filter(|_| view.steps.began.is_some());
    let parts = [
        turn.state().map(|state| state.display_text().to_owned()).filter(|words| !words.is_empty()),
        seconds.map(format_number::duration_text),
        turn.tokens.total().map(|count| format!("{} tokens", format_number::short_count(count))),
        turn.cost_usd.map(format_number::dollars_text),
        computed.and_then(|cost| {
            Some(format!("computed {}", cost.sum_of_turn(session.turn).usd_text()?))
        }),
    ];
    let known: Vec<_> = parts.into_iter().flatten().collect();
    if known.is_empty() { String::new() } else { format!(" {} ", known.join(" · ")) }
}

/// From this width on facts are complete; below it the step itself needs the space.
const FULL_FACTS_FROM: usize = 60;

struct StepPainter<'a> {
    view: &'a ReplayView,
    session: &'a Session,
    theme: Theme,
    width: usize,
    paces: StepCells<'a>,
}

impl StepPainter<'_> {
    fn row_line(&self, row: StepRow<'_>) -> Option<Line<'static>> {
        let item = *self.view.steps.items.get(row.item)?;
        let depth = self.view.steps.depths.get(row.item).copied().unwrap_or_default();
        let margin = " ".repeat(depth.min(MAX_INDENTED_DEPTH) * DEPTH_INDENT);
        let note = |words: &str, meaning| {
            let words = format!("{margin}    {words}");
            Line::from(fit_spans(
                vec![trusted_span(words, self.theme.style_for(meaning))],
                self.width,
            ))
        };
        Some(match row.kind {
            StepRowKind::Head => self.head_line(item, &margin)?,
            StepRowKind::Section(field) => self.section_line(item, *field, &margin),
            StepRowKind::Text { field, line, range } => {
                let text = self.view.steps.item_text(item)?.as_ref().ok()?;
                let words = step_field_text(text, *field)?;
                let mut layers = printed_layers(self.view, item, *field, range, self.theme);
                layers.extend(self.hit_layers(item, *field, *line, words, range));
                let mut spans = vec![trusted_span(
                    format!("{margin}  {}", field_rule(*field)),
                    self.theme.style_for(Meaning::Muted),
                )];
                let words = words.get(range.clone())?;
                spans.extend(paint_text(
                    words,
                    Style::default(),
                    &layers,
                    LineDisplay { tab_width: TAB_WIDTH, ..self.theme.line_display() },
                ));
                Line::from(fit_spans(spans, self.width))
            }
            StepRowKind::Waiting => note("reading…", Meaning::Muted),
            StepRowKind::Failed => note(&self.failure_text(item), Meaning::Error),
            StepRowKind::Empty => note(self.why_empty(item), Meaning::Muted),
            StepRowKind::Cut(_) => note("the rest is too long to show", Meaning::Warning),
        })
    }

    /// Returns `▸ bash  pytest -q          exit 1  2.1 kB`.
    fn head_line(&self, id: StepId, margin: &str) -> Option<Line<'static>> {
        let fold = if self.view.steps.is_unfolded(id) { "▾" } else { "▸" };
        let mut left =
            vec![trusted_span(format!("{margin}{fold} "), self.theme.style_for(Meaning::Muted))];
        let step = self.session.run.step(id)?;
        left.extend(self.step_spans(id, step));
        let columns = self.paces.cell_spans(&self.session.run, id, self.theme);
        let has_room = self.width >= FULL_FACTS_FROM + spans_width(&columns);
        let facts = if has_room || columns.is_empty() { self.fact_spans(step) } else { vec![] };
        let right = [self.folded_spans(id), facts, columns].concat();
        Some(left_and_right(left, right, self.width))
    }

    /// Returns `⏎ 5 steps  `, the number of steps of a folded sub-agent.
    fn folded_spans(&self, id: StepId) -> Vec<Span<'static>> {
        let words = self.view.steps.folded_step_count(id).map(|count| match count {
            1 => "⏎ 1 step  ".to_owned(),
            count => format!("⏎ {count} steps  "),
        });
        words
            .map(|words| trusted_span(words, self.theme.style_for(Meaning::Hunk)))
            .into_iter()
            .collect()
    }

    /// Returns the kind of the step and its label.
    fn step_spans(&self, item: StepId, step: &Step) -> Vec<Span<'static>> {
        let meaning = if step.has_failed() { Meaning::Error } else { Meaning::Heading };
        let mut spans = vec![];
        if step.has_failed() {
            spans.push(trusted_span("✗ ", self.theme.style_for(Meaning::Error)));
        }
        spans.push(recorded_span(
            &step_name(&self.session.run, step),
            self.theme.style_for(meaning),
        ));
        if let Some(count) = self.word_count(item, step) {
            let words = if count == 1 { "word" } else { "words" };
            spans.push(trusted_span(
                format!(" {count} {words}"),
                self.theme.style_for(Meaning::Muted),
            ));
        }
        spans.push(trusted_span("  ", Style::default()));
        let label = match step.kind {
            StepKind::Thinking => self.theme.style_for(Meaning::Muted),
            _ => Style::default(),
        };
        spans.extend(self.signal_span(item));
        spans.push(recorded_span(&shown_label(&step.label), label));
        spans
    }

    /// Returns `• repeated call  `, the signals at a step; the process view explains them.
    fn signal_span(&self, item: StepId) -> Option<Span<'static>> {
        let signals = self.session.scores.process.signals_in_turn(item.turn);
        let mut kinds: Vec<&str> =
            signals.iter().filter(|it| it.step == item).map(|it| it.kind.words()).collect();
        kinds.dedup();
        let words = || format!("• {}  ", kinds.join(", "));
        (!kinds.is_empty()).then(|| trusted_span(words(), self.theme.style_for(Meaning::Warning)))
    }

    /// Returns the number of words of a thinking step, once its text is loaded.
    fn word_count(&self, item: StepId, step: &Step) -> Option<usize> {
        if step.kind != StepKind::Thinking {
            return None;
        }
        let text = self.view.steps.item_text(item)?.as_ref().ok()?;
        Some(text.text.split_whitespace().count()).filter(|count| *count > 0)
    }

    /// Returns `+34 −8  exit 1  2.1 kB`.
    fn fact_spans(&self, step: &Step) -> Vec<Span<'static>> {
        let mut facts: Vec<Vec<Span>> = vec![];
        let lines = edited_lines(&step.edits);
        let counts = lines.map(|lines| line_counts(lines, self.theme)).unwrap_or_default();
        let blank = || Span::raw(" ");
        facts.push(counts.into_iter().flat_map(|count| [blank(), count]).skip(1).collect());
        facts.extend(step.tool_result().map(|result| self.result_facts(result)));
        if step.tool.as_ref().is_some_and(|tool| tool.result.is_none()) {
            let words =
                if self.width < FULL_FACTS_FROM { "no answer" } else { "no answer recorded" };
            facts.push(vec![trusted_span(words, self.theme.style_for(Meaning::Warning))]);
        }
        let full = facts.into_iter().filter(|fact| !fact.is_empty());
        full.flat_map(|fact| [vec![Span::raw("  ")], fact].concat()).skip(1).collect()
    }

    fn result_facts(&self, result: &ToolResult) -> Vec<Span<'static>> {
        let mut facts = vec![];
        let meaning = if result.has_failed() { Meaning::Error } else { Meaning::Muted };
        let outcome = result.outcome_text();
        facts.extend(
            outcome.map(|words| trusted_span(format!("{words}  "), self.theme.style_for(meaning))),
        );
        let size =
            if result.bytes == 0 { String::new() } else { format_number::byte_size(result.bytes) };
        facts.push(trusted_span(format!("{size:>6}"), self.theme.style_for(Meaning::Muted)));
        facts
    }

    fn section_line(&self, item: StepId, field: StepField, margin: &str) -> Line<'static> {
        let step = self.session.run.step(item);
        let size = step
            .and_then(Step::tool_result)
            .map(|result| format!(", {}", format_number::byte_size(result.bytes)));
        let words = match field {
            StepField::Text => "text".to_owned(),
            StepField::Arguments => "call".to_owned(),
            StepField::Result => format!("result{}", size.unwrap_or_default()),
        };
        let words = format!("{margin}  ─ {words}");
        Line::from(fit_spans(
            vec![trusted_span(words, self.theme.style_for(Meaning::Muted))],
            self.width,
        ))
    }

    /// Returns the layers of the matches of the search in one row, the current one apart; bytes count within the row.
    fn hit_layers(
        &self,
        item: StepId,
        field: StepField,
        line: usize,
        words: &str,
        row: &std::ops::Range<usize>,
    ) -> Vec<StyleLayer> {
        let Some(regex) = self.view.search.regex() else { return vec![] };
        let current =
            self.view.search.current_hit().filter(|hit| is_hit_in_line(hit, item, field, line));
        let is_current = |found: &RowHit| current.is_some_and(|hit| hit.range == found.in_line);
        let found = search_hits::hits_in_row(regex, words, row).into_iter();
        found
            .map(|found| {
                let meaning = if is_current(&found) { Meaning::CurrentHit } else { Meaning::Hit };
                (found.in_row, self.theme.style_for(meaning))
            })
            .collect()
    }

    fn failure_text(&self, item: StepId) -> String {
        match self.view.steps.item_text(item) {
            Some(Err(why)) => safe_string(why),
            _ => String::new(),
        }
    }

    fn why_empty(&self, item: StepId) -> &'static str {
        let step = self.session.run.step(item);
        match step.map(|step| step.kind) {
            Some(StepKind::Thinking) => "the text of this thinking is not recorded",
            Some(StepKind::Compaction) => "the summary is not recorded",
            _ => "not recorded",
        }
    }
}

/// Returns the layers of the colours that a tool printed, in some bytes of a part of an entry, counted from the first
/// of them.
pub(super) fn printed_layers(
    view: &ReplayView,
    item: StepId,
    field: StepField,
    bytes: &std::ops::Range<usize>,
    theme: Theme,
) -> Vec<StyleLayer> {
    let looks = view.steps.looks_in(item, field, bytes).into_iter();
    looks.map(|(range, look)| (range, ansi_style::printed_style(look, theme))).collect()
}

fn is_hit_in_line(hit: &SearchHit, item: StepId, field: StepField, line: usize) -> bool {
    hit.place == HitPlace::Step(item, field) && hit.line == line
}

/// Returns the sign before the text of a field.
const fn field_rule(field: StepField) -> &'static str {
    match field {
        StepField::Text => "  ",
        StepField::Arguments => "│ ",
        StepField::Result => "┆ ",
    }
}

const _: () = assert!(ROW_INDENT == 6, "mark, margin and rule take five cells, the right edge one");

/// Returns the first word of a step.
pub(super) fn step_name(run: &Run, step: &Step) -> String {
    let agent = step.subagent.and_then(|index| run.subagents.get(index));
    match (step.kind, &step.tool) {
        (_, Some(_)) | (StepKind::SubAgent, _) if agent.is_some() => {
            format!("⑂ sub-agent {}", agent.map_or("", |agent| agent.name.as_str()))
        }
        (_, Some(tool)) => tool.name.to_string(),
        (StepKind::Message, None) => match step.role {
            Role::Assistant => "message".into(),
            other => other.word().into(),
        },
        (StepKind::Thinking, None) => "thinking".into(),
        (StepKind::Compaction, None) => "⟲ context compacted".into(),
        (StepKind::SubAgent, None) => "⑂ sub-agent".into(),
        (StepKind::Tool, None) => "tool".into(),
        (StepKind::Unknown, None) => "unknown record".into(),
    }
}

/// Adds up the changed lines; None where those of one edit are not known.
fn edited_lines(edits: &[Edit]) -> Option<LineTotals> {
    edits.iter().try_fold(LineTotals::default(), |mut lines, edit| {
        lines
            .add_lines(LineTotals { added: edit.added? as usize, removed: edit.removed? as usize });
        Some(lines)
    })
}
