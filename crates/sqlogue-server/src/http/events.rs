//! A turn as it happens: server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::{JoinError, JoinHandle};
use tracing::Instrument as _;

use super::turns::Shape;
use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;
use crate::turns::{Asked, Came};
use crate::watch::Told;

/// Where nothing happens for so long, an empty comment says that the connection lives.
const QUIET: Duration = Duration::from_secs(15);

/// What is still to be told.
struct Telling {
    /// What follows when the turn is over.
    last: VecDeque<Event>,
    told: UnboundedReceiver<Told>,
    turn: Option<JoinHandle<Result<Came, Problem>>>,
    conversation: String,
    form: Shape,
}

/// Takes a turn and tells it as it happens. The turn goes on where its listener goes away.
pub(super) fn stream(desk: Arc<Desk>, owner: Owner, id: String, asked: Asked, form: Shape) -> Response {
    let (sender, told) = unbounded_channel();
    let conversation = id.clone();
    let turn =
        tokio::spawn(async move { desk.ask(&owner, &id, asked, Some(sender)).await }.in_current_span());
    let telling = Telling { last: VecDeque::new(), told, turn: Some(turn), conversation, form };
    let events = stream::unfold(telling, next);
    Sse::new(events).keep_alive(KeepAlive::new().interval(QUIET)).into_response()
}

async fn next(mut telling: Telling) -> Option<(Result<Event, Infallible>, Telling)> {
    // The channel closes when the turn is over and all that it told was taken.
    if let Some(Told { name, data }) = telling.told.recv().await {
        return Some((Ok(event(name, &data)), telling));
    }
    if let Some(turn) = telling.turn.take() {
        let came = turn.await;
        telling.last = ending(came, &telling);
    }
    let event = telling.last.pop_front()?;
    Some((Ok(event), telling))
}

/// What is told when a turn is over: what else a person should know, and last what came of it.
fn ending(came: Result<Result<Came, Problem>, JoinError>, telling: &Telling) -> VecDeque<Event> {
    let came = came.unwrap_or_else(|error| Err(Problem::internal(format!("a turn stopped: {error}"))));
    match came {
        Ok(Came::Over(taken)) => {
            let answer = taken.line(&telling.conversation, telling.form.rows, telling.form.explain);
            let notices = taken.notices.iter().map(|notice| event("notice", &json!({ "message": notice })));
            notices.chain([event("answer", &answer)]).collect()
        }
        Ok(Came::Waits(approval)) => [event("approval", &approval)].into(),
        Err(problem) => [event("problem", &problem)].into(),
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // JSON on one line has no line break, which is all that an event's data may not have. What is sent can always be written
    // as JSON.
    Event::default().event(name).data(serde_json::to_string(data).unwrap_or_default())
}
