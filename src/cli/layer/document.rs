//! The document `trajview.layer/1`.

use std::path::Path;

use serde::Serialize;

use crate::cli::CommandFailure;
use trajview_analysis::lifelines;
use trajview_layers::{
    Brief, BriefSentence, HelperCost, LayerSpec,
    brief_measures::{ForecastScore, NamedPart, estimated_tokens, named_part},
};
use trajview_metrics::lifeline::{self, SymbolLife};
use trajview_store::OpenedRecording;

use super::replay::ReplayedTurn;

/// Columns of the CSV: a row a turn.
pub(crate) const CSV_COLUMNS: &str = "turn tokens share_named forecast touched precision recall restarts calls=spent.calls \
    input_tokens=spent.input_tokens output_tokens=spent.output_tokens cost_usd=spent.cost_usd seconds problems request";

#[derive(Serialize)]
pub struct LayerDocument {
    schema: &'static str,
    pub layer: String,
    run: String,
    path: String,
    /// The layer's function without a model. Null if a helper is used, or none is needed.
    without_helper: Option<&'static str>,
    pub turns: Vec<LayerTurnRow>,
    /// The components of the checklist that the run lost: each symbol that decides, with the brief of the turn that lost it.
    pub lost_components: Vec<LostSymbolRow>,
    /// The functions and classes that were in use once and that nothing uses at the end.
    pub bypassed: Vec<LostSymbolRow>,
    pub totals: LayerTotals,
}

#[derive(Serialize)]
pub struct LayerTurnRow {
    /// Counts from 1.
    pub turn: usize,
    /// Its first line.
    pub request: String,
    /// Tokens of the brief, estimated. Null if there was none.
    pub tokens: Option<usize>,
    /// The share of the project's classes and functions before the turn that the brief names. Null if there are
    /// none.
    pub share_named: Option<f64>,
    pub forecast: Vec<String>,
    pub touched: Vec<String>,
    /// The share of the forecast files that were touched. Null if none was forecast.
    pub precision: Option<f64>,
    /// The share of the touched files that were forecast. Null if none was touched.
    pub recall: Option<f64>,
    /// The reason why a new session would have begun.
    pub restarts: Option<String>,
    pub why: String,
    pub sentences: Vec<BriefSentence>,
    pub spent: HelperCost,
    /// The layer's own time, model included.
    pub seconds: f64,
    pub problems: Vec<String>,
}

/// A symbol that a turn lost, and whether its brief named it.
#[derive(Serialize)]
pub struct LostSymbolRow {
    /// Null if no component of a checklist is meant.
    pub component: Option<String>,
    pub turn: usize,
    pub symbol: String,
    /// The file before the turn.
    pub file: String,
    pub named: NamedPart,
}

/// Totals over all turns; a mean is null if no turn has a value.
#[derive(Serialize)]
pub struct LayerTotals {
    turns: usize,
    pub briefs: usize,
    pub tokens: Option<f64>,
    pub most_tokens: Option<usize>,
    pub share_named: Option<f64>,
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    pub restarts: usize,
    pub spent: HelperCost,
    pub seconds: f64,
}

impl LayerDocument {
    pub fn new(
        (path, spec): (&Path, &LayerSpec),
        opened: &OpenedRecording,
        turns: Vec<ReplayedTurn>,
        without_helper: Option<&'static str>,
    ) -> Result<Self, CommandFailure> {
        let brief_of = |number: usize| {
            let turn = turns.iter().find(|turn| turn.turn == number);
            turn.and_then(|turn| turn.brief.clone()).unwrap_or_default()
        };
        let (run, archive) = (&opened.run, &opened.archive);
        let requests = lifeline::components_to_follow(run, &archive.read_rubric(), None);
        let followed = lifelines::component_lifelines(archive, run, &requests, &|_, _| true)
            .map_err(CommandFailure::cannot_read)?;
        let mut lost_components = vec![];
        for lifeline in &followed {
            let Some(turn) = lifeline.lost_at else { continue };
            let (id, brief) = (Some(lifeline.component.clone()), brief_of(turn));
            lost_components.extend(
                lifeline
                    .deciding_symbols()
                    .filter_map(|it| lost_symbol_row(id.clone(), turn, it, &brief)),
            );
        }
        lost_components.sort_by_key(|row| row.turn);
        let lives = lifelines::lost_symbols(archive, run).map_err(CommandFailure::cannot_read)?;
        let row = |life: &SymbolLife| {
            let turn = life.lost_turn()?;
            lost_symbol_row(None, turn, life, &brief_of(turn))
        };
        let mut bypassed: Vec<LostSymbolRow> = lives.iter().filter_map(row).collect();
        bypassed.sort_by(|a, b| (a.turn, &a.file, &a.symbol).cmp(&(b.turn, &b.file, &b.symbol)));
        let turns: Vec<LayerTurnRow> = turns
            .into_iter()
            .map(|turn| LayerTurnRow::new(&run.turns[turn.turn - 1].title, turn))
            .collect();
        Ok(Self {
            schema: "trajview.layer/1",
            layer: spec.to_string(),
            run: run.id.clone(),
            path: path.display().to_string(),
            without_helper,
            totals: LayerTotals::sum_turns(&turns),
            turns,
            lost_components,
            bypassed,
        })
    }
}

fn lost_symbol_row(
    component: Option<String>,
    turn: usize,
    life: &SymbolLife,
    brief: &Brief,
) -> Option<LostSymbolRow> {
    let moved = life.moves.iter().find(|it| it.turn == turn).map(|it| &it.from);
    let place = moved.or(life.place.as_ref())?;
    let (symbol, file) = (place.name.to_string(), place.path.to_string());
    let named = named_part(brief, &symbol, &file);
    Some(LostSymbolRow { component, turn, symbol, file, named })
}

impl LayerTurnRow {
    fn new(request: &str, turn: ReplayedTurn) -> Self {
        let text = turn.brief.as_ref().map(Brief::text).filter(|text| !text.is_empty());
        let brief = turn.brief.unwrap_or_default();
        let forecast = ForecastScore::from_paths(&brief.forecast, &turn.touched);
        let (precision, recall) = (forecast.precision(), forecast.recall());
        Self {
            turn: turn.turn,
            request: request.to_owned(),
            tokens: text.as_deref().map(estimated_tokens),
            share_named: turn.share,
            forecast: brief.forecast,
            touched: turn.touched,
            precision,
            recall,
            restarts: brief.restarts,
            why: brief.why,
            sentences: brief.sentences,
            spent: turn.spent,
            seconds: turn.took.as_secs_f64(),
            problems: turn.problems,
        }
    }
}

impl LayerTotals {
    fn sum_turns(turns: &[LayerTurnRow]) -> Self {
        let mean = |value_of: &dyn Fn(&LayerTurnRow) -> Option<f64>| {
            let values: Vec<f64> = turns.iter().filter_map(value_of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        Self {
            turns: turns.len(),
            briefs: turns.iter().filter(|turn| turn.tokens.is_some()).count(),
            tokens: mean(&|turn| turn.tokens.map(|tokens| tokens as f64)),
            most_tokens: turns.iter().filter_map(|turn| turn.tokens).max(),
            share_named: mean(&|turn| turn.share_named),
            precision: mean(&|turn| turn.precision),
            recall: mean(&|turn| turn.recall),
            restarts: turns.iter().filter(|turn| turn.restarts.is_some()).count(),
            spent: turns
                .iter()
                .fold(HelperCost::default(), |sum, turn| sum.combined_with(turn.spent)),
            seconds: turns.iter().map(|turn| turn.seconds).sum(),
        }
    }
}
