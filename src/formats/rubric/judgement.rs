//! `judgements/*.json`: one judging of one state of the code each, by scores or by flags.

use std::collections::BTreeSet;

use crate::{
    formats::Source,
    run::{
        Warning,
        flags::Flagging,
        rubric::{
            CANNOT_TELL, DECISIONS, Evidence, Judge, Judgement, Levels, Look, PROCESS, Repeat,
            Verdict,
        },
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
        let verdict = verdict(component, &fields, levels);
        if let (None, Some(what)) = (verdict.score, &verdict.error) {
            warn(format!("{}: {what}", verdict.component));
        }
        verdicts.push(verdict);
    }
    let judgement = Judgement {
        file: file.name.into(),
        judge: top.object("judge").map(|fields| judge(&fields)).unwrap_or_default(),
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
    }
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
