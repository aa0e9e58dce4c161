//! Logs whose files stand in a repository beside them, and repositories that keep the sessions that led to their commits.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git2::{IndexAddOption, Oid, Repository, Signature, Time};
use serde_json::json;
use trajview::{run::Run, store};

use crate::common::{cli_text, project_path};

const ADD: &str = "def add(a, b):\n    return a + b\n";
const DIV: &str = "def add(a, b):\n    return a + b\n\n\ndef div(a, b):\n    return a / b\n";

/// A worktree whose commits are a minute apart.
struct Worktree {
    folder: PathBuf,
    repo: Repository,
    minutes: i64,
}

impl Worktree {
    fn new(folder: &Path) -> Self {
        let repo = Repository::init(folder).unwrap();
        Self { folder: folder.to_owned(), repo, minutes: 0 }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn who(&mut self) -> Signature<'static> {
        self.minutes += 1;
        Signature::new("a", "a@example.com", &Time::new(1_790_000_000 + self.minutes * 60, 0))
            .unwrap()
    }

    /// Commits all that there is, and says what the commit is called.
    fn commit(&mut self, message: &str) -> String {
        let who = self.who();
        let mut index = self.repo.index().unwrap();
        index.add_all(["*"], IndexAddOption::FORCE, None).unwrap();
        index.write().unwrap();
        let tree = self.repo.find_tree(index.write_tree().unwrap()).unwrap();
        let head = self.repo.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<_> = head.iter().collect();
        let id = self.repo.commit(Some("HEAD"), &who, &who, message, &tree, &parents).unwrap();
        id.to_string()
    }

    /// Files on a branch of their own.
    fn branch(&mut self, name: &str, files: &[(&str, &str)]) {
        let who = self.who();
        let mut index = git2::Index::new().unwrap();
        for (path, text) in files {
            let entry = git2::IndexEntry {
                ctime: git2::IndexTime::new(0, 0),
                mtime: git2::IndexTime::new(0, 0),
                dev: 0,
                ino: 0,
                mode: 0o100_644,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: self.repo.blob(text.as_bytes()).unwrap(),
                flags: 0,
                flags_extended: 0,
                path: path.as_bytes().to_vec(),
            };
            index.add(&entry).unwrap();
        }
        let tree = self.repo.find_tree(index.write_tree_to(&self.repo).unwrap()).unwrap();
        self.repo.commit(Some(name), &who, &who, "checkpoints", &tree, &[]).unwrap();
    }

    fn note(&mut self, commit: &str, text: &str) {
        let who = self.who();
        let commit = Oid::from_str(commit).unwrap();
        self.repo.note(&who, &who, Some("refs/notes/ai"), commit, text, true).unwrap();
    }
}

fn run_of(path: &Path) -> Run {
    Run::clone(&store::open(path).unwrap_or_else(|why| panic!("{why}")).run)
}

fn warning_texts(run: &Run) -> Vec<&str> {
    run.warnings.iter().map(|warning| warning.what.as_str()).collect()
}

fn turn_commits(run: &Run) -> Vec<Option<&str>> {
    run.turns.iter().map(|turn| turn.commit.as_deref()).collect()
}

/// A file at a moment, as the program prints it.
fn file_text(run: &Path, path: &str, at: &str) -> String {
    cli_text(&["cat", run.to_str().unwrap(), path, "--at", at])
}

#[test]
fn the_files_of_aider_are_those_of_its_commits() {
    let folder = tempfile::tempdir().unwrap();
    let mut worktree = Worktree::new(folder.path());
    worktree.write("README.md", "hello\n");
    worktree.commit("init");
    // What no block of the history tells.
    worktree.write("calc.py", &format!("# by hand\n{ADD}"));
    let first = worktree.commit("feat: add");
    worktree.write("calc.py", &format!("# by hand\n{DIV}"));
    let second = worktree.commit("feat: div");
    let told = fs::read_to_string(project_path("sample-runs/logs/aider.chat.history.md")).unwrap();
    let (one, two) = told.split_once("#### Now").unwrap();
    let history = folder.path().join(".aider.chat.history.md");
    let said =
        |text: &str, id: &str| format!("{}\n> Commit {} feat  \n\n", text.trim_end(), &id[..7]);
    fs::write(&history, said(one, &first) + &said(&format!("#### Now{two}"), &second)).unwrap();

    let run = run_of(&history);

    assert_eq!(turn_commits(&run), [Some(first.as_str()), Some(second.as_str())]);
    assert!(run.warnings.is_empty(), "{:?}", warning_texts(&run));
    assert_eq!(file_text(&history, "calc.py", "1"), format!("# by hand\n{ADD}"));
    assert_eq!(file_text(&history, "README.md", "start"), "hello\n");

    fs::remove_dir_all(folder.path().join(".git")).unwrap();
    let run = run_of(&history);
    assert_eq!(turn_commits(&run), [None, None]);
    assert!(
        warning_texts(&run)[0].starts_with("names commits that no repository"),
        "{:?}",
        warning_texts(&run)
    );
    assert_eq!(file_text(&history, "calc.py", "1"), ADD);
}

#[test]
fn the_files_of_cline_are_those_of_its_shadow_repository() {
    let storage = tempfile::tempdir().unwrap();
    let mut shadow = Worktree::new(&storage.path().join("checkpoints/4f2a"));
    shadow.write("old.py", "x = 1\n");
    let start = shadow.commit("start");
    shadow.write("calc.py", ADD);
    let first = shadow.commit("checkpoint");
    shadow.write("calc.py", DIV);
    fs::remove_file(storage.path().join("checkpoints/4f2a/old.py")).unwrap();
    let second = shadow.commit("checkpoint");
    let task = storage.path().join("tasks/1790000000000");
    fs::create_dir_all(&task).unwrap();
    let sample = project_path("sample-runs/logs/cline");
    let log = task.join("api_conversation_history.json");
    fs::copy(sample.join("api_conversation_history.json"), &log).unwrap();
    let checkpoint = |second: u64, id: &str| {
        json!({ "ts": 1_790_000_000_000_u64 + second, "type": "say", "say": "checkpoint_created",
                "lastCheckpointHash": id })
    };
    let shown = [checkpoint(500, &start), checkpoint(3_500, &first), checkpoint(9_500, &second)];
    fs::write(task.join("ui_messages.json"), json!(shown).to_string()).unwrap();

    let run = run_of(&log);

    assert_eq!(turn_commits(&run), [Some(first.as_str()), Some(second.as_str())]);
    assert_eq!(run.origin.start_commit.as_deref(), Some(start.as_str()));
    assert_eq!(file_text(&log, "old.py", "start"), "x = 1\n");
    assert_eq!(file_text(&log, "calc.py", "final"), DIV);
    let diff = cli_text(&["diff", log.to_str().unwrap(), "--turn", "2"]);
    assert!(diff.contains("deleted file") && !diff.contains("+x = 1"), "{diff}");
}

#[test]
fn a_history_of_specstory_is_joined_to_the_commits_that_it_was_committed_with() {
    let folder = tempfile::tempdir().unwrap();
    let mut worktree = Worktree::new(folder.path());
    let below = ".specstory/history/2026-09-21_14-13-20Z-create-a-package.md";
    let whole = fs::read_to_string(project_path("sample-runs/logs").join(below)).unwrap();
    let half = whole.find("_**User (2026-09-21 14:13:24Z)").unwrap();
    worktree.write("calc.py", ADD);
    worktree.write(below, &whole[..half]);
    let first = worktree.commit("add");
    worktree.write("calc.py", DIV);
    worktree.write(below, &whole);
    let second = worktree.commit("div");

    let [history] = store::runs_below(folder.path()).try_into().unwrap();
    let run = run_of(&history);

    assert_eq!(turn_commits(&run), [Some(first.as_str()), Some(second.as_str())]);
    assert_eq!(file_text(&history, "calc.py", "1"), ADD);
    assert_eq!(file_text(&history, "calc.py", "2"), DIV);
}

#[test]
fn the_sessions_of_entire_are_runs_joined_to_the_commits_that_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut worktree = Worktree::new(folder.path());
    worktree.write("README.md", "hello\n");
    worktree.commit("init");
    worktree.write("calc.py", ADD);
    let first = worktree.commit("add\n\nEntire-Checkpoint: a1b2c3d4e5f6\n");
    worktree.write("notes.md", "nothing of it in the log\n");
    let second = worktree.commit("div\n\nEntire-Checkpoint: 0a0b0c0d0e0f\n");
    let log = fs::read_to_string(project_path("sample-runs/logs/pi.jsonl")).unwrap();
    let begun = &log[..log.find("Now add div").unwrap()];
    let begun = &begun[..=begun.rfind('\n').unwrap()];
    let metadata = |minute: u32| {
        json!({ "session_id": "s-1", "created_at": format!("2026-09-21T14:{minute}:00Z") })
            .to_string()
    };
    worktree.branch(
        "refs/heads/entire/checkpoints/v1",
        &[
            ("0a/0b0c0d0e0f/0/full.jsonl", &log),
            ("0a/0b0c0d0e0f/0/metadata.json", &metadata(20)),
            ("a1/b2c3d4e5f6/0/full.jsonl", begun),
            ("a1/b2c3d4e5f6/0/metadata.json", &metadata(10)),
            ("a1/b2c3d4e5f6/metadata.json", "{}"),
        ],
    );

    let [session] = store::runs_below(folder.path()).try_into().unwrap();
    let run = run_of(&session);

    assert_eq!(session, folder.path().join(".git/entire-s-1.jsonl"));
    assert_eq!(run.origin.format, "pi");
    assert_eq!(turn_commits(&run), [Some(first.as_str()), Some(second.as_str())]);
    assert_eq!(file_text(&session, "README.md", "start"), "hello\n");
    assert_eq!(file_text(&session, "calc.py", "1"), ADD);
    // The commit is what counts, whatever the log says.
    assert_eq!(file_text(&session, "calc.py", "2"), ADD);
    assert_eq!(file_text(&session, "notes.md", "2"), "nothing of it in the log\n");
}

#[test]
fn the_sessions_of_git_ai_are_runs_with_a_turn_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let mut worktree = Worktree::new(folder.path());
    worktree.write("calc.py", ADD);
    let first = worktree.commit("add");
    worktree.write("calc.py", DIV);
    let second = worktree.commit("div");
    let said = |kind: &str, text: &str| json!({ "type": kind, "text": text });
    let begun = vec![said("user", "make add"), said("assistant", "made it")];
    let whole = [begun.clone(), vec![said("user", "make div")]].concat();
    let note = |messages: &[serde_json::Value]| {
        let document = json!({
            "schema_version": "authorship/3.0.0",
            "prompts": { "abcd": { "agent_id": { "tool": "cursor", "id": "c-1", "model": "m" }, "messages": messages } },
            "sessions": { "s_1": { "agent_id": { "tool": "claude", "id": "c-2", "model": "unknown" } } },
        });
        format!("calc.py\n  abcd 1-2\n  s_1::t_2 3,5-6\n---\n{document}\n")
    };
    worktree.note(&first, &note(&begun));
    worktree.note(&second, &note(&whole));

    let runs = store::runs_below(folder.path());
    let names: Vec<_> = runs.iter().map(|run| run.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["git-ai-c-1.json", "git-ai-c-2.json"]);
    for run in &runs {
        assert_eq!(turn_commits(&run_of(run)), [Some(first.as_str()), Some(second.as_str())]);
        assert_eq!(file_text(run, "calc.py", "1"), ADD);
        assert_eq!(file_text(run, "calc.py", "2"), DIV);
    }
    let (told, silent) = (run_of(&runs[0]), run_of(&runs[1]));
    let titles: Vec<&str> = told.turns.iter().map(|turn| &*turn.title).collect();
    assert_eq!(titles, ["make add", "make div"]);
    assert_eq!((told.agent.name.as_str(), told.model.as_deref()), ("cursor", Some("m")));
    assert_eq!((&*silent.turns[0].title, silent.model.as_deref()), ("", None));
    let step = silent.turns[1].steps.last().unwrap();
    assert_eq!(&*step.label, format!("commit {} div", &second[..10]));
}

#[test]
fn a_damaged_repository_is_a_warning_or_no_store_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut worktree = Worktree::new(folder.path());
    worktree.write("calc.py", ADD);
    let first = worktree.commit("add");
    worktree.note(&first, "calc.py\n  abcd 1-2\n---\n{\"prompts\": {\"abcd\": 4}}");
    assert_eq!(store::runs_below(folder.path()).len(), 1);

    let mut objects = vec![];
    for entry in fs::read_dir(folder.path().join(".git/objects")).unwrap() {
        let files = fs::read_dir(entry.unwrap().path()).unwrap();
        objects.extend(files.map(|file| file.unwrap().path()).filter(|path| path.is_file()));
    }
    for object in objects {
        let whole = fs::read(&object).unwrap();
        let _ = fs::remove_file(&object);
        fs::write(&object, &whole[..whole.len() / 2]).unwrap();
        for run in store::runs_below(folder.path()) {
            let _ = store::open(&run);
        }
        fs::write(&object, &whole).unwrap();
    }
}
