//! The folders of one run outside its bundle: workspace, the agent's home, a place for temporary files.
//!
//! ```text
//! WORK/trajview-live   says whose folder this is
//!      workspace/      what the agent works on
//!      home/           its home, with its settings and logs
//!      agent/          settings and logs of agents that let us say where
//!      tmp/            its temporary folder
//!      requests/       what it was asked, and what it printed
//!      layers.sock     where its programs reach the layers of the run, where there are any
//! ```
//!
//! The agent sees a small environment of its own: nothing of ours gets in but what is named.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use trajview_judge::inherited;
use trajview_layers as layers;
use trajview_layers::{Offers, Options, Spec};
use trajview_store::write::WriteError;

use super::{
    command_line::shell_words,
    drivers::Driver,
    loopback,
    secrets::{Secrets, is_named_like_a_secret},
    setup::Setup,
    socket::{self, SOCKET},
};

#[derive(Debug, Clone)]
pub struct Stage {
    root: PathBuf,
    /// Tells the processes of this run from all others.
    pub id: String,
    pub environment: BTreeMap<String, String>,
    pub secrets: Secrets,
    /// How the agent's programs reach the layers of the run; None where no layer offers what the agent takes.
    pub deliveries: Option<Deliveries>,
}

/// What the agent is given so that layers reach it beside its requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deliveries {
    /// This program, which the agent calls as `trajview mcp` and as `trajview hook`.
    pub program: PathBuf,
    pub socket: PathBuf,
    pub offers: Offers,
}

impl Deliveries {
    /// The words of a call of this program.
    pub fn words(&self, command: &str) -> [String; 3] {
        let socket = self.socket.to_string_lossy().into_owned();
        [command.to_owned(), "--socket".to_owned(), socket]
    }

    /// The same with the program, as a shell takes it.
    pub fn shell_line(&self, command: &str) -> String {
        let program = self.program.to_string_lossy();
        let words = self.words(command);
        let words = std::iter::once(&*program).chain(words.iter().map(String::as_str));
        shell_words(&words.collect::<Vec<_>>())
    }
}

const MARK: &str = trajview_store::WORK_MARK;

/// Everything we make in the folder; what else appears there was written by the agent, outside its workspace.
const OURS: [&str; 8] =
    [MARK, "workspace", "home", "agent", "tmp", "requests", SOCKET, loopback::SOCKET];

/// Those of them that are no folders.
const NO_FOLDERS: [&str; 3] = [MARK, SOCKET, loopback::SOCKET];

/// The variable by which every process of a run is known, whatever it did to its group.
pub const VARIABLE: &str = "TRAJVIEW_LIVE";

/// So many characters at the end of a key tell it from others.
pub const END_OF_KEY: usize = 20;

/// Stands for a key where a server on this machine asks for none.
pub const NO_KEY: &str = "not-a-key";

impl Stage {
    /// The folders of a run, made where they are missing. Somebody else's folder is refused.
    pub fn set(root: &Path, id: &str) -> Result<Self, WriteError> {
        let mark = root.join(MARK);
        if fs::symlink_metadata(&mark).is_ok() {
            let owner = fs::read_to_string(&mark).map_err(WriteError::at(&mark))?;
            if owner.trim() != id {
                let why = "belongs to another run; remove it, or name another folder with --work";
                return Err(WriteError::Taken { path: root.to_owned(), why: why.into() });
            }
        } else {
            let is_empty = match fs::read_dir(root) {
                Ok(mut entries) => entries.next().is_none(),
                Err(_) => fs::symlink_metadata(root).is_err(),
            };
            if !is_empty {
                let why = "exists already and is not empty; name another folder with --work";
                return Err(WriteError::Taken { path: root.to_owned(), why: why.into() });
            }
            fs::create_dir_all(root).map_err(WriteError::at(root))?;
            keep_private(root);
            fs::write(&mark, id).map_err(WriteError::at(&mark))?;
        }
        let root = fs::canonicalize(root).map_err(WriteError::at(root))?;
        let (environment, secrets) = (BTreeMap::new(), Secrets::default());
        let stage = Self { root, id: id.to_owned(), environment, secrets, deliveries: None };
        stage.mend()?;
        Ok(stage)
    }

    /// Makes the folders that are missing, in the places of links and files too; their names.
    pub fn mend(&self) -> Result<Vec<&'static str>, WriteError> {
        let mark = self.root.join(MARK);
        let says_whose = |id: String| {
            !fs::symlink_metadata(&mark).is_ok_and(|it| it.is_symlink()) && id.trim() == self.id
        };
        if !fs::read_to_string(&mark).is_ok_and(says_whose) {
            let _ = fs::remove_dir_all(&mark).or_else(|_| fs::remove_file(&mark)); // as below
            fs::write(&mark, &self.id).map_err(WriteError::at(&mark))?;
        }
        let is_missing =
            |name: &&&str| !NO_FOLDERS.contains(*name) && !is_folder(&self.root.join(name));
        let missing: Vec<&str> = OURS.iter().filter(is_missing).copied().collect();
        for name in &missing {
            let path = self.root.join(name);
            let _ = fs::remove_file(&path); // it may well not be there
            fs::create_dir(&path).map_err(WriteError::at(&path))?;
        }
        Ok(missing)
    }

    /// A stage that is only talked about: `--print-plan` makes no folders.
    pub fn imagined(root: &Path) -> Self {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let (environment, secrets) = (BTreeMap::new(), Secrets::default());
        Self { root, id: "plan".into(), environment, secrets, deliveries: None }
    }

    pub fn is_there(root: &Path) -> bool {
        root.join(MARK).is_file()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// For agents that let us say where their files are.
    pub fn agent(&self) -> PathBuf {
        self.root.join("agent")
    }

    pub fn requests(&self) -> PathBuf {
        self.root.join("requests")
    }

    /// Works out what the agent's environment holds. The error is a sentence.
    pub fn furnish(&mut self, setup: &Setup, driver: &dyn Driver) -> Result<(), String> {
        let mut all = self.plain_environment();
        // A proxy's address may have a name and a password in it.
        let logins: Vec<String> = all.values().filter_map(|value| login_in(value)).collect();
        let words = logins.iter().filter_map(|login| Some(login.split_once(':')?.1.to_owned()));
        let mut secrets: Vec<String> = words.chain(logins.iter().cloned()).collect();
        let key = setup.provider.key_env.as_deref().or(driver.key_variable());
        for name in setup.pass.iter().map(String::as_str).chain(key) {
            let value = std::env::var(name).ok().filter(|value| !value.is_empty());
            let is_key = key == Some(name);
            let value = match value {
                Some(value) => value,
                None if is_key && is_on_this_machine(setup.server()) => NO_KEY.to_owned(),
                None if is_key => continue, // the agent may have another way to get in, and says so if not
                None => {
                    return Err(format!("the variable {name}, which is to be passed, is not set"));
                }
            };
            if (is_key || is_named_like_a_secret(name)) && value != NO_KEY {
                secrets.push(value.clone());
                secrets.extend(end_of(&value));
            }
            all.insert(name.to_owned(), value);
        }
        if setup.folders.copies_login {
            let found = self.login_of(driver)?;
            secrets.extend(found.iter().flat_map(|content| words_of_login(content)));
        }
        all.extend(driver.environment(setup, self));
        self.environment = all;
        self.secrets = Secrets::new(secrets);
        self.deliveries = self.deliveries_of(setup, driver)?;
        Ok(())
    }

    /// The person's login, as it is copied for this agent. The error is a sentence: there is none.
    pub fn login_of(&self, driver: &dyn Driver) -> Result<Vec<Vec<u8>>, String> {
        let logins = driver.logins(self);
        let found: Vec<Vec<u8>> = logins.iter().filter_map(|(from, _)| login_at(from)).collect();
        if found.is_empty() { Err(no_login(driver.name(), &logins)) } else { Ok(found) }
    }

    /// What layers offer and the agent takes. The error is a sentence.
    fn deliveries_of(
        &self,
        setup: &Setup,
        driver: &dyn Driver,
    ) -> Result<Option<Deliveries>, String> {
        let (offers, takes) = (offers(setup), driver.takes());
        let offers =
            Offers { search: offers.search && takes.search, calls: offers.calls && takes.calls };
        if offers.is_empty() {
            return Ok(None);
        }
        let program = std::env::current_exe()
            .map_err(|why| format!("where trajview itself is cannot be found out: {why}"))?;
        let socket = socket::place(&self.root, &self.id);
        Ok(Some(Deliveries { program, socket, offers }))
    }

    /// What tests of a recorded run get: no key, no name of a model's server.
    pub fn furnish_for_tests(&mut self) {
        self.environment = self.plain_environment();
    }

    /// Where programs are, a home and a temporary folder of its own; nothing of an agent.
    fn plain_environment(&self) -> BTreeMap<String, String> {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut all: BTreeMap<String, String> = inherited::NETWORK
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .collect();
        for (name, value) in [
            ("HOME", path(self.home())),
            ("TMPDIR", path(self.root.join("tmp"))),
            ("LANG", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            // Byte code differs from run to run, and is nobody's work.
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
            (VARIABLE, self.id.clone()),
        ] {
            all.insert(name.to_owned(), value);
        }
        if let Some(path) = all.get_mut("PATH") {
            *path = whole_paths(path);
        }
        all
    }

    /// Writes the agent's settings, and a profile so that its login shells find what we find.
    pub fn dress(&self, setup: &Setup, driver: &dyn Driver) -> Result<(), WriteError> {
        let mut files = driver.files(setup, self);
        if let Some(path) = self.environment.get("PATH") {
            let quoted = path.replace('\'', "'\\''");
            files.push((self.home().join(".profile"), format!("export PATH='{quoted}'\n")));
        }
        self.put_logins(setup, driver)?;
        for (path, content) in files {
            let parent = path.parent().unwrap_or(&self.root).to_owned();
            fs::create_dir_all(&parent)
                .and_then(|()| fs::write(&path, content))
                .map_err(WriteError::at(&path))?;
        }
        Ok(())
    }

    /// Copies the person's login into the agent's home, to be read alone.
    fn put_logins(&self, setup: &Setup, driver: &dyn Driver) -> Result<(), WriteError> {
        if !setup.folders.copies_login {
            return Ok(());
        }
        self.take_logins_away(driver);
        for (from, to) in driver.logins(self) {
            let Some(content) = login_at(from) else { continue };
            let parent = to.parent().unwrap_or(&self.root).to_owned();
            fs::create_dir_all(&parent)
                .and_then(|()| fs::write(&to, content))
                .map_err(WriteError::at(&to))?;
            keep_read_only(&to);
        }
        Ok(())
    }

    /// Takes the copies of the person's login away: nothing of them stays when the run rests.
    pub fn take_logins_away(&self, driver: &dyn Driver) {
        for (_, to) in driver.logins(self) {
            let _ = fs::remove_file(to); // it is hardly ever there
        }
    }

    /// What lies beside the workspace that neither we nor the agent's own habits put there: names, sorted.
    pub fn strangers(&self) -> Vec<String> {
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        let beside = names(&self.root).into_iter().filter(|name| !OURS.contains(&name.as_str()));
        let at_home = names(&self.home()).into_iter().filter(|name| !name.starts_with('.'));
        let at_home = at_home.map(|name| format!("home/{name}"));
        let mut all: Vec<String> = beside.map(|name| format!("../{name}")).chain(at_home).collect();
        all.sort();
        all
    }

    /// Takes away the folders of a run that could not begin, where they are its own.
    pub fn give_up(root: &Path, id: &str) {
        let is_its_own = fs::read_to_string(root.join(MARK)).is_ok_and(|owner| owner.trim() == id);
        if is_its_own {
            Self { id: id.to_owned(), ..Self::imagined(root) }.strike();
        }
    }

    /// Takes everything away. A disk may answer slowly for each file, so that several are asked for at once.
    pub fn strike(self) {
        let inner = |folder: PathBuf| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let folders = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
            folders.map(|entry| entry.path()).collect()
        };
        // What the agent put in the place of its folder, and leads elsewhere, is nothing of ours.
        let workspace = Some(self.workspace()).filter(|it| is_folder(&self.root) && is_folder(it));
        let folders: Vec<PathBuf> = workspace.into_iter().flat_map(inner).flat_map(inner).collect();
        folders.par_iter().for_each(|folder| {
            let _ = fs::remove_dir_all(folder); // it is tried once more below
        });
        let _ = fs::remove_dir_all(&self.root); // what cannot be removed is found where --work says
    }
}

/// Whether it is a folder itself, and no link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// The folders of a `PATH`, those that are named from here by their whole paths: the agent works elsewhere.
fn whole_paths(path: &str) -> String {
    let folders = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty());
    let whole = folders.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    let joined = std::env::join_paths(whole).ok().and_then(|joined| joined.into_string().ok());
    joined.unwrap_or_else(|| path.to_owned())
}

/// Nobody else on this machine reads it.
#[cfg(unix)]
fn keep_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700)); // not every disk has such rights
}

#[cfg(not(unix))]
fn keep_private(_folder: &Path) {}

/// Nobody writes to it, and nobody else reads it.
#[cfg(unix)]
fn keep_read_only(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o400)); // as above
}

#[cfg(not(unix))]
fn keep_read_only(_file: &Path) {}

/// A folder for a run that nobody can guess, among the system's temporary files.
pub fn somewhere() -> PathBuf {
    use std::hash::{BuildHasher, RandomState};
    let number = RandomState::new().hash_one(std::process::id());
    std::env::temp_dir().join(format!("trajview-live-{number:016x}"))
}

fn is_on_this_machine(url: Option<&str>) -> bool {
    let host = url.and_then(host_of);
    host.is_some_and(|(host, _)| host == "localhost" || host == "::1" || host.starts_with("127."))
}

/// A login of the person's, by its path below their home.
fn login_at(path: &str) -> Option<Vec<u8>> {
    let home = std::env::var_os("HOME")?;
    fs::read(Path::new(&home).join(path)).ok()
}

fn no_login(agent: &str, logins: &[(&str, PathBuf)]) -> String {
    match logins {
        [] => format!("agent {agent} has no login that could be copied; give a key with --key-env"),
        [(path, _), ..] => {
            format!(
                "there is no login of {agent} to be copied: ~/{path} is missing; log in with {agent} first"
            )
        }
    }
}

/// Shorter texts of a login are names and dates.
const SHORTEST_TOKEN: usize = 16;

/// The texts of a login that nobody is to see: every long one, wherever it stands.
fn words_of_login(content: &[u8]) -> Vec<String> {
    let mut found = vec![];
    let mut waiting: Vec<serde_json::Value> = serde_json::from_slice(content).into_iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            serde_json::Value::String(text) if text.len() >= SHORTEST_TOKEN => found.push(text),
            serde_json::Value::Array(values) => waiting.extend(values),
            serde_json::Value::Object(fields) => waiting.extend(fields.into_iter().map(|it| it.1)),
            _ => {}
        }
    }
    found
}

/// The end of a key, by which some agents know it in their settings.
fn end_of(key: &str) -> Option<String> {
    let skipped = key.chars().count().checked_sub(END_OF_KEY)?;
    Some(key.chars().skip(skipped).collect())
}

/// Name and password in an address.
fn login_in(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (login, _) = rest.split(['/', '?', '#']).next()?.rsplit_once('@')?;
    Some(login.to_owned())
}

/// Host and port of an address.
pub fn host_of(url: &str) -> Option<(String, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let place = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    let usual = if scheme == "https" { 443 } else { 80 };
    if let Some(inside) = place.strip_prefix('[') {
        let (host, after) = inside.split_once(']')?;
        let port = after.strip_prefix(':').map_or(Some(usual), |port| port.parse().ok())?;
        return Some((host.to_owned(), port));
    }
    match place.split_once(':') {
        Some((host, port)) => Some((host.to_owned(), port.parse().ok()?)),
        None if place.is_empty() => None,
        None => Some((place.to_owned(), usual)),
    }
}

/// What the layers of a run offer beside its requests. Those that need a disk or a process offer nothing.
fn offers(setup: &Setup) -> Offers {
    let offers = |spec: &Spec| {
        layers::of(spec, &Options::default()).map(|layer| layer.offers()).unwrap_or_default()
    };
    setup.layers.specs().iter().map(offers).fold(Offers::default(), Offers::and)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        let of = |url| host_of(url).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(of("http://127.0.0.1:80/v1").as_deref(), Some("127.0.0.1 80"));
        assert_eq!(of("https://api.example.com/v1?x").as_deref(), Some("api.example.com 443"));
        assert_eq!(of("http://[::1]:8080").as_deref(), Some("::1 8080"));
        assert_eq!(of("nothing"), None);
        assert_eq!(login_in("http://me:word@proxy:80/x").as_deref(), Some("me:word"));
        assert_eq!(login_in("http://proxy/a@b"), None);
        assert!(is_on_this_machine(Some("http://localhost:1")));
        assert!(!is_on_this_machine(Some("https://example.com")));
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_became_links_are_folders_again_and_what_they_led_to_stays() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = place.path().join("elsewhere");
        fs::create_dir_all(elsewhere.join("a/b")).unwrap();
        let stage = Stage::set(&place.path().join("work"), "a").unwrap();
        let link = |stage: &Stage| {
            fs::remove_dir_all(stage.workspace()).unwrap();
            std::os::unix::fs::symlink(&elsewhere, stage.workspace()).unwrap();
        };
        link(&stage);
        fs::remove_dir_all(stage.home()).unwrap();
        fs::remove_file(stage.root().join(MARK)).unwrap();

        assert_eq!(stage.mend().unwrap(), ["workspace", "home"]);

        assert_eq!(stage.mend().unwrap(), Vec::<&str>::new());
        assert!(Stage::set(stage.root(), "a").is_ok());
        link(&stage);
        let root = stage.root().to_owned();
        stage.strike();
        assert!(!root.exists() && elsewhere.join("a/b").is_dir());
    }

    #[test]
    fn somebody_elses_folder_is_refused_and_strangers_in_ours_are_named() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("mine"), "").unwrap();
        let why = Stage::set(place.path(), "a").unwrap_err().to_string();
        assert!(why.ends_with("is not empty; name another folder with --work"), "{why}");

        let stage = Stage::set(&place.path().join("work"), "a").unwrap();
        assert_eq!(stage.strangers(), Vec::<String>::new());
        fs::write(stage.root().join("out.txt"), "").unwrap();
        fs::write(stage.home().join("Desktop"), "").unwrap();
        fs::write(stage.home().join(".cache"), "").unwrap();
        assert_eq!(stage.strangers(), ["../out.txt", "home/Desktop"]);
        assert_eq!(Stage::set(stage.root(), "a").unwrap().root(), stage.root());
        let why = Stage::set(stage.root(), "b").unwrap_err().to_string();
        assert!(why.contains("belongs to another run"), "{why}");
    }
}
