//! Every fault that a model server can have, each against a real server on loopback, each within its time.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlogue::model::{
    ModelClient, ModelError, ModelErrorKind as Kind, ModelSettings, OpenAiClient, ProgressSink, Reply,
    Request,
};

use crate::model_server::{Act, KEY, Received, Server, completion, event};

fn request() -> Request {
    let schema = json!({"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"],
        "additionalProperties": false});
    Request::new("generate_sql", "Write SQL.", "How many?", 50).schema("sql_query", schema)
}

fn streamed() -> Request {
    Request { progress: Some(ProgressSink::new(|_| {})), ..request() }
}

async fn ask(settings: &ModelSettings, request: &Request) -> Result<Reply, ModelError> {
    let began = Instant::now();
    let client = OpenAiClient::new(settings).unwrap();
    let outcome = client.complete(request).await;
    let limit = Duration::from_secs_f64(settings.call_timeout) + Duration::from_millis(500);
    assert!(began.elapsed() < limit, "took {:?}", began.elapsed());
    if let Err(error) = &outcome {
        let shown = format!("{error} {error:?} {client:?} {settings:?}");
        assert!(!shown.contains(KEY), "{shown}");
        assert!(error.to_string().chars().count() < 500 && error.to_string().contains('('), "{error}");
    }
    outcome
}

/// A server that always does the same: the fault it stands for, and how often it is asked.
async fn fault(act: Act) -> (Kind, usize, ModelError) {
    let server = Server::always(act).await;
    let error = ask(&server.settings(), &request()).await.unwrap_err();
    (error.kind, server.hits(), error)
}

fn error(status: u16, message: &str) -> Act {
    Act::json(status, json!({"error": {"message": message, "type": "x", "code": null}}))
}

#[tokio::test]
async fn a_plain_answer_is_read() {
    let server = Server::always(Act::say("{\"sql\": \"SELECT 1\"}")).await;
    let reply = ask(&server.settings(), &request()).await.unwrap();
    assert_eq!(reply.text, "{\"sql\": \"SELECT 1\"}");
    assert_eq!(
        (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.requests),
        (Some(100), Some(20), 1)
    );
    let received = &server.received()[0];
    assert_eq!(received.path, "/v1/chat/completions");
    assert!(received.headers.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
    assert_eq!(received.body["max_tokens"], 50);
    assert_eq!(received.body["messages"][0]["role"], "system");
}

#[tokio::test]
async fn a_wrong_key_is_not_tried_again() {
    let (kind, hits, error) = fault(error(401, &format!("Incorrect API key provided: {KEY}"))).await;
    assert_eq!((kind, hits), (Kind::Unauthorized, 1));
    assert!(error.to_string().contains("check the API key") && error.detail.contains("[hidden]"), "{error}");
}

#[tokio::test]
async fn a_missing_key_without_an_error_object() {
    let (kind, hits, _) = fault(Act::json(401, json!({"detail": "Not authenticated"}))).await;
    assert_eq!((kind, hits), (Kind::Unauthorized, 1));
}

#[tokio::test]
async fn an_unknown_model_or_address() {
    let (kind, _, error) = fault(error(404, "The model `test` does not exist")).await;
    assert_eq!((kind, error.status), (Kind::NotFound, Some(404)));
    assert!(error.to_string().contains("`base_url`"), "{error}");
}

#[tokio::test]
async fn a_request_longer_than_the_context() {
    let body = json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size", "n_prompt_tokens": 5000, "n_ctx": 4096}});
    let (kind, hits, error) = fault(Act::json(400, body)).await;
    assert_eq!((kind, hits), (Kind::ContextLength, 1));
    assert!(error.to_string().contains("lower `max_tokens`"), "{error}");
}

#[tokio::test]
async fn a_content_filter_before_and_after() {
    let (kind, _, _) = fault(error(400, "blocked by the content management policy")).await;
    assert_eq!(kind, Kind::ContentFilter);
    let body = json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]});
    assert_eq!(fault(Act::json(200, body)).await.0, Kind::ContentFilter);
}

#[tokio::test]
async fn a_refusal() {
    let body = json!({"choices": [{"message": {"content": null, "refusal": "I can't help with that"}, "finish_reason": "stop"}]});
    let (kind, _, error) = fault(Act::json(200, body)).await;
    assert_eq!((kind, error.detail.as_str()), (Kind::Refusal, "I can't help with that"));
}

#[tokio::test]
async fn no_choices_and_no_text() {
    for body in [
        json!({"choices": []}),
        json!({"choices": [{"message": {"content": null}}]}),
        json!({"choices": [{"message": {"content": "  "}, "finish_reason": "stop"}]}),
    ] {
        assert_eq!(fault(Act::json(200, body)).await.0, Kind::Empty);
    }
}

#[tokio::test]
async fn an_answer_cut_by_its_length() {
    let body =
        json!({"choices": [{"message": {"content": "SELECT * FROM orders"}, "finish_reason": "length"}]});
    let (kind, hits, _) = fault(Act::json(200, body)).await;
    assert_eq!((kind, hits), (Kind::Cut, 1));
}

#[tokio::test]
async fn a_body_that_is_no_json() {
    let html = b"<html><body>It works!</body></html>".to_vec();
    let (kind, hits, error) = fault(Act::Answer(200, vec![("content-type", "text/html".into())], html)).await;
    assert_eq!((kind, hits), (Kind::NotAnAnswer, 1));
    assert!(error.detail.contains("<html>"), "{error}");
    assert_eq!(fault(Act::Answer(200, vec![], Vec::new())).await.0, Kind::NotAnAnswer);
    assert_eq!(fault(Act::json(200, json!({"status": "ok"}))).await.0, Kind::NotAnAnswer);
}

#[tokio::test]
async fn a_wrong_content_type_with_a_good_body() {
    let body = completion("fine").to_string().into_bytes();
    let server = Server::always(Act::Answer(200, vec![("content-type", "text/plain".into())], body)).await;
    assert_eq!(ask(&server.settings(), &request()).await.unwrap().text, "fine");
}

#[tokio::test]
async fn a_plain_text_error() {
    let (kind, hits, error) =
        fault(Act::Answer(500, vec![("content-type", "text/plain".into())], b"boom".to_vec())).await;
    assert_eq!((kind, hits, error.status), (Kind::Server, 3, Some(500)));
    assert_eq!(error.requests, 3);
}

#[tokio::test]
async fn no_server_at_all() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let settings =
        ModelSettings { base_url, call_timeout: 3.0, api_key: KEY.into(), ..ModelSettings::default() };
    let error = ask(&settings, &request()).await.unwrap_err();
    assert_eq!((error.kind, error.requests), (Kind::Unreachable, 3));
}

#[tokio::test]
async fn a_connection_that_ends_before_the_answer() {
    let (kind, hits, _) = fault(Act::Close).await;
    assert_eq!((kind, hits), (Kind::BrokenOff, 3));
}

#[tokio::test]
async fn a_connection_that_breaks_off_in_the_middle() {
    let whole = completion("{\"sql\": \"SELECT 1\"}").to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        whole.len()
    );
    let half = format!("{head}{}", &whole[..whole.len() / 2]);
    // The opening that `Pieces` writes has no length, so this one is written by hand.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = [0; 8192];
            let _ = stream.read(&mut bytes).await;
            let _ = stream.write_all(half.as_bytes()).await;
        }
    });
    let settings =
        ModelSettings { base_url, call_timeout: 3.0, api_key: KEY.into(), ..ModelSettings::default() };
    let error = ask(&settings, &request()).await.unwrap_err();
    assert_eq!(error.kind, Kind::BrokenOff);
}

#[tokio::test]
async fn a_server_that_never_answers() {
    let (kind, hits, _) = fault(Act::Hang).await;
    assert_eq!(kind, Kind::Timeout);
    assert!(hits <= 3);
}

#[tokio::test]
async fn a_server_that_drips() {
    // A byte every 100 ms keeps every other timeout quiet; only the total one ends it.
    let (kind, _, _) =
        fault(Act::Endless("application/json", b" ".to_vec(), Duration::from_millis(100))).await;
    assert_eq!(kind, Kind::Timeout);
}

#[tokio::test]
async fn an_endless_body() {
    let piece = vec![b' '; 64 * 1024];
    let (kind, hits, _) = fault(Act::Endless("application/json", piece, Duration::ZERO)).await;
    assert_eq!((kind, hits), (Kind::TooLarge, 1));
}

#[tokio::test]
async fn a_huge_body() {
    let body = format!("{{\"choices\": [{{\"message\": {{\"content\": \"{}\"}}}}]}}", "x".repeat(5 << 20));
    assert_eq!(fault(Act::Answer(200, vec![], body.into_bytes())).await.0, Kind::TooLarge);
}

#[tokio::test]
async fn a_compressed_bomb() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 64 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 200_000);
    assert_eq!(
        fault(Act::Answer(200, vec![("content-encoding", "gzip".into())], bomb)).await.0,
        Kind::TooLarge
    );
}

#[tokio::test]
async fn a_compressed_answer_is_read() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(completion("fine").to_string().as_bytes()).unwrap();
    let body = encoder.finish().unwrap();
    let server = Server::always(Act::Answer(200, vec![("content-encoding", "gzip".into())], body)).await;
    assert_eq!(ask(&server.settings(), &request()).await.unwrap().text, "fine");
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    let other = Server::always(Act::say("stolen")).await;
    let target = other.url.clone();
    let act = Act::Answer(307, vec![("location", format!("{target}/chat/completions"))], Vec::new());
    let (kind, hits, error) = fault(act).await;
    assert_eq!((kind, hits, other.hits()), (Kind::Redirect, 1, 0));
    assert!(error.to_string().contains(target.trim_end_matches("/v1")), "{error}");
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed() {
    let server = Server::start(|received, _| match received.path.as_str() {
        "/v2/chat/completions" => Act::say("here"),
        _ => Act::Answer(308, vec![("location", "/v2/chat/completions".into())], Vec::new()),
    })
    .await;
    assert_eq!(ask(&server.settings(), &request()).await.unwrap().text, "here");
    assert!(server.received()[1].body["messages"].is_array());
}

#[tokio::test]
async fn a_redirect_that_never_ends() {
    let act = Act::Answer(307, vec![("location", "/v1/chat/completions".into())], Vec::new());
    let (kind, hits, _) = fault(act).await;
    assert_eq!(kind, Kind::Redirect);
    assert!(hits <= 5, "{hits}");
}

#[tokio::test]
async fn too_many_requests_wait_as_asked_and_no_longer() {
    let wait = |seconds: &str| Act::Answer(429, vec![("retry-after", seconds.to_owned())], b"{}".to_vec());
    let (asked, day) = (wait("1"), wait("864000"));
    let server =
        Server::start(move |_, number| if number == 0 { asked.clone() } else { Act::say("ok") }).await;
    let began = Instant::now();
    let reply = ask(&server.settings(), &request()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.requests), ("ok", 2));
    assert!(began.elapsed() >= Duration::from_secs(1));

    let began = Instant::now();
    let (kind, hits, _) = fault(day).await;
    assert_eq!((kind, hits), (Kind::RateLimited, 1));
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn an_account_that_is_used_up_is_not_tried_again() {
    let body = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    let (kind, hits, _) = fault(Act::json(429, body)).await;
    assert_eq!((kind, hits), (Kind::Quota, 1));
}

#[tokio::test]
async fn a_server_that_recovers() {
    let server =
        Server::start(|_, number| if number < 2 { error(503, "busy") } else { Act::say("ok") }).await;
    assert_eq!(ask(&server.settings(), &request()).await.unwrap().requests, 3);
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_waited_for() {
    let server = Server::start(|_, number| match number {
        0 => Act::json(
            503,
            json!({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
        ),
        _ => Act::say("ok"),
    })
    .await;
    let settings = ModelSettings { call_timeout: 15.0, ..server.settings() };
    let began = Instant::now();
    assert_eq!(ask(&settings, &request()).await.unwrap().requests, 2);
    assert!(began.elapsed() >= Duration::from_secs(2));
    // Where there is no time for it, the error says what it waits for.
    let (kind, _, error) = fault(Act::json(503, json!({"error": {"message": "Loading model"}}))).await;
    assert_eq!(kind, Kind::Loading);
    assert!(error.to_string().contains("wait until the model is loaded"), "{error}");
}

#[tokio::test]
async fn an_error_in_a_successful_response() {
    let (kind, _, _) = fault(Act::json(200, json!({"error": {"message": "oops", "code": 500}}))).await;
    assert_eq!(kind, Kind::Server);
}

#[tokio::test]
async fn thoughts_are_not_the_answer() {
    let server =
        Server::always(Act::say("<think>DROP TABLE orders</think>{\"sql\": \"SELECT 1\"}<|im_end|>")).await;
    assert_eq!(ask(&server.settings(), &request()).await.unwrap().text, "{\"sql\": \"SELECT 1\"}");
    assert_eq!(fault(Act::say("<think>DROP TABLE orders")).await.0, Kind::Empty);
}

#[tokio::test]
async fn a_server_without_usage_and_with_odd_fields() {
    let body = json!({"created": 1.25, "service_tier": {}, "choices": [{"finish_reason": "eos",
        "message": {"content": "ok", "tool_calls": null}}]});
    let server = Server::always(Act::json(200, body)).await;
    let reply = ask(&server.settings(), &request()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.prompt_tokens), ("ok", None));
}

fn stream(pieces: Vec<Vec<u8>>) -> Act {
    Act::Pieces("text/event-stream", pieces, Duration::from_millis(5))
}

async fn stream_fault(pieces: Vec<Vec<u8>>) -> Kind {
    let server = Server::always(stream(pieces)).await;
    ask(&server.settings(), &streamed()).await.unwrap_err().kind
}

#[tokio::test]
async fn a_streamed_answer_tells_how_it_grows() {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
    let mut split = event(json!({"content": "SELECT "}), None);
    let rest = split.split_off(20);
    let pieces = vec![
        event(json!({"role": "assistant"}), None),
        split,
        rest,
        event(json!({"content": "1"}), Some("stop")),
        format!("data: {usage}\n\ndata: [DONE]\n\n").into_bytes(),
    ];
    let server = Server::always(stream(pieces)).await;
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = Arc::clone(&told);
    let progress = ProgressSink::new(move |progress| sink.lock().unwrap().push(progress.received));
    let reply = ask(&server.settings(), &Request { progress: Some(progress), ..request() }).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.usage.prompt_tokens), ("SELECT 1", Some(7)));
    assert_eq!(*told.lock().unwrap(), [7, 8]);
    assert_eq!(server.received()[0].body["stream_options"]["include_usage"], true);
}

#[tokio::test]
async fn a_stream_that_is_cut() {
    assert_eq!(stream_fault(vec![event(json!({"content": "SELECT"}), None)]).await, Kind::BrokenStream);
}

#[tokio::test]
async fn a_stream_that_is_malformed() {
    let pieces = vec![event(json!({"content": "SELECT"}), None), b"data: {\"choices\": [{\n\n".to_vec()];
    assert_eq!(stream_fault(pieces).await, Kind::BrokenStream);
}

#[tokio::test]
async fn a_stream_that_is_empty() {
    // What one server does when the prompt overflows its context.
    assert_eq!(stream_fault(Vec::new()).await, Kind::BrokenStream);
}

#[tokio::test]
async fn a_stream_that_ends_without_a_reason() {
    let pieces = vec![event(json!({"content": "SELECT 1"}), None), b"data: [DONE]\n\n".to_vec()];
    assert_eq!(stream_fault(pieces).await, Kind::BrokenStream);
}

#[tokio::test]
async fn a_stream_cut_by_its_length() {
    let pieces = vec![event(json!({"content": "SELECT 1"}), Some("length")), b"data: [DONE]\n\n".to_vec()];
    assert_eq!(stream_fault(pieces).await, Kind::Cut);
}

#[tokio::test]
async fn a_stream_with_an_error_in_it() {
    let pieces = vec![b"data: {\"error\": {\"message\": \"slot unavailable\", \"code\": 500}}\n\n".to_vec()];
    assert_eq!(stream_fault(pieces).await, Kind::Server);
}

#[tokio::test]
async fn a_stream_that_never_ends() {
    let piece = event(json!({"content": "x".repeat(8000)}), None);
    let server = Server::always(Act::Endless("text/event-stream", piece, Duration::ZERO)).await;
    assert_eq!(ask(&server.settings(), &streamed()).await.unwrap_err().kind, Kind::TooLarge);
}

#[tokio::test]
async fn a_server_that_does_not_stream_when_asked() {
    let server = Server::always(Act::say("ok")).await;
    assert_eq!(ask(&server.settings(), &streamed()).await.unwrap().text, "ok");
}

#[tokio::test]
async fn the_way_to_ask_for_json_is_found_out_once() {
    fn act(received: &Received, _: usize) -> Act {
        match received.body.pointer("/response_format/type").and_then(Value::as_str) {
            Some("json_schema") => Act::json(
                500,
                json!({"error": {"message":
                "[{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]"}}),
            ),
            Some("json_object") if received.body["response_format"].get("schema").is_none() => {
                error(400, "response_format: a schema is wanted")
            }
            _ => Act::say("{\"sql\": \"SELECT 1\"}"),
        }
    }
    let server = Server::start(act).await;
    let client = OpenAiClient::new(&server.settings()).unwrap();
    let first = client.complete(&request()).await.unwrap().requests;
    let second = client.complete(&request()).await.unwrap().requests;
    assert!(first <= 3);
    assert_eq!((second, server.hits()), (1, first as usize + 1));
}

#[tokio::test]
async fn a_server_that_ignores_the_shape() {
    let server = Server::always(Act::say("```json\n{\"sql\": \"SELECT 1\"}\n```")).await;
    assert!(ask(&server.settings(), &request()).await.unwrap().text.contains("SELECT 1"));
}

#[tokio::test]
async fn a_model_that_takes_other_parameters() {
    let server = Server::start(|received, _| {
        if received.body.get("max_tokens").is_some() {
            return error(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.");
        }
        if received.body.get("temperature").is_some() {
            return error(400, "Unsupported value: 'temperature' does not support 0 with this model.");
        }
        Act::say("ok")
    })
    .await;
    assert_eq!(ask(&server.settings(), &request()).await.unwrap().requests, 3);
    assert_eq!(server.received()[2].body["max_completion_tokens"], 50);
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    let server = Server::always(Act::Hang).await;
    let client = OpenAiClient::new(&server.settings()).unwrap();
    let asked = request();
    let gave_up = tokio::time::timeout(Duration::from_millis(200), client.complete(&asked)).await;
    assert!(gave_up.is_err());
    for _ in 0..50 {
        if server.closed() == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the connection stayed open");
}

#[tokio::test]
async fn requests_side_by_side_are_limited() {
    let running = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let server = Server::always(Act::Pieces(
        "application/json",
        vec![Vec::new(), completion("ok").to_string().into_bytes()],
        Duration::from_millis(50),
    ))
    .await;
    let settings = ModelSettings { concurrency: 2, ..server.settings() };
    let client = Arc::new(OpenAiClient::new(&settings).unwrap());
    let began = Instant::now();
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let (client, running) = (Arc::clone(&client), Arc::clone(&running));
            tokio::spawn(async move {
                let outcome = client.complete(&request()).await;
                running.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                outcome
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    // Three rounds of two, each at least 50 ms.
    assert!(began.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn settings_that_cannot_be_used_say_so() {
    for (settings, said) in [
        (ModelSettings { base_url: "nowhere".into(), ..ModelSettings::default() }, "`base_url`"),
        (ModelSettings { call_timeout: 0.0, ..ModelSettings::default() }, "`call_timeout`"),
        (ModelSettings { api_key: "a\nb".into(), ..ModelSettings::default() }, "the key"),
        (ModelSettings { ca_file: Some("/nowhere.pem".into()), ..ModelSettings::default() }, "`ca_file`"),
    ] {
        let error = OpenAiClient::new(&settings).unwrap_err();
        assert!(error.kind == Kind::Setup && error.to_string().contains(said), "{error}");
    }
    assert!(OpenAiClient::new(&ModelSettings::default()).is_ok(), "TLS with the system's certificates");
}
