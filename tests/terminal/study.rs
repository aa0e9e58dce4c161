//! Labelling a study in a terminal, and what is on disk whenever the program is killed.

use std::{thread, time::Duration};

use portable_pty::CommandBuilder;

use crate::{common::studied::Studied, pty::Tui};

const STUDY: &str = "runs = [\"runs/*\"]\nraters = [\"ana\"]\n[sample]\nstrata = [\"run\"]\n";

fn start_study(studied: &Studied) -> Tui {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.args([studied.file().to_str().unwrap(), "--annotator", "ana"]);
    command.env("TRAJVIEW_CONFIG", "");
    // So narrow that the agreement, which takes long to work out, is not on screen.
    let mut tui = Tui::spawn_command(80, 24, command);
    tui.wait_for("agreement");
    tui.press("\t"); // from the queue to the thing that is looked at
    tui
}

/// One label of the next thing in the queue, seen on screen as saved, with its reason where one is asked for.
fn label_item(tui: &mut Tui, done: usize, all: usize) {
    wait_for_the_next(tui, done, all);
    tui.press("3");
    let is_asked = |screen: &str| screen.contains("why? press a letter");
    tui.wait_until("what became of it", |it| {
        let screen = it.screen().contents();
        is_asked(&screen) || screen.contains("you and the judge say 3")
    });
    if is_asked(&tui.wait_for(&format!("{}/{all} ", done + 1))) {
        tui.press("e");
        tui.wait_for("reason: wrong-evidence");
    }
    tui.wait_for("all saved");
    tui.press("n");
}

/// The next thing of the queue on screen, its run open.
fn wait_for_the_next(tui: &mut Tui, done: usize, all: usize) {
    tui.wait_for(&format!("{done}/{all} "));
    tui.wait_for("Label first; the verdict is shown afterwards");
}

/// Each of the moments is a program of its own: one label is seen as saved, the next is under way when it is killed.
#[test]
fn killed_at_a_hundred_moments_it_loses_at_most_the_key_under_way() {
    let (runs, components, moments) = (10, 21, 100);
    let studied = Studied::new(runs, components, STUDY);
    let all = runs * components;
    let mut kept = 0;
    for moment in 0..moments {
        let mut tui = start_study(&studied);
        let labelled = kept;
        label_item(&mut tui, labelled, all);
        let seen = labelled + 1;
        wait_for_the_next(&mut tui, seen, all);
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
    assert!(kept >= moments as usize);
}
