use proptest::prelude::*;

use super::*;

const EMBED: &str = r#""""Embeddings."""
import math

MAX_OFFSET = 16
CROSS_CHAIN = 2 * MAX_OFFSET + 1


# How far apart two residues stand.
def relative_position(a, b):
    """One of 34 rows."""
    if a.chain != b.chain:
        return CROSS_CHAIN
    return min(max(b.index - a.index, -MAX_OFFSET), MAX_OFFSET) + MAX_OFFSET


class Table:
    def row(self, at):
        return self.rows[at]
"#;

const LOSS: &str = r#"import math


def sequence_loss(logits, target):
    total = sum(math.exp(x) for x in logits)
    return -math.log(math.exp(logits[target]) / total)
"#;

const FILES: [(&str, &str); 4] = [
    ("p/embed.py", EMBED),
    ("p/loss.py", LOSS),
    ("tests/test_embed.py", "def test_relative_position():\n    assert relative_position(1, 2)\n"),
    ("README.md", "A toy.\n\nThe relative position of two residues is a row of a table.\n"),
];

fn relative_position_component() -> Component {
    Component {
        id: "C07".into(),
        name: "Relative position (relative_position)".into(),
        intent: "Order within a chain, none between chains.".into(),
        formula: "r_ij = clip(j - i, -16, 16) + 16".into(),
        inputs: "two residues".into(),
        outputs: "row of a table".into(),
        ..Component::default()
    }
}

fn trace_look(tool: &str, arguments: &str, excerpt: &str) -> JudgeToolCall {
    JudgeToolCall {
        tool: tool.into(),
        arguments: arguments.into(),
        excerpt: Some(excerpt.into()),
        ..JudgeToolCall::default()
    }
}

fn place_text(place: &CandidatePlace) -> String {
    format!("{}:{}-{} {}", place.path, place.start, place.end, place.name.as_deref().unwrap_or("-"))
}

fn places_of(name: &str) -> Vec<String> {
    let component = Component { name: name.into(), ..Component::default() };
    places_in_files(&component, &FILES, &[], &[]).iter().map(place_text).collect()
}

/// Returns how the place that defines the symbol was opened.
fn opened_by(looks: &[JudgeToolCall], evidence: &[Evidence]) -> Option<OpenedBy> {
    let all = places_in_files(&relative_position_component(), &FILES, looks, evidence);
    let place = all.into_iter().find(|it| it.name.as_deref() == Some("relative_position")).unwrap();
    assert_eq!(place.is_opened, place.opened_by.is_some());
    place.opened_by
}

#[test]
fn what_defines_the_symbol_comes_first_then_what_speaks_of_it() {
    let all = places_in_files(&relative_position_component(), &FILES, &[], &[]);

    let order: Vec<String> = all.iter().map(place_text).collect();
    assert_eq!(
        order,
        [
            "p/embed.py:8-13 relative_position",
            "p/embed.py:4-5 -",
            "tests/test_embed.py:1-2 test_relative_position",
            "README.md:1-3 -",
        ]
    );
    let why: Vec<String> = all[0].reasons.iter().map(ToString::to_string).collect();
    assert_eq!(
        why,
        ["defines relative_position", "mentions position, relative, chain, residues, row",]
    );
    assert!(all.windows(2).all(|pair| pair[0].score >= pair[1].score && !pair[0].is_opened));
}

#[test]
fn operations_of_a_formula_are_found_by_what_programs_call_them() {
    let component = Component {
        name: "Likelihood".into(),
        formula: "L = -log softmax(l)[s], softmax = exp(l)/sum exp(l)".into(),
        ..Component::default()
    };
    let other = ("p/torch.py", "def step(model, x, y):\n    return F.cross_entropy(model(x), y)\n");
    let found = places_in_files(&component, &[FILES[0], FILES[1], other], &[], &[]);

    let formula_reason =
        |terms: &[&str]| MatchReason::Formula(terms.iter().map(|term| (*term).into()).collect());
    let places: Vec<_> = found.iter().map(|it| (place_text(it), it.reasons.clone())).collect();
    assert_eq!(
        places,
        [
            ("p/loss.py:4-6 sequence_loss".into(), vec![formula_reason(&["exp", "log", "sum"])]),
            ("p/torch.py:1-2 step".into(), vec![formula_reason(&["cross entropy"])]),
        ]
    );
}

#[test]
fn words_are_compared_without_their_ends_and_symbols_without_their_joints() {
    assert_eq!(places_of("Positions, relatively")[0], "p/embed.py:8-13 relative_position");
    assert_eq!(places_of("Nothing (RelativePosition)")[0], "p/embed.py:8-13 relative_position");
    assert_eq!(places_of("Nothing at all"), Vec::<String>::new());
    assert_eq!(places_of(""), Vec::<String>::new());
}

#[test]
fn a_read_opens_its_lines_in_the_words_of_several_tools() {
    let read = Some(OpenedBy::Read);
    for (tool, arguments) in [
        ("read", r#"{"path":"p/embed.py"}"#),
        ("read", r#"{"end":13,"path":"./p/embed.py","start":8}"#),
        ("read", "p/embed.py"),
        ("read_file", r#"{"file_path":"/repo/p/embed.py","offset":8,"limit":6}"#),
        ("view", r#"{"path":"/repo/p/embed.py","view_range":[1,-1]}"#),
        ("mcp__files__open", r#"{"files":["p/loss.py","p/embed.py"]}"#),
        ("cat", "p/embed.py:8-13"),
        ("cat", r#"{"lines":"8-13","path":"p/embed.py"}"#),
        ("show", "sed -n '8,13p' p/embed.py"),
    ] {
        assert_eq!(opened_by(&[trace_look(tool, arguments, "")], &[]), read, "{tool} {arguments}");
    }
    for (tool, arguments, excerpt) in [
        ("read", r#"{"path":"p/loss.py"}"#, ""),
        ("read", r#"{"path":"p/embed.py","start":14}"#, ""),
        ("read", r#"{"path":"p/embed.py","start":1,"end":8}"#, ""),
        ("read", r#"{"path":"p/embed.py"}"#, "refused: no such file"),
        ("read", r#"{"path":"p/embed.py"}"#, "p/embed.py, lines 1-6 of 18\n 1  x"),
        ("cat", "p/embed.py:1-6", ""),
        ("show", "sed -n '1,6p' p/embed.py", ""),
        ("list", r#"{"path":"p/embed.py"}"#, "p/embed.py 18"),
        ("symbols", r#"{"path":"p/embed.py"}"#, "p/embed.py:9-13 function relative_position"),
        ("search", r#"{"path":"p/embed.py","pattern":"x"}"#, "no line matches, in 1 files"),
    ] {
        assert_eq!(
            opened_by(&[trace_look(tool, arguments, excerpt)], &[]),
            None,
            "{tool} {arguments}"
        );
    }
}

#[test]
fn half_of_the_lines_are_enough_and_reads_add_up() {
    let half = trace_look("read", r#"{"path":"p/embed.py","start":1,"end":10}"#, "");
    let less = trace_look("read", r#"{"path":"p/embed.py","start":1,"end":9}"#, "");
    let hit = trace_look("grep", "x", "1 line matches\np/embed.py:13:     return min(max(\u{2026}");

    assert_eq!(opened_by(&[half], &[]), Some(OpenedBy::Read));
    assert_eq!(opened_by(std::slice::from_ref(&less), &[]), None);
    assert_eq!(opened_by(std::slice::from_ref(&hit), &[]), None);
    assert_eq!(opened_by(&[less, hit], &[]), Some(OpenedBy::Read));
}

#[test]
fn evidence_and_unknown_tools_count_and_say_so() {
    let cites = |lines| Evidence { path: "p/embed.py".into(), lines, quote: None };
    let unknown = trace_look("bash", r#"{"command":"wc -l p/embed.py"}"#, "18 p/embed.py");

    assert_eq!(opened_by(&[], &[cites(Some((13, 13)))]), Some(OpenedBy::Evidence));
    assert_eq!(opened_by(&[], &[cites(None)]), Some(OpenedBy::Evidence));
    assert_eq!(opened_by(&[], &[cites(Some((16, 18)))]), None);
    let by = opened_by(&[unknown], &[]).unwrap();
    assert_eq!(by.to_string(), "bash, a tool we do not know, names the file");
}

#[test]
fn a_long_class_is_cut_into_its_methods_and_text_into_windows() {
    let methods: String =
        (0..30).map(|at| format!("    def step_{at}(self):\n        return {at}\n\n")).collect();
    let prose = "words of a guide\n".repeat(100);
    let class = format!("class Long:\n{methods}");
    let component = Component { name: "Guide to step_7 (step_7)".into(), ..Component::default() };
    let all = places_in_files(&component, &[("a.py", &class), ("guide.txt", &prose)], &[], &[]);

    assert_eq!(place_text(&all[0]), "a.py:23-24 Long.step_7");
    let windows = all.iter().filter(|it| it.path == "guide.txt");
    let windows: Vec<_> = windows.map(|it| (it.start, it.end)).collect();
    assert_eq!(windows, [(1, 40), (41, 80), (81, 100)]);
}

#[test]
fn other_languages_have_places_too() {
    let rust = "use a::b;\n\nimpl Sampler {\n    /// Draws.\n    fn draw_binder(&self) -> u8 {\n        1\n    }\n}\n";
    let script = "import x from 'y';\n\nexport const drawBinder = () => {\n  return 1;\n};\n";
    let component = Component { name: "Draw (draw_binder)".into(), ..Component::default() };
    let all = places_in_files(&component, &[("a.rs", rust), ("b.ts", script)], &[], &[]);

    let names: Vec<_> = all.iter().map(|it| (it.path.as_str(), it.name.clone())).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|(_, name)| name.is_some()), "{names:?}");
    assert!(all[0].reasons.contains(&MatchReason::Symbol("draw_binder".into())), "{all:?}");
}

proptest! {
    #[test]
    fn whatever_the_words_the_lines_of_a_place_are_in_its_file(
        name in "\\PC{0,30}",
        formula in "([|~^(){}a-z0-9.Σ√ ]|\\PC){0,40}",
        text in "(def |class |import |use |from |x = |\\(|\\)|:|\n| |é|ß|\u{feff}|\"\"\"|#|\\PC){0,60}",
        path in prop_oneof!["a.py", "a.rs", "a.md", "a.ts", "\\PC{0,6}"],
        arguments in "(\\{\"path\":\"a.py\",\"start\":)?(\\PC){0,20}\\}?",
        lines in (0..9_usize, 0..9_usize),
    ) {
        let component = Component { name, formula, ..Component::default() };
        let looks = [trace_look("read", &arguments, ""), trace_look("x", "a.py", "")];
        let evidence = [Evidence { path: path.clone(), lines: Some(lines), quote: None }];

        for place in places_in_files(&component, &[(&path, &text)], &looks, &evidence) {
            prop_assert!(1 <= place.start && place.start <= place.end);
            prop_assert!(place.end <= text.lines().count());
            prop_assert!(place.score > 0.0 && !place.reasons.is_empty());
        }
    }
}
