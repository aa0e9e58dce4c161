//! Draws a view that has nothing to show yet: one sentence says what would fill it, and with which command.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    session::{context::KeyContext, views::View},
    shell::screens::Screens,
    views::empty_panels::{EmptyReason, draw_reason_and_run},
    widgets::{
        panel::draw_sentence,
        theme::{Meaning, Theme},
    },
};

pub(crate) fn draw(view: View, screens: &Screens, theme: Theme, area: Rect, buffer: &mut Buffer) {
    match (reason_beside_run(view), screens.open_run()) {
        (Some(reason), Some(open)) => {
            draw_reason_and_run(&open.session, &reason, theme, area, buffer)
        }
        _ => {
            let words = empty_text(view, screens);
            draw_sentence(&words, theme.style_for(Meaning::Muted), area, buffer);
        }
    }
}

/// Returns what fills a view, for a screen that has an open run; None for a view of a run.
fn reason_beside_run(view: View) -> Option<EmptyReason<'static>> {
    let reason = |title, why: &str, remedies: [(&str, &'static str); 2]| EmptyReason {
        title,
        why: why.to_owned(),
        remedies: remedies.map(|(how, what)| (how.to_owned(), what)).into(),
    };
    match view {
        View::Compare => Some(reason(
            "no comparison",
            "One run is open; a comparison needs two or more.",
            [
                (":compare PATH", "compares the open run with another"),
                ("trajview A B", "compares two runs, from a shell"),
            ],
        )),
        View::Collection => Some(reason(
            "no table of runs",
            "One run is open; a table lists the runs of a folder.",
            [
                (":open FOLDER", "lists every run below a folder"),
                (
                    "trajview FOLDER",
                    "does so from a shell; `trajview` lists this machine's sessions",
                ),
            ],
        )),
        _ => None,
    }
}

fn empty_text(view: View, screens: &Screens) -> String {
    let keys = &screens.defaults.keys;
    let runs = keys.key_after_g("goto-runs");
    match view {
        View::Compare if screens.collection.is_some() => {
            let compare = keys.key_text(KeyContext::Table, "compare-marked");
            format!(
                "nothing is compared yet: in Runs ({runs}) the key {compare} on two rows compares them; `trajview A B` compares two runs"
            )
        }
        View::Compare => "nothing is compared yet: `trajview A B` compares two runs".into(),
        View::Collection => {
            "no table of runs: `trajview FOLDER` lists every run below a folder, and `trajview` alone the sessions of \
             this machine".into()
        }
        _ if screens.collection.is_some() => {
            let open = keys.key_text(KeyContext::Table, "open");
            format!(
                "no run is open: in Runs ({runs}) the key {open} opens the run at the cursor; `trajview RUN` opens one"
            )
        }
        _ => "no run is open: `trajview RUN` opens one".into(),
    }
}
