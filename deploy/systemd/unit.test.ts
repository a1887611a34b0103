import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assignmentsIn, readUnit } from "./unit.ts";

test("an environment file is read as systemd reads it", () => {
  const text = [
    "# A comment with JUNCTION_A=1",
    "; another one \\",
    "  that continues JUNCTION_B=2",
    "",
    "no assignment",
    "  PLAIN = postgres://user:pa$s#w%rd;x&y@127.0.0.1/junction?a=b  ",
    `DOUBLE="a b \\"c\\" \\$d \\e"  `,
    `SINGLE='a "b" \\c'`,
    `JOINED="a"'b'c`,
    `APOSTROPHE=it's`,
    "LONG=one \\",
    "two",
    "ESCAPED=a\\b\\\\c",
    "EMPTY=",
    `LINES="one`,
    `two"`,
    "LAST=é",
  ].join("\n");
  expect(Object.fromEntries(assignmentsIn(text))).toEqual({
    PLAIN: "postgres://user:pa$s#w%rd;x&y@127.0.0.1/junction?a=b",
    DOUBLE: `a b "c" $d \\e`,
    SINGLE: `a "b" \\c`,
    JOINED: "abc",
    APOSTROPHE: "it's",
    LONG: "one two",
    ESCAPED: "ab\\c",
    EMPTY: "",
    LINES: "one\ntwo",
    LAST: "é",
  });
});

test("a drop-in changes the unit, and the settings file wins over both", () => {
  const unit = readFileSync(join(import.meta.dirname, "junction.service"), "utf8");
  const dropIn = `[Service]\nUser=other\nEnvironment="JUNCTION_DATA_DIR=/srv/a folder" JUNCTION_PORT=1\nEnvironmentFile=-/missing\n`;
  const read = (path: string): string => {
    if (path !== "/etc/junction/env") throw new Error(`${path} does not exist`);
    return "JUNCTION_PORT=2\n";
  };
  expect(readUnit(unit, read)).toMatchObject({
    user: "junction",
    group: "junction",
    workingDirectory: "/opt/junction",
    stateDirectory: "junction",
    stateMode: 0o700,
    umask: 0o077,
    environment: { JUNCTION_DATA_DIR: "/var/lib/junction", JUNCTION_PROCESSES: "auto", JUNCTION_PORT: "2" },
    command: ["/opt/junction/node_modules/.bin/node", "apps/service/src/main.ts"],
  });
  const changed = readUnit(`${unit}\n${dropIn}`, read);
  expect([changed.user, changed.environment["JUNCTION_DATA_DIR"], changed.environment["JUNCTION_PORT"]]).toEqual([
    "other",
    "/srv/a folder",
    "2",
  ]);
});
