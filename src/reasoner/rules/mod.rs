//! placeholder
/// placeholder
pub struct Knowledge { }
/// placeholder
pub struct KnowledgeBuilder { }
impl Knowledge {
    /// placeholder
    pub fn builder(_: &crate::schema::Schema, _: usize) -> KnowledgeBuilder { KnowledgeBuilder {} }
}
impl KnowledgeBuilder {
    /// placeholder
    pub fn values(&mut self, _: &str, _: &str, _: impl IntoIterator<Item = crate::schema::Value>) {}
    /// placeholder
    pub fn finish(self) -> Knowledge { Knowledge {} }
}
