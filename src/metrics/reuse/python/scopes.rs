//! Which scope every node stands in, and what each scope binds.
//!
//! One pass in the order nodes start: a parent is seen before its children and says where they stand. What is bound
//! only later in a scope is bound all the same, so names are looked up after the pass ([`Scopes::look_up`]).

use crate::code::{flat::Flat, short::ByWord};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    Import,
    imports::{self, Binds},
    role::{Role, role},
    text_of,
};

/// The scopes of one file.
pub struct Scopes<'t> {
    scopes: Vec<Scope<'t>>,
    /// The scope a node's names are looked up in, for each node; until it is visited [`OF_PARENT`], or another scope than
    /// its parent's.
    of: Vec<u32>,
    /// Whether an identifier stands for itself (a binding, an attribute, a keyword), for each node.
    is_no_use: Vec<bool>,
    /// Whether a node stands in an annotation, for each node.
    annotation: Vec<Annotation>,
    imports: Vec<Import>,
    known: HashMap<Import, usize>,
    stars: BTreeSet<usize>,
    definitions: Vec<usize>,
}

struct Scope<'t> {
    parent: usize,
    kind: ScopeKind,
    /// What the scope binds, with the imports that do; a name that no import binds has none.
    names: ByWord<'t, Vec<usize>>,
    /// Declared `global`: looked up and bound at module level.
    global: HashSet<&'t str>,
    /// Declared `nonlocal`: bound further out.
    nonlocal: HashSet<&'t str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    Module,
    Function,
    Comprehension,
    /// Its names are not seen from functions within.
    Class,
}

/// Whether strings are types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Annotation {
    Outside,
    Inside,
    /// In the arguments of a call or of `Literal`: strings are strings.
    Values,
}

/// What a name stands for.
pub enum Meaning<'s> {
    /// These imports bind it.
    Imports(&'s [usize]),
    /// The file binds it otherwise.
    Own,
    /// Nothing in the file binds it.
    Free,
}

/// The scope of a module.
pub const MODULE: usize = 0;

/// In the place of a scope: the same as the parent's.
const OF_PARENT: u32 = u32::MAX;

impl<'t> Scopes<'t> {
    pub fn of(text: &'t str, flat: &Flat<'_>) -> Self {
        let mut pass = Pass {
            text,
            flat,
            all: Self {
                scopes: vec![Scope::new(MODULE, ScopeKind::Module)],
                of: vec![OF_PARENT; flat.len()],
                is_no_use: vec![false; flat.len()],
                annotation: vec![Annotation::Outside; flat.len()],
                imports: vec![],
                known: HashMap::new(),
                stars: BTreeSet::new(),
                definitions: vec![],
            },
        };
        pass.move_to(0, MODULE);
        (0..flat.len()).for_each(|at| pass.visit(at));
        pass.all
    }

    /// Top-level classes and functions, in the order they start.
    pub fn definitions(&self) -> &[usize] {
        &self.definitions
    }

    pub fn stars(&self) -> &BTreeSet<usize> {
        &self.stars
    }

    pub fn into_imports(self) -> Vec<Import> {
        self.imports
    }

    pub fn is_use(&self, at: usize) -> bool {
        !self.is_no_use[at]
    }

    pub fn is_at_module_level(&self, at: usize) -> bool {
        self.of[at] as usize == MODULE
    }

    /// Whether a string at this place is a quoted type.
    pub fn is_annotation(&self, at: usize) -> bool {
        self.annotation[at] == Annotation::Inside
    }

    /// The names that imports bind at module level, in order.
    pub fn imported_names(&self) -> Vec<(Box<str>, Vec<usize>)> {
        let bound: BTreeMap<&str, &Vec<usize>> =
            self.scopes[MODULE].names.iter().map(|(name, by)| (*name, by)).collect();
        let imported = bound.into_iter().filter(|(_, by)| !by.is_empty());
        imported.map(|(name, by)| (name.into(), by.clone())).collect()
    }

    /// What a name stands for at a node.
    pub fn look_up(&self, name: &str, at: usize) -> Meaning<'_> {
        let start = self.of[at] as usize;
        let mut scope = start;
        loop {
            let here = &self.scopes[scope];
            if here.global.contains(name) {
                scope = MODULE;
                continue;
            }
            let is_seen = here.kind != ScopeKind::Class || scope == start;
            match here.names.get(name).filter(|_| is_seen) {
                Some(imports) if imports.is_empty() => return Meaning::Own,
                Some(imports) => return Meaning::Imports(imports),
                None if scope == MODULE => return Meaning::Free,
                None => scope = here.parent,
            }
        }
    }
}

impl Scope<'_> {
    fn new(parent: usize, kind: ScopeKind) -> Self {
        let (global, nonlocal) = (HashSet::new(), HashSet::new());
        Self { parent, kind, names: ByWord::default(), global, nonlocal }
    }
}

struct Pass<'t, 'f> {
    text: &'t str,
    flat: &'f Flat<'f>,
    all: Scopes<'t>,
}

impl<'t> Pass<'t, '_> {
    fn visit(&mut self, at: usize) {
        let (flat, parent) = (self.flat, self.flat.entries[at].parent as usize);
        if self.all.of[at] == OF_PARENT {
            self.all.of[at] = self.all.of[parent];
        }
        let scope = self.all.of[at] as usize;
        self.all.annotation[at] = self.annotation(at, self.all.annotation[parent]);
        if self.all.is_no_use[at] {
            return;
        }
        match role(flat, at) {
            Role::Import => self.import(at, scope),
            Role::FutureImport => self.close(at),
            Role::Definition => self.definition(at, scope),
            Role::Lambda => self.lambda(at, scope),
            Role::Comprehension => self.comprehension(at, scope),
            Role::For => self.bind_after(at, "for", scope),
            Role::Assignment | Role::AugmentedAssignment | Role::SplatPattern => {
                self.bind_first(at, scope);
            }
            Role::NamedExpression => self.bind_first(at, self.out_of_comprehensions(scope)),
            Role::As => self.bind_after(at, "as", scope),
            Role::TypeAlias => self.bind_type_name(at, scope),
            Role::Declaration => self.declare(at, scope),
            Role::Delete => self.close_names(at),
            Role::Keyword => self.close_first(at),
            Role::Attribute => self.close_last(at),
            Role::DottedName => self.pattern_name(at, scope),
            _ => {}
        }
    }

    /// Has a node stand in another scope than its parent.
    fn move_to(&mut self, at: usize, scope: usize) {
        self.all.of[at] = u32::try_from(scope).unwrap_or(OF_PARENT);
    }

    fn annotation(&self, at: usize, of_parent: Annotation) -> Annotation {
        match (of_parent, role(self.flat, at)) {
            (Annotation::Values, _) => Annotation::Values,
            (Annotation::Inside, Role::ArgumentList) => Annotation::Values,
            (Annotation::Inside, Role::Subscript) if self.is_literal(at) => Annotation::Values,
            (_, Role::Type) => Annotation::Inside,
            (other, _) => other,
        }
    }

    /// `Literal[…]`, by whatever name of a module.
    fn is_literal(&self, at: usize) -> bool {
        let head = self.flat.named_children(at).next();
        let name = head.and_then(|head| match self.flat.kind(head) {
            "attribute" => self.flat.named_children(head).last(),
            "identifier" => Some(head),
            _ => None,
        });
        name.is_some_and(|name| text_of(self.text, self.flat, name) == "Literal")
    }

    fn import(&mut self, at: usize, scope: usize) {
        for imported in imports::read(self.text, self.flat, at) {
            let number = self.number(imported.import);
            match imported.binds {
                Binds::Name(name) => self.bind(name, scope, Some(number)),
                Binds::Star => drop(self.all.stars.insert(number)),
                Binds::Nothing => {}
            }
        }
        self.close(at);
    }

    fn number(&mut self, import: Import) -> usize {
        let next = self.all.imports.len();
        let number = *self.all.known.entry(import.clone()).or_insert(next);
        if number == next {
            self.all.imports.push(import);
        }
        number
    }

    fn bind(&mut self, name: &'t str, scope: usize, import: Option<usize>) {
        let here = &self.all.scopes[scope];
        if here.nonlocal.contains(name) {
            return;
        }
        let scope = if here.global.contains(name) { MODULE } else { scope };
        let imports = self.all.scopes[scope].names.entry(name).or_default();
        imports.extend(import.filter(|import| !imports.contains(import)));
    }

    fn definition(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        if let Some(name) = flat.child_of_kind(at, "identifier") {
            self.bind_target(name, scope);
        }
        let is_class = flat.kind(at) == "class_definition";
        if scope == MODULE {
            self.all.definitions.push(at);
        }
        let kind = if is_class { ScopeKind::Class } else { ScopeKind::Function };
        let inner = self.open(scope, kind);
        if let Some(block) = flat.child_of_kind(at, "block") {
            self.move_to(block, inner);
        }
        if let Some(list) = flat.child_of_kind(at, "type_parameter") {
            flat.named_children(list).for_each(|one| self.bind_type_parameter(one, inner));
        }
        if let Some(list) = flat.child_of_kind(at, "parameters") {
            self.parameters(list, inner);
        }
    }

    fn open(&mut self, parent: usize, kind: ScopeKind) -> usize {
        self.all.scopes.push(Scope::new(parent, kind));
        self.all.scopes.len() - 1
    }

    fn lambda(&mut self, at: usize, scope: usize) {
        let inner = self.open(scope, ScopeKind::Function);
        if let Some(list) = self.flat.child_of_kind(at, "lambda_parameters") {
            self.parameters(list, inner);
        }
        if let Some(body) = self.flat.named_children(at).last() {
            self.move_to(body, inner);
        }
    }

    /// Names of parameters are bound within, defaults and annotations are read outside.
    fn parameters(&mut self, list: usize, inner: usize) {
        let flat = self.flat;
        for one in flat.named_children(list) {
            let name = match flat.kind(one) {
                "typed_parameter" | "default_parameter" | "typed_default_parameter" => {
                    flat.named_children(one).next()
                }
                _ => Some(one),
            };
            if let Some(name) = name {
                self.bind_target(name, inner);
            }
        }
    }

    /// The first iterable is read outside, the rest within.
    fn comprehension(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let inner = self.open(scope, ScopeKind::Comprehension);
        let children: Vec<usize> = flat.children(at).collect();
        let first = children.iter().copied().find(|&child| flat.kind(child) == "for_in_clause");
        for child in children {
            self.move_to(child, inner);
        }
        if let Some(iterable) = first.and_then(|clause| flat.named_children(clause).last()) {
            self.move_to(iterable, scope);
        }
    }

    fn out_of_comprehensions(&self, mut scope: usize) -> usize {
        while self.all.scopes[scope].kind == ScopeKind::Comprehension {
            scope = self.all.scopes[scope].parent;
        }
        scope
    }

    fn bind_first(&mut self, at: usize, scope: usize) {
        if let Some(first) = self.flat.named_children(at).next() {
            self.bind_target(first, scope);
        }
    }

    /// Binds what follows a word, if the word is there.
    fn bind_after(&mut self, at: usize, word: &str, scope: usize) {
        let flat = self.flat;
        let mut children = flat.children(at).skip_while(|&child| flat.kind(child) != word);
        if let Some(target) = children.nth(1) {
            self.bind_target(target, scope);
        }
    }

    /// Binds every name of a target; attributes and items are read, not bound.
    fn bind_target(&mut self, target: usize, scope: usize) {
        let flat = self.flat;
        let mut open = vec![target];
        while let Some(at) = open.pop() {
            match flat.kind(at) {
                "identifier" => {
                    self.all.is_no_use[at] = true;
                    self.bind(text_of(self.text, flat, at), scope, None);
                }
                kind if TARGETS.contains(&kind) => open.extend(flat.named_children(at)),
                _ => {}
            }
        }
    }

    fn bind_type_name(&mut self, at: usize, scope: usize) {
        if let Some(name) = self.flat.named_children(at).next() {
            self.bind_type_parameter(name, scope);
        }
    }

    /// Of `T`, `T: Bound` or `T[X]` the first name.
    fn bind_type_parameter(&mut self, at: usize, scope: usize) {
        let end = self.flat.entries[at].after as usize;
        if let Some(name) = (at..end).find(|&inner| self.flat.kind(inner) == "identifier") {
            self.bind_target(name, scope);
        }
    }

    fn declare(&mut self, at: usize, scope: usize) {
        let is_global = self.flat.kind(at) == "global_statement";
        for name in self.flat.named_children(at) {
            let name = text_of(self.text, self.flat, name);
            let here = &mut self.all.scopes[scope];
            if is_global {
                here.global.insert(name)
            } else {
                here.nonlocal.insert(name)
            };
        }
        self.close(at);
        if scope == MODULE {
            self.all.scopes[MODULE].global.clear();
        }
    }

    /// In a pattern a name alone is bound, one with dots or with arguments is read.
    fn pattern_name(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let is_class = flat.kind(flat.entries[at].parent as usize) == "class_pattern";
        let mut parts = flat.named_children(at);
        match (parts.next(), parts.next()) {
            (Some(only), None) if !is_class => self.bind_target(only, scope),
            (Some(_), second) => {
                second.into_iter().chain(parts).for_each(|part| self.all.is_no_use[part] = true);
            }
            _ => {}
        }
    }

    /// Nothing below is a use.
    fn close(&mut self, at: usize) {
        let end = self.flat.entries[at].after as usize;
        self.all.is_no_use[at..end].fill(true);
    }

    fn close_names(&mut self, at: usize) {
        let flat = self.flat;
        let lists = flat.named_children(at).flat_map(|child| match flat.kind(child) {
            "expression_list" => flat.named_children(child).collect(),
            _ => vec![child],
        });
        for name in lists.filter(|&name| flat.kind(name) == "identifier") {
            self.all.is_no_use[name] = true;
        }
    }

    fn close_first(&mut self, at: usize) {
        if let Some(name) = self.flat.named_children(at).next() {
            self.all.is_no_use[name] = true;
        }
    }

    fn close_last(&mut self, at: usize) {
        if let Some(name) = self.flat.named_children(at).last() {
            self.all.is_no_use[name] = true;
        }
    }
}

/// What holds the names of a target.
const TARGETS: [&str; 11] = [
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "dictionary_splat_pattern",
    "tuple",
    "list",
    "list_splat",
    "expression_list",
    "parenthesized_expression",
    "as_pattern_target",
];
