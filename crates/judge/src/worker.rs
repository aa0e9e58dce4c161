//! One of the threads that judge: it takes the next component, runs the conversation, and sends its result.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use crossbeam_channel::{Receiver, Sender};

use trajview_run::judging::JudgeEvent;

use super::{
    answer::cut_text,
    client::JudgeClient,
    component::{self, AskJudge, JudgeQuestion, JudgedItem, TimedReply, ToolCallRecord},
    conversation::Conversation,
    cost::CostBudget,
    fault::JudgeFault,
    item::JudgeItem,
    judge_key::JudgeKey,
    prompt::JudgePrompt,
    settings::JudgeConfig,
    snapshot::CodeSnapshot,
    stop_flag::StopFlag,
};

/// The data that all workers of one file share.
#[derive(Debug)]
pub struct WorkerContext {
    pub settings: Arc<JudgeConfig>,
    pub client: Arc<JudgeClient>,
    pub cost_budget: Arc<CostBudget>,
    pub key: JudgeKey,
    pub prompt: Arc<JudgePrompt>,
    pub snapshot: CodeSnapshot,
    pub budget: u32,
    pub items: Vec<JudgeItem>,
    /// The next one to take.
    pub next: AtomicUsize,
    /// Stops all workers.
    pub halt: StopFlag,
}

/// A message of a worker.
#[derive(Debug)]
pub enum WorkerEvent {
    Event(JudgeEvent),
    Judged { component: String, judged: JudgedItem },
}

/// Starts the workers; the channel ends when the last of them is done.
pub(crate) fn start_workers(context: &Arc<WorkerContext>) -> Receiver<WorkerEvent> {
    let (sender, receiver) = crossbeam_channel::unbounded();
    let count = context.settings.concurrency.clamp(1, 64).min(context.items.len());
    for _ in 0..count {
        let worker =
            JudgeWorker { context: Arc::clone(context), sender: sender.clone(), component: None };
        thread::spawn(move || worker.run_worker());
    }
    receiver
}

/// Longest part of a reply's text in an event (characters).
const MOST_WORDS: usize = 4_000;

struct JudgeWorker {
    context: Arc<WorkerContext>,
    sender: Sender<WorkerEvent>,
    /// The id of what is under way.
    component: Option<String>,
}

impl JudgeWorker {
    fn run_worker(mut self) {
        let context = Arc::clone(&self.context);
        while !context.halt.is_set() {
            let at = context.next.fetch_add(1, Ordering::SeqCst);
            let Some(item) = context.items.get(at) else { return };
            let id = item.id().to_owned();
            self.component = Some(id.clone());
            self.send_event(JudgeEvent::Began { component: id.clone() });
            let question = JudgeQuestion {
                item,
                prompt: &context.prompt,
                snapshot: &context.snapshot,
                budget: context.budget,
            };
            let mut judged = component::judge_item(&question, &mut self);
            let tool_calls = std::mem::take(&mut judged.tool_calls);
            judged.tool_calls =
                tool_calls.into_iter().map(|call| context.key.hide_in_tool_call(call)).collect();
            self.send_to_session(WorkerEvent::Judged { component: id, judged });
        }
    }

    fn send_event(&self, event: JudgeEvent) {
        self.send_to_session(WorkerEvent::Event(event));
    }

    fn send_to_session(&self, news: WorkerEvent) {
        let _ = self.sender.send(news); // nobody listens any more: the judging was given up
    }

    fn component_id(&self) -> String {
        self.component.clone().unwrap_or_default()
    }

    /// Returns one attempt, paid for whether or not it went well where the server may have worked for it.
    fn attempt_once(&self, conversation: &Conversation) -> Result<TimedReply, JudgeFault> {
        let WorkerContext { client, cost_budget, settings, halt, .. } = &*self.context;
        let set_aside =
            cost_budget.set_aside(conversation.size_in_bytes(), settings.reply.max_tokens)?;
        let began = Instant::now();
        match client.ask_once(conversation, halt) {
            Ok(reply) => {
                set_aside.pay_for(reply.usage);
                Ok(TimedReply { reply, seconds: began.elapsed().as_secs_f64(), attempts: 1 })
            }
            Err(fault) => {
                if matches!(
                    fault,
                    JudgeFault::BrokenOff(_) | JudgeFault::TimedOut(_) | JudgeFault::Malformed(_)
                ) {
                    set_aside.pay_for(Default::default());
                }
                Err(fault)
            }
        }
    }
}

impl AskJudge for JudgeWorker {
    fn ask_judge(&mut self, conversation: &Conversation) -> Result<TimedReply, JudgeFault> {
        let began = Instant::now();
        let mut attempts = 1;
        loop {
            if self.context.halt.is_set() {
                return Err(JudgeFault::Stopped);
            }
            match self.attempt_once(conversation) {
                Ok(timed_reply) => {
                    self.send_event(JudgeEvent::Replied {
                        component: self.component_id(),
                        text: cut_text(&timed_reply.reply.text, MOST_WORDS),
                        tokens: timed_reply.reply.usage.total_tokens(),
                        spent: self.context.cost_budget.spent_usd(),
                    });
                    return Ok(TimedReply {
                        seconds: began.elapsed().as_secs_f64(),
                        attempts,
                        ..timed_reply
                    });
                }
                Err(fault) if fault.may_pass() && attempts <= self.context.settings.retries => {
                    let pause = fault.pause_before(attempts, self.context.settings.backoff);
                    let why = fault.to_string();
                    let seconds = pause.as_secs_f64();
                    self.send_event(JudgeEvent::Waits {
                        component: self.component_id(),
                        why,
                        seconds,
                    });
                    if !self.context.halt.wait_for(pause) {
                        return Err(JudgeFault::Stopped);
                    }
                    attempts += 1;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn on_tool_call(&mut self, call: &ToolCallRecord) {
        let call = self.context.key.hide_in_tool_call(call.clone());
        let is_refused = call.is_refused;
        self.send_event(JudgeEvent::CalledTool {
            component: self.component_id(),
            call: call.into(),
            is_refused,
        });
    }
}
