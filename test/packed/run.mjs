import { spawn } from 'node:child_process';

/** Runs a program to its end; rejects with all it printed when it fails or takes longer than `timeout` ms. */
export function run(command, args, { cwd, env, timeout = 120_000 } = {}) {
  return new Promise((resolve, reject) => {
    // A group of its own, so that a timeout ends its children too.
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (piece) => (text[name] += piece));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      process.kill(-child.pid, 'SIGKILL');
    }, timeout);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      const said = `${text.stdout}${text.stderr}`.trim();
      if (code === 0) resolve(text);
      else
        reject(
          new Error(
            `${command} ${args.join(' ')} ${late ? `took over ${timeout} ms` : `ended with ${code}`}\n${said}`,
          ),
        );
    });
  });
}
