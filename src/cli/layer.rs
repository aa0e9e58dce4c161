//! `trajview layer`: runs a layer of project state over a recorded run, without an agent: the brief it would have given
//! before each request, and how good it was.

mod document;
mod replay;
mod tables;

use std::path::{Path, PathBuf};

use clap::builder::{StringValueParser, TypedValueParser};

use trajview_judge::{
    helper::{HelperBudget, ModelHelper},
    judge_key::JudgeKey,
    stop_flag::StopFlag,
};
use trajview_layers as layers;
use trajview_layers::{HelperModel, LayerSetup, LayerSpec, NoHelper};
use trajview_store as store;
use trajview_store::{decisions, disk, remote};

use super::{
    CommandFailure, CommandResult, Exit, config,
    output::{Out, print_note},
    run_args::{self, RunArg},
    suggestions,
};

/// Simulate a layer of project state on a recorded run, without an agent
///
/// Before each request the layer gives its brief, as in a live run; then it gets the changes of the turn. The output
/// compares the forecast of each brief with the touched files, and has its tokens (a quarter of its characters), the
/// share of the project's classes and functions that it names, and whether the brief of the turn that lost a component
/// named it. Without --helper the layer uses no model.
#[derive(Debug, clap::Args)]
pub struct LayerArgs {
    #[command(flatten)]
    run: RunArg,
    /// The layer, with its active parts: projectguard, projectguard:structural, ...
    #[arg(value_name = "LAYER", value_parser = layer_or_run_parser())]
    layer: LayerOrRun,
    /// Print the brief of this turn (counts from 1), with the sources of each sentence
    #[arg(long, value_name = "TURN", value_parser = run_args::parse_turn)]
    turn: Option<usize>,
    /// Print only the lost components, and whether the brief of the turn named them
    #[arg(long, conflicts_with = "turn")]
    lost: bool,
    /// The decisions of the project, for layers that deliver them: a JSON file in Continuity's shape
    #[arg(long, alias = "store", value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Save the layer's state and briefs here, as in a run bundle: layers/NAME, one git commit per turn
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The model that helps the layer: a judge of the settings file ([judges.NAME])
    #[arg(long, value_name = "NAME")]
    helper: Option<String>,
    /// Maximum number of calls of the helper model
    #[arg(long, value_name = "CALLS", requires = "helper")]
    helper_budget: Option<usize>,
    /// Cost limit of the helper model in US dollars; needs the prices in the settings
    #[arg(long, value_name = "USD", requires = "helper")]
    helper_usd: Option<f64>,
    /// The settings file, instead of the usual one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON (schema trajview.layer/1)
    #[arg(long, conflicts_with_all = ["csv", "md"])]
    json: bool,
    /// Print one row per turn as CSV
    #[arg(long, conflicts_with = "md")]
    csv: bool,
    /// Print the tables as Markdown
    #[arg(long)]
    md: bool,
}

pub fn run(args: &LayerArgs, out: &mut Out) -> CommandResult {
    if args.md {
        out.set_markdown();
    }
    let (path, spec) = run_and_layer(args)?;
    let opened = store::open(&path)?;
    if let Some(turn) = args.turn {
        run_args::turn_index(&opened.run, turn)?;
    }
    let options = LayerSetup { decisions: read_decisions(args, opened.archive.bundle())? };
    let mut layer = layers::make_layer(&spec, &options).map_err(CommandFailure::wrong_arguments)?;
    let mut helper = helper_from_args(args)?;
    if let Some(what) = layer.without_helper().filter(|_| args.helper.is_none()) {
        print_note(&format!("no helper model: {what}"));
    }
    let replay = replay::LayerReplay { opened: &opened, spec: &spec, out: args.out.as_deref() };
    let turns = replay.play_turns(&mut *layer, &mut *helper)?;
    let without = layer.without_helper().filter(|_| args.helper.is_none());
    let document = document::LayerDocument::new((&path, &spec), &opened, turns, without)?;
    if args.json {
        out.print_json(&document)?;
    } else if args.csv {
        out.print_csv(document::CSV_COLUMNS, &document.turns)?;
    } else if let Some(turn) = args.turn {
        tables::print_brief(&document, turn, out)?;
    } else if args.lost {
        tables::print_lost(&document, args.md, out)?;
    } else {
        tables::print_turns(&document, args.md, out)?;
    }
    Ok(Exit::Fine)
}

/// The second argument: the layer, or the run in the order of former versions.
#[derive(Debug, Clone)]
enum LayerOrRun {
    Layer(LayerSpec),
    Run(PathBuf),
}

fn layer_or_run_parser() -> impl TypedValueParser<Value = LayerOrRun> {
    StringValueParser::new().map(|word| match word.parse() {
        Ok(spec) => LayerOrRun::Layer(spec),
        Err(_) => LayerOrRun::Run(remote::register_path(PathBuf::from(word))),
    })
}

/// Returns the run and the layer, also where the layer comes first, as in former versions.
fn run_and_layer(args: &LayerArgs) -> Result<(PathBuf, LayerSpec), CommandFailure> {
    let first = &args.run.path;
    let first_layer = || first.to_str().filter(|_| !disk::exists(first))?.parse().ok();
    match (&args.layer, first_layer()) {
        (LayerOrRun::Run(run), Some(spec)) => {
            print_note(
                "the run comes first: `trajview layer RUN LAYER`; a later version will not accept the old order",
            );
            Ok((run.clone(), spec))
        }
        (LayerOrRun::Layer(spec), _) => Ok((first.clone(), spec.clone())),
        (LayerOrRun::Run(word), None) => Err(CommandFailure::wrong_arguments(format!(
            "expected a layer as NAME, NAME:PART,... or command:PROGRAM, found {}",
            word.display()
        ))),
    }
}

fn read_decisions(
    args: &LayerArgs,
    bundle: Option<&Path>,
) -> Result<trajview_metrics::decisions::DecisionStore, CommandFailure> {
    let store = match (&args.decisions, bundle) {
        (Some(path), _) if !path.exists() => {
            return Err(suggestions::missing_path(path));
        }
        (Some(path), _) => decisions::read_store(path),
        (None, Some(bundle)) => decisions::bundle_store(bundle).unwrap_or(Ok(Default::default())),
        (None, None) => Ok(Default::default()),
    };
    let store = store.map_err(CommandFailure::cannot_understand)?;
    store.warnings.iter().for_each(|what| print_note(what));
    Ok(store)
}

fn helper_from_args(args: &LayerArgs) -> Result<Box<dyn HelperModel>, CommandFailure> {
    let Some(name) = &args.helper else { return Ok(Box::new(NoHelper)) };
    let loaded = config::load_settings(args.config.as_deref())?;
    let names: Vec<&str> = loaded.judges.iter().map(|judge| judge.name.as_str()).collect();
    let missing =
        || format!("unknown judge {name}; add a table [judges.{name}] to the settings file");
    let at = trajview_run::find_by_name::position_by_name(name, &names)
        .map_err(|_| CommandFailure::wrong_arguments(missing()))?;
    let settings = loaded.judges[at].clone();
    let key =
        JudgeKey::in_variable_of(settings.key_env.as_deref(), &|name| std::env::var(name).ok());
    let key =
        key.map_err(|why| CommandFailure::wrong_arguments(format!("helper {name}: {why}")))?;
    let budget = HelperBudget { calls: args.helper_budget, usd: args.helper_usd };
    let settings = std::sync::Arc::new(settings);
    let helper = ModelHelper::new(&settings, &key, budget, StopFlag::default());
    Ok(Box::new(helper.map_err(CommandFailure::wrong_arguments)?))
}
