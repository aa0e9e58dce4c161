//! The pass over a file in the order its nodes start.
//!
//! Scopes hold only what functions bind: a name is its own from where it is bound, so that `let area = area(x);` reads
//! the function.

use crate::quality::span;
use std::collections::{HashMap, HashSet};
use trajview_code::flat::Flat;

use super::{Binds, Declared, Facts, Import, Inline, Item, Path, text_of, use_tree};
use crate::reuse::facts::{Definition, Kind};

/// What was read of one file.
#[derive(Default)]
pub struct Read {
    pub facts: Facts,
    pub definitions: Vec<Definition>,
    pub is_run: bool,
}

struct Pass<'t, 'f> {
    text: &'t str,
    flat: &'f Flat<'f>,
    read: Read,
    scopes: Vec<Scope<'t>>,
    /// For each node.
    scope_of: Vec<usize>,
    module_of: Vec<usize>,
    is_closed: Vec<bool>,
    /// Children of which an attribute was seen, that the next item is a test or lies elsewhere.
    attributes: HashMap<usize, Attributes<'t>>,
    moved: HashMap<usize, (usize, usize)>,
    names: HashSet<(usize, &'t str)>,
}

#[derive(Default)]
struct Scope<'t> {
    parent: usize,
    /// From which node on each name is its own.
    names: HashMap<&'t str, usize>,
}

#[derive(Default, Clone, Copy)]
struct Attributes<'t> {
    is_test: bool,
    path: Option<&'t str>,
}

pub fn read(text: &str, flat: &Flat<'_>) -> Read {
    let mut pass = Pass {
        text,
        flat,
        read: Read::default(),
        scopes: vec![Scope::default()],
        scope_of: vec![0; flat.len()],
        module_of: vec![0; flat.len()],
        is_closed: vec![false; flat.len()],
        attributes: HashMap::new(),
        moved: HashMap::new(),
        names: HashSet::new(),
    };
    pass.read.facts.modules.push(Inline::default());
    (0..flat.len()).for_each(|at| pass.visit(at));
    (0..flat.len()).for_each(|at| pass.refer(at));
    pass.read
}

impl<'t> Pass<'t, '_> {
    fn text_of(&self, at: usize) -> &'t str {
        text_of(self.text, self.flat, at)
    }

    fn field(&self, at: usize, name: &str) -> Option<usize> {
        let wanted = self.flat.node(at).child_by_field_name(name)?.id();
        self.flat.children(at).find(|&child| self.flat.node(child).id() == wanted)
    }

    fn visit(&mut self, at: usize) {
        let parent = self.flat.entries[at].parent as usize;
        let above = (self.scope_of[parent], self.module_of[parent]);
        let (scope, module) = self.moved.remove(&at).unwrap_or(above);
        (self.scope_of[at], self.module_of[at]) = (scope, module);
        if self.is_closed[at] {
            return;
        }
        let kind = self.flat.kind(at);
        let attributes = match kind {
            "attribute_item" | "line_comment" | "block_comment" => Attributes::default(),
            _ => self.attributes.remove(&parent).unwrap_or_default(),
        };
        if attributes.is_test && kind != "mod_item" {
            self.close(at);
            return;
        }
        match kind {
            "attribute_item" | "inner_attribute_item" => self.attribute(at, parent),
            "mod_item" => self.module(at, attributes),
            "use_declaration" => self.import(at),
            "macro_definition"
            | "visibility_modifier"
            | "lifetime"
            | "label"
            | "extern_crate_declaration" => {
                self.close(at);
            }
            "function_item" | "struct_item" | "enum_item" | "union_item" | "trait_item" => {
                self.define(at, parent, kind);
                self.generic(at);
            }
            "impl_item" | "type_item" | "function_signature_item" | "associated_type" => {
                self.generic(at)
            }
            "closure_expression" | "block" | "match_arm" | "if_expression" | "while_expression"
            | "for_expression" => self.scope(at, kind),
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

    fn open(&mut self, at: usize) -> usize {
        self.scopes.push(Scope { parent: self.scope_of[at], ..Scope::default() });
        let inner = self.scopes.len() - 1;
        let module = self.module_of[at];
        self.moved.extend(self.flat.children(at).map(|child| (child, (inner, module))));
        inner
    }

    fn scope(&mut self, at: usize, kind: &str) {
        let inner = self.open(at);
        match kind {
            "match_arm" => self.bind_field(at, "pattern", inner, 0),
            "for_expression" => {
                let body = self.field(at, "body").unwrap_or(at);
                self.bind_field(at, "pattern", inner, body);
            }
            "closure_expression" => {
                for list in self.field(at, "parameters").into_iter().collect::<Vec<_>>() {
                    self.bind_all(list, inner);
                }
            }
            _ => {}
        }
    }

    /// What has parameters, type parameters or both.
    fn generic(&mut self, at: usize) {
        let inner = self.open(at);
        self.close_field(at, "name");
        if let Some(list) = self.field(at, "type_parameters") {
            for one in self.flat.named_children(list).collect::<Vec<_>>() {
                let name = self.field(one, "name").unwrap_or(one);
                self.is_closed[name] = true;
                let words = self.text_of(name);
                self.scopes[inner].names.insert(words, 0);
            }
        }
        if let Some(list) = self.field(at, "parameters") {
            self.bind_all(list, inner);
        }
    }

    fn bind_all(&mut self, list: usize, scope: usize) {
        for one in self.flat.named_children(list).collect::<Vec<_>>() {
            match self.flat.kind(one) {
                "parameter" => self.bind_field(one, "pattern", scope, 0),
                _ => self.bind_pattern(one, scope, 0),
            }
        }
    }

    fn bind_field(&mut self, at: usize, name: &str, scope: usize, from: usize) {
        if let Some(pattern) = self.field(at, name) {
            self.bind_pattern(pattern, scope, from);
        }
    }

    /// Binds the names of a pattern; the types and constants in it are read.
    fn bind_pattern(&mut self, pattern: usize, scope: usize, from: usize) {
        let flat = self.flat;
        let mut open = vec![pattern];
        while let Some(at) = open.pop() {
            let inner = flat.named_children(at);
            match flat.kind(at) {
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
                "field_pattern" => match self.field(at, "pattern") {
                    Some(pattern) => open.push(pattern),
                    None => open.extend(inner),
                },
                kind if kind.ends_with("_pattern") => open.extend(inner),
                _ => {}
            }
        }
    }

    fn attribute(&mut self, at: usize, parent: usize) {
        let flat = self.flat;
        if let Some(attribute) = flat.child_of_kind(at, "attribute") {
            let path = flat.named_children(attribute).next().map(|path| self.text_of(path));
            let last = path.and_then(|path| path.rsplit("::").next()).unwrap_or_default();
            let is_test = match last {
                "test" | "bench" => true,
                "cfg" => self.asks_for_test(attribute),
                _ => false,
            };
            match flat.kind(at) {
                "inner_attribute_item" => self.read.facts.is_test |= is_test && parent == 0,
                _ => {
                    let path = (last == "path").then(|| self.field(attribute, "value")).flatten();
                    let path = path.and_then(|value| flat.only_named_child(value));
                    let path = path.map(|content| self.text_of(content));
                    let known = self.attributes.entry(parent).or_default();
                    known.is_test |= is_test;
                    known.path = known.path.or(path);
                }
            }
        }
        self.close(at);
    }

    /// `cfg(test)` and `cfg(all(test, …))`, without a `not`.
    fn asks_for_test(&self, attribute: usize) -> bool {
        let end = self.flat.entries[attribute].after as usize;
        let words: Vec<&str> = (attribute..end)
            .filter(|&at| self.flat.kind(at) == "identifier")
            .map(|at| self.text_of(at))
            .collect();
        words.contains(&"test") && !words.contains(&"not")
    }

    fn module(&mut self, at: usize, attributes: Attributes<'_>) {
        let Some(name) = self.field(at, "name").map(|name| self.text_of(name)) else { return };
        let module = self.module_of[at];
        self.close_field(at, "name");
        let Some(body) = self.field(at, "body") else {
            self.read.facts.declared.push(Declared {
                module,
                name: name.into(),
                path: attributes.path.map(Into::into),
                is_test: attributes.is_test,
            });
            return;
        };
        if attributes.is_test {
            self.close(at);
            return;
        }
        self.read.facts.modules.push(Inline { name: name.into(), parent: module });
        self.moved.insert(body, (0, self.read.facts.modules.len() - 1));
    }

    fn import(&mut self, at: usize) {
        let module = self.module_of[at];
        let all = use_tree::read(self.text, self.flat, at).into_iter();
        let import = |(path, binds): (Path, Binds)| Import { module, path, binds };
        self.read.facts.imports.extend(all.map(import));
        self.close(at);
    }

    /// An item of a file or of a module in it; what lies in functions, traits and `impl`s is none.
    fn define(&mut self, at: usize, parent: usize, kind: &str) {
        let above = self.flat.entries[parent].parent as usize;
        let in_module =
            self.flat.kind(parent) == "declaration_list" && self.flat.kind(above) == "mod_item";
        let Some(name) = self.field(at, "name").filter(|_| parent == 0 || in_module) else {
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
            "function_item" => Kind::Function,
            "trait_item" => Kind::Trait,
            _ => Kind::Type,
        };
        let full = self.full_name(module, name);
        self.read.definitions.push(Definition {
            registered: None,
            name: full,
            line: span(self.flat, at).start,
            kind,
        });
        self.read.facts.items.push(Item { module, name: name.into(), is_public });
    }

    /// `shapes::area` of a function in a module in the file.
    fn full_name(&self, mut module: usize, name: &str) -> Box<str> {
        let mut full = name.to_owned();
        while module > 0 {
            let Inline { name, parent } = &self.read.facts.modules[module];
            full = format!("{name}::{full}");
            module = *parent;
        }
        full.into()
    }

    /// Notes the path that starts at a node, if one does.
    fn refer(&mut self, at: usize) {
        if self.is_closed[at] {
            return;
        }
        let flat = self.flat;
        let parent = flat.entries[at].parent as usize;
        match flat.kind(at) {
            "token_tree" => self.refer_in_tokens(at),
            "identifier" | "type_identifier" | "crate" | "self" | "super"
                if flat.kind(parent) != "token_tree" =>
            {
                let path = self.path(at);
                self.note(at, &path);
            }
            _ => {}
        }
    }

    /// The names a path is made of; none where `at` is not its first.
    fn path(&self, at: usize) -> Vec<&'t str> {
        let flat = self.flat;
        let mut names = vec![self.text_of(at)];
        let mut top = at;
        loop {
            let parent = flat.entries[top].parent as usize;
            if !flat.kind(parent).starts_with("scoped_") {
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

    /// In the arguments of a macro there are only words and signs.
    fn refer_in_tokens(&mut self, tree: usize) {
        let flat = self.flat;
        let tokens: Vec<usize> = flat.children(tree).collect();
        let mut path: Vec<&str> = vec![];
        let mut before = "";
        for &token in &tokens {
            let kind = flat.kind(token);
            let is_name = matches!(kind, "identifier" | "crate" | "self" | "super");
            match is_name {
                true if before == "::" && !path.is_empty() => path.push(self.text_of(token)),
                true => {
                    self.note(tree, &path);
                    path = if before == "." { vec![] } else { vec![self.text_of(token)] };
                }
                false if kind != "::" => {
                    self.note(tree, &path);
                    path = vec![];
                }
                false => {}
            }
            before = kind;
        }
        self.note(tree, &path);
    }

    fn note(&mut self, at: usize, path: &[&str]) {
        let is_own = match path {
            [] | ["self" | "crate" | "super" | "Self"] | ["Self", ..] => true,
            [first] => self.is_local(first, at),
            // Only a type parameter can stand before `::`, and only types begin with a capital.
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

    /// Nothing below is looked at.
    fn close(&mut self, at: usize) {
        let end = self.flat.entries[at].after as usize;
        self.is_closed[at..end].fill(true);
    }

    fn close_field(&mut self, at: usize, name: &str) {
        if let Some(name) = self.field(at, name) {
            self.close(name);
        }
    }
}
