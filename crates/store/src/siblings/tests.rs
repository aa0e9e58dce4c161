use std::fs;

use super::*;
use crate::{open, open_among, runs_below};

/// Returns one message of a Claude Code session; of a sub-agent of it where `is_agent`.
fn message_line(session: &str, is_agent: bool) -> String {
    format!(
        "{{\"type\":\"user\",\"uuid\":\"u-{session}-{is_agent}\",\"parentUuid\":null,\"isSidechain\":{is_agent},\
         \"sessionId\":\"{session}\",\"agentId\":\"a1\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\
         \"message\":{{\"role\":\"user\",\"content\":\"do it\"}}}}\n"
    )
}

fn source_names(opened: &crate::OpenedRecording) -> Vec<&str> {
    opened.run.origin.sources.iter().map(|source| source.name.as_str()).collect()
}

#[test]
fn a_companion_is_found_however_many_logs_stand_before_it() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..4_200 {
        let name = format!("{number:04}.jsonl");
        fs::write(folder.path().join(&name), message_line(&name, false)).unwrap();
    }
    fs::write(folder.path().join("zz-agent.jsonl"), message_line("0007.jsonl", true)).unwrap();

    let runs = runs_below(folder.path());
    let opened = open(&folder.path().join("0007.jsonl")).unwrap();

    assert_eq!(runs.len(), 4_200);
    assert_eq!(source_names(&opened), ["0007.jsonl", "zz-agent.jsonl"]);
}

#[test]
fn a_companion_that_comes_later_is_found_by_who_has_looked_before() {
    let folder = tempfile::tempdir().unwrap();
    let (main, siblings) = (folder.path().join("main.jsonl"), Siblings::default());
    fs::write(&main, message_line("S", false)).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    fs::File::open(folder.path()).unwrap().set_modified(long_ago).unwrap();
    assert_eq!(source_names(&open_among(&main, &siblings).unwrap()), ["main.jsonl"]);

    fs::write(folder.path().join("agent.jsonl"), message_line("S", true)).unwrap();

    let opened = open_among(&main, &siblings).unwrap();
    assert_eq!(source_names(&opened), ["main.jsonl", "agent.jsonl"]);
}

/// The pool's threads all wait for the one that reads the folder, which must not wait for them.
#[test]
fn a_folder_is_looked_into_while_all_its_logs_are_opened_at_once() {
    use rayon::prelude::*;
    let folder = tempfile::tempdir().unwrap();
    for number in 0..300 {
        let name = format!("{number:03}.jsonl");
        fs::write(folder.path().join(&name), message_line(&name, false)).unwrap();
    }
    let siblings = Siblings::default();

    let opened: Vec<usize> = runs_below(folder.path())
        .par_iter()
        .map(|run| open_among(run, &siblings).unwrap().run.origin.sources.len())
        .collect();

    assert_eq!(opened, vec![1; 300]);
}

#[test]
fn a_folder_is_looked_into_while_another_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name).join("main.jsonl"));
    for log in [&one, &other] {
        fs::create_dir(log.parent().unwrap()).unwrap();
        fs::write(log, message_line("S", false)).unwrap();
    }
    let format = trajview_formats::format_by_name("claude-code").unwrap();
    let siblings = Siblings::default();

    let known = siblings.known_folder(one.parent().unwrap(), format);
    let logs = known.logs.get_or_init(|| {
        assert!(open_among(&other, &siblings).is_ok());
        FolderLogs::of_folder(one.parent().unwrap())
    });

    assert_eq!(logs.paths, [one]);
}

#[test]
fn the_folder_of_an_archive_is_looked_into_once_for_all_logs_in_it() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("logs.tar");
    let mut archive = tar::Builder::new(std::fs::File::create(&path).unwrap());
    let log = b"{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}\n";
    for name in ["logs/a.jsonl", "logs/b.jsonl"] {
        let mut header = tar::Header::new_ustar();
        header.set_size(log.len() as u64);
        header.set_cksum();
        archive.append_data(&mut header, name, &log[..]).unwrap();
    }
    archive.finish().unwrap();
    let format = trajview_formats::format_by_name("claude-code").unwrap();
    let siblings = Siblings::default();

    let first = siblings.known_folder(&path.join("logs"), format);
    let second = siblings.known_folder(&path.join("logs"), format);

    let logs = first.logs.get_or_init(|| FolderLogs::of_folder(&path.join("logs")));
    assert_eq!(logs.paths.len(), 2);
    assert!(Arc::ptr_eq(&first, &second));
}
