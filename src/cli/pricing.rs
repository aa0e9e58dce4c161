//! By which table of prices a command prices tokens.

use std::{path::PathBuf, sync::Arc};

use trajview_metrics::cost::Prices;
use trajview_store as store;

use super::{Failure, config};

#[derive(Debug, clap::Args)]
pub struct Pricing {
    /// A table of prices in JSON, as assets/prices.json: its rows take the place of the built-in ones of the same model.
    /// Without it that of `prices` in the config
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl Pricing {
    /// # Errors
    ///
    /// Where a table that was named, here or in the config, cannot be used.
    pub fn prices(&self) -> Result<Arc<Prices>, Failure> {
        let named = match &self.prices {
            Some(path) => Some(path.clone()),
            None => config::load(None)?.config.prices,
        };
        match named {
            None => Ok(store::prices::held().prices),
            Some(path) => Ok(store::prices::read(&path).map_err(Failure::unread)?.prices),
        }
    }
}
