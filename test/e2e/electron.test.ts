import { test } from 'vitest';
import { findElectronShell } from '../support/shells/electronShell.ts';
import { describeDesktop } from './desktop.ts';

const found = findElectronShell();
if ('reason' in found) {
  // The closing line of the run repeats the reason; see test/support/closingLine.ts.
  test.skip(found.reason);
} else {
  describeDesktop(found);
}
