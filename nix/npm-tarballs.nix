# The npm packages that package-lock.json pins for one system, each as a derivation of its tarball.
#
# The lockfile names no registry: a package is a name, a version and an integrity. So each tarball
# is fetched by `npm pack`, from whichever registry npm is configured for, and Nix refuses any other
# bytes than the lockfile's integrity stands for. No further hash has to be kept up to date.
#
# Only what npm would install on this system is fetched: the lockfile's graph is walked from the
# root, and a package for another operating system, processor or C library ends the walk there.
#
#   in   pkgs, nodejs, system, packageLock (the parsed lockfile, version 3)
#   out  { "node_modules/<name>" = derivation of the tarball; … }, as `importNpmLock` takes it
{
  pkgs,
  nodejs,
  system,
  packageLock,
}:
let
  inherit (builtins)
    all
    attrNames
    concatMap
    elem
    filter
    genericClosure
    head
    listToAttrs
    match
    replaceStrings
    ;
  inherit (packageLock) packages;

  platform =
    {
      x86_64-linux = { os = "linux"; cpu = "x64"; libc = "glibc"; };
      aarch64-linux = { os = "linux"; cpu = "arm64"; libc = "glibc"; };
      x86_64-darwin = { os = "darwin"; cpu = "x64"; libc = null; };
      aarch64-darwin = { os = "darwin"; cpu = "arm64"; libc = null; };
    }
    .${system};

  # npm's rule: named, or not excluded where the list only excludes.
  accepts =
    value: list:
    elem value list || (all (item: match "!.*" item != null) list && !(elem "!${toString value}" list));

  fits =
    path:
    let
      module = packages.${path};
    in
    all (field: !(module ? ${field}) || accepts platform.${field} module.${field}) [
      "os"
      "cpu"
      "libc"
    ];

  # Where `name` resolves to when it is required from the package at `path`: the nearest
  # node_modules upwards, as Node looks it up. Null where the lockfile has none (optional peers).
  resolve =
    path: name:
    let
      candidate = (if path == "" then "" else "${path}/") + "node_modules/${name}";
      parent = match "(.*)/node_modules/(@[^/]+/)?[^/]+" path;
    in
    if packages ? ${candidate} then
      candidate
    else if path == "" then
      null
    else
      resolve (if parent == null then "" else head parent) name;

  needs =
    path:
    let
      module = packages.${path};
      optionalPeers = filter (name: module.peerDependenciesMeta.${name}.optional or false) (
        attrNames (module.peerDependenciesMeta or { })
      );
      names =
        attrNames (module.dependencies or { })
        ++ attrNames (module.optionalDependencies or { })
        ++ filter (name: !(elem name optionalPeers)) (attrNames (module.peerDependencies or { }))
        ++ (if path == "" then attrNames (module.devDependencies or { }) else [ ]);
    in
    filter (found: found != null && fits found) (map (resolve path) names);

  installed = filter (path: path != "") (
    map (node: node.key) (genericClosure {
      startSet = [ { key = ""; } ];
      operator = node: map (path: { key = path; }) (needs node.key);
    })
  );

  # An alias's lock entry states the name under which the registry knows it.
  nameOf = path: packages.${path}.name or (head (match ".*node_modules/((@[^/]+/)?[^/]+)" path));

  tarball =
    path:
    let
      module = packages.${path};
      name = nameOf path;
    in
    pkgs.runCommand "npm-${replaceStrings [ "@" "/" ] [ "" "-" ] name}-${module.version}.tgz"
      {
        outputHash = module.integrity;
        outputHashMode = "flat";
        nativeBuildInputs = [
          nodejs
          pkgs.cacert
        ];
        impureEnvVars = [
          "http_proxy"
          "https_proxy"
          "no_proxy"
          "npm_config_registry"
        ];
        spec = "${name}@${module.version}";
      }
      ''
        export HOME="$TMPDIR" npm_config_update_notifier=false
        npm pack --silent --ignore-scripts "$spec"
        mv ./*.tgz "$out"
      '';
in
# A bundled package lies in its parent's tarball and has none of its own.
listToAttrs (
  concatMap (
    path:
    if packages.${path}.inBundle or false then
      [ ]
    else
      [
        {
          name = path;
          value = tarball path;
        }
      ]
  ) installed
)
