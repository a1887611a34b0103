import { newSigningSecret, resultOf, revealSecrets, rotateSecret, ServiceError, validSecrets } from "../../lib/lib.ts";
import type { Hidden, RevealedSecret, Uuid } from "../../lib/lib.ts";
import { authorOf } from "../../accounts/accounts.ts";
import type { Author, Caller, Scope } from "../../accounts/accounts.ts";
import { assertClientAgrees } from "./client-subscriptions.ts";
import { changeExisting, existingEndpoint } from "./endpoint.ts";
import type { EndpointsDeps, WithSecret } from "./endpoint.ts";
import { endpointsOfInbox } from "./endpoints.store.ts";
import type { EndpointInsert } from "./endpoints.store.ts";
import { headersPlace, openHeaders, revealHeaders } from "../requests/header-values.ts";
import { inboxKey, inboxReference, inboxToken } from "./own-inboxes.ts";
import { rotateKeys } from "./signature-families.ts";
import { secretPlace, signingSecretsOf, targetOf } from "./targets.ts";
import type { Target } from "./targets.ts";
import { endpointView } from "./endpoint-view.ts";
import { openOrRefuse } from "./webhook-headers.ts";

export type EndpointSecrets = ReturnType<typeof createEndpointSecrets>;

/** Column values for an endpoint of a caller, which has no channel. */
const OWN = { owner: null, awaits: false } as const;

export function makerColumns({ kind, id }: Author): Pick<EndpointInsert, "secret_maker_kind" | "secret_maker_id"> {
  return { secret_maker_kind: kind, secret_maker_id: id };
}

function notTheirs(): ServiceError {
  return new ServiceError("role_not_allowed", {
    detail:
      "Owners can see every secret. Others can see only secrets that their own key or account created. Ask an owner, or create a new secret, which replaces this one.",
  });
}

export function createEndpointSecrets(deps: EndpointsDeps) {
  const { clock, sealer } = deps;
  return {
    /**
     * Returns all secrets to an owner, and the current one to the member or key that created it. Throws 403 for others.
     */
    async reveal({ key, scope }: Caller, id: string): Promise<RevealedSecret> {
      const row = await existingEndpoint(deps, scope, id);
      const found = revealSecrets(sealer, secretPlace(row.id), row, clock.now());
      if (key.role === "owner") return found;
      const { kind, id: makerId } = authorOf(key);
      if (row.secret_maker_kind !== kind || row.secret_maker_id !== makerId) throw notTheirs();
      return { secret: found.secret };
    },
    /** Returns the values of the endpoint's own headers, for owners. Throws 409 `conflict` if they cannot be opened. */
    async revealHeaders(scope: Scope, id: string): Promise<{ readonly headers: Record<string, string> }> {
      const row = await existingEndpoint(deps, scope, id);
      return { headers: revealHeaders(openOrRefuse(() => openHeaders(sealer, headersPlace(row.id), row))) };
    },
    /** Creates a new secret, or takes the given one. The old one also signs for `overlapSeconds`. */
    async regenerate(
      { key, scope }: Caller,
      id: string,
      overlapSeconds: number,
      secret: Hidden = newSigningSecret(),
    ): Promise<WithSecret> {
      const next = { secret, now: clock.now(), overlapSeconds };
      const changed = await changeExisting(deps, { scope, id }, (held) => {
        assertClientAgrees(held, { secret });
        return {
          ...rotateSecret(sealer, secretPlace(held.id), held.secret_sealed, next),
          ...makerColumns(authorOf(key)),
          ...rotateKeys(sealer, held, overlapSeconds),
        };
      });
      return { ...endpointView(scope, changed, clock.now()), secret: secret.reveal() };
    },
    /** Returns the URL, headers and secrets that a test of this endpoint is sent with. */
    async target(scope: Scope, id: string): Promise<Target & { readonly id: Uuid }> {
      const row = await existingEndpoint(deps, scope, id);
      return { ...targetOf(sealer, { ...row, ...OWN }, clock.now()), id: row.id };
    },
    /**
     * Returns the secrets that may now sign requests to this inbox under any address: those of each endpoint, including
     * inactive ones, rules and workflows. Endpoints whose secrets cannot be opened are left out.
     */
    async secretsOfInbox(scope: Scope, token: string): Promise<(readonly Hidden[])[]> {
      const reference = inboxReference(inboxKey(token));
      const rows = await endpointsOfInbox(deps.db.query, scope, { token, reference });
      return rows.flatMap((row) => {
        if (row.url !== reference && inboxToken(row.url) !== token) return [];
        const opened = resultOf(() => signingSecretsOf(sealer, row, clock.now()));
        return opened instanceof Error ? [] : [validSecrets(opened)];
      });
    },
  };
}
