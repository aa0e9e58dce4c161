//! The steps of the turn: one line each, unfolded to what was said, called and answered.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::{
    session::{Session, digest::Lines},
    views::replay::{
        Replay,
        steps::{DEEPEST_INDENT, DEPTH_INDENT, INDENT, Item, Kinds, Row, RowKind, part_of},
    },
    widgets::{
        hits::{self, Found},
        layout::Panel,
        line::{fit, own, recorded, safe, sides, width_of},
        paint::{Layer, paint},
        panel::{position, put_row, titled},
        printed,
        theme::{Meaning, Theme, Writing},
    },
};
use trajview_run::{
    Edit, Role, Run, Step, StepId, StepKind, ToolResult, figures,
    search::{Hit, StepField},
};

use super::{chosen, name, pace::Paces, turns::line_counts};

/// Columns between tab stops, as the rows were cut for.
const TAB: usize = 4;

pub fn draw(view: &Replay, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let words = format!("steps of turn {}{}", session.turn + 1, way_in(view, session));
    let cost = own(cost(view, session), theme.of(Meaning::Muted));
    let title = vec![name(view, Panel::Steps, words, theme), choice(view, theme), cost];
    let paces = Paces::of(view, session, usize::from(area.width).saturating_sub(4));
    let heads = paces.heads(theme);
    let room = usize::from(area.width).saturating_sub(2 + heads.width());
    let titles = [Line::from(fit(title, room)), heads, Line::default()];
    let inner = titled(view.focus == Panel::Steps, titles, theme, area, buffer);
    if view.steps.items.is_empty() {
        let words = match view.steps.kinds() {
            Kinds::All => "no steps".to_owned(),
            kinds => format!("no {} in this turn", kinds.word()),
        };
        return crate::widgets::panel::sentence(&words, theme.of(Meaning::Muted), inner, buffer);
    }
    let scroll = view.steps.scroll;
    position(scroll.top, view.steps.row_count(), theme, area, buffer);
    let seen = scroll.top..scroll.top + usize::from(inner.height);
    let width = usize::from(inner.width).saturating_sub(2);
    let painter = Painter { view, session, theme, width, paces };
    for index in seen {
        let Some(row) = view.steps.row(index) else { break };
        let is_cursor = index == scroll.cursor;
        // Text keeps its own looks: a hit on a reversed row could not be seen.
        let is_chosen = is_cursor && *row.kind == RowKind::Head;
        let style = is_chosen.then(|| chosen(view, Panel::Steps, theme));
        let Some(mut line) = painter.row(row) else { continue };
        let mark = if is_cursor { "▌" } else { " " };
        line.spans.insert(0, own(mark, theme.of(Meaning::FocusedBorder)));
        put_row(line, style, inner, (index - scroll.top) as u16, buffer);
    }
}

/// ` › explorer › reader, depth 2`: the sub-agents that were entered, the outermost first.
fn way_in(view: &Replay, session: &Session) -> String {
    let way = view.steps.way_in();
    let name = |id: &StepId| {
        let agent = session.run.step(*id).and_then(|step| step.subagent);
        agent.and_then(|agent| session.run.subagents.get(agent)).map(|agent| safe(&agent.name))
    };
    let names: String = way.iter().rev().filter_map(name).map(|it| format!(" › {it}")).collect();
    if way.is_empty() { names } else { format!("{names}, depth {}", way.len()) }
}

/// ` errors only, 12 hidden `
fn choice(view: &Replay, theme: Theme) -> Span<'static> {
    let words = match view.steps.kinds() {
        Kinds::All => String::new(),
        kinds => format!(" {} only, {} hidden ", kinds.word(), view.steps.hidden()),
    };
    own(words, theme.of(Meaning::Warning))
}

/// ` 2m 14s · 12k tokens · computed $0.12 `: what the turn took, as far as it is recorded; what it cost at list prices where the
/// steps say what they cost.
fn cost(view: &Replay, session: &Session) -> String {
    let Some(turn) = session.run.turns.get(session.turn) else {
        return String::new();
    };
    let seconds =
        turn.ended_at.zip(turn.started_at).and_then(|(end, start)| end.seconds_since(start));
    let tokens = turn.tokens.input.zip(turn.tokens.output).map(|(read, written)| read + written);
    let computed = session.scores.worked.cost.ready().filter(|_| view.steps.began.is_some());
    let parts = [
        turn.state().map(|state| state.words().to_owned()).filter(|words| !words.is_empty()),
        seconds.map(figures::duration),
        tokens.map(|count| format!("{} tokens", figures::short(count))),
        turn.cost_usd.map(figures::dollars),
        computed.and_then(|cost| Some(format!("computed {}", cost.of_turn(session.turn).said()?))),
    ];
    let known: Vec<_> = parts.into_iter().flatten().collect();
    if known.is_empty() { String::new() } else { format!(" {} ", known.join(" · ")) }
}

/// Columns from which on facts are said in full; below, what a step is needs the room.
const ROOMY: usize = 60;

struct Painter<'a> {
    view: &'a Replay,
    session: &'a Session,
    theme: Theme,
    width: usize,
    paces: Paces<'a>,
}

impl Painter<'_> {
    fn row(&self, row: Row<'_>) -> Option<Line<'static>> {
        let item = *self.view.steps.items.get(row.item)?;
        let depth = self.view.steps.depths.get(row.item).copied().unwrap_or_default();
        let margin = " ".repeat(depth.min(DEEPEST_INDENT) * DEPTH_INDENT);
        let note = |words: &str, meaning| {
            let words = format!("{margin}    {words}");
            Line::from(fit(vec![own(words, self.theme.of(meaning))], self.width))
        };
        Some(match row.kind {
            RowKind::Head => self.head(item, &margin)?,
            RowKind::Section(field) => self.section(item, *field, &margin),
            RowKind::Text { field, line, range } => {
                let text = self.view.steps.text(item)?.as_ref().ok()?;
                let words = part_of(text, *field)?;
                let mut layers = looks(self.view, item, *field, range, self.theme);
                layers.extend(self.hits(item, *field, *line, words, range));
                let mut spans =
                    vec![own(format!("{margin}  {}", rule(*field)), self.theme.of(Meaning::Muted))];
                let words = words.get(range.clone())?;
                spans.extend(paint(
                    words,
                    Style::default(),
                    &layers,
                    Writing { tab_width: TAB, ..self.theme.writing() },
                ));
                Line::from(fit(spans, self.width))
            }
            RowKind::Waiting => note("reading…", Meaning::Muted),
            RowKind::Failed => note(&self.failure(item), Meaning::Error),
            RowKind::Empty => note(self.why_empty(item), Meaning::Muted),
            RowKind::Cut(_) => note("the rest is too long to be shown here", Meaning::Warning),
        })
    }

    /// `▸ bash  pytest -q          exit 1  2.1 kB`
    fn head(&self, item: Item, margin: &str) -> Option<Line<'static>> {
        let fold = if self.view.steps.is_unfolded(item) { "▾" } else { "▸" };
        let mut left = vec![own(format!("{margin}{fold} "), self.theme.of(Meaning::Muted))];
        let right = match item {
            Item::Layer(turn) => {
                left.push(own("before the request  ", self.theme.of(Meaning::Heading)));
                let words = self.session.run.turns.get(turn)?.layer.as_deref().unwrap_or_default();
                let first = words.lines().next().unwrap_or_default();
                left.push(recorded(first, self.theme.of(Meaning::Muted)));
                vec![]
            }
            Item::Request(turn) => {
                left.push(own("request  ", self.theme.of(Meaning::Heading)));
                left.push(recorded(&self.session.run.turns.get(turn)?.title, Style::default()));
                vec![]
            }
            Item::Step(id) => {
                let step = self.session.run.step(id)?;
                left.extend(self.what(item, step));
                let columns = self.paces.of_step(&self.session.run, id, self.theme);
                let facts = if self.width < ROOMY + width_of(&columns) && !columns.is_empty() {
                    vec![]
                } else {
                    self.facts(step)
                };
                [self.folded_below(id), facts, columns].concat()
            }
        };
        Some(sides(left, right, self.width))
    }

    /// `⏎ 5 steps  `: what a folded sub-agent did.
    fn folded_below(&self, id: StepId) -> Vec<Span<'static>> {
        let words = self.view.steps.folded_below(id).map(|count| match count {
            1 => "⏎ 1 step  ".to_owned(),
            count => format!("⏎ {count} steps  "),
        });
        words.map(|words| own(words, self.theme.of(Meaning::Hunk))).into_iter().collect()
    }

    /// What kind of step it is, and its one line.
    fn what(&self, item: Item, step: &Step) -> Vec<Span<'static>> {
        let meaning = if step.failed() { Meaning::Error } else { Meaning::Heading };
        let mut spans = vec![];
        if step.failed() {
            spans.push(own("✗ ", self.theme.of(Meaning::Error)));
        }
        spans.push(recorded(&step_words(&self.session.run, step), self.theme.of(meaning)));
        if let Some(count) = self.word_count(item, step) {
            let words = if count == 1 { "word" } else { "words" };
            spans.push(own(format!(" {count} {words}"), self.theme.of(Meaning::Muted)));
        }
        spans.push(own("  ", Style::default()));
        let label = match step.kind {
            StepKind::Thinking => self.theme.of(Meaning::Muted),
            _ => Style::default(),
        };
        spans.extend(self.signals(item));
        spans.push(recorded(&step.label, label));
        spans
    }

    /// `• repeated call  `: what is worth a look here; the process view says why.
    fn signals(&self, item: Item) -> Option<Span<'static>> {
        let id = item.step()?;
        let signals = self.session.scores.worked.signals_of(id.turn);
        let mut kinds: Vec<&str> =
            signals.iter().filter(|it| it.step == id).map(|it| it.kind.words()).collect();
        kinds.dedup();
        let words = || format!("• {}  ", kinds.join(", "));
        (!kinds.is_empty()).then(|| own(words(), self.theme.of(Meaning::Warning)))
    }

    /// Known once the text has been read.
    fn word_count(&self, item: Item, step: &Step) -> Option<usize> {
        if step.kind != StepKind::Thinking {
            return None;
        }
        let text = self.view.steps.text(item)?.as_ref().ok()?;
        Some(text.text.split_whitespace().count()).filter(|count| *count > 0)
    }

    /// `+34 −8  exit 1  2.1 kB`
    fn facts(&self, step: &Step) -> Vec<Span<'static>> {
        let mut facts: Vec<Vec<Span>> = vec![];
        let lines = edited_lines(&step.edits);
        let counts = lines.map(|lines| line_counts(lines, self.theme)).unwrap_or_default();
        let blank = || Span::raw(" ");
        facts.push(counts.into_iter().flat_map(|count| [blank(), count]).skip(1).collect());
        facts.extend(step.result().map(|result| self.result_facts(result)));
        if step.tool.as_ref().is_some_and(|tool| tool.result.is_none()) {
            let words = if self.width < ROOMY { "no answer" } else { "no answer recorded" };
            facts.push(vec![own(words, self.theme.of(Meaning::Warning))]);
        }
        let full = facts.into_iter().filter(|fact| !fact.is_empty());
        full.flat_map(|fact| [vec![Span::raw("  ")], fact].concat()).skip(1).collect()
    }

    fn result_facts(&self, result: &ToolResult) -> Vec<Span<'static>> {
        let mut facts = vec![];
        let meaning = if result.failed() { Meaning::Error } else { Meaning::Muted };
        let outcome = result.outcome();
        facts.extend(outcome.map(|words| own(format!("{words}  "), self.theme.of(meaning))));
        let size = if result.bytes == 0 { String::new() } else { figures::bytes(result.bytes) };
        facts.push(own(format!("{size:>6}"), self.theme.of(Meaning::Muted)));
        facts
    }

    fn section(&self, item: Item, field: StepField, margin: &str) -> Line<'static> {
        let step = item.step().and_then(|id| self.session.run.step(id));
        let size =
            step.and_then(Step::result).map(|result| format!(", {}", figures::bytes(result.bytes)));
        let words = match field {
            StepField::Text => "text".to_owned(),
            StepField::Arguments => "call".to_owned(),
            StepField::Result => format!("result{}", size.unwrap_or_default()),
        };
        let words = format!("{margin}  ─ {words}");
        Line::from(fit(vec![own(words, self.theme.of(Meaning::Muted))], self.width))
    }

    /// The matches of the search in one row, the current one apart; bytes within the row.
    fn hits(
        &self,
        item: Item,
        field: StepField,
        line: usize,
        words: &str,
        row: &std::ops::Range<usize>,
    ) -> Vec<Layer> {
        let Some(regex) = self.view.search.regex() else { return vec![] };
        let current = self.view.search.current_hit().filter(|hit| is_here(hit, item, field, line));
        let is_current = |found: &Found| current.is_some_and(|hit| hit.range == found.in_line);
        let found = hits::in_row(regex, words, row).into_iter();
        found
            .map(|found| {
                let meaning = if is_current(&found) { Meaning::CurrentHit } else { Meaning::Hit };
                (found.in_row, self.theme.of(meaning))
            })
            .collect()
    }

    fn failure(&self, item: Item) -> String {
        match self.view.steps.text(item) {
            Some(Err(why)) => safe(why),
            _ => String::new(),
        }
    }

    fn why_empty(&self, item: Item) -> &'static str {
        let step = item.step().and_then(|id| self.session.run.step(id));
        match step.map(|step| step.kind) {
            Some(StepKind::Thinking) => "the recording keeps this thinking to itself",
            Some(StepKind::Compaction) => "the recording does not say what was kept",
            _ => "nothing is recorded here",
        }
    }
}

/// The colours that a tool printed, in some bytes of a part of an entry, counted from the first of them.
pub(super) fn looks(
    view: &Replay,
    item: Item,
    field: StepField,
    bytes: &std::ops::Range<usize>,
    theme: Theme,
) -> Vec<Layer> {
    let looks = view.steps.looks_in(item, field, bytes).into_iter();
    looks.map(|(range, look)| (range, printed::style_of(look, theme))).collect()
}

fn is_here(hit: &Hit, item: Item, field: StepField, line: usize) -> bool {
    Item::of(hit) == (item, field) && hit.line == line
}

/// What stands before the text of a part.
const fn rule(field: StepField) -> &'static str {
    match field {
        StepField::Text => "  ",
        StepField::Arguments => "│ ",
        StepField::Result => "┆ ",
    }
}

const _: () = assert!(INDENT == 6, "mark, margin and rule take five cells, the right edge one");

/// The word that a step begins with.
pub(super) fn step_words(run: &Run, step: &Step) -> String {
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

/// None where the lines of one of them are not known.
fn edited_lines(edits: &[Edit]) -> Option<Lines> {
    edits.iter().try_fold(Lines::default(), |mut lines, edit| {
        lines.add(Lines { added: edit.added? as usize, removed: edit.removed? as usize });
        Some(lines)
    })
}
