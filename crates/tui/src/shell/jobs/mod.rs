//! What is begun from the screen: a form, a plan of what beginning it would do, the work, and what came of it.
//!
//! A [`Dialog`] is a [`Form`] with its [`Plan`]; it lies over whatever view is shown. Its [`Purpose`] says what it is for:
//! which fields it has, and which [`Wanted`] they come to. What is wanted is planned by a worker each time it changes, so
//! that whoever looks at the form knows what would happen, and a [`Refusal`] stands at the field that it is about.
//!
//! What was begun is in the [`list`].
//!
//! To add a kind of work add a variant to [`Purpose`] and [`Wanted`], and a file here that makes the form and reads it.

pub mod checking;
pub mod draw;
pub mod draw_form;
pub mod list;
pub mod live;
pub mod scoring;
pub mod testing;

use std::path::PathBuf;

use crate::{
    session::{
        self,
        ask::Pending,
        context::Context,
        effect::Effect,
        jobs::{Plan, Refusal, Wanted},
        question::Question,
        request::{Numbers, Request, Sentence},
    },
    shell::screens::Screens,
    views::form::{self, Form},
};

pub use crate::shell::message::jobs::{Message, Purpose};

/// What was begun from the screen, and what it was begun with.
#[derive(Debug, Default)]
pub struct Jobs {
    /// A form over the view, before something is begun.
    pub dialog: Option<Box<Dialog>>,
    /// The list of what was begun, over the view.
    pub list: Option<list::List>,
    /// How the code is measured.
    pub measure: session::jobs::Measure,
    /// Tests of checkpoints, or builds and tests of turns, that were begun last.
    pub testing: Option<testing::Testing>,
    /// What was tested with last.
    last_tests: Option<session::jobs::Tests>,
    /// What the files of turns were built and tested with last.
    last_checks: Option<session::jobs::Checks>,
}

/// A form over the view, and what it would begin.
#[derive(Debug)]
pub struct Dialog {
    pub purpose: Purpose,
    pub form: Form,
    /// What was planned last, and for what.
    plan: Option<(Wanted, Result<Plan, Refusal>)>,
    plans: Pending<Wanted>,
    /// Of a live run alone.
    pub live: live::Opened,
    /// The work that is beginning, and may yet be refused.
    begins: Pending<Wanted>,
    /// Rows of the plan that are above what is seen of it.
    pub plan_top: usize,
}

impl Purpose {
    pub const fn title(self) -> &'static str {
        match self {
            Self::Score => "score again",
            Self::Test => "test the code at checkpoints",
            Self::Check => "build and test the files of every turn",
            Self::Live => "live run",
        }
    }
}

impl Dialog {
    fn new(purpose: Purpose, form: Form) -> Self {
        Self {
            purpose,
            form,
            plan: None,
            plans: Pending::default(),
            live: live::Opened::default(),
            begins: Pending::default(),
            plan_top: 0,
        }
    }

    /// What the form comes to.
    pub fn wanted(&self) -> Result<Wanted, Refusal> {
        match self.purpose {
            Purpose::Score => scoring::wanted(&self.form).map(Wanted::Score),
            Purpose::Test => testing::wanted(&self.form).map(Wanted::Test),
            Purpose::Check => checking::wanted(&self.form).map(Wanted::Check),
            Purpose::Live => self.live.wanted(&self.form).map(|it| Wanted::Live(Box::new(it))),
        }
    }

    /// What beginning would do; None while that is worked out.
    pub fn plan(&self) -> Option<Result<&Plan, &Refusal>> {
        let wanted = self.wanted().ok()?;
        let (_, plan) = self.plan.as_ref().filter(|(of, _)| *of == wanted)?;
        Some(plan.as_ref())
    }

    /// Why it cannot begin, as far as it is known; what concerns a field stands there.
    pub fn refusal(&self) -> Option<Refusal> {
        if self.is_looking() {
            return None;
        }
        match (self.wanted(), self.plan()) {
            (Err(why), _) => Some(why),
            (Ok(_), Some(Err(why))) => Some(why.clone()),
            (Ok(_), Some(Ok(_)) | None) => None,
        }
    }

    /// Whether what the form offers is still being looked for.
    pub const fn is_looking(&self) -> bool {
        matches!(self.purpose, Purpose::Live) && !self.live.has_agents
    }

    /// Whether what it says is beginning.
    pub fn is_beginning(&self) -> bool {
        !self.begins.is_free()
    }

    /// The sentence at a field.
    pub fn complaint(&self, id: &str) -> Option<String> {
        let own = self.form.get(id).and_then(|field| field.error.clone());
        own.or_else(|| Some(self.refusal().filter(|it| it.field == Some(id))?.why))
    }

    fn ask(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let looks = (self.purpose == Purpose::Live).then(|| self.live.ask(numbers)).flatten();
        looks.into_iter().chain(self.ask_for_plan(numbers)).collect()
    }

    fn ask_for_plan(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        if self.form.typing.is_some() || self.is_looking() || !self.plans.is_free() {
            return None;
        }
        let wanted = self.wanted().ok()?;
        if self.plan.as_ref().is_some_and(|(of, _)| *of == wanted) {
            return None;
        }
        Some(self.plans.ask(numbers, wanted.clone(), Question::JobPlan { wanted }))
    }

    pub(crate) fn take_plan(
        &mut self,
        request: Request,
        plan: Result<Result<Plan, Refusal>, Sentence>,
    ) {
        let Some(wanted) = self.plans.answered(request) else { return };
        let plan = plan.unwrap_or_else(|why| Err(Refusal { field: None, why }));
        for field in &mut self.form.fields {
            let mut proposed = plan.iter().flat_map(|it| &it.proposed);
            let mine = proposed.find(|(id, _)| *id == field.id);
            field.proposed = mine.map(|(_, words)| words.clone());
        }
        self.plan = Some((wanted, plan));
        self.plan_top = 0;
    }

    /// Agents of this machine, more of which follow.
    pub(crate) fn show_agents(&mut self, request: Request, found: &session::jobs::Found) {
        self.live.show(request, found, &mut self.form);
    }

    /// All agents of this machine, where they were asked for.
    pub(crate) fn take_agents(
        &mut self,
        request: Request,
        found: Result<session::jobs::Found, Sentence>,
    ) {
        self.live.take(request, &found.unwrap_or_default(), &mut self.form);
    }

    fn change(&mut self, message: form::Message, height: usize) {
        let changed = self.form.field().map_or("", |field| field.id);
        self.form.update(message, height);
        if self.purpose == Purpose::Live {
            live::link(&mut self.form, changed, self.live.origin.as_ref());
        }
    }

    /// What was to begin cannot; the sentence stands at its field.
    fn refuse(&mut self, request: Request, refusal: Refusal) {
        if self.begins.answered(request).is_some()
            && let Ok(wanted) = self.wanted()
        {
            self.plan = Some((wanted, Err(refusal)));
        }
    }
}

/// Rows of a form or a list over the screen that are seen.
pub fn form_height(screens: &Screens) -> usize {
    usize::from(screens.whole_layout().overlay().height.saturating_sub(2))
}

impl Jobs {
    /// Which keys hold in the form or the list; None where neither is open.
    pub fn context(&self) -> Option<Context> {
        match &self.dialog {
            Some(dialog) if dialog.form.typing.is_some() => Some(Context::FormText),
            Some(_) => Some(Context::Form),
            None => self.list.as_ref().map(|_| Context::Jobs),
        }
    }

    /// Whether this beginning is still wanted: nobody closed the form.
    pub fn is_beginning(&self, request: Request) -> bool {
        self.dialog.as_ref().is_some_and(|it| it.begins.is_about(request))
    }

    pub(crate) fn on_dialog(&mut self, change: impl FnOnce(&mut Dialog)) {
        if let Some(dialog) = &mut self.dialog {
            change(dialog);
        }
    }

    pub fn update(&mut self, message: Message, screens: &mut Screens) -> Vec<Effect> {
        match message {
            Message::Open(Purpose::Live) if screens.has_agent_at_work() => screens.say(ONE.into()),
            Message::Open(purpose) => {
                self.dialog = Some(Box::new(self.dialog_for(purpose, screens)))
            }
            Message::Close => self.dialog = None,
            Message::Form(message) => {
                let height = form_height(screens);
                self.on_dialog(|it| it.change(message, height));
            }
            Message::StopTests => return self.stop_testing(),
            Message::DismissBefore => scoring::dismiss_before(screens),
            Message::Refused(request, refusal) => {
                self.on_dialog(|it| it.refuse(request, refusal));
            }
            Message::ScrollPlan(by) => {
                self.on_dialog(|it| it.plan_top = it.plan_top.saturating_add_signed(by));
            }
            Message::LiveBegan(origin, bundle) => {
                self.dialog = None;
                return live::show_begun(screens, origin, bundle);
            }
            Message::Begin => return self.begin_job(screens),
            Message::List(message) => return self.update_list(message, screens),
        }
        vec![]
    }

    fn dialog_for(&self, purpose: Purpose, screens: &Screens) -> Dialog {
        match purpose {
            Purpose::Score => Dialog::new(purpose, scoring::form(&self.measure)),
            Purpose::Test => {
                Dialog::new(purpose, testing::form(screens.open_run(), self.last_tests.as_ref()))
            }
            Purpose::Check => Dialog::new(purpose, checking::form(self.last_checks.as_ref())),
            Purpose::Live => {
                let origin = live::origin(screens);
                let dialog = Dialog::new(purpose, live::form(origin.as_ref()));
                Dialog { live: live::Opened::of(origin), ..dialog }
            }
        }
    }

    /// Brings the list and the form in step, and asks for what the form lacks.
    pub fn settle(&mut self, screens: &mut Screens) -> Vec<Effect> {
        self.settle_list(screens);
        let height = form_height(screens);
        let Some(dialog) = &mut self.dialog else { return vec![] };
        dialog.form.rows.follow(dialog.form.fields.len(), height);
        dialog.ask(&mut screens.numbers)
    }

    /// Begins what the form says, where that was planned and nothing is wrong with it.
    fn begin_job(&mut self, screens: &mut Screens) -> Vec<Effect> {
        let Some(dialog) = &mut self.dialog else { return vec![] };
        if dialog.is_beginning() || dialog.form.typing.is_some() {
            return vec![];
        }
        let wanted = match (dialog.wanted(), dialog.plan()) {
            (Ok(wanted), Some(Ok(_))) => wanted,
            (_, Some(Err(_))) => {
                dialog.plan = None; // why not stands in the form, and may be mended by now
                return vec![];
            }
            _ => return vec![],
        };
        match wanted {
            Wanted::Score(measure) => {
                self.dialog = None;
                self.measure = measure.clone();
                scoring::measure_with(screens, measure)
            }
            Wanted::Test(tests) => {
                self.dialog = None;
                self.begin_testing(tests, screens)
            }
            Wanted::Check(checks) => {
                self.dialog = None;
                self.begin_checking(checks, screens)
            }
            Wanted::Live(start) => {
                let request =
                    dialog.begins.begin(&mut screens.numbers, Wanted::Live(start.clone()));
                let said = live::to_remember(&dialog.form);
                let folder = dialog.form.get(live::FOLDER).and_then(|it| it.proposed.clone());
                let folder = start.folder.clone().or_else(|| folder.map(PathBuf::from));
                let origin = dialog.live.origin.clone();
                let start = Box::new(session::jobs::Start { folder, ..*start });
                vec![Effect::StartLive(
                    request,
                    Box::new(session::jobs::Beginning { start, origin, said }),
                )]
            }
        }
    }
}

/// Why a second agent is not started.
const ONE: &str = "an agent is at work here: F7 shows it, and x there stops it";
