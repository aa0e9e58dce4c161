//! What the tests of the whole program share: running it, and finding recordings.
#![allow(dead_code)] // each of the binaries uses some of it

pub mod crash_run;
pub mod decided;
pub mod flag_script;
pub mod judge_desk;
pub mod judge_server;
pub mod judged;
pub mod object_server;
pub mod remembered;
pub mod schemas;
pub mod studied;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A file or folder of the project.
pub fn project_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folder of other people's recordings, which stay outside the project. A test that asks for it is ignored unless it
/// is asked for by `--ignored`, and fails where the folder is missing.
pub fn real_data() -> PathBuf {
    let folder = std::env::var_os("TRAJVIEW_REAL_DATA").map(PathBuf::from);
    let folder = folder.expect("TRAJVIEW_REAL_DATA names the folder of real recordings");
    assert!(folder.is_dir(), "TRAJVIEW_REAL_DATA: {} is not a folder", folder.display());
    folder
}

/// What the program said and how it ended.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs the program in the project's folder, without colours or settings from the environment. What it prints with
/// `--json` must be as its schema describes it.
pub fn run_cli(arguments: &[&str]) -> Ran {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(arguments)
        .current_dir(project_path("."))
        .env_remove("NO_COLOR")
        .env("TRAJVIEW_CONFIG", "")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let ran = Ran { code: status.code(), out: text(stdout), err: text(stderr) };
    schemas::check_output(arguments, &ran.out);
    ran
}

/// Runs the program, which must end well, and gives what it printed.
pub fn cli_text(arguments: &[&str]) -> String {
    let ran = run_cli(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
    ran.out
}

pub fn cli_json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&cli_text(arguments)).expect("the output is JSON")
}

/// What it prints in a terminal of so many columns.
pub fn at_columns(columns: usize, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(arguments)
        .current_dir(project_path("."))
        .env("TRAJVIEW_CONFIG", "")
        .env("COLUMNS", columns.to_string())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}
