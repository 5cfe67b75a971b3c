//! Tests of the engine. `kit` holds the one state and the few graphs they share.

mod building;
mod drawing;
mod kit;
mod properties;
mod resuming;
mod walking;
