//! Recognises test functions and assertions in the languages other than Python: JavaScript and TypeScript (`test` and
//! `it` with `expect` or `assert`), Go (`func TestX(t *testing.T)`), Rust (`#[test]`), Java (`@Test`), C and C++
//! (GoogleTest, Catch2, functions named `test...`). To add a language, add a row to [`TestSyntax::for_grammar`].
//!
//! An assertion whose operands are all constants checks nothing and does not count: `expect(true).toBe(true)`,
//! `assert!(true)`.

use tree_sitter::Node;

use trajview_code::tree::Grammar;

/// The syntax of tests in a language.
#[derive(Clone, Copy)]
pub(super) struct TestSyntax {
    pub is_test: fn(Node<'_>, &[u8]) -> bool,
    /// Returns whether the node is an assertion that can fail because of the code.
    pub is_assertion: fn(Node<'_>, &[u8]) -> bool,
}

impl TestSyntax {
    /// Returns the syntax of tests in a language; None where it is not known.
    pub(super) const fn for_grammar(grammar: Grammar) -> Option<Self> {
        Some(match grammar {
            Grammar::JavaScript | Grammar::TypeScript | Grammar::Tsx => {
                Self { is_test: is_script_test, is_assertion: is_script_assertion }
            }
            Grammar::Go => Self { is_test: is_go_test, is_assertion: is_go_assertion },
            Grammar::Rust => Self { is_test: is_rust_test, is_assertion: is_rust_assertion },
            Grammar::Java => Self { is_test: is_java_test, is_assertion: is_java_assertion },
            Grammar::C | Grammar::Cpp => Self { is_test: is_c_test, is_assertion: is_c_assertion },
            Grammar::Haskell | Grammar::Python | Grammar::Zig => return None,
        })
    }
}

fn node_text<'t>(node: Node<'_>, text: &'t [u8]) -> &'t str {
    node.utf8_text(text).unwrap_or_default()
}

/// Returns the code of the child of a node in a field of the grammar; None where it has none.
fn node_field_text<'t>(node: Node<'_>, name: &str, text: &'t [u8]) -> Option<&'t str> {
    node.child_by_field_name(name)?.utf8_text(text).ok()
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.kind().contains("comment")).collect()
}

/// Returns whether all operands are literals, without a name to which code could give a value.
fn are_constants(operands: &[Node<'_>]) -> bool {
    let is_constant = |node: &Node<'_>| {
        let kind = node.kind();
        let is_word =
            matches!(kind, "true" | "false" | "null" | "undefined" | "nil" | "number" | "string");
        is_word || kind.ends_with("_literal") && !kind.starts_with("composite")
    };
    operands.iter().all(is_constant)
}

fn has_constant_arguments(call: Node<'_>) -> bool {
    call.child_by_field_name("arguments").is_none_or(|it| are_constants(&named_children(it)))
}

/// Recognises `test("...", () => ...)`, `it.only(...)`, `test.each(rows)("...", ...)`, `Deno.test(...)`.
fn is_script_test(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "call_expression" {
        return false;
    }
    let Some(called) = node_field_text(node, "function", text) else { return false };
    let called = called.strip_prefix("Deno.").unwrap_or(called);
    let first = called.split(['.', '(', '`']).next().unwrap_or_default();
    let body = node.child_by_field_name("arguments").map(named_children).unwrap_or_default();
    let has_body = body.iter().any(|it| it.kind().contains("function"));
    has_body && matches!(first, "test" | "it")
}

/// Recognises `expect(x).toBe(1)` and the like, once for each `expect`; `assert(x)`, `assert.equal(x, 1)`,
/// `assertEquals(x, 1)`.
fn is_script_assertion(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "call_expression" {
        return false;
    }
    let Some(called) = node_field_text(node, "function", text) else { return false };
    if called == "expect" {
        return checks_expectation(node);
    }
    let is_named = called.strip_prefix("assert").is_some_and(|rest| {
        rest.is_empty() || rest.starts_with('.') || rest.starts_with(|c: char| c.is_uppercase())
    });
    is_named && !called.contains('(') && !has_constant_arguments(node)
}

/// Returns whether an `expect` call has a matcher and does not only compare constants.
fn checks_expectation(expect: Node<'_>) -> bool {
    let (mut node, mut is_said, mut is_constant) = (expect, false, has_constant_arguments(expect));
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "member_expression" => is_said = true,
            "call_expression" if parent.child_by_field_name("function") == Some(node) => {
                is_constant &= has_constant_arguments(parent);
            }
            _ => break,
        }
        node = parent;
    }
    is_said && !is_constant
}

/// Recognises `func TestSum(t *testing.T)`.
fn is_go_test(node: Node<'_>, text: &[u8]) -> bool {
    let is_named =
        || node_field_text(node, "name", text).is_some_and(|name| name.starts_with("Test"));
    let takes =
        || node_field_text(node, "parameters", text).is_some_and(|it| it.contains("testing.T"));
    node.kind() == "function_declaration" && is_named() && takes()
}

/// Recognises `t.Errorf(...)` and the like, which are inside a condition; `require.Equal(t, ...)`, `assert.True(t,
/// ...)`.
fn is_go_assertion(node: Node<'_>, text: &[u8]) -> bool {
    let Some(called) =
        node.child_by_field_name("function").filter(|_| node.kind() == "call_expression")
    else {
        return false;
    };
    let (Some(receiver), Some(name)) =
        (node_field_text(called, "operand", text), node_field_text(called, "field", text))
    else {
        return false;
    };
    let fails = matches!(name, "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow");
    let operands = node.child_by_field_name("arguments").map(named_children).unwrap_or_default();
    match receiver {
        "require" | "assert" => operands.len() > 1 && !are_constants(&operands[1..]),
        _ => fails && !matches!(receiver, "log" | "fmt" | "errors"),
    }
}

/// Recognises a function with the attribute `#[test]`, `#[tokio::test]`, `#[rstest]`.
fn is_rust_test(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "function_item" {
        return false;
    }
    let before = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling);
    let mut attributes = before
        .take_while(|it| it.kind() == "attribute_item" || it.kind().contains("comment"))
        .filter(|it| it.kind() == "attribute_item");
    attributes.any(|attribute| {
        let words = node_text(attribute, text).trim_start_matches("#[").trim_end_matches(']');
        let path = words.split(['(', ' ']).next().unwrap_or_default();
        matches!(path.rsplit("::").next(), Some("test" | "rstest" | "test_case"))
    })
}

/// Recognises `assert!`, `assert_eq!`, `insta::assert_snapshot!`, `prop_assert!`.
fn is_rust_assertion(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "macro_invocation" {
        return false;
    }
    let name = node_field_text(node, "macro", text)
        .and_then(|it| it.rsplit("::").next())
        .unwrap_or_default();
    let is_named = ["assert", "debug_assert", "prop_assert"].iter().any(|it| name.starts_with(it));
    let tokens = named_children(node).into_iter().find(|it| it.kind() == "token_tree");
    is_named && tokens.is_some_and(|it| !are_constants(&named_children(it)))
}

/// Recognises a method with the annotation `@Test`, `@ParameterizedTest`, `@RepeatedTest`.
fn is_java_test(node: Node<'_>, text: &[u8]) -> bool {
    let is_test = |it: &Node<'_>| {
        let name = node_field_text(*it, "name", text).and_then(|it| it.rsplit('.').next());
        it.kind().ends_with("annotation")
            && matches!(name, Some("Test" | "ParameterizedTest" | "RepeatedTest"))
    };
    node.kind() == "method_declaration"
        && named_children(node)
            .iter()
            .filter(|it| it.kind() == "modifiers")
            .any(|it| named_children(*it).iter().any(is_test))
}

/// Recognises `assertEquals(...)` and `Assertions.assertThrows(...)`; `assertThat(x).isTrue()` counts once.
fn is_java_assertion(node: Node<'_>, text: &[u8]) -> bool {
    let is_named =
        || node_field_text(node, "name", text).is_some_and(|name| name.starts_with("assert"));
    node.kind() == "method_invocation" && is_named() && !has_constant_arguments(node)
}

/// Recognises `TEST(Suite, Name) {}`, `TEST_CASE("...") {}`, or a function whose name begins with `test`.
fn is_c_test(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "function_definition" {
        return false;
    }
    let mut declarator = node.child_by_field_name("declarator");
    while let Some(inner) = declarator.and_then(|it| it.child_by_field_name("declarator")) {
        declarator = Some(inner);
    }
    let name = declarator.map(|it| node_text(it, text)).unwrap_or_default();
    let is_macro = matches!(name, "TEST" | "TEST_F" | "TEST_P" | "TYPED_TEST" | "TEST_CASE");
    is_macro || name.starts_with("test")
}

/// Recognises `EXPECT_EQ(...)`, `ASSERT_TRUE(...)`, `REQUIRE(...)`, `TEST_ASSERT_EQUAL(...)`, `assert(...)`.
fn is_c_assertion(node: Node<'_>, text: &[u8]) -> bool {
    if node.kind() != "call_expression" {
        return false;
    }
    let name = node_field_text(node, "function", text).unwrap_or_default();
    let begins = ["EXPECT_", "ASSERT_", "TEST_ASSERT", "ck_assert", "CHECK_", "REQUIRE_"];
    let is_named = begins.iter().any(|it| name.starts_with(it))
        || matches!(name, "assert" | "CHECK" | "REQUIRE");
    is_named && !has_constant_arguments(node)
}

#[cfg(test)]
mod tests {
    use crate::process::assertions::{AssertionCounts, count_as_paper};
    use trajview_code::tree::Grammar;

    fn count_tests(grammar: Grammar, text: &str) -> (usize, usize) {
        let AssertionCounts { functions, asserts, .. } = count_as_paper(
            grammar,
            text.as_bytes(),
            &trajview_code::tree::parse_tree(grammar, text.as_bytes()).unwrap(),
        );
        (functions, asserts)
    }

    #[cfg(feature = "javascript")]
    #[test]
    fn javascript_has_tests_with_expectations_and_assertions() {
        let text = r#"
            import assert from "node:assert";
            describe("sum", () => {
              beforeEach(() => { assert.ok(ready); });
              it("adds", () => { expect(sum(1, 2)).toBe(3); expect(list).not.to.be.empty; });
              test.each([[1, 2]])("adds %i", async (a) => { await expect(f(a)).resolves.toEqual(1); });
              test("nothing", function () { expect(true).toBe(true); expect(1 ); assert(true); assert.equal(sum(), 0); });
            });"#;
        assert_eq!(count_tests(Grammar::JavaScript, text), (3, 4));
    }

    #[cfg(feature = "typescript")]
    #[test]
    fn typescript_is_counted_as_javascript_is() {
        let text = r#"Deno.test("a", (): void => { assertEquals(f() as number, 1); expect("x").toBe(f()); });"#;
        assert_eq!(count_tests(Grammar::TypeScript, text), (1, 2));
        assert_eq!(count_tests(Grammar::Tsx, text), (1, 2));
    }

    #[cfg(feature = "go")]
    #[test]
    fn go_has_functions_that_take_a_t() {
        let text = r#"package a
            func helper(t *testing.T) { t.Fatal("x") }
            func TestSum(t *testing.T) {
                if Sum(1) != 2 { t.Errorf("got") }
                t.Run("b", func(t *testing.T) { require.Equal(t, 1, Sum(0)); assert.True(t, true) })
                log.Fatal("no")
            }
            func TestMain(m *testing.M) { os.Exit(m.Run()) }"#;
        assert_eq!(count_tests(Grammar::Go, text), (1, 2));
    }

    #[cfg(feature = "rust")]
    #[test]
    fn rust_has_functions_behind_an_attribute() {
        let text = r#"
            fn helper() { assert!(x); }
            #[cfg(test)]
            mod tests {
                #[test]
                // why
                fn a() { assert!(true); assert_eq!(f(1), 2); insta::assert_snapshot!(f()); }
                #[tokio::test(flavor = "x")]
                async fn b() { assert!(f().await, "why"); }
                #[cfg(test)]
                fn c() { assert!(f()); }
            }"#;
        assert_eq!(count_tests(Grammar::Rust, text), (2, 3));
    }

    #[cfg(feature = "java")]
    #[test]
    fn java_has_methods_behind_an_annotation() {
        let text = r#"class T {
            void helper() { assertTrue(x); }
            @Test public void a() { assertEquals(1, f()); assertTrue(true); }
            @ParameterizedTest @ValueSource(ints = {1}) void b(int x) { assertThat(f(x)).isEqualTo(2).isPositive(); }
        }"#;
        assert_eq!(count_tests(Grammar::Java, text), (2, 2));
    }

    #[cfg(feature = "cpp")]
    #[test]
    fn cpp_has_the_macros_of_its_test_libraries() {
        let text = "TEST(Sum, Adds) { EXPECT_EQ(sum(1), 2); ASSERT_TRUE(true); }\nTEST_F(Fix, B) { ASSERT_NE(f(), nullptr); }\nint main() { assert(f()); }\n";
        assert_eq!(count_tests(Grammar::Cpp, text), (2, 2));
    }

    #[cfg(feature = "c")]
    #[test]
    fn c_has_functions_that_are_named_so() {
        let text = "static void test_sum(void) { assert(sum(1) == 2); TEST_ASSERT_EQUAL(2, sum(1)); assert(1); }\n";
        assert_eq!(count_tests(Grammar::C, text), (1, 2));
    }
}
