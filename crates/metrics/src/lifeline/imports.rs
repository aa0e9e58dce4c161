//! Reads the names that an import statement brings into a file.

use super::file_facts::ImportedName;
use trajview_code::flat_tree::FlatTree;
use trajview_code::tree::Grammar;

/// Returns the names of the import statement at an entry; empty for languages whose imports are not read.
pub(super) fn imported_names(
    text: &str,
    flat: &FlatTree<'_>,
    at: usize,
    grammar: Grammar,
) -> Vec<ImportedName> {
    let reader = ImportReader { text, flat };
    match grammar {
        Grammar::Python => reader.python_imports(at),
        Grammar::JavaScript | Grammar::Tsx | Grammar::TypeScript => reader.script_imports(at),
        Grammar::Rust => reader.rust_imports(at),
        Grammar::C
        | Grammar::Cpp
        | Grammar::Go
        | Grammar::Haskell
        | Grammar::Java
        | Grammar::Zig => vec![],
    }
}

struct ImportReader<'a> {
    text: &'a str,
    flat: &'a FlatTree<'a>,
}

impl ImportReader<'_> {
    fn text_of(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    fn python_imports(&self, at: usize) -> Vec<ImportedName> {
        let mut children = self.flat.named_children(at);
        let is_from = self.flat.kind_name(at) == "import_from_statement";
        let module = if is_from { children.next() } else { None };
        let module = module.map(|it| module_parts(self.text_of(it), '.'));
        children.filter_map(|child| self.python_name(child, module.clone())).collect()
    }

    fn python_name(&self, at: usize, module: Option<Vec<Box<str>>>) -> Option<ImportedName> {
        let (name, alias) = match self.flat.kind_name(at) {
            "aliased_import" => {
                let mut both = self.flat.named_children(at);
                let name = self.text_of(both.next()?);
                (name, both.next().map_or(name, |alias| self.text_of(alias)))
            }
            "wildcard_import" => ("*", "*"),
            "dotted_name" => (self.text_of(at), self.text_of(at)),
            _ => return None,
        };
        Some(match module {
            Some(module) => ImportedName { module, name: Some(name.into()), alias: alias.into() },
            None => {
                ImportedName { module: module_parts(name, '.'), name: None, alias: alias.into() }
            }
        })
    }

    fn script_imports(&self, at: usize) -> Vec<ImportedName> {
        let node = self.flat.node(at);
        let Some(source) = node.child_by_field_name("source") else { return vec![] };
        let source = self.text.get(source.byte_range()).unwrap_or_default();
        let module = script_module(source);
        let import = |name: Option<&str>, alias: &str| ImportedName {
            module: module.clone(),
            name: name.map(Into::into),
            alias: alias.into(),
        };
        let mut all = vec![];
        let after = self.flat.entries[at].after as usize;
        for at in at..after {
            match self.flat.kind_name(at) {
                "import_specifier" => {
                    let mut both = self.flat.named_children(at).map(|it| self.text_of(it));
                    let name = both.next().unwrap_or_default();
                    all.push(import(Some(name), both.next().unwrap_or(name)));
                }
                "namespace_import" => {
                    let alias = self.flat.named_children(at).next();
                    all.extend(alias.map(|alias| import(None, self.text_of(alias))));
                }
                "import_clause" => {
                    let default = self.flat.named_children(at).next();
                    let default = default.filter(|&it| self.flat.kind_name(it) == "identifier");
                    // A default export has whatever name the importing file gives it.
                    all.extend(default.map(|it| import(Some(self.text_of(it)), self.text_of(it))));
                }
                _ => {}
            }
        }
        all
    }

    /// Walks the tree of a `use`, with the path so far.
    fn rust_imports(&self, at: usize) -> Vec<ImportedName> {
        let mut all = vec![];
        let first = self
            .flat
            .named_children(at)
            .filter(|&it| self.flat.kind_name(it) != "visibility_modifier");
        let mut open: Vec<(usize, Vec<Box<str>>)> = first.map(|it| (it, vec![])).collect();
        while let Some((at, path)) = open.pop() {
            let mut children = self.flat.named_children(at);
            match self.flat.kind_name(at) {
                "scoped_use_list" => {
                    let (Some(below), Some(list)) = (children.next(), children.next()) else {
                        continue;
                    };
                    let path = [path, module_parts(self.text_of(below), ':')].concat();
                    open.extend(self.flat.named_children(list).map(|it| (it, path.clone())));
                }
                "use_list" => open.extend(children.map(|it| (it, path.clone()))),
                "use_wildcard" => {
                    let below = children.next().map(|it| module_parts(self.text_of(it), ':'));
                    let module = [path, below.unwrap_or_default()].concat();
                    all.push(ImportedName { module, name: Some("*".into()), alias: "*".into() });
                }
                "use_as_clause" => {
                    let (Some(name), Some(alias)) = (children.next(), children.next()) else {
                        continue;
                    };
                    all.extend(rust_name(path, self.text_of(name), Some(self.text_of(alias))));
                }
                _ => all.extend(rust_name(path, self.text_of(at), None)),
            }
        }
        all
    }
}

fn rust_name(path: Vec<Box<str>>, words: &str, alias: Option<&str>) -> Option<ImportedName> {
    let mut module = [path, module_parts(words, ':')].concat();
    let name = if words == "self" { module.last().cloned()? } else { module.pop()? };
    let alias = alias.map_or_else(|| name.clone(), Into::into);
    Some(ImportedName { module, name: Some(name), alias })
}

/// Splits a module's name into its parts, without the parts that only set the start (`crate`, `self`, `super`).
fn module_parts(words: &str, between: char) -> Vec<Box<str>> {
    let named = words.split(between).map(str::trim);
    named.filter(|part| !matches!(*part, "" | "crate" | "self" | "super")).map(Into::into).collect()
}

/// Returns the parts of a module's path. A third-party package has no file here; its name stays, so that it is not
/// taken for a module of the project.
fn script_module(source: &str) -> Vec<Box<str>> {
    let bare = source.trim_matches(|c| matches!(c, '"' | '\'' | '`'));
    let bare = ["ts", "tsx", "js", "jsx", "mjs"]
        .iter()
        .find_map(|end| bare.strip_suffix(&format!(".{end}")))
        .unwrap_or(bare);
    let named = bare.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "@" | "~"));
    named.map(Into::into).collect()
}
