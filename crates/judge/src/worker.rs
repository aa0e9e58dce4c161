//! One of the threads that judge: takes the next component, holds the hearing, hands in what came of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use crossbeam_channel::{Receiver, Sender};

use super::{
    answer::cut,
    client::Client,
    component::{self, Ask, Asked, Judged, Look, Question},
    conversation::Conversation,
    cost::CostBudget,
    fault::Fault,
    item::Item,
    prompt::Prompt,
    run::Event,
    secret::Secret,
    settings::Settings,
    snapshot::Snapshot,
    stop::Stop,
};

/// What all workers of one file share.
#[derive(Debug)]
pub struct WorkerContext {
    pub settings: Arc<Settings>,
    pub client: Arc<Client>,
    pub cost_budget: Arc<CostBudget>,
    pub key: Secret,
    pub prompt: Arc<Prompt>,
    pub snapshot: Snapshot,
    pub budget: u32,
    pub items: Vec<Item>,
    /// The next one to take.
    pub next: AtomicUsize,
    /// No more is to be asked.
    pub halt: Stop,
}

/// What a worker hands in.
#[derive(Debug)]
pub enum WorkerEvent {
    Told(Event),
    Judged { component: String, judged: Judged },
}

/// Starts the workers; the channel ends when the last of them is done.
pub fn start(context: &Arc<WorkerContext>) -> Receiver<WorkerEvent> {
    let (sender, receiver) = crossbeam_channel::unbounded();
    let count = context.settings.concurrency.clamp(1, 64).min(context.items.len());
    for _ in 0..count {
        let worker =
            Worker { context: Arc::clone(context), sender: sender.clone(), component: None };
        thread::spawn(move || worker.work());
    }
    receiver
}

/// What is told of a reply's words (characters).
const MOST_WORDS: usize = 4_000;

struct Worker {
    context: Arc<WorkerContext>,
    sender: Sender<WorkerEvent>,
    /// The id of what is under way.
    component: Option<String>,
}

impl Worker {
    fn work(mut self) {
        let context = Arc::clone(&self.context);
        while !context.halt.is_set() {
            let at = context.next.fetch_add(1, Ordering::SeqCst);
            let Some(item) = context.items.get(at) else { return };
            let id = item.id().to_owned();
            self.component = Some(id.clone());
            self.tell(Event::Began { component: id.clone() });
            let question = Question {
                item,
                prompt: &context.prompt,
                snapshot: &context.snapshot,
                budget: context.budget,
            };
            let mut judged = component::judge(&question, &mut self);
            let looks = std::mem::take(&mut judged.looks);
            judged.looks = looks.into_iter().map(|look| context.key.hide_in_look(look)).collect();
            self.hand_in(WorkerEvent::Judged { component: id, judged });
        }
    }

    fn tell(&self, event: Event) {
        self.hand_in(WorkerEvent::Told(event));
    }

    fn hand_in(&self, news: WorkerEvent) {
        let _ = self.sender.send(news); // nobody listens any more: the judging was given up
    }

    fn name(&self) -> String {
        self.component.clone().unwrap_or_default()
    }

    /// One attempt, paid for whether or not it went well where the server may have worked for it.
    fn attempt(&self, conversation: &Conversation) -> Result<Asked, Fault> {
        let WorkerContext { client, cost_budget, settings, halt, .. } = &*self.context;
        let aside = cost_budget.set_aside(conversation.bytes(), settings.reply.max_tokens)?;
        let began = Instant::now();
        match client.ask(conversation, halt) {
            Ok(reply) => {
                aside.pay(reply.usage);
                Ok(Asked { reply, seconds: began.elapsed().as_secs_f64(), attempts: 1 })
            }
            Err(fault) => {
                if matches!(fault, Fault::Cut(_) | Fault::Late(_) | Fault::Garbage(_)) {
                    aside.pay(Default::default());
                }
                Err(fault)
            }
        }
    }
}

impl Ask for Worker {
    fn ask(&mut self, conversation: &Conversation) -> Result<Asked, Fault> {
        let began = Instant::now();
        let mut attempts = 1;
        loop {
            if self.context.halt.is_set() {
                return Err(Fault::Stopped);
            }
            match self.attempt(conversation) {
                Ok(asked) => {
                    self.tell(Event::Replied {
                        component: self.name(),
                        words: cut(&asked.reply.text, MOST_WORDS),
                        tokens: asked.reply.usage.total(),
                        spent: self.context.cost_budget.spent(),
                    });
                    return Ok(Asked { seconds: began.elapsed().as_secs_f64(), attempts, ..asked });
                }
                Err(fault) if fault.may_pass() && attempts <= self.context.settings.retries => {
                    let pause = fault.pause(attempts, self.context.settings.backoff);
                    let why = fault.to_string();
                    self.tell(Event::Waits { component: self.name(), why, pause });
                    if !self.context.halt.wait(pause) {
                        return Err(Fault::Stopped);
                    }
                    attempts += 1;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn looked(&mut self, look: &Look) {
        let look = self.context.key.hide_in_look(look.clone());
        self.tell(Event::Looked { component: self.name(), look });
    }
}
