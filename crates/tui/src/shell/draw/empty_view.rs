//! Draws a view that has nothing to show yet: one sentence says what would fill it, and with which command.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    session::views::View,
    shell::screens::Screens,
    widgets::{
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw(view: View, screens: &Screens, theme: Theme, area: Rect, buffer: &mut Buffer) {
    draw_sentence(empty_text(view, screens), theme.style_for(Meaning::Muted), area, buffer);
}

fn empty_text(view: View, screens: &Screens) -> &'static str {
    match view {
        View::Compare if screens.collection.is_some() => {
            "nothing is compared yet: in Runs (g u) the key c on two rows compares them; `trajview A B` compares two runs"
        }
        View::Compare => "nothing is compared yet: `trajview A B` compares two runs",
        View::Collection => {
            "one run is open: `trajview FOLDER` lists every run below a folder here, and `trajview` alone the sessions of \
             this machine"
        }
        _ if screens.collection.is_some() => {
            "no run is open: in Runs (g u) the key enter opens the run at the cursor; `trajview RUN` opens one"
        }
        _ => "no run is open: `trajview RUN` opens one",
    }
}
