//! `judgements/*.json`: one judging of one state of the code each, by scores or by flags.

use std::collections::BTreeSet;

use crate::Source;
use trajview_run::{
    Warning,
    flags::Flagging,
    rubric::{
        CANNOT_TELL, COMPONENTS, DECISIONS, Evidence, FULL, Given, Judge, Judgement, Levels, Look,
        Overall, PROCESS, Repeat, Scale, ScoredBy, Unit, Verdict, given,
    },
};

use super::{
    fields::{self, Fields},
    flags,
};

/// What a file holds.
#[derive(Debug)]
pub enum Read {
    /// Of components.
    Scores(Judgement),
    Flags(Flagging),
    Decisions(Judgement),
    Process(Judgement),
}

pub fn read(file: &Source<'_>, warnings: &mut Vec<Warning>) -> Option<Read> {
    let document = fields::document(file, "trajview.judgement/1", warnings)?;
    let top = Fields::of(&document);
    if flags::has_flags(&document) {
        return Some(Read::Flags(flags::read(file, &document, warnings)));
    }
    let levels = Levels::of(top.words("rubric").as_deref());
    let judge = top.object("judge").map(|fields| judge(&fields)).unwrap_or_default();
    let entries = fields::objects(file, &document, "scores", warnings);
    let mut warn = |what: String| warnings.push(Warning { place: file.name.into(), what });
    let mut seen = BTreeSet::new();
    let mut verdicts = vec![];
    for (number, fields) in entries {
        let Some(component) = fields.id("component") else {
            warn(format!("scores, entry {number}: names no component"));
            continue;
        };
        if !seen.insert(component.clone()) {
            warn(format!(
                "scores, entry {number}: {component} has a verdict already; the first one counts"
            ));
            continue;
        }
        let verdict = match judge.scored_by.is_empty() || *levels != COMPONENTS {
            true => verdict(component, &fields, levels),
            false => verdict_by_criteria(component, &fields, &judge),
        };
        if let (None, Some(what)) = (verdict.score, &verdict.error) {
            warn(format!("{}: {what}", verdict.component));
        }
        verdicts.push(verdict);
    }
    let judgement = Judgement {
        file: file.name.into(),
        judge,
        run: top.words("run"),
        commit: top.id("commit"),
        turn: top.ordinal("turn"),
        rubric: top.words("rubric"),
        created_at: top.words("created_at"),
        asked: top.is_list("components").then(|| top.strings("components")),
        repeat: top.object("repeat").and_then(|fields| repeat(&fields)),
        verdicts,
        pooled: None,
    };
    Some(match levels {
        it if *it == DECISIONS => Read::Decisions(judgement),
        it if *it == PROCESS => Read::Process(judgement),
        _ => Read::Scores(judgement),
    })
}

pub(super) fn judge(fields: &Fields<'_>) -> Judge {
    Judge {
        name: fields.text("name"),
        kind: fields.text("kind"),
        model: fields.words("model"),
        prompt_sha256: fields.words("prompt_sha256"),
        budget: fields.count("budget").and_then(|budget| u32::try_from(budget).ok()),
        temperature: fields.number("temperature"),
        scored_by: fields.objects("criteria").filter_map(|fields| scored_by(&fields)).collect(),
        overall: fields.words("overall").and_then(|word| Overall::by_word(&word)),
    }
}

/// None where the scale cannot be read.
fn scored_by(fields: &Fields<'_>) -> Option<ScoredBy> {
    let scale = Scale::read(&fields.words("scale")?).ok()?;
    Some(ScoredBy { criterion: fields.id("id"), scale })
}

/// None where it has no number, or one beyond all repeats.
pub(super) fn repeat(fields: &Fields<'_>) -> Option<Repeat> {
    let number = fields.ordinal("number")?;
    let of = fields.ordinal("of").unwrap_or(number);
    (number <= of).then_some(Repeat { number, of })
}

fn verdict(component: String, fields: &Fields<'_>, levels: &Levels) -> Verdict {
    let (score, off_scale) = match fields.score_to("score", levels.full()) {
        Ok(score) => (score, None),
        Err(what) => (None, Some(what)),
    };
    let label = fields.words("label");
    let is_open = levels.in_words && label.as_deref() == Some(CANNOT_TELL);
    let error = fields.words("error").or(off_scale);
    let reason = fields.words("reason").filter(|_| score.is_none() && error.is_none());
    let is_open = is_open || reason.is_some();
    let nothing = || (score.is_none() && !is_open).then(|| "has no score".to_owned());
    Verdict {
        component,
        score,
        exact: None,
        given: vec![],
        label,
        rationale: fields.text("rationale"),
        evidence: fields.objects("evidence").filter_map(|fields| evidence(&fields)).collect(),
        trace: fields.objects("trace").map(|fields| look(&fields)).collect(),
        tokens: fields.count("tokens"),
        seconds: fields.number("seconds"),
        error: error.or_else(nothing),
        reason,
        about_sha256: fields.words("about_sha256"),
    }
}

/// A verdict with a score for each criterion that its judge scored by; on 0..4 it has one where a rule makes it.
fn verdict_by_criteria(component: String, fields: &Fields<'_>, judge: &Judge) -> Verdict {
    let plain = verdict(component, fields, &COMPONENTS);
    let told = fields.words("error");
    let (given, problem) = match given_by(fields, &judge.scored_by) {
        Ok(given) => (given, None),
        Err((given, why)) => (given, Some(why)),
    };
    let is_own = judge.scored_by.iter().all(|it| it.scale == Unit::Component.scale());
    let exact = given::overall(&judge.scored_by, judge.overall, &given).filter(|_| is_own);
    // Half of a level goes up.
    let score = exact.map(|exact| ((exact + 0.5).floor() as u8).min(FULL));
    let error = told.or(problem);
    let is_reasoned = score.is_none() && error.is_none();
    Verdict {
        score,
        exact: exact.filter(|exact| exact.fract() != 0.0),
        reason: is_reasoned.then(|| given::why_unscored(&given)),
        error,
        given,
        ..plain
    }
}

/// The scores by these criteria, in their order. Where one is missing or off its scale, the others with a sentence.
fn given_by(fields: &Fields<'_>, by: &[ScoredBy]) -> Result<Vec<Given>, (Vec<Given>, String)> {
    let (mut given, mut wrong) = (vec![], None);
    for ScoredBy { criterion, scale } in by {
        let name = criterion.as_deref().unwrap_or("the criterion");
        let entry = fields.objects("criteria").find(|it| it.id("id") == *criterion);
        let score = entry.as_ref().map_or(Ok(None), |it| it.score_on("score", *scale));
        match score {
            Ok(Some(score)) => given.push(Given {
                criterion: criterion.clone(),
                scale: *scale,
                score,
                name: entry.map(|it| it.text("label")).unwrap_or_default(),
            }),
            Ok(None) => wrong = wrong.or(Some(format!("{name} has no score"))),
            Err(why) => wrong = wrong.or(Some(format!("{name}: {why}"))),
        }
    }
    match wrong {
        None => Ok(given),
        Some(why) => Err((given, why)),
    }
}

/// None where it names no file.
fn evidence(fields: &Fields<'_>) -> Option<Evidence> {
    let path = fields.id("path")?;
    let start = fields.ordinal("start");
    let end = fields.ordinal("end").or(start);
    let lines = start.zip(end).map(|(start, end)| (start.min(end), start.max(end)));
    Some(Evidence { path, lines })
}

pub(super) fn look(fields: &Fields<'_>) -> Look {
    Look {
        tool: fields.text("tool"),
        arguments: fields.text("arguments"),
        bytes: fields.count("bytes"),
        sha256: fields.words("sha256"),
        excerpt: fields.words("excerpt"),
    }
}
