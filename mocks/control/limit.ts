/** The longest body that the control side reads, in bytes: its own, whatever the service is assumed to read. */
export const controlBodyLimit = 16 * 1_048_576;
