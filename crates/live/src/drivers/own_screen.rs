//! An agent in its own screen, as a person uses it: one process in a terminal, its first request among its words and the others typed.
//!
//! All that is true of the agent however it is driven (its name, its key, its settings, its login, its logs, what layers reach of it)
//! is asked of its driver without a screen; a [`Screen`] says what is different in its screen. Its memory is its process.

use std::path::PathBuf;

use crate::{setup::Setup, stage::Stage};
use trajview_layers::Offers;

use super::{
    agent_output::{NoLines, Reader},
    driver::{Ask, Call, Driver, End, LogPatterns, Logs, Naming, Rewind, Written, hand_on, pasted},
};

/// What is different where an agent works in its own screen.
pub trait Screen: Send + Sync + std::fmt::Debug {
    /// The same agent without its screen.
    fn agent(&self) -> &dyn Driver;

    /// One line for people: how it is driven.
    fn about(&self) -> &str;

    /// How it is started, with its first request where there is one: in a chat the request is empty.
    fn call(&self, ask: &Ask<'_>) -> Call;

    /// Which lines of its log, or of other files, tell where a turn begins and ends.
    fn end(&self) -> LogPatterns;

    /// What finds the prompt in such a line.
    fn prompt_of(&self) -> fn(&str) -> Option<String> {
        |_| None
    }

    /// Its settings, with what keeps its screen from asking something first: the answer would swallow the request.
    fn files(&self, setup: &Setup, stage: &Stage) -> Vec<Written> {
        self.agent().files(setup, stage)
    }

    /// The files that tell where a turn begins and ends.
    fn watched(&self, stage: &Stage) -> Vec<Logs> {
        self.agent().logs(stage)
    }

    /// What is called after a turn to have its log written down.
    fn export(&self, _ask: &Ask<'_>) -> Option<(Call, PathBuf)> {
        None
    }
}

/// A driver of an agent in its own screen.
#[derive(Debug)]
pub struct InOwnScreen<S>(pub S);

impl<S: Screen> InOwnScreen<S> {
    fn agent(&self) -> &dyn Driver {
        self.0.agent()
    }

    const fn screen(&self) -> &S {
        &self.0
    }
}

impl<S: Screen> Driver for InOwnScreen<S> {
    hand_on! { agent()
        name() -> &str;
        program() -> &str;
        install() -> &'static str;
        version_words() -> Vec<String>;
        key_variable() -> Option<&str>;
        environment(setup: &Setup, stage: &Stage) -> Vec<(String, String)>;
        logins(stage: &Stage) -> Vec<(&'static str, PathBuf)>;
        logs(stage: &Stage) -> Vec<Logs>;
        is_fine(code: i32) -> bool;
        own_files() -> Vec<&str>;
        takes() -> Offers;
        leaves_sandbox(setup: &Setup) -> bool;
        problem(setup: &Setup) -> Option<String>;
    }

    hand_on! { screen()
        about() -> &str;
        call(ask: &Ask<'_>) -> Call;
        prompt_of() -> fn(&str) -> Option<String>;
        files(setup: &Setup, stage: &Stage) -> Vec<Written>;
        watched(stage: &Stage) -> Vec<Logs>;
        export(ask: &Ask<'_>) -> Option<(Call, PathBuf)>;
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(NoLines)
    }

    fn naming(&self) -> Naming {
        Naming::Process
    }

    fn rewind(&self) -> Rewind {
        Rewind::Restart
    }

    fn end(&self) -> End {
        End::Log(self.0.end())
    }

    fn typed(&self, prompt: &str) -> Vec<u8> {
        pasted(prompt)
    }

    /// Some of them (Gemini CLI) take a return that comes right after a paste for a part of it.
    fn sends(&self) -> Option<&'static [u8]> {
        Some(b"\r")
    }
}
