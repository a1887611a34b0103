import { after, randomText, sha256, toDate, uuidTime } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { ACCOUNT_MAIL, factsOf } from "../../platform/mail/mail.ts";
import type { ComposedMail, Mail, MailComposers, MailRow, NewMail } from "../../platform/mail/mail.ts";
import { noteEverywhere } from "../people/audit-port.ts";
import type { NotedOrigin, NotingDeps } from "../people/audit-port.ts";
import { accountOf } from "../people/account-notices.ts";
import { networkOf } from "../callers/network.ts";
import { addResetLink, personByEmail, takeTry } from "../people/people.store.ts";
import { tooMany } from "../proofs/sign-in.ts";

/** New passwords by e-mail, which people ask for themselves. */
export interface PasswordResets {
  /** False if the operator has set no mail server. */
  readonly isOn: boolean;
  /**
   * Stores the wish. Does the same for an address with and without an account: the worker looks it up when it sends the
   * mail. Throws too_many_auth_failures for too many wishes of one network.
   */
  request(email: string, origin: NotedOrigin): Promise<void>;
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
  const { db, mail } = deps;
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
    mails: {
      password_reset: async (row) => await resetMail(deps, row),
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
