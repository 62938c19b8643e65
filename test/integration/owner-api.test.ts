/** The owner's API: who may call what, what is refused and how it says so, and what a retry gets. */
import { describe, expect, it } from "vitest";
import { makeSecret } from "../../src/kernel/capability.ts";
import { ownerStatus } from "../../src/operations/scope/owner-control.ts";
import { refusalOfAsync } from "../fixtures/coded-error.ts";
import { createOwnerWorld } from "../fixtures/owner-world.ts";

const TASK = { title: "Port the parser", brief: { objective: "Port it" } };

async function serving() {
  const world = createOwnerWorld();
  await world.start();
  return world;
}

const JSON_TYPE = { "content-type": "application/json" };

describe("a command", () => {
  it("is answered with the operation's output, and the same id again with the same answer", async () => {
    const { http, commandId } = await serving();
    const headers = { "swarm-gen-command": commandId() };
    const first = await http({ path: "/v1/task.add", headers, body: TASK });
    const second = await http({ path: "/v1/task.add", headers, body: TASK });
    expect(first.status).toBe(200);
    expect(first.headers["content-type"]).toBe("application/json");
    expect(first.body).toMatchObject({ title: "Port the parser", state: "open", createdBy: "operator" });
    expect(second.body).toEqual(first.body);
    expect([first.headers["swarm-gen-replayed"], second.headers["swarm-gen-replayed"]]).toEqual([
      undefined,
      "true",
    ]);
  });

  it("under an id that came before with another content is a conflict, whatever the order of keys", async () => {
    const { http, commandId } = await serving();
    const headers = { "swarm-gen-command": commandId() };
    await http({ path: "/v1/task.add", headers, body: TASK });
    const reordered = { brief: TASK.brief, title: TASK.title };
    expect((await http({ path: "/v1/task.add", headers, body: reordered })).status).toBe(200);
    const other = await http({ path: "/v1/task.add", headers, body: { ...TASK, title: "Another" } });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
  });

  it("without an id, or with one that is no UUIDv7, changes nothing and names the header", async () => {
    const { http, client } = await serving();
    for (const headers of [{}, { "swarm-gen-command": "7" }, { "swarm-gen-command": crypto.randomUUID() }]) {
      const { status, body } = await http({ path: "/v1/task.add", headers, body: TASK });
      expect([status, body.code, body.header]).toEqual([400, "invalid_input", "swarm-gen-command"]);
    }
    expect(await client().call("task ls", {})).toMatchObject({ tasks: [] });
  });

  it("with a malformed input names each path, and changes nothing", async () => {
    const { http, commandId } = await serving();
    const { status, headers, body } = await http({
      path: "/v1/task.add",
      headers: { "swarm-gen-command": commandId() },
      body: { title: "a\u0007b", brief: { objective: 5 }, extra: true },
    });
    expect(status).toBe(400);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(body).toMatchObject({
      type: "urn:swarm-gen:error:invalid_input",
      status: 400,
      code: "invalid_input",
      retryable: false,
      changed: false,
    });
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(["title", "brief.objective", ""]);
  });
});

describe("a caller", () => {
  it("without a capability, or with one that nobody was enrolled with, is unauthorized", async () => {
    const { http, ports } = await serving();
    const secrets = [null, "sgk_0", makeSecret(ports.ids)];
    for (const capability of secrets) {
      const { status, headers, body } = await http({ path: "/v1/task.ls", capability, body: {} });
      expect([status, body.code, headers["www-authenticate"]]).toEqual([401, "unauthorized", "Bearer"]);
    }
  });

  it("of another authority is forbidden, told who may, and on the feed once however often it tries", async () => {
    const world = await serving();
    const worker = await world.enroll("worker");
    for (const commandId of [world.commandId(), world.commandId()]) {
      const { status, body } = await world.http({
        path: "/v1/task.add",
        capability: worker,
        headers: { "swarm-gen-command": commandId },
        body: TASK,
      });
      expect([status, body.code, body.callers]).toEqual([403, "forbidden", ["operator", "lead"]]);
    }
    const { events } = await world.client().call<{ events: { type: string; payload: unknown }[] }>("events", {
      since: 0,
    });
    expect(events.filter(({ type }) => type === "call.denied").map(({ payload }) => payload)).toEqual([
      { operation: "task add", code: "forbidden", times: 1 },
    ]);
  });

  it("whose enrollment was revoked is refused from then on", async () => {
    const world = await serving();
    const lead = await world.enroll("lead");
    const { createdBy } = await world.client(lead).call<{ createdBy: string }>("task add", TASK);
    await world.client().call("revoke", { actor: createdBy });
    const { status, body } = await world.http({ path: "/v1/task.ls", capability: lead, body: {} });
    expect([status, body.code]).toEqual([403, "enrollment_revoked"]);
  });

  it("has sixteen requests in flight at most; the next is overloaded, and another actor is not", async () => {
    const world = await serving();
    const lead = await world.enroll("lead");
    const { signal, abort } = abortable();
    const slow = Array.from({ length: 16 }, () => world.http({ ...halfSent, capability: lead, signal }));
    const ask = (capability?: string) =>
      world.http({ path: "/v1/task.ls", body: {}, ...(capability === undefined ? {} : { capability }) });
    let beyond = await ask(lead);
    while (beyond.status === 200) beyond = await ask(lead);
    expect([beyond.status, beyond.body.code, beyond.body.inFlight]).toEqual([503, "overloaded", 16]);
    expect((await ask()).status).toBe(200);
    abort();
    await Promise.allSettled(slow);
    while (beyond.status !== 200) beyond = await ask(lead);
    expect(beyond.body).toMatchObject({ tasks: [] });
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

// The rest of its body never comes.
const halfSent = { path: "/v1/task.ls", headers: { ...JSON_TYPE, "content-length": "100" }, body: "{" };

describe("a batch", () => {
  it("answers each call by itself, and a query sees the commands before it", async () => {
    const { client, commandId } = await serving();
    const answers = await client().batch([
      { operation: "task add", input: TASK, commandId: commandId() },
      { operation: "task ls", input: {} },
      { operation: "task add", input: {} },
      { operation: "no such", input: {} },
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, false, false]);
    expect(answers[1]).toMatchObject({ output: { tasks: [{ title: "Port the parser" }] } });
    expect(
      answers.slice(2).map((answer) => (answer.ok ? null : (answer.error as { code?: string }).code)),
    ).toEqual(["invalid_input", "not_found"]);
  });

  it("of none, or of more calls than it may hold, is refused as a whole", async () => {
    const { http } = await serving();
    const many = Array.from({ length: 65 }, () => ({ operation: "task ls", input: {} }));
    for (const calls of [[], many]) {
      const { status, body } = await http({ path: "/v1/batch", body: { calls } });
      expect([status, body.code]).toEqual([400, "invalid_input"]);
    }
  });
});

describe("what is no call", () => {
  it("is refused by what is wrong with it", async () => {
    const { http } = await serving();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const large = `{"title":"${"x".repeat(1024 * 1024)}"}`;
    const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
    const answers = await Promise.all([
      http({ path: "/v1/no.such", body: {} }),
      http({ path: "/v1/toString", body: {} }),
      http({ path: "/v1/__proto__", body: {} }),
      http({ method: "GET", path: "/v1/task.add" }),
      http({ path: "/etc/passwd", body: {} }),
      http({ path: "/v1/task.ls", headers: form, body: "a=b" }),
      http({ path: "/v1/task.ls", headers: JSON_TYPE, body: "{" }),
      http({ path: "/v1/task.ls", headers: JSON_TYPE, body: large }),
      http({ path: "/v1/task.ls", headers: JSON_TYPE, body: deep }),
    ]);
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual([
      ...Array<string>(5).fill("404 not_found"),
      ...Array<string>(4).fill("400 invalid_input"),
    ]);
  });

  it("by another version of the API says which side is older, and proposes to stop only an older owner", async () => {
    const { http } = await serving();
    const ask = async (api: string) =>
      (await http({ path: "/v1/task.ls", headers: { "swarm-gen-api": api }, body: {} })).body;
    expect(await ask("2-3")).toMatchObject({
      code: "coordinator_version_mismatch",
      older: "owner",
      client: "2-3",
      owner: "1-1",
      hint: expect.stringContaining("swarm-gen owner stop"),
    });
    const fromOlder = await ask("0-0");
    expect(fromOlder).toMatchObject({ code: "coordinator_version_mismatch", older: "client" });
    expect(fromOlder.hint).not.toContain("stop");
    expect(await ask("0-1")).toMatchObject({ tasks: [] });
    expect(await ask("1")).toMatchObject({ code: "invalid_input" });
  });
});

describe("a client of another version", () => {
  const opened = async (api: readonly [number, number]) => {
    const world = createOwnerWorld();
    const owner = await world.start({ api });
    const refusal = await refusalOfAsync(() => world.client().call("task ls", {}));
    return { world, owner, refusal: refusal?.toJSON() };
  };

  it("than an older owner finds and ends it, as it is told, and the next owner serves it", async () => {
    const { world, owner, refusal } = await opened([0, 0]);
    expect(refusal).toMatchObject({
      ...{ code: "coordinator_version_mismatch", older: "owner", client: "1-1", owner: "0-0" },
      hint: "Start it anew from the newer program: swarm-gen owner stop, then swarm-gen owner start.",
    });
    expect(await ownerStatus(world.request, world.ports)).toMatchObject({
      state: "running",
      owner: { api: [0, 0] },
    });
    await world.client().call("owner stop", {});
    await owner.ended;
    await world.start();
    expect(await world.client().call("task ls", {})).toMatchObject({ tasks: [] });
  });

  it("than a newer owner is not told to stop it", async () => {
    const { refusal } = await opened([2, 3]);
    expect(refusal).toMatchObject({ code: "coordinator_version_mismatch", older: "client", owner: "2-3" });
    expect(refusal?.hint).toBe("Update this program; swarm-gen owner status tells the owner's build.");
  });
});

describe("what an owner says of itself", () => {
  it("needs no capability on the socket, and names build, versions, instance and process", async () => {
    const world = await serving();
    const { status, body } = await world.http({ method: "GET", path: "/v1/descriptor", capability: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      scope: world.name.scope,
      root: world.request.cwd,
      profile: "default",
      generation: null,
      build: "test",
      api: [1, 1],
      schema: { major: 1 },
      process: { pid: process.pid },
      state: "serving",
    });
    expect(body.instance).toMatch(/^[0-9a-f]{32}$/);
  });

  it("is an OpenAPI 3.1 document with every operation", async () => {
    const { http } = await serving();
    const { status, body } = await http({ method: "GET", path: "/openapi.json", capability: null });
    expect(status).toBe(200);
    expect(body.openapi).toBe("3.1.0");
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(["/v1/task.add", "/v1/attempt.claim", "/v1/batch", "/v1/events"]),
    );
    const add = body.paths["/v1/task.add"].post;
    expect(add.requestBody.content["application/json"].schema.required).toEqual(["title", "brief"]);
    expect(add.parameters[0].name).toBe("swarm-gen-command");
  });
});

describe("over TCP", () => {
  it("a capability, our own host and no page's origin are needed", async () => {
    const world = createOwnerWorld();
    const { tcpPort } = await world.start({ tcpPort: 0 });
    const ask = async (headers: Record<string, string>, capability?: null) => {
      const parts = {
        path: "/v1/task.ls",
        tcpPort,
        headers,
        body: {},
        ...(capability === null ? { capability } : {}),
      };
      const { status, body } = await world.http(parts);
      return `${status} ${body.code ?? "done"}`;
    };
    expect(await ask({})).toBe("200 done");
    expect(await ask({ host: `localhost:${tcpPort}` })).toBe("200 done");
    expect(await ask({}, null)).toBe("401 unauthorized");
    expect(await ask({ host: "evil.example" })).toBe("403 forbidden");
    expect(await ask({ host: "127.0.0.1:1" })).toBe("403 forbidden");
    expect(await ask({ origin: "https://evil.example" })).toBe("403 forbidden");
    expect(await ask({ origin: "null" })).toBe("403 forbidden");
    const { status } = await world.http({ method: "GET", path: "/v1/descriptor", capability: null, tcpPort });
    expect(status).toBe(401);
  });

  it("nothing is served unless it is asked for", async () => {
    const world = createOwnerWorld();
    const { tcpPort } = await world.start();
    expect(tcpPort).toBeNull();
  });
});
