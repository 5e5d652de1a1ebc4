/**
 * Behaviour that depends on the desktop shell: navigation, deep links, the bundle and its policy, storage, the SQL
 * process. Everything else is tested in the browser.
 */
import type { Shell } from '../support/shells/shell.ts';
import { describeSql } from './sql.ts';
import { describeApplication } from './suite.ts';

export function describeDesktop(shell: Shell): void {
  describeApplication(shell);
  describeSql(shell);
}
