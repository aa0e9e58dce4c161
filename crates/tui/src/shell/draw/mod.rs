//! Draws an [`App`] into cells, changes nothing and cannot fail: the screen, the boxes over it, the last line.
//!
//! Each view draws itself; [`crate::widgets::text`] is the only way in for recorded text, [`crate::widgets::theme`] has the
//! colours by meaning, [`crate::widgets::export`] turns a drawn frame into text, ANSI or a picture.

mod empty_view;
pub mod footer;
mod goto_box;
pub mod overlay;
pub mod palette;
pub mod pictures;
pub(crate) mod tabs;
mod timeline;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::{Rect, Size},
    style::{Color, Modifier},
    widgets::{Paragraph, Widget, Wrap},
};

use crate::{
    session::{pending::Loading, views::View},
    shell::{App, jobs, open_run::OpenRun},
    views::{compare, judge, live, replay, table},
    widgets::{
        ascii_signs,
        display_options::Alphabet,
        layout::{MIN_SIZE, ScreenLayout},
        line,
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};

pub fn draw_frame(app: &App, theme: Theme, frame: &mut Frame) {
    let screen = frame.area();
    draw(app, theme, screen, frame.buffer_mut());
}

/// Draws the frame into a buffer of the size in the state.
pub fn draw_picture(app: &App, theme: Theme) -> Buffer {
    let Size { width, height } = app.screens.frame.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw_whole(app, theme, &mut buffer);
    buffer
}

/// Draws into a buffer of any size, whatever size the state has.
fn draw(app: &App, theme: Theme, screen: Rect, buffer: &mut Buffer) {
    if app.screens.frame.size == (Size { width: screen.width, height: screen.height }) {
        return draw_whole(app, theme, buffer);
    }
    // The terminal has a new size that the state does not know yet: show the part that fits.
    let whole = draw_picture(app, theme);
    for at in whole.area.intersection(screen).positions() {
        buffer[at] = whole[at].clone();
    }
}

fn draw_whole(app: &App, theme: Theme, buffer: &mut Buffer) {
    draw_panels(app, theme, buffer);
    apply_theme(theme, buffer);
}

/// Applies the theme's colours and the alphabet to every cell, once all is drawn.
pub fn apply_theme(theme: Theme, buffer: &mut Buffer) {
    if let Some(shades) = theme.theme_shades() {
        for cell in &mut buffer.content {
            cell.fg = if cell.fg == Color::Reset { shades.foreground } else { cell.fg };
            cell.bg = if cell.bg == Color::Reset { shades.background } else { cell.bg };
        }
    }
    if theme.alphabet() == Alphabet::Ascii {
        ascii_signs::to_ascii(buffer);
    }
}

fn draw_panels(app: &App, theme: Theme, buffer: &mut Buffer) {
    let screens = &app.screens;
    let whole = screens.whole_layout();
    let layout = screens.layout_within(&whole);
    if layout.is_too_small {
        return draw_too_small(buffer);
    }
    tabs::draw(screens, theme, whole.title, buffer);
    if let Some(empty) = &screens.empty {
        empty_view::draw(empty.view, screens, theme, layout.body, buffer);
    } else if let Some(live) = screens.shown_live() {
        let areas = screens.live_areas();
        live::draw::draw(live, &areas, theme, buffer);
        if !areas.replay.is_empty() {
            tabs::draw_facts(screens, theme, layout.title, buffer);
            match (live.has_no_run(), &screens.opened) {
                (false, Loading::Nothing) => {
                    let words = "the first turn is not recorded yet";
                    draw_sentence(words, theme.style_for(Meaning::Muted), layout.body, buffer);
                }
                (_, opened) => draw_opened_run(opened, theme, &layout, buffer),
            }
        }
    } else if let Some(compared) = screens.shown_comparison() {
        let areas = screens.comparison_areas(&layout);
        compare::draw::draw(compared, &areas, theme, &layout, buffer);
    } else if let Some(table) = screens.shown_table() {
        table::draw::draw_run_table(table, theme, &layout, buffer);
    } else {
        draw_opened_run(&screens.opened, theme, &layout, buffer);
    }
    if let Some(area) = layout.timeline {
        timeline::draw(screens, theme, area, buffer);
    }
    if let Some(open) = screens.shown_run() {
        replay::draw::chooser::draw(&open.replay, &open.session, theme, &layout, buffer);
    }
    draw_overlays(app, theme, &whole, buffer);
}

/// Draws the boxes over the whole screen, and the last line.
fn draw_overlays(app: &App, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    jobs::draw_list::draw(app, theme, layout, buffer);
    if let Some(dialog) = &app.jobs.dialog {
        dialog.form.draw(true, theme, buffer);
    }
    if let Some(live) = &app.screens.live {
        live::draw::draw_question(live, theme, layout, buffer);
    }
    if let Some(overlay) = &app.overlay {
        overlay::draw(
            overlay,
            app.screens.overlay_subject(),
            &app.shell.keys,
            theme,
            layout,
            buffer,
        );
    }
    if let Some(palette) = &app.shell.palette {
        palette::draw(app, palette, theme, layout, buffer);
    }
    goto_box::draw(app, theme, layout.whole, buffer);
    footer::draw(app, theme, layout.footer, buffer);
}

/// Draws the open run, or why there is none.
fn draw_opened_run(
    opened: &Loading<Box<OpenRun>>,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    match opened {
        Loading::Nothing => {
            draw_sentence("no run is open", theme.style_for(Meaning::Muted), layout.body, buffer)
        }
        Loading::Waiting(_) => {
            draw_sentence("reading…", theme.style_for(Meaning::Muted), layout.body, buffer)
        }
        Loading::Failed(why) => {
            let why = line::safe_string(why);
            draw_sentence(&why, theme.style_for(Meaning::Error), layout.body, buffer);
        }
        Loading::Ready(open) => draw_run_view(open, theme, layout, buffer),
    }
}

fn draw_run_view(open: &OpenRun, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    if !layout.is_covered() {
        draw_shown_view(open, theme, layout, buffer);
        if open.judging.is_focused(layout) {
            mute_borders(theme, layout.body, buffer);
        }
    }
    judge::draw::draw(&open.judging, &open.session, theme, layout, buffer);
}

/// Draws focused borders as normal ones, because the keyboard is elsewhere.
fn mute_borders(theme: Theme, area: Rect, buffer: &mut Buffer) {
    let is_border = |symbol: &str| symbol.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c));
    let focused = theme.style_for(Meaning::FocusedBorder);
    for at in area.intersection(buffer.area).positions() {
        let cell = &mut buffer[at];
        if is_border(cell.symbol()) && cell.style().fg == focused.fg.or(Some(Color::Reset)) {
            cell.set_style(theme.style_for(Meaning::Border).remove_modifier(Modifier::BOLD));
        }
    }
}

fn draw_shown_view(open: &OpenRun, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    let has_turns = matches!(open.session.view, View::Replay | View::Curves);
    if has_turns && open.replay.has_tree_only(&open.session) {
        let key = open.session.keys.key_after_g("goto-scores");
        let words = format!("this file has a rubric tree and no turns; {key} shows the tree");
        return draw_sentence(&words, theme.style_for(Meaning::Muted), layout.body, buffer);
    }
    open.view().draw_view(&open.session, theme, layout, buffer);
}

fn draw_too_small(buffer: &mut Buffer) {
    let area = buffer.area;
    let words = format!(
        "needs {}×{}, this terminal is {}×{}",
        MIN_SIZE.width, MIN_SIZE.height, area.width, area.height
    );
    Paragraph::new(words).wrap(Wrap { trim: true }).render(area, buffer);
}
