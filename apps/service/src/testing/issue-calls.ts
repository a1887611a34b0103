import { insertIssue } from "./issues.ts";
import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

interface Made {
  freshEndpoint(service: TestService): Promise<Args>;
  absent(service: TestService, prefix: "iss"): Promise<Args>;
}

/** The rows of testing/calls.ts for issues. */
export function issueCalls({
  freshEndpoint,
  absent,
}: Made): Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> {
  const fresh =
    (more: Args): Make =>
    async (service) => ({ id: await insertIssue(service, String((await freshEndpoint(service))["id"])), ...more });
  const none: Make = async (service) => await absent(service, "iss");
  return {
    "issues.list": { good: () => ({ state: "open", limit: 1 }), bad: () => ({ state: "lost" }) },
    "issues.get": { good: fresh({}), bad: none },
    "issues.update": { good: fresh({ state: "acknowledged" }), bad: fresh({ state: "lost" }) },
    "issues.replay": { good: fresh({}), bad: none },
  };
}
