/**
 * A word that a POSIX shell takes as exactly `text`, on one line, for commands that people copy.
 *
 * Control characters stand as `printf` escapes: as themselves they would not survive the terminal.
 * Not where the last one is a newline, which `$(…)` would take away.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (!/[\u0000-\u001f\u007f]/.test(text) || text.endsWith("\n")) return quoted(text);
  const escaped = text.replaceAll("\\", "\\\\").replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
    /[\u0000-\u001f\u007f]/g,
    (character) => `\\0${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"$(printf %b ${quoted(escaped)})"`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
