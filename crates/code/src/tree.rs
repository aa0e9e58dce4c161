//! Syntax trees: which grammar reads a file, and the tree it makes of the bytes. Nothing else.
//!
//! A grammar is compiled in by its feature; Python's always is. The words for a language are those of
//! [`languages`], so a file has one language everywhere. To add one: a variant, a row of each `match`
//! here, a feature in Cargo.toml.

use std::{mem::ManuallyDrop, sync::OnceLock};

use serde::{Deserialize, Serialize};
use tree_sitter::{InputEdit, Language, Node, Parser, Point, Tree};

use super::languages;

/// A grammar that the program can use, compiled in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grammar {
    C,
    Cpp,
    Go,
    Haskell,
    Java,
    JavaScript,
    Python,
    Rust,
    /// TypeScript with JSX: another grammar than [`TypeScript`](Self::TypeScript), the same language.
    Tsx,
    TypeScript,
    Zig,
}

impl Grammar {
    /// Every grammar, in alphabetical order.
    pub const ALL: [Self; 11] = [
        Self::C,
        Self::Cpp,
        Self::Go,
        Self::Haskell,
        Self::Java,
        Self::JavaScript,
        Self::Python,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
        Self::Zig,
    ];

    /// Returns the grammar for a file of this name; None where no grammar is known, whether compiled in or not.
    pub fn for_path(path: &str) -> Option<Self> {
        match languages::language_of_file(path, "")?.name {
            "C" => Some(Self::C),
            "C++" => Some(Self::Cpp),
            "Go" => Some(Self::Go),
            "Haskell" => Some(Self::Haskell),
            "Java" => Some(Self::Java),
            "JavaScript (Babel)" => Some(Self::JavaScript),
            "Python" => Some(Self::Python),
            "Rust" => Some(Self::Rust),
            "TypeScriptReact" => Some(Self::Tsx),
            "TypeScript" => Some(Self::TypeScript),
            "Zig" => Some(Self::Zig),
            _ => None,
        }
    }

    /// Returns the name in tables and JSON keys, in lower case: `python`, `cpp`, `tsx`.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Go => "go",
            Self::Haskell => "haskell",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Python => "python",
            Self::Rust => "rust",
            Self::Tsx => "tsx",
            Self::TypeScript => "typescript",
            Self::Zig => "zig",
        }
    }

    /// Returns the language of tree-sitter; None where its feature is off.
    pub fn tree_sitter_language(self) -> Option<Language> {
        match self {
            Self::Python => Some(tree_sitter_python::LANGUAGE.into()),
            #[cfg(feature = "c")]
            Self::C => Some(tree_sitter_c::LANGUAGE.into()),
            #[cfg(feature = "cpp")]
            Self::Cpp => Some(tree_sitter_cpp::LANGUAGE.into()),
            #[cfg(feature = "go")]
            Self::Go => Some(tree_sitter_go::LANGUAGE.into()),
            #[cfg(feature = "haskell")]
            Self::Haskell => Some(tree_sitter_haskell::LANGUAGE.into()),
            #[cfg(feature = "java")]
            Self::Java => Some(tree_sitter_java::LANGUAGE.into()),
            #[cfg(feature = "javascript")]
            Self::JavaScript => Some(tree_sitter_javascript::LANGUAGE.into()),
            #[cfg(feature = "rust")]
            Self::Rust => Some(tree_sitter_rust::LANGUAGE.into()),
            #[cfg(feature = "typescript")]
            Self::Tsx => Some(tree_sitter_typescript::LANGUAGE_TSX.into()),
            #[cfg(feature = "typescript")]
            Self::TypeScript => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
            #[cfg(feature = "zig")]
            Self::Zig => Some(tree_sitter_zig::LANGUAGE.into()),
            #[allow(unreachable_patterns, reason = "with every feature on there is nothing left")]
            _ => None,
        }
    }

    /// Returns whether its feature is on.
    pub fn is_compiled_in(self) -> bool {
        self.tree_sitter_language().is_some()
    }
}

/// Maps the kinds of a grammar by their numbers, which a node gives sooner than names.
pub fn by_kind<T>(language: &Language, value_of: impl Fn(&str) -> T) -> Vec<T> {
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    (0..count).map(|kind| value_of(language.node_kind_for_id(kind).unwrap_or_default())).collect()
}

/// Reads the tree of a text; errors are nodes in it. None where the grammar is not compiled in.
pub fn parse_tree(grammar: Grammar, text: &[u8]) -> Option<Tree> {
    with_stack_for(text.len(), || new_parser(grammar)?.parse(text, None))
}

/// Runs the parser on a stack that is large enough for a text of so many bytes. Around errors the library follows
/// several readings at once, and frees each by a function that recurses for every token of it: a comment of another
/// language, a hundred thousand brackets deep, would end the program. The system provides only the part of the stack
/// that is used.
fn with_stack_for<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    /// A call takes some 100 bytes, and no token is shorter than a byte but for a few of layout.
    const A_BYTE: usize = 256;
    const LEAST: usize = 128 << 10;
    let needed = LEAST.saturating_add(bytes.saturating_mul(A_BYTE));
    stacker::maybe_grow(needed, needed, work)
}

fn new_parser(grammar: Grammar) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.tree_sitter_language()?).ok()?;
    Some(parser)
}

/// Parses, as [`parse_tree`], a text that came out of another: unchanged parts are taken from its tree. Around errors a tree
/// depends on what it came from; such a text is parsed anew.
pub fn parse_after(grammar: Grammar, (old, tree): (&str, &Tree), text: &str) -> Option<Tree> {
    if tree.root_node().has_error() {
        return parse_tree(grammar, text.as_bytes());
    }
    let mut edited = tree.clone();
    edited.edit(&edit_between(old, text));
    let parsed = with_stack_for(text.len(), || new_parser(grammar)?.parse(text, Some(&edited)))?;
    if parsed.root_node().has_error() { parse_tree(grammar, text.as_bytes()) } else { Some(parsed) }
}

/// Returns the piece outside of which both texts are the same.
fn edit_between(old: &str, new: &str) -> InputEdit {
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let mut start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    let (rest_a, rest_b) = (a[start..].iter().rev(), b[start..].iter().rev());
    let mut same = rest_a.zip(rest_b).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(a.len() - same) || !new.is_char_boundary(b.len() - same) {
        same -= 1;
    }
    let (old_end, new_end) = (a.len() - same, b.len() - same);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point_at(a, start),
        old_end_position: point_at(a, old_end),
        new_end_position: point_at(b, new_end),
    }
}

fn point_at(text: &[u8], byte: usize) -> Point {
    let before = &text[..byte];
    let row = memchr::memchr_iter(b'\n', before).count();
    let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Point { row, column: byte - line }
}

/// The functions by which the program's allocator makes each tree of [`with_tree`] in one piece of memory. Each is
/// called in the thread of the tree.
#[derive(Debug, Clone, Copy)]
pub struct TreePool {
    /// Starts to serve the requests of the grammar's library from one piece, which is about enough for the tree of a
    /// text of so many bytes. False where such a piece is in use already.
    pub open: fn(bytes: usize) -> bool,
    /// Stops serving requests from the piece; the memory in use stays there.
    pub close: fn(),
    /// Returns whether all requests in between were served from the piece.
    pub is_whole: fn() -> bool,
    /// Lets go of the piece.
    pub free: fn(),
}

static POOL: OnceLock<TreePool> = OnceLock::new();

/// Says how the allocator of the program makes short-lived trees. Without that they are made as all others are.
pub fn set_tree_pool(pool: TreePool) {
    let _ = POOL.set(pool); // the program has one allocator: the first word holds
}

/// Returns the result of `work` for the root of a text's tree, as of [`parse_tree`]. The tree is freed afterwards:
/// where the program has a [`TreePool`], as one piece of memory, even if something else still refers to it. So `work`
/// gets a node, which ends with the call, and no `Tree`, which could be cloned and kept.
pub fn with_tree<T>(grammar: Grammar, text: &[u8], work: impl FnOnce(Option<Node<'_>>) -> T) -> T {
    let Some(pool) = POOL.get().filter(|pool| (pool.open)(text.len())) else {
        return work(parse_tree(grammar, text).as_ref().map(Tree::root_node));
    };
    let pooled = PooledTree { pool, tree: ManuallyDrop::new(parse_tree(grammar, text)) };
    (pool.close)();
    work(pooled.tree.as_ref().map(Tree::root_node))
}

/// A tree in a piece of memory of its own.
struct PooledTree<'p> {
    pool: &'p TreePool,
    tree: ManuallyDrop<Option<Tree>>,
}

impl Drop for PooledTree<'_> {
    fn drop(&mut self) {
        if !(self.pool.is_whole)() {
            // Some of it lies elsewhere.
            drop(self.tree.take());
        }
        (self.pool.free)();
    }
}

#[cfg(all(test, feature = "go"))]
mod tests {
    use super::*;

    /// Comments of another language: around errors the library keeps several readings, each as long as the text.
    #[test]
    fn what_is_nested_in_errors_is_parsed_on_any_stack() {
        let text = "{-".repeat(3_000) + &"-}".repeat(3_000);
        let parsing = std::thread::Builder::new().stack_size(64 << 10);
        let parse = move || parse_tree(Grammar::Go, text.as_bytes()).is_some();
        assert!(parsing.spawn(parse).unwrap().join().unwrap());
    }
}
