/**
 * Text from outside (names, reasons, paths, messages of other programs) on its way to a terminal.
 *
 * A control character, an escape sequence or a bidirectional override in a file's name could
 * rewrite the screen or show another name than the real one. Each is shown as an escape instead
 * of being dropped, so that two different names never look the same.
 */

// C0, DEL and C1 without LF; zero-width and bidirectional marks, line and paragraph separators,
// the byte order mark, interlinear and tag characters, and lone surrogates.
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

// Almost all text is this, and it is found out faster than the characters are looked for.
const PRINTABLE_ASCII = /^[\n -~]*$/;

/** `text` with every unsafe character but the newline escaped as `\xNN`, `\uNNNN` or `\u{NNNNN}`. */
export function cleanLines(text: string): string {
  return PRINTABLE_ASCII.test(text) ? text : text.replace(UNSAFE, escapeCharacter);
}

/** The same for text that must stay on its line. */
export function cleanText(text: string): string {
  return cleanLines(text).replaceAll("\n", "\\n");
}

/**
 * JSON in which unsafe characters stand as `\uNNNN`: the same value to a parser, harmless to a
 * terminal. They can only stand inside of strings, where that escape is allowed.
 */
export function cleanJson(json: string): string {
  if (PRINTABLE_ASCII.test(json)) return json;
  return json.replace(UNSAFE, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}
