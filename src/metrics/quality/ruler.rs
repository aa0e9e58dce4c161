//! What files are measured with: a profile and its rules.

use super::profile::Profile;
use crate::metrics::rules::Rules;

/// Raised whenever the same bytes would measure otherwise than before.
const VERSION: u32 = 1;

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

    /// Changes with the profile, the text of the rules and the measuring code. Together with a file's bytes and its
    /// [`Profile::grammar`] it is a key for a [`FileMeasure`](super::FileMeasure).
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}
