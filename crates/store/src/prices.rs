//! Prices of the user's own, in the place of the built-in ones.

use std::{
    fs::File,
    io::Read,
    path::Path,
    sync::{Arc, LazyLock, RwLock},
};

use trajview_metrics::cost::{Prices, prices::BUILT_IN_TEXT};

use super::{bytes, sha256};

/// Of a table of prices.
const MOST_BYTES: u64 = 8 << 20;

/// The prices that hold for this process, and what tells those of one table from those of another.
#[derive(Debug, Clone)]
pub struct Held {
    pub prices: Arc<Prices>,
    /// Of the built-in table, and of the user's where there is one.
    pub digest: String,
}

static HELD: RwLock<Option<Held>> = RwLock::new(None);

/// The table is made once: it is asked for with every session of a list.
static BUILT_IN: LazyLock<Held> =
    LazyLock::new(|| Held { prices: Arc::new(Prices::built_in().clone()), digest: digest("") });

/// The built-in prices with those of a file in their place.
///
/// # Errors
///
/// A sentence with the file's name, where it cannot be read or is no table of prices.
pub fn read(path: &Path) -> Result<Held, String> {
    let name = path.display();
    let unread = |why: std::io::Error| format!("cannot read {name}: {}", bytes::reason(&why));
    let mut text = vec![];
    let file = File::open(path).map_err(unread)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(unread)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("{name}: a table of prices has at most {MOST_BYTES} bytes"));
    }
    let words = String::from_utf8(text).map_err(|_| format!("{name}: it is not UTF-8 text"))?;
    let own = Prices::read(&words).map_err(|why| format!("{name}: {why}"))?;
    let prices = Arc::new(Prices::built_in().overridden_by(own));
    Ok(Held { prices, digest: digest(&words) })
}

/// Changes with every price: the built-in table is another one in another version of the program.
fn digest(own: &str) -> String {
    sha256([BUILT_IN_TEXT, own].join("\n").as_bytes())
}

/// What holds from here on for everything that is priced without being told by which table.
pub fn hold(held: Held) {
    if let Ok(mut place) = HELD.write() {
        *place = Some(held);
    }
}

/// What holds: the built-in prices, unless others were set.
pub fn held() -> Held {
    let held = HELD.read().ok().and_then(|held| held.clone());
    held.unwrap_or_else(|| BUILT_IN.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_tables_apart_is_of_the_built_in_one_too() {
        assert_eq!(BUILT_IN.digest, sha256(format!("{BUILT_IN_TEXT}\n").as_bytes()));
        assert_ne!(BUILT_IN.digest, digest("{\"rows\": []}"));
    }
}
