//! Which nodes of a language mean what, by a grammar's numbers for its kinds.

use tree_sitter::Language;

use trajview_code::has_word;

/// A set of the constants below.
pub type Flags = u16;

/// Adds a path.
pub const BRANCH: Flags = 1;
/// Can be a clone of another such piece.
pub const CLONE: Flags = 1 << 1;
/// Its text is a name: only where the same name comes again matters.
pub const IDENTIFIER: Flags = 1 << 2;
/// Its text is a value: only what kind of value matters, and nothing below it.
pub const LITERAL: Flags = 1 << 3;
pub const COMMENT: Flags = 1 << 4;
/// Adds a path unless it is the one for everything else.
pub const CASE: Flags = 1 << 5;
/// Its operator may add a path.
pub const OPERATION: Flags = 1 << 6;
/// A function, if it has a name and a body.
pub const CALLABLE: Flags = 1 << 7;
/// What lies in it is called after it.
pub const OWNER: Flags = 1 << 8;

/// Its text is what it is, as no kind says which operator it is.
pub const OPERATOR: Flags = 1 << 9;

/// The names of kinds that mean something, one list a meaning: words with spaces between them.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    pub branches: &'static str,
    pub cases: &'static str,
    pub operations: &'static str,
    pub callables: &'static str,
    pub owners: &'static str,
    pub clones: &'static str,
    pub identifiers: &'static str,
    /// What stands for the value, and the kinds it stands for.
    pub literals: &'static [(&'static str, &'static str)],
    pub comments: &'static str,
}

/// The meaning of every kind of a grammar.
#[derive(Debug)]
pub struct Kinds {
    flags: Vec<Flags>,
    words: Vec<u64>,
}

impl Kinds {
    /// A name the grammar does not know is no kind. Words such as `if` are kinds too, but mean nothing by themselves.
    pub fn new(language: &Language, names: &Names) -> Self {
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let name = |id| language.node_kind_for_id(id).unwrap_or_default();
        let flags = |id| if language.node_kind_is_named(id) { names.flags(name(id)) } else { 0 };
        let word = |id| super::hash::of(names.word(name(id)).as_bytes());
        Self { flags: (0..count).map(flags).collect(), words: (0..count).map(word).collect() }
    }

    #[inline]
    pub fn has(&self, kind: u16, flags: Flags) -> bool {
        self.flags.get(usize::from(kind)).is_some_and(|has| has & flags != 0)
    }

    /// The hash of what stands for the kind in normalised text.
    pub fn word(&self, kind: u16) -> u64 {
        self.words.get(usize::from(kind)).copied().unwrap_or_default()
    }
}

impl Names {
    fn flags(&self, name: &str) -> Flags {
        let literals = self.literals.iter().map(|(_, kinds)| (LITERAL, *kinds));
        let lists = [
            (BRANCH, self.branches),
            (CLONE, self.clones),
            (IDENTIFIER, self.identifiers),
            (CASE, self.cases),
            (OPERATION, self.operations),
            (CALLABLE, self.callables),
            (OWNER, self.owners),
            (COMMENT, self.comments),
            (OPERATOR, "operator"),
        ];
        flags_in(lists.into_iter().chain(literals), name)
    }

    fn word<'a>(&self, name: &'a str) -> &'a str {
        let literal = self.literals.iter().find(|(_, kinds)| has_word(kinds, name));
        literal.map_or(name, |(word, _)| word)
    }
}

/// All that a name means.
pub fn flags_in<'l>(lists: impl Iterator<Item = (Flags, &'l str)>, name: &str) -> Flags {
    lists.filter(|(_, words)| has_word(words, name)).fold(0, |flags, (flag, _)| flags | flag)
}
