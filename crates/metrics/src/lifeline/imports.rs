//! What an import statement brings, and what it is called.

use super::facts::Import;
use trajview_code::flat::Flat;
use trajview_code::tree::Grammar;

/// The names of the statement at an entry. Empty for languages whose imports are not read.
pub(super) fn of(text: &str, flat: &Flat<'_>, at: usize, grammar: Grammar) -> Vec<Import> {
    let reader = Reader { text, flat };
    match grammar {
        Grammar::Python => reader.python(at),
        Grammar::JavaScript | Grammar::Tsx | Grammar::TypeScript => reader.script(at),
        Grammar::Rust => reader.rust(at),
        Grammar::C
        | Grammar::Cpp
        | Grammar::Go
        | Grammar::Haskell
        | Grammar::Java
        | Grammar::Zig => vec![],
    }
}

struct Reader<'a> {
    text: &'a str,
    flat: &'a Flat<'a>,
}

impl Reader<'_> {
    fn text_of(&self, at: usize) -> &str {
        self.text.get(self.flat.node(at).byte_range()).unwrap_or_default()
    }

    fn python(&self, at: usize) -> Vec<Import> {
        let mut children = self.flat.named_children(at);
        let is_from = self.flat.kind(at) == "import_from_statement";
        let module = if is_from { children.next() } else { None };
        let module = module.map(|it| parts(self.text_of(it), '.'));
        children.filter_map(|child| self.python_name(child, module.clone())).collect()
    }

    fn python_name(&self, at: usize, module: Option<Vec<Box<str>>>) -> Option<Import> {
        let (name, alias) = match self.flat.kind(at) {
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
            Some(module) => Import { module, name: Some(name.into()), alias: alias.into() },
            None => Import { module: parts(name, '.'), name: None, alias: alias.into() },
        })
    }

    fn script(&self, at: usize) -> Vec<Import> {
        let node = self.flat.node(at);
        let Some(source) = node.child_by_field_name("source") else { return vec![] };
        let source = self.text.get(source.byte_range()).unwrap_or_default();
        let module = script_module(source);
        let import = |name: Option<&str>, alias: &str| Import {
            module: module.clone(),
            name: name.map(Into::into),
            alias: alias.into(),
        };
        let mut all = vec![];
        let after = self.flat.entries[at].after as usize;
        for at in at..after {
            match self.flat.kind(at) {
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
                    let default = default.filter(|&it| self.flat.kind(it) == "identifier");
                    // A default export has whatever name the importing file gives it.
                    all.extend(default.map(|it| import(Some(self.text_of(it)), self.text_of(it))));
                }
                _ => {}
            }
        }
        all
    }

    /// Walks the tree of a `use`, with the path so far.
    fn rust(&self, at: usize) -> Vec<Import> {
        let mut all = vec![];
        let first =
            self.flat.named_children(at).filter(|&it| self.flat.kind(it) != "visibility_modifier");
        let mut open: Vec<(usize, Vec<Box<str>>)> = first.map(|it| (it, vec![])).collect();
        while let Some((at, path)) = open.pop() {
            let mut children = self.flat.named_children(at);
            match self.flat.kind(at) {
                "scoped_use_list" => {
                    let (Some(below), Some(list)) = (children.next(), children.next()) else {
                        continue;
                    };
                    let path = [path, parts(self.text_of(below), ':')].concat();
                    open.extend(self.flat.named_children(list).map(|it| (it, path.clone())));
                }
                "use_list" => open.extend(children.map(|it| (it, path.clone()))),
                "use_wildcard" => {
                    let below = children.next().map(|it| parts(self.text_of(it), ':'));
                    let module = [path, below.unwrap_or_default()].concat();
                    all.push(Import { module, name: Some("*".into()), alias: "*".into() });
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

fn rust_name(path: Vec<Box<str>>, words: &str, alias: Option<&str>) -> Option<Import> {
    let mut module = [path, parts(words, ':')].concat();
    let name = if words == "self" { module.last().cloned()? } else { module.pop()? };
    let alias = alias.map_or_else(|| name.clone(), Into::into);
    Some(Import { module, name: Some(name), alias })
}

/// Without what only says where to begin.
fn parts(words: &str, between: char) -> Vec<Box<str>> {
    let named = words.split(between).map(str::trim);
    named.filter(|part| !matches!(*part, "" | "crate" | "self" | "super")).map(Into::into).collect()
}

/// A package of others has no file here; its name is kept, so that it does not look like ours.
fn script_module(source: &str) -> Vec<Box<str>> {
    let bare = source.trim_matches(|c| matches!(c, '"' | '\'' | '`'));
    let bare = ["ts", "tsx", "js", "jsx", "mjs"]
        .iter()
        .find_map(|end| bare.strip_suffix(&format!(".{end}")))
        .unwrap_or(bare);
    let named = bare.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "@" | "~"));
    named.map(Into::into).collect()
}
