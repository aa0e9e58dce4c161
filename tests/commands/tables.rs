//! Tables of every command that prints some: in 80 columns, as LaTeX, and saved to a folder.

use std::fs;

use crate::common::{at_columns, cli_text, project_path, run_cli};

const PAIRED: [&str; 2] = ["sample-runs/codex-p12", "sample-runs/codex-p12-single-shot"];

/// Commands with tables, on the samples.
fn table_commands() -> Vec<Vec<&'static str>> {
    let [a, b] = PAIRED;
    let quick = ["--resamples", "50"];
    let of = |words: &[&'static str]| words.to_vec();
    vec![
        [&["agree", a, "--detail"][..], &quick].concat(),
        [&["agree", a, b, "--by", "run"][..], &quick].concat(),
        [&["agree", a, b, "--against", "author"][..], &quick].concat(),
        [&["agree", "tests/vectors/calibration.csv", "--calibration"][..], &quick].concat(),
        [
            &["agree", "tests/vectors/calibration.csv", "--against", "judge", "--positive", ">=3"]
                [..],
            &quick,
        ]
        .concat(),
        of(&["audit", a, "--annotator", "ana"]),
        of(&["audit", a, "--annotator", "ana", "--absences"]),
        of(&["compare", a, b]),
        [&["corpus", "sample-runs"][..], &quick].concat(),
        of(&["score", a, "--detail"]),
        of(&["score", "sample-runs/paperbench", "--detail"]),
        of(&["process", a]),
        [&["process", a, b][..], &quick].concat(),
    ]
}

#[test]
fn no_line_of_a_table_is_wider_than_the_terminal() {
    for command in table_commands() {
        let said = at_columns(80, &command);
        let wide: Vec<&str> = said.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(!said.is_empty() && wide.is_empty(), "{command:?}: {wide:#?}");
    }
}

#[test]
fn every_command_with_tables_writes_them_as_latex() {
    let has_tables = |command: &Vec<&str>| !command.contains(&"--absences");
    for command in table_commands().into_iter().filter(has_tables) {
        let tex = cli_text(&[&command[..], &["--tex"]].concat());
        let count = |words: &str| tex.matches(words).count();
        assert!(count("\\begin{tabular}") > 0, "{command:?}: {tex}");
        assert_eq!(count("\\toprule"), count("\\bottomrule"), "{command:?}");
        let is_latex = |line: &str| {
            line.is_empty()
                || line.starts_with(['%', '\\'])
                || (line.ends_with("\\\\") && !line.contains(['#', '_']))
                || line.replace("\\_", "").replace("\\#", "").ends_with("\\\\")
        };
        assert!(tex.lines().all(is_latex), "{command:?}: {tex}");
    }
}

#[test]
fn tables_are_saved_in_every_form_beside_being_printed() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("tables");
    let [a, b] = PAIRED;
    let plain = cli_text(&["compare", a, b]);
    let said = cli_text(&["compare", a, b, "--save-tables", to.to_str().unwrap()]);

    assert_eq!(said, plain);
    let mut names: Vec<String> = fs::read_dir(&to)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len() % 3, 0);
    let components =
        names.iter().find(|name| name.contains("components-the-largest-loss")).unwrap();
    let csv = fs::read_to_string(to.join(components)).unwrap();
    assert!(csv.starts_with("component,name,a,b,difference,"), "{csv}");
    insta::assert_snapshot!(names.join("\n"));
    let ran =
        run_cli(&["compare", a, b, "--save-tables", project_path("Cargo.toml").to_str().unwrap()]);
    assert!(ran.code != Some(0) && ran.err.contains("cannot write"), "{}", ran.err);
}
