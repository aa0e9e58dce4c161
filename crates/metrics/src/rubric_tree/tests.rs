//! Tests on small trees by hand; `tests/commands/rubric_tree.rs` compares with another program and with real files.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use trajview_formats::{SourceBytes, format_by_name};

fn leaf_json(weight: f64, score: f64, is_valid: bool, category: &str) -> Value {
    json!({
        "id": "", "requirements": "", "weight": weight, "score": score, "valid_score": is_valid,
        "task_category": category, "sub_tasks": [],
    })
}

fn inner_json(weight: f64, score: f64, sub_tasks: Vec<Value>) -> Value {
    json!({"id": "", "requirements": "", "weight": weight, "score": score, "sub_tasks": sub_tasks})
}

fn parse_tree(tree: &Value) -> RubricTree {
    let text = tree.to_string();
    let format = format_by_name("paperbench").unwrap();
    let run = format.index_run(&[SourceBytes { name: "t.json", bytes: text.as_bytes() }]).unwrap();
    run.rubric_tree.unwrap().as_ref().clone()
}

const CODE: &str = "Code Development";
const RESULT: &str = "Result Analysis";

/// 0.55 by weight: 1 × 1 and 3 × (1 × 1 + 1 × 0 + 3 × 0.3333...).
fn graded_tree() -> RubricTree {
    let below = vec![
        leaf_json(1.0, 1.0, true, CODE),
        leaf_json(1.0, 0.0, false, CODE),
        leaf_json(3.0, 0.0, true, RESULT),
    ];
    parse_tree(&inner_json(
        1.0,
        0.4,
        vec![leaf_json(1.0, 1.0, true, RESULT), inner_json(3.0, 0.2, below)],
    ))
}

#[test]
fn a_node_has_the_mean_of_its_sub_tasks_by_weight() {
    let measures = TreeMeasures::new(&graded_tree(), LeafCounting::All);

    assert_eq!(measures.get(NodeId(2)).score, Some(0.2));
    assert_eq!(measures.get(NodeId(0)).score, Some((1.0 + 3.0 * 0.2) / 4.0));
    assert_eq!(measures.nodes.iter().map(|it| it.leaves).collect::<Vec<_>>(), [4, 1, 3, 1, 1, 1]);
}

#[test]
fn shares_of_the_leaves_add_up_to_the_root_and_losses_to_what_it_lacks() {
    let (tree, counting) = (graded_tree(), LeafCounting::All);
    let measures = TreeMeasures::new(&tree, counting);

    let leaves = (0..6).map(NodeId).filter(|id| tree.is_leaf(*id)).map(|id| measures.get(id));
    let (share, loss) =
        leaves.fold((0.0, 0.0), |(share, loss), it| (share + it.share, loss + it.score_loss()));
    assert!((share - 1.0).abs() < 1e-12);
    assert!((loss - (1.0 - measures.nodes[0].score.unwrap())).abs() < 1e-12);
    assert_eq!(measures.get(NodeId(5)).share, 0.75 * 0.6);
}

#[test]
fn a_tree_says_what_it_comes_to_without_what_does_not_count() {
    assert_eq!(
        TreeSummary::for_tree(&graded_tree()),
        TreeSummary {
            score: Some(0.4),
            score_without_invalid: Some((1.0 + 3.0 * 0.25) / 4.0),
            code_only: Some(0.5),
            leaves: 4,
            nodes: 6,
            depth: 2,
            invalid: Some(1),
        }
    );
}

#[test]
fn inner_nodes_are_as_valid_as_their_leaves() {
    let measures = TreeMeasures::new(&graded_tree(), LeafCounting::All);
    let validity = |at| measures.get(NodeId(at)).validity();

    assert_eq!(
        [0, 1, 2, 4].map(validity),
        [Validity::Partly, Validity::Valid, Validity::Partly, Validity::Invalid].map(Some)
    );
}

#[test]
fn weights_that_add_up_to_nothing_score_nothing() {
    let tree = parse_tree(&inner_json(
        1.0,
        0.0,
        vec![leaf_json(0.0, 1.0, true, CODE), leaf_json(0.0, 1.0, true, CODE)],
    ));
    let measures = TreeMeasures::new(&tree, LeafCounting::All);
    assert_eq!((measures.get(NodeId(0)).score, measures.get(NodeId(1)).share), (Some(0.0), 0.0));
}

#[test]
fn a_rubric_that_nobody_graded_has_shares_and_no_scores() {
    let text = r#"{"sub_tasks": [{"weight": 1, "sub_tasks": []}, {"weight": 3, "sub_tasks": []}]}"#;
    let tree = parse_tree(&serde_json::from_str(text).unwrap());

    let measures = TreeMeasures::new(&tree, LeafCounting::All);

    assert_eq!(measures.get(NodeId(2)).share, 0.75);
    assert_eq!((measures.get(NodeId(0)).score, measures.get(NodeId(0)).validity()), (None, None));
    let summary = TreeSummary::for_tree(&tree);
    assert_eq!((summary.score, summary.invalid, summary.leaves), (None, None, 2));
}

#[test]
fn an_inner_node_that_is_code_itself_stays_in_the_code_view_without_its_sub_tasks() {
    let mut part = inner_json(1.0, 0.25, vec![leaf_json(1.0, 1.0, true, RESULT)]);
    part["task_category"] = json!(CODE);
    let tree = parse_tree(&inner_json(1.0, 1.0, vec![part, leaf_json(1.0, 0.75, true, CODE)]));
    assert_eq!(TreeSummary::for_tree(&tree).code_only, Some(0.5));
}

#[test]
fn a_recorded_score_that_its_sub_tasks_do_not_come_to_is_a_difference() {
    let tree = parse_tree(&inner_json(
        1.0,
        0.9,
        vec![inner_json(1.0, 0.5, vec![leaf_json(1.0, 0.5, true, CODE)])],
    ));
    let found = score_differences(&tree, &TreeMeasures::new(&tree, LeafCounting::All));
    assert_eq!(found, [ScoreDifference { node: NodeId(0), recorded: 0.9, computed: 0.5 }]);
}

fn any_tree() -> impl Strategy<Value = Value> {
    let weight = prop_oneof![Just(0.0), 0.0..10.0, Just(1e15)];
    let category = prop_oneof![Just(CODE), Just(RESULT)];
    let scored = (weight.clone(), 0.0..=1.0, any::<bool>(), category);
    let one = scored.prop_map(|(weight, score, is_valid, category)| {
        leaf_json(weight, score, is_valid, category)
    });
    one.prop_recursive(5, 50, 5, move |below| {
        (weight.clone(), prop::collection::vec(below, 0..5))
            .prop_map(|(weight, below)| inner_json(weight, 0.5, below))
    })
}

proptest! {
    #[test]
    fn whatever_the_tree_scores_and_shares_stay_between_0_and_1(tree in any_tree()) {
        let tree = parse_tree(&tree);
        for counting in [LeafCounting::All, LeafCounting::CodeOnly, LeafCounting::ValidOnly] {
            for measure in TreeMeasures::new(&tree, counting).nodes {
                prop_assert!(measure.score.is_none_or(|score| (-1e-9..=1.0 + 1e-9).contains(&score)));
                prop_assert!((0.0..=1.0 + 1e-9).contains(&measure.share));
                prop_assert!(measure.invalid <= measure.leaves);
            }
        }
    }
}
