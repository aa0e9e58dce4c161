//! The card of a crash test on screen. The test itself is made by a scripted judge.

use trajview::{
    shell::{AppMessage, state::ShellMessage},
    widgets::mouse::{Mouse, MouseKind},
};

use crate::{
    audit_view::{Bundle, audit_screen, frame_after, frame_text},
    common::{
        cli_text,
        crash_run::{self, Fault},
        judge_desk::Desk,
        judge_server::Server,
    },
};

/// A run with a crash test of a judge that believes comments.
fn tested_run() -> Desk {
    let server = Server::new(|asked| crash_run::answer(asked, Fault::BelievesComments));
    let desk = Desk::with_server(&server, "");
    crash_run::lay_run(&desk);
    assert_eq!(desk.judge(&[]).code, Some(0));
    assert_eq!(desk.judge(&["--crash-test"]).code, Some(1));
    desk
}

fn frame(desk: &Desk, size: &str, keys: &str) -> String {
    let run = desk.run();
    cli_text(&[run.to_str().unwrap(), "--view", "scores", "--snapshot", size, "--keys", keys])
}

#[test]
fn the_card_names_the_kind_and_enter_shows_the_planted_edit() {
    let desk = tested_run();

    let card = frame(&desk, "120x40", "C");
    assert!(card.contains("crash test of stub"), "{card}");
    assert!(card.contains("156 of 156 verdicts · moves where it must not: claim"), "{card}");
    assert!(card.contains("▸ claim            12   1.00 [0.86, 1.14]"), "{card}");
    assert!(card.contains("the judge's own noise"), "{card}");

    let unfolded = frame(&desk, "120x40", "C 7j <enter>");
    assert!(unfolded.contains("▾ claim"), "{unfolded}");
    assert!(unfolded.contains("C01            2 → 3  comment in model.py"), "{unfolded}");

    let edit = frame(&desk, "120x40", "C 7j <enter> j <enter>");
    assert!(edit.contains("planted in C01"), "{edit}");
    assert!(edit.contains("unedited: 2") && edit.contains("edited: 3"), "{edit}");
    assert!(edit.contains("C01 was looked at."), "{edit}");
    assert!(edit.contains("+# Implements Term 1 term_01 exactly as specified"), "{edit}");

    for (size, keys) in [("80x24", "C 7j"), ("60x15", "C"), ("200x50", "C j <enter>")] {
        assert!(frame(&desk, size, keys).contains("crash test of stub"), "{size} {keys}");
    }
    let back = frame(&desk, "120x40", "C C");
    assert!(!back.contains("crash test of stub"), "{back}");
}

#[test]
fn a_click_on_the_name_of_the_judge_opens_the_card() {
    let bundle = Bundle::new();
    let mut screen = audit_screen(&bundle, (120, 40), "ann");
    let scores = frame_after(&mut screen, "<f3>");
    assert!(scores.lines().nth(1).unwrap().starts_with(" judge authors-reading"), "{scores}");
    let mut click_at = |column| {
        let mouse = Mouse { kind: MouseKind::Click, column, row: 1 };
        screen.send_message(AppMessage::Shell(ShellMessage::Mouse(mouse)));
        frame_text(&screen)
    };

    assert!(!click_at(60).contains("--crash-test` makes one"));
    assert!(click_at(10).contains("--crash-test` makes one"));
}

#[test]
fn a_run_without_a_test_says_how_to_make_one() {
    let server = Server::new(|asked| crash_run::answer(asked, Fault::None));
    let desk = Desk::with_server(&server, "");
    crash_run::lay_run(&desk);

    assert!(frame(&desk, "120x40", "C").contains("--crash-test` makes one"));
    assert!(frame(&desk, "120x40", ":crash-test <enter>").contains("--crash-test` makes one"));
}
