import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeDesktop } from './desktop.ts';

describeDesktop(electronDoubleShell);
