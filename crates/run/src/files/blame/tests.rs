use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::files::{MemoryBlobs, SourceTree, TurnFiles};

/// A run put together by hand.
#[derive(Default)]
struct History {
    blobs: MemoryBlobs,
    timeline: Timeline,
    tree: SourceTree,
}

fn repo_path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

impl History {
    /// Starts with `a` as it was before the run.
    fn starting_with(text: &str) -> Self {
        let mut history = Self::default();
        let file = history.insert_file(text);
        history.tree.files.insert(repo_path("a"), file);
        history.timeline.base = history.tree.clone();
        history
    }

    fn insert_file(&mut self, text: &str) -> TreeFile {
        TreeFile::with_blob(self.blobs.insert(text.as_bytes()))
    }

    /// Adds a turn whose steps write these texts of `a` one after the other, and which leaves it as `end`, whatever
    /// changed it.
    fn with_turn(mut self, steps: &[&str], end: &str) -> Self {
        let turn = self.timeline.turns.len();
        let mut now = self.tree.files.get(&repo_path("a")).copied();
        let start = now;
        let mut steps_text = vec![];
        for (step, text) in steps.iter().enumerate() {
            let file = self.insert_file(text);
            steps_text
                .push((StepId { turn, subagent: None, step }, vec![file_change(now, Some(file))]));
            now = Some(file);
        }
        let end = self.insert_file(end);
        let changes = if start == Some(end) { vec![] } else { vec![file_change(start, Some(end))] };
        self.push_turn(TurnFiles { changes, steps: steps_text, ..TurnFiles::default() })
    }

    /// Returns a turn with one recorded step that writes `a`.
    fn with_written_turn(self, text: &str) -> Self {
        self.with_turn(&[text], text)
    }

    /// Returns a turn that renames `a` to `b`, with a change on the way.
    fn with_renaming_turn(mut self, text: &str) -> Self {
        let file = self.insert_file(text);
        let old = self.tree.files.get(&repo_path("a")).copied();
        let renamed = FileChange {
            path: repo_path("b"),
            from: Some(repo_path("a")),
            kind: EditKind::Rename,
            ..file_change(old, Some(file))
        };
        let id = StepId { turn: self.timeline.turns.len(), subagent: None, step: 0 };
        self.push_turn(TurnFiles {
            changes: vec![renamed.clone()],
            steps: vec![(id, vec![renamed])],
            ..TurnFiles::default()
        })
    }

    fn push_turn(mut self, turn: TurnFiles) -> Self {
        self.tree.apply_changes(&turn.changes);
        self.timeline.turns.push(turn);
        self
    }

    fn blamed_lines(&self, name: &str) -> Vec<BlamedLine> {
        blame_lines(&self.timeline, &self.blobs, &repo_path(name), self.timeline.turns.len())
            .unwrap()
    }

    /// Returns each line as `turn.step` (both from 1), `turn◇` outside recorded edits, `·` before the run, `?` not recorded.
    fn blame_text(&self, name: &str) -> Vec<String> {
        let words = |line: &BlamedLine| match (line.turn, line.step) {
            (Some(turn), Some(step)) => format!("{}.{}", turn + 1, step.step + 1),
            (turn, _) => {
                let turn = turn.map(|turn| (turn + 1).to_string()).unwrap_or_default();
                format!("{turn}{}", line.origin.gutter_mark())
            }
        };
        self.blamed_lines(name).iter().map(words).collect()
    }
}

fn file_change(old: Option<TreeFile>, new: Option<TreeFile>) -> FileChange {
    let kind = if old.is_none() { EditKind::Create } else { EditKind::Modify };
    let version = ChangeVersion::Whole { old, new };
    FileChange { path: repo_path("a"), from: None, kind, version, origin: ChangeOrigin::Recorded }
}

fn added_hunk(added: &[&str]) -> PatchHunk {
    let line = |text: &&str| trajview_code::patch::PatchLine {
        kind: LineKind::Added,
        text: (*text).to_owned(),
        newline: true,
    };
    PatchHunk { lines: added.iter().map(line).collect(), ..PatchHunk::default() }
}

#[test]
fn a_line_belongs_to_the_turn_that_last_wrote_it() {
    let history =
        History::default().with_written_turn("one\ntwo\n").with_written_turn("one\nTWO\nthree\n");
    assert_eq!(history.blame_text("a"), ["1.1", "2.1", "2.1"]);
}

#[test]
fn an_earlier_moment_knows_nothing_of_later_turns() {
    let history = History::default().with_written_turn("one\n").with_written_turn("two\n");
    let lines = blame_lines(&history.timeline, &history.blobs, &repo_path("a"), 1).unwrap();
    assert_eq!(lines.iter().map(|line| line.turn).collect::<Vec<_>>(), [Some(0)]);
}

#[test]
fn a_line_leads_to_the_step_of_its_turn() {
    let history = History::default().with_turn(&["x\n", "x\ny\n", "w\nx\ny\n"], "w\nx\ny\n");
    assert_eq!(history.blame_text("a"), ["1.3", "1.1", "1.2"]);
}

#[test]
fn what_no_step_explains_was_changed_outside_recorded_edits() {
    let history = History::default().with_turn(&["x\n"], "x\nby a shell\n");
    assert_eq!(history.blame_text("a"), ["1.1", "1◇"]);
}

#[test]
fn what_changed_between_two_steps_was_changed_outside_recorded_edits() {
    let mut history = History::default();
    let (one, two, three) = (
        history.insert_file("x\n"),
        history.insert_file("x\nshell\n"),
        history.insert_file("x\nshell\ny\n"),
    );
    let id = |step| StepId { turn: 0, subagent: None, step };
    let met = FileChange { origin: ChangeOrigin::Outside, ..file_change(Some(one), Some(two)) };
    let steps = vec![
        (id(0), vec![file_change(None, Some(one))]),
        (id(1), vec![met, file_change(Some(two), Some(three))]),
    ];
    let history = history.push_turn(TurnFiles {
        changes: vec![file_change(None, Some(three))],
        steps,
        ..TurnFiles::default()
    });

    assert_eq!(history.blame_text("a"), ["1.1", "1◇", "1.2"]);
}

#[test]
fn a_line_from_before_the_run_has_no_turn() {
    let history = History::starting_with("old\nolder\n").with_written_turn("old\nnew\nolder\n");
    assert_eq!(history.blame_text("a"), ["·", "1.1", "·"]);
}

#[test]
fn a_renamed_file_keeps_its_history() {
    let history =
        History::default().with_written_turn("one\ntwo\n").with_renaming_turn("one\ntwo\nthree\n");
    assert_eq!(history.blame_text("b"), ["1.1", "1.1", "2.1"]);
}

#[test]
fn a_line_that_moved_belongs_to_the_turn_that_moved_it() {
    let history =
        History::default().with_written_turn("a\nb\nc\nd\n").with_written_turn("b\nc\nd\na\n");
    assert_eq!(history.blame_text("a"), ["1.1", "1.1", "1.1", "2.1"]);
}

#[test]
fn a_line_put_back_in_the_same_turn_stays_older() {
    let history =
        History::default().with_written_turn("one\n").with_turn(&["ONE\n", "one\n"], "one\n");
    assert_eq!(history.blame_text("a"), ["1.1"]);
}

#[test]
fn a_line_put_back_in_a_later_turn_is_that_turn_s() {
    let history = History::default()
        .with_written_turn("one\n")
        .with_written_turn("ONE\n")
        .with_written_turn("one\n");
    assert_eq!(history.blame_text("a"), ["3.1"]);
}

#[test]
fn a_file_made_anew_forgets_its_earlier_life() {
    let mut history = History::default().with_written_turn("one\n");
    let old = history.tree.files.get(&repo_path("a")).copied();
    let deleted = FileChange { kind: EditKind::Delete, ..file_change(old, None) };
    history = history
        .push_turn(TurnFiles { changes: vec![deleted], ..TurnFiles::default() })
        .with_written_turn("one\n");

    assert_eq!(history.blame_text("a"), ["3.1"]);
}

#[test]
fn an_earlier_version_that_is_not_recorded_is_never_guessed() {
    let history = History::default();
    let unknown =
        TreeFile { content: super::super::FileContent::NotRecorded, mode: FileMode::Regular };
    let mut history = History { tree: SourceTree::default(), ..history };
    history.timeline.base.files.insert(repo_path("a"), unknown);
    let snapshot = history.insert_file("one\n");
    let seen =
        FileChange { origin: ChangeOrigin::Outside, ..file_change(Some(unknown), Some(snapshot)) };
    let history = history
        .push_turn(TurnFiles { changes: vec![seen], ..TurnFiles::default() })
        .with_written_turn("one\ntwo\n");

    assert_eq!(history.blame_text("a"), ["?", "2.1"]);
}

#[test]
fn a_step_of_which_only_hunks_are_known_has_the_lines_that_stand_there_word_for_word() {
    let mut history = History::default();
    let file = history.insert_file("def f():\n    pass\nbye\n");
    let hunks = ChangeVersion::Hunks(vec![
        added_hunk(&["def f():", "    pass"]),
        added_hunk(&["elsewhere"]),
    ]);
    let step = FileChange { version: hunks, ..file_change(None, None) };
    let steps = vec![(StepId::default(), vec![step])];
    let history = history.push_turn(TurnFiles {
        changes: vec![file_change(None, Some(file))],
        steps,
        ..TurnFiles::default()
    });

    assert_eq!(history.blame_text("a"), ["1.1", "1.1", "1◇"]);
}

#[test]
fn a_file_without_lines_is_told_in_a_sentence() {
    let mut history = History::default();
    let link = TreeFile { mode: FileMode::Link, ..history.insert_file("a") };
    let unknown =
        TreeFile { content: super::super::FileContent::NotRecorded, mode: FileMode::Regular };
    let binary = history.insert_file("\0\n");
    let missing = TreeFile::with_blob(BlobId::for_bytes(b"nowhere"));
    for (name, file) in
        [("link", link), ("unknown", unknown), ("binary", binary), ("gone", missing)]
    {
        history.timeline.base.files.insert(repo_path(name), file);
    }
    let why = |name: &str| {
        blame_lines(&history.timeline, &history.blobs, &repo_path(name), 0).unwrap_err()
    };

    assert_eq!(why("absent"), "no such file at that moment");
    assert_eq!(why("link"), "a link has no lines");
    assert_eq!(why("unknown"), "the content of this file is not in the recording");
    assert_eq!(why("binary"), "a binary file has no lines");
    assert!(why("gone").ends_with(" is not in the recording"));
}

/// Generates a text of few distinct lines, so that lines repeat and blocks could be in several places.
fn any_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "c", "", "    x", "}"]);
    (prop::collection::vec(line, 0..14), any::<bool>()).prop_map(|(lines, has_end)| {
        let end = if has_end && !lines.is_empty() { "\n" } else { "" };
        lines.join("\n") + end
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_versions_every_line_stands_in_the_file_from_its_turn_on(
        base in any_text(),
        turns in prop::collection::vec((prop::collection::vec(any_text(), 0..3), any_text()), 1..6),
    ) {
        let mut history = History::starting_with(&base);
        for (steps, end) in &turns {
            history = history.with_turn(&steps.iter().map(String::as_str).collect::<Vec<_>>(), end);
        }
        let versions: Vec<&str> =
            std::iter::once(base.as_str()).chain(turns.iter().map(|(_, end)| end.as_str())).collect();
        let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();

        for moment in 0..=turns.len() {
            let blamed = blame_lines(&history.timeline, &history.blobs, &repo_path("a"), moment).unwrap();
            let file = lines(versions[moment]);
            prop_assert_eq!(blamed.len(), file.len());
            // Counts how often each line is dated to each version: never more often than it occurs there.
            let mut dated: BTreeMap<(usize, &str), usize> = BTreeMap::new();
            for (line, text) in blamed.iter().zip(&file) {
                let version = line.turn.map_or(0, |turn| turn + 1);
                prop_assert!(version <= moment);
                prop_assert!(line.step.is_none_or(|step| Some(step.turn) == line.turn));
                *dated.entry((version, text)).or_default() += 1;
            }
            for ((version, text), count) in dated {
                let occurrences = lines(versions[version]).iter().filter(|line| *line == text).count();
                prop_assert!(count <= occurrences, "{:?} stands {} times in version {}", text, occurrences, version);
            }
        }
    }
}
