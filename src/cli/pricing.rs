//! The options for the table of prices of a command.

use std::{path::PathBuf, sync::Arc};

use trajview_metrics::cost::Prices;
use trajview_store as store;

use super::{CommandFailure, config};

#[derive(Debug, Default, clap::Args)]
pub struct PricingArgs {
    /// A table of prices in JSON, as assets/prices.json: its rows replace the built-in rows of the same model. Default:
    /// `prices` in the settings
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

impl PricingArgs {
    /// Reads the prices that were named, here or in the config, else the current ones.
    ///
    /// # Errors
    ///
    /// If a table that was named cannot be used.
    pub fn read_prices(&self) -> Result<Arc<Prices>, CommandFailure> {
        let named = match &self.prices {
            Some(path) => Some(path.clone()),
            None => config::load_settings(None)?.config.prices,
        };
        match named {
            None => Ok(store::prices::current_prices().prices),
            Some(path) => {
                Ok(store::prices::read_prices(&path).map_err(CommandFailure::cannot_read)?.prices)
            }
        }
    }
}
