//! Tests of properties that a snapshot's numbers have for any code.

use proptest::prelude::*;

use super::*;
use crate::rules::RuleSet;
use trajview_code::tree::Grammar;

fn ruler_of(profile: QualityProfile) -> Ruler {
    Ruler::new(profile, RuleSet::none())
}

fn measure_files(
    files: &[(&str, &str)],
    profile: QualityProfile,
) -> (QualitySnapshot, QualityDetail) {
    let ruler = ruler_of(profile);
    let measures: Vec<(&str, FileMeasure)> = files
        .iter()
        .map(|(path, text)| (*path, measure_file(path, text.as_bytes(), &ruler)))
        .collect();
    let files: Vec<SnapshotFile<'_>> =
        measures.iter().map(|(path, measure)| SnapshotFile { path, measure }).collect();
    combine_with_detail(&files, profile)
}

#[test]
fn mass_is_paths_times_the_root_of_the_lines() {
    let branches = "    if x:\n        x = 1\n".repeat(12);
    let text = format!("def f(x):\n{branches}\ndef g(x):\n    y = x\n    z = y\n    return z\n");

    let (snapshot, _) = measure_files(&[("a.py", &text)], QualityProfile::ScbPaper);

    let (f, g) = (13.0 * 25_f64.sqrt(), 2.0);
    let totals = &snapshot.totals;
    assert_eq!((totals.callables, totals.high_cc, totals.max_cc), (2, 1, 13));
    assert_eq!((totals.mass, totals.high_mass, totals.mean_cc), (f + g, f, 7.0));
    assert!((snapshot.erosion - f / (f + g)).abs() < 1e-12);
    assert!((snapshot.gini - (2.0 * (g + 2.0 * f) / (2.0 * (f + g)) - 1.5)).abs() < 1e-12);
}

#[test]
fn the_paper_finds_clones_within_a_file_and_ours_across_files_too() {
    let text = "def f(a):\n    b = a\n    return b\n";
    let files = [("a.py", text), ("b.py", text)];

    let verbosity = |profile| measure_files(&files, profile).0.verbosity;

    assert_eq!(verbosity(QualityProfile::ScbPaper), 0.0);
    assert_eq!(verbosity(QualityProfile::Trajview), 1.0);
}

#[test]
fn a_file_that_does_not_count_says_why() {
    let reason = |bytes: &[u8], profile| measure_file("a.py", bytes, &ruler_of(profile)).skipped;

    assert_eq!(reason(b"def f(:\n", QualityProfile::Trajview), Some(SkipReason::SyntaxError));
    assert_eq!(reason(b"x = '\xff'\n", QualityProfile::ScbPaper), Some(SkipReason::NotUtf8));
    assert_eq!(reason(b"x = '\xff'\n", QualityProfile::ScbCheck013), None);
    assert_eq!(reason(b"print 'x'\n", QualityProfile::ScbPaper), Some(SkipReason::SyntaxError));
    assert_eq!(reason(b"print 'x'\n", QualityProfile::ScbCheck020), None);
    assert_eq!(
        measure_file("Main.java", b"", &ruler_of(QualityProfile::ScbCheck020)).skipped,
        Some(SkipReason::NoGrammar)
    );
}

#[test]
fn defaults_of_type_parameters_are_measured_as_python_3_13_would_and_skipped_where_the_reference_skips()
 {
    let body = "    def m(self, x):\n        if x:\n            return 1\n        return 2\n";
    let with = format!(
        "class A[T = int, *Ts = *tuple[str], **P = [int]]:\n{body}\ndef f[\n    T: int = bool,\n](x=1): return x\ntype X[T = str] = list[T]\n"
    );
    let without = format!(
        "class A[T: int, *Ts, **P]:\n{body}\ndef f[\n    T: int,\n](x=1): return x\ntype X[T] = list[T]\n"
    );

    let ours = |text: &str| measure_files(&[("a.py", text)], QualityProfile::Trajview).0;
    let (with_defaults, plain) = (ours(&with), ours(&without));

    assert_eq!(with_defaults.skipped, []);
    assert_eq!(with_defaults.totals, plain.totals);
    assert_eq!((plain.totals.callables, plain.totals.max_cc), (2, 2));
    for profile in [QualityProfile::ScbPaper, QualityProfile::ScbCheck020] {
        assert_eq!(measure_files(&[("a.py", &with)], profile).0.skipped.len(), 1, "{profile:?}");
    }
}

#[test]
fn skipped_files_are_listed_and_counted_nowhere() {
    let (snapshot, detail) =
        measure_files(&[("b.py", "def f(:\n"), ("a.py", "x = 1\n")], QualityProfile::Trajview);

    assert_eq!(snapshot.files, 1);
    assert_eq!(
        snapshot.skipped,
        [SkippedFile { path: "b.py".into(), why: SkipReason::SyntaxError }]
    );
    assert_eq!((snapshot.totals.lines, detail.callables.len()), (1, 0));
}

#[test]
fn each_profile_takes_its_own_files() {
    let takes = |path: &str| QualityProfile::ALL.map(|profile| profile.counts_file(path));

    assert_eq!(takes("src/a.py"), [true; 4]);
    assert_eq!(takes("build/a.py"), [true, false, false, true]);
    assert_eq!(takes(".venv/a.py"), [false; 4]);
    assert_eq!(takes("a.ts"), [false, false, true, true]);
    assert_eq!(takes("a.go"), [false, false, false, true]);
    assert_eq!(takes("a.hs"), [false, false, true, false]);
    assert_eq!(takes("notes.md"), [false; 4]);
}

#[test]
fn an_empty_snapshot_has_zeros() {
    let (snapshot, detail) = measure_files(&[], QualityProfile::Trajview);

    assert_eq!((snapshot, detail), (QualitySnapshot::default(), QualityDetail::default()));
}

#[test]
fn a_measure_outlives_being_written_down() {
    let text =
        "def f(a):\n    for b in a:\n        c = b\n        d = c\n    return [x for x in a]\n";
    for profile in QualityProfile::ALL {
        let measure = measure_file("a.py", text.as_bytes(), &ruler_of(profile));

        let written = serde_json::to_string(&measure).unwrap();

        assert_eq!(serde_json::from_str::<FileMeasure>(&written).unwrap(), measure);
    }
}

#[test]
fn the_fingerprint_follows_profile_and_rules() {
    let print = |profile, rules| Ruler::new(profile, rules).fingerprint().to_owned();
    let rules =
        || RuleSet::load("mine", &[("a.yml", "id: a\nlanguage: python\nrule: {pattern: a}\n")]);

    assert_ne!(
        print(QualityProfile::ScbPaper, RuleSet::none()),
        print(QualityProfile::Trajview, RuleSet::none())
    );
    assert_ne!(
        print(QualityProfile::ScbPaper, RuleSet::none()),
        print(QualityProfile::ScbPaper, rules())
    );
    assert_eq!(print(QualityProfile::ScbPaper, rules()), print(QualityProfile::ScbPaper, rules()));
}

/// Runs a test in a thread with a small stack, so that a recursive walk fails.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn code_nested_a_hundred_thousand_deep_does_not_overflow_the_stack() {
    on_a_small_stack(|| {
        let deep = 100_000;
        let text = format!("x = {}1{}\n", "(".repeat(deep), ")".repeat(deep));
        for profile in QualityProfile::ALL {
            let measure = measure_file("a.py", text.as_bytes(), &ruler_of(profile));

            assert_eq!(measure.skipped, Some(SkipReason::TooDeep));
        }
    });
}

#[test]
fn code_nested_as_deep_as_is_measured_does_not_overflow_the_stack() {
    on_a_small_stack(|| {
        let calls = MAX_DEPTH / 4;
        let chain = format!("def f(a):\n    return {}\n", vec!["a"; calls].join(" and "));
        let arrows = format!("const f = {}1;\n", "a => ".repeat(calls));
        for profile in QualityProfile::ALL {
            let rules = RuleSet::built_in();
            let ruler = Ruler::new(profile, rules);
            let python = measure_file("a.py", chain.as_bytes(), &ruler);
            let script = measure_file("a.js", arrows.as_bytes(), &ruler);

            assert_eq!(python.skipped, None);
            assert_eq!(python.callables[0].cc, u32::try_from(calls).unwrap());
            assert_eq!(
                script.callables.is_empty(),
                profile.grammar_of_file("a.js").is_none_or(|g| !g.is_compiled_in())
            );
        }
    });
}

#[test]
fn a_line_of_a_megabyte_is_measured() {
    let text = format!("x = [{}]\n", "1, ".repeat(350_000));

    let measure = measure_file(
        "a.py",
        text.as_bytes(),
        &Ruler::new(QualityProfile::Trajview, RuleSet::built_in()),
    );

    assert_eq!((measure.skipped, measure.lines, measure.loc), (None, 1, 1));
}

#[test]
fn what_is_too_big_is_skipped() {
    let text = "x\n".repeat(MAX_BYTES);

    assert_eq!(
        measure_file("a.py", text.as_bytes(), &ruler_of(QualityProfile::Trajview)).skipped,
        Some(SkipReason::TooBig)
    );
}

/// Generates code-like text in any of the languages: opening and closing pieces, in any order.
fn code_strategy() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "def f(a, *b):\n    ",
        "class A(B):\n    ",
        "if x:\n        ",
        "else:\n    ",
        "return g(a)\n",
        "x = f'{a}{{'\n",
        "\"\"\"doc\n\"\"\"\n",
        "# c\n",
        "\n",
        "for i in x:\n    ",
        "(",
        ")",
        "{",
        "}",
        "and ",
        "&& ",
        "|| ",
        "1 ",
        "'",
        "\"",
        "function f() ",
        "=> ",
        "match x ",
        "_ => ",
        ";",
        "\u{c}",
        "\r\n",
        "\u{2028}",
        "é",
        "\t",
        "@d\n",
        "lambda: ",
        "try:\n    ",
        "except:\n    ",
        "pass\n",
        "f = g\n",
        "import a.b as c\n",
        "from . import d\n",
        "yield ",
        "\\\n",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

const NAMES: [&str; 5] = ["a.py", "a.rs", "a.js", "a.cpp", "a.go"];

/// Programs that the grammar accepts, and whether CPython 3.12 accepts them.
#[rustfmt::skip]
const PROGRAMS: [(&str, bool); 60] = [
    ("def f():\n\nx = 1\n", false), ("if a:\nx = 1\n", false), ("class A:\n    # a note\nx = 1\n", false),
    ("if a:\n\tx = 1\n        y = 2\n", false), ("if a:\n\tx = 1\n\ty = 2\n", true),
    ("if a:\n        x = 1\n\ty = 2\n", false), ("if a:\n    if b:\n\tx = 1\n", false),
    ("if a and \\\n   b:\n    x\ny\n", true), ("x = (1 +\n\t2)\n", true), ("def f():\n\x0c    x = 1\n    y\n", true),
    ("with a as b, \\\n     c as d:\n    while 1:\n        e\n", true), ("x = \"\"\"a\n\tb\n c\"\"\"\n", true),
    ("def f(a=1, \\\n      b=2): pass\n", true), ("f(a=1, \\\n  b=2)\n", true),
    ("x = 10L\n", false), ("x = 0777\n", false), ("x = 0xFFL\n", false), ("x = 00\n", true), ("x = 1_000.0e-1_0j\n", true),
    ("x = `a`\n", false), ("x = t\"a{b}\"\n", false), ("x = ur\"a\"\n", false), ("x = Rb\"a\"\n", true), ("x = fR\"{a}\"\n", true),
    ("x = \"\\u12\"\n", false), ("x = r\"\\u12\"\n", true), ("x = b\"\\u12\"\n", true), ("x = \"\\x4\"\n", false), ("x = \"\\N{DASH}\"\n", true),
    ("x = b\"\u{e9}\"\n", false), ("x = \"a\" b\"b\"\n", false), ("x = \"a\" f\"{b}\"\n", true),
    ("raise E, \"x\"\n", false), ("raise E(\"x\") from e\n", true), ("exec \"x\"\n", false), ("x = a <> b\n", false),
    ("print \"x\"\n", false), ("print >>f, 1\n", true), ("print(\"x\")\n", true),
    ("try:\n    pass\nexcept E, e:\n    pass\n", false), ("try:\n    pass\nexcept (E, F) as e:\n    pass\n", true),
    ("try:\n    pass\nexcept* E:\n    pass\n", true), ("try:\n    pass\nexcept E:\n    pass\nexcept* F:\n    pass\n", false),
    ("try:\n    pass\n", false), ("try:\n    pass\nfinally:\n    pass\n", true),
    ("def f((a, b)): pass\n", false), ("f = lambda (a, b): a\n", false), ("def f(a=1, b): pass\n", false),
    ("def f(a, /, b=1, *c, d, e=2, **g): pass\n", true), ("def f(*, a): pass\n", true), ("def f(*): pass\n", false),
    ("def f(**a, b): pass\n", false), ("def f(*a, *b): pass\n", false), ("f(a=1, b)\n", false), ("f(*a, b, c=1, *d, **e)\n", true),
    ("from a import b,\n", false), ("from a import (b,)\n", true), ("(a): int = 1\n", true), ("(a, b) += 1\n", false), ("del f()\n", false),
];

#[test]
fn scb_paper_leaves_out_what_cpython_3_12_does_not_parse() {
    let wrong: Vec<&str> = PROGRAMS
        .into_iter()
        .filter(|(text, is_program)| {
            let measure =
                measure_file("a.py", text.as_bytes(), &ruler_of(QualityProfile::ScbPaper));
            measure.skipped.is_none() != *is_program
        })
        .map(|(text, _)| text)
        .collect();

    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_byte_order_mark_and_what_a_later_python_takes_are_errors_in_scb_paper_alone() {
    let later = ["\u{feff}x = 1\n", "x = t\"a{b}\"\n", "try:\n    pass\nexcept A, B:\n    pass\n"];
    for text in later {
        let skipped = QualityProfile::ALL.map(|profile| {
            measure_file("a.py", text.as_bytes(), &ruler_of(profile)).skipped.is_some()
        });
        assert_eq!(skipped, [true, false, false, false], "{text:?}");
    }
}

#[test]
fn scb_check_runs_no_rule_over_pyw_and_over_what_is_not_utf_8() {
    let rules = || {
        RuleSet::load("mine", &[("a.yml", "id: r\nlanguage: python\nrule:\n  pattern: f($A)\n")])
    };
    let hits = |path: &str, bytes: &[u8], profile| {
        let ruler = Ruler::new(profile, rules());
        let measure = measure_file(path, bytes, &ruler);
        let (snapshot, detail) =
            combine_with_detail(&[SnapshotFile { path, measure: &measure }], profile);
        assert_eq!((snapshot.files, snapshot.totals.rule_lines), (1, detail.hits.len() as u64));
        detail.hits.len()
    };

    assert_eq!(hits("a.py", b"f(1)\n", QualityProfile::ScbCheck020), 1);
    assert_eq!(hits("a.pyw", b"f(1)\n", QualityProfile::ScbCheck020), 0);
    assert_eq!(hits("a.PY", b"f(1)\n", QualityProfile::ScbCheck020), 0);
    assert_eq!(hits("a.py", b"f(1) # \xe9\n", QualityProfile::ScbCheck013), 0);
    assert_eq!(hits("a.pyw", b"f(1)\n", QualityProfile::Trajview), 1);
}

#[test]
fn a_folder_called_as_compiled_python_is_left_out_by_the_paper_alone() {
    let takes = QualityProfile::ALL.map(|profile| profile.counts_file("x.pyc/a.py"));

    assert_eq!(takes, [false, true, true, false]);
}

/// Answers of `scb-check` 0.2.0.
#[test]
fn haskell_and_zig_are_measured_as_scb_check_0_2_0_does() {
    let haskell = "module Main where\n\n-- | doc\nf :: Int -> Int\nf 0 = 1\nf n = case n of\n  1 -> 2\n  _ -> g n\n  \
        where\n    g x = if x > 1 && x < 4 then x else x - 1\n";
    let zig = "const std = @import(\"std\");\n\nfn add(a: u32, b: u32) u32 {\n    // note\n    if (a > b and b > 1) {\n        \
        return a + b;\n    }\n    for (0..10) |i| {\n        _ = i;\n    }\n    return switch (a) {\n        1 => 2,\n        \
        else => 3,\n    };\n}\n";
    if !Grammar::Haskell.is_compiled_in() || !Grammar::Zig.is_compiled_in() {
        return;
    }

    let (snapshot, detail) =
        measure_files(&[("a.hs", haskell), ("b.zig", zig)], QualityProfile::ScbCheck020);

    let callables: Vec<_> = (detail.callables.iter())
        .map(|at| (at.name.as_str(), at.span.start, at.cc, at.sloc))
        .collect();
    assert_eq!(callables, [("f", 5, 1, 1), ("f", 6, 5, 5), ("f.g", 10, 3, 1), ("add", 3, 4, 8)]);
    assert_eq!((snapshot.totals.sloc, snapshot.files), (17, 2));
}

proptest! {
    #[test]
    fn whatever_the_bytes_measuring_returns(bytes: Vec<u8>, name in prop::sample::select(NAMES.to_vec())) {
        for profile in QualityProfile::ALL {
            measure_file(name, &bytes, &ruler_of(profile));
        }
    }

    #[test]
    fn whatever_the_code_numbers_stay_in_their_ranges(texts in prop::collection::vec((prop::sample::select(NAMES.to_vec()), code_strategy()), 0..4)) {
        let paths: Vec<String> = texts.iter().enumerate().map(|(at, (name, _))| format!("{at}/{name}")).collect();
        let files: Vec<(&str, &str)> =
            paths.iter().zip(&texts).map(|(path, (_, text))| (path.as_str(), text.as_str())).collect();
        for profile in QualityProfile::ALL {
            let (snapshot, detail) = measure_files(&files, profile);
            let share = 0.0..=1.0;

            prop_assert!(share.contains(&snapshot.erosion) && share.contains(&snapshot.verbosity) && share.contains(&snapshot.gini));
            prop_assert!(detail.callables.iter().all(|callable| callable.cc >= 1 && callable.span.start <= callable.span.end));
            prop_assert!(snapshot.totals.sloc <= snapshot.totals.lines);
            prop_assert!(detail.clones.iter().all(|group| group.places.len() > 1));
        }
    }

    #[test]
    fn whatever_the_order_of_the_files_the_numbers_are_the_same(texts in prop::collection::vec(code_strategy(), 2..5)) {
        let paths: Vec<String> = (0..texts.len()).map(|at| format!("{at}.py")).collect();
        let mut files: Vec<(&str, &str)> =
            paths.iter().zip(&texts).map(|(path, text)| (path.as_str(), text.as_str())).collect();
        for profile in QualityProfile::ALL {
            let forwards = measure_files(&files, profile);
            files.reverse();

            prop_assert_eq!(forwards, measure_files(&files, profile));
        }
    }

    #[test]
    fn nothing_moved_between_a_snapshot_and_itself(text in code_strategy()) {
        let (_, detail) = measure_files(&[("a.py", &text)], QualityProfile::Trajview);

        prop_assert_eq!(quality_changes(&detail, &detail), vec![]);
    }
}
