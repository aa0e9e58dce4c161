//! Definitions, as the syntax trees have them: whatever a grammar calls a definition or declaration of a function,
//! class or type, and that has a name.

use tree_sitter::Node;

use crate::snapshot::CodeSnapshot;
use trajview_code::{
    has_word,
    tree::{self, Grammar},
};

use super::{ToolArguments, path};

/// Definitions given; the others are counted.
const MOST: usize = 300;

/// Largest number of files that are parsed.
const MOST_FILES: usize = 1_000;

/// Deeper definitions are left out; it also bounds the recursion.
const MOST_DEEP: usize = 200;

/// Lists the definitions in the snapshot whose names contain a text. The error is a sentence for the judge.
pub(crate) fn list_symbols(
    arguments: &ToolArguments<'_>,
    snapshot: &CodeSnapshot,
) -> Result<String, String> {
    let name_part = arguments.text_argument("name")?.map(str::to_lowercase);
    let files =
        path::resolve_path(arguments.text_argument("path")?, snapshot)?.readable_files(snapshot);
    let (mut lines, mut parsed) = (vec![], 0_usize);
    for path in files {
        let Some(grammar) = Grammar::for_path(path.as_str()).filter(|it| it.is_compiled_in())
        else {
            continue;
        };
        if parsed == MOST_FILES {
            break;
        }
        let Ok(text) = snapshot.text_of(path) else { continue };
        parsed += 1;
        let definitions = definitions_in(grammar, &text);
        let is_wanted = |name: &str| {
            name_part.as_ref().is_none_or(|name_part| name.to_lowercase().contains(name_part))
        };
        lines.extend(
            definitions
                .into_iter()
                .filter(|it| is_wanted(&it.name))
                .map(|it| format!("{path}:{}-{} {} {}", it.start, it.end, it.kind, it.name)),
        );
    }
    let mut head = match lines.len() {
        0 => format!("no definition found, in {parsed} files of source text"),
        1 => "1 definition".to_owned(),
        count => format!("{count} definitions"),
    };
    if lines.len() > MOST {
        head.push_str(&format!("; {MOST} are shown, name a folder or a name"));
        lines.truncate(MOST);
    }
    Ok(std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n"))
}

struct SymbolDefinition {
    /// Lines, from 1.
    start: usize,
    end: usize,
    /// The kind of the grammar's node, such as `function_definition`, without its second word.
    kind: String,
    name: String,
}

fn definitions_in(grammar: Grammar, text: &str) -> Vec<SymbolDefinition> {
    let mut definitions = vec![];
    if let Some(tree) = tree::parse_tree(grammar, text.as_bytes()) {
        collect_definitions(tree.root_node(), text, 0, &mut definitions);
    }
    definitions
}

fn collect_definitions(
    node: Node<'_>,
    text: &str,
    depth: usize,
    definitions: &mut Vec<SymbolDefinition>,
) {
    if depth > MOST_DEEP {
        return;
    }
    if let (Some(kind), Some(name)) = (kind_of(node), name_of(node, text)) {
        let (start, end) = (node.start_position().row + 1, node.end_position().row + 1);
        definitions.push(SymbolDefinition { start, end, kind, name });
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        collect_definitions(child, text, depth + 1, definitions);
    }
}

/// Returns `class` for a `class_definition`; None for what defines nothing one would look for.
fn kind_of(node: Node<'_>) -> Option<String> {
    const SUBJECTS: &str = "function class method struct enum union trait interface type \
        constructor record module mod macro impl constant const";
    const ENDS: [&str; 6] =
        ["_definition", "_declaration", "_item", "_specifier", "_spec", "_alias"];
    let kind = node.kind();
    let stem = ENDS.iter().find_map(|end| kind.strip_suffix(end))?;
    let stem = stem.trim_start_matches("abstract_").trim_start_matches("generator_");
    has_word(SUBJECTS, stem).then(|| stem.to_owned())
}

/// Returns the field `name`; in C and C++ it is down the declarator.
fn name_of(node: Node<'_>, text: &str) -> Option<String> {
    let words = |node: Node<'_>| {
        let name = text.get(node.byte_range())?;
        (!name.is_empty() && name.len() <= 200).then(|| name.to_owned())
    };
    if let Some(name) =
        node.child_by_field_name("name").or_else(|| node.child_by_field_name("type"))
    {
        // C's functions have a type that is not their name, and a declarator that has it.
        if node.child_by_field_name("declarator").is_none() {
            return words(name);
        }
    }
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..8 {
        match at.child_by_field_name("declarator") {
            Some(below) => at = below,
            None => break,
        }
    }
    words(at)
}
