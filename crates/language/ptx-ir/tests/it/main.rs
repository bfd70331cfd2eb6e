//! Integration tests of the intermediate form: file tests of lowering and analyses, and large modules.

mod filetests;
mod large;
