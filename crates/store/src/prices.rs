//! Prices of the user's own, in the place of the built-in ones.

use std::{
    fs::File,
    io::Read,
    path::Path,
    sync::{Arc, LazyLock, RwLock},
};

use trajview_metrics::cost::{Prices, price_table::BUILT_IN_TEXT};

use super::{file_bytes, sha256};

/// The most bytes of a table of prices.
const MOST_BYTES: u64 = 8 << 20;

/// The prices of this process, and a digest that distinguishes them from those of another table.
#[derive(Debug, Clone)]
pub struct CurrentPrices {
    pub prices: Arc<Prices>,
    /// The digest of the built-in table, and of the user's where there is one.
    pub digest: String,
}

static CURRENT: RwLock<Option<CurrentPrices>> = RwLock::new(None);

/// The built-in table, which is made once: every session of a list needs it.
static BUILT_IN: LazyLock<CurrentPrices> = LazyLock::new(|| CurrentPrices {
    prices: Arc::new(Prices::built_in().clone()),
    digest: table_digest(""),
});

/// Returns the built-in prices with those of a file in their place.
///
/// # Errors
///
/// A sentence with the file's name, where it cannot be read or is no table of prices.
pub fn read_prices(path: &Path) -> Result<CurrentPrices, String> {
    let name = path.display();
    let unread =
        |why: std::io::Error| format!("cannot read {name}: {}", file_bytes::error_reason(&why));
    let mut text = vec![];
    let file = File::open(path).map_err(unread)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(unread)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("{name}: a table of prices has at most {MOST_BYTES} bytes"));
    }
    let words = String::from_utf8(text).map_err(|_| format!("{name}: it is not UTF-8 text"))?;
    let user_prices = Prices::parse(&words).map_err(|why| format!("{name}: {why}"))?;
    let prices = Arc::new(Prices::built_in().overridden_by(user_prices));
    Ok(CurrentPrices { prices, digest: table_digest(&words) })
}

/// Returns the digest of the built-in price table and of the user's table `own`, which is empty where there is none. It changes
/// with every price: another version of the program has another table.
fn table_digest(own: &str) -> String {
    sha256([BUILT_IN_TEXT, own].join("\n").as_bytes())
}

/// Sets the prices for everything that is priced without a table of its own.
pub fn set_prices(prices: CurrentPrices) {
    if let Ok(mut place) = CURRENT.write() {
        *place = Some(prices);
    }
}

/// Returns the current prices: the built-in ones, unless others were set.
pub fn current_prices() -> CurrentPrices {
    let current = CURRENT.read().ok().and_then(|current| current.clone());
    current.unwrap_or_else(|| BUILT_IN.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_tables_apart_is_of_the_built_in_one_too() {
        assert_eq!(BUILT_IN.digest, sha256(format!("{BUILT_IN_TEXT}\n").as_bytes()));
        assert_ne!(BUILT_IN.digest, table_digest("{\"rows\": []}"));
    }
}
