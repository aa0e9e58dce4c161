//! Counts assertions per test function, by parsing test files.
//!
//! [`count_as_scorer`] counts like RigorBench's scorer: `assert` statements inside functions whose name begins with
//! `test`, of the files `test_*.py` at the top of the repository; an assertion inside nested test functions counts in
//! each of them, one in an asynchronous function in none; `assert True` and every comparison with `is not` count
//! nothing; a file that does not parse is left out. [`count_as_paper`] counts what the paper describes: every test
//! file below any folder, asynchronous functions, unittest's `self.assert...` and `pytest.raises`, each assertion
//! once; and the tests of other languages (`languages`).

mod languages;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use crate::lifeline::is_test;
use trajview_code::tree::{self, Grammar};
use trajview_run::RepoPath;

use languages::TestSyntax;

/// Counts over the test files of one state of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AssertionCounts {
    /// The number of files that were read.
    pub files: usize,
    pub functions: usize,
    pub asserts: usize,
}

impl AssertionCounts {
    fn add_counts(&mut self, other: Self) {
        self.files += other.files;
        self.functions += other.functions;
        self.asserts += other.asserts;
    }

    /// Returns the meaningful assertions per test function; None without a test function.
    pub(crate) fn assertion_density(self) -> Option<f64> {
        (self.functions > 0).then(|| self.asserts as f64 / self.functions as f64)
    }
}

/// Returns whether [`count_as_scorer`] reads the file.
pub fn is_shipped_test(path: &RepoPath) -> bool {
    let path = path.as_str();
    !path.contains('/') && path.starts_with("test_") && path.ends_with(".py")
}

/// Returns whether [`count_as_paper`] reads the file.
pub fn is_paper_test(path: &RepoPath) -> bool {
    match Grammar::for_path(path.as_str()) {
        Some(Grammar::Python) => is_test(path) && path.as_str().ends_with(".py"),
        // Rust has its unit tests in the same file as the code.
        Some(Grammar::Rust) => Grammar::Rust.is_compiled_in(),
        Some(grammar) => {
            is_test(path) && grammar.is_compiled_in() && TestSyntax::for_grammar(grammar).is_some()
        }
        None => false,
    }
}

/// Counts like the released scorer; a file with a syntax error counts nothing.
pub fn count_as_scorer(text: &[u8]) -> AssertionCounts {
    let Some(tree) = tree::parse_tree(Grammar::Python, text) else {
        return AssertionCounts::default();
    };
    if tree.root_node().has_error() {
        return AssertionCounts::default();
    }
    let mut sum = AssertionCounts { files: 1, ..AssertionCounts::default() };
    for_each_node(tree.root_node(), &mut |node| {
        if !is_test_function(node, text) || is_async(node) {
            return;
        }
        sum.functions += 1;
        for_each_node(node, &mut |inner| sum.asserts += usize::from(is_meaningful(inner, text)));
    });
    sum
}

/// Counts as the paper describes, in a text and its tree. A Python file with a syntax error counts nothing, as in the
/// scorer; files of other languages, where a macro may look like an error, count as far as they are parsed.
pub fn count_as_paper(grammar: Grammar, text: &[u8], tree: &Tree) -> AssertionCounts {
    let is_python = grammar == Grammar::Python;
    let shape = if is_python { Some(PYTHON) } else { TestSyntax::for_grammar(grammar) };
    let Some(shape) = shape else { return AssertionCounts::default() };
    if is_python && tree.root_node().has_error() {
        return AssertionCounts::default();
    }
    let mut sum = AssertionCounts { files: 1, ..AssertionCounts::default() };
    for_each_node(tree.root_node(), &mut |node| {
        if (shape.is_test)(node, text) {
            sum.functions += 1;
        }
        if (shape.is_assertion)(node, text) && is_in_test(node, shape, text) {
            sum.asserts += 1;
        }
    });
    sum
}

const PYTHON: TestSyntax = TestSyntax {
    is_test: is_test_function,
    is_assertion: |node, text| is_meaningful(node, text) || is_assert_call(node, text),
};

/// Returns the sum over files.
pub fn sum_counts(files: impl Iterator<Item = AssertionCounts>) -> AssertionCounts {
    files.fold(AssertionCounts::default(), |mut sum, file| {
        sum.add_counts(file);
        sum
    })
}

/// Calls `then` with a node and all nodes below it, without recursion, since files may be nested to any depth.
fn for_each_node<'t>(from: Node<'t>, then: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = from.walk();
    loop {
        then(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn is_test_function(node: Node<'_>, text: &[u8]) -> bool {
    let name = || node.child_by_field_name("name")?.utf8_text(text).ok();
    node.kind() == "function_definition" && name().is_some_and(|name| name.starts_with("test"))
}

fn is_async(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|first| first.kind() == "async")
}

fn is_in_test(node: Node<'_>, shape: TestSyntax, text: &[u8]) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|it| (shape.is_test)(it, text))
}

/// Returns whether a node is an `assert` that can fail: neither of `True` alone, nor of a comparison with `is not`.
fn is_meaningful(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "assert_statement" {
        return false;
    }
    let mut tested = node.named_child(0);
    while let Some(inner) = tested.filter(|it| it.kind() == "parenthesized_expression") {
        tested = inner.named_child(0);
    }
    let Some(tested) = tested else { return false };
    let has_is_not = || {
        let mut cursor = tested.walk();
        tested.children(&mut cursor).any(|it| it.kind() == "is not" || it.kind() == "not")
    };
    match tested.kind() {
        "true" => false,
        "comparison_operator" => !has_is_not() || is_not_in(tested, text),
        _ => true,
    }
}

/// Returns whether a node is `a not in b`, which has a separate `not` in some grammars.
fn is_not_in(tested: Node<'_>, text: &[u8]) -> bool {
    let mut cursor = tested.walk();
    let operators = tested.children_by_field_name("operators", &mut cursor);
    let words: Vec<_> = operators.filter_map(|it| it.utf8_text(text).ok()).collect();
    !words.is_empty() && words.iter().all(|word| word.split_whitespace().ne(["is", "not"]))
}

/// Returns whether a node is a call such as `self.assertEqual(...)` or `pytest.raises(...)`.
fn is_assert_call(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "call" {
        return false;
    }
    let function = node.child_by_field_name("function").and_then(|it| it.utf8_text(text).ok());
    function.is_some_and(|name| {
        let is_unittest = name.strip_prefix("self.").is_some_and(|it| it.starts_with("assert"));
        is_unittest || matches!(name, "pytest.raises" | "pytest.warns" | "raises")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_python(text: &[u8]) -> AssertionCounts {
        super::count_as_paper(
            Grammar::Python,
            text,
            &tree::parse_tree(Grammar::Python, text).unwrap(),
        )
    }

    #[test]
    fn the_paper_counts_every_assertion_once_and_the_scorer_only_statements() {
        let text = b"import pytest\nclass T:\n    async def test_a(self):\n        assert 1 == 2\n        self.assertEqual(1, 2)\n        with pytest.raises(ValueError):\n            f()\n    def helper(self):\n        assert 3 == 4\n";

        assert_eq!(count_as_scorer(text), AssertionCounts { files: 1, functions: 0, asserts: 0 });
        assert_eq!(count_python(text), AssertionCounts { files: 1, functions: 1, asserts: 3 });
        assert_eq!(count_python(text).assertion_density(), Some(3.0));
    }

    #[test]
    fn what_cannot_fail_is_no_assertion() {
        let text = b"def test_a():\n    assert True\n    assert (True), 'x'\n    assert x is not None\n    assert x not in y\n    assert not False\n";

        assert_eq!(count_as_scorer(text).asserts, 2);
    }

    #[test]
    fn a_file_that_does_not_parse_counts_nothing() {
        assert_eq!(count_as_scorer(b"def test_a(:\n"), AssertionCounts::default());
        assert_eq!(count_python(b"def test_a(:\n"), AssertionCounts::default());
    }

    #[test]
    fn only_files_at_the_top_are_read_by_the_scorer() {
        let path = |path: &str| RepoPath::new(path).unwrap();
        assert!(is_shipped_test(&path("test_a.py")) && !is_shipped_test(&path("tests/test_a.py")));
        assert!(is_paper_test(&path("tests/test_a.py")) && is_paper_test(&path("src/a.rs")));
        assert!(is_paper_test(&path("src/a.test.ts")) && !is_paper_test(&path("src/a.ts")));
    }
}
