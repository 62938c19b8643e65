# The project under Nix: a shell to work in, the package, and checks of both.
#
# The development shell has the Node major that package.json pins for development. The package is
# built from package-lock.json alone, without a hash of its own to keep up to date. A checkout under
# git shows Nix its tracked files only; `source` keeps the heavy folders out in any other case.
{
  description = "Immutable, content-addressed runtimes for swarms of interactive coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];

      forEachSystem =
        outputsOf:
        builtins.listToAttrs (
          map (system: {
            name = system;
            value = outputsOf system nixpkgs.legacyPackages.${system};
          }) systems
        );

      packageJson = builtins.fromJSON (builtins.readFile ./package.json);
      packageLock = builtins.fromJSON (builtins.readFile ./package-lock.json);

      source = builtins.path {
        name = "swarm-gen-source";
        path = ./.;
        filter =
          path: _type:
          !(builtins.elem (baseNameOf path) [
            ".git"
            ".demo"
            "coverage"
            "dist"
            "node_modules"
            "result"
          ]);
      };

      build =
        system: pkgs: attributes:
        pkgs.buildNpmPackage (
          {
            pname = packageJson.name;
            version = packageJson.version;
            src = source;
            nodejs = pkgs.nodejs_24;
            npmConfigHook = pkgs.importNpmLock.npmConfigHook;
            npmDeps = pkgs.importNpmLock {
              package = packageJson;
              inherit packageLock;
              packageSourceOverrides = import ./nix/npm-tarballs.nix {
                inherit pkgs system packageLock;
                nodejs = pkgs.nodejs_24;
              };
            };
            # The one package with an install script is `node`, which would download the interpreter
            # that Nix provides here.
            npmRebuildFlags = [ "--ignore-scripts" ];
            meta = {
              description = packageJson.description;
              mainProgram = "swarm-gen";
            };
          }
          // attributes
        );
    in
    {
      packages = forEachSystem (
        system: pkgs: {
          default = build system pkgs {
            # buildNpmPackage starts each bin with Node, but ours is a launcher for the shell. It
            # looks for the interpreter beside itself first, so that is where this one is linked.
            # npm's own record of the installation names the tarballs and would keep them alive.
            postInstall = ''
              package="$out/lib/node_modules/swarm-gen"
              ln -s ${pkgs.nodejs_24}/bin/node "$package/bin/node"
              ln -sf "$package/bin/swarm-gen" "$out/bin/swarm-gen"
              rm -f "$package/node_modules/.package-lock.json"
            '';
          };
        }
      );

      apps = forEachSystem (
        system: _pkgs: {
          default = {
            type = "app";
            program = "${self.packages.${system}.default}/bin/swarm-gen";
          };
        }
      );

      checks = forEachSystem (
        system: pkgs: {
          # Without a Node on PATH, so that the one the package brings is what runs.
          help = pkgs.runCommand "swarm-gen-help" { } ''
            export HOME="$TMPDIR"
            ${self.packages.${system}.default}/bin/swarm-gen --help > "$out"
            grep -q stage "$out"
          '';

          unit = build system pkgs {
            pname = "swarm-gen-unit-tests";
            nativeBuildInputs = [ pkgs.git ];
            doCheck = true;
            checkPhase = ''
              node node_modules/vitest/vitest.mjs run test/unit
            '';
            installPhase = ''
              touch "$out"
            '';
          };
        }
      );

      devShells = forEachSystem (
        _system: pkgs: {
          default = pkgs.mkShell {
            packages = [
              pkgs.nodejs_24
              pkgs.sqlite
              pkgs.tmux
              pkgs.git
            ];
          };
        }
      );
    };
}
