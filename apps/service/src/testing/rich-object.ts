import type { TestPerson } from "./people.ts";
import type { Parsed } from "./test-service.ts";

/** The richest bodies of one operation: together they have every member that its schema names. */
export interface RichObject {
  readonly bodies: readonly Record<string, unknown>[];
  /** The names in the path of the operation. */
  readonly names?: Readonly<Record<string, string>>;
  /** The path of the object, if it is not the operation's own path, or the one below it with the `id` or the `key`. */
  readonly read?: (made: Parsed) => string;
  /** Returns the object in what was read, if it is only a part of it. */
  readonly part?: (read: Parsed, made: Parsed) => Parsed;
  /** The members that no reader gets as they were sent, each with the reason. `*` stands for any name or position. */
  readonly otherwise?: Readonly<Record<string, string>>;
  /** The caller, if it is not a key of the owner. */
  readonly by?: TestPerson;
}
