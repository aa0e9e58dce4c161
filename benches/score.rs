//! Scoring snapshots: one of 30 files beside `scb-check`, and a run of 60 turns over 100 files.
//!
//! Set `TRAJVIEW_SCB_CHECK` as `tests/commands/scb.rs` says to have the other tool run in the same minute.

mod measure;

use std::{
    collections::HashMap, hint::black_box, path::Path, process::Command, sync::Arc, time::Instant,
};

use measure::{Table, from_millis};
use rayon::prelude::*;
use trajview::{
    metrics::{
        absence::{FilePieces, SnapshotIndex},
        lifeline::{self, FactsByContent, FollowedComponent, Lifeline},
        quality::{
            self, FileMeasure, QualityProfile, QualitySnapshot, Ruler, SnapshotFile, combine_files,
        },
        rules::RuleSet,
    },
    run::{
        RepoPath,
        files::{self, Blobs, ChangeOrigin, MemoryBlobs, Timeline, TreeFile, TurnFiles},
        rubric::Component,
    },
};

/// Path and text of every file at one moment.
type Tree = Vec<(String, String)>;

fn main() {
    let times = if std::env::args().any(|word| word == "--bench") { 21 } else { 3 };
    let ruler = Ruler::new(QualityProfile::ScbPaper, RuleSet::built_in());
    let mut table = Table::new();
    println!("{} rules", ruler.rules().rule_count());
    table.row("load the rules", from_millis(50), times, RuleSet::built_in);
    let tree = made_tree(30);
    println!(
        "30 files, {} lines",
        tree.iter().map(|(_, text)| text.lines().count()).sum::<usize>()
    );
    table.row("30 files, one core", from_millis(35), times, || score_tree(&tree, &ruler));
    let no_rules = Ruler::new(QualityProfile::ScbPaper, RuleSet::none());
    table.row("30 files, one core, no rules", from_millis(35), times, || {
        score_tree(&tree, &no_rules)
    });
    table.row("30 files", from_millis(35), times, || score_on_all_cores(&tree, &ruler));
    beside_scb_check(&tree, times);
    let turns = made_turns(60, 100);
    table.row("60 turns of 100 files", from_millis(1000), times.min(5), || {
        score_turns(&turns, &ruler, &mut HashMap::new())
    });
    let mut known = HashMap::new();
    score_turns(&turns, &ruler, &mut known);
    table.row("60 turns of 100 files, all contents known", from_millis(100), times, || {
        score_turns(&turns, &ruler, &mut known)
    });
    let (timeline, blobs) = made_timeline(&turns);
    table.row("lifelines of 24 components over them", from_millis(1000), times.min(5), || {
        trace_lifelines(&timeline, &blobs)
    });
    let files = self::made_tree(200);
    table.row("the places of 200 files, one core", from_millis(300), times, || {
        snapshot_index(&files)
    });
    let index = snapshot_index(&files);
    let component = made_component();
    table.row("where a component could be among them", from_millis(20), times, || {
        index.candidate_places(&component, &[], &[])
    });
    table.end();
}

/// The files cut into places, ready to be asked.
fn snapshot_index(files: &Tree) -> SnapshotIndex {
    SnapshotIndex::new(files.iter().map(|(path, text)| FilePieces::new(path, text)).collect())
}

fn made_component() -> Component {
    Component {
        name: "Residual mean of the window (residual_mean)".into(),
        intent: "Take the running mean out of every value, and keep it.".into(),
        formula: "y_i = x_i - (1/n) sum_j x_j, n = 64".into(),
        inputs: "values, window".into(),
        outputs: "residuals, mean".into(),
        ..Component::default()
    }
}

/// The turns as a timeline of contents.
fn made_timeline(turns: &[Tree]) -> (Timeline, MemoryBlobs) {
    let (mut blobs, mut before, mut timeline) =
        (MemoryBlobs::default(), files::SourceTree::default(), Timeline::default());
    for turn in turns {
        let file = |(path, text): &(String, String)| {
            Some((RepoPath::new(path)?, TreeFile::with_blob(blobs.insert(text.as_bytes()))))
        };
        let after = files::SourceTree { files: turn.iter().filter_map(file).collect() };
        let changes = before.changes_to(&after, ChangeOrigin::Recorded);
        timeline.turns.push(TurnFiles { changes, ..TurnFiles::default() });
        before = after;
    }
    (timeline, blobs)
}

/// With nothing known of any content before, on all cores.
fn trace_lifelines(timeline: &Timeline, blobs: &MemoryBlobs) -> Vec<Lifeline> {
    let wanted = lifeline::contents_to_read(timeline, lifeline::CodeScope::WithoutTests);
    let read = wanted.par_iter().filter_map(|(blob, grammar, _)| {
        let facts = lifeline::read_facts(*grammar, &blobs.read_blob(*blob).ok()?);
        Some(((*blob, *grammar), Arc::new(facts)))
    });
    let known: FactsByContent = read.collect();
    let mut names: Vec<&str> = known
        .values()
        .flat_map(|facts| facts.definitions.iter().map(|definition| definition.simple_name()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let asked = |name: &&str| FollowedComponent {
        symbol_names: vec![(*name).to_owned()],
        ..FollowedComponent::default()
    };
    let asked: Vec<FollowedComponent> = names.iter().take(24).map(asked).collect();
    lifeline::follow_components(timeline, &known, &asked)
}

fn score_tree(tree: &Tree, ruler: &Ruler) -> QualitySnapshot {
    let measures: Vec<FileMeasure> = tree
        .iter()
        .map(|(path, text)| quality::measure_file(path, text.as_bytes(), ruler))
        .collect();
    sum_measures(tree, &measures.iter().collect::<Vec<_>>())
}

fn score_on_all_cores(tree: &Tree, ruler: &Ruler) -> QualitySnapshot {
    let measures: Vec<FileMeasure> = tree
        .par_iter()
        .map(|(path, text)| quality::measure_file(path, text.as_bytes(), ruler))
        .collect();
    sum_measures(tree, &measures.iter().collect::<Vec<_>>())
}

fn sum_measures(tree: &Tree, measures: &[&FileMeasure]) -> QualitySnapshot {
    let files =
        tree.iter().zip(measures).map(|((path, _), measure)| SnapshotFile { path, measure });
    combine_files(&files.collect::<Vec<_>>(), QualityProfile::ScbPaper)
}

/// A snapshot a turn, each content measured once.
fn score_turns<'a>(
    turns: &'a [Tree],
    ruler: &Ruler,
    known: &mut HashMap<&'a str, FileMeasure>,
) -> Vec<QualitySnapshot> {
    let mut new: Vec<(&str, &str)> =
        turns.iter().flatten().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    new.sort_unstable_by_key(|(_, text)| *text);
    new.dedup_by_key(|(_, text)| *text);
    new.retain(|(_, text)| !known.contains_key(text));
    let measured = new
        .par_iter()
        .map(|(path, text)| (*text, quality::measure_file(path, text.as_bytes(), ruler)));
    known.extend(measured.collect::<Vec<_>>());
    let of = |tree: &Tree| {
        sum_measures(tree, &tree.iter().map(|(_, text)| &known[text.as_str()]).collect::<Vec<_>>())
    };
    turns.par_iter().map(of).collect()
}

/// Files as a model writes them, each another; about 110 lines a file.
fn made_tree(files: usize) -> Tree {
    (0..files).map(|file| (format!("src/module_{file}.py"), source_text(file, 0))).collect()
}

/// Two files change and one function comes with every turn.
fn made_turns(turns: usize, files: usize) -> Vec<Tree> {
    let mut tree = made_tree(files);
    (0..turns)
        .map(|turn| {
            for file in [turn % files, (turn * 7 + 3) % files] {
                tree[file].1 = source_text(file, turn + 1);
            }
            tree.clone()
        })
        .collect()
}

fn source_text(file: usize, version: usize) -> String {
    let head =
        "\"\"\"What this module is for.\"\"\"\n\nimport json\nfrom typing import Any, Dict\n\n\n";
    let piece = |at: usize| {
        PIECES[(file + at * 3) % PIECES.len()].replace("NAME", &format!("name_{file}_{at}"))
    };
    head.to_owned() + &(0..6 + version % 5).map(piece).collect::<Vec<_>>().join("\n\n")
}

const PIECES: [&str; 4] = [
    r#"def NAME(config: Dict[str, Any], path: str = "") -> Dict[str, Any]:
    """Read the settings."""
    # What is there already wins.
    result = {}
    for key in config.keys():
        if key in config and config[key] is not None:
            value = config[key]
            if isinstance(value, str) and len(value) > 0:
                result[key] = value.strip()
            elif isinstance(value, (int, float)):
                result[key] = value
            else:
                result[key] = json.dumps(value)
    return result
"#,
    r#"class NAME:
    """Keeps rows."""

    def __init__(self, rows=None):
        self.rows = rows if rows is not None else []

    def add(self, row):
        if row is None:
            return False
        else:
            self.rows.append(row)
            return True

    def total(self):
        total = 0
        for row in self.rows:
            total = total + row["value"]
        return total
"#,
    r#"def NAME(items, limit=10, strict=False):
    found = []
    try:
        for index in range(len(items)):
            item = items[index]
            if item.get("kind") == "a" or item.get("kind") == "b" and not strict:
                found.append(item)
            elif item.get("size", 0) > limit and item["size"] % 2 == 0:
                while item["size"] > limit:
                    item["size"] -= 1
                found.append(item)
    except Exception:
        pass
    return [item for item in found if item is not None]
"#,
    r#"def NAME(text: str) -> bool:
    lines = text.split("\n")
    seen = set()
    for line in lines:
        if line.strip() == "":
            continue
        name, _, value = line.partition("=")
        assert name, f"no name in {line!r}"
        if name in seen:
            raise ValueError(f"{name} is there {'twice' if value else 'again'}")
        seen.add(name)
    return True if len(seen) > 0 else False
"#,
];

/// What that tool takes for the same files, by the clock: it starts a process and reads them from the disk.
fn beside_scb_check(tree: &Tree, times: usize) {
    let Some(folders) = std::env::var_os("TRAJVIEW_SCB_CHECK") else {
        println!("scb-check not run: TRAJVIEW_SCB_CHECK is not set");
        return;
    };
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for (path, text) in tree {
        let path = folder.path().join(path);
        path.parent().map(std::fs::create_dir_all).transpose().expect("there is room for a folder");
        std::fs::write(path, text).expect("there is room for a file");
    }
    for release in std::env::split_paths(&folders) {
        let mut taken: Vec<f64> =
            (0..times.min(7)).map(|_| run_scb_check(&release, folder.path())).collect();
        taken.sort_by(f64::total_cmp);
        println!(
            "{}: median {:.0} ms of {}",
            release.display(),
            taken[taken.len() / 2] * 1000.0,
            taken.len()
        );
    }
}

fn run_scb_check(release: &Path, tree: &Path) -> f64 {
    let programs = release.join("bin");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(programs.clone()).chain(std::env::split_paths(&others)),
    );
    let mut command = Command::new(programs.join("scb-check"));
    command
        .args(["check", "--report", "--include-all"])
        .arg(tree)
        .env("PATH", path.expect("folders have no colon"));
    let begun = Instant::now();
    black_box(command.output().expect("scb-check starts"));
    begun.elapsed().as_secs_f64()
}
