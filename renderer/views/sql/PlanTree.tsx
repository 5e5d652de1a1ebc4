/** How SQLite goes about a statement. */
import { TriangleAlert } from 'lucide-react';
import type { SqlRow } from '../../../shared/api/contract.ts';
import { planLines } from './planModel.ts';

export function PlanTree({ rows }: { readonly rows: readonly SqlRow[] }) {
  return (
    <section className="sql-plan" aria-label="Query plan">
      <p className="dim">What SQLite does, from the outer loop to the inner one. Nothing has been run.</p>
      <ul>
        {planLines(rows).map((line) => (
          <li key={line.id} style={{ paddingInlineStart: line.depth * 22 }}>
            <code>{line.detail}</code>
            {line.hint !== undefined && (
              <span className="sql-plan-hint">
                <TriangleAlert size={12} aria-hidden="true" /> {line.hint}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
