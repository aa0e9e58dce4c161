//! Converts a rule into tests.
//!
//! The library reads the patterns and kinds; everything around them is read from the rule's YAML. The result is None
//! wherever a rule has something without a test here.

use ast_grep_config::{DeserializeEnv, Rule, RuleConfig, SerializableRule};
use ast_grep_core::{
    Language, MatchStrictness, Matcher, Pattern as LibraryPattern, matcher::PatternNode,
    meta_var::MetaVariable,
};
use ast_grep_language::SupportLang;
use serde_json::{Map, Value};

use super::{
    DirectRule, NodeTest, NthChild, RuleRegex,
    kinds::KindSet,
    pattern::{ERROR, PatternGoal, RulePattern},
    relation::{NodeRelation, RelatedNodes, RelationStop},
};
use trajview_formats::JsonFields;

impl DirectRule {
    /// Converts a rule; None where it has something that is not supported here.
    pub fn from_config(config: &RuleConfig<SupportLang>) -> Option<Self> {
        let json = |value: serde_json::Result<Value>| value.unwrap_or_default();
        let rule = json(serde_json::to_value(&config.rule));
        let utils = json(serde_json::to_value(&config.utils));
        let constraints = json(serde_json::to_value(&config.constraints));
        let utils: Vec<(&String, &Value)> = utils.as_object().into_iter().flatten().collect();
        let mut reader = RuleReader {
            language: config.language,
            env: DeserializeEnv::new(config.language),
            utils: utils.iter().map(|(name, _)| name.as_str()).collect(),
            names: vec![],
        };
        let test = reader.read_rule(&rule)?;
        let utils =
            utils.iter().map(|(_, rule)| reader.read_rule(rule)).collect::<Option<Vec<_>>>()?;
        let constraints = reader.read_constraints(constraints.as_object())?;
        let constraints: Vec<(usize, NodeTest)> =
            constraints.into_iter().filter_map(|(name, test)| Some((name?, test))).collect();
        let mut direct = Self::new(test, utils, constraints, reader.names.len());
        direct.order_tests(&reader.names);
        Some(direct)
    }
}

impl DirectRule {
    /// Converts the rule of a document without utilities; None where it has something that is not supported here, or
    /// that the library might reject.
    pub(crate) fn from_plain(
        language: SupportLang,
        rule: &Value,
        constraints: Option<&Map<String, Value>>,
    ) -> Option<Self> {
        serde_json::from_value::<SerializableRule>(rule.clone()).ok()?;
        let env = DeserializeEnv::new(language);
        let mut reader = RuleReader { language, env, utils: vec![], names: vec![] };
        let test = reader.read_rule(rule)?;
        for rule in constraints.into_iter().flat_map(Map::values) {
            serde_json::from_value::<SerializableRule>(rule.clone()).ok()?;
        }
        let constraints = reader.read_constraints(constraints)?;
        // The library refuses a constraint on a name that no pattern has.
        let constraints = constraints.into_iter().map(|(name, test)| Some((name?, test)));
        let constraints = constraints.collect::<Option<Vec<_>>>()?;
        if !test.is_surely_taken() || !constraints.iter().all(|(_, test)| test.is_surely_taken()) {
            return None;
        }
        let utils = vec![];
        let mut direct = Self::new(test, utils, constraints, reader.names.len());
        direct.order_tests(&reader.names);
        Some(direct)
    }
}

/// A name of the patterns, and the number of its occurrences.
type PatternName = (String, usize);

struct RuleReader<'r> {
    language: SupportLang,
    env: DeserializeEnv<SupportLang>,
    /// The names of the utility rules that `matches` may use, by place.
    utils: Vec<&'r str>,
    /// The names in the patterns: `A` of `$A`, and `$$$A`.
    names: Vec<PatternName>,
}

/// The keys of a rule object, in the order in which the library evaluates them.
const KEYS: [&str; 12] = [
    "pattern", "kind", "regex", "nthChild", "all", "any", "not", "matches", "inside", "has",
    "precedes", "follows",
];

impl RuleReader<'_> {
    /// Reads the constraints, keyed by the place of the name, which is None where no pattern read so far has it.
    fn read_constraints(
        &mut self,
        yaml: Option<&Map<String, Value>>,
    ) -> Option<Vec<(Option<usize>, NodeTest)>> {
        let before = self.names.len();
        let read = yaml.into_iter().flatten();
        let read = read.map(|(name, rule)| Some((self.place_of(name), self.read_rule(rule)?)));
        let read = read.collect::<Option<Vec<_>>>()?;
        // The names bound by one constraint would have to agree with the others, in an unknown order.
        let binds = self.names.len() > before || read.iter().any(|(_, test)| test.binds_names());
        (!binds).then_some(read)
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|(other, _)| other == name)
    }

    fn read_rule(&mut self, rule: &Value) -> Option<NodeTest> {
        let yaml = rule.as_object()?;
        if yaml.keys().any(|key| !KEYS.contains(&key.as_str())) {
            return None;
        }
        let mut tests = vec![];
        for key in KEYS {
            if let Some(what) = yaml.get(key) {
                tests.push(self.read_key(key, what)?);
            }
        }
        if tests.len() > 1 { Some(NodeTest::All(tests)) } else { tests.pop() }
    }

    /// Converts one key of a rule object.
    fn read_key(&mut self, key: &str, what: &Value) -> Option<NodeTest> {
        match key {
            "pattern" => self.read_pattern(what),
            "kind" => self.read_kind(what.as_str()?),
            "regex" => Some(NodeTest::Regex(Box::new(RuleRegex::new(what.as_str()?)))),
            "nthChild" => read_nth(what).map(NodeTest::Nth),
            "all" => Some(NodeTest::All(self.read_rules(what)?)),
            "any" => Some(NodeTest::Any(self.read_rules(what)?)),
            "not" => Some(NodeTest::Not(Box::new(self.read_rule(what)?))),
            "matches" => {
                let name = what.as_str()?;
                self.utils.iter().position(|known| *known == name).map(NodeTest::Util)
            }
            "inside" => self.read_relation(RelatedNodes::Above, what),
            "has" => self.read_relation(RelatedNodes::Below, what),
            "precedes" => self.read_relation(RelatedNodes::After, what),
            _ => self.read_relation(RelatedNodes::Before, what),
        }
    }

    fn read_rules(&mut self, rules: &Value) -> Option<Vec<NodeTest>> {
        rules.as_array()?.iter().map(|rule| self.read_rule(rule)).collect()
    }

    /// Reads a kind; a selector of several kinds is not supported here.
    fn read_kind(&self, name: &str) -> Option<NodeTest> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let kind = name.chars().all(is_word).then(|| self.language.kind_to_id(name))?;
        (kind != 0 && kind != ERROR).then(|| NodeTest::Kinds(KindSet::from_kinds([kind])))
    }

    fn read_relation(&mut self, related: RelatedNodes, yaml: &Value) -> Option<NodeTest> {
        let mut rule: Map<String, Value> = yaml.as_object()?.clone();
        let until = match rule.remove("stopBy") {
            None => RelationStop::Near,
            Some(Value::String(word)) if word == "neighbor" => RelationStop::Near,
            Some(Value::String(word)) if word == "end" => RelationStop::End,
            Some(stop) => RelationStop::Holds(self.read_rule(&stop)?),
        };
        let field = match rule.remove("field") {
            None | Some(Value::Null) => None,
            Some(name) => Some(self.language.field_to_id(name.as_str()?)?),
        };
        let test = self.read_rule(&Value::Object(rule))?;
        Some(NodeTest::Relation(Box::new(NodeRelation {
            related,
            test,
            kinds: None,
            until,
            field,
        })))
    }

    fn read_pattern(&mut self, yaml: &Value) -> Option<NodeTest> {
        let alone = Value::Object(Map::from_iter([("pattern".to_owned(), yaml.clone())]));
        let rule: SerializableRule = serde_json::from_value(alone).ok()?;
        let Rule::Pattern(pattern) = self.env.deserialize_rule(rule).ok()? else { return None };
        let is_exact = match pattern.strictness {
            MatchStrictness::Smart => false,
            MatchStrictness::Cst => true,
            _ => return None,
        };
        let kind = kind_of_hole(&pattern);
        Some(NodeTest::Pattern(RulePattern { goal: self.read_goal(&pattern.node), kind, is_exact }))
    }

    /// Converts a node of a pattern.
    fn read_goal(&mut self, node: &PatternNode) -> PatternGoal {
        match node {
            PatternNode::MetaVar { meta_var } => match meta_var {
                MetaVariable::Capture(name, is_named) => PatternGoal::Hole {
                    name: Some(self.note_name(name.clone())),
                    is_named: *is_named,
                },
                MetaVariable::Dropped(is_named) => {
                    PatternGoal::Hole { name: None, is_named: *is_named }
                }
                MetaVariable::Multiple => PatternGoal::Many { name: None },
                MetaVariable::MultiCapture(name) => {
                    PatternGoal::Many { name: Some(self.note_name(format!("$$${name}"))) }
                }
            },
            PatternNode::Terminal { text, is_named, kind_id } => PatternGoal::Leaf {
                kind: *kind_id,
                is_named: *is_named,
                text: text.as_str().into(),
            },
            PatternNode::Internal { kind_id, children } => PatternGoal::Inner {
                kind: *kind_id,
                children: children.iter().map(|child| self.read_goal(child)).collect(),
            },
        }
    }

    /// Counts a use of a name, which is added where it is new, and returns its number.
    fn note_name(&mut self, name: String) -> usize {
        let place = self.place_of(&name).unwrap_or_else(|| {
            self.names.push((name, 0));
            self.names.len() - 1
        });
        self.names[place].1 += 1;
        place
    }
}

/// Returns the kind that a pattern with a context must have, where it is a single hole.
fn kind_of_hole(pattern: &LibraryPattern) -> Option<u16> {
    let is_hole = matches!(pattern.node, PatternNode::MetaVar { .. });
    let kinds = is_hole.then(|| pattern.potential_kinds()).flatten()?;
    kinds.iter().next().and_then(|kind| u16::try_from(kind).ok())
}

/// Reads `nthChild`: a number, or an object with one. Steps such as `2n+1`, and `ofRule`, are not supported here.
fn read_nth(yaml: &Value) -> Option<NthChild> {
    let place = |value: &Value| value.as_u64().and_then(|place| usize::try_from(place).ok());
    if let Some(place) = place(yaml) {
        return Some(NthChild { place, is_from_the_end: false });
    }
    let yaml = yaml.as_object()?;
    let is_null = |key: &str| yaml.get(key).is_none_or(Value::is_null);
    let is_from_the_end = yaml.flag("reverse").unwrap_or(false);
    is_null("ofRule").then_some(NthChild { place: place(yaml.get("position")?)?, is_from_the_end })
}
