//! Asking a judge from the screen: a pane beside the views, or in their place where there is no room for both.
//!
//! [`form`] is what is wanted, `request` what it comes to, [`watched`] what is known of the judging under way, [`crate::session::judging`] what
//! a worker is asked and answers, [`rows`] the lines about one component or group, [`areas`] where the parts stand. The judging
//! goes on while other views are looked at, while the pane is closed, and while another run is open: `shell::screens::judge`.

pub mod areas;
pub mod draw;
pub mod form;
mod pointing;
mod request;
pub mod rows;
pub mod watched;

use std::sync::Arc;

use crate::{
    session::{
        Session,
        ask::Pending,
        context::Context,
        effect::Effect,
        judging::{
            How, Item, Judge, JudgingRequest, Models, News, Origin, Outcome, Plan, Scale, Start,
        },
        question::{Answer, Question},
        request::{Numbers, Request},
    },
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};

use areas::Areas;
use form::Form;
use watched::Watched;

/// The pane, and the judging it watches.
#[derive(Debug, Default)]
pub struct Judging {
    pub is_open: bool,
    /// Whether the keyboard is in the pane where it stands beside the views.
    has_keyboard: bool,
    pub page: Page,
    pub part: Part,
    pub form: Form,
    pub watched: Option<Watched>,
    /// Which component of the sitting is chosen.
    pub rows: Scroll,
    /// Among the calls of all components.
    pub calls: Scroll,
    /// Whether the newest call is the one that is looked at.
    pub(crate) follows: bool,
    /// In the words about one component.
    pub words: Scroll,
    asked: Questions,
    plan: Option<(JudgingRequest, Result<Plan, String>)>,
    items: Option<Items>,
    wants: Wants,
}

/// What is to be asked of the world next.
#[derive(Debug, Default)]
struct Wants {
    /// What is to be asked of the world next.
    wanted: Option<Start>,
    is_stop_wanted: bool,
    is_search_wanted: bool,
    is_keep_wanted: bool,
}

/// Questions that are out.
#[derive(Debug, Default)]
struct Questions {
    plans: Pending<JudgingRequest>,
    searches: Pending<()>,
    /// By the name of a judge.
    lists: Pending<()>,
    keeps: Pending<()>,
}

/// Groups of criteria, decisions or parts, as far as a plan told them.
#[derive(Debug)]
struct Items {
    of: ItemsOf,
    /// The error is a sentence.
    read: Result<Vec<Item>, String>,
}

/// What items depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ItemsOf {
    scale: Scale,
    /// Path of the criteria; None for the built-in ones.
    criteria: Option<String>,
    /// In turns done; of groups none: they are the same for all.
    moments: Vec<usize>,
}

impl ItemsOf {
    fn of(wish: &JudgingRequest) -> Self {
        let depends = matches!(wish.scale, Scale::Decisions | Scale::Process);
        Self {
            scale: wish.scale,
            criteria: wish.criteria.clone(),
            moments: if depends { wish.moments.clone() } else { vec![] },
        }
    }
}

/// What the pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    #[default]
    Form,
    /// The judging: its components and the calls as they happen.
    Watch,
    /// One component of it.
    Detail,
}

/// Which list of a judging has the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Components,
    Calls,
}

/// The judges there are, and where they are named.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub judges: Arc<[Judge]>,
    /// None where there is no place for settings.
    pub settings: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Opens the pane, gives it the keyboard, or closes it.
    Toggle,
    /// One step out: of a component, of the pane.
    Leave,
    Move(Motion),
    /// The value of a field, by so many; of a component that is looked at, the next one.
    Change(isize),
    /// Begins, or goes into the chosen component.
    Enter,
    /// Marks a component or group, or types the path of the prompt or the criteria.
    Mark,
    Stop,
    Resume,
    /// Back to the form.
    New,
    NextPart,
    /// Of several judges that are asked at once, the next one is looked at.
    NextJudge,
    /// The judge that was found is to be in the settings.
    Keep,
    Path(Path),
}

/// Typing the path of a prompt, or of criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Path {
    Type(String),
    Erase,
    EraseAll,
    Accept,
    Cancel,
}

/// Why a judge cannot be asked without a model; None where it can.
fn lacks_model(judge: &Judge, model: &str) -> Option<String> {
    let lacks = model.is_empty() && judge.kind != "command";
    lacks.then(|| {
        format!(
            "no model of {} is chosen: ←→ at the field takes one it lists, space types one",
            judge.name
        )
    })
}

impl Judging {
    pub fn know(&mut self, known: &Known) {
        self.form.judges = known.judges.clone();
        self.form.settings.clone_from(&known.settings);
    }

    /// Where the keyboard is; None where it is in the views.
    pub fn context(&self, layout: &Layout) -> Option<Context> {
        if !self.has_keyboard(layout) {
            return None;
        }
        Some(match self.page {
            Page::Form if self.form.typing.is_some() => Context::JudgePath,
            Page::Form => Context::JudgeForm,
            Page::Watch | Page::Detail => Context::JudgeWatch,
        })
    }

    pub fn has_keyboard(&self, layout: &Layout) -> bool {
        self.is_open && layout.pane.is_some() && (self.has_keyboard || layout.is_covered())
    }

    /// The judging under way.
    pub fn under_way(&self) -> Option<&Watched> {
        self.watched.as_ref().filter(|it| it.is_under_way())
    }

    /// What the wish would take; None while that is not known.
    pub fn plan(&self, wish: &JudgingRequest) -> Option<&Result<Plan, String>> {
        self.plan.as_ref().filter(|(of, _)| of == wish).map(|(_, plan)| plan)
    }

    /// `judge 7/24`; None where nothing is under way.
    pub fn sign(&self) -> Option<String> {
        let (done, total) = self.under_way()?.progress();
        Some(format!("judge {done}/{total}"))
    }

    /// The keyboard goes to the views, and a pane in their place makes room.
    pub(crate) fn step_aside(&mut self, layout: &Layout) {
        self.form.typing = None;
        self.has_keyboard = false;
        self.is_open &= !layout.is_covered();
    }

    /// The component that is chosen.
    pub fn chosen(&self) -> Option<&watched::Entry> {
        self.watched.as_ref()?.entries.get(self.rows.cursor)
    }

    /// Items that are known stay so, whatever else a plan fails at. A plan for some of them does not tell the others.
    fn hear_items(&mut self, wish: &JudgingRequest, plan: &Result<Plan, String>) {
        let of = ItemsOf::of(wish);
        let is_known = self.items.as_ref().is_some_and(|it| it.of == of && it.read.is_ok());
        let tells = match wish.scale {
            Scale::Levels => false,
            Scale::Flags => plan.is_ok() || !is_known,
            Scale::Decisions | Scale::Process => wish.components.is_none(),
        };
        if tells {
            let read = plan.as_ref().map(|it| it.items.clone()).map_err(Clone::clone);
            self.items = Some(Items { of, read });
        }
    }

    /// Watches a judging that went on while another run was open, from its beginning.
    pub(crate) fn watch_again(&mut self, watched: Watched) {
        self.watched = Some(watched);
        (self.page, self.part) = (Page::Watch, Part::Components);
        (self.rows, self.calls) = (Scroll::default(), Scroll::default());
        self.follows = true;
    }

    /// The pane is open at the judging.
    pub fn watch(&mut self) {
        (self.is_open, self.has_keyboard) = (true, true);
        self.page = if self.watched.is_some() { Page::Watch } else { Page::Form };
    }

    /// Whether somebody may still be found.
    pub fn is_searching(&self) -> bool {
        self.wants.is_search_wanted || !self.asked.searches.is_free()
    }

    /// Whether the chosen judge is being asked which models it has.
    pub fn is_listing(&self) -> bool {
        !self.asked.lists.is_free()
    }

    fn toggle(&mut self, layout: &Layout) {
        match (self.is_open, self.has_keyboard(layout)) {
            (true, true) => {
                self.is_open = false;
                self.has_keyboard = false;
            }
            _ => {
                self.wants.is_search_wanted |= !self.is_open && self.page == Page::Form;
                self.is_open = true;
                self.has_keyboard = true;
            }
        }
    }

    fn leave(&mut self, layout: &Layout) {
        match self.page {
            Page::Detail => self.page = Page::Watch,
            Page::Form | Page::Watch => self.step_aside(layout),
        }
    }

    fn type_path(&mut self, message: &Path) {
        match (message, self.form.line_mut()) {
            (Path::Type(words), Some(line)) => line.push_str(words),
            (Path::Erase, Some(line)) => drop(line.pop()),
            (Path::EraseAll, Some(line)) => line.clear(),
            (Path::Accept | Path::Cancel, _) => self.form.end_typing(*message == Path::Accept),
            (_, None) => {}
        }
    }
}

impl Judging {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        let playhead = self.playhead_beside_the_shown(session);
        let judging = &mut *self;
        if !judging.is_open && message != Message::Toggle {
            return judging.toggle(layout); // a command of the list: what it is about is shown first
        }
        match message {
            Message::Toggle => judging.toggle(layout),
            Message::Leave => judging.leave(layout),
            Message::Move(motion) => self.move_in_pane(session, motion, layout),
            Message::Change(by) if judging.page == Page::Form => {
                judging.form.change(by, &session.run, playhead);
            }
            Message::Change(by) => {
                let row = judging.rows.cursor.saturating_add_signed(by);
                self.choose_entry(row);
            }
            Message::Enter => self.enter_pane(session),
            Message::Mark => self.mark_in_form(session),
            Message::Stop => self.stop_judging(session),
            Message::Resume => self.resume_judging(session),
            Message::New => self.show_form(session),
            Message::Keep => self.keep_judge(session),
            Message::NextPart => {
                judging.part = match judging.part {
                    Part::Components => Part::Calls,
                    Part::Calls => Part::Components,
                };
            }
            Message::NextJudge => self.look_at_next_judge(session),
            Message::Path(message) => judging.type_path(&message),
        }
    }

    fn move_in_pane(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.page);
        let rows = self.form_rows(session);
        let words = self.entry_rows(session, &areas).len();
        let judging = &mut *self;
        let entries = judging.watched.as_ref().map_or(0, |it| it.entries.len());
        let calls = judging.watched.as_ref().map_or(0, |it| it.calls.len());
        let moved = |scroll: Scroll, len, height: usize| motion.from(scroll.cursor, len, height);
        match (judging.page, judging.part) {
            (Page::Form, _) => {
                judging.form.rows.cursor = moved(judging.form.rows, rows, areas.list_height());
            }
            (Page::Detail, _) => {
                judging.words.turn(motion, words, areas.list_height());
            }
            (Page::Watch, Part::Components) => {
                let row = moved(judging.rows, entries, areas.list_height());
                self.choose_entry(row);
            }
            (Page::Watch, Part::Calls) => {
                let row = moved(judging.calls, calls, areas.below_height());
                judging.calls.cursor = row;
                judging.follows = row + 1 >= calls;
            }
        }
    }

    fn choose_entry(&mut self, row: usize) {
        let last = self.watched.as_ref().map_or(0, |it| it.entries.len().saturating_sub(1));
        let row = row.min(last);
        if row != self.rows.cursor {
            self.words = Scroll::default();
        }
        self.rows.cursor = row;
    }

    fn enter_pane(&mut self, session: &mut Session) {
        let judging = &mut *self;
        match (judging.page, judging.part) {
            (Page::Form, _) => self.begin_judging(session),
            (Page::Detail, _) => judging.page = Page::Watch,
            (Page::Watch, Part::Components) => {
                judging.words = Scroll::default();
                judging.page = Page::Detail;
            }
            (Page::Watch, Part::Calls) => {
                let Some(watched) = &judging.watched else { return };
                let called = watched.calls.get(judging.calls.cursor).map(|(id, _)| id);
                let row = called.and_then(|id| watched.entries.iter().position(|it| it.id == *id));
                if let Some(row) = row {
                    self.choose_entry(row);
                    self.page = Page::Detail;
                }
            }
        }
    }

    fn mark_in_form(&mut self, session: &mut Session) {
        if self.page != Page::Form {
            return;
        }
        let form = &self.form;
        let at = form.rows.cursor.checked_sub(form.fields().len());
        let id = at.and_then(|at| Some(self.judgeable(session).get(at)?.id.clone()));
        let form = &mut self.form;
        match (form.field(), id) {
            (Some(form::Field::Judge), _) => form.mark_judge(),
            (Some(field), _) => form.type_into(field),
            (None, Some(id)) => {
                let is_marked = form.marked.remove(&id);
                form.marked.extend((!is_marked).then_some(id));
            }
            (None, None) => {}
        }
    }

    fn look_at_next_judge(&mut self, session: &mut Session) {
        match &mut self.watched {
            Some(watched) if !watched.panel.is_empty() => {
                watched.look_at_next();
                session.notice = Some(format!("judge {}", watched.judge));
                (self.calls, self.words) = (Scroll::default(), Scroll::default());
                self.follows = true;
            }
            _ => session.notice = Some("one judge is asked".into()),
        }
    }

    fn show_form(&mut self, session: &mut Session) {
        match self.under_way() {
            Some(_) => session.notice = Some("a judge is being asked: x stops it".into()),
            None => {
                self.page = Page::Form;
                self.wants.is_search_wanted = true;
            }
        }
    }

    fn keep_judge(&mut self, session: &mut Session) {
        let form = &self.form;
        session.notice = match form.judge() {
            None => Some("there is no judge to keep".into()),
            Some(judge) if judge.origin == Origin::Settings => {
                Some(format!("judge {} stands in the settings already", judge.name))
            }
            Some(judge) => lacks_model(judge, form.model()),
        };
        self.wants.is_keep_wanted = session.notice.is_none();
    }

    /// As the form says, if that can be done and it has been said what it takes.
    fn begin_judging(&mut self, session: &mut Session) {
        let begun = self.judge_wish(session).and_then(|wish| {
            match self.plan(&wish) {
                None => return Err("what it would take is still being worked out".into()),
                Some(Err(why)) => return Err(why.clone()),
                Some(Ok(Plan { lacks: Some(why), .. })) => return Err(why.clone()),
                Some(Ok(_)) => {}
            }
            self.seat(session, wish, Start::Anew)
        });
        session.notice = begun.err();
    }

    fn resume_judging(&mut self, session: &mut Session) {
        let last = self.watched.as_ref().filter(|_| self.page != Page::Form);
        let wish = last.map_or_else(|| self.judge_wish(session), |it| Ok(it.wish.clone()));
        let begun = match last {
            Some(it) if !it.is_under_way() && !it.may_resume() => {
                Err("everything that was asked for is judged; n begins another".into())
            }
            _ => wish.and_then(|wish| self.seat(session, wish, Start::Resume)),
        };
        session.notice = begun.err();
    }

    fn seat(
        &mut self,
        session: &mut Session,
        wish: JudgingRequest,
        start: Start,
    ) -> Result<(), String> {
        if self.under_way().is_some() {
            return Err("a judge is being asked already: x stops it".into());
        }
        let items = self.items_of(session, &wish);
        session.rubric.stay();
        let judging = &mut *self;
        judging.watched = Some(Watched::of(Request::default(), wish, items));
        judging.page = Page::Watch;
        judging.part = Part::Components;
        (judging.rows, judging.calls) = (Scroll::default(), Scroll::default());
        judging.follows = true;
        judging.wants.wanted = Some(start);
        Ok(())
    }

    /// What a wish is about; where that is known from the judging before, as it was there.
    fn items_of(&self, session: &Session, wish: &JudgingRequest) -> Vec<Item> {
        let last = self.watched.as_ref().filter(|it| it.wish == *wish);
        if let Some(last) = last {
            let item = |it: &watched::Entry| Item { id: it.id.clone(), name: it.name.clone() };
            return last.entries.iter().map(item).collect();
        }
        let is_wanted = |it: &Item| wish.components.as_ref().is_none_or(|ids| ids.contains(&it.id));
        self.judgeable(session).into_iter().filter(is_wanted).collect()
    }

    pub(crate) fn stop_judging(&mut self, session: &mut Session) {
        match &mut self.watched {
            Some(watched) if watched.is_under_way() => {
                watched.is_stopping = true;
                self.wants.is_stop_wanted = true;
            }
            _ => session.notice = Some("no judge is being asked".into()),
        }
    }

    pub fn take(&mut self, session: &mut Session, request: Request, answer: Answer) {
        let judging = &mut *self;
        match answer {
            Answer::JudgePlan(plan) => {
                if let Some(wish) = judging.asked.plans.answered(request) {
                    judging.hear_items(&wish, &plan);
                    judging.plan = Some((wish, plan));
                }
            }
            Answer::Judges(found) if judging.asked.searches.answered(request).is_some() => {
                let (judges, problem) = found.unwrap_or_else(|why| (vec![], Some(why)));
                judging.form.take(judges);
                session.notice = problem.or(session.notice.take());
            }
            Answer::Models(judges) => {
                let judges = judging.asked.lists.answered(request).and(judges.ok());
                if let Some(judges) = judges.filter(|it| !it.is_empty()) {
                    judging.form.take(judges);
                }
            }
            Answer::KeepJudge(kept) if judging.asked.keeps.answered(request).is_some() => {
                judging.wants.is_search_wanted |= kept.is_ok();
                session.notice = Some(kept.unwrap_or_else(|why| why));
            }
            _ => {} // asked elsewhere, or late
        }
    }

    /// Judges that are found at once; more may follow.
    pub(crate) fn take_judges(&mut self, request: Request, judges: Vec<Judge>) {
        if self.asked.searches.is_about(request) {
            self.form.take(judges);
        }
    }

    pub(crate) fn take_news(
        &mut self,
        session: &mut Session,
        request: Request,
        seconds: f64,
        news: News,
    ) {
        let Some(watched) = self.watched.as_mut().filter(|it| it.request == request) else {
            return;
        };
        if watched.hear(seconds, news) {
            session.rubric.renew();
        }
        if self.follows {
            self.calls.cursor = usize::MAX; // settled at the last one
        }
    }

    pub fn end_judging(&mut self, session: &mut Session, request: Request, outcome: Outcome) {
        let Some(watched) = self.watched.as_mut().filter(|it| it.request == request) else {
            return;
        };
        let by = match outcome.how {
            How::Finished => ": the judge is done",
            How::Stopped | How::Failed => "",
        };
        let words = format!("{}{by}", outcome.words);
        watched.end(outcome);
        session.rubric.renew();
        if !self.is_open {
            session.notice = Some(words);
        }
    }

    pub fn settle(&mut self, session: &mut Session, layout: &Layout) {
        let areas = Areas::of(layout, self.page);
        let rows = self.form_rows(session);
        let words = self.entry_rows(session, &areas).len();
        let judging = &mut *self;
        if judging.watched.is_none() {
            judging.page = Page::Form;
        }
        let (list, below) = (areas.list_height(), areas.below_height());
        judging.form.rows.follow(rows, list);
        let entries = judging.watched.as_ref().map_or(0, |it| it.entries.len());
        let calls = judging.watched.as_ref().map_or(0, |it| it.calls.len());
        judging.rows.follow(entries, list);
        judging.calls.follow(calls, below);
        judging.words.top = judging.words.top.min(words.saturating_sub(list));
    }

    pub fn ask(&mut self, session: &mut Session, numbers: &mut Numbers) -> Vec<Effect> {
        let mut effects = vec![];
        if std::mem::take(&mut self.wants.is_stop_wanted) {
            let stop = self.watched.as_ref().map(|it| Effect::StopJudging(it.request));
            effects.extend(stop);
        }
        if let (Some(start), Some(watched)) = (self.wants.wanted.take(), &mut self.watched) {
            watched.request = numbers.fresh();
            let request = watched.request;
            watched.panel.iter_mut().for_each(|it| it.request = request);
            let (turns, wish) = (session.run.turns.len(), watched.wish.clone());
            effects.push(Question::Judging { turns, wish, start }.under(watched.request));
        }
        effects.extend(self.ask_who_is_there(numbers));
        effects.extend(self.ask_plan(session, numbers));
        effects
    }

    /// Who can be asked, which models the judge at the cursor has, and what is to be kept. A server is asked for its
    /// models when the cursor is at that field, and not before: it may take a key.
    fn ask_who_is_there(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let judging = &mut *self;
        let form = &judging.form;
        if !judging.is_open || judging.page != Page::Form {
            return None;
        }
        if judging.wants.is_keep_wanted && judging.asked.keeps.is_free() {
            let (judge, model) = (form.judge()?.name.clone(), form.model().to_owned());
            judging.wants.is_keep_wanted = false;
            return Some(judging.asked.keeps.ask(
                numbers,
                (),
                Question::KeepJudge { judge, model },
            ));
        }
        if judging.wants.is_search_wanted && judging.asked.searches.is_free() {
            judging.wants.is_search_wanted = false;
            return Some(judging.asked.searches.ask(numbers, (), Question::Judges {}));
        }
        let unknown = form.judge().filter(|it| it.models == Models::NotAsked)?;
        if form.field() != Some(form::Field::Model) || !judging.asked.lists.is_free() {
            return None;
        }
        let judge = unknown.name.clone();
        Some(judging.asked.lists.ask(numbers, (), Question::Models { judge }))
    }

    /// While the form is looked at, and its wish is another than the one that was worked out.
    fn ask_plan(&mut self, session: &mut Session, numbers: &mut Numbers) -> Option<Effect> {
        let judging = &*self;
        let is_seen =
            judging.is_open && judging.page == Page::Form && judging.form.typing.is_none();
        if !is_seen || !judging.asked.plans.is_free() {
            return None;
        }
        let wish = self.wish_to_plan(session).filter(|wish| self.plan(wish).is_none())?;
        let question = Question::JudgePlan { turns: session.run.turns.len(), wish: wish.clone() };
        Some(self.asked.plans.ask(numbers, wish, question))
    }
}
