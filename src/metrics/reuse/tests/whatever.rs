//! Whatever the files: there is an answer, and it is the same in any order.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Lines that a file of a project may have, of which only some make sense together.
fn line() -> impl Strategy<Value = String> {
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

fn project() -> impl Strategy<Value = Vec<(String, String)>> {
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
    let file = (prop::sample::select(paths), prop::collection::vec(line(), 0..8));
    let file = file.prop_map(|(path, lines)| (path.to_owned(), lines.join("\n")));
    prop::collection::vec(file, 0..8)
}

fn linked(project: &[(String, Vec<u8>)]) -> Reuse {
    of(project.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())))
}

fn is_sound(reuse: &Reuse) {
    assert!(reuse.dir().is_none_or(|dir| (0.0..=1.0).contains(&dir)));
    assert!(reuse.reused() <= reuse.exported());
    let modules: BTreeSet<&str> = reuse
        .modules
        .iter()
        .filter(|module| matches!(module.role, Role::Module | Role::Entry))
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
    fn whatever_the_project_the_share_is_one_and_the_users_are_modules(project in project()) {
        let files: Vec<(String, Vec<u8>)> =
            project.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        is_sound(&linked(&files));
    }

    #[test]
    fn whatever_the_bytes_there_is_an_answer(
        files in prop::collection::vec(("[a-c/]{1,6}\\.(py|pyw|pyi|js|ts|tsx|rs)", prop::collection::vec(any::<u8>(), 0..200)), 0..4)
    ) {
        is_sound(&linked(&files));
    }

    #[test]
    fn whatever_the_order_of_the_files_the_lists_are_the_same(project in project()) {
        let mut seen = BTreeSet::new();
        let mut files: Vec<(String, Vec<u8>)> = project
            .into_iter()
            .filter(|(path, _)| seen.insert(path.clone()))
            .map(|(path, text)| (path, text.into_bytes()))
            .collect();
        let first = linked(&files);
        files.reverse();
        prop_assert_eq!(linked(&files), first);
    }
}

#[test]
fn code_nested_too_deep_is_skipped_and_said_so() {
    let deep = format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));

    let reuse = reuse(&[("a.py", &deep), ("b.py", "import c\n"), ("c.py", "def f(): pass\n")]);

    assert_eq!(reuse.skipped.len(), 1);
    assert_eq!(reuse.exported(), 1);
}

#[test]
fn a_name_that_is_passed_on_for_ever_is_given_up_and_that_is_said() {
    let mut project: Vec<(String, String)> = (0..300)
        .map(|n| (format!("m{n}.py"), format!("from m{} import f\nf()\n", n + 1)))
        .collect();
    project.push(("m300.py".into(), "def f(): pass\n".into()));
    let borrowed: Vec<(&str, &str)> =
        project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();

    let reuse = reuse(&borrowed);

    assert!(reuse.gave_up);
    assert_eq!(reuse.reused(), 1);
}

#[test]
fn stars_that_all_bring_each_other_are_answered_soon() {
    let stars: String = (0..30).map(|n| format!("from m{n} import *\n")).collect();
    let names: String = (0..100).map(|n| format!("name{n}()\n")).collect();
    let project: Vec<(String, String)> =
        (0..30).map(|n| (format!("m{n}.py"), format!("{stars}{names}"))).collect();
    let borrowed: Vec<(&str, &str)> =
        project.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();

    assert_eq!(reuse(&borrowed).dir(), None);
}
