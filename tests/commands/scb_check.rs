//! Ours and `scb-check` on the same snapshots, number by number. See `tests/common/scb.rs` for how to have it.
//!
//! Snapshots are commits of the sample runs, and each subfolder of the folders in `TRAJVIEW_SCB_TREES`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use trajview::metrics::quality::{
    FileMeasure, QualitySnapshot, SnapshotFile, combine_files, measure_file,
};

use crate::{
    common::project_path,
    scb::{Release, find_releases, folder_entries},
};

#[test]
#[ignore = "needs TRAJVIEW_SCB_CHECK"]
fn both_say_the_same_about_every_snapshot() {
    let releases = find_releases();
    let commits = tempfile::tempdir().unwrap();
    let mut trees = sample_snapshots(commits.path());
    let others = env::var_os("TRAJVIEW_SCB_TREES").unwrap_or_default();
    trees.extend(env::split_paths(&others).flat_map(|folder| folder_entries(&folder)));
    let mut wrong = vec![];
    for release in &releases {
        let mut compared = 0;
        for tree in trees.iter().filter(|tree| tree.is_dir()) {
            let Some(theirs) = release.report(tree) else {
                println!("{} has nothing to say about {}", release.profile, tree.display());
                continue;
            };
            compared += 1;
            let differences = report_differences(&score_tree(tree, release), &theirs);
            wrong.extend(
                differences
                    .iter()
                    .map(|what| format!("{} {}: {what}", release.profile, tree.display())),
            );
        }
        println!("{}: compared {compared} snapshots", release.profile);
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

fn report_differences(ours: &QualitySnapshot, theirs: &Value) -> Vec<String> {
    let totals = &ours.totals;
    let wrappers = if theirs.get("trivial_wrapper_loc").is_some() {
        "trivial_wrapper_loc"
    } else {
        "structural_rule_loc"
    };
    let pairs = [
        ("files_scanned", f64::from(ours.files)),
        ("total_loc", totals.sloc as f64),
        ("total_functions", totals.callables as f64),
        ("high_cc_functions", totals.high_cc as f64),
        ("total_mass", totals.mass),
        ("high_cc_mass", totals.high_mass),
        ("erosion", ours.erosion),
        ("clone_loc", totals.clone_lines as f64),
        ("ast_grep_flagged_loc", totals.rule_lines as f64),
        (wrappers, totals.wrapper_lines as f64),
        ("verbosity_flagged_loc", totals.flagged_lines as f64),
        ("verbosity", ours.verbosity),
    ];
    let pairs = pairs.map(|(name, ours)| (name, ours, theirs[name].as_f64().unwrap()));
    let wrong = pairs.into_iter().filter(|(_, ours, theirs)| (ours - theirs).abs() > 1e-9);
    wrong.map(|(name, ours, theirs)| format!("{name}: ours {ours}, theirs {theirs}")).collect()
}

fn score_tree(tree: &Path, release: &Release) -> QualitySnapshot {
    let mut paths = vec![];
    walk_folder(tree, tree, release, &mut paths);
    let measured = paths.into_iter().map(|path| {
        let measure = measure_file(&path, &fs::read(tree.join(&path)).unwrap(), &release.ruler);
        (path, measure)
    });
    let measured: Vec<(String, FileMeasure)> = measured.collect();
    let files: Vec<SnapshotFile<'_>> =
        measured.iter().map(|(path, measure)| SnapshotFile { path, measure }).collect();
    combine_files(&files, release.profile)
}

fn walk_folder(root: &Path, folder: &Path, release: &Release, found: &mut Vec<String>) {
    for path in folder_entries(folder).into_iter().filter(|path| !path.is_symlink()) {
        let name = path.strip_prefix(root).unwrap().to_str().map(str::to_owned);
        match name {
            _ if path.is_dir() => walk_folder(root, &path, release, found),
            Some(name) if release.profile.counts_file(&name) => found.push(name),
            _ => {}
        }
    }
}

/// Some commits of the sample runs' workspaces, each in its own folder.
fn sample_snapshots(into: &Path) -> Vec<PathBuf> {
    let mut folders = vec![];
    for run in ["codex-p12", "codex-p12-single-shot"] {
        let git = project_path("sample-runs").join(run).join("workspace.git");
        let commits = command_output(
            Command::new("git").arg("--git-dir").arg(&git).args(["log", "--format=%H"]),
        );
        for commit in commits.lines().step_by(9) {
            let folder = into.join(format!("{run}-{}", &commit[..8]));
            fs::create_dir_all(&folder).unwrap();
            let mut archive = Command::new("git");
            let mut archive = archive
                .arg("--git-dir")
                .arg(&git)
                .args(["archive", "--format=tar", commit])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let tar = Command::new("tar")
                .arg("-x")
                .current_dir(&folder)
                .stdin(archive.stdout.take().unwrap())
                .status();
            assert!(tar.unwrap().success() && archive.wait().unwrap().success());
            folders.push(folder);
        }
    }
    folders
}

fn command_output(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}
