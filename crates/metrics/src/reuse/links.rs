//! From what was read of each file to the lists: who imports whom, who uses what, which files are entries.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    File, Module, Reuse, Symbol, Unread,
    facts::{Definition, Facts, Words},
    python,
    role::{self, Role},
    rust, script,
    source::{Links, Source},
};

pub(super) fn link(files: &[File<'_>]) -> Reuse {
    let by_path: BTreeMap<&str, Option<&Facts>> =
        files.iter().rev().map(|file| (file.path, file.facts)).collect();
    let unread = |(&path, facts): (&&str, &Option<&Facts>)| {
        let why = match facts {
            None => "content not recorded",
            Some(facts) => facts.skipped?.why(),
        };
        Some(Unread { path: path.to_owned(), why })
    };
    let skipped = by_path.iter().filter_map(unread).collect();
    let read = by_path.iter().filter_map(|(&path, &facts)| {
        let facts = facts.filter(|facts| facts.skipped.is_none())?;
        Some(Source { path, facts, role: role::by_path(path) })
    });
    let mut sources: Vec<Source<'_>> = read.collect();
    let mut links = Links::default();
    let has = |is: fn(&Words) -> bool| sources.iter().any(|source| is(&source.facts.words));
    if has(|words| matches!(words, Words::Python(_))) {
        python::link(&sources, &mut links);
    }
    if has(|words| matches!(words, Words::Script(_))) {
        script::link(&sources, &mut links);
    }
    if has(|words| matches!(words, Words::Rust(_))) {
        rust::link(&sources, &mut links);
    }
    for &test in &links.tests {
        if let Some(source) = sources.get_mut(test) {
            source.role.get_or_insert((Role::Test, "is built for tests alone"));
        }
    }
    Listed { sources: &sources, links: &links }.reuse(skipped)
}

struct Listed<'a> {
    sources: &'a [Source<'a>],
    links: &'a Links,
}

impl Listed<'_> {
    fn reuse(&self, skipped: Vec<Unread>) -> Reuse {
        let roles = self.roles();
        let mut symbols = vec![];
        for (file, source) in self.sources.iter().enumerate() {
            if roles.get(file).is_some_and(|(role, _)| *role == Role::Module) {
                symbols.extend(self.symbols_of(file, source));
            }
        }
        let row = |(source, (role, why)): (&Source<'_>, (Role, &'static str))| Module {
            path: source.path.to_owned(),
            role,
            why,
        };
        let is_code = |(source, _): &(&Source<'_>, _)| {
            !matches!(source.facts.words, Words::Manifest(_) | Words::EntryPoints(_) | Words::None)
        };
        let modules = self.sources.iter().zip(roles).filter(is_code).map(row).collect();
        let (is_one_module, gave_up) = (self.is_one_module(), self.links.gave_up);
        Reuse { symbols, modules, skipped, is_one_module, gave_up }
    }

    /// A file that only passes names on is no module of its own here.
    fn is_one_module(&self) -> bool {
        let counts = |source: &&Source<'_>| {
            let is_code = match &source.facts.words {
                Words::Python(facts) => facts.says_something(&source.facts.definitions),
                Words::Manifest(_) | Words::EntryPoints(_) | Words::None => false,
                Words::Script(_) | Words::Rust(_) => true,
            };
            source.role.is_none() && is_code
        };
        self.sources.iter().filter(counts).count() == 1
    }

    fn is_module(&self, file: usize) -> bool {
        self.sources.get(file).is_some_and(|source| source.role.is_none())
    }

    fn roles(&self) -> Vec<(Role, &'static str)> {
        let importers = self.links.imports.iter().filter(|(from, _)| self.is_module(*from));
        let imported: BTreeSet<usize> = importers.map(|(_, to)| *to).collect();
        let public = |(symbol, _): &&((usize, usize), usize)| self.links.public.contains(symbol);
        let used: BTreeSet<usize> =
            self.links.uses.iter().filter(public).map(|((file, _), _)| *file).collect();
        let role = |(file, source): (usize, &Source<'_>)| match source.role {
            Some(role) => role,
            None if source.facts.is_run => (Role::Entry, why_run(&source.facts.words)),
            None if is_main(source.path) => (Role::Entry, "is run: by its name"),
            None if imported.contains(&file) => (Role::Module, "is imported by a module"),
            None if used.contains(&file) => (Role::Module, "is used by tests alone"),
            None => (Role::Entry, "no module imports it and nothing uses its symbols"),
        };
        self.sources.iter().enumerate().map(role).collect()
    }

    fn symbols_of<'a>(
        &'a self,
        file: usize,
        source: &'a Source<'a>,
    ) -> impl Iterator<Item = Symbol> + 'a {
        let mut public: Vec<(usize, &Definition)> = source
            .facts
            .definitions
            .iter()
            .enumerate()
            .filter(|(at, _)| self.links.public.contains(&(file, *at)))
            .collect();
        public.sort_by(|(_, a), (_, b)| (a.line, &a.name).cmp(&(b.line, &b.name)));
        public.into_iter().map(move |(at, definition)| Symbol {
            name: definition.name.to_string(),
            path: source.path.to_owned(),
            line: definition.line,
            kind: definition.kind,
            reused_by: self.users(file, at),
            registered: (definition.registered.as_deref().map(str::to_owned))
                .or_else(|| self.links.registered.get(&(file, at)).cloned()),
        })
    }

    /// Sources are in the order of their paths.
    fn users(&self, file: usize, at: usize) -> Vec<String> {
        let all = self.links.uses.range(((file, at), 0)..=((file, at), usize::MAX));
        let users = all.map(|(_, user)| *user).filter(|user| self.is_module(*user));
        users.filter_map(|user| Some(self.sources.get(user)?.path.to_owned())).collect()
    }
}

fn why_run(words: &Words) -> &'static str {
    match words {
        Words::Rust(_) => "is run: it has a function main",
        Words::Script(_) => "is run: it starts with #! or asks whether it is the main module",
        Words::Python(_) | Words::Manifest(_) | Words::EntryPoints(_) | Words::None => {
            "is run: it has a main guard"
        }
    }
}

/// Files that are run by their name.
fn is_main(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("__main__.py"))
}
