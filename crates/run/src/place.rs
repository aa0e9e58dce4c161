//! Where something stands in a recording.

/// Index into [`super::RunOrigin::sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceId(pub u32);

/// One record of a source file: a line of a JSONL file, an object inside a JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    pub source: SourceId,
    /// Line of the file on which the record starts; counts from 1.
    pub line: u32,
    /// Which of several things in one record (content block, edit); counts from 0, meaning is the format's.
    pub part: u32,
    /// First byte of the record in the (uncompressed) file.
    pub start: u64,
    /// Bytes of the record, the line end not included.
    pub len: u64,
}

impl Place {
    /// The same record, another part of it.
    pub const fn part(self, part: u32) -> Self {
        Self { part, ..self }
    }

    /// The same record, that many lines further down.
    pub const fn down(self, lines: u32) -> Self {
        Self { line: self.line.saturating_add(lines), ..self }
    }

    /// The record's bytes within the whole file; empty where the file has since become shorter.
    pub fn of(self, file: &[u8]) -> &[u8] {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        let len = usize::try_from(self.len).unwrap_or(usize::MAX);
        file.get(start..start.saturating_add(len)).unwrap_or_default()
    }
}
