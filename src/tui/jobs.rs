//! Works out what a job would do before it is begun, and begins it. Nothing is changed by a plan.

use crate::{
    app::{
        Message, Request,
        jobs::{self, Plan, Refusal, Wanted, scoring},
    },
    metrics::{quality::Ruler, rules::Rules},
    store,
};

use super::world::Reply;

/// What is answered where a worker failed.
pub fn failed(request: Request, why: String) -> Reply {
    planned(request, Err(Refusal { field: None, why }))
}

/// What beginning it would do.
pub fn plan(request: Request, wanted: &Wanted) -> Reply {
    planned(
        request,
        match wanted {
            Wanted::Score(measure) => plan_of_measure(measure),
        },
    )
}

const fn planned(request: Request, plan: Result<Plan, Refusal>) -> Reply {
    Reply::Message(Message::Jobs(jobs::Message::Planned(request, plan)))
}

fn plan_of_measure(measure: &scoring::Measure) -> Result<Plan, Refusal> {
    let rules = rules_of(measure).map_err(|why| Refusal::at(scoring::RULES, why))?;
    let ruler = Ruler::new(measure.profile, rules);
    let mut plan = Plan::default();
    plan.row("rules", format!("{}, {}", ruler.rules().count(), ruler.rules().source()));
    plan.row("numbers are of", super::scoring::name_of(&ruler).said());
    plan.row("measured", "what the cache has is taken from there, every other file is read again");
    Ok(plan)
}

/// Every rule can be used, or the first that cannot is named: file, line, what is wrong.
fn rules_of(measure: &scoring::Measure) -> Result<Rules, String> {
    let Some(path) = &measure.rules else { return Ok(Rules::built_in()) };
    let texts = store::rules::read(path)?;
    let texts: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let rules = Rules::load(&path.display().to_string(), &texts);
    match rules.problems().first() {
        Some(first) => Err(format!("{}:{}: {}", first.file, first.line, first.what)),
        None if rules.count() == 0 => Err(format!("{}: there is no rule in it", path.display())),
        None => Ok(rules),
    }
}
