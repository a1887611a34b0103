/** The reasons for which a folder is refused as a connector, one code per fault (docs/reference/connectors.md). */
export const REFUSAL_CODES = [
  "unreadable",
  "symlink",
  "special_file",
  "too_large",
  "too_many_files",
  "too_deep",
  "path_absolute",
  "path_traversal",
  "path_backslash",
  "path_control",
  "path_unicode",
  "path_malformed",
  "path_collision",
  "unsigned",
  "signature_malformed",
  "manifest_edited",
  "manifest_malformed",
  "manifest_not_canonical",
  "key_unknown",
  "key_revoked",
  "key_not_allowed",
  "connector_key_malformed",
  "connector_key_mismatch",
  "connector_key_twice",
  "version_mismatch",
  "file_modified",
  "file_unlisted",
  "file_missing",
  "class_missing",
  "class_ambiguous",
  "connector_malformed",
  "actions_malformed",
  "settings_malformed",
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** The reasons for which a connector is refused or was stopped. `crashed` means that its code crashed repeatedly. */
export const REASON_CODES = [...REFUSAL_CODES, "crashed"] as const;

/** A reason as it is stored and shown. */
export interface Reason {
  readonly code: (typeof REASON_CODES)[number];
  /** The file or the pointer with the fault; null means the folder. */
  readonly path: string | null;
  readonly message: string;
}

/**
 * Thrown for a folder that is refused. The message is for the person who maintains the folder. It names files, and
 * never their contents.
 */
export class ConnectorRefusedError extends Error {
  readonly reason: Reason;

  constructor(code: RefusalCode, message: string, path: string | null = null) {
    super(message);
    this.name = "ConnectorRefusedError";
    this.reason = { code, path: path === null ? null : escapedPath(path), message };
  }
}

const MAX_SHOWN = 200;

/** Escapes control characters, so that a hostile name is shown as one line of text. */
function escapedPath(path: string): string {
  const safe = path
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return safe.length <= MAX_SHOWN ? safe : `${safe.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
