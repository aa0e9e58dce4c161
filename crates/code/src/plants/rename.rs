//! A function is renamed wherever it is used.

use tree_sitter::Node;

use crate::{has_word, tree::Grammar};

use super::{
    SourceTexts,
    edits::TextEdits,
    syntax::{
        Function, LanguageFamily, ParsedFile, ancestors, bound_names, functions_of, has_module,
        is_comment, is_own_rust_path, nodes_in, word_places,
    },
};

/// Builtin functions of Python that a file may call without an import.
const PYTHON_BUILTINS: &str = "abs aiter all anext any ascii bin bool breakpoint bytearray bytes \
    callable chr classmethod compile complex copyright credits delattr dict dir display divmod \
    enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex \
    input int isinstance issubclass iter len license list locals map max memoryview min next \
    object oct open ord pow print property quit range repr reversed round set setattr slice \
    sorted staticmethod str sum super tuple type vars zip";

/// Global names of JavaScript, in browsers and in Node.
const SCRIPT_GLOBALS: &str = "addEventListener alert atob blur btoa cancelAnimationFrame \
    cancelIdleCallback caches clearImmediate clearInterval clearTimeout close closed confirm \
    console createImageBitmap crypto decodeURI decodeURIComponent dispatchEvent document \
    encodeURI encodeURIComponent escape eval event exports external fetch find focus frames \
    getComputedStyle getSelection global globalThis history importScripts isFinite isNaN length \
    localStorage location matchMedia module moveBy moveTo name navigator open opener origin \
    parent parseFloat parseInt performance postMessage print process prompt queueMicrotask \
    removeEventListener reportError requestAnimationFrame requestIdleCallback require resizeBy \
    resizeTo screen scroll scrollBy scrollTo self sessionStorage setImmediate setInterval \
    setTimeout status stop structuredClone top undefined unescape window";

/// Functions of Rust's prelude.
const RUST_PRELUDE: &str = "align_of align_of_val drop size_of size_of_val";

/// Renames a function in every file. It is refused where a use might not be seen: in a string, as a field, in other texts.
pub(super) fn plant_rename(
    files: &SourceTexts,
    function: &Function<'_>,
) -> Result<TextEdits, String> {
    let name = function.name;
    if !function.is_at_top() || function.is_method() {
        return Err("it is not at the top of its file, so its uses are not clear".into());
    }
    let is_special = name.starts_with('_') || has_word("main setup run app default", name);
    if is_special || name.starts_with("test") || name.len() < 3 {
        return Err("its name may have a meaning of its own".into());
    }
    let own_names = match function.file.family {
        LanguageFamily::Python => PYTHON_BUILTINS,
        LanguageFamily::Script => SCRIPT_GLOBALS,
        LanguageFamily::Rust => RUST_PRELUDE,
    };
    if has_word(own_names, name) {
        return Err("its name is one of the language too".into());
    }
    let is_named_outside = |kinds: &str| {
        let mut cursor = function.outer.walk();
        function.outer.children(&mut cursor).any(|it| has_word(kinds, it.kind()))
    };
    let before = function.outer.prev_named_sibling();
    if function.is_decorated()
        || is_named_outside("default")
        || before.is_some_and(|it| it.kind() == "attribute_item")
    {
        return Err("a decorator, an attribute or a default export may use its name".into());
    }
    let new_name = unused_name(files, name).ok_or("no new name is free")?;
    let (mut edits, mut definitions, mut changed) = (TextEdits::default(), 0, 0);
    for (path, text) in files {
        let places = word_places(text, name);
        if places.is_empty() {
            continue;
        }
        changed += 1;
        if !is_code(path) {
            if !has_word("md rst txt", path.rsplit('.').next().unwrap_or_default()) {
                return Err(format!("{path} has its name, and is not code"));
            }
            if !is_distinctive(name) {
                return Err(format!("{path} has its name, which is a common word"));
            }
            for at in places {
                edits.replace(path, at..at + name.len(), &*new_name);
            }
            continue;
        }
        let file = ParsedFile::parse(path, text)
            .filter(|file| file.family == function.file.family)
            .ok_or_else(|| format!("{path} has its name in another language"))?;
        if file.has_error() {
            return Err(format!("{path} has its name and does not parse"));
        }
        definitions += functions_of(&file).iter().filter(|it| it.name == name).count();
        let is_bound = binds_name(&file, name);
        for at in places {
            if let Some(why) = unsafe_use(&file, at, name, is_bound, files) {
                return Err(why);
            }
            edits.replace(path, at..at + name.len(), &*new_name);
        }
    }
    if definitions != 1 {
        return Err(format!("{definitions} functions have its name"));
    }
    edits.summary = format!("{name} renamed to {new_name}, files: {changed}");
    Ok(edits)
}

fn is_code(path: &str) -> bool {
    Grammar::for_path(path).is_some()
}

/// Returns whether a word is surely a name of code.
fn is_distinctive(name: &str) -> bool {
    name.contains('_') || name.chars().skip(1).any(char::is_uppercase)
}

fn unused_name(files: &SourceTexts, name: &str) -> Option<String> {
    let mut initial = name.chars();
    let capital: String = initial.next()?.to_uppercase().chain(initial).collect();
    let candidates = match name.contains('_') || name.chars().all(char::is_lowercase) {
        true => [format!("apply_{name}"), format!("perform_{name}"), format!("do_{name}")],
        false => [format!("apply{capital}"), format!("perform{capital}"), format!("do{capital}")],
    };
    let is_free = |it: &String| files.values().all(|text| !text.contains(it.as_str()));
    candidates.into_iter().find(is_free)
}

/// Returns whether a file defines or imports a name, as far as the syntax says.
fn binds_name(file: &ParsedFile, name: &str) -> bool {
    if file.family != LanguageFamily::Rust {
        return bound_names(file, file.root()).contains(name);
    }
    let is_import = |node: &Node<'_>| {
        node.kind() == "identifier"
            && file.text_of(*node) == name
            && ancestors(*node).any(|it| it.kind() == "use_declaration")
    };
    functions_of(file).iter().any(|it| it.name == name)
        || nodes_in(file.root()).iter().any(is_import)
}

/// Returns the reason why a word cannot be renamed; None where it surely is the function.
fn unsafe_use(
    file: &ParsedFile,
    at: usize,
    name: &str,
    is_bound: bool,
    files: &SourceTexts,
) -> Option<String> {
    let path = &file.path;
    let node = file.root().descendant_for_byte_range(at, at + name.len())?;
    if is_comment(node) || has_word("doc_comment", node.kind()) {
        return None;
    }
    if is_in_docstring(file, node) {
        return None;
    }
    if node.kind() != "identifier" {
        return Some(format!("{path} uses its name as {}", node.kind().replace('_', " ")));
    }
    let parent = node.parent()?;
    let is_field = |field: &str| {
        parent.child_by_field_name(field).is_some_and(|child| child.id() == node.id())
    };
    match parent.kind() {
        "attribute" if is_field("attribute") => {
            Some(format!("{path} uses its name as an attribute"))
        }
        "keyword_argument" if is_field("name") => {
            Some(format!("{path} uses its name as a keyword"))
        }
        "dotted_name" => import_problem(file, parent, files),
        "import_specifier" => {
            let statement = ancestors(parent).find(|it| it.kind() == "import_statement")?;
            let source = file.text_of(statement.child_by_field_name("source")?);
            let is_own = source.trim_matches(['"', '\'']).starts_with('.');
            (!is_own).then(|| format!("{path} imports its name from a package"))
        }
        "scoped_identifier"
        | "scoped_type_identifier"
        | "scoped_use_list"
        | "use_list"
        | "use_as_clause"
        | "use_declaration" => (!is_own_rust_path(file, node, files))
            .then(|| format!("{path} uses its name in a path that may lead out of the tree")),
        "attribute"
        | "extern_crate_declaration"
        | "macro_definition"
        | "macro_invocation"
        | "mod_item"
        | "shorthand_field_initializer"
        | "use_wildcard"
            if file.family == LanguageFamily::Rust =>
        {
            Some(format!("{path} uses its name in a {}", parent.kind().replace('_', " ")))
        }
        // The grammar does not read the arguments of a macro.
        "token_tree" if file.text[..at].trim_end().ends_with(['.', ':']) => {
            Some(format!("{path} uses its name in the arguments of a macro"))
        }
        _ => {
            (!is_bound).then(|| format!("{path} uses its name and neither defines nor imports it"))
        }
    }
}

/// Returns the reason why an imported name may be another one.
fn import_problem(file: &ParsedFile, dotted: Node<'_>, files: &SourceTexts) -> Option<String> {
    let path = &file.path;
    let statement = ancestors(dotted)
        .find(|it| has_word("import_from_statement import_statement", it.kind()))?;
    let Some(module) = statement.child_by_field_name("module_name") else {
        return Some(format!("{path} imports a module of its name"));
    };
    if module.id() == dotted.id() {
        return Some(format!("{path} imports a module of its name"));
    }
    let last = file.text_of(module).rsplit('.').next().unwrap_or_default();
    let is_own = last.is_empty() || has_module(files, last, ".py");
    (!is_own).then(|| format!("{path} imports its name from a package"))
}

fn is_in_docstring(file: &ParsedFile, node: Node<'_>) -> bool {
    if file.family != LanguageFamily::Python {
        return false;
    }
    let string = std::iter::successors(Some(node), Node::parent)
        .find(|it| it.kind() == "string")
        .and_then(|string| string.parent());
    string.is_some_and(|it| it.kind() == "expression_statement" && it.named_child_count() == 1)
}
