//! Python.

use super::*;

#[test]
fn what_is_registered_is_in_neither_count_and_says_by_what() {
    let project = &[
        ("pkg/__init__.py", ""),
        (
            "pkg/core.py",
            "from .reg import register\n@register\nclass A: pass\n@register('b')\ndef b(): pass\n\
             class C: pass\nclass D: pass\ndef main(): pass\ndef used(): pass\n\
             @functools.lru_cache\ndef idle(): pass\n",
        ),
        ("pkg/reg.py", "def register(it): return it\nPLUGINS = ['pkg.core:C', 'pkg.core.D']\n"),
        ("pkg/app.py", "from .core import used\nused()\n"),
        ("pyproject.toml", "[project.scripts]\nrun = \"pkg.core:main\"\n"),
    ];

    let all = reuse_of(project);

    let registered: Vec<_> = (all.symbols.iter())
        .filter_map(|it| Some((it.name.as_str(), it.registered.as_deref()?)))
        .collect();
    assert_eq!(
        registered,
        [
            ("A", "decorator register"),
            ("b", "decorator register"),
            ("C", "string in pkg/reg.py"),
            ("D", "string in pkg/reg.py"),
            ("main", "entry point in pyproject.toml"),
        ]
    );
    // `register` and `used` are reused, `idle` is not.
    assert_eq!((all.reused_count(), all.exported_count(), all.registered_count()), (2, 3, 5));
}

#[test]
fn of_one_module_dir_is_not_defined() {
    let tests = ("tests/test_core.py", "from pkg.core import f\nf()\n");
    let alone = reuse_of(&[
        ("pkg/__init__.py", "from .core import f\n"),
        ("pkg/core.py", "def f(): pass\n"),
        tests,
    ]);

    assert_eq!((alone.exported_count(), alone.dir()), (1, None));
    assert_eq!(alone.not_defined(), Some("one module: no other could use its symbols"));
}

#[test]
fn what_another_module_imports_and_refers_to_is_reused_and_nothing_else() {
    let project: ProjectFiles<'_> = &[
        (
            "main.py",
            "from model import Net, loss, unused\n\nif __name__ == \"__main__\":\n    Net()\n    print(loss)\n",
        ),
        (
            "model.py",
            "class Net: pass\ndef loss(): return Net()\ndef unused(): pass\ndef _own(): pass\nLIMIT = 3\n",
        ),
        ("tests/test_model.py", "from model import unused\n\ndef test(): unused()\n"),
    ];

    assert_eq!(symbol_lines(project), ["model Net: main", "model loss: main", "model unused:"]);
    assert_eq!(reuse_of(project).dir(), Some(2.0 / 3.0));
    let expected = [
        ("main.py".to_owned(), FileRole::Entry),
        ("model.py".to_owned(), FileRole::Module),
        ("tests/test_model.py".to_owned(), FileRole::Test),
    ];
    assert_eq!(file_roles(project), expected);
}

#[test]
fn a_symbol_says_where_it_is_and_what() {
    let project: ProjectFiles<'_> = &[
        ("a.py", "import b\nb.run(b.Job)\n"),
        ("b.py", "\n@decorated\ndef run(): pass\n\nclass Job: pass\n"),
    ];

    let symbols = reuse_of(project).symbols;

    let symbol = |name: &str, line, kind| ReuseSymbol {
        name: name.into(),
        path: "b.py".into(),
        line,
        kind,
        reused_by: vec!["a.py".into()],
        registered: None,
    };
    let by = Some("decorator decorated".into());
    let run = ReuseSymbol { registered: by, ..symbol("run", 3, SymbolKind::Function) };
    assert_eq!(symbols, [run, symbol("Job", 5, SymbolKind::Class)]);
}

#[test]
fn a_module_is_named_in_every_way_that_python_knows() {
    let b = "def f(): pass\ndef g(): pass\n";
    for (import, expected) in [
        ("import pkg.b\npkg.b.f()", "f"),
        ("import pkg.b as m\nm.f()", "f"),
        ("from pkg import b\nb.f()", "f"),
        ("from pkg import b as c\nc.f.__name__", "f"),
        ("from pkg.b import f\nf()", "f"),
        ("from pkg.b import f as h\nprint(h)", "f"),
        ("from .b import f\nf()", "f"),
        ("from . import b\nb.f()", "f"),
        ("from . import b as c\nc.f()", "f"),
        ("from ..pkg.b import f\nf()", "f"),
        ("from pkg.b import *\nf()", "f"),
        ("import pkg\npkg.b.f()", "f"),
        ("try:\n    from pkg.b import f\nexcept ImportError:\n    f = None\nf()", "f"),
        ("if True:\n    from pkg.b import f\nelse:\n    from other import f\nf()", "f"),
        ("def late():\n    from .b import f\n    return f()", "f"),
        ("import pkg.b\nx = pkg.b", ""),
        ("from pkg.b import f", ""),
        ("import pkg.b", ""),
        ("from pkg import b\ngetattr(b, \"f\")", ""),
        ("from pkg import b\nb.missing()", ""),
    ] {
        let project: ProjectFiles<'_> =
            &[("pkg/__init__.py", ""), ("pkg/a.py", import), ("pkg/b.py", b)];
        let all = symbol_lines(project);
        let reused: Vec<&str> = all
            .iter()
            .filter_map(|line| line.strip_prefix("pkg/b ")?.strip_suffix(": pkg/a"))
            .collect();
        let expected: Vec<&str> = [expected].into_iter().filter(|name| !name.is_empty()).collect();
        assert_eq!(reused, expected, "{import}");
    }
}

#[test]
fn every_place_that_names_a_symbol_is_a_use() {
    for one in [
        "@f\ndef own(): pass",
        "class Own(f): pass",
        "class Own(metaclass=f): pass",
        "def own(x: f): pass",
        "def own(x) -> list[f]: pass",
        "def own(x: \"f\"): pass",
        "def own(x: \"list[f] | None\"): pass",
        "x: f = 1",
        "def own(x=f): pass",
        "own(key=f)",
        "[f(x) for x in y]",
        "[x for x in f()]",
        "lambda: f",
        "print(f\"{f()}\")",
        "with f() as x: pass",
        "try: pass\nexcept f: pass",
        "try: pass\nexcept (f, g) as e: pass",
        "match x:\n    case f(): pass",
        "match x:\n    case {1: f(a=2)}: pass",
        "raise f from None",
        "x = own(f)[f:f]",
        "class Own:\n    f = 1\n    def run(self): return f",
        "class Own:\n    x = f",
        "def own():\n    def inner(): return f\n    return inner",
        "def own():\n    global f\n    f()",
        "type X = list[f]",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import f\ndef own(x: \"f\"): pass",
    ] {
        let text = format!("from b import f\n{one}\n");
        let project: ProjectFiles<'_> = &[("a.py", &text), ("b.py", "def f(): pass\n")];
        assert_eq!(symbol_lines(project), ["b f: a"], "{one}");
    }
}

#[test]
fn a_name_that_a_nearer_scope_binds_is_another_name() {
    for one in [
        "def own(f): return f",
        "def own(*f): return f",
        "def own(**f): return f",
        "def own(f: int = 1): return f",
        "lambda f: f",
        "def own():\n    f = 1\n    return f",
        "def own():\n    for f in range(3): print(f)",
        "def own():\n    with open(x) as f: f.read()",
        "def own():\n    with open(x) as (f, g): f.read()",
        "def own():\n    try: pass\n    except E as f: print(f)",
        "def own():\n    import f\n    f.run()",
        "def own():\n    def f(): pass\n    f()",
        "def own():\n    if (f := 1): print(f)",
        "def own():\n    return [f for f in range(3)]",
        "[f for f in range(3)]",
        "[g for f in range(3) for g in f]",
        "{f: 1 for f in x}",
        "class Own:\n    f = 1\n    g = f",
        "def own():\n    match x:\n        case f: print(f)",
        "def own():\n    match x:\n        case [1, *f]: print(f)",
        "def own():\n    match x:\n        case {\"a\": f}: print(f)",
        "def own():\n    match x:\n        case int() as f: print(f)",
        "def own():\n    f, (g, *h) = x\n    return f",
        "def own():\n    def inner():\n        nonlocal f\n        f = 1\n    f = 2\n    return f",
        "own(f=1)",
        "x.f()",
        "def own(x: Literal[\"f\"]): pass",
        "def own(x: Annotated[int, Field(\"f\")]): pass",
        "print(\"f\")",
        "def own(x: \"not a type f\"): pass",
    ] {
        let text = format!("from b import f\n{one}\n");
        let project: ProjectFiles<'_> = &[("a.py", &text), ("b.py", "def f(): pass\n")];
        assert_eq!(symbol_lines(project), ["b f:"], "{one}");
    }
}

#[test]
fn a_name_is_followed_through_packages_that_pass_it_on() {
    let project: ProjectFiles<'_> = &[
        (
            "app.py",
            "import lib\nlib.one()\nlib.two()\nlib.Three()\nlib.four()\nfrom lib import _five\n_five()\n",
        ),
        (
            "lib/__init__.py",
            "from .one import one\nfrom lib.deep import *\nfrom .deep.four import four as four\nfrom ._five import five as _five\n",
        ),
        ("lib/_five.py", "def five(): pass\n"),
        (
            "lib/deep/__init__.py",
            "from .two import *\nfrom . import three\nThree = three.Three\n__all__ = [\"two\", \"three\"]\n__all__ += [\"Three\"]\n",
        ),
        ("lib/deep/four.py", "def four(): pass\n"),
        ("lib/deep/three.py", "class Three: pass\n"),
        ("lib/deep/two.py", "def two(): pass\ndef hidden(): pass\n"),
        ("lib/one.py", "def one(): pass\n"),
    ];

    let expected = [
        "lib/_five five: app",
        "lib/deep/four four: app",
        // The package reads it to give it another name.
        "lib/deep/three Three: lib/deep/__init__",
        "lib/deep/two two: app",
        "lib/deep/two hidden:",
        "lib/one one: app",
    ];
    assert_eq!(symbol_lines(project), expected);
}

#[test]
fn a_list_of_exports_wins_over_the_underscore() {
    for list in [
        "__all__ = [\"_a\", \"b\"]",
        "__all__ = (\"_a\", \"b\")",
        "__all__ = \"_a\", \"b\"",
        "__all__: list[str] = [\"_a\"] + [\"b\"]",
        "__all__ = [\"_a\"]\n__all__ += (\"b\",)",
        "__all__ = []\n__all__.extend([\"_a\", \"b\"])",
        "__all__ = [\"_a\"]\n__all__.append(\"b\")",
        "__all__ = [\"_a\", \"b\", \"c\"]\n__all__.remove(\"c\")",
        "import d\n__all__ = d.__all__ + [\"b\"]",
        "import d\n__all__ = [*d.__all__, \"b\"]",
        "from d import __all__ as more\n__all__ = [\"b\"]\n__all__ += more",
    ] {
        let text = format!("{list}\ndef _a(): pass\ndef b(): pass\nclass c: pass\nX = 1\n");
        let project: ProjectFiles<'_> =
            &[("d.py", "__all__ = [\"_a\"]\n"), ("main.py", "import m\n"), ("m.py", &text)];
        assert_eq!(symbol_lines(project), ["m _a:", "m b:"], "{list}");
    }
}

#[test]
fn a_list_of_exports_that_cannot_be_read_counts_as_absent() {
    for list in
        ["__all__ = [name for name in dir()]", "__all__ = make()", "__all__ = [\"_a\", NAME]"]
    {
        let text = format!("{list}\ndef _a(): pass\ndef b(): pass\n");
        let project: ProjectFiles<'_> = &[("main.py", "import m\n"), ("m.py", &text)];
        assert_eq!(symbol_lines(project), ["m b:"], "{list}");
    }
}

#[test]
fn a_star_brings_what_the_list_of_exports_says_and_no_names_with_underscores() {
    let b = "def f(): pass\ndef g(): pass\ndef _h(): pass\n";
    let listed = format!("__all__ = [\"f\"]\n{b}");
    let a = "from b import *\nf()\ng()\n_h()\n";

    assert_eq!(symbol_lines(&[("a.py", a), ("b.py", b)]), ["b f: a", "b g: a"]);
    assert_eq!(symbol_lines(&[("a.py", a), ("b.py", &listed)]), ["b f: a"]);
}

#[test]
fn packages_are_found_where_projects_keep_them() {
    let util = "def f(): pass\n";
    let layouts: [(&str, &str, &str); 9] = [
        ("src/pkg/a.py", "src/pkg/util.py", "from pkg.util import f\nf()"),
        ("pkg/deep/a.py", "pkg/util.py", "from ..util import f\nf()"),
        ("pkg/deep/a.py", "pkg/util.py", "from pkg.util import f\nf()"),
        ("scripts/a.py", "pkg/util.py", "from pkg.util import f\nf()"),
        ("scripts/a.py", "scripts/util.py", "from util import f\nf()"),
        ("scripts/a.py", "src/util.py", "from util import f\nf()"),
        ("project/models/a.py", "project/data/util.py", "from data.util import f\nf()"),
        ("backend/app/a.py", "backend/app/util.py", "from app.util import f\nf()"),
        ("a.py", "util/__init__.py", "from util import f\nf()"),
    ];
    for (user, used, text) in layouts {
        for packages in [&["pkg", "src/pkg", "pkg/deep", "backend/app"][..], &[]] {
            let inits = packages.iter().map(|folder| format!("{folder}/__init__.py"));
            let inits: Vec<String> = inits.filter(|init| init != used).collect();
            let mut project = vec![(user, text), (used, util)];
            project.extend(inits.iter().map(|init| (init.as_str(), "")));
            let reused: Vec<Vec<String>> =
                reuse_of(&project).symbols.into_iter().map(|symbol| symbol.reused_by).collect();
            assert_eq!(reused, [[user]], "{user} {used} {packages:?}");
        }
    }
}

#[test]
fn beside_a_program_in_a_package_its_neighbours_are_found_and_the_standard_library_stays_itself() {
    let main =
        "from util import f\nimport logging\nlogging.info(f())\nif __name__ == '__main__': pass\n";
    let project: ProjectFiles<'_> = &[
        ("pkg/__init__.py", ""),
        ("pkg/logging.py", "def info(): pass\n"),
        ("pkg/main.py", main),
        ("pkg/util.py", "import pkg.logging\ndef f(): pass\n"),
    ];

    assert_eq!(symbol_lines(project), ["pkg/logging info:", "pkg/util f: pkg/main"]);
}

#[test]
fn an_entry_is_run_or_else_nobody_imports_or_tests_it() {
    let run = "def main(): pass\nif '__main__' == __name__ and True:\n    main()\n";
    let project: ProjectFiles<'_> = &[
        ("alone.py", "def lonely(): pass\n"),
        ("conftest.py", "import helper\nhelper.used()\n"),
        ("helper.py", "def used(): pass\n"),
        ("lib/__init__.py", "def version(): pass\n"),
        ("lib/__main__.py", "from lib.core import go\ngo()\ndef shown(): pass\n"),
        ("lib/core.py", "def go(): pass\n"),
        ("run.py", run),
        ("setup.py", "import alone\nalone.lonely()\n"),
        ("tested.py", "def tested(): pass\n"),
        ("tests/test_it.py", "import run, tested\nrun.main()\ntested.tested()\n"),
        ("types.pyi", "def stub(): ...\n"),
    ];

    let expected = [
        ("alone.py", FileRole::Module),
        ("conftest.py", FileRole::Test),
        ("helper.py", FileRole::Module),
        ("lib/__init__.py", FileRole::Module),
        ("lib/__main__.py", FileRole::Entry),
        ("lib/core.py", FileRole::Module),
        ("run.py", FileRole::Entry),
        ("setup.py", FileRole::Other),
        ("tested.py", FileRole::Module),
        ("tests/test_it.py", FileRole::Test),
        ("types.pyi", FileRole::Other),
    ];
    assert_eq!(file_roles(project), expected.map(|(path, role)| (path.to_owned(), role)));
    let expected = [
        "alone lonely:",
        "helper used:",
        "lib/__init__ version:",
        "lib/core go: lib/__main__",
        "tested tested:",
    ];
    assert_eq!(symbol_lines(project), expected);
}

#[test]
fn a_snapshot_without_exported_symbols_has_no_dir() {
    assert_eq!(reuse_of(&[]).dir(), None);
    assert_eq!(
        reuse_of(&[("a.py", "def f(): pass\nif __name__ == '__main__': f()\n")]).dir(),
        None
    );
    assert_eq!(reuse_of(&[("a.py", "import b\n"), ("b.py", "X = 1\n")]).dir(), None);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_count() {
    let files: [(&str, &[u8]); 4] = [
        ("a.py", b"from b import f\nf()\n"),
        ("b.py", b"def f(): pass\n"),
        ("broken.py", b"def f(:\n"),
        ("latin.py", b"# caf\xe9\n"),
    ];

    let reuse = reuse_of_files(files);

    let skipped: Vec<(&str, &str)> =
        reuse.skipped.iter().map(|file| (file.path.as_str(), file.why)).collect();
    assert_eq!(skipped, [("broken.py", "syntax error"), ("latin.py", "not UTF-8")]);
    assert_eq!((reuse.dir(), reuse.modules.len()), (Some(1.0), 2));
}

#[test]
fn definitions_below_if_and_try_are_top_level_and_those_in_functions_are_not() {
    let b = "if x:\n    def f(): pass\nelse:\n    def f(): pass\ntry:\n    class C: pass\nexcept E:\n    C = None\n\
             def outer():\n    def inner(): pass\nclass K:\n    def method(self): pass\n";
    let project: ProjectFiles<'_> = &[("a.py", "import b\nb.f(b.C)\n"), ("b.py", b)];

    assert_eq!(symbol_lines(project), ["b f: a", "b C: a", "b outer:", "b K:"]);
}

#[test]
fn modules_that_import_each_other_are_followed_all_the_same() {
    let project: ProjectFiles<'_> = &[
        ("a.py", "from b import *\nfrom c import x\nx()\ny()\n"),
        ("b.py", "from a import *\nfrom c import *\n__all__ = ['x', 'y']\n"),
        ("c.py", "from b import z\nfrom a import x\nfrom d import *\n"),
        ("d.py", "from c import *\ndef y(): pass\n"),
    ];

    assert_eq!(symbol_lines(project), ["d y: a"]);
}

/// Returns the names of `m` that another module with this text uses.
fn used_by(text: &str) -> Vec<String> {
    let defined = "def a(): pass\ndef b(): pass\ndef c(): pass\nclass K: pass\n";
    let project: ProjectFiles<'_> =
        &[("main.py", text), ("m.py", defined), ("n.py", "def a(): pass\n")];
    let used = symbol_lines(project).into_iter().filter(|it| it.ends_with(": main"));
    used.map(|it| it.trim_end_matches(": main").to_owned()).collect()
}

#[test]
fn the_body_of_a_class_means_what_is_imported_until_it_binds_the_name_itself() {
    let before = "from m import a\nclass T:\n    x = a()\n    def a(self): return 1\n";
    let after = "from m import a\nclass T:\n    def a(self): return 1\n    x = a(None)\n";
    let own_default = "from m import a\nclass T:\n    def a(self, f=a): return 1\n";
    let decorator = "from m import a\nclass T:\n    @a\n    def a(self): return 1\n";
    let of_itself = "from m import a\nclass T:\n    a = a\n";
    let in_method = "from m import a\nclass T:\n    def a(self): return a()\n";
    // Before a class binds a name, it reads the module's name and not that of the function around it.
    let in_function = "from m import a\ndef f():\n    a = 1\n    class T:\n        x = a\n        a = 2\n    return T\n";

    for text in [before, own_default, decorator, of_itself, in_method, in_function] {
        assert_eq!(used_by(text), ["m a"], "{text}");
    }
    assert_eq!(used_by(after), [""; 0]);
}

#[test]
fn what_is_bound_again_after_its_import_is_the_import_no_longer() {
    for text in [
        "from m import a\na = 3\nprint(a)\n",
        "from m import a\ndef a(): pass\na()\n",
        "from m import a\na = None\ndef f(): return a()\nf()\n",
        "from m import a\ndel a\nprint(a)\n",
        "def f():\n    from m import a\n    a = 3\n    return a\n",
        "from m import a\nfor a in range(3):\n    print(a)\n",
        "from m import a\nwith open('x') as a:\n    print(a)\n",
        "import m as a\nimport os as a\na.K\n",
    ] {
        assert_eq!(used_by(text), [""; 0], "{text}");
    }
    assert_eq!(used_by("from m import a\nfrom n import a\na()\n"), ["n a"]);
    // The name is read before it is bound again, or by the statement that binds it again.
    for text in [
        "from m import a\na()\na = 3\n",
        "from m import a\na = a\n",
        "from m import a\na += 1\n",
        "from m import a\ndef f(): return a()\nf()\na = 3\n",
        "import m.sub\nimport m as x\nx.a()\n",
    ] {
        assert_eq!(used_by(text), ["m a"], "{text}");
    }
}

#[test]
fn a_name_that_may_be_the_import_is_taken_for_it() {
    for text in [
        "from m import a\nif x:\n    a = 3\na()\n",
        "try:\n    from m import a\nexcept ImportError:\n    a = None\na()\n",
        "from m import a\nfor a in xs: pass\nprint(a)\n",
        "from m import a\ndef f():\n    global a\n    a = 3\na()\n",
        "from m import a\na: object\na()\n",
        "from m import a\ndef f(): return [a(a) for x in y]\n",
        "def f():\n    global a\n    from m import a\ndef g(): return a()\n",
        "def f():\n    from m import a\n    def g():\n        nonlocal a\n        return a()\n    return g\n",
    ] {
        assert_eq!(used_by(text), ["m a"], "{text}");
    }
    // In the branch itself it is certain.
    assert_eq!(used_by("from m import a\nif x:\n    a = 3\n    a()\n"), [""; 0]);
    // A comprehension's own name is not that of the module, and its first iterable is read outside.
    assert_eq!(used_by("from m import a\nprint([a for a in range(3)])\n"), [""; 0]);
    assert_eq!(used_by("from m import a\nprint([a for a in a])\n"), ["m a"]);
}

#[test]
fn what_is_bound_again_is_not_passed_on() {
    let project: ProjectFiles<'_> = &[
        ("m.py", "def a(): pass\ndef b(): pass\n"),
        ("via.py", "from m import a, b\na = 3\n"),
        ("main.py", "from via import a, b\nprint(a, b)\n"),
    ];

    assert_eq!(symbol_lines(project), ["m a:", "m b: main"]);
}
