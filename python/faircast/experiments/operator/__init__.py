"""An operator's beam: a film to 300 terminals beside web traffic, by scheme, queue, load and proxy."""
