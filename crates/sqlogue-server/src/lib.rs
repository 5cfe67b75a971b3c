//! The faces of sqlogue for browsers, programs and assistants: HTTP, a page, MCP.
