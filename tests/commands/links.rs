//! Folders of links to recordings, as every command and the screen see them.
#![cfg(unix)]

use std::{fs, os::unix::fs::symlink, path::Path};

use crate::common::{cli_text, judge_desk::copy_folder, project_path, run_cli};

/// Makes a folder with a link to a log and one to a folder, both elsewhere.
fn folder_of_links(place: &Path) -> String {
    copy_folder(&project_path("sample-runs/claude-code"), &place.join("elsewhere"));
    let folder = place.join("links");
    fs::create_dir(&folder).unwrap();
    let names = fs::read_dir(place.join("elsewhere")).unwrap().map(|it| it.unwrap().path());
    let log = names.into_iter().find(|it| it.extension().is_some_and(|end| end == "jsonl"));
    symlink(log.unwrap(), folder.join("a.jsonl")).unwrap();
    symlink(place.join("elsewhere"), folder.join("all")).unwrap();
    // A loop, and a link to nothing.
    symlink(&folder, folder.join("itself")).unwrap();
    symlink("nothing.jsonl", folder.join("b.jsonl")).unwrap();
    folder.display().to_string()
}

#[test]
fn a_link_to_a_log_is_a_run_for_every_command_and_links_that_lead_outside_are_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = folder_of_links(place.path());
    let out = place.path().join("tables").display().to_string();

    for (arguments, printed) in [
        (vec!["find", "tinycalc", &folder, "--no-index"], "a.jsonl:1: "),
        (vec!["corpus", &folder, "--resamples", "0"], "1 run "),
        (vec!["export", &folder, "--csv", &out, "--tables", "runs"], "runs-1of1-"),
        (vec!["check", &folder], "a.jsonl"),
    ] {
        let ran = run_cli(&arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        assert!(ran.out.contains(printed), "{arguments:?}: {}", ran.out);
        for note in [
            "a link to a file outside of the folder was read: ",
            "a link to a folder outside is not followed; name that folder itself to read it: ",
        ] {
            assert!(ran.err.contains(note), "{arguments:?}: {}", ran.err);
        }
        assert!(!ran.err.contains("itself →"), "{arguments:?}: {}", ran.err);
    }
    let table = cli_text(&[&folder, "--view", "runs", "--snapshot", "120x20"]);
    assert!(table.contains("tinycalc"), "{table}");
}
