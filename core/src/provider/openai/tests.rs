//! Bodies and answers of Chat Completions.
