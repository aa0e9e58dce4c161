//! The past of one definition: every turn that touched its lines or took it elsewhere. Followed as [`super::chains`] does.
//!
//! Unlike a lifeline it counts files of tests, and does not look at uses. Over a timeline of events
//! ([`trajview_run::files::history::Events`]) it is told by steps.

use super::{Code, Known, Moment, Moments, Place, chains::Chains, facts::Definition};
use trajview_run::{RepoPath, files::Timeline};

/// A turn that touched a file in which the definition stood, or stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Counts from 1.
    pub turn: usize,
    /// Before it; None where the definition was not there.
    pub old: Option<Stretch>,
    /// After it; None where it is not there any more.
    pub new: Option<Stretch>,
    /// Whether another definition has its body now, which `new` is; the past ends there.
    pub is_taken_in: bool,
}

/// Where a definition stands, and which lines it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub place: Place,
    /// First and last line of each of its parts, counting from 1.
    pub lines: Vec<(usize, usize)>,
}

/// What a definition is asked for by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By<'a> {
    /// The innermost around a line of the file, which counts from 1.
    Line(usize),
    /// Its dotted name or the end of it.
    Name(&'a str),
}

/// Where a definition stands in a file after so many turns (None: the last time it stood there), and every turn that
/// touched it. None where the file has no such definition then.
pub fn past(
    timeline: &Timeline,
    known: &Known,
    path: &RepoPath,
    done: Option<usize>,
    by: By<'_>,
) -> Option<(Place, Vec<Passage>)> {
    let moments = Moments::of(timeline, known, Code::All);
    let (done, place) = moments.place_of(path, done, by)?;
    let chains = moments.chains();
    let chain = chains.standing(&place, done)?;
    Some((place, moments.passages(&chains, chain)))
}

impl Moments {
    fn place_of(&self, path: &RepoPath, done: Option<usize>, by: By<'_>) -> Option<(usize, Place)> {
        let last = self.all.len().checked_sub(1)?;
        let found = |done: usize| {
            let file = self.file(path, done)?;
            let name = find(&file.facts.definitions, by)?.name.clone();
            Some((done, Place { path: path.clone(), name }))
        };
        match done {
            Some(done) => found(done.min(last)),
            // The file is another only after a moment that touched it.
            None => {
                let touches = |done: &usize| self.all[*done].after.iter().any(|it| it.0 == *path);
                (0..=last).rev().filter(touches).find_map(found)
            }
        }
    }

    fn passages(&self, chains: &Chains, chain: usize) -> Vec<Passage> {
        let mut passages = vec![];
        for (turn, moment) in self.all.iter().enumerate().skip(1) {
            let old = chains.place(chain, turn - 1).and_then(|place| moment.stretch_before(place));
            let new = chains.place(chain, turn).and_then(|place| moment.stretch_after(place));
            let is_taken_in = chains.all[chain].became.is_some_and(|(since, _)| since == turn);
            if old.is_some() || new.is_some() {
                passages.push(Passage { turn, old, new, is_taken_in });
            }
            if is_taken_in {
                break;
            }
        }
        passages
    }
}

impl Moment {
    /// Lines of a definition in a file that the turn touched, before it.
    fn stretch_before(&self, place: &Place) -> Option<Stretch> {
        self.before.definition(&place.path, &place.name).map(|it| Stretch::of(place, it))
    }

    /// The same after it.
    fn stretch_after(&self, place: &Place) -> Option<Stretch> {
        let mut files = self.after.iter().rev().filter(|(path, _)| *path == place.path);
        let file = files.next()?.1.as_ref()?;
        file.facts.definition(&place.name).map(|it| Stretch::of(place, it))
    }
}

impl Stretch {
    fn of(place: &Place, definition: &Definition) -> Self {
        let line = |line: u32| line as usize;
        let parts = definition.parts.iter();
        let lines = parts.map(|it| (line(it.span.start), line(it.span.end))).collect();
        Self { place: place.clone(), lines }
    }
}

fn find<'d>(all: &'d [Definition], by: By<'_>) -> Option<&'d Definition> {
    match by {
        By::Line(line) => {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            all.iter().filter(|it| it.holds(line)).min_by_key(|it| it.length())
        }
        By::Name(name) => {
            let ends = |it: &&Definition| it.name.ends_with(&format!(".{name}"));
            all.iter().find(|it| &*it.name == name).or_else(|| all.iter().find(ends))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use super::*;
    use crate::lifeline::facts;
    use trajview_code::tree::Grammar;
    use trajview_run::{
        EditKind,
        files::{BlobId, Change, Origin, TreeFile, TurnFiles, Version},
    };

    const BODY: &str = "    a = x + 1\n    b = a * 2\n    c = b - a\n    return a + b + c + x\n";

    /// A run of one change a turn: a path, and its text after it.
    fn run_of(turns: &[(&str, Option<String>)]) -> (Timeline, Known) {
        let (mut timeline, mut known) = (Timeline::default(), Known::new());
        let mut texts: BTreeMap<&str, TreeFile> = BTreeMap::new();
        for (path, text) in turns {
            let new = text.as_ref().map(|text| {
                let blob = BlobId::of(text.as_bytes());
                let read = facts(Grammar::Python, text.as_bytes());
                known.insert((blob, Grammar::Python), Arc::new(read));
                TreeFile::known(blob)
            });
            let old = texts.remove(path);
            texts.extend(new.map(|new| (*path, new)));
            let kind = match (old, new) {
                (None, _) => EditKind::Create,
                (_, None) => EditKind::Delete,
                _ => EditKind::Modify,
            };
            let version = Version::Whole { old, new };
            let (path, origin) = (RepoPath::new(path).unwrap(), Origin::Recorded);
            let changes = vec![Change { path, from: None, kind, version, origin }];
            timeline.turns.push(TurnFiles { changes, ..TurnFiles::default() });
        }
        (timeline, known)
    }

    #[test]
    fn a_function_is_followed_through_a_new_name_and_another_file() {
        let (timeline, known) = run_of(&[
            ("a.py", Some(format!("X = 1\n\ndef f(x):\n{BODY}"))),
            ("a.py", Some(format!("X = 2\n\ndef f(x):\n{BODY}"))),
            ("a.py", Some(format!("def g(x):\n{BODY}"))),
            ("tests/test_a.py", Some("import a\n".to_owned())),
            ("a.py", None),
            ("b.py", Some(format!("def g(x):\n{BODY}"))),
        ]);
        let path = |name| RepoPath::new(name).unwrap();

        let (place, told) = past(&timeline, &known, &path("b.py"), None, By::Line(2)).unwrap();

        assert_eq!(place, Place { path: path("b.py"), name: "g".into() });
        let name = |it: &Option<Stretch>| {
            it.as_ref().map(|it| (it.place.path.as_str().to_owned(), it.place.name.to_string()))
        };
        let at = |path: &str, name: &str| Some((path.to_owned(), name.to_owned()));
        let told: Vec<_> = told.iter().map(|it| (it.turn, name(&it.old), name(&it.new))).collect();
        let expected = vec![
            (1, None, at("a.py", "f")),
            (2, at("a.py", "f"), at("a.py", "f")),
            (3, at("a.py", "f"), at("a.py", "g")),
            (5, at("a.py", "g"), None),
            (6, None, at("b.py", "g")),
        ];
        assert_eq!(told, expected);
        let first = past(&timeline, &known, &path("a.py"), Some(1), By::Name("f")).unwrap();
        assert_eq!(first.1.len(), 5);
        assert_eq!(past(&timeline, &known, &path("a.py"), Some(1), By::Name("h")), None);
        assert_eq!(past(&timeline, &known, &path("a.py"), Some(1), By::Line(2)), None);
    }
}
