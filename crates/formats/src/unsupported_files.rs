//! Files that people try and that no format reads: what they are, and what to open in their place or how to convert them.

use super::{FileHead, head_json, json_object::JsonObject, tape::TapeValue};

/// Describes a file that no format claims, and what to do with it; None for an unknown kind. A sentence without a full
/// stop.
pub fn unsupported_file_hint(head: &FileHead<'_>) -> Option<&'static str> {
    UNSUPPORTED_KINDS.iter().find(|(is, _)| is(head)).map(|(_, what)| *what)
}

type UnsupportedKind = (fn(&FileHead<'_>) -> bool, &'static str);

const UNSUPPORTED_KINDS: &[UnsupportedKind] = &[
    (
        is_update_stream,
        "a stream of updates of the Agent Client Protocol, as Grok writes it to updates.jsonl; the session with its whole \
         messages is in chat_history.jsonl in the same folder: open that",
    ),
    (
        is_kiro_chat,
        "a chat of Kiro's editor, which keeps one for each thing that the agent did and no session; sessions of Kiro's command \
         line are read: `/save FILE` writes one",
    ),
    (
        is_kiro_session,
        "a session of Kiro's editor: it has the person's words, what the agent did is in .chat files beside it; sessions of \
         Kiro's command line are read: `/save FILE` writes one",
    ),
    (
        is_chat_gpt,
        "conversations of ChatGPT's data export, which has no calls of tools; to read one, write its messages as a list of \
         {\"role\": …, \"content\": …}, in order, to a file of its own",
    ),
    (
        is_continue_index,
        "Continue's list of its sessions; the sessions are the other files in this folder, named by their ids",
    ),
    (
        is_editing_state,
        "the files that a chat of VS Code edited; the chat is in chatSessions beside the folder chatEditingSessions: open that",
    ),
    (
        is_phoenix_table,
        "spans of Arize Phoenix as CSV, whose lists are not JSON; export them as JSON lines: \
         `spans.reset_index().to_json(\"spans.jsonl\", orient=\"records\", lines=True)`",
    ),
    (
        is_editor_state,
        "a database in which an editor keeps its state, without conversations; Cursor's are in globalStorage/state.vscdb, those \
         of VS Code in workspaceStorage/*/chatSessions",
    ),
    (
        is_encrypted,
        "a conversation that Windsurf (cascade) or Antigravity (conversations) keeps encrypted: nothing else can read it; of \
         Antigravity open brain/*/transcript.jsonl, of Windsurf save the conversation from the editor (Download Trajectory)",
    ),
    (
        is_windsurf_markdown,
        "a trajectory that Windsurf saved as Markdown, which has no results of its calls; to read its words, write them as a list of \
         {\"role\": …, \"content\": …} to a file of its own",
    ),
];

fn is_update_stream(head: &FileHead<'_>) -> bool {
    let is_update = |fields: &JsonObject<'_>| {
        let of = |fields: &JsonObject<'_>| {
            fields.object("update").is_some_and(|it| it.has_field("sessionUpdate"))
        };
        of(fields) || fields.object("params").is_some_and(|params| of(&params))
    };
    head_json::any_object(head, &["\"sessionUpdate\""], is_update)
}

fn is_kiro_chat(head: &FileHead<'_>) -> bool {
    head_json::any_object(head, &["\"executionId\"", "\"chat\""], |fields| {
        fields.has_field("executionId") && fields.get("chat").is_some_and(TapeValue::is_list)
    })
}

fn is_kiro_session(head: &FileHead<'_>) -> bool {
    head_json::any_object(head, &["\"history\"", "\"executionId\""], |fields| {
        fields.has_field("sessionId") && fields.get("history").is_some_and(TapeValue::is_list)
    })
}

fn is_chat_gpt(head: &FileHead<'_>) -> bool {
    head_json::any_object(head, &["\"mapping\""], |fields| {
        fields.object("mapping").is_some() && fields.has_field("title")
    })
}

fn is_continue_index(head: &FileHead<'_>) -> bool {
    head_json::all_objects(head, &["\"workspaceDirectory\"", "\"dateCreated\""], |fields| {
        fields.has_field("sessionId") && fields.has_field("dateCreated")
    })
}

fn is_editing_state(head: &FileHead<'_>) -> bool {
    let marks = ["initialFileContents", "recentSnapshot"];
    head_json::any_object(head, &["\"version\""], |fields| {
        marks.iter().any(|mark| fields.has_field(mark))
    })
}

fn is_phoenix_table(head: &FileHead<'_>) -> bool {
    let first = head.text().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |mark: &str| memchr::memmem::find(first, mark.as_bytes()).is_some();
    !first.starts_with(b"{")
        && !first.starts_with(b"[")
        && has("span_kind")
        && has("context.trace_id")
}

fn is_editor_state(head: &FileHead<'_>) -> bool {
    head.name.ends_with(".vscdb") && head.bytes.starts_with(b"SQLite format 3")
}

fn is_encrypted(head: &FileHead<'_>) -> bool {
    head.name.ends_with(".pb") && std::str::from_utf8(head.bytes).is_err()
}

fn is_windsurf_markdown(head: &FileHead<'_>) -> bool {
    head.text().starts_with(b"# Cascade Chat Conversation")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_for(name: &str, bytes: &[u8]) -> Option<&'static str> {
        let head = FileHead { name, bytes, is_whole: true };
        assert!(crate::format_for_head(&head).is_none(), "{name} is read");
        unsupported_file_hint(&head)
    }

    #[test]
    fn a_file_that_people_try_and_that_is_not_read_says_what_it_is_and_what_to_do() {
        let files: [(&str, &[u8], &str); 9] = [
            (
                "updates.jsonl",
                br#"{"timestamp":1790000000,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Add div."}}}}"#,
                "chat_history.jsonl",
            ),
            ("updates.jsonl", br#"{"sessionId":"s","update":{"sessionUpdate":"plan"}}"#, "chat_history.jsonl"),
            (
                "0f.chat",
                br#"{"executionId":"e","actionId":"act","context":[],"chat":[{"role":"human","content":"hi"}],"metadata":{"modelId":"m"}}"#,
                "/save FILE",
            ),
            (
                "0f.json",
                br#"{"sessionId":"s","title":"t","workspaceDirectory":"/w","history":[{"message":{"role":"user","content":"hi"},"executionId":"e"}]}"#,
                "/save FILE",
            ),
            (
                "conversations.json",
                br#"[{"title":"t","create_time":1.5,"mapping":{"a":{"id":"a","message":null,"children":[]}},"current_node":"a"}]"#,
                "ChatGPT",
            ),
            (
                "sessions.json",
                br#"[{"sessionId":"s","title":"t","dateCreated":"1790000000000","workspaceDirectory":"/w"}]"#,
                "Continue's list",
            ),
            (
                "spans.csv",
                b",name,span_kind,parent_id,start_time,context.span_id,context.trace_id,attributes.llm.input_messages\n0,c,LLM,,x,a,b,\"[{'message.role': 'user'}]\"\n",
                "to_json",
            ),
            ("state.vscdb", b"SQLite format 3\0", "globalStorage"),
            ("0f.pb", b"\x0a\xff\xfe\x00", "encrypted"),
        ];
        for (name, bytes, expected) in files {
            let what = hint_for(name, bytes).unwrap_or_else(|| panic!("{name}"));
            assert!(what.contains(expected), "{name}: {what}");
        }
        assert_eq!(hint_for("a.json", br#"{"a": 1}"#), None);
    }
}
