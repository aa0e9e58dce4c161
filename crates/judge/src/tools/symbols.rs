//! Definitions, as the syntax trees have them: whatever a grammar calls a definition or declaration of a function,
//! class or type, and that has a name.

use tree_sitter::Node;

use crate::snapshot::{Found, Snapshot};
use trajview_code::{
    has_word,
    tree::{self, Grammar},
};

use super::{Arguments, path};

/// Definitions given; the others are counted.
const MOST: usize = 300;

/// No more files than this are parsed.
const MOST_FILES: usize = 1_000;

/// Deeper definitions are left out; it also bounds the recursion.
const MOST_DEEP: usize = 200;

pub fn run(arguments: &Arguments<'_>, snapshot: &Snapshot) -> Result<String, String> {
    let wanted = arguments.text("name")?.map(str::to_lowercase);
    let files = path::place(arguments.text("path")?, snapshot)?.files(snapshot);
    let (mut found, mut parsed) = (vec![], 0_usize);
    for path in files {
        let Some(grammar) = Grammar::of(path.as_str()).filter(|it| it.is_compiled_in()) else {
            continue;
        };
        if parsed == MOST_FILES {
            break;
        }
        let Found::Text(text) = snapshot.text(path) else { continue };
        parsed += 1;
        let definitions = definitions(grammar, &text);
        let is_wanted =
            |name: &str| wanted.as_ref().is_none_or(|wanted| name.to_lowercase().contains(wanted));
        found.extend(
            definitions
                .into_iter()
                .filter(|it| is_wanted(&it.name))
                .map(|it| format!("{path}:{}-{} {} {}", it.start, it.end, it.kind, it.name)),
        );
    }
    let mut head = match found.len() {
        0 => format!("no definition found, in {parsed} files of source text"),
        1 => "1 definition".to_owned(),
        count => format!("{count} definitions"),
    };
    if found.len() > MOST {
        head.push_str(&format!("; {MOST} are shown, name a folder or a name"));
        found.truncate(MOST);
    }
    Ok(std::iter::once(head).chain(found).collect::<Vec<_>>().join("\n"))
}

struct Definition {
    /// Lines, from 1.
    start: usize,
    end: usize,
    /// As the grammar's node, such as `function_definition`, without its second word.
    kind: String,
    name: String,
}

fn definitions(grammar: Grammar, text: &str) -> Vec<Definition> {
    let mut found = vec![];
    if let Some(tree) = tree::parse(grammar, text.as_bytes()) {
        walk(tree.root_node(), text, 0, &mut found);
    }
    found
}

fn walk(node: Node<'_>, text: &str, depth: usize, found: &mut Vec<Definition>) {
    if depth > MOST_DEEP {
        return;
    }
    if let (Some(kind), Some(name)) = (kind_of(node), name_of(node, text)) {
        let (start, end) = (node.start_position().row + 1, node.end_position().row + 1);
        found.push(Definition { start, end, kind, name });
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        walk(child, text, depth + 1, found);
    }
}

/// `class` of `class_definition`; None for what defines nothing one would look for.
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

/// The field `name`; in C and C++ it is down the declarator.
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
