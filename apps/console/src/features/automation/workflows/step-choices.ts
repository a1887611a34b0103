import { useMemo } from "react";
import { childPath } from "../../../ui/ui.ts";
import type { Choices } from "../choices.ts";
import { offersIn } from "../../../shared/shared.ts";
import type { Offer } from "../../../shared/shared.ts";
import { useSample } from "../sample.tsx";
import { reaches } from "./outline.ts";
import type { OutlineNode } from "./outline.ts";
import { stepKind } from "./steps.ts";

/** Returns the suggestions for one step: in addition to the event, it reads the outputs of the steps that can come before it. */
export function useStepChoices(choices: Choices, nodes: readonly OutlineNode[], at: number): Choices {
  const { outputs } = useSample();
  return useMemo(() => {
    const own = nodes[at]?.id ?? "";
    const before = nodes.filter(({ id }) => id !== "" && id !== own && reaches(nodes, id, own));
    return {
      ...choices,
      earlier: before.map(({ id }) => id),
      values: [...before.flatMap((node) => outputOffers(node, outputs[node.id])), ...choices.values],
    };
  }, [choices, nodes, at, outputs]);
}

/** Returns the paths in a step's output: those of the sample, or else those that its type is known to have. */
function outputOffers({ id, type }: OutlineNode, sample: string | undefined): readonly Offer[] {
  const root = childPath("$.steps", id);
  const found = sample === undefined ? [] : offersIn(sample, root);
  if (found.length > 0) return found;
  return (stepKind(type)?.outputs ?? []).map((path) => ({ path: `${root}.${path}`, example: "" }));
}
