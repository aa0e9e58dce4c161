//! Which agents can be driven on this machine: where their programs are, what version they say they have, and what
//! would install those that are not here.

use std::{path::PathBuf, thread};

use super::{
    confine::Confinement,
    drivers::{self, DRIVERS, Driver, command::ProgramOptions, program_of},
    prepare,
    setup::Setup,
    stage::{self, Stage},
    version,
};

/// An agent that we know how to drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    /// What is called.
    pub program: String,
    /// Where that is; None where it is not on this machine.
    pub place: Option<PathBuf>,
    /// As the program says it; None where it cannot, or was not asked.
    pub version: Option<String>,
    /// A command that installs it; empty where we know none.
    pub install: String,
    /// The variable that holds the key for its model.
    pub key: Option<String>,
}

/// All of them, those that are here first; none was asked for its version.
pub fn all(configured: &[(String, ProgramOptions)]) -> Vec<Agent> {
    let names = drivers::names().into_iter().map(str::to_owned);
    let names = names.chain(configured.iter().map(|(name, _)| name.clone()));
    let mut all: Vec<Agent> = names.filter_map(|name| agent(&name, configured)).collect();
    all.sort_by_key(|it| it.place.is_none()); // stable: the order of the list otherwise
    all
}

/// Asks every agent that is here for its version, all at the same time.
pub fn ask_versions(agents: &mut [Agent], configured: &[(String, ProgramOptions)]) {
    let Ok(stage) = Stage::set(&stage::somewhere(), "versions") else { return };
    thread::scope(|scope| {
        for agent in agents.iter_mut().filter(|it| it.place.is_some()) {
            let stage = &stage;
            scope.spawn(move || agent.version = version_of(&agent.name, configured, stage.clone()));
        }
    });
    stage.strike();
}

/// What installs an agent; empty where we know no command.
pub fn install_of(name: &str) -> &'static str {
    DRIVERS.iter().find(|driver| driver.name() == name).map_or("", |driver| driver.install())
}

fn agent(name: &str, configured: &[(String, ProgramOptions)]) -> Option<Agent> {
    let (setup, driver) = driver(name, configured)?;
    let program = program_of(&*driver, &setup);
    Some(Agent {
        name: name.to_owned(),
        place: prepare::found(program.as_ref()),
        program,
        version: None,
        install: install_of(name).to_owned(),
        key: driver.key_variable().map(str::to_owned),
    })
}

fn driver(name: &str, configured: &[(String, ProgramOptions)]) -> Option<(Setup, Box<dyn Driver>)> {
    let mut setup = Setup::new(name, PathBuf::new());
    prepare::drive(&mut setup, configured).ok()?;
    let driver = drivers::of(&setup).ok()?;
    Some((setup, driver))
}

fn version_of(
    name: &str,
    configured: &[(String, ProgramOptions)],
    mut stage: Stage,
) -> Option<String> {
    let (setup, driver) = driver(name, configured)?;
    stage.furnish(&setup, &*driver).ok()?;
    version::of(&*driver, &setup, &stage, &Confinement::default()).ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_is_not_here_says_what_installs_it_and_stands_last() {
        let missing = ProgramOptions {
            start: vec!["no-such-program-anywhere".into()],
            ..ProgramOptions::default()
        };
        let here = ProgramOptions {
            start: vec!["sh".into(), "-c".into(), "true".into()],
            version: vec!["-c".into(), "echo tool 1.2.3".into()],
            ..ProgramOptions::default()
        };
        let configured = [("gone".to_owned(), missing), ("here".to_owned(), here)];

        let mut agents = all(&configured);
        ask_versions(&mut agents, &configured);

        let by_name = |name: &str| agents.iter().find(|it| it.name == name).unwrap();
        assert_eq!(by_name("here").version.as_deref(), Some("1.2.3"));
        assert_eq!(by_name("gone").place, None);
        assert_eq!(by_name("gone").version, None);
        assert!(agents.is_sorted_by_key(|it| it.place.is_none()));
        assert!(DRIVERS.iter().all(|it| !it.install().is_empty()));
    }
}
