//! Draws the last line: the text being typed, a notice, or the keys of the place.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use crate::{
    session::context::KeyContext,
    session::views::View,
    shell::{App, keymap, open_run::OpenRun},
    views::{
        live::{LivePhase, LiveView},
        replay::{activity::has_one_request, search::SearchPrompt},
        table::{RunTableView, expression},
    },
    widgets::{
        key::Key,
        line::{
            fit_spans, fit_text_end, left_and_right, recorded_span, safe_string, spans_width,
            trusted_span,
        },
        theme::{Meaning, Theme},
    },
};
use trajview_run::search::QuerySyntax;

pub fn draw(app: &App, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    footer_line(app, theme, usize::from(inner.width)).render(inner, buffer);
}

fn footer_line(app: &App, theme: Theme, width: usize) -> Line<'static> {
    if let Some(live) = app.screens.shown_live() {
        return live_footer(app, live, theme, width);
    }
    if let Some(empty) = &app.screens.empty {
        return match &empty.notice {
            Some(notice) => left_and_right(
                vec![recorded_span(notice, theme.style_for(Meaning::Warning))],
                right_side(app, theme),
                width,
            ),
            None => hints_and_count(app, theme, width),
        };
    }
    if let Some(compared) = app.screens.shown_comparison() {
        return match &compared.notice {
            Some(notice) => left_and_right(
                vec![recorded_span(notice, theme.style_for(Meaning::Warning))],
                right_side(app, theme),
                width,
            ),
            None => hints_and_count(app, theme, width),
        };
    }
    if let Some(table) = app.screens.shown_table() {
        return table_footer(app, table, theme, width);
    }
    let prompt = app.screens.open_run().and_then(|open| open.replay.search.prompt.as_ref());
    let notice = app.screens.open_run().and_then(|open| open.session.notice.as_ref());
    let hints = fitting_hints(app, theme, width);
    let context = app.key_context();
    if context == KeyContext::RubricFind {
        let words = app.screens.open_run().map(|open| open.scores.tree.find.text.clone());
        let prompt = SearchPrompt { text: words.unwrap_or_default(), ..SearchPrompt::default() };
        return left_and_right(search_prompt(&prompt, theme, width / 2), hints, width);
    }
    let asked = app.screens.open_run().filter(|_| context == KeyContext::AuditWords);
    if let Some(typing) = asked.and_then(|open| open.audit.prompt.as_ref()?.prompt_line()) {
        return question_line(typing, hints, theme, width);
    }
    match (prompt, notice) {
        (Some(prompt), _) => left_and_right(
            search_prompt(prompt, theme, width / 2),
            complaint_or_hints(prompt, hints, theme),
            width,
        ),
        (None, Some(notice)) => left_and_right(
            vec![recorded_span(notice, theme.style_for(Meaning::Warning))],
            right_side(app, theme),
            width,
        ),
        (None, None) => hints_and_count(app, theme, width),
    }
}

fn live_footer(app: &App, live: &LiveView, theme: Theme, width: usize) -> Line<'static> {
    match (&live.input.prompt, &live.notice) {
        (Some(prompt), _) => {
            let typed = vec![
                trusted_span(
                    crate::views::live::draw::requests::prompt_label(prompt.kind),
                    theme.style_for(Meaning::Key),
                ),
                trusted_span(
                    fit_text_end(&safe_string(&prompt.text), width * 2 / 3),
                    theme.style_for(Meaning::Text),
                ),
                trusted_span(" ", theme.style_for(Meaning::Cursor)),
            ];
            let room = width.saturating_sub(spans_width(&typed) + 2);
            left_and_right(typed, fitting_hints(app, theme, room), width)
        }
        (None, Some(notice)) => left_and_right(
            vec![recorded_span(notice, theme.style_for(Meaning::Warning))],
            vec![],
            width,
        ),
        (None, None) => {
            left_and_right(fitting_hints(app, theme, width), right_side(app, theme), width)
        }
    }
}

fn table_footer(app: &App, table: &RunTableView, theme: Theme, width: usize) -> Line<'static> {
    if let Some(finding) = table.finding.as_ref().filter(|it| it.is_typing) {
        return question_line(
            ("find ", &finding.text, finding.complaint.as_deref()),
            fitting_hints(app, theme, width),
            theme,
            width,
        );
    }
    // The search hits cover the filter.
    let prompt = table.prompt.as_ref().filter(|_| table.finding.is_none());
    let condition = table.shape.expression.prompt.as_ref().filter(|_| table.finding.is_none());
    if let Some(condition) = condition {
        return condition_footer(app, condition, theme, width);
    }
    match (prompt, &table.notice) {
        (Some(prompt), _) => {
            let typed = vec![
                trusted_span("filter ", theme.style_for(Meaning::Key)),
                trusted_span(
                    fit_text_end(&safe_string(&prompt.text), width / 2),
                    theme.style_for(Meaning::Text),
                ),
                trusted_span(" ", theme.style_for(Meaning::Cursor)),
            ];
            let room = width.saturating_sub(spans_width(&typed) + 2);
            let right = match &prompt.complaint {
                Some(why) => {
                    fit_spans(vec![recorded_span(why, theme.style_for(Meaning::Error))], room)
                }
                None => fitting_hints(app, theme, room),
            };
            left_and_right(typed, right, width)
        }
        (None, Some(notice)) => left_and_right(
            vec![recorded_span(notice, theme.style_for(Meaning::Warning))],
            right_side(app, theme),
            width,
        ),
        (None, None) => hints_and_count(app, theme, width),
    }
}

/// Draws a filter that is being typed, with the completions of its last word, or its error, or the keys.
fn condition_footer(
    app: &App,
    prompt: &expression::ExpressionPrompt,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let typed = vec![
        trusted_span("where ", theme.style_for(Meaning::Key)),
        trusted_span(
            fit_text_end(&safe_string(&prompt.text), width / 2),
            theme.style_for(Meaning::Text),
        ),
        trusted_span(" ", theme.style_for(Meaning::Cursor)),
    ];
    let room = width.saturating_sub(spans_width(&typed) + 2);
    let right = match (prompt.candidate_names(), &prompt.complaint) {
        (Some(names), _) => {
            fit_spans(vec![trusted_span(names, theme.style_for(Meaning::Muted))], room)
        }
        (None, Some(why)) => {
            fit_spans(vec![recorded_span(why, theme.style_for(Meaning::Error))], room)
        }
        (None, None) => fitting_hints(app, theme, room),
    };
    left_and_right(typed, right, width)
}

fn hints_and_count(app: &App, theme: Theme, width: usize) -> Line<'static> {
    let right = right_side(app, theme);
    let taken = if right.is_empty() { 0 } else { spans_width(&right) + 1 };
    left_and_right(fitting_hints(app, theme, width.saturating_sub(taken)), right, width)
}

/// Draws a question, the typed text, and an error or else the keys.
fn question_line(
    (question, text, complaint): (&str, &str, Option<&str>),
    hints: Vec<Span<'static>>,
    theme: Theme,
    width: usize,
) -> Line<'static> {
    let typed = vec![
        trusted_span(question.to_owned(), theme.style_for(Meaning::Key)),
        trusted_span(
            fit_text_end(&safe_string(text), width * 2 / 3),
            theme.style_for(Meaning::Text),
        ),
        trusted_span(" ", theme.style_for(Meaning::Cursor)),
    ];
    let right = match complaint {
        Some(why) => vec![recorded_span(why, theme.style_for(Meaning::Error))],
        None => hints,
    };
    let room = width.saturating_sub(spans_width(&typed) + 2);
    left_and_right(typed, fit_spans(right, room), width)
}

fn search_prompt(prompt: &SearchPrompt, theme: Theme, room: usize) -> Vec<Span<'static>> {
    let sign = match prompt.syntax {
        QuerySyntax::Literal => "/",
        QuerySyntax::Regex => "regex /",
    };
    vec![
        trusted_span(sign, theme.style_for(Meaning::Key)),
        trusted_span(
            fit_text_end(&safe_string(&prompt.text), room),
            theme.style_for(Meaning::Text),
        ),
        trusted_span(" ", theme.style_for(Meaning::Cursor)),
    ]
}

fn complaint_or_hints(
    prompt: &SearchPrompt,
    hints: Vec<Span<'static>>,
    theme: Theme,
) -> Vec<Span<'static>> {
    match &prompt.complaint {
        Some(why) => vec![recorded_span(why, theme.style_for(Meaning::Error))],
        None => hints,
    }
}

/// Returns the typed count, and the judgings under way whose run is not on screen.
fn right_side(app: &App, theme: Theme) -> Vec<Span<'static>> {
    let count =
        app.count.map(|count| trusted_span(count.to_string(), theme.style_for(Meaning::Title)));
    let live = app.screens.live.as_deref().filter(|_| app.screens.shown_live().is_none());
    let live = live.and_then(|live| live_sign(live, theme));
    let here = app.screens.open_run().filter(|_| app.screens.shown_run().is_none());
    let here = here.and_then(|open| open.judging.status_text());
    let others = app.screens.other_judgings.iter().filter(|it| it.watched.is_under_way()).count();
    let others = (others > 0).then(|| format!("J {others} elsewhere"));
    let sign = here
        .into_iter()
        .chain(others)
        .map(|words| trusted_span(format!(" {words}"), theme.style_for(Meaning::Playing)));
    count.into_iter().chain(sign).chain(live).collect()
}

/// Returns the sign of a live run, for the footer of other views; None for a finished run that was looked at.
fn live_sign(live: &LiveView, theme: Theme) -> Option<Span<'static>> {
    let count = format!("{}/{}", live.finished_count(), live.turns.len());
    let (sign, words, meaning) = match &live.phase {
        LivePhase::Nothing | LivePhase::Elsewhere => return None,
        LivePhase::Over { .. } if live.is_seen => return None,
        LivePhase::Over { is_whole: true, .. } => ("✓", "live run finished", Meaning::Added),
        LivePhase::Over { .. } => ("■", "live run stopped", Meaning::Warning),
        LivePhase::Waiting(_) => ("‖", "live run paused", Meaning::Warning),
        LivePhase::Starting | LivePhase::Running | LivePhase::Stopping => {
            ("▶", "live run", Meaning::Playing)
        }
    };
    let words = format!(" {sign} {words} {count} F7");
    Some(trusted_span(theme.spell_out(&words), theme.style_for(meaning)))
}

/// Returns the hints of keys that would do nothing now.
fn idle_hints(app: &App, context: KeyContext) -> Vec<&'static str> {
    if let (KeyContext::Live | KeyContext::RecordedTerminal, Some(live)) =
        (context, app.screens.shown_live())
    {
        return idle_live_hints(live);
    }
    let Some(open) = app.screens.shown_run() else { return vec![] };
    let session = &open.session;
    let mut idle = idle_hints_of_run(open);
    idle.extend(match context {
        KeyContext::JudgeForm if open.judging.form.judges.is_empty() => {
            vec!["field", "change", "send", "mark", "save", "resume"]
        }
        KeyContext::JudgeWatch => {
            let watched = open.judging.watched.as_ref();
            let is_under_way = open.judging.judging_under_way().is_some();
            let may_resume = watched.is_some_and(|it| !it.is_under_way() && it.may_resume());
            let stop = if is_under_way { "new" } else { "stop" };
            std::iter::once(stop).chain((!may_resume).then_some("resume")).collect()
        }
        KeyContext::Audit | KeyContext::AuditReading => {
            let all =
                session.study_queue().map_or(session.queued_items().len(), |study| study.len());
            let done = open.audit.labelled_count(session);
            let mut idle = vec![];
            idle.extend((done == 0).then_some("undo"));
            idle.extend((done == all).then_some("unlabelled"));
            idle
        }
        _ => vec![],
    });
    idle
}

/// Returns the hints of keys for which the run has too little: turns, edits, files, points.
fn idle_hints_of_run(open: &OpenRun) -> Vec<&'static str> {
    let session = &open.session;
    let mut idle = vec![];
    idle.extend(session.run.turns.is_empty().then_some("timeline"));
    if session.view == View::Replay {
        idle.extend((session.changed_files() == Some(1)).then_some("file"));
        if session.changed_files() == Some(0) {
            idle.extend(["file", "step diff", "side by side", "base"]);
        }
        // Left and right lead from edit to edit.
        idle.extend(has_one_request(session).then_some("edit"));
    } else if has_one_request(session) && session.view != View::Process {
        idle.push("turn");
    }
    if session.view == View::Curves && open.curves.axis_points(session).len() < 2 {
        idle.extend(["point", "by turn or checkpoint", "largest rise"]);
    }
    idle
}

/// Returns the hints of keys that do nothing in this state of the live run.
fn idle_live_hints(live: &LiveView) -> Vec<&'static str> {
    let mut idle = vec![];
    if live.is_over() {
        idle.extend(["attach", "pause", "retry", "stop", "skip", "edit"]);
    } else {
        idle.push("compare");
    }
    idle.extend((!live.may_resume()).then_some("resume"));
    if live.from.origin.is_none() {
        idle.extend(["compare", "other run"]);
    }
    if live.player.as_ref().is_some_and(|player| player.recordings_count() == 1) {
        idle.push("next recording");
    }
    if live.turns.len() < 2 {
        idle.push("turn");
    }
    idle
}

/// Returns the word of a hint: in a run of one request left and right lead from edit to edit, and beside the lists of the
/// process from step to step.
fn hint_word(app: &App, word: &'static str) -> &'static str {
    let open = app.screens.shown_run().filter(|open| has_one_request(&open.session));
    match (word, open) {
        ("turn", Some(open)) if open.session.view == View::Process => "step",
        ("turn", Some(_)) => "edit",
        _ => word,
    }
}

/// Returns the keys of a hint; those of labels without the scores that the item cannot have.
fn label_keys(app: &App, keys: String, word: &str) -> String {
    let range = (word == "label")
        .then(|| app.screens.shown_run()?.audit.label_range(&app.screens.shown_run()?.session));
    match range.flatten() {
        Some(range) => {
            let has_score =
                |key: &char| key.to_digit(10).is_none_or(|digit| range.contains(&digit));
            keys.chars().filter(has_score).collect()
        }
        None => keys,
    }
}

/// Returns the key that a view without content needs first, with its word: the rater's name in the audit, the form of a
/// live run where none is open.
fn first_hint(
    app: &App,
    context: KeyContext,
) -> Option<(&'static keymap::KeyBinding, &'static str)> {
    if app.screens.shown_live().is_some_and(LiveView::has_no_run) {
        let row = keymap::find_binding(KeyContext::Anywhere, Key::from_char('A'))?;
        return Some((row, "start a live run"));
    }
    let open = app.screens.shown_run()?;
    let is_audit = matches!(context, KeyContext::Audit | KeyContext::AuditReading);
    let is_nameless = is_audit && open.session.labels.annotator().is_none();
    let key = Key::from_char('a');
    let row = keymap::find_binding(KeyContext::Audit, key).filter(|_| is_nameless)?;
    Some((row, "your name"))
}

/// Returns as many whole hints as fit. Those that lead elsewhere and to help stay while others are left out; only the key
/// that stops the agent of a live run and those before it are worth more than the views, which the first line names.
fn fitting_hints(app: &App, theme: Theme, width: usize) -> Vec<Span<'static>> {
    if let Some(why) = app.line_full_notice() {
        return fit_spans(vec![trusted_span(why, theme.style_for(Meaning::Warning))], width);
    }
    let context = app.key_context();
    let idle = idle_hints(app, context);
    let named = first_hint(app, context)
        .map(|(row, word)| (app.shell.keys.keys_of_row(row)[0].to_string(), word));
    let known = keymap::footer_hints_with(context, |row| {
        app.shell.keys.keys_in_place(context, row).first().copied()
    });
    let known = known.into_iter().filter(|(_, word)| !idle.contains(word));
    let known = known.map(|(keys, word)| (label_keys(app, keys, word), word));
    let contexts = context.active_contexts();
    let is_general = contexts.contains(&KeyContext::Anywhere);
    let (mut first, last) = if is_general { (3, 1) } else { (0, 3) };
    let mut known: Vec<_> = known.collect();
    known.splice(first.min(known.len())..first.min(known.len()), named);
    let is_empty = |open: &OpenRun| !open.has_content(open.session.view);
    if contexts.contains(&KeyContext::InRun) && app.screens.shown_run().is_some_and(is_empty) {
        // There is nothing that they could act on, but the turns, which are there.
        let own = first..known.len().saturating_sub(last);
        let mut at = 0..;
        known.retain(|(_, word)| at.next().is_none_or(|at| !own.contains(&at)) || *word == "turn");
    }
    let is_live = matches!(context, KeyContext::Live | KeyContext::RecordedTerminal);
    let mut stop = known.iter().position(|(_, word)| is_live && *word == "stop");
    let mut hints: Vec<_> = known
        .into_iter()
        .map(|(keys, word)| (keys, hint_word(app, word)))
        .map(|(keys, word)| {
            vec![
                trusted_span(theme.spell_out(&keys), theme.style_for(Meaning::Key)),
                trusted_span(format!(" {word}   "), theme.style_for(Meaning::Muted)),
            ]
        })
        .collect();
    let total = |hints: &[Vec<Span>]| hints.iter().map(|hint| spans_width(hint)).sum::<usize>();
    while let Some(at) = stop.filter(|_| first > 1) {
        let needed = total(&hints[..=at]) + total(&hints[hints.len() - last..]);
        if needed <= width + 3 {
            break;
        }
        hints.remove(if first == 3 { 0 } else { 1 }); // the views, then the command line; help stays
        (first, stop) = (first - 1, Some(at - 1));
    }
    while total(&hints) > width + 3 && hints.len() > first + last {
        hints.remove(hints.len() - last - 1);
    }
    let mut spans = hints.concat();
    if let Some(last) = spans.last_mut() {
        last.content = last.content.trim_end().to_owned().into();
    }
    spans
}
