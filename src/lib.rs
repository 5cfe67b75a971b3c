//! sqlogue
