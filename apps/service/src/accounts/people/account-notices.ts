import type { Db, Tx } from "../../platform/db/db.ts";
import { ownContext } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { ACCOUNT_MAIL, factsOf } from "../../platform/mail/mail.ts";
import type { ComposedMail, Mail, MailComposers, MailRow, NewMail } from "../../platform/mail/mail.ts";
import { membershipsOf } from "./members.store.ts";
import { personById } from "./people.store.ts";
import type { PersonRow } from "./people.store.ts";

/** Names what happened to an account or to what guards it. `about` names the key, the app or the settings. */
export interface AccountNotice {
  readonly kind: NoticeKind;
  readonly about?: string;
}

/** Tells people by e-mail, after the commit, what changed in their account and its protections. */
export interface AccountNotices {
  announce(tx: Tx, personId: Uuid, notice: AccountNotice): void;
  readonly mails: MailComposers;
}

export interface AccountNoticesDeps {
  readonly db: Db;
  readonly baseUrl: string;
  readonly mail: Pick<Mail, "queue">;
  readonly log: { warn(fields: object, message: string): void };
}

interface Words {
  readonly subject: string;
  /** Begins with what changed. */
  readonly text: (about: string, baseUrl: string) => string;
}

const WORDS = {
  password_changed: {
    subject: "Your password was changed",
    text: (about, url) =>
      `The password of your account at ${url} was changed. Other sessions and the links of Slack accounts have ended.${about}`,
  },
  passkey_added: {
    subject: "A passkey was added to your account",
    text: (about, url) => `The passkey “${about}” was added to your account at ${url}.`,
  },
  passkey_removed: {
    subject: "A passkey was removed from your account",
    text: (about, url) => `The passkey “${about}” was removed from your account at ${url}.`,
  },
  totp_added: {
    subject: "An authenticator app was added to your account",
    text: (_, url) =>
      `An authenticator app was set up for your account at ${url}. New recovery codes replace the earlier ones.`,
  },
  totp_removed: {
    subject: "The authenticator app of your account was turned off",
    text: (_, url) => `The authenticator app of your account at ${url} was turned off.`,
  },
  factors_cleared: {
    subject: "The second factors of your account were removed",
    text: (_, url) =>
      `All passkeys, the authenticator app and the recovery codes of your account at ${url} were removed.`,
  },
  slack_linked: {
    subject: "A Slack account was linked to your account",
    text: (about, url) => `The Slack account ${about} can now decide proposals as you, at ${url}.`,
  },
  oidc_linked: {
    subject: "Your account was linked to OpenID Connect",
    text: (about, url) => `Your account at ${url} was linked to the sign-in of ${about}.`,
  },
  guard_weakened: {
    subject: "A protection of your workspace was turned off",
    text: (about, url) => `${about} See the settings of the workspace at ${url}.`,
  },
} as const satisfies Readonly<Record<string, Words>>;
export type NoticeKind = keyof typeof WORDS;

export function createAccountNotices(deps: AccountNoticesDeps): AccountNotices {
  const { db, mail, log } = deps;
  const outside = ownContext();
  // The work of one workspace may have changed the account, which belongs to none.
  const store = async (one: NewMail): Promise<void> =>
    await outside(
      async () =>
        await db.at(
          ACCOUNT_MAIL.bucket,
          async () => void (await db.transaction(async (tx) => await mail.queue(tx, ACCOUNT_MAIL, [one]))),
        ),
    );
  return {
    announce(tx, personId, { kind, about = "" }) {
      const purpose = kind === "password_changed" ? "password_changed" : "account_changed";
      const facts = { person_id: personId, kind, about };
      tx.onCommit(() => {
        store({ memberId: null, recipient: null, purpose, facts }).catch((error: unknown) =>
          log.warn({ err: error, kind }, "failed to queue a notice about an account"),
        );
      });
    },
    mails: {
      password_changed: async (row) => await noticeMail(deps, row),
      account_changed: async (row) => await noticeMail(deps, row),
    },
  };
}

async function noticeMail({ db, baseUrl }: AccountNoticesDeps, row: MailRow): Promise<ComposedMail> {
  // A node of the previous version queued the notice of a new password without its kind.
  const { person_id: id, kind = "password_changed", about = "" } = factsOf(row);
  const person = await accountOf(db, await personById(db.query, id as Uuid));
  if (person === undefined) return { skipped: "The account is gone.", forget: true };
  const words: Words | undefined = WORDS[kind as NoticeKind];
  if (words === undefined) return { skipped: "This version does not know the notice." };
  return {
    to: person.email,
    subject: words.subject,
    blocks: [
      words.text(about, baseUrl),
      "If it was not you, set a new password now, and tell the owner of your workspace:",
      { label: "Set a new password", url: `${baseUrl}/forgot` },
    ],
  };
}

/** Returns the person if they can sign in to a workspace. */
export async function accountOf(db: Db, person: PersonRow | undefined): Promise<PersonRow | undefined> {
  if (person === undefined) return undefined;
  return (await membershipsOf(db.query, person.id)).length > 0 ? person : undefined;
}
