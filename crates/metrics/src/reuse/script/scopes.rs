//! Which scope every node stands in and what each scope binds; the file's definitions, imports and exports on the way.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use trajview_code::flat::Flat;

use super::{Exported, Facts, Import, Read, Use};
use crate::reuse::facts::{Definition, Kind};

/// What was found in one file.
pub struct Scopes<'t> {
    pub(super) scopes: Vec<Scope<'t>>,
    /// The scope a node's names are looked up in, for each node.
    pub(super) of: Vec<usize>,
    /// Whether a name stands for itself, for each node.
    pub(super) is_no_use: Vec<bool>,
    pub(super) imports: Vec<Import>,
    known: HashMap<Import, usize>,
    pub(super) definitions: Vec<Definition>,
    /// Definitions by the name the file has for them.
    pub(super) own: BTreeMap<&'t str, usize>,
    /// (exported name, name in the file)
    pub(super) named: Vec<(Box<str>, &'t str)>,
    /// Uses of what is required where it is used.
    pub(super) in_place: BTreeSet<Use>,
    pub(super) facts: Facts,
}

#[derive(Default)]
pub struct Scope<'t> {
    parent: usize,
    /// Whether `var` binds here.
    is_function: bool,
    /// What the scope binds, with the imports that do.
    names: HashMap<&'t str, Vec<usize>>,
}

/// What a name stands for.
pub enum Meaning<'s> {
    Imports(&'s [usize]),
    Own,
    /// Nothing in the file binds it.
    Free,
}

/// The scope of a module.
pub const MODULE: usize = 0;

impl<'t> Scopes<'t> {
    pub fn of(text: &'t str, flat: &Flat<'_>) -> Self {
        let top = Scope { is_function: true, ..Scope::default() };
        let all = Self {
            scopes: vec![top],
            of: vec![MODULE; flat.len()],
            is_no_use: vec![false; flat.len()],
            imports: vec![],
            known: HashMap::new(),
            definitions: vec![],
            own: BTreeMap::new(),
            named: vec![],
            in_place: BTreeSet::new(),
            facts: Facts::default(),
        };
        super::bind::pass(text, flat, all)
    }

    pub(super) fn open(&mut self, parent: usize, is_function: bool) -> usize {
        self.scopes.push(Scope { parent, is_function, names: HashMap::new() });
        self.scopes.len() - 1
    }

    /// Where `var` binds.
    pub(super) fn function_of(&self, mut scope: usize) -> usize {
        while !self.scopes[scope].is_function {
            scope = self.scopes[scope].parent;
        }
        scope
    }

    pub(super) fn bind(&mut self, name: &'t str, scope: usize, import: Option<usize>) {
        let imports = self.scopes[scope].names.entry(name).or_default();
        imports.extend(import.filter(|import| !imports.contains(import)));
    }

    /// The number of an import.
    pub(super) fn number(&mut self, import: Import) -> usize {
        let next = self.imports.len();
        let number = *self.known.entry(import.clone()).or_insert(next);
        if number == next {
            self.imports.push(import);
        }
        number
    }

    /// A definition of the file's top level, or of its exports.
    pub(super) fn define(&mut self, own: Option<&'t str>, definition: Definition) -> usize {
        let known = own.and_then(|own| self.own.get(own).copied());
        known.unwrap_or_else(|| {
            let at = self.definitions.len();
            self.definitions.push(definition);
            self.own.extend(own.map(|own| (own, at)));
            at
        })
    }

    pub(super) fn export(&mut self, name: &str, exported: Exported) {
        self.facts.exports.push((name.into(), exported));
    }

    /// What a name stands for at a node.
    pub fn look_up(&self, name: &str, at: usize) -> Meaning<'_> {
        let mut scope = self.of[at];
        loop {
            match self.scopes[scope].names.get(name) {
                Some(imports) if imports.is_empty() => return Meaning::Own,
                Some(imports) => return Meaning::Imports(imports),
                None if scope == MODULE => return Meaning::Free,
                None => scope = self.scopes[scope].parent,
            }
        }
    }

    pub fn is_use(&self, at: usize) -> bool {
        !self.is_no_use[at]
    }

    /// Names that are exported stand for what the file has under them.
    pub fn finish(mut self, uses: BTreeSet<Use>) -> Read {
        for (exported, name) in std::mem::take(&mut self.named) {
            let imports = self.scopes[MODULE].names.get(name).cloned().unwrap_or_default();
            let passed_on = imports.into_iter().map(Exported::Import);
            let own = self.own.get(name).map(|&at| Exported::Definition(at));
            let all = own.into_iter().chain(passed_on).map(|it| (exported.clone(), it));
            self.facts.exports.extend(all.collect::<Vec<_>>());
        }
        self.facts.exports.sort();
        self.facts.exports.dedup();
        Read {
            definitions: self.definitions,
            facts: Facts { imports: self.imports, uses, ..self.facts },
        }
    }
}

/// What a declaration is.
pub fn kind_of_declaration(kind: &str) -> Option<Kind> {
    match kind {
        "function_declaration" | "generator_function_declaration" => Some(Kind::Function),
        "class_declaration" | "abstract_class_declaration" => Some(Kind::Class),
        _ => None,
    }
}
