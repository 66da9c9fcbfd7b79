/** Names on the way to a value, without list indices; undefined where no rule holds. */
export type Place = readonly string[] | undefined;

/** Whether a place fits a pattern. A leading `*` stands for any beginning, any other `*` for one name, such as the key of a map. */
export function fitter(pattern: string): (place: Place) => boolean {
  const written = pattern.split('.');
  const open = written[0] === '*';
  const wanted = open ? written.slice(1) : written;
  return (place) => {
    if (place === undefined || (open ? place.length <= wanted.length : place.length !== wanted.length)) return false;
    const end = place.slice(place.length - wanted.length);
    return wanted.every((name, index) => name === '*' || name === end[index]);
  };
}
