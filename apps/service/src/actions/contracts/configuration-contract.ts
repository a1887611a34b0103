import { ADMIN_ROLES } from "../../accounts/accounts.ts";
import { serviceContract } from "./service-contracts.ts";

/** The key of the contract under which people approve that a plan of the configuration is applied. */
export const CONFIGURATION_APPLY = "meta.configuration.apply";
const text = { type: "string", required: true } as const;

/** A plan is applied once, so that a repeat is safe. Its requester does not approve it. */
export const CONFIGURATION_CONTRACT = serviceContract({
  key: CONFIGURATION_APPLY,
  label: "Apply a configuration",
  description: "Makes all changes of a plan of the configuration in one transaction.",
  surface: ["api", "console"],
  roles: ["owner", "admin", "developer"],
  requires_confirmation: true,
  destructive: true,
  risk: "high",
  idempotent: true,
  audit: true,
  params: { plan_id: text, digest: text, requester_id: text },
  approval: { approver_roles: [...ADMIN_ROLES], four_eyes: true },
  endpoint: "junction://configuration",
});
