//! A list over the panels to choose from.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    session::Session,
    views::replay::{
        ReplayView,
        breakpoints::Stop,
        chooser::{ChooserKind, PREVIEW_ROWS, ReplayChooser},
        steps::StepFilter,
    },
    widgets::{
        layout::ScreenLayout,
        line::{
            fit_spans, fit_text_end, left_and_right, recorded_span, safe_string, spans_width,
            trusted_span,
        },
        paint::paint_text,
        panel::put_row,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    StepId, StepKind, ToolResult,
    failures::{FailureKind, main_error_line},
    search::{HitPlace, SearchHit, StepField},
    worded_enum::NamedValue,
};

use super::{
    agent_lanes::{self, LanePicture},
    file_history,
    turns::turn_mark_spans,
};

pub fn draw(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let Some(chooser) = &view.chooser else { return };
    let Some(areas) = view.chooser_areas(layout) else { return };
    let list = ChooserList { view, session, chooser, theme };
    let (rows, frame) = (view.choice_count(), areas.frame);
    let block = Block::bordered().border_style(theme.style_for(Meaning::FocusedBorder)).title(
        Line::from(fit_spans(list.title_spans(), usize::from(frame.width.saturating_sub(2)))),
    );
    Clear.render(frame, buffer);
    block.render(frame, buffer);
    list.draw_rows(rows, areas.list, buffer);
    list.draw_below(areas.below, buffer);
}

struct ChooserList<'a> {
    view: &'a ReplayView,
    session: &'a Session,
    chooser: &'a ReplayChooser,
    theme: Theme,
}

impl ChooserList<'_> {
    fn title_spans(&self) -> Vec<Span<'static>> {
        let bold = |words: String| trusted_span(words, self.theme.style_for(Meaning::Title));
        match self.chooser.kind {
            ChooserKind::Hits => {
                let pattern = self.view.search.query().map_or("", |it| it.pattern.as_str());
                let position = self.view.search.position_text().unwrap_or_default();
                let words = format!(" matches of `{}` ", safe_string(pattern));
                vec![
                    bold(words),
                    trusted_span(format!("{position} "), self.theme.style_for(Meaning::Muted)),
                ]
            }
            ChooserKind::Requests => {
                let total = self.session.run.turns.len();
                let found = self.view.choice_count();
                vec![
                    bold(" requests ".into()),
                    trusted_span("/", self.theme.style_for(Meaning::Key)),
                    trusted_span(
                        fit_text_end(&safe_string(&self.chooser.filter), MAX_FILTER_CELLS),
                        self.theme.style_for(Meaning::Text),
                    ),
                    trusted_span(" ", self.theme.style_for(Meaning::Cursor)),
                    trusted_span(
                        format!(" {found} of {total} "),
                        self.theme.style_for(Meaning::Muted),
                    ),
                ]
            }
            ChooserKind::Failures => {
                let count = self.view.choice_count();
                let words =
                    if count == 1 { "1 failure".into() } else { format!("{count} failures") };
                vec![bold(format!(" {words} "))]
            }
            ChooserKind::History => file_history::title_spans(&self.view.file_history, self.theme),
            ChooserKind::Agents => agent_lanes::title_spans(&self.chooser.lanes, self.theme),
            ChooserKind::Kinds => vec![bold(" list which steps ".into())],
            ChooserKind::Stops => vec![bold(" playback stops at ".into())],
        }
    }

    fn draw_rows(&self, rows: usize, area: Rect, buffer: &mut Buffer) {
        if rows == 0 {
            let words = match self.chooser.kind {
                ChooserKind::Hits if !self.view.search.is_done => String::from("searching…"),
                ChooserKind::Hits => "no matches".into(),
                ChooserKind::History => file_history::why_empty(&self.view.file_history),
                _ => "no request matches".into(),
            };
            return crate::widgets::panel::draw_sentence(
                &words,
                self.theme.style_for(Meaning::Muted),
                area,
                buffer,
            );
        }
        let list = &self.chooser.list;
        let requests = self.chooser.matching_requests();
        let picture = LanePicture::new(self.session, &self.chooser.lanes, self.theme, area);
        if self.chooser.kind == ChooserKind::Agents {
            picture.draw_axis(buffer);
        }
        let width = usize::from(area.width);
        let chosen = self.theme.style_for(Meaning::Selected);
        list.draw_rows(Some(chosen), self.theme, buffer, |index| {
            let mut line = match self.chooser.kind {
                ChooserKind::Hits => {
                    self.hit_line(index, index == list.top(), width.saturating_sub(1))
                }
                ChooserKind::Requests => {
                    self.request_line(requests[index], width.saturating_sub(2))
                }
                ChooserKind::Failures => {
                    self.failure_line(self.chooser.failed[index], width.saturating_sub(2))
                }
                ChooserKind::History => {
                    let entry = &self.view.file_history.entries()[index];
                    file_history::entry_line(
                        entry,
                        self.session,
                        self.theme,
                        width.saturating_sub(2),
                    )
                }
                ChooserKind::Agents => picture.lane_line(index),
                ChooserKind::Kinds => {
                    self.filter_line(StepFilter::ALL[index], width.saturating_sub(2))
                }
                ChooserKind::Stops => self.breakpoint_line(Stop::ALL[index]),
            };
            let mark = if index == list.cursor() { "▌" } else { " " };
            line.spans.insert(0, trusted_span(mark, self.theme.style_for(Meaning::FocusedBorder)));
            line
        });
    }

    /// Returns `  4  ⑂ explorer result  …the joint loss falls`; turn and step are shown where they begin, and in the
    /// first row.
    fn hit_line(&self, index: usize, is_first: bool, width: usize) -> Line<'static> {
        let Some(hit) = self.view.search.hits.get(index) else { return Line::default() };
        let digits = self.session.run.turns.len().to_string().len();
        let muted = self.theme.style_for(Meaning::Muted);
        let before = index.checked_sub(1).filter(|_| !is_first);
        let before = before.and_then(|before| self.view.search.hits.get(before));
        let is_same_turn = before.is_some_and(|before| before.turn == hit.turn);
        let place = |hit: &SearchHit| (hit.turn, hit.place);
        let is_same_step = before.is_some_and(|before| place(before) == place(hit));
        let turn = if is_same_turn { String::new() } else { (hit.turn + 1).to_string() };
        let place = if is_same_step { String::new() } else { self.hit_place(hit) };
        let mut spans = vec![
            trusted_span(format!("{turn:>digits$}  "), self.theme.style_for(Meaning::Heading)),
            recorded_span(&place, muted),
        ];
        let blank = (digits + 2 + PLACE_CELLS).saturating_sub(spans_width(&spans));
        spans.push(trusted_span(" ".repeat(blank + 1), muted));
        match self.chooser.hit_excerpt(index) {
            Some(excerpt) => {
                let is_current = self.view.search.current == Some(index);
                let meaning = if is_current { Meaning::CurrentHit } else { Meaning::Hit };
                let layer = (excerpt.hit.clone(), self.theme.style_for(meaning));
                let sign = self.theme.style_for(Meaning::Warning);
                spans.extend(paint_text(&excerpt.words, Style::default(), &[layer], sign));
            }
            None => spans.push(trusted_span("…", muted)),
        }
        Line::from(fit_spans(spans, width))
    }

    /// Returns `⑂ explorer, result of shell`.
    fn hit_place(&self, hit: &SearchHit) -> String {
        let run = &self.session.run;
        let HitPlace::Step(id, field) = hit.place else { return "request".into() };
        let Some(step) = run.step(id) else { return String::new() };
        let part = match (field, step.kind, &step.tool) {
            (StepField::Arguments, _, Some(tool)) => format!("call of {}", tool.name),
            (StepField::Result, _, Some(tool)) => format!("result of {}", tool.name),
            (_, StepKind::Compaction, _) => "compaction".into(),
            (_, StepKind::SubAgent, _) => "sub-agent".into(),
            (StepField::Text, kind, _) => kind.word().into(),
            (StepField::Arguments, ..) => "call".into(),
            (StepField::Result, ..) => "result".into(),
        };
        match id.subagent.and_then(|agent| run.subagents.get(agent)) {
            Some(agent) => format!("⑂ {}, {part}", agent.name),
            None => part,
        }
    }

    /// Returns ` 23 combine losses            2 schedule  ✗1 +34`.
    fn request_line(&self, turn: usize, width: usize) -> Line<'static> {
        let run = &self.session.run;
        let digits = run.turns.len().to_string().len();
        let Some(found) = run.turns.get(turn) else { return Line::default() };
        let muted = self.theme.style_for(Meaning::Muted);
        let (title, meaning) = match &*found.title {
            "" => ("(no request)", Meaning::Muted),
            title => (title, Meaning::Text),
        };
        let left = vec![
            trusted_span(format!("{:>digits$} ", turn + 1), muted),
            recorded_span(title, self.theme.style_for(meaning)),
        ];
        let mut right = self
            .session
            .turn_counts
            .get(turn)
            .map_or(vec![], |it| turn_mark_spans(self.session, turn, it, self.theme));
        if let Some(index) = found.checkpoint.filter(|index| *index < run.checkpoints.len()) {
            let label = run.checkpoints[index].label.as_deref().unwrap_or_default();
            right.insert(0, trusted_span("  ", muted));
            right.insert(0, recorded_span(&format!("{} {label}", index + 1), muted));
        }
        left_and_right(left, right, width)
    }

    /// Returns `12.7 failing test     pytest -q  E assert 3 == 2`.
    fn failure_line(&self, (id, number): (StepId, usize), width: usize) -> Line<'static> {
        let run = &self.session.run;
        let Some(step) = run.step(id) else { return Line::default() };
        let text = self.view.steps.item_text(id).and_then(|text| text.as_ref().ok());
        let text = text.map(|text| &**text);
        let failed = FailureKind::for_step(step, text).map_or("", FailureKind::display_text);
        let number = format!("{}.{number}", id.turn + 1);
        let (muted, plain) =
            (self.theme.style_for(Meaning::Muted), self.theme.style_for(Meaning::Text));
        let outcome = step.tool_result().and_then(ToolResult::outcome_text).unwrap_or_default();
        let mut spans = vec![
            trusted_span(format!("{number:<8}"), self.theme.style_for(Meaning::Heading)),
            trusted_span(format!("{failed:<16}{outcome:<9}"), self.theme.style_for(Meaning::Error)),
            recorded_span(
                &fit_text_end(&safe_string(&step.label), width.saturating_sub(33) / 2),
                plain,
            ),
            trusted_span("  ", muted),
        ];
        let line = text.map(|text| main_error_line(text).unwrap_or_default());
        spans.push(recorded_span(line.unwrap_or("…"), muted));
        Line::from(fit_spans(spans, width))
    }

    fn filter_line(&self, kinds: StepFilter, width: usize) -> Line<'static> {
        let steps = self.session.run.steps_of_turn(self.session.turn);
        let has = |id: &trajview_run::StepId| {
            self.session.run.step(*id).is_some_and(|step| kinds.matches_step(step))
        };
        let count = steps.iter().filter(|id| has(id)).count();
        let left = vec![
            trusted_span(format!("{} ", kinds.key_letter()), self.theme.style_for(Meaning::Key)),
            trusted_span(kinds.filter_name(), self.theme.style_for(Meaning::Text)),
        ];
        let words = format!("{count} in turn {}", self.session.turn + 1);
        left_and_right(left, vec![trusted_span(words, self.theme.style_for(Meaning::Muted))], width)
    }

    fn breakpoint_line(&self, stop: Stop) -> Line<'static> {
        let sign = if self.view.playback.stops.has_reason(stop) { "[x]" } else { "[ ]" };
        Line::from(vec![
            trusted_span(format!("{} ", stop.key_letter()), self.theme.style_for(Meaning::Key)),
            trusted_span(
                format!("{sign} {}", stop.stop_text()),
                self.theme.style_for(Meaning::Text),
            ),
        ])
    }

    fn draw_below(&self, area: Rect, buffer: &mut Buffer) {
        match self.chooser.kind {
            ChooserKind::Hits | ChooserKind::Failures | ChooserKind::Kinds => {}
            ChooserKind::Agents => {
                let picture = LanePicture::new(self.session, &self.chooser.lanes, self.theme, area);
                picture.draw_details(self.chooser.list.cursor(), area, buffer);
            }
            ChooserKind::History => {
                file_history::draw_lines(self.view, self.session, self.theme, area, buffer)
            }
            ChooserKind::Requests => self.draw_preview(area, buffer),
            ChooserKind::Stops => self.draw_speeds(area, buffer),
        }
    }

    /// Draws the first lines of the selected request.
    fn draw_preview(&self, area: Rect, buffer: &mut Buffer) {
        let muted = self.theme.style_for(Meaning::Muted);
        let width = usize::from(area.width);
        put_row(Line::from(trusted_span("─".repeat(width), muted)), None, area, 0, buffer);
        let requests = self.chooser.matching_requests();
        let turn = requests.get(self.chooser.list.cursor());
        let text = turn.and_then(|turn| self.session.request_words(*turn));
        let Some(Ok(text)) = text else { return };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut y = 1;
        for line in lines.take(usize::from(PREVIEW_ROWS)) {
            for range in crate::widgets::wrap::wrap_line(line, width.saturating_sub(2)) {
                let words = recorded_span(&line[range], Style::default());
                put_row(Line::from(vec![trusted_span(" ", muted), words]), None, area, y, buffer);
                y += 1;
            }
        }
    }

    /// Draws `speed  ¼×  ½× [1×] 2×` and the distance of one move.
    fn draw_speeds(&self, area: Rect, buffer: &mut Buffer) {
        let playback = self.view.playback;
        let muted = self.theme.style_for(Meaning::Muted);
        let mut spans = vec![trusted_span(" speed  ", muted)];
        for (words, is_chosen) in playback.speed_choices() {
            let (words, meaning) = match is_chosen {
                true => (format!("[{words}]"), Meaning::Title),
                false => (format!(" {words} "), Meaning::Muted),
            };
            spans.push(trusted_span(words, self.theme.style_for(meaning)));
        }
        put_row(Line::from(spans), None, area, 1, buffer);
        let unit = vec![
            trusted_span(" by     ", muted),
            trusted_span(self.view.unit_name(self.session), self.theme.style_for(Meaning::Text)),
        ];
        put_row(Line::from(unit), None, area, 2, buffer);
    }
}

/// Cells of the title that what was typed has, at most.
const MAX_FILTER_CELLS: usize = 40;

/// Cells of the column for the place of a hit.
const PLACE_CELLS: usize = 26;
