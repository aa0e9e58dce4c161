"""PPDiff: joint sequence and structure diffusion for protein binders."""
