//! The document `trajview.layer/1`.

use serde::Serialize;

use crate::cli::Failure;
use trajview_layers::{
    Brief, Sentence, Spent,
    measure::{Forecast, Named, named, tokens},
};
use trajview_metrics::lifeline::{self, SymbolLife};
use trajview_store::Opened;

use super::{Args, replay::Turn};

/// Columns of the CSV: a row a turn.
pub const CSV: &str = "turn tokens share_named forecast touched precision recall restarts calls=spent.calls \
    input_tokens=spent.input_tokens output_tokens=spent.output_tokens cost_usd=spent.cost_usd seconds problems request";

#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    pub layer: String,
    run: String,
    path: String,
    /// What the layer does without a model; null where one was asked, or none is needed.
    without_helper: Option<&'static str>,
    pub turns: Vec<TurnRow>,
    /// The components of the checklist that the run lost: each symbol that decides, with the brief of the turn that lost it.
    pub lost_components: Vec<LostRow>,
    /// The functions and classes that were in use once and that nothing uses at the end.
    pub bypassed: Vec<LostRow>,
    pub totals: Totals,
}

#[derive(Serialize)]
pub struct TurnRow {
    /// Counts from 1.
    pub turn: usize,
    /// Its first line.
    pub request: String,
    /// Of the brief, estimated; null where there was none.
    pub tokens: Option<usize>,
    /// Of the project's classes and functions before the turn the part that the brief names; null where there are none.
    pub share_named: Option<f64>,
    pub forecast: Vec<String>,
    pub touched: Vec<String>,
    /// Of the files forecast the part that was touched; null where none was forecast.
    pub precision: Option<f64>,
    /// Of the files touched the part that was forecast; null where none was touched.
    pub recall: Option<f64>,
    /// Why a new session would have begun.
    pub restarts: Option<String>,
    pub why: String,
    pub sentences: Vec<Sentence>,
    pub spent: Spent,
    /// The layer's own time, model included.
    pub seconds: f64,
    pub problems: Vec<String>,
}

/// A symbol that a turn lost, and whether its brief named it.
#[derive(Serialize)]
pub struct LostRow {
    /// Null where no component of a checklist is meant.
    pub component: Option<String>,
    pub turn: usize,
    pub symbol: String,
    /// Where it was before the turn.
    pub file: String,
    pub named: Named,
}

/// Over all turns; a mean is null where no turn has a value.
#[derive(Serialize)]
pub struct Totals {
    turns: usize,
    pub briefs: usize,
    pub tokens: Option<f64>,
    pub most_tokens: Option<usize>,
    pub share_named: Option<f64>,
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    pub restarts: usize,
    pub spent: Spent,
    pub seconds: f64,
}

impl Document {
    pub fn of(
        args: &Args,
        opened: &Opened,
        turns: Vec<Turn>,
        without_helper: Option<&'static str>,
    ) -> Result<Self, Failure> {
        let brief_of = |number: usize| {
            let turn = turns.iter().find(|turn| turn.turn == number);
            turn.and_then(|turn| turn.brief.clone()).unwrap_or_default()
        };
        let (run, archive) = (&opened.run, &opened.archive);
        let asked = lifeline::asked(run, &archive.rubric(), None);
        let lifelines = archive.lifelines(run, &asked, &|_, _| true).map_err(Failure::unread)?;
        let mut lost_components = vec![];
        for lifeline in &lifelines {
            let Some(turn) = lifeline.lost_at else { continue };
            let (id, brief) = (Some(lifeline.component.clone()), brief_of(turn));
            lost_components
                .extend(lifeline.deciding().filter_map(|it| lost(id.clone(), turn, it, &brief)));
        }
        lost_components.sort_by_key(|row| row.turn);
        let lives = archive.lost(run).map_err(Failure::unread)?;
        let row = |life: &SymbolLife| {
            let turn = life.lost()?;
            lost(None, turn, life, &brief_of(turn))
        };
        let mut bypassed: Vec<LostRow> = lives.iter().filter_map(row).collect();
        bypassed.sort_by(|a, b| (a.turn, &a.file, &a.symbol).cmp(&(b.turn, &b.file, &b.symbol)));
        let turns: Vec<TurnRow> = turns
            .into_iter()
            .map(|turn| TurnRow::of(&run.turns[turn.turn - 1].title, turn))
            .collect();
        Ok(Self {
            schema: "trajview.layer/1",
            layer: args.spec.to_string(),
            run: run.id.clone(),
            path: args.run.path.display().to_string(),
            without_helper,
            totals: Totals::of(&turns),
            turns,
            lost_components,
            bypassed,
        })
    }
}

fn lost(
    component: Option<String>,
    turn: usize,
    life: &SymbolLife,
    brief: &Brief,
) -> Option<LostRow> {
    let moved = life.moves.iter().find(|it| it.turn == turn).map(|it| &it.from);
    let place = moved.or(life.place.as_ref())?;
    let (symbol, file) = (place.name.to_string(), place.path.to_string());
    let named = named(brief, &symbol, &file);
    Some(LostRow { component, turn, symbol, file, named })
}

impl TurnRow {
    fn of(request: &str, turn: Turn) -> Self {
        let text = turn.brief.as_ref().map(Brief::text).filter(|text| !text.is_empty());
        let brief = turn.brief.unwrap_or_default();
        let forecast = Forecast::of(&brief.forecast, &turn.touched);
        let (precision, recall) = (forecast.precision(), forecast.recall());
        Self {
            turn: turn.turn,
            request: request.to_owned(),
            tokens: text.as_deref().map(tokens),
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

impl Totals {
    fn of(turns: &[TurnRow]) -> Self {
        let mean = |of: &dyn Fn(&TurnRow) -> Option<f64>| {
            let values: Vec<f64> = turns.iter().filter_map(of).collect();
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
            spent: turns.iter().fold(Spent::default(), |sum, turn| sum.and(turn.spent)),
            seconds: turns.iter().map(|turn| turn.seconds).sum(),
        }
    }
}
