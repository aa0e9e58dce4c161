//! Edits that must matter: the component is deleted, stubbed, no longer called, or computes something else.

use tree_sitter::Node;

use crate::has_word;

use super::{
    CodePlace, SourceTexts,
    edits::TextEdits,
    syntax::{
        Function, LanguageFamily, ParsedFile, ancestors, contains, files_with_word, functions_of,
        has_module, is_own_rust_path, is_test_path, nodes_in, statements_of,
    },
};

/// Deletes functions, the statements that only call them, and their imports.
pub(super) fn plant_deletion(
    files: &SourceTexts,
    functions: &[Function<'_>],
) -> Result<TextEdits, String> {
    let mut edits = TextEdits::new(format!("deleted: {}", names_text(functions)));
    for function in functions {
        let file = function.file;
        let lines = file
            .whole_lines(function.outer)
            .ok_or_else(|| format!("{} shares a line with other code", function.name))?;
        let siblings = function.outer.parent().map(statements_of).unwrap_or_default();
        let is_left = |it: &Node<'_>| !functions.iter().any(|other| contains(other.outer, *it));
        let is_empty = file.family == LanguageFamily::Python
            && function.outer.parent().is_some_and(|parent| parent.kind() == "block")
            && !siblings.iter().any(is_left)
            && siblings.first().is_some_and(|first| first.id() == function.outer.id());
        if is_empty {
            let indent = file.indent_at(function.outer.start_byte()).unwrap_or_default();
            edits.replace(&file.path, lines, format!("{indent}pass{}", file.line_end()));
        } else {
            edits.replace(&file.path, lines, "");
        }
    }
    for CallingFile { file, names } in calling_files(files, functions) {
        let calls = calls_of(&file, &names, functions, files);
        for statement in calls.into_iter().filter_map(call_statement) {
            if !is_within(&file, statement, functions) {
                edits.replace(&file.path, statement.byte_range(), empty_statement(file.family));
            }
        }
        remove_imports(&file, &names, &mut edits);
    }
    Ok(edits)
}

fn names_text(functions: &[Function<'_>]) -> String {
    let names: Vec<String> =
        functions.iter().map(|it| format!("{} in {}", it.name, it.file.path)).collect();
    names.join(", ")
}

/// A file that may use functions.
struct CallingFile<'a> {
    file: ParsedFile,
    /// The names of the functions that it has as words, each the name of one function in all files.
    names: Vec<&'a str>,
}

/// Returns the files that may use some of the functions. A name that several functions have is left out.
fn calling_files<'a>(files: &SourceTexts, functions: &[Function<'a>]) -> Vec<CallingFile<'a>> {
    let mut calling: Vec<CallingFile<'a>> = vec![];
    for function in functions {
        let with_name = files_with_word(files, function.name, function.file.family);
        let definitions =
            with_name.iter().flat_map(functions_of).filter(|it| it.name == function.name).count();
        if definitions != 1 {
            continue;
        }
        for file in with_name {
            match calling.iter_mut().find(|it| it.file.path == file.path) {
                Some(known) => known.names.push(function.name),
                None => calling.push(CallingFile { file, names: vec![function.name] }),
            }
        }
    }
    calling
}

fn is_within(file: &ParsedFile, node: Node<'_>, functions: &[Function<'_>]) -> bool {
    functions.iter().any(|it| it.file.path == file.path && contains(it.outer, node))
}

/// Returns the calls of functions by name; calls inside of these functions and of such calls are left out.
/// A method is called through any object, another function through a module of the tree only.
fn calls_of<'t>(
    file: &'t ParsedFile,
    names: &[&str],
    functions: &[Function<'_>],
    files: &SourceTexts,
) -> Vec<Node<'t>> {
    let is_call = |node: &Node<'_>| {
        let callee = has_word("call call_expression", node.kind())
            .then(|| node.child_by_field_name("function"))
            .flatten();
        let Some(callee) = callee else { return false };
        let field = match callee.kind() {
            "attribute" => "attribute",
            "member_expression" => "property",
            "field_expression" => "field",
            "scoped_identifier" => "name",
            "identifier" => return names.contains(&file.text_of(callee)),
            _ => return false,
        };
        let Some(last) = callee.child_by_field_name(field) else { return false };
        let name = file.text_of(last);
        names.contains(&name)
            && (functions.iter().any(|it| it.name == name && it.is_method())
                || is_in_project_module(file, callee, last, files))
    };
    let (mut calls, mut end): (Vec<Node<'t>>, usize) = (vec![], 0);
    for node in nodes_in(file.root()).into_iter().filter(is_call) {
        if node.start_byte() >= end && !is_within(file, node, functions) {
            end = node.end_byte();
            calls.push(node);
        }
    }
    calls
}

/// Returns whether a name is reached through a module of the project: `module.name`, or `module::name` in Rust, where
/// `last` is the name.
fn is_in_project_module(
    file: &ParsedFile,
    around: Node<'_>,
    last: Node<'_>,
    files: &SourceTexts,
) -> bool {
    match around.kind() {
        "scoped_identifier" => is_own_rust_path(file, last, files),
        "attribute" | "member_expression" => around
            .child_by_field_name("object")
            .is_some_and(|object| is_own_module(file, file.text_of(object), files)),
        _ => false,
    }
}

/// Returns whether an object is a module of the tree that the file imports.
fn is_own_module(file: &ParsedFile, object: &str, files: &SourceTexts) -> bool {
    let is_object = |node: Option<Node<'_>>| {
        let local = node.map_or("", |it| file.text_of(it)).split('.').next().unwrap_or_default();
        object.split('.').next() == Some(local)
    };
    let is_module = |node: Option<Node<'_>>| {
        let path = node.map_or("", |it| file.text_of(it));
        path.split('.').any(|part| has_module(files, part, ".py"))
    };
    let is_import =
        |node: &Node<'_>| has_word("import_statement import_from_statement", node.kind());
    nodes_in(file.root()).into_iter().any(|node| match node.kind() {
        "dotted_name" if node.parent().as_ref().is_some_and(is_import) => {
            is_object(Some(node)) && is_module(Some(node))
        }
        "aliased_import" => {
            is_object(node.child_by_field_name("alias"))
                && is_module(node.child_by_field_name("name"))
        }
        "namespace_import" => {
            let statement = ancestors(node).find(is_import);
            let source = statement.and_then(|it| it.child_by_field_name("source"));
            is_object(node.named_child(0))
                && source
                    .is_some_and(|it| file.text_of(it).trim_matches(['"', '\'']).starts_with('.'))
        }
        "variable_declarator" => {
            let value = node.child_by_field_name("value").map_or("", |it| file.text_of(it));
            let is_required = value.starts_with("require('.") || value.starts_with("require(\".");
            is_object(node.child_by_field_name("name")) && is_required
        }
        _ => false,
    })
}

/// Returns whether a file still uses a function that is no method once its calls are removed.
fn has_other_use(
    file: &ParsedFile,
    name: &str,
    calls: &[Node<'_>],
    functions: &[Function<'_>],
    files: &SourceTexts,
) -> bool {
    let is_removed = |node: Node<'_>| {
        calls.iter().filter(|call| contains(**call, node)).any(|call| {
            let remains = first_value(*call).is_some_and(|value| contains(value, node));
            call_statement(*call).is_some() || !remains
        })
    };
    let lists = "import_statement import_from_statement export_clause use_declaration";
    let is_listed = |node: Node<'_>| {
        ancestors(node).any(|it| {
            let target = (it.kind() == "assignment_expression")
                .then(|| it.child_by_field_name("left"))
                .flatten()
                .map_or("", |left| file.text_of(left));
            has_word(lists, it.kind())
                || target.starts_with("module.exports")
                || target.starts_with("exports.")
        })
    };
    let is_use = |node: Node<'_>| {
        let Some(parent) = node.parent() else { return false };
        let is_field = |field: &str| parent.child_by_field_name(field) == Some(node);
        match (node.kind(), parent.kind()) {
            ("identifier", "function_signature" | "export_statement") => false,
            ("identifier", "keyword_argument") => !is_field("name"),
            ("identifier", "scoped_identifier") => is_own_rust_path(file, node, files),
            ("identifier", "attribute") if is_field("attribute") => {
                is_in_project_module(file, parent, node, files)
            }
            ("property_identifier", "member_expression") => {
                is_in_project_module(file, parent, node, files)
            }
            ("identifier" | "shorthand_property_identifier", _) => true,
            _ => false,
        }
    };
    let named = nodes_in(file.root()).into_iter().filter(|it| file.text_of(*it) == name);
    let mut uses = named.filter(|it| is_use(*it) && !is_within(file, *it, functions));
    uses.any(|it| !is_removed(it) && !is_listed(it) && !is_in_test_module(file, it))
}

/// Returns whether a node is in a module of Rust with the tests of its file.
fn is_in_test_module(file: &ParsedFile, node: Node<'_>) -> bool {
    ancestors(node).filter(|it| it.kind() == "mod_item").any(|it| {
        it.child_by_field_name("name")
            .is_some_and(|name| has_word("test tests", file.text_of(name)))
    })
}

/// Returns the statement that is nothing but a call.
fn call_statement(call: Node<'_>) -> Option<Node<'_>> {
    let mut parent = call.parent()?;
    if has_word("await await_expression", parent.kind()) {
        parent = parent.parent()?;
    }
    (parent.kind() == "expression_statement").then_some(parent)
}

const fn empty_statement(family: LanguageFamily) -> &'static str {
    match family {
        LanguageFamily::Python => "pass",
        LanguageFamily::Script => ";",
        LanguageFamily::Rust => "",
    }
}

/// Removes names from the imports of a file.
fn remove_imports(file: &ParsedFile, names: &[&str], edits: &mut TextEdits) {
    for list in nodes_in(file.root()) {
        let is_use = list.kind() == "scoped_identifier"
            && list.parent().is_some_and(|it| it.kind() == "use_declaration");
        if !is_use && !has_word("import_from_statement named_imports use_list", list.kind()) {
            continue;
        }
        let module = list.child_by_field_name("module_name").or(list.child_by_field_name("path"));
        let listed: Vec<Node<'_>> =
            statements_of(list).into_iter().filter(|it| Some(*it) != module).collect();
        let (gone, left): (Vec<Node<'_>>, Vec<Node<'_>>) =
            listed.iter().partition(|it| names.contains(&file.text_of(**it)));
        let (Some(first), Some(last)) = (listed.first(), listed.last()) else { continue };
        if gone.is_empty() {
            continue;
        }
        if !left.is_empty() {
            let texts: Vec<&str> = left.iter().map(|it| file.text_of(*it)).collect();
            edits.replace(&file.path, first.start_byte()..last.end_byte(), texts.join(", "));
            continue;
        }
        let statement = std::iter::once(list).chain(ancestors(list)).find(|it| {
            has_word("import_from_statement import_statement use_declaration", it.kind())
        });
        // A list within another one is left as it is.
        let is_whole = |it: &Node<'_>| {
            list.kind() != "use_list" || list.parent().and_then(|it| it.parent()) == Some(*it)
        };
        if let Some(statement) = statement.filter(is_whole) {
            edits.replace(&file.path, statement.byte_range(), empty_statement(file.family));
        }
    }
}

/// Puts a stub in the place of the bodies of functions.
pub(super) fn plant_stubs(functions: &[Function<'_>]) -> Result<TextEdits, String> {
    let mut edits = TextEdits::new(format!("stubs: {}", names_text(functions)));
    let mut planted = 0;
    for function in functions {
        let (file, body) = (function.file, function.body);
        let (range, stub) = match file.family {
            LanguageFamily::Python => {
                let skipped = usize::from(function.docstring().is_some());
                let statements = function.statements();
                let Some(first) = statements.get(skipped) else { continue };
                let end = statements.last().map_or(body.end_byte(), Node::end_byte);
                (first.start_byte()..end, "raise NotImplementedError")
            }
            LanguageFamily::Script => {
                (body.byte_range(), "{ throw new Error(\"not implemented\"); }")
            }
            LanguageFamily::Rust => (body.byte_range(), "{ todo!() }"),
        };
        if is_stub(function) {
            continue;
        }
        edits.replace(&file.path, range, stub);
        planted += 1;
    }
    match planted {
        0 => Err("its functions are stubs already".into()),
        _ => Ok(edits),
    }
}

/// Returns whether the whole body, after a docstring, raises that it is not implemented.
fn is_stub(function: &Function<'_>) -> bool {
    let statements = function.statements();
    let skipped = usize::from(function.docstring().is_some());
    let Some([only]) = statements.get(skipped..) else { return false };
    has_word("raise_statement throw_statement", only.kind())
        && function.file.text_of(*only).contains("NotImplementedError")
}

/// Returns the edits that remove the calls of functions outside of tests: a statement goes, elsewhere the first
/// argument takes its place. The error is a sentence.
pub(super) fn plant_call_removal(
    files: &SourceTexts,
    functions: &[Function<'_>],
) -> Result<TextEdits, String> {
    let calling = calling_files(files, functions);
    if calling.is_empty() {
        return Err("several functions have its name".into());
    }
    let (mut edits, mut count) = (TextEdits::default(), 0);
    for CallingFile { file, names } in calling.iter().filter(|it| !is_test_path(&it.file.path)) {
        let mut calls = calls_of(file, names, functions, files);
        calls.retain(|call| !is_in_test_module(file, *call));
        for function in functions.iter().filter(|it| names.contains(&it.name) && !it.is_method()) {
            if has_other_use(file, function.name, &calls, functions, files) {
                return Err(format!("{} uses {} without a plain call", file.path, function.name));
            }
        }
        for call in calls {
            let (node, text) = match call_statement(call) {
                Some(statement) => (statement, empty_statement(file.family).to_owned()),
                None => (call, call_value(file, call)),
            };
            edits.replace(&file.path, node.byte_range(), text);
            count += 1;
        }
    }
    if count == 0 {
        return Err("nothing outside of tests calls it".into());
    }
    edits.summary = format!("calls removed: {count}, of {}", names_text(functions));
    Ok(edits)
}

/// Returns the first argument of a call that has a value of its own.
fn first_value(call: Node<'_>) -> Option<Node<'_>> {
    let arguments = call.child_by_field_name("arguments")?;
    if arguments.kind() == "generator_expression" {
        return Some(arguments);
    }
    let kinds = "keyword_argument list_splat dictionary_splat spread_element comment line_comment \
        block_comment";
    let mut cursor = arguments.walk();
    arguments.named_children(&mut cursor).find(|it| !has_word(kinds, it.kind()))
}

/// Returns the value in the place of a call: its first argument, else nothing.
fn call_value(file: &ParsedFile, call: Node<'_>) -> String {
    match (first_value(call), file.family) {
        (Some(first), _) => format!("({})", file.text_of(first)),
        (None, LanguageFamily::Python) => "None".into(),
        (None, LanguageFamily::Script) => "undefined".into(),
        (None, LanguageFamily::Rust) => "Default::default()".into(),
    }
}

/// Breaks a formula: the signs of its sums, else an axis, else a constant; at the places of the component where it has some there.
pub(super) fn plant_wrong_formula(
    function: &Function<'_>,
    places: &[CodePlace],
) -> Result<TextEdits, String> {
    let file = function.file;
    let nodes: Vec<Node<'_>> = nodes_in(function.body)
        .into_iter()
        .filter(|node| !is_index_or_text(function, *node) && !is_printed(file, *node))
        .collect();
    let is_at_place = |node: &&Node<'_>| {
        let line = node.start_position().row + 1;
        places.iter().any(|it| it.path == file.path && (it.lines.0..=it.lines.1).contains(&line))
    };
    let here: Vec<Node<'_>> = nodes.iter().filter(is_at_place).copied().collect();
    type Change = fn(&ParsedFile, Node<'_>) -> Option<(std::ops::Range<usize>, String)>;
    let changes: [(&str, Change); 3] =
        [("sign", other_sign), ("axis", other_axis), ("constant", other_constant)];
    for (what, change) in changes {
        for nodes in [&here, &nodes] {
            let found: Vec<_> = nodes.iter().filter_map(|node| change(file, *node)).collect();
            if found.is_empty() {
                continue;
            }
            let count = found.len();
            let summary =
                format!("{} in {}: {what} changed, places: {count}", function.name, file.path);
            let mut edits = TextEdits::new(summary);
            for (range, text) in found {
                edits.replace(&file.path, range, text);
            }
            return Ok(edits);
        }
    }
    Err("it has no sum, no axis and no constant that surely matters".into())
}

fn is_index_or_text(function: &Function<'_>, node: Node<'_>) -> bool {
    let kinds = "subscript subscript_expression index_expression slice string template_string type";
    ancestors(node)
        .take_while(|it| it.id() != function.body.id())
        .any(|it| has_word(kinds, it.kind()))
}

/// Returns whether a node is an argument of a call that prints or logs.
fn is_printed(file: &ParsedFile, node: Node<'_>) -> bool {
    ancestors(node).any(|it| {
        let field = match it.kind() {
            "call" | "call_expression" => "function",
            "macro_invocation" => "macro",
            _ => return false,
        };
        let Some(callee) = it.child_by_field_name(field) else { return false };
        let callee = file.text_of(callee);
        let (before, last) = callee.rsplit_once(['.', ':']).unwrap_or(("", callee));
        let is_logger = |part: &str| {
            has_word("console log logger _logger LOG LOGGER logging warnings tracing", part)
        };
        let is_mathematical = has_word("np numpy jnp math Math torch tf", before);
        let prints = "print println eprint eprintln pprint write writeln debug info warn error \
            warning trace dbg format";
        has_word(prints, last)
            || (last == "log" && !is_mathematical)
            || before.split(['.', ':']).any(is_logger)
    })
}

fn other_sign(file: &ParsedFile, node: Node<'_>) -> Option<(std::ops::Range<usize>, String)> {
    if !has_word("binary_operator binary_expression", node.kind()) {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let sign = match file.text_of(operator) {
        "+" => "-",
        "-" => "+",
        _ => return None,
    };
    let kinds = "string template_string string_literal list array concatenated_string tuple \
        list_comprehension set_comprehension generator_expression";
    let is_text = nodes_in(node).iter().any(|it| has_word(kinds, it.kind()));
    (!is_text).then(|| (operator.byte_range(), sign.to_owned()))
}

fn other_axis(file: &ParsedFile, node: Node<'_>) -> Option<(std::ops::Range<usize>, String)> {
    let name = (node.kind() == "keyword_argument").then(|| node.child_by_field_name("name"))??;
    let value = node.child_by_field_name("value")?;
    let other = match file.text_of(value) {
        "0" => "1",
        "1" | "-1" => "0",
        _ => return None,
    };
    has_word("axis dim", file.text_of(name)).then(|| (value.byte_range(), other.to_owned()))
}

/// Returns a constant with another first digit; an exponent or a value near zero is rather a guard than a part of the formula.
fn other_constant(file: &ParsedFile, node: Node<'_>) -> Option<(std::ops::Range<usize>, String)> {
    if !has_word("integer float number integer_literal float_literal", node.kind()) {
        return None;
    }
    let text = file.text_of(node);
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && !text.starts_with("0x")
        && !text.starts_with("0b")
        && !text.starts_with("0o");
    let has_exponent = text.chars().find(|c| c.is_alphabetic()).is_some_and(|c| "eE".contains(c));
    let digits: String = text
        .chars()
        .filter(|c| *c != '_')
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let is_large = digits.parse::<f64>().is_ok_and(|value| value >= 1e-3);
    (is_plain && !has_exponent && is_large && text != "1")
        .then(|| (node.byte_range(), format!("1{text}")))
}
