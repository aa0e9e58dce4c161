//! Lists of bookkeeping records: known, and without use for a reader of the agent's work.
//!
//! A type that is in none of these lists is shown as it is, so that a new version is noticed. Add it here once it is
//! understood, or give it an arm in [`super::line`].

use std::{collections::HashSet, sync::LazyLock};

/// Record types of both dialects.
pub static IGNORED_RECORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_set(
        "agent-color agent-name agent-setting api-request api-request-blob api-request-shape \
        atis-latch attribution-snapshot bridge-session content-replacement control_request \
        control_response cost-state file-history-delta file-history-snapshot frame-link keep_alive \
        last-prompt mode permission-mode pr-link progress prompt_suggestion queue-operation \
        rate_limit_event relocated speculation-accept started stream_event tag task-summary \
        tool_progress tool_use_summary tools-used worktree-state",
    )
});

/// Subtypes of `system` records.
pub static IGNORED_SYSTEM_RECORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_set(
        "agents_killed away_summary background_tasks_changed bridge_status files_persisted \
        hook_progress hook_response hook_started memory_saved scheduled_task_fire session_start \
        session_state_changed status stop_hook_summary task_progress task_started task_updated \
        thinking thinking_tokens turn_duration",
    )
});

/// Types of attachments: what is put before the model without anybody asking.
pub static IGNORED_ATTACHMENTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_set(
        "agent_listing_delta agent_mention already_read_file async_hook_response auto_mode \
        auto_mode_exit budget_usd command_permissions compact_file_reference compaction_reminder \
        companion_intro context_efficiency critical_system_reminder current_session_memory date \
        date_change deferred_tools_delta diagnostics directory dynamic_skill environment file \
        hook_additional_context hook_permission_decision hook_success invoked_skills \
        mcp_instructions_delta mcp_resource model nested_memory opened_file_in_ide output_style \
        output_token_usage pdf_reference plan_file_reference plan_mode plan_mode_exit \
        plan_mode_reentry prompt_snapshot relevant_memories remote_session_change \
        selected_lines_in_ide session_context skill_discovery skill_listing structured_output \
        task_reminder task_status team_context todo todo_reminder token_usage \
        total_tokens_reminder ultrathink_effort verify_plan_reminder",
    )
});

fn word_set(list: &'static str) -> HashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}
