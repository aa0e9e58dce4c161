//! A function changes its place: within its file, or to a file of its own with an import left behind.

use tree_sitter::Node;

use crate::{has_word, tree::Grammar};

use super::{
    SourceTexts,
    edits::TextEdits,
    syntax::{
        Function, LanguageFamily, ParsedFile, bound_names, is_comment, names_at_top, nodes_in,
        statements_of, used_names,
    },
};

/// Returns the first byte of a statement with the comments and attributes right above it. The first lines of a program that
/// name its interpreter or its encoding stay where they are.
pub(super) fn start_with_comments(file: &ParsedFile, node: Node<'_>) -> usize {
    let mut first = node;
    while let Some(before) = first.prev_sibling()
        && (is_comment(before) || before.kind() == "attribute_item")
        && !file.text_of(before).starts_with("#!")
        && !(before.start_position().row < 2 && file.text_of(before).contains("coding"))
        && file.indent_at(before.start_byte()).is_some()
        && before.end_position().row + 1 >= first.start_position().row
    {
        first = before;
    }
    file.line_start(first.start_byte())
}

/// Exchanges a function with the one after or before it.
pub(super) fn plant_reorder(function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    if !function.is_at_top() {
        return Err("it is not at the top of its file".into());
    }
    if has_signature(file, function.name) {
        return Err("it has several signatures".into());
    }
    let all = super::syntax::functions_of(file);
    let tops = statements_of(file.root());
    let at = tops
        .iter()
        .position(|it| it.id() == function.outer.id())
        .ok_or("it is not at the top of its file")?;
    let neighbours = [at.checked_add(1), at.checked_sub(1)];
    let partner = neighbours.into_iter().flatten().find_map(|at| {
        let node = tops.get(at)?;
        let other = all.iter().find(|it| it.outer.id() == node.id())?;
        let is_free = can_exchange(function, other) && !has_signature(file, other.name);
        is_free.then_some(other)
    });
    let partner = partner.ok_or("no plain function stands next to it")?;
    let (first, second) = match function.outer.start_byte() < partner.outer.start_byte() {
        true => (function, partner),
        false => (partner, function),
    };
    let (one, two) = (lines_of(first)?, lines_of(second)?);
    if !file.text[..two.end].ends_with('\n') || one.end > two.start {
        return Err("the file has no end of line after it".into());
    }
    let mut edits = TextEdits::new(format!(
        "{} and {} in {} change places",
        first.name, second.name, file.path
    ));
    edits.replace(&file.path, one.clone(), &file.text[two.clone()]);
    edits.replace(&file.path, two, &file.text[one]);
    Ok(edits)
}

/// Returns whether a file of TypeScript has a signature of this name without a body: it must stay with its function.
fn has_signature(file: &ParsedFile, name: &str) -> bool {
    nodes_in(file.root()).iter().any(|node| {
        node.kind() == "function_signature"
            && node.child_by_field_name("name").is_some_and(|it| file.text_of(it) == name)
    })
}

/// Returns whether the order of two functions has no effect: both are plain, and no head uses or calls something.
fn can_exchange(one: &Function<'_>, two: &Function<'_>) -> bool {
    let is_plain = |it: &Function<'_>| {
        let is_declaration =
            has_word("function_definition function_declaration function_item", it.node.kind());
        let head = || statements_of(it.node).into_iter().filter(|part| part.id() != it.body.id());
        let calls =
            head().flat_map(nodes_in).any(|node| has_word("call call_expression", node.kind()));
        is_declaration && !it.is_decorated() && !(it.file.family == LanguageFamily::Python && calls)
    };
    let head_uses = |it: &Function<'_>, name: &str| {
        let parts = statements_of(it.node).into_iter().filter(|part| {
            part.id() != it.body.id() && it.node.child_by_field_name("name") != Some(*part)
        });
        parts.flat_map(|part| used_names(it.file, part)).any(|used| used == name)
    };
    let is_free = |a: &Function<'_>, b: &Function<'_>| {
        a.file.family != LanguageFamily::Python || !head_uses(a, b.name)
    };
    one.name != two.name && is_plain(one) && is_plain(two) && is_free(one, two) && is_free(two, one)
}

/// Moves a function to a new file, and imports it where it was.
pub(super) fn plant_move(
    files: &SourceTexts,
    function: &Function<'_>,
) -> Result<TextEdits, String> {
    if !function.is_at_top() || function.file.has_error() {
        return Err("it is not at the top of its file".into());
    }
    match function.file.family {
        LanguageFamily::Python => move_in_python(files, function),
        LanguageFamily::Script => move_in_script(files, function),
        LanguageFamily::Rust => move_in_rust(files, function),
    }
}

/// Splits a path at its last part.
fn split_path(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |at| path.split_at(at + 1))
}

/// Returns the whole lines of a function with the comments and attributes right above it.
fn lines_of(function: &Function<'_>) -> Result<std::ops::Range<usize>, String> {
    let (file, outer) = (function.file, function.outer);
    let lines = file.whole_lines(outer).ok_or("it shares a line with other code")?;
    Ok(start_with_comments(file, outer)..lines.end)
}

fn moved_summary(function: &Function<'_>, new_path: &str) -> String {
    format!("{} moved from {} to {new_path}", function.name, function.file.path)
}

fn move_in_python(files: &SourceTexts, function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    if function.is_decorated() {
        return Err("it has a decorator".into());
    }
    let used = used_names(file, function.node);
    let special = used.iter().find(|name| name.starts_with("__") || has_word("globals", name));
    if let Some(name) = special {
        return Err(format!("it uses {name}"));
    }
    if nodes_in(function.node).iter().any(|node| node.kind() == "global_statement") {
        return Err("it changes global variables".into());
    }
    let tops = statements_of(file.root());
    let imports: Vec<Node<'_>> = tops
        .iter()
        .copied()
        .filter(|it| {
            has_word("import_statement import_from_statement future_import_statement", it.kind())
        })
        .collect();
    if nodes_in(file.root()).iter().any(|node| node.kind() == "wildcard_import") {
        return Err("its file imports names that the syntax does not show".into());
    }
    let mut head = String::new();
    let mut imported = std::collections::BTreeSet::new();
    for import in imports {
        let names = bound_names(file, import);
        if import.kind() == "future_import_statement" || !names.is_disjoint(&used) {
            head += file.text_of(import);
            head += file.line_end();
        }
        imported.extend(names);
    }
    let others = tops.iter().filter(|it| it.id() != function.outer.id());
    let defined = others
        .filter(|it| !has_word("import_statement import_from_statement", it.kind()))
        .flat_map(|it| names_at_top(file, *it));
    if let Some(name) = defined.filter(|name| used.contains(name)).min() {
        return Err(format!("it uses {name} of its file"));
    }
    let (folder, name) = split_path(&file.path);
    let stem = name.strip_suffix(".py").ok_or("its file is not a module")?;
    let new_stem = format!("{}_parts", stem.trim_matches('_'));
    let is_package = files.contains_key(&format!("{folder}__init__.py"));
    if stem.starts_with("__") || (is_package && file.text.contains("__main__")) {
        return Err("its file is run as a program".into());
    }
    if !is_package && !folder.is_empty() {
        return Err("its folder is not a package".into());
    }
    let dot = if is_package { "." } else { "" };
    let new_path = format!("{folder}{new_stem}.py");
    let lines = lines_of(function)?;
    let mut edits = TextEdits::new(moved_summary(function, &new_path));
    let end = file.line_end();
    let gap = if head.is_empty() { String::new() } else { format!("{end}{end}") };
    edits.add_file(new_path, format!("{head}{gap}{}", &file.text[lines.clone()]));
    edits.replace(&file.path, lines, format!("from {dot}{new_stem} import {}{end}", function.name));
    Ok(edits)
}

fn move_in_script(files: &SourceTexts, function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    let tops = statements_of(file.root());
    let is_module = tops.iter().any(|it| has_word("import_statement export_statement", it.kind()));
    if !is_module || file.text.contains("require(") || file.text.contains("module.exports") {
        return Err("its file is not a module with imports and exports".into());
    }
    if function.node.kind() != "function_declaration" {
        return Err("it is not a plain function".into());
    }
    if has_signature(file, function.name) {
        return Err("it has several signatures".into());
    }
    let is_exported = function.outer.kind() == "export_statement";
    let mut cursor = function.outer.walk();
    if function.outer.children(&mut cursor).any(|it| it.kind() == "default") {
        return Err("it is the default export".into());
    }
    let used = used_names(file, function.node);
    let others = tops.iter().filter(|it| it.id() != function.outer.id());
    let defined = others.flat_map(|it| names_at_top(file, *it));
    if let Some(name) = defined.filter(|name| used.contains(name)).min() {
        return Err(format!("it uses {name} of its file"));
    }
    let (folder, name) = split_path(&file.path);
    let (stem, extension) = name.rsplit_once('.').ok_or("its file has no extension")?;
    let is_typed = matches!(file.grammar, Grammar::TypeScript | Grammar::Tsx);
    let import_end = match is_typed && !file.text.contains(".js'") && !file.text.contains(".js\"") {
        true => String::new(),
        false => format!(".{}", if is_typed { "js" } else { extension }),
    };
    let new_path = format!("{folder}{stem}-parts.{extension}");
    if files.contains_key(&new_path) {
        return Err(format!("{new_path} exists already"));
    }
    let lines = lines_of(function)?;
    let end = file.line_end();
    let source = format!("./{stem}-parts{import_end}");
    let mut edits = TextEdits::new(moved_summary(function, &new_path));
    let export = if is_exported { "" } else { "export " };
    let at = function.outer.start_byte();
    let comments = file.text[lines.start..at].trim_start();
    edits.add_file(new_path, format!("{comments}{export}{}", &file.text[at..lines.end]));
    let exported =
        if is_exported { format!("{end}export {{ {} }};", function.name) } else { String::new() };
    let import = format!("import {{ {} }} from \"{source}\";{exported}{end}", function.name);
    edits.replace(&file.path, lines, import);
    Ok(edits)
}

fn move_in_rust(files: &SourceTexts, function: &Function<'_>) -> Result<TextEdits, String> {
    let file = function.file;
    if function.outer.prev_named_sibling().is_some_and(|it| it.kind() == "attribute_item") {
        return Err("it has attributes".into());
    }
    if function.name == "main"
        || nodes_in(function.node).iter().any(|it| has_word("super self", it.kind()))
    {
        return Err("its paths depend on its file".into());
    }
    let (folder, name) = split_path(&file.path);
    let is_root = |part: &str| has_word("bin tests examples benches", part);
    if folder.trim_end_matches('/').rsplit('/').next().is_some_and(is_root) || name == "build.rs" {
        return Err("its file is a program of its own".into());
    }
    let stem = name.strip_suffix(".rs").ok_or("its file is not a module")?;
    let new_stem = format!("{}_part", function.name);
    let new_path = match has_word("lib main mod", stem) {
        true => format!("{folder}{new_stem}.rs"),
        false => format!("{folder}{stem}/{new_stem}.rs"),
    };
    if files.contains_key(&new_path) {
        return Err(format!("{new_path} exists already"));
    }
    let mut cursor = function.node.walk();
    let visibility = function
        .node
        .children(&mut cursor)
        .find(|it| it.kind() == "visibility_modifier")
        .map(|it| file.text_of(it));
    let (new_visibility, reexport) = match visibility {
        Some("pub") => ("", "pub "),
        Some("pub(crate)") => ("", "pub(crate) "),
        None => ("pub(super) ", ""),
        Some(_) => return Err("its visibility depends on its file".into()),
    };
    let lines = lines_of(function)?;
    let at = function.node.start_byte();
    let end = file.line_end();
    let mut edits = TextEdits::new(moved_summary(function, &new_path));
    edits.add_file(
        new_path,
        format!(
            "use super::*;{end}{end}{}{new_visibility}{}",
            &file.text[lines.start..at],
            &file.text[at..lines.end]
        ),
    );
    edits.replace(&file.path, lines, format!("{reexport}use {new_stem}::{};{end}", function.name));
    let before = if file.text.ends_with('\n') { "" } else { end };
    edits.insert(&file.path, file.text.len(), format!("{before}{end}mod {new_stem};{end}"));
    Ok(edits)
}
