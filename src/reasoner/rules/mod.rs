//! placeholder
/// placeholder
pub struct Knowledge { schema: crate::schema::Schema }
impl Knowledge {
    /// placeholder
    pub fn build(schema: crate::schema::Schema, _values: Vec<crate::database::ColumnValues>) -> Self { Self { schema } }
    /// placeholder
    pub fn schema(&self) -> &crate::schema::Schema { &self.schema }
}
