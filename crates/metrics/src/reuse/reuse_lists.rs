//! Builds the lists from the facts of all files: which file imports which, which uses which symbol, and which files
//! are entries.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ModuleFile, Reuse, ReuseFile, ReuseSymbol, UnreadFile,
    facts::{LinkerFacts, ReuseFacts, TopLevelDefinition},
    link_source::{LinkSource, ReuseLinks},
    python,
    role::{self, FileRole},
    rust, script,
};

/// Builds the lists of a snapshot's reuse.
pub(super) fn build_reuse(files: &[ReuseFile<'_>]) -> Reuse {
    let by_path: BTreeMap<&str, Option<&ReuseFacts>> =
        files.iter().rev().map(|file| (file.path, file.facts)).collect();
    let unread = |(&path, facts): (&&str, &Option<&ReuseFacts>)| {
        let why = match facts {
            None => "content not recorded",
            Some(facts) => facts.skipped?.why(),
        };
        Some(UnreadFile { path: path.to_owned(), why })
    };
    let skipped = by_path.iter().filter_map(unread).collect();
    let read = by_path.iter().filter_map(|(&path, &facts)| {
        let facts = facts.filter(|facts| facts.skipped.is_none())?;
        Some(LinkSource { path, facts, role: role::role_by_path(path) })
    });
    let mut sources: Vec<LinkSource<'_>> = read.collect();
    let mut links = ReuseLinks::default();
    let has = |is: fn(&LinkerFacts) -> bool| sources.iter().any(|source| is(&source.facts.words));
    if has(|words| matches!(words, LinkerFacts::Python(_))) {
        python::link_python(&sources, &mut links);
    }
    if has(|words| matches!(words, LinkerFacts::Script(_))) {
        script::link_script(&sources, &mut links);
    }
    if has(|words| matches!(words, LinkerFacts::Rust(_))) {
        rust::link_rust(&sources, &mut links);
    }
    for &test in &links.tests {
        if let Some(source) = sources.get_mut(test) {
            source.role.get_or_insert((FileRole::Test, "is built for tests alone"));
        }
    }
    ReuseLists { sources: &sources, links: &links }.to_reuse(skipped)
}

struct ReuseLists<'a> {
    sources: &'a [LinkSource<'a>],
    links: &'a ReuseLinks,
}

impl ReuseLists<'_> {
    /// Builds the result from the roles and symbols of all files.
    fn to_reuse(&self, skipped: Vec<UnreadFile>) -> Reuse {
        let roles = self.file_roles();
        let mut symbols = vec![];
        for (file, source) in self.sources.iter().enumerate() {
            if roles.get(file).is_some_and(|(role, _)| *role == FileRole::Module) {
                symbols.extend(self.symbols_of(file, source));
            }
        }
        let row = |(source, (role, why)): (&LinkSource<'_>, (FileRole, &'static str))| ModuleFile {
            path: source.path.to_owned(),
            role,
            why,
        };
        let is_code = |(source, _): &(&LinkSource<'_>, _)| {
            !matches!(
                source.facts.words,
                LinkerFacts::Manifest(_) | LinkerFacts::EntryPoints(_) | LinkerFacts::None
            )
        };
        let modules = self.sources.iter().zip(roles).filter(is_code).map(row).collect();
        let (is_one_module, gave_up) = (self.is_one_module(), self.links.gave_up);
        Reuse { symbols, modules, skipped, is_one_module, gave_up }
    }

    /// Returns whether there is only one module; files that only re-export names do not count here.
    fn is_one_module(&self) -> bool {
        let counts = |source: &&LinkSource<'_>| {
            let is_code = match &source.facts.words {
                LinkerFacts::Python(facts) => facts.says_something(&source.facts.definitions),
                LinkerFacts::Manifest(_) | LinkerFacts::EntryPoints(_) | LinkerFacts::None => false,
                LinkerFacts::Script(_) | LinkerFacts::Rust(_) => true,
            };
            source.role.is_none() && is_code
        };
        self.sources.iter().filter(counts).count() == 1
    }

    fn is_module(&self, file: usize) -> bool {
        self.sources.get(file).is_some_and(|source| source.role.is_none())
    }

    /// Returns the role of each file with the reason: by its path, by its code, or as an entry that nothing
    /// integrates.
    fn file_roles(&self) -> Vec<(FileRole, &'static str)> {
        let importers = self.links.imports.iter().filter(|(from, _)| self.is_module(*from));
        let imported: BTreeSet<usize> = importers.map(|(_, to)| *to).collect();
        let public = |(symbol, _): &&((usize, usize), usize)| self.links.public.contains(symbol);
        let used: BTreeSet<usize> =
            self.links.uses.iter().filter(public).map(|((file, _), _)| *file).collect();
        let role = |(file, source): (usize, &LinkSource<'_>)| match source.role {
            Some(role) => role,
            None if source.facts.is_run => (FileRole::Entry, run_reason(&source.facts.words)),
            None if is_main(source.path) => (FileRole::Entry, "is run: by its name"),
            None if imported.contains(&file) => (FileRole::Module, "is imported by a module"),
            None if used.contains(&file) => (FileRole::Module, "is used by tests alone"),
            None => (FileRole::Entry, "no module imports it and nothing uses its symbols"),
        };
        self.sources.iter().enumerate().map(role).collect()
    }

    /// Returns the public symbols of a module.
    fn symbols_of<'a>(
        &'a self,
        file: usize,
        source: &'a LinkSource<'a>,
    ) -> impl Iterator<Item = ReuseSymbol> + 'a {
        let mut public: Vec<(usize, &TopLevelDefinition)> = source
            .facts
            .definitions
            .iter()
            .enumerate()
            .filter(|(at, _)| self.links.public.contains(&(file, *at)))
            .collect();
        public.sort_by(|(_, a), (_, b)| (a.line, &a.name).cmp(&(b.line, &b.name)));
        public.into_iter().map(move |(at, definition)| ReuseSymbol {
            name: definition.name.to_string(),
            path: source.path.to_owned(),
            line: definition.line,
            kind: definition.kind,
            reused_by: self.users_of(file, at),
            registered: (definition.registered.as_deref().map(str::to_owned))
                .or_else(|| self.links.registered.get(&(file, at)).cloned()),
        })
    }

    /// Returns the paths of the modules that use a definition; sources are in the order of their paths.
    fn users_of(&self, file: usize, at: usize) -> Vec<String> {
        let all = self.links.uses.range(((file, at), 0)..=((file, at), usize::MAX));
        let users = all.map(|(_, user)| *user).filter(|user| self.is_module(*user));
        users.filter_map(|user| Some(self.sources.get(user)?.path.to_owned())).collect()
    }
}

fn run_reason(words: &LinkerFacts) -> &'static str {
    match words {
        LinkerFacts::Rust(_) => "is run: it has a function main",
        LinkerFacts::Script(_) => "is run: it starts with #! or asks whether it is the main module",
        LinkerFacts::Python(_)
        | LinkerFacts::Manifest(_)
        | LinkerFacts::EntryPoints(_)
        | LinkerFacts::None => "is run: it has a main guard",
    }
}

/// Returns whether a file is run because of its name.
fn is_main(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("__main__.py"))
}
