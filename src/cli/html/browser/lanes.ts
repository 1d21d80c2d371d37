/** The number of patterns in page.css; further owners repeat them, and differ by their letters. */
export const patterns = 8;

/** Returns the letters of a lane: A to Z, then AA, AB, … as in the columns of a spreadsheet. */
export function laneLetters(position: number): string {
  const last = String.fromCharCode(65 + (position % 26));
  return position < 26 ? last : laneLetters(Math.floor(position / 26) - 1) + last;
}

/** Returns the class of a lane's color and pattern. */
export function laneClass(position: number): string {
  return `lane lane-${position % patterns}`;
}
