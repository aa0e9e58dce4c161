//! The content of chunks: read from the artifact when it is wanted, and given only where the artifact has the version that
//! the head is of.

use std::collections::HashMap;

use super::{
    chunk::{self, Head, Kind},
    stale,
};
use crate::project::Project;
use trajview_metrics::decisions;
use trajview_run::RepoPath;

/// Content that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The path, or what stands for it.
    pub artifact: String,
    /// First and last line of the snippet, counting from 1; None for what has no lines.
    pub span: Option<(u32, u32)>,
    /// The first lines of the content.
    pub snippet: String,
    /// Turns done at the version that it was read from.
    pub version: usize,
}

/// Lines of a chunk that are given, by what it is.
const fn most_lines(kind: Kind) -> usize {
    match kind {
        Kind::Class | Kind::Function => 12,
        Kind::Section => 8,
        Kind::Value => 3,
        Kind::File | Kind::Request | Kind::Decision => 1,
    }
}

/// Characters of a request or decision that are given.
const MOST_WORDS: usize = 400;

/// Reads artifacts as they are at one moment, each file once.
pub struct Reader<'a> {
    pub project: &'a Project,
    /// The requests of earlier turns, the first turn's first.
    pub earlier: &'a [String],
    pub decisions: &'a decisions::Store,
    /// Turns done at this moment.
    pub done: usize,
    texts: HashMap<RepoPath, Option<String>>,
}

impl<'a> Reader<'a> {
    pub fn new(
        project: &'a Project,
        earlier: &'a [String],
        decisions: &'a decisions::Store,
        done: usize,
    ) -> Self {
        Self { project, earlier, decisions, done, texts: HashMap::new() }
    }

    /// The text of a file at this moment.
    pub fn text(&mut self, path: &RepoPath) -> Option<&str> {
        let project = self.project;
        self.texts.entry(path.clone()).or_insert_with(|| project.text(path)).as_deref()
    }

    /// The content of a chunk. The error says why it is not the current one, or cannot be read.
    pub fn open(&mut self, head: &Head) -> Result<Opened, String> {
        match head.kind {
            Kind::Request => self.request(head),
            Kind::Decision => self.decision(head),
            Kind::File | Kind::Class | Kind::Function | Kind::Value | Kind::Section => {
                self.lines(head)
            }
        }
    }

    fn request(&self, head: &Head) -> Result<Opened, String> {
        let at = head.request().and_then(|turn| turn.checked_sub(1));
        let text = at.and_then(|at| self.earlier.get(at)).ok_or("the request is not recorded")?;
        Ok(self.words(head, text))
    }

    fn decision(&self, head: &Head) -> Result<Opened, String> {
        let id = head.artifact.strip_prefix("decision ").unwrap_or_default();
        let found = self.decisions.decision(id).ok_or("the store has no such decision")?;
        if found.is_past() {
            return Err("another decision took its place, or it is out of date".into());
        }
        Ok(self.words(head, &format!("{} {}", found.question, found.answer)))
    }

    fn words(&self, head: &Head, text: &str) -> Opened {
        let snippet = chunk::one_line(text, MOST_WORDS);
        Opened { artifact: head.artifact.clone(), span: None, snippet, version: head.version }
    }

    fn lines(&mut self, head: &Head) -> Result<Opened, String> {
        let path = head.path().ok_or("it has no file")?;
        self.is_current(head, &path)?;
        let done = self.done;
        let text = self.text(&path).ok_or("the file cannot be read")?;
        let (start, end) = head.lines.ok_or("it has no lines")?;
        let most = start.saturating_add(most_lines(head.kind) as u32 - 1);
        let lines: Vec<&str> = text.lines().collect();
        let first = (start as usize).checked_sub(1).ok_or("it has no lines")?;
        let own = lines.get(first..(end.min(most) as usize).min(lines.len()));
        let own = own.filter(|own| !own.is_empty()).ok_or("its lines are not there")?;
        let snippet = own.join("\n").trim_end().to_owned();
        let end = start + snippet.lines().count().saturating_sub(1) as u32;
        if !stale::stands(&snippet, text) {
            return Err("it has no words".into());
        }
        Ok(Opened {
            artifact: head.artifact.clone(),
            span: Some((start, end)),
            snippet,
            version: done,
        })
    }

    /// Whether the file has the content that the head is of, at its lines. The error says why not.
    pub fn is_current(&mut self, head: &Head, path: &RepoPath) -> Result<(), String> {
        if !self.project.has(path) || head.gone.is_some() {
            return Err("it is gone".into());
        }
        let hash = match head.kind {
            Kind::Class | Kind::Function | Kind::Value => {
                let facts = self.project.facts(path);
                let definition = facts.and_then(|facts| facts.definition(&head.name));
                definition.map(|it| (it.hash, Some((it.line(), it.end()))))
            }
            Kind::Section => {
                let lines: Vec<&str> = self.text(path).unwrap_or_default().lines().collect();
                let sections = chunk::sections(&lines);
                sections.iter().find(|it| it.heading == head.name).map(|it| {
                    let (start, end) = it.lines;
                    let own = lines.get(start as usize - 1..end as usize).unwrap_or_default();
                    (chunk::hash(&own.join("\n")), Some(it.lines))
                })
            }
            Kind::File | Kind::Request | Kind::Decision => {
                self.text(path).map(|text| (chunk::hash(text), head.lines))
            }
        };
        match hash {
            Some((hash, lines)) if hash == head.hash && lines == head.lines => Ok(()),
            Some(_) => Err("the file has another version of it".into()),
            None => Err("the file does not have it".into()),
        }
    }
}
