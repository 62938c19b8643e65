/** plainjob's queue on a database of its own, set to the durability that the ledger has. */
import Database from "better-sqlite3";
import { better, defineQueue, type Queue } from "plainjob";

export type { Queue };

const QUIET = { error() {}, warn() {}, info() {}, debug() {} };

export function openPlainjob(path: string): Queue {
  const db = new Database(path);
  const queue = defineQueue({ connection: better(db), logger: QUIET });
  // plainjob sets NORMAL, which loses the last commits with the power; the ledger never does.
  db.pragma("synchronous = FULL");
  return queue;
}
