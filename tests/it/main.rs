//! Integration tests, in one binary.

#[cfg(test)]
mod lesson_files;
