import { electronDoubleShell } from '../support/shells/electronShell.ts';
import { describeRoc } from './roc.ts';
import { describeSources } from './sources.ts';
import { describeApplication } from './suite.ts';

describeApplication(electronDoubleShell);
describeSources(electronDoubleShell);
describeRoc(electronDoubleShell);
