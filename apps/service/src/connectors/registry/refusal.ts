/** Why a folder is not taken for a connector, each fault by its own name (docs/reference/connectors.md). */
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

/** Why a connector is refused, or was stopped: `crashed`, its code did not stop crashing. */
export const REASON_CODES = [...REFUSAL_CODES, "crashed"] as const;

/** As it is stored and shown. */
export interface Reason {
  readonly code: (typeof REASON_CODES)[number];
  /** The file or the pointer that it is about; null: the folder. */
  readonly path: string | null;
  readonly message: string;
}

/** A folder that is refused. The message is for whoever keeps the folder: it names files, and never what is in them. */
export class ConnectorRefusedError extends Error {
  readonly reason: Reason;

  constructor(code: RefusalCode, message: string, path: string | null = null) {
    super(message);
    this.name = "Refusal";
    this.reason = { code, path: path === null ? null : shown(path), message };
  }
}

const MAX_SHOWN = 200;

/** Hostile names are shown, and never as anything else than text of one line. */
function shown(path: string): string {
  const safe = path
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return safe.length <= MAX_SHOWN ? safe : `${safe.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
