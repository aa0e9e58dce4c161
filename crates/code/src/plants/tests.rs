use proptest::prelude::*;

use super::*;

const FLUX: &str = "\"\"\"Fluxes.\"\"\"
import math

LIMIT = 5


def face_flux(left, right, speed=1.0):
    \"\"\"The flux at a face.\"\"\"
    jump = right - left
    mean = (left + right) / 2
    limited = max(-LIMIT, min(jump, LIMIT))
    return speed * mean - limited


def root_mean(values):
    total = 0.0
    for value in values:
        total = total + value * value
    mean = total / len(values)
    return math.sqrt(mean)


class Solver:
    def __init__(self, cells):
        self.cells = cells

    def residual(self):
        left = self.cells[0]
        right = self.cells[1]
        jump = face_flux(left, right)
        scale = root_mean(self.cells)
        return jump / scale
";

const MAIN: &str = "from flux import Solver, face_flux, root_mean

# face_flux is what counts.
print(face_flux(1, 2), root_mean([3, 4]))
print(Solver([1.0, 2.0, 5.0]).residual())
";

fn texts(files: &[(&str, &str)]) -> SourceTexts {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn project() -> SourceTexts {
    texts(&[("flux.py", FLUX), ("main.py", MAIN), ("README.md", "Computes `face_flux`.\n")])
}

fn place_of(files: &SourceTexts, path: &str, words: &str) -> CodePlace {
    let line = files[path].lines().position(|line| line.contains(words)).unwrap() + 1;
    CodePlace { path: path.into(), lines: (line, line) }
}

fn plant_at(
    files: &SourceTexts,
    kind: PlantKind,
    path: &str,
    words: &str,
) -> Result<Plant, String> {
    let places = [place_of(files, path, words)];
    plant_edit(kind, &PlantTarget { files, places: &places, component: "Flux at a face" })
}

fn plant_in_flux(kind: PlantKind, words: &str) -> Result<Plant, String> {
    plant_at(&project(), kind, "flux.py", words)
}

#[test]
fn a_function_is_renamed_in_code_comments_and_documents() {
    let planted = plant_in_flux(PlantKind::Rename, "jump = right").unwrap();

    assert_eq!(planted.summary, "face_flux renamed to apply_face_flux, files: 3");
    assert!(planted.changed["main.py"].contains("# apply_face_flux is what counts."));
    assert!(planted.changed["README.md"].contains("`apply_face_flux`"));
    assert!(!planted.changed["flux.py"].replace("apply_face_flux", "").contains("face_flux"));
}

#[test]
fn a_name_in_a_string_or_a_field_is_not_renamed() {
    let with = |more: &str| {
        let mut files = project();
        files.get_mut("main.py").unwrap().push_str(more);
        plant_at(&files, PlantKind::Rename, "flux.py", "jump = right").unwrap_err()
    };

    assert!(with("print('face_flux')\n").contains("main.py uses its name as string"));
    assert!(with("import flux\nflux.face_flux(1, 2)\n").contains("as an attribute"));
    assert!(with("print(dict(face_flux=1))\n").contains("as a keyword"));
    assert!(with("def face_flux():\n    pass\n").contains("2 functions have its name"));
}

#[test]
fn a_name_of_the_language_or_of_another_file_is_not_renamed() {
    let rename = |files: &[(&str, &str)], words: &str| {
        plant_at(&texts(files), PlantKind::Rename, files[0].0, words).map(|planted| planted.changed)
    };

    let filter = [("a.py", "def filter(xs):\n    return xs\n"), ("b.py", "filter(None, [1])\n")];
    assert_eq!(
        rename(&filter, "def filter").unwrap_err(),
        "filter: its name is one of the language too"
    );
    let unbound = [("a.py", "def flux(xs):\n    return xs\n"), ("b.py", "flux([1])\n")];
    assert_eq!(
        rename(&unbound, "def flux").unwrap_err(),
        "flux: b.py uses its name and neither defines nor imports it"
    );
    let own = ("src/queue.rs", "pub fn take(a: u32) -> u32 {\n    a\n}\n");
    for text in ["std::mem::take(&mut x)", "Args::take()", "crate::Args::take()"] {
        let main = format!("fn work() {{\n    {text};\n}}\n");
        let why = rename(&[own, ("src/main.rs", main.as_str())], "fn take").unwrap_err();
        assert!(why.contains("in a path that may lead out of the tree"), "{text} {why}");
    }
    let main = "use crate::queue::take;\n\nfn work() {\n    take(queue::take(1));\n}\n";
    let changed = rename(&[own, ("src/main.rs", main)], "fn take").unwrap();
    assert_eq!(
        changed["src/main.rs"],
        "use crate::queue::apply_take;\n\nfn work() {\n    apply_take(queue::apply_take(1));\n}\n"
    );
}

#[test]
fn a_constant_that_guards_or_is_printed_is_no_part_of_the_formula() {
    let formula = |body: &str| {
        let text = format!("def loss(p, t):\n{body}");
        plant_at(&texts(&[("m.py", &text)]), PlantKind::Formula, "m.py", "def loss")
            .map(|planted| planted.changed["m.py"].clone())
    };

    let none = "loss: it has no sum, no axis and no constant that surely matters";
    assert_eq!(formula("    return (p * t).mean() / max(p.sum(), 1e-8)\n").unwrap_err(), none);
    assert_eq!(formula("    print(p, width=80)\n    return p * 0.0001\n").unwrap_err(), none);
    assert_eq!(formula("    logger.info(p + t)\n    return p\n").unwrap_err(), none);
    assert_eq!(formula("    return p * 0.5\n").unwrap(), "def loss(p, t):\n    return p * 10.5\n");
}

#[test]
fn calls_of_a_function_are_removed_all_or_none() {
    let remove = |main: &str| {
        let files = texts(&[("calc.py", "def update(x):\n    return x\n"), ("main.py", main)]);
        plant_at(&files, PlantKind::CallRemoved, "calc.py", "def update")
            .map(|planted| planted.changed["main.py"].clone())
    };

    assert_eq!(remove("d = {}\nd.update(1)\n").unwrap_err(), "nothing outside of tests calls it");
    assert_eq!(
        remove("from calc import update\nupdate(1)\nvmap(update)(2)\n").unwrap_err(),
        "main.py uses update without a plain call"
    );
    assert_eq!(
        remove("import calc\nd = calc.update(1)\nd.update(2)\n").unwrap(),
        "import calc\nd = (1)\nd.update(2)\n"
    );
}

#[test]
fn a_function_with_one_branch_that_is_not_implemented_is_no_stub() {
    let stub = |body: &str| {
        let text = format!("def mode(a):\n{body}");
        plant_at(&texts(&[("m.py", &text)]), PlantKind::Stub, "m.py", "def mode")
            .map(|planted| planted.changed["m.py"].clone())
    };

    let branch = "    if a:\n        return 1\n    else:\n        raise NotImplementedError(a)\n";
    assert_eq!(stub(branch).unwrap(), "def mode(a):\n    raise NotImplementedError\n");
    assert_eq!(
        stub("    \"\"\"A mode.\"\"\"\n    raise NotImplementedError(a)\n").unwrap_err(),
        "its functions are stubs already"
    );
}

#[test]
fn a_comment_stays_with_its_function() {
    let python = texts(&[(
        "m.py",
        "x = 1\n\n# Adds.\ndef add(a, b):\n    c = a + b\n    d = c * 2\n    return d\n",
    )]);
    let split = plant_at(&python, PlantKind::Split, "m.py", "def add").unwrap();
    assert!(split.changed["m.py"].starts_with("x = 1\n\ndef _add_rest("), "{split:?}");
    assert!(split.changed["m.py"].contains("\n# Adds.\ndef add(a, b):\n"), "{split:?}");
    let moved = plant_at(&python, PlantKind::Move, "m.py", "def add").unwrap();
    assert!(moved.changed["m_parts.py"].starts_with("# Adds.\ndef add(a, b):\n"), "{moved:?}");
    assert_eq!(moved.changed["m.py"], "x = 1\n\nfrom m_parts import add\n");

    let script = texts(&[(
        "m.js",
        "export const x = 1;\n\n/** Adds. */\nfunction add(a) {\n  return a;\n}\n",
    )]);
    let moved = plant_at(&script, PlantKind::Move, "m.js", "function add").unwrap();
    assert_eq!(
        moved.changed["m-parts.js"],
        "/** Adds. */\nexport function add(a) {\n  return a;\n}\n"
    );
}

#[test]
fn a_generator_is_not_parted_from_its_values() {
    let text = "def total(xs):\n    k = 1\n    gen = (x * k for x in xs)\n    k = 2\n    return sum(gen)\n";
    let files = texts(&[("m.py", text)]);

    // Only before the generator may the function be split.
    let split = plant_at(&files, PlantKind::Split, "m.py", "def total").unwrap();
    assert!(split.changed["m.py"].contains("    k = 1\n    return _total_rest("), "{split:?}");
}

#[cfg(feature = "typescript")]
#[test]
fn signatures_stay_with_their_function() {
    let files = texts(&[(
        "m.ts",
        "export const x = 1;\nfunction pick(a: string): string;\nfunction pick(a: any): any {\n  return a;\n}\nfunction other(a: any): any {\n  return a;\n}\n",
    )]);

    for kind in [PlantKind::Reorder, PlantKind::Move] {
        let why = plant_at(&files, kind, "m.ts", "function pick(a: any)").unwrap_err();
        assert_eq!(why, "pick: it has several signatures", "{kind:?}");
    }
}

#[test]
fn a_function_moves_with_its_imports_or_not_at_all() {
    let moved = plant_in_flux(PlantKind::Move, "def root_mean").unwrap();

    let new = &moved.changed["flux_parts.py"];
    assert!(new.starts_with("import math\n\n\ndef root_mean(values):\n"), "{new}");
    assert!(moved.changed["flux.py"].contains("\nfrom flux_parts import root_mean\n"));
    assert_eq!(
        plant_in_flux(PlantKind::Move, "def face_flux").unwrap_err(),
        "face_flux: it uses LIMIT of its file"
    );
}

#[test]
fn functions_next_to_each_other_change_places() {
    let planted = plant_in_flux(PlantKind::Reorder, "def face_flux").unwrap();

    let text = &planted.changed["flux.py"];
    assert!(text.find("def root_mean") < text.find("def face_flux"));
    assert!(plant_in_flux(PlantKind::Reorder, "def residual").is_err());
}

#[test]
fn the_second_part_of_a_function_becomes_another_one() {
    let planted = plant_in_flux(PlantKind::Split, "def residual").unwrap();

    let text = &planted.changed["flux.py"];
    assert!(text.contains("def _residual_rest("), "{text}");
    assert!(text.contains("        return _residual_rest("), "{text}");
}

#[test]
fn what_must_matter_takes_the_component_away() {
    let deleted = plant_in_flux(PlantKind::Delete, "def face_flux").unwrap();
    assert!(!deleted.changed["flux.py"].contains("def face_flux"));
    assert!(deleted.changed["main.py"].starts_with("from flux import Solver, root_mean\n"));

    let stub = plant_in_flux(PlantKind::Stub, "def face_flux").unwrap();
    assert!(stub.changed["flux.py"].contains("face.\"\"\"\n    raise NotImplementedError\n"));

    let formula = plant_in_flux(PlantKind::Formula, "jump = right").unwrap();
    assert!(formula.changed["flux.py"].contains("jump = right + left\n"));
    assert_eq!(formula.summary, "face_flux in flux.py: sign changed, places: 1");

    let calls = plant_in_flux(PlantKind::CallRemoved, "def face_flux").unwrap();
    assert!(calls.changed["flux.py"].contains("jump = (left)\n"));
}

#[test]
fn javascript_and_rust_are_edited_too() {
    let files = texts(&[
        (
            "sum.js",
            "import { log } from './log.js';\n\nexport function addUp(list, start) {\n  log(list);\n  let total = start;\n  total += list.length + 7;\n  const half = total / 2;\n  return half - 1;\n}\n\nfunction other(a) {\n  return addUp(a, 1);\n}\n",
        ),
        ("log.js", "export function log(x) {\n  console.log(x);\n}\n"),
        (
            "src/lib.rs",
            "/// Adds.\npub fn add_up(a: u32, b: u32) -> u32 {\n    let c = helper(a);\n    c + b\n}\n\nfn helper(a: u32) -> u32 {\n    a * 3\n}\n",
        ),
    ]);
    for (path, words) in [("sum.js", "function addUp"), ("src/lib.rs", "fn helper")] {
        for kind in PlantKind::ALL {
            match (kind, plant_at(&files, kind, path, words)) {
                (PlantKind::RecoveredError, planted) => assert!(planted.is_err()),
                (PlantKind::Split | PlantKind::Reformat, Err(_)) if path.ends_with("rs") => {}
                (PlantKind::Move, Err(why)) if path == "sum.js" => {
                    assert_eq!(why, "addUp: it uses log of its file");
                }
                (PlantKind::Reorder, planted) if path == "sum.js" => {
                    assert!(
                        planted.unwrap().changed["sum.js"].contains("}\n\nexport function addUp")
                    );
                }
                (_, planted) => assert!(planted.is_ok(), "{path} {kind:?} {planted:?}"),
            }
        }
    }
    let moved = plant_at(&files, PlantKind::Move, "src/lib.rs", "fn helper").unwrap();
    assert_eq!(
        moved.changed["src/helper_part.rs"],
        "use super::*;\n\npub(super) fn helper(a: u32) -> u32 {\n    a * 3\n}\n"
    );
    assert!(
        moved.changed["src/lib.rs"].ends_with("use helper_part::helper;\n\nmod helper_part;\n")
    );
}

#[test]
fn other_languages_get_the_comment_and_nothing_else() {
    let files = texts(&[
        ("model.R", "f <- function(x) x + 1\n"),
        ("a.go", "package a\n\nfunc F() int {\n\treturn 1 + 2\n}\n"),
    ]);

    let claim = plant_at(&files, PlantKind::Claim, "model.R", "f <-").unwrap();
    assert!(claim.changed["model.R"].ends_with(
        "\n# Implements Flux at a face exactly as specified; checked line by line against the specification.\n"
    ));
    let claim = plant_at(&files, PlantKind::Claim, "a.go", "return").unwrap();
    assert!(claim.changed["a.go"].contains("specification.\nfunc F() int"));
    assert!(plant_at(&files, PlantKind::Stub, "a.go", "return").is_err());
}

fn statement() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("a = b + 1"),
        Just("c = [a, b]"),
        Just("if a:\n        b = 2"),
        Just("for i in c:\n        a -= i"),
        Just("print('x', a,  b)"),
        Just("return helper(a, b)"),
        Just("d = lambda x: x + a"),
        Just("text = '''one\n  two, f(a,b)\n'''"),
        Just("with open(a) as f:\n        pass"),
        Just("a = f'{max(a,b)}'; b = 1"),
        Just("# a comment\n    yield a"),
        Just("try:\n        a = 1\n    except E as e:\n        raise"),
    ]
}

proptest! {
    /// Whatever the function, an edit leaves a file that parses, and its diff is not empty.
    #[test]
    fn whatever_the_statements_an_edited_file_parses(
        statements in prop::collection::vec(statement(), 1..7),
        at in 0..12_usize,
        ends in any::<bool>(),
    ) {
        let body: String = statements.iter().map(|it| format!("    {it}\n")).collect();
        let text = format!("def helper(a, b):\n    return a\n\n\ndef work(a, b=2, *c):\n{body}\n\nwork(1, 2)\n");
        let text = if ends { text } else { text.trim_end().to_owned() };
        let files = texts(&[("m.py", &text)]);
        let kind = PlantKind::ALL[at];
        let places = [CodePlace { path: "m.py".into(), lines: (5, 5) }];

        if let Ok(planted) =
            plant_edit(kind, &PlantTarget { files: &files, places: &places, component: "*/ \"\"\"" })
        {
            for (path, text) in &planted.changed {
                let parsed = ParsedFile::parse(path, text).unwrap();
                prop_assert!(!parsed.has_error(), "{kind:?}\n{text}");
            }
            prop_assert!(planted.unified_diff(&files).contains("@@"));
        }
    }

    #[test]
    fn whatever_the_text_nothing_panics(
        text in ".{0,200}",
        at in 0..12_usize,
        line in 0..9_usize,
    ) {
        for path in ["a.py", "a.ts", "a.rs", "a.sh"] {
            let files = texts(&[(path, &text)]);
            let places = [CodePlace { path: path.into(), lines: (line, line + 2) }];
            let target = PlantTarget { files: &files, places: &places, component: "x" };
            let _ = plant_edit(PlantKind::ALL[at], &target);
        }
    }
}
