/** A request to a service that the person at the terminal named: their own word, so the target guard has no say. Never for what customers name. */
export async function askOwnService(url: string, init: RequestInit): Promise<Response> {
  return await fetch(url, init);
}
