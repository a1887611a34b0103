/** The settings of a workspace (contract, section 9). */
export interface WorkspaceSettings {
  /** The number of days for which logs are kept. Null: as long as the installation keeps them. */
  readonly retention_days: number | null;
  /**
   * If true, `confirmed: true` in a call can replace the approval of an action that is neither destructive nor of high
   * risk.
   */
  readonly inline_confirmation: boolean;
  /** If true, the only member of a workspace may approve own proposals despite second-person approval. */
  readonly solo_approval: boolean;
  /** If false, people sign in to the workspace by OpenID Connect only. */
  readonly password_sign_in: boolean;
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
  password_sign_in: true,
  assistant: "off",
  time_zone: "UTC",
};

/** The stored settings, with a default for each that was never set. */
export function settingsOf(stored: Readonly<Record<string, unknown>>): WorkspaceSettings {
  return { ...DEFAULTS, ...stored };
}
