//! Facts about the content of one file that need no other file: its definitions, the names that it uses, and its
//! imports.
//!
//! [`FileFacts`] depend on the bytes and the grammar alone, so they can be cached by content. Lines count from 1.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::quality::SourceSpan;

/// The version of the facts in the cache. Raise it whenever the same file gets other facts, or the same facts in
/// another form.
pub const FACTS_VERSION: u32 = 1;

/// All facts about one file that lifelines need.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// Each definition comes before those inside it; dotted names are distinct.
    pub definitions: Vec<CodeDefinition>,
    /// The uses of each name, keyed by the name.
    pub(super) uses: HashMap<Box<str>, Vec<NameUse>>,
    pub(super) imports: Vec<ImportedName>,
    /// The words of the code in order, hashed: comments, docstrings, white space and trailing commas left out.
    pub(super) tokens: Vec<u32>,
    /// Dotted paths of symbols that strings name.
    pub(super) paths: BTreeSet<Box<str>>,
}

/// Something with a name that other code can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeDefinition {
    /// Dotted from the outermost class or function: `Denoiser.self_condition`.
    pub name: Box<str>,
    pub kind: DefinitionKind,
    /// The index of the definition around it in [`FileFacts::definitions`]; None at the top of the file.
    pub(super) owner: Option<u32>,
    /// The parts of the definition; several where the language allows a definition in parts, or twice.
    pub parts: Vec<DefinitionPart>,
    /// A hash of the code that does not depend on the definition's own name, its place or its formatting.
    pub hash: u64,
    /// Names that mean something else inside: parameters and variables.
    pub(super) locals: BTreeSet<Box<str>>,
    /// True where a decorator registers it.
    pub(super) is_registered: bool,
}

/// The kind of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DefinitionKind {
    Class,
    Function,
    /// A constant or variable at the top of a file.
    Value,
}

/// A piece of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinitionPart {
    pub span: SourceSpan,
    /// Indices into [`FileFacts::tokens`]: the first token, the first token of the body, and the index after the last
    /// token.
    pub(super) tokens: (u32, u32, u32),
}

/// Equal uses of a name (in one definition, through one object), with their number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameUse {
    pub via: NameAccess,
    /// The innermost definition around the uses; None at the top of the file.
    pub within: Option<u32>,
    pub count: u32,
    /// The line of the first of them.
    pub line: u32,
    /// True where all of them are inside a condition.
    pub is_conditional: bool,
}

/// The form in which code accesses a name: alone, or as a member of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NameAccess {
    Itself,
    /// `object.name`, with the text of the object; empty where the object is more than dotted names.
    Member(Box<str>),
}

/// A name that an import brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// The parts of the module's name, without the parts that only set the start (`.`, `crate`, `super`).
    pub module: Vec<Box<str>>,
    /// The imported name; None where the module itself is imported, `*` for all names.
    pub name: Option<Box<str>>,
    /// The name in the importing file.
    pub alias: Box<str>,
}

impl CodeDefinition {
    /// Returns the last part of the dotted name.
    pub fn simple_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }

    /// Returns the first line of the first part, counting from 1.
    pub fn first_line(&self) -> u32 {
        self.parts.first().map_or(1, |part| part.span.start)
    }

    /// Returns the index in [`FileFacts::definitions`] of the definition around it; None at the top of the file.
    pub fn owner(&self) -> Option<usize> {
        self.owner.map(|at| at as usize)
    }

    /// Returns the last line of the first part.
    pub fn last_line(&self) -> u32 {
        self.parts.first().map_or(1, |part| part.span.end)
    }

    /// Returns whether a part of the definition has the line.
    pub(super) fn contains_line(&self, line: u32) -> bool {
        self.parts.iter().any(|part| part.span.start <= line && line <= part.span.end)
    }

    /// Returns the number of lines of all parts.
    pub(super) fn line_count(&self) -> u32 {
        self.parts.iter().map(|part| part.span.end - part.span.start + 1).sum()
    }
}

impl FileFacts {
    /// Returns the definition with a dotted name.
    pub fn find_definition(&self, name: &str) -> Option<&CodeDefinition> {
        self.definitions.iter().find(|definition| &*definition.name == name)
    }

    /// Returns whether a definition uses another one of the same file (both given by dotted name); a definition does
    /// not use itself.
    pub fn uses_in_same_file(&self, outer: &str, name: &str) -> bool {
        let (Some(outer), Some(inner)) = (self.index_of(outer), self.index_of(name)) else {
            return false;
        };
        let simple = self.definitions[inner as usize].simple_name();
        let mut uses = self.uses_of(simple).iter();
        outer != inner
            && !self.is_within(Some(inner), outer)
            && uses.any(|it| self.is_within(it.within, outer) && !self.is_within(it.within, inner))
    }

    /// Returns the index in [`FileFacts::definitions`] of a dotted name.
    pub(super) fn index_of(&self, name: &str) -> Option<u32> {
        let at = self.definitions.iter().position(|definition| &*definition.name == name)?;
        u32::try_from(at).ok()
    }

    /// Returns whether `at` is `outer` or inside it.
    pub(super) fn is_within(&self, at: Option<u32>, outer: u32) -> bool {
        let above = |&at: &u32| self.definitions.get(at as usize)?.owner;
        std::iter::successors(at, above).any(|at| at == outer)
    }

    /// Returns whether a name is a parameter or variable of the functions around a place.
    pub fn is_shadowed(&self, name: &str, at: Option<u32>) -> bool {
        let above = |&at: &u32| self.definitions.get(at as usize)?.owner;
        std::iter::successors(at, above)
            .filter_map(|at| self.definitions.get(at as usize))
            .any(|definition| definition.locals.contains(name))
    }

    /// Returns the uses of a name; in the body of a definition it may mean a local instead ([`Self::is_shadowed`]).
    pub fn uses_of(&self, name: &str) -> &[NameUse] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns every used name with its uses, in no order.
    pub fn all_uses(&self) -> impl Iterator<Item = (&str, &[NameUse])> {
        self.uses.iter().map(|(name, uses)| (&**name, uses.as_slice()))
    }

    /// Returns the imports, in the order of the file.
    pub fn imports(&self) -> &[ImportedName] {
        &self.imports
    }

    /// Returns every name in the code, in any role; some occur more than once.
    pub fn mentioned_names(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().filter_map(|path| path.rsplit('.').next());
        let imported = self.imports.iter().filter_map(|it| it.name.as_deref());
        let defined = self.definitions.iter().map(CodeDefinition::simple_name);
        self.uses.keys().map(|word| &**word).chain(paths).chain(imported).chain(defined)
    }
}
