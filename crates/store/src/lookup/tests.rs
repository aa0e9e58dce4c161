//! Tests that the index and a reading of everything find the same, for any runs and any search.

use std::path::Path;

use proptest::prelude::*;

use trajview_run::{Time, lookup::Lookup};

use super::*;

/// Returns a log of Claude Code: its requests, each followed by a call of a tool with its result.
fn claude_log(session: &str, turns: &[(String, String, String, bool)]) -> String {
    let mut log = String::new();
    for (turn, (request, command, result, failed)) in turns.iter().enumerate() {
        let record = |uuid: &str, kind: &str, content: serde_json::Value| {
            let time = format!("2026-01-01T00:{:02}:00Z", turn.min(59));
            let uuid = format!("{uuid}{turn}");
            let record = serde_json::json!({"type": kind, "uuid": uuid, "sessionId": session, "timestamp": time,
                "cwd": "/home/me/shop", "message": {"role": kind, "id": format!("m{turn}"), "content": content}});
            format!("{record}\n")
        };
        let id = format!("t{turn}");
        let call = serde_json::json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
        let result = serde_json::json!([{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}]);
        log += &record("u", "user", serde_json::json!(request));
        log += &record("a", "assistant", call);
        log += &record("r", "user", result);
    }
    log
}

fn find_hits(source: &Path, lookup: &str, index: Option<&Path>) -> (Vec<RunHits>, LookupTotals) {
    let lookup = Lookup::parse(lookup, Time::parse("2026-01-02T00:00:00Z").unwrap()).unwrap();
    let mut all = vec![];
    let looked = RunFinder { lookup: &lookup, index, keep_going: &|| true }.find_in_runs(
        &[source.to_owned()],
        &mut |message| {
            match message {
                LookupMessage::Found(hits) => all.push(hits),
                LookupMessage::Unread(why) => panic!("{why}"),
            }
            true
        },
    );
    all.sort_by(|a, b| a.path.cmp(&b.path));
    (all, looked)
}

fn build_all(index: &Path, folder: &Path) -> IndexProgress {
    match build_index(index, &[folder.to_owned()], &|| true, &mut |_| {}).unwrap() {
        BuildOutcome::Done(progress) => progress,
        other => panic!("{other:?}"),
    }
}

fn turn_saying(words: &str) -> (String, String, String, bool) {
    (words.into(), "ls".into(), "out".into(), false)
}

fn write_log(path: &Path, turns: &[(String, String, String, bool)]) {
    std::fs::write(path, claude_log("s", turns)).unwrap();
}

#[test]
fn an_indexed_run_is_told_as_one_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).unwrap();
    write_log(
        &runs.join("a.jsonl"),
        &[turn_saying("mend find_user in the shop"), turn_saying("again")],
    );
    std::fs::write(runs.join("b.jsonl"), claude_log("t", &[turn_saying("something else")]))
        .unwrap();
    let index = folder.path().join("words.sqlite");

    let built = build_all(&index, &runs);
    let (hits, looked) = find_hits(&runs, "find_user", Some(&index));

    assert_eq!((built.runs, built.of_runs, built.passed_over), (2, 2, 0));
    assert_eq!((looked.runs, looked.indexed, looked.hits), (2, 2, 1));
    assert_eq!(&*hits[0].hits[0].excerpt, "mend find_user in the shop");
    assert_eq!(hits, find_hits(&runs, "find_user", None).0);
    assert_eq!(build_all(&index, &runs).passed_over, 2);
    assert!(delete_index(&index).unwrap() && !index.exists());
}

#[test]
fn what_is_appended_is_found_before_and_after_it_is_indexed_and_little_is_written_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let index = folder.path().join("words.sqlite");
    let filler: Vec<_> =
        (0..600).map(|at| turn_saying(&format!("filler {at} {}", "x ".repeat(1000)))).collect();
    write_log(&path, &filler);
    build_all(&index, folder.path());
    let parts = |index: &Path| {
        WordIndex::open_existing(index).unwrap().parts_and_stamp(path.to_str().unwrap()).unwrap().0
    };
    let before = parts(&index);

    let grown: Vec<_> =
        filler.iter().cloned().chain([turn_saying("a needle at the end")]).collect();
    write_log(&path, &grown);

    let (hits, looked) = find_hits(&path, "needle", Some(&index));
    assert_eq!((hits[0].total, hits[0].hits[0].moment.turn, looked.indexed), (1, 600, 0));
    build_all(&index, folder.path());
    let (again, looked) = find_hits(&path, "needle", Some(&index));
    assert_eq!((again, looked.indexed), (hits, 1));
    let after = parts(&index);
    assert!(before.len() > 3);
    assert_eq!(before[..before.len() - 1], after[..before.len() - 1]);

    // Written anew from the start, it is read anew from the start.
    write_log(&path, &[turn_saying("another needle")]);
    assert_eq!(find_hits(&path, "filler", Some(&index)).1.hits, 0);
    build_all(&index, folder.path());
    assert_eq!(
        find_hits(&path, "needle", Some(&index)).1,
        LookupTotals { runs: 1, indexed: 1, with_hits: 1, hits: 1 }
    );
}

#[test]
fn an_index_that_was_left_in_the_middle_is_used_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).unwrap();
    for run in 0..4 {
        std::fs::write(
            runs.join(format!("{run}.jsonl")),
            claude_log(&run.to_string(), &[turn_saying("needle")]),
        )
        .unwrap();
    }
    let index = folder.path().join("words.sqlite");
    build_all(&index, &runs);
    // What a kill leaves behind: a run of which not all was written, and a transaction that was never committed.
    let half = rusqlite::Connection::open(&index).unwrap();
    half.execute_batch(
        "UPDATE runs SET stamp = NULL WHERE id = 1; BEGIN IMMEDIATE; DELETE FROM parts;",
    )
    .unwrap();
    let copy = folder.path().join("copy.sqlite");
    for end in ["", "-journal"] {
        let from = folder.path().join(format!("words.sqlite{end}"));
        if from.exists() {
            std::fs::copy(from, folder.path().join(format!("copy.sqlite{end}"))).unwrap();
        }
    }

    let (hits, looked) = find_hits(&runs, "needle", Some(&copy));

    assert_eq!((hits.len(), looked.indexed), (4, 3));
    assert_eq!(build_all(&copy, &runs).of_runs, 1);
    assert_eq!(find_hits(&runs, "needle", Some(&copy)).1.indexed, 4);
}

#[test]
fn a_file_that_is_no_index_is_done_without_and_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    write_log(&path, &[turn_saying("needle")]);
    let index = folder.path().join("words.sqlite");
    std::fs::write(&index, "these are not the bytes of a database, however many there are of them")
        .unwrap();

    assert_eq!(find_hits(&path, "needle", Some(&index)).1.hits, 1);
    build_all(&index, folder.path());
    assert_eq!(find_hits(&path, "needle", Some(&index)).1.indexed, 1);
}

#[test]
fn a_run_that_is_gone_is_found_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    write_log(&path, &[turn_saying("needle")]);
    let index = folder.path().join("words.sqlite");
    build_all(&index, folder.path());

    std::fs::remove_file(&path).unwrap();

    assert_eq!(find_hits(folder.path(), "needle", Some(&index)).0, []);
    build_all(&index, folder.path());
    assert_eq!(WordIndex::open_existing(&index).unwrap().indexed_runs().unwrap().len(), 0);
}

#[test]
fn a_run_that_was_cut_short_or_replaced_is_told_as_it_is_now() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let index = folder.path().join("words.sqlite");
    let long: Vec<_> =
        (0..600).map(|at| turn_saying(&format!("filler {at} {}", "x ".repeat(1000)))).collect();
    write_log(&path, &long);
    build_all(&index, folder.path());
    let is_as_read = |lookup: &str| {
        let (with, without) =
            (find_hits(&path, lookup, Some(&index)), find_hits(&path, lookup, None));
        assert_eq!(with.0, without.0, "{lookup}");
        with.1.hits
    };

    write_log(&path, &long[..100]);
    assert_eq!((is_as_read("filler 599"), is_as_read("filler 99")), (0, 1));
    build_all(&index, folder.path());
    assert_eq!((is_as_read("filler 599"), is_as_read("filler 99")), (0, 1));

    // As many bytes as before, and longer than before.
    let others = |count: usize| -> Vec<_> {
        (0..count).map(|at| turn_saying(&format!("others {at} {}", "y ".repeat(1000)))).collect()
    };
    for count in [100, 400] {
        write_log(&path, &others(count));
        let time = std::time::SystemTime::now() + std::time::Duration::from_secs(count as u64);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert_eq!((is_as_read("filler"), is_as_read("others 99")), (0, 1));
        build_all(&index, folder.path());
        assert_eq!((is_as_read("filler"), is_as_read("others 99")), (0, 1));
    }
}

#[test]
fn an_index_that_is_written_is_not_deleted_and_one_that_is_gone_is_done_without() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    write_log(&path, &[turn_saying("needle")]);
    let index = folder.path().join("words.sqlite");
    let (mut refused, mut calls) = (None, 0);

    build_index(&index, &[folder.path().to_owned()], &|| true, &mut |_| {
        calls += 1;
        refused = delete_index(&index).err();
    })
    .unwrap();

    assert!(calls > 0 && refused.is_some_and(|why| why.contains("another program")));
    let lookup = Lookup::parse("needle", Time(0)).unwrap();
    let mut hits = 0;
    // The lock is released while a search is under way.
    RunFinder { lookup: &lookup, index: Some(&index), keep_going: &|| true }.find_in_runs(
        &[folder.path().to_owned()],
        &mut |_| {
            hits += 1;
            delete_index(&index).unwrap()
        },
    );
    assert_eq!((hits, find_hits(&path, "needle", Some(&index)).1.hits), (1, 1));
}

#[test]
fn filters_narrow_down_what_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let failed =
        ("run it".to_owned(), "cargo test".to_owned(), "error: no such crate".to_owned(), true);
    write_log(&folder.path().join("a.jsonl"), &[turn_saying("run it"), failed]);
    let index = folder.path().join("words.sqlite");
    build_all(&index, folder.path());

    let count = |lookup: &str| {
        let source = folder.path();
        let (with, without) =
            (find_hits(source, lookup, Some(&index)), find_hits(source, lookup, None));
        assert_eq!(with.0, without.0, "{lookup}");
        with.1.hits
    };

    assert_eq!(count("run"), 2);
    assert_eq!((count("error:"), count("error:crate"), count("error:out")), (1, 1, 0));
    assert_eq!((count("tool:bash"), count("tool:bash cargo"), count("tool:read")), (2, 1, 0));
    assert_eq!(
        (count("project:shop it"), count("project:sho it"), count("project:sho* it")),
        (2, 0, 2)
    );
    assert_eq!((count("agent:claude run"), count("agent:codex run")), (2, 0));
    assert_eq!((count("since:2026-01-01T00:01 run"), count("since:1h run")), (1, 0));
    assert_eq!((count("/^run .t$/"), count("\"run it\""), count("\"it run\"")), (2, 2, 0));
}

const SIGNS: &str = "[abAB_. /-]{1,6}";

fn any_turn() -> impl Strategy<Value = (String, String, String, bool)> {
    let words = || {
        proptest::string::string_regex(
            "([abAB_ςΣé. /\\n-]{1,5}|find_user|src/a\\.rs|\\x1b\\[31mab\\x1b\\[0m){0,6}",
        )
        .unwrap()
    };
    (words(), words(), words(), any::<bool>())
}

fn any_lookup() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        SIGNS.prop_map(|it| it.replace('/', "a")),
        "[abAB_]{1,3}\\*",
        "\"[abAB_é. /-]{1,6}\"",
        Just("find_user".to_owned()),
        Just("σ*".to_owned()),
        Just("/a.b|^b/".to_owned()),
        Just("tool:bash".to_owned()),
        Just("error:".to_owned()),
        "file:[ab]{1,2}",
        Just("since:2026-01-01T00:01".to_owned()),
    ];
    proptest::collection::vec(one, 1..3).prop_map(|parts| parts.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_index_and_a_reading_of_everything_find_the_same(
        runs in proptest::collection::vec(proptest::collection::vec(any_turn(), 1..5), 1..4),
        lookups in proptest::collection::vec(any_lookup(), 12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("words.sqlite");
        let below = folder.path().join("runs");
        std::fs::create_dir(&below).unwrap();
        for (run, turns) in runs.iter().enumerate() {
            std::fs::write(below.join(format!("{run}.jsonl")), claude_log(&run.to_string(), turns)).unwrap();
        }
        build_all(&index, &below);
        let source = below.as_path();
        for lookup in lookups.iter().filter(|it| Lookup::parse(it, Time(0)).is_ok()) {
            let (with, looked) = find_hits(source, lookup, Some(&index));
            prop_assert_eq!(with, find_hits(source, lookup, None).0, "{}", lookup);
            prop_assert_eq!(looked.indexed, looked.runs);
        }
    }
}

/// Opens every run that a sieve leaves out, and asserts that it has no hits.
fn assert_held_back_rightly(path: &Path, lookup: &str) -> bool {
    let siblings = Siblings::default();
    let lookup = Lookup::parse(lookup, Time(0)).unwrap();
    let files = find_among(path, FileAccess::InMemory, &siblings).unwrap();
    let passes = RunSieve::for_lookup(&lookup).may_have_hits(&files, &|| true);
    if !passes {
        let finder = RunFinder { lookup: &lookup, index: None, keep_going: &|| true };
        let opened = open_found(path, files).unwrap();
        let found = finder.find_in_opened(&opened, &CandidateParts::Anywhere, &|| true);
        assert_eq!(found.total, 0, "{} {lookup:?} {:?}", path.display(), found.hits);
    }
    !passes
}

/// Returns a rollout of Codex: requests, calls and outputs of which each is several strings in a row, or JSON in a
/// string.
fn codex_rollout(turns: &[(String, String, String, bool)]) -> String {
    let mut records =
        vec![serde_json::json!({"type": "session_meta", "payload": {"id": "s", "cwd": "/shop"}})];
    for (at, (request, command, result, in_json)) in turns.iter().enumerate() {
        let halves = |text: &str| {
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            let part = |text: &str| serde_json::json!({"type": "input_text", "text": text});
            serde_json::json!([part(&text[..middle]), part(&text[middle..])])
        };
        let output = match in_json {
            true => serde_json::json!(
                serde_json::json!({"output": result, "metadata": {"exit_code": 0}}).to_string()
            ),
            false => halves(result),
        };
        let arguments = serde_json::json!({"command": ["bash", "-lc", command]}).to_string();
        let items = [
            serde_json::json!({"type": "message", "role": "user", "content": halves(request)}),
            serde_json::json!({"type": "function_call", "name": "shell", "call_id": at.to_string(), "arguments": arguments}),
            serde_json::json!({"type": "function_call_output", "call_id": at.to_string(), "output": output}),
        ];
        records.extend(
            items.map(|item| serde_json::json!({"type": "response_item", "payload": item})),
        );
    }
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Makes texts in which the letters of a word are in a row, apart, or with terminal escapes between them.
fn any_zebra_text() -> impl Strategy<Value = String> {
    let piece = "(zebra|zeb|ra|z|e|bra|ZEBRA| |\\n|\\r|\\r\\n|\\\\|\"|\\x08|\\x1b\\[31m|\\x1b\\[K|\\x1b\\[1D|é){0,4}";
    proptest::string::string_regex(piece).unwrap()
}

/// Returns the same JSON with some letters written as escapes: those whose position is in a list.
fn with_escapes(json: &str, at: &[usize]) -> String {
    let mut letters: Vec<String> = json.chars().map(String::from).collect();
    let zebra: Vec<usize> =
        json.match_indices("zebra").map(|(at, _)| json[..at].chars().count()).collect();
    for (word, letter) in zebra.iter().zip(at) {
        let place = &mut letters[word + letter % 5];
        *place = format!("\\u{:04x}", u32::from(place.chars().next().unwrap()));
    }
    letters.concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_the_bytes_hold_back_has_no_hits(
        turns in proptest::collection::vec((any_zebra_text(), any_zebra_text(), any_zebra_text(), any::<bool>()), 1..3),
        at in proptest::collection::vec(0..5_usize, 0..2),
    ) {
        let folder = tempfile::tempdir().unwrap();
        for (name, log) in [("a.jsonl", claude_log("s", &turns)), ("rollout-b.jsonl", codex_rollout(&turns))] {
            let path = folder.path().join(name);
            std::fs::write(&path, with_escapes(&log, &at)).unwrap();
            for lookup in ["zebra", "zeb*", "\"a zebra\"", "ebra*", "zebrazebra"] {
                assert_held_back_rightly(&path, lookup);
            }
        }
    }
}

#[test]
fn no_word_of_a_sample_is_held_back_and_one_of_none_is() {
    let samples = Path::new(trajview_testing::project()).join("sample-runs");
    let (mut held_back, mut words) = (0, 0);
    for path in super::super::runs_below(&samples) {
        let files = find_among(&path, FileAccess::InMemory, &Siblings::default()).unwrap();
        if files.format.text_layout() == trajview_formats::search_prefilter::TextLayout::Free {
            continue;
        }
        held_back += usize::from(assert_held_back_rightly(&path, "nowhereatall"));
        let opened = open_found(
            &path,
            find_among(&path, FileAccess::InMemory, &Siblings::default()).unwrap(),
        )
        .unwrap();
        let mut words_said = std::collections::BTreeSet::new();
        for moment in &RunParts::new(&opened).moments {
            let texts = RunParts::new(&opened).moment_text(*moment);
            for text in [Some(&texts.text), texts.arguments.as_ref(), texts.result.as_ref()]
                .into_iter()
                .flatten()
            {
                trajview_run::lookup::words::each_word(text, &mut |word| {
                    words_said.insert(word.to_owned());
                });
            }
        }
        for word in words_said {
            let lookup = Lookup::parse(&format!("\"{word}\""), Time(0)).unwrap();
            assert!(
                RunSieve::for_lookup(&lookup).may_have_hits(&files, &|| true),
                "{word} of {}",
                path.display()
            );
            words += 1;
        }
    }
    assert!(held_back > 1 && words > 1_000, "{held_back} {words}");
}
