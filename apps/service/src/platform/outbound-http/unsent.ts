import type { Exchange, Latency } from "./request-attempt.ts";

/** An exchange in which nothing was sent. */
export type Unsent<Class extends string> = Omit<Exchange, "errorClass"> & { readonly errorClass: Class };

/** Returns the result of a request that was not sent. `spent`: milliseconds; 0 for a phase that it does not name. */
export function unsent<Class extends string>(
  errorClass: Class,
  errorDetail: string,
  spent: Partial<Latency> = {},
): Unsent<Class> {
  return {
    status: null,
    errorClass,
    errorDetail,
    headers: {},
    body: Buffer.alloc(0),
    truncated: false,
    cut: null,
    sent: false,
    latency: { dns: 0, connect: 0, tls: 0, first_byte: 0, total: 0, ...spent },
    resolvedIp: null,
  };
}
