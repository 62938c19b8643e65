/** The scope and the process that serves it, as facts. */
import type { OwnerDescriptor } from "../../../client/client.ts";
import type { ScopeName } from "../../../operations/scope/scope-place.ts";
import { secondText, shortId } from "./quantities.ts";
import type { Style } from "./style.ts";
import { facts } from "./table.ts";

export function ownerText(
  { scope, root, profile }: ScopeName,
  owner: OwnerDescriptor | null,
  style: Style,
): string {
  const process: [string, string][] =
    owner === null
      ? []
      : [
          ["process", `${owner.process.pid}, ${owner.state} since ${secondText(owner.startedAt)} UTC`],
          [
            "generation",
            owner.generation === null ? `none; build ${owner.build}` : shortId(owner.generation),
          ],
          ["instance", owner.instance],
        ];
  return facts([["project", root], ["profile", profile], ["scope", scope], ...process], style);
}
