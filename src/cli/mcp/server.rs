//! A server of the Model Context Protocol on standard input and output, for any tools.
//!
//! The protocol is that of the SDK. Tools are called one after the other on a thread of their own, so that a long call
//! stops no ping; a tool that panics is a failed call, and the server goes on. Nothing but the protocol goes to standard output.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool, ToolAnnotations,
    },
    service::{RequestContext, ServerInitializeError},
};

/// The tools of a server.
pub(super) trait Toolbox: Send + Sync + 'static {
    /// Returns the text that an agent reads when it connects.
    fn agent_instructions(&self) -> String;

    fn listed_tools(&self) -> Vec<Tool>;

    /// Answers a call of one of the tools. The error is a sentence.
    fn call_tool(&self, name: &str, arguments: JsonObject) -> Result<String, String>;
}

/// Makes a tool that reads and never writes.
pub(super) fn reading_tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    input_schema: Arc<JsonObject>,
) -> Tool {
    let hints = ToolAnnotations::new().read_only(true).destructive(false);
    Tool::new(name, description, input_schema)
        .with_title(title)
        .with_annotations(hints.idempotent(true).open_world(false))
}

/// Serves tools until standard input ends. The error is a sentence.
pub(super) fn serve_tools(toolbox: impl Toolbox) -> Result<(), String> {
    let cannot = |why: &dyn std::fmt::Display| format!("the MCP server stopped: {why}");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(STACK_BYTES)
        .build()
        .map_err(|why| cannot(&why))?;
    let handler = Handler { toolbox: Arc::new(toolbox), turn: Arc::default() };
    let served = runtime.block_on(async {
        let stdio = rmcp::transport::io::stdio();
        let running = match rmcp::serve_server(handler, stdio).await {
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()), // no agent connected
            running => running.map_err(|why| cannot(&why))?,
        };
        running.waiting().await.map(drop).map_err(|why| cannot(&why))
    });
    // A thread that still reads from standard input is not waited for.
    runtime.shutdown_background();
    served
}

/// As much as the main thread has: recordings may be nested deep.
const STACK_BYTES: usize = 8 << 20;

struct Handler<T> {
    toolbox: Arc<T>,
    /// Locked by the call that is answered: one at a time, however many an agent sends.
    turn: Arc<Mutex<()>>,
}

impl<T: Toolbox> ServerHandler for Handler<T> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("trajview", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.toolbox.agent_instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.toolbox.listed_tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = self.toolbox.listed_tools();
        if !tools.iter().any(|tool| tool.name == request.name) {
            let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            let why = format!("unknown tool {}; available: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(why, None));
        }
        let (toolbox, turn) = (Arc::clone(&self.toolbox), Arc::clone(&self.turn));
        let answering = tokio::task::spawn_blocking(move || {
            // A call that panicked has left nothing behind.
            let _one_at_a_time = turn.lock().unwrap_or_else(PoisonError::into_inner);
            toolbox.call_tool(&request.name, request.arguments.unwrap_or_default())
        });
        let answer = answering
            .await
            .unwrap_or_else(|_| Err("internal error in trajview; please report it".into()));
        let result = match answer {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        };
        Ok(result.into())
    }
}
