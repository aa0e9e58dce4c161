//! The allocator of the program and of its benches, which measure what the program takes.
//!
//! glibc's is several times slower where threads parse JSON, at random. Huge pages, two megabytes for a thread that
//! wants a few kilobytes, are left out by a feature. What mimalloc keeps of freed memory is given back where much of it
//! was freed: see `store::memory`.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
