//! Layers of project state in a recording: what they said and knew ([`records`]).

mod records;
