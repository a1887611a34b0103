import { expect, test } from "vitest";
import { closest, CommandError, editDistance, findCommand, readArguments, UsageError } from "./command-line.ts";

const OPTIONS = {
  name: { type: "string", short: "n" },
  event: { type: "string", multiple: true },
  yes: { type: "boolean" },
} as const;

test("words and options are read in any order, and empty text is a value", () => {
  const given = readArguments(["--name", "", "workspace", "--event=a", "--event", "b", "create"], OPTIONS, String);
  expect(given.words).toEqual(["workspace", "create"]);
  expect([given.text("name"), given.has("name"), given.has("yes"), given.text("event")]).toEqual([
    "",
    true,
    false,
    "b",
  ]);
  expect(given.texts("event")).toEqual(["a", "b"]);
});

test.each([[["--nmae", "x"]], [["--name"]], [["--yes=no"]]])(
  "%j is refused with what is made of Node's message",
  (args) => {
    const read = (): unknown => readArguments(args, OPTIONS, (fault) => `${fault.split(" ")[0] ?? ""} …`);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(/^(?:Unknown|Option) …$/);
  },
);

test("the command with the longest fitting name is found", () => {
  const commands = ["rules", "endpoints secret", "endpoints secret regenerate"].map((name) => ({ name }));
  const found = (text: string): string | undefined => findCommand(commands, text.split(" "))?.name;
  expect(found("endpoints secret regenerate ep_1")).toBe("endpoints secret regenerate");
  expect(found("endpoints secret regenerat")).toBe("endpoints secret");
  expect(found("endpoints")).toBeUndefined();
});

test("a failed command exits with 1 and a wrong command line with 64 by default", () => {
  expect([new CommandError("x").exit, new UsageError("x").exit, new CommandError("x", 78).exit]).toEqual([1, 64, 78]);
});

test("at most three names within their limits are closest, the nearest first", () => {
  const names = ["fare", "fire", "fires", "file", "live"];
  const near = (limit: number): string[] =>
    closest(
      names,
      (name) => editDistance("fire", name),
      () => limit,
    );
  expect(near(1)).toEqual(["fire", "fare", "file"]);
  expect(near(0)).toEqual(["fire"]);
});
