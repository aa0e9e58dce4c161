//! `trajview annotations`: labels and verdicts to other tools and back.

mod export;
mod import;

use std::path::PathBuf;

use clap::builder::TypedValueParser;

use trajview_formats::annotations::AnnotationTool;
use trajview_run::rubric::{ItemKey, LabelUnit};

use super::{CommandFailure, CommandResult, agree::inputs::AgreeInputs, output::Out, run_args};

/// Exchange labels with Inspect Scout, Langfuse, Phoenix, Label Studio
///
/// --export-to prints a file for the tool. --import-from imports a file: scores of people become labels, scores of each judge become
/// a new judgement. If a score is wrong, nothing is written, and all mistakes are reported. The run is the tool's
/// transcript, trace or span, the component the name of its score.
#[derive(Debug, clap::Args)]
pub struct AnnotationsArgs {
    /// Run bundles, or folders of them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Print the labels in the form of this tool
    #[arg(long, value_name = "TOOL", value_parser = tool_parser(), required_unless_present_any = ["import_from", "config"], alias = "to")]
    export_to: Option<AnnotationTool>,
    /// Also print the verdicts of judges
    #[arg(long, requires = "export_to")]
    judgements: bool,
    /// Only labels of these raters or judges; the beginning of a name is enough
    #[arg(long, value_name = "NAME", requires = "export_to", alias = "of")]
    rater: Vec<String>,
    /// Import labels and verdicts from this file
    #[arg(long, value_name = "FILE", conflicts_with = "export_to", alias = "from")]
    import_from: Option<PathBuf>,
    /// The tool that wrote the file; default: recognised by its form
    #[arg(long, alias = "as", value_name = "TOOL", value_parser = tool_parser(), requires = "import_from")]
    format: Option<AnnotationTool>,
    /// Rater for scores without a name
    #[arg(long, value_name = "NAME", requires = "import_from")]
    annotator: Option<String>,
    /// The scored state, if the file does not have it: a turn, a checkpoint, `start` or `final`
    #[arg(long, value_name = "MOMENT", requires = "import_from")]
    at: Option<String>,
    /// Print the labelling interface of Label Studio for --export-to label-studio
    #[arg(long, conflicts_with_all = ["import_from", "export_to"])]
    config: bool,
}

fn tool_parser() -> impl TypedValueParser<Value = AnnotationTool> {
    run_args::word_parser(AnnotationTool::ALL.map(AnnotationTool::word), AnnotationTool::by_word)
}

pub fn run(args: &AnnotationsArgs, out: &mut Out) -> CommandResult {
    if args.config {
        return export::print_label_studio_config(out);
    }
    let gathered = AgreeInputs::read_paths(&args.runs)?;
    match (&args.import_from, args.export_to) {
        (Some(file), _) => import::import_annotations(&gathered, args, file, out),
        (None, Some(tool)) => export::export_annotations(&gathered, args, tool, out),
        (None, None) => {
            Err(CommandFailure::wrong_arguments("--export-to TOOL or --import-from FILE is needed"))
        }
    }
}

/// Returns an item as other tools name it: a component by its id; another unit before it, a criterion behind it.
fn item_name(item: ItemKey<'_>) -> String {
    let unit = match item.unit {
        LabelUnit::Component => String::new(),
        unit => format!("{}:", unit.word()),
    };
    let criterion = item.criterion.map(|it| format!("#{it}")).unwrap_or_default();
    format!("{unit}{}{criterion}", item.id)
}

/// Returns the item that a name such as `flag:id#criterion` means; without a word before `:` it is a component.
fn item_of_name(name: &str) -> ItemKey<'_> {
    let other =
        name.split_once(':').and_then(|(word, rest)| Some((LabelUnit::by_word(word)?, rest)));
    let (unit, rest) = other.unwrap_or((LabelUnit::Component, name));
    let (id, criterion) = match rest.split_once('#') {
        Some((id, criterion)) => (id, Some(criterion)),
        None => (rest, None),
    };
    ItemKey { unit, id, criterion }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_known_by_its_name() {
        for item in [
            ItemKey::from("C07"),
            ItemKey { unit: LabelUnit::Leaf, id: "0/3/1", criterion: None },
            ItemKey { unit: LabelUnit::Flag, id: "src/a.py:3-9", criterion: Some("long name") },
        ] {
            assert_eq!(item_of_name(&item_name(item)), item);
        }
    }
}
