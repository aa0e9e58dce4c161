//! Draws an [`App`] into cells, changes nothing and cannot fail: what is on, what lies over it, the last line.
//!
//! Each view draws itself; [`crate::widgets::text`] is the only way in for recorded text, [`crate::widgets::theme`] has the
//! colours by meaning, [`crate::widgets::export`] turns a drawn frame into text, ANSI or a picture.

pub mod footer;
pub mod overlay;
pub mod palette;
pub mod pictures;
pub mod title;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Rect, Size},
    style::{Color, Modifier},
    widgets::{Paragraph, Widget, Wrap},
};

use crate::{
    session::{ask::Loading, views::View},
    shell::{App, jobs, open_run::OpenRun},
    views::{compare, judge, live, replay, table},
    widgets::{
        layout::{LEAST, Layout},
        line,
        looks::Alphabet,
        panel::sentence,
        signs,
        theme::{Meaning, Theme},
    },
};

pub fn view(app: &App, theme: Theme, frame: &mut Frame) {
    let screen = frame.area();
    draw(app, theme, screen, frame.buffer_mut());
}

/// The frame by itself, as large as the state thinks the screen is.
pub fn picture(app: &App, theme: Theme) -> Buffer {
    let Size { width, height } = app.screens.frame.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw_whole(app, theme, &mut buffer);
    buffer
}

/// Draws into a buffer of any size, whatever size the state thinks it has.
fn draw(app: &App, theme: Theme, screen: Rect, buffer: &mut Buffer) {
    if app.screens.frame.size == (Size { width: screen.width, height: screen.height }) {
        return draw_whole(app, theme, buffer);
    }
    // The terminal has a new size and the state has not heard of it yet: show what fits.
    let whole = picture(app, theme);
    for at in whole.area.intersection(screen).positions() {
        buffer[at] = whole[at].clone();
    }
}

fn draw_whole(app: &App, theme: Theme, buffer: &mut Buffer) {
    draw_panels(app, theme, buffer);
    finish(theme, buffer);
}

/// What the theme and the alphabet do to every cell, once all is drawn.
pub fn finish(theme: Theme, buffer: &mut Buffer) {
    if let Some(shades) = theme.shades() {
        for cell in &mut buffer.content {
            cell.fg = if cell.fg == Color::Reset { shades.ink } else { cell.fg };
            cell.bg = if cell.bg == Color::Reset { shades.ground } else { cell.bg };
        }
    }
    if theme.alphabet() == Alphabet::Ascii {
        signs::to_ascii(buffer);
    }
}

fn draw_panels(app: &App, theme: Theme, buffer: &mut Buffer) {
    let layout = app.screens.layout();
    if layout.is_too_small {
        return too_small(buffer);
    }
    if let Some(live) = app.screens.live() {
        let areas = app.screens.live_areas();
        live::draw::draw(live, &areas, theme, buffer);
        if !areas.replay.is_empty() {
            if live.is_nothing() {
                opened_run(&app.screens.opened, theme, &layout, buffer);
            } else {
                recorded_so_far(&app.screens.opened, theme, &layout, buffer);
            }
        }
        return draw_over(app, theme, buffer);
    }
    match (&app.screens.opened, app.screens.comparison(), app.screens.table()) {
        (_, Some(compared), _) => {
            let areas = app.screens.comparison_areas(&layout);
            compare::draw::draw(compared, &areas, theme, &layout, buffer);
        }
        (_, None, Some(table)) => table::draw::draw(table, theme, &layout, buffer),
        (opened, None, None) => opened_run(opened, theme, &layout, buffer),
    }
    if let Some(open) = app.screens.shown_run() {
        replay::draw::chooser::draw(&open.replay, &open.session, theme, &layout, buffer);
    }
    draw_over(app, theme, buffer);
}

/// What lies over the whole screen, and the last line.
fn draw_over(app: &App, theme: Theme, buffer: &mut Buffer) {
    let layout = app.screens.whole_layout();
    jobs::draw::draw(app, theme, &layout, buffer);
    if let Some(dialog) = &app.jobs.dialog {
        jobs::draw_form::draw(dialog, theme, &layout, buffer);
    }
    if let Some(overlay) = &app.overlay {
        overlay::draw(overlay, app.screens.subject(), &app.shell.keys, theme, &layout, buffer);
    }
    if let Some(palette) = &app.shell.palette {
        palette::draw(app, palette, theme, &layout, buffer);
    }
    footer::draw(app, theme, layout.footer, buffer);
}

/// The replay beside a run that is being made.
fn recorded_so_far(
    opened: &Loading<Box<OpenRun>>,
    theme: Theme,
    layout: &Layout,
    buffer: &mut Buffer,
) {
    match opened {
        Loading::Nothing => {
            let words = "the first turn is not recorded yet";
            sentence(words, theme.of(Meaning::Muted), layout.body, buffer);
        }
        opened => opened_run(opened, theme, layout, buffer),
    }
}

/// The run that is open, or why there is none to be seen.
fn opened_run(opened: &Loading<Box<OpenRun>>, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    match opened {
        Loading::Nothing => {
            sentence("no run is open", theme.of(Meaning::Muted), layout.body, buffer)
        }
        Loading::Waiting(_) => sentence("reading…", theme.of(Meaning::Muted), layout.body, buffer),
        Loading::Failed(why) => {
            let why = line::safe(why);
            sentence(&why, theme.of(Meaning::Error), layout.body, buffer);
        }
        Loading::Ready(open) => replay_view(open, theme, layout, buffer),
    }
}

fn replay_view(open: &OpenRun, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    title::draw(open, theme, layout.title, buffer);
    if !layout.is_covered() {
        shown_view(open, theme, layout, buffer);
        if open.judging.has_keyboard(layout) {
            calm(theme, layout.body, buffer);
        }
    }
    judge::draw::draw(&open.judging, &open.session, theme, layout, buffer);
}

/// Of borders that look as if the keyboard was there, when it is elsewhere.
fn calm(theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_border = |symbol: &str| symbol.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c));
    let focused = theme.of(Meaning::FocusedBorder);
    for at in area.intersection(buffer.area).positions() {
        let cell = &mut buffer[at];
        if is_border(cell.symbol()) && cell.style().fg == focused.fg.or(Some(Color::Reset)) {
            cell.set_style(theme.of(Meaning::Border).remove_modifier(Modifier::BOLD));
        }
    }
}

fn shown_view(open: &OpenRun, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let has_turns = matches!(open.session.view, View::Replay | View::Curves);
    if has_turns && open.replay.has_tree_only(&open.session) {
        let words =
            "this file holds a rubric tree and no run: there are no turns; 3w shows the tree";
        return sentence(words, theme.of(Meaning::Muted), layout.body, buffer);
    }
    open.view().draw(&open.session, theme, layout, buffer);
}

fn too_small(buffer: &mut Buffer) {
    let area = buffer.area;
    let words = format!(
        "needs {}×{}, this terminal is {}×{}",
        LEAST.width, LEAST.height, area.width, area.height
    );
    Paragraph::new(words).wrap(Wrap { trim: true }).render(area, buffer);
}
