//! Measuring again: another profile, or other rules.

use std::path::PathBuf;

use crate::{
    session::{
        effect::Effect,
        jobs::{Choice, Measure, Refusal},
    },
    shell::screens::Screens,
    views::{
        compare::Comparison,
        form::{Field, Form},
        table::Collection,
    },
};
use trajview_metrics::quality::Profile;

pub(crate) const PROFILE: &str = "profile";
pub const DEFAULT: &str = "default";
pub const RULES: &str = "rules";

/// As the code is measured now.
pub fn form(now: &Measure) -> Form {
    let profiles = Profile::ALL.iter().map(|it| Choice::new(it.name(), it.name())).collect();
    let at = Profile::ALL.iter().position(|it| *it == now.profile).unwrap_or_default();
    let rules = now.rules.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let once = Choice::new("no", "no").with_remark("until trajview is closed");
    let always = Choice::new("yes", "yes").with_remark("in the settings");
    Form::new(vec![
        Field::choice(PROFILE, "profile", profiles, at),
        Field::text(RULES, "rules", &rules, "those that are built in"),
        Field::choice(DEFAULT, "as default", vec![once, always], 0),
    ])
}

pub fn wanted(form: &Form) -> Result<Measure, Refusal> {
    let profile = form.choice(PROFILE).parse().map_err(|why: String| Refusal::at(PROFILE, why))?;
    let rules = form.text(RULES).map(PathBuf::from);
    Ok(Measure { profile, rules, is_default: form.choice(DEFAULT) == "yes" })
}

/// From now on the code of every run is measured so; what was measured otherwise is measured again.
pub fn measure_with(screens: &mut Screens, measure: Measure) -> Vec<Effect> {
    screens.on_open_run(|open| open.session.scores.measure_again());
    screens.on_comparison(Comparison::measure_again);
    screens.on_collection(Collection::measure_again);
    vec![Effect::MeasureWith(measure)]
}

/// Values measured with another profile or other rules are not shown any more.
pub(crate) fn dismiss_before(screens: &mut Screens) {
    screens.on_open_run(|open| open.session.scores.before = None);
    screens.on_comparison(|it| it.measures.before = None);
    screens.on_collection(Collection::dismiss_before);
}
