/**
 * enroll: makes the secret, writes it to a new file of the user's alone, and sends its digest. The
 * secret is in no argument, no request and no output.
 *
 * The file is written before the owner is asked: an enrollment whose secret was lost with a crash
 * would serve nobody. A refusal takes it away again; where nobody knows whether the enrollment was
 * made, it stays, and the same command under the same id uses it.
 */
import { isSecret, makeSecret, secretDigest } from "../../../kernel/capability.ts";
import { CodedError, systemCode } from "../../../kernel/errors.ts";
import { LEDGER_OPERATIONS } from "../../../operations/ledger/operation-table.ts";
import type { Answer, Call } from "../call.ts";
import { givenPath } from "../given-path.ts";
import { answerOf, commandIdOf } from "../ledger/call-operation.ts";
import { inputOf } from "../ledger/input-of.ts";
import { outputText } from "../render/ledger/output-text.ts";
import type { ScopeFlags } from "../table/scope-flags.ts";

interface EnrollFlags extends ScopeFlags {
  readonly capabilityFile: string;
}

export async function run(call: Call<EnrollFlags>): Promise<Answer> {
  const { host, flags } = call;
  const row = LEDGER_OPERATIONS.enroll;
  const file = givenPath(host, flags.capabilityFile);
  const input = inputOf(row, call);
  const secret = secretIn(call, file);
  try {
    const commandId = commandIdOf(call);
    const request = { ...input, capabilityDigest: secretDigest(secret.text) };
    const output = await answerOf(row, { ...call, flags: { ...flags, commandId } }, request);
    return {
      output,
      text: (style) => outputText(row.name, output, style),
      notes: [`its capability is in ${file}, for --capability`],
    };
  } catch (error) {
    if (secret.isNew && provesNothingMade(error)) host.removeFile(file);
    throw error;
  }
}

/** A new one in a new file; only a command that is sent again takes what stands there. */
function secretIn({ host, flags }: Call<EnrollFlags>, file: string): { text: string; isNew: boolean } {
  const text = makeSecret(host.scopePorts().ids);
  try {
    host.makePrivateFile(file, `${text}\n`);
    return { text, isNew: true };
  } catch (cause) {
    const there = systemCode(cause) === "EEXIST";
    if (there && flags.commandId !== undefined) {
      const kept = host.readText(file).trim();
      if (isSecret(kept)) return { text: kept, isNew: false };
    }
    const why = there ? "is there already" : `cannot be made (${systemCode(cause) ?? cause})`;
    throw new CodedError("invalid_input", `The capability file ${file} ${why}.`, {
      hint: "Name a new file in a folder that you can write to; no capability is ever overwritten.",
      fields: { path: file, changed: false },
      cause,
    });
  }
}

/** What was sent and may have been done says under which id; see `call-operation.ts`. */
function provesNothingMade(error: unknown): boolean {
  return error instanceof CodedError && error.code !== "internal" && !("commandId" in error.fields);
}
