//! The integration tests, in one binary because each binary links the whole program again.
// `cfg(test)` always holds here; it tells clippy that helpers are tests too and may unwrap.
#![cfg(test)]

mod ambiguity;
mod analysis_data;
mod analysis_plans;
mod analyst_follow_ups;
mod as_they_are;
mod as_they_are_named;
mod beyond;
#[cfg(feature = "bigquery")]
mod bigquery;
#[cfg(feature = "bigquery")]
mod bigquery_server;
mod boats;
#[cfg(feature = "serve")]
mod browser;
mod business;
mod charts;
mod cli_ask;
mod cli_batch;
mod cli_chat;
mod cli_chat_sql;
mod cli_chat_words;
mod cli_dialog_dm;
mod cli_dialog_irw;
mod cli_kit;
mod cli_model;
mod columns_asked;
mod comparatives;
mod courier;
mod cut_results;
mod data_files;
mod deals;
mod deeds;
mod definitions;
mod dialog_properties;
mod dispatch;
mod documents;
#[cfg(feature = "adbc")]
mod duckdb;
#[cfg(feature = "adbc")]
mod duckdb_files;
#[cfg(feature = "adbc")]
mod duckdb_plans;
#[cfg(feature = "adbc")]
mod duckdb_walls;
mod engine_kill;
mod everyday;
mod extremes;
mod flow;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod generated_plans;
mod graphs;
mod groups_together;
mod harmless_output;
mod headings;
mod hostile;
mod json_lines;
mod keys;
mod lesson_diagrams;
mod lesson_files;
mod lesson_memory;
mod lesson_uses;
mod library_examples;
mod lift_analysis;
mod loops;
mod managers;
mod model_at_once;
mod model_budget;
mod model_faults;
mod model_flow;
mod model_intent;
mod model_judges;
mod model_phases;
mod model_prompts;
mod model_records;
mod model_seen;
mod model_server;
mod model_suspicion;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "mysql")]
mod mysql_plans;
#[cfg(feature = "mysql")]
mod mysql_server;
#[cfg(feature = "mysql")]
mod mysql_walls;
mod offers_and_sales;
mod order_lines;
mod paths;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_large;
#[cfg(feature = "postgres")]
mod postgres_plans;
#[cfg(feature = "postgres")]
mod postgres_server;
#[cfg(feature = "postgres")]
mod postgres_walls;
mod practice;
mod private_files;
mod readings;
mod release_0_1_0;
mod roles;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod same_rows;
mod secrets;
mod sentences;
#[cfg(feature = "serve")]
mod serve_http;
#[cfg(feature = "serve")]
mod serve_keyboard;
#[cfg(feature = "serve")]
mod serve_kit;
#[cfg(feature = "serve")]
mod serve_mcp;
#[cfg(feature = "serve")]
mod serve_page;
#[cfg(feature = "serve")]
mod serve_processes;
#[cfg(feature = "serve")]
mod serve_safety;
#[cfg(feature = "otel")]
mod serve_traces;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod server_conversation;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod server_kit;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod server_types;
mod shop_lines;
mod showroom;
mod spreadsheet;
mod store_cli;
mod store_conformance;
mod store_damage;
mod store_engine;
mod store_failures;
mod store_kill;
mod store_kit;
#[cfg(feature = "postgres")]
mod store_postgres;
mod store_power;
mod store_processes;
mod store_rebuild;
mod store_sqlite;
mod studio;
mod support;
mod synonyms;
mod terminal;
mod things;
mod tidy;
mod torn;
mod trading;
mod trust;
mod two_ends;
mod typed_sql;
mod untrusted_files;
#[cfg(any(feature = "adbc", feature = "mysql", feature = "postgres"))]
mod walls;
mod wanted;
mod what_was_shown;
mod wholesale;
mod wordings;
mod workshop;
mod written_answers;
