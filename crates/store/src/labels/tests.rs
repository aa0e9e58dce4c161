use super::*;
use std::thread;

use crate::atomic_file::lock_folder;
use trajview_run::rubric::Judgement;

fn test_label(component: &str, score: u8) -> Label {
    Label {
        component: component.into(),
        commit: Some("c0ffee".into()),
        turn: Some(7),
        judgement: Some("judgements/a.json".into()),
        score: Some(score.into()),
        blind: Some(true),
        ..Label::default()
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    entries_of(folder).iter().map(|path| name_of(path).to_owned()).collect()
}

fn file_of(annotator: &str) -> String {
    let bundle = tempfile::tempdir().unwrap();
    let mut book = LabelBook::open(bundle.path(), annotator).unwrap();
    book.put_label(test_label("C1", 1)).unwrap();
    names_in(&bundle.path().join("labels")).join(" ")
}

#[test]
fn a_label_is_on_the_disk_when_put_returns_and_takes_the_place_of_the_one_before() {
    let bundle = tempfile::tempdir().unwrap();
    let mut book = LabelBook::open(bundle.path(), "A1").unwrap();
    assert_eq!(names_in(bundle.path()), Vec::<String>::new());

    book.put_label(test_label("C1", 1)).unwrap();
    book.put_label(test_label("C2", 2)).unwrap();
    book.put_label(Label { reason: Some("agree".into()), ..test_label("C1", 4) }).unwrap();
    book.put_label(Label { commit: Some("beef".into()), ..test_label("C1", 0) }).unwrap();

    assert_eq!(names_in(&bundle.path().join("labels")), ["A1.json"]);
    let text = fs::read_to_string(bundle.path().join("labels/A1.json")).unwrap();
    assert_eq!(
        text,
        r#"{
  "schema": "trajview.labels/1",
  "annotator": "A1",
  "labels": [
    {"component": "C1", "judgement": "judgements/a.json", "commit": "c0ffee", "turn": 7, "score": 4, "blind": true, "reason": "agree", "note": null, "at": null},
    {"component": "C2", "judgement": "judgements/a.json", "commit": "c0ffee", "turn": 7, "score": 2, "blind": true, "reason": null, "note": null, "at": null},
    {"component": "C1", "judgement": "judgements/a.json", "commit": "beef", "turn": 7, "score": 0, "blind": true, "reason": null, "note": null, "at": null}
  ]
}
"#
    );
    let again = LabelBook::open(bundle.path(), " A1 ").unwrap();
    assert_eq!(again.labels(), book.labels());
}

#[test]
fn the_last_label_of_a_component_is_the_one_given_last() {
    let bundle = tempfile::tempdir().unwrap();
    let mut book = LabelBook::open(bundle.path(), "A1").unwrap();
    let of_none = Label { judgement: None, ..test_label("C1", 2) };
    let judgement = Judgement { file: "judgements/a.json".into(), ..Judgement::default() };

    book.put_labels(&[test_label("C1", 1), test_label("C2", 1), of_none.clone()]).unwrap();
    assert_eq!(book.labels().label_for(&judgement, "C1").unwrap().label, &of_none);
    book.put_label(test_label("C1", 3)).unwrap();

    assert_eq!(book.labels().label_for(&judgement, "C1").unwrap().label, &test_label("C1", 3));
    assert_eq!(book.labels().labels, [test_label("C2", 1), of_none, test_label("C1", 3)]);
}

#[test]
fn fields_we_do_not_know_stay_as_they_are() {
    let bundle = tempfile::tempdir().unwrap();
    let folder = bundle.path().join("labels");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("first rater.json"),
        r#"{"annotator": "A1", "labels": [{"component": "C1", "score": 1, "weight": 1.50}, "odd"], "tool": {"v": 1e2}}"#,
    )
    .unwrap();
    let mut book = LabelBook::open(bundle.path(), "A1").unwrap();

    book.put_label(Label { component: "C1".into(), score: Some(3.0), ..Label::default() }).unwrap();

    assert_eq!(names_in(&folder), ["first rater.json"]);
    let text = fs::read_to_string(folder.join("first rater.json")).unwrap();
    assert!(text.contains(r#""at": null, "weight": 1.50}"#), "{text}");
    assert!(text.contains("    \"odd\"\n") && text.contains(r#""tool": {"v": 1e2}"#), "{text}");
    assert_eq!(book.labels().labels.len(), 1);
}

#[test]
fn two_names_never_share_a_file_and_every_name_is_harmless() {
    assert_eq!(file_of("a_b"), "a_b.json");
    let names = ["a/b", "a\\b", "a b", "..", "con", "ä", "a\nb", "-", &"x".repeat(300), "a.b"];
    let mut files: Vec<String> = names.iter().map(|name| file_of(name)).collect();
    files.push(file_of("a_b"));
    for file in &files {
        assert!(file.len() < 90 && file.ends_with(".json"), "{file}");
        let stem = file.trim_end_matches(".json");
        assert!(stem.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)), "{file}");
    }
    files.sort();
    files.dedup();
    assert_eq!(files.len(), names.len() + 1);
}

#[test]
fn raters_in_one_bundle_keep_to_their_own_files() {
    let bundle = tempfile::tempdir().unwrap();
    for (at, name) in (0..).zip(["a/b", "a_b", "a b"]) {
        LabelBook::open(bundle.path(), name).unwrap().put_label(test_label("C1", at)).unwrap();
    }
    for (at, name) in (0..).zip(["a/b", "a_b", "a b"]) {
        let book = LabelBook::open(bundle.path(), name).unwrap();
        assert_eq!(book.labels().annotator, name);
        assert_eq!(book.labels().labels, [test_label("C1", at)]);
    }
    assert_eq!(names_in(&bundle.path().join("labels")).len(), 3);
}

#[test]
fn a_file_of_another_rater_with_our_name_is_left_alone() {
    let bundle = tempfile::tempdir().unwrap();
    let folder = bundle.path().join("labels");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("ann.json"), r#"{"annotator": "Ann", "labels": []}"#).unwrap();
    fs::write(folder.join("bob.json"), "not ours").unwrap();

    for name in ["ann", "bob"] {
        LabelBook::open(bundle.path(), name).unwrap().put_label(test_label("C1", 1)).unwrap();
    }

    assert_eq!(fs::read(folder.join("bob.json")).unwrap(), b"not ours");
    let rater = fs::read_to_string(folder.join("ann.json")).unwrap();
    assert_eq!(rater, r#"{"annotator": "Ann", "labels": []}"#);
    assert_eq!(names_in(&folder).len(), 4);
}

#[test]
fn two_programs_that_label_at_once_lose_nothing() {
    let bundle = tempfile::tempdir().unwrap();
    let work = |program: usize| {
        let mut book = LabelBook::open(bundle.path(), "A1").unwrap();
        for at in 0..20 {
            book.put_label(test_label(&format!("C{program}-{at}"), 2)).unwrap();
        }
    };

    thread::scope(|scope| {
        (0..4).for_each(|program| drop(scope.spawn(move || work(program))));
    });

    let book = LabelBook::open(bundle.path(), "A1").unwrap();
    assert_eq!(book.labels().labels.len(), 80);
    assert_eq!(names_in(&bundle.path().join("labels")), ["A1.json"]);
}

#[test]
fn what_is_no_file_of_labels_is_told_and_not_written_over() {
    let bundle = tempfile::tempdir().unwrap();
    let folder = bundle.path().join("labels");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("A1.json"), r#"{"annotator": "A1", "labels": {"C1": 4}}"#).unwrap();
    fs::write(
        folder.join("A2.json"),
        r#"{"schema": "trajview.labels/2", "annotator": "A2", "labels": []}"#,
    )
    .unwrap();

    let why = |name: &str| LabelBook::open(bundle.path(), name).unwrap_err().to_string();

    assert!(why("A1").ends_with("A1.json: has no list of labels; not overwritten"));
    let newer = why("A2");
    assert!(newer.ends_with("\"trajview.labels/2\", not trajview.labels/1; not overwritten"));
    assert!(why(" ").ends_with("labels: the name of the annotator is blank"));
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "mine").unwrap();
    assert!(why("A1").ends_with("labels: is not a folder"));
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let (bundle, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = bundle.path().join("labels");
    std::os::unix::fs::symlink(outside.path(), &folder).unwrap();
    let why = LabelBook::open(bundle.path(), "A1").unwrap_err().to_string();
    assert!(why.ends_with("labels: is a link; not followed"), "{why}");

    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(outside.path().join("A1.json"), r#"{"annotator": "A1", "labels": []}"#).unwrap();
    std::os::unix::fs::symlink(outside.path().join("A1.json"), folder.join("A1.json")).unwrap();
    let mut book = LabelBook::open(bundle.path(), "A1").unwrap();
    book.put_label(test_label("C1", 1)).unwrap();
    assert!(!book.path().ends_with("A1.json"));
    let theirs = fs::read_to_string(outside.path().join("A1.json")).unwrap();
    assert_eq!(theirs, r#"{"annotator": "A1", "labels": []}"#);
}

#[test]
fn a_program_that_holds_the_folder_for_long_is_told_of() {
    let bundle = tempfile::tempdir().unwrap();
    let mut book = LabelBook::open(bundle.path(), "A1").unwrap();
    book.put_label(test_label("C1", 1)).unwrap();
    let lock = lock_folder(&bundle.path().join("labels")).unwrap();

    let why = lock.is_some().then(|| book.put_label(test_label("C2", 1)).unwrap_err().to_string());

    if let Some(why) = why {
        assert!(why.contains("another program is writing labels"), "{why}");
    }
}

#[test]
fn of_two_handles_of_one_rater_the_first_label_stands_and_the_second_is_given_it() {
    let bundle = tempfile::tempdir().unwrap();
    let open = || LabelBook::open(bundle.path(), "A1").unwrap();
    let (mut one, mut two) = (open(), open());

    assert_eq!(one.put_unless_changed(test_label("C1", 3), None).unwrap(), None);
    let stands = two.put_unless_changed(test_label("C1", 1), None).unwrap();

    assert_eq!(stands, Some(test_label("C1", 3)));
    assert_eq!(two.labels(), one.labels());
    assert_eq!(open().labels().labels, [test_label("C1", 3)]);
    let amended = Label { note: Some("seen".into()), ..test_label("C1", 3) };
    assert_eq!(two.put_unless_changed(amended.clone(), stands.as_ref()).unwrap(), None);
    assert_eq!(two.put_unless_changed(amended.clone(), None).unwrap(), None, "written already");
    assert_eq!(open().labels().labels, [amended]);
}

#[test]
fn what_was_labelled_with_the_verdict_in_sight_never_becomes_blind_again() {
    let bundle = tempfile::tempdir().unwrap();
    let mut book = LabelBook::open(bundle.path(), "A1").unwrap();
    book.put_label(Label { score: None, blind: Some(false), ..test_label("C1", 0) }).unwrap();

    book.put_label(test_label("C1", 2)).unwrap();
    book.put_labels(&[test_label("C1", 4), test_label("C2", 4)]).unwrap();

    let blind = book.labels().labels.iter().map(|it| (it.score, it.blind));
    assert_eq!(blind.collect::<Vec<_>>(), [(Some(4.0), Some(false)), (Some(4.0), Some(true))]);
}
