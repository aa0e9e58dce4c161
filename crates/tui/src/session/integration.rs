//! Dependency integration: how much of what modules offer is reused by others.

/// Public symbols of the modules, and those of them that other modules reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DependencyIntegration {
    pub exported: usize,
    pub reused: usize,
}

impl DependencyIntegration {
    /// Returns the share of the exported symbols that are reused, 0 to 1; None without symbols.
    pub(crate) fn reused_share(&self) -> Option<f64> {
        (self.exported > 0).then(|| self.reused as f64 / self.exported as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_public_symbols_there_is_no_share_of_them() {
        assert_eq!(DependencyIntegration { exported: 0, reused: 0 }.reused_share(), None);
        assert_eq!(DependencyIntegration { exported: 4, reused: 1 }.reused_share(), Some(0.25));
    }
}
