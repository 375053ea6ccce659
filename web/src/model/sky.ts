/** Where the satellites of a constellation are, and over which points of the earth at a moment. */

export interface Station {
  name: string;
  latitude: number;
  longitude: number;
}

export interface Sky {
  /** Names of satellites as the nodes are called. */
  satellites: string[];
  stations: Station[];
  /** Moments of the positions, seconds, rising. */
  times: Float64Array;
  /** Degrees and metres, by moment and then by satellite; NaN of a satellite that is lost. */
  latitude: Float32Array;
  longitude: Float32Array;
  altitude: Float32Array;
}

/** A place above the earth: degrees, metres. */
export interface Position {
  latitude: number;
  longitude: number;
  altitude: number;
}

const RADIANS = Math.PI / 180;

/**
 * Where a satellite is at a moment: on the arc between the two positions beside it.
 *
 * Latitudes and longitudes cannot be put between by themselves, as longitudes jump by 360 degrees and mean nothing at
 * the poles; so the directions from the middle of the earth are.
 */
export function positionAt(sky: Sky, satellite: number, time: number): Position {
  const { times } = sky;
  let later = 0;
  while (later < times.length - 1 && times[later]! < time) later++;
  const earlier = Math.max(0, times[later]! <= time ? later : later - 1);
  const a = sampled(sky, satellite, earlier);
  const b = sampled(sky, satellite, later);
  const span = times[later]! - times[earlier]!;
  const part = span > 0 ? Math.min(1, Math.max(0, (time - times[earlier]!) / span)) : 0;
  if (part === 0) return a;
  const [ax, ay, az] = direction(a);
  const [bx, by, bz] = direction(b);
  const x = ax + (bx - ax) * part;
  const y = ay + (by - ay) * part;
  const z = az + (bz - az) * part;
  return {
    latitude: Math.atan2(z, Math.hypot(x, y)) / RADIANS,
    longitude: Math.atan2(y, x) / RADIANS,
    altitude: a.altitude + (b.altitude - a.altitude) * part,
  };
}

function sampled(sky: Sky, satellite: number, moment: number): Position {
  const place = moment * sky.satellites.length + satellite;
  return {
    latitude: sky.latitude[place] ?? NaN,
    longitude: sky.longitude[place] ?? NaN,
    altitude: sky.altitude[place] ?? NaN,
  };
}

function direction({ latitude, longitude }: Position): [number, number, number] {
  const flat = Math.cos(latitude * RADIANS);
  return [flat * Math.cos(longitude * RADIANS), flat * Math.sin(longitude * RADIANS), Math.sin(latitude * RADIANS)];
}
