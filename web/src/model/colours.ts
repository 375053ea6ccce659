/**
 * Colours, dashes and marks of series: those of the plots (python/faircast/figures.py), by Okabe and Ito.
 *
 * The seventh is black on paper, and the colour of texts here, so that it is seen in the dark as well.
 */

export interface Look {
  /** The name of a colour in the style sheet. */
  colour: string;
  dash: number[];
}

export const COLOURS = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6"];
const DASHES: number[][] = [[], [10, 3], [2, 2], [10, 3, 2, 3], [6, 2], [2, 4], [14, 4]];

/** The look of the series at a place; sessions are drawn through. */
export function lookOf(place: number, isSession = false): Look {
  const round = Math.floor(place / COLOURS.length);
  const colour = COLOURS[place % COLOURS.length]!;
  return { colour, dash: isSession ? [] : DASHES[(place + round) % DASHES.length]! };
}

/** How strongly a link is used: a name of the style sheet for each step, beginning at that part. */
export const USE: { from: number; colour: string; label: string }[] = [
  { from: -Infinity, colour: "--use0", label: "idle" },
  { from: 1e-6, colour: "--use1", label: "below 50 %" },
  { from: 0.5, colour: "--use2", label: "50 to 90 %" },
  { from: 0.9, colour: "--use3", label: "90 to 99 %" },
  { from: 0.99, colour: "--use4", label: "99 % and more" },
];

/** The colour of a use, and how wide it is drawn: nobody has to tell it by colour alone. */
export function useOf(part: number): { colour: string; width: number; label: string } {
  let step = 0;
  USE.forEach(({ from }, place) => {
    if (part >= from) step = place;
  });
  const { colour, label } = USE[step]!;
  return { colour, width: 1 + step, label };
}

/** Colours of layers, from none to many: light to dark on paper, dark to light in the dark. */
export const LEVELS = ["--l0", "--l1", "--l2", "--l3", "--l4", "--l5", "--l6", "--l7"];

/** The colour of a level among levels up to `highest`. */
export function levelColour(level: number, highest: number): string {
  if (!(level > 0)) return LEVELS[0]!;
  const last = LEVELS.length - 1;
  return LEVELS[highest <= last ? Math.round(level) : 1 + Math.round(((level - 1) / (highest - 1)) * (last - 1))]!;
}
