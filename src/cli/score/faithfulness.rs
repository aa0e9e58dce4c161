//! The blocks `faithfulness` and `exposure` of a score: of the end of a run, or of a folder.

use std::path::Path;

use crate::cli::{
    CommandFailure, Exit,
    corrected_fields::corrected_fields,
    output::{Json, record},
};
use trajview_formats as formats;
use trajview_formats::SourceBytes;
use trajview_metrics::{
    blockers::CappedMean,
    exposure::ExposureShares,
    faithfulness::{Faithfulness, if50},
    reuse::Reuse,
};
use trajview_run::{
    Run, Warning,
    find_by_name::{JudgeSelection, NameError},
    model_vendor::shared_vendor,
    pooled_judgements::PoolRequest,
    rubric::{Judgement, PooledSources, Rubric},
};
use trajview_store as store;

/// The rubric the scores are on where a judgement names none.
const DEFAULT_RUBRIC: &str = "slump-5";

/// Faithfulness of the final tree.
pub struct FaithfulnessRow {
    pub json: Json,
    /// The blockers of the checklist that fail, in words.
    pub blocked: String,
    /// The judgements that were pooled, in words. None if it is one judgement.
    pub pooled: Option<String>,
    /// The levels in doubt, in words.
    pub doubts: Vec<String>,
}

impl FaithfulnessRow {
    pub(crate) fn for_folder(reuse: &Reuse) -> Self {
        Self::for_tree((None, None), &Rubric::default(), None, None, Some(reuse))
    }

    /// Makes the row of the tree after the last turn; `reuse` is None if the files are not recorded.
    pub fn for_run(
        run: &Run,
        rubric: &Rubric,
        chosen: Option<&Judgement>,
        reuse: Option<&Reuse>,
    ) -> Self {
        let turn = run.end_in_turns();
        let commit = run.turns[..turn].last().and_then(|turn| turn.commit.as_deref());
        let vendor = chosen.and_then(|it| shared_vendor(&it.judge, run));
        Self::for_tree((commit, Some(turn)), rubric, chosen, vendor, reuse)
    }

    fn for_tree(
        (commit, turn): (Option<&str>, Option<usize>),
        rubric: &Rubric,
        chosen: Option<&Judgement>,
        shared_vendor: Option<&str>,
        reuse: Option<&Reuse>,
    ) -> Self {
        let checklist = rubric.checklist.as_ref();
        let scores = chosen.map(|judgement| Faithfulness::from_judgement(judgement, checklist));
        let scores = scores.as_ref();
        let judged = scores.filter(|it| it.judged > 0);
        let capped = scores.and_then(|it| it.capped.as_ref());
        let (mcf, dir) = (scores.and_then(Faithfulness::mcf), reuse.and_then(Reuse::dir));
        let severe = judged.map(Faithfulness::severe_count);
        let full = judged.map(Faithfulness::full_count);
        let share = |count: Option<usize>| judged?.share_of_judged(count?);
        let all_ids = || checklist.iter().flat_map(|it| &it.components).map(|it| it.id.clone());
        let partial = if chosen.is_none() { rubric.partial_coverages() } else { vec![] };
        let json = record! {
            // `slump`: the formulas are those of the SLUMP paper, DIR's rules are ours.
            profile: "slump",
            // The commit of the tree that DIR is computed for.
            commit: commit,
            // Turns done; null for a folder.
            turn: turn,
            // Components of the checklist, or those the judgement names; null without either.
            components: scores.map(|it| it.components).or(checklist.map(|it| it.components.len())),
            // The number of those with a score: the denominator of `mcf` and of the shares. Null without a judgement.
            judged: scores.map(|it| it.judged),
            mcf: mcf,
            // The mean with blockers taken into account. Null if the checklist has none.
            mcf_capped: capped.map(|it| it.mcf),
            ..corrected_fields(rubric, chosen),
            dir: dir,
            if50: mcf.zip(dir).map(|(mcf, dir)| if50(mcf, dir)),
            // Judged components with a score of 0 or 1.
            severe: severe,
            severe_share: share(severe),
            // Judged components with a score of 4.
            full: full,
            full_share: share(full),
            by_score: judged.map(|it| it.by_score),
            // The name of who judged.
            judge: chosen.map(|it| &it.judge.name),
            judgement: chosen.map(|judgement| judgement_record(judgement, commit, turn)),
            // The vendor of both the judge's model and a model of the agent. Null if there is none, or it is not known.
            shared_vendor: shared_vendor,
            // Names of all judgements that could have been chosen, in the order they were made.
            judges: Json::list(&rubric.judgements, |it| Json::new(&it.judge.name)),
            // Blockers of the checklist that fail. Null if it has none.
            blocked_by: capped.map(|it| &it.by),
            // The reasons why there is no result where there are judgements: `2 of 24 by quick (judgements/quick.json)`
            // for each.
            partial: partial,
            without_verdict: scores
                .map_or_else(|| all_ids().collect(), |it| it.without_verdict.clone()),
            without_score: scores.map_or(&[][..], |it| &it.without_score),
            without_component: scores.map_or(&[][..], |it| &it.without_component),
            // Components without a score for a reason that is no failure.
            without_need: scores.map_or(&[][..], |it| &it.without_need),
            // Components whose level the judge gave without one look at the code: in no number, unless --count-unlooked is given.
            unlooked: scores.map_or(&[][..], |it| &it.unlooked),
            // Components with a level above 0 of whose quotes the code has none: counted.
            unsupported: scores.map_or(&[][..], |it| &it.unsupported),
            dir_detail: dir_record(reuse),
        };
        let blocked = capped.map(CappedMean::summary_text).unwrap_or_default();
        let pooled = chosen.and_then(|it| it.pooled.as_ref()).map(PooledSources::summary_text);
        let doubts = scores.map(Faithfulness::doubt_notes).unwrap_or_default();
        Self { json, blocked, pooled, doubts }
    }
}

/// Makes the record of the judgement that the component scores come from; commit and turn are those of the tree that DIR is
/// computed for.
fn judgement_record(judgement: &Judgement, commit: Option<&str>, turn: Option<usize>) -> Json {
    let same_commit = judgement.commit.as_deref().zip(commit).map(|(a, b)| is_same_commit(a, b));
    let pooled = |pooled: &PooledSources| {
        let (files, judges): (Vec<_>, Vec<_>) = pooled.from.iter().cloned().unzip();
        // How is `mean`, `median` or `majority`.
        record! { how: pooled.pool.word(), count: files.len(), judges: judges, files: files }
    };
    record! {
        file: judgement.file,
        name: judgement.judge.name,
        kind: judgement.judge.kind,
        model: judgement.judge.model,
        rubric: judgement.rubric.as_deref().unwrap_or(DEFAULT_RUBRIC),
        created_at: judgement.created_at,
        commit: judgement.commit,
        turn: judgement.turn,
        // True if it judges the tree that DIR is computed for. Null if it names neither commit nor turn.
        is_of_this_tree: same_commit.or(judgement.turn.map(|judged| Some(judged) == turn)),
        // The judgements it is pooled from. Null if it is one judgement.
        pooled: judgement.pooled.as_ref().map(pooled),
    }
}

/// Makes the record of the parts of DIR. Counts are null if no file could be read, or the files are not recorded.
fn dir_record(reuse: Option<&Reuse>) -> Json {
    let read = reuse.filter(|reuse| reuse.is_read());
    record! {
        // Symbols in use without being reused: by a decorator, an entry point or a string. In no other count.
        registered: read.map(Reuse::registered_count),
        // The reason why there is no DIR. Null if there is one, and where no file could be read.
        not_defined: read.and_then(Reuse::not_defined),
        exported: read.map(Reuse::exported_count),
        reused: read.map(Reuse::reused_count),
        symbols: reuse.map_or(&[][..], |it| &it.symbols),
        modules: reuse.map_or(&[][..], |it| &it.modules),
        skipped: reuse.map_or(&[][..], |it| &it.skipped),
        // True if some names were not followed to their end.
        gave_up: reuse.is_some_and(|it| it.gave_up),
    }
}

/// Returns whether the commits are equal, or one is the beginning of the other.
fn is_same_commit(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    a.len().min(b.len()) >= SHORTEST_COMMIT && (a.starts_with(&b) || b.starts_with(&a))
}

const SHORTEST_COMMIT: usize = 7;

/// Returns the exposure that the audit records for a run. None if nothing is recorded.
pub(crate) fn exposure_shares(run: &Run, rubric: &Rubric) -> Option<ExposureShares> {
    let checklist = rubric.checklist.as_ref();
    ExposureShares::from_audit(rubric.exposure.as_ref()?, checklist, run.end_in_turns())
}

/// Makes the record of the part of the checklist that the dialogue exposed.
pub(crate) fn exposure_record(exposed: &ExposureShares) -> Json {
    record! {
        // The share at the end of the last turn.
        rcr: exposed.last_turn().map(|at| at.rcr),
        esr: exposed.last_turn().map(|at| at.esr),
        // Components of the checklist: the denominator of both.
        components: exposed.components,
        // Components that the audit has no entry for; they are in the denominator only.
        not_recorded: exposed.not_recorded,
        without_component: exposed.without_component,
        by_turn: exposed.by_turn,
    }
}

/// Returns the index of the judgement that is named ([`JudgeSelection`]); without a wish that of
/// [`Rubric::result_judgement`]. Pools judgements where the word says so, and adds one in a file from elsewhere to the
/// rubric.
pub(crate) fn choose_judgement(
    rubric: &mut Rubric,
    word: Option<&str>,
) -> Result<Option<usize>, CommandFailure> {
    if let Some(word) = word {
        pool_by_word(rubric, word)?;
    }
    let Some(word) = word else {
        return Ok(rubric.result_judgement().and_then(|chosen| judgement_index(rubric, chosen)));
    };
    match JudgeSelection::find_in(word, &[rubric]) {
        Ok(named) => Ok(named.position_in_run(rubric)),
        Err(NameError::Nothing { .. }) if Path::new(word).is_file() => {
            let read = read_judgement_file(Path::new(word), &mut rubric.warnings)?;
            rubric.judgements.push(read);
            Ok(Some(rubric.judgements.len() - 1))
        }
        Err(why @ NameError::Nothing { .. }) => {
            Err(CommandFailure::wrong_arguments(format!("{why}; and no such file")))
        }
        Err(why) => Err(CommandFailure::wrong_arguments(why.to_string())),
    }
}

/// Adds what is to be pooled, where the word asks for that.
pub(crate) fn pool_by_word(rubric: &mut Rubric, word: &str) -> Result<(), CommandFailure> {
    let Some(pooling) = PoolRequest::from_word(word) else { return Ok(()) };
    let pooled = pooling.and_then(|pooling| rubric.add_pooled(&pooling));
    pooled.map_err(CommandFailure::wrong_arguments)
}

/// Returns the index of the judgement in the rubric.
pub(crate) fn judgement_index(rubric: &Rubric, judgement: &Judgement) -> Option<usize> {
    rubric.judgements.iter().position(|it| std::ptr::eq(it, judgement))
}

/// Reads a judgement from a file at any place.
fn read_judgement_file(
    path: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<Judgement, CommandFailure> {
    let failure = |exit, why: &str| CommandFailure::new(exit, format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|why| failure(Exit::CannotRead, &why.to_string()))?;
    let name = path.display().to_string();
    let source = SourceBytes { name: "judgements/given.json", bytes: &bytes };
    let mut read = formats::rubric::read_rubric(&[source]);
    store::rubric::leave_out_unlooked(&mut read);
    let judgement = read.judgements.pop();
    let problems = read.warnings.into_iter();
    warnings.extend(problems.map(|it| Warning { place: name.clone(), what: it.what }));
    let judgement = judgement.ok_or_else(|| {
        failure(Exit::CannotUnderstand, "is not a judgement (trajview.judgement/1)")
    })?;
    Ok(Judgement { file: name, ..judgement })
}
