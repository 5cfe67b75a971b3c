//! Language models: one request, one reply, whoever serves it.
//!
//! A [`ModelClient`] takes a [`Request`] and gives a [`Reply`] or a [`ModelError`] that says what to do. Nothing here
//! knows of SQL, schemas or conversations.
//!
//! - [`OpenAiClient`] speaks to any OpenAI-compatible server, and survives what such servers do;
//! - [`Scripted`] answers from a list or a function, for tests;
//! - [`Cached`] answers the same request once;
//! - [`Recorder`] writes every exchange to a file, and [`Replay`] answers from one.

mod cache;
mod client;
mod error;
#[cfg(feature = "openai")]
pub mod openai;
mod recording;
mod scripted;
mod settings;

pub use cache::Cached;
pub use client::{
    ClientFuture, ModelClient, Progress, ProgressSink, Reply, ReplySchema, Request, TokenUsage,
};
pub use error::{ModelError, ModelErrorKind};
#[cfg(feature = "openai")]
pub use openai::OpenAiClient;
pub use recording::{Recorder, Replay};
pub use scripted::Scripted;
pub use settings::{AuthStyle, ModelSettings, PhaseUse, TokenizerKind};
pub use sqlogue_base::secret::Secret;
