//! The sources of the program as syntax trees: which file defines what, and what each file names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// Where a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Module(usize),
    /// An item of this module.
    Item(usize, String),
    /// Out of the program: the whole path.
    Outside(Vec<String>),
}

/// A module: a file, or a block of one.
#[derive(Debug, Default)]
struct Module {
    path: Vec<String>,
    file: usize,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    /// Names that `use` gives to something else.
    aliases: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
}

/// The modules that are a crate each: `run` is `crates/run/src`. Others are in `crates/tui/src` or in `src`.
pub const CRATES: [&str; 11] = [
    "figures", "code", "run", "formats", "metrics", "study", "layers", "store", "analysis",
    "judge", "live",
];

/// One file: what it imports and what it names out of the program.
#[derive(Debug)]
pub struct File {
    /// With slashes, from the name of its module: `run/files.rs` is `crates/run/src/files.rs`.
    pub path: String,
    /// The files whose items it names.
    pub imports: BTreeSet<usize>,
    /// Paths out of the program: `std::fs::read`.
    pub outside: BTreeSet<String>,
    /// Attributes at its top, without spaces.
    pub attributes: Vec<String>,
}

impl File {
    /// The module of the program that it is in, or its own name.
    pub fn layer(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }

    /// The folder below `views` that it is in.
    pub fn view(&self) -> Option<&str> {
        let (view, _) = self.path.strip_prefix("views/")?.split_once('/')?;
        Some(view)
    }
}

/// All sources, without what is compiled for tests alone.
pub struct Program {
    pub files: Vec<File>,
}

impl Program {
    /// Of the folder of the project.
    pub fn read(project: &Path) -> Self {
        Self::of(sources(project).into_iter().filter(|(name, _)| !is_test_file(name)))
    }

    /// Of sources by their paths.
    pub fn of(sources: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut reader = Reader::default();
        let trees: Vec<(String, syn::File)> = sources
            .into_iter()
            .map(|(name, text)| {
                let tree = syn::parse_file(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
                (name, tree)
            })
            .collect();
        let homes: Vec<usize> = trees.iter().map(|(name, _)| reader.module_of(name)).collect();
        for (file, (_, tree)) in trees.iter().enumerate() {
            reader.modules[homes[file]].file = file;
            reader.declare(homes[file], &tree.items);
        }
        let mut files = vec![];
        for (file, (name, tree)) in trees.iter().enumerate() {
            let mut names = Names { reader: &reader, module: homes[file], found: vec![] };
            names.visit_file(tree);
            let found = names.found;
            files.push(reader.file(file, name, &tree.attrs, found));
        }
        Self { files }
    }
}

/// Every file with what it holds, by the name of its module: that of its crate is no longer part of it.
pub fn sources(project: &Path) -> Vec<(String, String)> {
    let mut found = vec![];
    for (folder, module) in homes(project) {
        let mut paths = vec![];
        find(&folder, &mut paths);
        // The libraries' names in the program, and the list of the screen's modules.
        paths.retain(|path| !module.is_empty() || *path != folder.join("lib.rs"));
        found.extend(paths.iter().map(|path| {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
            let name = match module.as_str() {
                "" => name,
                module if name == "lib.rs" => format!("{module}/mod.rs"),
                module => format!("{module}/{name}"),
            };
            (name, fs::read_to_string(path).unwrap())
        }));
    }
    found.sort();
    found
}

/// The folders of sources, each with the module that it is; no name where its folders are modules themselves.
fn homes(project: &Path) -> Vec<(PathBuf, String)> {
    let single = CRATES.map(|name| (project.join("crates").join(name).join("src"), name.into()));
    let mut all = vec![(project.join("src"), String::new())];
    all.push((project.join("crates/tui/src"), String::new()));
    all.extend(single);
    all
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Tests may name anything: those in a file or folder called `tests`, and those in a block.
fn is_test_file(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "tests.rs"))
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let words = list.tokens.to_string().replace(' ', "");
        list.path.is_ident("cfg") && (words == "test" || words.starts_with("all(test"))
    })
}

fn words_of(path: &syn::Path) -> Vec<String> {
    let outside = path.leading_colon.as_ref().map(|_| String::new());
    let words = path.segments.iter().map(|segment| segment.ident.to_string());
    outside.into_iter().chain(words).collect()
}

/// One `use`: what is named, and as what; no name for all there is.
fn uses(tree: &syn::UseTree, before: &[String], found: &mut Vec<(Vec<String>, Option<String>)>) {
    let with = |ident: &syn::Ident| {
        let mut path = before.to_vec();
        if ident != "self" || before.is_empty() {
            path.push(ident.to_string());
        }
        path
    };
    match tree {
        syn::UseTree::Path(path) => uses(&path.tree, &with(&path.ident), found),
        syn::UseTree::Name(name) => {
            let path = with(&name.ident);
            let last = path.last().cloned();
            found.push((path, last));
        }
        syn::UseTree::Rename(rename) => {
            found.push((with(&rename.ident), Some(rename.rename.to_string())))
        }
        syn::UseTree::Glob(_) => found.push((before.to_vec(), None)),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| uses(tree, before, found)),
    }
}

fn uses_of(item: &syn::ItemUse) -> Vec<(Vec<String>, Option<String>)> {
    let mut found = vec![];
    let before: Vec<String> =
        item.leading_colon.as_ref().map(|_| String::new()).into_iter().collect();
    uses(&item.tree, &before, &mut found);
    found
}

#[derive(Default)]
struct Reader {
    modules: Vec<Module>,
}

impl Reader {
    /// The module that a file is: `a/b.rs` and `a/b/mod.rs` are `a::b`. Those above it are made too.
    fn module_of(&mut self, file: &str) -> usize {
        let name = file.trim_end_matches(".rs").trim_end_matches("/mod");
        let words: Vec<&str> = name.split('/').filter(|word| *word != "lib").collect();
        if self.modules.is_empty() {
            self.modules.push(Module { file: usize::MAX, ..Module::default() });
        }
        words.iter().fold(0, |module, word| self.child(module, word))
    }

    fn child(&mut self, module: usize, name: &str) -> usize {
        if let Some(&child) = self.modules[module].children.get(name) {
            return child;
        }
        let path = [&self.modules[module].path[..], &[name.to_owned()]].concat();
        let (child, file) = (self.modules.len(), self.modules[module].file);
        self.modules.push(Module { path, file, ..Module::default() });
        self.modules[module].children.insert(name.to_owned(), child);
        child
    }

    fn declare(&mut self, module: usize, items: &[syn::Item]) {
        for item in items.iter().filter(|item| !is_for_tests(attributes(item))) {
            if let syn::Item::Mod(block) = item {
                if let Some((_, items)) = &block.content {
                    let child = self.child(module, &block.ident.to_string());
                    self.modules[child].file = self.modules[module].file;
                    self.declare(child, items);
                }
            } else if let syn::Item::Use(item) = item {
                for (path, name) in uses_of(item) {
                    match name {
                        Some(name) => drop(self.modules[module].aliases.insert(name, path)),
                        None => self.modules[module].globs.push(path),
                    }
                }
            } else if let Some(name) = name_of(item) {
                self.modules[module].items.insert(name);
            }
        }
    }

    /// What a path leads to that stands in a module.
    fn resolve(&self, module: usize, path: &[String], depth: usize) -> Option<Named> {
        let first = path.first()?;
        match first.as_str() {
            _ if depth > 16 => None,
            "" => Some(Named::Outside(path[1..].to_vec())),
            "trajview" | "trajview_tui" => self.walk(0, &path[1..], depth),
            "crate" | "$crate" => self.walk(self.top(module), &path[1..], depth),
            "self" => self.walk(module, &path[1..], depth),
            "super" => self.walk(self.above(module), &path[1..], depth),
            name if self.crate_called(name).is_some() => {
                self.walk(self.crate_called(name)?, &path[1..], depth)
            }
            _ => self
                .walk_known(module, path, depth)
                .or_else(|| (path.len() > 1).then(|| Named::Outside(path.to_vec()))),
        }
    }

    /// What `crate` is to a module.
    fn top(&self, module: usize) -> usize {
        let name = self.modules[module].path.first().filter(|name| CRATES.contains(&name.as_str()));
        name.and_then(|name| self.modules[0].children.get(name)).copied().unwrap_or(0)
    }

    /// `trajview_run`
    fn crate_called(&self, name: &str) -> Option<usize> {
        let name = name.strip_prefix("trajview_").filter(|name| CRATES.contains(name))?;
        self.modules[0].children.get(name).copied()
    }

    fn above(&self, module: usize) -> usize {
        let path = &self.modules[module].path;
        let above = &path[..path.len().saturating_sub(1)];
        self.modules.iter().position(|module| module.path == above).unwrap_or(0)
    }

    /// As [`Self::walk_known`]; what is not known there is an item that a macro makes.
    fn walk(&self, module: usize, path: &[String], depth: usize) -> Option<Named> {
        match path.first().map(String::as_str) {
            None => Some(Named::Module(module)),
            Some("super") => self.walk(self.above(module), &path[1..], depth),
            Some(name) => self
                .walk_known(module, path, depth)
                .or_else(|| Some(Named::Item(module, name.to_owned()))),
        }
    }

    fn walk_known(&self, module: usize, path: &[String], depth: usize) -> Option<Named> {
        let (name, rest) = path.split_first()?;
        let here = &self.modules[module];
        if here.items.contains(name) {
            return Some(Named::Item(module, name.clone()));
        }
        if let Some(alias) = here.aliases.get(name) {
            // `use glob::glob` names another thing than itself.
            if alias != path || rest.is_empty() && alias.len() > 1 {
                return match self.resolve(module, alias, depth + 1)? {
                    Named::Module(other) => self.walk(other, rest, depth + 1),
                    Named::Outside(path) => Some(Named::Outside([&path, rest].concat())),
                    item => Some(item),
                };
            }
        }
        if let Some(&child) = here.children.get(name) {
            return self.walk(child, rest, depth);
        }
        here.globs.iter().find_map(|glob| match self.resolve(module, glob, depth + 1)? {
            Named::Module(other) if other != module => self.walk_known(other, path, depth + 1),
            _ => None,
        })
    }

    fn file(
        &self,
        file: usize,
        path: &str,
        attributes: &[syn::Attribute],
        found: Vec<Named>,
    ) -> File {
        let mut imports = BTreeSet::new();
        let mut outside = BTreeSet::new();
        for named in found {
            match named {
                Named::Item(module, _) => drop(imports.insert(self.modules[module].file)),
                Named::Outside(path) => drop(outside.insert(path.join("::"))),
                Named::Module(_) => {}
            }
        }
        imports.remove(&file);
        imports.remove(&usize::MAX);
        let attributes = attributes.iter().map(|attribute| match &attribute.meta {
            syn::Meta::List(list) => {
                format!("{}({})", words_of(&list.path).join("::"), list.tokens).replace(' ', "")
            }
            other => words_of(other.path()).join("::"),
        });
        File { path: path.to_owned(), imports, outside, attributes: attributes.collect() }
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Collects what a file names.
struct Names<'a> {
    reader: &'a Reader,
    module: usize,
    found: Vec<Named>,
}

impl Names<'_> {
    fn name(&mut self, path: &[String]) {
        self.found.extend(self.reader.resolve(self.module, path, 0));
    }

    /// What stands in a macro is not parsed: words with `::` between are taken for paths.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons): (Vec<String>, usize) = (vec![], 0);
        for token in tokens {
            match token {
                TokenTree::Ident(word) if colons == 2 => path.push(word.to_string()),
                TokenTree::Ident(word) => self.end(&mut path, Some(word.to_string())),
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.end(&mut path, None);
                    self.tokens(group.stream());
                }
                _ => self.end(&mut path, None),
            }
            colons = 0;
        }
        self.end(&mut path, None);
    }

    fn end(&mut self, path: &mut Vec<String>, next: Option<String>) {
        let ended = std::mem::replace(path, next.into_iter().collect());
        if ended.len() > 1 {
            self.name(&ended);
        }
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let within = &self.reader.modules[self.module].children;
        if let (Some(_), Some(&child)) = (&item.content, within.get(&item.ident.to_string())) {
            let outer = std::mem::replace(&mut self.module, child);
            visit::visit_item_mod(self, item);
            self.module = outer;
        }
    }

    /// A re-export is no import: who names the item through it imports the file that defines it.
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_private = matches!(item.vis, syn::Visibility::Inherited);
        for (path, name) in uses_of(item) {
            let named = self.reader.resolve(self.module, &path, 0);
            let is_outside = matches!(named, Some(Named::Outside(_)) | None);
            if is_outside {
                self.found.push(Named::Outside(path));
            } else if is_private && name.is_some() {
                self.found.extend(named);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.name(&words_of(path));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
