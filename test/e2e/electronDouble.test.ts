import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeContinuation } from './continuation.ts';
import { describeDesktop } from './desktop.ts';
import { describeRerun } from './rerun.ts';

describeDesktop(electronDoubleShell);
describeRerun(electronDoubleShell);
describeContinuation(electronDoubleShell);
