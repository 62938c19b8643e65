/**
 * Checks the imports below `src/` and exits 1 if something is wrong with them.
 *
 *   usage   node scripts/check-imports.ts [FOLDER]     default: this checkout
 */
import { resolve } from "node:path";
import { findImportFaults } from "./find-import-faults.ts";

const root = resolve(process.argv[2] ?? new URL("..", import.meta.url).pathname);
const { faults, modules, imports } = await findImportFaults(root);
for (const fault of faults) console.error(fault);
console.log(`imports: ${modules} modules, ${imports} imports, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
