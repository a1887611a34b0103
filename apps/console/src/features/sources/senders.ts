import { useQuery } from "@tanstack/react-query";
import { readAll } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { labelOf } from "../../ui/ui.ts";

/** Public keys and ARNs: the service cannot generate them. */
const GIVEN_KINDS: ReadonlySet<string> = new Set(["ed25519", "ecdsa_p256", "sns"]);
const CATEGORIES: Readonly<Record<string, string>> = { crm: "CRM", mail: "E-mail", other: "More senders" };

/** Reads the senders that the service knows. They change only with its version. */
export function useSenders({ isNeeded = true }: { readonly isNeeded?: boolean } = {}) {
  return useQuery({ ...readAll("senders.list"), staleTime: Infinity, enabled: isNeeded });
}

/** Returns true if the secret is not a shared one, so that the sender has to provide it. */
export function isGivenBySender({ kind }: wire.SignatureScheme): boolean {
  return GIVEN_KINDS.has(kind);
}

export function categoryLabel(category: string): string {
  return CATEGORIES[category] ?? labelOf(category);
}

/** Returns the name of a source's signature scheme. */
export function schemeLabel(name: string): string {
  return name === "sender" ? "The sender's own" : labelOf(name);
}
