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
