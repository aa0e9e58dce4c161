//! Assertions per test function, by parsing test files.
//!
//! [`shipped`] counts as RigorBench's scorer does: `assert` statements inside functions whose name begins with `test`, of the
//! files `test_*.py` at the top of the repository; an assertion inside nested test functions counts in each of them, one in an
//! asynchronous function in none; `assert True` and every comparison with `is not` count nothing; a file that does not parse
//! is left out. [`paper`] counts what the paper describes: every test file below any folder, asynchronous functions, unittest's
//! `self.assert...` and `pytest.raises`, each assertion once; and the tests of other languages (`languages`).

mod languages;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use crate::lifeline::is_test;
use trajview_code::tree::{self, Grammar};
use trajview_run::RepoPath;

use languages::Shape;

/// What was counted in the test files of one state of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Assertions {
    /// Files that were read.
    pub files: usize,
    pub functions: usize,
    pub asserts: usize,
}

impl Assertions {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.functions += other.functions;
        self.asserts += other.asserts;
    }

    /// Meaningful assertions per test function; None without one.
    pub fn density(self) -> Option<f64> {
        (self.functions > 0).then(|| self.asserts as f64 / self.functions as f64)
    }
}

/// The files that [`shipped`] reads.
pub fn is_shipped_test(path: &RepoPath) -> bool {
    let path = path.as_str();
    !path.contains('/') && path.starts_with("test_") && path.ends_with(".py")
}

/// The files that [`paper`] reads.
pub fn is_paper_test(path: &RepoPath) -> bool {
    match Grammar::of(path.as_str()) {
        Some(Grammar::Python) => is_test(path) && path.as_str().ends_with(".py"),
        // Its unit tests stand beside what they test.
        Some(Grammar::Rust) => Grammar::Rust.is_compiled_in(),
        Some(grammar) => is_test(path) && grammar.is_compiled_in() && Shape::of(grammar).is_some(),
        None => false,
    }
}

/// As the released scorer counts; nothing of a file with a syntax error.
pub fn shipped(text: &[u8]) -> Assertions {
    let Some(tree) = tree::parse(Grammar::Python, text) else { return Assertions::default() };
    if tree.root_node().has_error() {
        return Assertions::default();
    }
    let mut sum = Assertions { files: 1, ..Assertions::default() };
    each(tree.root_node(), &mut |node| {
        if !is_test_function(node, text) || is_async(node) {
            return;
        }
        sum.functions += 1;
        each(node, &mut |inner| sum.asserts += usize::from(is_meaningful(inner, text)));
    });
    sum
}

/// As the paper describes it, of a text and its tree. Nothing of a file in Python with a syntax error, as in the scorer; other
/// languages, in whose files a macro may look like one, as far as they are understood.
pub fn paper(grammar: Grammar, text: &[u8], tree: &Tree) -> Assertions {
    let is_python = grammar == Grammar::Python;
    let shape = if is_python { Some(PYTHON) } else { Shape::of(grammar) };
    let Some(shape) = shape else { return Assertions::default() };
    if is_python && tree.root_node().has_error() {
        return Assertions::default();
    }
    let mut sum = Assertions { files: 1, ..Assertions::default() };
    each(tree.root_node(), &mut |node| {
        if (shape.is_test)(node, text) {
            sum.functions += 1;
        }
        if (shape.is_assertion)(node, text) && is_in_test(node, shape, text) {
            sum.asserts += 1;
        }
    });
    sum
}

const PYTHON: Shape = Shape {
    is_test: is_test_function,
    is_assertion: |node, text| is_meaningful(node, text) || is_assert_call(node, text),
};

/// The sum over files.
pub fn sum(files: impl Iterator<Item = Assertions>) -> Assertions {
    files.fold(Assertions::default(), |mut sum, file| {
        sum.add(file);
        sum
    })
}

/// Calls `then` with a node and everything below it, without recursion: a file may nest as deep as it likes.
fn each<'t>(from: Node<'t>, then: &mut dyn FnMut(Node<'t>)) {
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

fn is_in_test(node: Node<'_>, shape: Shape, text: &[u8]) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(|it| (shape.is_test)(it, text))
}

/// An `assert` that can fail: neither of `True` alone, nor of a comparison that has `is not` in it.
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

/// `a not in b` has a `not` of its own in some grammars.
fn is_not_in(tested: Node<'_>, text: &[u8]) -> bool {
    let mut cursor = tested.walk();
    let operators = tested.children_by_field_name("operators", &mut cursor);
    let words: Vec<_> = operators.filter_map(|it| it.utf8_text(text).ok()).collect();
    !words.is_empty() && words.iter().all(|word| word.split_whitespace().ne(["is", "not"]))
}

/// `self.assertEqual(...)`, `pytest.raises(...)`.
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

    fn paper(text: &[u8]) -> Assertions {
        super::paper(Grammar::Python, text, &tree::parse(Grammar::Python, text).unwrap())
    }

    #[test]
    fn the_paper_counts_every_assertion_once_and_the_scorer_only_statements() {
        let text = b"import pytest\nclass T:\n    async def test_a(self):\n        assert 1 == 2\n        self.assertEqual(1, 2)\n        with pytest.raises(ValueError):\n            f()\n    def helper(self):\n        assert 3 == 4\n";

        assert_eq!(shipped(text), Assertions { files: 1, functions: 0, asserts: 0 });
        assert_eq!(paper(text), Assertions { files: 1, functions: 1, asserts: 3 });
        assert_eq!(paper(text).density(), Some(3.0));
    }

    #[test]
    fn what_cannot_fail_is_no_assertion() {
        let text = b"def test_a():\n    assert True\n    assert (True), 'x'\n    assert x is not None\n    assert x not in y\n    assert not False\n";

        assert_eq!(shipped(text).asserts, 2);
    }

    #[test]
    fn a_file_that_does_not_parse_counts_nothing() {
        assert_eq!(shipped(b"def test_a(:\n"), Assertions::default());
        assert_eq!(paper(b"def test_a(:\n"), Assertions::default());
    }

    #[test]
    fn only_files_at_the_top_are_read_by_the_scorer() {
        let path = |path: &str| RepoPath::new(path).unwrap();
        assert!(is_shipped_test(&path("test_a.py")) && !is_shipped_test(&path("tests/test_a.py")));
        assert!(is_paper_test(&path("tests/test_a.py")) && is_paper_test(&path("src/a.rs")));
        assert!(is_paper_test(&path("src/a.test.ts")) && !is_paper_test(&path("src/a.ts")));
    }
}
