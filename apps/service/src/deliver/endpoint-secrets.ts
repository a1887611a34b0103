import { after, fromDate, newSigningSecret, toDate, toRfc3339 } from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { changeExisting, existingEndpoint } from "./endpoint.ts";
import type { EndpointsDeps, WithSecret } from "./endpoint.ts";
import { endpointsOfUrl } from "./endpoints.store.ts";
import { secretPlace, targetOf } from "./targets.ts";
import type { Target } from "./targets.ts";
import { endpointView } from "./views.ts";

export interface RevealedSecret {
  readonly secret: string;
  readonly previous_secret?: string;
  readonly previous_expires_at?: string;
}

export interface EndpointSecrets {
  reveal(scope: Scope, id: string): Promise<RevealedSecret>;
  /** The old secret signs beside the new one for `overlapSeconds`. */
  regenerate(scope: Scope, id: string, overlapSeconds: number): Promise<WithSecret>;
  /** Where and with what a test of this endpoint is sent. */
  target(scope: Scope, id: string): Promise<Target & { readonly id: Uuid }>;
  /** Every secret that may now sign what is sent to exactly this URL, inactive endpoints' and overlapping ones included. */
  secretsOfUrl(scope: Scope, url: string): Promise<string[]>;
}

export function createEndpointSecrets(deps: EndpointsDeps): EndpointSecrets {
  const { clock, sealer } = deps;
  return {
    async reveal(scope, id) {
      const row = await existingEndpoint(deps, scope, id);
      const { secret, previous } = targetOf(sealer, row, clock.now());
      if (previous === null || row.previous_expires_at === null) return { secret };
      return { secret, previous_secret: previous, previous_expires_at: toRfc3339(fromDate(row.previous_expires_at)) };
    },
    async regenerate(scope, id, overlapSeconds) {
      const row = await existingEndpoint(deps, scope, id);
      const secret = newSigningSecret();
      const overlaps = overlapSeconds > 0;
      const changed = await changeExisting(
        deps,
        { scope, id },
        {
          secret_sealed: sealer.seal(secret, secretPlace(row.id)),
          previous_secret_sealed: overlaps ? row.secret_sealed : null,
          previous_expires_at: overlaps ? toDate(after(clock.now(), overlapSeconds * 1000)) : null,
        },
      );
      return { ...endpointView(scope, changed, clock.now()), secret };
    },
    async target(scope, id) {
      const row = await existingEndpoint(deps, scope, id);
      return { ...targetOf(sealer, row, clock.now()), id: row.id };
    },
    async secretsOfUrl(scope, url) {
      const rows = await endpointsOfUrl(deps.db.query, scope, url);
      return rows.flatMap((row) => {
        const { secret, previous } = targetOf(sealer, row, clock.now());
        return previous === null ? [secret] : [secret, previous];
      });
    },
  };
}
