//! The imports at module level, read as `scb-check` reads them.

use std::collections::HashMap;
use trajview_code::flat_tree::FlatTree;

use super::text_of;

/// The meanings of local names.
#[derive(Debug, Default)]
pub struct ModuleImports {
    names: HashMap<String, String>,
}

impl ModuleImports {
    /// Reads the imports at module level.
    pub fn new(text: &str, flat: &FlatTree<'_>) -> Self {
        let mut imports = Self::default();
        for statement in flat.children(0) {
            match flat.kind_name(statement) {
                "import_statement" => imports.add_statement(text, flat, statement, None),
                "import_from_statement" => {
                    // After `from .` the first name is an imported one; that tool treats it as the module.
                    let module = flat.child_of_kind(statement, "dotted_name");
                    imports.add_statement(text, flat, statement, Some(module));
                }
                _ => {}
            }
        }
        imports
    }

    /// Adds the names of an import statement. `from` is None for `import`, and Some for `from`, with the module if it
    /// has a name.
    fn add_statement(
        &mut self,
        text: &str,
        flat: &FlatTree<'_>,
        statement: usize,
        from: Option<Option<usize>>,
    ) {
        let module = from.flatten().map(|at| text_of(text, flat, at));
        let below =
            |name: &str| module.map_or(name.to_owned(), |module| format!("{module}.{name}"));
        for child in flat.children(statement).filter(|&child| from.flatten() != Some(child)) {
            let name = text_of(text, flat, child);
            match flat.kind_name(child) {
                "dotted_name" if from.is_some() => self.bind_name(name, below(name)),
                "dotted_name" => {
                    self.bind_name(name.split('.').next().unwrap_or(name), name.to_owned())
                }
                "aliased_import" => {
                    if let Some((name, alias)) = name_and_alias(text, flat, child) {
                        self.bind_name(alias, below(name));
                    }
                }
                _ => {}
            }
        }
    }

    fn bind_name(&mut self, local: &str, stands_for: String) {
        self.names.insert(local.to_owned(), stands_for);
    }

    /// Returns a dotted name with its first part replaced by its meaning.
    pub(crate) fn resolve_name(&self, name: &str) -> String {
        let root = name.split('.').next().unwrap_or(name);
        let stands_for = self.names.get(root).map_or(root, String::as_str);
        format!("{stands_for}{}", &name[root.len()..])
    }
}

/// Returns the name and the alias of `name as alias`.
fn name_and_alias<'a>(text: &'a str, flat: &FlatTree<'_>, at: usize) -> Option<(&'a str, &'a str)> {
    let is_name = |&child: &usize| matches!(flat.kind_name(child), "dotted_name" | "identifier");
    let names: Vec<usize> = flat.children(at).filter(is_name).collect();
    match names[..] {
        [first, .., last] => Some((text_of(text, flat, first), text_of(text, flat, last))),
        _ => None,
    }
}
