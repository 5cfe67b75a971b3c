//! A turn as a stream: what happens while it runs, and its end.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::Stream;

use super::{Engine, QueryInput, TurnOptions, Turned};
use crate::conversation::{Change, ConversationState};
use crate::database::BoxFuture;
use crate::error::Error;
use crate::graph::{Event, Observer};

/// What a [`TurnStream`] tells.
#[derive(Debug)]
#[non_exhaustive]
pub enum TurnEvent {
    /// Something happened on the way: a node began, the state changed, a decision was taken. It is `Serialize`.
    Progress(Box<Event<'static, Change>>),
    /// The turn is over, or waits for an approval. Nothing comes after it.
    Turned(Box<Turned>),
}

/// A turn under way. It moves only while it is read; dropping it stops the turn, and what runs on the database too.
#[must_use = "a turn does not begin before the stream is read"]
pub struct TurnStream {
    turn: Option<BoxFuture<'static, Result<Turned, Error>>>,
    heard: Arc<Heard>,
    end: Option<Result<Turned, Error>>,
}

/// What was told of the turn and nobody has read yet.
#[derive(Default)]
struct Heard(Mutex<VecDeque<Event<'static, Change>>>);

impl Heard {
    fn next(&self) -> Option<Event<'static, Change>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

impl Observer<ConversationState> for Heard {
    fn on_event(&self, event: &Event<'_, Change>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(event.clone().into_owned());
    }
}

impl Engine {
    /// One turn as a stream of what happens in it; its last item is what came of it.
    ///
    /// An observer in the options is told as well.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use futures_util::StreamExt as _;
    /// use sqlogue::Engine;
    /// use sqlogue::engine::{TurnEvent, Turned};
    /// use sqlogue::graph::Event;
    ///
    /// let engine = Engine::builder().build()?;
    /// let mut turn = engine.stream("How many customers are there?", None, Default::default());
    /// let mut nodes = Vec::new();
    /// while let Some(event) = turn.next().await {
    ///     match event? {
    ///         TurnEvent::Progress(event) => match *event {
    ///             Event::NodeStarted { node, .. } => nodes.push(node.into_owned()),
    ///             _ => {}
    ///         },
    ///         TurnEvent::Turned(turned) => match *turned {
    ///             Turned::Done(answer) => assert_eq!(answer.rows()?.len(), 1),
    ///             Turned::Paused(_) => unreachable!("no approval was asked for"),
    ///         },
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!((nodes.first().unwrap().as_str(), nodes.last().unwrap().as_str()), ("analyze_schema", "cleanup"));
    /// # Ok::<(), sqlogue::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn stream(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
        options: TurnOptions,
    ) -> TurnStream {
        let heard = Arc::new(Heard::default());
        let mut engine = self.clone();
        engine.observers.push(heard.clone());
        let input = input.into();
        let turn = async move { engine.turn(input, previous_state, options).await };
        TurnStream { turn: Some(Box::pin(turn)), heard, end: None }
    }
}

impl Stream for TurnStream {
    type Item = Result<TurnEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(event) = this.heard.next() {
            return Poll::Ready(Some(Ok(TurnEvent::Progress(Box::new(event)))));
        }
        if let Some(turn) = &mut this.turn
            && let Poll::Ready(end) = turn.as_mut().poll(context)
        {
            this.turn = None;
            this.end = Some(end);
        }
        // What was told on the way comes before the end. It is read without a wake-up: the turn tells only while it is polled.
        if let Some(event) = this.heard.next() {
            return Poll::Ready(Some(Ok(TurnEvent::Progress(Box::new(event)))));
        }
        match (this.end.take(), &this.turn) {
            (Some(end), _) => Poll::Ready(Some(end.map(|turned| TurnEvent::Turned(Box::new(turned))))),
            (None, Some(_)) => Poll::Pending,
            (None, None) => Poll::Ready(None),
        }
    }
}

impl fmt::Debug for TurnStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnStream").field("is_over", &self.turn.is_none()).finish_non_exhaustive()
    }
}
