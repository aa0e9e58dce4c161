# nix run . -- sample-runs/codex-p12
# nix develop   a shell with what building and testing need
{
  description = "Terminal workbench for recorded runs of coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      cargo = builtins.fromTOML (builtins.readFile ./Cargo.toml);
      manifest = cargo.package // cargo.workspace.package;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem =
        make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The tests drive terminals and processes, which a sandbox has not; .ci/run runs them.
          doCheck = false;
          postInstall = ''
            $out/bin/trajview man > trajview.1
            installManPage trajview.1
            installShellCompletion --cmd trajview \
              --bash <($out/bin/trajview completions bash) \
              --zsh <($out/bin/trajview completions zsh) \
              --fish <($out/bin/trajview completions fish)
          '';
          meta = {
            description = manifest.description;
            license = with nixpkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "trajview";
          };
        };
      });

      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.clippy
            pkgs.rustc
            pkgs.rustfmt
            pkgs.git
            pkgs.python3
          ];
        };
      });
    };
}
