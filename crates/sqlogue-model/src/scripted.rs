//! Answers that were written beforehand.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::{ClientFuture, ModelClient, ModelError, ModelErrorKind, Reply, Request};

type Answer = Box<dyn Fn(&Request) -> Result<Reply, ModelError> + Send + Sync>;

/// A client for tests: it answers from a list, or by a function, and keeps what it was asked.
///
/// ```
/// use sqlogue_model::{ModelClient, Request, Scripted};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let client = Scripted::new(["first", "second"]);
/// let request = Request::new("greeting", "Be brief.", "Hello", 10);
/// assert_eq!(client.complete(&request).await?.text, "first");
/// assert_eq!(client.asked().len(), 1);
/// # Ok::<(), sqlogue_model::ModelError>(())
/// # }).unwrap();
/// ```
pub struct Scripted {
    answer: Answer,
    asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// Gives these answers, in order; after the last one it has none.
    pub fn new<T: Into<String>>(answers: impl IntoIterator<Item = T>) -> Self {
        let answers: VecDeque<String> = answers.into_iter().map(Into::into).collect();
        let answers = Mutex::new(answers);
        Self::answering(move |request| {
            let next = answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.map(Reply::text).ok_or_else(|| {
                ModelError::new(
                    ModelErrorKind::NotRecorded,
                    format!("the script ends before `{}`", request.task),
                )
            })
        })
    }

    /// Answers by a function.
    pub fn answering(answer: impl Fn(&Request) -> Result<Reply, ModelError> + Send + Sync + 'static) -> Self {
        Self { answer: Box::new(answer), asked: Mutex::default() }
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ModelClient for Scripted {
    fn model(&self) -> &str {
        "scripted"
    }

    fn complete<'a>(&'a self, request: &'a Request) -> ClientFuture<'a> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        Box::pin(std::future::ready((self.answer)(request)))
    }
}
