//! Stored conversations.
