//! The JSON forms of results.
//!
//! PaperGuru: `data.json` of its figures, `aggregate-final.json`. SurveyBench: what `run_content_eval.py` saves, the judge's
//! scores by topic, the statistics of the quiz. And a plain form of ours: rows of system, dimension and value.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::result_grid::{ResultGrid, RoundedNumber, StatedGain, StatedMean};
use trajview_formats::JsonFields;

/// The contents of one file.
#[derive(Debug, Default)]
pub struct ReadGrids {
    pub grids: Vec<ResultGrid>,
    /// Inconsistencies beside the tables.
    pub trouble: Vec<String>,
}

/// SurveyBench's judges give 1 to 5.
const LEVELS: Option<(f64, f64)> = Some((1.0, 5.0));

/// PaperGuru gives shares of a hundred.
const PERCENT: Option<(f64, f64)> = Some((0.0, 100.0));

/// Returns the grids of a document. None if the document is not a result. `name` is the name of the file without its
/// ending.
pub(crate) fn grids_of_document(document: &Value, name: &str) -> Option<ReadGrids> {
    if let Some(list) = document.as_array() {
        return grids_of_rows(list).or_else(|| grids_of_judge_scores(list, name));
    }
    let document = document.as_object()?;
    if document.contains_key("paperbench_per_paper") || document.contains_key("surveybench") {
        return Some(grids_of_figure_data(document));
    }
    if let Some(papers) = document.get("per_paper").and_then(named_papers) {
        return Some(grids_of_aggregate(document, &papers));
    }
    if let Some(result) = document.object("result") {
        return grids_of_evaluation(document, result);
    }
    if let Some(stats) = document.object("category_stats") {
        return Some(grids_of_quiz(document, stats, name));
    }
    grids_of_rows(document.list("rows")?)
}

/// Returns whether a name begins like that of a mean over others: *Average (20 papers)*, *Overall*.
pub(crate) fn is_mean(name: &str) -> bool {
    let name = name.to_lowercase();
    MEAN_WORDS.iter().any(|word| name.starts_with(word))
}

const MEAN_WORDS: [&str; 4] = ["mean", "average", "avg", "overall"];

/// Returns whether a name ends like that of a mean over others, apart from text in brackets: *Content avg.*
pub(crate) fn ends_as_mean(name: &str) -> bool {
    let name = name.to_lowercase();
    let plain = name.split('(').next().unwrap_or_default();
    plain
        .split(|it: char| !it.is_alphanumeric())
        .rfind(|word| !word.is_empty())
        .is_some_and(|word| MEAN_WORDS.contains(&word))
}

/// Returns whether a key states a mean of scores: `mean_score`, `content_avg`, `mean_reproduction_score_pct`. The mean
/// of something else, such as of tokens or seconds, does not count.
fn is_key_of_mean(key: &str) -> bool {
    const BESIDE: [&str; 19] = [
        "score",
        "scores",
        "result",
        "results",
        "percent",
        "percentage",
        "pct",
        "rate",
        "macro",
        "reproduction",
        "replication",
        "paper",
        "papers",
        "of",
        "over",
        "all",
        "per",
        "content",
        "final",
    ];
    let mut words = key.split('_').filter(|word| !word.is_empty());
    words.clone().any(|word| MEAN_WORDS.contains(&word))
        && words.all(|word| MEAN_WORDS.contains(&word) || BESIDE.contains(&word))
}

/// The papers that a key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PaperCount {
    /// The papers there are.
    Papers,
    /// Papers that have a score.
    Graded,
}

/// Returns the kind of count. None for a key that counts no papers. `n_papers`, `n_papers_graded`, `num_graded` and
/// `total` count papers.
fn paper_count_of_key(key: &str) -> Option<PaperCount> {
    const COUNT: [&str; 6] = ["n", "num", "number", "count", "total", "of"];
    const GRADED: [&str; 5] = ["graded", "scored", "evaluated", "judged", "completed"];
    let is_papers = |word: &str| matches!(word, "paper" | "papers");
    let words: Vec<&str> = key.split('_').filter(|word| !word.is_empty()).collect();
    let are_known =
        words.iter().all(|it| COUNT.contains(it) || GRADED.contains(it) || is_papers(it));
    if words.is_empty() || !are_known || words == ["of"] {
        return None;
    }
    let is_graded = words.iter().any(|it| GRADED.contains(it));
    Some(if is_graded { PaperCount::Graded } else { PaperCount::Papers })
}

fn is_paperguru(system: &str) -> bool {
    let system = system.to_lowercase();
    ["paperguru", "(ours)", "this paper"].iter().any(|word| system.contains(word))
}

/// Returns `data.json`, from which PaperGuru draws its figures.
fn grids_of_figure_data(document: &Map<String, Value>) -> ReadGrids {
    let mut read = ReadGrids::default();
    let stated = document.object("paperbench_baselines");
    if let Some(papers) = document.list("paperbench_per_paper") {
        let mut grid =
            ResultGrid { range: PERCENT, ..ResultGrid::new("PaperBench by paper", "paper") };
        grid.column_of_system("paperguru");
        for paper in papers.iter().filter_map(Value::as_object) {
            let slug = paper.text("slug").unwrap_or_default();
            for (system, figure) in paper.iter().filter(|(key, _)| *key != "slug") {
                read.put_value(&mut grid, slug, system, figure);
            }
        }
        let ours = stated.and_then(|it| it.iter().find(|(system, _)| is_paperguru(system)));
        if let Some((called, figure)) =
            ours.and_then(|(it, of)| Some((it, RoundedNumber::from_json(of)?)))
        {
            grid.stated.push(StatedMean { system: 0, figure, over: None, called: called.clone() });
        }
        read.trouble.extend(stated.and_then(|stated| mixed_baseline_note(&grid, stated)));
        read.grids.push(grid);
    }
    if let Some(stated) = stated {
        let one = Map::from_iter([("mean".to_owned(), Value::Object(stated.clone()))]);
        read.add_grid("PaperBench as stated", "what", PERCENT, &one);
        let human = document.get("human_reference").and_then(RoundedNumber::from_json);
        let listed = stated.iter().find(|(system, _)| system.contains("Human"));
        if let (Some(human), Some((system, listed))) = (human, listed)
            && RoundedNumber::from_json(listed).is_some_and(|it| it.value != human.value)
        {
            let what = format!("human_reference is {}, {system} is {listed}", human.value);
            read.trouble.push(what);
        }
    }
    if let Some(dimensions) = document.object("surveybench") {
        read.add_grid("SurveyBench content", "dimension", PERCENT, dimensions);
    }
    if let Some(richness) = document.get("surveybench_richness") {
        let one = Map::from_iter([("richness".to_owned(), richness.clone())]);
        read.add_grid("SurveyBench richness", "what", PERCENT, &one);
    }
    read
}

/// Returns the note on a stated baseline that is the mean of the best of each paper, which no system achieved.
fn mixed_baseline_note(grid: &ResultGrid, stated: &Map<String, Value>) -> Option<String> {
    let best = grid.systems.iter().position(|it| it.contains("best"))?;
    let mean = super::result_grid::mean_of(&grid.values_of(best))?;
    let (system, value) = stated.iter().find(|(system, value)| {
        let figure = RoundedNumber::from_json(value);
        !is_paperguru(system) && figure.is_some_and(|it| (it.value - mean).abs() < 0.0051)
    })?;
    let n = grid.values_of(best).len();
    Some(format!(
        "PaperBench as stated: {system} is {value}, which is the mean over {n} papers of the best baseline of each: no one \
         system got it"
    ))
}

/// Returns the papers of an aggregate: by name, or a list of objects with a name.
fn named_papers(value: &Value) -> Option<Vec<(String, &Value)>> {
    const NAMES: [&str; 5] = ["paper", "slug", "paper_id", "id", "name"];
    if let Some(papers) = value.as_object() {
        return Some(papers.iter().map(|(name, value)| (name.clone(), value)).collect());
    }
    let named = |paper: &'_ Value| NAMES.iter().find_map(|key| Some(paper.text(key)?.to_owned()));
    value.as_array()?.iter().map(|paper| Some((named(paper)?, paper))).collect()
}

/// Reads `aggregate-final.json`: scores by paper, 0 to 1 or of a hundred, and the means that it states.
fn grids_of_aggregate(document: &Map<String, Value>, papers: &[(String, &Value)]) -> ReadGrids {
    let mut read = ReadGrids::default();
    let mut grid = ResultGrid::new("PaperBench by paper", "paper");
    let ours = grid.column_of_system("paperguru");
    for (paper, value) in papers {
        let score = value.as_object().and_then(|it| it.get("score").or_else(|| it.get("mean")));
        read.put_value(&mut grid, paper, "paperguru", score.unwrap_or(value));
    }
    let scores = grid.values_of(ours);
    let is_share = scores.iter().all(|it| it.value <= 1.0);
    grid.range = if is_share { Some((0.0, 1.0)) } else { PERCENT };
    let graded_apart =
        document.keys().any(|key| paper_count_of_key(key) == Some(PaperCount::Graded));
    for (key, value) in document {
        let Some(figure) = RoundedNumber::from_json(value) else { continue };
        let (n, counted_papers) = match paper_count_of_key(key) {
            Some(PaperCount::Graded) => (scores.len(), "papers with a score"),
            // Beside how many were graded, of how many there were: any that is not less.
            Some(PaperCount::Papers) if graded_apart && figure.value >= papers.len() as f64 => {
                continue;
            }
            Some(PaperCount::Papers) => (papers.len(), ""),
            None if is_key_of_mean(key) => {
                let of_hundred = is_share && figure.value > 1.0;
                let figure = match of_hundred {
                    true => {
                        RoundedNumber { value: figure.value / 100.0, decimals: figure.decimals + 2 }
                    }
                    false => figure,
                };
                grid.stated.push(StatedMean {
                    system: ours,
                    figure,
                    over: None,
                    called: key.clone(),
                });
                continue;
            }
            None => continue,
        };
        if figure.value != n as f64 {
            let what = format!("{key} is {value}; per_paper has {n} {counted_papers}");
            read.trouble.push(format!("{}: {}", grid.name, what.trim_end()));
        }
    }
    read.grids.push(grid);
    read
}

/// Returns a record of `run_content_eval.py`: one method, one mode or all.
fn grids_of_evaluation(
    document: &Map<String, Value>,
    result: &Map<String, Value>,
) -> Option<ReadGrids> {
    let method = document.text("method")?;
    let mode = document.text("mode")?;
    let mut read = ReadGrids::default();
    let parts: Vec<(&str, &Map<String, Value>)> = match mode {
        "overall" => ["content", "outline", "richness"]
            .into_iter()
            .filter_map(|part| Some((part, result.object(&format!("{part}_avg"))?)))
            .collect(),
        mode => vec![(mode, result)],
    };
    for (part, dimensions) in parts {
        let is_counted = part == "richness";
        let mut grid = ResultGrid::new(&format!("SurveyBench {part}"), "dimension");
        (grid.range, grid.has_means) = (LEVELS.filter(|_| !is_counted), !is_counted);
        for (dimension, value) in dimensions {
            read.put_value(&mut grid, dimension, method, value);
        }
        let value_of = |name: &str| Some(RoundedNumber::from_json(dimensions.get(name)?)?.value);
        if let (Some(figures), Some(tables), Some(richness)) =
            (value_of("figures"), value_of("tables"), value_of("richness"))
            && (figures + tables > 0.0) != (richness > 0.0)
        {
            let what = format!("richness is {richness} with {figures} figures and {tables} tables");
            read.trouble.push(format!("{}: {method}: {what}", grid.name));
        }
        read.grids.push(grid);
    }
    (!read.grids.is_empty()).then_some(read)
}

/// Reads the judge's scores: a list, or a list of lists, of topics with `coverage_score: {response: "4"}` and the like;
/// several of one dimension are numbered. The method is the part of the file's name before `_content_` or `_outline_`.
fn grids_of_judge_scores(list: &[Value], name: &str) -> Option<ReadGrids> {
    let part =
        ["content", "outline"].into_iter().find(|part| name.contains(&format!("_{part}_")))?;
    let method = name.split(&format!("_{part}_")).next()?;
    let flat = list.iter().flat_map(|it| it.as_array().map_or(std::slice::from_ref(it), |it| it));
    let mut scores: BTreeMap<String, Vec<RoundedNumber>> = BTreeMap::new();
    let mut read = ReadGrids::default();
    for entry in flat.filter_map(Value::as_object) {
        let topic = entry.text("topic").unwrap_or("?");
        for (key, value) in entry.iter().filter(|(key, _)| key.contains("_score")) {
            let dimension = key.split("_score").next().unwrap_or(key);
            let response = value.get("response").unwrap_or(value);
            let figure = RoundedNumber::from_json(response);
            let is_level = |it: &RoundedNumber| {
                LEVELS.is_some_and(|(least, most)| (least..=most).contains(&it.value))
            };
            match figure.filter(is_level) {
                Some(figure) => scores.entry(dimension.to_owned()).or_default().push(figure),
                None => {
                    read.trouble.push(format!("{name}: {topic}: {key} is {response}, not 1 to 5"))
                }
            }
        }
    }
    let mut grid = ResultGrid {
        range: LEVELS,
        ..ResultGrid::new(&format!("SurveyBench {part}"), "dimension")
    };
    for (dimension, figures) in &scores {
        let value = super::result_grid::mean_of(figures)?;
        let _ = grid.put_value(dimension, method, RoundedNumber { value, decimals: 6 }); // dimensions are told apart by the map
    }
    let counts: Vec<usize> = scores.values().map(Vec::len).collect();
    if counts.iter().any(|it| *it != counts[0]) {
        let each = scores.iter().map(|(dimension, it)| format!("{dimension} {}", it.len()));
        let each = each.collect::<Vec<_>>().join(", ");
        read.trouble
            .push(format!("{name}: the dimensions have different numbers of scores: {each}"));
    }
    read.grids.push(grid);
    (!scores.is_empty()).then_some(read)
}

/// Returns the statistics of SurveyBench's quiz: answers from the survey of a person (1) and of a method (2), the
/// better by category.
fn grids_of_quiz(
    document: &Map<String, Value>,
    stats: &Map<String, Value>,
    name: &str,
) -> ReadGrids {
    let mut read = ReadGrids::default();
    let mut grid = ResultGrid {
        has_means: false,
        ..ResultGrid::new(&format!("{name}: better answers"), "category")
    };
    let mut sums = [0.0; 4];
    for (category, counts) in stats {
        let keys = ["better_answer_2", "better_answer_1", "other", "total"];
        let systems = ["the method's survey", "the person's survey", "neither", "questions"];
        let values = keys.map(|key| counts.get(key).and_then(RoundedNumber::from_json));
        for ((system, value), sum) in systems.into_iter().zip(values).zip(&mut sums) {
            let Some(value) = value else { continue };
            *sum += value.value;
            let _ = grid.put_value(category, system, value); // a category is told apart by its key
        }
        if let [Some(two), Some(one), Some(other), Some(total)] = values
            && two.value + one.value + other.value != total.value
        {
            let what = format!("{category} has {} questions, its parts give", total.value);
            let parts = two.value + one.value + other.value;
            read.trouble.push(format!("{name}: {what} {parts}"));
        }
    }
    let lost = document.list("better_answer_1_reasons");
    let stated_values = [
        ("better_answer_2_count", document.float("better_answer_2_count"), sums[0]),
        ("better_answer_1_reasons", lost.map(|it| it.len() as f64), sums[1]),
        ("total_questions", document.float("total_questions"), sums[3]),
    ];
    for (key, stated, sum) in stated_values {
        if let Some(stated) = stated.filter(|it| *it != sum) {
            read.trouble.push(format!("{name}: {key} is {stated}, the categories give {sum}"));
        }
    }
    read.grids.push(grid);
    read
}

/// Reads rows of `{table?, system, dimension (or metric), value, n?, baseline?, gain?}`; a row of a mean states one.
/// None where they are not such rows.
fn grids_of_rows(list: &[Value]) -> Option<ReadGrids> {
    let mut read = ReadGrids::default();
    let text = |row: &Map<String, Value>, key: &str| Some(row.text(key)?.to_owned());
    let rows: Vec<_> = list
        .iter()
        .filter_map(Value::as_object)
        .filter_map(|row| {
            let dimension = text(row, "dimension").or_else(|| text(row, "metric"))?;
            Some((
                row,
                text(row, "system")?,
                dimension,
                RoundedNumber::from_json(row.get("value")?)?,
            ))
        })
        .collect();
    for (row, system, dimension, figure) in &rows {
        let name = text(row, "table").unwrap_or_else(|| "results".into());
        let at = read.grids.iter().position(|it| it.name == name).unwrap_or_else(|| {
            read.grids.push(ResultGrid::new(&name, "dimension"));
            read.grids.len() - 1
        });
        let over = row.number("n").and_then(|n| usize::try_from(n).ok());
        let mut grid = std::mem::take(&mut read.grids[at]);
        if is_mean(dimension) || ends_as_mean(dimension) {
            let system = grid.column_of_system(system);
            let stated = StatedMean { system, figure: *figure, over, called: dimension.clone() };
            grid.stated.push(stated);
        } else {
            read.put_figure(&mut grid, dimension, system, *figure);
        }
        let baseline = text(row, "baseline").and_then(|baseline| {
            let is_it =
                |it: &&(_, String, String, RoundedNumber)| it.1 == baseline && it.2 == *dimension;
            Some(rows.iter().find(is_it)?.3)
        });
        if let Some((figure_of_gain, over)) =
            row.get("gain").and_then(RoundedNumber::from_json).zip(baseline)
        {
            let row = format!("{system}, {dimension}");
            grid.gains.push(StatedGain {
                row,
                figure: figure_of_gain,
                value: *figure,
                baseline: over,
            });
        }
        read.grids[at] = grid;
    }
    (!read.grids.is_empty()).then_some(read)
}

impl ReadGrids {
    /// Puts a JSON value into the grid; a second value of a cell is reported, a value that is no number is left out.
    fn put_value(&mut self, grid: &mut ResultGrid, row: &str, system: &str, value: &Value) {
        if let Some(figure) = RoundedNumber::from_json(value) {
            self.put_figure(grid, row, system, figure);
        }
    }

    fn put_figure(
        &mut self,
        grid: &mut ResultGrid,
        row: &str,
        system: &str,
        figure: RoundedNumber,
    ) {
        if let Err(before) = grid.put_value(row, system, figure) {
            let (name, before) = (&grid.name, before.value);
            let what = format!("{system}, {row} occurs twice: {before} and {}", figure.value);
            self.trouble.push(format!("{name}: {what}"));
        }
    }

    /// Adds a map of rows, each a map of systems; ours first.
    fn add_grid(
        &mut self,
        name: &str,
        row: &str,
        range: Option<(f64, f64)>,
        rows: &Map<String, Value>,
    ) {
        let mut grid = ResultGrid { range, ..ResultGrid::new(name, row) };
        let systems = rows.values().filter_map(Value::as_object).flat_map(Map::keys);
        if let Some(ours) = systems.clone().find(|it| is_paperguru(it)) {
            grid.column_of_system(ours);
        }
        for (dimension, values) in rows {
            for (system, value) in values.as_object().into_iter().flatten() {
                self.put_value(&mut grid, dimension, system, value);
            }
        }
        if !grid.rows.is_empty() {
            self.grids.push(grid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Generates JSON with the keys of the forms and arbitrary values.
    fn result_document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<f64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            "[a-z0-9.%]{0,5}".prop_map(Value::from),
            Just(Value::Null),
        ];
        let keys = "paperbench_per_paper|paperbench_baselines|surveybench|per_paper|mean|n|slug|result|mode|overall|\
            content|content_avg|richness|method|category_stats|total|rows|system|dimension|value|gain|baseline|a|b";
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map(keys, inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_the_document_it_is_read_and_checked(document in result_document()) {
            for name in ["x", "A_content_b"] {
                for grid in grids_of_document(&document, name).into_iter().flat_map(|it| it.grids) {
                    grid.inconsistencies();
                    grid.to_table();
                }
            }
        }
    }
}
