import { orNotFound, paginate, ServiceError, tagOf, timeText, toDate, wireId } from "../../lib/lib.ts";
import type { IdMaker, Page, PageInput, t } from "../../lib/lib.ts";
import type { NotedOrigin } from "../people/audit-port.ts";
import * as people from "../people/people.store.ts";
import { provePresence, samePerson } from "./proof.ts";
import type { OwnProof } from "./proof.ts";
import { renewRecoveryCodes } from "./second-factor.ts";
import type { AccountNotices } from "../people/account-notices.ts";
import type { SignInDeps } from "./sign-in.ts";
import { ownUuid } from "../callers/scope.ts";
import type { Scope } from "../callers/scope.ts";
import { newChallenge, takeChallenge } from "./assertion.ts";
import { challengeOf, creationOptions, verifyCreation } from "./ceremony.ts";
import type { Prover } from "./guarded-change.ts";
import type { CreationOptions, NewCredential } from "./passkeys.schemas.ts";
import * as store from "./passkeys.store.ts";
import { requireRelyingParty } from "./relying-party.ts";
import type * as shapes from "./passkeys.schemas.ts";

export type PasskeyView = t.Static<typeof shapes.PasskeyShape>;

export type Registered = t.Static<typeof shapes.RegisteredShape>;

/** The passkeys and security keys of a person, as second factor. */
export type Passkeys = ReturnType<typeof createPasskeys>;

export interface PasskeysDeps extends SignInDeps {
  readonly ids: IdMaker;
  readonly notices: Pick<AccountNotices, "announce">;
}

const MAX_PASSKEYS = 20;

export function createPasskeys(deps: PasskeysDeps) {
  const { db } = deps;
  return {
    list: async ({ scope, session: { personId } }: Prover, page: PageInput): Promise<Page<PasskeyView>> =>
      await paginate(page, {
        binding: [personId, "passkeys"],
        read: async (before, limit) => await store.listPasskeys(db.query, personId, { before, limit }),
        view: (row) => passkeyView(scope, row),
      }),
    /** Throws 409 if the installation cannot have passkeys or the person has too many, and 403 or 422 without a proof. */
    begin: async (owner: Prover, proof: OwnProof, from: NotedOrigin): Promise<CreationOptions> =>
      await begin(deps, owner, proof, from),
    /** Throws 422 unless an authenticator created the credential for an open challenge of this session. */
    register: async (
      owner: Prover,
      made: { readonly name: string; readonly credential: NewCredential },
    ): Promise<Registered> => await register(deps, owner, made),
    async rename({ scope, session }: Prover, id: string, name: string): Promise<PasskeyView> {
      const row = orNotFound(await store.renamePasskey(db.query, session.personId, ownUuid(scope, "pky", id), name));
      return passkeyView(scope, row);
    },
    /** The key no longer works from the next request. */
    async remove(owner: Prover, id: string, proof: OwnProof, from: NotedOrigin): Promise<void> {
      const person = await samePerson(db, owner.session.personId);
      const uuid = ownUuid(owner.scope, "pky", id);
      const own = await store.passkeysOf(db.query, person.id);
      if (!own.some((one) => one.id === uuid)) throw new ServiceError("not_found");
      await provePresence(deps, { owner, person, proof, from, change: { operation: "auth.passkeys.delete", id } });
      await db.transaction(async (tx) => {
        const held = await people.holdPerson(tx, person.id);
        const removed = orNotFound(await store.deletePasskey(tx, person.id, uuid));
        deps.notices.announce(tx, person.id, { kind: "passkey_removed", about: removed });
        await store.endProofs(tx, person.id);
        const isLast = held?.totp_sealed === null && (await store.passkeysOf(tx.query, person.id)).length === 0;
        if (isLast) await people.replaceRecoveryCodes(tx, person.id, []);
      });
    },
  };
}

async function begin(deps: PasskeysDeps, owner: Prover, proof: OwnProof, from: NotedOrigin): Promise<CreationOptions> {
  const { session } = owner;
  const party = requireRelyingParty(deps.baseUrl);
  const person = await samePerson(deps.db, session.personId);
  await provePresence(deps, { owner, person, proof, from, change: { operation: "auth.passkeys.begin" } });
  const existing = await store.passkeysOf(deps.db.query, person.id);
  assertFewEnough(existing.length);
  const place = { personId: person.id, purpose: "register", sessionId: session.id } as const;
  return creationOptions({ party, challenge: await newChallenge(deps, place), person, existing });
}

async function register(
  deps: PasskeysDeps,
  { scope, session }: Prover,
  { name, credential }: { readonly name: string; readonly credential: NewCredential },
): Promise<Registered> {
  const party = requireRelyingParty(deps.baseUrl);
  const { personId, id: sessionId } = session;
  const challenge = challengeOf(credential);
  const place = { personId, purpose: "register", sessionId } as const;
  const isOpen = challenge !== undefined && (await takeChallenge(deps, place, challenge));
  const created = isOpen ? await verifyCreation(party, challenge, credential) : undefined;
  if (created === undefined) throw notCreatedHere(party.origin);
  return await deps.db.transaction(async (tx) => {
    const held = await people.holdPerson(tx, personId);
    if (held === undefined) throw new ServiceError("session_invalid");
    const existing = await store.passkeysOf(tx.query, personId);
    assertFewEnough(existing.length);
    const id = deps.ids.uuid();
    const row = { id, person_id: personId, name, created_at: toDate(deps.clock.now()), last_used_at: null, ...created };
    if (!(await store.insertPasskey(tx, row)))
      throw new ServiceError("conflict", { detail: "This key is registered already." });
    deps.notices.announce(tx, personId, { kind: "passkey_added", about: name });
    const isFirst = held.totp_sealed === null && existing.length === 0;
    return {
      object: "passkey_registration",
      passkey: passkeyView(scope, row),
      recovery_codes: isFirst ? await renewRecoveryCodes(tx, held) : [],
    };
  });
}

function notCreatedHere(origin: string): ServiceError {
  const message = `was not created for an open request of this session at ${origin}: begin again`;
  return new ServiceError("validation_failed", {
    errors: [{ pointer: "/credential", code: "passkey", message }],
  });
}

function assertFewEnough(count: number): void {
  if (count < MAX_PASSKEYS) return;
  throw new ServiceError("conflict", { detail: `A person has at most ${MAX_PASSKEYS} passkeys. Remove one first.` });
}

/** Returns a key's view. It belongs to a person, so its id contains the tenant id of the workspace that requests it. */
function passkeyView(
  scope: Scope,
  row: Pick<store.PasskeyRow, "id" | "name" | "transports" | "created_at" | "last_used_at">,
): PasskeyView {
  return {
    id: wireId("pky", tagOf(scope.tag, "live"), row.id),
    object: "passkey",
    name: row.name,
    transports: row.transports,
    created_at: timeText(row.created_at),
    last_used_at: timeText(row.last_used_at),
  };
}
