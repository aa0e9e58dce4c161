//! What a rule cannot do without: nodes that must be in the tree for it to match at all.
//!
//! To match a pattern costs far more than to look at a few bits. So every rule is read once for the nodes it asks for,
//! each kind and each text of a kind has a bit in [`Words`], and a rule is tried at a node only where the bits of the
//! node and of the file leave it a way. What this module does not know asks for nothing, which is always right: a bit
//! too few costs time, a bit too many would lose matches.

use ast_grep_config::{DeserializeEnv, Rule, RuleConfig, SerializableRule};
use ast_grep_core::{
    MatchStrictness, Matcher, Pattern, matcher::PatternNode, meta_var::MetaVariable,
};
use ast_grep_language::SupportLang;
use serde_json::{Map, Value};

use super::marks::{Family, Marks, Words};

/// A rule with more ways than this is held to fewer of its parts.
const MOST_WAYS: usize = 64;

/// Rules that name rules are read no deeper than this.
const MOST_OPEN: usize = 3;

/// The kind of what the grammar could not read. In a pattern it stands for any.
const ERROR: u16 = u16::MAX;

/// One way in which a rule may match a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Way {
    pub node: Family,
    pub parent: Family,
    /// What must be in the file.
    pub anywhere: Marks,
    /// The kind the node must have.
    pub kind: Option<u16>,
}

/// The ways in which a rule may match; there is no other.
pub fn ways(config: &RuleConfig<SupportLang>, words: &mut Words) -> Vec<Way> {
    let rule = serde_json::to_value(&config.rule).unwrap_or_default();
    let utils = serde_json::to_value(&config.utils).unwrap_or_default();
    Reader { env: DeserializeEnv::new(config.language), utils, open: vec![], words }.rule(&rule)
}

struct Reader<'w> {
    env: DeserializeEnv<SupportLang>,
    /// The rules that `matches` may name.
    utils: Value,
    /// Those being read: through `has` and its like one may name itself.
    open: Vec<String>,
    words: &'w mut Words,
}

impl Reader<'_> {
    /// All that a rule says holds at once. `not`, `regex`, `nthChild` and `range` ask for nothing here.
    fn rule(&mut self, rule: &Value) -> Vec<Way> {
        let mut ways = vec![Way::default()];
        for (key, said) in rule.as_object().into_iter().flatten() {
            let part = match key.as_str() {
                "pattern" | "kind" => vec![self.atom(key, said)],
                "any" => {
                    said.as_array().into_iter().flatten().flat_map(|one| self.rule(one)).collect()
                }
                "all" => self.all(said),
                "matches" => self.util(said),
                "has" | "inside" | "precedes" | "follows" => self.relation(key, said),
                _ => continue,
            };
            ways = both(ways, &part);
        }
        ways
    }

    fn all(&mut self, parts: &Value) -> Vec<Way> {
        let parts = parts.as_array().into_iter().flatten();
        parts.fold(vec![Way::default()], |ways, part| both(ways, &self.rule(part)))
    }

    /// A call with arguments asks for nothing, nor does what lies too deep.
    fn util(&mut self, said: &Value) -> Vec<Way> {
        let known = said.as_str().and_then(|name| Some((name, self.utils.get(name)?.clone())));
        let Some((name, rule)) = known.filter(|_| self.open.len() < MOST_OPEN) else {
            return vec![Way::default()];
        };
        if self.open.iter().any(|open| open == name) {
            return vec![Way::default()];
        }
        self.open.push(name.to_owned());
        let ways = self.rule(&rule);
        self.open.pop();
        ways
    }

    /// Without `stopBy`, or with that of a neighbour, the other node is a child, the parent or one beside.
    fn relation(&mut self, key: &str, said: &Value) -> Vec<Way> {
        let is_near = said.get("stopBy").is_none_or(|stop| stop == "neighbor");
        let ways = self.rule(said).into_iter();
        ways.map(|way| match (key, is_near) {
            ("has", true) => way.of_a_child(),
            ("has", false) => way.of_a_descendant(),
            ("inside", true) => way.of_the_parent(),
            (_, true) => way.of_a_sibling(),
            (_, false) => way.of_another(),
        })
        .collect()
    }

    /// What a pattern or kind asks for, as the library itself reads it.
    fn atom(&mut self, key: &str, said: &Value) -> Way {
        let alone = Value::Object(Map::from_iter([(key.to_owned(), said.clone())]));
        let rule = serde_json::from_value::<SerializableRule>(alone)
            .ok()
            .and_then(|rule| self.env.deserialize_rule(rule).ok());
        match rule {
            Some(Rule::Pattern(pattern)) => self.pattern(&pattern),
            Some(Rule::Kind(kind)) => {
                let kind = kind.potential_kinds().and_then(|kinds| kinds.iter().next());
                self.kind(kind.and_then(|kind| u16::try_from(kind).ok()))
            }
            _ => Way::default(),
        }
    }

    fn kind(&mut self, kind: Option<u16>) -> Way {
        let kind = kind.filter(|kind| *kind != ERROR);
        let marks = kind.map(|kind| self.words.ask(kind, None)).unwrap_or_default();
        Way { node: Family::of(marks), kind, ..Way::default() }
    }

    /// Under the other strictnesses a pattern may do without some of its nodes.
    fn pattern(&mut self, pattern: &Pattern) -> Way {
        if !matches!(pattern.strictness, MatchStrictness::Cst | MatchStrictness::Smart) {
            return Way::default();
        }
        let root = match &pattern.node {
            PatternNode::Internal { kind_id, .. } | PatternNode::Terminal { kind_id, .. } => {
                Some(*kind_id)
            }
            PatternNode::MetaVar { .. } => None,
        };
        let way = self.kind(root);
        Way { node: way.node.and(self.node(&pattern.node)), ..way }
    }

    /// A node of a pattern is matched by a node of its kind, and by one of its text if it has a name and no children.
    fn node(&mut self, node: &PatternNode) -> Family {
        match node {
            PatternNode::MetaVar { .. } => Family::default(),
            PatternNode::Terminal { kind_id, .. } | PatternNode::Internal { kind_id, .. }
                if *kind_id == ERROR =>
            {
                Family::default()
            }
            PatternNode::Terminal { text, is_named, kind_id } => {
                Family::of(self.words.ask(*kind_id, is_named.then_some(text)))
            }
            PatternNode::Internal { kind_id, children } => {
                Family::of(self.words.ask(*kind_id, None)).and(self.children(children))
            }
        }
    }

    /// After `$$$` the library passes over what has no name, in the pattern too.
    fn children(&mut self, children: &[PatternNode]) -> Family {
        let (mut family, mut after_many) = (Family::default(), false);
        for child in children {
            if !(after_many && child.is_trivial()) {
                family = family.and(self.node(child).of_a_child());
            }
            after_many |= is_many(child);
        }
        family
    }
}

impl Way {
    fn of_a_child(self) -> Self {
        Self { node: self.node.of_a_child(), anywhere: self.in_file(), ..Self::default() }
    }

    fn of_a_descendant(self) -> Self {
        let node = Family { within: self.node.within, ..Family::default() };
        Self { node, anywhere: self.in_file(), ..Self::default() }
    }

    fn of_the_parent(self) -> Self {
        Self { parent: self.node, anywhere: self.in_file(), ..Self::default() }
    }

    fn of_a_sibling(self) -> Self {
        Self { parent: self.node.of_a_child(), anywhere: self.in_file(), ..Self::default() }
    }

    fn of_another(self) -> Self {
        Self { anywhere: self.in_file(), ..Self::default() }
    }

    /// All that must be somewhere.
    pub fn in_file(&self) -> Marks {
        self.node.within.and(self.parent.within).and(self.anywhere)
    }

    /// None where a node would have to be of two kinds.
    fn with(self, other: &Self) -> Option<Self> {
        if self.kind.zip(other.kind).is_some_and(|(one, two)| one != two) {
            return None;
        }
        Some(Self {
            node: self.node.and(other.node),
            parent: self.parent.and(other.parent),
            anywhere: self.anywhere.and(other.anywhere),
            kind: self.kind.or(other.kind),
        })
    }
}

/// The ways of two things that must both hold.
fn both(ways: Vec<Way>, others: &[Way]) -> Vec<Way> {
    if ways.len() * others.len() > MOST_WAYS {
        return ways;
    }
    ways.iter().flat_map(|way| others.iter().filter_map(|other| way.with(other))).collect()
}

fn is_many(node: &PatternNode) -> bool {
    let PatternNode::MetaVar { meta_var } = node else { return false };
    matches!(meta_var, MetaVariable::Multiple | MetaVariable::MultiCapture(_))
}
