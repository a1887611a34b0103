import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import { createRateLimiter } from "../../access/access.ts";
import type { RateLimiter } from "../../access/access.ts";
import { t } from "../../lib/lib.ts";
import { createSmtp, smtpFault } from "../../platform/mail/mail.ts";
import type { SmtpSettings } from "../../platform/mail/mail.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { placeOf, assertNotReading } from "./context.ts";
import type { CallContext } from "./context.ts";
import { onceOutside } from "./effects.ts";
import { formOf } from "./form.ts";
import { takeCall } from "./rate.ts";

/** Matches exactly one address, without lists, names, comments or line breaks. */
const ADDRESS = String.raw`^[^\s<>()\[\]\\,;:@"\u0000-\u001f\u007f]{1,64}@[A-Za-z0-9.-]{1,253}$`;
const Address = t.String({ pattern: ADDRESS, maxLength: 320 });
const Mail = t.Object(
  {
    to: t.Unsafe<string | string[]>({
      anyOf: [Address, t.Array(Address, { minItems: 1, maxItems: 10 })],
    }),
    subject: t.String({ minLength: 1, maxLength: 500, pattern: String.raw`^[^\u0000-\u001f\u007f\u2028\u2029]*$` }),
    text: t.String({ maxLength: 100_000 }),
    html: t.Optional(t.String({ maxLength: 200_000 })),
  },
  t.strict,
);

const readMail = formOf(Mail, "mail");
const MOST = 20;
const LIMIT = { operation: "connector.mail", perMinute: 30, perHour: 500 };

export interface MailServiceDeps {
  readonly db: Db;
  readonly log: Log;
  /** Null if the operator has not configured a server. */
  readonly mail: SmtpSettings | null;
}

/** Sends mail through the operator's server. In the sandbox the mail is written to the run log instead. */
export function createMailService({ db, log, mail }: MailServiceDeps) {
  const rates = createRateLimiter(db);
  const smtp = mail === null ? null : createSmtp(mail);
  return {
    async send(context: CallContext, [given]: readonly Json[]): Promise<Json> {
      assertNotReading(context, "send mail");
      if (!context.pinned.version.description.mail)
        throw new HostError("not_declared", "connector.json does not contain mail: true.");
      const { to, subject, text, html } = readMail(given);
      const number = context.count("mail", MOST);
      context.tell({ to, subject });
      if (context.pinned.scope.environment === "sandbox") {
        context.tell({ sandbox: true, text: text.slice(0, 1000) });
        return null;
      }
      if (smtp === null)
        throw new HostError("failed", "The operator has set no mail server (JUNCTION_SMTP_URL, JUNCTION_MAIL_FROM).");
      await onceOutside(db, placeOf(context, `mail:${number}`), async () => {
        await assertWithinLimit(rates, context);
        await deliver(async () => await smtp.send({ to, subject, text, ...(html === undefined ? {} : { html }) }), log);
      });
      return null;
    },
    close: (): void => smtp?.close(),
  };
}

async function assertWithinLimit(rates: RateLimiter, { pinned }: CallContext): Promise<void> {
  const { granted } = await takeCall(rates, pinned, LIMIT);
  if (granted) return;
  const { perMinute, perHour } = LIMIT;
  throw new HostError(
    "rate_limited",
    `A connector can send at most ${perMinute} mails per minute and ${perHour} per hour.`,
  );
}

/**
 * Sends a mail. The server's message may contain the operator's account, so the code receives only the kind of the
 * error.
 */
async function deliver(send: () => Promise<void>, log: Log): Promise<void> {
  try {
    await send();
  } catch (error) {
    const fault = smtpFault(error);
    log.warn({ errorClass: fault.errorClass }, `failed to send a connector's mail: ${fault.error}`);
    throw new HostError(fault.errorClass === "timeout" ? "timeout" : "failed", fault.error);
  }
}
