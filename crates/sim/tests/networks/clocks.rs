//! The clocks of hosts are offset by constants, on which nothing may depend.
