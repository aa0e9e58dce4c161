//! A judge that can be asked: a server or a program, whichever its settings say.

use std::sync::Arc;

use super::{
    command::Program,
    conversation::{Conversation, Reply},
    fault::Fault,
    http::Server,
    secret::Secret,
    settings::{Kind, Settings},
    stop::Stop,
};

/// Shared between the threads that judge. No word that comes from it holds the key.
#[derive(Debug)]
pub struct Client {
    reached: Reached,
    key: Secret,
}

#[derive(Debug)]
enum Reached {
    Server(Server),
    Program(Program),
}

impl Client {
    /// Nothing is sent yet. The error is a sentence without the judge's name.
    pub fn new(settings: &Arc<Settings>, key: &Secret) -> Result<Self, String> {
        let reached = match settings.kind {
            Kind::Command => Program::new(settings).map(Reached::Program)?,
            Kind::Chat | Kind::Responses | Kind::Messages => {
                Server::new(settings, key).map(Reached::Server)?
            }
        };
        Ok(Self { reached, key: key.clone() })
    }

    /// One reply, asked for once.
    pub fn ask(&self, conversation: &Conversation, stop: &Stop) -> Result<Reply, Fault> {
        let reply = match &self.reached {
            Reached::Server(server) => server.ask(conversation, stop),
            Reached::Program(program) => program.ask(conversation, stop),
        };
        match reply {
            Ok(reply) => Ok(self.key.hide_in_reply(reply)),
            Err(fault) => Err(self.key.hide_in_fault(fault)),
        }
    }
}
