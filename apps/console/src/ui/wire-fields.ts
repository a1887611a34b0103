import { useState } from "react";
import { fieldError } from "./form.tsx";

type Depth = readonly 0[];

/** The JSON pointers of an object's members, at most three levels deep: "/approval/required". */
export type Pointer<Value, Rest extends Depth = [0, 0, 0]> = Value extends readonly unknown[]
  ? never
  : Value extends object
    ? { [Name in keyof Value & string]-?: PointersOf<Name, Value[Name], Rest> }[keyof Value & string]
    : never;
type PointersOf<Name extends string, Member, Rest extends Depth> = Rest extends readonly [
  0,
  ...infer Inner extends Depth,
]
  ? `/${Name}` | `/${Name}${Pointer<NonNullable<Member>, Inner>}`
  : never;
type MemberAt<Value, At extends string> = At extends `/${infer Name}/${infer Rest}`
  ? Name extends keyof Value
    ? MemberAt<NonNullable<Value[Name]>, `/${Rest}`>
    : never
  : At extends `/${infer Name}`
    ? Name extends keyof Value
      ? NonNullable<Value[Name]>
      : never
    : never;

export interface Binding<Value extends object> {
  /** An object of the API while it is edited. */
  readonly value: Value;
  readonly change: (value: Value) => void;
  /** Returns the problem of the member at a pointer. */
  readonly problem: (pointer: string) => string | undefined;
}

export type WireFields<Value extends object> = ReturnType<typeof bindFields<Value>>;

/** Returns the properties that tie fields to the members of an object: its value, its change and its problem. */
export function bindFields<Value extends object>({ value, change, problem }: Binding<Value>) {
  const tie = <Member>(pointer: string) => ({
    member: memberAt(value, pointer) as Member | null | undefined,
    onChange: (member: Member | null | undefined): void => change(withMember(value, pointer, member)),
    error: problem(pointer),
  });
  const text = (pointer: Pointer<Value>, empty: string | null | undefined = "") => {
    const { member, onChange, error } = tie<string | number>(pointer);
    return { value: String(member ?? ""), onChange: (next: string) => onChange(next === "" ? empty : next), error };
  };
  return {
    /** For a text field. `empty` is what an empty text stands for. */
    text,
    /** For the field of a whole number. Any other text is kept as it is written, for the service to refuse. */
    whole(pointer: Pointer<Value>, empty: "" | null | undefined = "") {
      const { onChange, ...field } = text(pointer, empty);
      const take = tie<number>(pointer).onChange;
      return {
        ...field,
        inputMode: "numeric" as const,
        onChange: (next: string) => (/^\d+$/.test(next.trim()) ? take(Number(next)) : onChange(next)),
      };
    },
    /** For a choice that always has a value. */
    choice<At extends Pointer<Value>>(pointer: At) {
      const { member, onChange, error } = tie<MemberAt<Value, At>>(pointer);
      return { value: member as MemberAt<Value, At>, onChange, error };
    },
    tags(pointer: Pointer<Value>) {
      const { member, onChange, error } = tie<readonly string[]>(pointer);
      return { values: member ?? [], onChange, error };
    },
    /** For a switch. */
    flag(pointer: Pointer<Value>) {
      const { member, onChange } = tie<boolean>(pointer);
      return { isSelected: member === true, onChange };
    },
  };
}

/** Keeps an object of the API while a form edits it. `error` is the one of the request that sends it. */
export function useWireForm<Value extends object>(begin: Value | (() => Value), error: unknown) {
  const [value, change] = useState(begin);
  return { value, change, ...bindFields({ value, change, problem: (pointer) => fieldError(error, pointer).error }) };
}

type Members = Readonly<Record<string, unknown>>;

function memberAt(value: object, pointer: string): unknown {
  const [, name = "", ...rest] = pointer.split("/");
  const member = (value as Members)[name];
  if (rest.length === 0) return member;
  return typeof member === "object" && member !== null ? memberAt(member, `/${rest.join("/")}`) : undefined;
}

/** Returns the object with another member. Undefined leaves the member out. */
function withMember<Value extends object>(value: Value, pointer: string, member: unknown): Value {
  const [, name = "", ...rest] = pointer.split("/");
  const inner = (value as Members)[name] ?? {};
  const next = rest.length === 0 ? member : withMember(inner, `/${rest.join("/")}`, member);
  const { [name]: _before, ...others } = value as Members;
  return (next === undefined ? others : { ...value, [name]: next }) as Value;
}

/** Returns the object without the spaces around some of its texts. */
export function trimmed<Value extends object>(value: Value, pointers: readonly Pointer<Value>[]): Value {
  return pointers.reduce((object, pointer) => {
    const text = memberAt(object, pointer);
    return typeof text === "string" ? withMember(object, pointer, text.trim()) : object;
  }, value);
}

/** Returns a problem for each member that is not a whole number. */
export function wholeNumberFaults<Value extends object>(value: Value, pointers: readonly Pointer<Value>[]) {
  return pointers
    .filter((pointer) => !Number.isInteger(memberAt(value, pointer)))
    .map((pointer) => ({ pointer, message: "Enter a whole number." }));
}
