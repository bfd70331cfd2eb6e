//! Every declaration of the corpus with every module of its unit: results, output, findings and counters.

mod counters;
mod printing;
mod results;
mod sanitized;
