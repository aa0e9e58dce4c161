//! The pass over a file in the order its nodes start: a parent is seen before its children and says where they stand.

use std::collections::HashMap;
use trajview_code::flat::Flat;

use super::{
    exports, field, imports, kind_of_value,
    scopes::{MODULE, Scopes, kind_of_declaration},
    text_of,
};

pub struct Pass<'t, 'f> {
    pub text: &'t str,
    pub flat: &'f Flat<'f>,
    /// Nodes that stand in another scope than their parent.
    moved: HashMap<usize, usize>,
    pub all: Scopes<'t>,
}

pub fn pass<'t>(text: &'t str, flat: &Flat<'_>, all: Scopes<'t>) -> Scopes<'t> {
    let mut pass = Pass { text, flat, moved: HashMap::new(), all };
    (0..flat.len()).for_each(|at| pass.visit(at));
    pass.all
}

impl<'t> Pass<'t, '_> {
    pub fn text_of(&self, at: usize) -> &'t str {
        text_of(self.text, self.flat, at)
    }

    fn visit(&mut self, at: usize) {
        let parent = self.flat.entries[at].parent as usize;
        let scope = self.moved.remove(&at).unwrap_or(self.all.of[parent]);
        self.all.of[at] = scope;
        if self.all.is_no_use[at] {
            return;
        }
        let kind = self.flat.kind(at);
        match kind {
            "import_statement" => imports::statement(self, at, scope),
            "export_statement" if parent == 0 => exports::statement(self, at),
            "variable_declarator" => self.declarator(at, scope),
            "assignment_expression" => exports::assignment(self, at),
            "call_expression" => imports::in_place(self, at),
            "catch_clause" | "for_statement" | "switch_body" | "statement_block" => {
                let inner = self.move_children(at, scope, false);
                self.bind_field(at, "parameter", inner);
            }
            "for_in_statement" => self.for_in(at, scope),
            "enum_declaration" | "internal_module" | "module" | "import_alias" => {
                self.bind_first(at, scope);
            }
            "nested_type_identifier" | "index_signature" | "mapped_type_clause" => {
                self.close_name(at)
            }
            _ if NAMED.contains(&kind) => self.named(at, scope, parent),
            _ => {}
        }
    }

    /// Functions, classes and types: the name is bound outside (inside for expressions), the rest stands within.
    fn named(&mut self, at: usize, scope: usize, parent: usize) {
        let (flat, kind) = (self.flat, self.flat.kind(at));
        let name = field(flat, at, "name");
        let inner = self.move_children(at, scope, true);
        let is_expression = kind_of_value(kind).is_some();
        let is_member = kind.contains("method") || kind == "function_type";
        if let Some(name) = name.filter(|_| !is_member) {
            let words = self.text_of(name);
            self.all.is_no_use[name] = true;
            self.all.bind(words, if is_expression { inner } else { scope }, None);
            let above = flat.kind(parent);
            let is_top = parent == 0 || (above == "export_statement" && scope == MODULE);
            if let Some(kind) = kind_of_declaration(kind).filter(|_| is_top) {
                self.all.define(Some(words), super::definition(flat, at, words, kind));
            }
        }
        if let Some(list) = flat.child_of_kind(at, "type_parameters") {
            let names = flat.named_children(list).filter_map(|one| field(flat, one, "name"));
            for name in names {
                self.all.is_no_use[name] = true;
                self.all.bind(self.text_of(name), inner, None);
            }
        }
        if let Some(list) = flat.child_of_kind(at, "formal_parameters") {
            flat.named_children(list).for_each(|one| self.bind_target(one, inner));
        }
        self.bind_field(at, "parameter", inner);
    }

    fn move_children(&mut self, at: usize, scope: usize, is_function: bool) -> usize {
        let inner = self.all.open(scope, is_function);
        self.moved.extend(self.flat.children(at).map(|child| (child, inner)));
        inner
    }

    fn declarator(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let parent = flat.entries[at].parent as usize;
        let scope = match flat.kind(parent) {
            "variable_declaration" => self.all.function_of(scope),
            _ => scope,
        };
        let Some(name) = field(flat, at, "name") else { return };
        let value = field(flat, at, "value");
        if value.is_some_and(|value| imports::of_value(self, name, value, scope)) {
            return;
        }
        self.bind_target(name, scope);
        let kind = value.and_then(|value| kind_of_value(flat.kind(value)));
        let above = flat.entries[parent].parent as usize;
        let is_top = above == 0 || flat.kind(above) == "export_statement";
        if let Some(kind) = kind.filter(|_| is_top && scope == MODULE && flat.is_leaf(name)) {
            let words = self.text_of(name);
            self.all.define(Some(words), super::definition(flat, at, words, kind));
        }
    }

    /// `for (const x of y)`; without a keyword nothing is bound.
    fn for_in(&mut self, at: usize, scope: usize) {
        let inner = self.move_children(at, scope, false);
        let flat = self.flat;
        let is_var = flat.child_of_kind(at, "var").is_some();
        let is_let = flat.child_of_kind(at, "let").or(flat.child_of_kind(at, "const")).is_some();
        if is_var {
            self.bind_field(at, "left", self.all.function_of(scope));
        } else if is_let {
            self.bind_field(at, "left", inner);
        }
    }

    fn bind_field(&mut self, at: usize, name: &str, scope: usize) {
        if let Some(target) = field(self.flat, at, name) {
            self.bind_target(target, scope);
        }
    }

    fn bind_first(&mut self, at: usize, scope: usize) {
        if let Some(first) = self.flat.named_children(at).next() {
            self.bind_target(first, scope);
        }
    }

    /// Binds every name of a target.
    pub fn bind_target(&mut self, target: usize, scope: usize) {
        let flat = self.flat;
        let mut open = vec![target];
        while let Some(at) = open.pop() {
            match flat.kind(at) {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    self.all.is_no_use[at] = true;
                    self.all.bind(self.text_of(at), scope, None);
                }
                "object_pattern" | "array_pattern" | "rest_pattern" => {
                    open.extend(flat.named_children(at));
                }
                "pair_pattern" => open.extend(flat.named_children(at).last()),
                "assignment_pattern" | "object_assignment_pattern" => {
                    open.extend(flat.named_children(at).next());
                }
                "required_parameter" | "optional_parameter" => {
                    open.extend(field(flat, at, "pattern"));
                }
                _ => {}
            }
        }
    }

    /// Nothing below is a use.
    pub fn close(&mut self, at: usize) {
        let end = self.flat.entries[at].after as usize;
        self.all.is_no_use[at..end].fill(true);
    }

    fn close_name(&mut self, at: usize) {
        if let Some(name) = field(self.flat, at, "name") {
            self.all.is_no_use[name] = true;
        }
    }
}

/// What has a name of its own, parameters or type parameters.
#[rustfmt::skip]
const NAMED: [&str; 19] = [
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
    "arrow_function", "method_definition", "function_signature", "method_signature", "abstract_method_signature",
    "call_signature", "construct_signature", "function_type", "constructor_type", "class_declaration", "class",
    "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "class_static_block",
];
