import type { DetectorSeverity } from '../../../shared/domain/detectors/detectors.ts';
import './detectors.css';

export function SeverityTag({ severity }: { readonly severity: DetectorSeverity }) {
  return <span className={`detector-severity is-${severity}`}>{severity}</span>;
}
