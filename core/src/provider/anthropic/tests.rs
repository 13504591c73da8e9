//! Bodies and answers of the Messages API.
