import { browserShell } from '../support/shells/browserShell.ts';
import { describeFilter } from './filter.ts';
import { describeKeys } from './keys.ts';
import { describeProblems } from './problems.ts';
import { describeRoc } from './roc.ts';
import { describeSearch } from './search.ts';
import { describeSql } from './sql.ts';
import { describeTables } from './tables.ts';
import { describeTokens } from './tokens.ts';

describeRoc(browserShell);
describeFilter(browserShell);
describeTables(browserShell);
describeProblems(browserShell);
describeKeys(browserShell);
describeSearch(browserShell);
describeSql(browserShell);
describeTokens(browserShell);
