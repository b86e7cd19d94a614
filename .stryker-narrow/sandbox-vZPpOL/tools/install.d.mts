// @ts-nocheck
export function setup(): Promise<void>;
export function toolFolder(name: string): string;
export function pinned(name: string): string;
