//! The imports at module level, read as `scb-check` reads them.

use std::collections::HashMap;
use trajview_code::flat::Flat;

use super::text_of;

/// What local names stand for.
#[derive(Debug, Default)]
pub struct Imports {
    names: HashMap<String, String>,
}

impl Imports {
    pub fn of(text: &str, flat: &Flat<'_>) -> Self {
        let mut imports = Self::default();
        for statement in flat.children(0) {
            match flat.kind(statement) {
                "import_statement" => imports.add(text, flat, statement, None),
                "import_from_statement" => {
                    // After `from .` the first name is one that is imported; that tool takes it for the module.
                    let module = flat.child_of_kind(statement, "dotted_name");
                    imports.add(text, flat, statement, Some(module));
                }
                _ => {}
            }
        }
        imports
    }

    /// `from` is None for `import`, and Some of the module, if it has a name, for `from`.
    fn add(&mut self, text: &str, flat: &Flat<'_>, statement: usize, from: Option<Option<usize>>) {
        let module = from.flatten().map(|at| text_of(text, flat, at));
        let below =
            |name: &str| module.map_or(name.to_owned(), |module| format!("{module}.{name}"));
        for child in flat.children(statement).filter(|&child| from.flatten() != Some(child)) {
            let name = text_of(text, flat, child);
            match flat.kind(child) {
                "dotted_name" if from.is_some() => self.put(name, below(name)),
                "dotted_name" => self.put(name.split('.').next().unwrap_or(name), name.to_owned()),
                "aliased_import" => {
                    if let Some((name, alias)) = alias(text, flat, child) {
                        self.put(alias, below(name));
                    }
                }
                _ => {}
            }
        }
    }

    fn put(&mut self, local: &str, stands_for: String) {
        self.names.insert(local.to_owned(), stands_for);
    }

    /// A dotted name with its first part replaced by what it stands for.
    pub fn resolve(&self, name: &str) -> String {
        let root = name.split('.').next().unwrap_or(name);
        let stands_for = self.names.get(root).map_or(root, String::as_str);
        format!("{stands_for}{}", &name[root.len()..])
    }
}

/// The name and the alias of `name as alias`.
fn alias<'a>(text: &'a str, flat: &Flat<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    let is_name = |&child: &usize| matches!(flat.kind(child), "dotted_name" | "identifier");
    let names: Vec<usize> = flat.children(at).filter(is_name).collect();
    match names[..] {
        [first, .., last] => Some((text_of(text, flat, first), text_of(text, flat, last))),
        _ => None,
    }
}
