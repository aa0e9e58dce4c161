//! The table, and small programs counted by hand.

use super::*;
use crate::{quality::Ruler, rules::RuleSet};
use trajview_code::tree;

#[test]
fn every_kind_in_the_table_is_known_to_its_grammar() {
    for (row, grammar) in
        ROWS.iter().flat_map(|row| row.grammars.iter().map(move |grammar| (row, *grammar)))
    {
        let Some(language) = grammar.tree_sitter_language() else { continue };
        let names = &row.names;
        let lists = [
            names.branches,
            names.cases,
            names.operations,
            names.callables,
            names.owners,
            names.clones,
        ];
        let lists = lists.into_iter().chain([names.identifiers, names.comments]);
        let literals = names.literals.iter().map(|(_, kinds)| *kinds);
        // Names of literals that only other releases of the grammar have; the references list them.
        let absent = ["string_content", "f_string", "string_fragment", "bytes", "imaginary"];
        let kinds = lists.chain(literals).flat_map(str::split_ascii_whitespace);
        for kind in kinds.filter(|kind| !absent.contains(kind)) {
            assert_ne!(
                language.id_for_node_kind(kind, true),
                0,
                "{} has no {kind}",
                grammar.name()
            );
        }
    }
}

#[test]
fn every_grammar_has_one_row() {
    let others = [Grammar::Haskell, Grammar::Zig]; // scb-check 0.2.0 alone measures them
    for grammar in Grammar::ALL.into_iter().filter(|grammar| !others.contains(grammar)) {
        let rows = ROWS.iter().filter(|row| row.grammars.contains(&grammar));

        assert_eq!(rows.count(), 1, "{}", grammar.name());
    }
}

/// Returns `name cc sloc` of every callable.
fn callable_lines(path: &str, text: &str) -> Vec<String> {
    let ruler = Ruler::new(QualityProfile::Trajview, RuleSet::none());
    let measure = crate::quality::measure_file(path, text.as_bytes(), &ruler);
    assert_eq!(
        measure.skipped,
        None,
        "{:?}",
        tree::parse_tree(measure.grammar.unwrap(), text.as_bytes()).unwrap().root_node().to_sexp()
    );
    let callables = measure.callables.iter();
    callables
        .map(|callable| format!("{} {} {}", callable.name, callable.cc, callable.sloc))
        .collect()
}

fn assert_counted(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(callable_lines(path, text), expected);
}

#[test]
#[cfg_attr(not(feature = "javascript"), ignore = "needs the feature javascript")]
fn javascript_is_counted_as_by_hand() {
    let text = "class A {
  // how
  m(x) {
    if (x && y) { return a ?? b; }
    switch (x) { case 1: case 2: break; default: z(); }
  }
  field = () => x ? 1 : 2;
}
const f = (a) => { for (const b of a) g(() => { while (1) {} }); };
exports.h = function () { try { i ||= 1; } catch { } };
";
    assert_counted("a.js", text, &["A.m 6 4", "A.field 2 1", "f 3 1", "exports.h 3 1"]);
}

#[test]
#[cfg_attr(not(feature = "typescript"), ignore = "needs the feature typescript")]
fn typescript_is_counted_as_by_hand() {
    let text = "namespace N {
  export function f(x?: number): x is number { return x! > 0 || false; }
  declare function g(): void;
}
abstract class A { abstract m(): void; private n = (): A => this; }
";
    assert_counted("a.ts", text, &["N.f 2 1", "A.n 1 1"]);
    assert_counted("a.tsx", "const V = () => <p>{a && b}</p>;\n", &["V 2 1"]);
}

#[test]
#[cfg_attr(not(feature = "rust"), ignore = "needs the feature rust")]
fn rust_is_counted_as_by_hand() {
    let text = "impl<T> Tree<T> {
    /// What it does.
    fn f(&self) -> Option<()> {
        let g = || if a && b { c()? } else { d };
        match self.x {
            1 | 2 => loop {},
            n if n > 3 => {}
            _ => {}
        }
    }
}
trait A { fn without(); fn with(x: &&u8) { while let Some(_) = x {} } }
";
    assert_counted("a.rs", text, &["Tree.f 6 8", "A.with 2 1"]);
}

#[test]
#[cfg_attr(not(feature = "go"), ignore = "needs the feature go")]
fn go_is_counted_as_by_hand() {
    let text = "package a

func (t *Tree[T]) f(x int) {
\tif x > 1 || x < 0 {
\t}
\tswitch x {
\tcase 1, 2:
\tdefault:
\t}
\tg(func() { for {} })
}
";
    assert_counted("a.go", text, &["Tree.f 5 9"]);
}

#[test]
#[cfg_attr(not(feature = "java"), ignore = "needs the feature java")]
fn java_is_counted_as_by_hand() {
    let text = "class A {
  A() { assert x; }
  int f(int x) {
    for (int y : z) { }
    return switch (x) { case 1 -> 2; case 3 -> 4; default -> a && b ? 5 : 6; };
  }
  abstract int g();
  /* a
     comment */
  void h() { try { } catch (E e) { } Runnable r = () -> { do { } while (a); }; }
}
";
    assert_counted("A.java", text, &["A.A 2 1", "A.f 6 4", "A.h 3 1"]);
}

#[test]
#[cfg_attr(not(feature = "c"), ignore = "needs the feature c")]
fn c_is_counted_as_by_hand() {
    let text = "static char *f(int x)
{
#if A
    do { x = x ? 1 : 2; } while (x && y);
#endif
    switch (x) { case 1: break; default: break; }
}
";
    assert_counted("a.c", text, &["f 5 7"]);
}

#[test]
#[cfg_attr(not(feature = "cpp"), ignore = "needs the feature cpp")]
fn c_plus_plus_is_counted_as_by_hand() {
    let text = "namespace n { struct S { int m(T &&x) { return x and y; } }; }
T &S::get() { for (auto &a : b) { try { } catch (...) { } } }
S::~S() = default;
";
    assert_counted("a.cpp", text, &["n.S.m 2 1", "S.get 3 1"]);
}

#[test]
#[cfg_attr(not(feature = "javascript"), ignore = "needs the feature javascript")]
fn names_and_values_do_not_keep_two_pieces_from_being_clones() {
    let ruler = Ruler::new(QualityProfile::Trajview, RuleSet::none());
    let hashes = |text: &str| -> Vec<u128> {
        let measure = crate::quality::measure_file("a.js", text.as_bytes(), &ruler);
        measure.clones.iter().map(|candidate| candidate.hash).collect()
    };

    let one = hashes("function f(a) {\n  return a + 1;\n}\n");

    assert_eq!(one.len(), 1);
    assert_eq!(one, hashes("function g(b) {\n  return b - 2;\n}\n"));
    assert_ne!(one, hashes("function g(b) {\n  return c + 2;\n}\n"));
}
