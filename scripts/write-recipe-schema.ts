/** Writes the published JSON Schema of recipes; a test says when that is needed. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { recipeJsonSchema } from "../src/store/source/recipe.ts";

const file = fileURLToPath(new URL("../generations/recipe.schema.json", import.meta.url));
const formatter = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));
writeFileSync(file, `${JSON.stringify(recipeJsonSchema(), null, 2)}\n`);
spawnSync(formatter, ["format", "--write", file], { stdio: "inherit" });
