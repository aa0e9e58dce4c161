//! What files are measured with: a profile and its rules.

use super::profile::Profile;
use crate::rules::Rules;

/// Raised whenever the same bytes would measure otherwise than before.
const VERSION: u32 = 5;

/// How many rules the paper has. Their text changes between commits of the benchmark, so they are known by their number.
const PAPER_RULES: usize = 137;

/// [`Rules::fingerprint`] of the rules that `scb-check` brings along, 197 in 0.1.3 and in 0.2.0 alike.
const CHECK_RULES: &str = "bf39d49594a7ca47056eb4868dc477ff0e859e24bcb4788d46abb9c7609cded4";

/// The numbers of a snapshot that other rules change.
pub const BY_RULES: [&str; 3] = ["verbosity", "rule_lines", "flagged_lines"];

/// A profile and the rules loaded for it. Made once, shared between threads.
#[derive(Debug)]
pub struct Ruler {
    profile: Profile,
    rules: Rules,
    fingerprint: String,
}

impl Ruler {
    pub fn new(profile: Profile, rules: Rules) -> Self {
        let fingerprint = format!("{profile} {VERSION} {}", rules.sha256());
        Self { profile, rules, fingerprint }
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether these are the rules of the profile. A profile is its formulas and its rules: with others its verbosity
    /// may not be set beside that of the reference. The profile that is ours has no reference.
    pub fn is_comparable(&self) -> bool {
        match self.profile {
            Profile::Trajview => true,
            Profile::ScbPaper => !self.rules.is_built_in() && self.rules.count() == PAPER_RULES,
            Profile::ScbCheck013 | Profile::ScbCheck020 => self.rules.fingerprint() == CHECK_RULES,
        }
    }

    /// `scb-paper` where the rules are the profile's own, else what they are: `trajview rules, scb-paper formulas`.
    pub fn name(&self) -> String {
        let profile = self.profile;
        match self.rules.source() {
            _ if self.is_comparable() => profile.to_string(),
            _ if self.rules.is_built_in() => format!("trajview rules, {profile} formulas"),
            "none" => format!("no rules, {profile} formulas"),
            source => format!("rules of {source}, {profile} formulas"),
        }
    }

    /// The numbers that may not be set beside the reference's, by their names in JSON.
    pub fn not_comparable(&self) -> &'static [&'static str] {
        if self.is_comparable() { &[] } else { &BY_RULES }
    }

    /// Changes with the profile, the text of the rules and the measuring code. Together with a file's bytes and its
    /// [`Profile::grammar`] it is a key for a [`FileMeasure`](super::FileMeasure).
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(count: usize) -> Rules {
        let rule = |n: usize| format!("id: r{n}\nlanguage: python\nrule:\n  pattern: f{n}()\n");
        let text = (0..count).map(rule).collect::<Vec<_>>().join("---\n");
        Rules::load("mine.yml", &[("mine.yml", &text)])
    }

    #[test]
    fn a_profile_without_its_rules_is_named_after_the_rules_and_is_not_comparable() {
        let named = |profile, rules| {
            let ruler = Ruler::new(profile, rules);
            (ruler.name(), ruler.is_comparable())
        };

        let built_in = named(Profile::ScbPaper, Rules::built_in());
        assert_eq!(built_in, ("trajview rules, scb-paper formulas".into(), false));
        let built_in = named(Profile::ScbCheck020, Rules::built_in());
        assert_eq!(built_in, ("trajview rules, scb-check-0.2.0 formulas".into(), false));
        let none = named(Profile::ScbCheck013, Rules::none());
        assert_eq!(none, ("no rules, scb-check-0.1.3 formulas".into(), false));
        let mine = named(Profile::ScbPaper, rules(3));
        assert_eq!(mine, ("rules of mine.yml, scb-paper formulas".into(), false));
        assert_eq!(named(Profile::ScbPaper, rules(PAPER_RULES)), ("scb-paper".into(), true));
        assert_eq!(named(Profile::Trajview, rules(3)), ("trajview".into(), true));
    }

    #[test]
    fn the_same_rules_in_another_order_and_with_another_severity_are_the_same_rules() {
        let [one, two] = [
            "id: a\nlanguage: python\nseverity: info\nrule:\n  pattern: f()",
            "id: b\nlanguage: python\nrule:\n  pattern: g()",
        ];
        let together = format!("{two}\n---\n# a note\n{}\n", one.replace("info", "warning"));

        let apart = Rules::load("x", &[("1.yml", one), ("2.yml", two)]);
        let together = Rules::load("y", &[("all.yml", &together)]);
        let other = Rules::load("z", &[("1.yml", one)]);

        assert_eq!(apart.fingerprint(), together.fingerprint());
        assert_ne!(apart.fingerprint(), other.fingerprint());
    }
}
