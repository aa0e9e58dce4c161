//! Reading a rule into tests.
//!
//! The library reads the patterns and kinds; everything around them is in the rule's own words. None wherever a rule
//! says something that has no test here.

use ast_grep_config::{DeserializeEnv, Rule, RuleConfig, SerializableRule};
use ast_grep_core::{
    Language, MatchStrictness, Matcher, Pattern as LibraryPattern, matcher::PatternNode,
    meta_var::MetaVariable,
};
use ast_grep_language::SupportLang;
use serde_json::{Map, Value};

use super::{
    Direct, Expression, Nth, Test,
    kinds::KindSet,
    pattern::{ERROR, Goal, Pattern},
    relation::{Of, Relation, Until},
};

impl Direct {
    /// None where the rule says something that is not known here.
    pub fn read(config: &RuleConfig<SupportLang>) -> Option<Self> {
        let json = |value: serde_json::Result<Value>| value.unwrap_or_default();
        let rule = json(serde_json::to_value(&config.rule));
        let utils = json(serde_json::to_value(&config.utils));
        let constraints = json(serde_json::to_value(&config.constraints));
        let utils: Vec<(&String, &Value)> = utils.as_object().into_iter().flatten().collect();
        let mut reader = Reader {
            language: config.language,
            env: DeserializeEnv::new(config.language),
            utils: utils.iter().map(|(name, _)| name.as_str()).collect(),
            names: vec![],
        };
        let test = reader.rule(&rule)?;
        let utils = utils.iter().map(|(_, rule)| reader.rule(rule)).collect::<Option<Vec<_>>>()?;
        let constraints = reader.constraints(constraints.as_object())?;
        let constraints: Vec<(usize, Test)> =
            constraints.into_iter().filter_map(|(name, test)| Some((name?, test))).collect();
        let mut direct = Self::of(test, utils, constraints, reader.names.len());
        direct.tidy(&reader.names);
        Some(direct)
    }
}

impl Direct {
    /// A rule of a document that says no utilities. None where it says something that is not known here, or that the
    /// library might not take.
    pub fn read_plain(
        language: SupportLang,
        rule: &Value,
        constraints: Option<&Map<String, Value>>,
    ) -> Option<Self> {
        serde_json::from_value::<SerializableRule>(rule.clone()).ok()?;
        let env = DeserializeEnv::new(language);
        let mut reader = Reader { language, env, utils: vec![], names: vec![] };
        let test = reader.rule(rule)?;
        for rule in constraints.into_iter().flat_map(Map::values) {
            serde_json::from_value::<SerializableRule>(rule.clone()).ok()?;
        }
        let constraints = reader.constraints(constraints)?;
        // The library refuses a constraint on a name that no pattern has.
        let constraints = constraints.into_iter().map(|(name, test)| Some((name?, test)));
        let constraints = constraints.collect::<Option<Vec<_>>>()?;
        if !test.is_surely_taken() || !constraints.iter().all(|(_, test)| test.is_surely_taken()) {
            return None;
        }
        let utils = vec![];
        let mut direct = Self::of(test, utils, constraints, reader.names.len());
        direct.tidy(&reader.names);
        Some(direct)
    }
}

/// A name of the patterns, and how often they say it.
type Name = (String, usize);

struct Reader<'r> {
    language: SupportLang,
    env: DeserializeEnv<SupportLang>,
    /// Names of the rules that `matches` may name, by place.
    utils: Vec<&'r str>,
    /// `A` of `$A`, and `$$$A`.
    names: Vec<Name>,
}

/// What an object may say, in the order in which the library asks it.
const KEYS: [&str; 12] = [
    "pattern", "kind", "regex", "nthChild", "all", "any", "not", "matches", "inside", "has",
    "precedes", "follows",
];

impl Reader<'_> {
    /// By the place of the name, which is None where no pattern read so far has it.
    fn constraints(
        &mut self,
        said: Option<&Map<String, Value>>,
    ) -> Option<Vec<(Option<usize>, Test)>> {
        let before = self.names.len();
        let read = said.into_iter().flatten();
        let read = read.map(|(name, rule)| Some((self.place(name), self.rule(rule)?)));
        let read = read.collect::<Option<Vec<_>>>()?;
        // What a constraint binds, others would have to agree with, in no order that is known.
        let binds = self.names.len() > before || read.iter().any(|(_, test)| test.binds());
        (!binds).then_some(read)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|(known, _)| known == name)
    }

    fn rule(&mut self, rule: &Value) -> Option<Test> {
        let said = rule.as_object()?;
        if said.keys().any(|key| !KEYS.contains(&key.as_str())) {
            return None;
        }
        let mut tests = vec![];
        for key in KEYS {
            if let Some(what) = said.get(key) {
                tests.push(self.said(key, what)?);
            }
        }
        if tests.len() > 1 { Some(Test::All(tests)) } else { tests.pop() }
    }

    fn said(&mut self, key: &str, what: &Value) -> Option<Test> {
        match key {
            "pattern" => self.pattern(what),
            "kind" => self.kind(what.as_str()?),
            "regex" => Some(Test::Regex(Box::new(Expression::new(what.as_str()?)))),
            "nthChild" => nth(what).map(Test::Nth),
            "all" => Some(Test::All(self.rules(what)?)),
            "any" => Some(Test::Any(self.rules(what)?)),
            "not" => Some(Test::Not(Box::new(self.rule(what)?))),
            "matches" => {
                let name = what.as_str()?;
                self.utils.iter().position(|known| *known == name).map(Test::Util)
            }
            "inside" => self.relation(Of::Above, what),
            "has" => self.relation(Of::Below, what),
            "precedes" => self.relation(Of::After, what),
            _ => self.relation(Of::Before, what),
        }
    }

    fn rules(&mut self, rules: &Value) -> Option<Vec<Test>> {
        rules.as_array()?.iter().map(|rule| self.rule(rule)).collect()
    }

    /// A selector of several kinds is not known here.
    fn kind(&self, name: &str) -> Option<Test> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let kind = name.chars().all(is_word).then(|| self.language.kind_to_id(name))?;
        (kind != 0 && kind != ERROR).then(|| Test::Kinds(KindSet::of([kind])))
    }

    fn relation(&mut self, of: Of, said: &Value) -> Option<Test> {
        let mut rule: Map<String, Value> = said.as_object()?.clone();
        let until = match rule.remove("stopBy") {
            None => Until::Near,
            Some(Value::String(word)) if word == "neighbor" => Until::Near,
            Some(Value::String(word)) if word == "end" => Until::End,
            Some(stop) => Until::Holds(self.rule(&stop)?),
        };
        let field = match rule.remove("field") {
            None | Some(Value::Null) => None,
            Some(name) => Some(self.language.field_to_id(name.as_str()?)?),
        };
        let test = self.rule(&Value::Object(rule))?;
        Some(Test::Relation(Box::new(Relation { of, test, kinds: None, until, field })))
    }

    fn pattern(&mut self, said: &Value) -> Option<Test> {
        let alone = Value::Object(Map::from_iter([("pattern".to_owned(), said.clone())]));
        let rule: SerializableRule = serde_json::from_value(alone).ok()?;
        let Rule::Pattern(pattern) = self.env.deserialize_rule(rule).ok()? else { return None };
        let is_exact = match pattern.strictness {
            MatchStrictness::Smart => false,
            MatchStrictness::Cst => true,
            _ => return None,
        };
        let kind = kind_of_hole(&pattern);
        Some(Test::Pattern(Pattern { goal: self.goal(&pattern.node), kind, is_exact }))
    }

    fn goal(&mut self, node: &PatternNode) -> Goal {
        match node {
            PatternNode::MetaVar { meta_var } => match meta_var {
                MetaVariable::Capture(name, is_named) => {
                    Goal::Hole { name: Some(self.name(name.clone())), is_named: *is_named }
                }
                MetaVariable::Dropped(is_named) => Goal::Hole { name: None, is_named: *is_named },
                MetaVariable::Multiple => Goal::Many { name: None },
                MetaVariable::MultiCapture(name) => {
                    Goal::Many { name: Some(self.name(format!("$$${name}"))) }
                }
            },
            PatternNode::Terminal { text, is_named, kind_id } => {
                Goal::Leaf { kind: *kind_id, is_named: *is_named, text: text.as_str().into() }
            }
            PatternNode::Internal { kind_id, children } => Goal::Inner {
                kind: *kind_id,
                children: children.iter().map(|child| self.goal(child)).collect(),
            },
        }
    }

    fn name(&mut self, name: String) -> usize {
        let place = self.place(&name).unwrap_or_else(|| {
            self.names.push((name, 0));
            self.names.len() - 1
        });
        self.names[place].1 += 1;
        place
    }
}

/// The kind that a pattern out of its context must have, where it is a hole alone.
fn kind_of_hole(pattern: &LibraryPattern) -> Option<u16> {
    let is_hole = matches!(pattern.node, PatternNode::MetaVar { .. });
    let kinds = is_hole.then(|| pattern.potential_kinds()).flatten()?;
    kinds.iter().next().and_then(|kind| u16::try_from(kind).ok())
}

/// A number, or an object with one. Steps such as `2n+1`, and `ofRule`, are not known here.
fn nth(said: &Value) -> Option<Nth> {
    let place = |value: &Value| value.as_u64().and_then(|place| usize::try_from(place).ok());
    if let Some(place) = place(said) {
        return Some(Nth { place, is_from_the_end: false });
    }
    let said = said.as_object()?;
    let is_null = |key: &str| said.get(key).is_none_or(Value::is_null);
    let is_from_the_end = said.get("reverse").and_then(Value::as_bool).unwrap_or(false);
    is_null("ofRule").then_some(Nth { place: place(said.get("position")?)?, is_from_the_end })
}
