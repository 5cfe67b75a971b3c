//! Closed sets of names: the nodes of a graph, and the branches of a decision.
//!
//! Both are enums, so that a name that does not exist does not compile, and a `match` that forgets one does
//! not either. The macros [`nodes!`](crate::nodes) and [`branches!`](crate::branches) write the
//! traits for you.

use std::fmt::Debug;

/// The name of a node: a variant of the closed enum that one graph is built over.
///
/// Write it with [`nodes!`](crate::nodes) rather than by hand.
pub trait NodeName: Copy + Eq + Debug + Send + Sync + 'static {
    /// Every name, in the order of declaration.
    const ALL: &'static [Self];

    /// The name as it appears in journals, events, drawings and messages.
    fn name(self) -> &'static str;

    /// The position of this name in [`ALL`](Self::ALL).
    fn index(self) -> usize;
}

/// One way out of a decision: a variant of the closed enum that the decision returns.
///
/// Write it with [`branches!`](crate::branches) rather than by hand.
pub trait Branch: Copy + Eq + Debug + Send + Sync + 'static {
    /// Every branch, in the order of declaration.
    const ALL: &'static [Self];

    /// The label on the edge in drawings, events and journals.
    fn label(self) -> &'static str;

    /// The position of this branch in [`ALL`](Self::ALL).
    fn index(self) -> usize;
}

/// Declares the closed enum of a graph's nodes and implements [`NodeName`] for it.
///
/// ```
/// use sqlogue_graph::{NodeName, nodes};
///
/// nodes! {
///     /// The rooms of the house.
///     pub enum Room {
///         Kitchen => "kitchen",
///         /// Where the books are.
///         Study => "study",
///     }
/// }
///
/// assert_eq!(Room::ALL.len(), 2);
/// assert_eq!(Room::Study.name(), "study");
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __graph_nodes {
    ($(#[$attribute:meta])* $visibility:vis enum $name:ident {
        $($(#[$variant_attribute:meta])* $variant:ident => $label:literal),+ $(,)?
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility enum $name {
            $(#[doc = concat!("The node `", $label, "`.")] $(#[$variant_attribute])* $variant),+
        }

        impl $crate::NodeName for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn name(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

/// Declares the closed enum of a decision's branches and implements [`Branch`] for it.
///
/// ```
/// use sqlogue_graph::{Branch, branches};
///
/// branches! {
///     /// What became of the query.
///     pub enum Ran { Rows => "rows", Error => "error" }
/// }
///
/// assert_eq!(Ran::Error.label(), "error");
/// assert_eq!(Ran::ALL, [Ran::Rows, Ran::Error]);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __graph_branches {
    ($(#[$attribute:meta])* $visibility:vis enum $name:ident {
        $($(#[$variant_attribute:meta])* $variant:ident => $label:literal),+ $(,)?
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility enum $name {
            $(#[doc = concat!("The branch `", $label, "`.")] $(#[$variant_attribute])* $variant),+
        }

        impl $crate::Branch for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}
