import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeDesktop } from './desktop.ts';
import { describeRerun } from './rerun.ts';

describeDesktop(electronDoubleShell);
describeRerun(electronDoubleShell);
