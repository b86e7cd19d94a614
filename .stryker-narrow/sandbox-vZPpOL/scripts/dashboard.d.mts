/** For `define` of esbuild, tsup and Vite. */
// @ts-nocheck

export const define: { dashboardFiles: string };
/** The files that were bundled. */
export const sources: string[];
