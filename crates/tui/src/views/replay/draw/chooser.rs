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
        Replay,
        chooser::{Chooser, Kind, PREVIEW},
        steps::{Item, Kinds},
        stops::Stop,
    },
    widgets::{
        layout::Layout,
        line::{fit, fit_end, own, recorded, safe, sides, width_of},
        paint::paint,
        panel::{position, put_row},
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    StepId, StepKind, ToolResult,
    failures::{Failed, telling_line},
    search::{Hit, StepField},
    values::Named,
};

use super::{
    history,
    lanes::{self, Picture},
    turns::marks,
};

pub fn draw(view: &Replay, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let Some(chooser) = &view.chooser else { return };
    let Some(areas) = view.chooser_areas(layout) else { return };
    let list = List { view, session, chooser, theme };
    let (rows, frame) = (view.choices(), areas.frame);
    let block = Block::bordered()
        .border_style(theme.of(Meaning::FocusedBorder))
        .title(Line::from(fit(list.title(), usize::from(frame.width.saturating_sub(2)))));
    Clear.render(frame, buffer);
    block.render(frame, buffer);
    list.draw(rows, areas.list, buffer);
    list.draw_below(areas.below, buffer);
    let height = (areas.list.height + 2).min(frame.height);
    let edge = Rect { y: frame.bottom() - height, height, ..frame };
    position(chooser.scroll.top, rows, theme, edge, buffer);
}

struct List<'a> {
    view: &'a Replay,
    session: &'a Session,
    chooser: &'a Chooser,
    theme: Theme,
}

impl List<'_> {
    fn title(&self) -> Vec<Span<'static>> {
        let bold = |words: String| own(words, self.theme.of(Meaning::Title));
        match self.chooser.kind {
            Kind::Hits => {
                let pattern = self.view.search.query().map_or("", |it| it.pattern.as_str());
                let position = self.view.search.position().unwrap_or_default();
                let words = format!(" hits of `{}` ", safe(pattern));
                vec![bold(words), own(format!("{position} "), self.theme.of(Meaning::Muted))]
            }
            Kind::Requests => {
                let total = self.session.run.turns.len();
                let found = self.view.choices();
                vec![
                    bold(" requests ".into()),
                    own("/", self.theme.of(Meaning::Key)),
                    own(fit_end(&safe(&self.chooser.filter), FILTER), self.theme.of(Meaning::Text)),
                    own(" ", self.theme.of(Meaning::Cursor)),
                    own(format!(" {found} of {total} "), self.theme.of(Meaning::Muted)),
                ]
            }
            Kind::Failures => {
                let count = self.view.choices();
                let words =
                    if count == 1 { "1 failure".into() } else { format!("{count} failures") };
                vec![bold(format!(" {words} "))]
            }
            Kind::History => history::title(&self.view.past, self.theme),
            Kind::Agents => lanes::title(&self.chooser.lanes, self.theme),
            Kind::Kinds => vec![bold(" list which steps ".into())],
            Kind::Stops => vec![bold(" playback stops at ".into())],
        }
    }

    fn draw(&self, rows: usize, area: Rect, buffer: &mut Buffer) {
        if rows == 0 {
            let words = match self.chooser.kind {
                Kind::Hits if !self.view.search.is_done => String::from("searching…"),
                Kind::Hits => "no hits".into(),
                Kind::History => history::why_empty(&self.view.past),
                _ => "no request holds these words".into(),
            };
            return crate::widgets::panel::sentence(
                &words,
                self.theme.of(Meaning::Muted),
                area,
                buffer,
            );
        }
        let top = self.chooser.scroll.top;
        let requests = self.chooser.requests();
        let picture = Picture::of(self.session, &self.chooser.lanes, self.theme, area);
        if self.chooser.kind == Kind::Agents {
            picture.axis(buffer);
        }
        for (y, index) in (top..rows).take(usize::from(area.height)).enumerate() {
            let is_chosen = index == self.chooser.scroll.cursor;
            let width = usize::from(area.width);
            let mut line = match self.chooser.kind {
                Kind::Hits => self.hit(index, y == 0, width.saturating_sub(1)),
                Kind::Requests => self.request(requests[index], width.saturating_sub(2)),
                Kind::Failures => self.failure(self.chooser.failed[index], width.saturating_sub(2)),
                Kind::History => {
                    let entry = &self.view.past.entries()[index];
                    history::row(entry, self.session, self.theme, width.saturating_sub(2))
                }
                Kind::Agents => picture.row(index),
                Kind::Kinds => self.kind(Kinds::ALL[index], width.saturating_sub(2)),
                Kind::Stops => self.stop(Stop::ALL[index]),
            };
            let mark = if is_chosen { "▌" } else { " " };
            line.spans.insert(0, own(mark, self.theme.of(Meaning::FocusedBorder)));
            let style = is_chosen.then(|| self.theme.of(Meaning::Selected));
            put_row(line, style, area, y as u16, buffer);
        }
    }

    /// `  4  ⑂ explorer result  …the joint loss falls`; turn and step are said where they begin, and in the first row.
    fn hit(&self, index: usize, is_first: bool, width: usize) -> Line<'static> {
        let Some(hit) = self.view.search.hits.get(index) else { return Line::default() };
        let digits = self.session.run.turns.len().to_string().len();
        let muted = self.theme.of(Meaning::Muted);
        let before = index.checked_sub(1).filter(|_| !is_first);
        let before = before.and_then(|before| self.view.search.hits.get(before));
        let is_same_turn = before.is_some_and(|before| before.turn == hit.turn);
        let is_same_step = before.is_some_and(|before| Item::of(before) == Item::of(hit));
        let turn = if is_same_turn { String::new() } else { (hit.turn + 1).to_string() };
        let place = if is_same_step { String::new() } else { self.place_of(hit) };
        let mut spans = vec![
            own(format!("{turn:>digits$}  "), self.theme.of(Meaning::Heading)),
            recorded(&place, muted),
        ];
        let blank = (digits + 2 + PLACE).saturating_sub(width_of(&spans));
        spans.push(own(" ".repeat(blank + 1), muted));
        match self.chooser.excerpt(index) {
            Some(excerpt) => {
                let is_current = self.view.search.current == Some(index);
                let meaning = if is_current { Meaning::CurrentHit } else { Meaning::Hit };
                let layer = (excerpt.hit.clone(), self.theme.of(meaning));
                let sign = self.theme.of(Meaning::Warning);
                spans.extend(paint(&excerpt.words, Style::default(), &[layer], sign));
            }
            None => spans.push(own("…", muted)),
        }
        Line::from(fit(spans, width))
    }

    /// `⑂ explorer, result of shell`
    fn place_of(&self, hit: &Hit) -> String {
        let (item, field) = Item::of(hit);
        let run = &self.session.run;
        let Some(id) = item.step() else { return "request".into() };
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

    /// ` 23 combine losses            2 schedule  ✗1 +34`
    fn request(&self, turn: usize, width: usize) -> Line<'static> {
        let run = &self.session.run;
        let digits = run.turns.len().to_string().len();
        let Some(found) = run.turns.get(turn) else { return Line::default() };
        let muted = self.theme.of(Meaning::Muted);
        let (title, meaning) = match &*found.title {
            "" => ("(no request)", Meaning::Muted),
            title => (title, Meaning::Text),
        };
        let left = vec![
            own(format!("{:>digits$} ", turn + 1), muted),
            recorded(title, self.theme.of(meaning)),
        ];
        let mut right = self
            .session
            .digests
            .get(turn)
            .map_or(vec![], |it| marks(self.session, turn, it, self.theme));
        if let Some(index) = found.checkpoint.filter(|index| *index < run.checkpoints.len()) {
            let label = run.checkpoints[index].label.as_deref().unwrap_or_default();
            right.insert(0, own("  ", muted));
            right.insert(0, recorded(&format!("{} {label}", index + 1), muted));
        }
        sides(left, right, width)
    }

    /// `12.7 failing test     pytest -q  E assert 3 == 2`
    fn failure(&self, (id, number): (StepId, usize), width: usize) -> Line<'static> {
        let run = &self.session.run;
        let Some(step) = run.step(id) else { return Line::default() };
        let text = self.view.steps.text(Item::Step(id)).and_then(|text| text.as_ref().ok());
        let text = text.map(|text| &**text);
        let failed = Failed::of(step, text).map_or("", Failed::words);
        let number = format!("{}.{number}", id.turn + 1);
        let (muted, plain) = (self.theme.of(Meaning::Muted), self.theme.of(Meaning::Text));
        let outcome = step.result().and_then(ToolResult::outcome).unwrap_or_default();
        let mut spans = vec![
            own(format!("{number:<8}"), self.theme.of(Meaning::Heading)),
            own(format!("{failed:<16}{outcome:<9}"), self.theme.of(Meaning::Error)),
            recorded(&fit_end(&safe(&step.label), width.saturating_sub(33) / 2), plain),
            own("  ", muted),
        ];
        let line = text.map(|text| telling_line(text).unwrap_or_default());
        spans.push(recorded(line.unwrap_or("…"), muted));
        Line::from(fit(spans, width))
    }

    fn kind(&self, kinds: Kinds, width: usize) -> Line<'static> {
        let steps = self.session.run.steps_of_turn(self.session.turn);
        let has = |id: &trajview_run::StepId| {
            self.session.run.step(*id).is_some_and(|step| kinds.has(step))
        };
        let count = steps.iter().filter(|id| has(id)).count();
        let left = vec![
            own(format!("{} ", kinds.letter()), self.theme.of(Meaning::Key)),
            own(kinds.word(), self.theme.of(Meaning::Text)),
        ];
        let words = format!("{count} in turn {}", self.session.turn + 1);
        sides(left, vec![own(words, self.theme.of(Meaning::Muted))], width)
    }

    fn stop(&self, stop: Stop) -> Line<'static> {
        let sign = if self.view.playback.stops.has(stop) { "[x]" } else { "[ ]" };
        Line::from(vec![
            own(format!("{} ", stop.letter()), self.theme.of(Meaning::Key)),
            own(format!("{sign} {}", stop.words()), self.theme.of(Meaning::Text)),
        ])
    }

    fn draw_below(&self, area: Rect, buffer: &mut Buffer) {
        match self.chooser.kind {
            Kind::Hits | Kind::Failures | Kind::Kinds => {}
            Kind::Agents => {
                let picture = Picture::of(self.session, &self.chooser.lanes, self.theme, area);
                picture.below(self.chooser.scroll.cursor, area, buffer);
            }
            Kind::History => history::lines(self.view, self.session, self.theme, area, buffer),
            Kind::Requests => self.preview(area, buffer),
            Kind::Stops => self.speeds(area, buffer),
        }
    }

    /// The first lines of the selected request.
    fn preview(&self, area: Rect, buffer: &mut Buffer) {
        let muted = self.theme.of(Meaning::Muted);
        let width = usize::from(area.width);
        put_row(Line::from(own("─".repeat(width), muted)), None, area, 0, buffer);
        let requests = self.chooser.requests();
        let turn = requests.get(self.chooser.scroll.cursor);
        let text = turn.and_then(|turn| self.view.steps.text(Item::Request(*turn)));
        let Some(Ok(text)) = text else { return };
        let lines = text.text.lines().filter(|line| !line.trim().is_empty());
        let mut y = 1;
        for line in lines.take(usize::from(PREVIEW)) {
            for range in crate::widgets::wrap::wrap(line, width.saturating_sub(2)) {
                let words = recorded(&line[range], Style::default());
                put_row(Line::from(vec![own(" ", muted), words]), None, area, y, buffer);
                y += 1;
            }
        }
    }

    /// `speed  ¼×  ½× [1×] 2×` and what a beat moves by.
    fn speeds(&self, area: Rect, buffer: &mut Buffer) {
        let playback = self.view.playback;
        let muted = self.theme.of(Meaning::Muted);
        let mut spans = vec![own(" speed  ", muted)];
        for (words, is_chosen) in playback.speeds() {
            let (words, meaning) = match is_chosen {
                true => (format!("[{words}]"), Meaning::Title),
                false => (format!(" {words} "), Meaning::Muted),
            };
            spans.push(own(words, self.theme.of(meaning)));
        }
        put_row(Line::from(spans), None, area, 1, buffer);
        let unit = vec![
            own(" by     ", muted),
            own(self.view.unit_word(self.session), self.theme.of(Meaning::Text)),
        ];
        put_row(Line::from(unit), None, area, 2, buffer);
    }
}

/// Cells of the title that what was typed has, at most.
const FILTER: usize = 40;

/// Cells of the column that says where a hit stands.
const PLACE: usize = 26;
