import { NIL_UUID } from "../../lib/lib.ts";
import { contractOf } from "./contract.ts";
import type { CurrentContract } from "./contracts.store.ts";
import type { ContractInput } from "./contracts.schemas.ts";
import { definitionOf } from "./definition.ts";

/** It changes if what an approved proposal does changes, so that an approval never covers another effect. */
const VERSION = 1;

/** Returns a contract of the service's own, which exists in no registry: the service makes its proposals and performs them itself. */
export function serviceContract(input: ContractInput): CurrentContract {
  const facts = { id: NIL_UUID, version: VERSION, sha256: "", environment: "live", connectorKey: null } as const;
  return {
    ...contractOf({ ...facts, author: { kind: "key", id: NIL_UUID } }, definitionOf(input)),
    signing: { secret_sealed: Buffer.alloc(0), previous_secret_sealed: null, previous_expires_at: null },
    authSecretSealed: null,
    authHosts: { hosts: null, any_host: false },
  };
}
