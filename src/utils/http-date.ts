/** The form of an HTTP-date that is in use (RFC 9110, 5.6.7), which `Date.parse` reads. Of other texts it accepts too many, such as '1.5'. */
export const httpDatePattern =
  '[A-Z][a-z]{2}, \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT';
const httpDate = new RegExp(`^${httpDatePattern}$`);

/** Reads an HTTP-date: ms since the Unix epoch, or `undefined` if the text is not an HTTP-date. */
export function parseHttpDate(text: string): number | undefined {
  const instant = httpDate.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(instant) ? undefined : instant;
}
