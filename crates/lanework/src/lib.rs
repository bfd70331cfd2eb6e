//! lanework
