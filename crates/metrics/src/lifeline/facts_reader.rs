//! Reads the facts of a file, or of a piece of a file, from its tree, in one walk over its nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use trajview_code::flat_tree::FlatTree;

use tree_sitter::{Point, Tree};

use super::{
    file_facts::{CodeDefinition, DefinitionKind, DefinitionPart, FileFacts, NameAccess, NameUse},
    imports,
    kind_meanings::{
        BLOCK, CLASS, COMMENT, CONDITIONAL, CONTENT, CONTINUATION, EXPRESSION_STATEMENT, FUNCTION,
        FieldId, IMPORT, KindMeanings, MODULE, NAME, NameBinding, NameFlags, PATTERN, SPACE,
        STRING, TUPLE, VALUE,
    },
    piecewise_facts::{self, FactsByPiece},
    tokens,
};
use crate::{
    quality::{MAX_BYTES, MAX_DEPTH, ParsedFile, SourceSpan, languages::names},
    registered,
};
use trajview_code::tree::{self, Grammar};

/// Returns the facts of a text. They are empty for bytes that are no text, for a text that is too big or nested too
/// deep, and for a grammar that is not in this build.
pub fn read_facts(grammar: Grammar, bytes: &[u8]) -> FileFacts {
    VersionReader::new(grammar).next_facts(bytes)
}

/// Does the same as [`read_facts()`] for a text that is already parsed.
pub fn facts_of_tree(grammar: Grammar, text: &[u8], tree: &Tree) -> FileFacts {
    readable_text(grammar, text).map_or_else(FileFacts::default, |(text, words)| {
        facts_of_whole_tree(grammar, words, text, tree)
    })
}

/// Does the same for a file that was parsed for the measures.
pub fn facts_of_parsed(parsed: ParsedFile<'_>) -> FileFacts {
    let ParsedFile { grammar, text, flat } = parsed;
    let words = KindMeanings::for_grammar(grammar);
    words.map_or_else(FileFacts::default, |words| {
        facts_of_flat_tree(grammar, words, text, flat, (0, 0))
    })
}

/// Returns the text and the meanings of its grammar; None for bytes that are no text, for a text that is too big, and
/// for a grammar that is not in this build.
fn readable_text(grammar: Grammar, bytes: &[u8]) -> Option<(&str, &'static KindMeanings)> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES)?;
    Some((text, KindMeanings::for_grammar(grammar)?))
}

/// Reads the versions of one file in order. Parts that a version shares with the one before are parsed and read only
/// once.
#[derive(Debug)]
pub struct VersionReader {
    grammar: Grammar,
    last: Option<(String, Tree)>,
    pieces: FactsByPiece,
}

impl VersionReader {
    pub fn new(grammar: Grammar) -> Self {
        Self { grammar, last: None, pieces: FactsByPiece::new() }
    }

    /// Returns the facts of the next version, as [`read_facts()`] does, and keeps its tree, so that only changes are
    /// parsed.
    pub fn next_facts(&mut self, bytes: &[u8]) -> FileFacts {
        let Some((text, words)) = readable_text(self.grammar, bytes) else {
            return FileFacts::default();
        };
        let tree = match &self.last {
            Some((old, tree)) => tree::parse_after(self.grammar, (old, tree), text),
            None => tree::parse_tree(self.grammar, bytes),
        };
        let Some(tree) = tree else { return FileFacts::default() };
        let facts = self.facts_from_tree(words, text, &tree);
        self.last = Some((text.to_owned(), tree));
        facts
    }

    /// Returns the facts of a text. Reads only the pieces that have changed since the last call, and keeps them, where
    /// the tree has no error.
    fn facts_from_tree(
        &mut self,
        words: &'static KindMeanings,
        text: &str,
        tree: &Tree,
    ) -> FileFacts {
        // Around an error a piece depends on its neighbours.
        let has_error = tree.root_node().has_error();
        let read = || piecewise_facts::read_pieces((self.grammar, words), text, tree, &self.pieces);
        if let Some((facts, pieces)) = (!has_error).then(read).flatten() {
            self.pieces = pieces;
            return facts;
        }
        facts_of_whole_tree(self.grammar, words, text, tree)
    }
}

pub(super) fn facts_of_whole_tree(
    grammar: Grammar,
    words: &'static KindMeanings,
    text: &str,
    tree: &Tree,
) -> FileFacts {
    let flat = FlatTree::from_node(tree.root_node());
    if flat.depth > MAX_DEPTH {
        return FileFacts::default();
    }
    facts_of_flat_tree(grammar, words, text, &flat, (0, 0))
}

/// Returns the facts of the part of a text that a flat tree covers. `from` is the start of that part: its byte, and
/// the number of lines before it, which are not counted.
pub(super) fn facts_of_flat_tree(
    grammar: Grammar,
    words: &'static KindMeanings,
    text: &str,
    flat: &FlatTree<'_>,
    from: (usize, usize),
) -> FileFacts {
    let mut reader = FactsReader::new(text, flat, words, grammar);
    (reader.hashed_until, reader.rows) = from;
    reader.walk_tree();
    reader.into_facts()
}

struct FactsReader<'a> {
    text: &'a str,
    flat: &'a FlatTree<'a>,
    words: &'static KindMeanings,
    grammar: Grammar,
    facts: FileFacts,
    by_name: HashMap<Box<str>, u32>,
    uses: BTreeMap<(&'a str, NameAccess, Option<u32>), NameUse>,
    /// The definitions around the current entry, outermost first.
    enclosing: Vec<EnclosingDefinition>,
    /// The ends of the conditional pieces around the current entry.
    conditions: Vec<usize>,
    /// The ends of the open blocks.
    blocks: Vec<usize>,
    /// The number of words before each entry.
    before: Vec<u32>,
    /// Definitions by their entries, to be completed once all words are known.
    part_entries: Vec<PartEntries>,
    /// The byte up to which the text has been hashed.
    hashed_until: usize,
    /// The number of lines before the text, which are not counted.
    rows: usize,
}

#[derive(Debug, Clone, Copy)]
struct EnclosingDefinition {
    end: usize,
    /// None for an entry that only adds a part to dotted names.
    definition: Option<u32>,
    head_end: usize,
    conditions: usize,
}

/// The entries of a part of a definition.
#[derive(Debug, Clone, Copy)]
struct PartEntries {
    definition: u32,
    start: usize,
    at: usize,
    body: usize,
}

impl<'a> FactsReader<'a> {
    fn new(
        text: &'a str,
        flat: &'a FlatTree<'a>,
        words: &'static KindMeanings,
        grammar: Grammar,
    ) -> Self {
        Self {
            text,
            flat,
            words,
            grammar,
            facts: FileFacts::default(),
            by_name: HashMap::new(),
            uses: BTreeMap::new(),
            enclosing: vec![],
            conditions: vec![],
            blocks: vec![],
            before: Vec::with_capacity(flat.len() + 1),
            part_entries: vec![],
            hashed_until: 0,
            rows: 0,
        }
    }

    fn walk_tree(&mut self) {
        let mut at = 0;
        while at < self.flat.len() {
            self.leave_ended(at);
            self.note_word_count(at);
            at = if self.is_passed_over(at) { self.pass_over(at) } else { self.enter_entry(at) };
        }
        self.leave_ended(self.flat.len());
        self.note_word_count(self.flat.len());
    }

    /// Remembers how many words come before an entry and those passed over before it.
    fn note_word_count(&mut self, at: usize) {
        let count = u32::try_from(self.facts.tokens.len()).unwrap_or(u32::MAX);
        self.before.resize(at + 1, count);
    }

    fn leave_ended(&mut self, at: usize) {
        while self.enclosing.pop_if(|definition| definition.end <= at).is_some() {}
        while self.conditions.pop_if(|end| *end <= at).is_some() {}
        while self.blocks.pop_if(|end| *end <= at).is_some() {
            self.facts.tokens.push(tokens::CLOSE);
        }
    }

    fn has_flags(&self, at: usize, flags: NameFlags) -> bool {
        self.words.has_flags(self.flat.entries[at].kind, flags)
    }

    fn kind_of(&self, at: usize) -> u16 {
        self.flat.entries[at].kind
    }

    fn text_of(&self, at: usize) -> &'a str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    fn entry_after(&self, at: usize) -> usize {
        self.flat.entries[at].after as usize
    }

    fn parent_of(&self, at: usize) -> usize {
        self.flat.entries[at].parent as usize
    }

    /// Returns whether an entry is skipped: comments, stand-alone strings, and the tests inside Rust files.
    fn is_passed_over(&self, at: usize) -> bool {
        let is_docstring = || {
            self.grammar == Grammar::Python
                && self.has_flags(at, EXPRESSION_STATEMENT)
                && self.flat.only_named_child(at).is_some_and(|it| self.has_flags(it, STRING))
        };
        let is_tests = || {
            self.has_flags(at, MODULE)
                && names::definition_name(self.flat.node(at), self.text)
                    .is_some_and(|name| matches!(&*name, "tests" | "test"))
        };
        self.has_flags(at, COMMENT) || is_docstring() || is_tests()
    }

    /// Leaves a node out of the hash of the definition, and returns the index of the entry after it.
    fn pass_over(&mut self, at: usize) -> usize {
        self.add_gap(self.flat.node(at).start_byte());
        self.hashed_until = self.hashed_until.max(self.flat.node(at).end_byte());
        let after = self.entry_after(at);
        self.note_word_count(after.saturating_sub(1));
        after
    }

    /// Visits an entry and returns the next one.
    fn enter_entry(&mut self, at: usize) -> usize {
        if self.is_sometimes(at) {
            self.conditions.push(self.entry_after(at));
        }
        if self.has_flags(at, BLOCK) {
            self.facts.tokens.push(tokens::OPEN);
            self.blocks.push(self.entry_after(at));
        }
        if self.has_flags(at, IMPORT) {
            self.facts.imports.extend(imports::imported_names(
                self.text,
                self.flat,
                at,
                self.grammar,
            ));
            (at..self.entry_after(at)).for_each(|it| self.add_word(it));
            let after = self.entry_after(at);
            self.note_word_count(after.saturating_sub(1));
            return after;
        }
        if self.has_flags(at, CLASS | FUNCTION | VALUE | SPACE) {
            self.add_definition(at);
        }
        if self.has_flags(at, NAME) && self.flat.is_leaf(at) {
            self.add_name(at);
        }
        if self.grammar == Grammar::Python && self.has_flags(at, CONTENT) {
            self.facts.paths.extend(registered::dotted_symbol_path(self.text_of(at)));
        }
        self.add_word(at);
        at + 1
    }

    /// Returns whether an entry is a part of a condition that only runs sometimes; the condition's test itself is not.
    fn is_sometimes(&self, at: usize) -> bool {
        let parent = self.parent_of(at);
        if parent == at || !self.has_flags(parent, CONDITIONAL) || !self.flat.entries[at].is_named {
            return false;
        }
        let (node, above) = (self.flat.node(at), self.flat.node(parent));
        let is_question =
            above.child_by_field_name("condition").is_some_and(|it| it.id() == node.id());
        // Python's `a if b else c` has no fields: b is the second.
        let is_middle = self.flat.kind_name(parent) == "conditional_expression"
            && above.child_by_field_name("condition").is_none()
            && above.named_child(1).is_some_and(|it| it.id() == node.id());
        !is_question && !is_middle
    }

    // Words.

    /// Adds the hash of a leaf to the words of the file.
    fn add_word(&mut self, at: usize) {
        if !self.flat.is_leaf(at) {
            return;
        }
        let node = self.flat.node(at);
        let word = self.text_of(at);
        self.add_gap(node.start_byte());
        self.hashed_until = self.hashed_until.max(node.end_byte());
        let word = word.trim();
        if word.is_empty() || word.starts_with('\\') && self.has_flags(at, CONTINUATION) {
            return;
        }
        if matches!(word, ")" | "]" | "}") && !self.is_tuple_of_one(at) {
            let comma = tokens::hash_word(b",");
            self.facts.tokens.pop_if(|last| *last == comma);
        }
        if word == ";" && self.grammar != Grammar::Rust {
            return;
        }
        self.facts.tokens.push(word_hash(word));
    }

    /// Adds the text between two leaves where it is not blank, since grammars leave out the plain text of some
    /// strings.
    fn add_gap(&mut self, start: usize) {
        let gap = self.text.get(self.hashed_until..start).unwrap_or_default();
        let gap = gap.trim_matches(|c: char| c.is_whitespace() || c == '\\');
        if !gap.is_empty() {
            self.facts.tokens.push(tokens::hash_word(gap.as_bytes()));
        }
    }

    fn is_tuple_of_one(&self, closing: usize) -> bool {
        let parent = self.parent_of(closing);
        self.has_flags(parent, TUPLE) && self.flat.only_named_child(parent).is_some()
    }

    // Definitions.

    /// Records the definition at an entry, if there is one.
    fn add_definition(&mut self, at: usize) {
        let Some((kind, name)) = self.defined_name(at) else { return };
        let owner = self.enclosing.last().and_then(|around| around.definition);
        let prefix = owner.map(|owner| self.facts.definitions[owner as usize].name.clone());
        let name: Box<str> = match prefix {
            Some(prefix) => format!("{prefix}.{name}").into(),
            None => name.into(),
        };
        let body = self.body_entry(at);
        let definition = kind.map(|kind| self.definition_index(name, kind, owner));
        if let Some(definition) = definition {
            let parent = self.parent_of(at);
            let is_wrapped = matches!(self.flat.kind_name(parent), "decorated_definition");
            let start = if is_wrapped { parent } else { at };
            self.part_entries.push(PartEntries { definition, start, at, body });
            let is_registered = is_wrapped && self.has_registering_decorator(parent);
            self.facts.definitions[definition as usize].is_registered |= is_registered;
        }
        let conditions = self.conditions.len();
        self.enclosing.push(EnclosingDefinition {
            end: self.entry_after(at),
            definition: definition.or(owner),
            head_end: body,
            conditions,
        });
    }

    fn has_registering_decorator(&self, decorated: usize) -> bool {
        let mut decorators = self.flat.named_children(decorated);
        decorators.any(|at| {
            let words = self
                .text_of(at)
                .strip_prefix('@')
                .filter(|_| self.flat.kind_name(at) == "decorator");
            words.is_some_and(registered::is_registering)
        })
    }

    /// Returns the kind and the name of an entry's definition; the kind is None for an entry that only adds a part to
    /// dotted names.
    fn defined_name(&self, at: usize) -> Option<(Option<DefinitionKind>, String)> {
        let node = self.flat.node(at);
        if self.has_flags(at, VALUE) {
            return self.value_name(at).map(|(kind, name)| (Some(kind), name));
        }
        let name = match self.grammar {
            Grammar::Python => {
                self.text.get(node.child_by_field_name("name")?.byte_range())?.to_owned()
            }
            _ => names::definition_name(node, self.text)?,
        };
        if name.is_empty() {
            return None;
        }
        let kind = match () {
            () if self.has_flags(at, CLASS) => Some(DefinitionKind::Class),
            () if self.has_flags(at, FUNCTION) => Some(DefinitionKind::Function),
            () => None,
        };
        Some((kind, name.replace("::", ".")))
    }

    /// Returns the kind and the name of a constant or variable at the top of the file; a variable whose value is a
    /// function counts as a function.
    fn value_name(&self, at: usize) -> Option<(DefinitionKind, String)> {
        let node = self.flat.node(at);
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("left"))?;
        let is_plain = matches!(name.kind(), "identifier" | "type_identifier");
        let mut above = self.parent_of(at);
        while matches!(
            self.flat.kind_name(above),
            "expression_statement"
                | "lexical_declaration"
                | "variable_declaration"
                | "export_statement"
                | "mod_item"
                | "declaration_list"
        ) {
            above = self.parent_of(above);
        }
        let is_top = matches!(self.flat.kind_name(above), "module" | "program" | "source_file");
        let value = node.child_by_field_name("value").map(|value| value.kind());
        let kind = match value {
            Some("arrow_function" | "function_expression" | "generator_function") => {
                DefinitionKind::Function
            }
            Some("class") => DefinitionKind::Class,
            _ => DefinitionKind::Value,
        };
        let words = self.text.get(name.byte_range())?;
        (is_plain && is_top).then(|| (kind, words.to_owned()))
    }

    /// Returns the entry of the body; the end of the definition where it has none.
    fn body_entry(&self, at: usize) -> usize {
        let node = self.flat.node(at);
        let body = ["body", "right", "value"]
            .into_iter()
            .find_map(|field| node.child_by_field_name(field));
        let entry = |body: tree_sitter::Node<'_>| {
            self.flat.children(at).find(|&child| self.flat.node(child).id() == body.id())
        };
        body.and_then(entry).unwrap_or_else(|| self.entry_after(at))
    }

    /// Returns the index of a definition, which is added where it is new.
    fn definition_index(
        &mut self,
        name: Box<str>,
        kind: DefinitionKind,
        owner: Option<u32>,
    ) -> u32 {
        if let Some(known) = self.by_name.get(&name) {
            return *known;
        }
        let at = u32::try_from(self.facts.definitions.len()).unwrap_or(u32::MAX);
        self.by_name.insert(name.clone(), at);
        self.facts.definitions.push(CodeDefinition {
            name,
            kind,
            owner,
            parts: vec![],
            hash: 0,
            locals: BTreeSet::new(),
            is_registered: false,
        });
        at
    }

    // Names.

    /// Records a name as a use, or as a local of the definition around it.
    fn add_name(&mut self, at: usize) {
        let name = self.text_of(at);
        let innermost = self.enclosing.last().copied();
        let within = innermost.and_then(|innermost| innermost.definition);
        if matches!(name, "self" | "cls" | "this" | "Self" | "")
            || self.is_field(at, self.words.label_field(self.kind_of(self.parent_of(at))))
        {
            return;
        }
        let definition = within.and_then(|it| self.facts.definitions.get_mut(it as usize));
        let is_head = innermost.is_some_and(|innermost| at < innermost.head_end);
        if is_head && definition.as_ref().is_some_and(|it| it.simple_name() == name) {
            return;
        }
        if self.is_bound(at) {
            let inside = within.and_then(|it| self.facts.definitions.get_mut(it as usize));
            if let Some(function) = inside.filter(|it| it.kind == DefinitionKind::Function) {
                function.locals.insert(name.into());
            }
            return;
        }
        let conditions = innermost.map_or(0, |innermost| innermost.conditions);
        let is_conditional = self.conditions.len() > conditions;
        let line = self.line_of_point(self.flat.node(at).start_position());
        let via = self.access_of_name(at);
        let fresh = NameUse { via: via.clone(), within, count: 0, line, is_conditional: true };
        let entry = self.uses.entry((name, via, within)).or_insert(fresh);
        entry.count += 1;
        entry.is_conditional &= is_conditional;
    }

    /// Returns the line of a point, counting from 1 after the lines that are not counted.
    fn line_of_point(&self, point: Point) -> u32 {
        u32::try_from((point.row + 1).saturating_sub(self.rows)).unwrap_or(u32::MAX)
    }

    /// Returns whether an entry is in that field of its parent.
    fn is_field(&self, at: usize, field: Option<FieldId>) -> bool {
        let Some(field) = field else { return false };
        let parent = self.flat.node(self.parent_of(at));
        let id = self.flat.node(at).id();
        parent.child_by_field_id(field.get()).is_some_and(|it| it.id() == id)
    }

    fn is_bound(&self, at: usize) -> bool {
        let mut child = at;
        while self.has_flags(self.parent_of(child), PATTERN) {
            child = self.parent_of(child);
        }
        let kind = self.kind_of(self.parent_of(child));
        self.words.bindings_of(kind).iter().any(|binding| match binding {
            NameBinding::Anywhere => true,
            NameBinding::In(field) => self.is_field(child, Some(*field)),
        })
    }

    fn access_of_name(&self, at: usize) -> NameAccess {
        let parent = self.parent_of(at);
        if !self.is_field(at, self.words.member_field(self.kind_of(parent))) {
            return NameAccess::Itself;
        }
        let Some(object) = self.flat.named_children(parent).next().filter(|&it| it != at) else {
            return NameAccess::Itself;
        };
        let words = self.text_of(object);
        let is_dotted =
            words.len() < 200 && words.chars().all(|c| c.is_alphanumeric() || "_.$:".contains(c));
        NameAccess::Member(if is_dotted { words.replace("::", ".").into() } else { "".into() })
    }

    /// Completes the definitions, whose parts need the number of words before them, and returns the facts.
    fn into_facts(mut self) -> FileFacts {
        for found in &self.part_entries {
            let word = |entry: usize| self.before.get(entry).copied().unwrap_or_default();
            let tokens = (word(found.start), word(found.body), word(self.entry_after(found.at)));
            let node = self.flat.node(found.start);
            let (start, end) = (
                self.line_of_point(node.start_position()),
                self.line_of_point(node.end_position()),
            );
            let part = DefinitionPart { span: SourceSpan { start, end }, tokens };
            self.facts.definitions[found.definition as usize].parts.push(part);
        }
        let words = std::mem::take(&mut self.facts.tokens);
        for definition in &mut self.facts.definitions {
            definition.hash = tokens::hash_definition(definition, &words);
        }
        self.facts.tokens = words;
        for ((name, ..), one) in self.uses {
            self.facts.uses.entry(name.into()).or_default().push(one);
        }
        self.facts
    }
}

/// Returns the hash of a word; all kinds of quotes count as the same.
fn word_hash(word: &str) -> u32 {
    let is_quote = |c: char| matches!(c, '"' | '\'');
    let bare = word.trim_end_matches(is_quote);
    if bare.len() < word.len() && bare.chars().all(char::is_alphabetic) {
        return tokens::hash_word(format!("{}\"", bare.to_lowercase()).as_bytes());
    }
    tokens::hash_word(word.as_bytes())
}
