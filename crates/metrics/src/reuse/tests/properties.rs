//! Property tests: for any files there is a result, and it does not depend on their order.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Generates lines of a Python file, of which only some make sense together.
fn python_line() -> impl Strategy<Value = String> {
    let name =
        || prop::sample::select(vec!["a", "b", "pkg", "pkg.a", "f", "g", "C", "_h", "__all__"]);
    prop_oneof![
        (name(), name()).prop_map(|(module, name)| format!("from {module} import {name}")),
        (name(), name()).prop_map(|(module, name)| format!("from .{module} import {name} as g")),
        name().prop_map(|module| format!("from {module} import *")),
        name().prop_map(|module| format!("from .{module} import *")),
        name().prop_map(|module| format!("import {module}")),
        name().prop_map(|name| format!("from . import {name}")),
        Just("def f(): g(f, C)".to_owned()),
        Just("class C(f): x = g".to_owned()),
        Just("__all__ = ['f', '_h']".to_owned()),
        name().prop_map(|module| format!("__all__ += {module}.__all__")),
        (name(), name()).prop_map(|(module, name)| format!("{module}.{name}()")),
        Just("if __name__ == '__main__': f()".to_owned()),
        "[ -~]{0,20}",
    ]
}

/// Generates lines of JavaScript and Rust files.
fn other_line() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(vec!["a", "b", "f", "g", "default", "crate", "super", "T"]);
    let from = || prop::sample::select(vec!["./a", "./b", "../a", ".", "./lib/"]);
    prop_oneof![
        (name(), from())
            .prop_map(|(name, from)| format!("import {{ {name} as x }} from '{from}';")),
        from().prop_map(|from| format!("export * from '{from}';")),
        (name(), from())
            .prop_map(|(name, from)| format!("export {{ {name} as f }} from '{from}';")),
        from().prop_map(|from| format!("module.exports = {{ f, ...require('{from}') }};")),
        from().prop_map(|from| format!("module.exports = require('{from}');")),
        Just("export function f() { x.f(g) }".to_owned()),
        (name(), name()).prop_map(|(a, b)| format!("use {a}::{b};")),
        (name(), name()).prop_map(|(a, b)| format!("pub use {a}::{b}::*;")),
        name().prop_map(|name| format!("mod {name};")),
        name().prop_map(|name| format!("#[path = \"{name}.rs\"] mod f;")),
        (name(), name()).prop_map(|(a, b)| format!("pub fn f() {{ {a}::{b}(); g!({b}::{a}); }}")),
        Just("pub trait T {}".to_owned()),
        "[ -~]{0,20}",
    ]
}

fn project_strategy() -> impl Strategy<Value = Vec<(String, String)>> {
    let paths = vec![
        "a.py",
        "b.py",
        "pkg/__init__.py",
        "pkg/a.py",
        "pkg/b.py",
        "tests/test_a.py",
        "setup.py",
        "src/pkg/a.py",
    ];
    let others =
        vec!["a.js", "b.ts", "lib/index.js", "lib/a.tsx", "a.rs", "b.rs", "src/lib.rs", "a/mod.rs"];
    let python = (prop::sample::select(paths), prop::collection::vec(python_line(), 0..8));
    let other = (prop::sample::select(others), prop::collection::vec(other_line(), 0..5));
    let text = |(path, lines): (&str, Vec<String>)| (path.to_owned(), lines.join("\n"));
    prop::collection::vec(prop_oneof![python.prop_map(text), other.prop_map(text)], 0..10)
}

fn linked_reuse(project: &[(String, Vec<u8>)]) -> Reuse {
    reuse_of_files(project.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())))
}

fn assert_sound(reuse: &Reuse) {
    assert!(reuse.dir().is_none_or(|dir| (0.0..=1.0).contains(&dir)));
    assert!(reuse.reused_count() <= reuse.exported_count());
    let modules: BTreeSet<&str> = reuse
        .modules
        .iter()
        .filter(|module| matches!(module.role, FileRole::Module | FileRole::Entry))
        .map(|module| module.path.as_str())
        .collect();
    for symbol in &reuse.symbols {
        assert!(modules.contains(symbol.path.as_str()));
        for user in &symbol.reused_by {
            assert!(user != &symbol.path && modules.contains(user.as_str()));
        }
    }
}

proptest! {
    #[test]
    fn whatever_the_project_the_share_is_one_and_the_users_are_modules(project in project_strategy()) {
        let files: Vec<(String, Vec<u8>)> =
            project.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        assert_sound(&linked_reuse(&files));
    }

    #[test]
    fn whatever_the_bytes_there_is_an_answer(
        files in prop::collection::vec(("[a-c/]{1,6}\\.(py|pyw|pyi|js|ts|tsx|rs)", prop::collection::vec(any::<u8>(), 0..200)), 0..4)
    ) {
        assert_sound(&linked_reuse(&files));
    }

    #[test]
    fn whatever_the_order_of_the_files_the_lists_are_the_same(project in project_strategy()) {
        let mut seen = BTreeSet::new();
        let mut files: Vec<(String, Vec<u8>)> = project
            .into_iter()
            .filter(|(path, _)| seen.insert(path.clone()))
            .map(|(path, text)| (path, text.into_bytes()))
            .collect();
        let first = linked_reuse(&files);
        files.reverse();
        prop_assert_eq!(linked_reuse(&files), first);
    }
}

#[test]
fn code_nested_too_deep_is_skipped_and_said_so() {
    let deep = format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));

    let reuse = reuse_of(&[("a.py", &deep), ("b.py", "import c\n"), ("c.py", "def f(): pass\n")]);

    assert_eq!(reuse.skipped.len(), 1);
    assert_eq!(reuse.exported_count(), 1);
}

#[test]
fn a_name_that_is_passed_on_for_ever_is_given_up_and_that_is_said() {
    let mut project: Vec<(String, String)> = (0..300)
        .map(|n| (format!("m{n}.py"), format!("from m{} import f\nf()\n", n + 1)))
        .collect();
    project.push(("m300.py".into(), "def f(): pass\n".into()));
    let borrowed: Vec<(&str, &str)> =
        project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();

    let reuse = reuse_of(&borrowed);

    assert!(reuse.gave_up);
    assert_eq!(reuse.reused_count(), 1);
}

#[test]
#[cfg(all(feature = "javascript", feature = "rust"))]
fn a_file_that_is_deep_or_long_is_answered_soon_in_every_language() {
    let deep = "(".repeat(3_000) + &")".repeat(3_000);
    let many = |line: &str| line.repeat(5_000);
    let project: Vec<(String, String)> = vec![
        ("a.js".into(), format!("import f from './b';\nf{deep};\n{}", many("f.a.b.c(f);\n"))),
        ("b.js".into(), format!("export default () => x{}\n", ".f()".repeat(4_000))),
        ("src/a.rs".into(), format!("fn f() {{ m!{deep}; {} }}", many("let x = x::y(x);\n"))),
        ("src/lib.rs".into(), format!("mod a; pub fn f() {{ g(x{}) }}", ".f()".repeat(2_000))),
        (
            "c.py".into(),
            format!(
                "x: {}\n{}",
                "f[".repeat(2_000) + &"]".repeat(2_000),
                many("from c import *\n")
            ),
        ),
    ];
    let borrowed: Vec<(&str, &str)> =
        project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();

    assert_sound(&reuse_of(&borrowed));
}

#[test]
fn stars_that_all_bring_each_other_are_answered_soon() {
    let stars: String = (0..30).map(|n| format!("from m{n} import *\n")).collect();
    let names: String = (0..100).map(|n| format!("name{n}()\n")).collect();
    let project: Vec<(String, String)> =
        (0..30).map(|n| (format!("m{n}.py"), format!("{stars}{names}"))).collect();
    let borrowed: Vec<(&str, &str)> =
        project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();

    assert_eq!(reuse_of(&borrowed).dir(), None);
}
