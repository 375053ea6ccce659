/** How the points of a sweep are put into panels and lines. */

import type { Sweep } from "./document.ts";

export interface PanelSeries {
  name: string;
  /** Points in the order along x. */
  points: number[];
}

export interface Panel {
  /** The values of the paths that tell panels apart; empty if there are none. */
  title: string;
  points: number[];
  series: PanelSeries[];
}

/** One panel for each combination of the paths that are neither along x nor tell lines apart. */
export function panelsOf(sweep: Sweep, x: number, apart: number | null): Panel[] {
  const fixed = sweep.paths.map((_, at) => at).filter((at) => at !== x && at !== apart);
  const several = fixed.filter((at) => sweep.paths[at]!.values.length > 1);
  const panels = new Map<string, Panel>();
  sweep.points.forEach((point, place) => {
    const title = several.map((at) => `${sweep.paths[at]!.path} = ${point.values[at]}`).join(", ");
    let panel = panels.get(title);
    if (panel === undefined) panels.set(title, (panel = { title, points: [], series: [] }));
    panel.points.push(place);
    const name = apart === null ? "" : point.values[apart]!;
    let series = panel.series.find((one) => one.name === name);
    if (series === undefined) panel.series.push((series = { name, points: [] }));
    series.points.push(place);
  });
  for (const panel of panels.values()) {
    if (apart !== null) {
      const order = sweep.paths[apart]!.values;
      panel.series.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
    }
    for (const { points } of panel.series) {
      points.sort((one, other) => sweep.points[one]!.places[x]! - sweep.points[other]!.places[x]!);
    }
  }
  return [...panels.values()];
}
