//! A sandbox around every process of an agent, if one is set up: bubblewrap, or a container of Docker or Podman.
//!
//! It is a command line before the agent's own: `bwrap … -- codex exec …`. With bubblewrap the agent sees this machine, can
//! write below its own folder alone, and an empty folder covers everything that is hidden from it. In a container it sees
//! an image and its own folder. Values of variables are never among the arguments, except for paths: only the names are,
//! and the values are in the environment.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use super::{
    isolation::{IsolationOptions, Network, Sandbox},
    loopback::ServerRoute,
    setup::RunSetup,
};

/// The arguments before those of a program, for one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxWrapper {
    isolation: IsolationOptions,
    /// The agent's folder, which it may write to.
    work: PathBuf,
    /// The paths that are hidden from it.
    hidden: Vec<PathBuf>,
    /// The route to the model server, if there is no other network.
    route: Option<ServerRoute>,
}

/// A process to start inside the sandbox.
#[derive(Debug, Clone, Copy)]
pub struct SandboxedProcess<'a> {
    pub program: &'a str,
    pub args: &'a [String],
    pub environment: &'a BTreeMap<String, String>,
    pub folder: &'a Path,
    pub has_terminal: bool,
}

/// Variables by which the container programs find their settings, images and daemon. Their home is the person's: in the
/// agent's home they would find none of it.
const CONTAINER_VARIABLES: [&str; 14] = [
    "HOME",
    "TMPDIR",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_CERT_PATH",
    "DOCKER_TLS_VERIFY",
    "CONTAINER_HOST",
    "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF",
    "XDG_RUNTIME_DIR",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// Variables of the machine that the image does not get.
const MACHINE_VARIABLES: [&str; 1] = ["PATH"];

impl SandboxWrapper {
    /// Prepares the sandbox of a run; None when there is none.
    pub fn for_run(setup: &RunSetup, work: &Path, hidden: &[PathBuf]) -> Option<Self> {
        let isolation = setup.folders.isolation.clone();
        let is_wanted = isolation.sandbox != Sandbox::None;
        let route = ServerRoute::to_model_server(setup, work)
            .ok()
            .filter(|_| isolation.network == Network::Loopback);
        let (work, hidden) = (work.to_owned(), hidden.to_owned());
        is_wanted.then_some(Self { isolation, work, hidden, route })
    }

    /// Returns the route that a relay has to serve; None when there is none.
    pub(crate) const fn server_route(&self) -> Option<&ServerRoute> {
        self.route.as_ref()
    }

    /// Removes the hidden paths.
    pub(crate) fn without_hiding(self) -> Self {
        Self { hidden: vec![], ..self }
    }

    /// Returns the command of the process with the sandbox around it.
    pub(crate) fn wrap_process(&self, inside: &SandboxedProcess<'_>) -> Command {
        let words = match self.isolation.sandbox {
            Sandbox::None => vec![],
            Sandbox::Bwrap => self.bwrap_command(inside),
            Sandbox::Docker | Sandbox::Podman => self.container_command(inside),
        };
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command.env_clear().envs(inside.environment);
        if self.isolation.sandbox == Sandbox::Bwrap {
            command.arg(inside.program);
        } else {
            for name in CONTAINER_VARIABLES {
                match std::env::var_os(name) {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
        }
        command.args(inside.args);
        command
    }

    fn bwrap_command(&self, inside: &SandboxedProcess<'_>) -> Vec<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut words: Vec<String> = [
            "bwrap",
            "--die-with-parent",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--cap-drop",
            "ALL",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
        ]
        .map(str::to_owned)
        .to_vec();
        if self.isolation.network != Network::On {
            words.push("--unshare-net".into());
        }
        let work = text(&self.work);
        words.extend(["--bind".to_owned(), work.clone(), work]);
        for path in &self.hidden {
            let path_text = text(path);
            if path.is_dir() {
                words.extend(["--tmpfs".to_owned(), path_text]);
            } else {
                words.extend(["--ro-bind".to_owned(), "/dev/null".to_owned(), path_text]);
            }
        }
        words.extend(["--chdir".to_owned(), text(inside.folder), "--".to_owned()]);
        if let Some(route) = &self.route {
            let program = std::env::current_exe().unwrap_or_else(|_| "trajview".into());
            words.extend([
                text(&program),
                "inside".into(),
                "--port".into(),
                route.port.to_string(),
            ]);
            words.extend(["--socket".into(), text(&route.socket), "--".into()]);
        }
        words
    }

    fn container_command(&self, inside: &SandboxedProcess<'_>) -> Vec<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut words = vec![self.isolation.sandbox.word().to_owned()];
        let plain = ["run", "--rm", "--init", "--interactive", "--pull", "never"];
        words.extend(plain.map(str::to_owned));
        words.extend(inside.has_terminal.then(|| "--tty".to_owned()));
        let network = match self.isolation.network {
            Network::On => "host", // a model on this machine is reached as from this machine
            Network::Off | Network::Loopback => "none",
        };
        words.extend(["--network", network, "--cap-drop", "ALL"].map(str::to_owned));
        words.extend(["--security-opt", "no-new-privileges"].map(str::to_owned));
        words.extend(
            container_user().map(|owner| ["--user".to_owned(), owner]).into_iter().flatten(),
        );
        if self.isolation.sandbox == Sandbox::Podman && !is_root() {
            // Otherwise the person is root inside, and user ids inside differ from those outside.
            words.push("--userns=keep-id".to_owned());
        }
        let work = text(&self.work);
        words.extend(["--volume".to_owned(), format!("{work}:{work}")]);
        words.extend(["--workdir".to_owned(), text(inside.folder)]);
        let all = inside.environment.iter();
        let all = all.filter(|(name, _)| !MACHINE_VARIABLES.contains(&name.as_str()));
        let message = all.map(|(name, value)| match CONTAINER_VARIABLES.contains(&name.as_str()) {
            true => format!("{name}={value}"), // a place, and another one out here
            false => name.clone(),
        });
        words.extend(message.flat_map(|message| ["--env".to_owned(), message]));
        words.extend(["--entrypoint".to_owned(), inside.program.to_owned()]);
        words.push(self.isolation.image.clone().unwrap_or_default());
        words
    }

    /// Returns why the sandbox does not work here; a sentence. Tested by running it.
    pub(crate) fn sandbox_problem(&self) -> Option<String> {
        let name = self.isolation.sandbox.word();
        let tried = match self.isolation.sandbox {
            Sandbox::None => return None,
            Sandbox::Bwrap => {
                self.run_in_sandbox("sh", &["-c".to_owned(), self.hidden_probe_script()])
            }
            Sandbox::Docker | Sandbox::Podman => Command::new(name)
                .args(["image", "inspect", self.isolation.image.as_deref().unwrap_or_default()])
                .stdin(Stdio::null())
                .output()
                .and_then(|found| match found.status.success() {
                    // An image that exists cannot always be run.
                    true => self.run_in_sandbox("true", &[]),
                    false => Ok(found),
                }),
        };
        let is_container = self.isolation.sandbox != Sandbox::Bwrap;
        match tried {
            Ok(output) if output.status.success() => None,
            Ok(output) if is_container && lacks_program(&output) => None,
            Ok(output) => {
                let message = String::from_utf8_lossy(&output.stderr);
                let message = message.lines().rev().find(|line| !line.trim().is_empty());
                let message = message.map(|line| format!(": {}", line.trim())).unwrap_or_default();
                Some(format!("--sandbox {name} does not work here{message}"))
            }
            Err(why) => {
                Some(format!("--sandbox {name} does not work here: cannot run {name}: {why}"))
            }
        }
    }

    /// Runs a program in the sandbox, with nothing but PATH in its environment.
    fn run_in_sandbox(&self, program: &str, args: &[String]) -> std::io::Result<Output> {
        let path = std::env::var("PATH").map(|path| ("PATH".to_owned(), path));
        let (environment, folder) = (path.into_iter().collect(), self.work.as_path());
        let environment = &environment;
        let inside = SandboxedProcess { program, args, environment, folder, has_terminal: false };
        self.wrap_process(&inside).stdin(Stdio::null()).output()
    }

    /// Returns a shell script that fails when it can see something hidden.
    fn hidden_probe_script(&self) -> String {
        let test = |path: &PathBuf| {
            let quoted = super::command_line::shell_words([path.to_string_lossy()]);
            let is_seen = match path.is_dir() {
                true => format!("test -n \"$(ls -A {quoted} 2>/dev/null)\""),
                false => format!("test -s {quoted}"),
            };
            format!("if {is_seen}; then echo a hidden place can be seen >&2; exit 1; fi\n")
        };
        self.hidden.iter().map(test).collect()
    }
}

/// Returns whether a container started and only the program is not in its image: by its exit code, or by the message of
/// Podman's first process.
fn lacks_program(output: &Output) -> bool {
    const NOT_FOUND: i32 = 127;
    let message = String::from_utf8_lossy(&output.stderr);
    output.status.code() == Some(NOT_FOUND) || message.contains("failed to exec pid1")
}

/// Returns the user of a container, who owns its files: the person who runs it.
#[cfg(unix)]
fn container_user() -> Option<String> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    Some(format!("{}:{}", user.as_raw(), group.as_raw()))
}

#[cfg(not(unix))]
fn container_user() -> Option<String> {
    None
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped_words(isolation: &IsolationOptions, has_terminal: bool) -> Vec<String> {
        let environment = [("HOME", "/w/home"), ("PATH", "/bin"), ("SOME_KEY", "sesame")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let mut setup = RunSetup::new("codex", "/w".into());
        setup.folders.isolation = isolation.clone();
        setup.provider.base_url = Some("http://127.0.0.1:8080".into());
        let wrapper =
            SandboxWrapper::for_run(&setup, Path::new("/w"), &["/dev".into(), "/dev/null".into()]);
        let command = wrapper.unwrap().wrap_process(&SandboxedProcess {
            program: "codex",
            args: &["exec".to_owned()],
            environment: &environment,
            folder: Path::new("/w/workspace"),
            has_terminal,
        });
        let all = std::iter::once(command.get_program()).chain(command.get_args());
        all.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    fn isolation_of(sandbox: Sandbox, network: Network) -> IsolationOptions {
        let is_container = matches!(sandbox, Sandbox::Docker | Sandbox::Podman);
        IsolationOptions { sandbox, network, image: is_container.then(|| "agents:1".to_owned()) }
    }

    #[test]
    fn bubblewrap_shows_the_machine_and_lets_the_agent_write_in_its_folder_alone() {
        let words = wrapped_words(&isolation_of(Sandbox::Bwrap, Network::Off), false).join(" ");

        assert_eq!(
            words,
            "bwrap --die-with-parent --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL \
             --ro-bind / / --dev /dev --proc /proc --unshare-net --bind /w /w --tmpfs /dev --ro-bind /dev/null /dev/null \
             --chdir /w/workspace -- codex exec"
        );
    }

    #[test]
    fn without_a_network_one_port_leads_to_the_model_server() {
        let words =
            wrapped_words(&isolation_of(Sandbox::Bwrap, Network::Loopback), false).join(" ");

        assert!(words.contains("--unshare-net"), "{words}");
        assert!(
            words.ends_with(" inside --port 8080 --socket /w/model.sock -- codex exec"),
            "{words}"
        );
    }

    #[test]
    fn a_container_gets_its_folder_the_names_of_variables_and_no_value() {
        for sandbox in [Sandbox::Docker, Sandbox::Podman] {
            let words = wrapped_words(&isolation_of(sandbox, Network::Off), true).join(" ");

            assert!(words.starts_with(&format!("{} run --rm", sandbox.word())), "{words}");
            assert!(words.contains("--tty --network none --cap-drop ALL"), "{words}");
            assert!(words.contains("--volume /w:/w --workdir /w/workspace"), "{words}");
            assert!(words.contains("--env HOME=/w/home --env SOME_KEY --entrypoint"), "{words}");
            assert!(words.ends_with("--entrypoint codex agents:1 exec"), "{words}");
            assert!(!words.contains("sesame"), "{words}");
        }
    }
}
