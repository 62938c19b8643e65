# Stands in for nixpkgs where there is no network: what the project's flake.nix uses of it, as
# derivations through this machine's own shell and tools. `host.nix`, which says where those are,
# is written beside a copy of this folder by the script that runs the tests.
{
  description = "A stand-in for nixpkgs";

  outputs =
    { self }:
    {
      legacyPackages = builtins.listToAttrs (
        map
          (system: {
            name = system;
            value = import ./packages.nix {
              inherit system;
              host = import ./host.nix;
            };
          })
          [
            "x86_64-linux"
            "aarch64-linux"
            "x86_64-darwin"
            "aarch64-darwin"
          ]
      );
    };
}
