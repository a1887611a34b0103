/** A program `docker` for the guides' commands: it runs a container's command in the folder that stands for the container. */
import { writeProgram } from "./machine.ts";

export interface Container {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

export interface Docker {
  /** The folder of the programs of an administrator. */
  readonly folder: string;
  /** Stands for `/` of all containers. */
  readonly root: string;
  readonly containers: Readonly<Record<string, Container>>;
}

/**
 * Writes the program. `exec` and `run` are carried out after their call is reported, so that the test can start what they depend on; `cp`
 * copies out of a container; everything else is only reported, without its options.
 */
export async function writeDocker({ folder, root, containers }: Docker): Promise<void> {
  for (const [name, { cwd, env, uid, gid }] of Object.entries(containers)) {
    const settings = Object.entries(env).map(([key, value]) => quoted(`${key}=${value}`));
    const user = uid === undefined ? "" : `setpriv --reuid=${uid} --regid=${gid} --clear-groups`;
    await writeProgram(
      folder,
      `in-${name}`,
      `cd ${quoted(cwd)} && exec env --ignore-environment ${settings.join(" ")} ${user} "$@"`,
    );
  }
  await writeProgram(
    folder,
    "docker",
    `verb=$2; shift 2
    while [ "\${1#-}" != "\${1-}" ]; do shift; done
    case $verb in
      exec | run) service=$1; shift
        docker-calls "$verb" "$service" >&2 && exec "in-$service" "$@" ;;
      cp) exec cp ${quoted(root)}"\${1#*:}" "$2" ;;
      *) exec docker-calls "$verb" "$@" ;;
    esac`,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
