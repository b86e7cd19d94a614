/** Bytes on the heap that something still refers to. Needs `--expose-gc`. */
export async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    // What is registered for finalization (each Request is) goes a turn after it was collected.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}
