import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('child.ts', import.meta.url));

/** Runs a case in a process of its own, and gives what it found. */
export function inProcess<Result>(
  name: string,
  input: object,
  flags: readonly string[] = [],
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const started = spawn(
      process.execPath,
      [...flags, '--import', 'tsx', child, name, JSON.stringify(input)],
      {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let text = '';
    started.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    started.on('error', reject);
    started.on('close', (code) => {
      if (code !== 0)
        return reject(new Error(`${name} ${JSON.stringify(input)} ended with ${code}`));
      resolve(JSON.parse(text.trim().split('\n').at(-1)!) as Result);
    });
  });
}
