use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::files::{MemoryBlobs, Tree, TurnFiles};

/// A run put together by hand.
#[derive(Default)]
struct History {
    blobs: MemoryBlobs,
    timeline: Timeline,
    tree: Tree,
}

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap()
}

impl History {
    /// Starts with `a` as it was before the run.
    fn starting_with(text: &str) -> Self {
        let mut history = Self::default();
        let file = history.file(text);
        history.tree.files.insert(path("a"), file);
        history.timeline.base = history.tree.clone();
        history
    }

    fn file(&mut self, text: &str) -> TreeFile {
        TreeFile::known(self.blobs.put(text.as_bytes()))
    }

    /// A turn whose steps write `a` so, one after the other, and which leaves it as `end`, whoever did that.
    fn turn(mut self, steps: &[&str], end: &str) -> Self {
        let turn = self.timeline.turns.len();
        let mut now = self.tree.files.get(&path("a")).copied();
        let start = now;
        let mut told = vec![];
        for (step, text) in steps.iter().enumerate() {
            let file = self.file(text);
            told.push((StepId { turn, subagent: None, step }, vec![change(now, Some(file))]));
            now = Some(file);
        }
        let end = self.file(end);
        let changes = if start == Some(end) { vec![] } else { vec![change(start, Some(end))] };
        self.push(TurnFiles { changes, steps: told, ..TurnFiles::default() })
    }

    /// A turn with one recorded step that writes `a`.
    fn wrote(self, text: &str) -> Self {
        self.turn(&[text], text)
    }

    /// A turn that renames `a` to `b`, with a change on the way.
    fn renamed(mut self, text: &str) -> Self {
        let file = self.file(text);
        let old = self.tree.files.get(&path("a")).copied();
        let renamed = Change {
            path: path("b"),
            from: Some(path("a")),
            kind: EditKind::Rename,
            ..change(old, Some(file))
        };
        let id = StepId { turn: self.timeline.turns.len(), subagent: None, step: 0 };
        self.push(TurnFiles {
            changes: vec![renamed.clone()],
            steps: vec![(id, vec![renamed])],
            ..TurnFiles::default()
        })
    }

    fn push(mut self, turn: TurnFiles) -> Self {
        turn.changes.iter().for_each(|change| self.tree.apply(change));
        self.timeline.turns.push(turn);
        self
    }

    fn blamed(&self, name: &str) -> Vec<BlamedLine> {
        blame(&self.timeline, &self.blobs, &path(name), self.timeline.turns.len()).unwrap()
    }

    /// Each line as `turn.step` (both from 1), `turn◇` outside recorded edits, `·` before the run, `?` not recorded.
    fn told(&self, name: &str) -> Vec<String> {
        let words = |line: &BlamedLine| match (line.turn, line.step) {
            (Some(turn), Some(step)) => format!("{}.{}", turn + 1, step.step + 1),
            (turn, _) => {
                let turn = turn.map(|turn| (turn + 1).to_string()).unwrap_or_default();
                format!("{turn}{}", line.origin.mark())
            }
        };
        self.blamed(name).iter().map(words).collect()
    }
}

fn change(old: Option<TreeFile>, new: Option<TreeFile>) -> Change {
    let kind = if old.is_none() { EditKind::Create } else { EditKind::Modify };
    let version = Version::Whole { old, new };
    Change { path: path("a"), from: None, kind, version, origin: Origin::Recorded }
}

fn hunk(added: &[&str]) -> PatchHunk {
    let line = |text: &&str| trajview_code::patch::PatchLine {
        kind: LineKind::Added,
        text: (*text).to_owned(),
        newline: true,
    };
    PatchHunk { lines: added.iter().map(line).collect(), ..PatchHunk::default() }
}

#[test]
fn a_line_belongs_to_the_turn_that_last_wrote_it() {
    let history = History::default().wrote("one\ntwo\n").wrote("one\nTWO\nthree\n");
    assert_eq!(history.told("a"), ["1.1", "2.1", "2.1"]);
}

#[test]
fn an_earlier_moment_knows_nothing_of_later_turns() {
    let history = History::default().wrote("one\n").wrote("two\n");
    let lines = blame(&history.timeline, &history.blobs, &path("a"), 1).unwrap();
    assert_eq!(lines.iter().map(|line| line.turn).collect::<Vec<_>>(), [Some(0)]);
}

#[test]
fn a_line_leads_to_the_step_of_its_turn() {
    let history = History::default().turn(&["x\n", "x\ny\n", "w\nx\ny\n"], "w\nx\ny\n");
    assert_eq!(history.told("a"), ["1.3", "1.1", "1.2"]);
}

#[test]
fn what_no_step_explains_was_changed_outside_recorded_edits() {
    let history = History::default().turn(&["x\n"], "x\nby a shell\n");
    assert_eq!(history.told("a"), ["1.1", "1◇"]);
}

#[test]
fn what_changed_between_two_steps_was_changed_outside_recorded_edits() {
    let mut history = History::default();
    let (one, two, three) =
        (history.file("x\n"), history.file("x\nshell\n"), history.file("x\nshell\ny\n"));
    let id = |step| StepId { turn: 0, subagent: None, step };
    let met = Change { origin: Origin::Outside, ..change(Some(one), Some(two)) };
    let steps = vec![
        (id(0), vec![change(None, Some(one))]),
        (id(1), vec![met, change(Some(two), Some(three))]),
    ];
    let history = history.push(TurnFiles {
        changes: vec![change(None, Some(three))],
        steps,
        ..TurnFiles::default()
    });

    assert_eq!(history.told("a"), ["1.1", "1◇", "1.2"]);
}

#[test]
fn a_line_from_before_the_run_has_no_turn() {
    let history = History::starting_with("old\nolder\n").wrote("old\nnew\nolder\n");
    assert_eq!(history.told("a"), ["·", "1.1", "·"]);
}

#[test]
fn a_renamed_file_keeps_its_history() {
    let history = History::default().wrote("one\ntwo\n").renamed("one\ntwo\nthree\n");
    assert_eq!(history.told("b"), ["1.1", "1.1", "2.1"]);
}

#[test]
fn a_line_that_moved_belongs_to_the_turn_that_moved_it() {
    let history = History::default().wrote("a\nb\nc\nd\n").wrote("b\nc\nd\na\n");
    assert_eq!(history.told("a"), ["1.1", "1.1", "1.1", "2.1"]);
}

#[test]
fn a_line_put_back_in_the_same_turn_stays_older() {
    let history = History::default().wrote("one\n").turn(&["ONE\n", "one\n"], "one\n");
    assert_eq!(history.told("a"), ["1.1"]);
}

#[test]
fn a_line_put_back_in_a_later_turn_is_that_turn_s() {
    let history = History::default().wrote("one\n").wrote("ONE\n").wrote("one\n");
    assert_eq!(history.told("a"), ["3.1"]);
}

#[test]
fn a_file_made_anew_forgets_its_earlier_life() {
    let mut history = History::default().wrote("one\n");
    let old = history.tree.files.get(&path("a")).copied();
    let gone = Change { kind: EditKind::Delete, ..change(old, None) };
    history =
        history.push(TurnFiles { changes: vec![gone], ..TurnFiles::default() }).wrote("one\n");

    assert_eq!(history.told("a"), ["3.1"]);
}

#[test]
fn an_earlier_version_that_is_not_recorded_is_never_guessed() {
    let history = History::default();
    let unknown = TreeFile { content: super::super::Content::NotRecorded, mode: FileMode::Regular };
    let mut history = History { tree: Tree::default(), ..history };
    history.timeline.base.files.insert(path("a"), unknown);
    let snapshot = history.file("one\n");
    let seen = Change { origin: Origin::Outside, ..change(Some(unknown), Some(snapshot)) };
    let history =
        history.push(TurnFiles { changes: vec![seen], ..TurnFiles::default() }).wrote("one\ntwo\n");

    assert_eq!(history.told("a"), ["?", "2.1"]);
}

#[test]
fn a_step_of_which_only_hunks_are_known_has_the_lines_that_stand_there_word_for_word() {
    let mut history = History::default();
    let file = history.file("def f():\n    pass\nbye\n");
    let hunks = Version::Hunks(vec![hunk(&["def f():", "    pass"]), hunk(&["elsewhere"])]);
    let step = Change { version: hunks, ..change(None, None) };
    let steps = vec![(StepId::default(), vec![step])];
    let history = history.push(TurnFiles {
        changes: vec![change(None, Some(file))],
        steps,
        ..TurnFiles::default()
    });

    assert_eq!(history.told("a"), ["1.1", "1.1", "1◇"]);
}

#[test]
fn a_file_without_lines_is_told_in_a_sentence() {
    let mut history = History::default();
    let link = TreeFile { mode: FileMode::Link, ..history.file("a") };
    let unknown = TreeFile { content: super::super::Content::NotRecorded, mode: FileMode::Regular };
    let binary = history.file("\0\n");
    let gone = TreeFile::known(BlobId::of(b"nowhere"));
    for (name, file) in [("link", link), ("unknown", unknown), ("binary", binary), ("gone", gone)] {
        history.timeline.base.files.insert(path(name), file);
    }
    let why = |name: &str| blame(&history.timeline, &history.blobs, &path(name), 0).unwrap_err();

    assert_eq!(why("absent"), "no such file at that moment");
    assert_eq!(why("link"), "a link has no lines");
    assert_eq!(why("unknown"), "the content of this file is not in the recording");
    assert_eq!(why("binary"), "a binary file has no lines");
    assert!(why("gone").ends_with(" is not in the recording"));
}

/// A text of few distinct lines, so that lines repeat and blocks could stand in several places.
fn text() -> impl Strategy<Value = String> {
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
        base in text(),
        turns in prop::collection::vec((prop::collection::vec(text(), 0..3), text()), 1..6),
    ) {
        let mut history = History::starting_with(&base);
        for (steps, end) in &turns {
            history = history.turn(&steps.iter().map(String::as_str).collect::<Vec<_>>(), end);
        }
        let versions: Vec<&str> =
            std::iter::once(base.as_str()).chain(turns.iter().map(|(_, end)| end.as_str())).collect();
        let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();

        for moment in 0..=turns.len() {
            let blamed = blame(&history.timeline, &history.blobs, &path("a"), moment).unwrap();
            let file = lines(versions[moment]);
            prop_assert_eq!(blamed.len(), file.len());
            // How often each line is said to date from each version: never more often than it stands in it.
            let mut dated: BTreeMap<(usize, &str), usize> = BTreeMap::new();
            for (line, text) in blamed.iter().zip(&file) {
                let version = line.turn.map_or(0, |turn| turn + 1);
                prop_assert!(version <= moment);
                prop_assert!(line.step.is_none_or(|step| Some(step.turn) == line.turn));
                *dated.entry((version, text)).or_default() += 1;
            }
            for ((version, text), count) in dated {
                let there = lines(versions[version]).iter().filter(|line| *line == text).count();
                prop_assert!(count <= there, "{:?} stands {} times in version {}", text, there, version);
            }
        }
    }
}
