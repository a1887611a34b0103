import { isIPv6 } from "node:net";
import type { Db, Tx } from "../../platform/db/db.ts";
import { after, randomText, sha256, toDate, uuidTime } from "../../lib/lib.ts";
import type { Clock, Uuid } from "../../lib/lib.ts";
import { ACCOUNT_MAIL, factsOf } from "../../platform/mail/mail.ts";
import type { ComposedMail, Mail, MailComposers, MailRow, NewMail } from "../../platform/mail/mail.ts";
import { noteEverywhere } from "../audit-port.ts";
import type { NotedOrigin, NotingDeps } from "../audit-port.ts";
import { membershipsOf } from "./members.store.ts";
import { addResetLink, personByEmail, personById, takeTry } from "./people.store.ts";
import type { PersonRow } from "./people.store.ts";
import { tooMany } from "./sign-in.ts";

/** New passwords by e-mail, which people ask for themselves. */
export interface PasswordResets {
  /** False if the operator has set no mail server. */
  readonly isOn: boolean;
  /**
   * Stores the wish. Does the same for an address with and without an account: the worker looks it up when it sends the
   * mail. Throws too_many_auth_failures for too many wishes of one network.
   */
  request(email: string, origin: NotedOrigin): Promise<void>;
  /** Tells the person after the commit that the password was changed. */
  announceChange(tx: Tx, personId: Uuid): void;
  readonly mails: MailComposers;
}

export interface PasswordResetDeps extends NotingDeps {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly mail: Pick<Mail, "isOn" | "queue">;
}

const LINK_MS = 30 * 60_000;
const OF_NETWORK = { perMinute: 10, perHour: 30 };
/** The text's and the person's: other spellings of an address are the same person. */
const OF_ADDRESS = { perMinute: 2, perHour: 5 };
const MAIL = { memberId: null, recipient: null } as const;

export function createPasswordResets(deps: PasswordResetDeps): PasswordResets {
  const { db, mail, log } = deps;
  const store = async (one: NewMail): Promise<void> =>
    await db.at(
      ACCOUNT_MAIL.bucket,
      async () => void (await db.transaction(async (tx) => await mail.queue(tx, ACCOUNT_MAIL, [one]))),
    );
  return {
    isOn: mail.isOn,
    async request(email, { ip }) {
      const waitSeconds = await takeTry(db, { subject: `password-reset:network:${networkOf(ip)}`, ...OF_NETWORK });
      if (waitSeconds !== undefined) throw tooMany(waitSeconds, "requests for a new password");
      const address = sha256(email.normalize("NFKC").toLowerCase()).toString("hex").slice(0, 32);
      // A refusal would tell that a person has asked for this address.
      const isTooOften =
        (await takeTry(db, { subject: `password-reset:address:${address}`, ...OF_ADDRESS })) !== undefined;
      if (!isTooOften) await store({ ...MAIL, purpose: "password_reset", facts: { email, ip } });
    },
    announceChange(tx, personId) {
      const facts = { person_id: personId };
      tx.onCommit(() => {
        store({ ...MAIL, purpose: "password_changed", facts }).catch((error: unknown) =>
          log.warn({ err: error }, "failed to queue the notice of a new password"),
        );
      });
    },
    mails: {
      password_reset: async (row) => await resetMail(deps, row),
      password_changed: async (row) => await noticeMail(deps, row),
    },
  };
}

/** Creates the link, and returns its mail. Without an account that can sign in, the wish is forgotten. */
async function resetMail(deps: PasswordResetDeps, row: MailRow): Promise<ComposedMail> {
  const { db, clock, baseUrl } = deps;
  const { email = "", ip = "" } = factsOf(row);
  const forgotten = { skipped: "No account.", forget: true } as const;
  const now = clock.now();
  if (after(uuidTime(row.id), LINK_MS) < now) return forgotten;
  const person = await accountOf(db, await personByEmail(db.query, email));
  if (person === undefined) return forgotten;
  if (
    row.attempts === 1 &&
    (await takeTry(db, { subject: `password-reset:person:${person.id}`, ...OF_ADDRESS })) !== undefined
  )
    return forgotten;
  const token = randomText(43);
  await db.transaction(async (tx) => {
    const expiresAt = toDate(after(now, LINK_MS));
    await addResetLink(tx, { token_hash: sha256(token), person_id: person.id, expires_at: expiresAt });
    if (row.attempts === 1)
      await noteEverywhere(deps, tx, person, { subject: "account", action: "auth.reset_request", origin: { ip } });
  });
  return {
    to: person.email,
    subject: "Set a new password",
    blocks: [
      `Somebody asked for a new password for your account at ${baseUrl}.`,
      { label: "Set a new password", url: `${baseUrl}/reset?token=${token}` },
      "The link works once, for 30 minutes. It ends all your sessions. A second factor stays as it is.",
      "If it was not you, ignore this e-mail: nothing changes without the link.",
    ],
  };
}

async function noticeMail({ db, baseUrl }: PasswordResetDeps, row: MailRow): Promise<ComposedMail> {
  const found = await personById(db.query, factsOf(row)["person_id"] as Uuid);
  const person = await accountOf(db, found);
  if (person === undefined) return { skipped: "The account is gone.", forget: true };
  return {
    to: person.email,
    subject: "Your password was changed",
    blocks: [
      `The password of your account at ${baseUrl} was changed. Other sessions have ended.`,
      "If it was not you, set a new password now, and tell the owner of your workspace:",
      { label: "Set a new password", url: `${baseUrl}/forgot` },
    ],
  };
}

/** Returns the person if they can sign in to a workspace. */
async function accountOf(db: Db, person: PersonRow | undefined): Promise<PersonRow | undefined> {
  if (person === undefined) return undefined;
  return (await membershipsOf(db.query, person.id)).length > 0 ? person : undefined;
}

/** Returns the address, or the /64 of an IPv6 address: one customer of a provider has all of it. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip) || ip.includes(".")) return ip;
  const [head = "", tail] = ip.split("%")[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - behind.length }, () => "0");
  const groups = [...before, ...zeros, ...behind].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, 4).join(":")}::/64`;
}
