//! The MCP face: what an assistant may call and read.
//!
//! A session of MCP has a conversation of its own, which its calls go on with. Newer clients have no sessions: they pass
//! the conversation on that an answer names.

mod resources;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use tokio::sync::Mutex;

use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;

/// What an assistant should know before it calls anything.
const INSTRUCTIONS: &str = "sqlogue answers questions about databases in conversation. It reads and never writes. Ask in \
plain words with `ask`; a follow-up such as `only the last year` or `by country instead` goes on from the answer before. \
Each answer has its SQL, how sure it is (`answer_confidence`), the words it does not account for (`left_out`) and other \
ways to read the question (`readings`; ask `2` for the first of them). Where `status` is `awaiting_correction`, ask with one \
of `options`. `describe_schema` shows the tables, `run_sql` runs a query of yours, `explain` says why the last answer is what \
it is, `undo` takes the last turn back.";

/// So many sessions of MCP may be open over HTTP.
const SESSIONS: usize = 1_000;

/// One session of MCP.
#[derive(Clone)]
pub(crate) struct Assistant {
    desk: Arc<Desk>,
    /// The conversation that calls go on with, and whose it is.
    conversation: Arc<Mutex<Option<(Owner, String)>>>,
}

impl Assistant {
    fn new(desk: Arc<Desk>) -> Self {
        Self { desk, conversation: Arc::default() }
    }

    /// The conversation that a call is about: the one it names, or the session's, which begins with the first call.
    async fn conversation(
        &self,
        owner: &Owner,
        named: Option<String>,
        database: Option<&str>,
    ) -> Result<String, Problem> {
        let mut own = self.conversation.lock().await;
        if let Some(id) = named {
            // One that does not exist, or is somebody else's, is told here and not remembered.
            self.desk.conversations.look(owner, &id).await?;
            *own = Some((owner.clone(), id.clone()));
            return Ok(id);
        }
        if let Some((_, id)) = own.as_ref().filter(|(known, _)| known == owner && database.is_none()) {
            return Ok(id.clone());
        }
        let id = self.desk.create(owner, database, None).await?.id;
        *own = Some((owner.clone(), id.clone()));
        Ok(id)
    }

    /// The conversation that there is already.
    async fn conversation_so_far(&self, owner: &Owner, named: Option<String>) -> Result<String, Problem> {
        if let Some(id) = named {
            return Ok(id);
        }
        let own = self.conversation.lock().await;
        let id = own.as_ref().filter(|(known, _)| known == owner).map(|(_, id)| id.clone());
        id.ok_or_else(|| {
            Problem::conflict("nothing was asked yet (hint: `ask` first, or name the `conversation`)")
        })
    }
}

/// Whose a call is. On standard input and output there is only one who can call.
fn owner(context: &RequestContext<RoleServer>) -> Owner {
    let parts = context.extensions.get::<Parts>();
    parts.and_then(|parts| parts.extensions.get::<Owner>()).cloned().unwrap_or(Owner::Local)
}

impl ServerHandler for Assistant {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("sqlogue", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let Some(called) = self.called(&request.name, arguments, &owner(&context)).await else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        Ok(match called {
            Ok(value) => CallToolResult::structured(value).into(),
            // The assistant should read what is wrong, and try something else.
            Err(problem) => {
                CallToolResult::error(vec![rmcp::model::ContentBlock::text(problem.line())]).into()
            }
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all(&self.desk)))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&self.desk, &owner(&context), &request.uri).await {
            Ok(content) => Ok(ReadResourceResult::new(vec![content]).into()),
            Err(problem) => Err(ErrorData::resource_not_found(problem.line(), None)),
        }
    }
}

/// MCP on standard input and output.
///
/// # Errors
/// The other side does not speak MCP.
pub(crate) async fn over_stdio(desk: Arc<Desk>) -> Result<(), std::io::Error> {
    let service = Assistant::new(desk).serve(stdio()).await.map_err(std::io::Error::other)?;
    service.waiting().await.map_err(std::io::Error::other)?;
    Ok(())
}

/// MCP over HTTP, at `/mcp`. Whence requests come, and whose they are, was settled before they are here.
pub(crate) fn over_http(desk: Arc<Desk>) -> Router<Arc<Desk>> {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(desk.options.limits.body)
        .with_cancellation_token(desk.stop.clone());
    let sessions = Arc::new(LocalSessionManager::default());
    let assistant = move || Ok(Assistant::new(Arc::clone(&desk)));
    let service = StreamableHttpService::new(assistant, Arc::clone(&sessions), config);
    let bounded = from_fn(move |request: Request, next: Next| {
        let sessions = Arc::clone(&sessions);
        async move {
            // A session ends by itself some minutes after its last request.
            let begins = !request.headers().contains_key("mcp-session-id");
            if begins && sessions.sessions.read().await.len() >= SESSIONS {
                let full = Problem::too_many("too many sessions of MCP are open", Duration::from_secs(60));
                return full.into_response();
            }
            let ends = request.method() == Method::DELETE;
            let mut response = next.run(request).await;
            // The session has ended by then, and clients that were told *accepted* complain that it has not.
            if ends && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            response
        }
    });
    Router::new().route_service("/mcp", service).route_layer(bounded)
}
