//! Resolves each name to the file that defines it.

use std::collections::{BTreeSet, HashMap};

use super::{
    DEFAULT_EXPORT, ScriptExport, ScriptFacts, ScriptImportName, ScriptUse, WHOLE_EXPORT,
    paths::ProjectPaths,
};
use crate::reuse::{
    facts::LinkerFacts,
    link_source::{LinkSource, ReuseLinks, facts_by_file},
    name_lookup::{NameLookups, NameMeaning, NameResolver, VisitedNames},
};

type ScriptMeaning = NameMeaning<usize>;

/// Adds the imports and uses of the JavaScript and TypeScript files among the sources.
pub(crate) fn link_script(sources: &[LinkSource<'_>], links: &mut ReuseLinks) {
    let mut linker = ScriptLinker::new(sources);
    for file in 0..sources.len() {
        let Some(facts) = linker.facts[file] else { continue };
        let own_definitions = facts.exports.iter().filter_map(|(_, exported)| match exported {
            ScriptExport::Definition(at) => Some((file, *at)),
            ScriptExport::Import(_) => None,
        });
        links.public.extend(own_definitions);
        let named = facts.imports.iter().map(|import| &import.from);
        for from in named.chain(&facts.run).chain(&facts.stars) {
            let to = linker.find_file(file, from).filter(|&to| to != file);
            links.imports.extend(to.map(|to| (file, to)));
        }
        for one in &facts.uses {
            let symbols = linker.symbols_of(file, one).into_iter();
            let others = symbols.filter(|(other, _)| *other != file);
            links.uses.extend(others.map(|symbol| (symbol, file)));
        }
    }
    links.gave_up |= linker.lookups.steps.gave_up;
}

struct ScriptLinker<'a> {
    sources: &'a [LinkSource<'a>],
    facts: Vec<Option<&'a ScriptFacts>>,
    paths: ProjectPaths<'a>,
    exports: Vec<HashMap<&'a str, Vec<ScriptExport>>>,
    lookups: NameLookups<usize>,
}

impl<'a> ScriptLinker<'a> {
    fn new(sources: &'a [LinkSource<'a>]) -> Self {
        let facts = facts_by_file(sources, |words| match words {
            LinkerFacts::Script(facts) => Some(facts),
            _ => None,
        });
        let exports = facts.iter().map(|facts| {
            let mut by_name: HashMap<&str, Vec<ScriptExport>> = HashMap::new();
            for (name, exported) in facts.iter().flat_map(|facts| &facts.exports) {
                by_name.entry(name).or_default().push(*exported);
            }
            by_name
        });
        let files = facts.iter().enumerate().filter(|(_, facts)| facts.is_some());
        Self {
            exports: exports.collect(),
            paths: ProjectPaths::new(files.map(|(at, _)| (sources[at].path, at))),
            facts,
            sources,
            lookups: NameLookups::default(),
        }
    }

    fn find_file(&self, file: usize, from: &str) -> Option<usize> {
        self.paths.find_import(self.sources[file].path, from)
    }

    /// Returns the symbols along an imported name and its properties.
    fn symbols_of(&mut self, file: usize, one: &ScriptUse) -> BTreeSet<(usize, usize)> {
        let open = self.meanings_of_import(file, one.import, &mut VisitedNames::new());
        let (mut symbols, modules) = self.follow_names(open, &one.properties);
        for module in modules {
            symbols.extend(self.whole_export(module));
        }
        symbols
    }

    /// Returns the definitions behind `module.exports`, where it is one function or class.
    fn whole_export(&mut self, file: usize) -> Vec<(usize, usize)> {
        let meanings = self.look_up(file, WHOLE_EXPORT, &mut VisitedNames::new());
        meanings.into_iter().filter_map(ScriptMeaning::symbol).collect()
    }

    fn meanings_of_import(
        &mut self,
        file: usize,
        number: usize,
        visited: &mut VisitedNames,
    ) -> Vec<ScriptMeaning> {
        let import = self.facts[file].and_then(|facts| facts.imports.get(number));
        let Some(import) = import else { return vec![] };
        match (self.find_file(file, &import.from), &import.what) {
            (None, _) => vec![],
            (Some(other), ScriptImportName::Module) => vec![ScriptMeaning::Module(other)],
            (Some(other), ScriptImportName::Name(name)) => self.look_up(other, name, visited),
        }
    }

    /// Looks up a name in the modules that a file re-exports as a whole.
    fn brought_by_stars(
        &mut self,
        file: usize,
        facts: &ScriptFacts,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<ScriptMeaning> {
        let mut meanings = vec![];
        for from in &facts.stars {
            if !self.lookups.steps.take_step() {
                break;
            }
            if let Some(other) = self.find_file(file, from) {
                meanings.extend(self.look_up(other, name, visited));
            }
        }
        meanings
    }
}

impl NameResolver for ScriptLinker<'_> {
    type Module = usize;

    fn lookups(&mut self) -> &mut NameLookups<usize> {
        &mut self.lookups
    }

    /// Looks up an exported name of a file.
    fn look_up(
        &mut self,
        file: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<ScriptMeaning> {
        self.look_up_in_scope(file, name, visited)
    }

    /// Returns the meanings of an exported name, re-exports included.
    fn resolve(
        &mut self,
        file: usize,
        name: &str,
        visited: &mut VisitedNames,
    ) -> Vec<ScriptMeaning> {
        let Some(facts) = self.facts[file] else { return vec![] };
        let mut meanings = vec![];
        for exported in self.exports[file].get(name).cloned().unwrap_or_default() {
            match exported {
                ScriptExport::Definition(at) => meanings.push(ScriptMeaning::Symbol(file, at)),
                ScriptExport::Import(number) => {
                    meanings.extend(self.meanings_of_import(file, number, visited))
                }
            }
        }
        if meanings.is_empty() && name != DEFAULT_EXPORT && name != WHOLE_EXPORT {
            meanings = self.brought_by_stars(file, facts, name, visited);
        }
        if meanings.is_empty() && !facts.is_esm && name != WHOLE_EXPORT {
            // A property of what is exported as a whole, or that whole as the default.
            meanings = self.look_up(file, WHOLE_EXPORT, visited);
            if meanings.is_empty() && name == DEFAULT_EXPORT {
                meanings.push(ScriptMeaning::Module(file));
            }
        }
        meanings
    }
}
