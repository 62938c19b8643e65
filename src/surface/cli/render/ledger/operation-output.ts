/** The output of an operation by its name, as its schema says; types alone, no schema is loaded. */
import type { CODE } from "../../../../operations/ledger/operation-code.ts";
import type { Style } from "../style.ts";

export type OutputOf<Name extends keyof typeof CODE> = (typeof CODE)[Name]["output"]["_output"];

export type OperationTexts = {
  readonly [Name in keyof typeof CODE]?: (output: OutputOf<Name>, style: Style) => string;
};
