// PHP.wasm can reach the outside only through the functions that it imports. A refused import is refused to every
// extension. An import that is in no list prevents the start, so that another version cannot add one unnoticed.

type Import = (...args: number[]) => unknown;
export type Imports = Record<string, Import>;

/** The properties of the guarded machine. */
export interface Machine {
  /** The maximum size of its linear memory, in bytes. */
  readonly largest: number;
  /** Returns the text at an address. */
  readonly text: (address: number) => string;
}

export interface Guard {
  /** Prevents all later writes to the file system in memory. */
  lock(): void;
}

const ACCESS = -2;
const READ_ONLY = -69;
const NO_SUCH_CALL = -52;
const NAME_FAILED = -4;
const WRITING = 0o3 | 0o100 | 0o1000 | 0o2000;

/** Functions for network, processes and modules, with the value that each returns instead. */
const REFUSED: Readonly<Record<string, number>> = {
  __asyncjs__js_popen_to_file: 0,
  __asyncjs__wasm_poll_socket: 0,
  __syscall_accept4: ACCESS,
  __syscall_bind: ACCESS,
  __syscall_connect: ACCESS,
  __syscall_getpeername: ACCESS,
  __syscall_getsockname: ACCESS,
  __syscall_getsockopt: ACCESS,
  __syscall_listen: ACCESS,
  __syscall_pipe: ACCESS,
  __syscall_recvfrom: ACCESS,
  __syscall_sendmsg: ACCESS,
  __syscall_sendto: ACCESS,
  __syscall_socket: ACCESS,
  _dlopen_js: 0,
  _dlsym_js: 0,
  _emscripten_lookup_name: 0,
  _emscripten_system: -1,
  getaddrinfo: NAME_FAILED,
  getnameinfo: NAME_FAILED,
  getprotobyname: 0,
  getprotobynumber: 0,
  js_open_process: NO_SUCH_CALL,
  js_popen_get_pid_for_fd: -1,
  js_popen_set_pid_for_fd: NO_SUCH_CALL,
  js_process_status: -1,
  js_waitpid: -1,
  wasm_setsockopt: ACCESS,
  wasm_shutdown: ACCESS,
};

/** Functions that are refused after the files were written. */
const WRITES: readonly string[] = [
  "__syscall_chdir",
  "__syscall_chmod",
  "__syscall_fallocate",
  "__syscall_fchmod",
  "__syscall_fchown32",
  "__syscall_fchownat",
  "__syscall_ftruncate64",
  "__syscall_mkdirat",
  "__syscall_renameat",
  "__syscall_rmdir",
  "__syscall_symlinkat",
  "__syscall_unlinkat",
  "__syscall_utimensat",
  "fd_pwrite",
];

/** Functions for clocks, memory and reading files, and the only connection to the service. */
const ALLOWED: readonly string[] = [
  "__assert_fail",
  "__asyncjs__js_module_onMessage",
  "__call_sighandler",
  "__syscall_dup",
  "__syscall_dup3",
  "__syscall_faccessat",
  "__syscall_fcntl64",
  "__syscall_fdatasync",
  "__syscall_fstat64",
  "__syscall_getcwd",
  "__syscall_getdents64",
  "__syscall_ioctl",
  "__syscall_lstat64",
  "__syscall_newfstatat",
  "__syscall_openat",
  "__syscall_poll",
  "__syscall_readlinkat",
  "__syscall_stat64",
  "__syscall_statfs64",
  "_abort_js",
  "_emscripten_runtime_keepalive_clear",
  "_gmtime_js",
  "_localtime_js",
  "_mktime_js",
  "_mmap_js",
  "_munmap_js",
  "_setitimer_js",
  "_tzset_js",
  "clock_time_get",
  "emscripten_date_now",
  "emscripten_get_heap_max",
  "emscripten_get_now",
  "emscripten_resize_heap",
  "emscripten_sleep",
  "environ_get",
  "environ_sizes_get",
  "exit",
  "fd_close",
  "fd_fdstat_get",
  "fd_pread",
  "fd_read",
  "fd_seek",
  "fd_sync",
  "fd_write",
  "getcontext",
  "getdtablesize",
  "js_fd_read",
  "js_flock",
  "js_getpid",
  "js_popen_clear_pid_for_fd",
  "js_release_file_locks",
  "js_wasm_trace",
  "makecontext",
  "proc_exit",
  "random_get",
  "strptime",
  "swapcontext",
  "wasm_close",
];

/** Replaces the imports by guarded ones. Call it before the module is instantiated. */
export function guard(imports: Imports, names: readonly string[], machine: () => Machine): Guard {
  const known = new Set([...Object.keys(REFUSED), ...WRITES, ...ALLOWED]);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`PHP.wasm imports unknown functions: ${unknown.join(", ")}.`);
  let isLocked = false;

  for (const [name, answer] of Object.entries(REFUSED)) imports[name] = () => answer;
  for (const name of WRITES) {
    const original = named(imports, name);
    imports[name] = (...args) => (isLocked ? READ_ONLY : original(...args));
  }
  const open = named(imports, "__syscall_openat");
  imports["__syscall_openat"] = (...args) => {
    const [, path = 0, flags = 0] = args;
    const isRefused = isLocked && (flags & WRITING) !== 0 && machine().text(path) !== "/dev/null";
    return isRefused ? READ_ONLY : open(...args);
  };
  const resize = named(imports, "emscripten_resize_heap");
  imports["emscripten_resize_heap"] = (...args) => {
    const [wanted = 0] = args;
    return wanted >>> 0 > machine().largest ? 0 : resize(...args);
  };
  imports["emscripten_get_heap_max"] = () => machine().largest;

  return {
    lock: () => {
      isLocked = true;
    },
  };
}

function named(imports: Imports, name: string): Import {
  const found = imports[name];
  if (found === undefined) throw new Error(`PHP.wasm has no ${name}.`);
  return found;
}
