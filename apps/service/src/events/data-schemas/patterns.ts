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
  const { pattern, size, ranges } = compiledPattern(text);
  // How often a pattern repeats is known only now: at most some thousand instructions.
  budget.spend(size * INSTRUCTION + ranges * RANGE);
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
/** Units for a range of characters in an automaton, and how many of them one is made of. */
const RANGE = 3;
const MAX_RANGES = 2000;

interface Compiled {
  readonly pattern: Pattern;
  readonly size: number;
  /** The ranges of characters of the automaton; 0 for a pattern without one. */
  readonly ranges: number;
}

function compile(text: string): Compiled {
  const re2 = compiled(text);
  const size = re2.programSize();
  if (isDirect(re2)) return { size, ranges: 0, pattern: directPattern(re2) };
  const ranges = rangesOf(re2);
  if (ranges > MAX_RANGES) return { size, ranges: 0, pattern: triedPattern(re2, size) };
  return { size, ranges, pattern: searchPattern(re2, size) };
}

function rangesOf({ re2Input: { prog } }: RE2JS): number {
  const { inst } = prog as { readonly inst: readonly { readonly runes: readonly number[] }[] };
  return inst.reduce((sum, { runes }) => sum + runes.length / 2, 0);
}

/** Returns true if RE2 reads each character of any text once: it looks for a text, or for an anchored pattern without choices. */
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
/** Matches without an automaton, which would take too long to make. */
function triedPattern(re2: RE2JS, size: number): Pattern {
  return {
    matches(text, budget) {
      budget.spend(5 + text.length * size * TRIED_RANGES);
      const isMatch = re2.matcher(text).find();
      re2.reset();
      return isMatch;
    },
  };
}

/** Units for a character that the automaton knows in its state. */
const KNOWN = 0.3;
/** Units for a step that the automaton has to learn, and for each instruction that it considers. */
const LEARNED = 10;
const CONSIDERED = 1.2;
/** Units for a character and an instruction without an automaton: each instruction may be tried at each character. */
const TRIED = 0.3;
/** The same where an instruction has hundreds of ranges of characters. */
const TRIED_RANGES = 0.8;
/** The memory of one automaton in bytes, by the count of RE2. A full one is emptied. */
const MAX_AUTOMATON = 65_536;

/**
 * RE2 searches with an automaton that learns from the texts. What it knows is cheap, and what it learns may take a thousand
 * times as long: both are charged as they occur.
 */
function searchPattern(re2: RE2JS, size: number): Pattern {
  let setPayer: ((budget: Spender) => void) | undefined;
  return {
    matches(text, budget) {
      budget.spend(4 + text.length * KNOWN);
      setPayer ??= chargedAutomaton(re2, size);
      setPayer(budget);
      const isMatch = re2.test(text);
      re2.reset();
      return isMatch;
    },
  };
}

/** Makes the automaton, and lets it charge what it does. Returns a function that sets the budget. */
function chargedAutomaton(re2: RE2JS, size: number): (budget: Spender) => void {
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
  return (budget) => {
    payer = budget;
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
