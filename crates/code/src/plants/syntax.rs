//! The functions of a component in the syntax trees of three families of languages.

use std::{collections::BTreeSet, ops::Range};

use tree_sitter::{Node, Tree};

use crate::{
    flat_tree::FlatTree,
    has_word,
    tree::{self, Grammar},
};

use super::{CodePlace, SourceTexts};

/// Languages whose syntax is edited alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanguageFamily {
    Python,
    /// JavaScript and TypeScript.
    Script,
    Rust,
}

impl LanguageFamily {
    /// Returns the family of a grammar; None where code in the language is not edited.
    fn for_grammar(grammar: Grammar) -> Option<Self> {
        match grammar {
            Grammar::Python => Some(Self::Python),
            Grammar::JavaScript | Grammar::TypeScript | Grammar::Tsx => Some(Self::Script),
            Grammar::Rust => Some(Self::Rust),
            Grammar::C
            | Grammar::Cpp
            | Grammar::Go
            | Grammar::Haskell
            | Grammar::Java
            | Grammar::Zig => None,
        }
    }

    /// Returns the beginning of a comment to the end of the line.
    pub(crate) const fn comment_mark(self) -> &'static str {
        match self {
            Self::Python => "#",
            Self::Script | Self::Rust => "//",
        }
    }
}

/// Largest file that is edited, and the deepest tree: functions climb from a node to those around it.
const MOST_BYTES: usize = 1 << 20;
const MOST_DEEP: usize = 300;

/// A file with its tree.
pub(super) struct ParsedFile {
    pub path: String,
    pub text: String,
    pub grammar: Grammar,
    pub family: LanguageFamily,
    tree: Tree,
}

impl ParsedFile {
    /// Parses a file. None where its language is not one of the three families.
    pub fn parse(path: &str, text: &str) -> Option<Self> {
        let grammar = Grammar::for_path(path)?;
        let family = LanguageFamily::for_grammar(grammar)?;
        if text.len() > MOST_BYTES {
            return None;
        }
        let tree = tree::parse_tree(grammar, text.as_bytes())?;
        if FlatTree::from_node(tree.root_node()).depth > MOST_DEEP {
            return None;
        }
        Some(Self { path: path.to_owned(), text: text.to_owned(), grammar, family, tree })
    }

    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    pub fn has_error(&self) -> bool {
        self.root().has_error()
    }

    pub fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the end of a line in this file.
    pub fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns the first byte of the line of a byte.
    pub fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Returns the first byte after the line of a byte.
    pub(crate) fn line_after(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1)
    }

    /// Returns the white space before a byte; None where something else is before it in the line.
    pub fn indent_at(&self, at: usize) -> Option<&str> {
        let before = &self.text[self.line_start(at)..at];
        before.chars().all(|c| c == ' ' || c == '\t').then_some(before)
    }

    /// Returns the whole lines of a node; None where something else shares them.
    pub(crate) fn whole_lines(&self, node: Node<'_>) -> Option<Range<usize>> {
        self.indent_at(node.start_byte())?;
        let end = self.line_after(node.end_byte());
        let rest = self.text[node.end_byte()..end].trim();
        let is_free =
            rest.is_empty() || rest == ";" || rest.starts_with(self.family.comment_mark());
        is_free.then(|| self.line_start(node.start_byte())..end)
    }
}

/// A function with a body.
#[derive(Clone)]
pub(super) struct Function<'t> {
    pub file: &'t ParsedFile,
    /// The node of the function itself.
    pub node: Node<'t>,
    /// The node with decorators, the export and the declaration around it.
    pub outer: Node<'t>,
    pub name: &'t str,
    pub body: Node<'t>,
}

impl<'t> Function<'t> {
    fn from_node(file: &'t ParsedFile, node: Node<'t>) -> Option<Self> {
        let has_kind = |kinds| has_word(kinds, node.kind());
        let (name, mut outer) = match file.family {
            LanguageFamily::Python if node.kind() == "function_definition" => {
                (node.child_by_field_name("name")?, node)
            }
            LanguageFamily::Rust if node.kind() == "function_item" => {
                (node.child_by_field_name("name")?, node)
            }
            LanguageFamily::Script
                if has_kind(
                    "function_declaration generator_function_declaration method_definition",
                ) =>
            {
                (node.child_by_field_name("name")?, node)
            }
            LanguageFamily::Script if has_kind("arrow_function function_expression") => {
                let declarator =
                    node.parent().filter(|parent| parent.kind() == "variable_declarator")?;
                let declaration =
                    declarator.parent().filter(|parent| parent.named_child_count() == 1)?;
                (declarator.child_by_field_name("name")?, declaration)
            }
            LanguageFamily::Python | LanguageFamily::Script | LanguageFamily::Rust => return None,
        };
        if let Some(parent) = outer.parent()
            && has_word("decorated_definition export_statement", parent.kind())
        {
            outer = parent;
        }
        let body = node.child_by_field_name("body")?;
        let is_block = has_word("block statement_block", body.kind());
        let is_read = is_block && !outer.has_error();
        is_read.then(|| Self { file, node, outer, name: file.text_of(name), body })
    }

    /// Returns whether it stands at the top of its file.
    pub(crate) fn is_at_top(&self) -> bool {
        self.outer.parent().is_some_and(|parent| parent.parent().is_none())
    }

    /// Returns whether it belongs to a class, trait or implementation.
    pub fn is_method(&self) -> bool {
        self.node.kind() == "method_definition"
            || ancestors(self.outer).any(|it| {
                has_word(
                    "class_definition class_body class_declaration impl_item trait_item",
                    it.kind(),
                )
            })
    }

    pub fn is_decorated(&self) -> bool {
        self.outer.kind() == "decorated_definition"
    }

    /// Returns the statements of the body, without comments.
    pub fn statements(&self) -> Vec<Node<'t>> {
        statements_of(self.body)
    }

    /// Returns the docstring, a statement of Python.
    pub fn docstring(&self) -> Option<Node<'t>> {
        let first = self.statements().into_iter().next()?;
        let string = first.named_child(0).filter(|it| it.kind() == "string")?;
        let is_alone =
            self.file.family == LanguageFamily::Python && first.kind() == "expression_statement";
        (is_alone && first.named_child_count() == 1).then_some(string)
    }
}

/// Returns the statements of a block, without comments.
pub(super) fn statements_of(block: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = block.walk();
    block.named_children(&mut cursor).filter(|it| !is_comment(*it)).collect()
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    has_word("comment line_comment block_comment", node.kind())
}

/// Returns a node and everything in it, in order.
pub(super) fn nodes_in(root: Node<'_>) -> Vec<Node<'_>> {
    let (mut pending, mut all) = (vec![root], vec![]);
    while let Some(node) = pending.pop() {
        all.push(node);
        let before = pending.len();
        let mut cursor = node.walk();
        pending.extend(node.children(&mut cursor));
        pending[before..].reverse();
    }
    all
}

/// Returns the nodes around a node, from the inside.
pub(super) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}

/// Returns all functions of a file, in order.
pub(super) fn functions_of(file: &ParsedFile) -> Vec<Function<'_>> {
    let nodes = nodes_in(file.root()).into_iter();
    nodes.filter_map(|node| Function::from_node(file, node)).collect()
}

/// Returns the functions at these places, each once: those that begin there, else the innermost around the place.
pub(super) fn functions_at<'t>(files: &'t [ParsedFile], places: &[CodePlace]) -> Vec<Function<'t>> {
    let mut found: Vec<Function<'t>> = vec![];
    for place in places.iter().take(super::MOST_PLACES) {
        let Some(file) = files.iter().find(|file| file.path == place.path) else { continue };
        let functions = functions_of(file);
        let first_line = |it: &Function<'_>| it.outer.start_position().row + 1;
        let name_line = |it: &Function<'_>| it.node.start_position().row + 1;
        let last_line = |it: &Function<'_>| it.outer.end_position().row + 1;
        let (start, end) = place.lines;
        let begins = |it: &&Function<'_>| (start..=end).contains(&name_line(it));
        let mut here: Vec<Function<'t>> = functions.iter().filter(begins).cloned().collect();
        if here.is_empty() {
            let around = |it: &&Function<'_>| first_line(it) <= start && start <= last_line(it);
            here.extend(functions.iter().rfind(around).cloned());
        }
        // A function inside another one of the place is edited with it.
        let outermost = here.iter().filter(|it| {
            !here
                .iter()
                .any(|other| other.node.id() != it.node.id() && contains(other.node, it.node))
        });
        for function in outermost {
            let overlaps = |it: &Function<'_>| {
                it.file.path == function.file.path
                    && (contains(it.outer, function.outer) || contains(function.outer, it.outer))
            };
            if !found.iter().any(overlaps) {
                found.push(function.clone());
            }
        }
    }
    found
}

pub(super) fn contains(outer: Node<'_>, inner: Node<'_>) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

/// Returns the byte ranges where a name stands as a whole word.
pub(super) fn word_places(text: &str, name: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: &usize| {
        !text[..*at].chars().next_back().is_some_and(is_part)
            && !text[at + name.len()..].chars().next().is_some_and(is_part)
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_whole).collect()
}

/// Returns the files of a family that have a name as a word, each with its tree.
pub(super) fn files_with_word(
    files: &SourceTexts,
    name: &str,
    family: LanguageFamily,
) -> Vec<ParsedFile> {
    let with_word = files.iter().filter(|(_, text)| !word_places(text, name).is_empty());
    let parse = |(path, text): (&String, &String)| ParsedFile::parse(path, text);
    with_word.filter_map(parse).filter(|file| file.family == family).collect()
}

/// Returns the names of a node that refer to a value: neither fields nor names of keyword arguments.
pub(super) fn used_names<'t>(file: &'t ParsedFile, node: Node<'t>) -> BTreeSet<&'t str> {
    let is_use = |it: &Node<'_>| {
        let kinds = "identifier type_identifier shorthand_property_identifier";
        let is_named_argument = it.parent().is_some_and(|parent| {
            let field = if parent.kind() == "attribute" { "attribute" } else { "name" };
            has_word("attribute keyword_argument", parent.kind())
                && parent.child_by_field_name(field).is_some_and(|child| child.id() == it.id())
        });
        has_word(kinds, it.kind()) && !is_named_argument
    };
    nodes_in(node).into_iter().filter(is_use).map(|it| file.text_of(it)).collect()
}

/// Returns the names that statements bind, as far as the syntax says; those inside of nested functions too.
pub(super) fn bound_names<'t>(file: &'t ParsedFile, node: Node<'t>) -> BTreeSet<&'t str> {
    let mut names = BTreeSet::new();
    for it in nodes_in(node) {
        let target = match it.kind() {
            "assignment" | "augmented_assignment" | "for_statement" | "for_in_statement" => {
                it.child_by_field_name("left")
            }
            "named_expression"
            | "function_definition"
            | "class_definition"
            | "variable_declarator"
            | "function_declaration"
            | "class_declaration"
            | "generator_function_declaration"
            | "interface_declaration"
            | "type_alias_declaration"
            | "enum_declaration" => it.child_by_field_name("name"),
            "catch_clause" => it.child_by_field_name("parameter"),
            "as_pattern_target" | "import_specifier" | "namespace_import" => Some(it),
            "import_clause" => it.named_child(0).filter(|first| first.kind() == "identifier"),
            "aliased_import" => it.child_by_field_name("alias"),
            "dotted_name"
                if it.parent().is_some_and(|parent| {
                    has_word("import_statement import_from_statement", parent.kind())
                        && parent
                            .child_by_field_name("module_name")
                            .is_none_or(|module| module.id() != it.id())
                }) =>
            {
                it.named_child(0)
            }
            _ => None,
        };
        names.extend(target.into_iter().flat_map(|target| pattern_names(file, target)));
    }
    names
}

/// Returns the names that a statement at the top of a file binds there; of a function or class its own name alone.
pub(super) fn names_at_top<'t>(file: &'t ParsedFile, statement: Node<'t>) -> BTreeSet<&'t str> {
    let kinds = "function_definition class_definition function_declaration class_declaration \
        generator_function_declaration";
    let wrapped = has_word("decorated_definition export_statement", statement.kind())
        .then(|| statements_of(statement).pop())
        .flatten();
    let inner = wrapped.unwrap_or(statement);
    match inner.child_by_field_name("name").filter(|_| has_word(kinds, inner.kind())) {
        Some(name) => BTreeSet::from([file.text_of(name)]),
        None => bound_names(file, statement),
    }
}

/// Returns the names that a pattern binds; a field or an element binds none.
pub(super) fn pattern_names<'t>(file: &'t ParsedFile, pattern: Node<'t>) -> Vec<&'t str> {
    if has_word("attribute subscript member_expression subscript_expression", pattern.kind()) {
        return vec![];
    }
    let kinds = "identifier type_identifier shorthand_property_identifier_pattern";
    let nodes = nodes_in(pattern).into_iter().filter(|it| has_word(kinds, it.kind()));
    nodes.map(|it| file.text_of(it)).collect()
}

/// Returns whether a module of the tree has this name: a file with this ending, or a folder around one.
pub(super) fn has_module(files: &SourceTexts, name: &str, ending: &str) -> bool {
    let mut stems = files.keys().filter_map(|path| path.strip_suffix(ending));
    stems.any(|stem| stem.split('/').any(|part| part == name))
}

/// Returns whether the last name of a path in Rust surely belongs to a module of the tree, not to a type or another crate.
pub(super) fn is_own_rust_path(file: &ParsedFile, name: Node<'_>, files: &SourceTexts) -> bool {
    let kinds = "scoped_identifier scoped_use_list use_list use_as_clause";
    let mut parts: Vec<&str> = vec![];
    for around in ancestors(name).take_while(|it| has_word(kinds, it.kind())) {
        let field = if around.kind() == "use_as_clause" { "alias" } else { "path" };
        let Some(child) = around.child_by_field_name(field) else { continue };
        if contains(child, name) {
            return false;
        }
        if field == "path" {
            parts.push(file.text_of(child));
        }
    }
    parts.reverse();
    let path = parts.join("::");
    let first = path.split("::").next().unwrap_or_default();
    let is_plain = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '_';
    let has_modules_only =
        path.split("::").all(|part| !part.is_empty() && part.chars().all(is_plain));
    let is_of_std = file.text.contains(&format!("std::{first}"));
    let is_own =
        has_word("crate self super", first) || (has_module(files, first, ".rs") && !is_of_std);
    is_own && has_modules_only
}

/// Returns whether a file holds tests, by its path.
pub(super) fn is_test_path(path: &str) -> bool {
    let lower = path.to_lowercase();
    lower.split(['/', '.', '_', '-']).any(|part| has_word("test tests spec specs", part))
}
