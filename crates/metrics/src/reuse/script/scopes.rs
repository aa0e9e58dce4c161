//! Finds the scope of every node and the bindings of each scope, together with the file's definitions, imports and
//! exports.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use trajview_code::flat_tree::FlatTree;

use super::{ScriptExport, ScriptFacts, ScriptFileFacts, ScriptImport, ScriptUse};
use crate::reuse::facts::{SymbolKind, TopLevelDefinition};

/// The scopes and facts of one file.
pub struct ScriptScopes<'t> {
    pub(super) scopes: Vec<ScriptScope<'t>>,
    /// For each node, the scope in which its names are looked up.
    pub(super) scope_of: Vec<usize>,
    /// For each node, true where a name is not a use.
    pub(super) is_no_use: Vec<bool>,
    pub(super) imports: Vec<ScriptImport>,
    import_numbers: HashMap<ScriptImport, usize>,
    pub(super) definitions: Vec<TopLevelDefinition>,
    /// Definitions, keyed by their names in the file.
    pub(super) definition_by_name: BTreeMap<&'t str, usize>,
    /// Pairs of an exported name and the name in the file.
    pub(super) exported_names: Vec<(Box<str>, &'t str)>,
    /// Uses of modules that are required at the place of use.
    pub(super) in_place: BTreeSet<ScriptUse>,
    pub(super) facts: ScriptFacts,
}

/// A scope of a file.
#[derive(Default)]
pub struct ScriptScope<'t> {
    parent: usize,
    /// True where `var` binds in this scope.
    is_function: bool,
    /// The names that the scope binds, with the imports that bind them.
    names: HashMap<&'t str, Vec<usize>>,
}

/// The meaning of a name.
pub enum ScriptNameMeaning<'s> {
    Imports(&'s [usize]),
    Own,
    /// Nothing in the file binds the name.
    Free,
}

/// The number of the module's scope.
pub const MODULE: usize = 0;

impl<'t> ScriptScopes<'t> {
    /// Visits a file and collects its scopes, imports, exports and definitions.
    pub fn new(text: &'t str, flat: &FlatTree<'_>) -> Self {
        let top = ScriptScope { is_function: true, ..ScriptScope::default() };
        let all = Self {
            scopes: vec![top],
            scope_of: vec![MODULE; flat.len()],
            is_no_use: vec![false; flat.len()],
            imports: vec![],
            import_numbers: HashMap::new(),
            definitions: vec![],
            definition_by_name: BTreeMap::new(),
            exported_names: vec![],
            in_place: BTreeSet::new(),
            facts: ScriptFacts::default(),
        };
        super::scope_pass::run_pass(text, flat, all)
    }

    /// Adds a scope inside another one; returns its number.
    pub(super) fn open_scope(&mut self, parent: usize, is_function: bool) -> usize {
        self.scopes.push(ScriptScope { parent, is_function, names: HashMap::new() });
        self.scopes.len() - 1
    }

    /// Returns the scope in which `var` binds.
    pub(super) fn function_of(&self, mut scope: usize) -> usize {
        while !self.scopes[scope].is_function {
            scope = self.scopes[scope].parent;
        }
        scope
    }

    /// Binds a name in a scope, by an import or otherwise.
    pub(super) fn bind_name(&mut self, name: &'t str, scope: usize, import: Option<usize>) {
        let imports = self.scopes[scope].names.entry(name).or_default();
        imports.extend(import.filter(|import| !imports.contains(import)));
    }

    /// Returns the number of an import, which is added where it is new.
    pub(super) fn number_of_import(&mut self, import: ScriptImport) -> usize {
        let next = self.imports.len();
        let number = *self.import_numbers.entry(import.clone()).or_insert(next);
        if number == next {
            self.imports.push(import);
        }
        number
    }

    /// Adds a definition of the file's top level, or of its exports.
    pub(super) fn add_definition(
        &mut self,
        local_name: Option<&'t str>,
        definition: TopLevelDefinition,
    ) -> usize {
        let existing =
            local_name.and_then(|local_name| self.definition_by_name.get(local_name).copied());
        existing.unwrap_or_else(|| {
            let at = self.definitions.len();
            self.definitions.push(definition);
            self.definition_by_name.extend(local_name.map(|local_name| (local_name, at)));
            at
        })
    }

    /// Adds an exported name with its meaning.
    pub(super) fn add_export(&mut self, name: &str, exported: ScriptExport) {
        self.facts.exports.push((name.into(), exported));
    }

    /// Returns the meaning of a name at a node.
    pub(crate) fn look_up(&self, name: &str, at: usize) -> ScriptNameMeaning<'_> {
        let mut scope = self.scope_of[at];
        loop {
            match self.scopes[scope].names.get(name) {
                Some(imports) if imports.is_empty() => return ScriptNameMeaning::Own,
                Some(imports) => return ScriptNameMeaning::Imports(imports),
                None if scope == MODULE => return ScriptNameMeaning::Free,
                None => scope = self.scopes[scope].parent,
            }
        }
    }

    /// Returns whether a node reads a name.
    pub(crate) fn is_use(&self, at: usize) -> bool {
        !self.is_no_use[at]
    }

    /// Resolves the exported names to definitions and imports, and returns the facts of the file.
    pub(crate) fn into_file_facts(mut self, uses: BTreeSet<ScriptUse>) -> ScriptFileFacts {
        for (exported, name) in std::mem::take(&mut self.exported_names) {
            let imports = self.scopes[MODULE].names.get(name).cloned().unwrap_or_default();
            let passed_on = imports.into_iter().map(ScriptExport::Import);
            let definition =
                self.definition_by_name.get(name).map(|&at| ScriptExport::Definition(at));
            let all = definition.into_iter().chain(passed_on).map(|it| (exported.clone(), it));
            self.facts.exports.extend(all.collect::<Vec<_>>());
        }
        self.facts.exports.sort();
        self.facts.exports.dedup();
        ScriptFileFacts {
            definitions: self.definitions,
            facts: ScriptFacts { imports: self.imports, uses, ..self.facts },
        }
    }
}

/// Returns the kind of a declaration.
pub(crate) fn kind_of_declaration(kind: &str) -> Option<SymbolKind> {
    match kind {
        "function_declaration" | "generator_function_declaration" => Some(SymbolKind::Function),
        "class_declaration" | "abstract_class_declaration" => Some(SymbolKind::Class),
        _ => None,
    }
}
