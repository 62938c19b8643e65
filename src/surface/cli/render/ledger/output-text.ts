/** The text of an operation's output: its area's own where it has one, else its facts. */
import type { Style } from "../style.ts";
import { valueText } from "../value-text.ts";
import { attemptText, holdText } from "./attempt-text.ts";
import { deliveriesText, envelopeText, fetchedText } from "./inbox-text.ts";
import { intentsText, launchesText } from "./launch-text.ts";
import type { OperationTexts } from "./operation-output.ts";
import {
  actorsText,
  alarmsText,
  eventsText,
  pauseText,
  resumeText,
  settingsText,
  settingText,
} from "./scope-text.ts";
import { shownTaskText, tasksText, taskText } from "./task-text.ts";

/** `output` is the named operation's own; ends without a newline. */
export function outputText(name: string, output: unknown, style: Style): string {
  const own = (TEXTS as Partial<Record<string, (output: never, style: Style) => string>>)[name];
  return own === undefined ? valueText(output, style) : own(output as never, style);
}

const TEXTS = {
  "task add": taskText,
  "task ls": tasksText,
  "task show": shownTaskText,
  "task cancel": taskText,
  "task retry": taskText,
  "attempt claim": holdText,
  "attempt renew": holdText,
  "attempt progress": holdText,
  "attempt finish": attemptText,
  "intent ls": intentsText,
  "launch ls": launchesText,
  "inbox fetch": fetchedText,
  "inbox renew": envelopeText,
  "inbox ls": deliveriesText,
  "alarm ls": alarmsText,
  "settings ls": settingsText,
  "settings get": settingText,
  "settings set": settingText,
  "actor ls": actorsText,
  events: eventsText,
  pause: pauseText,
  resume: resumeText,
} satisfies OperationTexts;
