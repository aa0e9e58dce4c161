//! The JSON of `compare`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use crate::cli::{
    component_comparison,
    corrected_fields::{corrected_fields, fields_of_mean},
    harness_records,
    output::{Json, record},
    score::{RulerFacts, rules_facts},
};
use trajview_metrics::{
    Number,
    numbers::{self, COMPARED, MOMENT, NumberValues, SLUMP},
    quality::Ruler,
};
use trajview_run::{rubric::PooledSources, trial::TrialValues};
use trajview_study::{
    Estimate,
    compare::{
        self, ComparedComponent, ComparedLoss, ComparedMoment, ComparedResult, ComparedRun,
        ComparedTest, ComparedTranscripts, ComponentCell, ComponentFate, EstimatedNumber,
        FilePresence, FileRow, FirstDifference, IntervalParts, NumberOutcome, ResultCell,
        RunRecovery, ScoreTransitions, Subtraction, TranscriptItem, run_letter,
    },
    corrected::judgement_queue::corrected_mcf_difference,
    undefined_reasons,
};

use super::{CompareArgs, CompareEach, OpenedRun, run_subtraction};

/// The compared runs, with everything that their tables need.
pub struct CompareDocument<'a> {
    pub opened_runs: &'a [OpenedRun],
    pub parties: &'a [ComparedRun],
    /// File rows of the first two runs.
    pub files: &'a [FileRow],
    /// A row for each run other than the base that has a log, with its position: its transcript aligned with that of the base.
    pub transcripts: &'a [(usize, Json)],
    pub args: &'a CompareArgs,
}

impl<'a> CompareDocument<'a> {
    pub(crate) fn first_two(&self) -> [&'a ComparedRun; 2] {
        [&self.parties[0], &self.parties[1]] // the command takes two runs at least
    }

    /// Returns the position of the run that the others are compared with.
    pub(crate) fn base(&self) -> usize {
        self.args.base.unwrap_or_default()
    }

    /// Returns whether differences are those of each run to the base, instead of that of the first two.
    pub(crate) fn has_base_differences(&self) -> bool {
        self.args.base.is_some() || self.parties.len() > 2
    }

    /// Returns the positions of the runs that are compared with the base; none where the first two are paired.
    pub(crate) fn compared_with_base(&self) -> Vec<usize> {
        let others = (0..self.parties.len()).filter(|at| *at != self.base());
        others.filter(|_| self.has_base_differences()).collect()
    }

    /// Returns the differences that a row has: that of the first two runs, or those to the base by run.
    pub(crate) fn differences<N: Copy>(
        &self,
        of_pair: Option<N>,
        to_base: &[Option<N>],
    ) -> Vec<Option<N>> {
        match self.has_base_differences() {
            true => self.compared_with_base().into_iter().map(|at| to_base[at]).collect(),
            false => vec![of_pair],
        }
    }

    /// Returns the sentence that the first two runs are not of one task; then no paired test is computed for them.
    pub(crate) fn not_compared(&self) -> Option<String> {
        compare::different_tasks(&self.parties[..2])
    }

    /// Returns the transitions of scores from `a` to `b`; none are counted where the two are not of one task.
    pub(crate) fn transitions(&self, rows: &[ComparedComponent]) -> ScoreTransitions {
        match self.not_compared() {
            Some(_) => ScoreTransitions::default(),
            None => ScoreTransitions::between_runs(rows, (0, 1)),
        }
    }

    /// Makes a row for each result that the harness recorded.
    pub(crate) fn result_rows(&self) -> Vec<Json> {
        let row = |it: &ComparedResult| {
            record! {
                name: it.name,
                // `higher`, `lower` or `neither`.
                better_direction: it.better.word(),
                values: Json::list(&it.cells, result_value),
                // The difference of each run to the base. Null for the base, and where a value is missing.
                differences: it.differences(self.base()),
                texts: it.cells.iter().map(ResultCell::display_text).collect::<Vec<_>>(),
            }
        };
        compare::result_rows(self.parties).iter().map(row).collect()
    }

    /// Makes a row for each test that the harness recorded by name, those with different outcomes first.
    pub(crate) fn test_rows(&self) -> Vec<Json> {
        let row = |it: &ComparedTest| {
            record! {
                name: it.name,
                checkpoint: it.checkpoint,
                // Null for a run without a record of the test.
                outcomes: it.outcomes,
                // Whether the runs that have a record of the test have the same outcome.
                same: it.is_equal(),
                in_all_runs: it.is_in_all_runs(),
            }
        };
        compare::test_rows(self.parties).iter().map(row).collect()
    }

    /// Returns the numbers that are listed.
    pub fn listed_numbers(&self) -> Vec<Number> {
        numbers::visible_numbers(COMPARED, |it| {
            self.parties.iter().any(|party| party.final_value(it).is_some())
        })
    }

    pub fn component_rows(&self) -> Vec<ComparedComponent> {
        let judged = |party: &'a ComparedRun| (party.rubric.checklist.as_ref(), party.judgement());
        compare::component_rows(&self.parties.iter().map(judged).collect::<Vec<_>>())
    }

    /// Computes means over the components that the first two runs are both judged on.
    pub(crate) fn component_means(&self, rows: &[ComparedComponent]) -> Vec<Json> {
        if self.not_compared().is_some() {
            return vec![];
        }
        let score = |row: &ComparedComponent, run| row.score_in(run).map(f64::from);
        let both: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| score(row, 0).zip(score(row, 1))).collect();
        let is_turned = run_subtraction(self.parties).from == 1;
        component_comparison::rows_of_two_runs(&both, is_turned, &self.args.resampling.to_plan())
    }

    /// Makes a row for each run whose MCF blind labels correct, and one for the difference of the first two. Empty if labels
    /// correct none.
    pub(crate) fn corrected_rows(&self) -> Vec<Json> {
        let row = |(at, party): (usize, &ComparedRun)| {
            let judgement = party.judgement();
            let turn = judgement.map(|it| compare::turns_done_at_judgement(&party.run, it));
            record! {
                run: run_letter(at),
                judge: judgement.map(|it| &it.judge.name),
                judgement: judgement.map(|it| &it.file),
                judged_turn: turn,
                mcf: party.final_value(Number::Mcf),
                ..corrected_fields(&party.rubric, judgement),
            }
        };
        let mut rows: Vec<Json> = self.parties.iter().enumerate().map(row).collect();
        if rows.iter().all(|row| row.number("corrected_mcf").is_none()) {
            return vec![];
        }
        rows.extend(self.corrected_difference_row());
        rows
    }

    /// Makes the row of the first two runs' difference. None where they are not of one task, and where the labels of one do
    /// not allow it.
    fn corrected_difference_row(&self) -> Option<Json> {
        let by = run_subtraction(self.parties);
        let judged = |at: usize| Some((&self.parties[at].rubric, self.parties[at].judgement()?));
        let (first, second) = (judged(by.from)?, judged(by.subtracted)?);
        let mean =
            self.not_compared().is_none().then(|| corrected_mcf_difference(first, second))?.ok()?;
        Some(record! {
            run: by.display_text(),
            judge: Json::Null,
            judgement: Json::Null,
            judged_turn: Json::Null,
            mcf: mean.judged,
            ..fields_of_mean(Some(Ok(mean))),
        })
    }

    /// Returns SLUMP's numbers of the first two runs, with intervals.
    pub(crate) fn number_estimates(&self) -> Vec<Json> {
        if self.not_compared().is_some() {
            return vec![];
        }
        let plan = self.args.resampling.to_plan();
        let found = IntervalParts::for_pair(self.first_two())
            .number_intervals(run_subtraction(self.parties), &plan);
        let row = |it: &EstimatedNumber| {
            record! {
                name: it.number.id(),
                a: estimate_record(&it.a),
                b: estimate_record(&it.b),
                difference: estimate_record(&it.difference),
            }
        };
        found.iter().map(row).collect()
    }

    pub fn to_json(&self, ruler: &Ruler) -> Json {
        let [a, b] = self.first_two();
        let (rows, by) = (self.component_rows(), run_subtraction(self.parties));
        let facts = |at: usize| run_facts(at, &self.opened_runs[at], &self.parties[at]);
        let transitions = self.transitions(&rows);
        let delta = |number| NumberOutcome::at_end(number, [a, b], by).delta;
        let plan = self.args.resampling.to_plan();
        let point = |party, moment: &Option<_>| moment.as_ref().map(|it| point_row(party, it));
        let turns = |party: &ComparedRun| {
            Json::list(&compare::turn_moments(&party.run), |moment| point_row(party, moment))
        };
        record! {
            schema: "trajview.compare/1",
            ..RulerFacts::new(ruler),
            rules: rules_facts(ruler),
            a: facts(0),
            b: facts(1),
            // Every run in the order it was named, `a` and `b` among them.
            runs: Json::list(0..self.parties.len(), facts),
            // The letter of the run that the others are compared with.
            base: run_letter(self.base()),
            warnings: compare::comparison_warnings(self.parties),
            // The reason why the paired tests of `a` and `b` are missing: they are not of one task. Else null.
            not_compared: self.not_compared(),
            results: self.result_rows(),
            slump: record! {
                ..NumberValues::new(&SLUMP, delta),
                // True if the conditions tell which run is the emergent one; otherwise the values are a minus b.
                by_condition: by.is_slump,
                difference: by.display_text(),
                intervals: record! {
                    drawn: compare::INTERVAL_METHOD,
                    seed: plan.seed,
                    resamples: plan.resamples,
                    numbers: self.number_estimates(),
                },
            },
            // The gap recovery of each run whose condition is neither; empty unless one run is emergent and one single-shot.
            gap_recovery: Json::list(&compare::run_recoveries(self.parties), |it| {
                self.recovery_row(it)
            }),
            numbers: Json::list(self.listed_numbers(), |number| self.number_row(number, by)),
            components: Json::list(compare::by_loss(&rows, by), |at| {
                component_row(&rows[at], by, self.base())
            }),
            test_cases: self.test_rows(),
            transcripts: Json::list(self.transcripts, |(_, row)| row.clone()),
            losses: Json::list(&compare::compared_losses(&self.parties.iter().collect::<Vec<_>>()), loss_row),
            // Rows by the score of `a`, columns by that of `b`.
            transitions: transitions.counts,
            n: transitions.n,
            means: self.component_means(&rows),
            corrected: self.corrected_rows(),
            points: Json::list(&compare::pair_by_phase(&a.run, &b.run), |pair| {
                record! { phase: pair.phase, a: point(a, &pair.a), b: point(b, &pair.b) }
            }),
            checkpoints: Json::list(&compare::pair_by_checkpoint(&a.run, &b.run), |pair| {
                record! {
                    // label, id, order or end. Null if one side is missing.
                    paired_by: pair.by.map(compare::PairedBy::word),
                    a: point(a, &pair.a),
                    b: point(b, &pair.b),
                }
            }),
            turns: (self.args.each == CompareEach::Turn)
                .then(|| record! { a: turns(a), b: turns(b) }),
            tests: record! {
                a: harness_records::recorded_tests(&a.run),
                b: harness_records::recorded_tests(&b.run),
            },
            files: Json::list(self.files, file_row),
        }
    }

    /// Returns the JSON of a treatment; the shares of the gap are null if a number is missing or there is no gap to
    /// close.
    fn recovery_row(&self, RunRecovery { treated, shares }: &RunRecovery) -> Json {
        let run = &self.parties[*treated].run;
        record! { letter: run_letter(*treated), run: run.id, condition: run.condition, ..shares }
    }

    /// Returns the JSON of a number: `better` is the letter of the run that does better, null if neither does; `values`
    /// has one for each run.
    fn number_row(&self, number: Number, by: Subtraction) -> Json {
        let outcome = NumberOutcome::at_end(number, self.first_two(), by);
        let values = self.parties.iter().map(|party| party.final_value(number));
        let values: Vec<Option<f64>> = values.collect();
        record! {
            name: number.id(),
            a: outcome.a,
            b: outcome.b,
            delta: outcome.delta,
            better: outcome.better.map(run_letter),
            // `higher`, `lower` or `neither`.
            better_direction: number.better().word(),
            values: values,
            // The difference of each run to the base. Null for the base, and where a value is missing.
            differences: compare::base_differences(&values, self.base()),
        }
    }
}

fn result_value(cell: &ResultCell) -> Json {
    match cell {
        ResultCell::NotRecorded => Json::Null,
        ResultCell::Word(word) => Json::new(word),
        ResultCell::Ordinal(number) => Json::new(number),
        ResultCell::Number(value) => Json::new(value),
        ResultCell::Count(passed, total) => record! { passed: passed, total: total },
    }
}

/// Returns the JSON of the transcript of a run aligned with that of the base: counts of requests and calls, and the
/// first that differs.
pub(super) fn transcript_row(base: usize, run: usize, it: &ComparedTranscripts) -> Json {
    let counts = it.row_counts();
    let item = |item: &TranscriptItem| {
        record! {
            // `12.7` for step 7 of turn 12, `12` for its request.
            address: item.address(),
            turn: item.turn + 1,
            kind: item.kind.word(),
            name: item.name,
            line: item.line,
            failed: item.has_failed,
        }
    };
    let first = |first: FirstDifference<'_>| {
        record! {
            // The requests and calls before it, which are equal in both.
            equal_before: first.equal_before,
            // What each run does there. Null where that run has ended.
            base: first.a.map(item),
            run: first.b.map(item),
            base_text: first.side_text(0),
            run_text: first.side_text(1),
        }
    };
    record! {
        base: run_letter(base),
        run: run_letter(run),
        same: counts.same,
        changed: counts.changed,
        only_base: counts.only_a,
        only_run: counts.only_b,
        // Steps beyond the limit of an alignment.
        left_out: it.a.left_out + it.b.left_out,
        // Null if the transcripts are the same.
        first_difference: it.first_difference().map(first),
    }
}

fn estimate_record(it: &Estimate) -> Json {
    record! {
        value: it.value.ok(),
        ci95: it.interval.ok(),
        not_defined: undefined_reasons([("value", it.value.err()), ("ci95", it.interval.err())]),
    }
}

/// Returns the JSON of a component: `delta` is positive for a loss where the conditions tell which run is the emergent
/// one; `scores` and the reasons why one is `missing` have one for each run, as have the `differences` of the scores to
/// that of the base.
fn component_row(row: &ComparedComponent, by: Subtraction, base: usize) -> Json {
    record! {
        id: row.id,
        name: row.name,
        a: row.score_in(0),
        b: row.score_in(1),
        delta: row.score_delta(by),
        only_in: row.only_in().map(run_letter),
        scores: Json::list(0..row.cells.len(), |run| Json::new(&row.score_in(run))),
        differences: compare::score_differences(row, base),
        missing: Json::list(&row.cells, |cell| Json::new(&missing_reason(cell))),
    }
}

/// Returns the JSON of a component or a test that a run lost: `kind` tells which, `name` of a test is the checkpoint
/// that it was written for. `lost_only_in` is the run that lost it alone. Each of `runs` is null where the component is
/// not followed or was kept; `kept` tells them apart.
fn loss_row(row: &ComparedLoss) -> Json {
    let of_run = |fate: &ComponentFate| {
        let loss = fate.as_loss()?;
        Some(record! {
            turn: loss.turn,
            request: loss.request,
            path: loss.spot.as_ref().map(|spot| spot.path.to_string()),
            line: loss.spot.as_ref().map(|spot| spot.line),
            before: loss.before,
            after: loss.after,
        })
    };
    record! {
        kind: row.kind.word(),
        id: row.id,
        name: row.name,
        lost_only_in: row.lost_only_in().map(run_letter),
        kept: Json::list(&row.fates, |it| Json::new(&(*it == ComponentFate::Kept))),
        runs: Json::list(&row.fates, |it| Json::new(&of_run(it))),
    }
}

/// Returns the reason why there is no score. None if there is one.
fn missing_reason(cell: &ComponentCell) -> Option<String> {
    match cell {
        ComponentCell::Score(_) => None,
        ComponentCell::LeftOut(score, doubt) => Some(format!("{score}, {}", doubt.word())),
        ComponentCell::NotListed => Some("not in its checklist".into()),
        ComponentCell::NotJudged(None) => Some("not judged".into()),
        ComponentCell::NotJudged(Some(why)) => Some(format!("not judged: {why}")),
    }
}

/// Returns the JSON of a run: `commit` is the last one, `judgement` the one that counts, and `judges` are all who have
/// judged the run.
fn run_facts(at: usize, opened: &OpenedRun, party: &ComparedRun) -> Json {
    let run = &party.run;
    let mut judges: Vec<&str> =
        party.rubric.judgements.iter().map(|it| it.judge.name.as_str()).collect();
    judges.sort_unstable();
    judges.dedup();
    let turns = run.turns[..run.end_in_turns()].iter().rev();
    let judgement = party.judgement().map(|judgement| {
        record! {
            judge: judgement.judge.name,
            kind: judgement.judge.kind,
            model: judgement.judge.model,
            file: judgement.file,
            commit: judgement.commit,
            // The state that was judged, in turns done.
            turn: compare::turns_done_at_judgement(run, judgement),
            judged: party.rubric.coverage(judgement).scored,
            created_at: judgement.created_at,
            // `mean of 3: gpt, opus, human`. Null if it is one judgement.
            pooled: judgement.pooled.as_ref().map(PooledSources::summary_text),
        }
    });
    record! {
        letter: run_letter(at),
        id: run.id,
        path: opened.path.display().to_string(),
        format: run.origin.format,
        title: run.title,
        condition: run.condition,
        ..TrialValues::for_run(run),
        agent: run.agent.name,
        agent_version: run.agent.version,
        model: run.model,
        turns: (!run.has_no_log()).then(|| run.counted_turns().count()),
        checkpoints: run.checkpoints.len(),
        commit: turns.clone().find_map(|turn| turn.commit.as_deref()),
        judgement: judgement,
        judges: judges,
        components: party.rubric.checklist.as_ref().map(|list| list.components.len()),
        session: compare::SessionFacts::for_run(party),
    }
}

/// Returns the JSON of a moment: `turn` is in turns done, and `fraction` their share of the run's turns; the checkpoint
/// is the one that ends here.
fn point_row(party: &ComparedRun, moment: &ComparedMoment) -> Json {
    let run = &party.run;
    let checkpoint = moment.checkpoint.and_then(|index| run.checkpoints.get(index));
    let turn = moment.done.checked_sub(1).and_then(|turn| run.turns.get(turn));
    record! {
        checkpoint: checkpoint.map(|it| &it.id),
        label: checkpoint.and_then(|it| it.label.as_ref()),
        turn: moment.done,
        fraction: moment.fraction,
        commit: turn.and_then(|turn| turn.commit.as_ref()),
        phase: moment.phase,
        bin: moment.bin,
        ..NumberValues::new(&MOMENT, |number| party.value_at(number, moment.done))
    }
}

/// Returns the JSON of a file: `from` is the name in `a`, where it is another; `added` counts lines of `b` that `a`
/// lacks, null for what has no lines.
fn file_row(row: &FileRow) -> Json {
    let only_in = match row.presence {
        FilePresence::OnlyA => Some("a"),
        FilePresence::OnlyB => Some("b"),
        FilePresence::Differs | FilePresence::Same | FilePresence::NotRecorded => None,
    };
    record! {
        path: row.path,
        from: row.from,
        only_in: only_in,
        both: only_in.is_none(),
        same: row.presence == FilePresence::Same,
        added: row.lines.map(|lines| lines.added),
        removed: row.lines.map(|lines| lines.removed),
    }
}
