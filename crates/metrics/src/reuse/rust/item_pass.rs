//! The pass over a file in the order in which its nodes start.
//!
//! Scopes contain only the bindings inside functions: a name is local from its binding on, so that `let area =
//! area(x);` reads the function.

use crate::quality::node_span;
use std::collections::{HashMap, HashSet};
use trajview_code::flat_tree::FlatTree;

use super::{
    DeclaredModule, InlineModule, RustFacts, RustImport, RustItem, RustPath, UseBinding, text_of,
    use_tree,
};
use crate::reuse::facts::{SymbolKind, TopLevelDefinition};

/// The facts read from one file.
#[derive(Default)]
pub struct RustFileFacts {
    pub facts: RustFacts,
    pub definitions: Vec<TopLevelDefinition>,
    pub is_run: bool,
}

struct RustPass<'t, 'f> {
    text: &'t str,
    flat: &'f FlatTree<'f>,
    read: RustFileFacts,
    scopes: Vec<RustScope<'t>>,
    /// The scope of each node.
    scope_of: Vec<usize>,
    module_of: Vec<usize>,
    is_closed: Vec<bool>,
    /// For each parent, the attributes before its next item: that it is a test, or is in another file.
    attributes: HashMap<usize, ItemAttributes<'t>>,
    moved: HashMap<usize, (usize, usize)>,
    names: HashSet<(usize, &'t str)>,
}

#[derive(Default)]
struct RustScope<'t> {
    parent: usize,
    /// The node from which on each name is local.
    names: HashMap<&'t str, usize>,
}

#[derive(Default, Clone, Copy)]
struct ItemAttributes<'t> {
    is_test: bool,
    path: Option<&'t str>,
}

/// Reads the items, imports and uses of a file.
pub fn read_file(text: &str, flat: &FlatTree<'_>) -> RustFileFacts {
    let mut pass = RustPass {
        text,
        flat,
        read: RustFileFacts::default(),
        scopes: vec![RustScope::default()],
        scope_of: vec![0; flat.len()],
        module_of: vec![0; flat.len()],
        is_closed: vec![false; flat.len()],
        attributes: HashMap::new(),
        moved: HashMap::new(),
        names: HashSet::new(),
    };
    pass.read.facts.modules.push(InlineModule::default());
    (0..flat.len()).for_each(|at| pass.visit_node(at));
    (0..flat.len()).for_each(|at| pass.note_path_at(at));
    pass.read
}

impl<'t> RustPass<'t, '_> {
    fn text_of(&self, at: usize) -> &'t str {
        text_of(self.text, self.flat, at)
    }

    fn child_field(&self, at: usize, name: &str) -> Option<usize> {
        let wanted = self.flat.node(at).child_by_field_name(name)?.id();
        self.flat.children(at).find(|&child| self.flat.node(child).id() == wanted)
    }

    /// Sets the scope and the module of a node, and binds the names that it declares.
    fn visit_node(&mut self, at: usize) {
        let parent = self.flat.entries[at].parent as usize;
        let above = (self.scope_of[parent], self.module_of[parent]);
        let (scope, module) = self.moved.remove(&at).unwrap_or(above);
        (self.scope_of[at], self.module_of[at]) = (scope, module);
        if self.is_closed[at] {
            return;
        }
        let kind = self.flat.kind_name(at);
        let attributes = match kind {
            "attribute_item" | "line_comment" | "block_comment" => ItemAttributes::default(),
            _ => self.attributes.remove(&parent).unwrap_or_default(),
        };
        if attributes.is_test && kind != "mod_item" {
            self.close_subtree(at);
            return;
        }
        match kind {
            "attribute_item" | "inner_attribute_item" => self.note_attribute(at, parent),
            "mod_item" => self.note_module(at, attributes),
            "use_declaration" => self.note_import(at),
            "macro_definition"
            | "visibility_modifier"
            | "lifetime"
            | "label"
            | "extern_crate_declaration" => {
                self.close_subtree(at);
            }
            "function_item" | "struct_item" | "enum_item" | "union_item" | "trait_item" => {
                self.define_item(at, parent, kind);
                self.bind_generics(at);
            }
            "impl_item" | "type_item" | "function_signature_item" | "associated_type" => {
                self.bind_generics(at)
            }
            "closure_expression" | "block" | "match_arm" | "if_expression" | "while_expression"
            | "for_expression" => self.bind_scope(at, kind),
            "let_declaration" | "let_condition" => {
                let after = self.flat.entries[at].after as usize;
                self.bind_field(at, "pattern", scope, after);
            }
            "enum_variant"
            | "const_item"
            | "static_item"
            | "const_parameter"
            | "token_binding_pattern" => {
                self.close_field(at, "name");
            }
            "macro_invocation" => self.close_field(at, "macro"),
            _ => {}
        }
    }

    fn open_scope(&mut self, at: usize) -> usize {
        self.scopes.push(RustScope { parent: self.scope_of[at], ..RustScope::default() });
        let inner = self.scopes.len() - 1;
        let module = self.module_of[at];
        self.moved.extend(self.flat.children(at).map(|child| (child, (inner, module))));
        inner
    }

    /// Opens the scope of a block, closure, loop or match arm, and binds its patterns.
    fn bind_scope(&mut self, at: usize, kind: &str) {
        let inner = self.open_scope(at);
        match kind {
            "match_arm" => self.bind_field(at, "pattern", inner, 0),
            "for_expression" => {
                let body = self.child_field(at, "body").unwrap_or(at);
                self.bind_field(at, "pattern", inner, body);
            }
            "closure_expression" => {
                for list in self.child_field(at, "parameters").into_iter().collect::<Vec<_>>() {
                    self.bind_all(list, inner);
                }
            }
            _ => {}
        }
    }

    /// Binds the parameters and type parameters of an item.
    fn bind_generics(&mut self, at: usize) {
        let inner = self.open_scope(at);
        self.close_field(at, "name");
        if let Some(list) = self.child_field(at, "type_parameters") {
            for one in self.flat.named_children(list).collect::<Vec<_>>() {
                let name = self.child_field(one, "name").unwrap_or(one);
                self.is_closed[name] = true;
                let words = self.text_of(name);
                self.scopes[inner].names.insert(words, 0);
            }
        }
        if let Some(list) = self.child_field(at, "parameters") {
            self.bind_all(list, inner);
        }
    }

    fn bind_all(&mut self, list: usize, scope: usize) {
        for one in self.flat.named_children(list).collect::<Vec<_>>() {
            match self.flat.kind_name(one) {
                "parameter" => self.bind_field(one, "pattern", scope, 0),
                _ => self.bind_pattern(one, scope, 0),
            }
        }
    }

    fn bind_field(&mut self, at: usize, name: &str, scope: usize, from: usize) {
        if let Some(pattern) = self.child_field(at, name) {
            self.bind_pattern(pattern, scope, from);
        }
    }

    /// Binds the names of a pattern; the types and constants in it are read.
    fn bind_pattern(&mut self, pattern: usize, scope: usize, from: usize) {
        let flat = self.flat;
        let mut open = vec![pattern];
        while let Some(at) = open.pop() {
            let inner = flat.named_children(at);
            match flat.kind_name(at) {
                "identifier" | "shorthand_field_identifier" => {
                    let name = self.text_of(at);
                    if !name.starts_with(char::is_uppercase) {
                        self.is_closed[at] = true;
                        let first = self.scopes[scope].names.entry(name).or_insert(from);
                        *first = from.min(*first);
                    }
                }
                "tuple_struct_pattern" | "struct_pattern" => open.extend(inner.skip(1)),
                "match_pattern" => open.extend(inner.take(1)),
                "field_pattern" => match self.child_field(at, "pattern") {
                    Some(pattern) => open.push(pattern),
                    None => open.extend(inner),
                },
                kind if kind.ends_with("_pattern") => open.extend(inner),
                _ => {}
            }
        }
    }

    /// Records an attribute that marks the next item as a test or gives its path.
    fn note_attribute(&mut self, at: usize, parent: usize) {
        let flat = self.flat;
        if let Some(attribute) = flat.child_of_kind(at, "attribute") {
            let path = flat.named_children(attribute).next().map(|path| self.text_of(path));
            let last = path.and_then(|path| path.rsplit("::").next()).unwrap_or_default();
            let is_test = match last {
                "test" | "bench" => true,
                "cfg" => self.asks_for_test(attribute),
                _ => false,
            };
            match flat.kind_name(at) {
                "inner_attribute_item" => self.read.facts.is_test |= is_test && parent == 0,
                _ => {
                    let path =
                        (last == "path").then(|| self.child_field(attribute, "value")).flatten();
                    let path = path.and_then(|value| flat.only_named_child(value));
                    let path = path.map(|content| self.text_of(content));
                    let attributes = self.attributes.entry(parent).or_default();
                    attributes.is_test |= is_test;
                    attributes.path = attributes.path.or(path);
                }
            }
        }
        self.close_subtree(at);
    }

    /// Returns whether an attribute is `cfg(test)` or `cfg(all(test, …))`, without a `not`.
    fn asks_for_test(&self, attribute: usize) -> bool {
        let end = self.flat.entries[attribute].after as usize;
        let words: Vec<&str> = (attribute..end)
            .filter(|&at| self.flat.kind_name(at) == "identifier")
            .map(|at| self.text_of(at))
            .collect();
        words.contains(&"test") && !words.contains(&"not")
    }

    /// Records a module: inside the file, or declared with its own file.
    fn note_module(&mut self, at: usize, attributes: ItemAttributes<'_>) {
        let Some(name) = self.child_field(at, "name").map(|name| self.text_of(name)) else {
            return;
        };
        let module = self.module_of[at];
        self.close_field(at, "name");
        let Some(body) = self.child_field(at, "body") else {
            self.read.facts.declared.push(DeclaredModule {
                module,
                name: name.into(),
                path: attributes.path.map(Into::into),
                is_test: attributes.is_test,
            });
            return;
        };
        if attributes.is_test {
            self.close_subtree(at);
            return;
        }
        self.read.facts.modules.push(InlineModule { name: name.into(), parent: module });
        self.moved.insert(body, (0, self.read.facts.modules.len() - 1));
    }

    fn note_import(&mut self, at: usize) {
        let module = self.module_of[at];
        let all = use_tree::use_paths(self.text, self.flat, at).into_iter();
        let import = |(path, binds): (RustPath, UseBinding)| RustImport { module, path, binds };
        self.read.facts.imports.extend(all.map(import));
        self.close_subtree(at);
    }

    /// Records an item of a file or of a module in it; items inside functions, traits and `impl`s are left out.
    fn define_item(&mut self, at: usize, parent: usize, kind: &str) {
        let above = self.flat.entries[parent].parent as usize;
        let in_module = self.flat.kind_name(parent) == "declaration_list"
            && self.flat.kind_name(above) == "mod_item";
        let Some(name) = self.child_field(at, "name").filter(|_| parent == 0 || in_module) else {
            return;
        };
        let (name, module) = (self.text_of(name), self.module_of[at]);
        self.read.is_run |= parent == 0 && kind == "function_item" && name == "main";
        if !self.names.insert((module, name)) {
            return;
        }
        let visibility = self.flat.child_of_kind(at, "visibility_modifier");
        let is_public = visibility.is_some_and(|at| self.text_of(at) != "pub(self)");
        let kind = match kind {
            "function_item" => SymbolKind::Function,
            "trait_item" => SymbolKind::Trait,
            _ => SymbolKind::Type,
        };
        let full = self.full_name(module, name);
        self.read.definitions.push(TopLevelDefinition {
            registered: None,
            name: full,
            line: node_span(self.flat, at).start,
            kind,
        });
        self.read.facts.items.push(RustItem { module, name: name.into(), is_public });
    }

    /// Returns the full name of an item, such as `shapes::area` for a function in a module in the file.
    fn full_name(&self, mut module: usize, name: &str) -> Box<str> {
        let mut full = name.to_owned();
        while module > 0 {
            let InlineModule { name, parent } = &self.read.facts.modules[module];
            full = format!("{name}::{full}");
            module = *parent;
        }
        full.into()
    }

    /// Records the path that starts at a node, if one does.
    fn note_path_at(&mut self, at: usize) {
        if self.is_closed[at] {
            return;
        }
        let flat = self.flat;
        let parent = flat.entries[at].parent as usize;
        match flat.kind_name(at) {
            "token_tree" => self.refer_in_tokens(at),
            "identifier" | "type_identifier" | "crate" | "self" | "super"
                if flat.kind_name(parent) != "token_tree" =>
            {
                let path = self.path_names(at);
                self.note_use(at, &path);
            }
            _ => {}
        }
    }

    /// Returns the names of a path; none where `at` is not the first of them.
    fn path_names(&self, at: usize) -> Vec<&'t str> {
        let flat = self.flat;
        let mut names = vec![self.text_of(at)];
        let mut top = at;
        loop {
            let parent = flat.entries[top].parent as usize;
            if !flat.kind_name(parent).starts_with("scoped_") {
                return names;
            }
            if flat.named_children(parent).next() != Some(top) {
                // The name after `::`, or after a type in brackets.
                return if top == at { vec![] } else { names };
            }
            let Some(name) = flat.named_children(parent).last().filter(|&name| name != top) else {
                return vec![];
            };
            names.push(self.text_of(name));
            top = parent;
        }
    }

    /// Records the paths in the arguments of a macro, where there are only words and signs.
    fn refer_in_tokens(&mut self, tree: usize) {
        let flat = self.flat;
        let tokens: Vec<usize> = flat.children(tree).collect();
        let mut path: Vec<&str> = vec![];
        let mut before = "";
        for &token in &tokens {
            let kind = flat.kind_name(token);
            let is_name = matches!(kind, "identifier" | "crate" | "self" | "super");
            match is_name {
                true if before == "::" && !path.is_empty() => path.push(self.text_of(token)),
                true => {
                    self.note_use(tree, &path);
                    path = if before == "." { vec![] } else { vec![self.text_of(token)] };
                }
                false if kind != "::" => {
                    self.note_use(tree, &path);
                    path = vec![];
                }
                false => {}
            }
            before = kind;
        }
        self.note_use(tree, &path);
    }

    fn note_use(&mut self, at: usize, path: &[&str]) {
        let is_own = match path {
            [] | ["self" | "crate" | "super" | "Self"] | ["Self", ..] => true,
            [first] => self.is_local(first, at),
            // Only a type parameter can come before `::`, and only types begin with a capital.
            [first, ..] => first.starts_with(char::is_uppercase) && self.is_local(first, at),
        };
        if !is_own {
            let path = path.iter().map(|&name| name.into()).collect();
            self.read.facts.uses.insert((self.module_of[at], path));
        }
    }

    fn is_local(&self, name: &str, at: usize) -> bool {
        let mut scope = self.scope_of[at];
        loop {
            let here = &self.scopes[scope];
            if here.names.get(name).is_some_and(|&from| from <= at) {
                return true;
            }
            if scope == 0 {
                return false;
            }
            scope = here.parent;
        }
    }

    /// Marks that nothing below a node is looked at.
    fn close_subtree(&mut self, at: usize) {
        let end = self.flat.entries[at].after as usize;
        self.is_closed[at..end].fill(true);
    }

    fn close_field(&mut self, at: usize, name: &str) {
        if let Some(name) = self.child_field(at, name) {
            self.close_subtree(name);
        }
    }
}
