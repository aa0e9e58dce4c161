//! Edits of layout and of comments: blank lines, line breaks, a longer docstring, a claim.

use crate::{
    has_word, languages,
    tree::{self, Grammar},
};

use super::{
    PlantTarget,
    edits::TextEdits,
    syntax::{self, Function, LanguageFamily, ParsedFile, ancestors, nodes_in},
};

/// Longest name of a component in the comment (characters).
const MOST_NAME: usize = 80;

/// Writes a comment above the component that claims faithfulness.
pub(super) fn plant_claim(target: &PlantTarget<'_>) -> Result<TextEdits, String> {
    let place = target
        .places
        .iter()
        .find(|place| target.files.contains_key(&place.path))
        .ok_or("its places are in no file of text")?;
    let text = &target.files[&place.path];
    let mark = comment_mark(&place.path).ok_or("no form of comment is known for its file")?;
    let is_plain = |c: &char| c.is_alphanumeric() || " -_,.".contains(*c);
    let name: String = target.component.chars().filter(is_plain).take(MOST_NAME).collect();
    let claim = format!(
        "{mark} Implements {} exactly as specified; checked line by line against the specification.",
        name.trim()
    );
    let mut edits = TextEdits::new(format!("comment in {}: {claim}", place.path));
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(file) = ParsedFile::parse(&place.path, text) {
        let files = [file];
        if let Some(function) = syntax::functions_at(&files, std::slice::from_ref(place)).first() {
            let start = function.outer.start_byte();
            let indent = function
                .file
                .indent_at(start)
                .ok_or("its function shares a line with other code")?;
            let at = function.file.line_start(start);
            edits.insert(&place.path, at, format!("{indent}{claim}{line_end}"));
            return Ok(edits);
        }
    }
    let grammar = Grammar::for_path(&place.path).filter(|it| it.is_compiled_in());
    if let Some(tree) = grammar.and_then(|it| tree::parse_tree(it, text.as_bytes())) {
        let mut cursor = tree.root_node().walk();
        let mut tops = tree.root_node().named_children(&mut cursor);
        let around = tops.find(|node| node.end_position().row + 1 >= place.lines.0);
        let start = around.ok_or("its place is after the last statement")?.start_byte();
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        if line != start {
            return Err("its statement shares a line with other code".into());
        }
        edits.insert(&place.path, start, format!("{claim}{line_end}"));
        return Ok(edits);
    }
    // Without a grammar only the end of the file is surely outside of a text.
    if ["__END__", "__DATA__", "<<"].iter().any(|it| text.contains(it)) {
        return Err("the end of its file may be data".into());
    }
    let break_before = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
    edits.insert(&place.path, text.len(), format!("{break_before}{claim}{line_end}"));
    Ok(edits)
}

/// Returns the beginning of a comment to the end of the line; None for languages without one.
fn comment_mark(path: &str) -> Option<&'static str> {
    match languages::language_of_file(path, "")?.name {
        "Python"
        | "Ruby"
        | "R"
        | "Perl"
        | "Julia"
        | "Bourne Again Shell (bash)"
        | "Elixir"
        | "YAML"
        | "TOML" => Some("#"),
        "C" | "C++" | "C#" | "Go" | "Java" | "JavaScript (Babel)" | "TypeScript"
        | "TypeScriptReact" | "Rust" | "Kotlin" | "Scala" | "Swift" | "Dart" | "Zig" => Some("//"),
        "Haskell" | "Lua" | "SQL" => Some("--"),
        "LaTeX" => Some("%"),
        _ => None,
    }
}

/// Adds blank lines between the statements of a function, and line breaks after the commas of its calls.
pub(super) fn plant_reformat(function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    let line_end = file.line_end();
    let (mut blank_lines, mut breaks) = (0, 0);
    let mut edits = TextEdits::default();
    for node in nodes_in(function.body) {
        let is_in_string = ancestors(node)
            .take_while(|it| it.id() != function.body.id())
            .any(|it| has_word("string template_string macro_invocation", it.kind()));
        if is_in_string {
            continue;
        }
        if has_word("block statement_block", node.kind()) {
            for statement in syntax::statements_of(node).into_iter().skip(1) {
                let start = statement.start_byte();
                let is_spaced = file.text[..file.line_start(start)].ends_with("\n\n");
                if file.indent_at(start).is_some() && !is_spaced {
                    edits.insert(&file.path, file.line_start(start), line_end);
                    blank_lines += 1;
                }
            }
        }
        if has_word("argument_list arguments", node.kind()) {
            let indent = line_indent(file, node.start_byte());
            let mut cursor = node.walk();
            for comma in node.children(&mut cursor).filter(|it| it.kind() == ",") {
                let end = comma.end_byte();
                let after = file.text[end..file.line_after(end)].trim_end_matches(['\n', '\r']);
                let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
                if spaces < after.len()
                    && !after.trim_start().starts_with(file.family.comment_mark())
                {
                    edits.replace(
                        &file.path,
                        end..end + spaces,
                        format!("{line_end}{indent}        "),
                    );
                    breaks += 1;
                }
            }
        }
    }
    if blank_lines + breaks == 0 {
        return Err("it has no two statements and no call with two arguments".into());
    }
    edits.summary = format!(
        "{} in {}: added blank lines {blank_lines}, line breaks {breaks}",
        function.name, file.path
    );
    Ok(edits)
}

/// Returns the white space at the beginning of the line of a byte.
fn line_indent(file: &ParsedFile, at: usize) -> &str {
    let line = &file.text[file.line_start(at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The text of a longer docstring. It says nothing on what the function computes.
const LONGER: [&str; 3] = [
    "The arguments are described by their names. The caller passes them in the order of the",
    "signature, and uses the result as it is. See the other functions of this file for the",
    "context in which this one is used.",
];

/// Makes the docstring of a function longer, or gives it one.
pub(super) fn plant_docstring(function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    let line_end = file.line_end();
    let mut edits =
        TextEdits::new(format!("{} in {}: docstring made longer", function.name, file.path));
    if file.family != LanguageFamily::Python {
        let start = function.outer.start_byte();
        let indent = file.indent_at(start).ok_or("it shares a line with other code")?;
        let lines = LONGER.map(|line| match file.family {
            LanguageFamily::Rust => format!("{indent}/// {line}{line_end}"),
            LanguageFamily::Python | LanguageFamily::Script => {
                format!("{indent} * {line}{line_end}")
            }
        });
        let text = match file.family {
            LanguageFamily::Rust => lines.concat(),
            LanguageFamily::Python | LanguageFamily::Script => {
                format!("{indent}/**{line_end}{}{indent} */{line_end}", lines.concat())
            }
        };
        edits.insert(&file.path, file.line_start(start), text);
        return Ok(edits);
    }
    if function.is_decorated() || file.text.contains("__doc__") {
        return Err("its docstring may be read by the program".into());
    }
    if let Some(docstring) = function.docstring() {
        let text = file.text_of(docstring);
        let quotes = ["\"\"\"", "'''"].into_iter().find(|it| text.starts_with(it));
        quotes.ok_or("its docstring has one line of another form")?;
        let indent = line_indent(file, docstring.start_byte());
        let lines = LONGER.map(|line| format!("{line_end}{indent}{line}")).concat();
        let text = format!("{line_end}{lines}{line_end}{indent}");
        edits.insert(&file.path, docstring.end_byte() - 3, text);
        return Ok(edits);
    }
    let first = function.statements().into_iter().next().ok_or("it has no statement")?;
    let indent =
        file.indent_at(first.start_byte()).ok_or("its body shares a line with its head")?;
    let lines = LONGER.map(|line| format!("{indent}{line}{line_end}")).concat();
    let text = format!(
        "{indent}\"\"\"More on this function.{line_end}{line_end}{lines}{indent}\"\"\"{line_end}"
    );
    edits.insert(&file.path, file.line_start(first.start_byte()), text);
    Ok(edits)
}
