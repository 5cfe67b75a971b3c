//! A bot for a chat such as Slack: each thread is a conversation of its own, and a question back is a numbered list.
//!
//! What the chat sends and takes is the [`Message`]; behind it are a socket or a webhook. Here it is standard input, with
//! one thread: `cargo run --example bot`

use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};

use sqlogue::conversation::Status;
use sqlogue::dialog::Session;
use sqlogue::{Engine, Error};

/// The most rows that are put into a message.
const MOST: usize = 10;

/// What somebody wrote, and where.
#[derive(Debug, Clone)]
pub struct Message {
    /// The thread, which is the conversation.
    pub thread: String,
    /// The text.
    pub text: String,
}

/// The bot: an engine, and a session for each thread.
pub struct Bot {
    engine: Engine,
    sessions: HashMap<String, Session>,
}

impl Bot {
    /// A bot that answers about a database.
    pub fn new(engine: Engine) -> Self {
        Self { engine, sessions: HashMap::new() }
    }

    /// What it answers in the thread of the message.
    pub async fn answer(&mut self, message: Message) -> String {
        let new = || Session::with_id(self.engine.clone(), message.thread.clone());
        let session = self.sessions.entry(message.thread.clone()).or_insert_with(new);
        let reply = session.say(&message.text).await;
        if let Some(failure) = reply.failure {
            return format!("That did not work: {failure}");
        }
        let Some(answer) = reply.answer else { return "There is nothing to say to that.".to_owned() };
        match answer.rows() {
            Ok(rows) => {
                let mut text = format!("{}\n```", rows.columns.join(" | "));
                for row in rows.iter().take(MOST) {
                    let cells: Vec<String> = row.values().iter().map(ToString::to_string).collect();
                    text += &format!("\n{}", cells.join(" | "));
                }
                text += "\n```";
                if rows.len() > MOST {
                    text += &format!("\n… and {} more rows", rows.len() - MOST);
                }
                text
            }
            // Whoever answers `1` in the same thread takes the first option.
            Err(question) if question.status == Status::AwaitingCorrection => {
                let options =
                    (1..).zip(&question.options).map(|(number, label)| format!("\n{number}. {label}"));
                question.message.clone() + &options.collect::<String>()
            }
            Err(failed) => failed.message,
        }
    }
}

#[allow(clippy::print_stdout, reason = "it is a program")]
#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut bot = Bot::new(Engine::open(&std::env::args().nth(1).unwrap_or_default())?);
    for text in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = bot.answer(Message { thread: "general".to_owned(), text }).await;
        println!("{answer}\n");
        drop(std::io::stdout().flush());
    }
    Ok(())
}
