//! Work that is started from the screen: a form, a plan of the work, the work itself, and its result.
//!
//! A [`JobDialog`] is a [`FormPane`] with its [`JobPlan`]; it lies over whatever view is shown. Its [`FormPurpose`] determines
//! its fields, and the [`FormRequest`] that they make. A worker plans the request each time it changes, so that the form
//! shows what would happen, and a [`JobRefusal`] is shown at the field that it concerns.
//!
//! Started work is in the [`job_list`].
//!
//! To add a kind of work add a variant to [`FormPurpose`] and [`FormRequest`], and a file here that makes the form and
//! reads it.

pub mod check_form;
pub mod draw_list;
pub mod export_form;
pub mod job_list;
pub mod live_form;
pub mod scoring_form;
pub mod test_form;

use std::path::PathBuf;

use crate::{
    session::{
        self,
        context::KeyContext,
        effect::Effect,
        jobs::{FormRequest, JobPlan, JobRefusal},
        pending::Pending,
        question::Question,
        request::{RequestId, RequestIds, Sentence},
    },
    shell::screens::Screens,
    views::form::{self, FormMouse, FormNote, FormPane},
    widgets::{layout::ScreenLayout, mouse::Mouse, pane::PaneRoom, theme::Meaning},
};

pub use crate::shell::message::jobs::{FormPurpose, JobsMessage};

/// Work that was started from the screen, and the settings that it was started with.
#[derive(Debug, Default)]
pub struct Jobs {
    /// A form over the view, before the work starts.
    pub dialog: Option<Box<JobDialog>>,
    /// The list of started work, over the view.
    pub list: Option<job_list::JobList>,
    /// The settings for measuring the code.
    pub measure: session::jobs::MeasureSettings,
    /// The tests of checkpoints, or builds and tests of turns, that were started last.
    pub testing: Option<test_form::TestingJob>,
    /// The settings of the last tests.
    last_tests: Option<session::jobs::TestJob>,
    /// The settings of the last builds and tests of turns.
    last_checks: Option<session::jobs::CheckJob>,
    /// The export that was started last.
    pub(crate) exporting: Option<export_form::StartedExport>,
}

/// A form over the view, and the work that it would start.
#[derive(Debug)]
pub struct JobDialog {
    pub purpose: FormPurpose,
    pub form: FormPane,
    /// The last plan and its request.
    plan: Option<(FormRequest, Result<JobPlan, JobRefusal>)>,
    plans: Pending<FormRequest>,
    /// The state of a live run's form.
    pub live: live_form::LiveFormState,
    /// The runs that the form of an export offers.
    exported: Vec<export_form::ExportSource>,
    /// The request that is being started, and may still be refused.
    begins: Pending<FormRequest>,
}

impl JobDialog {
    fn new(purpose: FormPurpose, form: FormPane) -> Self {
        Self {
            purpose,
            form,
            plan: None,
            plans: Pending::default(),
            live: live_form::LiveFormState::default(),
            exported: vec![],
            begins: Pending::default(),
        }
    }

    /// Returns the request that the form makes. The error names the field.
    pub(crate) fn form_request(&self) -> Result<FormRequest, JobRefusal> {
        match self.purpose {
            FormPurpose::Score => {
                scoring_form::measure_settings(&self.form).map(FormRequest::Score)
            }
            FormPurpose::Test => test_form::test_job(&self.form).map(FormRequest::Test),
            FormPurpose::Check => check_form::check_job(&self.form).map(FormRequest::Check),
            FormPurpose::Live => {
                self.live.live_run_spec(&self.form).map(|it| FormRequest::Live(Box::new(it)))
            }
            FormPurpose::Export | FormPurpose::Figure => {
                export_form::export_job(&self.form, &self.exported).map(FormRequest::Export)
            }
        }
    }

    /// Returns the plan of the work; None while it is computed.
    pub(crate) fn current_plan(&self) -> Option<Result<&JobPlan, &JobRefusal>> {
        let wanted = self.form_request().ok()?;
        let (_, plan) = self.plan.as_ref().filter(|(of, _)| *of == wanted)?;
        Some(plan.as_ref())
    }

    /// Returns why the work cannot start, as far as known.
    pub(crate) fn current_refusal(&self) -> Option<JobRefusal> {
        if self.is_finding_choices() {
            return None;
        }
        match (self.form_request(), self.current_plan()) {
            (Err(why), _) => Some(why),
            (Ok(_), Some(Err(why))) => Some(why.clone()),
            (Ok(_), Some(Ok(_)) | None) => None,
        }
    }

    /// Returns whether the choices of the form are still being found.
    pub(crate) const fn is_finding_choices(&self) -> bool {
        matches!(self.purpose, FormPurpose::Live) && !self.live.has_agents
    }

    /// Returns whether the work is being started.
    pub fn is_beginning(&self) -> bool {
        !self.begins.is_free()
    }

    /// Shows what the work would do, or why it cannot start, and takes as much room as that needs.
    fn settle(&mut self, layout: &ScreenLayout) {
        let refusal = self.current_refusal();
        let (field, why) = refusal.map_or((None, String::new()), |it| (it.field, it.why));
        if field == Some(export_form::EXISTING) {
            self.form.show_field(export_form::EXISTING, true);
        }
        let is_at_field = self.form.show_error(field, &why);
        let sentence = |words: &str, looks| vec![(String::new(), words.to_owned(), looks)];
        let rows = match self.current_plan() {
            _ if is_at_field => vec![],
            _ if !why.is_empty() => sentence(&why, Meaning::Error),
            Some(Ok(plan)) => {
                let row =
                    |(name, value): &(String, String)| (name.clone(), value.clone(), Meaning::Text);
                plan.rows.iter().map(row).collect()
            }
            _ if self.is_finding_choices() => {
                sentence("looking for agents on this machine…", Meaning::Muted)
            }
            _ => sentence("preparing the plan…", Meaning::Muted),
        };
        let is_ready = why.is_empty() && self.current_plan().is_some() && !self.is_beginning();
        self.form.set_note(FormNote { rows, is_ready });
        let width = layout.overlay_area().width.saturating_sub(2);
        self.form.settle(layout.box_area(self.form.wanted_rows(width)));
    }

    fn ask_for_facts(&mut self, numbers: &mut RequestIds) -> Vec<Effect> {
        let looks = (self.purpose == FormPurpose::Live)
            .then(|| self.live.ask_for_agents(numbers))
            .flatten();
        looks.into_iter().chain(self.ask_for_plan(numbers)).collect()
    }

    fn ask_for_plan(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        if self.form.is_typing() || self.is_finding_choices() || !self.plans.is_free() {
            return None;
        }
        let wanted = self.form_request().ok()?;
        if self.plan.as_ref().is_some_and(|(of, _)| *of == wanted) {
            return None;
        }
        Some(self.plans.ask_question(numbers, wanted.clone(), Question::JobPlan { wanted }))
    }

    pub(crate) fn take_plan(
        &mut self,
        request: RequestId,
        plan: Result<Result<JobPlan, JobRefusal>, Sentence>,
    ) {
        let Some(wanted) = self.plans.take_answered(request) else { return };
        let plan = plan.unwrap_or_else(|why| Err(JobRefusal { field: None, why }));
        self.form.propose_values(plan.as_ref().map_or(&[], |it| &it.proposed));
        self.plan = Some((wanted, plan));
    }

    /// Shows agents of this machine, more of which follow.
    pub(crate) fn show_agents(&mut self, request: RequestId, found: &session::jobs::FormFacts) {
        self.live.show_facts(request, found, &mut self.form);
    }

    /// Takes all agents of this machine.
    pub(crate) fn take_agents(
        &mut self,
        request: RequestId,
        found: Result<session::jobs::FormFacts, Sentence>,
    ) {
        self.live.take_facts(request, &found.unwrap_or_default(), &mut self.form);
    }

    fn update_form(&mut self, message: form::FormMessage) {
        let is_motion = matches!(message, form::FormMessage::Move(_));
        self.form.update_form(message);
        let changed = self.form.cursor_id();
        if self.purpose == FormPurpose::Live && !is_motion {
            live_form::link_fields(&mut self.form, changed, self.live.origin.as_ref());
        }
        if self.purpose == FormPurpose::Export && !is_motion {
            export_form::link_fields(&mut self.form, changed, &self.exported);
        }
    }

    /// Shows at its field why the work cannot start.
    fn show_refusal(&mut self, request: RequestId, refusal: JobRefusal) {
        if self.begins.take_answered(request).is_some()
            && let Ok(wanted) = self.form_request()
        {
            self.plan = Some((wanted, Err(refusal)));
        }
    }
}

/// Returns the room of a list over the screen.
pub(crate) fn list_room(screens: &Screens) -> PaneRoom {
    PaneRoom::framed(Some(screens.whole_layout().overlay_area()))
}

impl Jobs {
    /// Returns the keys of the form or the list; None when neither is open.
    pub(crate) fn key_context(&self) -> Option<KeyContext> {
        match &self.dialog {
            Some(dialog) if dialog.form.is_typing() => Some(KeyContext::FormText),
            Some(_) => Some(KeyContext::Form),
            None => self.list.as_ref().map(|_| KeyContext::Jobs),
        }
    }

    /// Returns whether this start is still wanted: nobody closed the form.
    pub fn is_beginning(&self, request: RequestId) -> bool {
        self.dialog.as_ref().is_some_and(|it| it.begins.is_waiting_for(request))
    }

    /// Returns what a mouse event over the form asks for.
    pub(crate) fn message_for_mouse(&self, mouse: Mouse) -> Option<JobsMessage> {
        Some(match self.dialog.as_ref()?.form.mouse_request(mouse)? {
            FormMouse::Form(message) => JobsMessage::Form(message),
            FormMouse::Start => JobsMessage::Begin,
        })
    }

    pub(crate) fn on_dialog(&mut self, change: impl FnOnce(&mut JobDialog)) {
        if let Some(dialog) = &mut self.dialog {
            change(dialog);
        }
    }

    pub fn update(&mut self, message: JobsMessage, screens: &mut Screens) -> Vec<Effect> {
        match message {
            JobsMessage::Open(FormPurpose::Live) if screens.has_agent_at_work() => {
                let keys = &screens.defaults.keys;
                let words = format!(
                    "an agent is running: {} shows it, {} there stops it",
                    keys.key_text(KeyContext::Anywhere, "live"),
                    keys.key_text(KeyContext::Live, "stop-agent")
                );
                screens.show_notice(words);
            }
            JobsMessage::Open(purpose) => {
                self.dialog = Some(Box::new(self.dialog_for(purpose, screens)))
            }
            JobsMessage::Close => self.dialog = None,
            JobsMessage::Form(message) => {
                self.on_dialog(|it| it.update_form(message));
            }
            JobsMessage::StopTests => return self.stop_testing(),
            JobsMessage::CopyCommand => return self.copy_command(screens),
            JobsMessage::DismissBefore => scoring_form::dismiss_old_values(screens),
            JobsMessage::Refused(request, refusal) => {
                self.on_dialog(|it| it.show_refusal(request, refusal));
            }
            JobsMessage::LiveBegan(origin, bundle) => {
                self.dialog = None;
                return live_form::show_begun(screens, origin, bundle);
            }
            JobsMessage::Begin => return self.begin_job(screens),
            JobsMessage::List(message) => return self.update_list(message, screens),
        }
        vec![]
    }

    fn dialog_for(&self, purpose: FormPurpose, screens: &Screens) -> JobDialog {
        match purpose {
            FormPurpose::Score => {
                JobDialog::new(purpose, scoring_form::scoring_form(&self.measure))
            }
            FormPurpose::Test => JobDialog::new(
                purpose,
                test_form::test_form(screens.open_run(), self.last_tests.as_ref()),
            ),
            FormPurpose::Check => {
                JobDialog::new(purpose, check_form::check_form(self.last_checks.as_ref()))
            }
            FormPurpose::Live => {
                let origin = live_form::form_origin(screens);
                let dialog = JobDialog::new(purpose, live_form::live_form(origin.as_ref()));
                JobDialog { live: live_form::LiveFormState::new(origin), ..dialog }
            }
            FormPurpose::Export => {
                let exported = export_form::export_sources(screens);
                let dialog = JobDialog::new(purpose, export_form::export_form(&exported));
                JobDialog { exported, ..dialog }
            }
            // The form is that of an export.
            FormPurpose::Figure => {
                let exported = export_form::export_sources(screens);
                let form = export_form::figure_form(&exported);
                JobDialog { exported, ..JobDialog::new(FormPurpose::Export, form) }
            }
        }
    }

    /// Updates the list and the form, and asks for data that the form lacks.
    pub(crate) fn settle_forms(&mut self, screens: &mut Screens) -> Vec<Effect> {
        self.settle_list(screens);
        let Some(dialog) = &mut self.dialog else { return vec![] };
        dialog.settle(&screens.whole_layout());
        dialog.ask_for_facts(&mut screens.numbers)
    }

    /// Starts the work of the form, if it was planned and nothing is wrong with it.
    fn begin_job(&mut self, screens: &mut Screens) -> Vec<Effect> {
        let Some(dialog) = &mut self.dialog else { return vec![] };
        if dialog.is_beginning() || dialog.form.is_typing() {
            return vec![];
        }
        let wanted = match (dialog.form_request(), dialog.current_plan()) {
            (Ok(wanted), Some(Ok(_))) => wanted,
            (_, Some(Err(_))) => {
                dialog.plan = None; // why not stands in the form, and may be mended by now
                return vec![];
            }
            _ => return vec![],
        };
        match wanted {
            FormRequest::Score(measure) => {
                self.dialog = None;
                self.measure = measure.clone();
                scoring_form::measure_with(screens, measure)
            }
            FormRequest::Test(tests) => {
                self.dialog = None;
                self.begin_testing(tests, screens)
            }
            FormRequest::Check(checks) => {
                self.dialog = None;
                self.begin_checking(checks, screens)
            }
            FormRequest::Export(job) => self.begin_export(job, screens),
            FormRequest::Live(start) => {
                let request = dialog
                    .begins
                    .begin_request(&mut screens.numbers, FormRequest::Live(start.clone()));
                let form_values = live_form::values_to_remember(&dialog.form);
                let folder =
                    dialog.form.field_by_id(live_form::FOLDER).and_then(|it| it.proposed.clone());
                let folder = start.folder.clone().or_else(|| folder.map(PathBuf::from));
                let origin = dialog.live.origin.clone();
                let start = Box::new(session::jobs::LiveRunSpec { folder, ..*start });
                vec![Effect::StartLive(
                    request,
                    Box::new(session::jobs::LiveRunStart { start, origin, form_values }),
                )]
            }
        }
    }
}
