import { paginate, parseJson } from "../../lib/lib.ts";
import type { IdMaker, Page, TenantKey, Uuid } from "../../lib/lib.ts";
import type { Db, Tx } from "../db/db.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { Log, Signals } from "../telemetry/telemetry.ts";
import { countWaiting, insertMails, listMails } from "./mail.store.ts";
import type { MailRow } from "./mail.store.ts";
import { createMailWorker } from "./mail.worker.ts";
import type { ComposedMail } from "./mail.worker.ts";
import { createSmtp } from "./smtp.ts";
import type { SmtpSettings } from "./smtp.ts";

export { MAX_ATTEMPTS } from "./mail.worker.ts";
export type { ComposedMail } from "./mail.worker.ts";
export type { MailRow } from "./mail.store.ts";
export { mailAddress } from "./mail-text.ts";
export { createSmtp, smtpFault } from "./smtp.ts";
export type { Smtp, SmtpSettings } from "./smtp.ts";

export const MAIL_PURPOSES = [
  "notification",
  "invitation",
  "password_reset",
  "password_changed",
  "account_changed",
  "approvals",
  "approval_channel",
  "endpoint_disabled",
  "issue_opened",
  "issue_resolved",
  "lane_blocked",
  "consumer_idle",
] as const;
export type MailPurpose = (typeof MAIL_PURPOSES)[number];

/**
 * Writes the text of a mail when it is sent, from the current data, so that a person who lost the right to it gets none.
 * Runs on the coordinator, outside of any transaction.
 */
export type MailComposer = (mail: MailRow) => Promise<ComposedMail>;
/** The composers by purpose. */
export type MailComposers = Readonly<Record<string, MailComposer>>;

export interface NewMail {
  readonly purpose: MailPurpose;
  /** The member whose address and rights are read when the mail is sent, or null for an address. */
  readonly memberId: Uuid | null;
  readonly recipient: string | null;
  /** The facts that the composer needs. Never a secret: it is stored as it is until the mail has ended. */
  readonly facts: Readonly<Record<string, string>>;
  /** The name of a digest that this mail joins if it still waits. */
  readonly digest?: { readonly name: string; readonly delaySeconds: number; readonly spacingSeconds: number };
}

export interface MailPlace {
  readonly bucket: number;
  readonly tag: string;
  /** Null for mail about a person's account. */
  readonly workspaceId: Uuid | null;
}

/** The place of mail about accounts, which belong to no workspace. */
export const ACCOUNT_MAIL: MailPlace = { bucket: 0, tag: "-", workspaceId: null };

/** The service's own e-mail (contract, section 12). */
export type Mail = ReturnType<typeof createMail>;

export interface MailQuery {
  readonly state?: string;
  readonly purpose?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface MailDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly tasks: Tasks;
  readonly log: Log;
  readonly signals: Pick<Signals, "mailEnded">;
  /** Null if the operator has set no mail server. */
  readonly settings: SmtpSettings | null;
  readonly composers: () => MailComposers;
}

const MAX_WAITING = 1000;

export function createMail(deps: MailDeps) {
  const { db, settings } = deps;
  const smtp = settings === null ? null : createSmtp(settings);
  const compose = async (mail: MailRow): Promise<ComposedMail> => {
    const composer = deps.composers()[mail.purpose];
    // A newer version may have stored it.
    if (composer === undefined) return { skipped: "This version does not know the purpose of the mail." };
    return await composer(mail);
  };
  const worker = smtp === null ? null : createMailWorker({ ...deps, smtp, compose });
  return {
    /** False if the operator has set no mail server. Nothing is stored then. */
    isOn: smtp !== null,
    /**
     * Stores mails in the transaction. They are sent after its commit, at least once. Returns their number: fewer if they
     * join a digest, or if too many mails of the workspace are waiting.
     */
    async queue(tx: Tx, place: MailPlace, mails: readonly NewMail[]): Promise<number> {
      if (smtp === null || mails.length === 0) return 0;
      const rows = mails.map(({ purpose, memberId, recipient, facts, digest }) => ({
        id: deps.ids.uuid(),
        purpose,
        member_id: memberId,
        recipient,
        facts: JSON.stringify(facts),
        digest: digest?.name ?? null,
        delay_s: digest?.delaySeconds ?? 0,
        spacing_s: digest?.spacingSeconds ?? 0,
      }));
      const stored = await insertMails(tx, place, rows, MAX_WAITING);
      if (worker !== null) tx.onCommit(worker.wake);
      return stored;
    },
    list: async (place: TenantKey, { state, purpose, ...page }: MailQuery): Promise<Page<MailRow>> =>
      await paginate(page, {
        binding: [place.tag, "mails", state ?? null, purpose ?? null],
        read: async (before, limit) => await listMails(db.query, place, { state, purpose }, { before, limit }),
        view: (row) => row,
      }),
    /** Returns the number of mails that are not sent yet. */
    waiting: async (): Promise<number> => await countWaiting(db),
    start: (): void => worker?.start(),
    /** Waits for the mails in progress. */
    async stop(): Promise<void> {
      await worker?.stop();
      smtp?.close();
    },
  };
}

/** Returns what was stored as `facts`. */
export function factsOf({ facts }: MailRow): Readonly<Record<string, string>> {
  return parseJson(facts ?? "{}") as Record<string, string>;
}
