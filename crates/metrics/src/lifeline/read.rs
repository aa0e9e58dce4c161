//! Reads the facts of a file, or of a piece of one, out of its tree, in one walk over its nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use trajview_code::flat::Flat;

use tree_sitter::{Point, Tree};

use super::{
    facts::{Definition, FileFacts, Kind, Part, Use, Via},
    imports,
    pieces::{self, Pieces},
    tokens,
    words::{
        BLOCK, Binding, CLASS, COMMENT, CONDITIONAL, CONTENT, CONTINUATION, EXPRESSION_STATEMENT,
        FUNCTION, FieldId, Flags, IMPORT, MODULE, NAME, PATTERN, SPACE, STRING, TUPLE, VALUE,
        Words,
    },
};
use crate::{
    quality::{MAX_BYTES, MAX_DEPTH, Span, languages::names},
    registered,
};
use trajview_code::tree::{self, Grammar};

/// The facts of a text. Empty for what is no text, is too big or nested too deep, or has no grammar in this build.
pub fn facts(grammar: Grammar, bytes: &[u8]) -> FileFacts {
    Versions::of(grammar).facts(bytes)
}

/// As [`facts()`], of a text whose tree is there.
pub fn facts_of(grammar: Grammar, text: &[u8], tree: &Tree) -> FileFacts {
    readable(grammar, text)
        .map_or_else(FileFacts::default, |(text, words)| of_whole(grammar, words, text, tree))
}

/// None for what is no text or is too big, and for a grammar that is not in this build.
fn readable(grammar: Grammar, bytes: &[u8]) -> Option<(&str, &'static Words)> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES)?;
    Some((text, Words::of(grammar)?))
}

/// Reads versions of one file in order. What one has in common with the one before is parsed and read once.
#[derive(Debug)]
pub struct Versions {
    grammar: Grammar,
    last: Option<(String, Tree)>,
    pieces: Pieces,
}

impl Versions {
    pub fn of(grammar: Grammar) -> Self {
        Self { grammar, last: None, pieces: Pieces::new() }
    }

    /// As [`facts()`], of the next version.
    pub fn facts(&mut self, bytes: &[u8]) -> FileFacts {
        let Some((text, words)) = readable(self.grammar, bytes) else {
            return FileFacts::default();
        };
        let tree = match &self.last {
            Some((old, tree)) => tree::parse_after(self.grammar, (old, tree), text),
            None => tree::parse(self.grammar, bytes),
        };
        let Some(tree) = tree else { return FileFacts::default() };
        let facts = self.of_tree(words, text, &tree);
        self.last = Some((text.to_owned(), tree));
        facts
    }

    fn of_tree(&mut self, words: &'static Words, text: &str, tree: &Tree) -> FileFacts {
        // Around an error a piece depends on what stands beside it.
        let is_whole = tree.root_node().has_error();
        let read = || pieces::read((self.grammar, words), text, tree, &self.pieces);
        if let Some((facts, pieces)) = (!is_whole).then(read).flatten() {
            self.pieces = pieces;
            return facts;
        }
        of_whole(self.grammar, words, text, tree)
    }
}

pub(super) fn of_whole(
    grammar: Grammar,
    words: &'static Words,
    text: &str,
    tree: &Tree,
) -> FileFacts {
    let flat = Flat::of(tree.root_node());
    if flat.depth > MAX_DEPTH {
        return FileFacts::default();
    }
    of_flat(grammar, words, text, &flat, (0, 0))
}

/// The facts of what a flat tree has of a text. `from` is where that begins: its byte, and the lines before, which are
/// not counted.
pub(super) fn of_flat(
    grammar: Grammar,
    words: &'static Words,
    text: &str,
    flat: &Flat<'_>,
    from: (usize, usize),
) -> FileFacts {
    let mut reader = Reader::of(text, flat, words, grammar);
    (reader.told, reader.rows) = from;
    reader.walk();
    reader.finish()
}

struct Reader<'a> {
    text: &'a str,
    flat: &'a Flat<'a>,
    words: &'static Words,
    grammar: Grammar,
    facts: FileFacts,
    by_name: HashMap<Box<str>, u32>,
    uses: BTreeMap<(&'a str, Via, Option<u32>), Use>,
    /// Definitions around: where they end, which they are, where their head ends, conditions around them.
    around: Vec<Enclosing>,
    /// Ends of the conditional pieces around.
    conditions: Vec<usize>,
    /// Ends of the blocks whose begin has been told.
    blocks: Vec<usize>,
    /// How many words come before each entry.
    before: Vec<u32>,
    /// Definitions by their entries, to be completed when all words are known.
    found: Vec<Found>,
    /// The byte up to which the text has been told.
    told: usize,
    /// Lines that are not counted.
    rows: usize,
}

#[derive(Debug, Clone, Copy)]
struct Enclosing {
    end: usize,
    /// None for what only gives a name.
    definition: Option<u32>,
    head_end: usize,
    conditions: usize,
}

/// A part of a definition: its entries.
#[derive(Debug, Clone, Copy)]
struct Found {
    definition: u32,
    start: usize,
    at: usize,
    body: usize,
}

impl<'a> Reader<'a> {
    fn of(text: &'a str, flat: &'a Flat<'a>, words: &'static Words, grammar: Grammar) -> Self {
        Self {
            text,
            flat,
            words,
            grammar,
            facts: FileFacts::default(),
            by_name: HashMap::new(),
            uses: BTreeMap::new(),
            around: vec![],
            conditions: vec![],
            blocks: vec![],
            before: Vec::with_capacity(flat.len() + 1),
            found: vec![],
            told: 0,
            rows: 0,
        }
    }

    fn walk(&mut self) {
        let mut at = 0;
        while at < self.flat.len() {
            self.leave(at);
            self.note(at);
            at = if self.is_passed_over(at) { self.pass_over(at) } else { self.enter(at) };
        }
        self.leave(self.flat.len());
        self.note(self.flat.len());
    }

    /// Remembers how many words come before an entry and those passed over before it.
    fn note(&mut self, at: usize) {
        let count = u32::try_from(self.facts.tokens.len()).unwrap_or(u32::MAX);
        self.before.resize(at + 1, count);
    }

    fn leave(&mut self, at: usize) {
        while self.around.pop_if(|around| around.end <= at).is_some() {}
        while self.conditions.pop_if(|end| *end <= at).is_some() {}
        while self.blocks.pop_if(|end| *end <= at).is_some() {
            self.facts.tokens.push(tokens::CLOSE);
        }
    }

    fn has(&self, at: usize, flags: Flags) -> bool {
        self.words.has(self.flat.entries[at].kind, flags)
    }

    fn kind_of(&self, at: usize) -> u16 {
        self.flat.entries[at].kind
    }

    fn text_of(&self, at: usize) -> &'a str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    fn after(&self, at: usize) -> usize {
        self.flat.entries[at].after as usize
    }

    fn parent(&self, at: usize) -> usize {
        self.flat.entries[at].parent as usize
    }

    /// Comments, strings that stand alone, the tests that Rust keeps beside the code.
    fn is_passed_over(&self, at: usize) -> bool {
        let is_docstring = || {
            self.grammar == Grammar::Python
                && self.has(at, EXPRESSION_STATEMENT)
                && self.flat.only_named_child(at).is_some_and(|it| self.has(it, STRING))
        };
        let is_tests = || {
            self.has(at, MODULE)
                && names::of(self.flat.node(at), self.text)
                    .is_some_and(|name| matches!(&*name, "tests" | "test"))
        };
        self.has(at, COMMENT) || is_docstring() || is_tests()
    }

    fn pass_over(&mut self, at: usize) -> usize {
        self.tell_gap(self.flat.node(at).start_byte());
        self.told = self.told.max(self.flat.node(at).end_byte());
        let after = self.after(at);
        self.note(after.saturating_sub(1));
        after
    }

    /// The entry to go on with.
    fn enter(&mut self, at: usize) -> usize {
        if self.is_sometimes(at) {
            self.conditions.push(self.after(at));
        }
        if self.has(at, BLOCK) {
            self.facts.tokens.push(tokens::OPEN);
            self.blocks.push(self.after(at));
        }
        if self.has(at, IMPORT) {
            self.facts.imports.extend(imports::of(self.text, self.flat, at, self.grammar));
            (at..self.after(at)).for_each(|it| self.tell(it));
            let after = self.after(at);
            self.note(after.saturating_sub(1));
            return after;
        }
        if self.has(at, CLASS | FUNCTION | VALUE | SPACE) {
            self.define(at);
        }
        if self.has(at, NAME) && self.flat.is_leaf(at) {
            self.name(at);
        }
        if self.grammar == Grammar::Python && self.has(at, CONTENT) {
            self.facts.paths.extend(registered::path(self.text_of(at)));
        }
        self.tell(at);
        at + 1
    }

    /// Whether it is a piece of a condition that happens only sometimes: not the question itself.
    fn is_sometimes(&self, at: usize) -> bool {
        let parent = self.parent(at);
        if parent == at || !self.has(parent, CONDITIONAL) || !self.flat.entries[at].is_named {
            return false;
        }
        let (node, above) = (self.flat.node(at), self.flat.node(parent));
        let is_question =
            above.child_by_field_name("condition").is_some_and(|it| it.id() == node.id());
        // Python's `a if b else c` has no fields: b is the second.
        let is_middle = self.flat.kind(parent) == "conditional_expression"
            && above.child_by_field_name("condition").is_none()
            && above.named_child(1).is_some_and(|it| it.id() == node.id());
        !is_question && !is_middle
    }

    // Words.

    fn tell(&mut self, at: usize) {
        if !self.flat.is_leaf(at) {
            return;
        }
        let node = self.flat.node(at);
        let word = self.text_of(at);
        self.tell_gap(node.start_byte());
        self.told = self.told.max(node.end_byte());
        let word = word.trim();
        if word.is_empty() || word.starts_with('\\') && self.has(at, CONTINUATION) {
            return;
        }
        if matches!(word, ")" | "]" | "}") && !self.is_tuple_of_one(at) {
            let comma = tokens::of(b",");
            self.facts.tokens.pop_if(|last| *last == comma);
        }
        if word == ";" && self.grammar != Grammar::Rust {
            return;
        }
        self.facts.tokens.push(word_hash(word));
    }

    /// What lies between leaves and is not blank: grammars leave the plain text of some strings out.
    fn tell_gap(&mut self, start: usize) {
        let gap = self.text.get(self.told..start).unwrap_or_default();
        let gap = gap.trim_matches(|c: char| c.is_whitespace() || c == '\\');
        if !gap.is_empty() {
            self.facts.tokens.push(tokens::of(gap.as_bytes()));
        }
    }

    fn is_tuple_of_one(&self, closing: usize) -> bool {
        let parent = self.parent(closing);
        self.has(parent, TUPLE) && self.flat.only_named_child(parent).is_some()
    }

    // Definitions.

    fn define(&mut self, at: usize) {
        let Some((kind, name)) = self.named(at) else { return };
        let owner = self.around.last().and_then(|around| around.definition);
        let prefix = owner.map(|owner| self.facts.definitions[owner as usize].name.clone());
        let name: Box<str> = match prefix {
            Some(prefix) => format!("{prefix}.{name}").into(),
            None => name.into(),
        };
        let body = self.body(at);
        let definition = kind.map(|kind| self.definition(name, kind, owner));
        if let Some(definition) = definition {
            let parent = self.parent(at);
            let is_wrapped = matches!(self.flat.kind(parent), "decorated_definition");
            let start = if is_wrapped { parent } else { at };
            self.found.push(Found { definition, start, at, body });
            let is_registered = is_wrapped && self.has_registering_decorator(parent);
            self.facts.definitions[definition as usize].is_registered |= is_registered;
        }
        let conditions = self.conditions.len();
        self.around.push(Enclosing {
            end: self.after(at),
            definition: definition.or(owner),
            head_end: body,
            conditions,
        });
    }

    fn has_registering_decorator(&self, decorated: usize) -> bool {
        let mut decorators = self.flat.named_children(decorated);
        decorators.any(|at| {
            let words =
                self.text_of(at).strip_prefix('@').filter(|_| self.flat.kind(at) == "decorator");
            words.is_some_and(registered::is_registering)
        })
    }

    /// The kind and the name of what an entry defines; a kind of None is of what only gives a name.
    fn named(&self, at: usize) -> Option<(Option<Kind>, String)> {
        let node = self.flat.node(at);
        if self.has(at, VALUE) {
            return self.value(at).map(|(kind, name)| (Some(kind), name));
        }
        let name = match self.grammar {
            Grammar::Python => {
                self.text.get(node.child_by_field_name("name")?.byte_range())?.to_owned()
            }
            _ => names::of(node, self.text)?,
        };
        if name.is_empty() {
            return None;
        }
        let kind = match () {
            () if self.has(at, CLASS) => Some(Kind::Class),
            () if self.has(at, FUNCTION) => Some(Kind::Function),
            () => None,
        };
        Some((kind, name.replace("::", ".")))
    }

    /// A constant or variable at the top of the file; a variable that holds a function is one.
    fn value(&self, at: usize) -> Option<(Kind, String)> {
        let node = self.flat.node(at);
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("left"))?;
        let is_plain = matches!(name.kind(), "identifier" | "type_identifier");
        let mut above = self.parent(at);
        while matches!(
            self.flat.kind(above),
            "expression_statement"
                | "lexical_declaration"
                | "variable_declaration"
                | "export_statement"
                | "mod_item"
                | "declaration_list"
        ) {
            above = self.parent(above);
        }
        let is_top = matches!(self.flat.kind(above), "module" | "program" | "source_file");
        let value = node.child_by_field_name("value").map(|value| value.kind());
        let kind = match value {
            Some("arrow_function" | "function_expression" | "generator_function") => Kind::Function,
            Some("class") => Kind::Class,
            _ => Kind::Value,
        };
        let words = self.text.get(name.byte_range())?;
        (is_plain && is_top).then(|| (kind, words.to_owned()))
    }

    /// The entry of the body; the end of the definition where it has none.
    fn body(&self, at: usize) -> usize {
        let node = self.flat.node(at);
        let body = ["body", "right", "value"]
            .into_iter()
            .find_map(|field| node.child_by_field_name(field));
        let entry = |body: tree_sitter::Node<'_>| {
            self.flat.children(at).find(|&child| self.flat.node(child).id() == body.id())
        };
        body.and_then(entry).unwrap_or_else(|| self.after(at))
    }

    fn definition(&mut self, name: Box<str>, kind: Kind, owner: Option<u32>) -> u32 {
        if let Some(known) = self.by_name.get(&name) {
            return *known;
        }
        let at = u32::try_from(self.facts.definitions.len()).unwrap_or(u32::MAX);
        self.by_name.insert(name.clone(), at);
        self.facts.definitions.push(Definition {
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

    fn name(&mut self, at: usize) {
        let name = self.text_of(at);
        let around = self.around.last().copied();
        let within = around.and_then(|around| around.definition);
        if matches!(name, "self" | "cls" | "this" | "Self" | "")
            || self.is_field(at, self.words.label(self.kind_of(self.parent(at))))
        {
            return;
        }
        let definition = within.and_then(|it| self.facts.definitions.get_mut(it as usize));
        let is_head = around.is_some_and(|around| at < around.head_end);
        if is_head && definition.as_ref().is_some_and(|it| it.simple() == name) {
            return;
        }
        if self.is_bound(at) {
            let inside = within.and_then(|it| self.facts.definitions.get_mut(it as usize));
            if let Some(function) = inside.filter(|it| it.kind == Kind::Function) {
                function.locals.insert(name.into());
            }
            return;
        }
        let conditions = around.map_or(0, |around| around.conditions);
        let is_conditional = self.conditions.len() > conditions;
        let line = self.line(self.flat.node(at).start_position());
        let via = self.via(at);
        let fresh = Use { via: via.clone(), within, count: 0, line, is_conditional: true };
        let found = self.uses.entry((name, via, within)).or_insert(fresh);
        found.count += 1;
        found.is_conditional &= is_conditional;
    }

    /// The line of a point, counting from 1 after those that are not counted.
    fn line(&self, point: Point) -> u32 {
        u32::try_from((point.row + 1).saturating_sub(self.rows)).unwrap_or(u32::MAX)
    }

    /// Whether an entry stands in that field of its parent.
    fn is_field(&self, at: usize, field: Option<FieldId>) -> bool {
        let Some(field) = field else { return false };
        let parent = self.flat.node(self.parent(at));
        let id = self.flat.node(at).id();
        parent.child_by_field_id(field.get()).is_some_and(|it| it.id() == id)
    }

    fn is_bound(&self, at: usize) -> bool {
        let mut child = at;
        while self.has(self.parent(child), PATTERN) {
            child = self.parent(child);
        }
        let kind = self.kind_of(self.parent(child));
        self.words.bindings(kind).iter().any(|binding| match binding {
            Binding::Anywhere => true,
            Binding::In(field) => self.is_field(child, Some(*field)),
        })
    }

    fn via(&self, at: usize) -> Via {
        let parent = self.parent(at);
        if !self.is_field(at, self.words.member(self.kind_of(parent))) {
            return Via::Itself;
        }
        let Some(object) = self.flat.named_children(parent).next().filter(|&it| it != at) else {
            return Via::Itself;
        };
        let words = self.text_of(object);
        let is_dotted =
            words.len() < 200 && words.chars().all(|c| c.is_alphanumeric() || "_.$:".contains(c));
        Via::Member(if is_dotted { words.replace("::", ".").into() } else { "".into() })
    }

    fn finish(mut self) -> FileFacts {
        for found in &self.found {
            let word = |entry: usize| self.before.get(entry).copied().unwrap_or_default();
            let tokens = (word(found.start), word(found.body), word(self.after(found.at)));
            let node = self.flat.node(found.start);
            let (start, end) = (self.line(node.start_position()), self.line(node.end_position()));
            let part = Part { span: Span { start, end }, tokens };
            self.facts.definitions[found.definition as usize].parts.push(part);
        }
        let words = std::mem::take(&mut self.facts.tokens);
        for definition in &mut self.facts.definitions {
            definition.hash = tokens::of_definition(definition, &words);
        }
        self.facts.tokens = words;
        for ((name, ..), one) in self.uses {
            self.facts.uses.entry(name.into()).or_default().push(one);
        }
        self.facts
    }
}

/// Quotes of every kind are one kind.
fn word_hash(word: &str) -> u32 {
    let is_quote = |c: char| matches!(c, '"' | '\'');
    let bare = word.trim_end_matches(is_quote);
    if bare.len() < word.len() && bare.chars().all(char::is_alphabetic) {
        return tokens::of(format!("{}\"", bare.to_lowercase()).as_bytes());
    }
    tokens::of(word.as_bytes())
}
