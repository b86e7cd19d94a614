/** µs of CPU time that this thread has spent: what other programs take from the machine does not count. */
export function cpuTime(): number {
  // Linux brings the account of a thread up to date when that of its process is asked for, else only at its ticks.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
