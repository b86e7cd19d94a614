import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Puts `text` between `<!-- name:begin -->` and `<!-- name:end -->` of a Markdown file. Where there are no such marks, at its end.
 */
export function writeSection(file: string, name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const old = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const from = old.indexOf(begin);
  const to = old.indexOf(end);
  const section = `${begin}\n\n${text.trim()}\n\n${end}`;
  const whole =
    from >= 0 && to > from
      ? old.slice(0, from) + section + old.slice(to + end.length)
      : `${old.trimEnd()}\n\n${section}\n`.trimStart();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, whole);
}
