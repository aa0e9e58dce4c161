//! How the memory follows the project: what a turn touched is read again, and with it only the edges of those files and of
//! the files that use a name which came, went or moved.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    catalogue::Catalogue,
    chunk::{self, Head, Id, Kind},
    graph::{Graph, Link},
    links::{Links, Modules},
};
use crate::project::{Change, ChangeKind, Project};
use trajview_metrics::{
    absence::terms,
    lifeline::{self, FileFacts, Place, Touch, Went, is_test, module_of, moves},
};
use trajview_run::RepoPath;

/// Chunks, edges and what is known of the files that they are from.
#[derive(Debug, Default)]
pub struct Index {
    pub catalogue: Catalogue,
    pub graph: Graph,
    files: BTreeMap<RepoPath, File>,
    modules: Modules,
}

#[derive(Debug, Default)]
struct File {
    facts: Option<Arc<FileFacts>>,
    /// Of tests and documents: the names in each chunk.
    words: Vec<(Id, BTreeSet<Box<str>>)>,
}

/// When something happened.
#[derive(Debug, Clone, Copy)]
pub struct When {
    /// Turns done with it.
    pub turn: usize,
    /// The chunk of the turn's request; None where it is not known which turn did it.
    pub request: Option<Id>,
}

/// What came and went in one update.
#[derive(Debug, Default)]
struct News {
    /// Last names of definitions that came, went or moved.
    names: BTreeSet<String>,
    /// The files to be linked again.
    files: BTreeSet<RepoPath>,
    taken_in: Vec<(Id, Place)>,
}

/// Bytes of files that are read for the words of their heads in one update.
const MOST_READ: usize = 8 << 20;

/// Definitions of one file that are chunks.
const MOST_OF_A_FILE: usize = 200;

/// Files whose definitions are followed through one turn by what they are made of.
const MOST_FOLLOWED: usize = 500;

/// Names that came or went above which all files are linked again.
const MOST_NAMES: usize = 200;

/// Names in one text that are kept.
const MOST_WORDS: usize = 2_000;

/// Reads files up to a bound.
struct Texts<'p> {
    project: &'p Project,
    left: usize,
}

impl Texts<'_> {
    fn read(&mut self, path: &RepoPath) -> Option<String> {
        if self.left == 0 {
            return None;
        }
        let text = self.project.text(path)?;
        self.left = self.left.saturating_sub(text.len());
        Some(text)
    }
}

impl Index {
    /// What the project has that the memory does not know, as changes.
    pub fn differences(&self, project: &Project) -> Vec<Change> {
        let mut found = vec![];
        for path in project.paths() {
            let kind = match self.files.get(path) {
                None => ChangeKind::Added,
                Some(file) if is_same(file.facts.as_ref(), project.facts(path)) => continue,
                Some(_) => ChangeKind::Changed,
            };
            found.push(Change { path: path.clone(), kind });
        }
        let deleted = |path: RepoPath| Change { path, kind: ChangeKind::Deleted };
        let gone = self.files.keys().filter(|path| !project.has(path));
        found.extend(gone.cloned().map(deleted));
        if self.files.is_empty() {
            // What was restored may be of files that are no more.
            let is_there = |head: &&Head| head.kind == Kind::File && head.gone.is_none();
            let files = self.catalogue.heads().map(|(_, head)| head).filter(is_there);
            found.extend(
                files.filter_map(Head::path).filter(|path| !project.has(path)).map(deleted),
            );
        }
        found
    }

    /// Takes in what changed.
    pub fn update(&mut self, project: &Project, changes: &[Change], when: When) {
        let mut news = News::default();
        let mut texts = Texts { project, left: MOST_READ };
        self.follow(project, changes, when, &mut news);
        for change in changes {
            let old = match &change.kind {
                ChangeKind::Renamed { from } => Some(from),
                ChangeKind::Deleted => Some(&change.path),
                ChangeKind::Added | ChangeKind::Changed => None,
            };
            if let Some(old) = old.filter(|old| !project.has(old)) {
                self.leave(old, when, &mut news);
            }
            if project.has(&change.path) {
                self.read(&mut texts, &change.path, when, &mut news);
            }
        }
        for (id, taker) in std::mem::take(&mut news.taken_in) {
            let taker = self.catalogue.by_key(&chunk::key(taker.path.as_str(), &taker.name));
            if let Some(taker) = taker.filter(|_| when.request.is_some()) {
                self.graph.add(id, taker, Link::DeprecatedBy, 1.0, when.turn);
            }
        }
        self.link(&news, when.turn);
    }

    /// Files and definitions that have another place or name stay what they are.
    fn follow(&mut self, project: &Project, changes: &[Change], when: When, news: &mut News) {
        for change in changes {
            let ChangeKind::Renamed { from } = &change.kind else { continue };
            let is_whole = |head: &Head| !head.is_symbol() && head.gone.is_none();
            let ids: Vec<Id> = self.catalogue.of_artifact(from.as_str()).collect();
            for id in ids {
                let Some(head) = self.catalogue.head(id).filter(|it| is_whole(it)).cloned() else {
                    continue;
                };
                self.rename(id, change.path.as_str(), &head.name, when);
            }
        }
        let before = |change: &Change| {
            let path = match &change.kind {
                ChangeKind::Renamed { from } => from,
                ChangeKind::Added | ChangeKind::Changed | ChangeKind::Deleted => &change.path,
            };
            Some((path.clone(), self.files.get(path)?.facts.clone()?))
        };
        let after =
            |change: &Change| Some((change.path.clone(), project.facts(&change.path)?.clone()));
        let touch = |change: &Change| Touch { before: before(change), after: after(change) };
        let touches: Vec<Touch> = changes.iter().map(touch).collect();
        if touches.len() > MOST_FOLLOWED || touches.iter().all(|it| it.before.is_none()) {
            return;
        }
        for (place, went) in moves(&touches) {
            let key = chunk::key(place.path.as_str(), &place.name);
            let Some(id) = self.catalogue.by_key(&key) else { continue };
            match went {
                Went::To(now) if now == place => {}
                Went::To(now) => {
                    news.names.extend([place.simple().to_owned(), now.simple().to_owned()]);
                    self.rename(id, now.path.as_str(), &now.name, when);
                }
                Went::Into(taker) => news.taken_in.push((id, taker)),
                Went::Away => {}
            }
        }
    }

    fn rename(&mut self, id: Id, artifact: &str, name: &str, when: When) {
        let Some(mut head) = self.catalogue.head(id).cloned() else { return };
        // What had the name before, and is gone, makes way.
        if let Some(other) = self.catalogue.by_key(&chunk::key(artifact, name))
            && other != id
            && let Some(mut old) = self.catalogue.head(other).cloned()
        {
            old.name = format!("{name} (until turn {})", old.gone.unwrap_or(when.turn));
            self.catalogue.replace(other, old);
        }
        head.formerly.push(head.key());
        head.touched = head.touched.max(when.turn);
        (head.artifact, head.name) = (artifact.to_owned(), name.to_owned());
        self.catalogue.replace(id, head);
    }

    /// A file is no longer there, nor what is left in it.
    fn leave(&mut self, path: &RepoPath, when: When, news: &mut News) {
        let ids: Vec<Id> = self.catalogue.of_artifact(path.as_str()).collect();
        ids.into_iter().for_each(|id| self.end(id, when, news));
        self.files.remove(path);
        self.register_module(path, false);
        news.names.insert(stem(path));
    }

    fn end(&mut self, id: Id, when: When, news: &mut News) {
        let Some(head) = self.catalogue.head(id).filter(|head| head.gone.is_none()) else { return };
        let head = Head { gone: Some(when.turn), touched: when.turn, ..head.clone() };
        news.names.insert(head.simple().to_owned());
        self.catalogue.replace(id, head);
        self.graph.set_structural(id, &[], when.turn);
        if let Some(request) = when.request {
            self.graph.add(id, request, Link::DeprecatedBy, 1.0, when.turn);
        }
    }

    /// Reads a file that is there.
    fn read(&mut self, texts: &mut Texts<'_>, path: &RepoPath, when: When, news: &mut News) {
        let facts = texts.project.facts(path).cloned();
        let is_new = !self.files.contains_key(path);
        let is_text = facts.is_some() || is_test(path) || chunk::is_document(path.as_str());
        let text = if is_text { texts.read(path) } else { None };
        let lines: Option<Vec<&str>> = text.as_deref().map(|text| text.lines().collect());
        let lines = lines.as_deref();
        let hash = text.as_deref().map_or(0, chunk::hash);
        let said = lines.and_then(|lines| chunk::synopsis_of_file(path.as_str(), lines));
        let line = said.as_ref().map(|(line, _)| *line);
        let mut heads = vec![Head {
            kind: Kind::File,
            artifact: path.as_str().to_owned(),
            synopsis: said.map_or_else(|| path.as_str().to_owned(), |(_, words)| words),
            lines: line.map(|line| (line, line)),
            hash,
            ..Head::default()
        }];
        match (&facts, lines) {
            (Some(facts), _) => heads.extend(definitions(path, facts, lines)),
            (None, Some(lines)) if chunk::is_document(path.as_str()) => {
                heads.extend(sections(path, lines))
            }
            (None, _) => {}
        }
        let mut kept = BTreeSet::new();
        let mut words = vec![];
        for head in heads {
            let (span, kind) = (head.lines, head.kind);
            let Some(id) = self.put(head, when, news) else { continue };
            kept.insert(id);
            let own = match (kind, span, lines) {
                (Kind::Section, Some((start, end)), Some(lines)) => {
                    lines.get(start as usize - 1..(end as usize).min(lines.len()))
                }
                (Kind::File, _, lines) if facts.is_none() && is_test(path) => lines,
                _ => None,
            };
            words.extend(own.map(|lines| (id, names_in(lines))));
        }
        let gone: Vec<Id> =
            self.catalogue.of_artifact(path.as_str()).filter(|id| !kept.contains(id)).collect();
        gone.into_iter().for_each(|id| self.end(id, when, news));
        self.files.insert(path.clone(), File { facts, words });
        self.register_module(path, true);
        news.files.insert(path.clone());
        if is_new {
            news.names.insert(stem(path));
        }
    }

    /// Takes in the newest version of a head.
    fn put(&mut self, head: Head, when: When, news: &mut News) -> Option<Id> {
        let known =
            self.catalogue.by_key(&head.key()).and_then(|id| self.catalogue.head(id)).cloned();
        let Some(known) = known else {
            news.names.insert(head.simple().to_owned());
            let head =
                Head { version: when.turn, introduced: when.turn, touched: when.turn, ..head };
            let id = self.catalogue.put(head)?;
            self.came(id, when);
            return Some(id);
        };
        let (is_back, is_other) = (known.gone.is_some(), known.hash != head.hash);
        let turn = |old: usize| if is_back || is_other { when.turn } else { old };
        let head = Head {
            formerly: known.formerly,
            introduced: known.introduced,
            version: turn(known.version),
            touched: turn(known.touched),
            ..head
        };
        if is_back {
            news.names.insert(head.simple().to_owned());
        }
        let id = self.catalogue.put(head)?;
        if is_back {
            self.came(id, when);
        }
        Some(id)
    }

    fn came(&mut self, id: Id, when: When) {
        if let Some(request) = when.request {
            self.graph.add(id, request, Link::IntroducedBy, 1.0, when.turn);
        }
    }

    fn register_module(&mut self, path: &RepoPath, is_there: bool) {
        let Some(last) = module_of(path).pop() else { return };
        let paths = self.modules.entry(last).or_default();
        if is_there {
            paths.insert(path.clone())
        } else {
            paths.remove(path)
        };
    }

    /// Links what was touched, and what uses a name that came or went.
    fn link(&mut self, news: &News, turn: usize) {
        let is_hit = |file: &File| {
            news.names.len() > MOST_NAMES
                || news.names.iter().any(|name| {
                    let in_code = |facts: &Arc<FileFacts>| uses(facts, name);
                    file.facts.as_ref().is_some_and(in_code)
                        || file.words.iter().any(|(_, words)| words.contains(name.as_str()))
                })
        };
        let links = Links { catalogue: &self.catalogue, modules: &self.modules };
        let hit =
            self.files.iter().filter(|(path, file)| news.files.contains(*path) || is_hit(file));
        let mut found = vec![];
        for (path, file) in hit {
            if let Some(facts) = &file.facts {
                found.extend(links.of_code(path, facts));
            }
            let link = if is_test(path) { Link::Tests } else { Link::Cites };
            found
                .extend(file.words.iter().flat_map(|(id, words)| links.of_words(*id, words, link)));
        }
        for (from, edges) in found {
            self.graph.set_structural(from, &edges, turn);
            // A section has what it cites, a definition the file that it is in.
            let head = self.catalogue.head(from);
            let file = head
                .filter(|it| !it.name.is_empty())
                .and_then(|it| self.catalogue.by_key(&it.artifact));
            let cited =
                edges.iter().filter(|(_, link, _)| *link == Link::Cites).map(|(to, ..)| *to);
            self.catalogue.set_mentions(from, cited.chain(file).collect::<Vec<_>>());
        }
    }

    /// Takes in what was asked in a turn, and links it with what it names. Gives its chunk.
    pub fn request(&mut self, turn: usize, text: &str) -> Option<Id> {
        let artifact = format!("turn {turn}");
        if let Some(known) = self.catalogue.by_key(&artifact) {
            return Some(known);
        }
        self.catalogue.put(Head {
            kind: Kind::Request,
            artifact,
            synopsis: chunk::one_line(text, 400),
            hash: chunk::hash(text),
            version: turn,
            introduced: turn,
            touched: turn,
            ..Head::default()
        })
    }

    /// Links a chunk with the entities that its text names.
    pub fn discuss(&mut self, chunk: Id, text: &str, turn: usize) {
        let named = self.catalogue.mentioned(text);
        for entity in &named {
            self.graph.add(*entity, chunk, Link::DiscussedIn, 1.0, turn);
            self.touch(*entity, turn);
        }
        self.catalogue.set_mentions(chunk, named);
    }

    /// The turn had to do with a chunk.
    pub fn touch(&mut self, id: Id, turn: usize) {
        if let Some(head) = self.catalogue.head(id).filter(|head| head.touched < turn) {
            let head = Head { touched: turn, ..head.clone() };
            self.catalogue.replace(id, head);
        }
    }
}

fn is_same(known: Option<&Arc<FileFacts>>, now: Option<&Arc<FileFacts>>) -> bool {
    match (known, now) {
        (Some(known), Some(now)) => Arc::ptr_eq(known, now) || known == now,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Whether code uses a name, or imports it or a module of that name.
fn uses(facts: &FileFacts, name: &str) -> bool {
    let imports = |import: &lifeline::Import| {
        import.name.as_deref() == Some(name) || import.module.iter().any(|part| **part == *name)
    };
    !facts.uses_of(name).is_empty() || facts.imports().iter().any(imports)
}

/// The name that code imports a file by.
fn stem(path: &RepoPath) -> String {
    module_of(path).pop().map(String::from).unwrap_or_default()
}

/// The heads of the definitions that other code can use: those at the top, and members of classes.
fn definitions(path: &RepoPath, facts: &FileFacts, lines: Option<&[&str]>) -> Vec<Head> {
    let is_outer = |it: &&lifeline::Definition| {
        let owner = it.owner().and_then(|at| facts.definitions.get(at));
        owner.is_none_or(|owner| owner.kind == lifeline::Kind::Class && owner.owner().is_none())
    };
    let head = |definition: &lifeline::Definition| Head {
        kind: match definition.kind {
            lifeline::Kind::Class => Kind::Class,
            lifeline::Kind::Function => Kind::Function,
            lifeline::Kind::Value => Kind::Value,
        },
        artifact: path.as_str().to_owned(),
        name: definition.name.to_string(),
        synopsis: chunk::synopsis_of(definition, lines),
        lines: Some((definition.line(), definition.end())),
        hash: definition.hash,
        ..Head::default()
    };
    facts.definitions.iter().filter(is_outer).take(MOST_OF_A_FILE).map(head).collect()
}

fn sections(path: &RepoPath, lines: &[&str]) -> Vec<Head> {
    let head = |section: chunk::Section<'_>| {
        let (start, end) = section.lines;
        let own = lines[start as usize - 1..(end as usize).min(lines.len())].join("\n");
        let said = own.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or_default();
        Head {
            kind: Kind::Section,
            artifact: path.as_str().to_owned(),
            name: section.heading.to_owned(),
            synopsis: chunk::one_line(&format!("{} - {said}", section.heading), 200),
            lines: Some(section.lines),
            hash: chunk::hash(&own),
            ..Head::default()
        }
    };
    chunk::sections(lines).into_iter().map(head).collect()
}

/// The words that are written as names are: with `_`, or with small letters and a capital after the first; in tests and
/// documents alike.
fn names_in(lines: &[&str]) -> BTreeSet<Box<str>> {
    let is_name = |word: &str| {
        let has_small = word.chars().any(char::is_lowercase);
        word.len() > 2
            && (word.contains('_') || (has_small && word.chars().any(char::is_uppercase)))
    };
    let mut found = BTreeSet::new();
    for line in lines {
        terms::tokens(line, |token| {
            if let terms::Token::Name(name) = token
                && is_name(name)
                && found.len() < MOST_WORDS
            {
                found.insert(name.into());
            }
        });
    }
    found
}
