//! A function is split: its last statements become a function of their own.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::{has_word, tree::Grammar};

use super::{
    edits::TextEdits,
    relocate::start_with_comments,
    syntax::{
        Function, LanguageFamily, ParsedFile, ancestors, bound_names, nodes_in, pattern_names,
        used_names,
    },
};

/// Moves the last statements of a function into a new one, where the values they use are surely bound by then.
pub(super) fn plant_split(function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    match (file.family, file.grammar) {
        (LanguageFamily::Rust, _) | (_, Grammar::TypeScript | Grammar::Tsx) => {
            return Err("the types of its values are not in the syntax".into());
        }
        (LanguageFamily::Python | LanguageFamily::Script, _) => {}
    }
    if let Some(why) = split_problem(function) {
        return Err(why);
    }
    let top = std::iter::once(function.outer)
        .chain(ancestors(function.outer))
        .find(|it| it.parent().is_some_and(|parent| parent.parent().is_none()))
        .ok_or("it is inside of another function")?;
    let statements = function.statements();
    let first = 1 + usize::from(function.docstring().is_some());
    let count = statements.len();
    if count < first + 2 {
        return Err("it has too few statements".into());
    }
    // The points nearest to the middle come first.
    let mut points: Vec<usize> = (first..count - 1).collect();
    points.sort_by_key(|at| at.abs_diff(usize::midpoint(first, count)));
    let cut = points.into_iter().find_map(|at| {
        let arguments = arguments_at(function, &statements, at)?;
        file.indent_at(statements[at].start_byte())?;
        Some((at, arguments))
    });
    let (at, arguments) = cut.ok_or("its last statements use values that may not be bound")?;
    let name = helper_name(file, function.name).ok_or("no name is free")?;
    let end = file.line_end();
    let start = file.line_start(statements[at].start_byte());
    let indent = file.indent_at(statements[at].start_byte()).unwrap_or_default();
    let tail_end = statements[count - 1].end_byte();
    let tail = &file.text[start..tail_end];
    let list = arguments.join(", ");
    let top_start = start_with_comments(file, top);
    if file.indent_at(top.start_byte()) != Some("") {
        return Err("it shares a line with other code".into());
    }
    let (helper, call) = match file.family {
        LanguageFamily::Python => (
            format!("def {name}({list}):{end}{tail}{end}{end}{end}"),
            format!("{indent}return {name}({list})"),
        ),
        LanguageFamily::Script | LanguageFamily::Rust => (
            format!("function {name}({list}) {{{end}{tail}{end}}}{end}{end}"),
            format!("{indent}return {name}({list});"),
        ),
    };
    let mut edits = TextEdits::new(format!(
        "{} in {}: its last {} statements became {name}",
        function.name,
        file.path,
        count - at
    ));
    edits.insert(&file.path, top_start, helper);
    edits.replace(&file.path, start..tail_end, call);
    Ok(edits)
}

/// Returns the reason why a function cannot be split anywhere.
fn split_problem(function: &Function<'_>) -> Option<String> {
    let file = function.file;
    let is_nested = ancestors(function.outer).any(|it| {
        has_word(
            "function_definition function_declaration arrow_function function_expression if_statement try_statement",
            it.kind(),
        )
    });
    let is_plain = match file.family {
        LanguageFamily::Python => true,
        LanguageFamily::Script | LanguageFamily::Rust => {
            function.node.kind() == "function_declaration" && function.is_at_top()
        }
    };
    if is_nested || !is_plain {
        return Some("it is not a plain function at the top of its file".into());
    }
    let kinds = "yield yield_expression await await_expression async global_statement nonlocal_statement \
        delete_statement match_statement super this wildcard_import labeled_statement";
    if let Some(node) = nodes_in(function.node).into_iter().find(|it| has_word(kinds, it.kind())) {
        return Some(format!("it has a {}", node.kind().replace('_', " ")));
    }
    let names = used_names(file, function.node);
    let special = "locals globals exec eval super vars dir __class__ inspect arguments";
    if let Some(name) = names.iter().find(|name| has_word(special, name)) {
        return Some(format!("it uses {name}"));
    }
    let text = file.text_of(function.node);
    let is_private = |word: &str| word.starts_with("__") && !word.ends_with("__");
    let has_private = text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_private);
    has_private.then(|| "it uses private names of its class".into())
}

/// Returns the values that the statements from `at` on need, in order; None where one of them may not be bound by then.
fn arguments_at(
    function: &Function<'_>,
    statements: &[Node<'_>],
    at: usize,
) -> Option<Vec<String>> {
    let file = function.file;
    let (before, tail) = statements.split_at(at);
    // A generator reads its values when it runs, so it is a closure too.
    let closures = "function_definition lambda class_definition generator_expression arrow_function \
        function_expression function_declaration class_declaration method_definition";
    let has_closure = |nodes: &[Node<'_>], kinds: &str| {
        nodes.iter().flat_map(|it| nodes_in(*it)).any(|it| has_word(kinds, it.kind()))
    };
    if has_closure(before, closures) || has_closure(tail, "function_declaration") {
        return None;
    }
    let parameters: BTreeSet<&str> = function
        .node
        .child_by_field_name("parameters")
        .map(|it| parameter_names(file, it))
        .unwrap_or_default();
    let mut surely = parameters.clone();
    let mut maybe = parameters;
    for statement in before {
        surely.extend(surely_bound(file, *statement));
        maybe.extend(bound_names(file, *statement));
    }
    let used: BTreeSet<&str> = tail.iter().flat_map(|it| used_names(file, *it)).collect();
    let tail_bound: BTreeSet<&str> = tail.iter().flat_map(|it| bound_names(file, *it)).collect();
    let used_before: BTreeSet<&str> = before.iter().flat_map(|it| used_names(file, *it)).collect();
    // A value that is bound in the second part only, and read in the first, is another variable than it seems.
    if tail_bound.iter().any(|name| used_before.contains(name) && !surely.contains(name)) {
        return None;
    }
    let needed: BTreeSet<&str> = used.intersection(&maybe).copied().collect();
    needed.is_subset(&surely).then(|| needed.into_iter().map(str::to_owned).collect())
}

/// Returns the names of parameters, without annotations and default values.
fn parameter_names<'t>(file: &'t ParsedFile, parameters: Node<'t>) -> BTreeSet<&'t str> {
    let mut cursor = parameters.walk();
    let name_of = |it: Node<'t>| match it.kind() {
        "default_parameter" | "typed_default_parameter" => it.child_by_field_name("name"),
        "assignment_pattern" => it.child_by_field_name("left"),
        "typed_parameter" => it.named_child(0),
        _ => Some(it),
    };
    let names = parameters.named_children(&mut cursor).filter_map(name_of);
    names.flat_map(|it| pattern_names(file, it)).collect()
}

/// Returns the names that a statement binds whenever it is left normally.
fn surely_bound<'t>(file: &'t ParsedFile, statement: Node<'t>) -> Vec<&'t str> {
    let targets: Vec<Node<'t>> = match statement.kind() {
        "expression_statement" => {
            let assignment = statement.named_child(0).filter(|it| it.kind() == "assignment");
            let has_value = |it: &Node<'_>| it.child_by_field_name("right").is_some();
            let left = assignment.filter(has_value).and_then(|it| it.child_by_field_name("left"));
            left.into_iter().collect()
        }
        "lexical_declaration" | "variable_declaration" => {
            let mut cursor = statement.walk();
            let declarators = statement.named_children(&mut cursor);
            declarators.filter_map(|it| it.child_by_field_name("name")).collect()
        }
        "import_statement" | "import_from_statement" => {
            return bound_names(file, statement).into_iter().collect();
        }
        _ => vec![],
    };
    targets.into_iter().flat_map(|it| pattern_names(file, it)).collect()
}

fn helper_name(file: &ParsedFile, name: &str) -> Option<String> {
    let name = name.trim_matches('_');
    let candidates = match file.family {
        LanguageFamily::Python => [format!("_{name}_rest"), format!("_{name}_second_part")],
        LanguageFamily::Script | LanguageFamily::Rust => {
            [format!("{name}Rest"), format!("{name}SecondPart")]
        }
    };
    candidates.into_iter().find(|it| !file.text.contains(it.as_str()))
}
