//! Rubric trees against another program: trees made up by `tests/vectors/rubric_tree.py`, and real graded ones.

use serde_json::{Value, json};
use trajview::{
    formats::{SourceBytes, format_by_name},
    metrics::rubric_tree::{LeafCounting, TreeMeasures, TreeSummary, score_differences},
    run::rubric_tree::RubricTree,
};

use crate::common::real_data;

fn read_tree(text: &str) -> (RubricTree, Vec<String>) {
    let format = format_by_name("paperbench").unwrap();
    let run = format.index_run(&[SourceBytes { name: "t.json", bytes: text.as_bytes() }]).unwrap();
    let warnings = run.warnings.into_iter().map(|warning| warning.what).collect();
    (run.rubric_tree.unwrap().as_ref().clone(), warnings)
}

/// The lists of the vectors as PaperBench writes trees.
fn tree_value(node: &Value) -> Value {
    let (weight, category) = (&node[0], &node[1]);
    let fields = json!({"id": "", "requirements": "", "weight": weight, "task_category": category});
    let mut fields = fields.as_object().unwrap().clone();
    match node[2].as_array() {
        Some(below) => {
            fields.insert("sub_tasks".into(), below.iter().map(tree_value).collect());
        }
        None => {
            fields.insert("sub_tasks".into(), json!([]));
            fields.insert("score".into(), node[2].clone());
            fields.insert("valid_score".into(), node[3].clone());
        }
    }
    Value::Object(fields)
}

/// Inner nodes get their recorded score, which the code view falls back on.
fn with_scores(mut node: Value, scores: &mut dyn Iterator<Item = f64>) -> Value {
    let score = scores.next().unwrap();
    let below = node["sub_tasks"].as_array().unwrap().clone();
    let below: Vec<Value> = below.into_iter().map(|child| with_scores(child, scores)).collect();
    node["sub_tasks"] = json!(below);
    node["score"] = json!(score);
    node
}

#[test]
fn made_up_trees_come_to_what_another_program_says_to_the_last_digit() {
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("../vectors/rubric_tree.json")).unwrap();
    assert_eq!(vectors.len(), 63);
    for (number, vector) in vectors.iter().enumerate() {
        let listed = vector["scores"].as_array().unwrap().iter();
        let scores: Vec<f64> =
            listed.map(|score| score.as_str().unwrap().parse().unwrap()).collect();
        let text =
            with_scores(tree_value(&vector["tree"]), &mut scores.iter().copied()).to_string();
        let (tree, _) = read_tree(&text);

        let ours = TreeSummary::for_tree(&tree);
        let root = |name: &str| vector[name].as_str().map(|score| score.parse::<f64>().unwrap());
        assert_eq!(ours.score, root("score"), "tree {number}");
        assert_eq!(ours.score_without_invalid, root("score_without_invalid"), "tree {number}");
        assert_eq!(ours.code_only, root("code_only"), "tree {number}");
        let counts = [ours.leaves, ours.nodes, ours.depth, ours.invalid.unwrap()];
        let theirs =
            ["leaves", "nodes", "depth", "invalid"].map(|name| vector[name].as_u64().unwrap());
        assert_eq!(counts.map(|count| count as u64), theirs, "tree {number}");
        let measures = TreeMeasures::new(&tree, LeafCounting::All);
        let computed: Vec<f64> = measures.nodes.iter().map(|it| it.score.unwrap()).collect();
        assert_eq!(computed, scores, "tree {number}");
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn real_trees_recompute_to_the_last_digit() {
    let folder = real_data().join("paperbench");
    let cases = [
        ("graded-semantic-self-consistency.json", 0.9099999999999999, 79, 102, 4),
        ("graded-rice.json", 0.18568121693121692, 361, 489, 5),
    ];
    for (name, score, leaves, nodes, depth) in cases {
        let (tree, warnings) = read_tree(&std::fs::read_to_string(folder.join(name)).unwrap());
        let summary = TreeSummary::for_tree(&tree);

        assert_eq!(warnings, [""; 0], "{name}");
        assert_eq!((summary.score, tree.nodes[0].score), (Some(score), Some(score)));
        assert_eq!((summary.leaves, summary.nodes, summary.depth), (leaves, nodes, depth));
        assert_eq!((summary.invalid, summary.score_without_invalid), (Some(0), Some(score)));
        assert_eq!(score_differences(&tree, &TreeMeasures::new(&tree, LeafCounting::All)), []);
    }
}
