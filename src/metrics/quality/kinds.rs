//! Which nodes of a language mean what: the tables as data, and as flags by a grammar's numbers for its kinds.

use tree_sitter::Language;

/// A set of the constants below.
pub type Flags = u16;

/// Adds a path.
pub const BRANCH: Flags = 1;
/// Can be a clone of another such piece.
pub const CLONE: Flags = 1 << 1;
/// Its text stands for a name, in the order of first use.
pub const IDENTIFIER: Flags = 1 << 2;
/// Its text stands for a value.
pub const LITERAL: Flags = 1 << 3;
pub const COMMENT: Flags = 1 << 4;

/// The flags of every kind of a grammar.
#[derive(Debug)]
pub struct Kinds {
    flags: Vec<Flags>,
}

impl Kinds {
    /// `rows` say which flags the kinds of these names have; a name the grammar does not know is no kind.
    pub fn new(language: &Language, rows: &[(Flags, &[&str])]) -> Self {
        let flags_of = |name: &str| {
            let meant = rows.iter().filter(|(_, names)| names.contains(&name));
            meant.fold(0, |all, (flags, _)| all | flags)
        };
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let named = |id| language.node_kind_is_named(id);
        let flags = (0..count).map(|id| match language.node_kind_for_id(id) {
            Some(name) if named(id) => flags_of(name),
            _ => 0,
        });
        Self { flags: flags.collect() }
    }

    pub fn has(&self, kind: u16, flags: Flags) -> bool {
        self.flags.get(usize::from(kind)).is_some_and(|has| has & flags != 0)
    }
}
