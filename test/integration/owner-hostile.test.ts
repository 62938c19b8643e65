/** What a client may do that no client should: slow, half, endless, many, malformed. The owner serves on. */
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { LEDGER_OPERATIONS } from "../../src/operations/ledger/operation-table.ts";
import { createOwnerWorld, type OwnerWorld } from "../fixtures/owner-world.ts";

const QUICK = { headWithinMs: 300, requestWithinMs: 600, checkEveryMs: 50, silentAfterMs: 2_000 };

/** All that the owner says on a connection, until it ends it. */
function talk({ layout }: OwnerWorld, send: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(layout.socket, () => send(socket));
    let heard = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      heard += text;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(heard));
  });
}

const statusOf = (heard: string) => /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? null;

async function serving(bounds = {}) {
  const world = createOwnerWorld();
  await world.start({ bounds: { ...QUICK, ...bounds } });
  return world;
}

async function servesOn({ http }: OwnerWorld) {
  expect((await http({ path: "/v1/task.ls", body: {} })).status).toBe(200);
}

it("a head that comes drop by drop, or a body that never ends, is ended with a typed refusal", async () => {
  const world = await serving();
  const head = (key: string) =>
    `POST /v1/task.ls HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
  const heard = await Promise.all([
    talk(world, (socket) => socket.write("POST /v1/task.ls HTTP/1.1\r\nhost: x\r\nx-slow: ")),
    talk(world, (socket) => socket.write(`${head(world.operatorKey())}content-length: 100\r\n\r\n{`)),
    talk(world, () => {}),
  ]);
  expect(heard.slice(0, 2).map(statusOf)).toEqual(["400", "400"]);
  for (const answer of heard.slice(0, 2)) expect(answer).toContain('"code":"invalid_input"');
  await servesOn(world);
});

it("a head of more than 16 KiB, and what is no HTTP, is refused and the connection ended", async () => {
  const world = await serving();
  const heard = await Promise.all([
    talk(world, (socket) => socket.write(`GET / HTTP/1.1\r\nx: ${"y".repeat(32 * 1024)}\r\n\r\n`)),
    talk(world, (socket) => socket.write("\0\x01\x02 nonsense\r\n\r\n")),
    talk(world, (socket) => socket.write("GET /v1/descriptor HTTP/9.9\r\n\r\n")),
    talk(world, (socket) =>
      socket.write(
        "POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
      ),
    ),
  ]);
  expect(heard.map(statusOf)).toEqual(["400", "400", "400", "400"]);
  expect(heard[0]).toContain("16384 bytes");
  await servesOn(world);
});

it("requests that are sent ahead are answered in their order", async () => {
  const world = await serving();
  const one = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const heard = await talk(world, (socket) =>
    socket.write(one("/v1/descriptor") + one("/no/such") + one("/v1/descriptor", "connection: close\r\n")),
  );
  expect([...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404", "200"]);
});

it("a client that leaves in the middle of its request changes nothing", async () => {
  const world = await serving();
  const { http, commandId, operatorKey } = world;
  await talk(world, (socket) => {
    socket.write(
      `POST /v1/task.add HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${operatorKey()}\r\n` +
        `swarm-gen-command: ${commandId()}\r\ncontent-type: application/json\r\ncontent-length: 200\r\n\r\n{"title":`,
    );
    socket.destroySoon();
  });
  expect((await http({ path: "/v1/task.ls", body: {} })).body).toMatchObject({ tasks: [] });
});

it("more connections than it holds are turned away, and it serves again when some have gone", async () => {
  const world = await serving({ mostConnections: 8, silentAfterMs: 500 });
  const held = Array.from({ length: 8 }, () => talk(world, () => {}));
  const beyond = await talk(world, (socket) =>
    socket.write("GET /v1/descriptor HTTP/1.1\r\nhost: x\r\n\r\n"),
  );
  expect(statusOf(beyond)).toBeNull();
  await Promise.all(held);
  await servesOn(world);
});

it("ten thousand inputs of any operation are done or refused with a typed 4xx, and no refusal adds a row", async () => {
  const world = await serving({ requestWithinMs: 20_000 });
  const { http, commandId } = world;
  const call = fc.record({ operation: fc.constantFrom(...Object.keys(LEDGER_OPERATIONS)), input });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 50, maxLength: 50 }), async (calls) => {
      const named = calls.map((each) => ({ ...each, commandId: commandId() }));
      const { status, body } = await http({ path: "/v1/batch", body: { calls: named } });
      expect(status).toBe(200);
      for (const [index, answer] of body.answers.entries()) {
        if (answer.ok) continue;
        refused += 1;
        const told = `${JSON.stringify(calls[index])} ${JSON.stringify(answer)}`;
        expect(answer.status, told).toBeGreaterThanOrEqual(400);
        expect(answer.status, told).toBeLessThan(500);
      }
    }),
    { numRuns: 200 },
  );
  expect(refused).toBeGreaterThan(7_000);
  expect((await http({ path: "/v1/task.ls", body: {} })).body).toMatchObject({ tasks: [] });
});

it("any body on any route is answered with 200 or a typed 4xx", async () => {
  const world = await serving({ requestWithinMs: 20_000 });
  const { http, commandId } = world;
  const headers = { "content-type": "application/json", "swarm-gen-command": commandId() };
  const body = fc.oneof(fc.string(), fc.json(), fc.constantFrom("[]", "null", '{"calls":[{}]}', "{} {}"));
  const route = fc.constantFrom("/v1/batch", "/v1/task.add", "/v1/events", "/v1/inbox.send");
  await fc.assert(
    fc.asyncProperty(route, body, async (path, text) => {
      const { status, body: answer } = await http({ path, body: text, headers });
      if (status === 200) return;
      expect(answer).toMatchObject({ ok: false, status });
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 300 },
  );
});

const member = fc.oneof(
  fc.constantFrom(...["task", "fence", "title", "brief", "actor", "message", "launch", "__proto__", "kind"]),
  fc.string({ maxLength: 12 }),
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 0, 1e308, 2 ** 53, "", "t-0000", "\u0000", "sgk_", null, [], {}),
);
const input = fc.oneof(fc.dictionary(member, value, { maxKeys: 6 }), value);
