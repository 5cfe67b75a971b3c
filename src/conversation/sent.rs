//! Which cells of the database a model was shown.

use serde::{Deserialize, Serialize};

/// Cells of one column that were part of a request to a model, as they were shown: long ones are cut.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SentCells {
    /// The column, as `table.column`; of a result that is not known to be one column's, its heading.
    pub column: String,
    /// Its cells, each once, in the order in which they were first sent.
    pub cells: Vec<String>,
}

impl SentCells {
    /// One cell.
    pub fn one(column: impl Into<String>, cell: impl Into<String>) -> Self {
        Self { column: column.into(), cells: vec![cell.into()] }
    }

    /// Adds cells to those that were sent before.
    pub fn add(sent: &mut Vec<Self>, more: &[Self]) {
        for new in more {
            match sent.iter_mut().find(|known| known.column == new.column) {
                Some(known) => {
                    for cell in &new.cells {
                        if !known.cells.contains(cell) {
                            known.cells.push(cell.clone());
                        }
                    }
                }
                None => {
                    sent.push(Self { column: new.column.clone(), cells: Vec::new() });
                    Self::add(sent, std::slice::from_ref(new));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_is_named_once() {
        let mut sent = Vec::new();
        SentCells::add(
            &mut sent,
            &[SentCells::one("t.a", "x"), SentCells::one("t.a", "x"), SentCells::one("t.b", "x")],
        );
        SentCells::add(&mut sent, &[SentCells::one("t.a", "y")]);
        assert_eq!(sent[0], SentCells { column: "t.a".into(), cells: vec!["x".into(), "y".into()] });
        assert_eq!(sent.len(), 2);
    }
}
