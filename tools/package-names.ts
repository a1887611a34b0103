/** The name of a package of the SDKs or the command line. The generators, the packing tools and the checks read it here. */
export interface PackageName {
  readonly registry: "npm" | "PyPI" | "Packagist";
  readonly name: string;
  /** Our account at the registry. A name without an owner must be unregistered. */
  readonly owner?: string;
}

export const NODE_SDK: PackageName = { registry: "npm", name: "@junction-platform/sdk" };
export const CLI: PackageName = { registry: "npm", name: "@junction-platform/cli" };
export const PYTHON_SDK: PackageName = { registry: "PyPI", name: "junction-platform-sdk" };
export const PHP_SDK: PackageName = { registry: "Packagist", name: "junction-platform/sdk" };
/** The service provides it to connectors, whose authors may still look for it on npm. */
const CONNECTOR: PackageName = { registry: "npm", name: "@junction/connector" };

/** Each name that a reader of the documentation could look for in a registry. */
export const packageNames: readonly PackageName[] = [NODE_SDK, CLI, PYTHON_SDK, PHP_SDK, CONNECTOR];
