//! The shapes of the records, as far as we read them. Nothing here is required.

use super::json::{
    AmountField, CountField, FlagField, QuotedText, RawField, TextField, list_elements, read_field,
    read_object, record,
};
use crate::tape::{self, JsonTape};
use trajview_run::Tokens;

record! {
    /// One line, whatever its type. The session log writes `sessionId` and `toolUseResult`, the stream `session_id` and
    /// `tool_use_result`; some versions write both of the first.
    pub struct ClaudeRecord<'a> {
        kind: TextField<'a> = "type",
        subtype: TextField<'a> = "subtype",
        uuid: TextField<'a> = "uuid",
        parent_uuid: TextField<'a> = "parentUuid",
        timestamp: TextField<'a> = "timestamp",
        session_id: TextField<'a> = "sessionId",
        stream_session_id: TextField<'a> = "session_id",
        cwd: TextField<'a> = "cwd",
        git_branch: TextField<'a> = "gitBranch",
        version: TextField<'a> = "version",
        claude_code_version: TextField<'a> = "claude_code_version",
        model: TextField<'a> = "model",
        agent_id: TextField<'a> = "agentId",
        stream_agent_id: TextField<'a> = "agent_id",
        parent_tool_use_id: TextField<'a> = "parent_tool_use_id",
        request_id: TextField<'a> = "requestId",
        prompt_source: TextField<'a> = "promptSource",
        turn_origin: TextField<'a> = "turnOrigin",
        is_sidechain: FlagField = "isSidechain",
        is_meta: FlagField = "isMeta",
        is_compact_summary: FlagField = "isCompactSummary",
        is_api_error: FlagField = "isApiErrorMessage",
        is_synthetic: FlagField = "isSynthetic",
        is_error: FlagField = "is_error",
        prevented_continuation: FlagField = "preventedContinuation",
        hook_errors: RawField<'a> = "hookErrors",
        origin: RawField<'a> = "origin",
        message: RawField<'a> = "message",
        tool_use_result: RawField<'a> = "toolUseResult",
        stream_tool_use_result: RawField<'a> = "tool_use_result",
        attachment: RawField<'a> = "attachment",
        compact_metadata: RawField<'a> = "compactMetadata",
        stream_compact_metadata: RawField<'a> = "compact_metadata",
        content: RawField<'a> = "content",
        level: TextField<'a> = "level",
        error: RawField<'a> = "error",
        error_status: CountField = "error_status",
        attempt: CountField = "attempt",
        max_retries: CountField = "max_retries",
        session_attempt: CountField = "retryAttempt",
        session_max_retries: CountField = "maxRetries",
        summary: RawField<'a> = "summary",
        leaf_uuid: TextField<'a> = "leafUuid",
        custom_title: RawField<'a> = "customTitle",
        ai_title: RawField<'a> = "aiTitle",
        // A bare tool_use or tool_result of old drift.
        name: TextField<'a> = "name",
        input: RawField<'a> = "input",
        output: RawField<'a> = "output",
        // The stream's last record.
        result: RawField<'a> = "result",
        usage: RawField<'a> = "usage",
        model_usage: RawField<'a> = "modelUsage",
        total_cost_usd: AmountField = "total_cost_usd",
        permission_denials: RawField<'a> = "permission_denials",
        errors: RawField<'a> = "errors",
    }
}

impl<'a> ClaudeRecord<'a> {
    /// Returns the record of a line that was read; the error is a sentence.
    pub fn from_tape(
        line: &'a str,
        tape: Option<&'a JsonTape<'a>>,
    ) -> Result<Self, serde_json::Error> {
        let Some(value) = tape.map(JsonTape::root) else { return Err(json_error(line)) };
        if value.is_object() {
            return Ok(read_object(Some(value)));
        }
        let what = if value.is_list() { "an array" } else { "a single value" };
        Err(serde::de::Error::custom(format!("expected an object, found {what}")))
    }

    pub fn session_name(&self) -> &str {
        self.session_id.non_empty().or(self.stream_session_id.non_empty()).unwrap_or_default()
    }

    pub fn structured_result(&self) -> RawField<'a> {
        self.tool_use_result.or(self.stream_tool_use_result)
    }

    pub fn origin_kind(&self) -> TextField<'a> {
        read_field(self.origin, "kind")
    }
}

/// Returns the reason why a line is not JSON.
fn json_error(line: &str) -> serde_json::Error {
    let line = line.trim();
    if line.starts_with('{') {
        return tape::serde_error(line);
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(line) {
        Err(why) => why,
        Ok(_) => tape::serde_error(line),
    }
}

record! {
    pub struct ClaudeMessage<'a> {
        id: TextField<'a> = "id",
        model: TextField<'a> = "model",
        content: RawField<'a> = "content",
        usage: RawField<'a> = "usage",
    }
}

record! {
    /// One element of a message's content.
    pub struct ContentBlock<'a> {
        kind: TextField<'a> = "type",
        text: RawField<'a> = "text",
        thinking: RawField<'a> = "thinking",
        data: RawField<'a> = "data",
        id: TextField<'a> = "id",
        name: TextField<'a> = "name",
        input: RawField<'a> = "input",
        tool_use_id: TextField<'a> = "tool_use_id",
        content: RawField<'a> = "content",
        is_error: RawField<'a> = "is_error",
        source: RawField<'a> = "source",
    }
}

/// Returns the blocks of a message's content in order; a bare string is one text block. None where the content is
/// neither.
pub fn content_blocks<'a>(content: RawField<'a>) -> Option<Vec<ContentBlock<'a>>> {
    let raw = content?;
    if raw.is_string() {
        let kind = TextField(Some("text".into()));
        return Some(vec![ContentBlock { kind, text: content, ..ContentBlock::default() }]);
    }
    raw.is_list().then(|| list_elements(content).map(|block| read_object(Some(block))).collect())
}

record! {
    /// `usage` of a message or of a result.
    pub struct ClaudeUsage<'a> {
        input_tokens: CountField = "input_tokens",
        cache_creation_input_tokens: CountField = "cache_creation_input_tokens",
        cache_read_input_tokens: CountField = "cache_read_input_tokens",
        output_tokens: CountField = "output_tokens",
        output_tokens_details: RawField<'a> = "output_tokens_details",
        cache_creation: RawField<'a> = "cache_creation",
    }
}

impl ClaudeUsage<'_> {
    /// Returns the tokens. The three kinds of input are disjoint here and add up to what the model read.
    pub fn tokens(&self) -> Tokens {
        let parts =
            [self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens];
        let known: Vec<u64> = parts.iter().filter_map(|part| part.0).collect();
        let input = known.iter().fold(0u64, |sum, part| sum.saturating_add(*part));
        Tokens {
            input: (!known.is_empty()).then_some(input),
            cached_input: self.cache_read_input_tokens.0,
            output: self.output_tokens.0,
            reasoning: read_field::<CountField>(self.output_tokens_details, "thinking_tokens").0,
            cache_write: self.cache_creation_input_tokens.0,
            cache_write_1h: read_field::<CountField>(
                self.cache_creation,
                "ephemeral_1h_input_tokens",
            )
            .0,
        }
    }
}

record! {
    /// `toolUseResult`: the union of what the tools put there.
    pub struct ToolResultFields<'a> {
        kind: TextField<'a> = "type",
        file_path: RawField<'a> = "filePath",
        old_string: RawField<'a> = "oldString",
        new_string: RawField<'a> = "newString",
        replace_all: FlagField = "replaceAll",
        content: RawField<'a> = "content",
        edits: RawField<'a> = "edits",
        original_file: RawField<'a> = "originalFile",
        original_file_contents: RawField<'a> = "originalFileContents",
        structured_patch: RawField<'a> = "structuredPatch",
        user_modified: FlagField = "userModified",
        bash_edit_diff: RawField<'a> = "bashEditDiff",
        // Bash
        stdout: RawField<'a> = "stdout",
        interrupted: FlagField = "interrupted",
        persisted_output_size: CountField = "persistedOutputSize",
        persisted_output_path: TextField<'a> = "persistedOutputPath",
        // Task, Agent
        agent_id: TextField<'a> = "agentId",
        prompt: RawField<'a> = "prompt",
        // NotebookEdit
        notebook_path: RawField<'a> = "notebook_path",
        new_source: RawField<'a> = "new_source",
        original_notebook: RawField<'a> = "original_file",
        updated_notebook: RawField<'a> = "updated_file",
        error: RawField<'a> = "error",
    }
}

record! {
    /// A tool call's arguments: the union of what the tools take.
    pub struct ToolInput<'a> {
        command: RawField<'a> = "command",
        description: RawField<'a> = "description",
        file_path: RawField<'a> = "file_path",
        notebook_path: RawField<'a> = "notebook_path",
        path: RawField<'a> = "path",
        pattern: RawField<'a> = "pattern",
        query: RawField<'a> = "query",
        url: RawField<'a> = "url",
        prompt: RawField<'a> = "prompt",
        subagent_type: RawField<'a> = "subagent_type",
        subject: RawField<'a> = "subject",
        skill: RawField<'a> = "skill",
        plan: RawField<'a> = "plan",
        todos: RawField<'a> = "todos",
        old_string: RawField<'a> = "old_string",
        new_string: RawField<'a> = "new_string",
        replace_all: FlagField = "replace_all",
        content: RawField<'a> = "content",
        edits: RawField<'a> = "edits",
    }
}

record! {
    /// One of a MultiEdit's replacements.
    pub struct TextSwap<'a> {
        old_string: RawField<'a> = "old_string",
        new_string: RawField<'a> = "new_string",
        replace_all: FlagField = "replace_all",
    }
}

record! {
    pub struct ResultHunk<'a> {
        old_start: CountField = "oldStart",
        new_start: CountField = "newStart",
        lines: RawField<'a> = "lines",
    }
}

record! {
    pub struct ShellDiff<'a> {
        files: RawField<'a> = "files",
        changed_files: RawField<'a> = "changedFiles",
    }
}

record! {
    pub struct ShellFile<'a> {
        file_path: RawField<'a> = "filePath",
        hunks: RawField<'a> = "hunks",
        created: FlagField = "created",
        deleted: FlagField = "deleted",
    }
}

record! {
    pub struct CompactMetadata<'a> {
        trigger: TextField<'a> = "trigger",
        pre: CountField = "preTokens",
        post: CountField = "postTokens",
        stream_pre: CountField = "pre_tokens",
        stream_post: CountField = "post_tokens",
    }
}

record! {
    pub struct ClaudeAttachment<'a> {
        kind: TextField<'a> = "type",
        filename: RawField<'a> = "filename",
        snippet: RawField<'a> = "snippet",
        prompt: RawField<'a> = "prompt",
        command_mode: TextField<'a> = "commandMode",
        content: RawField<'a> = "content",
        hook_name: TextField<'a> = "hookName",
    }
}

record! {
    /// The side file of a sub-agent's log.
    pub struct AgentMeta<'a> {
        agent_type: TextField<'a> = "agentType",
        tool_use_id: TextField<'a> = "toolUseId",
        description: TextField<'a> = "description",
    }
}

/// Returns the string in a field; empty where there is none.
pub fn string_or_empty(raw: RawField<'_>) -> String {
    QuotedText::from_raw(raw).map(QuotedText::text).unwrap_or_default()
}
