//! The last line: what is being typed, what was just said, or which keys there are here.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::context::Context,
    shell::{App, keymap, open_run::OpenRun},
    views::{
        live::{Live, Phase},
        replay::{acts::has_one_request, search::Prompt},
        table::{Collection, expression},
    },
    widgets::{
        key::Key,
        line::{fit, fit_end, own, recorded, safe, sides, width_of},
        theme::{Meaning, Theme},
    },
};
use trajview_run::search::Syntax;

pub fn draw(app: &App, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    content(app, theme, usize::from(inner.width)).render(inner, buffer);
}

fn content(app: &App, theme: Theme, width: usize) -> Line<'static> {
    if let Some(live) = app.screens.live() {
        return of_live(app, live, theme, width);
    }
    if let Some(compared) = app.screens.comparison() {
        return match &compared.notice {
            Some(notice) => {
                sides(vec![recorded(notice, theme.of(Meaning::Warning))], count(app, theme), width)
            }
            None => beside_count(app, theme, width),
        };
    }
    if let Some(table) = app.screens.table() {
        return of_table(app, table, theme, width);
    }
    let prompt = app.screens.open_run().and_then(|open| open.replay.search.prompt.as_ref());
    let notice = app.screens.open_run().and_then(|open| open.session.notice.as_ref());
    let hints = hints(app, theme, width);
    if app.context() == Context::RubricFind {
        let words = app.screens.open_run().map(|open| open.scores.tree.find.text.clone());
        let prompt = Prompt { text: words.unwrap_or_default(), ..Prompt::default() };
        return sides(typing(&prompt, theme, width / 2), hints, width);
    }
    let asked = app.screens.open_run().filter(|_| app.context() == Context::AuditWords);
    if let Some(typing) = asked.and_then(|open| open.audit.prompt.as_ref()?.typing()) {
        return asking(typing, hints, theme, width);
    }
    match (prompt, notice) {
        (Some(prompt), _) => {
            sides(typing(prompt, theme, width / 2), complaint_or(prompt, hints, theme), width)
        }
        (None, Some(notice)) => {
            sides(vec![recorded(notice, theme.of(Meaning::Warning))], count(app, theme), width)
        }
        (None, None) => beside_count(app, theme, width),
    }
}

fn of_live(app: &App, live: &Live, theme: Theme, width: usize) -> Line<'static> {
    match (&live.input.prompt, &live.notice) {
        (Some(prompt), _) => {
            let typed = vec![
                own(crate::views::live::draw::requests::asks(prompt.kind), theme.of(Meaning::Key)),
                own(fit_end(&safe(&prompt.text), width * 2 / 3), theme.of(Meaning::Text)),
                own(" ", theme.of(Meaning::Cursor)),
            ];
            let room = width.saturating_sub(width_of(&typed) + 2);
            sides(typed, hints(app, theme, room), width)
        }
        (None, Some(notice)) => {
            sides(vec![recorded(notice, theme.of(Meaning::Warning))], vec![], width)
        }
        (None, None) => sides(hints(app, theme, width), count(app, theme), width),
    }
}

fn of_table(app: &App, table: &Collection, theme: Theme, width: usize) -> Line<'static> {
    if let Some(finding) = table.finding.as_ref().filter(|it| it.is_typing) {
        return asking(
            ("find ", &finding.text, finding.complaint.as_deref()),
            hints(app, theme, width),
            theme,
            width,
        );
    }
    // What was found stands over the filter.
    let prompt = table.prompt.as_ref().filter(|_| table.finding.is_none());
    let condition = table.shape.expression.prompt.as_ref().filter(|_| table.finding.is_none());
    if let Some(condition) = condition {
        return of_condition(app, condition, theme, width);
    }
    match (prompt, &table.notice) {
        (Some(prompt), _) => {
            let typed = vec![
                own("filter ", theme.of(Meaning::Key)),
                own(fit_end(&safe(&prompt.text), width / 2), theme.of(Meaning::Text)),
                own(" ", theme.of(Meaning::Cursor)),
            ];
            let room = width.saturating_sub(width_of(&typed) + 2);
            let right = match &prompt.complaint {
                Some(why) => fit(vec![recorded(why, theme.of(Meaning::Error))], room),
                None => hints(app, theme, room),
            };
            sides(typed, right, width)
        }
        (None, Some(notice)) => {
            sides(vec![recorded(notice, theme.of(Meaning::Warning))], count(app, theme), width)
        }
        (None, None) => beside_count(app, theme, width),
    }
}

/// A condition that is typed; what the word at its end may become, else what is wrong with it, else the keys.
fn of_condition(
    app: &App,
    prompt: &expression::Prompt,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let typed = vec![
        own("where ", theme.of(Meaning::Key)),
        own(fit_end(&safe(&prompt.text), width / 2), theme.of(Meaning::Text)),
        own(" ", theme.of(Meaning::Cursor)),
    ];
    let room = width.saturating_sub(width_of(&typed) + 2);
    let right = match (prompt.candidates(), &prompt.complaint) {
        (Some(names), _) => fit(vec![own(names, theme.of(Meaning::Muted))], room),
        (None, Some(why)) => fit(vec![recorded(why, theme.of(Meaning::Error))], room),
        (None, None) => hints(app, theme, room),
    };
    sides(typed, right, width)
}

fn beside_count(app: &App, theme: Theme, width: usize) -> Line<'static> {
    let right = count(app, theme);
    let taken = if right.is_empty() { 0 } else { width_of(&right) + 1 };
    sides(hints(app, theme, width.saturating_sub(taken)), right, width)
}

/// What the audit asks for: the question, what is typed, and what is wrong with it or else the keys.
fn asking(
    (question, text, complaint): (&str, &str, Option<&str>),
    hints: Vec<Span<'static>>,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let typed = vec![
        own(question.to_owned(), theme.of(Meaning::Key)),
        own(fit_end(&safe(text), width * 2 / 3), theme.of(Meaning::Text)),
        own(" ", theme.of(Meaning::Cursor)),
    ];
    let right = match complaint {
        Some(why) => vec![recorded(why, theme.of(Meaning::Error))],
        None => hints,
    };
    let room = width.saturating_sub(width_of(&typed) + 2);
    sides(typed, fit(right, room), width)
}

fn typing(prompt: &Prompt, theme: Theme, room: usize) -> Vec<Span<'static>> {
    let sign = match prompt.syntax {
        Syntax::Literal => "/",
        Syntax::Regex => "regex /",
    };
    vec![
        own(sign, theme.of(Meaning::Key)),
        own(fit_end(&safe(&prompt.text), room), theme.of(Meaning::Text)),
        own(" ", theme.of(Meaning::Cursor)),
    ]
}

fn complaint_or(prompt: &Prompt, hints: Vec<Span<'static>>, theme: Theme) -> Vec<Span<'static>> {
    match &prompt.complaint {
        Some(why) => vec![recorded(why, theme.of(Meaning::Error))],
        None => hints,
    }
}

/// The count, and the judging under way where the run and its title are not seen.
fn count(app: &App, theme: Theme) -> Vec<Span<'static>> {
    let count = app.count.map(|count| own(count.to_string(), theme.of(Meaning::Title)));
    let live = app.screens.live.as_deref().filter(|_| app.screens.live().is_none());
    let live = live.and_then(|live| elsewhere(live, theme));
    let here = app.screens.open_run().filter(|_| app.screens.shown_run().is_none());
    let here = here.and_then(|open| open.judging.sign());
    let others = app.screens.other_judgings.iter().filter(|it| it.watched.is_under_way()).count();
    let others = (others > 0).then(|| format!("J {others} elsewhere"));
    let sign = here
        .into_iter()
        .chain(others)
        .map(|words| own(format!(" {words}"), theme.of(Meaning::Playing)));
    count.into_iter().chain(sign).chain(live).collect()
}

/// A run that is being made, in the footer of another view; nothing of one that somebody has seen to its end.
fn elsewhere(live: &Live, theme: Theme) -> Option<Span<'static>> {
    let count = format!("{}/{}", live.done(), live.turns.len());
    let (sign, words, meaning) = match &live.phase {
        Phase::Nothing | Phase::Elsewhere => return None,
        Phase::Over { .. } if live.is_seen => return None,
        Phase::Over { is_whole: true, .. } => ("✓", "live run over", Meaning::Added),
        Phase::Over { .. } => ("■", "live run stopped", Meaning::Warning),
        Phase::Waiting(_) => ("‖", "live run waits", Meaning::Warning),
        Phase::Starting | Phase::Running | Phase::Stopping => ("▶", "live run", Meaning::Playing),
    };
    let words = format!(" {sign} {words} {count} F7");
    Some(own(theme.spelled(&words), theme.of(meaning)))
}

/// Hints of keys that would do nothing now.
fn idle_hints(app: &App) -> Vec<&'static str> {
    let Some(open) = app.screens.shown_run() else { return vec![] };
    let (context, session) = (app.context(), &open.session);
    match context {
        Context::JudgeForm if open.judging.form.judges.is_empty() => {
            vec!["field", "change", "ask", "mark", "keep", "resume"]
        }
        Context::Audit | Context::AuditReading => {
            let all = session.study().map_or(session.queued().len(), |study| study.len());
            let done = open.audit.labelled_count(session);
            let mut idle = vec![];
            idle.extend((done == 0).then_some("undo"));
            idle.extend((done == all).then_some("unlabelled"));
            idle
        }
        Context::Turns | Context::Files | Context::Diff | Context::Steps
            if has_one_request(session) =>
        {
            vec!["edit"] // left and right lead there
        }
        _ => vec![],
    }
}

/// In a run of one request left and right lead from edit to edit.
fn word_here(app: &App, word: &'static str) -> &'static str {
    let is_of_edits = |open: &OpenRun| has_one_request(&open.session);
    match word {
        "turn" if app.screens.shown_run().is_some_and(is_of_edits) => "edit",
        word => word,
    }
}

/// What has to be said before anything else of the place makes sense: who labels.
fn first_hint(app: &App) -> Option<&'static keymap::Binding> {
    let open = app.screens.shown_run()?;
    let is_audit = matches!(app.context(), Context::Audit | Context::AuditReading);
    let is_nameless = is_audit && open.session.labels.annotator().is_none();
    let key = Key::char('a');
    is_nameless.then(|| keymap::find(Context::Audit, key)).flatten()
}

/// As many hints as fit, each whole; the last ones, with help and quit, are kept while others go.
fn hints(app: &App, theme: Theme, width: usize) -> Vec<Span<'static>> {
    if let Some(why) = app.cut() {
        return fit(vec![own(why, theme.of(Meaning::Warning))], width);
    }
    let idle = idle_hints(app);
    let named = first_hint(app).map(|row| (app.shell.keys.of_row(row)[0].to_string(), "your name"));
    let known = keymap::hints_with(app.context(), |row| app.shell.keys.of_row(row)[0]);
    let known = known.into_iter().filter(|(_, word)| !idle.contains(word));
    let mut hints: Vec<_> = (named.into_iter().chain(known))
        .map(|(keys, word)| (keys, word_here(app, word)))
        .map(|(keys, word)| {
            vec![
                own(theme.spelled(&keys), theme.of(Meaning::Key)),
                own(format!(" {word}   "), theme.of(Meaning::Muted)),
            ]
        })
        .collect();
    let total = |hints: &[Vec<Span>]| hints.iter().map(|hint| width_of(hint)).sum::<usize>();
    const LAST: usize = 3;
    while total(&hints) > width + 3 && hints.len() > LAST {
        hints.remove(hints.len() - LAST - 1);
    }
    let mut spans = hints.concat();
    if let Some(last) = spans.last_mut() {
        last.content = last.content.trim_end().to_owned().into();
    }
    spans
}
