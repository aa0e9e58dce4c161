//! Tests of loading and running rules.

use super::*;
use trajview_code::tree;

const APPEND: &str = "id: append\nlanguage: python\nrule:\n  pattern: $L.append($X)\n";

fn problem_lines(text: &str) -> Vec<String> {
    RuleSet::load("test", &[("a.yml", text)]).problems().iter().map(ToString::to_string).collect()
}

fn match_counts(rules: &RuleSet, text: &str) -> (usize, usize) {
    let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
    let found = rules.scan_file(
        Grammar::Python,
        text,
        &FlatTree::from_node(tree.root_node()),
        CommentHandling::PassedOver,
    );
    (found.all.len(), found.unsuppressed.len())
}

#[test]
fn rules_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<RuleSet>();
}

#[test]
fn a_match_has_its_rule_and_lines() {
    let rules = RuleSet::load("test", &[("a.yml", APPEND)]);
    let text = "x = []\nx.append(\n    1\n)\n";
    let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();

    let result = rules.scan_file(
        Grammar::Python,
        text,
        &FlatTree::from_node(tree.root_node()),
        CommentHandling::PassedOver,
    );

    assert_eq!(result.all, [RuleMatch { start: 2, end: 4, rule: "append" }]);
}

#[test]
fn an_ignoring_comment_keeps_a_match_from_being_kept() {
    let rules = RuleSet::load("test", &[("a.yml", APPEND)]);

    assert_eq!(match_counts(&rules, "x.append(1)  # ast-grep-ignore\nx.append(2)\n"), (2, 1));
    assert_eq!(match_counts(&rules, "# ast-grep-ignore: other\nx.append(2)\n"), (1, 1));
}

#[test]
fn a_comment_is_passed_over_or_taken() {
    let two = "id: two\nlanguage: python\nrule:\n  pattern: |\n    if $C:\n        $A\n        $B\n        $$$REST\n";
    let rules = RuleSet::load("test", &[("a.yml", two)]);
    let text = "if x:\n    a()  # why\n    b()\n";
    let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
    let count = |text: &str, comments| {
        let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
        rules
            .scan_file(Grammar::Python, text, &FlatTree::from_node(tree.root_node()), comments)
            .all
            .len()
    };

    assert!(!tree.root_node().has_error());
    assert_eq!(count("if x:\n    a()  # why\n    b()\n    c()\n", CommentHandling::Taken), 1);
    assert_eq!(count("if x:\n    a()\n    # why\n", CommentHandling::PassedOver), 0);
}

#[test]
fn a_broken_rule_is_named_with_its_place_and_the_rest_still_runs() {
    let text = format!(
        "{APPEND}---\n# about it\nid: broken\nlanguage: python\nrule:\n  kind: no_such_kind\n---\n{APPEND}"
    );
    let rules = RuleSet::load("test", &[("a.yml", &text)]);

    assert_eq!(rules.rule_count(), 2);
    let [problem] = rules.problems() else { panic!("{:?}", rules.problems()) };
    assert_eq!(
        (problem.file.as_str(), problem.rule.as_str(), problem.line),
        ("a.yml", "broken", 7)
    );
    assert!(problem.what.contains("no_such_kind"), "{}", problem.what);
}

#[test]
fn a_rule_without_an_id_is_named_by_its_number() {
    let problems = problem_lines("---\nlanguage: python\nrule:\n  kind: no_such_kind\n");

    assert!(problems[0].starts_with("a.yml:2: rule 1: "), "{problems:?}");
}

#[test]
fn text_that_is_no_yaml_is_a_problem() {
    assert_eq!(problem_lines("id: [").len(), 1);
}

#[test]
fn a_language_without_a_grammar_is_a_problem_and_no_panic() {
    let rule = |language: &str| {
        problem_lines(&format!("id: a\nlanguage: {language}\nrule:\n  pattern: a\n"))
    };

    assert_eq!(rule("kotlin"), ["a.yml:1: a: no grammar for language `kotlin`"]);
    assert_eq!(rule("klingon"), ["a.yml:1: a: no grammar for language `klingon`"]);
}

#[test]
#[cfg(not(feature = "go"))]
fn a_language_that_is_not_compiled_in_is_a_problem_and_no_panic() {
    let problems = problem_lines("id: a\nlanguage: go\nrule:\n  pattern: a\n");

    assert_eq!(problems, ["a.yml:1: a: `go` is not compiled into this build"]);
}

#[test]
fn a_rule_that_could_match_anything_is_a_problem() {
    let problems = problem_lines("id: a\nlanguage: python\nrule:\n  regex: '^x$'\n");

    assert!(problems[0].contains("kind"), "{problems:?}");
}

#[test]
fn a_rule_for_some_paths_only_is_a_problem() {
    let problems = problem_lines(&format!("{APPEND}files: ['src/**']\n"));

    assert!(problems[0].contains("`files` and `ignores`"), "{problems:?}");
}

#[test]
fn a_rule_that_is_off_does_not_run() {
    let rules = RuleSet::load("test", &[("a.yml", &format!("{APPEND}severity: off\n"))]);

    assert_eq!((rules.rule_count(), rules.problems().len()), (0, 0));
}

#[test]
fn the_same_texts_have_the_same_sum() {
    let sum = |text| RuleSet::load("test", &[("a.yml", text)]).sha256().to_owned();

    assert_eq!(sum("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_ne!(sum(APPEND), sum("abc"));
}

mod built_in {
    use std::collections::BTreeSet;

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct BuiltInDocument {
        id: String,
        message: String,
        metadata: BuiltInMetadata,
    }

    #[derive(Deserialize)]
    struct BuiltInMetadata {
        category: String,
        before: String,
        after: String,
    }

    fn built_in_documents() -> impl Iterator<Item = (&'static str, BuiltInDocument)> {
        let read = |text| ast_grep_config::from_multiple::<BuiltInDocument>(text).unwrap();
        RULES.iter().flat_map(move |file| {
            read(file.text).into_iter().map(move |document| (file.name, document))
        })
    }

    /// Returns the ids of the rules that match a piece of Python.
    fn matching_ids(rules: &RuleSet, text: &str) -> BTreeSet<String> {
        let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
        assert!(!tree.root_node().has_error(), "a syntax error in\n{text}");
        let found = rules.scan_file(
            Grammar::Python,
            text,
            &FlatTree::from_node(tree.root_node()),
            CommentHandling::PassedOver,
        );
        found.all.iter().map(|hit| hit.rule.to_owned()).collect()
    }

    #[test]
    fn every_rule_runs() {
        let rules = RuleSet::built_in();

        assert_eq!(rules.problems(), []);
        assert_eq!(rules.rule_count(), built_in_documents().count());
    }

    #[test]
    fn no_two_rules_have_one_id() {
        let ids: BTreeSet<String> = built_in_documents().map(|(_, document)| document.id).collect();

        assert_eq!(ids.len(), built_in_documents().count());
    }

    #[test]
    fn every_rule_says_what_it_is_about() {
        for (file, document) in built_in_documents() {
            let BuiltInDocument { id, message, metadata } = document;
            let category = file.rsplit('/').next().and_then(|name| name.strip_suffix(".yml"));
            assert!(!message.is_empty(), "{id} has no message");
            assert_eq!(Some(metadata.category.as_str()), category, "{id} is in {file}");
        }
    }

    #[test]
    fn every_rule_matches_its_code_before_and_not_after() {
        let rules = RuleSet::built_in();
        let mut wrong = vec![];
        for (_, BuiltInDocument { id, metadata, .. }) in built_in_documents() {
            if !matching_ids(&rules, &metadata.before).contains(&id) {
                wrong.push(format!("{id} does not match before"));
            }
            if matching_ids(&rules, &metadata.after).contains(&id) {
                wrong.push(format!("{id} matches after"));
            }
        }

        assert_eq!(wrong, Vec::<String>::new());
    }
}
