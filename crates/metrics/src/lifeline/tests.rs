//! Tests on small made-up runs; each turn is given as the whole tree after it.

use super::*;
use trajview_run::files::{ChangeOrigin, MemoryBlobs, SourceTree, TurnFiles, renames};

type TurnTexts<'a> = &'a [(&'a str, &'a str)];

fn timeline_of(turns: &[TurnTexts<'_>]) -> (Timeline, FactsByContent) {
    let mut blobs = MemoryBlobs::default();
    let mut tree = SourceTree::default();
    let mut all = vec![];
    for texts in turns {
        let file = |(path, text): &(&str, &str)| {
            (RepoPath::new(path).unwrap(), TreeFile::with_blob(blobs.insert(text.as_bytes())))
        };
        let next = SourceTree { files: texts.iter().map(file).collect() };
        let changes = renames::pair_renames(tree.changes_to(&next, ChangeOrigin::Recorded), &blobs);
        all.push(TurnFiles { changes, ..TurnFiles::default() });
        tree = next;
    }
    let timeline = Timeline { turns: all, ..Timeline::default() };
    let read = |(blob, grammar, _): (BlobId, Grammar, RepoPath)| {
        ((blob, grammar), Arc::new(read_facts(grammar, &blobs.get(blob).unwrap())))
    };
    let known =
        contents_to_read(&timeline, CodeScope::WithoutTests).into_iter().map(read).collect();
    (timeline, known)
}

fn lifeline_of(name: &str, turns: &[TurnTexts<'_>]) -> Lifeline {
    let (timeline, known) = timeline_of(turns);
    let component = FollowedComponent {
        component: "C01".into(),
        symbol_names: vec![name.into()],
        ..FollowedComponent::default()
    };
    follow_components(&timeline, &known, &[component]).remove(0)
}

/// Returns one line per turn with events: `2 changed; used in 1 place more`.
fn event_lines(name: &str, turns: &[TurnTexts<'_>]) -> Vec<String> {
    lifeline_lines(&lifeline_of(name, turns), turns.len())
}

fn lifeline_lines(lifeline: &Lifeline, turns: usize) -> Vec<String> {
    let line_of_turn = |turn: usize| {
        let events = lifeline.events_at(turn);
        let words: Vec<String> =
            events.iter().map(|(_, event)| event.change.change_text()).collect();
        (!words.is_empty()).then(|| format!("{turn} {}", words.join("; ")))
    };
    (1..=turns).filter_map(line_of_turn).collect()
}

/// A piece of one text in the place of a piece of another, again and again: what was read before does not show.
#[test]
fn facts_of_a_version_do_not_depend_on_the_versions_before() {
    let texts = [
        (Grammar::Python, include_str!("../../../../tests/vectors/rubric_tree.py")),
        (Grammar::Rust, include_str!("symbol_life.rs")),
    ];
    for (grammar, whole) in texts.into_iter().filter(|(grammar, _)| grammar.is_compiled_in()) {
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let mut dice = 7_usize;
        let mut roll = |below: usize| {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % below
        };
        let mut versions = VersionReader::new(grammar);
        let mut text: Vec<&str> = lines.clone();
        for round in 0..300 {
            let (from, count) = (roll(text.len()), roll(12));
            let to = (from + count).min(text.len());
            let (other, more) = (roll(lines.len()), roll(12));
            let piece = &lines[other..(other + more).min(lines.len())];
            text.splice(from..to, piece.iter().copied());
            if text.is_empty() || round % 40 == 0 {
                text.clone_from(&lines);
            }
            let bytes = text.concat();

            assert_eq!(
                versions.next_facts(bytes.as_bytes()),
                read_facts(grammar, bytes.as_bytes()),
                "{bytes}"
            );
        }
    }
}

const WEIGHT: &str = "def weight(t, bars, most=5.0):\n    return min(bars[t] / max(1.0 - bars[t], 1e-9), most) / most\n";
const LOSS: &str =
    "from loss import weight\n\ndef total(t, bars):\n    return weight(t, bars) * 2\n";
const NO_LOSS: &str = "def total(t, bars):\n    return bars[t] * 2\n";

#[test]
fn a_symbol_that_is_registered_is_not_lost_with_its_last_use() {
    let decorated = format!("@losses.register('weight')\n{WEIGHT}");
    let named = format!("{NO_LOSS}\nLOSSES = ['loss:weight']\n");
    let by_decorator: [TurnTexts<'_>; 2] = [
        &[("loss.py", &decorated), ("train.py", LOSS)],
        &[("loss.py", &decorated), ("train.py", NO_LOSS)],
    ];
    let by_string: [TurnTexts<'_>; 2] =
        [&[("loss.py", WEIGHT), ("train.py", LOSS)], &[("loss.py", WEIGHT), ("train.py", &named)]];

    for turns in [by_decorator, by_string] {
        let lifeline = lifeline_of("weight", &turns);
        assert_eq!((lifeline.state_after(2), lifeline.lost_at), (SymbolState::Registered, None));
    }
}

#[test]
fn a_symbol_that_is_used_no_more_is_lost_where_its_last_use_went() {
    let turns: [TurnTexts<'_>; 4] = [
        &[("loss.py", WEIGHT)],
        &[("loss.py", WEIGHT), ("train.py", LOSS)],
        &[("loss.py", WEIGHT), ("train.py", LOSS), ("a.py", "")],
        &[("loss.py", WEIGHT), ("train.py", NO_LOSS), ("a.py", "")],
    ];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!(
        lifeline_lines(&lifeline, 4),
        ["1 first defined", "2 first used", "4 lost its last use"]
    );
    assert_eq!(lifeline.lost_at, Some(4));
    let life = &lifeline.symbols[0];
    assert_eq!((life.first, life.last_used, life.unused_since), (Some(1), Some(3), Some(4)));
    let states: Vec<SymbolState> = life.cells.iter().map(|cell| cell.state).collect();
    assert_eq!(
        states,
        [SymbolState::Idle, SymbolState::Used, SymbolState::Used, SymbolState::Unused]
    );
    let spot = life.cells.get(3).unwrap().events[0].spot.clone().unwrap();
    assert_eq!((spot.path.as_str(), spot.line, spot.side), ("train.py", 4, TurnSide::Old));
}

#[test]
fn tests_do_not_keep_a_symbol_alive() {
    let test = "from loss import weight\n\ndef test_weight():\n    assert weight(1, [1, 1]) == 1\n";
    let turns: [TurnTexts<'_>; 2] = [
        &[("loss.py", WEIGHT), ("train.py", LOSS), ("tests/test_loss.py", test)],
        &[("loss.py", WEIGHT), ("train.py", NO_LOSS), ("tests/test_loss.py", test)],
    ];

    assert_eq!(lifeline_of("weight", &turns).lost_at, Some(2));
    assert_eq!(lifeline_of("test_weight", &turns).symbols[0].first, None);
}

#[test]
fn what_was_never_used_and_stays_is_not_lost() {
    let turns: [TurnTexts<'_>; 2] = [&[("loss.py", WEIGHT)], &[("loss.py", WEIGHT), ("a.py", "")]];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!((lifeline.lost_at, lifeline.state_after(2)), (None, SymbolState::Idle));
}

#[test]
fn a_new_name_for_the_same_body_is_a_rename() {
    let new = WEIGHT.replace("weight", "snr_weight");
    let user = LOSS.replace("weight", "snr_weight");
    let turns: [TurnTexts<'_>; 2] =
        [&[("loss.py", WEIGHT), ("train.py", LOSS)], &[("loss.py", &new), ("train.py", &user)]];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!(lifeline_lines(&lifeline, 2)[1], "2 renamed from weight to snr_weight");
    assert_eq!((lifeline.lost_at, lifeline.state_after(2)), (None, SymbolState::Used));
    assert_eq!(lifeline.symbols[0].moves.len(), 1);
}

#[test]
fn a_new_name_for_a_body_that_is_mostly_the_same_is_a_rename() {
    let new = "def snr_weight(t, bars):\n    most = 5.0\n    return min(bars[t] / max(1.0 - bars[t], 1e-9), most) / most\n";
    let turns: [TurnTexts<'_>; 2] = [&[("loss.py", WEIGHT)], &[("loss.py", new)]];

    assert_eq!(event_lines("weight", &turns)[1], "2 renamed from weight to snr_weight; changed");
}

#[test]
fn a_symbol_moves_to_another_file_with_its_name() {
    let user = LOSS.replace("loss", "weights");
    let turns: [TurnTexts<'_>; 2] = [
        &[("loss.py", WEIGHT), ("train.py", LOSS)],
        &[("loss.py", "X = 1\n"), ("weights.py", WEIGHT), ("train.py", &user)],
    ];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!(lifeline_lines(&lifeline, 2)[1], "2 moved from loss.py to weights.py");
    assert_eq!(lifeline.state_after(2), SymbolState::Used);
}

#[test]
fn a_symbol_goes_with_its_file() {
    let user = LOSS.replace("from loss", "from weights");
    let turns: [TurnTexts<'_>; 2] = [
        &[("pp/loss.py", WEIGHT), ("train.py", LOSS)],
        &[("pp/weights.py", WEIGHT), ("train.py", &user)],
    ];

    assert_eq!(event_lines("weight", &turns)[1], "2 moved from pp/loss.py to pp/weights.py");
}

#[test]
fn a_symbol_that_is_split_follows_its_largest_part() {
    let whole = "def weight(t, bars):\n    ratio = bars[t] / max(1.0 - bars[t], 1e-9)\n    low = min(ratio, 5.0) + sum(bars[:t]) / len(bars)\n    high = max(low, 0.5) * sum(bars[t:]) / len(bars)\n    return high / 5.0\n";
    let parts = "def ratio_of(t, bars):\n    ratio = bars[t] / max(1.0 - bars[t], 1e-9)\n    low = min(ratio, 5.0) + sum(bars[:t]) / len(bars)\n    return low\n\ndef clamp(low, t, bars):\n    high = max(low, 0.5) * sum(bars[t:]) / len(bars)\n    return high / 5.0\n";
    let turns: [TurnTexts<'_>; 2] = [&[("loss.py", whole)], &[("loss.py", parts)]];

    let lines = event_lines("weight", &turns);

    assert_eq!(lines[1], "2 renamed from weight to ratio_of; changed");
}

#[test]
fn a_body_that_another_function_takes_in_is_not_lost() {
    let user = "from loss import weight\n\ndef total(t, bars):\n    return weight(t, bars) * 2\n\ndef main():\n    total(1, [])\n";
    let inlined = "def total(t, bars, most=5.0):\n    part = min(bars[t] / max(1.0 - bars[t], 1e-9), most) / most\n    return part * 2\n\ndef main():\n    total(1, [])\n";
    let turns: [TurnTexts<'_>; 2] =
        [&[("loss.py", WEIGHT), ("train.py", user)], &[("train.py", inlined)]];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!(lifeline_lines(&lifeline, 2)[1], "2 taken into total in train.py");
    assert_eq!((lifeline.lost_at, lifeline.state_after(2)), (None, SymbolState::Used));
}

#[test]
fn a_definition_that_goes_without_a_trace_is_gone() {
    let turns: [TurnTexts<'_>; 2] = [
        &[("loss.py", WEIGHT), ("train.py", LOSS)],
        &[
            ("loss.py", "def other():\n    return [x for x in range(10) if x]\n"),
            ("train.py", NO_LOSS),
        ],
    ];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!(lifeline_lines(&lifeline, 2)[1], "2 gone");
    assert_eq!((lifeline.lost_at, lifeline.symbols[0].vanished), (Some(2), Some(2)));
}

#[test]
fn what_was_gone_can_come_back() {
    let with: TurnTexts<'_> = &[("loss.py", WEIGHT), ("train.py", LOSS)];
    let turns: [TurnTexts<'_>; 4] = [with, &[("train.py", NO_LOSS)], with, with];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!(
        lifeline_lines(&lifeline, 4),
        ["1 first defined; first used", "2 gone", "3 back again; used again"]
    );
    assert_eq!((lifeline.lost_at, lifeline.symbols[0].vanished), (None, None));
}

#[test]
fn what_comes_back_without_a_use_is_unused_since_it_was_gone() {
    let turns: [TurnTexts<'_>; 3] = [
        &[("loss.py", WEIGHT), ("train.py", LOSS)],
        &[("train.py", NO_LOSS)],
        &[("loss.py", WEIGHT), ("train.py", NO_LOSS)],
    ];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!((lifeline.lost_at, lifeline.symbols[0].unused_since), (Some(2), Some(2)));
}

#[test]
fn lost_twice_is_lost_where_it_was_lost_for_good() {
    let with: TurnTexts<'_> = &[("loss.py", WEIGHT), ("train.py", LOSS)];
    let unused: TurnTexts<'_> = &[("loss.py", WEIGHT), ("train.py", NO_LOSS)];
    let turns = [with, unused, with, unused, &[("train.py", NO_LOSS)]];

    assert_eq!(lifeline_of("weight", &turns).lost_at, Some(4));
}

#[test]
fn formatting_comments_and_docstrings_are_no_change() {
    let other = "def weight(\n    t,\n    bars,\n    most=5.0,\n):\n    \"\"\"Falls to 0.\"\"\"\n    # capped\n    return min(\n        bars[t] / max(1.0 - bars[t], 1e-9), most,\n    ) / most  # done\n";
    let turns: [TurnTexts<'_>; 2] = [&[("loss.py", WEIGHT)], &[("loss.py", other)]];

    assert_eq!(event_lines("weight", &turns), ["1 first defined"]);
}

#[test]
fn what_python_tells_by_indentation_is_a_change() {
    let one = "def f(x):\n    if x:\n        a()\n        b()\n";
    let other = "def f(x):\n    if x:\n        a()\n    b()\n";
    let turns: [TurnTexts<'_>; 2] = [&[("a.py", one)], &[("a.py", other)]];

    assert_eq!(event_lines("f", &turns)[1], "2 changed");
}

#[test]
fn a_name_in_a_comment_a_string_or_an_import_is_no_use() {
    let user = "from loss import weight\n\ndef total():\n    # weight(1)\n    return 'weight', f(weight=1)\n";
    let turns: [TurnTexts<'_>; 1] = [&[("loss.py", WEIGHT), ("train.py", user)]];

    assert_eq!(lifeline_of("weight", &turns).state_after(1), SymbolState::Idle);
}

#[test]
fn a_name_that_is_never_defined_is_never_lost() {
    let turns: [TurnTexts<'_>; 2] = [&[("loss.py", "# weight\nX = 'weight'\n")], &[]];

    let lifeline = lifeline_of("weight", &turns);

    assert_eq!((lifeline.lost_at, lifeline.symbols[0].first), (None, None));
    assert_eq!((lifeline.symbols.len(), lifeline.symbols[0].cells.len()), (1, 2));
}

#[test]
fn a_variable_or_another_module_of_that_name_is_no_use() {
    let user = "import random\n\ndef f(sample):\n    return sample + random.sample([1], 1)\n\ndef g():\n    sample = 1\n    return sample\n";
    let turns: [TurnTexts<'_>; 1] =
        [&[("draw.py", "def sample():\n    return 1\n"), ("train.py", user)]];

    assert_eq!(lifeline_of("sample", &turns).state_after(1), SymbolState::Idle);
}

#[test]
fn a_symbol_is_used_under_another_name_through_its_module_and_as_passed_on() {
    let define = "def weight():\n    return 1\n";
    for user in [
        "from pp.loss import weight as w\nw()\n",
        "from .loss import weight\nweight()\n",
        "import pp.loss\npp.loss.weight()\n",
        "import pp.loss as L\nL.weight()\n",
        "from pp import loss\nloss.weight()\n",
        "from pp import weight\nweight()\n",
        "from pp.loss import *\nweight()\n",
    ] {
        let turns: [TurnTexts<'_>; 1] = [&[
            ("pp/__init__.py", "from pp.loss import weight\n"),
            ("pp/loss.py", define),
            ("pp/train.py", user),
        ]];
        assert_eq!(lifeline_of("weight", &turns).state_after(1), SymbolState::Used, "{user}");
    }
}

#[test]
fn a_use_that_is_put_behind_a_condition_is_told() {
    let before = "from loss import weight\n\ndef total(t, bars, on):\n    return weight(t, bars)\n";
    let after = "from loss import weight\n\ndef total(t, bars, on):\n    if on:\n        return weight(t, bars)\n    return 1\n";
    let turns: [TurnTexts<'_>; 2] =
        [&[("loss.py", WEIGHT), ("train.py", before)], &[("loss.py", WEIGHT), ("train.py", after)]];

    assert_eq!(event_lines("weight", &turns)[1], "2 used only behind a condition from here on");
}

#[test]
fn a_method_is_used_through_any_object() {
    let class = "class Model:\n    def estimate(self, x):\n        return x\n\n    def other(self):\n        return 1\n";
    let used = "def train(model):\n    model.estimate(1)\n";
    let turns: [TurnTexts<'_>; 2] =
        [&[("m.py", class), ("t.py", used)], &[("m.py", class), ("t.py", "")]];

    let lifeline = lifeline_of("estimate", &turns);

    assert_eq!(
        lifeline_lines(&lifeline, 2),
        ["1 first defined; first used", "2 lost its last use"]
    );
    assert_eq!(&*lifeline.symbols[0].place.as_ref().unwrap().name, "Model.estimate");
}

#[test]
fn a_component_is_lost_with_the_last_of_its_symbols() {
    let two = "def one():\n    return 1\n\ndef two():\n    return [2 for x in range(9)]\n";
    let both = "from a import one, two\none()\ntwo()\n";
    let turns: [TurnTexts<'_>; 3] = [
        &[("a.py", two), ("b.py", both)],
        &[("a.py", two), ("b.py", "from a import two\ntwo()\n")],
        &[("a.py", two), ("b.py", "")],
    ];
    let (timeline, known) = timeline_of(&turns);
    let named = vec!["one".into(), "two".into(), "three".into()];
    let component = FollowedComponent {
        component: "C01".into(),
        symbol_names: named,
        ..FollowedComponent::default()
    };

    let lifeline = follow_components(&timeline, &known, &[component]).remove(0);

    let lost: Vec<_> = lifeline.symbols.iter().map(SymbolLife::lost_turn).collect();
    assert_eq!((lost, lifeline.lost_at), (vec![Some(2), Some(3), None], Some(3)));
    assert_eq!(lifeline.state_after(2), SymbolState::Unused);
}

#[test]
fn the_definition_around_the_evidence_stands_for_a_component_without_a_name_in_the_code() {
    let turns: [TurnTexts<'_>; 2] =
        [&[("loss.py", WEIGHT), ("train.py", LOSS)], &[("loss.py", WEIGHT), ("train.py", NO_LOSS)]];
    let (timeline, known) = timeline_of(&turns);
    let lines_of = |path: &str, lines| LinesAtTurn {
        turns_done: 1,
        path: RepoPath::new(path).unwrap(),
        lines,
    };
    let evidence = vec![
        lines_of("loss.py", (2, 2)),
        lines_of("README.md", (1, 9)),
        lines_of("loss.py", (900, 2)),
    ];
    let component =
        FollowedComponent { component: "C01".into(), evidence, ..FollowedComponent::default() };

    let lifeline = follow_components(&timeline, &known, &[component]).remove(0);

    let symbols: Vec<_> = lifeline.symbols.iter().map(|it| (&*it.name, it.source)).collect();
    assert_eq!((symbols, lifeline.lost_at), (vec![("weight", SymbolSource::Evidence)], Some(2)));
}

#[test]
fn evidence_does_not_keep_a_named_symbol_alive() {
    let turns: [TurnTexts<'_>; 2] = [
        &[("loss.py", WEIGHT), ("train.py", LOSS)],
        &[("train.py", "def total():\n    return 2\n\ntotal()\n")],
    ];
    let (timeline, known) = timeline_of(&turns);
    let evidence =
        LinesAtTurn { turns_done: 2, path: RepoPath::new("train.py").unwrap(), lines: (1, 2) };
    let component = FollowedComponent {
        component: "C01".into(),
        symbol_names: vec!["weight".into()],
        evidence: vec![evidence],
        ..FollowedComponent::default()
    };

    let lifeline = follow_components(&timeline, &known, &[component]).remove(0);

    assert_eq!((lifeline.symbols.len(), lifeline.lost_at), (2, Some(2)));
}

#[test]
fn a_file_whose_content_is_not_recorded_says_nothing_against_what_was_there() {
    let turns: [TurnTexts<'_>; 1] = [&[("loss.py", WEIGHT), ("train.py", LOSS)]];
    let (mut timeline, known) = timeline_of(&turns);
    let change = FileChange {
        path: RepoPath::new("loss.py").unwrap(),
        from: None,
        kind: trajview_run::EditKind::Modify,
        version: trajview_run::files::ChangeVersion::Part(vec![]),
        origin: ChangeOrigin::Recorded,
    };
    timeline.turns.push(TurnFiles { changes: vec![change], ..TurnFiles::default() });
    let component =
        FollowedComponent { symbol_names: vec!["weight".into()], ..FollowedComponent::default() };

    let lifeline = follow_components(&timeline, &known, &[component]).remove(0);

    assert_eq!(lifeline.state_after(2), SymbolState::Used);
}

#[cfg(feature = "typescript")]
#[test]
fn typescript_is_followed_the_same_way() {
    let define =
        "export function weight(t: number): number {\n  return Math.min(t / (1 - t), 5) / 5;\n}\n";
    let arrow = "export const weight = (t: number): number => Math.min(t / (1 - t), 5) / 5;\n";
    let used =
        "import { weight as w } from './loss';\nexport const total = (t: number) => w(t) * 2;\n";
    let only = "import { weight } from './loss';\n// weight(1)\nexport const total = (t: number) => t * 2;\n";
    for define in [define, arrow] {
        let turns: [TurnTexts<'_>; 2] = [
            &[("src/loss.ts", define), ("src/train.ts", used)],
            &[("src/loss.ts", define), ("src/train.ts", only)],
        ];
        assert_eq!(
            event_lines("weight", &turns),
            ["1 first defined; first used", "2 lost its last use"],
            "{define}"
        );
    }
}

#[cfg(feature = "rust")]
#[test]
fn rust_is_followed_the_same_way() {
    let define = "pub struct Weight { most: f64 }\nimpl Weight {\n    pub fn at(&self, t: f64) -> f64 { t.min(self.most) }\n}\n#[cfg(test)]\nmod tests {\n    fn it() { super::Weight { most: 1.0 }.at(2.0); }\n}\n";
    let used = "use crate::loss::Weight;\npub fn total(w: &Weight) -> f64 { w.at(1.0) }\n";
    let turns: [TurnTexts<'_>; 2] = [
        &[("src/loss.rs", define), ("src/train.rs", used)],
        &[("src/loss.rs", define), ("src/train.rs", "pub fn total() -> f64 { 1.0 }\n")],
    ];

    assert_eq!(
        event_lines("Weight", &turns),
        ["1 first defined; first used", "2 lost its last use"]
    );
    assert_eq!(event_lines("at", &turns), ["1 first defined; first used", "2 lost its last use"]);
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    /// Functions that call one another, as files.
    fn tree_strategy() -> impl Strategy<Value = Vec<(String, String)>> {
        let function = ("[a-d]", "[a-d]", 0..4_u8)
            .prop_map(|(name, other, n)| format!("def {name}():\n    return {other}() + {n}\n"));
        let file = ("[xyz]", proptest::collection::vec(function, 0..4)).prop_map(|(name, all)| {
            (format!("{name}.py"), format!("from x import *\nfrom y import *\n{}", all.concat()))
        });
        proptest::collection::vec(file, 0..4).prop_map(|mut files| {
            files.sort();
            files.dedup_by(|a, b| a.0 == b.0);
            files
        })
    }

    fn file_texts(tree: &[(String, String)]) -> Vec<(&str, &str)> {
        tree.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn whatever_the_turns_every_one_has_a_cell_and_what_is_lost_ends_unused(
            trees in proptest::collection::vec(tree_strategy(), 1..7),
        ) {
            let all: Vec<_> = trees.iter().map(|tree| file_texts(tree)).collect();
            let turns: Vec<TurnTexts<'_>> = all.iter().map(Vec::as_slice).collect();
            let (timeline, known) = timeline_of(&turns);
            let named = ["a", "b", "c", "d"].map(String::from).to_vec();
            let component = FollowedComponent { symbol_names: named, ..FollowedComponent::default() };
            let lifeline = follow_components(&timeline, &known, &[component]).remove(0);
            for life in &lifeline.symbols {
                prop_assert_eq!(life.cells.len(), turns.len());
                prop_assert_eq!(life.first.is_none(), life.place.is_none());
                let last = life.cells.last_cell().unwrap().state;
                let is_lost = matches!(last, SymbolState::Unused | SymbolState::Gone);
                prop_assert_eq!(life.lost_turn().is_some(), is_lost);
                prop_assert_eq!(life.vanished.is_some(), last == SymbolState::Gone);
                prop_assert_eq!(life.unused_since.is_some(), last == SymbolState::Unused);
                prop_assert!(life.last_used <= Some(turns.len()));
            }
            let last = lifeline.state_after(turns.len());
            prop_assert!(lifeline.lost_at.is_none() || last >= SymbolState::Unused);
        }

        #[test]
        fn whatever_the_bytes_facts_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for grammar in Grammar::ALL {
                let text = String::from_utf8_lossy(&bytes);
                prop_assert!(read_facts(grammar, text.as_bytes()).definitions.len() <= text.len());
            }
        }
    }
}
