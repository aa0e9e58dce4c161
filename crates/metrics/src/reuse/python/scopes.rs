//! Which scope every node stands in, and what each scope binds.
//!
//! One pass in the order nodes start: a parent is seen before its children and says where they stand. What is bound
//! only later in a function is its own all the same, so names are looked up after the pass ([`Scopes::look_up`]); which
//! binding of several a place means is told by [`bindings`].

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};
use trajview_code::{flat::Flat, short::ByWord, tree::by_kind};

use super::{
    Import,
    bindings::{self, Binding, Moment, Span, WHOLE},
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
    /// The node after its last.
    end: u32,
    /// What the scope binds, in the order of the text.
    names: ByWord<'t, Vec<Binding>>,
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
pub enum Meaning {
    /// One of these imports binds it.
    Imports(Vec<usize>),
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
            branches: vec![WHOLE; flat.len()],
            all: Self {
                scopes: vec![Scope::new(MODULE, ScopeKind::Module, u32::MAX)],
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

    /// The names that imports bind at module level once all of it has run, in order.
    pub fn imported_names(&self) -> Vec<(Box<str>, Vec<usize>)> {
        let at_end = |bindings: &[Binding]| {
            bindings::reaching(bindings, u32::MAX - 1, Moment::There).unwrap_or_default()
        };
        let bound: BTreeMap<&str, Vec<usize>> =
            self.scopes[MODULE].names.iter().map(|(name, by)| (*name, at_end(by))).collect();
        let imported = bound.into_iter().filter(|(_, by)| !by.is_empty());
        imported.map(|(name, by)| (name.into(), by)).collect()
    }

    /// What a name stands for at a node.
    ///
    /// In the body of a class a name means what is further out until the class binds it, and that of the module then, also
    /// where the class stands in a function.
    pub fn look_up(&self, name: &str, at: usize) -> Meaning {
        let start = self.of[at] as usize;
        let (mut scope, mut moment) = (start, Moment::There);
        let mut is_of_module = false;
        loop {
            let here = &self.scopes[scope];
            is_of_module |= here.global.contains(name);
            let is_seen = match here.kind {
                ScopeKind::Module => true,
                ScopeKind::Class => scope == start && !is_of_module,
                ScopeKind::Function | ScopeKind::Comprehension => !is_of_module,
            };
            if let Some(bindings) = here.names.get(name).filter(|_| is_seen) {
                match here.reaching(bindings, at, moment) {
                    Some(imports) if imports.is_empty() => return Meaning::Own,
                    Some(imports) => return Meaning::Imports(imports),
                    None => is_of_module = true,
                }
            }
            if scope == MODULE {
                return Meaning::Free;
            }
            if here.kind == ScopeKind::Function {
                moment = Moment::After(here.end);
            }
            scope = here.parent;
        }
    }
}

impl Scope<'_> {
    fn new(parent: usize, kind: ScopeKind, end: u32) -> Self {
        let (global, nonlocal) = (HashSet::new(), HashSet::new());
        Self { parent, kind, end, names: ByWord::default(), global, nonlocal }
    }

    /// The imports that a name of this scope may mean; empty where it is the file's own. None in a class that has not bound it
    /// so far.
    fn reaching(&self, bindings: &[Binding], at: usize, moment: Moment) -> Option<Vec<usize>> {
        if self.kind != ScopeKind::Class && bindings.iter().all(|it| it.import.is_none()) {
            return Some(vec![]);
        }
        // The clauses of a comprehension stand after what they bind for.
        if self.kind == ScopeKind::Comprehension {
            return Some(bindings::all(bindings));
        }
        let found = bindings::reaching(bindings, at as u32, moment);
        match self.kind {
            ScopeKind::Class => found,
            // A program that runs has bound it by then, in an earlier turn of a loop if not before.
            ScopeKind::Module => found.or_else(|| Some(bindings::all(bindings))),
            ScopeKind::Function | ScopeKind::Comprehension => Some(found.unwrap_or_default()),
        }
    }
}

struct Pass<'t, 'f> {
    text: &'t str,
    flat: &'f Flat<'f>,
    /// The innermost branch of its scope that each node stands in.
    branches: Vec<Span>,
    all: Scopes<'t>,
}

/// Nodes that may not be run, or not at first.
static IS_BRANCH: LazyLock<Vec<bool>> = LazyLock::new(|| {
    by_kind(&tree_sitter_python::LANGUAGE.into(), |kind| {
        matches!(
            kind,
            "elif_clause"
                | "else_clause"
                | "except_clause"
                | "except_group_clause"
                | "case_clause"
                | "for_statement"
                | "while_statement"
                | "conditional_expression"
                | "boolean_operator"
        )
    })
});

impl<'t> Pass<'t, '_> {
    fn visit(&mut self, at: usize) {
        let (flat, parent) = (self.flat, self.flat.entries[at].parent as usize);
        if self.all.of[at] == OF_PARENT {
            self.all.of[at] = self.all.of[parent];
        }
        let scope = self.all.of[at] as usize;
        self.branches[at] = self.branch(at, parent);
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
            Role::Assignment => self.assignment(at, scope),
            Role::AugmentedAssignment => self.augmented(at, scope),
            Role::SplatPattern => self.bind_first(at, scope),
            Role::NamedExpression => self.bind_first(at, self.out_of_comprehensions(scope)),
            Role::As => self.bind_after(at, "as", scope),
            Role::TypeAlias => self.bind_type_name(at, scope),
            Role::Declaration => self.declare(at, scope),
            Role::Delete => self.delete(at, scope),
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

    fn branch(&self, at: usize, parent: usize) -> Span {
        let entry = self.flat.entries[at];
        let own = (at as u32, entry.after);
        if at == parent {
            return WHOLE;
        }
        let is_branch = IS_BRANCH.get(usize::from(entry.kind)).copied().unwrap_or_default();
        let is_block_of = |kinds: &[&str]| {
            self.flat.kind(at) == "block" && kinds.contains(&self.flat.kind(parent))
        };
        let opens = self.all.of[at] != self.all.of[parent];
        match is_branch || opens || is_block_of(&["if_statement", "try_statement"]) {
            true => own,
            false => self.branches[parent],
        }
    }

    /// An annotation without a value binds nothing, but makes a name a function's own.
    fn assignment(&mut self, at: usize, scope: usize) {
        let has_value = self.flat.children(at).any(|child| self.flat.kind(child) == "=");
        let first = self.flat.named_children(at).next();
        match first.filter(|_| !has_value && !self.is_function(scope)) {
            Some(name) if self.flat.kind(name) == "identifier" => self.all.is_no_use[name] = true,
            _ => self.bind_first(at, scope),
        }
    }

    fn is_function(&self, scope: usize) -> bool {
        self.all.scopes[scope].kind == ScopeKind::Function
    }

    /// The name is read, then bound.
    fn augmented(&mut self, at: usize, scope: usize) {
        let first = self.flat.named_children(at).next();
        if let Some(name) = first.filter(|name| self.flat.kind(*name) == "identifier") {
            self.bind(text_of(self.text, self.flat, name), scope, None, (at, self.after(at)));
        }
    }

    fn delete(&mut self, at: usize, scope: usize) {
        for name in self.close_names(at) {
            self.bind(text_of(self.text, self.flat, name), scope, None, (at, self.after(at)));
        }
    }

    fn after(&self, at: usize) -> u32 {
        self.flat.entries[at].after
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
                Binds::Name(name) => self.bind(name, scope, Some(number), (at, self.after(at))),
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

    /// Binds a name by the statement at a node, from another node on.
    fn bind(
        &mut self,
        name: &'t str,
        scope: usize,
        import: Option<usize>,
        (at, from): (usize, u32),
    ) {
        let here = &self.all.scopes[scope];
        if here.nonlocal.contains(name) {
            return;
        }
        let is_any_time = scope != MODULE && here.global.contains(name);
        let scope = if is_any_time { MODULE } else { scope };
        let binding = Binding { from, branch: self.branches[at], import, is_any_time };
        self.all.scopes[scope].names.entry(name).or_default().push(binding);
    }

    fn definition(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        if let Some(name) = flat.child_of_kind(at, "identifier") {
            self.bind_target(name, scope, self.after(at));
        }
        let is_class = flat.kind(at) == "class_definition";
        if scope == MODULE {
            self.all.definitions.push(at);
        }
        let kind = if is_class { ScopeKind::Class } else { ScopeKind::Function };
        let inner = self.open(scope, kind, at);
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

    fn open(&mut self, parent: usize, kind: ScopeKind, at: usize) -> usize {
        self.all.scopes.push(Scope::new(parent, kind, self.after(at)));
        self.all.scopes.len() - 1
    }

    fn lambda(&mut self, at: usize, scope: usize) {
        let inner = self.open(scope, ScopeKind::Function, at);
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
                self.bind_target(name, inner, self.after(list));
            }
        }
    }

    /// The first iterable is read outside, the rest within.
    fn comprehension(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let inner = self.open(scope, ScopeKind::Comprehension, at);
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
            self.bind_target(first, scope, self.after(at));
        }
    }

    /// Binds what follows a word, if the word is there.
    fn bind_after(&mut self, at: usize, word: &str, scope: usize) {
        let flat = self.flat;
        let mut children = flat.children(at).skip_while(|&child| flat.kind(child) != word);
        if let Some(target) = children.nth(1) {
            self.bind_target(target, scope, self.after(target));
        }
    }

    /// Binds every name of a target from a node on; attributes and items are read, not bound.
    fn bind_target(&mut self, target: usize, scope: usize, from: u32) {
        let flat = self.flat;
        let mut open = vec![target];
        while let Some(at) = open.pop() {
            match flat.kind(at) {
                "identifier" => {
                    self.all.is_no_use[at] = true;
                    // The target itself has no branch yet: it stands in that of its statement.
                    let above = flat.entries[target].parent as usize;
                    self.bind(text_of(self.text, flat, at), scope, None, (above, from));
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
            self.bind_target(name, scope, self.after(name));
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
            (Some(only), None) if !is_class => self.bind_target(only, scope, self.after(at)),
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

    /// Names alone are not read by `del`; which they are.
    fn close_names(&mut self, at: usize) -> Vec<usize> {
        let flat = self.flat;
        let lists = flat.named_children(at).flat_map(|child| match flat.kind(child) {
            "expression_list" => flat.named_children(child).collect(),
            _ => vec![child],
        });
        let names: Vec<usize> = lists.filter(|&name| flat.kind(name) == "identifier").collect();
        names.iter().for_each(|&name| self.all.is_no_use[name] = true);
        names
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
