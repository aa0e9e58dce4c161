//! The meanings of a language's nodes, by the grammar's numbers for its kinds.

use tree_sitter::Language;

use trajview_code::has_word;

/// A set of the constants below.
pub type KindFlags = u16;

/// Adds a path.
pub(crate) const BRANCH: KindFlags = 1;
/// Can be a clone of another such piece.
pub(crate) const CLONE: KindFlags = 1 << 1;
/// Its text is a name: only the repetition of the same name matters.
pub(crate) const IDENTIFIER: KindFlags = 1 << 2;
/// Its text is a value: only the kind of value matters, and nothing below it.
pub(crate) const LITERAL: KindFlags = 1 << 3;
pub(crate) const COMMENT: KindFlags = 1 << 4;
/// Adds a path, unless it is the default case.
pub(crate) const CASE: KindFlags = 1 << 5;
/// Its operator may add a path.
pub(crate) const OPERATION: KindFlags = 1 << 6;
/// A function, if it has a name and a body.
pub(crate) const CALLABLE: KindFlags = 1 << 7;
/// Its name is a part of the dotted names inside it.
pub(crate) const OWNER: KindFlags = 1 << 8;

/// Its text tells which operator it is, since its kind does not.
pub(crate) const OPERATOR: KindFlags = 1 << 9;

/// The names of kinds, one list per meaning; names are separated by spaces.
#[derive(Debug, Clone, Copy)]
pub struct KindNames {
    pub branches: &'static str,
    pub cases: &'static str,
    pub operations: &'static str,
    pub callables: &'static str,
    pub owners: &'static str,
    pub clones: &'static str,
    pub identifiers: &'static str,
    /// Pairs of a placeholder for values, and the kinds that it replaces.
    pub literals: &'static [(&'static str, &'static str)],
    pub comments: &'static str,
}

/// The meaning of every kind of a grammar.
#[derive(Debug)]
pub struct GrammarKinds {
    flags: Vec<KindFlags>,
    words: Vec<u64>,
}

impl GrammarKinds {
    /// Looks up the kinds of a grammar; names that it does not know are ignored. Keywords such as `if` are kinds too,
    /// but have no meaning by themselves.
    pub fn new(language: &Language, names: &KindNames) -> Self {
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let name = |id| language.node_kind_for_id(id).unwrap_or_default();
        let flags = |id| if language.node_kind_is_named(id) { names.flags_of(name(id)) } else { 0 };
        let kind_word = |id| super::hash::hash_bytes(names.word_of(name(id)).as_bytes());
        Self { flags: (0..count).map(flags).collect(), words: (0..count).map(kind_word).collect() }
    }

    #[inline]
    pub fn has_flags(&self, kind: u16, flags: KindFlags) -> bool {
        self.flags.get(usize::from(kind)).is_some_and(|has| has & flags != 0)
    }

    /// Returns the hash of the word that stands for the kind in normalised text.
    pub fn kind_word(&self, kind: u16) -> u64 {
        self.words.get(usize::from(kind)).copied().unwrap_or_default()
    }
}

impl KindNames {
    fn flags_of(&self, name: &str) -> KindFlags {
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

    fn word_of<'a>(&self, name: &'a str) -> &'a str {
        let literal = self.literals.iter().find(|(_, kinds)| has_word(kinds, name));
        literal.map_or(name, |(word, _)| word)
    }
}

/// Returns all meanings of a name.
pub fn flags_in<'l>(lists: impl Iterator<Item = (KindFlags, &'l str)>, name: &str) -> KindFlags {
    lists.filter(|(_, words)| has_word(words, name)).fold(0, |flags, (flag, _)| flags | flag)
}
