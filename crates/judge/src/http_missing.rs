//! In the place of [`super::http`] where the program was built without it (feature `judge`).

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    conversation::{Conversation, Reply},
    fault::Fault,
    secret::Secret,
    settings::Settings,
    stop::Stop,
};

const WHY: &str =
    "this trajview was built without judges behind HTTP (feature `judge`); a command can be asked";

/// Cannot be made.
#[derive(Debug)]
pub struct Server;

impl Server {
    pub fn new(_: &Arc<Settings>, _: &Secret) -> Result<Self, String> {
        Err(WHY.into())
    }

    pub fn ask(&self, _: &Conversation, _: &Stop) -> Result<Reply, Fault> {
        Err(Fault::Program(WHY.into()))
    }
}

/// As [`Server::new`]. The error is a sentence.
pub fn get(_: &str, _: &[(&'static str, String)], _: Duration) -> Result<Value, String> {
    Err(WHY.into())
}
