//! Places in a recording.

/// Index into [`super::RunOrigin::sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceId(pub u32);

/// One record of a source file: a line of a JSONL file, an object inside a JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RecordPlace {
    pub source: SourceId,
    /// Line of the file on which the record starts; counts from 1.
    pub line: u32,
    /// Index among several parts of one record (content block, edit); counts from 0, each format defines it.
    pub part: u32,
    /// First byte of the record in the (uncompressed) file.
    pub start: u64,
    /// Bytes of the record, the line end not included.
    pub len: u64,
}

impl RecordPlace {
    /// Returns another part of the same record.
    pub const fn with_part(self, part: u32) -> Self {
        Self { part, ..self }
    }

    /// Returns the place that many lines further down, in the same part.
    pub const fn moved_down(self, lines: u32) -> Self {
        Self { line: self.line.saturating_add(lines), ..self }
    }

    /// Returns the record's bytes within the whole file; empty where the file has since become shorter.
    pub fn bytes_in(self, file: &[u8]) -> &[u8] {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        let len = usize::try_from(self.len).unwrap_or(usize::MAX);
        file.get(start..start.saturating_add(len)).unwrap_or_default()
    }
}
