# The stand-in's packages for one system: names, arguments and observable effects are those of
# nixpkgs as its manual documents them; everything behind them is this machine's.
#
#   host  { bash, path, node, npm, npmCache, git, tmux, sqlite3 }: absolute paths, as strings;
#         `path` is a search path of the system's basic tools
{ system, host }:
let
  # The shell must outlive its last command, hence the final `exit`: Nix 2.8 kills a builder whose
  # output was closed, and bash replaces itself with a last command, which then closes its output
  # (coreutils do) a moment before it ends.
  derive =
    name: attributes: script:
    derivation (
      {
        inherit name system;
        builder = host.bash;
        args = [
          "-euc"
          ''
            export PATH="$toolPath"
            ${script}
            exit 0
          ''
        ];
        toolPath = searchPath (attributes.nativeBuildInputs or [ ]);
      }
      // attributes
    );

  searchPath =
    packages: builtins.concatStringsSep ":" (map (package: "${package}/bin") packages ++ [ host.path ]);

  # A package of one tool, which is the machine's own.
  tool =
    name: file:
    derive name { } ''
      mkdir -p "$out/bin"
      ln -s ${file} "$out/bin/${name}"
    '';
in
rec {
  runCommand = derive;

  git = tool "git" host.git;
  tmux = tool "tmux" host.tmux;
  sqlite = tool "sqlite3" host.sqlite3;
  bashInteractive = tool "bash" host.bash;
  cacert = derive "cacert" { } ''mkdir "$out"'';

  # The interpreter is a copy with a byte more, which runs the same: so whatever was staged by this
  # one can be told from what was staged by the machine's.
  #
  # `npm pack` in a derivation whose output's hash is known is a download. Here npm's cache, which
  # holds every tarball that this checkout was installed from, stands in for the registry; Nix
  # checks the bytes against the lockfile's integrity all the same.
  nodejs_24 = derive "nodejs" { inherit (host) node npm npmCache bash; } ''
    mkdir -p "$out/bin"
    cp "$node" "$out/bin/node"
    chmod u+w "$out/bin/node"
    echo >> "$out/bin/node"
    cat > "$out/bin/npm" <<END
    #!$bash
    if [ "\$1" = pack ] && [ -n "\''${outputHash-}" ]; then
      hex=\$(printf %s "\''${outputHash#sha512-}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
      exec cp "$npmCache/_cacache/content-v2/sha512/\''${hex:0:2}/\''${hex:2:2}/\''${hex:4}" tarball.tgz
    fi
    exec "$out/bin/node" "$npm" "\$@"
    END
    chmod +x "$out/bin/npm"
  '';

  # The lockfile and the manifest, with each dependency replaced by the file that holds it.
  importNpmLock = {
    __functor =
      _self:
      {
        package,
        packageLock,
        packageSourceOverrides,
      }:
      let
        source = path: "file:${packageSourceOverrides.${path}}";
        pin = builtins.mapAttrs (name: _range: source "node_modules/${name}");
        pinned = package // {
          dependencies = pin package.dependencies;
          devDependencies = pin package.devDependencies;
        };
        lock = packageLock // {
          packages = builtins.mapAttrs (
            path: module:
            module // (if packageSourceOverrides ? ${path} then { resolved = source path; } else { })
          ) packageLock.packages;
        };
      in
      derive "npm-dependencies"
        {
          manifest = builtins.toJSON pinned;
          lockfile = builtins.toJSON lock;
          passAsFile = [
            "manifest"
            "lockfile"
          ];
        }
        ''
          mkdir "$out"
          cp "$manifestPath" "$out/package.json"
          cp "$lockfilePath" "$out/package-lock.json"
        '';
    npmConfigHook = "import-npm-lock";
  };

  # Configure, build, check, install, as the manual's section on buildNpmPackage has them. What
  # matters to the project: npm has no network; a bin is started with Node whatever it is; only
  # what `npm pack` lists and the production dependencies are installed.
  buildNpmPackage =
    {
      pname,
      version,
      src,
      nodejs,
      npmDeps,
      npmConfigHook,
      npmRebuildFlags ? [ ],
      nativeBuildInputs ? [ ],
      doCheck ? false,
      checkPhase ? "",
      installPhase ? ''
        package="$out/lib/node_modules/${pname}"
        npm pack --silent --dry-run --json --ignore-scripts > "$TMPDIR/pack.json"
        node -e 'const [packed] = Object.values(JSON.parse(require("fs").readFileSync(0)));
          for (const file of packed.files) console.log(file.path)' < "$TMPDIR/pack.json" |
          while read -r file; do
            mkdir -p "$package/$(dirname "$file")"
            cp "$file" "$package/$file"
          done
        mkdir -p "$out/bin"
        node -p 'Object.entries(require("./package.json").bin).flat().join("\n")' |
          while read -r name && read -r file; do
            printf '#!%s\nexec %s %s "$@"\n' ${host.bash} ${nodejs}/bin/node "$package/$file" > "$out/bin/$name"
            chmod +x "$out/bin/$name"
          done
        npm prune --silent --omit=dev --no-save
        cp -r node_modules "$package/node_modules"
        cp package.json.original "$package/package.json"
      '',
      postInstall ? "",
      meta ? { },
    }:
    assert npmConfigHook == importNpmLock.npmConfigHook;
    derive "${pname}-${version}"
      {
        nativeBuildInputs = [ nodejs ] ++ nativeBuildInputs;
        inherit src npmDeps;
      }
      ''
        export HOME="$TMPDIR" npm_config_offline=true npm_config_audit=false npm_config_fund=false
        export npm_config_update_notifier=false
        cp -r "$src" "$TMPDIR/source"
        chmod -R u+w "$TMPDIR/source"
        cd "$TMPDIR/source"

        mv package.json package.json.original
        mv package-lock.json package-lock.json.original
        cp --no-preserve=mode "$npmDeps/package.json" "$npmDeps/package-lock.json" .
        npm install --silent --ignore-scripts
        npm rebuild --silent ${toString npmRebuildFlags}

        npm run build
        ${if doCheck then checkPhase else ""}
        ${installPhase}
        ${postInstall}
      ''
    // {
      inherit meta;
    };

  # `nix develop` runs this derivation's builder, which must be a bash, with a script of its own to
  # learn the environment; that script writes to each of `outputs`.
  mkShell =
    { packages }:
    derivation {
      name = "shell";
      inherit system;
      outputs = [ "out" ];
      builder = host.bash;
      args = [
        "-c"
        "exit 1"
      ];
      PATH = searchPath packages;
    };
}
