//! Whether a judge can be used: `--dawid-skene`, `--alt-test`, `--reliability`, `--abstain`.

use std::io;

use serde::Serialize;

use crate::cli::output::{Json, OutputTable, TableColumn, record};
use trajview_run::{find_by_name, format_number::count_with_noun};
use trajview_study::{
    RatingScale,
    agreement::MeasurementLevel,
    fitness::{
        abstention::{
            LabelledLevel, LevelUse, PredictionSets, fewest_calibrated, fewest_labelled,
            prediction_sets,
        },
        alternative_test::{
            AlignmentScore, AlternativeTest, FEWEST_ANNOTATORS, FEWEST_ITEMS, LeftOutAnnotator,
            PASSING_RATE, alternative_test,
        },
        dawid_skene::{PanelConsensus, RaterConfusion, likeliest_level, panel_consensus},
        reliability::{
            BinBorders, ConfidentAnswer, ReliabilityBin, ReliabilityDiagram, reliability_diagram,
        },
    },
    raters::{RatedUnits, Rater, RaterKind, RaterPanel, ScoringRater, join_scores},
};

use super::number_text::PlainNumber;

/// Raters from which on a panel has a consensus.
const FEWEST_RATERS: usize = 3;

/// A column of a table of this name is the judge.
const JUDGE_COLUMN: &str = "judge";

/// The questions about the fitness of judges.
#[derive(Debug, clap::Args)]
pub struct FitnessArgs {
    /// The consensus of three or more raters by the model of Dawid and Skene: the likeliest level of each item with its
    /// probability, and how each rater scores each level of the consensus
    ///
    /// Use it when three or more raters, people or judges of different models, err independently on tens of items. Do not
    /// use it when raters are repeats of one model, saw each other's scores, or mostly share an error: then the consensus
    /// has the same error. It is no gold. Examples: `trajview agree RUN --dawid-skene` (judges and people of a run);
    /// `trajview agree scores.csv --dawid-skene --csv` (columns component,a,b,c)
    #[arg(long, conflicts_with_all = ["calibration", "repeats", "tree"])]
    dawid_skene: bool,
    /// The alternative annotator test: may a judge take the place of the people who label? Default: each judge; in a
    /// table the column `judge`; the beginning of a name is enough
    ///
    /// Use it when three or more people labelled 30 items or more each, blind and without adjudication. Do not use it with
    /// fewer people or items, with labels that were made after the verdict was seen, or with adjudicated labels alone: there
    /// is nobody to compare the judge with. Choose --epsilon before you see the result. Examples: `trajview agree RUN
    /// --alt-test=gpt --blind-only`; `trajview agree labels.csv --alt-test --annotators ana,ben,eve --epsilon 0.1`
    #[arg(long, value_name = "JUDGE", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with_all = ["calibration", "repeats", "tree"])]
    alt_test: Option<String>,
    /// With --alt-test: how much worse a judge may be because it is cheaper: 0.2 beside experts, 0.15 beside skilled
    /// annotators, 0.1 beside crowd workers, 0 for a judge that is as good
    #[arg(long, value_name = "SHARE", default_value = "0.2", value_parser = parse_margin, requires = "alt_test")]
    epsilon: f64,
    /// With --alt-test: the raters who are the annotators; the beginning of a name is enough. Default: all raters
    /// but the judges; in a table all columns but that of the judge
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', requires = "alt_test")]
    annotators: Vec<String>,
    /// With a reference: how often a judge is right where it states a confidence, in ten bins, and the expected
    /// calibration error (ECE)
    #[arg(long, conflicts_with_all = ["calibration", "repeats", "tree"])]
    reliability: bool,
    /// With a reference: for each level of a judge the levels that the reference may have. Over all items they have its
    /// level with this error at most, such as 0.1. The judge abstains where there is more than one level
    #[arg(long, value_name = "ERROR", value_parser = parse_share, conflicts_with_all = ["calibration", "repeats", "tree"])]
    abstain: Option<f64>,
}

fn parse_share(words: &str) -> Result<f64, String> {
    let share = words.parse().ok().filter(|it: &f64| *it > 0.0 && *it < 1.0);
    share.ok_or_else(|| "expected a number between 0 and 1, as 0.1".into())
}

fn parse_margin(words: &str) -> Result<f64, String> {
    let margin = words.parse().ok().filter(|it: &f64| (0.0..1.0).contains(it));
    margin.ok_or_else(|| "expected a number from 0 to below 1, as 0.2".into())
}

/// The answers; None for a question that was not asked.
#[derive(Serialize, Default)]
pub struct JudgeFitness {
    #[serde(skip_serializing_if = "Option::is_none")]
    consensus: Option<Json>,
    /// A record for each judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative_test: Option<Vec<Json>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reliability: Option<Vec<Json>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    abstention: Option<Vec<Json>>,
    /// Why a question has no answer, and what an answer means.
    #[serde(rename = "fitness_notes", skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl JudgeFitness {
    /// Answers the questions about a panel whose scores are on the scale; `reference` is the index of a rater.
    pub(crate) fn for_panel(
        panel: &RaterPanel,
        scale: &RatingScale,
        reference: Option<usize>,
        seed: u64,
        args: &FitnessArgs,
    ) -> Self {
        let mut fitness = Self::default();
        let units = RatedUnits::from_panel(panel, scale);
        if args.dawid_skene {
            fitness.answer_consensus(&units, scale);
        }
        if let Some(wanted) = &args.alt_test {
            fitness.answer_alternative_test(&units, scale, wanted, args);
        }
        let reference = reference.and_then(|at| panel.raters.get(at));
        let judges: Vec<&Rater> =
            panel.raters.iter().filter(|it| is_judged(it, reference)).collect();
        if args.reliability {
            fitness.answer_reliability(reference, &judges);
        }
        if let Some(error) = args.abstain {
            fitness.answer_abstention(reference, &judges, scale, error, seed);
        }
        fitness
    }

    fn answer_consensus(&mut self, units: &RatedUnits, scale: &RatingScale) {
        if units.raters.len() < FEWEST_RATERS {
            let count = units.raters.len();
            return self
                .leave_out_consensus(format!("needs {FEWEST_RATERS} raters, there are {count}"));
        }
        let is_shared = |at: &usize| units.units[*at].positions.iter().flatten().count() > 1;
        let shared: Vec<usize> = (0..units.units.len()).filter(is_shared).collect();
        if shared.is_empty() {
            return self.leave_out_consensus("no item was scored by two raters".into());
        }
        let positions: Vec<Vec<Option<usize>>> =
            shared.iter().map(|at| units.units[*at].positions.clone()).collect();
        let found = panel_consensus(&positions, units.raters.len(), scale.levels().len());
        if !found.is_converged {
            self.notes.push(format!("consensus: not converged after {} rounds", found.rounds));
        }
        self.consensus = Some(consensus_record(&found, units, &shared, scale));
    }

    /// Writes down why there is no consensus.
    fn leave_out_consensus(&mut self, why: String) {
        self.notes.push(format!("consensus: {why}"));
        self.consensus = Some(record! {
            rounds: (),
            converged: (),
            levels: (),
            shares: (),
            raters: (),
            items: (),
            not_defined: why,
        });
    }

    fn answer_alternative_test(
        &mut self,
        units: &RatedUnits,
        scale: &RatingScale,
        wanted: &str,
        args: &FitnessArgs,
    ) {
        let epsilon = args.epsilon;
        let found = judge_places(units, wanted).and_then(|judges| {
            let annotators = annotator_places(units, &judges, &args.annotators)?;
            Ok((judges, annotators))
        });
        let (judges, annotators) = match found {
            Ok(found) => found,
            Err(why) => return self.notes.push(format!("alternative annotator test: {why}")),
        };
        let alignment = match scale.measurement() {
            MeasurementLevel::Nominal => AlignmentScore::Accuracy,
            MeasurementLevel::Ordinal | MeasurementLevel::Interval => AlignmentScore::NegativeRmse,
        };
        let scores_of = |rater: &usize| -> Vec<Option<f64>> {
            units.units.iter().map(|it| Some(scale.levels()[it.positions[*rater]?])).collect()
        };
        let labels: Vec<Vec<Option<f64>>> = annotators.iter().map(scores_of).collect();
        let rows = judges.iter().map(|judge| {
            let tested = alternative_test(&scores_of(judge), &labels, alignment, epsilon);
            let names: Vec<&str> =
                annotators.iter().map(|at| units.raters[*at].name.as_str()).collect();
            alternative_record(&units.raters[*judge].name, &names, &tested, alignment, epsilon)
        });
        let rows: Vec<Json> = rows.collect();
        self.notes.extend(rows.iter().map(|row| row.cell("sentence")));
        self.alternative_test = Some(rows);
    }

    fn answer_reliability(&mut self, reference: Option<&Rater>, judges: &[&Rater]) {
        let Some(reference) = reference else {
            return self.notes.push(needs_reference("reliability"));
        };
        let mut rows = vec![];
        for judge in judges {
            let joined = join_scores(reference, judge);
            let answers: Vec<ConfidentAnswer> = joined
                .pairs
                .iter()
                .filter_map(|it| {
                    Some(ConfidentAnswer { confidence: it.confidence_b?, is_right: it.a == it.b })
                })
                .collect();
            if answers.is_empty() {
                self.notes.push(format!("reliability: {} states no confidence", judge.name));
                continue;
            }
            rows.push(reliability_record(
                &reference.name,
                &judge.name,
                &answers,
                joined.pairs.len(),
            ));
        }
        self.reliability = Some(rows);
    }

    fn answer_abstention(
        &mut self,
        reference: Option<&Rater>,
        judges: &[&Rater],
        scale: &RatingScale,
        error: f64,
        seed: u64,
    ) {
        let Some(reference) = reference else {
            return self.notes.push(needs_reference("abstention"));
        };
        let mut rows = vec![];
        for judge in judges {
            let pairs = join_scores(reference, judge).pairs;
            let level = |score: f64| scale.position(score);
            let labelled: Vec<LabelledLevel> = pairs
                .iter()
                .filter_map(|it| {
                    Some(LabelledLevel { labelled: level(it.a)?, judged: level(it.b)? })
                })
                .collect();
            let all: Vec<usize> = judge.scores.iter().filter_map(|it| level(it.score)).collect();
            let sets = prediction_sets(&labelled, scale.levels().len(), error, seed);
            let row = abstention_record(
                [&reference.name, &judge.name],
                &sets,
                &labelled,
                &all,
                scale,
                error,
            );
            self.notes.push(row.cell("sentence"));
            rows.push(row);
        }
        self.abstention = Some(rows);
    }
}

fn needs_reference(question: &str) -> String {
    format!("{question}: needs a reference, which is gold or the rater of --against")
}

/// Returns whether a rater is compared with the reference: judges, and columns of tables, which have no kind.
fn is_judged(rater: &Rater, reference: Option<&Rater>) -> bool {
    let is_reference = reference.is_some_and(|it| it.name == rater.name);
    matches!(rater.kind, RaterKind::Judge | RaterKind::Unknown) && !is_reference
}

/// Returns the places of the named judge, else of all judges, else of the column called `judge`.
fn judge_places(units: &RatedUnits, wanted: &str) -> Result<Vec<usize>, String> {
    if !wanted.is_empty() {
        return Ok(vec![rater_place(units, wanted)?]);
    }
    let names: Vec<&str> = units.raters.iter().map(|it| it.name.as_str()).collect();
    let judges = units.raters_of_kind(RaterKind::Judge);
    if !judges.is_empty() {
        return Ok(judges);
    }
    let column = names.iter().position(|name| name.eq_ignore_ascii_case(JUDGE_COLUMN));
    column.map(|at| vec![at]).ok_or_else(|| {
        format!("which rater is the judge? --alt-test=NAME; the raters: {}", names.join(", "))
    })
}

/// Returns the places of the named annotators, else of all raters who are no judges.
fn annotator_places(
    units: &RatedUnits,
    judges: &[usize],
    wanted: &[String],
) -> Result<Vec<usize>, String> {
    let is_annotator =
        |at: &usize| !judges.contains(at) && units.raters[*at].kind != RaterKind::Judge;
    if wanted.is_empty() {
        return Ok((0..units.raters.len()).filter(is_annotator).collect());
    }
    let mut places = vec![];
    for name in wanted {
        let place = rater_place(units, name)?;
        if judges.contains(&place) {
            return Err(format!("{} is the judge, and not an annotator", units.raters[place].name));
        }
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

fn rater_place(units: &RatedUnits, wanted: &str) -> Result<usize, String> {
    let names: Vec<&str> = units.raters.iter().map(|it| it.name.as_str()).collect();
    find_by_name::position_by_name(wanted, &names)
        .map_err(|_| format!("no one rater {wanted:?}; the raters: {}", names.join(", ")))
}

fn consensus_record(
    found: &PanelConsensus,
    units: &RatedUnits,
    shared: &[usize],
    scale: &RatingScale,
) -> Json {
    let levels = scale.levels();
    let item = |(at, posterior): (&usize, &Vec<f64>)| {
        let (item, given) = (&units.items[*at], &units.units[*at].positions);
        let scores = given.iter().map(|it| Some(PlainNumber(levels[(*it)?])));
        let likeliest = likeliest_level(posterior);
        record! {
            component: item.component,
            criterion: item.criterion,
            run: item.run,
            commit: item.commit,
            level: likeliest.map(|(level, _)| PlainNumber(levels[level])),
            probability: likeliest.map(|(_, chance)| chance),
            scores: scores.collect::<Vec<_>>(),
            probabilities: posterior,
        }
    };
    let rater = |(rater, confusion): (&ScoringRater, &RaterConfusion)| {
        let row = |(at, level): (usize, &f64)| {
            record! {
                level: PlainNumber(*level),
                items: confusion.counts[at].iter().sum::<f64>(),
                gives: confusion.given_level(at),
            }
        };
        record! {
            rater: rater.name,
            scores: confusion.scores,
            accuracy: confusion.accuracy(),
            confusion: Json::list(levels.iter().enumerate(), row),
        }
    };
    record! {
        rounds: found.rounds,
        converged: found.is_converged,
        levels: levels.iter().map(|level| PlainNumber(*level)).collect::<Vec<_>>(),
        shares: found.shares,
        raters: Json::list(units.raters.iter().zip(&found.raters), rater),
        items: Json::list(shared.iter().zip(&found.posteriors), item),
        not_defined: (),
    }
}

fn alternative_record(
    judge: &str,
    names: &[&str],
    tested: &AlternativeTest,
    alignment: AlignmentScore,
    epsilon: f64,
) -> Json {
    let row = |(name, it): (&&str, &LeftOutAnnotator)| {
        record! {
            judge: judge,
            annotator: name,
            items: it.items,
            judge_advantage: it.judge_advantage.ok(),
            annotator_advantage: it.annotator_advantage.ok(),
            p: it.p.ok(),
            p_adjusted: it.p_adjusted.ok(),
            wins: it.is_won(),
            not_defined: it.p.err(),
        }
    };
    record! {
        judge: judge,
        epsilon: epsilon,
        scoring: alignment.words(),
        winning_rate: tested.winning_rate.ok(),
        advantage_probability: tested.advantage.ok(),
        passes: tested.is_passed(),
        annotators_with_enough_items: tested.with_enough_items(),
        annotators_with_few_items: tested.annotators.len() - tested.with_enough_items(),
        sentence: alternative_sentence(judge, names, tested, epsilon),
        not_defined: tested.winning_rate.err(),
        annotators: Json::list(names.iter().zip(&tested.annotators), row),
    }
}

/// Returns `gpt passes the alternative annotator test at epsilon 0.2 beside ana, ben, cem: it wins against 3 of 3 annotators
/// (omega 1.00, 0.50 needed), rho 0.95`.
fn alternative_sentence(
    judge: &str,
    names: &[&str],
    tested: &AlternativeTest,
    epsilon: f64,
) -> String {
    let beside = match names {
        [] => String::new(),
        names => format!(" beside {}", names.join(", ")),
    };
    let verdict = match (tested.is_passed(), tested.winning_rate) {
        (_, Err(why)) => return format!("{judge} cannot be tested as an annotator{beside}: {why}"),
        (Some(true), _) => "passes",
        (_, Ok(_)) => "does not pass",
    };
    let won = tested.annotators.iter().filter(|it| it.is_won() == Some(true)).count();
    let (counted, all) = (tested.with_enough_items(), tested.annotators.len());
    let against = match all - counted {
        0 => format!("{won} of {all} annotators"),
        1 => format!(
            "{won} of {counted} with enough items (1 of {all} has fewer than {FEWEST_ITEMS})"
        ),
        few => format!(
            "{won} of {counted} with enough items ({few} of {all} have fewer than {FEWEST_ITEMS})"
        ),
    };
    let few = match counted < FEWEST_ANNOTATORS {
        true => format!("; {FEWEST_ANNOTATORS} annotators are recommended"),
        false => String::new(),
    };
    format!(
        "{judge} {verdict} the alternative annotator test at epsilon {epsilon}{beside}: it wins against {against} (omega {:.2}, {PASSING_RATE:.2} needed), rho {:.2}{few}",
        tested.winning_rate.unwrap_or_default(),
        tested.advantage.unwrap_or_default(),
    )
}

fn reliability_record(
    reference: &str,
    judge: &str,
    answers: &[ConfidentAnswer],
    pairs: usize,
) -> Json {
    let count = answers.len() as f64;
    let diagrams = BinBorders::ALL.map(|borders| (borders, reliability_diagram(answers, borders)));
    let ece = |wanted: BinBorders| {
        let found = diagrams.iter().find(|(borders, _)| *borders == wanted);
        found.and_then(|(_, it)| it.calibration_error)
    };
    let bins = |(borders, diagram): &(BinBorders, ReliabilityDiagram)| -> Vec<Json> {
        let bin = |it: &ReliabilityBin| {
            record! {
                judge: judge,
                borders: borders.words(),
                low: it.low,
                high: it.high,
                answers: it.answers,
                mean_confidence: it.mean_confidence,
                right: it.right,
            }
        };
        diagram.bins.iter().map(bin).collect()
    };
    record! {
        reference: reference,
        judge: judge,
        answers: answers.len(),
        without_confidence: pairs - answers.len(),
        mean_confidence: answers.iter().map(|it| it.confidence).sum::<f64>() / count,
        right: answers.iter().filter(|it| it.is_right).count() as f64 / count,
        ece: ece(BinBorders::EqualWidth),
        ece_equal_mass: ece(BinBorders::EqualMass),
        bins: diagrams.iter().flat_map(bins).collect::<Vec<_>>(),
    }
}

fn abstention_record(
    [reference, judge]: [&str; 2],
    found: &PredictionSets,
    labelled: &[LabelledLevel],
    judged: &[usize],
    scale: &RatingScale,
    error: f64,
) -> Json {
    let levels = scale.levels();
    let row = |(at, (low, high)): (usize, &(usize, usize))| {
        record! {
            judge: judge,
            level: PlainNumber(levels[at]),
            lowest: PlainNumber(levels[*low]),
            highest: PlainNumber(levels[*high]),
            verdict: match found.level_use(at) {
                LevelUse::Stands => "stands",
                LevelUse::Corrected(_) => "corrected",
                LevelUse::Abstains => "abstains",
            },
            items: judged.iter().filter(|it| **it == at).count(),
            labelled: labelled.iter().filter(|it| it.judged == at).count(),
        }
    };
    let count = |is_counted: fn(LevelUse) -> bool| {
        judged.iter().filter(|it| is_counted(found.level_use(**it))).count()
    };
    let stands = count(|it| it == LevelUse::Stands);
    let corrected = count(|it| matches!(it, LevelUse::Corrected(_)));
    let abstains = count(|it| it == LevelUse::Abstains);
    let calibrated = found.calibration.len();
    let (one_level, wrong) = found.one_level_errors();
    let wrong_share = (one_level > 0).then(|| wrong as f64 / one_level as f64);
    let sentence = match found.threshold {
        Err(_) => format!(
            "{judge} abstains on every item: an error of {error} needs {} labelled items, {} of them for calibration; there are {}",
            fewest_labelled(error),
            fewest_calibrated(error),
            labelled.len()
        ),
        Ok(_) => {
            let measured = match wrong_share {
                None => "no calibration item has one level".to_owned(),
                Some(share) => format!(
                    "of the {} with one level, {reference} gave another to {wrong} ({:.0} %)",
                    count_with_noun(one_level, "calibration item"),
                    100.0 * share
                ),
            };
            format!(
                "{judge}: the level of {reference} is among the levels for at least {} % of all items, on average over draws of the labels. Of {}, {judge} stands on {stands}, another level stands for its own on {corrected}, it abstains on {abstains}. Measured: {measured}",
                percent_text(1.0 - error),
                count_with_noun(judged.len(), "item"),
            )
        }
    };
    record! {
        reference: reference,
        judge: judge,
        error: error,
        fitted: found.fitted,
        calibrated: calibrated,
        labelled: labelled.len(),
        needed: fewest_labelled(error),
        threshold: found.threshold.ok(),
        stands: stands,
        corrected: corrected,
        abstains: abstains,
        one_level_calibrated: one_level,
        one_level_wrong: wrong,
        one_level_error: wrong_share,
        sentence: sentence,
        not_defined: found.threshold.err(),
        levels: Json::list(found.sets.iter().enumerate(), row),
    }
}

/// Returns `90` or `99.5`.
fn percent_text(share: f64) -> String {
    ((share * 1e6).round() / 1e4).to_string()
}

/// Passes the title and the table of each answer to `show`.
pub(crate) fn print_fitness(
    fitness: &JudgeFitness,
    show: &mut impl FnMut(&str, &OutputTable) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(consensus) = fitness.consensus.as_ref().filter(|it| !it.rows("items").is_empty()) {
        show("consensus of the panel (Dawid and Skene)", &consensus_table(consensus))?;
        show(
            "levels of the consensus down, levels that the rater gives across",
            &confusion_table(consensus),
        )?;
    }
    if let Some(tests) = &fitness.alternative_test {
        let rows: Vec<&Json> = tests.iter().flat_map(|it| it.rows("annotators")).collect();
        let scoring = tests.first().map(|it| it.cell("scoring")).unwrap_or_default();
        let epsilon = tests.first().map(|it| it.cell("epsilon")).unwrap_or_default();
        show(
            &format!(
                "alternative annotator test, {scoring}, epsilon {epsilon}: each annotator left out"
            ),
            &annotator_table(&rows),
        )?;
    }
    if let Some(rows) = fitness.reliability.as_ref().filter(|it| !it.is_empty()) {
        show("stated confidence and expected calibration error (ECE)", &confidence_table(rows))?;
        let bins: Vec<&Json> = rows.iter().flat_map(|it| it.rows("bins")).collect();
        show("reliability diagram", &bin_table(&bins))?;
    }
    if let Some(rows) = fitness.abstention.as_ref().filter(|it| !it.is_empty()) {
        let levels: Vec<&Json> = rows.iter().flat_map(|it| it.rows("levels")).collect();
        let error = rows.first().map(|it| it.cell("error")).unwrap_or_default();
        show(
            &format!(
                "levels of the reference for each level of the judge, at an error of {error} over all items"
            ),
            &abstention_table(&levels),
        )?;
    }
    Ok(())
}

fn consensus_table(consensus: &Json) -> OutputTable {
    let scores = |it: &Json| {
        let given = it.rows("scores").iter();
        given.map(|score| score.cell_or("", "-")).collect::<Vec<_>>().join(" ")
    };
    let columns: [TableColumn<'_, Json>; 5] = [
        ("component", &|it| it.cell("component")),
        ("run", &|it| it.cell("run")),
        (">level", &|it| it.cell("level")),
        (">probability", &|it| it.share_cell("probability")),
        ("scores", &scores),
    ];
    OutputTable::from_rows(&columns, consensus.rows("items")).with_keys(2)
}

fn confusion_table(consensus: &Json) -> OutputTable {
    let levels = consensus.rows("levels").iter().map(|level| format!(">{}", level.cell("")));
    let heads = ["rater", ">right", ">level", ">items"].map(str::to_owned).into_iter();
    let mut table = OutputTable::with_heads(heads.chain(levels).collect()).with_keys(3);
    for rater in consensus.rows("raters") {
        for row in rater.rows("confusion").iter().filter(|it| !it.field("gives").is_null()) {
            let first = [
                rater.cell("rater"),
                rater.share_cell("accuracy"),
                row.cell("level"),
                row.digits_cell("items", 1),
            ];
            let gives = row.rows("gives").iter().map(|share| share.share_cell(""));
            table.add_row(first.into_iter().chain(gives).collect());
        }
    }
    table
}

fn annotator_table(rows: &[&Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 8] = [
        ("judge", &|it| it.cell("judge")),
        ("left out", &|it| it.cell("annotator")),
        (">items", &|it| it.cell("items")),
        (">rho of the judge", &|it| it.share_cell("judge_advantage")),
        (">of the annotator", &|it| it.share_cell("annotator_advantage")),
        (">p", &|it| it.p_cell("p")),
        (">p (BY)", &|it| it.p_cell("p_adjusted")),
        ("judge wins", &|it| match it.field("wins").is_null() {
            true => it.cell("not_defined"),
            false => if it.flag("wins") { "yes" } else { "no" }.to_owned(),
        }),
    ];
    OutputTable::from_rows(&columns, rows.iter().copied()).with_keys(2)
}

/// Returns the table of how often each judge is right at the confidence that it states.
fn confidence_table(rows: &[Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 7] = [
        ("judge", &|it| it.cell("judge")),
        (">answers", &|it| it.cell("answers")),
        (">without confidence", &|it| it.cell("without_confidence")),
        (">mean confidence", &|it| it.share_cell("mean_confidence")),
        (">right", &|it| it.share_cell("right")),
        (">ECE", &|it| it.share_cell("ece")),
        (">ECE (equal mass)", &|it| it.share_cell("ece_equal_mass")),
    ];
    OutputTable::from_rows(&columns, rows)
}

fn bin_table(rows: &[&Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 7] = [
        ("judge", &|it| it.cell("judge")),
        ("bins", &|it| it.cell("borders")),
        (">from", &|it| it.share_cell("low")),
        (">to", &|it| it.share_cell("high")),
        (">answers", &|it| it.cell("answers")),
        (">mean confidence", &|it| it.share_cell("mean_confidence")),
        (">right", &|it| it.share_cell("right")),
    ];
    OutputTable::from_rows(&columns, rows.iter().copied()).with_keys(3)
}

fn abstention_table(rows: &[&Json]) -> OutputTable {
    let columns: [TableColumn<'_, Json>; 7] = [
        ("judge", &|it| it.cell("judge")),
        (">level", &|it| it.cell("level")),
        (">lowest", &|it| it.cell("lowest")),
        (">highest", &|it| it.cell("highest")),
        ("the level", &|it| match it.cell("verdict").as_str() {
            "corrected" => format!("stands for {}", it.cell("lowest")),
            verdict => verdict.to_owned(),
        }),
        (">items", &|it| it.cell("items")),
        (">labelled", &|it| it.cell("labelled")),
    ];
    OutputTable::from_rows(&columns, rows.iter().copied()).with_keys(2)
}

/// Returns a row for each number, for the CSV of all measures.
pub(crate) fn csv_rows(fitness: &JudgeFitness) -> Vec<Json> {
    let mut rows = vec![];
    let mut add = |common: Json, from: &Json, measures: &[&str]| {
        for measure in measures {
            rows.push(record! {
                a: common.field("a"),
                b: common.field("b?"),
                part: common.field("part"),
                name: common.field("name?"),
                n: common.field("n?"),
                measure: measure,
                value: from.field(measure),
                ci95: (),
                why: from.field("not_defined?"),
                ci95_by_run: (),
            });
        }
    };
    if let Some(consensus) = &fitness.consensus {
        for item in consensus.rows("items") {
            let common = record! { a: "consensus", b: item.field("run"), part: "consensus", name: item.field("component") };
            add(common, item, &["level", "probability"]);
        }
        for rater in consensus.rows("raters") {
            let common = record! { a: rater.field("rater"), b: "consensus", part: "consensus rater", n: rater.field("scores") };
            add(common, rater, &["accuracy"]);
            for row in rater.rows("confusion") {
                for (level, share) in consensus.rows("levels").iter().zip(row.rows("gives")) {
                    let name = format!("consensus {}, gives {}", row.cell("level"), level.cell(""));
                    let common = record! { a: rater.field("rater"), b: "consensus", part: "consensus rater", name: name, n: row.field("items") };
                    add(common, &record! { share: share }, &["share"]);
                }
            }
        }
    }
    for test in fitness.alternative_test.iter().flatten() {
        let name = format!("epsilon {}", test.cell("epsilon"));
        let common = record! { a: test.field("judge"), part: "alternative test", name: name };
        let measures = [
            "winning_rate",
            "advantage_probability",
            "annotators_with_enough_items",
            "annotators_with_few_items",
        ];
        add(common, test, &measures);
        for it in test.rows("annotators") {
            let common = record! { a: test.field("judge"), b: it.field("annotator"), part: "alternative test", name: name, n: it.field("items") };
            add(common, it, &["judge_advantage", "annotator_advantage", "p", "p_adjusted"]);
        }
    }
    for row in fitness.reliability.iter().flatten() {
        let common = record! { a: row.field("reference"), b: row.field("judge"), part: "reliability", n: row.field("answers") };
        add(common, row, &["mean_confidence", "right", "ece", "ece_equal_mass"]);
        for bin in row.rows("bins") {
            let name = format!(
                "{} {}..{}",
                bin.cell("borders"),
                bin.digits_cell("low", 2),
                bin.digits_cell("high", 2)
            );
            let common = record! { a: row.field("reference"), b: row.field("judge"), part: "reliability bin", name: name, n: bin.field("answers") };
            add(common, bin, &["mean_confidence", "right"]);
        }
    }
    for row in fitness.abstention.iter().flatten() {
        let common = record! { a: row.field("reference"), b: row.field("judge"), part: "abstention", name: format!("error {}", row.cell("error")), n: row.field("calibrated") };
        let counts = ["threshold", "stands", "corrected", "abstains", "one_level_error"];
        add(common, row, &counts);
        for level in row.rows("levels") {
            let common = record! { a: row.field("reference"), b: row.field("judge"), part: "abstention level", name: level.cell("level"), n: level.field("items") };
            add(common, level, &["lowest", "highest"]);
        }
    }
    rows
}
