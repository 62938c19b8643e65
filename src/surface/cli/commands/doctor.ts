/** doctor, for people: facts, then each finding with its fix. */
import { type DoctorOutput, doctor } from "../../../operations/doctor.ts";
import type { Answer, Call } from "../call.ts";
import { EXIT_FINDINGS } from "../exit-codes.ts";
import { cleanText } from "../render/clean-text.ts";
import type { Style } from "../render/style.ts";
import { facts } from "../render/table.ts";

export async function run(call: Call): Promise<Answer> {
  const inspection = await call.host.inspect();
  const output = await doctor({
    folders: call.folders(),
    inspection,
    profile: call.profile,
    openStore: async () => (await call.context()).store,
  });
  return {
    output,
    text: (style) => doctorText(output, style),
    ...(output.ok ? {} : { exitCode: EXIT_FINDINGS }),
  };
}

function doctorText(output: DoctorOutput, style: Style): string {
  const findings = output.findings.flatMap(({ severity, message, fix }) => [
    `${severity === "fault" ? style.red("fault") : style.yellow("warning")}: ${cleanText(message)}`,
    `  ${style.dim("fix:")} ${cleanText(fix)}`,
  ]);
  const verdict = output.ok ? style.green("No faults.") : style.red("Faults were found.");
  return [facts(Object.entries(output.facts), style), "", ...findings, verdict].join("\n");
}
