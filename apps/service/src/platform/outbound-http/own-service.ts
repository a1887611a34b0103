export interface OwnRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * A call of a Junction service, by a command that a person runs beside it: to the address that they gave, so that no guard is asked.
 * Nothing that a customer chose goes this way.
 */
export async function askOwnService({
  url,
  ...request
}: OwnRequest): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, request);
  return { status: response.status, body: await response.json().catch(() => null) };
}
