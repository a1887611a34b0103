import type { AuditSubject, Caller } from "../../accounts/accounts.ts";
import type { Document } from "./documents.ts";
import type { References } from "./references.ts";

/** The kinds of objects in a configuration, in the order in which they are written. */
export const SECTIONS = {
  event_types: "event_type",
  inboxes: "inbox",
  contracts: "contract",
  workflows: "workflow",
  rules: "rule",
  sources: "source",
  endpoints: "endpoint",
  channels: "channel",
  settings: "settings",
} as const;
type Section = keyof typeof SECTIONS;

/** An object of the workspace. */
export interface Held {
  readonly id: string;
  readonly name: string;
  /** All members with their defaults. */
  readonly document: Document;
}

/** One kind of objects that a configuration contains. */
export interface Kind {
  readonly section: Section;
  /** The member that identifies an object. */
  readonly identity: "name" | "key";
  readonly subject: AuditSubject;
  /** The operations whose rights a caller needs. */
  readonly operations: {
    readonly read: string;
    readonly create: string;
    readonly update: string;
    readonly delete: string;
  };
  /** True if live and sandbox share the objects, so that only live credentials change them. */
  readonly isShared?: true;
  /** The members that are always shown. */
  readonly required: readonly string[];
  /** The members that are passed on as text, so that their numbers keep their digits. */
  readonly exact?: readonly string[];
  /** The members that the defaults of others depend on. */
  readonly base: readonly string[];
  /** The members that cannot change. */
  readonly fixed?: readonly string[];
  /** Returns the members that stay as they are where a file leaves them out. */
  stays?(document: Document): readonly string[];
  /** The operation that a change of `active` also needs. */
  readonly toggle?: string;
  /** Returns all members of a document in their order, with defaults, in the form in which they are compared. */
  resolve(document: Document): Document;
  /** Returns a document as files show it, where members contain defaults of their own. */
  trim?(document: Document): Document;
  read(caller: Caller, references: References): Promise<readonly Held[]>;
  /** Creates the object and notes what others refer to it by. */
  create(caller: Caller, document: Document, references: References): Promise<void>;
  change(caller: Caller, change: ObjectChange, references: References): Promise<void>;
  /** Returns false for an object that stays where a file leaves it out. */
  isRemovable?(held: Held): boolean;
  /** Undefined if objects of the kind are never deleted. */
  remove?(caller: Caller, held: Held): Promise<void>;
  /** Returns the number of deliveries that are cancelled with each object if it is deleted, by its id. Undefined if objects have none. */
  pending?(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns the values of the object's headers by their pointers, so that they can be compared with secrets. */
  headersOf?(caller: Caller, held: Held): Promise<ReadonlyMap<string, string>>;
}

interface ObjectChange {
  readonly held: Held;
  /** All members as they shall be. */
  readonly document: Document;
  /** The members that change. */
  readonly changed: ReadonlySet<string>;
}
