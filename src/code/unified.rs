//! A change of files as a patch that git reads.
