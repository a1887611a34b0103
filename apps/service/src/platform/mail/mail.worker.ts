import type { Loop } from "../../lib/lib.ts";
import type { Db } from "../db/db.ts";
import type { RunningTask, Tasks } from "../tasks/tasks.ts";
import type { Log, Signals } from "../telemetry/telemetry.ts";
import { removeMail, settleMail, takeMail } from "./mail.store.ts";
import type { MailEnd, MailRow } from "./mail.store.ts";
import { htmlText, mailAddress, plainText, subjectLine } from "./mail-text.ts";
import type { MailText } from "./mail-text.ts";
import { smtpFault } from "./smtp.ts";
import type { Smtp } from "./smtp.ts";

/** The mail to send, or the reason why none is sent. `forget` removes the row instead of keeping it. */
export type ComposedMail = (MailText & { readonly to: string }) | { readonly skipped: string; readonly forget?: true };

export interface MailWorkerDeps {
  readonly db: Db;
  readonly tasks: Tasks;
  readonly log: Log;
  readonly signals: Pick<Signals, "mailEnded">;
  readonly smtp: Smtp;
  compose(mail: MailRow): Promise<ComposedMail>;
}

/** The delays before the second and further tries. */
const LADDER_SECONDS = [30, 120, 600, 1800, 3600, 7200, 14_400];
export const MAX_ATTEMPTS = LADDER_SECONDS.length + 1;
const INSTALLATION = { subject: "mail", perMinute: 300, perHour: 5000 };
/** One workspace cannot use up the limit of the others. */
const WORKSPACE = { perMinute: 60, perHour: 600 };

/** The transport has two connections. */
const CONNECTIONS = 2;

/** Sends due mails. */
export function createMailWorker(deps: MailWorkerDeps): Loop {
  return deps.tasks.define<MailRow>({
    kind: "mails",
    table: "mail",
    onClaim: "digest = null",
    concurrency: { ofNode: CONNECTIONS, ofTenant: CONNECTIONS },
    run: async (mail, { release }) => await sendOne(deps, mail, release),
  });
}

async function sendOne(deps: MailWorkerDeps, mail: MailRow, release: RunningTask["release"]): Promise<void> {
  const end = await tryOne(deps, mail);
  if (typeof end === "number") return await release(Math.max(1, end) * 1000);
  const { db } = deps;
  if (end === "forgotten") return await db.at(mail.bucket, async () => await removeMail(db, mail));
  const isOurs = await db.at(mail.bucket, async () => await settleMail(db, mail, end));
  if (isOurs && end.state !== "waiting") deps.signals.mailEnded(mail.purpose, end.state);
}

async function refusedFor(db: Db, { bucket, tag, workspace_id: workspaceId }: MailRow): Promise<number | undefined> {
  const ofWorkspace = async (): Promise<number | undefined> =>
    await takeMail(db, bucket, { subject: `mail:${tag}`, ...WORKSPACE });
  const waitSeconds = workspaceId === null ? undefined : await db.at(bucket, ofWorkspace);
  return waitSeconds ?? (await db.at(0, async () => await takeMail(db, 0, INSTALLATION)));
}

/** Returns the end of the try, or the seconds to wait if too many mails were sent. */
async function tryOne(deps: MailWorkerDeps, mail: MailRow): Promise<MailEnd | "forgotten" | number> {
  const none = { recipient: null, errorClass: null, error: null, delaySeconds: 0 };
  // A process that was lost in the last try may have sent the mail.
  if (mail.attempts > MAX_ATTEMPTS)
    return {
      ...none,
      state: "failed",
      errorClass: "lost",
      error: "The process that sent the mail was lost in the last try.",
    };
  const composed = await deps.compose(mail);
  if ("skipped" in composed)
    return composed.forget === true ? "forgotten" : { ...none, state: "skipped", error: composed.skipped };
  const to = mailAddress(composed.to);
  if (to === undefined)
    return { ...none, state: "failed", errorClass: "address", error: "No mail can be sent to this address." };
  const waitSeconds = await refusedFor(deps.db, mail);
  if (waitSeconds !== undefined) return waitSeconds;
  try {
    const content = { subject: subjectLine(composed.subject), text: plainText(composed), html: htmlText(composed) };
    await deps.smtp.send({ to, ...content, messageId: mail.id });
    return { ...none, state: "sent", recipient: to };
  } catch (error) {
    return { ...failureOf(deps, mail, error), recipient: to };
  }
}

/** The server's message may contain the operator's account, so that neither the row nor the log repeats it. */
function failureOf({ log }: MailWorkerDeps, mail: MailRow, error: unknown): MailEnd {
  const fault = smtpFault(error);
  const { errorClass, error: text } = fault;
  const delaySeconds = LADDER_SECONDS[mail.attempts - 1];
  const isAgain = !fault.isPermanent && delaySeconds !== undefined;
  log.warn(
    { mail: mail.id, purpose: mail.purpose, errorClass, attempts: mail.attempts },
    `failed to send a mail: ${text}`,
  );
  return {
    state: isAgain ? "waiting" : "failed",
    recipient: null,
    errorClass,
    error: text,
    delaySeconds: delaySeconds ?? 0,
  };
}
