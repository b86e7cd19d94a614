/** The rows of a CSV with a header line, as objects. Quotes are understood, line breaks within them are not: use `csv-parse` for those. */
export function parseCsv(text) {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const names = fields(header);
  return lines.map((line) => {
    const values = fields(line);
    return Object.fromEntries(names.map((name, column) => [name, values[column] ?? '']));
  });
}

function fields(line) {
  return [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))(?=,|$)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  );
}
