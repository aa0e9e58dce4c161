//! The pass over a file in the order its nodes start: a parent comes before its children and sets their scope.

use std::collections::HashMap;
use trajview_code::flat_tree::FlatTree;

use super::{
    child_field, exports, imports, kind_of_value,
    scopes::{MODULE, ScriptScopes, kind_of_declaration},
    text_of,
};

/// A pass over a file.
pub struct ScriptPass<'t, 'f> {
    pub text: &'t str,
    pub flat: &'f FlatTree<'f>,
    /// Nodes that are in another scope than their parent.
    moved: HashMap<usize, usize>,
    pub all: ScriptScopes<'t>,
}

/// Visits all nodes of a file and fills its scopes.
pub(crate) fn run_pass<'t>(
    text: &'t str,
    flat: &FlatTree<'_>,
    all: ScriptScopes<'t>,
) -> ScriptScopes<'t> {
    let mut pass = ScriptPass { text, flat, moved: HashMap::new(), all };
    (0..flat.len()).for_each(|at| pass.visit_node(at));
    pass.all
}

impl<'t> ScriptPass<'t, '_> {
    pub fn text_of(&self, at: usize) -> &'t str {
        text_of(self.text, self.flat, at)
    }

    /// Sets the scope of a node, and binds the names that it declares, imports or exports.
    fn visit_node(&mut self, at: usize) {
        let parent = self.flat.entries[at].parent as usize;
        let scope = self.moved.remove(&at).unwrap_or(self.all.scope_of[parent]);
        self.all.scope_of[at] = scope;
        if self.all.is_no_use[at] {
            return;
        }
        let kind = self.flat.kind_name(at);
        match kind {
            "import_statement" => imports::import_statement(self, at, scope),
            "export_statement" if parent == 0 => exports::export_statement(self, at),
            "variable_declarator" => self.bind_declarator(at, scope),
            "assignment_expression" => exports::export_assignment(self, at),
            "call_expression" => imports::note_inline_require(self, at),
            "catch_clause" | "for_statement" | "switch_body" | "statement_block" => {
                let inner = self.move_children(at, scope, false);
                self.bind_field(at, "parameter", inner);
            }
            "for_in_statement" => self.bind_for_in(at, scope),
            "enum_declaration" | "internal_module" | "module" | "import_alias" => {
                self.bind_first(at, scope);
            }
            "nested_type_identifier" | "index_signature" | "mapped_type_clause" => {
                self.close_name(at)
            }
            _ if NAMED.contains(&kind) => self.bind_named(at, scope, parent),
            _ => {}
        }
    }

    /// Binds functions, classes and types: the name outside (inside for expressions), the rest inside.
    fn bind_named(&mut self, at: usize, scope: usize, parent: usize) {
        let (flat, kind) = (self.flat, self.flat.kind_name(at));
        let name = child_field(flat, at, "name");
        let inner = self.move_children(at, scope, true);
        let is_expression = kind_of_value(kind).is_some();
        let is_member = kind.contains("method") || kind == "function_type";
        if let Some(name) = name.filter(|_| !is_member) {
            let words = self.text_of(name);
            self.all.is_no_use[name] = true;
            self.all.bind_name(words, if is_expression { inner } else { scope }, None);
            let above = flat.kind_name(parent);
            let is_top = parent == 0 || (above == "export_statement" && scope == MODULE);
            if let Some(kind) = kind_of_declaration(kind).filter(|_| is_top) {
                self.all.add_definition(Some(words), super::new_definition(flat, at, words, kind));
            }
        }
        if let Some(list) = flat.child_of_kind(at, "type_parameters") {
            let names = flat.named_children(list).filter_map(|one| child_field(flat, one, "name"));
            for name in names {
                self.all.is_no_use[name] = true;
                self.all.bind_name(self.text_of(name), inner, None);
            }
        }
        if let Some(list) = flat.child_of_kind(at, "formal_parameters") {
            flat.named_children(list).for_each(|one| self.bind_target(one, inner));
        }
        self.bind_field(at, "parameter", inner);
    }

    fn move_children(&mut self, at: usize, scope: usize, is_function: bool) -> usize {
        let inner = self.all.open_scope(scope, is_function);
        self.moved.extend(self.flat.children(at).map(|child| (child, inner)));
        inner
    }

    /// Binds the names of a variable declaration, or the import that its value is.
    fn bind_declarator(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let parent = flat.entries[at].parent as usize;
        let scope = match flat.kind_name(parent) {
            "variable_declaration" => self.all.function_of(scope),
            _ => scope,
        };
        let Some(name) = child_field(flat, at, "name") else { return };
        let value = child_field(flat, at, "value");
        if value.is_some_and(|value| imports::bind_required_value(self, name, value, scope)) {
            return;
        }
        self.bind_target(name, scope);
        let kind = value.and_then(|value| kind_of_value(flat.kind_name(value)));
        let above = flat.entries[parent].parent as usize;
        let is_top = above == 0 || flat.kind_name(above) == "export_statement";
        if let Some(kind) = kind.filter(|_| is_top && scope == MODULE && flat.is_leaf(name)) {
            let words = self.text_of(name);
            self.all.add_definition(Some(words), super::new_definition(flat, at, words, kind));
        }
    }

    /// Binds the target of `for (const x of y)`; without a keyword nothing is bound.
    fn bind_for_in(&mut self, at: usize, scope: usize) {
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
        if let Some(target) = child_field(self.flat, at, name) {
            self.bind_target(target, scope);
        }
    }

    fn bind_first(&mut self, at: usize, scope: usize) {
        if let Some(first) = self.flat.named_children(at).next() {
            self.bind_target(first, scope);
        }
    }

    /// Binds every name of a target.
    pub(crate) fn bind_target(&mut self, target: usize, scope: usize) {
        let flat = self.flat;
        let mut open = vec![target];
        while let Some(at) = open.pop() {
            match flat.kind_name(at) {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    self.all.is_no_use[at] = true;
                    self.all.bind_name(self.text_of(at), scope, None);
                }
                "object_pattern" | "array_pattern" | "rest_pattern" => {
                    open.extend(flat.named_children(at));
                }
                "pair_pattern" => open.extend(flat.named_children(at).last()),
                "assignment_pattern" | "object_assignment_pattern" => {
                    open.extend(flat.named_children(at).next());
                }
                "required_parameter" | "optional_parameter" => {
                    open.extend(child_field(flat, at, "pattern"));
                }
                _ => {}
            }
        }
    }

    /// Marks that nothing below a node is a use.
    pub(crate) fn close_subtree(&mut self, at: usize) {
        let end = self.flat.entries[at].after as usize;
        self.all.is_no_use[at..end].fill(true);
    }

    fn close_name(&mut self, at: usize) {
        if let Some(name) = child_field(self.flat, at, "name") {
            self.all.is_no_use[name] = true;
        }
    }
}

/// Kinds of nodes with a name, parameters or type parameters.
#[rustfmt::skip]
const NAMED: [&str; 19] = [
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
    "arrow_function", "method_definition", "function_signature", "method_signature", "abstract_method_signature",
    "call_signature", "construct_signature", "function_type", "constructor_type", "class_declaration", "class",
    "abstract_class_declaration", "interface_declaration", "type_alias_declaration", "class_static_block",
];
