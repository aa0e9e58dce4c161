//! The form for measuring again with another profile, or other rules.

use std::path::PathBuf;

use crate::{
    session::{
        effect::Effect,
        jobs::{FormChoice, JobRefusal, MeasureSettings},
    },
    shell::screens::Screens,
    views::{
        compare::ComparisonView,
        form::{FormField, FormPane},
        table::RunTableView,
    },
};
use trajview_metrics::quality::QualityProfile;

pub(crate) const PROFILE: &str = "profile";
pub const DEFAULT: &str = "default";
pub const RULES: &str = "rules";

/// Returns the form with the present settings.
pub fn scoring_form(now: &MeasureSettings) -> FormPane {
    let profiles =
        QualityProfile::ALL.iter().map(|it| FormChoice::new(it.name(), it.name())).collect();
    let at = QualityProfile::ALL.iter().position(|it| *it == now.profile).unwrap_or_default();
    let rules = now.rules.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let once = FormChoice::new("no", "no").with_remark("for this session");
    let always = FormChoice::new("yes", "yes").with_remark("saved in the settings");
    let fields = vec![
        FormField::with_choices(PROFILE, "profile", profiles, at),
        FormField::with_text(RULES, "rules", &rules, "built in"),
        FormField::with_choices(DEFAULT, "as default", vec![once, always], 0),
    ];
    FormPane::new("re-score", "re-score", fields)
}

pub(crate) fn measure_settings(form: &FormPane) -> Result<MeasureSettings, JobRefusal> {
    let profile = form
        .chosen_id(PROFILE)
        .parse()
        .map_err(|why: String| JobRefusal::for_field(PROFILE, why))?;
    let rules = form.typed_text(RULES).map(PathBuf::from);
    Ok(MeasureSettings { profile, rules, is_default: form.chosen_id(DEFAULT) == "yes" })
}

/// Changes the settings for measuring the code of every run; values with other settings are measured again.
pub fn measure_with(screens: &mut Screens, measure: MeasureSettings) -> Vec<Effect> {
    screens.on_open_run(|open| open.session.scores.measure_again());
    screens.on_comparison(ComparisonView::measure_again);
    screens.on_collection(RunTableView::measure_again);
    vec![Effect::MeasureWith(measure)]
}

/// Removes values that were measured with another profile or other rules.
pub(crate) fn dismiss_old_values(screens: &mut Screens) {
    screens.on_open_run(|open| open.session.scores.before = None);
    screens.on_comparison(|it| it.measures.before = None);
    screens.on_collection(RunTableView::dismiss_before);
}
