//! Finds the scope of every node, and the bindings of each scope.
//!
//! One pass visits the nodes in order of their start: a parent comes before its children and sets their scope. A name
//! that a function binds only later is local nevertheless, so names are looked up after the pass
//! ([`PythonScopes::look_up`]); [`bindings`] chooses among several bindings.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};
use trajview_code::{flat_tree::FlatTree, small_map::WordMap, tree::by_kind};

use super::{
    PythonImport,
    bindings::{self, NodeSpan, ReadMoment, ScopeBinding, WHOLE_FILE},
    imports::{self, BoundName},
    node_role::{NodeRole, node_role},
    text_of,
};

/// The scopes of one file.
pub struct PythonScopes<'t> {
    scopes: Vec<PythonScope<'t>>,
    /// For each node, the scope in which its names are looked up; before the visit [`OF_PARENT`], or a scope other
    /// than its parent's.
    scope_of: Vec<u32>,
    /// For each node, true where an identifier is not a use (but a binding, an attribute, a keyword).
    is_no_use: Vec<bool>,
    /// For each node, whether it is in an annotation.
    annotation: Vec<AnnotationState>,
    imports: Vec<PythonImport>,
    import_numbers: HashMap<PythonImport, usize>,
    stars: BTreeSet<usize>,
    definitions: Vec<usize>,
}

struct PythonScope<'t> {
    parent: usize,
    kind: ScopeKind,
    /// The index after its last node.
    end: u32,
    /// The bindings of the scope, in the order of the text.
    names: WordMap<'t, Vec<ScopeBinding>>,
    /// Names declared `global`: looked up and bound at module level.
    global: HashSet<&'t str>,
    /// Names declared `nonlocal`: bound in an outer scope.
    nonlocal: HashSet<&'t str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    Module,
    Function,
    Comprehension,
    /// Functions inside a class do not see its names.
    Class,
}

/// The position relative to annotations, which decides whether strings are types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnnotationState {
    Outside,
    Inside,
    /// In the arguments of a call or of `Literal`, where strings are values.
    Values,
}

/// The meaning of a name.
pub enum NameMeaning {
    /// One of these imports binds the name.
    Imports(Vec<usize>),
    /// The file binds the name otherwise.
    Own,
    /// Nothing in the file binds the name.
    Free,
}

/// The number of the module's scope.
pub const MODULE: usize = 0;

/// A marker for "the same scope as the parent".
const OF_PARENT: u32 = u32::MAX;

impl<'t> PythonScopes<'t> {
    /// Visits a file and collects its scopes, imports and definitions.
    pub fn new(text: &'t str, flat: &FlatTree<'_>) -> Self {
        let mut pass = ScopePass {
            text,
            flat,
            branches: vec![WHOLE_FILE; flat.len()],
            all: Self {
                scopes: vec![PythonScope::new(MODULE, ScopeKind::Module, u32::MAX)],
                scope_of: vec![OF_PARENT; flat.len()],
                is_no_use: vec![false; flat.len()],
                annotation: vec![AnnotationState::Outside; flat.len()],
                imports: vec![],
                import_numbers: HashMap::new(),
                stars: BTreeSet::new(),
                definitions: vec![],
            },
        };
        pass.move_to(0, MODULE);
        (0..flat.len()).for_each(|at| pass.visit_node(at));
        pass.all
    }

    /// Returns the top-level classes and functions, sorted by start.
    pub fn definitions(&self) -> &[usize] {
        &self.definitions
    }

    /// Returns the numbers of the star imports.
    pub fn stars(&self) -> &BTreeSet<usize> {
        &self.stars
    }

    /// Returns the imports, in the order of their numbers.
    pub(crate) fn into_imports(self) -> Vec<PythonImport> {
        self.imports
    }

    /// Returns whether an identifier reads a name.
    pub(crate) fn is_use(&self, at: usize) -> bool {
        !self.is_no_use[at]
    }

    /// Returns whether a node is in the module's scope.
    pub(crate) fn is_at_module_level(&self, at: usize) -> bool {
        self.scope_of[at] as usize == MODULE
    }

    /// Returns whether a string at this place is a quoted type.
    pub(crate) fn is_annotation(&self, at: usize) -> bool {
        self.annotation[at] == AnnotationState::Inside
    }

    /// Returns the names that imports bind at module level once all of it has run, in order.
    pub(crate) fn imported_names(&self) -> Vec<(Box<str>, Vec<usize>)> {
        let at_end = |bindings: &[ScopeBinding]| {
            bindings::reaching_imports(bindings, u32::MAX - 1, ReadMoment::There)
                .unwrap_or_default()
        };
        let bound: BTreeMap<&str, Vec<usize>> =
            self.scopes[MODULE].names.iter().map(|(name, by)| (*name, at_end(by))).collect();
        let imported = bound.into_iter().filter(|(_, by)| !by.is_empty());
        imported.map(|(name, by)| (name.into(), by)).collect()
    }

    /// Returns the meaning of a name at a node.
    ///
    /// In the body of a class a name has the outer meaning until the class binds it; that is the module's meaning,
    /// even where the class is in a function.
    pub(crate) fn look_up(&self, name: &str, at: usize) -> NameMeaning {
        let start = self.scope_of[at] as usize;
        let (mut scope, mut moment) = (start, ReadMoment::There);
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
                match here.reaching_imports(bindings, at, moment) {
                    Some(imports) if imports.is_empty() => return NameMeaning::Own,
                    Some(imports) => return NameMeaning::Imports(imports),
                    None => is_of_module = true,
                }
            }
            if scope == MODULE {
                return NameMeaning::Free;
            }
            if here.kind == ScopeKind::Function {
                moment = ReadMoment::After(here.end);
            }
            scope = here.parent;
        }
    }
}

impl PythonScope<'_> {
    fn new(parent: usize, kind: ScopeKind, end: u32) -> Self {
        let (global, nonlocal) = (HashSet::new(), HashSet::new());
        Self { parent, kind, end, names: WordMap::default(), global, nonlocal }
    }

    /// Returns the imports that a name of this scope may mean; empty where it is the file's own name. None in a class
    /// that has not bound it so far.
    fn reaching_imports(
        &self,
        bindings: &[ScopeBinding],
        at: usize,
        moment: ReadMoment,
    ) -> Option<Vec<usize>> {
        if self.kind != ScopeKind::Class && bindings.iter().all(|it| it.import.is_none()) {
            return Some(vec![]);
        }
        // The clauses of a comprehension come after the expression that uses their bindings.
        if self.kind == ScopeKind::Comprehension {
            return Some(bindings::all_imports(bindings));
        }
        let imports = bindings::reaching_imports(bindings, at as u32, moment);
        match self.kind {
            ScopeKind::Class => imports,
            // A program that runs has bound it by then, in an earlier turn of a loop if not before.
            ScopeKind::Module => imports.or_else(|| Some(bindings::all_imports(bindings))),
            ScopeKind::Function | ScopeKind::Comprehension => Some(imports.unwrap_or_default()),
        }
    }
}

struct ScopePass<'t, 'f> {
    text: &'t str,
    flat: &'f FlatTree<'f>,
    /// The innermost branch of its scope around each node.
    branches: Vec<NodeSpan>,
    all: PythonScopes<'t>,
}

/// Kinds of nodes that may not run, or not at first.
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

impl<'t> ScopePass<'t, '_> {
    /// Sets the scope of a node and binds the names that it declares.
    fn visit_node(&mut self, at: usize) {
        let (flat, parent) = (self.flat, self.flat.entries[at].parent as usize);
        if self.all.scope_of[at] == OF_PARENT {
            self.all.scope_of[at] = self.all.scope_of[parent];
        }
        let scope = self.all.scope_of[at] as usize;
        self.branches[at] = self.branch_of(at, parent);
        self.all.annotation[at] = self.annotation_of(at, self.all.annotation[parent]);
        if self.all.is_no_use[at] {
            return;
        }
        match node_role(flat, at) {
            NodeRole::Import => self.bind_import(at, scope),
            NodeRole::FutureImport => self.close_subtree(at),
            NodeRole::Definition => self.bind_definition(at, scope),
            NodeRole::Lambda => self.bind_lambda(at, scope),
            NodeRole::Comprehension => self.bind_comprehension(at, scope),
            NodeRole::For => self.bind_after(at, "for", scope),
            NodeRole::Assignment => self.bind_assignment(at, scope),
            NodeRole::AugmentedAssignment => self.bind_augmented(at, scope),
            NodeRole::SplatPattern => self.bind_first(at, scope),
            NodeRole::NamedExpression => self.bind_first(at, self.out_of_comprehensions(scope)),
            NodeRole::As => self.bind_after(at, "as", scope),
            NodeRole::TypeAlias => self.bind_type_name(at, scope),
            NodeRole::Declaration => self.declare_names(at, scope),
            NodeRole::Delete => self.bind_deleted(at, scope),
            NodeRole::Keyword => self.close_first(at),
            NodeRole::Attribute => self.close_last(at),
            NodeRole::DottedName => self.bind_pattern_name(at, scope),
            _ => {}
        }
    }

    /// Puts a node into another scope than its parent's.
    fn move_to(&mut self, at: usize, scope: usize) {
        self.all.scope_of[at] = u32::try_from(scope).unwrap_or(OF_PARENT);
    }

    /// Returns the innermost branch around a node.
    fn branch_of(&self, at: usize, parent: usize) -> NodeSpan {
        let entry = self.flat.entries[at];
        let span = (at as u32, entry.after);
        if at == parent {
            return WHOLE_FILE;
        }
        let is_branch = IS_BRANCH.get(usize::from(entry.kind)).copied().unwrap_or_default();
        let is_block_of = |kinds: &[&str]| {
            self.flat.kind_name(at) == "block" && kinds.contains(&self.flat.kind_name(parent))
        };
        let opens = self.all.scope_of[at] != self.all.scope_of[parent];
        match is_branch || opens || is_block_of(&["if_statement", "try_statement"]) {
            true => span,
            false => self.branches[parent],
        }
    }

    /// Binds the target of an assignment. An annotation without a value binds nothing, but makes the name local in a
    /// function.
    fn bind_assignment(&mut self, at: usize, scope: usize) {
        let has_value = self.flat.children(at).any(|child| self.flat.kind_name(child) == "=");
        let first = self.flat.named_children(at).next();
        match first.filter(|_| !has_value && !self.is_function(scope)) {
            Some(name) if self.flat.kind_name(name) == "identifier" => {
                self.all.is_no_use[name] = true
            }
            _ => self.bind_first(at, scope),
        }
    }

    fn is_function(&self, scope: usize) -> bool {
        self.all.scopes[scope].kind == ScopeKind::Function
    }

    /// Binds the name of an augmented assignment, which is also read.
    fn bind_augmented(&mut self, at: usize, scope: usize) {
        let first = self.flat.named_children(at).next();
        if let Some(name) = first.filter(|name| self.flat.kind_name(*name) == "identifier") {
            self.bind_name(
                text_of(self.text, self.flat, name),
                scope,
                None,
                (at, self.entry_after(at)),
            );
        }
    }

    fn bind_deleted(&mut self, at: usize, scope: usize) {
        for name in self.close_names(at) {
            self.bind_name(
                text_of(self.text, self.flat, name),
                scope,
                None,
                (at, self.entry_after(at)),
            );
        }
    }

    fn entry_after(&self, at: usize) -> u32 {
        self.flat.entries[at].after
    }

    fn annotation_of(&self, at: usize, of_parent: AnnotationState) -> AnnotationState {
        match (of_parent, node_role(self.flat, at)) {
            (AnnotationState::Values, _) => AnnotationState::Values,
            (AnnotationState::Inside, NodeRole::ArgumentList) => AnnotationState::Values,
            (AnnotationState::Inside, NodeRole::Subscript) if self.is_literal(at) => {
                AnnotationState::Values
            }
            (_, NodeRole::Type) => AnnotationState::Inside,
            (other, _) => other,
        }
    }

    /// Returns whether a subscript is `Literal[…]`, with any module before it.
    fn is_literal(&self, at: usize) -> bool {
        let head = self.flat.named_children(at).next();
        let name = head.and_then(|head| match self.flat.kind_name(head) {
            "attribute" => self.flat.named_children(head).last(),
            "identifier" => Some(head),
            _ => None,
        });
        name.is_some_and(|name| text_of(self.text, self.flat, name) == "Literal")
    }

    fn bind_import(&mut self, at: usize, scope: usize) {
        for imported in imports::import_bindings(self.text, self.flat, at) {
            let number = self.number_of_import(imported.import);
            match imported.binds {
                BoundName::Name(name) => {
                    self.bind_name(name, scope, Some(number), (at, self.entry_after(at)))
                }
                BoundName::Star => drop(self.all.stars.insert(number)),
                BoundName::Nothing => {}
            }
        }
        self.close_subtree(at);
    }

    /// Returns the number of an import, which is added where it is new.
    fn number_of_import(&mut self, import: PythonImport) -> usize {
        let next = self.all.imports.len();
        let number = *self.all.import_numbers.entry(import.clone()).or_insert(next);
        if number == next {
            self.all.imports.push(import);
        }
        number
    }

    /// Binds a name by the statement at a node; the binding is valid from another node on.
    fn bind_name(
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
        let binding = ScopeBinding { from, branch: self.branches[at], import, is_any_time };
        self.all.scopes[scope].names.entry(name).or_default().push(binding);
    }

    /// Binds the name of a function or class, and opens its scope.
    fn bind_definition(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        if let Some(name) = flat.child_of_kind(at, "identifier") {
            self.bind_target(name, scope, self.entry_after(at));
        }
        let is_class = flat.kind_name(at) == "class_definition";
        if scope == MODULE {
            self.all.definitions.push(at);
        }
        let kind = if is_class { ScopeKind::Class } else { ScopeKind::Function };
        let inner = self.open_scope(scope, kind, at);
        if let Some(block) = flat.child_of_kind(at, "block") {
            self.move_to(block, inner);
        }
        if let Some(list) = flat.child_of_kind(at, "type_parameter") {
            flat.named_children(list).for_each(|one| self.bind_type_parameter(one, inner));
        }
        if let Some(list) = flat.child_of_kind(at, "parameters") {
            self.bind_parameters(list, inner);
        }
    }

    fn open_scope(&mut self, parent: usize, kind: ScopeKind, at: usize) -> usize {
        self.all.scopes.push(PythonScope::new(parent, kind, self.entry_after(at)));
        self.all.scopes.len() - 1
    }

    fn bind_lambda(&mut self, at: usize, scope: usize) {
        let inner = self.open_scope(scope, ScopeKind::Function, at);
        if let Some(list) = self.flat.child_of_kind(at, "lambda_parameters") {
            self.bind_parameters(list, inner);
        }
        if let Some(body) = self.flat.named_children(at).last() {
            self.move_to(body, inner);
        }
    }

    /// Binds the names of parameters inside; defaults and annotations are read outside.
    fn bind_parameters(&mut self, list: usize, inner: usize) {
        let flat = self.flat;
        for one in flat.named_children(list) {
            let name = match flat.kind_name(one) {
                "typed_parameter" | "default_parameter" | "typed_default_parameter" => {
                    flat.named_children(one).next()
                }
                _ => Some(one),
            };
            if let Some(name) = name {
                self.bind_target(name, inner, self.entry_after(list));
            }
        }
    }

    /// Binds the targets of a comprehension; its first iterable is read outside, the rest inside.
    fn bind_comprehension(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let inner = self.open_scope(scope, ScopeKind::Comprehension, at);
        let children: Vec<usize> = flat.children(at).collect();
        let first =
            children.iter().copied().find(|&child| flat.kind_name(child) == "for_in_clause");
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
            self.bind_target(first, scope, self.entry_after(at));
        }
    }

    /// Binds the target after a keyword, if the keyword is there.
    fn bind_after(&mut self, at: usize, word: &str, scope: usize) {
        let flat = self.flat;
        let mut children = flat.children(at).skip_while(|&child| flat.kind_name(child) != word);
        if let Some(target) = children.nth(1) {
            self.bind_target(target, scope, self.entry_after(target));
        }
    }

    /// Binds every name of a target from a node on; attributes and items are read, not bound.
    fn bind_target(&mut self, target: usize, scope: usize, from: u32) {
        let flat = self.flat;
        let mut open = vec![target];
        while let Some(at) = open.pop() {
            match flat.kind_name(at) {
                "identifier" => {
                    self.all.is_no_use[at] = true;
                    // The target itself has no branch yet; it has that of its statement.
                    let above = flat.entries[target].parent as usize;
                    self.bind_name(text_of(self.text, flat, at), scope, None, (above, from));
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

    /// Binds the first name of `T`, `T: Bound` or `T[X]`.
    fn bind_type_parameter(&mut self, at: usize, scope: usize) {
        let end = self.flat.entries[at].after as usize;
        if let Some(name) = (at..end).find(|&inner| self.flat.kind_name(inner) == "identifier") {
            self.bind_target(name, scope, self.entry_after(name));
        }
    }

    /// Records the names of a `global` or `nonlocal` statement.
    fn declare_names(&mut self, at: usize, scope: usize) {
        let is_global = self.flat.kind_name(at) == "global_statement";
        for name in self.flat.named_children(at) {
            let name = text_of(self.text, self.flat, name);
            let here = &mut self.all.scopes[scope];
            if is_global {
                here.global.insert(name)
            } else {
                here.nonlocal.insert(name)
            };
        }
        self.close_subtree(at);
        if scope == MODULE {
            self.all.scopes[MODULE].global.clear();
        }
    }

    /// Handles a name in a pattern: alone it is bound, with dots or arguments it is read.
    fn bind_pattern_name(&mut self, at: usize, scope: usize) {
        let flat = self.flat;
        let is_class = flat.kind_name(flat.entries[at].parent as usize) == "class_pattern";
        let mut parts = flat.named_children(at);
        match (parts.next(), parts.next()) {
            (Some(only), None) if !is_class => self.bind_target(only, scope, self.entry_after(at)),
            (Some(_), second) => {
                second.into_iter().chain(parts).for_each(|part| self.all.is_no_use[part] = true);
            }
            _ => {}
        }
    }

    /// Marks that nothing below a node is a use.
    fn close_subtree(&mut self, at: usize) {
        let end = self.flat.entries[at].after as usize;
        self.all.is_no_use[at..end].fill(true);
    }

    /// Marks plain names in a `del` as no uses, and returns them.
    fn close_names(&mut self, at: usize) -> Vec<usize> {
        let flat = self.flat;
        let lists = flat.named_children(at).flat_map(|child| match flat.kind_name(child) {
            "expression_list" => flat.named_children(child).collect(),
            _ => vec![child],
        });
        let names: Vec<usize> =
            lists.filter(|&name| flat.kind_name(name) == "identifier").collect();
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

/// Kinds of nodes that contain the names of a target.
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
