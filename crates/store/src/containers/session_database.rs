//! Databases of sessions, read only, with what their writers have not put into the file yet (WAL). Which tables are read,
//! and the form in which a session is given, are those of [`trajview_formats::session_tables`].

use std::{io, path::Path};

use trajview_formats::session_tables::{SESSION_TABLES, SessionTables};

use super::{
    members::{MOST_MEMBERS, MemberNames, Members},
    sqlite_tables::{DatabaseFile, sql_value_text},
};

pub struct SessionDatabase {
    source: DatabaseFile,
    tables: &'static dyn SessionTables,
    names: MemberNames,
    ids: Vec<String>,
}

impl SessionDatabase {
    /// Opens the session database of a known tool and reads the ids of its sessions, up to [`MOST_MEMBERS`]; None where
    /// the file is no such database.
    pub fn open(file: &Path) -> Option<Self> {
        let source = DatabaseFile::new(file);
        let base = source.connect().ok()?;
        let mut names = base.prepare("select name from sqlite_master where type = 'table'").ok()?;
        let names: Vec<String> = names.query_map([], |row| row.get(0)).ok()?.flatten().collect();
        let (tables, query) = SESSION_TABLES
            .iter()
            .find_map(|tables| Some((*tables, tables.sessions_query(&names)?)))?;
        let mut ids = base.prepare(&query).ok()?;
        let ids: Vec<String> = ids
            .query_map([], |row| Ok(sql_value_text(row.get_ref(0)?)))
            .ok()?
            .flatten()
            .take(MOST_MEMBERS)
            .collect();
        let mut names = MemberNames::default();
        ids.iter().for_each(|id| names.add_row(Some(id)));
        Some(Self { source, tables, names, ids })
    }
}

impl Members for SessionDatabase {
    fn names(&self) -> &MemberNames {
        &self.names
    }

    fn are_runs(&self) -> bool {
        true
    }

    fn has_session(&self, id: &str) -> bool {
        let base = self.source.open_database();
        base.is_ok_and(|base| self.tables.has_session(&base, id).unwrap_or(false))
    }

    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)> {
        let base = self.source.open_database().map_err(|why| why.to_string());
        let values = base
            .and_then(|base| self.tables.session_lines(&base, &self.ids[at]))
            .map_err(|why| io::Error::other(format!("the database cannot be read: {why}")))?;
        let mut out = vec![];
        for value in values {
            serde_json::to_writer(&mut out, &value)?;
            out.push(b'\n');
        }
        Ok(crate::file_bytes::read_within(&out[..], most))
    }
}
