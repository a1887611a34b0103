import { describe, expect, test } from "vitest";
import { guard } from "./imports.ts";
import type { Imports } from "./imports.ts";

const REACHED = 7;
const MIB = 1024 * 1024;

/** Returns imports as in PHP.wasm. Each returns a value that shows that it was called. */
function machineOf(names: readonly string[]) {
  const imports: Imports = Object.fromEntries(names.map((name) => [name, () => REACHED]));
  const paths = ["/dev/null", "/connector/connector.php", "/dev/null/../../connector/x"];
  const locks = guard(imports, names, () => ({ largest: 64 * MIB, text: (address) => paths[address] ?? "" }));
  return { call: (name: string, ...args: number[]) => imports[name]?.(...args), lock: locks.lock };
}

const NEEDED = ["__syscall_openat", "emscripten_resize_heap", "emscripten_get_heap_max"];
const WRITES = [
  ..."chdir chmod fallocate fchmod fchown32 fchownat ftruncate64 mkdirat renameat rmdir symlinkat unlinkat utimensat"
    .split(" ")
    .map((name) => `__syscall_${name}`),
  "fd_pwrite",
];

describe("the guard of PHP.wasm's imports", () => {
  test.each([
    "__syscall_socket",
    "__syscall_connect",
    "__syscall_bind",
    "__syscall_sendto",
    "getaddrinfo",
    "_emscripten_system",
    "js_open_process",
    "__asyncjs__js_popen_to_file",
    "_dlopen_js",
  ])("%s is never called, even before the lock", (name) => {
    expect(machineOf([...NEEDED, ...WRITES, name]).call(name, 1, 2, 3)).not.toBe(REACHED);
  });

  test("nothing is written after the lock, but files can be read", () => {
    const { call, lock } = machineOf([...NEEDED, ...WRITES, "fd_read"]);
    expect(WRITES.map((name) => call(name))).toEqual(WRITES.map(() => REACHED));
    lock();
    expect(WRITES.map((name) => call(name))).toEqual(WRITES.map(() => -69));
    expect(call("fd_read")).toBe(REACHED);
  });

  test.each([0o1, 0o2, 0o100, 0o1000, 0o2000, 0o3101])(
    "a file is not opened with %s after the lock, except /dev/null",
    (flags) => {
      const { call, lock } = machineOf([...NEEDED, ...WRITES]);
      expect(call("__syscall_openat", -100, 1, flags)).toBe(REACHED);
      lock();
      expect(call("__syscall_openat", -100, 0, flags)).toBe(REACHED);
      expect(call("__syscall_openat", -100, 1, flags)).toBe(-69);
      expect(call("__syscall_openat", -100, 2, flags)).toBe(-69);
      expect(call("__syscall_openat", -100, 1, 0)).toBe(REACHED);
    },
  );

  test("memory grows only to its limit", () => {
    const { call } = machineOf([...NEEDED, ...WRITES]);
    expect(call("emscripten_resize_heap", 64 * MIB)).toBe(REACHED);
    expect(call("emscripten_resize_heap", 64 * MIB + 1)).toBe(0);
    expect(call("emscripten_resize_heap", -1)).toBe(0);
    expect(call("emscripten_get_heap_max")).toBe(64 * MIB);
  });

  test("an unknown import prevents the start", () => {
    expect(() => machineOf([...NEEDED, ...WRITES, "__syscall_new"])).toThrow("__syscall_new");
    expect(() => machineOf(NEEDED)).toThrow("PHP.wasm has no __syscall_chdir");
  });
});
