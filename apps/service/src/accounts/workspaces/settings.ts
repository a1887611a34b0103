/** How one workspace behaves (contract, section 9). */
export interface WorkspaceSettings {
  /** Days that its logs are kept; null: as long as the installation keeps them. */
  readonly retention_days: number | null;
  /** Whether `confirmed: true` in a call may stand for the approval of an action that is neither destructive nor of high risk. */
  readonly inline_confirmation: boolean;
  /** Whether the only person of a workspace may approve what that person proposed, four-eyes notwithstanding. */
  readonly solo_approval: boolean;
  readonly assistant: Assistant;
  /** IANA name. */
  readonly time_zone: string;
}

export const ASSISTANTS = ["off", "openai_compatible", "scripted"] as const;
export type Assistant = (typeof ASSISTANTS)[number];

const DEFAULTS: WorkspaceSettings = {
  retention_days: null,
  inline_confirmation: true,
  solo_approval: false,
  assistant: "off",
  time_zone: "UTC",
};

/** The stored settings, with a default for each that was never set. */
export function settingsOf(stored: Readonly<Record<string, unknown>>): WorkspaceSettings {
  return { ...DEFAULTS, ...stored };
}

/** Whether it is a zone of the IANA database; offsets such as +01:00 are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
