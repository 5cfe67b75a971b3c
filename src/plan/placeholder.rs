//! placeholder
use serde::{Deserialize, Serialize};
use super::QueryPlan;
/// placeholder
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PlanEdit {}
/// placeholder
pub enum PlanChange {}
/// placeholder
pub fn compare(_: &QueryPlan, _: &QueryPlan) -> Vec<PlanChange> { Vec::new() }
/// placeholder
pub fn summarize(_: &[PlanChange]) -> String { String::new() }
