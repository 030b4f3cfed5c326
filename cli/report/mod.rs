//! The report of a run: one HTML page that needs nothing else, neither files nor a network.
//!
//! [`data`] gathers what the run's files say, and [`page`] puts it into the page as JSON. What is shown of it, and how,
//! is for the scripts in `page/`.

mod data;
mod games;
mod page;
mod settings;

pub(crate) use data::Report;
pub(crate) use page::page;
