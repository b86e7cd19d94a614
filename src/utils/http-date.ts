/** The three forms of HTTP-date (RFC 9110, 5.6.7), anchored, because `Date.parse` accepts '1.5' and many other strings as dates. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = String.raw`(?<h>[01]\d|2[0-3]):(?<m>[0-5]\d):(?<s>[0-5]\d|60)`;
const forms = [
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) ${month} (?<year>\d{4}) ${time} GMT`,
  String.raw`(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday), (?<day>\d{2})-${month}-(?<year>\d{2}) ${time} GMT`,
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/** A pattern for all three forms, without named groups: it finds the dates in a header that was sent twice. */
export const httpDatePattern: string = forms
  .map((form) => form.source.slice(1, -1).replaceAll(/\?<\w+>/g, '?:'))
  .join('|');

/** Reads an HTTP-date in any of its three forms: ms since the Unix epoch, or `undefined` if the text is not an HTTP-date. */
export function parseHttpDate(text: string): number | undefined {
  for (const form of forms) {
    const part = form.exec(text)?.groups;
    if (part === undefined) continue;
    const { year = '', month: name = '', day = '', h, m, s } = part;
    // A two-digit year that seems more than 50 years in the future belongs to the past century (RFC 9110, 5.6.7).
    const full =
      year.length === 4 ? Number(year) : Number(year) + (Number(year) > 76 ? 1900 : 2000);
    return Date.UTC(full, months.indexOf(name), Number(day), Number(h), Number(m), Number(s));
  }
  return undefined;
}
