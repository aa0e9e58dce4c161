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
    pub budget: u32,
    pub tasks: Vec<JudgeTask>,
    /// The next one to take.
    pub next: AtomicUsize,
    /// Stops all workers.
    pub halt: StopFlag,
}

/// One conversation to hold.
#[derive(Debug, Clone)]
pub struct JudgeTask {
    /// The name in events and messages: the id of the item, where each item is judged once.
    pub name: String,
    pub item: JudgeItem,
    /// The files that the judge may see.
    pub snapshot: CodeSnapshot,
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
    let count = context.settings.concurrency.clamp(1, 64).min(context.tasks.len());
    for _ in 0..count {
        let worker = JudgeWorker {
            context: Arc::clone(context),
            sender: sender.clone(),
            component: String::new(),
        };
        thread::spawn(move || worker.run_worker());
    }
    receiver
}

/// Longest part of a reply's text in an event (characters).
const MOST_WORDS: usize = 4_000;

struct JudgeWorker {
    context: Arc<WorkerContext>,
    sender: Sender<WorkerEvent>,
    /// The name of what is under way.
    component: String,
}

impl JudgeWorker {
    fn run_worker(mut self) {
        let context = Arc::clone(&self.context);
        while !context.halt.is_set() {
            let at = context.next.fetch_add(1, Ordering::SeqCst);
            let Some(JudgeTask { name, item, snapshot }) = context.tasks.get(at) else { return };
            let id = name.clone();
            self.component.clone_from(&id);
            self.send_event(JudgeEvent::Began { component: id.clone() });
            let question =
                JudgeQuestion { item, prompt: &context.prompt, snapshot, budget: context.budget };
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
}

impl AskJudge for JudgeWorker {
    fn ask_judge(&mut self, conversation: &Conversation) -> Result<TimedReply, JudgeFault> {
        let began = Instant::now();
        let WorkerContext { settings, client, cost_budget, halt, .. } = &*self.context;
        let mut attempts = 1;
        loop {
            if halt.is_set() {
                return Err(JudgeFault::Stopped);
            }
            let most_tokens = settings.reply.max_tokens;
            match client.ask_and_pay(conversation, cost_budget, most_tokens, halt) {
                Ok(reply) => {
                    self.send_event(JudgeEvent::Replied {
                        component: self.component.clone(),
                        text: cut_text(&reply.text, MOST_WORDS),
                        tokens: reply.usage.total_tokens(),
                        spent: cost_budget.spent_usd(),
                    });
                    let seconds = began.elapsed().as_secs_f64();
                    return Ok(TimedReply { reply, seconds, attempts });
                }
                Err(fault) if fault.may_pass() && attempts <= settings.retries => {
                    let pause = fault.pause_before(attempts, settings.backoff);
                    self.send_event(JudgeEvent::Waits {
                        component: self.component.clone(),
                        why: fault.to_string(),
                        seconds: pause.as_secs_f64(),
                    });
                    if !halt.wait_for(pause) {
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
            component: self.component.clone(),
            call: call.into(),
            is_refused,
        });
    }
}
