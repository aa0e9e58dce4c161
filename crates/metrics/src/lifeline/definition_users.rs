//! An index of the users of each definition. It is updated from turn to turn: only changed files are looked at again.
//!
//! It has the definitions at the top of files, and the methods whose name no other class has, since those can be
//! recognised on any object.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    chains::DefinitionPlace,
    facts_snapshot::{CodeFile, FactsSnapshot},
    file_facts::{CodeDefinition, DefinitionKind, FileFacts},
};
use trajview_run::RepoPath;

/// A file with its current facts; None where it is gone, or has no code that counts.
pub type FreshFile = (RepoPath, Option<std::sync::Arc<FileFacts>>);

/// The users of classes, functions and values at the top of files, and of methods. Test files do not count.
#[derive(Debug)]
pub struct DefinitionUsers {
    snapshot: FactsSnapshot,
    /// The files that mention each word.
    mentions: HashMap<Box<str>, BTreeSet<RepoPath>>,
    /// The files that define each name at their top.
    defined: HashMap<Box<str>, BTreeSet<RepoPath>>,
    /// The methods of each name.
    methods: HashMap<Box<str>, BTreeSet<DefinitionPlace>>,
    users: HashMap<DefinitionPlace, BTreeSet<RepoPath>>,
    used: HashMap<RepoPath, BTreeSet<DefinitionPlace>>,
}

impl Default for DefinitionUsers {
    fn default() -> Self {
        Self {
            snapshot: FactsSnapshot::with_index(),
            mentions: HashMap::new(),
            defined: HashMap::new(),
            methods: HashMap::new(),
            users: HashMap::new(),
            used: HashMap::new(),
        }
    }
}

impl DefinitionUsers {
    /// Updates the index for changed files, each given once. Returns the files whose definitions got or lost a user,
    /// and the changed files that still exist.
    pub fn update_files(&mut self, changed: &[FreshFile]) -> BTreeSet<RepoPath> {
        let mut touched = BTreeSet::new();
        // Names that a changed file re-exports under its own module, before or after.
        let mut passed_on: BTreeSet<Box<str>> = BTreeSet::new();
        let mut shared: BTreeSet<Box<str>> = BTreeSet::new();
        for (path, facts) in changed {
            let before = self.snapshot.files.get(path).map(|file| file.facts.clone());
            shared.extend(
                before
                    .iter()
                    .chain(facts)
                    .flat_map(|facts| method_definitions(facts))
                    .map(simple_name),
            );
            passed_on.extend(self.forget_file(path, &mut touched));
            if let Some(facts) = facts {
                self.snapshot.insert(path, CodeFile::new(path, facts.clone()));
                passed_on.extend(imported_simple_names(facts));
                touched.insert(path.clone());
            }
        }
        for (path, facts) in changed {
            let Some(facts) = facts else { continue };
            for word in facts.mentioned_names().collect::<HashSet<_>>() {
                self.mentions.entry(word.into()).or_default().insert(path.clone());
            }
            for definition in top_definitions(facts) {
                self.defined.entry(definition.name.clone()).or_default().insert(path.clone());
            }
            for method in method_definitions(facts) {
                let place = DefinitionPlace { path: path.clone(), name: method.name.clone() };
                self.methods.entry(simple_name(method)).or_default().insert(place);
            }
        }
        for (path, facts) in changed {
            let Some(facts) = facts else { continue };
            for definition in top_definitions(facts) {
                let place = DefinitionPlace { path: path.clone(), name: definition.name.clone() };
                self.update_users(place, &mut touched);
            }
            for word in facts.mentioned_names().collect::<HashSet<_>>() {
                for home in self.defined.get(word).cloned().unwrap_or_default() {
                    let place = DefinitionPlace { path: home, name: word.into() };
                    self.update_use(&place, path, &mut touched);
                }
                if let Some(method) = self.only_method(word) {
                    self.update_use(&method, path, &mut touched);
                }
            }
        }
        for name in passed_on {
            for home in self.defined.get(&name).cloned().unwrap_or_default() {
                self.update_users(DefinitionPlace { path: home, name: name.clone() }, &mut touched);
            }
        }
        for name in shared {
            match self.only_method(&name) {
                Some(method) => self.update_users(method, &mut touched),
                None => self.forget_users(&name, &mut touched),
            }
        }
        touched.retain(|path| self.snapshot.files.contains_key(path));
        touched
    }

    /// Returns the files that use a definition (given by its dotted name), by path, without its own file.
    pub fn users_of(&self, path: &RepoPath, name: &str) -> impl Iterator<Item = &RepoPath> {
        let place = DefinitionPlace { path: path.clone(), name: name.into() };
        self.users.get(&place).into_iter().flatten()
    }

    /// Returns the definitions of other files that a file uses, by path and name.
    pub fn used_by(&self, path: &RepoPath) -> impl Iterator<Item = &DefinitionPlace> {
        self.used.get(path).into_iter().flatten()
    }

    /// Returns the files that define a name at their top, by path.
    pub fn files_defining(&self, name: &str) -> impl Iterator<Item = &RepoPath> {
        self.defined.get(name).into_iter().flatten()
    }

    /// Removes a file from the index; returns the names that it imported.
    fn forget_file(&mut self, path: &RepoPath, touched: &mut BTreeSet<RepoPath>) -> Vec<Box<str>> {
        let Some(file) = self.snapshot.remove(path) else { return vec![] };
        for word in file.facts.mentioned_names() {
            if let Some(files) = self.mentions.get_mut(word) {
                files.remove(path);
            }
        }
        for definition in &file.facts.definitions {
            if let Some(homes) = self.defined.get_mut(&definition.name) {
                homes.remove(path);
            }
            let place = DefinitionPlace { path: path.clone(), name: definition.name.clone() };
            if let Some(places) = self.methods.get_mut(definition.simple_name()) {
                places.remove(&place);
            }
            for user in self.users.remove(&place).unwrap_or_default() {
                if let Some(used) = self.used.get_mut(&user) {
                    used.remove(&place);
                }
                touched.insert(user);
            }
        }
        for place in self.used.remove(path).unwrap_or_default() {
            if let Some(users) = self.users.get_mut(&place) {
                users.remove(path);
            }
            touched.insert(place.path);
        }
        imported_simple_names(&file.facts)
    }

    /// Returns the method of a name that only one class has.
    fn only_method(&self, name: &str) -> Option<DefinitionPlace> {
        let places = self.methods.get(name)?;
        places.first().filter(|_| places.len() == 1).cloned()
    }

    /// Forgets the users of methods whose name more than one class has.
    fn forget_users(&mut self, name: &str, touched: &mut BTreeSet<RepoPath>) {
        for place in self.methods.get(name).cloned().unwrap_or_default() {
            for user in self.users.remove(&place).unwrap_or_default() {
                if let Some(used) = self.used.get_mut(&user) {
                    used.remove(&place);
                }
                touched.extend([place.path.clone(), user]);
            }
        }
    }

    fn update_users(&mut self, place: DefinitionPlace, touched: &mut BTreeSet<RepoPath>) {
        let mentioning = self.mentions.get(place.simple_name()).cloned().unwrap_or_default();
        for path in mentioning {
            self.update_use(&place, &path, touched);
        }
    }

    /// Records whether a file uses a definition, for both of them.
    fn update_use(
        &mut self,
        place: &DefinitionPlace,
        path: &RepoPath,
        touched: &mut BTreeSet<RepoPath>,
    ) {
        if place.path == *path {
            return;
        }
        let uses = self.snapshot.has_use_in(&place.path, &place.name, path);
        let users = self.users.entry(place.clone()).or_default();
        let is_new = match uses {
            true => users.insert(path.clone()),
            false => users.remove(path),
        };
        if is_new {
            let used = self.used.entry(path.clone()).or_default();
            match uses {
                true => used.insert(place.clone()),
                false => used.remove(place),
            };
            touched.extend([place.path.clone(), path.clone()]);
        }
    }
}

fn top_definitions(facts: &FileFacts) -> impl Iterator<Item = &CodeDefinition> {
    facts.definitions.iter().filter(|definition| definition.owner.is_none())
}

/// Returns the methods that code calls by name, in order.
fn method_definitions(facts: &FileFacts) -> impl Iterator<Item = &CodeDefinition> {
    let is_method = |it: &&CodeDefinition| {
        let owner = it.owner.and_then(|at| facts.definitions.get(at as usize));
        owner.is_some_and(|owner| owner.kind == DefinitionKind::Class)
            && !it.simple_name().starts_with("__")
    };
    facts.definitions.iter().filter(is_method)
}

fn simple_name(definition: &CodeDefinition) -> Box<str> {
    definition.simple_name().into()
}

fn imported_simple_names(facts: &FileFacts) -> Vec<Box<str>> {
    facts.imports.iter().filter_map(|import| import.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lifeline;
    use trajview_code::tree::Grammar;

    fn repo_path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn fresh_file(name: &str, text: &str) -> FreshFile {
        (repo_path(name), Some(Arc::new(lifeline::read_facts(Grammar::Python, text.as_bytes()))))
    }

    fn user_paths(users: &DefinitionUsers, home: &str, name: &str) -> Vec<String> {
        users.users_of(&repo_path(home), name).map(ToString::to_string).collect()
    }

    #[test]
    fn users_come_and_go_with_what_a_turn_changes() {
        let mut users = DefinitionUsers::default();
        let a = fresh_file("p/a.py", "def f():\n    pass\n");
        let b = fresh_file("p/b.py", "from .a import f\nf()\n");

        let first = users.update_files(&[a.clone(), b.clone()]);
        assert_eq!(
            (first.len(), user_paths(&users, "p/a.py", "f")),
            (2, vec!["p/b.py".to_owned()])
        );
        assert_eq!(users.used_by(&repo_path("p/b.py")).count(), 1);

        let second = users.update_files(&[fresh_file("p/b.py", "x = 1\n")]);
        assert_eq!(second.len(), 2, "who lost a user is told too");
        assert_eq!(user_paths(&users, "p/a.py", "f"), [""; 0]);

        users.update_files(&[b, (repo_path("p/a.py"), None)]);
        assert_eq!(user_paths(&users, "p/a.py", "f"), [""; 0]);
        users.update_files(&[a]);
        assert_eq!(user_paths(&users, "p/a.py", "f"), ["p/b.py"]);
    }

    #[test]
    fn a_method_is_used_through_any_object_while_no_other_class_has_its_name() {
        let mut users = DefinitionUsers::default();
        let a = fresh_file("a.py", "class A:\n    def snr(self): pass\n");
        let other = fresh_file("c.py", "class C:\n    def snr(self): pass\n");
        users.update_files(&[a, fresh_file("b.py", "def f(x):\n    return x.snr()\n")]);
        assert_eq!(user_paths(&users, "a.py", "A.snr"), ["b.py"]);

        users.update_files(&[other]);
        assert_eq!(user_paths(&users, "a.py", "A.snr"), [""; 0]);
        assert_eq!(users.used_by(&repo_path("b.py")).count(), 0);

        users.update_files(&[(repo_path("c.py"), None)]);
        assert_eq!(user_paths(&users, "a.py", "A.snr"), ["b.py"]);
    }

    #[test]
    fn a_name_that_a_package_passes_on_is_used_through_it() {
        let mut users = DefinitionUsers::default();
        let a = fresh_file("p/q/a.py", "def f():\n    pass\n");
        let init = fresh_file("p/r/__init__.py", "from p.q.a import f\n");
        let user = fresh_file("m.py", "from p.r import f\nf()\n");
        users.update_files(&[a, user]);
        assert_eq!(user_paths(&users, "p/q/a.py", "f"), [""; 0]);

        users.update_files(&[init]);

        assert_eq!(user_paths(&users, "p/q/a.py", "f"), ["m.py"]);
    }
}
