//! The requests of the page, natively: the same code as in a browser.

mod graphs;
mod kernels;
mod lessons;
mod programs;
mod textures;

use serde_json::Value;

/// The answer to a request.
pub fn ask(request: &Value) -> Value {
    serde_json::from_str(&lanework_web::answer(&request.to_string())).expect("JSON")
}
