//! The program itself over the loopback interface.

mod norm;
mod place;
mod processes;
mod streams;
