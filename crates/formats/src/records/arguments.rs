//! What a call asks for, by the names and arguments that agents have in common: which files it changes and how.
//!
//! Tools are known by the last part of their name and by what their arguments hold, not by the agent: the same few shapes
//! are written by all of them.

use std::borrow::Cow;

use crate::{
    object::{self, Object},
    tape::{Tape, Value},
};
use trajview_run::{
    EditKind,
    files::{RecordedChange, Replacement},
    pictures,
};

use super::event::{Call, FileEdit};

const PATHS: [&str; 13] = [
    "file_path",
    "filePath",
    "filepath",
    "path",
    "absolute_path",
    "filename",
    "file",
    "TargetFile",
    "target_file",
    "AbsolutePath",
    "notebook_path",
    "notebookPath",
    "file_name",
];
const WHOLE: [&str; 7] =
    ["content", "contents", "file_text", "fileText", "CodeContent", "text", "code"];
const OLD: [&str; 8] =
    ["old_string", "oldString", "old_str", "oldStr", "oldText", "old_text", "TargetContent", "old"];
const NEW: [&str; 8] = [
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "newText",
    "new_text",
    "ReplacementContent",
    "new",
];
const ALL: [&str; 4] = ["replace_all", "replaceAll", "AllowMultiple", "allow_multiple"];

/// A call by its arguments, edits and all.
pub fn call<'t>(
    name: impl Into<Cow<'t, str>>,
    id: Option<Cow<'t, str>>,
    arguments: Option<Value<'t>>,
) -> Call<'t> {
    let name = name.into();
    // Many APIs hand the arguments on as a string.
    let arguments = arguments
        .map(|raw| object::text(raw).unwrap_or(Cow::Borrowed(raw.get())))
        .unwrap_or_default();
    let edits = edits(&name, &arguments);
    let main = editor_words(&name, &arguments).map(Cow::Owned).unwrap_or_default();
    Call { name, id: id.unwrap_or_default(), arguments, main, edits, ..Call::default() }
}

/// What an editor with commands is to do with which file.
fn editor_words(name: &str, arguments: &str) -> Option<String> {
    if Tool::of(name) != Tool::Editor {
        return None;
    }
    let tape = Tape::read(arguments);
    let fields = Object::on(&tape)?;
    Some(format!("{} {}", fields.text("command")?, fields.text_of(&PATHS)?))
}

/// The files that a call changes if it does not fail.
pub fn edits(name: &str, arguments: &str) -> Vec<FileEdit> {
    let kind = Tool::of(name);
    if kind == Tool::Other {
        return vec![];
    }
    let patched = FileEdit::of_patch(arguments);
    if !patched.is_empty() {
        return patched;
    }
    let tape = Tape::read(arguments);
    let Some(fields) = Object::on(&tape) else { return vec![] };
    let Some(path) = fields.text_of(&PATHS).filter(|path| !path.is_empty()) else {
        return if kind == Tool::Edit { of_several_files(&fields) } else { vec![] };
    };
    // One tool writes files and changes them, by what it is commanded.
    let is_commanded = kind == Tool::Write && fields.has("command");
    let kind = if is_commanded { Tool::Editor } else { kind };
    asked(kind, &fields)
        .map(|(kind, change)| FileEdit::new(path, kind, change))
        .into_iter()
        .collect()
}

/// Replacements that name each its own file.
fn of_several_files(fields: &Object<'_>) -> Vec<FileEdit> {
    let mut files: Vec<(String, Vec<Replacement>)> = vec![];
    let several = ["replacements", "edits"].iter().find_map(|key| fields.get(key));
    for part in several.into_iter().flat_map(Value::elements).filter_map(Object::of) {
        let path = text_of(&part, &PATHS).filter(|path| !path.is_empty());
        let (Some(path), Some(replaced)) = (path, replacement(&part)) else { continue };
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, parts)) => parts.push(replaced),
            None => files.push((path, vec![replaced])),
        }
    }
    let edit = |(path, mut parts): (String, Vec<Replacement>)| {
        let is_created = parts.len() == 1 && parts[0].old.is_empty();
        match is_created {
            true => {
                FileEdit::new(path, EditKind::Create, RecordedChange::Write(parts.remove(0).new))
            }
            false => FileEdit::new(path, EditKind::Modify, RecordedChange::Replace(parts)),
        }
    };
    files.into_iter().map(edit).collect()
}

/// Marks that agents write for the lines of a file that do not change.
const ELISIONS: [&str; 3] = ["...existing code...", "... existing code ...", "…existing code…"];

fn is_elided(change: &RecordedChange) -> bool {
    let RecordedChange::Write(text) = change else { return false };
    ELISIONS.iter().any(|mark| text.contains(mark))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Write,
    Edit,
    Delete,
    /// One tool with a `command` among its arguments.
    Editor,
    Patch,
    Other,
}

impl Tool {
    fn of(name: &str) -> Self {
        let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
        let last = last.rsplit("__").next().unwrap_or(last);
        let plain: String =
            last.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        match plain.as_str() {
            "write" | "writefile" | "writetofile" | "create" | "createfile" | "filewrite"
            | "writefiletool" | "savefile" | "createnewfile" => Self::Write,
            "edit"
            | "replace"
            | "editfile"
            | "strreplace"
            | "searchreplace"
            | "multiedit"
            | "fileedit"
            | "strreplacefile"
            | "replaceinfile"
            | "replacestringinfile"
            | "multireplacestringinfile"
            | "replacefilecontent"
            | "multireplacefilecontent"
            | "edittool"
            | "applydiff"
            | "notebookedit"
            | "insertcontent"
            | "insert"
            | "insertedit"
            | "inserteditintofile"
            | "editexistingfile"
            | "singlefindandreplace"
            | "editnotebookfile"
            | "searchandreplace" => Self::Edit,
            "delete" | "deletefile" | "removefile" | "undo" => Self::Delete,
            "strreplaceeditor"
            | "fswrite"
            | "strreplacebasededittool"
            | "texteditor"
            | "fileeditor"
            | "developertexteditor" => Self::Editor,
            "applypatch" | "patch" => Self::Patch,
            _ => Self::Other,
        }
    }
}

fn asked(tool: Tool, fields: &Object<'_>) -> Option<(EditKind, RecordedChange)> {
    let write = || Some((EditKind::Create, RecordedChange::Write(text_of(fields, &WHOLE)?)));
    let replaced = || {
        let parts = replacements(fields);
        let is_created = parts.len() == 1 && parts[0].old.is_empty();
        match parts {
            parts if parts.is_empty() => None,
            mut parts if is_created => {
                Some((EditKind::Create, RecordedChange::Write(parts.remove(0).new)))
            }
            parts => Some((EditKind::Modify, RecordedChange::Replace(parts))),
        }
    };
    let changed = || Some((EditKind::Modify, RecordedChange::NotRecorded));
    match tool {
        Tool::Write => write(),
        // An edit may give the whole file, or words for another model to make the edit from.
        Tool::Edit => replaced()
            .or_else(|| fields.text("instructions").is_none().then(write)?)
            .filter(|(_, change)| !is_elided(change))
            .or_else(changed),
        Tool::Delete => Some((EditKind::Delete, RecordedChange::Delete)),
        Tool::Editor => match &*fields.text("command")? {
            "create" | "write" => write(),
            "str_replace" | "strReplace" | "replace" => replaced(),
            "insert" | "append" | "undo_edit" => changed(),
            _ => None,
        },
        Tool::Patch | Tool::Other => None,
    }
}

fn text_of(fields: &Object<'_>, keys: &[&str]) -> Option<String> {
    fields.text_of(keys).map(Cow::into_owned)
}

fn replacements(fields: &Object<'_>) -> Vec<Replacement> {
    let several = ["edits", "ReplacementChunks", "replacements"];
    let several = several.iter().find_map(|key| fields.get(key)).filter(|list| list.is_list());
    match several {
        Some(list) => list.elements().filter_map(|part| replacement(&Object::of(part)?)).collect(),
        None => replacement(fields).into_iter().collect(),
    }
}

fn replacement(fields: &Object<'_>) -> Option<Replacement> {
    let (old, new) = (text_of(fields, &OLD)?, text_of(fields, &NEW)?);
    let all = ALL.iter().any(|key| fields.flag(key) == Some(true));
    Some(Replacement { old, new, all })
}

/// The words of a message's content: a string, the words of its parts one below the other, `{text}` or `{content}`.
pub fn words(content: Value<'_>) -> Cow<'_, str> {
    if let Some(text) = object::text(content) {
        return text;
    }
    if content.is_list() {
        let parts = content.elements().map(words).filter(|part| !part.is_empty());
        return parts.collect::<Vec<_>>().join("\n").into();
    }
    let Some(fields) = Object::of(content) else { return Cow::Borrowed("") };
    let inner = ["text", "content", "output", "thinking", "summary"];
    match inner.iter().find_map(|key| fields.get(key)) {
        Some(inner) => words(inner),
        None => placeholder(&fields),
    }
}

/// Why something failed, as programs write it: a text, `{message, code}`, the same below `error` or `data`.
pub fn error_words(error: Value<'_>) -> Cow<'_, str> {
    let plain = words(error);
    let Some(fields) = Object::of(error).filter(|_| plain.trim().is_empty()) else { return plain };
    let below = || ["error", "data", "details"].iter().find_map(|key| fields.get(key));
    let nested = || below().map(error_words).filter(|text| !text.trim().is_empty());
    let message = fields.text_of(&["message", "reason"]).filter(|text| !text.trim().is_empty());
    let name = || fields.text_of(&["name", "code", "type", "kind"]);
    message.or_else(nested).or_else(name).unwrap_or(Cow::Borrowed(error.get()))
}

/// What stands for a part that has no words.
fn placeholder<'t>(part: &Object<'t>) -> Cow<'t, str> {
    let kind = part.text("type").unwrap_or_default();
    let url = part.text_of(&["image_url", "url"]).unwrap_or_default();
    if let Some((media_type, data)) = pictures::of_url(&url) {
        return format!("[image: {}]", pictures::said(media_type, data)).into();
    }
    let media_type = part.text_of(&["media_type", "mimeType"]).unwrap_or_default();
    if let Some(data) = part.text("data").filter(|_| media_type.starts_with("image/")) {
        return format!("[image: {}]", pictures::said(&media_type, &data)).into();
    }
    if ["image", "audio", "file", "document"].iter().any(|known| kind.contains(known)) {
        let name = part.text_of(&["filename", "path", "name"]).unwrap_or_default();
        return format!("[{kind}{}{name}]", if name.is_empty() { "" } else { " " }).into();
    }
    Cow::Borrowed("")
}

/// The words of a field of a record; empty where it is absent.
pub fn words_of<'t>(fields: &Object<'t>, key: &str) -> Cow<'t, str> {
    fields.get(key).map(words).unwrap_or_default()
}
