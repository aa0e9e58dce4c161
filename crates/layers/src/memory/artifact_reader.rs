//! The content of chunks: read from the artifact when it is wanted, and given only where the artifact has the version that
//! the head is of.

use std::collections::HashMap;

use super::{
    chunk::{self, ChunkHead, ChunkKind},
    stale,
};
use crate::project::LayerProject;
use trajview_metrics::decisions;
use trajview_run::RepoPath;

/// Content that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedChunk {
    /// The path, or the name of an artifact without one.
    pub artifact: String,
    /// First and last line of the snippet, counting from 1; None for what has no lines.
    pub span: Option<(u32, u32)>,
    /// The first lines of the content.
    pub snippet: String,
    /// Turns done at the version that it was read from.
    pub version: usize,
}

/// Returns how many lines of a chunk of this kind are given at most.
const fn most_lines(kind: ChunkKind) -> usize {
    match kind {
        ChunkKind::Class | ChunkKind::Function => 12,
        ChunkKind::Section => 8,
        ChunkKind::Value => 3,
        ChunkKind::File | ChunkKind::Request | ChunkKind::Decision => 1,
    }
}

/// Characters of a request or decision that are given.
const MOST_WORDS: usize = 400;

/// Reads artifacts as they are at one moment, each file once.
pub struct ArtifactReader<'a> {
    pub project: &'a LayerProject,
    /// The requests of earlier turns, the first turn's first.
    pub earlier: &'a [String],
    pub decisions: &'a decisions::DecisionStore,
    /// Turns done at this moment.
    pub done: usize,
    texts: HashMap<RepoPath, Option<String>>,
}

impl<'a> ArtifactReader<'a> {
    pub fn new(
        project: &'a LayerProject,
        earlier: &'a [String],
        decisions: &'a decisions::DecisionStore,
        done: usize,
    ) -> Self {
        Self { project, earlier, decisions, done, texts: HashMap::new() }
    }

    /// Returns the text of a file at this moment, which is read once; None where it has none.
    pub fn file_text(&mut self, path: &RepoPath) -> Option<&str> {
        let project = self.project;
        self.texts.entry(path.clone()).or_insert_with(|| project.file_text(path)).as_deref()
    }

    /// Opens a chunk. The error says why its content is not current, or cannot be read.
    pub(crate) fn open_chunk(&mut self, head: &ChunkHead) -> Result<OpenedChunk, String> {
        match head.kind {
            ChunkKind::Request => self.open_request(head),
            ChunkKind::Decision => self.open_decision(head),
            ChunkKind::File
            | ChunkKind::Class
            | ChunkKind::Function
            | ChunkKind::Value
            | ChunkKind::Section => self.open_lines(head),
        }
    }

    fn open_request(&self, head: &ChunkHead) -> Result<OpenedChunk, String> {
        let at = head.request_turn().and_then(|turn| turn.checked_sub(1));
        let text = at.and_then(|at| self.earlier.get(at)).ok_or("the request is not recorded")?;
        Ok(self.opened_text(head, text))
    }

    fn open_decision(&self, head: &ChunkHead) -> Result<OpenedChunk, String> {
        let id = head.artifact.strip_prefix("decision ").unwrap_or_default();
        let found = self.decisions.find_decision(id).ok_or("the store has no such decision")?;
        if found.is_past() {
            return Err("another decision took its place, or it is out of date".into());
        }
        Ok(self.opened_text(head, &format!("{} {}", found.question, found.answer)))
    }

    fn opened_text(&self, head: &ChunkHead, text: &str) -> OpenedChunk {
        let snippet = chunk::one_line(text, MOST_WORDS);
        OpenedChunk { artifact: head.artifact.clone(), span: None, snippet, version: head.version }
    }

    fn open_lines(&mut self, head: &ChunkHead) -> Result<OpenedChunk, String> {
        let path = head.file_path().ok_or("it has no file")?;
        self.check_current(head, &path)?;
        let done = self.done;
        let text = self.file_text(&path).ok_or("the file cannot be read")?;
        let (start, end) = head.lines.ok_or("it has no lines")?;
        let most = start.saturating_add(most_lines(head.kind) as u32 - 1);
        let lines: Vec<&str> = text.lines().collect();
        let first = (start as usize).checked_sub(1).ok_or("it has no lines")?;
        let part = lines.get(first..(end.min(most) as usize).min(lines.len()));
        let part = part.filter(|part| !part.is_empty()).ok_or("its lines are not there")?;
        let snippet = part.join("\n").trim_end().to_owned();
        let end = start + snippet.lines().count().saturating_sub(1) as u32;
        if !stale::contains_lines(&snippet, text) {
            return Err("it has no words".into());
        }
        Ok(OpenedChunk {
            artifact: head.artifact.clone(),
            span: Some((start, end)),
            snippet,
            version: done,
        })
    }

    /// Checks that the file has the content of the head at its lines. The error says why not.
    pub(crate) fn check_current(
        &mut self,
        head: &ChunkHead,
        path: &RepoPath,
    ) -> Result<(), String> {
        if !self.project.has_file(path) || head.gone.is_some() {
            return Err("it is gone".into());
        }
        let hash = match head.kind {
            ChunkKind::Class | ChunkKind::Function | ChunkKind::Value => {
                let facts = self.project.file_facts(path);
                let definition = facts.and_then(|facts| facts.find_definition(&head.name));
                definition.map(|it| (it.hash, Some((it.first_line(), it.last_line()))))
            }
            ChunkKind::Section => {
                let lines: Vec<&str> = self.file_text(path).unwrap_or_default().lines().collect();
                let sections = chunk::document_sections(&lines);
                sections.iter().find(|it| it.heading == head.name).map(|it| {
                    let (start, end) = it.lines;
                    let part = lines.get(start as usize - 1..end as usize).unwrap_or_default();
                    (chunk::text_hash(&part.join("\n")), Some(it.lines))
                })
            }
            ChunkKind::File | ChunkKind::Request | ChunkKind::Decision => {
                self.file_text(path).map(|text| (chunk::text_hash(text), head.lines))
            }
        };
        match hash {
            Some((hash, lines)) if hash == head.hash && lines == head.lines => Ok(()),
            Some(_) => Err("the file has another version of it".into()),
            None => Err("the file does not have it".into()),
        }
    }
}
