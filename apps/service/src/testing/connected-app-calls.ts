import { authorizationRequest, connected } from "./oauth.ts";
import type { TestPerson } from "./people.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
/** Makes a call by a new person with a console session. */
export type ByPerson<Made> = (args: (person: TestPerson, service: TestService) => Promise<Args> | Args) => Made;

/** Good and bad calls of the operations of connected apps, by a new person each. */
export function connectedAppCalls<Made>(
  byPerson: ByPerson<Made>,
): Record<string, { readonly good: Made; readonly bad: Made }> {
  const request = byPerson(async (_person, service) => (await authorizationRequest(service)).parameters);
  const unknown = byPerson(async (_person, service) => {
    return (await authorizationRequest(service, { client_id: "app_unknown" })).parameters;
  });
  return {
    "connected_apps.review": { good: request, bad: unknown },
    "connected_apps.connect": { good: request, bad: unknown },
    "connected_apps.list": { good: byPerson(() => ({ limit: 1 })), bad: byPerson(() => ({ limit: 0 })) },
    "connected_apps.end": {
      good: byPerson(async (person, service) => ({ id: (await connected(service, person)).keyId })),
      bad: byPerson(() => ({ id: "key_1" })),
    },
  };
}
