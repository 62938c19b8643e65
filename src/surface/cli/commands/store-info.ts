/** store info, for people: counts and sizes, then alarms. */
import { storeInfo } from "../../../operations/store-info.ts";
import type { Answer, Call } from "../call.ts";
import { cleanText } from "../render/clean-text.ts";
import { countText, sizeText } from "../render/quantities.ts";
import { facts } from "../render/table.ts";

export async function run(call: Call): Promise<Answer> {
  const output = await storeInfo(await call.context());
  const methods = Object.entries(output.importMethods).map(([method, files]) => `${method} ${files}`);
  return {
    output,
    text: (style) =>
      [
        facts(
          [
            ["store", output.path],
            ["generations", `${output.generations}, ${output.pinned} of them pinned`],
            [
              "trees",
              `${countText(output.files, "file")}, ${sizeText(output.apparentBytes)} as if nothing was shared`,
            ],
            ["blobs", `${countText(output.blobs, "blob")}, ${sizeText(output.blobBytes)}`],
            ["index", sizeText(output.indexBytes)],
            ["imported by", methods.length === 0 ? "-" : methods.join(", ")],
          ],
          style,
        ),
        ...output.alarms.map((alarm) => style.yellow(cleanText(`alarm: ${alarm}`))),
      ].join("\n"),
  };
}
