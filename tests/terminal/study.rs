//! Labelling a study in a terminal, and what is on disk whenever the program is killed.

use std::{thread, time::Duration};

use portable_pty::CommandBuilder;

use crate::{common::studied::Studied, pty::Tui};

const STUDY: &str = "runs = [\"runs/*\"]\nraters = [\"ana\"]\n[sample]\nstrata = [\"run\"]\n";

fn start(studied: &Studied) -> Tui {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.args([studied.file().to_str().unwrap(), "--annotator", "ana"]);
    command.env("TRAJVIEW_CONFIG", "");
    Tui::spawn(120, 40, command)
}

/// One label of the next thing in the queue, seen on screen as saved; how many there are then.
fn label(tui: &mut Tui, done: usize, all: usize) {
    tui.wait_for(&format!("{done}/{all} "));
    tui.wait_until("the thing on screen", |it| it.screen().contents().contains("what C"));
    tui.press("3");
    tui.wait_for(&format!("{}/{all} ", done + 1));
    tui.wait_for("all saved");
    tui.press("\u{1b}N");
}

/// Each of the moments is a program of its own: two labels are seen as saved, the third is under way when it is killed.
#[test]
fn killed_at_a_hundred_moments_it_loses_at_most_the_key_under_way() {
    let (runs, components, moments) = (12, 26, 100);
    let studied = Studied::new(runs, components, STUDY);
    let all = runs * components;
    let mut kept = 0;
    for moment in 0..moments {
        let mut tui = start(&studied);
        let labelled = kept;
        for more in 0..2 {
            label(&mut tui, labelled + more, all);
        }
        let seen = labelled + 2;
        tui.wait_until("the next thing", |it| it.screen().contents().contains("what C"));
        tui.press("4");
        thread::sleep(Duration::from_micros(moment * 150)); // the moment
        tui.signal("-KILL");
        tui.wait_for_end();

        kept = studied.labels("ana").len();
        assert!(
            (seen..=seen + 1).contains(&kept),
            "moment {moment}: {seen} were saved, {kept} are there"
        );
    }
    assert!(kept >= 2 * moments as usize);
}
