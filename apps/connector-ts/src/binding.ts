import type { ConnectorEvent, Json, LogLevel, Sayable } from "./types.ts";

/** The access of one hook call to the service. */
export interface Binding {
  readonly event: ConnectorEvent | null;
  ask(service: string, args: readonly Sayable[]): Promise<Json>;
  log(level: LogLevel, message: string, fields: Readonly<Record<string, Sayable>> | undefined): void;
  setting(name: string): Json;
  now(): string;
  /** Parses JSON. Returns null if the text is not JSON. */
  read(text: string): Json;
}

let offered: Binding | undefined;

/** Creates an instance that is bound to one call. */
export function bind<T>(binding: Binding, make: () => T): T {
  offered = binding;
  try {
    return make();
  } finally {
    offered = undefined;
  }
}

export function takeBinding(): Binding {
  if (offered === undefined)
    throw new Error("Junction makes the connector's instances: there is nothing to ask without it.");
  const taken = offered;
  offered = undefined;
  return taken;
}
