/** Pins as a table, or the sentence that there are none. */
import type { WhyOutput } from "../../../operations/why.ts";
import { instantText } from "./quantities.ts";
import type { Style } from "./style.ts";
import { table } from "./table.ts";

/** `lapsed` are the ids of pins that no longer count, where that is known. */
export function pinsText(pins: WhyOutput["pins"], style: Style, lapsed: readonly string[] = []): string {
  if (pins.length === 0) return "No pins.";
  return table(
    pins,
    [
      { title: "PIN", value: (pin) => pin.id },
      { title: "KIND", value: (pin) => pin.kind },
      { title: "SINCE (UTC)", value: (pin) => instantText(pin.since) },
      { title: "ENDS (UTC)", value: (pin) => (pin.expiresAt === null ? "-" : instantText(pin.expiresAt)) },
      {
        title: "REASON",
        value: (pin) => (lapsed.includes(pin.id) ? `${pin.reason} (over; keeps nothing)` : pin.reason),
      },
    ],
    style,
  );
}
