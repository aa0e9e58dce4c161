//! The folders of one run outside its bundle: workspace, the agent's home, a place for temporary files.
//!
//! ```text
//! WORK/trajview-live   the id of the run that the folder belongs to
//!      workspace/      what the agent works on
//!      home/           its home, with its settings and logs
//!      agent/          settings and logs of agents whose paths we can set
//!      tmp/            its temporary folder
//!      requests/       its requests and its output
//!      layers.sock     the socket to the layers of the run, if there are any
//! ```
//!
//! The agent sees a small environment of its own: of ours it gets only the variables that are named.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use trajview_judge::env_allowlist;
use trajview_layers as layers;
use trajview_layers::{DeliveryOffers, LayerSetup, LayerSpec};
use trajview_store::write::WriteError;

use super::{
    command_line::shell_words,
    drivers::Driver,
    loopback,
    secrets::{Secrets, is_named_like_a_secret},
    setup::RunSetup,
    socket::{self, SOCKET},
};

#[derive(Debug, Clone)]
pub struct RunFolders {
    root: PathBuf,
    /// The id of the run, which its processes carry.
    pub id: String,
    pub environment: BTreeMap<String, String>,
    pub secrets: Secrets,
    /// The access of the agent's programs to the layers of the run; None when no layer offers what the agent supports.
    pub layer_access: Option<LayerAccess>,
}

/// The program and socket through which an agent reaches layers besides its requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerAccess {
    /// This program, which the agent calls as `trajview mcp` and as `trajview hook`.
    pub program: PathBuf,
    pub socket: PathBuf,
    pub offers: DeliveryOffers,
}

impl LayerAccess {
    /// Returns the arguments of a call of this program.
    pub fn command_arguments(&self, command: &str) -> [String; 3] {
        let socket = self.socket.to_string_lossy().into_owned();
        [command.to_owned(), "--socket".to_owned(), socket]
    }

    /// Returns the whole call as a line for a shell.
    pub(crate) fn shell_line(&self, command: &str) -> String {
        let program = self.program.to_string_lossy();
        shell_words([program.into_owned()].into_iter().chain(self.command_arguments(command)))
    }
}

const OWNER_FILE: &str = trajview_store::WORK_MARK_FILE;

/// Everything that trajview creates in the folder; other entries were written by the agent, outside its workspace.
const OWN_ENTRIES: [&str; 8] =
    [OWNER_FILE, "workspace", "home", "agent", "tmp", "requests", SOCKET, loopback::SOCKET];

/// The entries that are files.
const FILE_ENTRIES: [&str; 3] = [OWNER_FILE, SOCKET, loopback::SOCKET];

/// The variable by which every process of a run is recognised, whatever group it is in.
pub(crate) const RUN_VARIABLE: &str = "TRAJVIEW_LIVE";

/// The number of characters at the end of a key that tell it from others.
pub(crate) const KEY_END_CHARS: usize = 20;

/// Stands for a key when a server on this machine needs none.
pub(crate) const NO_KEY: &str = "not-a-key";

impl RunFolders {
    /// Creates the missing folders of a run. The folder of another run is refused.
    pub fn create(root: &Path, id: &str) -> Result<Self, WriteError> {
        let mark = root.join(OWNER_FILE);
        if fs::symlink_metadata(&mark).is_ok() {
            let owner = fs::read_to_string(&mark).map_err(WriteError::at_path(&mark))?;
            if owner.trim() != id {
                let why =
                    "belongs to another run; remove it, or name another folder with --work-dir";
                return Err(WriteError::Taken { path: root.to_owned(), why: why.into() });
            }
        } else {
            let is_empty = match fs::read_dir(root) {
                Ok(mut entries) => entries.next().is_none(),
                Err(_) => fs::symlink_metadata(root).is_err(),
            };
            if !is_empty {
                let why = "exists already and is not empty; name another folder with --work-dir";
                return Err(WriteError::Taken { path: root.to_owned(), why: why.into() });
            }
            fs::create_dir_all(root).map_err(WriteError::at_path(root))?;
            keep_private(root);
            fs::write(&mark, id).map_err(WriteError::at_path(&mark))?;
        }
        let root = fs::canonicalize(root).map_err(WriteError::at_path(root))?;
        let (environment, secrets) = (BTreeMap::new(), Secrets::default());
        let run_folders =
            Self { root, id: id.to_owned(), environment, secrets, layer_access: None };
        run_folders.restore_missing()?;
        Ok(run_folders)
    }

    /// Creates the folders that are missing, replacing links and files; returns their names.
    pub(crate) fn restore_missing(&self) -> Result<Vec<&'static str>, WriteError> {
        let mark = self.root.join(OWNER_FILE);
        let says_whose = |id: String| {
            !fs::symlink_metadata(&mark).is_ok_and(|it| it.is_symlink()) && id.trim() == self.id
        };
        if !fs::read_to_string(&mark).is_ok_and(says_whose) {
            let _ = fs::remove_dir_all(&mark).or_else(|_| fs::remove_file(&mark)); // as below
            fs::write(&mark, &self.id).map_err(WriteError::at_path(&mark))?;
        }
        let is_missing =
            |name: &&&str| !FILE_ENTRIES.contains(*name) && !is_folder(&self.root.join(name));
        let missing: Vec<&str> = OWN_ENTRIES.iter().filter(is_missing).copied().collect();
        for name in &missing {
            let path = self.root.join(name);
            let _ = fs::remove_file(&path); // it may well not be there
            fs::create_dir(&path).map_err(WriteError::at_path(&path))?;
        }
        Ok(missing)
    }

    /// Returns the folders of a plan: `--print-plan` creates none.
    pub fn for_plan(root: &Path) -> Self {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let (environment, secrets) = (BTreeMap::new(), Secrets::default());
        Self { root, id: "plan".into(), environment, secrets, layer_access: None }
    }

    pub(crate) fn exists_at(root: &Path) -> bool {
        root.join(OWNER_FILE).is_file()
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

    /// Returns the folder for agents whose paths we can set.
    pub(crate) fn agent_folder(&self) -> PathBuf {
        self.root.join("agent")
    }

    pub(crate) fn requests_folder(&self) -> PathBuf {
        self.root.join("requests")
    }

    /// Returns the file with the request of a turn.
    pub(crate) fn prompt_file(&self, turn: usize) -> PathBuf {
        self.requests_folder().join(format!("turn-{turn:03}.txt"))
    }

    /// Builds the agent's environment. The error is a sentence.
    pub fn set_environment(&mut self, setup: &RunSetup, driver: &Driver) -> Result<(), String> {
        let mut all = self.plain_environment();
        // A proxy's address may have a name and a password in it.
        let logins: Vec<String> = all.values().filter_map(|value| login_in_url(value)).collect();
        let words = logins.iter().filter_map(|login| Some(login.split_once(':')?.1.to_owned()));
        let mut secrets: Vec<String> = words.chain(logins.iter().cloned()).collect();
        let key = setup.provider.key_env.as_deref().or(driver.key_variable.as_deref());
        for name in setup.pass.iter().map(String::as_str).chain(key) {
            let value = std::env::var(name).ok().filter(|value| !value.is_empty());
            let is_key = key == Some(name);
            let value = match value {
                Some(value) => value,
                None if is_key && is_on_this_machine(setup.server_url()) => NO_KEY.to_owned(),
                None if is_key => continue, // the agent may have another way to get in, and says so if not
                None => {
                    return Err(format!("the variable {name}, which is to be passed, is not set"));
                }
            };
            if (is_key || is_named_like_a_secret(name)) && value != NO_KEY {
                secrets.push(value.clone());
                secrets.extend(key_end(&value));
            }
            all.insert(name.to_owned(), value);
        }
        if setup.folders.copies_login {
            let found = self.read_logins(driver)?;
            secrets.extend(found.iter().flat_map(|content| login_secrets(content)));
        }
        all.extend(driver.environment_variables(setup, self));
        self.environment = all;
        self.secrets = Secrets::new(secrets);
        self.layer_access = self.layer_access_of(setup, driver)?;
        Ok(())
    }

    /// Reads the person's login for this agent. The error is a sentence: there is none.
    pub fn read_logins(&self, driver: &Driver) -> Result<Vec<Vec<u8>>, String> {
        let logins = (driver.login_files)(self);
        let found: Vec<Vec<u8>> = logins.iter().filter_map(|(from, _)| read_login(from)).collect();
        if found.is_empty() { Err(no_login_sentence(&driver.name, &logins)) } else { Ok(found) }
    }

    /// Returns what layers offer and the agent supports. The error is a sentence.
    fn layer_access_of(
        &self,
        setup: &RunSetup,
        driver: &Driver,
    ) -> Result<Option<LayerAccess>, String> {
        let (offers, takes) = (layer_offers(setup), driver.supported_offers);
        let offers = DeliveryOffers {
            search: offers.search && takes.search,
            calls: offers.calls && takes.calls,
        };
        if offers.is_empty() {
            return Ok(None);
        }
        let program = std::env::current_exe()
            .map_err(|why| format!("where trajview itself is cannot be found out: {why}"))?;
        let socket = socket::socket_path(&self.root, &self.id);
        Ok(Some(LayerAccess { program, socket, offers }))
    }

    /// Sets the environment for tests of a recorded run: no key, no address of a model server.
    pub(crate) fn set_test_environment(&mut self) {
        self.environment = self.plain_environment();
    }

    /// Returns PATH, a home and a temporary folder of its own; nothing of an agent.
    fn plain_environment(&self) -> BTreeMap<String, String> {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut all: BTreeMap<String, String> = env_allowlist::NETWORK
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .collect();
        for (name, value) in [
            ("HOME", path(self.home())),
            ("TMPDIR", path(self.root.join("tmp"))),
            ("LANG", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            // Byte code differs from run to run, and the agent did not write it.
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
            (RUN_VARIABLE, self.id.clone()),
        ] {
            all.insert(name.to_owned(), value);
        }
        if let Some(path) = all.get_mut("PATH") {
            *path = absolute_paths(path);
        }
        all
    }

    /// Writes the agent's settings, and a profile so that its login shells find what we find.
    pub(crate) fn write_settings(
        &self,
        setup: &RunSetup,
        driver: &Driver,
    ) -> Result<(), WriteError> {
        let mut files = (driver.settings_files)(setup, self);
        if let Some(path) = self.environment.get("PATH") {
            let quoted = path.replace('\'', "'\\''");
            files.push((self.home().join(".profile"), format!("export PATH='{quoted}'\n")));
        }
        self.copy_logins(setup, driver)?;
        for (path, content) in files {
            let parent = path.parent().unwrap_or(&self.root).to_owned();
            fs::create_dir_all(&parent)
                .and_then(|()| fs::write(&path, content))
                .map_err(WriteError::at_path(&path))?;
        }
        Ok(())
    }

    /// Copies the person's login into the agent's home, readable only for its owner.
    fn copy_logins(&self, setup: &RunSetup, driver: &Driver) -> Result<(), WriteError> {
        if !setup.folders.copies_login {
            return Ok(());
        }
        self.remove_logins(driver);
        for (from, to) in (driver.login_files)(self) {
            let Some(content) = read_login(from) else { continue };
            let parent = to.parent().unwrap_or(&self.root).to_owned();
            fs::create_dir_all(&parent)
                .and_then(|()| fs::write(&to, content))
                .map_err(WriteError::at_path(&to))?;
            keep_read_only(&to);
        }
        Ok(())
    }

    /// Removes the copies of the person's login: none of them stays when the run is over or waits to be resumed.
    pub(crate) fn remove_logins(&self, driver: &Driver) {
        for (_, to) in (driver.login_files)(self) {
            let _ = fs::remove_file(to); // it is hardly ever there
        }
    }

    /// Returns entries beside the workspace that neither trajview nor the agent's usual habits put there: names, sorted.
    pub(crate) fn unexpected_files(&self) -> Vec<String> {
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        let beside =
            names(&self.root).into_iter().filter(|name| !OWN_ENTRIES.contains(&name.as_str()));
        let at_home = names(&self.home()).into_iter().filter(|name| !name.starts_with('.'));
        let at_home = at_home.map(|name| format!("home/{name}"));
        let mut all: Vec<String> = beside.map(|name| format!("../{name}")).chain(at_home).collect();
        all.sort();
        all
    }

    /// Removes the folders of a run that could not begin, if they belong to it.
    pub(crate) fn remove_if_owned(root: &Path, id: &str) {
        let is_its_own =
            fs::read_to_string(root.join(OWNER_FILE)).is_ok_and(|owner| owner.trim() == id);
        if is_its_own {
            Self { id: id.to_owned(), ..Self::for_plan(root) }.remove_all();
        }
    }

    /// Removes everything. A disk may be slow for each file, so several are removed at once.
    pub(crate) fn remove_all(self) {
        let inner = |folder: PathBuf| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let folders = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
            folders.map(|entry| entry.path()).collect()
        };
        // A link that the agent put in the place of its folder leads elsewhere and must not be followed.
        let workspace = Some(self.workspace()).filter(|it| is_folder(&self.root) && is_folder(it));
        let folders: Vec<PathBuf> = workspace.into_iter().flat_map(inner).flat_map(inner).collect();
        folders.par_iter().for_each(|folder| {
            let _ = fs::remove_dir_all(folder); // it is tried once more below
        });
        let _ = fs::remove_dir_all(&self.root); // what cannot be removed is found where --work-dir says
    }
}

/// Returns whether the path is a folder and no link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Returns a `PATH` with absolute folders only: the agent works in another folder.
fn absolute_paths(path: &str) -> String {
    let folders = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty());
    let whole = folders.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    let joined = std::env::join_paths(whole).ok().and_then(|joined| joined.into_string().ok());
    joined.unwrap_or_else(|| path.to_owned())
}

/// Makes a folder private to its owner.
#[cfg(unix)]
fn keep_private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700)); // not every disk has such rights
}

#[cfg(not(unix))]
fn keep_private(_folder: &Path) {}

/// Makes a file read-only and private to its owner.
#[cfg(unix)]
fn keep_read_only(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o400)); // as above
}

#[cfg(not(unix))]
fn keep_read_only(_file: &Path) {}

/// Returns a folder with a random name for a run, among the system's temporary files.
pub fn temporary_folder() -> PathBuf {
    use std::hash::{BuildHasher, RandomState};
    let number = RandomState::new().hash_one(std::process::id());
    std::env::temp_dir().join(format!("trajview-live-{number:016x}"))
}

fn is_on_this_machine(url: Option<&str>) -> bool {
    let host = url.and_then(host_and_port);
    host.is_some_and(|(host, _)| host == "localhost" || host == "::1" || host.starts_with("127."))
}

/// Reads a login file of the person, by its path below their home.
fn read_login(path: &str) -> Option<Vec<u8>> {
    let home = std::env::var_os("HOME")?;
    fs::read(Path::new(&home).join(path)).ok()
}

fn no_login_sentence(agent: &str, logins: &[(&str, PathBuf)]) -> String {
    match logins {
        [] => format!("agent {agent} has no login to copy; use a key with --key-env"),
        [(path, _), ..] => {
            format!("no login of {agent} to copy: ~/{path} is missing; log in with {agent} first")
        }
    }
}

/// Shorter texts of a login are names and dates (characters).
const MIN_TOKEN_LENGTH: usize = 16;

/// Returns the texts of a login that are secret: every long one, wherever it is.
fn login_secrets(content: &[u8]) -> Vec<String> {
    let mut found = vec![];
    let mut waiting: Vec<serde_json::Value> = serde_json::from_slice(content).into_iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            serde_json::Value::String(text) if text.len() >= MIN_TOKEN_LENGTH => found.push(text),
            serde_json::Value::Array(values) => waiting.extend(values),
            serde_json::Value::Object(fields) => waiting.extend(fields.into_iter().map(|it| it.1)),
            _ => {}
        }
    }
    found
}

/// Returns the end of a key, by which some agents recognise it in their settings.
fn key_end(key: &str) -> Option<String> {
    let skipped = key.chars().count().checked_sub(KEY_END_CHARS)?;
    Some(key.chars().skip(skipped).collect())
}

/// Returns name and password in an address; None when there are none.
fn login_in_url(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (login, _) = rest.split(['/', '?', '#']).next()?.rsplit_once('@')?;
    Some(login.to_owned())
}

/// Returns host and port of an address.
pub fn host_and_port(url: &str) -> Option<(String, u16)> {
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

/// Returns what the layers of a run offer besides its requests. Layers that need a disk or a process offer nothing.
fn layer_offers(setup: &RunSetup) -> DeliveryOffers {
    let offers = |spec: &LayerSpec| {
        layers::make_layer(spec, &LayerSetup::default())
            .map(|layer| layer.delivery_offers())
            .unwrap_or_default()
    };
    setup
        .layers
        .all_specs()
        .iter()
        .map(offers)
        .fold(DeliveryOffers::default(), DeliveryOffers::combined_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        let of = |url| host_and_port(url).map(|(host, port)| format!("{host} {port}"));
        assert_eq!(of("http://127.0.0.1:80/v1").as_deref(), Some("127.0.0.1 80"));
        assert_eq!(of("https://api.example.com/v1?x").as_deref(), Some("api.example.com 443"));
        assert_eq!(of("http://[::1]:8080").as_deref(), Some("::1 8080"));
        assert_eq!(of("nothing"), None);
        assert_eq!(login_in_url("http://me:word@proxy:80/x").as_deref(), Some("me:word"));
        assert_eq!(login_in_url("http://proxy/a@b"), None);
        assert!(is_on_this_machine(Some("http://localhost:1")));
        assert!(!is_on_this_machine(Some("https://example.com")));
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_became_links_are_folders_again_and_what_they_led_to_stays() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = place.path().join("elsewhere");
        fs::create_dir_all(elsewhere.join("a/b")).unwrap();
        let run_folders = RunFolders::create(&place.path().join("work"), "a").unwrap();
        let link = |run_folders: &RunFolders| {
            fs::remove_dir_all(run_folders.workspace()).unwrap();
            std::os::unix::fs::symlink(&elsewhere, run_folders.workspace()).unwrap();
        };
        link(&run_folders);
        fs::remove_dir_all(run_folders.home()).unwrap();
        fs::remove_file(run_folders.root().join(OWNER_FILE)).unwrap();

        assert_eq!(run_folders.restore_missing().unwrap(), ["workspace", "home"]);

        assert_eq!(run_folders.restore_missing().unwrap(), Vec::<&str>::new());
        assert!(RunFolders::create(run_folders.root(), "a").is_ok());
        link(&run_folders);
        let root = run_folders.root().to_owned();
        run_folders.remove_all();
        assert!(!root.exists() && elsewhere.join("a/b").is_dir());
    }

    #[test]
    fn somebody_elses_folder_is_refused_and_strangers_in_ours_are_named() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("mine"), "").unwrap();
        let why = RunFolders::create(place.path(), "a").unwrap_err().to_string();
        assert!(why.ends_with("is not empty; name another folder with --work-dir"), "{why}");

        let run_folders = RunFolders::create(&place.path().join("work"), "a").unwrap();
        assert_eq!(run_folders.unexpected_files(), Vec::<String>::new());
        fs::write(run_folders.root().join("out.txt"), "").unwrap();
        fs::write(run_folders.home().join("Desktop"), "").unwrap();
        fs::write(run_folders.home().join(".cache"), "").unwrap();
        assert_eq!(run_folders.unexpected_files(), ["../out.txt", "home/Desktop"]);
        assert_eq!(RunFolders::create(run_folders.root(), "a").unwrap().root(), run_folders.root());
        let why = RunFolders::create(run_folders.root(), "b").unwrap_err().to_string();
        assert!(why.contains("belongs to another run"), "{why}");
    }
}
