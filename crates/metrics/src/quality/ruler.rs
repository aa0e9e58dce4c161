//! The settings of the measures: a profile and its rules.

use super::profile::QualityProfile;
use crate::rules::RuleSet;

/// The version of the measures. Raise it whenever the same bytes get other measures than before.
const VERSION: u32 = 5;

/// The number of the paper's rules. Their text changes between commits of the benchmark, so they are recognised by
/// their number.
const PAPER_RULES: usize = 137;

/// [`RuleSet::fingerprint`] of the rules that come with `scb-check`, 197 in 0.1.3 and in 0.2.0 alike.
const CHECK_RULES: &str = "bf39d49594a7ca47056eb4868dc477ff0e859e24bcb4788d46abb9c7609cded4";

/// The numbers of a snapshot that other rules change.
pub(crate) const BY_RULES: [&str; 3] = ["verbosity", "rule_lines", "flagged_lines"];

/// A profile and the rules loaded for it. It is created once and shared between threads.
#[derive(Debug)]
pub struct Ruler {
    profile: QualityProfile,
    rules: RuleSet,
    fingerprint: String,
}

impl Ruler {
    pub fn new(profile: QualityProfile, rules: RuleSet) -> Self {
        let fingerprint = format!("{profile} {VERSION} {}", rules.sha256());
        Self { profile, rules, fingerprint }
    }

    pub fn profile(&self) -> QualityProfile {
        self.profile
    }

    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Returns whether these are the rules of the profile. A profile is its formulas and its rules: with other rules
    /// its verbosity is not comparable with that of the reference. Our own profile has no reference.
    pub fn is_comparable(&self) -> bool {
        match self.profile {
            QualityProfile::Trajview => true,
            QualityProfile::ScbPaper => {
                !self.rules.is_built_in() && self.rules.rule_count() == PAPER_RULES
            }
            QualityProfile::ScbCheck013 | QualityProfile::ScbCheck020 => {
                self.rules.fingerprint() == CHECK_RULES
            }
        }
    }

    /// Returns `scb-paper` where the rules are the profile's own, else a description such as `trajview rules,
    /// scb-paper formulas`.
    pub fn display_name(&self) -> String {
        let profile = self.profile;
        match self.rules.source() {
            _ if self.is_comparable() => profile.to_string(),
            _ if self.rules.is_built_in() => format!("trajview rules, {profile} formulas"),
            "none" => format!("no rules, {profile} formulas"),
            source => format!("rules of {source}, {profile} formulas"),
        }
    }

    /// Returns the numbers that are not comparable with those of the reference, by their names in JSON.
    pub fn not_comparable(&self) -> &'static [&'static str] {
        if self.is_comparable() { &[] } else { &BY_RULES }
    }

    /// Returns a fingerprint that changes with the profile, the text of the rules and the measuring code. Together
    /// with a file's bytes and its [`QualityProfile::grammar_of_file`] it is a key for a [`FileMeasure`](super::FileMeasure).
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered_rules(count: usize) -> RuleSet {
        let rule = |n: usize| format!("id: r{n}\nlanguage: python\nrule:\n  pattern: f{n}()\n");
        let text = (0..count).map(rule).collect::<Vec<_>>().join("---\n");
        RuleSet::load("mine.yml", &[("mine.yml", &text)])
    }

    #[test]
    fn a_profile_without_its_rules_is_named_after_the_rules_and_is_not_comparable() {
        let named = |profile, rules| {
            let ruler = Ruler::new(profile, rules);
            (ruler.display_name(), ruler.is_comparable())
        };

        let built_in = named(QualityProfile::ScbPaper, RuleSet::built_in());
        assert_eq!(built_in, ("trajview rules, scb-paper formulas".into(), false));
        let built_in = named(QualityProfile::ScbCheck020, RuleSet::built_in());
        assert_eq!(built_in, ("trajview rules, scb-check-0.2.0 formulas".into(), false));
        let none = named(QualityProfile::ScbCheck013, RuleSet::none());
        assert_eq!(none, ("no rules, scb-check-0.1.3 formulas".into(), false));
        let mine = named(QualityProfile::ScbPaper, numbered_rules(3));
        assert_eq!(mine, ("rules of mine.yml, scb-paper formulas".into(), false));
        assert_eq!(
            named(QualityProfile::ScbPaper, numbered_rules(PAPER_RULES)),
            ("scb-paper".into(), true)
        );
        assert_eq!(named(QualityProfile::Trajview, numbered_rules(3)), ("trajview".into(), true));
    }

    #[test]
    fn the_same_rules_in_another_order_and_with_another_severity_are_the_same_rules() {
        let [one, two] = [
            "id: a\nlanguage: python\nseverity: info\nrule:\n  pattern: f()",
            "id: b\nlanguage: python\nrule:\n  pattern: g()",
        ];
        let together = format!("{two}\n---\n# a note\n{}\n", one.replace("info", "warning"));

        let apart = RuleSet::load("x", &[("1.yml", one), ("2.yml", two)]);
        let together = RuleSet::load("y", &[("all.yml", &together)]);
        let other = RuleSet::load("z", &[("1.yml", one)]);

        assert_eq!(apart.fingerprint(), together.fingerprint());
        assert_ne!(apart.fingerprint(), other.fingerprint());
    }
}
