//! Reads from the arguments of a call which files it changes and how, by the names that agents have in common.
//!
//! Tools are known by the last part of their name and by what their arguments hold, not by the agent: the same few shapes
//! are written by all of them.

use std::borrow::Cow;

use crate::{
    json_object::{self, JsonObject},
    tape::{JsonTape, TapeValue},
};
use trajview_run::{
    EditKind,
    files::{RecordedChange, Replacement},
    pictures,
};

use super::event::{FileEdit, RecordedCall};

const PATH_KEYS: [&str; 13] = [
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
const CONTENT_KEYS: [&str; 7] =
    ["content", "contents", "file_text", "fileText", "CodeContent", "text", "code"];
const OLD_TEXT_KEYS: [&str; 8] =
    ["old_string", "oldString", "old_str", "oldStr", "oldText", "old_text", "TargetContent", "old"];
const NEW_TEXT_KEYS: [&str; 8] = [
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "newText",
    "new_text",
    "ReplacementContent",
    "new",
];
const REPLACE_ALL_KEYS: [&str; 4] =
    ["replace_all", "replaceAll", "AllowMultiple", "allow_multiple"];

/// Returns a call by its arguments, edits and all.
pub fn call_from_arguments<'t>(
    name: impl Into<Cow<'t, str>>,
    id: Option<Cow<'t, str>>,
    arguments: Option<TapeValue<'t>>,
) -> RecordedCall<'t> {
    let name = name.into();
    // Many APIs hand the arguments on as a string.
    let arguments = arguments
        .map(|raw| json_object::string_text(raw).unwrap_or(Cow::Borrowed(raw.get())))
        .unwrap_or_default();
    let edits = edits_of_call(&name, &arguments);
    let main = editor_label(&name, &arguments).map(Cow::Owned).unwrap_or_default();
    RecordedCall {
        name,
        id: id.unwrap_or_default(),
        arguments,
        main,
        edits,
        ..RecordedCall::default()
    }
}

/// Returns the command and the file of a call of an editor with commands.
fn editor_label(name: &str, arguments: &str) -> Option<String> {
    if EditTool::from_name(name) != EditTool::Editor {
        return None;
    }
    let tape = JsonTape::parse(arguments);
    let fields = JsonObject::from_tape(&tape)?;
    Some(format!("{} {}", fields.text("command")?, fields.first_text(&PATH_KEYS)?))
}

/// Returns the files that a call changes if it does not fail.
pub fn edits_of_call(name: &str, arguments: &str) -> Vec<FileEdit> {
    let kind = EditTool::from_name(name);
    if kind == EditTool::Other {
        return vec![];
    }
    let patched = FileEdit::from_patch(arguments);
    if !patched.is_empty() {
        return patched;
    }
    let tape = JsonTape::parse(arguments);
    let Some(fields) = JsonObject::from_tape(&tape) else { return vec![] };
    let Some(path) = fields.first_text(&PATH_KEYS).filter(|path| !path.is_empty()) else {
        return if kind == EditTool::Edit { edits_of_several_files(&fields) } else { vec![] };
    };
    // One tool writes files and changes them, by what it is commanded.
    let is_commanded = kind == EditTool::Write && fields.has_field("command");
    let kind = if is_commanded { EditTool::Editor } else { kind };
    requested_change(kind, &fields)
        .map(|(kind, change)| FileEdit::new(path, kind, change))
        .into_iter()
        .collect()
}

/// Returns the edits of a call whose replacements each name a file of their own.
fn edits_of_several_files(fields: &JsonObject<'_>) -> Vec<FileEdit> {
    let mut files: Vec<(String, Vec<Replacement>)> = vec![];
    let several = ["replacements", "edits"].iter().find_map(|key| fields.get(key));
    for part in several.into_iter().flat_map(TapeValue::elements).filter_map(JsonObject::from_value)
    {
        let path = owned_text(&part, &PATH_KEYS).filter(|path| !path.is_empty());
        let (Some(path), Some(replaced)) = (path, one_replacement(&part)) else { continue };
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

/// Marks that agents write in place of the unchanged lines of a file.
const ELISIONS: [&str; 3] = ["...existing code...", "... existing code ...", "…existing code…"];

fn is_elided(change: &RecordedChange) -> bool {
    let RecordedChange::Write(text) = change else { return false };
    ELISIONS.iter().any(|mark| text.contains(mark))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EditTool {
    Write,
    Edit,
    Delete,
    /// One tool with a `command` among its arguments.
    Editor,
    Patch,
    Other,
}

impl EditTool {
    fn from_name(name: &str) -> Self {
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

fn requested_change(tool: EditTool, fields: &JsonObject<'_>) -> Option<(EditKind, RecordedChange)> {
    let write =
        || Some((EditKind::Create, RecordedChange::Write(owned_text(fields, &CONTENT_KEYS)?)));
    let replaced = || {
        let parts = all_replacements(fields);
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
        EditTool::Write => write(),
        // An edit may give the whole file, or words for another model to make the edit from.
        EditTool::Edit => replaced()
            .or_else(|| fields.text("instructions").is_none().then(write)?)
            .filter(|(_, change)| !is_elided(change))
            .or_else(changed),
        EditTool::Delete => Some((EditKind::Delete, RecordedChange::Delete)),
        EditTool::Editor => match &*fields.text("command")? {
            "create" | "write" => write(),
            "str_replace" | "strReplace" | "replace" => replaced(),
            "insert" | "append" | "undo_edit" => changed(),
            _ => None,
        },
        EditTool::Patch | EditTool::Other => None,
    }
}

fn owned_text(fields: &JsonObject<'_>, keys: &[&str]) -> Option<String> {
    fields.first_text(keys).map(Cow::into_owned)
}

fn all_replacements(fields: &JsonObject<'_>) -> Vec<Replacement> {
    let several = ["edits", "ReplacementChunks", "replacements"];
    let several = several.iter().find_map(|key| fields.get(key)).filter(|list| list.is_list());
    match several {
        Some(list) => list
            .elements()
            .filter_map(|part| one_replacement(&JsonObject::from_value(part)?))
            .collect(),
        None => one_replacement(fields).into_iter().collect(),
    }
}

fn one_replacement(fields: &JsonObject<'_>) -> Option<Replacement> {
    let (old, new) = (owned_text(fields, &OLD_TEXT_KEYS)?, owned_text(fields, &NEW_TEXT_KEYS)?);
    let all = REPLACE_ALL_KEYS.iter().any(|key| fields.flag(key) == Some(true));
    Some(Replacement { old, new, all })
}

/// Returns the text of a message's content: a string, the texts of its parts one below the other, `{text}` or `{content}`.
pub fn content_text(content: TapeValue<'_>) -> Cow<'_, str> {
    if let Some(text) = json_object::string_text(content) {
        return text;
    }
    if content.is_list() {
        let parts = content.elements().map(content_text).filter(|part| !part.is_empty());
        return parts.collect::<Vec<_>>().join("\n").into();
    }
    let Some(fields) = JsonObject::from_value(content) else { return Cow::Borrowed("") };
    let inner = ["text", "content", "output", "thinking", "summary"];
    match inner.iter().find_map(|key| fields.get(key)) {
        Some(inner) => content_text(inner),
        None => part_placeholder(&fields),
    }
}

/// Returns the reason of a failure, as programs write it: a text, `{message, code}`, the same below `error` or `data`.
pub fn error_text(error: TapeValue<'_>) -> Cow<'_, str> {
    let plain = content_text(error);
    let Some(fields) = JsonObject::from_value(error).filter(|_| plain.trim().is_empty()) else {
        return plain;
    };
    let below = || ["error", "data", "details"].iter().find_map(|key| fields.get(key));
    let nested = || below().map(error_text).filter(|text| !text.trim().is_empty());
    let message = fields.first_text(&["message", "reason"]).filter(|text| !text.trim().is_empty());
    let name = || fields.first_text(&["name", "code", "type", "kind"]);
    message.or_else(nested).or_else(name).unwrap_or(Cow::Borrowed(error.get()))
}

/// Returns the placeholder of a part without text.
fn part_placeholder<'t>(part: &JsonObject<'t>) -> Cow<'t, str> {
    let kind = part.text("type").unwrap_or_default();
    let url = part.first_text(&["image_url", "url"]).unwrap_or_default();
    if let Some((media_type, data)) = pictures::data_url_image(&url) {
        return format!("[image: {}]", pictures::describe_image(media_type, data)).into();
    }
    let media_type = part.first_text(&["media_type", "mimeType"]).unwrap_or_default();
    if let Some(data) = part.text("data").filter(|_| media_type.starts_with("image/")) {
        return format!("[image: {}]", pictures::describe_image(&media_type, &data)).into();
    }
    if ["image", "audio", "file", "document"].iter().any(|known| kind.contains(known)) {
        let name = part.first_text(&["filename", "path", "name"]).unwrap_or_default();
        return format!("[{kind}{}{name}]", if name.is_empty() { "" } else { " " }).into();
    }
    Cow::Borrowed("")
}

/// Returns the words of a field with [`content_text`]; empty where it is absent.
pub fn content_field_text<'t>(fields: &JsonObject<'t>, key: &str) -> Cow<'t, str> {
    fields.get(key).map(content_text).unwrap_or_default()
}
