//! The export form in a real terminal: it writes what its command line writes, asks before it overwrites, and leaves the
//! recording as it is.

use std::{collections::BTreeMap, fs, path::Path};

use portable_pty::CommandBuilder;

use crate::{common::project_path, pty::Tui};

fn folder_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(folder_files(&path));
        } else {
            files.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    files
}

#[test]
fn the_export_form_writes_what_it_shows_asks_before_it_overwrites_and_changes_no_recording() {
    let (home, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = project_path("sample-runs/slopcodebench");
    let before = folder_files(&run);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.env_clear();
    command.env("HOME", home.path());
    command.env("LANG", "C.UTF-8");
    command.arg(&run);
    let mut tui = Tui::spawn_with_cache(120, 40, command, &home.path().join("cache"));
    let [atif, scores] = ["a.json", "s.csv"].map(|name| work.path().join(name));
    // In its field and in the command line.
    let is_planned =
        |parser: &vt100::Parser| parser.screen().contents().matches("a.json").count() > 1;

    tui.wait_for("turn 1/3");
    tui.press(":export\r");
    tui.wait_for("slopcodebench-tables proposed");
    tui.press(&format!("\x1b[B{}", "\x1b[D".repeat(9))); // at the format: nine back from the first
    tui.wait_for("‹ ATIF 1.8 ›");
    tui.press(&format!("\x1b[B \x15{}\r", atif.display()));
    tui.wait_until("the plan", is_planned);
    tui.press("\r");
    tui.wait_for("written: ");
    assert!(fs::read_to_string(&atif).unwrap().starts_with('{'));

    fs::write(&scores, "mine").unwrap();
    tui.press(":export\r");
    tui.wait_for("slopcodebench-tables proposed");
    tui.press("\x1b[B\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C\x1b[C");
    tui.wait_for("‹ scores, CSV ›");
    tui.press(&format!("\x1b[B \x15{}\r", scores.display()));
    tui.wait_for("is there already");
    tui.press("\r");
    assert_eq!(fs::read_to_string(&scores).unwrap(), "mine");
    tui.press("\x1b[B\x1b[C");
    tui.wait_for("--csv >"); // the plan
    tui.press("\r");
    // The sentence about the file before may still be there.
    tui.wait_until("the scores in the file", |_| {
        fs::read_to_string(&scores).is_ok_and(|it| it.contains("erosion"))
    });

    tui.press("q");
    assert!(tui.wait_for_end().success());
    assert_eq!(folder_files(&run), before);
}
