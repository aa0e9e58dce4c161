//! `judgements/*.json`: one judging of one state of the code each, by scores or by flags.

use std::collections::BTreeSet;

use crate::SourceBytes;
use trajview_run::{
    Warning,
    flags::Flagging,
    rubric::{
        CANNOT_TELL, COMPONENT_LEVELS, CriterionScore, DECISION_LEVELS, Evidence, EvidenceQuote,
        FULL_SCORE, Judge, JudgeTest, JudgeToolCall, Judgement, LabelUnit, OverallRule,
        PROCESS_LEVELS, QuoteCheck, QuotedEvidence, RepeatNumber, RubricLevels, ScoreScale,
        ScoredBy, Verdict, criterion_scores,
    },
};

use super::{
    fields::{self, RubricFields},
    flags,
};

/// The content of a judgement file, by its rubric.
#[derive(Debug)]
pub enum JudgementContent {
    /// Scores of components.
    Scores(Judgement),
    Flags(Flagging),
    Decisions(Judgement),
    Process(Judgement),
}

pub fn read_judgement(
    file: &SourceBytes<'_>,
    warnings: &mut Vec<Warning>,
) -> Option<JudgementContent> {
    let document = fields::read_document(file, "trajview.judgement/1", warnings)?;
    let top = RubricFields::new(&document);
    if flags::has_flags(&document) {
        return Some(JudgementContent::Flags(flags::read_flagging(file, &document, warnings)));
    }
    let levels = RubricLevels::by_rubric(top.as_written("rubric").as_deref());
    let judge = top.object("judge").map(|fields| read_judge(&fields)).unwrap_or_default();
    let stated_scale = top.object("judge").and_then(|it| it.as_written("confidence_scale"));
    let confidence_scale =
        stated_scale.and_then(|it| ScoreScale::parse(&it).ok()).unwrap_or(ScoreScale::Share);
    let entries = fields::objects_in_list(file, &document, "scores", warnings);
    let mut warn = |what: String| warnings.push(Warning { place: file.name.into(), what });
    let mut seen = BTreeSet::new();
    let mut verdicts = vec![];
    for (number, fields) in entries {
        let Some(component) = fields.trimmed_id("component") else {
            warn(format!("scores, entry {number}: names no component"));
            continue;
        };
        if !seen.insert(component.clone()) {
            warn(format!(
                "scores, entry {number}: {component} has a verdict already; the first one counts"
            ));
            continue;
        }
        let mut verdict = match judge.scored_by.is_empty() || *levels != COMPONENT_LEVELS {
            true => read_verdict(component, &fields, levels),
            false => read_verdict_by_criteria(component, &fields, &judge),
        };
        // People, and judges of other programs, may look without leaving a record. Parts of the process come with their
        // material.
        let rests_on_code = *levels != PROCESS_LEVELS;
        let is_recorded = rests_on_code && ["http", "command"].contains(&&*judge.kind);
        verdict.looks = verdict.looks.filter(|_| is_recorded);
        verdict.quoted_evidence = verdict.quoted_evidence.filter(|_| rests_on_code);
        if let (None, Some(what)) = (verdict.score, &verdict.error) {
            warn(format!("{}: {what}", verdict.component));
        }
        match read_confidence(&fields, confidence_scale) {
            Ok(confidence) => verdict.confidence = confidence,
            Err(why) => warn(format!("{}: {why}", verdict.component)),
        }
        verdicts.push(verdict);
    }
    // A purpose of a later version is still no judgement of the run.
    let test = top.as_written("test").map(|word| {
        JudgeTest::by_word(&word).unwrap_or_else(|| {
            warn(format!("has the unknown test {word:?}; no number of the run includes it"));
            JudgeTest::Other
        })
    });
    let judgement = Judgement {
        file: file.name.into(),
        judge,
        run: top.as_written("run"),
        commit: top.trimmed_id("commit"),
        turn: top.count_from_one("turn"),
        rubric: top.as_written("rubric"),
        created_at: top.as_written("created_at"),
        requested_ids: top.is_list("components").then(|| top.strings_of("components")),
        repeat: top.object("repeat").and_then(|fields| read_repeat(&fields)),
        verdicts,
        pooled: None,
        test,
    };
    Some(match levels {
        it if *it == DECISION_LEVELS => JudgementContent::Decisions(judgement),
        it if *it == PROCESS_LEVELS => JudgementContent::Process(judgement),
        _ => JudgementContent::Scores(judgement),
    })
}

pub(super) fn read_judge(fields: &RubricFields<'_>) -> Judge {
    Judge {
        name: fields.text_or_empty("name"),
        kind: fields.text_or_empty("kind"),
        model: fields.as_written("model"),
        prompt_sha256: fields.as_written("prompt_sha256"),
        budget: fields.count("budget").and_then(|budget| u32::try_from(budget).ok()),
        temperature: fields.finite_number("temperature"),
        scored_by: fields
            .objects_of("criteria")
            .filter_map(|fields| read_scored_by(&fields))
            .collect(),
        overall: fields.as_written("overall").and_then(|word| OverallRule::by_word(&word)),
        reworded_from: fields.as_written("reworded_from"),
    }
}

/// Reads a criterion and its scale; None where the scale cannot be read.
fn read_scored_by(fields: &RubricFields<'_>) -> Option<ScoredBy> {
    let scale = ScoreScale::parse(&fields.as_written("scale")?).ok()?;
    Some(ScoredBy { criterion: fields.trimmed_id("id"), scale })
}

/// Reads the number of a repeat; None where it has no number, or one beyond all repeats.
pub(super) fn read_repeat(fields: &RubricFields<'_>) -> Option<RepeatNumber> {
    let number = fields.count_from_one("number")?;
    let of = fields.count_from_one("of").unwrap_or(number);
    (number <= of).then_some(RepeatNumber { number, total: of })
}

fn read_verdict(component: String, fields: &RubricFields<'_>, levels: &RubricLevels) -> Verdict {
    let (score, off_scale) = match fields.score_to("score", levels.highest_score()) {
        Ok(score) => (score, None),
        Err(what) => (None, Some(what)),
    };
    let label = fields.as_written("label");
    let is_open = levels.in_words && label.as_deref() == Some(CANNOT_TELL);
    let error = fields.as_written("error").or(off_scale);
    let reason = fields.as_written("reason").filter(|_| score.is_none() && error.is_none());
    let is_open = is_open || reason.is_some();
    let nothing = || (score.is_none() && !is_open).then(|| "has no score".to_owned());
    Verdict {
        component,
        score,
        exact: None,
        criterion_scores: vec![],
        label,
        rationale: fields.text_or_empty("rationale"),
        evidence: fields
            .objects_of("evidence")
            .filter_map(|fields| read_evidence(&fields))
            .collect(),
        trace: fields.objects_of("trace").map(|fields| read_look(&fields)).collect(),
        tokens: fields.count("tokens"),
        seconds: fields.finite_number("seconds"),
        error: error.or_else(nothing),
        reason,
        about_sha256: fields.as_written("about_sha256"),
        looks: read_look_count(fields),
        quoted_evidence: fields
            .count("evidence_found")
            .zip(fields.count("evidence_given"))
            .map(|(found, total)| QuotedEvidence { found: found as usize, total: total as usize }),
        is_left_out: false,
        confidence: None,
    }
}

/// Reads the confidence of a verdict, mapped from its scale to 0..1: 4 on `1..5` is 0.75. None where there is none.
fn read_confidence(fields: &RubricFields<'_>, scale: ScoreScale) -> Result<Option<f64>, String> {
    let stated = fields.score_on("confidence", scale)?;
    let (low, high) = scale.lowest_and_highest();
    let (low, high) = (f64::from(low), f64::from(high));
    Ok(stated.filter(|_| high > low).map(|it| (it - low) / (high - low)))
}

/// Returns a verdict with a score for each criterion that its judge scored by; on 0..4 it has one where a rule makes
/// it.
fn read_verdict_by_criteria(
    component: String,
    fields: &RubricFields<'_>,
    judge: &Judge,
) -> Verdict {
    let plain = read_verdict(component, fields, &COMPONENT_LEVELS);
    let stated_error = fields.as_written("error");
    let (given, problem) = match scores_by_criteria(fields, &judge.scored_by) {
        Ok(given) => (given, None),
        Err((given, why)) => (given, Some(why)),
    };
    let is_own = judge.scored_by.iter().all(|it| it.scale == LabelUnit::Component.default_scale());
    let exact = criterion_scores::overall_by_rule(&judge.scored_by, judge.overall, &given)
        .filter(|_| is_own);
    // Half of a level goes up.
    let score = exact.map(|exact| ((exact + 0.5).floor() as u8).min(FULL_SCORE));
    let error = stated_error.or(problem);
    let is_reasoned = score.is_none() && error.is_none();
    Verdict {
        score,
        exact: exact.filter(|exact| exact.fract() != 0.0),
        reason: is_reasoned.then(|| criterion_scores::why_unscored(&given)),
        error,
        criterion_scores: given,
        ..plain
    }
}

/// Returns the scores by these criteria, in their order. Where one is missing or off its scale, the others with a
/// sentence.
fn scores_by_criteria(
    fields: &RubricFields<'_>,
    by: &[ScoredBy],
) -> Result<Vec<CriterionScore>, (Vec<CriterionScore>, String)> {
    let (mut given, mut wrong) = (vec![], None);
    for ScoredBy { criterion, scale } in by {
        let name = criterion.as_deref().unwrap_or("the criterion");
        let entry = fields.objects_of("criteria").find(|it| it.trimmed_id("id") == *criterion);
        let score = entry.as_ref().map_or(Ok(None), |it| it.score_on("score", *scale));
        match score {
            Ok(Some(score)) => given.push(CriterionScore {
                criterion: criterion.clone(),
                scale: *scale,
                score,
                name: entry.map(|it| it.text_or_empty("label")).unwrap_or_default(),
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

/// Reads a piece of evidence; None where it names no file.
fn read_evidence(fields: &RubricFields<'_>) -> Option<Evidence> {
    let path = fields.trimmed_id("path")?;
    let start = fields.count_from_one("start");
    let end = fields.count_from_one("end").or(start);
    let lines = start.zip(end).map(|(start, end)| (start.min(end), start.max(end)));
    Some(Evidence { path, lines, quote: read_quote(fields) })
}

/// Reads what a judge copied from a place; None where it copied nothing, or where the file does not say whether the code has
/// it.
fn read_quote(fields: &RubricFields<'_>) -> Option<EvidenceQuote> {
    let text = fields.as_written("quote")?;
    let check = match fields.as_written("quote_check")?.as_str() {
        "found" => QuoteCheck::Found,
        "moved" => {
            let (start, end) =
                (fields.count_from_one("quote_start")?, fields.count_from_one("quote_end")?);
            QuoteCheck::Moved(start.min(end), start.max(end))
        }
        "missing" => QuoteCheck::Missing,
        _ => return None,
    };
    Some(EvidenceQuote { text, check })
}

/// Reads the number of tool calls that showed something: as the file gives it, else of its list of calls, where it has one.
fn read_look_count(fields: &RubricFields<'_>) -> Option<usize> {
    let written = fields.count("looks").and_then(|looks| usize::try_from(looks).ok());
    let counted = || {
        let has_answered = |call: &RubricFields<'_>| call.flag("refused") != Some(true);
        let calls = || fields.objects_of("trace").filter(has_answered);
        fields.is_list("trace").then(|| calls().count())
    };
    written.or_else(counted)
}

pub(super) fn read_look(fields: &RubricFields<'_>) -> JudgeToolCall {
    JudgeToolCall {
        tool: fields.text_or_empty("tool"),
        arguments: fields.text_or_empty("arguments"),
        bytes: fields.count("bytes"),
        sha256: fields.as_written("sha256"),
        excerpt: fields.as_written("excerpt"),
    }
}
