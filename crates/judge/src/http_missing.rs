//! The replacement of [`super::http`] in a program that was built without it (feature `judge`).

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    conversation::{Conversation, JudgeReply},
    fault::JudgeFault,
    judge_key::JudgeKey,
    settings::JudgeConfig,
    stop_flag::StopFlag,
};

const WHY: &str = "this build has no HTTP judges (feature `judge`); use a command";

/// A judge behind HTTP, which cannot be made in this program.
#[derive(Debug)]
pub struct HttpJudge;

impl HttpJudge {
    pub fn new(_: &Arc<JudgeConfig>, _: &JudgeKey) -> Result<Self, String> {
        Err(WHY.into())
    }

    pub(crate) fn ask_judge(
        &self,
        _: &Conversation,
        _: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        Err(JudgeFault::Program(WHY.into()))
    }
}

/// Fails as [`HttpJudge::new`] does. The error is a sentence.
pub(crate) fn get_json(
    _: &str,
    _: &[(&'static str, String)],
    _: Duration,
) -> Result<Value, String> {
    Err(WHY.into())
}
