/** Writes the reference pages that are made from code: docs/cli.md and docs/errors.md. */
import { writeFileSync } from "node:fs";
import { cliReference } from "./cli-reference.ts";
import { errorReference } from "./error-reference.ts";

const docs = new URL("../docs/", import.meta.url);
writeFileSync(new URL("cli.md", docs), cliReference());
writeFileSync(new URL("errors.md", docs), errorReference());
