//! Finding words in all runs of a table: keys in, frames out, on the samples.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use ratatui::{buffer::Buffer, layout::Size};
use tempfile::TempDir;
use trajview::{
    runtime::{self, ScreenOptions},
    session::start_place::StartPlace,
    widgets::export,
};

use crate::common::project_path;

/// Copies of some samples, each written a minute before the one before it: runs are told by that.
static RUNS: LazyLock<(TempDir, Vec<PathBuf>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let names = ["claude-code", "codex-exec-json", "codex-p12", "codex-rollout"];
    let copies = names.iter().enumerate().map(|(number, name)| {
        let to = folder.path().join(name);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000 - 60 * number as u64);
        copy_log(&project_path("sample-runs").join(name), &to, time);
        to
    });
    let copies = copies.collect();
    (folder, copies)
});

fn copy_log(from: &Path, to: &Path, time: SystemTime) {
    if from.is_dir() {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap().flatten() {
            copy_log(&entry.path(), &to.join(entry.file_name()), time);
        }
    } else {
        fs::write(to, fs::read(from).unwrap()).unwrap();
    }
    fs::File::open(to).unwrap().set_modified(time).unwrap();
}

fn samples_frame(width: u16, height: u16, keys: &str) -> Buffer {
    let paths = &RUNS.1;
    let size = Size { width, height };
    runtime::headless_frame_as(
        runtime::RunOpener::Disk,
        paths,
        size,
        keys,
        StartPlace::default(),
        ScreenOptions::default(),
    )
    .unwrap()
}

fn frame_text(width: u16, height: u16, keys: &str) -> String {
    export::frame_text(&samples_frame(width, height, keys))
}

#[test]
fn what_is_found_in_all_runs_stands_in_the_place_of_the_table() {
    insta::assert_snapshot!(frame_text(80, 24, "Ftest*<space>tool:bash<enter>"));
    insta::assert_snapshot!(frame_text(160, 45, "F\"def<space>add\"<enter>jj"));
}

#[test]
fn what_can_be_looked_for_is_told_while_nothing_is() {
    insta::assert_snapshot!(frame_text(80, 24, "Ftool:<enter>"));
}

#[test]
fn enter_opens_the_run_at_the_step_and_backspace_comes_back() {
    let found = frame_text(120, 40, "Ftest*<space>tool:bash<enter>jj");

    insta::assert_snapshot!(frame_text(120, 40, "Ftest*<space>tool:bash<enter>jj<enter>"));
    assert_eq!(frame_text(120, 40, "Ftest*<space>tool:bash<enter>jj<enter><bs>"), found);
}

#[test]
fn a_hit_in_an_edit_opens_at_its_hunk() {
    insta::assert_snapshot!(frame_text(160, 45, "Fdef<space>edited:py<enter>j<enter>"));
}

#[test]
fn what_is_nowhere_says_so_and_escape_leads_back_to_the_table() {
    let seen = frame_text(120, 40, "Fnowhereatall<enter>");
    assert!(seen.contains("no match for `nowhereatall` in 4 runs"), "{seen}");
    assert_eq!(frame_text(120, 40, "Fnowhereatall<enter><esc>"), frame_text(120, 40, ""));
    assert_eq!(frame_text(120, 40, "Fno<esc>"), frame_text(120, 40, ""));
    // The key of the start view finds something else here too.
    assert!(frame_text(120, 40, "Fnowhereatall<enter><c-f>").contains(" find nowhereatall"));
}
