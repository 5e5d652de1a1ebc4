/** The formats Turnwise reads, in the order they are asked. Adding one: README.md of this folder. */
import type { FileHead, LogFormat } from './format.ts';
import { turnwise } from './turnwise.ts';
import { verl } from './verl.ts';

export const FORMATS: readonly LogFormat[] = [turnwise, verl];

export function detectFormat(head: FileHead): LogFormat | undefined {
  return FORMATS.find((format) => format.detect(head));
}

export function formatNamed(name: string): LogFormat | undefined {
  return FORMATS.find((format) => format.name === name);
}
