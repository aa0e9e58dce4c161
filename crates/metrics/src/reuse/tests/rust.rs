//! Rust.

use super::*;

#[test]
fn a_crate_has_its_pub_items_and_their_users() {
    let project: ProjectFiles<'_> = &[
        ("Cargo.toml", "[package]\nname = \"my-shapes\"\n"),
        ("src/lib.rs", "pub mod area;\nmod draw;\npub mod shape;\npub use area::of;\n"),
        (
            "src/area.rs",
            "use crate::shape::{Shape, Sized as _};\npub fn of(s: &Shape) -> f64 { s.size() }\npub fn round(x: f64) -> f64 { x }\nfn own() {}\n",
        ),
        (
            "src/draw/mod.rs",
            "mod svg;\nuse super::area;\npub fn draw() { println!(\"{}\", area::round(1.0)); svg::line() }\n",
        ),
        ("src/draw/svg.rs", "pub(super) fn line() {}\npub const WIDTH: u8 = 1;\n"),
        (
            "src/main.rs",
            "use my_shapes::{of, shape::Shape};\nfn main() { of(&Shape::default()); }\npub fn shown() {}\n",
        ),
        (
            "src/shape.rs",
            "pub struct Shape;\npub enum Unused { A }\npub trait Sized { fn size(&self) -> f64; }\nimpl Sized for Shape { fn size(&self) -> f64 { 1.0 } }\n#[cfg(test)]\nmod tests { use super::*; use crate::area::own; fn t() { own(); } }\n",
        ),
        ("tests/it.rs", "use my_shapes::shape::Unused;\n#[test]\nfn t() { Unused::A; }\n"),
    ];

    let expected = [
        "src/area of: src/main",
        "src/area round: src/draw/mod",
        "src/draw/mod draw:",
        "src/draw/svg line: src/draw/mod",
        "src/shape Shape: src/area src/main",
        "src/shape Unused:",
        "src/shape Sized: src/area",
    ];
    assert_eq!(symbol_lines(project), expected);
    let expected = [
        ("src/area.rs", FileRole::Module),
        ("src/draw/mod.rs", FileRole::Module),
        ("src/draw/svg.rs", FileRole::Module),
        ("src/lib.rs", FileRole::Module),
        ("src/main.rs", FileRole::Entry),
        ("src/shape.rs", FileRole::Module),
        ("tests/it.rs", FileRole::Test),
    ];
    assert_eq!(file_roles(project), expected.map(|(path, role)| (path.to_owned(), role)));
}

#[test]
fn a_symbol_is_named_in_every_way_that_the_language_knows() {
    for (text, expected) in [
        ("use crate::b::f; fn own() { f(); }", "f"),
        ("use crate::b::f as g; fn own() { g(); }", "f"),
        ("use crate::b::{self, f}; fn own() { f(b::T); }", "T f"),
        ("use crate::b::*; fn own() { f(); }", "f"),
        ("use super::b; fn own() { b::f(); }", "f"),
        ("use crate::{b as c}; fn own() { c::f(); }", "f"),
        ("fn own() { crate::b::f(); }", "f"),
        ("fn own() { super::b::f(); }", "f"),
        ("fn own() { use crate::b::f; f(); }", "f"),
        ("use crate::b::T; fn own(x: &T) {}", "T"),
        ("use crate::b::T; fn own() -> Vec<T> { vec![] }", "T"),
        ("use crate::b::T; struct Own(T);", "T"),
        ("use crate::b::T; impl T { fn g() {} }", "T"),
        ("use crate::b::T; fn own() { T::new(); }", "T"),
        ("use crate::b::T; fn own() { Vec::<T>::new(); }", "T"),
        ("use crate::b::T; fn own() { vec![T::new()]; }", "T"),
        ("fn own() { assert!(crate::b::f() == 1); }", "f"),
        ("use crate::b::T; fn own() { T { x: 1 }; }", "T"),
        ("use crate::b::T; fn own(y: u8) { match y { T => 1 }; }", "T"),
        ("use crate::b::T; fn own(y: u8) { if let T(z) = y {} }", "T"),
        ("use crate::b::T; impl Own for T {}", "T"),
        ("use crate::b::T; fn own(x: impl Into<T>) where u8: From<T> {}", "T"),
        ("use crate::b::f; fn own() { let f = f(); }", "f"),
        ("use crate::b::f; fn own() { x.map(f); }", "f"),
        ("use crate::b; fn own() { let b = b::f(); b::T; }", "T f"),
        ("use crate::b::f; const X: u8 = f();", "f"),
        ("mod inner { use super::super::b::f; fn own() { f(); } }", "f"),
        ("mod inner { pub use crate::b::f; } fn own() { inner::f(); }", "f"),
        ("use crate::b::f;", ""),
        ("pub use crate::b::f;", ""),
        ("use crate::b::f; fn own(f: u8) { f; }", ""),
        ("use crate::b::f; fn own() { let f = 1; f; }", ""),
        ("use crate::b::f; fn own() { |f| f; }", ""),
        ("use crate::b::f; fn own() { for f in x { f; } }", ""),
        ("use crate::b::f; fn own() { match x { Some(f) => f, _ => 1 }; }", ""),
        ("use crate::b::f; fn own() { if let Some(f) = x { f; } }", ""),
        ("use crate::b::f; fn own() { let Own { f, .. } = x; f; }", ""),
        ("use crate::b::f; fn own() { x.f(); x.f; Own { f: 1 }; }", ""),
        ("use crate::b::T; fn own<T>(x: T) {}", ""),
        ("use crate::b::f; fn own() { format!(\"f\"); y!(x.f()); }", ""),
        ("use crate::b::f; macro_rules! m { () => { f() } }", ""),
        ("use crate::b::f; #[cfg(test)] fn own() { f(); }", ""),
        ("use crate::b::f; #[test] fn own() { f(); }", ""),
        ("use crate::b::f; #[cfg(all(test, unix))] mod t { fn own() { super::f(); } }", ""),
        ("use crate::c::f; fn own() { f(); }", ""),
        ("use std::f; fn own() { f(); }", ""),
    ] {
        let text = format!("{text}\n");
        let project: ProjectFiles<'_> = &[
            ("src/main.rs", "mod a; mod b; fn main() {}\n"),
            ("src/a.rs", &text),
            ("src/b.rs", "pub struct T;\npub fn f() {}\nfn own() {}\npub(self) fn hidden() {}\n"),
        ];
        let all = reuse_of(project);
        assert_eq!(all.skipped, [], "{text}");
        let used = all.symbols.iter().filter(|symbol| symbol.reused_by == ["src/a.rs"]);
        let used: Vec<&str> = used.map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(used.join(" "), expected, "{text}");
        assert_eq!(all.exported_count(), 2, "{text}");
    }
}

#[test]
fn modules_in_a_file_and_files_of_other_names_are_found() {
    let project: ProjectFiles<'_> = &[
        (
            "src/lib.rs",
            "pub mod shapes { pub mod round { pub fn area() {} } pub mod deep; }\n#[path = \"odd/name.rs\"]\nmod other;\n#[cfg(test)]\nmod helpers;\npub mod prelude { pub use crate::shapes::round::*; pub use crate::other::odd; }\n",
        ),
        ("src/helpers.rs", "mod more;\npub fn help() {}\n"),
        ("src/helpers/more.rs", "pub fn more() { crate::other::even(); }\n"),
        ("src/odd/name.rs", "use crate::prelude::*;\npub fn odd() { area(); }\npub fn even() {}\n"),
        (
            "src/shapes/deep.rs",
            "pub mod deeper;\nuse crate::prelude::{area, odd};\npub fn deep() { area(); odd(); super::round::area(); }\n",
        ),
        // Its file is declared by a file that comes after the file that declares that one.
        ("src/shapes/deep/deeper.rs", "pub fn deeper() {}\n"),
        ("src/shapes/deep/unknown.rs", "pub fn unknown() {}\n"),
    ];

    let expected = [
        "src/lib shapes::round::area: src/odd/name src/shapes/deep",
        "src/odd/name odd: src/shapes/deep",
        "src/odd/name even:",
        "src/shapes/deep deep:",
        "src/shapes/deep/deeper deeper:",
    ];
    assert_eq!(symbol_lines(project), expected);
    let tests = file_roles(project).into_iter().filter(|(_, role)| *role == FileRole::Test);
    let tests: Vec<String> = tests.map(|(path, _)| path).collect();
    assert_eq!(tests, ["src/helpers.rs", "src/helpers/more.rs"]);
}

#[test]
fn a_module_that_a_macro_declares_is_one() {
    let project: ProjectFiles<'_> = &[
        ("src/formats/left.rs", "pub fn left() {}\n"),
        ("src/formats/mod.rs", "declare! { one, two }\n"),
        ("src/formats/one.rs", "use super::two::two;\npub fn one() { two(); }\n"),
        ("src/formats/two.rs", "pub fn two() {}\n"),
        ("src/lib.rs", "mod formats;\n"),
    ];

    let expected = ["src/formats/one one:", "src/formats/two two: src/formats/one"];
    assert_eq!(symbol_lines(project), expected);
}

#[test]
fn packages_of_a_workspace_use_each_other_by_their_names() {
    let project: ProjectFiles<'_> = &[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/app/Cargo.toml", "[package]\nname = \"app\"\n"),
        ("crates/app/src/main.rs", "use core_of_it::run;\nfn main() { run(named::go()); }\n"),
        ("crates/core/Cargo.toml", "[package]\nname = \"core-of-it\"\n"),
        ("crates/core/src/lib.rs", "pub fn run() {}\n"),
        ("crates/named/src/lib.rs", "pub fn go() {}\n"),
    ];

    let expected = [
        "crates/core/src/lib run: crates/app/src/main",
        "crates/named/src/lib go: crates/app/src/main",
    ];
    assert_eq!(symbol_lines(project), expected);
}

#[test]
fn modules_that_declare_and_import_each_other_come_to_an_end() {
    let project: ProjectFiles<'_> = &[
        (
            "src/a.rs",
            "#[path = \"b.rs\"] mod b; #[path = \"a.rs\"] mod a; pub use b::*; pub fn f() { b::g(); }\n",
        ),
        (
            "src/b.rs",
            "#[path = \"a.rs\"] mod a; pub use a::*; pub use super::super::*; pub fn g() { a::f(); h(); }\n",
        ),
    ];

    assert_eq!(symbol_lines(project), ["src/a f: src/b", "src/b g: src/a"]);
}
