//! The agents that can be driven on this machine: where their programs are, their versions, and commands that install the
//! missing ones.

use std::{path::PathBuf, thread};

use super::{
    confine::Confinement,
    drivers::{self, DRIVERS, Driver, command::ProgramOptions},
    prepare,
    run_folders::{self, RunFolders},
    setup::RunSetup,
    version,
};

/// An agent that has a driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrivableAgent {
    pub name: String,
    /// The name of its program.
    pub program: String,
    /// The program's path; None when it is not on this machine.
    pub place: Option<PathBuf>,
    /// The version that the program prints; None when it prints none, or was not asked.
    pub version: Option<String>,
    /// The command that installs it; empty when none is known.
    pub install: String,
    /// The variable with the key for its model.
    pub key: Option<String>,
}

/// Returns all agents, installed ones first, without their versions.
pub fn drivable_agents(configured: &[(String, ProgramOptions)]) -> Vec<DrivableAgent> {
    let names = drivers::driver_names().into_iter().map(str::to_owned);
    let names = names.chain(configured.iter().map(|(name, _)| name.clone()));
    let mut all: Vec<DrivableAgent> =
        names.filter_map(|name| find_agent(&name, configured)).collect();
    all.sort_by_key(|it| it.place.is_none()); // stable: the order of the list otherwise
    all
}

/// Asks every installed agent for its version, all at the same time.
pub fn ask_versions(agents: &mut [DrivableAgent], configured: &[(String, ProgramOptions)]) {
    let Ok(run_folders) = RunFolders::create(&run_folders::temporary_folder(), "versions") else {
        return;
    };
    thread::scope(|scope| {
        for agent in agents.iter_mut().filter(|it| it.place.is_some()) {
            let run_folders = &run_folders;
            scope.spawn(move || {
                agent.version = version_of(&agent.name, configured, run_folders.clone())
            });
        }
    });
    run_folders.remove_all();
}

/// Returns the command that installs an agent; empty when none is known.
pub fn install_command_of(name: &str) -> &'static str {
    DRIVERS.iter().find(|driver| driver.name == name).map_or("", |driver| driver.install_command)
}

fn find_agent(name: &str, configured: &[(String, ProgramOptions)]) -> Option<DrivableAgent> {
    let (setup, driver) = configured_driver(name, configured)?;
    let program = driver.called_program(&setup);
    Some(DrivableAgent {
        name: name.to_owned(),
        place: prepare::find_program(program.as_ref()),
        program,
        version: None,
        install: install_command_of(name).to_owned(),
        key: driver.key_variable,
    })
}

fn configured_driver(
    name: &str,
    configured: &[(String, ProgramOptions)],
) -> Option<(RunSetup, Driver)> {
    let mut setup = RunSetup::new(name, PathBuf::new());
    prepare::set_driver(&mut setup, configured).ok()?;
    let driver = drivers::driver_for_setup(&setup).ok()?;
    Some((setup, driver))
}

fn version_of(
    name: &str,
    configured: &[(String, ProgramOptions)],
    mut run_folders: RunFolders,
) -> Option<String> {
    let (setup, driver) = configured_driver(name, configured)?;
    run_folders.set_environment(&setup, &driver).ok()?;
    version::agent_version(&driver, &setup, &run_folders, &Confinement::default()).ok()?
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

        let mut agents = drivable_agents(&configured);
        ask_versions(&mut agents, &configured);

        let by_name = |name: &str| agents.iter().find(|it| it.name == name).unwrap();
        assert_eq!(by_name("here").version.as_deref(), Some("1.2.3"));
        assert_eq!(by_name("gone").place, None);
        assert_eq!(by_name("gone").version, None);
        assert!(agents.is_sorted_by_key(|it| it.place.is_none()));
        assert!(DRIVERS.iter().all(|it| !it.install_command.is_empty()));
    }
}
