import { createTransport } from "nodemailer";
import { isLoopback } from "../../lib/lib.ts";

/** The operator's mail server, and the sender address. */
export interface SmtpSettings {
  readonly smtpUrl: string;
  readonly from: string;
  /** False if the operator allows connections without TLS. Connections to this machine never need it. */
  readonly requiresTls: boolean;
}

export interface SmtpMessage {
  readonly to: string | readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The part of the Message-ID before the `@`. It is the same for each try of a mail. */
  readonly messageId?: string;
}

export type Smtp = ReturnType<typeof createSmtp>;

const MAX_TIMEOUT_MS = 8000;

/** Returns a transport that keeps up to two connections open. It reads no files and fetches no URLs for a mail. */
export function createSmtp(settings: SmtpSettings) {
  const { from } = settings;
  const transport = transportOf(settings);
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    /** Sends one message. Rejects with an error whose message may contain the operator's account. See `smtpFault`. */
    async send({ to, messageId, ...message }: SmtpMessage): Promise<void> {
      await transport.sendMail({
        ...message,
        from,
        to: typeof to === "string" ? to : [...to],
        ...(messageId === undefined
          ? {}
          : { messageId: `<${messageId}@${domain}>`, headers: { "Auto-Submitted": "auto-generated" } }),
      });
    },
    /** Connects and signs in, without sending anything. */
    verify: async (): Promise<void> => void (await transport.verify()),
    close: (): void => transport.close(),
  };
}

function transportOf({ smtpUrl, requiresTls }: SmtpSettings) {
  const url = new URL(smtpUrl);
  const secure = url.protocol === "smtps:";
  return createTransport({
    pool: true,
    maxConnections: 2,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && requiresTls && !isLoopback(url.hostname),
    ...(url.username === ""
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    connectionTimeout: MAX_TIMEOUT_MS,
    greetingTimeout: MAX_TIMEOUT_MS,
    socketTimeout: MAX_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The fault of a mail, without the server's message. */
export interface SmtpFault {
  readonly errorClass: "timeout" | "tls" | "authentication" | "connection" | "rejected" | "temporary";
  readonly error: string;
  /** True if the server rejects this mail for good. A repetition has the same result. */
  readonly isPermanent: boolean;
}

const CLASSES: Readonly<Record<string, SmtpFault["errorClass"]>> = {
  ETIMEDOUT: "timeout",
  ETLS: "tls",
  EAUTH: "authentication",
  ENOAUTH: "authentication",
  ECONNECTION: "connection",
  EDNS: "connection",
  ESOCKET: "connection",
};
const TEXTS: Readonly<Record<SmtpFault["errorClass"], string>> = {
  timeout: "The mail server did not respond in time.",
  tls: "The mail server offers no valid TLS.",
  authentication: "The mail server refused the user or the password of JUNCTION_SMTP_URL.",
  connection: "The mail server cannot be reached.",
  rejected: "The mail server did not accept the mail",
  temporary: "The mail server did not accept the mail",
};
/** The server wants a sign-in or TLS first. The operator can change that. */
const UNAUTHENTICATED = new Set([530, 534, 535, 538]);

export function smtpFault(error: unknown): SmtpFault {
  const code = memberOf(error, "code");
  const status = Number(memberOf(error, "responseCode"));
  if (status > 0 && (code === "EENVELOPE" || code === "EMESSAGE")) return answerFault(status);
  const errorClass = CLASSES[code] ?? "temporary";
  const text = TEXTS[errorClass];
  return { errorClass, error: text.endsWith(".") ? text : `${text}.`, isPermanent: false };
}

/** Returns the fault of a server that answered to the sender, the recipient or the text. */
function answerFault(status: number): SmtpFault {
  const isPermanent = status >= 500 && !UNAUTHENTICATED.has(status);
  const errorClass = UNAUTHENTICATED.has(status) ? "authentication" : isPermanent ? "rejected" : "temporary";
  return { errorClass, error: `${TEXTS.rejected} (SMTP ${status}).`, isPermanent };
}

function memberOf(error: unknown, name: "code" | "responseCode"): string {
  return error instanceof Error && name in error ? String((error as unknown as Record<string, unknown>)[name]) : "";
}
