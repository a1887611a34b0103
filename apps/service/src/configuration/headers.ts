import type { RevealedWebhook } from "../webhooks/webhooks.ts";

/** Returns the values of headers by their pointers in the document. */
export function revealedHeaders({
  webhooks,
}: {
  readonly webhooks: readonly RevealedWebhook[];
}): ReadonlyMap<string, string> {
  return new Map(
    webhooks.flatMap(({ path, headers }) =>
      Object.entries(headers).map(([name, value]): [string, string] => [`${path}/headers/${name}`, value]),
    ),
  );
}
