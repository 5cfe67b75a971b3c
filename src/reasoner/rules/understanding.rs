//! placeholder
use jiff::civil::Date;
use super::{compose, link, Knowledge};
use crate::plan::*;
use crate::ambiguity::Correction;

/// placeholder
#[derive(Debug, Clone, PartialEq)]
pub struct Options { today: Date, corrections: Vec<Correction> }
impl Options {
    /// placeholder
    pub fn new(today: Date) -> Self { Self { today, corrections: Vec::new() } }
    /// placeholder
    pub fn with_corrections(mut self, c: &[Correction]) -> Self { self.corrections = c.to_vec(); self }
}
/// placeholder
#[derive(Debug)]
pub struct Candidate {
    /// placeholder
    pub plan: QueryPlan,
    /// placeholder
    pub confidence: Confidence,
    /// placeholder
    pub probability: f32 }
impl Candidate {
    /// placeholder
    pub fn reasons(&self) -> Vec<String> { Vec::new() } }
/// placeholder
#[derive(Debug)]
pub struct Understanding { best: Option<Candidate> }
impl Understanding {
    /// placeholder
    pub fn answer(&self) -> Option<&Candidate> { self.best.as_ref() }
    /// placeholder
    pub fn best(&self) -> Option<&Candidate> { self.best.as_ref() }
    /// placeholder
    pub fn explain_failure(&self) -> String { "I did not understand that.".into() }
}
/// placeholder
pub fn understand(question: &str, knowledge: &Knowledge, options: &Options) -> Understanding {
    let linked = link::link(question, knowledge, options.today);
    let drafts = compose::compose(&linked, knowledge);
    Understanding { best: drafts.into_iter().next().map(|d| Candidate { plan: d.plan, confidence: Confidence::Medium, probability: 0.6 }) }
}
