import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { KeyboardEvent } from "react";
import { cx } from "./class-names.ts";
import { childPath, nodeOf, readJson } from "./json-nodes.ts";
import type { JsonNode } from "./json-nodes.ts";

export interface JsonTreeProps {
  /** Name of the tree: "Payload". */
  readonly label: string;
  /** A JSON text, whose numbers are shown as they stand; or `value`. */
  readonly text?: string;
  readonly value?: unknown;
  /** Called with the singular JSONPath of a value that is clicked, or on which Enter is pressed. */
  readonly onPick?: (path: string, value: JsonNode) => void;
  /** Paths that are marked because they were chosen before. */
  readonly picked?: ReadonlySet<string>;
  /** Depth to which the tree is open at first. */
  readonly depth?: number;
}

const MOST_CHILDREN = 200;

/** JSON as a tree: arrows move, open and close; a value can be picked for its path. Hostile text is shown, never run. */
export function JsonTree({ label, text, value, depth = 3, ...pick }: JsonTreeProps) {
  const node = text === undefined ? nodeOf(value) : readJson(text);
  if (node === undefined) {
    return (
      <pre
        className="overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs break-all whitespace-pre-wrap"
        tabIndex={0}
        aria-label={label}
        role="region"
      >
        {text}
      </pre>
    );
  }
  return (
    <div className="overflow-auto rounded-lg border border-line bg-sunken py-2 font-mono text-xs">
      <ul role="tree" aria-label={label} onKeyDown={moveWithin} className="min-w-fit">
        <TreeItem name={null} path="$" node={node} level={1} depth={depth} isFirst {...pick} />
      </ul>
    </div>
  );
}

interface TreeItemProps extends Pick<JsonTreeProps, "onPick" | "picked"> {
  readonly name: string | null;
  readonly path: string;
  readonly node: JsonNode;
  readonly level: number;
  readonly depth: number;
  readonly isFirst?: boolean;
}

function TreeItem({ name, path, node, level, depth, isFirst = false, ...pick }: TreeItemProps) {
  const children = childrenOf(node, path);
  const [isOpen, setOpen] = useState(level <= depth);
  const isPicked = pick.picked?.has(path) ?? false;
  const isActive = children !== null || pick.onPick !== undefined;
  const act = (): void => {
    if (children !== null) setOpen(!isOpen);
    else pick.onPick?.(path, node);
  };
  return (
    <li
      role="treeitem"
      aria-level={level}
      {...(children === null ? { "aria-selected": isPicked } : { "aria-expanded": isOpen })}
      tabIndex={isFirst ? 0 : -1}
      data-path={path}
      onClick={(event) => {
        event.stopPropagation();
        act();
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget || !opensOrCloses(event.key, children !== null, isOpen)) return;
        event.preventDefault();
        event.stopPropagation();
        act();
      }}
      className="group/item outline-none"
    >
      <div
        className={cx(
          "flex items-start gap-1 pr-3 leading-5 group-focus/item:shadow-[inset_2px_0_0_var(--accent)] hover:bg-hover",
          isPicked && "bg-selected",
          isActive && "cursor-pointer",
        )}
        style={{ paddingLeft: `${level * 14 - 4}px` }}
      >
        <ChevronRight
          aria-hidden
          size={12}
          className={cx(
            "mt-1 shrink-0 text-faint transition-transform",
            children === null && "invisible",
            isOpen && "rotate-90",
          )}
        />
        {name === null ? null : <span className="shrink-0 text-muted">{name}:</span>}
        {children === null ? <Leaf node={node} /> : <span className="text-faint">{summaryOf(node)}</span>}
      </div>
      {children === null || !isOpen ? null : <Children nodes={children} level={level + 1} depth={depth} {...pick} />}
    </li>
  );
}

interface ChildrenProps extends Pick<TreeItemProps, "level" | "depth" | "onPick" | "picked"> {
  readonly nodes: readonly Pick<TreeItemProps, "name" | "path" | "node">[];
}

function Children({ nodes, ...rest }: ChildrenProps) {
  return (
    <ul role="group">
      {nodes.slice(0, MOST_CHILDREN).map((child) => (
        <TreeItem key={child.path} {...child} {...rest} />
      ))}
      {nodes.length <= MOST_CHILDREN ? null : (
        <li role="none" className="px-8 text-faint">
          … and {nodes.length - MOST_CHILDREN} more
        </li>
      )}
    </ul>
  );
}

function opensOrCloses(key: string, hasChildren: boolean, isOpen: boolean): boolean {
  if (key === "Enter" || key === " ") return true;
  return hasChildren && ((key === "ArrowRight" && !isOpen) || (key === "ArrowLeft" && isOpen));
}

function Leaf({ node }: { readonly node: JsonNode }) {
  if (node.kind === "string")
    return <span className="text-good break-all whitespace-pre-wrap">{JSON.stringify(node.text)}</span>;
  if (node.kind === "object") return <span className="text-faint">{"{}"}</span>;
  if (node.kind === "array") return <span className="text-faint">[]</span>;
  return <span className={node.kind === "number" ? "text-accent" : "text-warn"}>{node.text}</span>;
}

function childrenOf(node: JsonNode, path: string): readonly { name: string; path: string; node: JsonNode }[] | null {
  if (node.kind === "object" && node.members.length > 0) {
    return node.members.map(([name, member]) => ({ name, path: childPath(path, name), node: member }));
  }
  if (node.kind === "array" && node.items.length > 0) {
    return node.items.map((item, index) => ({ name: String(index), path: childPath(path, index), node: item }));
  }
  return null;
}

function summaryOf(node: JsonNode): string {
  if (node.kind === "array") return `[ ${node.items.length} ]`;
  return node.kind === "object" ? `{ ${node.members.length} }` : "";
}

/** Up and down go over what is visible; left goes to the parent, right to the first child. */
function moveWithin(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role='treeitem']")];
  const here = items.indexOf(document.activeElement as HTMLElement);
  const targets: Readonly<Record<string, HTMLElement | null | undefined>> = {
    ArrowDown: items[here + 1],
    ArrowUp: items[here - 1],
    ArrowRight: items[here + 1],
    ArrowLeft: items[here]?.parentElement?.closest<HTMLElement>("[role='treeitem']"),
    Home: items[0],
    End: items.at(-1),
  };
  if (here === -1 || !(event.key in targets)) return;
  event.preventDefault();
  targets[event.key]?.focus();
}
