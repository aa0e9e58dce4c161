#![no_main]

use trajview::{
    judge::{
        answer,
        settings::JudgeKind,
        wire::{self, IncomingReply, Wire, plain},
    },
    run::rubric::{COMPONENT_LEVELS, DECISION_LEVELS, PROCESS_LEVELS},
};

// The first byte says where the rest is split in two.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let at = usize::from(first) * bytes.len() / 255;
    for wire in JudgeKind::ALL.into_iter().filter_map(wire::wire_for) {
        let whole = streamed(wire, &[bytes]);
        assert_eq!(streamed(wire, &[&bytes[..at], &bytes[at..]]), whole);
        let _ = wire::parse_body(wire, bytes);
    }
    if let Ok(reply) = plain::parse_output(bytes) {
        for levels in [&COMPONENT_LEVELS, &DECISION_LEVELS, &PROCESS_LEVELS] {
            let _ = answer::parse_verdict(&reply.text, levels);
        }
    }
});

fn streamed(
    wire: &dyn Wire,
    pieces: &[&[u8]],
) -> Result<trajview::judge::conversation::JudgeReply, trajview::judge::fault::JudgeFault> {
    let mut incoming = IncomingReply::new(wire);
    pieces.iter().try_for_each(|piece| incoming.take_bytes(piece))?;
    incoming.finish()
}
