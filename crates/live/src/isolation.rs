//! The sandbox and network of an agent, as plain values.

use serde::{Deserialize, Serialize};

use trajview_run::worded_enum::worded;

worded! {
    /// The sandbox around the agent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Sandbox {
        /// Nothing but what hides the bundle, and the agent's own sandbox.
        #[default]
        None = "none",
        Bwrap = "bwrap",
        Docker = "docker",
        Podman = "podman",
    }
}

worded! {
    /// The network that the agent reaches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Network {
        /// Everything that this machine reaches.
        #[default]
        On = "on",
        /// The model server of this machine and nothing else.
        Loopback = "loopback",
        /// Nothing: no model either.
        Off = "off",
    }
}

/// The options for a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct IsolationOptions {
    pub sandbox: Sandbox,
    pub network: Network,
    /// The image of a container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

impl IsolationOptions {
    /// Returns whether the agent has no sandbox and the whole network.
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a contradiction between the options; a sentence. None when they fit.
    pub fn contradiction(&self) -> Option<String> {
        let is_container = matches!(self.sandbox, Sandbox::Docker | Sandbox::Podman);
        match (self.sandbox, self.network, &self.image) {
            (Sandbox::None, Network::Off | Network::Loopback, _) => Some(format!(
                "--network {} needs a sandbox that enforces it: --sandbox bwrap",
                self.network.word()
            )),
            (_, Network::Loopback, _) if is_container => {
                Some("--network loopback is for --sandbox bwrap".into())
            }
            (_, _, None) if is_container => Some(format!(
                "--sandbox {} needs the image in which the agent is installed: --image NAME",
                self.sandbox.word()
            )),
            (_, _, Some(_)) if !is_container => {
                Some("--image is for --sandbox docker and podman".into())
            }
            _ => None,
        }
    }

    /// Returns the sentence for `provenance`; None without a sandbox.
    pub(crate) fn provenance_sentence(&self) -> Option<String> {
        self.place_text().map(|place| format!("the agent worked in {place}"))
    }

    /// Returns where the agent works, as text; None without a sandbox.
    pub fn place_text(&self) -> Option<String> {
        let network = match self.network {
            Network::On => "with the network",
            Network::Loopback => "with the model server of this machine and no other network",
            Network::Off => "without a network",
        };
        match self.sandbox {
            Sandbox::None => None,
            Sandbox::Bwrap => Some(format!("a sandbox (bwrap) {network}")),
            Sandbox::Docker | Sandbox::Podman => Some(format!(
                "a container ({}, image {}) {network}",
                self.sandbox.word(),
                self.image.as_deref().unwrap_or_default()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_a_sentence() {
        let why = |sandbox, network, image: Option<&str>| {
            IsolationOptions { sandbox, network, image: image.map(str::to_owned) }.contradiction()
        };
        assert_eq!(why(Sandbox::None, Network::On, None), None);
        assert_eq!(why(Sandbox::Bwrap, Network::Off, None), None);
        assert_eq!(why(Sandbox::Docker, Network::On, Some("i")), None);
        assert!(why(Sandbox::None, Network::Off, None).unwrap().contains("needs a sandbox"));
        assert!(why(Sandbox::Podman, Network::On, None).unwrap().contains("--image NAME"));
        assert!(why(Sandbox::Bwrap, Network::On, Some("i")).unwrap().contains("--image is for"));
    }
}
