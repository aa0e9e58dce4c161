//! The form that writes runs elsewhere: what, in which format, where to, and the command line that does it.

use std::path::PathBuf;

use crate::{
    session::{
        context::KeyContext,
        effect::Effect,
        export_job::{
            EXPORT_FORMATS, EXPORT_MOMENTS, EXPORT_TABLES, ExportFormat, ExportJob, ExportTarget,
        },
        jobs::{FormChoice, JobRefusal},
        question::Question,
        request::RequestId,
    },
    shell::{
        copy,
        screens::{Screens, judge::file_name_text},
    },
    views::{
        form::{FieldValue, FormField, FormPane},
        table::RunTableView,
    },
};

use super::Jobs;

/// An export that was started from the screen.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedExport {
    pub request: RequestId,
    /// The command line.
    pub command: String,
    pub is_stopping: bool,
    /// Sentence about its end, of success or failure; None while it runs.
    pub end: Option<Result<String, String>>,
}

const WHAT: &str = "what";
const FORMAT: &str = "format";
/// The names of columns, with commas between them.
pub const COLUMNS: &str = "columns";
const MOMENTS: &str = "moments";
const REDACT: &str = "redact";
pub const FILE: &str = "file";
/// Two judged moments, with a blank between them.
pub const MOMENT_PAIR: &str = "moment pair";
/// The question about a file that is there already; shown only for one.
pub const EXISTING: &str = "existing";

/// Runs that can be written, as the form names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExportSource {
    label: String,
    runs: Vec<PathBuf>,
}

/// Returns what the form offers: what the screen shows first.
pub(crate) fn export_sources(screens: &Screens) -> Vec<ExportSource> {
    let source = |label: String, runs: Vec<PathBuf>| ExportSource { label, runs };
    let of_table =
        |table: &RunTableView| source("all runs of the table".into(), table.sources.clone());
    let mut sources = vec![];
    if let Some(compared) = screens.shown_comparison() {
        sources.push(source("the compared runs".into(), compared.paths.clone()));
    } else if let Some(table) = screens.shown_table() {
        sources.push(of_table(table));
        let marked = table.marked.iter().filter_map(|at| Some(table.rows.get(*at)?.path.clone()));
        let marked: Vec<PathBuf> = marked.collect();
        if !marked.is_empty() {
            sources.push(source("the marked runs".into(), marked));
        }
        sources.extend(
            table.selected_run().map(|row| source(row.name.clone(), vec![row.path.clone()])),
        );
        return sources;
    }
    if screens.open_run().is_some() {
        let name = file_name_text(&screens.source);
        sources.push(source(name, vec![screens.source.clone()]));
    }
    sources.extend(screens.collection.as_deref().map(of_table));
    sources
}

pub(crate) fn export_form(sources: &[ExportSource]) -> FormPane {
    let whole = sources.iter().enumerate();
    let whole = whole.map(|(at, source)| FormChoice::new(at.to_string(), source.label.clone()));
    let moments =
        EXPORT_MOMENTS.map(|(word, about)| FormChoice::new(word, word).with_remark(about));
    let redact = vec![
        FormChoice::new("on", "on").with_remark("keys, passwords, addresses, home folders, names"),
        FormChoice::new("off", "off").with_remark("everything is written unchanged"),
    ];
    let existing = vec![
        FormChoice::new("no", "keep it").with_remark("nothing is written"),
        FormChoice::new("yes", "overwrite it"),
    ];
    let fields = vec![
        FormField::with_choices(WHAT, "what", whole.collect(), 0),
        FormField::with_choices(FORMAT, "format", vec![], 0),
        FormField::with_text(MOMENT_PAIR, "states", "", "two judged moments, as c1 final"),
        FormField::with_text(FILE, "file, folder", "", "proposed name"),
        FormField::with_choices(EXISTING, "what is there", existing, 0),
        FormField::with_text(COLUMNS, "columns", "", "all; as task_id,agent,erosion"),
        FormField::with_choices(MOMENTS, "scored at", moments.into(), 0),
        FormField::with_choices(REDACT, "redact", redact, 0),
    ];
    let mut form = FormPane::new("export", "write", fields);
    link_fields(&mut form, WHAT, sources);
    form
}

/// Returns the form with a figure as the chosen format.
pub(crate) fn figure_form(sources: &[ExportSource]) -> FormPane {
    let mut form = export_form(sources);
    form.fill_field(FORMAT, "figure-curves");
    link_fields(&mut form, FORMAT, sources);
    form
}

/// Shows the fields that the chosen runs and the chosen format have. A changed place has to be confirmed again.
pub(super) fn link_fields(form: &mut FormPane, changed: &str, sources: &[ExportSource]) {
    if changed == WHAT {
        let is_single = chosen_runs(form, sources).len() == 1;
        let formats = EXPORT_FORMATS.iter().filter(|it| is_single || !it.is_of_one_run);
        let formats = formats.map(|it| FormChoice::new(it.id, it.label).with_remark(it.remark));
        form.offer_choices(FORMAT, formats.collect());
    }
    if [WHAT, FORMAT, FILE].contains(&changed) {
        form.fill_field(EXISTING, "no");
        form.show_field(EXISTING, false);
    }
    let format = chosen_format(form);
    let is_single = chosen_runs(form, sources).len() == 1;
    form.show_field(MOMENT_PAIR, format.compares_moments() && is_single);
    form.show_field(COLUMNS, format.target == ExportTarget::Tables);
    form.show_field(MOMENTS, format.has_moments());
    form.show_field(REDACT, format.can_redact());
    let has_marks = form.marks().next().is_some();
    let has_tables = format.target == ExportTarget::Tables;
    if has_marks != has_tables {
        let tables: &[_] = if has_tables { &EXPORT_TABLES } else { &[] };
        form.set_marks(tables.iter().map(|(table, about)| FieldValue::Mark {
            item: (*table).into(),
            name: (*about).into(),
            is_marked: true,
        }));
    }
}

fn chosen_runs<'a>(form: &FormPane, sources: &'a [ExportSource]) -> &'a [PathBuf] {
    let chosen = form.chosen_id(WHAT).parse().ok().and_then(|at: usize| sources.get(at));
    chosen.map_or(&[], |source| &source.runs)
}

fn chosen_format(form: &FormPane) -> &'static ExportFormat {
    let id = form.chosen_id(FORMAT);
    EXPORT_FORMATS.iter().find(|it| it.id == id).unwrap_or(&EXPORT_FORMATS[0])
}

pub(crate) fn export_job(
    form: &FormPane,
    sources: &[ExportSource],
) -> Result<ExportJob, JobRefusal> {
    let runs = chosen_runs(form, sources);
    if runs.is_empty() {
        return Err(JobRefusal { field: None, why: NO_RUN.into() });
    }
    let marked: Vec<_> = form.marks().filter(|(_, is_marked)| *is_marked).collect();
    let all = form.marks().count();
    if all > 0 && marked.is_empty() {
        return Err(JobRefusal { field: None, why: "no table is marked: space marks one".into() });
    }
    let tables = if marked.len() == all { &[][..] } else { &marked };
    Ok(ExportJob {
        runs: runs.to_vec(),
        format: chosen_format(form),
        tables: tables.iter().map(|(table, _)| (*table).to_owned()).collect(),
        columns: form.typed_text(COLUMNS).map(str::to_owned),
        moments: match form.chosen_id(MOMENTS) {
            "" => EXPORT_MOMENTS[0].0.to_owned(),
            word => word.to_owned(),
        },
        is_redacted: form.chosen_id(REDACT) != "off",
        moment_pair: form.typed_text(MOMENT_PAIR).map(str::to_owned),
        out: form.typed_text(FILE).map(PathBuf::from),
        overwrites: form.chosen_id(EXISTING) == "yes",
    })
}

const NO_RUN: &str = "no run is open: open one, or go to the table of runs (:runs)";

/// Returns the command line of an export to this place, for a shell.
pub fn command_line(job: &ExportJob, out: &std::path::Path) -> String {
    let words: Vec<String> =
        job.arguments(out).iter().map(|it| copy::shell_quoted(&it.to_string_lossy())).collect();
    let redirect = match job.format.target {
        ExportTarget::Output => format!(" > {}", copy::shell_argument(&out.display().to_string())),
        ExportTarget::Tables | ExportTarget::File | ExportTarget::Figure | ExportTarget::Frames => {
            String::new()
        }
    };
    format!("trajview {}{redirect}", words.join(" "))
}

impl Jobs {
    /// Starts an export, unless one is running.
    pub(super) fn begin_export(&mut self, job: ExportJob, screens: &mut Screens) -> Vec<Effect> {
        if self.exporting.as_ref().is_some_and(|it| it.end.is_none()) {
            let keys = &screens.defaults.keys;
            let words = format!(
                "an export is running: {} lists it, {} there stops it",
                keys.key_text(KeyContext::Anywhere, "jobs"),
                keys.key_text(KeyContext::Jobs, "stop-job")
            );
            screens.show_notice(words);
            return vec![];
        }
        let dialog = self.dialog.take();
        let proposed = |id: &str| dialog.as_ref()?.form.field_by_id(id)?.proposed.clone();
        let out = job.out.clone().or_else(|| proposed(FILE).map(PathBuf::from));
        let out = Some(out.unwrap_or_else(|| job.proposed_name(1)));
        let moment_pair = job.moment_pair.clone().or_else(|| proposed(MOMENT_PAIR));
        let job = ExportJob { out, moment_pair, ..job };
        let request = screens.numbers.next_request();
        let command = job.out.as_deref().map(|out| command_line(&job, out)).unwrap_or_default();
        self.exporting = Some(StartedExport { request, command, is_stopping: false, end: None });
        screens.show_notice("writing…".into());
        vec![Question::Export { job }.with_request(request)]
    }

    pub(crate) fn end_export(
        &mut self,
        request: RequestId,
        outcome: Result<String, String>,
        screens: &mut Screens,
    ) {
        let Some(export) = self.exporting.as_mut().filter(|it| it.request == request) else {
            return;
        };
        screens.show_notice(outcome.clone().unwrap_or_else(|why| why));
        export.end = Some(outcome);
    }

    pub(super) fn stop_export(&mut self) -> Vec<Effect> {
        match &mut self.exporting {
            Some(export) if export.end.is_none() => {
                export.is_stopping = true;
                vec![Effect::StopExport]
            }
            _ => vec![],
        }
    }

    /// Copies the command line of the form.
    pub(super) fn copy_command(&self, screens: &mut Screens) -> Vec<Effect> {
        let plan = self.dialog.as_ref().and_then(|it| it.current_plan()?.ok());
        let command = plan.and_then(|plan| plan.rows.iter().find(|(name, _)| name == COMMAND_ROW));
        match command {
            Some((_, command)) => {
                screens.show_notice("command line copied".into());
                vec![Effect::Copy(command.clone())]
            }
            None => {
                screens.show_notice("this form has no command line to copy".into());
                vec![]
            }
        }
    }
}

/// The row of a plan that has its command line.
pub const COMMAND_ROW: &str = "command";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::form::FormMessage;

    fn sources() -> Vec<ExportSource> {
        let source = |label: &str, runs: &[&str]| ExportSource {
            label: label.into(),
            runs: runs.iter().map(PathBuf::from).collect(),
        };
        vec![source("a", &["runs/a"]), source("both", &["runs/a", "runs/b"])]
    }

    #[test]
    fn several_runs_are_not_offered_what_only_one_can_be_written_as() {
        let (mut form, sources) = (export_form(&sources()), sources());
        assert_eq!(export_job(&form, &sources).unwrap().runs.len(), 1);
        form.fill_field(FORMAT, "patch");
        link_fields(&mut form, FORMAT, &sources);
        assert_eq!(export_job(&form, &sources).unwrap().format.id, "patch");

        form.update_form(FormMessage::Change(1)); // what: both
        link_fields(&mut form, WHAT, &sources);

        let job = export_job(&form, &sources).unwrap();
        assert_eq!((job.runs.len(), job.format.id), (2, "csv"));
        assert_eq!(
            command_line(&job, std::path::Path::new("a b")),
            "trajview export runs/a runs/b --csv 'a b'"
        );
    }

    #[test]
    fn the_form_of_a_figure_draws_the_runs_with_a_curve_each() {
        let form = figure_form(&sources());

        let job = export_job(&form, &sources()).unwrap();

        assert_eq!(
            command_line(&job, std::path::Path::new("a.pdf")),
            "trajview figure curves runs/a --by run --out a.pdf"
        );
        assert!(job.tables.is_empty());
    }

    #[test]
    fn only_transitions_of_one_run_compare_two_typed_states() {
        let (mut form, sources) = (figure_form(&sources()), sources());
        form.fill_field(FORMAT, "figure-transitions");
        link_fields(&mut form, FORMAT, &sources);
        form.fill_field(MOMENT_PAIR, "c1 final");
        let line = |form: &FormPane| {
            let job = export_job(form, &sources).unwrap();
            command_line(&job, std::path::Path::new("a.svg"))
        };
        assert_eq!(
            line(&form),
            "trajview figure transitions runs/a --between c1 final --out a.svg"
        );

        form.fill_field(WHAT, "1");
        link_fields(&mut form, WHAT, &sources);

        assert_eq!(line(&form), "trajview figure transitions runs/a runs/b --out a.svg");
    }

    #[test]
    fn marked_tables_are_an_argument_and_none_is_an_error() {
        let (mut form, sources) = (export_form(&sources()), sources());
        form.set_marks([("runs", true), ("texts", false)].into_iter().map(|(item, is_marked)| {
            FieldValue::Mark { item: item.into(), name: String::new(), is_marked }
        }));
        assert_eq!(export_job(&form, &sources).unwrap().tables, ["runs"]);

        form.set_marks(std::iter::once(FieldValue::Mark {
            item: "runs".into(),
            name: String::new(),
            is_marked: false,
        }));
        assert!(export_job(&form, &sources).unwrap_err().why.starts_with("no table is marked"));
        assert!(export_job(&form, &[]).unwrap_err().why.starts_with("no run is open"));
    }

    #[test]
    fn the_existing_file_has_to_be_confirmed_again_after_its_name_changed() {
        let (mut form, sources) = (export_form(&sources()), sources());
        form.show_field(EXISTING, true);
        form.fill_field(EXISTING, "yes");
        assert!(export_job(&form, &sources).unwrap().overwrites);

        link_fields(&mut form, FILE, &sources);

        assert!(!export_job(&form, &sources).unwrap().overwrites);
    }
}
