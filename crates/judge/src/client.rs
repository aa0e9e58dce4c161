//! A client for a judge: a server or a program, by its settings.

use std::sync::Arc;

use super::{
    command::CommandJudge,
    conversation::{Conversation, JudgeReply, ReplyUsage},
    cost::CostBudget,
    fault::JudgeFault,
    http::HttpJudge,
    judge_key::JudgeKey,
    settings::{JudgeConfig, JudgeKind},
    stop_flag::StopFlag,
};

/// A connection to a judge, shared between the threads that judge. No text that it returns contains the key.
#[derive(Debug)]
pub struct JudgeClient {
    target: ClientTarget,
    key: JudgeKey,
}

#[derive(Debug)]
enum ClientTarget {
    Server(HttpJudge),
    Program(CommandJudge),
}

impl JudgeClient {
    /// Makes a client, without sending anything. The error is a sentence without the judge's name.
    pub fn new(settings: &Arc<JudgeConfig>, key: &JudgeKey) -> Result<Self, String> {
        let reached = match settings.kind {
            JudgeKind::Command => CommandJudge::new(settings).map(ClientTarget::Program)?,
            JudgeKind::Chat | JudgeKind::Responses | JudgeKind::Messages => {
                HttpJudge::new(settings, key).map(ClientTarget::Server)?
            }
        };
        Ok(Self { target: reached, key: key.clone() })
    }

    /// Requests one reply, once, and pays for it, whether or not it went well where the server may have worked for it.
    pub(crate) fn ask_and_pay(
        &self,
        conversation: &Conversation,
        budget: &CostBudget,
        most_tokens: u32,
        stop: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        let set_aside = budget.set_aside(conversation.size_in_bytes(), most_tokens)?;
        let reply = self.ask_once(conversation, stop);
        match &reply {
            Ok(reply) => set_aside.pay_for(reply.usage),
            Err(JudgeFault::BrokenOff(_) | JudgeFault::TimedOut(_) | JudgeFault::Malformed(_)) => {
                set_aside.pay_for(ReplyUsage::default())
            }
            Err(_) => {}
        }
        reply
    }

    /// Requests one reply, once.
    pub fn ask_once(
        &self,
        conversation: &Conversation,
        stop: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        let reply = match &self.target {
            ClientTarget::Server(server) => server.ask_judge(conversation, stop),
            ClientTarget::Program(program) => program.ask_judge(conversation, stop),
        };
        match reply {
            Ok(reply) => Ok(self.key.hide_in_reply(reply)),
            Err(fault) => Err(self.key.hide_in_fault(fault)),
        }
    }
}
