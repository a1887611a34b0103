import { RE2JS } from "re2js";
import { rememberByText } from "../../lib/lib.ts";
import type { WorkBudget } from "../../lib/lib.ts";

export const MAX_PATTERN_LENGTH = 512;
/** The maximum size of a compiled pattern, in instructions of RE2. */
const MAX_PROGRAM = 1000;

/** The maximum number of compiled patterns that schemas share. */
const MAX_KEPT = 500;
const compiledPattern = rememberByText(compile, { results: MAX_KEPT });

type Spender = Pick<WorkBudget, "spend">;

/** A pattern of a schema. It is matched in linear time. */
export interface Pattern {
  /** Returns true if the pattern matches a part of the text. */
  matches(text: string, budget: Spender): boolean;
}

/** Compiles a pattern in the syntax of RE2, which has no lookaround and no backreferences. Throws an error that says why not. */
export function compilePattern(text: string, budget: Spender): Pattern {
  if (text.length > MAX_PATTERN_LENGTH) throw new Error(`must have at most ${MAX_PATTERN_LENGTH} characters`);
  budget.spend(compilePrice(text));
  const { pattern, size } = compiledPattern(text);
  // How often a pattern repeats is known only now: at most some thousand instructions.
  budget.spend(size * INSTRUCTION);
  if (size > MAX_PROGRAM) throw new Error("repeats too much: use smaller numbers in braces");
  return pattern;
}

/** Units for compiling. Classes of Unicode have hundreds of ranges. */
function compilePrice(text: string): number {
  const count = (part: RegExp): number => text.match(part)?.length ?? 0;
  return 100 + text.length * 5 + count(/\(/g) * GROUP + count(/\\[pP]/g) * UNICODE_CLASS;
}

const GROUP = 100;
const UNICODE_CLASS = 700;
const INSTRUCTION = 5;

interface Compiled {
  readonly pattern: Pattern;
  readonly size: number;
}

function compile(text: string): Compiled {
  const re2 = compiled(text);
  const size = re2.programSize();
  return { size, pattern: isDirect(re2) ? directPattern(re2) : searchPattern(re2, size) };
}

/** Returns true if RE2 reads each character once, whatever the text: a text it looks for, or an anchored pattern without choices. */
function isDirect({ re2Input: { onepass, prefixComplete } }: RE2JS): boolean {
  return prefixComplete || (onepass as object | null) !== null;
}

function directPattern(re2: RE2JS): Pattern {
  return {
    matches(text, budget) {
      budget.spend(2 + text.length * DIRECT);
      return re2.test(text);
    },
  };
}

/** A state of the automaton of RE2: the instructions it stands at, and where the classes of characters lead. */
interface State {
  readonly nfaStates: readonly number[];
  readonly next: readonly (State | null)[] | null;
  readonly nextAnchored: readonly (State | null)[] | null;
}
type Step = (state: State, character: number, rune: number, anchor: number) => State | null;

/** Units for a character that is read once. */
const DIRECT = 0.6;
/** Units for a character that the automaton knows in its state. */
const KNOWN = 0.3;
/** Units for a step that the automaton has to learn, and for each instruction that it considers. */
const LEARNED = 10;
const CONSIDERED = 1.2;
/** Units for a character and an instruction, where the automaton gives up: each instruction may be tried at each character. */
const TRIED = 0.3;
/** The memory of one automaton in bytes, by the count of RE2. A full one is emptied. */
const MAX_AUTOMATON = 65_536;

/**
 * RE2 searches with an automaton that learns from the texts. What it knows is cheap, and what it learns may take a thousand
 * times as long: both are charged as they occur.
 */
function searchPattern(re2: RE2JS, size: number): Pattern {
  const { dfa } = re2.re2Input;
  dfa.stateBudget = MAX_AUTOMATON;
  dfa.memBudget = MAX_AUTOMATON;
  let payer: Spender | undefined;
  const step = dfa.step.bind(dfa) as Step;
  const charged: Step = (state, character, rune, anchor) => {
    const known = (anchor === 0 ? state.next : state.nextAnchored)?.[character];
    if (known !== undefined && known !== null) return known;
    payer?.spend(LEARNED + state.nfaStates.length * CONSIDERED);
    const next = step(state, character, rune, anchor);
    payer?.spend((next?.nfaStates.length ?? 0) * CONSIDERED);
    return next;
  };
  dfa.step = charged;
  const match = dfa.match.bind(dfa);
  dfa.match = (input: { endPos(): number }, from, anchor) => {
    const isMatch: unknown = match(input, from, anchor);
    if (isMatch === null) payer?.spend(input.endPos() * size * TRIED);
    return isMatch;
  };
  return {
    matches(text, budget) {
      budget.spend(4 + text.length * KNOWN);
      payer = budget;
      const isMatch = re2.test(text);
      re2.reset();
      return isMatch;
    },
  };
}

function compiled(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch {
    throw new Error(
      "must be a regular expression in the syntax of RE2, which has no lookaround, no backreferences and no \\u escapes",
    );
  }
}
