//! A sandbox around every process of an agent, where one is wanted: bubblewrap, or a container of Docker or Podman.
//!
//! It is made of words before the agent's own: `bwrap … -- codex exec …`. With bubblewrap the agent sees this machine, can write
//! below its own folder alone, and an empty folder lies over everything that is hidden from it. In a container it sees an image and its own folder.
//! Values of variables never stand among the words, but for places: the names alone are said, and the values are in the environment.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use super::{
    isolation::{Isolation, Network, Sandbox},
    loopback::Way,
    setup::Setup,
};

/// Words before those of a program, for one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapper {
    isolation: Isolation,
    /// The agent's folder, which it may write to.
    work: PathBuf,
    /// What it is not to see.
    hidden: Vec<PathBuf>,
    /// What leads to the model server, where there is no other network.
    way: Option<Way>,
}

/// A process that is to be wrapped.
#[derive(Debug, Clone, Copy)]
pub struct Inside<'a> {
    pub program: &'a str,
    pub args: &'a [String],
    pub environment: &'a BTreeMap<String, String>,
    pub folder: &'a Path,
    pub has_terminal: bool,
}

/// Variables by which the programs of containers find their settings, their images and what does the work for them. Their home is the
/// person's: in the agent's they would find none of it.
const OF_CONTAINERS: [&str; 14] = [
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

/// Variables that are the machine's and not the image's.
const NOT_INSIDE: [&str; 1] = ["PATH"];

impl Wrapper {
    /// None where no sandbox is wanted.
    pub fn of(setup: &Setup, work: &Path, hidden: &[PathBuf]) -> Option<Self> {
        let isolation = setup.folders.isolation.clone();
        let is_wanted = isolation.sandbox != Sandbox::None;
        let way = Way::of(setup, work).ok().filter(|_| isolation.network == Network::Loopback);
        let (work, hidden) = (work.to_owned(), hidden.to_owned());
        is_wanted.then_some(Self { isolation, work, hidden, way })
    }

    /// The way out that is to be held open; None where there is none.
    pub const fn way(&self) -> Option<&Way> {
        self.way.as_ref()
    }

    /// The same with nothing hidden.
    pub fn open(self) -> Self {
        Self { hidden: vec![], ..self }
    }

    /// The process with the sandbox around it.
    pub fn wrap(&self, inside: &Inside<'_>) -> Command {
        let words = match self.isolation.sandbox {
            Sandbox::None => vec![],
            Sandbox::Bwrap => self.bwrap(inside),
            Sandbox::Docker | Sandbox::Podman => self.container(inside),
        };
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command.env_clear().envs(inside.environment);
        if self.isolation.sandbox == Sandbox::Bwrap {
            command.arg(inside.program);
        } else {
            for name in OF_CONTAINERS {
                match std::env::var_os(name) {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
        }
        command.args(inside.args);
        command
    }

    fn bwrap(&self, inside: &Inside<'_>) -> Vec<String> {
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
        if let Some(way) = &self.way {
            let program = std::env::current_exe().unwrap_or_else(|_| "trajview".into());
            words.extend([text(&program), "inside".into(), "--port".into(), way.port.to_string()]);
            words.extend(["--socket".into(), text(&way.socket), "--".into()]);
        }
        words
    }

    fn container(&self, inside: &Inside<'_>) -> Vec<String> {
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
        words.extend(owner().map(|owner| ["--user".to_owned(), owner]).into_iter().flatten());
        if self.isolation.sandbox == Sandbox::Podman && !is_root() {
            // Else the person is root inside, and whoever they are inside is somebody else out here.
            words.push("--userns=keep-id".to_owned());
        }
        let work = text(&self.work);
        words.extend(["--volume".to_owned(), format!("{work}:{work}")]);
        words.extend(["--workdir".to_owned(), text(inside.folder)]);
        let all = inside.environment.iter();
        let all = all.filter(|(name, _)| !NOT_INSIDE.contains(&name.as_str()));
        let said = all.map(|(name, value)| match OF_CONTAINERS.contains(&name.as_str()) {
            true => format!("{name}={value}"), // a place, and another one out here
            false => name.clone(),
        });
        words.extend(said.flat_map(|said| ["--env".to_owned(), said]));
        words.extend(["--entrypoint".to_owned(), inside.program.to_owned()]);
        words.push(self.isolation.image.clone().unwrap_or_default());
        words
    }

    /// Why the sandbox cannot be had here; a sentence. Found out by trying.
    pub fn problem(&self) -> Option<String> {
        let name = self.isolation.sandbox.word();
        let tried = match self.isolation.sandbox {
            Sandbox::None => return None,
            Sandbox::Bwrap => self.tried("sh", &["-c".to_owned(), self.looks_for_hidden()]),
            Sandbox::Docker | Sandbox::Podman => Command::new(name)
                .args(["image", "inspect", self.isolation.image.as_deref().unwrap_or_default()])
                .stdin(Stdio::null())
                .output()
                .and_then(|found| match found.status.success() {
                    // That an image is there says nothing of whether it can be run.
                    true => self.tried("true", &[]),
                    false => Ok(found),
                }),
        };
        let is_container = self.isolation.sandbox != Sandbox::Bwrap;
        match tried {
            Ok(output) if output.status.success() => None,
            Ok(output) if is_container && lacks_program(&output) => None,
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let said = said.lines().rev().find(|line| !line.trim().is_empty());
                let said = said.map(|line| format!(": {}", line.trim())).unwrap_or_default();
                Some(format!("--sandbox {name} does not work here{said}"))
            }
            Err(why) => {
                Some(format!("--sandbox {name} does not work here: cannot run {name}: {why}"))
            }
        }
    }

    /// A program in the sandbox, with nothing in its environment but where programs are.
    fn tried(&self, program: &str, args: &[String]) -> std::io::Result<Output> {
        let path = std::env::var("PATH").map(|path| ("PATH".to_owned(), path));
        let (environment, folder) = (path.into_iter().collect(), self.work.as_path());
        let environment = &environment;
        let inside = Inside { program, args, environment, folder, has_terminal: false };
        self.wrap(&inside).stdin(Stdio::null()).output()
    }

    /// A line for a shell that fails where something hidden can be seen.
    fn looks_for_hidden(&self) -> String {
        let test = |path: &PathBuf| {
            let quoted = super::command_line::shell_words(&[&path.to_string_lossy()]);
            let is_seen = match path.is_dir() {
                true => format!("test -n \"$(ls -A {quoted} 2>/dev/null)\""),
                false => format!("test -s {quoted}"),
            };
            format!("if {is_seen}; then echo a hidden place can be seen >&2; exit 1; fi\n")
        };
        self.hidden.iter().map(test).collect()
    }
}

/// Whether a container was fine and only the program is not in its image: by its exit code, or as Podman's first process says it.
fn lacks_program(output: &Output) -> bool {
    const NOT_FOUND: i32 = 127;
    let said = String::from_utf8_lossy(&output.stderr);
    output.status.code() == Some(NOT_FOUND) || said.contains("failed to exec pid1")
}

/// Who owns what a container writes: the person who runs it.
#[cfg(unix)]
fn owner() -> Option<String> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    Some(format!("{}:{}", user.as_raw(), group.as_raw()))
}

#[cfg(not(unix))]
fn owner() -> Option<String> {
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

    fn words(isolation: &Isolation, has_terminal: bool) -> Vec<String> {
        let environment = [("HOME", "/w/home"), ("PATH", "/bin"), ("SOME_KEY", "sesame")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let mut setup = Setup::new("codex", "/w".into());
        setup.folders.isolation = isolation.clone();
        setup.provider.base_url = Some("http://127.0.0.1:8080".into());
        let wrapper = Wrapper::of(&setup, Path::new("/w"), &["/dev".into(), "/dev/null".into()]);
        let command = wrapper.unwrap().wrap(&Inside {
            program: "codex",
            args: &["exec".to_owned()],
            environment: &environment,
            folder: Path::new("/w/workspace"),
            has_terminal,
        });
        let all = std::iter::once(command.get_program()).chain(command.get_args());
        all.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    fn isolation(sandbox: Sandbox, network: Network) -> Isolation {
        let is_container = matches!(sandbox, Sandbox::Docker | Sandbox::Podman);
        Isolation { sandbox, network, image: is_container.then(|| "agents:1".to_owned()) }
    }

    #[test]
    fn bubblewrap_shows_the_machine_and_lets_the_agent_write_in_its_folder_alone() {
        let words = words(&isolation(Sandbox::Bwrap, Network::Off), false).join(" ");

        assert_eq!(
            words,
            "bwrap --die-with-parent --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL \
             --ro-bind / / --dev /dev --proc /proc --unshare-net --bind /w /w --tmpfs /dev --ro-bind /dev/null /dev/null \
             --chdir /w/workspace -- codex exec"
        );
    }

    #[test]
    fn without_a_network_one_port_leads_to_the_model_server() {
        let words = words(&isolation(Sandbox::Bwrap, Network::Loopback), false).join(" ");

        assert!(words.contains("--unshare-net"), "{words}");
        assert!(
            words.ends_with(" inside --port 8080 --socket /w/model.sock -- codex exec"),
            "{words}"
        );
    }

    #[test]
    fn a_container_gets_its_folder_the_names_of_variables_and_no_value() {
        for sandbox in [Sandbox::Docker, Sandbox::Podman] {
            let words = words(&isolation(sandbox, Network::Off), true).join(" ");

            assert!(words.starts_with(&format!("{} run --rm", sandbox.word())), "{words}");
            assert!(words.contains("--tty --network none --cap-drop ALL"), "{words}");
            assert!(words.contains("--volume /w:/w --workdir /w/workspace"), "{words}");
            assert!(words.contains("--env HOME=/w/home --env SOME_KEY --entrypoint"), "{words}");
            assert!(words.ends_with("--entrypoint codex agents:1 exec"), "{words}");
            assert!(!words.contains("sesame"), "{words}");
        }
    }
}
