/** verify: compares generations with what their ids say; changes nothing. */
import type { Damage, VerifyResult } from "../store/store.ts";
import { type OperationContext, stoppingProgress } from "./operation-context.ts";

export interface VerifyInput {
  /** Empty: all generations. */
  readonly references: readonly string[];
  readonly quick?: boolean;
}

export interface VerifyOutput {
  readonly ok: boolean;
  readonly damage: readonly Damage[];
}

/** The store's whole answer; surfaces that speak to people tell what was not looked at. */
export async function verify(context: OperationContext, input: VerifyInput): Promise<VerifyResult> {
  const { store, profile } = context;
  const generations = input.references.map((reference) => store.resolve(reference, profile));
  return store.verify({
    ...(generations.length === 0 ? {} : { generations: [...new Set(generations)] }),
    quick: input.quick === true,
    onProgress: stoppingProgress(context),
  });
}

/** Exactly the documented keys. */
export function verifyOutput({ ok, damage }: VerifyResult): VerifyOutput {
  return {
    ok,
    damage: damage.map(({ generation, path, kind, expected, found }) => ({
      generation,
      path,
      kind,
      expected,
      found,
    })),
  };
}
