//! Answers kept, so that the same prompt is not paid for twice.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::{ClientFuture, ModelClient, Reply, Request, TokenUsage};

/// Answers a request that was answered before as it was answered then, without asking anybody.
///
/// Answers are kept in memory and go with the process. Errors are not kept: they may be over the next time.
pub struct Cached {
    client: Arc<dyn ModelClient>,
    most: usize,
    kept: Mutex<VecDeque<(Request, Reply)>>,
}

impl Cached {
    /// Keeps the latest `most` answers of `client`.
    pub fn new(client: Arc<dyn ModelClient>, most: usize) -> Self {
        Self { client, most, kept: Mutex::default() }
    }

    fn known(&self, request: &Request) -> Option<Reply> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| is_same(known, request))?;
        // What was asked again is the last to be forgotten.
        let (request, reply) = kept.remove(at)?;
        let free = TokenUsage { prompt_tokens: Some(0), completion_tokens: Some(0) };
        let known = Reply { usage: free, requests: 0, ..reply.clone() };
        kept.push_back((request, reply));
        Some(known)
    }

    fn keep(&self, request: &Request, reply: &Reply) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= self.most {
            kept.pop_front();
        }
        kept.push_back((Request { progress: None, ..request.clone() }, reply.clone()));
    }
}

/// Whether two requests ask the same of the same model.
fn is_same(one: &Request, other: &Request) -> bool {
    one.task == other.task
        && one.system == other.system
        && one.user == other.user
        && one.schema == other.schema
        && one.max_tokens == other.max_tokens
        && one.temperature == other.temperature
}

impl ModelClient for Cached {
    fn model(&self) -> &str {
        self.client.model()
    }

    fn complete<'a>(&'a self, request: &'a Request) -> ClientFuture<'a> {
        Box::pin(async move {
            if let Some(known) = self.known(request) {
                return Ok(known);
            }
            let reply = self.client.complete(request).await?;
            self.keep(request, &reply);
            Ok(reply)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scripted;

    #[tokio::test]
    async fn the_same_prompt_is_answered_once_and_costs_nothing_again() {
        let client = Arc::new(Scripted::new(["first", "second", "third"]));
        let cached = Cached::new(client.clone(), 1);
        let ask = async |user: &str| cached.complete(&Request::new("t", "s", user, 10)).await;
        assert_eq!(ask("a").await.unwrap().requests, 1);
        let again = ask("a").await.unwrap();
        assert_eq!((again.text.as_str(), again.requests, again.usage.prompt_tokens), ("first", 0, Some(0)));
        assert_eq!(ask("b").await.unwrap().text, "second");
        assert_eq!(ask("a").await.unwrap().text, "third", "there was room for one");
        assert!(ask("c").await.is_err() && ask("c").await.is_err());
        assert_eq!(client.asked().len(), 5, "errors are not kept");
    }
}
