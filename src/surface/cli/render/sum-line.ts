/**
 * One line of a checksum file as `sha256sum -c` reads it: digest, two spaces, name.
 *
 * GNU coreutils escapes a name that holds a newline, a carriage return or a backslash, and marks
 * the line by a backslash before the digest; unescaped, such a name would be another one.
 */
export function sumLine({ path, sha256 }: { readonly path: string; readonly sha256: string }): string {
  const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return escaped === path ? `${sha256}  ${path}` : `\\${sha256}  ${escaped}`;
}
