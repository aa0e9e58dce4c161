//! The shapes of the records, as far as we read them. Nothing here is required.

use super::json::{Amount, Count, Flag, Quoted, Raw, Text, elements, field, object, record};
use crate::tape::{self, Tape};
use trajview_run::Tokens;

record! {
    /// One line, whatever its type. The session log writes `sessionId` and `toolUseResult`, the stream `session_id` and
    /// `tool_use_result`; some versions write both of the first.
    pub struct Record<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        uuid: Text<'a> = "uuid",
        parent_uuid: Text<'a> = "parentUuid",
        timestamp: Text<'a> = "timestamp",
        session_id: Text<'a> = "sessionId",
        stream_session_id: Text<'a> = "session_id",
        cwd: Text<'a> = "cwd",
        git_branch: Text<'a> = "gitBranch",
        version: Text<'a> = "version",
        claude_code_version: Text<'a> = "claude_code_version",
        model: Text<'a> = "model",
        agent_id: Text<'a> = "agentId",
        stream_agent_id: Text<'a> = "agent_id",
        parent_tool_use_id: Text<'a> = "parent_tool_use_id",
        request_id: Text<'a> = "requestId",
        prompt_source: Text<'a> = "promptSource",
        turn_origin: Text<'a> = "turnOrigin",
        is_sidechain: Flag = "isSidechain",
        is_meta: Flag = "isMeta",
        is_compact_summary: Flag = "isCompactSummary",
        is_api_error: Flag = "isApiErrorMessage",
        is_synthetic: Flag = "isSynthetic",
        is_error: Flag = "is_error",
        prevented_continuation: Flag = "preventedContinuation",
        hook_errors: Raw<'a> = "hookErrors",
        origin: Raw<'a> = "origin",
        message: Raw<'a> = "message",
        tool_use_result: Raw<'a> = "toolUseResult",
        stream_tool_use_result: Raw<'a> = "tool_use_result",
        attachment: Raw<'a> = "attachment",
        compact_metadata: Raw<'a> = "compactMetadata",
        stream_compact_metadata: Raw<'a> = "compact_metadata",
        content: Raw<'a> = "content",
        level: Text<'a> = "level",
        error: Raw<'a> = "error",
        error_status: Count = "error_status",
        attempt: Count = "attempt",
        max_retries: Count = "max_retries",
        session_attempt: Count = "retryAttempt",
        session_max_retries: Count = "maxRetries",
        summary: Raw<'a> = "summary",
        leaf_uuid: Text<'a> = "leafUuid",
        custom_title: Raw<'a> = "customTitle",
        ai_title: Raw<'a> = "aiTitle",
        // A bare tool_use or tool_result of old drift.
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        output: Raw<'a> = "output",
        // The stream's last record.
        result: Raw<'a> = "result",
        usage: Raw<'a> = "usage",
        model_usage: Raw<'a> = "modelUsage",
        total_cost_usd: Amount = "total_cost_usd",
        permission_denials: Raw<'a> = "permission_denials",
        errors: Raw<'a> = "errors",
    }
}

impl<'a> Record<'a> {
    /// The record of a line that was read; the error is a sentence.
    pub fn of(line: &'a str, tape: Option<&'a Tape<'a>>) -> Result<Self, serde_json::Error> {
        let Some(value) = tape.map(Tape::root) else { return Err(why_not(line)) };
        if value.is_object() {
            return Ok(object(Some(value)));
        }
        let what = if value.is_list() { "an array" } else { "a single value" };
        Err(serde::de::Error::custom(format!("expected an object, found {what}")))
    }

    pub fn session(&self) -> &str {
        self.session_id.filled().or(self.stream_session_id.filled()).unwrap_or_default()
    }

    pub fn structured(&self) -> Raw<'a> {
        self.tool_use_result.or(self.stream_tool_use_result)
    }

    pub fn origin_kind(&self) -> Text<'a> {
        field(self.origin, "kind")
    }
}

/// Why a line is not JSON.
fn why_not(line: &str) -> serde_json::Error {
    let line = line.trim();
    if line.starts_with('{') {
        return tape::why_not(line);
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(line) {
        Err(why) => why,
        Ok(_) => tape::why_not(line),
    }
}

record! {
    pub struct Message<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        content: Raw<'a> = "content",
        usage: Raw<'a> = "usage",
    }
}

record! {
    /// One element of a message's content.
    pub struct Block<'a> {
        kind: Text<'a> = "type",
        text: Raw<'a> = "text",
        thinking: Raw<'a> = "thinking",
        data: Raw<'a> = "data",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        tool_use_id: Text<'a> = "tool_use_id",
        content: Raw<'a> = "content",
        is_error: Raw<'a> = "is_error",
        source: Raw<'a> = "source",
    }
}

/// The blocks of a message's content in order; a bare string is one text block. None where the content is neither.
pub fn blocks<'a>(content: Raw<'a>) -> Option<Vec<Block<'a>>> {
    let raw = content?;
    if raw.is_string() {
        let kind = Text(Some("text".into()));
        return Some(vec![Block { kind, text: content, ..Block::default() }]);
    }
    raw.is_list().then(|| elements(content).map(|block| object(Some(block))).collect())
}

record! {
    /// `usage` of a message or of a result.
    pub struct Usage<'a> {
        input_tokens: Count = "input_tokens",
        cache_creation_input_tokens: Count = "cache_creation_input_tokens",
        cache_read_input_tokens: Count = "cache_read_input_tokens",
        output_tokens: Count = "output_tokens",
        output_tokens_details: Raw<'a> = "output_tokens_details",
        cache_creation: Raw<'a> = "cache_creation",
    }
}

impl Usage<'_> {
    /// The three kinds of input are disjoint here and add up to what the model read.
    pub fn tokens(&self) -> Tokens {
        let parts =
            [self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens];
        let known: Vec<u64> = parts.iter().filter_map(|part| part.0).collect();
        let input = known.iter().fold(0u64, |sum, part| sum.saturating_add(*part));
        Tokens {
            input: (!known.is_empty()).then_some(input),
            cached_input: self.cache_read_input_tokens.0,
            output: self.output_tokens.0,
            reasoning: field::<Count>(self.output_tokens_details, "thinking_tokens").0,
            cache_write: self.cache_creation_input_tokens.0,
            cache_write_1h: field::<Count>(self.cache_creation, "ephemeral_1h_input_tokens").0,
        }
    }
}

record! {
    /// `toolUseResult`: the union of what the tools put there.
    pub struct Structured<'a> {
        kind: Text<'a> = "type",
        file_path: Raw<'a> = "filePath",
        old_string: Raw<'a> = "oldString",
        new_string: Raw<'a> = "newString",
        replace_all: Flag = "replaceAll",
        content: Raw<'a> = "content",
        edits: Raw<'a> = "edits",
        original_file: Raw<'a> = "originalFile",
        original_file_contents: Raw<'a> = "originalFileContents",
        structured_patch: Raw<'a> = "structuredPatch",
        user_modified: Flag = "userModified",
        bash_edit_diff: Raw<'a> = "bashEditDiff",
        // Bash
        stdout: Raw<'a> = "stdout",
        interrupted: Flag = "interrupted",
        persisted_output_size: Count = "persistedOutputSize",
        persisted_output_path: Text<'a> = "persistedOutputPath",
        // Task, Agent
        agent_id: Text<'a> = "agentId",
        prompt: Raw<'a> = "prompt",
        // NotebookEdit
        notebook_path: Raw<'a> = "notebook_path",
        new_source: Raw<'a> = "new_source",
        original_notebook: Raw<'a> = "original_file",
        updated_notebook: Raw<'a> = "updated_file",
        error: Raw<'a> = "error",
    }
}

record! {
    /// A tool call's arguments: the union of what the tools take.
    pub struct Input<'a> {
        command: Raw<'a> = "command",
        description: Raw<'a> = "description",
        file_path: Raw<'a> = "file_path",
        notebook_path: Raw<'a> = "notebook_path",
        path: Raw<'a> = "path",
        pattern: Raw<'a> = "pattern",
        query: Raw<'a> = "query",
        url: Raw<'a> = "url",
        prompt: Raw<'a> = "prompt",
        subagent_type: Raw<'a> = "subagent_type",
        subject: Raw<'a> = "subject",
        skill: Raw<'a> = "skill",
        plan: Raw<'a> = "plan",
        todos: Raw<'a> = "todos",
        old_string: Raw<'a> = "old_string",
        new_string: Raw<'a> = "new_string",
        replace_all: Flag = "replace_all",
        content: Raw<'a> = "content",
        edits: Raw<'a> = "edits",
    }
}

record! {
    /// One of a MultiEdit's replacements.
    pub struct Swap<'a> {
        old_string: Raw<'a> = "old_string",
        new_string: Raw<'a> = "new_string",
        replace_all: Flag = "replace_all",
    }
}

record! {
    pub struct Hunk<'a> {
        old_start: Count = "oldStart",
        new_start: Count = "newStart",
        lines: Raw<'a> = "lines",
    }
}

record! {
    pub struct ShellDiff<'a> {
        files: Raw<'a> = "files",
        changed_files: Raw<'a> = "changedFiles",
    }
}

record! {
    pub struct ShellFile<'a> {
        file_path: Raw<'a> = "filePath",
        hunks: Raw<'a> = "hunks",
        created: Flag = "created",
        deleted: Flag = "deleted",
    }
}

record! {
    pub struct CompactMetadata<'a> {
        trigger: Text<'a> = "trigger",
        pre: Count = "preTokens",
        post: Count = "postTokens",
        stream_pre: Count = "pre_tokens",
        stream_post: Count = "post_tokens",
    }
}

record! {
    pub struct Attachment<'a> {
        kind: Text<'a> = "type",
        filename: Raw<'a> = "filename",
        snippet: Raw<'a> = "snippet",
        prompt: Raw<'a> = "prompt",
        command_mode: Text<'a> = "commandMode",
        content: Raw<'a> = "content",
        hook_name: Text<'a> = "hookName",
    }
}

record! {
    /// The side file of a sub-agent's log.
    pub struct Meta<'a> {
        agent_type: Text<'a> = "agentType",
        tool_use_id: Text<'a> = "toolUseId",
        description: Text<'a> = "description",
    }
}

/// The string in a field; empty where there is none.
pub fn string(raw: Raw<'_>) -> String {
    Quoted::of(raw).map(Quoted::text).unwrap_or_default()
}
