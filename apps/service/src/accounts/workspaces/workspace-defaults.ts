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
  /** If true, people prove again who they are to approve an action of high risk. */
  readonly require_step_up: boolean;
  /** If true, a plan of the configuration is applied in live only after the approval of a person. */
  readonly require_approval_for_configuration: boolean;
  /** If false, people sign in to the workspace by OpenID Connect only. */
  readonly password_sign_in: boolean;
  readonly assistant: Assistant;
  /** IANA name. */
  readonly time_zone: string;
  /** The origins of the sites that may frame the portal. */
  readonly portal_origins: string[];
  /** The name that the portal shows to customers. Null: none. */
  readonly portal_name: string | null;
  /** The logo that the portal shows: a `data:` URL of a picture. Null: none. */
  readonly portal_logo: string | null;
}

export const ASSISTANTS = ["off", "openai_compatible", "scripted"] as const;
export type Assistant = (typeof ASSISTANTS)[number];

const DEFAULTS: WorkspaceSettings = {
  retention_days: null,
  inline_confirmation: true,
  solo_approval: false,
  require_step_up: false,
  require_approval_for_configuration: false,
  password_sign_in: true,
  assistant: "off",
  time_zone: "UTC",
  portal_origins: [],
  portal_name: null,
  portal_logo: null,
};

/**
 * A picture in the page itself, so that showing it calls no other server. SVG is not among them, because it can contain scripts where it
 * is opened on its own.
 */
export const LOGO_PATTERN = "^data:image/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$";
export const MAX_LOGO_LENGTH = 24_000;

/**
 * Returns true for an origin as browsers send it: scheme, host and port, in lower case. Other sites than those of the own machine
 * must use https. The text is a part of a header, so it has no other characters.
 */
export function isPortalOrigin(text: string): boolean {
  if (!/^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === "https:" || OWN_MACHINE.has(hostname));
}

const OWN_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The stored settings, with a default for each that was never set. */
export function settingsOf(stored: Readonly<Record<string, unknown>>): WorkspaceSettings {
  return { ...DEFAULTS, ...stored };
}
