#![no_main]

use trajview::{
    judge::{
        answer,
        settings::Kind,
        wire::{self, Incoming, Wire, plain},
    },
    run::rubric::{COMPONENTS, DECISIONS, PROCESS},
};

// The first byte says where the rest is split in two.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let at = usize::from(first) * bytes.len() / 255;
    for wire in Kind::ALL.into_iter().filter_map(wire::of) {
        let whole = streamed(wire, &[bytes]);
        assert_eq!(streamed(wire, &[&bytes[..at], &bytes[at..]]), whole);
        let _ = wire::whole(wire, bytes);
    }
    if let Ok(reply) = plain::read(bytes) {
        for levels in [&COMPONENTS, &DECISIONS, &PROCESS] {
            let _ = answer::read(&reply.text, levels);
        }
    }
});

fn streamed(
    wire: &dyn Wire,
    pieces: &[&[u8]],
) -> Result<trajview::judge::conversation::Reply, trajview::judge::fault::Fault> {
    let mut incoming = Incoming::new(wire);
    pieces.iter().try_for_each(|piece| incoming.take(piece))?;
    incoming.finish()
}
