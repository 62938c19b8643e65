/** What of a scope is whose: no other user gets at it at any moment, and no secret leaves its file. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { makeSecret, secretDigest } from "../../src/kernel/capability.ts";
import { ownerStart, ownerStop } from "../../src/operations/scope/owner-control.ts";
import { createOwnerWorld, type OwnerWorld, stopAtEnd } from "../fixtures/owner-world.ts";
import { sendRaw } from "../fixtures/raw-http.ts";

const WATCHER = fileURLToPath(new URL("../fixtures/watch-modes-child.ts", import.meta.url));

interface Watched {
  readonly open: readonly string[];
  readonly seen: readonly string[];
  readonly rounds: number;
}

async function watch(folder: string): Promise<{ end(): Promise<Watched> }> {
  const child = spawn(process.execPath, [WATCHER, folder], { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  await new Promise<void>((resolve) =>
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      resolve();
    }),
  );
  return {
    end: () =>
      new Promise((resolve) => {
        child.on("close", () => resolve(JSON.parse(text.slice(text.indexOf("\n") + 1)) as Watched));
        child.stdin.end();
      }),
  };
}

it("all that a start, a restart and a stop make is private whenever one looks, whatever the umask is", async () => {
  const before = process.umask(0);
  const world = createOwnerWorld();
  const { request, ports, layout } = world;
  stopAtEnd(world);
  const runtime = join(world.folder, "runtime");
  mkdirSync(runtime, { mode: 0o700 });
  const [state, sockets] = await Promise.all([watch(layout.state), watch(runtime)]);
  try {
    for (const env of [ports.env, { ...ports.env, XDG_RUNTIME_DIR: runtime }, ports.env]) {
      await ownerStart(request, { ...ports, env });
      await world.client().call("task add", { title: "Seen", brief: { objective: "x" } });
      await ownerStop(request, ports);
    }
  } finally {
    process.umask(before);
  }
  const [inState, inRuntime] = await Promise.all([state.end(), sockets.end()]);
  expect([...inState.open, ...inRuntime.open]).toEqual([]);
  const names = [
    "",
    "/ledger.sqlite",
    "/owner.lock",
    "/operator.key",
    "/logs/owner.log",
    "/logs/owner.stderr",
  ];
  for (const name of names) expect(inState.seen).toContain(`${layout.folder}${name}`);
  expect([inState.rounds, inRuntime.rounds].every((rounds) => rounds > 20)).toBe(true);
});

/** Another user's attempt: prints what came of it. */
const ATTEMPT = `
  const [socket, ...files] = process.argv.slice(1);
  for (const file of files) {
    try { require("fs").readFileSync(file); console.log("read " + file); } catch (error) { console.log(error.code); }
  }
  require("net").connect(socket)
    .on("connect", () => { console.log("connected"); process.exit(); })
    .on("error", (error) => console.log(error.code));`;

it("another user can neither connect nor read, though the folders above are open", async ({ skip }) => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) skip("only root can be another user");
  const world = createOwnerWorld();
  const { layout } = world;
  await world.start();
  for (const path of [world.folder, layout.state, layout.scopes]) chmodSync(path, 0o755);
  const attempt = (...before: string[]) => {
    const [file = "", ...args] = [...before, process.execPath, "-e", ATTEMPT, layout.socket];
    const files = [layout.operatorKey, layout.ledger, layout.endpoint];
    const { stdout, stderr } = spawnSync(file, [...args, ...files], { encoding: "utf8" });
    return `${stdout}${stderr}`.trim().split("\n");
  };
  const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"];
  expect(attempt(...asNobody)).toEqual(["EACCES", "EACCES", "EACCES", "EACCES"]);
  // The same program gets at all of it as the user itself: it is the modes that refuse.
  expect(attempt()).toEqual([
    ...[layout.operatorKey, layout.ledger, layout.endpoint].map((path) => `read ${path}`),
    "connected",
  ]);
});

interface Busy {
  readonly world: OwnerWorld;
  /** None of them may be found anywhere. */
  readonly secrets: readonly string[];
}

/** Secrets wherever somebody may put one, by mistake or not. */
async function beBusy(): Promise<Busy> {
  const world = createOwnerWorld();
  const { request, ports, layout } = world;
  stopAtEnd(world);
  const inEnvironment = "canary-of-the-environment";
  await ownerStart(request, { ...ports, env: { ...ports.env, API_TOKEN: inEnvironment } });
  const [lead, worker, nobodys, inPath] = [
    await world.enroll("lead"),
    await world.enroll("worker"),
    makeSecret(ports.ids),
    makeSecret(ports.ids),
  ] as const;
  const add = { title: "Seen", brief: { objective: "x" } };
  const { task } = await world.client(lead).call<{ task: string }>("task add", add);
  const { fence } = await world.client(worker).call<{ fence: number }>("attempt claim", { task });
  await world.client(worker).call("attempt finish", { task, fence, outcome: "completed" });
  const attempts = [
    { path: "/v1/task.add", body: add, capability: nobodys },
    { path: "/v1/task.add", body: add, capability: worker },
    { path: `/v1/${inPath}`, body: {} },
    { path: `/v1/task.ls?key=${inPath}`, body: {} },
    { path: "/v1/task.add", body: { ...add, [inPath]: inPath }, headers: { "swarm-gen-command": inPath } },
    { path: "/v1/enroll", body: { kind: "worker", label: "x", capabilityDigest: inPath } },
    { path: "/v1/batch", body: { calls: [{ operation: inPath, commandId: inPath }] } },
    { path: "/v1/settings.set", body: { key: inPath, value: inPath } },
    { path: "/v1/task.add", body: `{"title": "${inPath}`, headers: { "content-type": "application/json" } },
  ];
  for (const attempt of attempts) await world.http(attempt);
  const { socket } = layout;
  await sendRaw(socket, `GET /v1/events HTTP/1.1\r\nhost: x\r\nlast-event-id: ${inPath}\r\n\r\n`, 200);
  await sendRaw(socket, `${inPath} ${inPath}\r\n\r\n`, 200);
  const keys = [layout.operatorKey, layout.launcherKey].map((path) => readFileSync(path, "utf8").trim());
  return { world, secrets: [...keys, lead, worker, nobodys, inPath, inEnvironment] };
}

it("after a busy time no file but the keys holds a secret, nor do the owner's arguments and environment", async () => {
  const { world, secrets } = await beBusy();
  const { owner } = await ownerStart(world.request, world.ports);
  const { pid } = owner.process;
  const ofProcess = process.platform === "linux" ? [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`] : [];
  const holdersIn = (paths: readonly string[]) =>
    paths.flatMap((path) => {
      const text = readFileSync(path, "latin1");
      return secrets.filter((secret) => text.includes(secret)).map((secret) => `${path} holds ${secret}`);
    });
  expect(holdersIn(ofProcess)).toEqual([]);
  await ownerStop(world.request, world.ports);
  const { operatorKey, launcherKey } = world.layout;
  const files = globSync(`${world.folder}/**/*`).filter(
    (path) => statSync(path).isFile() && path !== operatorKey && path !== launcherKey,
  );
  expect(files.length).toBeGreaterThan(5);
  expect(holdersIn(files)).toEqual([]);
  // The digest is what is kept, so the same search finds what is there.
  const ledger = readFileSync(world.layout.ledger, "latin1");
  expect(ledger.includes(secretDigest(secrets[0] ?? ""))).toBe(true);
});
