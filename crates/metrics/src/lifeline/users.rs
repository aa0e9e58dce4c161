//! Who uses what the files define, kept from turn to turn: what a turn changed is all that is looked at again.
//!
//! That is what stands at the top of files, and methods whose name no other class has: those are known through any object.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    chains::Place,
    facts::{Definition, FileFacts, Kind},
    snapshot::{File, Snapshot},
};
use trajview_run::RepoPath;

/// A file with its facts as they are now; None where it is gone, or holds no code that counts.
pub type Fresh = (RepoPath, Option<std::sync::Arc<FileFacts>>);

/// The users of classes, functions and values at the top of files, and of methods. Only files that are no tests count.
#[derive(Debug)]
pub struct Users {
    snapshot: Snapshot,
    /// The files that mention each word.
    mentions: HashMap<Box<str>, BTreeSet<RepoPath>>,
    /// The files that define each name at their top.
    defined: HashMap<Box<str>, BTreeSet<RepoPath>>,
    /// The methods of each name.
    methods: HashMap<Box<str>, BTreeSet<Place>>,
    users: HashMap<Place, BTreeSet<RepoPath>>,
    used: HashMap<RepoPath, BTreeSet<Place>>,
}

impl Default for Users {
    fn default() -> Self {
        Self {
            snapshot: Snapshot::indexed(),
            mentions: HashMap::new(),
            defined: HashMap::new(),
            methods: HashMap::new(),
            users: HashMap::new(),
            used: HashMap::new(),
        }
    }
}

impl Users {
    /// Takes in what changed, each file once. Gives the files whose definitions got or lost a user, and those that changed and
    /// are still there.
    pub fn go_on(&mut self, changed: &[Fresh]) -> BTreeSet<RepoPath> {
        let mut touched = BTreeSet::new();
        // Names that a changed file passes on under a module of its own, before or after.
        let mut passed_on: BTreeSet<Box<str>> = BTreeSet::new();
        let mut shared: BTreeSet<Box<str>> = BTreeSet::new();
        for (path, facts) in changed {
            let before = self.snapshot.files.get(path).map(|file| file.facts.clone());
            shared.extend(before.iter().chain(facts).flat_map(|facts| methods(facts)).map(simple));
            passed_on.extend(self.take_out(path, &mut touched));
            if let Some(facts) = facts {
                self.snapshot.insert(path, File::new(path, facts.clone()));
                passed_on.extend(imported(facts));
                touched.insert(path.clone());
            }
        }
        for (path, facts) in changed {
            let Some(facts) = facts else { continue };
            for word in facts.words().collect::<HashSet<_>>() {
                self.mentions.entry(word.into()).or_default().insert(path.clone());
            }
            for definition in tops(facts) {
                self.defined.entry(definition.name.clone()).or_default().insert(path.clone());
            }
            for method in methods(facts) {
                let place = Place { path: path.clone(), name: method.name.clone() };
                self.methods.entry(simple(method)).or_default().insert(place);
            }
        }
        for (path, facts) in changed {
            let Some(facts) = facts else { continue };
            for definition in tops(facts) {
                let place = Place { path: path.clone(), name: definition.name.clone() };
                self.look_again(place, &mut touched);
            }
            for word in facts.words().collect::<HashSet<_>>() {
                for home in self.defined.get(word).cloned().unwrap_or_default() {
                    let place = Place { path: home, name: word.into() };
                    self.look_at(&place, path, &mut touched);
                }
                if let Some(method) = self.only_method(word) {
                    self.look_at(&method, path, &mut touched);
                }
            }
        }
        for name in passed_on {
            for home in self.defined.get(&name).cloned().unwrap_or_default() {
                self.look_again(Place { path: home, name: name.clone() }, &mut touched);
            }
        }
        for name in shared {
            match self.only_method(&name) {
                Some(method) => self.look_again(method, &mut touched),
                None => self.forget_users(&name, &mut touched),
            }
        }
        touched.retain(|path| self.snapshot.files.contains_key(path));
        touched
    }

    /// The files that use a definition, by its dotted name, its own file aside; by path.
    pub fn of(&self, path: &RepoPath, name: &str) -> impl Iterator<Item = &RepoPath> {
        let place = Place { path: path.clone(), name: name.into() };
        self.users.get(&place).into_iter().flatten()
    }

    /// What a file uses of others, by path and name.
    pub fn used_by(&self, path: &RepoPath) -> impl Iterator<Item = &Place> {
        self.used.get(path).into_iter().flatten()
    }

    /// The files that define a name at their top, by path.
    pub fn defining(&self, name: &str) -> impl Iterator<Item = &RepoPath> {
        self.defined.get(name).into_iter().flatten()
    }

    /// Forgets a file; gives the names that it imported.
    fn take_out(&mut self, path: &RepoPath, touched: &mut BTreeSet<RepoPath>) -> Vec<Box<str>> {
        let Some(file) = self.snapshot.remove(path) else { return vec![] };
        for word in file.facts.words() {
            if let Some(files) = self.mentions.get_mut(word) {
                files.remove(path);
            }
        }
        for definition in &file.facts.definitions {
            if let Some(homes) = self.defined.get_mut(&definition.name) {
                homes.remove(path);
            }
            let place = Place { path: path.clone(), name: definition.name.clone() };
            if let Some(places) = self.methods.get_mut(definition.simple()) {
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
        imported(&file.facts)
    }

    /// The method of a name that no other class has.
    fn only_method(&self, name: &str) -> Option<Place> {
        let places = self.methods.get(name)?;
        places.first().filter(|_| places.len() == 1).cloned()
    }

    /// Of methods whose name another class has as well.
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

    fn look_again(&mut self, place: Place, touched: &mut BTreeSet<RepoPath>) {
        let mentioning = self.mentions.get(place.simple()).cloned().unwrap_or_default();
        for path in mentioning {
            self.look_at(&place, &path, touched);
        }
    }

    /// Whether a file uses a definition, noted on both sides.
    fn look_at(&mut self, place: &Place, path: &RepoPath, touched: &mut BTreeSet<RepoPath>) {
        if place.path == *path {
            return;
        }
        let uses = self.snapshot.uses_in(&place.path, &place.name, path);
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

fn tops(facts: &FileFacts) -> impl Iterator<Item = &Definition> {
    facts.definitions.iter().filter(|definition| definition.owner.is_none())
}

/// Methods that code names, in order.
fn methods(facts: &FileFacts) -> impl Iterator<Item = &Definition> {
    let is_method = |it: &&Definition| {
        let owner = it.owner.and_then(|at| facts.definitions.get(at as usize));
        owner.is_some_and(|owner| owner.kind == Kind::Class) && !it.simple().starts_with("__")
    };
    facts.definitions.iter().filter(is_method)
}

fn simple(definition: &Definition) -> Box<str> {
    definition.simple().into()
}

fn imported(facts: &FileFacts) -> Vec<Box<str>> {
    facts.imports.iter().filter_map(|import| import.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lifeline;
    use trajview_code::tree::Grammar;

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    fn fresh(name: &str, text: &str) -> Fresh {
        (path(name), Some(Arc::new(lifeline::facts(Grammar::Python, text.as_bytes()))))
    }

    fn of(users: &Users, home: &str, name: &str) -> Vec<String> {
        users.of(&path(home), name).map(ToString::to_string).collect()
    }

    #[test]
    fn users_come_and_go_with_what_a_turn_changes() {
        let mut users = Users::default();
        let a = fresh("p/a.py", "def f():\n    pass\n");
        let b = fresh("p/b.py", "from .a import f\nf()\n");

        let first = users.go_on(&[a.clone(), b.clone()]);
        assert_eq!((first.len(), of(&users, "p/a.py", "f")), (2, vec!["p/b.py".to_owned()]));
        assert_eq!(users.used_by(&path("p/b.py")).count(), 1);

        let second = users.go_on(&[fresh("p/b.py", "x = 1\n")]);
        assert_eq!(second.len(), 2, "who lost a user is told too");
        assert_eq!(of(&users, "p/a.py", "f"), [""; 0]);

        users.go_on(&[b, (path("p/a.py"), None)]);
        assert_eq!(of(&users, "p/a.py", "f"), [""; 0]);
        users.go_on(&[a]);
        assert_eq!(of(&users, "p/a.py", "f"), ["p/b.py"]);
    }

    #[test]
    fn a_method_is_used_through_any_object_while_no_other_class_has_its_name() {
        let mut users = Users::default();
        let a = fresh("a.py", "class A:\n    def snr(self): pass\n");
        let other = fresh("c.py", "class C:\n    def snr(self): pass\n");
        users.go_on(&[a, fresh("b.py", "def f(x):\n    return x.snr()\n")]);
        assert_eq!(of(&users, "a.py", "A.snr"), ["b.py"]);

        users.go_on(&[other]);
        assert_eq!(of(&users, "a.py", "A.snr"), [""; 0]);
        assert_eq!(users.used_by(&path("b.py")).count(), 0);

        users.go_on(&[(path("c.py"), None)]);
        assert_eq!(of(&users, "a.py", "A.snr"), ["b.py"]);
    }

    #[test]
    fn a_name_that_a_package_passes_on_is_used_through_it() {
        let mut users = Users::default();
        let a = fresh("p/q/a.py", "def f():\n    pass\n");
        let init = fresh("p/r/__init__.py", "from p.q.a import f\n");
        let user = fresh("m.py", "from p.r import f\nf()\n");
        users.go_on(&[a, user]);
        assert_eq!(of(&users, "p/q/a.py", "f"), [""; 0]);

        users.go_on(&[init]);

        assert_eq!(of(&users, "p/q/a.py", "f"), ["m.py"]);
    }
}
