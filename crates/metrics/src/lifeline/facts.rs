//! What is known about one content without looking at any other: what it defines, which names it uses, what it
//! imports.
//!
//! [`FileFacts`] depend on the bytes and the grammar alone, so they can be kept by content. Lines count from 1.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::quality::Span;

/// Raised whenever the same file would have other facts, or the same in another form: they are kept between starts.
pub const FACTS_VERSION: u32 = 1;

/// Everything a lifeline needs of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// Each before what lies in it; dotted names are distinct.
    pub definitions: Vec<Definition>,
    /// Where each name is used, by name.
    pub(super) uses: HashMap<Box<str>, Vec<Use>>,
    pub(super) imports: Vec<Import>,
    /// The words of the code in order, hashed: comments, docstrings, white space and trailing commas left out.
    pub(super) tokens: Vec<u32>,
    /// Dotted paths of symbols that strings name.
    pub(super) paths: BTreeSet<Box<str>>,
}

/// Something with a name that other code can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Dotted from the outermost class or function: `Denoiser.self_condition`.
    pub name: Box<str>,
    pub kind: Kind,
    /// What it lies in.
    pub(super) owner: Option<u32>,
    /// Where it stands; several where the language lets it be written in parts, or twice.
    pub parts: Vec<Part>,
    /// Changes with the code and not with its own name, its place or its formatting.
    pub hash: u64,
    /// Names that mean something else inside: parameters and variables.
    pub(super) locals: BTreeSet<Box<str>>,
    /// Whether a decorator registers it.
    pub(super) is_registered: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Class,
    Function,
    /// A constant or variable at the top of a file.
    Value,
}

/// A piece of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub span: Span,
    /// Of [`FileFacts::tokens`]: first, where the body begins, after the last.
    pub(super) tokens: (u32, u32, u32),
}

/// Equal uses of a name, counted: in one definition, through one object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    pub via: Via,
    /// The definition right around; None at the top of the file.
    pub within: Option<u32>,
    pub count: u32,
    /// Of the first of them.
    pub line: u32,
    /// Whether all of them stand behind a condition.
    pub is_conditional: bool,
}

/// How a name is reached.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Via {
    Itself,
    /// `object.name`: the words of the object, empty where it is more than dotted names.
    Member(Box<str>),
}

/// A name that an import brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Parts of the module's name, without what only says where to begin (`.`, `crate`, `super`).
    pub module: Vec<Box<str>>,
    /// None where the module itself is brought, `*` where all of it is.
    pub name: Option<Box<str>>,
    /// What it is called here.
    pub alias: Box<str>,
}

impl Definition {
    /// The last part of its name.
    pub fn simple(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// The first line.
    pub fn line(&self) -> u32 {
        self.parts.first().map_or(1, |part| part.span.start)
    }

    /// What it lies in, by its place in [`FileFacts::definitions`].
    pub fn owner(&self) -> Option<usize> {
        self.owner.map(|at| at as usize)
    }

    /// The last line of its first part.
    pub fn end(&self) -> u32 {
        self.parts.first().map_or(1, |part| part.span.end)
    }

    pub(super) fn holds(&self, line: u32) -> bool {
        self.parts.iter().any(|part| part.span.start <= line && line <= part.span.end)
    }

    /// Lines of all parts.
    pub(super) fn length(&self) -> u32 {
        self.parts.iter().map(|part| part.span.end - part.span.start + 1).sum()
    }
}

impl FileFacts {
    /// By its dotted name.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|definition| &*definition.name == name)
    }

    /// Whether a definition uses another of the same file, both by their dotted names; itself it does not.
    pub fn uses_at_home(&self, outer: &str, name: &str) -> bool {
        let (Some(outer), Some(inner)) = (self.index_of(outer), self.index_of(name)) else {
            return false;
        };
        let simple = self.definitions[inner as usize].simple();
        let mut uses = self.uses_of(simple).iter();
        outer != inner
            && !self.is_within(Some(inner), outer)
            && uses.any(|it| self.is_within(it.within, outer) && !self.is_within(it.within, inner))
    }

    pub(super) fn index_of(&self, name: &str) -> Option<u32> {
        let at = self.definitions.iter().position(|definition| &*definition.name == name)?;
        u32::try_from(at).ok()
    }

    /// Whether `at` is `outer` or lies in it.
    pub(super) fn is_within(&self, at: Option<u32>, outer: u32) -> bool {
        let above = |&at: &u32| self.definitions.get(at as usize)?.owner;
        std::iter::successors(at, above).any(|at| at == outer)
    }

    /// Whether a name means something of its own in the functions around a place.
    pub fn is_shadowed(&self, name: &str, at: Option<u32>) -> bool {
        let above = |&at: &u32| self.definitions.get(at as usize)?.owner;
        std::iter::successors(at, above)
            .filter_map(|at| self.definitions.get(at as usize))
            .any(|definition| definition.locals.contains(name))
    }

    /// Where a name is used; in no definition's body it may still mean something of its own ([`Self::is_shadowed`]).
    pub fn uses_of(&self, name: &str) -> &[Use] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every name that is used, with where; in no order.
    pub fn uses(&self) -> impl Iterator<Item = (&str, &[Use])> {
        self.uses.iter().map(|(name, uses)| (&**name, uses.as_slice()))
    }

    /// What it imports, in the order of the file.
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// Every name in the code, in any role; some more than once.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().filter_map(|path| path.rsplit('.').next());
        let imported = self.imports.iter().filter_map(|it| it.name.as_deref());
        let defined = self.definitions.iter().map(Definition::simple);
        self.uses.keys().map(|word| &**word).chain(paths).chain(imported).chain(defined)
    }
}
