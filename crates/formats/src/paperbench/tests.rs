//! Trees as people write them, results as they are spelled, and everything that can be wrong with either.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use trajview_run::rubric_tree::{LeafCategory, ModelTokens, TreeGrading};

fn leaf_node(id: &str, weight: f64, score: f64) -> Value {
    json!({
        "id": id, "requirements": format!("do {id}"), "weight": weight, "score": score, "valid_score": true,
        "task_category": "Code Development", "explanation": "", "judge_metadata": null, "sub_tasks": [],
    })
}

fn inner_node(id: &str, weight: f64, sub_tasks: Vec<Value>) -> Value {
    json!({
        "id": id, "requirements": format!("do {id}"), "weight": weight, "score": 0.5, "valid_score": true,
        "task_category": null, "explanation": "Aggregated.", "judge_metadata": null, "sub_tasks": sub_tasks,
    })
}

fn sample_tree() -> Value {
    let below = inner_node("b", 2.0, vec![leaf_node("c", 1.0, 1.0), leaf_node("d", 3.0, 0.0)]);
    inner_node("root", 1.0, vec![leaf_node("a", 1.0, 1.0), below])
}

fn read_text(text: &str) -> Result<(RubricTree, Vec<String>), NotUnderstood> {
    let (tree, warnings) = read_tree(&SourceBytes { name: "t.json", bytes: text.as_bytes() })?;
    assert!(warnings.iter().all(|warning| warning.place == "t.json"));
    Ok((tree, warnings.into_iter().map(|warning| warning.what).collect()))
}

fn read_value(value: &Value) -> (RubricTree, Vec<String>) {
    read_text(&value.to_string()).unwrap()
}

/// Returns the tree with one field of one node set or removed.
fn tree_with(pointer: &str, value: Option<Value>) -> Value {
    let mut tree = sample_tree();
    let (node, key) = pointer.rsplit_once('/').unwrap();
    let fields = tree.pointer_mut(node).unwrap().as_object_mut().unwrap();
    match value {
        Some(value) => fields.insert(key.into(), value),
        None => fields.remove(key),
    };
    tree
}

fn warnings_with(pointer: &str, value: Value) -> Vec<String> {
    read_value(&tree_with(pointer, Some(value))).1
}

fn node_paths(tree: &RubricTree) -> Vec<String> {
    (0..tree.nodes.len()).map(|at| tree.node_path(NodeId::from_position(at)).to_string()).collect()
}

#[test]
fn a_graded_tree_is_read_as_it_stands() {
    let (tree, warnings) = read_value(&sample_tree());

    assert_eq!(warnings, [""; 0]);
    assert_eq!(node_paths(&tree), ["0", "0/0", "0/1", "0/1/0", "0/1/1"]);
    let node = &tree.nodes[3];
    assert_eq!((&*node.id, &*node.requirements, node.weight, node.depth), ("c", "do c", 1.0, 2));
    assert_eq!((node.score, node.is_valid), (Some(1.0), Some(true)));
    assert_eq!(node.category, Some(LeafCategory::CodeDevelopment));
    assert_eq!((&*tree.nodes[2].explanation, &node.answer), ("Aggregated.", &None));
}

#[test]
fn a_rubric_that_nobody_graded_has_no_scores() {
    let text = r#"{"id": "r", "requirements": "all of it", "weight": 1, "sub_tasks": [
        {"id": "l", "requirements": "one", "weight": 2, "sub_tasks": [], "task_category": "Result Analysis",
         "finegrained_task_category": "Logging, Analysis & Presentation"}]}"#;

    let (tree, warnings) = read_text(text).unwrap();

    assert_eq!(warnings, [""; 0]);
    assert!(!tree.is_graded());
    assert_eq!(tree.nodes[1].finegrained.as_deref(), Some("Logging, Analysis & Presentation"));
}

#[test]
fn the_judge_s_answer_is_an_object_or_nothing_however_nothing_is_written() {
    let answer = json!({
        "full_judge_response": "# Expectations\nA loss.",
        "token_usage": {"o3-mini": {"in": 1200, "out": 34}, "broken": {"in": "many"}},
    });
    let (graded, warnings) = read_value(&tree_with("/sub_tasks/0/judge_metadata", Some(answer)));
    let said = graded.nodes[1].answer.as_ref().unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(&*said.response, "# Expectations\nA loss.");
    assert_eq!(said.tokens, [ModelTokens { model: "o3-mini".into(), input: 1200, output: 34 }]);

    for nothing in [json!(null), json!(""), json!({}), json!({"token_usage": null})] {
        let (graded, warnings) =
            read_value(&tree_with("/sub_tasks/0/judge_metadata", Some(nothing)));
        assert_eq!((&graded.nodes[1].answer, warnings.len()), (&None, 0));
    }
    let said = warnings_with("/sub_tasks/0/judge_metadata", json!("words"));
    assert_eq!(
        said,
        ["node 0/0: judge_metadata is a string, expected an object, null or an empty string"]
    );
}

#[test]
fn results_are_read_in_every_spelling() {
    let output = json!({
        "judge_type": "simple", "score": 0.5, "num_leaf_nodes": 3, "num_invalid_leaf_nodes": 0,
        "graded_at": "2026-01-02T03:04:05Z", "graded_task_tree": sample_tree(),
        "completer_config": {"model": "o3-mini", "reasoning_effort": "high"}, "token_usage": {"o3-mini": {"in": 5, "out": 6}},
    });
    let mut old = output.clone();
    old.as_object_mut().unwrap().remove("completer_config");
    old["model_name"] = json!("o3-mini");
    let result = json!({
        "paper_id": "rice", "run_id": "r1", "submission_exists": true, "code_only": false, "judge_output": output,
    });
    let wrapped = json!({"paperbench_result": result, "score": 0.5, "grader_log": ""});

    let plain = read_value(&output);
    assert_eq!(plain.1, [""; 0]);
    let known = plain.0.result.clone();
    assert_eq!((known.judge.as_deref(), known.model.as_deref()), (Some("simple"), Some("o3-mini")));
    assert_eq!((known.score, known.leaves, known.invalid), (Some(0.5), Some(3), Some(0)));
    assert_eq!(known.tokens, [ModelTokens { model: "o3-mini".into(), input: 5, output: 6 }]);
    assert_eq!(read_value(&old), plain);
    for value in [result, wrapped] {
        let (tree, warnings) = read_value(&value);
        assert_eq!((&tree.nodes, warnings.len()), (&plain.0.nodes, 0));
        let expected = TreeGrading {
            paper: Some("rice".into()),
            run: Some("r1".into()),
            has_submission: Some(true),
            is_code_only: Some(false),
            ..known.clone()
        };
        assert_eq!(tree.result, expected);
    }
}

#[test]
fn a_result_that_does_not_fit_its_tree_states_so() {
    let output = json!({"score": 0.75, "num_leaf_nodes": 9, "num_invalid_leaf_nodes": 1, "graded_task_tree": sample_tree()});
    assert_eq!(
        read_value(&output).1,
        [
            "the result states 9 leaves, its tree has 3",
            "the result states 1 invalid leaves, its tree has 0",
            "the result states a score of 0.75, the root of its tree has 0.5",
        ]
    );
}

#[test]
fn a_result_without_a_tree_is_told_in_a_sentence() {
    let why = |text: &str| read_text(text).unwrap_err().to_string();
    assert_eq!(
        why(r#"{"paperbench_result": {"judge_output": null}, "score": 0}"#),
        "a result of PaperBench without a graded tree: its judge_output is null"
    );
    assert_eq!(
        why(r#"{"graded_task_tree": null}"#),
        "a result of PaperBench without a graded tree: its graded_task_tree is null"
    );
    assert!(why(r#"{"graded_task_tree": 7}"#).contains("whose tree is not an object"));
    assert!(why("{").contains("not JSON from line 1"));
    assert!(why("[]").contains("whose tree is not an object"), "{}", why("[]"));
}

#[test]
fn what_is_wrong_with_a_node_is_a_warning_with_its_way_and_the_rest_counts() {
    let cases = [
        (
            "/sub_tasks/0/weight",
            json!(-1),
            "node 0/0: weight is -1, expected a number 0 or more: it counts nothing",
        ),
        (
            "/sub_tasks/0/weight",
            json!("2"),
            "node 0/0: weight is a string, expected a number 0 or more: it counts nothing",
        ),
        (
            "/sub_tasks/1/sub_tasks/1/score",
            json!(1.5),
            "node 0/1/1: score is 1.5, expected a number from 0 to 1: it counts as 0 and as invalid",
        ),
        (
            "/sub_tasks/0/valid_score",
            json!("yes"),
            "node 0/0: valid_score is a string, expected true or false",
        ),
        (
            "/sub_tasks/0/requirements",
            json!(["a"]),
            "node 0/0: requirements is a list, expected a string",
        ),
        ("/sub_tasks/0/id", json!(7), "node 0/0: id is 7, expected a string"),
        (
            "/sub_tasks/0/sub_tasks",
            json!(null),
            "node 0/0: sub_tasks is null, expected a list: taken as a leaf",
        ),
        (
            "/sub_tasks/0/sub_tasks",
            json!({"x": [1]}),
            "node 0/0: sub_tasks is an object, expected a list: taken as a leaf",
        ),
        ("/sub_tasks/0/sub_tasks", json!([7]), "node 0/0/0: is 7, expected an object: left out"),
        (
            "/sub_tasks/0/sub_tasks",
            json!([[{}]]),
            "node 0/0/0: is a list, expected an object: left out",
        ),
        ("/sub_tasks/0/task_category", json!(null), "node 0/0: is a leaf without a category"),
        (
            "/sub_tasks/0/task_category",
            json!("Art"),
            "node 0/0: has the category \"Art\", which PaperBench does not know",
        ),
        (
            "/sub_tasks/0/id",
            json!("d"),
            "node 0/1/1: has the id of 0/0; nodes are distinguished by their path",
        ),
        (
            "/sub_tasks/1/sub_tasks/0/id",
            json!("root"),
            "node 0/1/0: has the same id as its ancestor 0; both count",
        ),
    ];
    for (pointer, value, expected) in cases {
        let (tree, warnings) = read_value(&tree_with(pointer, Some(value)));
        assert!(warnings.contains(&expected.to_owned()), "{pointer}: {warnings:?}");
        assert_eq!(node_paths(&tree), ["0", "0/0", "0/1", "0/1/0", "0/1/1"]);
    }
}

#[test]
fn what_a_node_lacks_is_told() {
    let cases = [
        ("/sub_tasks/0/id", "node 0/0: has no id"),
        ("/sub_tasks/0/weight", "node 0/0: has no weight and counts nothing"),
        ("/sub_tasks/0/requirements", "node 0/0: does not say what it requires"),
        ("/sub_tasks/0/sub_tasks", "node 0/0: has no list of sub_tasks: read as a leaf"),
        (
            "/sub_tasks/0/score",
            "node 0/0: has no score that can be used: it counts as 0 and as invalid",
        ),
    ];
    for (pointer, expected) in cases {
        assert_eq!(read_value(&tree_with(pointer, None)).1, [expected]);
    }
    assert_eq!(
        read_value(&tree_with("/weight", None)).1,
        [""; 0],
        "the root's weight counts nowhere"
    );
}

#[test]
fn weights_that_add_up_to_nothing_are_told() {
    let mut tree = sample_tree();
    tree["sub_tasks"][1]["sub_tasks"] = json!([leaf_node("c", 0.0, 1.0), leaf_node("d", 0.0, 1.0)]);
    assert_eq!(
        read_value(&tree).1,
        ["node 0/1: the weights of its sub-tasks add up to 0: it scores 0"]
    );
}

#[test]
fn numbers_that_python_writes_and_json_does_not_know_do_not_end_the_file() {
    let text = sample_tree()
        .to_string()
        .replace("\"weight\":3.0", "\"weight\":NaN")
        .replace("\"weight\":2.0", "\"weight\":Infinity");

    let (tree, warnings) = read_text(&text).unwrap();

    assert_eq!((tree.nodes.len(), tree.nodes[2].weight, tree.nodes[4].weight), (5, 0.0, 0.0));
    assert_eq!(
        warnings[..3],
        [
            "NaN or Infinity instead of a number, 2 times".to_owned(),
            "node 0/1/1: weight is NaN, expected a number 0 or more: it counts nothing".into(),
            "node 0/1: weight is infinite, expected a number 0 or more: it counts nothing".into(),
        ]
    );
}

#[test]
fn a_file_that_breaks_off_counts_as_far_as_it_goes() {
    let text = sample_tree().to_string();
    // serde_json sorts keys: the sub-tasks come before the weight.
    let cut = text.find("do d").unwrap();

    let (tree, warnings) = read_text(&text[..cut]).unwrap();

    assert_eq!(node_paths(&tree), ["0", "0/0", "0/1", "0/1/0", "0/1/1"]);
    assert!(warnings[0].starts_with("is not JSON from line 1, column "), "{warnings:?}");
    assert_eq!(tree.nodes[0].end, 5);
}

#[test]
fn a_tree_that_is_too_deep_ends_where_it_is_safe() {
    let (open, close) = (r#"{"id":"n","requirements":"r","weight":1,"sub_tasks":["#, "]}");
    let text = open.repeat(100_000) + &close.repeat(100_000);

    let (tree, warnings) = read_text(&text).unwrap();

    assert_eq!(tree.nodes.len(), 51);
    let left_out = warnings.iter().find(|what| what.contains("levels deep")).unwrap();
    assert!(left_out.ends_with("is 50 levels deep; its sub-tasks are omitted"));
    assert!(warnings.iter().any(|what| what.contains("has the same id as its ancestor")));
}

#[test]
fn a_file_of_nothing_but_mistakes_has_an_end_of_warnings() {
    let text = format!(r#"{{"sub_tasks":[{}0]}}"#, "0,".repeat(5_000));
    let (_, warnings) = read_text(&text).unwrap();
    assert_eq!(warnings.len(), MAX_WARNINGS + 1);
    assert_eq!(warnings[MAX_WARNINGS], "more than 1000 warnings; the rest is left out");
}

#[test]
fn only_files_of_paperbench_are_claimed() {
    let claims = |text: &str| {
        PaperBench.claims_file(&FileHead { name: "a.json", bytes: text.as_bytes(), is_whole: true })
    };

    assert!(claims(&sample_tree().to_string()));
    assert!(claims(r#"{"judge_type": "simple", "graded_task_tree": {}}"#));
    assert!(claims(r#"{"paperbench_result": {"paper_id": "rice"}, "score": 0.1}"#));
    assert!(!claims(r#"{"messages": [{"sub_tasks": [], "requirements": ""}]}"#));
    assert!(!claims(r#"{"text": "{\"sub_tasks\": [], \"weight\": 1}"}"#));
}

/// JSON of every kind, with the names that mean something here.
fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        (-1.0..2.0).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    scalar.prop_recursive(6, 60, 4, |below| {
        let names = prop_oneof![
            Just("sub_tasks"),
            Just("id"),
            Just("weight"),
            Just("score"),
            Just("valid_score"),
            Just("requirements"),
            Just("judge_metadata"),
            Just("graded_task_tree"),
            Just("judge_output"),
            Just("task_category"),
        ];
        let field = (names.prop_map(str::to_owned), below.clone());
        prop_oneof![
            prop::collection::vec(below, 0..4).prop_map(Value::from),
            prop::collection::vec(field, 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_the_json_a_tree_that_is_read_is_a_tree(value in any_json(), cut in 0.0..1.2_f64) {
        let text = value.to_string();
        let end = ((text.len() as f64 * cut) as usize).min(text.len());
        let bytes = &text.as_bytes()[..end];
        let Ok((tree, _)) = read_tree(&SourceBytes { name: "t", bytes }) else { return Ok(()) };

        prop_assert!(!tree.nodes.is_empty());
        prop_assert_eq!(tree.nodes[0].end as usize, tree.nodes.len());
        for (at, node) in tree.nodes.iter().enumerate() {
            let id = NodeId::from_position(at);
            prop_assert_eq!(tree.node_at_path(&tree.node_path(id).to_string()), Some(id));
            prop_assert!(node.weight >= 0.0 && node.weight.is_finite());
            prop_assert!(node.score.is_none_or(|score| (0.0..=1.0).contains(&score)));
            prop_assert_eq!(tree.child_nodes(id).filter(|child| tree.node(*child).unwrap().parent != Some(id)).count(), 0);
        }
    }

    #[test]
    fn whatever_the_bytes_reading_returns(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_tree(&SourceBytes { name: "t", bytes: &bytes });
        let _ = PaperBench.claims_file(&FileHead { name: "t", bytes: &bytes, is_whole: true });
    }
}
