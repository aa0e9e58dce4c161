//! How the memory follows the project: what a turn touched is read again, and with it only the edges of those files and of
//! the files that use a name which came, went or moved.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    catalogue::ChunkCatalogue,
    chunk::{self, ChunkHead, ChunkId, ChunkKind},
    graph::{ChunkGraph, LinkKind},
    links::{LinkResolver, ModuleFiles},
};
use crate::project::{ChangeKind, LayerProject, ProjectChange};
use trajview_metrics::{
    absence::terms,
    lifeline::{
        self, DefinitionFate, DefinitionPlace, FileFacts, FileTouch, definition_moves, is_test,
        module_of,
    },
};
use trajview_run::RepoPath;

/// Chunks, edges and what is known of the files that they are from.
#[derive(Debug, Default)]
pub struct MemoryIndex {
    pub catalogue: ChunkCatalogue,
    pub graph: ChunkGraph,
    files: BTreeMap<RepoPath, IndexedFile>,
    modules: ModuleFiles,
}

#[derive(Debug, Default)]
struct IndexedFile {
    facts: Option<Arc<FileFacts>>,
    /// The names in each chunk of a test or document.
    words: Vec<(ChunkId, BTreeSet<Box<str>>)>,
}

/// The moment of an update.
#[derive(Debug, Clone, Copy)]
pub struct UpdateMoment {
    /// Turns done with it.
    pub turn: usize,
    /// The chunk of the turn's request; None where it is not known which turn did it.
    pub request: Option<ChunkId>,
}

/// The changes of one update.
#[derive(Debug, Default)]
struct IndexChanges {
    /// Last names of definitions that came, went or moved.
    names: BTreeSet<String>,
    /// The files to be linked again.
    files: BTreeSet<RepoPath>,
    taken_in: Vec<(ChunkId, DefinitionPlace)>,
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
struct BoundedReader<'p> {
    project: &'p LayerProject,
    left: usize,
}

impl BoundedReader<'_> {
    fn read_text(&mut self, path: &RepoPath) -> Option<String> {
        if self.left == 0 {
            return None;
        }
        let text = self.project.file_text(path)?;
        self.left = self.left.saturating_sub(text.len());
        Some(text)
    }
}

impl MemoryIndex {
    /// Returns the changes of the project that the memory has not read.
    pub(crate) fn unknown_changes(&self, project: &LayerProject) -> Vec<ProjectChange> {
        let mut found = vec![];
        for path in project.paths() {
            let kind = match self.files.get(path) {
                None => ChangeKind::Added,
                Some(file) if is_same(file.facts.as_ref(), project.file_facts(path)) => continue,
                Some(_) => ChangeKind::Changed,
            };
            found.push(ProjectChange { path: path.clone(), kind });
        }
        let deleted = |path: RepoPath| ProjectChange { path, kind: ChangeKind::Deleted };
        let gone = self.files.keys().filter(|path| !project.has_file(path));
        found.extend(gone.cloned().map(deleted));
        if self.files.is_empty() {
            // What was restored may be of files that are no more.
            let is_there = |head: &&ChunkHead| head.kind == ChunkKind::File && head.gone.is_none();
            let files = self.catalogue.heads().map(|(_, head)| head).filter(is_there);
            found.extend(
                files
                    .filter_map(ChunkHead::file_path)
                    .filter(|path| !project.has_file(path))
                    .map(deleted),
            );
        }
        found
    }

    /// Takes in what changed.
    pub(crate) fn apply_changes(
        &mut self,
        project: &LayerProject,
        changes: &[ProjectChange],
        when: UpdateMoment,
    ) {
        let mut news = IndexChanges::default();
        let mut texts = BoundedReader { project, left: MOST_READ };
        self.follow_renames(project, changes, when, &mut news);
        for change in changes {
            let old = match &change.kind {
                ChangeKind::Renamed { from } => Some(from),
                ChangeKind::Deleted => Some(&change.path),
                ChangeKind::Added | ChangeKind::Changed => None,
            };
            if let Some(old) = old.filter(|old| !project.has_file(old)) {
                self.remove_file(old, when, &mut news);
            }
            if project.has_file(&change.path) {
                self.read_file(&mut texts, &change.path, when, &mut news);
            }
        }
        for (id, taker) in std::mem::take(&mut news.taken_in) {
            let taker = self.catalogue.by_key(&chunk::key_for(taker.path.as_str(), &taker.name));
            if let Some(taker) = taker.filter(|_| when.request.is_some()) {
                self.graph.add_edge(id, taker, LinkKind::DeprecatedBy, 1.0, when.turn);
            }
        }
        self.link_changed(&news, when.turn);
    }

    /// Moves the chunks of files and definitions that have another place or name there; they stay what they are.
    fn follow_renames(
        &mut self,
        project: &LayerProject,
        changes: &[ProjectChange],
        when: UpdateMoment,
        news: &mut IndexChanges,
    ) {
        for change in changes {
            let ChangeKind::Renamed { from } = &change.kind else { continue };
            let is_whole = |head: &ChunkHead| !head.is_symbol() && head.gone.is_none();
            let ids: Vec<ChunkId> = self.catalogue.of_artifact(from.as_str()).collect();
            for id in ids {
                let Some(head) = self.catalogue.head(id).filter(|it| is_whole(it)).cloned() else {
                    continue;
                };
                self.rename_chunk(id, change.path.as_str(), &head.name, when);
            }
        }
        let before = |change: &ProjectChange| {
            let path = match &change.kind {
                ChangeKind::Renamed { from } => from,
                ChangeKind::Added | ChangeKind::Changed | ChangeKind::Deleted => &change.path,
            };
            Some((path.clone(), self.files.get(path)?.facts.clone()?))
        };
        let after = |change: &ProjectChange| {
            Some((change.path.clone(), project.file_facts(&change.path)?.clone()))
        };
        let touch =
            |change: &ProjectChange| FileTouch { before: before(change), after: after(change) };
        let touches: Vec<FileTouch> = changes.iter().map(touch).collect();
        if touches.len() > MOST_FOLLOWED || touches.iter().all(|it| it.before.is_none()) {
            return;
        }
        for (place, went) in definition_moves(&touches) {
            let key = chunk::key_for(place.path.as_str(), &place.name);
            let Some(id) = self.catalogue.by_key(&key) else { continue };
            match went {
                DefinitionFate::To(now) if now == place => {}
                DefinitionFate::To(now) => {
                    news.names
                        .extend([place.simple_name().to_owned(), now.simple_name().to_owned()]);
                    self.rename_chunk(id, now.path.as_str(), &now.name, when);
                }
                DefinitionFate::Into(taker) => news.taken_in.push((id, taker)),
                DefinitionFate::Away => {}
            }
        }
    }

    fn rename_chunk(&mut self, id: ChunkId, artifact: &str, name: &str, when: UpdateMoment) {
        let Some(mut head) = self.catalogue.head(id).cloned() else { return };
        // A gone chunk that had the name before gets another name.
        if let Some(other) = self.catalogue.by_key(&chunk::key_for(artifact, name))
            && other != id
            && let Some(mut old) = self.catalogue.head(other).cloned()
        {
            old.name = format!("{name} (until turn {})", old.gone.unwrap_or(when.turn));
            self.catalogue.replace_head(other, old);
        }
        head.formerly.push(head.chunk_key());
        head.touched = head.touched.max(when.turn);
        (head.artifact, head.name) = (artifact.to_owned(), name.to_owned());
        self.catalogue.replace_head(id, head);
    }

    /// Ends the chunks of a file that is no longer there, and takes it out of the index.
    fn remove_file(&mut self, path: &RepoPath, when: UpdateMoment, news: &mut IndexChanges) {
        let ids: Vec<ChunkId> = self.catalogue.of_artifact(path.as_str()).collect();
        ids.into_iter().for_each(|id| self.end_chunk(id, when, news));
        self.files.remove(path);
        self.register_module(path, false);
        news.names.insert(import_name(path));
    }

    fn end_chunk(&mut self, id: ChunkId, when: UpdateMoment, news: &mut IndexChanges) {
        let Some(head) = self.catalogue.head(id).filter(|head| head.gone.is_none()) else { return };
        let head = ChunkHead { gone: Some(when.turn), touched: when.turn, ..head.clone() };
        news.names.insert(head.simple_name().to_owned());
        self.catalogue.replace_head(id, head);
        self.graph.set_structural(id, &[], when.turn);
        if let Some(request) = when.request {
            self.graph.add_edge(id, request, LinkKind::DeprecatedBy, 1.0, when.turn);
        }
    }

    /// Reads a file that is there.
    fn read_file(
        &mut self,
        texts: &mut BoundedReader<'_>,
        path: &RepoPath,
        when: UpdateMoment,
        news: &mut IndexChanges,
    ) {
        let facts = texts.project.file_facts(path).cloned();
        let is_new = !self.files.contains_key(path);
        let is_text = facts.is_some() || is_test(path) || chunk::is_document(path.as_str());
        let text = if is_text { texts.read_text(path) } else { None };
        let lines: Option<Vec<&str>> = text.as_deref().map(|text| text.lines().collect());
        let lines = lines.as_deref();
        let hash = text.as_deref().map_or(0, chunk::text_hash);
        let synopsis = lines.and_then(|lines| chunk::synopsis_of_file(path.as_str(), lines));
        let line = synopsis.as_ref().map(|(line, _)| *line);
        let mut heads = vec![ChunkHead {
            kind: ChunkKind::File,
            artifact: path.as_str().to_owned(),
            synopsis: synopsis.map_or_else(|| path.as_str().to_owned(), |(_, words)| words),
            lines: line.map(|line| (line, line)),
            hash,
            ..ChunkHead::default()
        }];
        match (&facts, lines) {
            (Some(facts), _) => heads.extend(definition_heads(path, facts, lines)),
            (None, Some(lines)) if chunk::is_document(path.as_str()) => {
                heads.extend(section_heads(path, lines))
            }
            (None, _) => {}
        }
        let mut kept = BTreeSet::new();
        let mut words = vec![];
        for head in heads {
            let (span, kind) = (head.lines, head.kind);
            let Some(id) = self.put_head(head, when, news) else { continue };
            kept.insert(id);
            let section_lines = match (kind, span, lines) {
                (ChunkKind::Section, Some((start, end)), Some(lines)) => {
                    lines.get(start as usize - 1..(end as usize).min(lines.len()))
                }
                (ChunkKind::File, _, lines) if facts.is_none() && is_test(path) => lines,
                _ => None,
            };
            words.extend(section_lines.map(|lines| (id, names_in(lines))));
        }
        let gone: Vec<ChunkId> =
            self.catalogue.of_artifact(path.as_str()).filter(|id| !kept.contains(id)).collect();
        gone.into_iter().for_each(|id| self.end_chunk(id, when, news));
        self.files.insert(path.clone(), IndexedFile { facts, words });
        self.register_module(path, true);
        news.files.insert(path.clone());
        if is_new {
            news.names.insert(import_name(path));
        }
    }

    /// Takes in the newest version of a head.
    fn put_head(
        &mut self,
        head: ChunkHead,
        when: UpdateMoment,
        news: &mut IndexChanges,
    ) -> Option<ChunkId> {
        let known = self
            .catalogue
            .by_key(&head.chunk_key())
            .and_then(|id| self.catalogue.head(id))
            .cloned();
        let Some(known) = known else {
            news.names.insert(head.simple_name().to_owned());
            let head =
                ChunkHead { version: when.turn, introduced: when.turn, touched: when.turn, ..head };
            let id = self.catalogue.put_head(head)?;
            self.link_introduction(id, when);
            return Some(id);
        };
        let (is_back, is_other) = (known.gone.is_some(), known.hash != head.hash);
        let turn = |old: usize| if is_back || is_other { when.turn } else { old };
        let head = ChunkHead {
            formerly: known.formerly,
            introduced: known.introduced,
            version: turn(known.version),
            touched: turn(known.touched),
            ..head
        };
        if is_back {
            news.names.insert(head.simple_name().to_owned());
        }
        let id = self.catalogue.put_head(head)?;
        if is_back {
            self.link_introduction(id, when);
        }
        Some(id)
    }

    fn link_introduction(&mut self, id: ChunkId, when: UpdateMoment) {
        if let Some(request) = when.request {
            self.graph.add_edge(id, request, LinkKind::IntroducedBy, 1.0, when.turn);
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
    fn link_changed(&mut self, news: &IndexChanges, turn: usize) {
        let is_hit = |file: &IndexedFile| {
            news.names.len() > MOST_NAMES
                || news.names.iter().any(|name| {
                    let in_code = |facts: &Arc<FileFacts>| uses_name(facts, name);
                    file.facts.as_ref().is_some_and(in_code)
                        || file.words.iter().any(|(_, words)| words.contains(name.as_str()))
                })
        };
        let links = LinkResolver { catalogue: &self.catalogue, modules: &self.modules };
        let hit =
            self.files.iter().filter(|(path, file)| news.files.contains(*path) || is_hit(file));
        let mut found = vec![];
        for (path, file) in hit {
            if let Some(facts) = &file.facts {
                found.extend(links.edges_of_code(path, facts));
            }
            let link = if is_test(path) { LinkKind::Tests } else { LinkKind::Cites };
            found.extend(
                file.words.iter().flat_map(|(id, words)| links.edges_of_words(*id, words, link)),
            );
        }
        for (from, edges) in found {
            self.graph.set_structural(from, &edges, turn);
            // A section has what it cites, a definition the file that it is in.
            let head = self.catalogue.head(from);
            let file = head
                .filter(|it| !it.name.is_empty())
                .and_then(|it| self.catalogue.by_key(&it.artifact));
            let cited =
                edges.iter().filter(|(_, link, _)| *link == LinkKind::Cites).map(|(to, ..)| *to);
            self.catalogue.set_mentions(from, cited.chain(file).collect::<Vec<_>>());
        }
    }

    /// Adds the request of a turn, links it with what it names, and returns its chunk.
    pub fn add_request(&mut self, turn: usize, text: &str) -> Option<ChunkId> {
        let artifact = format!("turn {turn}");
        if let Some(known) = self.catalogue.by_key(&artifact) {
            return Some(known);
        }
        self.catalogue.put_head(ChunkHead {
            kind: ChunkKind::Request,
            artifact,
            synopsis: chunk::one_line(text, 400),
            hash: chunk::text_hash(text),
            version: turn,
            introduced: turn,
            touched: turn,
            ..ChunkHead::default()
        })
    }

    /// Links a chunk with the entities that its text names.
    pub(crate) fn link_mentions(&mut self, chunk: ChunkId, text: &str, turn: usize) {
        let named = self.catalogue.entities_mentioned(text);
        for entity in &named {
            self.graph.add_edge(*entity, chunk, LinkKind::DiscussedIn, 1.0, turn);
            self.touch_chunk(*entity, turn);
        }
        self.catalogue.set_mentions(chunk, named);
    }

    /// Records the turn as the last one that had to do with a chunk.
    pub(crate) fn touch_chunk(&mut self, id: ChunkId, turn: usize) {
        if let Some(head) = self.catalogue.head(id).filter(|head| head.touched < turn) {
            let head = ChunkHead { touched: turn, ..head.clone() };
            self.catalogue.replace_head(id, head);
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

/// Returns whether code uses a name, or imports it or a module of that name.
fn uses_name(facts: &FileFacts, name: &str) -> bool {
    let imports = |import: &lifeline::ImportedName| {
        import.name.as_deref() == Some(name) || import.module.iter().any(|part| **part == *name)
    };
    !facts.uses_of(name).is_empty() || facts.imports().iter().any(imports)
}

/// Returns the name that code imports a file by.
fn import_name(path: &RepoPath) -> String {
    module_of(path).pop().map(String::from).unwrap_or_default()
}

/// Returns the heads of the definitions that other code can use: those at the top, and members of classes.
fn definition_heads(path: &RepoPath, facts: &FileFacts, lines: Option<&[&str]>) -> Vec<ChunkHead> {
    let is_outer = |it: &&lifeline::CodeDefinition| {
        let owner = it.owner().and_then(|at| facts.definitions.get(at));
        owner.is_none_or(|owner| {
            owner.kind == lifeline::DefinitionKind::Class && owner.owner().is_none()
        })
    };
    let head = |definition: &lifeline::CodeDefinition| ChunkHead {
        kind: match definition.kind {
            lifeline::DefinitionKind::Class => ChunkKind::Class,
            lifeline::DefinitionKind::Function => ChunkKind::Function,
            lifeline::DefinitionKind::Value => ChunkKind::Value,
        },
        artifact: path.as_str().to_owned(),
        name: definition.name.to_string(),
        synopsis: chunk::synopsis_of(definition, lines),
        lines: Some((definition.first_line(), definition.last_line())),
        hash: definition.hash,
        ..ChunkHead::default()
    };
    facts.definitions.iter().filter(is_outer).take(MOST_OF_A_FILE).map(head).collect()
}

fn section_heads(path: &RepoPath, lines: &[&str]) -> Vec<ChunkHead> {
    let head = |section: chunk::DocumentSection<'_>| {
        let (start, end) = section.lines;
        let section_text = lines[start as usize - 1..(end as usize).min(lines.len())].join("\n");
        let first_line =
            section_text.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or_default();
        ChunkHead {
            kind: ChunkKind::Section,
            artifact: path.as_str().to_owned(),
            name: section.heading.to_owned(),
            synopsis: chunk::one_line(&format!("{} - {first_line}", section.heading), 200),
            lines: Some(section.lines),
            hash: chunk::text_hash(&section_text),
            ..ChunkHead::default()
        }
    };
    chunk::document_sections(lines).into_iter().map(head).collect()
}

/// Returns the words that are written as names are: with `_`, or with small letters and a capital after the first; in
/// tests and documents alike.
fn names_in(lines: &[&str]) -> BTreeSet<Box<str>> {
    let is_name = |word: &str| {
        let has_small = word.chars().any(char::is_lowercase);
        word.len() > 2
            && (word.contains('_') || (has_small && word.chars().any(char::is_uppercase)))
    };
    let mut found = BTreeSet::new();
    for line in lines {
        terms::for_each_token(line, |token| {
            if let terms::TextToken::Name(name) = token
                && is_name(name)
                && found.len() < MOST_WORDS
            {
                found.insert(name.into());
            }
        });
    }
    found
}
