/** An owner killed in the middle of its scope's first start, at the moment each of its files appears. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { planOwner } from "../../src/operations/scope/plan-owner.ts";
import type { ScopeLayout } from "../../src/operations/scope/scope-layout.ts";
import { createOwnerWorld } from "../fixtures/owner-world.ts";

const FILES: readonly [name: string, path: (layout: ScopeLayout) => string][] = [
  ["the lock", ({ lock }) => lock],
  ["the log", ({ log }) => log],
  ["the ledger", ({ ledger }) => ledger],
  ["the ledger's log", ({ ledger }) => `${ledger}-wal`],
  ["the operator's key", ({ operatorKey }) => operatorKey],
  ["half of the launcher's key", ({ launcherKey }) => `${launcherKey}.new`],
  ["half of the config", ({ config }) => `${config}.new`],
  ["the config", ({ config }) => config],
  ["the socket", ({ socket }) => socket],
  ["the endpoint", ({ endpoint }) => endpoint],
];

it.each(FILES)("killed once %s is there, the next start begins the scope, whole", async (_name, pathOf) => {
  const world = createOwnerWorld();
  const path = pathOf(world.layout);
  const { file, argv, env } = await planOwner({ ...world.request, name: world.name }, world.ports);
  const child = spawn(file, argv.slice(1), { env, stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  // A file of an instant may come and go between two looks: then it is killed soon after.
  while (!existsSync(path) && !existsSync(world.layout.endpoint)) await new Promise(setImmediate);
  child.kill("SIGKILL");
  await ended;
  const { descriptor } = await world.start();
  expect(JSON.parse(readFileSync(world.layout.config, "utf8"))).toMatchObject({
    root: world.name.root,
    instance: descriptor().instance,
  });
  expect(world.operatorKey()).toMatch(/^sgk_[0-9a-f]{64}$/);
  expect(await world.client().call("task ls", {})).toMatchObject({ tasks: [] });
});
