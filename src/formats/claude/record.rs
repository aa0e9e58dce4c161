//! The shapes of the records, as far as we read them. Nothing here is required.

use serde::Deserialize;

use super::json::{Amount, Count, Flag, Quoted, Raw, Text, elements, object};
use crate::run::Tokens;

/// One line, whatever its type. The session log writes `sessionId` and `toolUseResult`, the stream `session_id` and
/// `tool_use_result`; some versions write both of the first.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Record<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub subtype: Text<'a>,
    #[serde(borrow)]
    pub uuid: Text<'a>,
    #[serde(borrow, rename = "parentUuid")]
    pub parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub timestamp: Text<'a>,
    #[serde(borrow, rename = "sessionId")]
    pub session_id: Text<'a>,
    #[serde(borrow, rename = "session_id")]
    pub stream_session_id: Text<'a>,
    #[serde(borrow)]
    pub cwd: Text<'a>,
    #[serde(borrow)]
    pub version: Text<'a>,
    #[serde(borrow)]
    pub claude_code_version: Text<'a>,
    #[serde(borrow)]
    pub model: Text<'a>,
    #[serde(borrow, rename = "agentId")]
    pub agent_id: Text<'a>,
    #[serde(borrow, rename = "agent_id")]
    pub stream_agent_id: Text<'a>,
    #[serde(borrow)]
    pub parent_tool_use_id: Text<'a>,
    #[serde(borrow, rename = "requestId")]
    pub request_id: Text<'a>,
    #[serde(borrow, rename = "promptSource")]
    pub prompt_source: Text<'a>,
    #[serde(borrow, rename = "turnOrigin")]
    pub turn_origin: Text<'a>,
    #[serde(rename = "isSidechain")]
    pub is_sidechain: Flag,
    #[serde(rename = "isMeta")]
    pub is_meta: Flag,
    #[serde(rename = "isCompactSummary")]
    pub is_compact_summary: Flag,
    #[serde(rename = "isApiErrorMessage")]
    pub is_api_error: Flag,
    #[serde(rename = "isSynthetic")]
    pub is_synthetic: Flag,
    pub is_error: Flag,
    #[serde(rename = "preventedContinuation")]
    pub prevented_continuation: Flag,
    #[serde(borrow, rename = "hookErrors")]
    pub hook_errors: Raw<'a>,
    #[serde(borrow)]
    pub origin: Raw<'a>,
    #[serde(borrow)]
    pub message: Raw<'a>,
    #[serde(borrow, rename = "toolUseResult")]
    pub tool_use_result: Raw<'a>,
    #[serde(borrow, rename = "tool_use_result")]
    pub stream_tool_use_result: Raw<'a>,
    #[serde(borrow)]
    pub attachment: Raw<'a>,
    #[serde(borrow, rename = "compactMetadata")]
    pub compact_metadata: Raw<'a>,
    #[serde(borrow, rename = "compact_metadata")]
    pub stream_compact_metadata: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub level: Text<'a>,
    #[serde(borrow)]
    pub error: Raw<'a>,
    pub error_status: Count,
    pub attempt: Count,
    pub max_retries: Count,
    #[serde(rename = "retryAttempt")]
    pub session_attempt: Count,
    #[serde(rename = "maxRetries")]
    pub session_max_retries: Count,
    #[serde(borrow)]
    pub summary: Raw<'a>,
    #[serde(borrow, rename = "customTitle")]
    pub custom_title: Raw<'a>,
    #[serde(borrow, rename = "aiTitle")]
    pub ai_title: Raw<'a>,
    // A bare tool_use or tool_result of old drift.
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
    #[serde(borrow)]
    pub output: Raw<'a>,
    // The stream's last record.
    #[serde(borrow)]
    pub result: Raw<'a>,
    #[serde(borrow)]
    pub usage: Raw<'a>,
    #[serde(borrow, rename = "modelUsage")]
    pub model_usage: Raw<'a>,
    pub total_cost_usd: Amount,
    #[serde(borrow)]
    pub permission_denials: Raw<'a>,
    #[serde(borrow)]
    pub errors: Raw<'a>,
}

impl<'a> Record<'a> {
    /// The error is a sentence.
    pub fn parse(line: &'a str) -> Result<Self, serde_json::Error> {
        let line = line.trim();
        if line.starts_with('{') {
            return serde_json::from_str(line);
        }
        let value: &serde_json::value::RawValue = serde_json::from_str(line)?;
        let what = if value.get().starts_with('[') { "an array" } else { "a single value" };
        Err(serde::de::Error::custom(format!("expected an object, found {what}")))
    }

    pub fn session(&self) -> &str {
        self.session_id.filled().or(self.stream_session_id.filled()).unwrap_or_default()
    }

    pub fn structured(&self) -> Raw<'a> {
        self.tool_use_result.or(self.stream_tool_use_result)
    }

    pub fn origin_kind(&self) -> Text<'a> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Origin<'a> {
            #[serde(borrow)]
            kind: Text<'a>,
        }
        object::<Origin<'_>>(self.origin).kind
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub id: Text<'a>,
    #[serde(borrow)]
    pub model: Text<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub usage: Raw<'a>,
}

/// One element of a message's content.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub text: Raw<'a>,
    #[serde(borrow)]
    pub thinking: Raw<'a>,
    #[serde(borrow)]
    pub data: Raw<'a>,
    #[serde(borrow)]
    pub id: Text<'a>,
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
    #[serde(borrow)]
    pub tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    pub is_error: Flag,
    #[serde(borrow)]
    pub source: Raw<'a>,
}

/// The blocks of a message's content in order; a bare string is one text block. None where the content is neither.
pub fn blocks<'a>(content: Raw<'a>) -> Option<Vec<Block<'a>>> {
    let raw = content?;
    if raw.get().starts_with('"') {
        let kind = Text(Some("text".into()));
        return Some(vec![Block { kind, text: content, ..Block::default() }]);
    }
    if !raw.get().starts_with('[') {
        return None;
    }
    let all = serde_json::from_str(raw.get());
    Some(all.unwrap_or_else(|_| {
        elements(content).into_iter().map(|block| object(Some(block))).collect()
    }))
}

/// `usage` of a message or of a result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Usage<'a> {
    pub input_tokens: Count,
    pub cache_creation_input_tokens: Count,
    pub cache_read_input_tokens: Count,
    pub output_tokens: Count,
    #[serde(borrow)]
    pub output_tokens_details: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    thinking_tokens: Count,
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
            reasoning: object::<OutputDetails>(self.output_tokens_details).thinking_tokens.0,
        }
    }
}

/// `toolUseResult`: the union of what the tools put there.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Structured<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub file_path: Raw<'a>,
    #[serde(borrow)]
    pub old_string: Raw<'a>,
    #[serde(borrow)]
    pub new_string: Raw<'a>,
    pub replace_all: Flag,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub edits: Raw<'a>,
    #[serde(borrow)]
    pub original_file: Raw<'a>,
    #[serde(borrow)]
    pub original_file_contents: Raw<'a>,
    #[serde(borrow)]
    pub structured_patch: Raw<'a>,
    pub user_modified: Flag,
    #[serde(borrow)]
    pub bash_edit_diff: Raw<'a>,
    // Bash
    #[serde(borrow)]
    pub stdout: Raw<'a>,
    pub interrupted: Flag,
    #[serde(borrow)]
    pub return_code_interpretation: Raw<'a>,
    #[serde(borrow)]
    pub background_task_id: Raw<'a>,
    pub persisted_output_size: Count,
    // Task, Agent
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    #[serde(borrow)]
    pub prompt: Raw<'a>,
    // NotebookEdit
    #[serde(borrow, rename = "notebook_path")]
    pub notebook_path: Raw<'a>,
    #[serde(borrow, rename = "new_source")]
    pub new_source: Raw<'a>,
    #[serde(borrow, rename = "original_file")]
    pub original_notebook: Raw<'a>,
    #[serde(borrow, rename = "updated_file")]
    pub updated_notebook: Raw<'a>,
    #[serde(borrow)]
    pub error: Raw<'a>,
}

/// A tool call's arguments: the union of what the tools take.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input<'a> {
    #[serde(borrow)]
    pub command: Raw<'a>,
    #[serde(borrow)]
    pub description: Raw<'a>,
    #[serde(borrow)]
    pub file_path: Raw<'a>,
    #[serde(borrow)]
    pub notebook_path: Raw<'a>,
    #[serde(borrow)]
    pub path: Raw<'a>,
    #[serde(borrow)]
    pub pattern: Raw<'a>,
    #[serde(borrow)]
    pub query: Raw<'a>,
    #[serde(borrow)]
    pub url: Raw<'a>,
    #[serde(borrow)]
    pub prompt: Raw<'a>,
    #[serde(borrow)]
    pub subagent_type: Raw<'a>,
    #[serde(borrow)]
    pub subject: Raw<'a>,
    #[serde(borrow)]
    pub skill: Raw<'a>,
    #[serde(borrow)]
    pub plan: Raw<'a>,
    #[serde(borrow)]
    pub todos: Raw<'a>,
    #[serde(borrow)]
    pub old_string: Raw<'a>,
    #[serde(borrow)]
    pub new_string: Raw<'a>,
    pub replace_all: Flag,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub edits: Raw<'a>,
}

/// One of a MultiEdit's replacements.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Swap<'a> {
    #[serde(borrow)]
    pub old_string: Raw<'a>,
    #[serde(borrow)]
    pub new_string: Raw<'a>,
    pub replace_all: Flag,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Hunk<'a> {
    pub old_start: Count,
    pub new_start: Count,
    #[serde(borrow)]
    pub lines: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ShellDiff<'a> {
    #[serde(borrow)]
    pub files: Raw<'a>,
    #[serde(borrow)]
    pub changed_files: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ShellFile<'a> {
    #[serde(borrow)]
    pub file_path: Raw<'a>,
    #[serde(borrow)]
    pub hunks: Raw<'a>,
    pub created: Flag,
    pub deleted: Flag,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompactMetadata<'a> {
    #[serde(borrow)]
    pub trigger: Text<'a>,
    #[serde(rename = "preTokens")]
    pub pre: Count,
    #[serde(rename = "postTokens")]
    pub post: Count,
    #[serde(rename = "pre_tokens")]
    pub stream_pre: Count,
    #[serde(rename = "post_tokens")]
    pub stream_post: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub filename: Raw<'a>,
    #[serde(borrow)]
    pub snippet: Raw<'a>,
    #[serde(borrow)]
    pub prompt: Raw<'a>,
    #[serde(borrow, rename = "commandMode")]
    pub command_mode: Text<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow, rename = "hookName")]
    pub hook_name: Text<'a>,
}

/// The side file of a sub-agent's log.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Meta<'a> {
    #[serde(borrow)]
    pub agent_type: Text<'a>,
    #[serde(borrow)]
    pub tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub description: Text<'a>,
}

/// The string in a field; empty where there is none.
pub fn string(raw: Raw<'_>) -> String {
    Quoted::of(raw).map(Quoted::text).unwrap_or_default()
}
