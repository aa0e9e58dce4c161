use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::snapshot::tests::snapshot_of;

fn sample_snapshot() -> CodeSnapshot {
    snapshot_of(&[
        ("README.md", "# Diffusion\nSee model.\n"),
        (
            "src/model.py",
            "import math\n\n\nclass Model:\n    def forward(self, x):\n        return x\n",
        ),
        ("src/util.rs", "pub fn unit(x: f64) -> f64 {\n    x\n}\nstruct Frame;\n"),
        ("src/a.c", "static int *add(int a) { return 0; }\n"),
        ("leak", "-> /etc/passwd"),
        ("up", "-> .."),
    ])
}

fn call_tool(name: &str, arguments: Value) -> String {
    answer_call(name, &arguments, &sample_snapshot()).text
}

#[test]
fn a_folder_is_listed_with_the_lines_of_its_files() {
    assert_eq!(
        call_tool("list", json!({})),
        "6 files\nREADME.md (2 lines)\nleak (link, not followed)\nsrc/a.c (1 line)\n\
         src/model.py (6 lines)\nsrc/util.rs (4 lines)\nup (link, not followed)"
    );
    assert_eq!(call_tool("list", json!({"path": "src/"})).lines().next(), Some("src: 3 files"));
    assert_eq!(call_tool("list", json!({"path": "./"})), call_tool("list", Value::Null));
}

#[test]
fn lines_are_read_with_their_numbers() {
    assert_eq!(
        call_tool("read", json!({"path": "src/model.py", "start": 4, "end": 5})),
        "src/model.py, lines 4-5 of 6\n    4  class Model:\n    5      def forward(self, x):"
    );
    assert_eq!(
        call_tool("read", json!({"path": "README.md", "start": "2"})),
        "README.md, lines 2-2 of 2\n    2  See model."
    );
}

#[test]
fn lines_that_match_are_found() {
    assert_eq!(
        call_tool("search", json!({"pattern": "(?i)model"})),
        "2 lines match\nREADME.md:2: See model.\nsrc/model.py:4: class Model:"
    );
    assert_eq!(call_tool("search", json!({"pattern": "nowhere"})), "no line matches, in 4 files");
}

#[test]
fn definitions_of_several_languages_are_found() {
    let all = call_tool("symbols", json!({}));
    for call in [
        "src/model.py:4-6 class Model",
        "src/model.py:5-6 function forward",
        "src/util.rs:1-3 function unit",
        "src/util.rs:4-4 struct Frame",
        "src/a.c:1-1 function add",
    ] {
        let is_here = all.contains(call);
        let has_grammar = call.contains(".py") || cfg!(all(feature = "rust", feature = "c"));
        assert_eq!(is_here, has_grammar, "{call}\n{all}");
    }
    assert_eq!(
        call_tool("symbols", json!({"name": "FORW"})),
        "1 definition\nsrc/model.py:5-6 function forward"
    );
}

#[test]
fn what_lies_outside_is_refused() {
    let outside = [
        "/etc/passwd",
        "..",
        "../x",
        "src/../../x",
        "src/../README.md",
        "..\\x",
        "C:\\x",
        "c:/x",
        "\\\\host\\share",
        "~/x",
        "file:///etc/passwd",
        "https://example.org",
        "leak",
        "up/x",
        "up/../leak",
        "src\0",
        "no/such",
    ];
    for path in outside {
        for tool in TOOLS {
            let answer =
                answer_call(tool.name, &json!({"path": path, "pattern": "x"}), &sample_snapshot());
            assert!(answer.is_refused, "{} {path:?}: {}", tool.name, answer.text);
        }
    }
}

#[test]
fn a_call_that_makes_no_sense_is_refused_in_words() {
    assert_eq!(
        call_tool("bash", json!({"command": "ls"})),
        "refused: no such tool; there are list, read, search, symbols"
    );
    assert_eq!(call_tool("read", json!([1])), "refused: the arguments are not a JSON object");
    assert_eq!(call_tool("read", json!({})), "refused: path is missing");
    assert_eq!(call_tool("read", json!({"path": 3})), "refused: path is not text");
    assert_eq!(call_tool("read", json!({"path": "src"})), "refused: src is a folder; use list");
    assert_eq!(
        call_tool("read", json!({"path": "README.md", "start": 0})),
        "refused: start is not a line number (from 1)"
    );
    assert_eq!(
        call_tool("read", json!({"path": "README.md", "start": 9})),
        "refused: README.md has 2 lines only"
    );
    assert_eq!(
        call_tool("search", json!({"pattern": "("})),
        "refused: not a regular expression we can use"
    );
}

#[test]
fn an_answer_is_cut_at_its_bound() {
    let long = format!("{}\n", "é".repeat(390)).repeat(600);
    let snapshot = snapshot_of(&[("long.txt", &long)]);

    let answer = answer_call("read", &json!({"path": "long.txt", "end": 500}), &snapshot);

    assert!(answer.text.len() <= MOST_BYTES);
    assert!(answer.text.ends_with("(cut here; ask for less at once)"));
}

proptest! {
    #[test]
    fn whatever_the_path_nothing_outside_the_snapshot_is_said(path in ".{0,40}", tool in 0..4_usize) {
        let snapshot = sample_snapshot();
        let answer = answer_call(TOOLS[tool].name, &json!({"path": path, "pattern": "."}), &snapshot);
        prop_assert!(!answer.text.contains("root:"));
        prop_assert!(answer.text.len() <= MOST_BYTES);
    }

    #[test]
    fn whatever_stands_between_dots_and_slashes_a_climb_is_refused(
        parts in prop::collection::vec("(\\.\\.|\\.|src|up|leak|a|)", 0..6),
        climbs in prop::sample::select(vec!["../", "/../", "..\\", "/"]),
    ) {
        let path = format!("{climbs}{}", parts.join("/"));
        let answer = answer_call("read", &json!({"path": path}), &sample_snapshot());
        prop_assert!(answer.is_refused, "{}", path);
    }
}
