//! The judge pane, which runs judges from the screen: beside the views, or in their place where there is no room for
//! both.
//!
//! [`form`] has the user's choices, `request` turns them into a request, [`watched`] has the state of the judging under
//! way, `item_rows` the rows about one component or group, [`areas`] the areas of the parts. The judging continues
//! while other views are shown, while the pane is closed, and while another run is open: `shell::screens::judge`.

pub mod areas;
pub mod draw;
pub mod form;
pub mod item_rows;
mod mouse;
mod request;
pub mod watched;

use std::sync::Arc;
use trajview_run::judging::{
    ItemName, JudgeEntry, JudgeOrigin, JudgingEnd, JudgingOutcome, JudgingPlan, JudgingRequest,
    JudgingScale, JudgingStart, ModelList,
};

use crate::{
    session::{
        Session,
        context::KeyContext,
        effect::Effect,
        judging::JudgingUpdate,
        pending::Pending,
        question::{Answer, Question},
        request::{RequestId, RequestIds},
    },
    views::form::FormMessage,
    widgets::{
        layout::ScreenLayout,
        pane::{ListPane, PaneRoom, TextPane},
        scroll::Motion,
    },
};

use areas::JudgeAreas;
use form::JudgeForm;
use watched::WatchedJudging;

/// The pane, and the judging it watches.
#[derive(Debug, Default)]
pub struct JudgePane {
    pub is_open: bool,
    /// True where the pane is focused while it is beside the views.
    is_focused_beside: bool,
    pub page: JudgePage,
    pub part: WatchedList,
    pub form: JudgeForm,
    pub watched: Option<WatchedJudging>,
    /// The chosen component of the judging.
    rows: ListPane,
    /// The calls of all components.
    calls: ListPane,
    /// True where the newest call is selected.
    pub(crate) follows: bool,
    /// The text about one component.
    words: TextPane,
    pending_questions: PendingJudgeQuestions,
    plan: Option<(JudgingRequest, Result<JudgingPlan, String>)>,
    items: Option<PlannedItems>,
    requested: JudgePaneRequests,
}

/// The effects to request next.
#[derive(Debug, Default)]
struct JudgePaneRequests {
    /// The judging to start or to resume.
    start: Option<JudgingStart>,
    is_stop_wanted: bool,
    is_search_wanted: bool,
    is_keep_wanted: bool,
}

/// Questions that are out.
#[derive(Debug, Default)]
struct PendingJudgeQuestions {
    plans: Pending<JudgingRequest>,
    searches: Pending<()>,
    /// Lists of models, by the name of a judge.
    lists: Pending<()>,
    keeps: Pending<()>,
}

/// Groups of criteria, decisions or parts, as far as a plan listed them.
#[derive(Debug)]
struct PlannedItems {
    of: ItemsKey,
    /// The error is a sentence.
    read: Result<Vec<ItemName>, String>,
}

/// The values that items depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ItemsKey {
    scale: JudgingScale,
    /// Path of the criteria; None for the built-in ones.
    criteria: Option<String>,
    /// Turns done; empty for groups, which are the same at every moment.
    moments: Vec<usize>,
}

impl ItemsKey {
    fn for_request(judging_request: &JudgingRequest) -> Self {
        let depends =
            matches!(judging_request.scale, JudgingScale::Decisions | JudgingScale::Process);
        Self {
            scale: judging_request.scale,
            criteria: judging_request.criteria.clone(),
            moments: if depends { judging_request.moments.clone() } else { vec![] },
        }
    }
}

/// The page of the pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgePage {
    #[default]
    Form,
    /// The judging: its components and the calls as they happen.
    Watch,
    /// One component of it.
    Detail,
}

/// The list of a judging that has the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchedList {
    #[default]
    Components,
    Calls,
}

/// The judges there are, and where they are named.
#[derive(Debug, Clone, Default)]
pub struct JudgeList {
    pub judges: Arc<[JudgeEntry]>,
    /// None where there is no place for settings.
    pub settings: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum JudgePaneMessage {
    /// Opens the pane, gives it the keyboard, or closes it.
    Toggle,
    /// One step out: of a component, of the pane.
    Leave,
    Move(Motion),
    /// Changes the value of a field by this many; on the page of a component, goes to the next one.
    Change(isize),
    /// Starts the judging, or opens the chosen component.
    Enter,
    /// Marks a component or group, or types into a field; at the judge takes it into the panel.
    Mark,
    Stop,
    Resume,
    /// Back to the form.
    New,
    NextPart,
    /// Shows the next of several judges.
    NextJudge,
    /// The judge that was found is to be in the settings.
    Keep,
    Form(FormMessage),
}

/// Rows that a page key scrolls the note of the form by.
const ROWS_PER_PAGE: isize = 4;

/// Returns the reason why a judge without a model cannot be asked; None where it can.
fn missing_model(judge: &JudgeEntry, model: &str) -> Option<String> {
    let lacks = model.is_empty() && judge.kind != "command";
    lacks.then(|| {
        format!(
            "no model of {} selected: ←→ at the field chooses one from its list, space types one",
            judge.name
        )
    })
}

impl JudgePane {
    pub fn set_judges(&mut self, known: &JudgeList) {
        self.form.judges = known.judges.clone();
        self.form.settings.clone_from(&known.settings);
    }

    /// Returns the context of the key bindings; None where the pane is not focused.
    pub(crate) fn keyboard_context(&self, layout: &ScreenLayout) -> Option<KeyContext> {
        if !self.is_focused(layout) {
            return None;
        }
        Some(match self.page {
            JudgePage::Form if self.form.pane.is_typing() => KeyContext::JudgePath,
            JudgePage::Form => KeyContext::JudgeForm,
            JudgePage::Watch | JudgePage::Detail => KeyContext::JudgeWatch,
        })
    }

    /// Returns whether key presses go to this pane: it is open, on the screen, and chosen or covering the views.
    pub(crate) fn is_focused(&self, layout: &ScreenLayout) -> bool {
        self.is_open && layout.pane.is_some() && (self.is_focused_beside || layout.is_covered())
    }

    /// Returns the judging under way.
    pub(crate) fn judging_under_way(&self) -> Option<&WatchedJudging> {
        self.watched.as_ref().filter(|it| it.is_under_way())
    }

    /// Returns the plan for a request; None while it is not known.
    pub(crate) fn plan_for(
        &self,
        judging_request: &JudgingRequest,
    ) -> Option<&Result<JudgingPlan, String>> {
        self.plan.as_ref().filter(|(of, _)| of == judging_request).map(|(_, plan)| plan)
    }

    /// Returns `judge 7/24`; None where nothing is under way.
    pub fn status_text(&self) -> Option<String> {
        let (done, total) = self.judging_under_way()?.progress();
        Some(format!("judge {done}/{total}"))
    }

    /// Moves the focus to the views, and closes a pane that hides them.
    pub(crate) fn give_up_keyboard(&mut self, layout: &ScreenLayout) {
        self.form.pane.end_typing();
        self.is_focused_beside = false;
        self.is_open &= !layout.is_covered();
    }

    /// Returns the component that is chosen.
    pub(crate) fn chosen_entry(&self) -> Option<&watched::WatchedItem> {
        self.watched.as_ref()?.entries.get(self.rows.cursor())
    }

    /// Updates the items from a plan. Known items are kept if a plan fails; a plan for some of them does not list the
    /// others.
    fn update_items(
        &mut self,
        judging_request: &JudgingRequest,
        plan: &Result<JudgingPlan, String>,
    ) {
        let of = ItemsKey::for_request(judging_request);
        let is_known = self.items.as_ref().is_some_and(|it| it.of == of && it.read.is_ok());
        let tells = match judging_request.scale {
            JudgingScale::Levels | JudgingScale::Codebook => false,
            JudgingScale::Flags => plan.is_ok() || !is_known,
            JudgingScale::Decisions | JudgingScale::Process => judging_request.components.is_none(),
        };
        if tells {
            let read = plan.as_ref().map(|it| it.items.clone()).map_err(Clone::clone);
            self.items = Some(PlannedItems { of, read });
        }
    }

    /// Watches a judging that continued while another run was open, from its beginning.
    pub(crate) fn watch_again(&mut self, watched: WatchedJudging) {
        self.watched = Some(watched);
        (self.page, self.part) = (JudgePage::Watch, WatchedList::Components);
        self.restart_lists();
    }

    /// Shows a judging from its first component, and its newest call.
    fn restart_lists(&mut self) {
        self.rows.restart();
        self.calls.restart();
        self.follows = true;
    }

    /// Opens the pane at the judging.
    pub(crate) fn open_at_judging(&mut self) {
        (self.is_open, self.is_focused_beside) = (true, true);
        self.page = if self.watched.is_some() { JudgePage::Watch } else { JudgePage::Form };
    }

    /// Returns whether the search for judges is still running.
    pub(crate) fn is_searching(&self) -> bool {
        self.requested.is_search_wanted || !self.pending_questions.searches.is_free()
    }

    /// Returns whether the list of models of the chosen judge is loading.
    pub(crate) fn is_listing(&self) -> bool {
        !self.pending_questions.lists.is_free()
    }

    fn toggle_pane(&mut self, layout: &ScreenLayout) {
        match (self.is_open, self.is_focused(layout)) {
            (true, true) => {
                self.is_open = false;
                self.is_focused_beside = false;
            }
            _ => {
                self.requested.is_search_wanted |= !self.is_open && self.page == JudgePage::Form;
                self.is_open = true;
                self.is_focused_beside = true;
            }
        }
    }

    fn step_out(&mut self, layout: &ScreenLayout) {
        match self.page {
            JudgePage::Detail => self.page = JudgePage::Watch,
            JudgePage::Form | JudgePage::Watch => self.give_up_keyboard(layout),
        }
    }
}

impl JudgePane {
    pub fn update(
        &mut self,
        session: &mut Session,
        message: JudgePaneMessage,
        layout: &ScreenLayout,
    ) {
        let judging = &mut *self;
        if !judging.is_open && message != JudgePaneMessage::Toggle {
            return judging.toggle_pane(layout); // a command of the list: what it is about is shown first
        }
        match message {
            JudgePaneMessage::Toggle => judging.toggle_pane(layout),
            JudgePaneMessage::Leave => judging.step_out(layout),
            JudgePaneMessage::Move(motion) => self.move_in_pane(motion),
            JudgePaneMessage::Change(by) if judging.page == JudgePage::Form => {
                judging.update_form(FormMessage::Change(by));
            }
            JudgePaneMessage::Change(by) => {
                let row = judging.rows.cursor().saturating_add_signed(by);
                self.choose_entry(row);
            }
            JudgePaneMessage::Enter => self.enter_pane(session),
            JudgePaneMessage::Mark => self.mark_in_form(),
            JudgePaneMessage::Stop => self.stop_judging(session),
            JudgePaneMessage::Resume => self.resume_judging(session),
            JudgePaneMessage::New => self.show_form(session),
            JudgePaneMessage::Keep => self.save_judge_to_settings(session),
            JudgePaneMessage::NextPart => {
                judging.part = match judging.part {
                    WatchedList::Components => WatchedList::Calls,
                    WatchedList::Calls => WatchedList::Components,
                };
            }
            JudgePaneMessage::NextJudge => self.show_next_judge(session),
            JudgePaneMessage::Form(message) => judging.update_form(message),
        }
    }

    fn move_in_pane(&mut self, motion: Motion) {
        match (self.page, self.part) {
            (JudgePage::Form, _) => self.update_form(match motion {
                Motion::PageUp => FormMessage::ScrollNote(-ROWS_PER_PAGE),
                Motion::PageDown => FormMessage::ScrollNote(ROWS_PER_PAGE),
                motion => FormMessage::Move(motion),
            }),
            (JudgePage::Detail, _) => self.words.scroll_by(motion),
            (JudgePage::Watch, WatchedList::Components) => {
                self.choose_entry(self.rows.target_row(motion));
            }
            (JudgePage::Watch, WatchedList::Calls) => {
                self.calls.move_cursor(motion);
                let calls = self.watched.as_ref().map_or(0, |it| it.calls.len());
                self.follows = self.calls.cursor() + 1 >= calls;
            }
        }
    }

    fn choose_entry(&mut self, row: usize) {
        let last = self.watched.as_ref().map_or(0, |it| it.entries.len().saturating_sub(1));
        let row = row.min(last);
        if row != self.rows.cursor() {
            self.words.restart();
        }
        self.rows.choose(row);
    }

    fn enter_pane(&mut self, session: &mut Session) {
        let judging = &mut *self;
        match (judging.page, judging.part) {
            (JudgePage::Form, _) => self.start_judging(session),
            (JudgePage::Detail, _) => judging.page = JudgePage::Watch,
            (JudgePage::Watch, WatchedList::Components) => {
                judging.words.restart();
                judging.page = JudgePage::Detail;
            }
            (JudgePage::Watch, WatchedList::Calls) => {
                let Some(watched) = &judging.watched else { return };
                let called = watched.calls.get(judging.calls.cursor()).map(|(id, _)| id);
                let row = called.and_then(|id| watched.entries.iter().position(|it| it.id == *id));
                if let Some(row) = row {
                    self.choose_entry(row);
                    self.page = JudgePage::Detail;
                }
            }
        }
    }

    fn update_form(&mut self, message: FormMessage) {
        self.form.pane.update_form(message);
        self.form.take_marks();
    }

    fn mark_in_form(&mut self) {
        match self.form.pane.cursor_id() {
            form::JUDGE => self.form.toggle_panel_judge(),
            _ => self.update_form(FormMessage::Edit),
        }
    }

    fn show_next_judge(&mut self, session: &mut Session) {
        match &mut self.watched {
            Some(watched) if !watched.panel.is_empty() => {
                watched.show_next_judge();
                session.notice = Some(format!("judge {}", watched.judge));
                self.calls.restart();
                self.words.restart();
                self.follows = true;
            }
            _ => session.notice = Some("there is only one judge".into()),
        }
    }

    fn show_form(&mut self, session: &mut Session) {
        match self.judging_under_way() {
            Some(_) => {
                let stop = session.keys.key_text(KeyContext::JudgeWatch, "stop-judging");
                session.notice = Some(format!("a judge is running: {stop} stops it"));
            }
            None => {
                self.page = JudgePage::Form;
                self.requested.is_search_wanted = true;
            }
        }
    }

    fn save_judge_to_settings(&mut self, session: &mut Session) {
        let form = &self.form;
        session.notice = match form.chosen_judge() {
            None => Some("no judge to save".into()),
            Some(judge) if judge.origin == JudgeOrigin::Settings => {
                Some(format!("judge {} is already in the settings", judge.name))
            }
            Some(judge) => missing_model(judge, form.chosen_model()),
        };
        self.requested.is_keep_wanted = session.notice.is_none();
    }

    /// Starts the judging of the form, if it is possible and its plan is known.
    fn start_judging(&mut self, session: &mut Session) {
        let begun = self.judging_request(session).and_then(|judging_request| {
            match self.plan_for(&judging_request) {
                None => return Err("the plan is not ready yet".into()),
                Some(Err(why)) => return Err(why.clone()),
                Some(Ok(JudgingPlan { lacks: Some(why), .. })) => return Err(why.clone()),
                Some(Ok(_)) => {}
            }
            self.open_judging(session, judging_request, JudgingStart::Anew)
        });
        session.notice = begun.err();
    }

    fn resume_judging(&mut self, session: &mut Session) {
        let last = self.watched.as_ref().filter(|_| self.page != JudgePage::Form);
        let judging_request =
            last.map_or_else(|| self.judging_request(session), |it| Ok(it.judging_request.clone()));
        let begun = match last {
            Some(it) if !it.is_under_way() && !it.may_resume() => {
                Err("all items are judged; n: new request".into())
            }
            _ => judging_request.and_then(|judging_request| {
                self.open_judging(session, judging_request, JudgingStart::Resume)
            }),
        };
        session.notice = begun.err();
    }

    fn open_judging(
        &mut self,
        session: &mut Session,
        judging_request: JudgingRequest,
        start: JudgingStart,
    ) -> Result<(), String> {
        if self.judging_under_way().is_some() {
            let stop = session.keys.key_text(KeyContext::JudgeWatch, "stop-judging");
            return Err(format!("a judge is already running: {stop} stops it"));
        }
        let items = self.items_for_request(session, &judging_request);
        session.rubric.keep_judgement();
        let judging = &mut *self;
        judging.watched = Some(WatchedJudging::new(RequestId::default(), judging_request, items));
        judging.page = JudgePage::Watch;
        judging.part = WatchedList::Components;
        judging.restart_lists();
        judging.requested.start = Some(start);
        Ok(())
    }

    /// Returns the items of a request, with their names from the judging before where it had the same request.
    fn items_for_request(
        &self,
        session: &Session,
        judging_request: &JudgingRequest,
    ) -> Vec<ItemName> {
        let last = self.watched.as_ref().filter(|it| it.judging_request == *judging_request);
        if let Some(last) = last {
            let item =
                |it: &watched::WatchedItem| ItemName { id: it.id.clone(), name: it.name.clone() };
            return last.entries.iter().map(item).collect();
        }
        let is_wanted = |it: &ItemName| {
            judging_request.components.as_ref().is_none_or(|ids| ids.contains(&it.id))
        };
        self.judgeable_items(session).into_iter().filter(is_wanted).collect()
    }

    pub(crate) fn stop_judging(&mut self, session: &mut Session) {
        match &mut self.watched {
            Some(watched) if watched.is_under_way() => {
                watched.is_stopping = true;
                self.requested.is_stop_wanted = true;
            }
            _ => session.notice = Some("no judge is running".into()),
        }
    }

    pub(crate) fn take_answer(
        &mut self,
        session: &mut Session,
        request: RequestId,
        answer: Answer,
    ) {
        let judging = &mut *self;
        match answer {
            Answer::JudgePlan(plan) => {
                if let Some(judging_request) =
                    judging.pending_questions.plans.take_answered(request)
                {
                    judging.update_items(&judging_request, &plan);
                    judging.plan = Some((judging_request, plan));
                }
            }
            Answer::Judges(found)
                if judging.pending_questions.searches.take_answered(request).is_some() =>
            {
                let (judges, problem) = found.unwrap_or_else(|why| (vec![], Some(why)));
                judging.form.judges = judges.into();
                session.notice = problem.or(session.notice.take());
            }
            Answer::Models(judges) => {
                let judges =
                    judging.pending_questions.lists.take_answered(request).and(judges.ok());
                if let Some(judges) = judges.filter(|it| !it.is_empty()) {
                    judging.form.judges = judges.into();
                }
            }
            Answer::KeepJudge(kept)
                if judging.pending_questions.keeps.take_answered(request).is_some() =>
            {
                judging.requested.is_search_wanted |= kept.is_ok();
                session.notice = Some(kept.unwrap_or_else(|why| why));
            }
            _ => {} // asked elsewhere, or late
        }
    }

    /// Takes the judges that are found at once; more may follow.
    pub(crate) fn take_judges(&mut self, request: RequestId, judges: Vec<JudgeEntry>) {
        if self.pending_questions.searches.is_waiting_for(request) {
            self.form.judges = judges.into();
        }
    }

    pub(crate) fn take_judging_update(
        &mut self,
        session: &mut Session,
        request: RequestId,
        update: JudgingUpdate,
    ) {
        let Some(watched) = self.watched.as_mut().filter(|it| it.request == request) else {
            return;
        };
        if watched.update(update) {
            session.rubric.mark_stale();
        }
        if self.follows {
            self.calls.choose(usize::MAX); // settled at the last one
        }
    }

    pub fn end_judging(
        &mut self,
        session: &mut Session,
        request: RequestId,
        outcome: JudgingOutcome,
    ) {
        let Some(watched) = self.watched.as_mut().filter(|it| it.request == request) else {
            return;
        };
        let mut outcome = outcome;
        let verb = match outcome.end {
            JudgingEnd::Finished => None,
            JudgingEnd::Stopped => (!outcome.files.is_empty()).then_some("resumes"),
            JudgingEnd::Failed => Some("retries"),
        };
        if let Some(verb) = verb {
            let key = session.keys.key_text(KeyContext::Judging, "resume-judging");
            outcome.text.push_str(&format!("; {key} {verb}"));
        }
        let words = match (outcome.end, outcome.files.last()) {
            (JudgingEnd::Finished, Some((file, _))) => {
                format!(
                    "{}: new judgement {file}; {} in scores shows it",
                    outcome.text,
                    session.keys.key_text(KeyContext::Judged, "next-judgement")
                )
            }
            _ => outcome.text.clone(),
        };
        watched.end_judging(outcome);
        session.rubric.mark_stale();
        session.notice = Some(words);
    }

    pub(crate) fn settle_pane(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let areas = JudgeAreas::new(layout, self.page);
        if self.is_open {
            self.fill_form(session);
        }
        self.form.pane.settle(areas.pane);
        let words = self.entry_rows(session, &areas).len();
        let judging = &mut *self;
        if judging.watched.is_none() {
            judging.page = JudgePage::Form;
        }
        let (list, below) = (PaneRoom::without_border(areas.list), areas.calls_room());
        let entries = judging.watched.as_ref().map_or(0, |it| it.entries.len());
        let calls = judging.watched.as_ref().map_or(0, |it| it.calls.len());
        judging.rows.settle(list, entries);
        judging.calls.settle(below, calls);
        let room = PaneRoom::framed(Some(areas.pane)).with_rows(areas.list);
        judging.words.settle(room, words);
    }

    pub(crate) fn ask_questions(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Vec<Effect> {
        let mut effects = vec![];
        if std::mem::take(&mut self.requested.is_stop_wanted) {
            let stop = self.watched.as_ref().map(|it| Effect::StopJudging(it.request));
            effects.extend(stop);
        }
        if let (Some(start), Some(watched)) = (self.requested.start.take(), &mut self.watched) {
            watched.request = numbers.next_request();
            let request = watched.request;
            watched.panel.iter_mut().for_each(|it| it.request = request);
            let (turns, wish) = (session.run.turns.len(), watched.judging_request.clone());
            effects.push(Question::Judging { turns, wish, start }.with_request(watched.request));
        }
        effects.extend(self.ask_for_judges(numbers));
        effects.extend(self.ask_plan(session, numbers));
        effects
    }

    /// Asks for the available judges, for the models of the judge at the cursor, and to save a judge to the settings. A
    /// server is asked for its models only when the cursor is at that field: it may take a key.
    fn ask_for_judges(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let judging = &mut *self;
        let form = &judging.form;
        if !judging.is_open || judging.page != JudgePage::Form {
            return None;
        }
        if judging.requested.is_keep_wanted && judging.pending_questions.keeps.is_free() {
            let (judge, model) =
                (form.chosen_judge()?.name.clone(), form.chosen_model().to_owned());
            judging.requested.is_keep_wanted = false;
            return Some(judging.pending_questions.keeps.ask_question(
                numbers,
                (),
                Question::KeepJudge { judge, model },
            ));
        }
        if judging.requested.is_search_wanted && judging.pending_questions.searches.is_free() {
            judging.requested.is_search_wanted = false;
            return Some(judging.pending_questions.searches.ask_question(
                numbers,
                (),
                Question::Judges {},
            ));
        }
        let unknown = form.chosen_judge().filter(|it| it.models == ModelList::NotRequested)?;
        if form.pane.cursor_id() != form::MODEL || !judging.pending_questions.lists.is_free() {
            return None;
        }
        let judge = unknown.name.clone();
        Some(judging.pending_questions.lists.ask_question(numbers, (), Question::Models { judge }))
    }

    /// Asks for a plan while the form is shown and its request differs from the planned one.
    fn ask_plan(&mut self, session: &mut Session, numbers: &mut RequestIds) -> Option<Effect> {
        let judging = &*self;
        let is_seen =
            judging.is_open && judging.page == JudgePage::Form && !judging.form.pane.is_typing();
        if !is_seen || !judging.pending_questions.plans.is_free() {
            return None;
        }
        let wish = self.request_to_plan(session).filter(|wish| self.plan_for(wish).is_none())?;
        let question = Question::JudgePlan { turns: session.run.turns.len(), wish: wish.clone() };
        Some(self.pending_questions.plans.ask_question(numbers, wish, question))
    }
}
